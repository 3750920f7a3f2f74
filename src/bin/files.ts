/** Files that are written completely or not at all. */
import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { OpenBytes } from "../core/index.ts";
import { Failure } from "./exit.ts";

/** Throws `Failure` if the path exists, or the write-ahead log of an earlier database under this name. */
export function mustBeFree(path: string): void {
  for (const taken of [path, `${path}-wal`]) {
    if (exists(taken)) throw new Failure("refused", `${taken} exists already and is not overwritten; name another.`);
  }
}

/**
 * The real path of a file that exists or is to be made. Links are resolved, so that two names of a database share one
 * lock. Throws `Failure` if the directory does not exist.
 */
export function realPath(path: string): string {
  if (exists(path)) return realpathSync(path);
  const directory = dirname(resolve(path));
  if (!exists(directory)) throw new Failure("unusable", `There is no directory ${directory}; create it first.`);
  return join(realpathSync(directory), basename(path));
}

/**
 * Makes the file at this real path under a temporary name, and renames it once it is complete and on the disk. `make`
 * gets the temporary name; `beforeNaming` runs just before the rename and may throw. A failure leaves nothing behind.
 */
export async function makeAtomically<T>(
  path: string,
  make: (draft: string) => Promise<T>,
  beforeNaming = () => mustBeFree(path),
): Promise<T> {
  const directory = mkdtempSync(`${path}.`);
  try {
    const draft = join(directory, basename(path));
    const made = await make(draft);
    sync(draft);
    beforeNaming();
    renameSync(draft, path);
    sync(dirname(path));
    return made;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The suffixes of the files beside a database: its logs, its shared memory, its lock. */
const COMPANIONS = ["-wal", "-shm", "-journal", ".lock"];

/**
 * Makes the output file of a command. Throws `Failure` if it is the database or one of its companions, if the path is
 * not a regular file (a device would be replaced), or if it exists and `overwrite` is false.
 */
export async function makeResult<T>(
  { out, overwrite, db }: { readonly out: string; readonly overwrite: boolean; readonly db: string },
  make: (draft: string) => Promise<T>,
): Promise<T> {
  const [target, database] = [realPath(out), realPath(db)];
  if (target === database) throw new Failure("refused", `${out} is the database itself; name another file.`);
  if (COMPANIONS.some((suffix) => target === database + suffix)) {
    throw new Failure("refused", `${out} belongs to the database; name another file.`);
  }
  if (!overwrite) mustBeFree(target);
  else if (exists(target) && !statSync(target).isFile())
    throw new Failure("refused", `${target} is not a file; name another one.`);
  return makeAtomically(target, make, overwrite ? () => {} : undefined);
}

/**
 * Moves a database and its write-ahead log aside, and returns whether there was one. The log moves last: a log without
 * its database does no harm, but a database without its log lacks its latest documents.
 */
export function moveAside(path: string, aside: string): boolean {
  const companions = ["", "-wal", "-shm"].filter((suffix) => exists(path + suffix));
  for (const suffix of companions) renameSync(path + suffix, aside + suffix);
  return companions.length > 0;
}

/** The bytes of a file named on the command line. Throws `Failure` if it cannot be read. */
export function readGiven(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Failure("refused", error instanceof Error ? error.message : String(error), error);
  }
}

/** Whether anything exists at this path. */
export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Opens a file's bytes, from the start on each call. Throws `Failure` if there is no such file. */
export function openBytes(path: string): OpenBytes {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new Failure("refused", `There is no file ${path}; check its name.`);
  return () => createReadStream(path);
}

/** Flushes a file's content, or a directory's names, to the disk. */
function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
