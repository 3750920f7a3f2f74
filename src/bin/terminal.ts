/** What a command may touch of the process it runs in. `main.ts` makes the real one. */
export interface Shell {
  /** Writes results: one line, or several, to standard output. */
  print(text: string): void;
  /** Tells the person at the terminal something beside the results, on standard error. */
  note(text: string): void;
  /**
   * Resolves at the first SIGTERM or SIGINT from now on; the second one ends the process at once. Until this is
   * called a signal ends the process as usual.
   */
  stopRequested(): Promise<void>;
  /** Hands errors that nobody caught to `report`; the process then ends. Without it they go to standard error. */
  reportCrash(report: (error: unknown) => void): void;
}
