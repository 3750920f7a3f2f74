/** The part of its process that a command may touch. `main.ts` makes the real one. */
export interface Terminal {
  /** Writes results, one line or several, to standard output. */
  print(text: string): void;
  /** Writes all but results, such as errors, to standard error. */
  printError(text: string): void;
  /**
   * Resolves at the first SIGTERM or SIGINT after this call; a second one ends the process at once. Before this call a
   * signal ends the process as usual.
   */
  stopRequested(): Promise<void>;
  /** Passes uncaught errors to `report` before the process ends. Without it they go to standard error. */
  onCrash(report: (error: unknown) => void): void;
}
