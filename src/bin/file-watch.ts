/**
 * Notices that a file of an open database is no longer the opened one. SQLite does not: it continues in a file without
 * a name and reports its commits as done.
 */
import { openSync, readSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";

/** The watch over the files of an open database. */
export interface FileWatch {
  /** What is wrong, as a phrase without a full stop; undefined if nothing is. The first call notes the opened files. */
  fault(): string | undefined;
  /** Whether closing the database would save what only its nameless log still holds, and harm nobody. */
  isSavedByClosing(): boolean;
}

interface Watched {
  readonly path: string;
  /**
   * Whether the file only grows: the database, and its log, which SQLite overwrites from the start but does not cut.
   */
  readonly growsOnly: boolean;
  /** As the latest check saw it. */
  opened: Stats | undefined;
}

/**
 * Watches the database at this real path, its log and shared memory, and the `others`: files beside it, or other names
 * of it. Begins at the first `fault()`, to be called after the first connection has read: then all of them exist.
 */
export function watchFiles(file: string, others: readonly string[] = []): FileWatch {
  const [main, log, memory] = [watched(file, true), watched(`${file}-wal`, true), watched(`${file}-shm`, false)];
  const all = [
    main,
    log,
    memory,
    ...others.filter((path) => resolve(path) !== file).map((path) => watched(path, false)),
  ];
  let found: string | undefined; // the first sign counts, even if everything is put back
  let checkpoints: (() => Checkpoints) | undefined;
  let seen: Checkpoints | undefined; // read before `main` was looked at

  function look(): string | undefined {
    const now = checkpoints?.();
    const written_ms = main.opened?.mtimeMs;
    const fault = faultIn(all);
    if (fault !== undefined) return fault;
    const isOverwritten = seen && main.opened?.mtimeMs !== written_ms && !mayHaveWritten(seen, checkpoints?.());
    if (isOverwritten) return `${main.path} was overwritten by another program`;
    checkpoints ??= checkpointsIn(memory.path);
    seen = now;
    return undefined;
  }

  return {
    fault() {
      found ??= look();
      return found;
    },
    isSavedByClosing: () =>
      // While the log has no name and nobody made another one, nobody else has the database open.
      faultOf(main) === undefined && faultOf(log) === GONE && [undefined, GONE].includes(faultOf(memory)),
  };
}

const GONE = "is gone";

function watched(path: string, growsOnly: boolean): Watched {
  return { path, growsOnly, opened: undefined };
}

function faultIn(all: readonly Watched[]): string | undefined {
  for (const one of all) {
    const fault = faultOf(one);
    if (fault !== undefined) return `${one.path} ${fault}`;
  }
  return undefined;
}

function faultOf(one: Watched): string | undefined {
  const now = statSync(one.path, { throwIfNoEntry: false });
  if (!now) return GONE;
  const opened = one.opened ?? now;
  if (now.ino !== opened.ino || now.dev !== opened.dev) return "was replaced";
  if (one.growsOnly && now.size < opened.size) return "was cut by another program";
  one.opened = now;
  return undefined;
}

/**
 * How much of the log is in the database, from the shared memory (https://sqlite.org/walformat.html#walidxfmt). SQLite
 * writes to the database only in checkpoints, and each changes `attempted` before it and `done` after it; a new log has
 * others.
 */
interface Checkpoints {
  readonly log: number;
  readonly attempted: number;
  readonly done: number;
}

/** The positions of these numbers: the salts of the log, `nBackfill` and `nBackfillAttempted`, in 32-bit words. */
const [LOG, DONE, ATTEMPTED, WORDS] = [8, 24, 32, 34];

/** Reads the numbers. The file stays open as long as the process: closing it would release SQLite's locks on it. */
function checkpointsIn(path: string): () => Checkpoints {
  const descriptor = openSync(path, "r");
  const words = new Uint32Array(WORDS);
  return () => {
    readSync(descriptor, words, 0, words.byteLength, 0);
    const [log = 0, done = 0, attempted = 0] = [words[LOG], words[DONE], words[ATTEMPTED]];
    return { log, attempted, done };
  };
}

/** Whether a checkpoint may have run at any time from `before` to `now`. */
function mayHaveWritten(before: Checkpoints, now: Checkpoints | undefined): boolean {
  const isUnderWay = before.attempted !== before.done;
  return isUnderWay || before.log !== now?.log || before.attempted !== now.attempted || before.done !== now.done;
}
