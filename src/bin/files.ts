/** Files that are there whole or not at all. */
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

/** Throws `Failure` when something has this name already. A write-ahead log left behind by another database counts. */
export function mustBeFree(path: string): void {
  for (const taken of [path, `${path}-wal`]) {
    if (exists(taken)) throw new Failure("refused", `${taken} exists already; it is not overwritten.`);
  }
}

/**
 * The one true path of a file that is there or is to be made: through links, so that two names of a database share
 * its lock. Throws `Failure` when its directory is not there.
 */
export function trueName(path: string): string {
  if (exists(path)) return realpathSync(path);
  const directory = dirname(resolve(path));
  if (!exists(directory)) throw new Failure("unusable", `There is no directory ${directory}.`);
  return join(realpathSync(directory), basename(path));
}

/**
 * Makes the file at this true path under another name, and gives it its own once it is whole and on the disk. `make`
 * gets the name to work under; `beforeNaming` runs last and may still throw. Whatever fails, nothing is left behind.
 */
export async function makeWhole<T>(
  path: string,
  make: (draft: string) => Promise<T>,
  beforeNaming = () => mustBeFree(path),
): Promise<T> {
  const workshop = mkdtempSync(`${path}.`);
  try {
    const draft = join(workshop, basename(path));
    const made = await make(draft);
    sync(draft);
    beforeNaming();
    renameSync(draft, path);
    sync(dirname(path));
    return made;
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

/** What stands beside a database under its name, or may come to: its logs, its shared memory, its lock. */
const COMPANIONS = ["-wal", "-shm", "-journal", ".lock"];

/**
 * Makes the file a command was asked for. Throws `Failure` for the database and what belongs to it, for what is no file
 * (a device would be replaced by one), and for what is there and may stay.
 */
export async function makeResult<T>(
  { out, overwrite, db }: { readonly out: string; readonly overwrite: boolean; readonly db: string },
  make: (draft: string) => Promise<T>,
): Promise<T> {
  const [target, database] = [trueName(out), trueName(db)];
  if (target === database) throw new Failure("refused", `${out} is the database itself; name another file.`);
  if (COMPANIONS.some((suffix) => target === database + suffix)) {
    throw new Failure("refused", `${out} belongs to the database; name another file.`);
  }
  if (!overwrite) mustBeFree(target);
  else if (exists(target) && !statSync(target).isFile()) throw new Failure("refused", `${target} is not a file.`);
  return makeWhole(target, make, overwrite ? () => {} : undefined);
}

/**
 * Moves a database out of the way with its write-ahead log, if it is there. The log moves last: without its database it
 * harms nobody, but a database without its log lacks its latest documents.
 */
export function moveAside(path: string, aside: string): boolean {
  const companions = ["", "-wal", "-shm"].filter((suffix) => exists(path + suffix));
  for (const suffix of companions) renameSync(path + suffix, aside + suffix);
  return companions.length > 0;
}

/** The bytes of a file the command line names. Throws `Failure` when it cannot be read. */
export function readGiven(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Failure("refused", error instanceof Error ? error.message : String(error), error);
  }
}

/** Whether anything has this name. */
export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A file's bytes, from the beginning each time. Throws `Failure` when there is no such file. */
export function bytesOf(path: string): OpenBytes {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new Failure("refused", `There is no file ${path}.`);
  return () => createReadStream(path);
}

/** Waits until a file's content, or a directory's names, are on the disk. */
function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
