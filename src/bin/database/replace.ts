/**
 * Replaces a database by a restored one. Whenever a program is killed meanwhile, one complete database has the name,
 * and no log lies beside a database that it does not belong to.
 */
import { constants, copyFileSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../exit.ts";
import { exists, sync } from "../files.ts";

const ASIDE = ".before-restore-";
/** The suffixes of files that SQLite would apply to whatever database it finds beside them. */
const LOGS = ["-wal", "-journal"] as const;

/**
 * Moves a complete draft to the name of the database at `path` and returns the name under which the old one is kept, or
 * null if there was none. Both are in the same directory's file system.
 */
export function replaceDatabase(path: string, draft: string, now: Date): string | null {
  const aside = exists(path) ? path + ASIDE + now.toISOString().replaceAll(/[-:.]/g, "") : null;
  if (aside !== null) {
    keepAs(path, aside); // From here on halfReplaced finds it, until the draft takes over the name.
    const logs = LOGS.filter((suffix) => exists(path + suffix));
    for (const suffix of logs) keepAs(path + suffix, aside + suffix);
    sync(dirname(path));
    for (const suffix of [...logs, "-shm"]) rmSync(path + suffix, { force: true });
  }
  renameSync(draft, path);
  return aside;
}

/** Gives a file a second name; a copy if the file system has no links. */
function keepAs(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch {
    copyFileSync(path, name, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    sync(name);
  }
}

/** The second name of a database whose replacement was interrupted, or undefined. */
export function halfReplaced(path: string): string | undefined {
  if ((statSync(path, { throwIfNoEntry: false })?.nlink ?? 0) < 2) return undefined;
  return keptBeside(path).find((name) => isSameFile(name, path));
}

/** Undoes an interrupted replacement: the database has its log again, and one name. Needs the server lock. */
export function undoReplacement(path: string, aside: string): void {
  for (const suffix of LOGS.filter((suffix) => exists(aside + suffix))) {
    if (!exists(path + suffix)) renameSync(aside + suffix, path + suffix);
    else if (isSameFile(aside + suffix, path + suffix)) rmSync(aside + suffix);
    else {
      throw new Failure("refused", (t) => t.database.half_restored({ path, log: aside + suffix, aside, suffix }));
    }
  }
  rmSync(aside);
  sync(dirname(path));
}

/** The databases that earlier restores of `path` have kept. */
export function keptBeside(path: string): string[] {
  const directory = dirname(path);
  return readdirSync(directory)
    .filter((name) => name.startsWith(basename(path) + ASIDE) && !LOGS.some((suffix) => name.endsWith(suffix)))
    .map((name) => join(directory, name));
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)];
  return a.ino === b.ino && a.dev === b.dev;
}
