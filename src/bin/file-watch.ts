/**
 * Notices that a file of an open database is no longer the one that was opened. SQLite does not: it goes on in a file
 * without a name and calls its commits done.
 */
import { type Stats, statSync } from "node:fs";
import { resolve } from "node:path";

/** The watch over the files of an open database. */
export interface FileWatch {
  /** What is wrong, as a phrase without a full stop; undefined where nothing is. The first call notes what is opened. */
  fault(): string | undefined;
  /** Whether closing the database saves what only its nameless log still holds, and harms nobody. */
  isSavedByClosing(): boolean;
}

interface Watched {
  readonly path: string;
  /** Whether the file grows only: the database, and its log, which SQLite overwrites from the start but does not cut. */
  readonly growsOnly: boolean;
  /** As the latest look saw it, and as the one before did. */
  opened: Stats | undefined;
  before: Stats | undefined;
}

/**
 * Watches the database at this real path, its log and shared memory, and the `others`: files beside it, or more names of
 * it. Begins at the first `fault()`, which is for after the first connection has read: then all of them exist.
 */
export function watchFiles(file: string, others: readonly string[] = []): FileWatch {
  const [main, log, memory] = [watched(file, true), watched(`${file}-wal`, true), watched(`${file}-shm`, false)];
  const all = [
    main,
    log,
    memory,
    ...others.filter((path) => resolve(path) !== file).map((path) => watched(path, false)),
  ];
  let found: string | undefined; // the first sign counts, also where all is put back
  return {
    fault() {
      found ??= faultIn(all) ?? overwritten(main, log);
      return found;
    },
    isSavedByClosing: () =>
      // While the log has no name and nobody made another one, nobody else has the database open.
      faultOf(main) === undefined && faultOf(log) === GONE && [undefined, GONE].includes(faultOf(memory)),
  };
}

const GONE = "is gone";

/** A checkpoint of another program, which follows a commit of it, ends within this time. */
const LONGEST_CHECKPOINT_MS = 10_000;

function watched(path: string, growsOnly: boolean): Watched {
  return { path, growsOnly, opened: undefined, before: undefined };
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
  one.before = opened;
  one.opened = now;
  return undefined;
}

/** SQLite writes to the database after a commit, and each commit is in the log first: other writes are not SQLite's. */
function overwritten(main: Watched, log: Watched): string | undefined {
  if (!main.opened || !log.opened || main.opened.mtimeMs === main.before?.mtimeMs) return undefined;
  const hasCommitted = log.opened.mtimeMs !== log.before?.mtimeMs;
  const isLate = main.opened.mtimeMs - log.opened.mtimeMs > LONGEST_CHECKPOINT_MS;
  return !hasCommitted && isLate ? `${main.path} was overwritten by another program` : undefined;
}
