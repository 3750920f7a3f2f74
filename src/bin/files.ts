/** Files that are written completely or not at all. */
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { OpenBytes } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { Failure } from "./exit.ts";
import { inWords } from "./explain.ts";
import type { Terminal } from "./terminal.ts";
import type { Texts } from "./texts/texts.ts";

/** Throws `Failure` if the path exists, or a log of an earlier database under this name. */
export function mustBeFree(path: string): void {
  for (const taken of [path, `${path}-wal`, `${path}-journal`]) {
    if (exists(taken)) throw new Failure("refused", (t) => t.errors.exists({ path: taken }));
  }
}

/**
 * The real path of an existing or future file. Links are resolved, so that two names of a database share one lock.
 * Throws `Failure` if the directory does not exist.
 */
export function realPath(path: string): string {
  if (exists(path)) return realpathSync(path);
  const directory = dirname(resolve(path));
  if (!exists(directory)) throw new Failure("unusable", (t) => t.files.no_directory({ path: directory }));
  return join(realpathSync(directory), basename(path));
}

/** The texts for a directory that is missing, or cannot be written to. */
interface DirectoryTexts {
  readonly no_directory: (values: { path: string }) => string;
  readonly read_only: (values: { path: string }) => string;
}

/** The real path of a directory. Throws `Failure` if it is not a directory or cannot be written to. */
export function writableDirectory(given: string, said: (t: Texts) => DirectoryTexts): string {
  const directory = realPath(given);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Failure("unusable", (t) => said(t).no_directory({ path: given }));
  }
  try {
    accessSync(directory, constants.W_OK);
  } catch (error) {
    throw new Failure("unusable", (t) => said(t).read_only({ path: given }), error);
  }
  return directory;
}

/** What the directory of an unfinished file is called, before six random characters. */
const DRAFT = ".lacre-draft-";
const LEFT_BEHIND = /\.lacre-draft-[A-Za-z0-9]{6}$/;
/**
 * How often the directory of an unfinished file is marked as in use; it is swept once it was unmarked for long enough.
 */
const IN_USE_EVERY_MS = 60_000;
const LEFT_BEHIND_MS = 60 * 60_000;
/** An empty directory is swept sooner: it is empty only before its file is begun and after the file has its name. */
const LEFT_EMPTY_MS = 2 * IN_USE_EVERY_MS;

/**
 * Writes the file at this real path under a temporary name, and renames it once it is complete and on the disk. `make`
 * gets the temporary name; `name` gives the file its own, and may throw. A failure leaves nothing behind; the next
 * program in this directory sweeps what a killed one left.
 */
export async function makeAtomically<T>(
  path: string,
  make: (draft: string) => Promise<T>,
  name: (draft: string) => void = (draft) => {
    mustBeFree(path);
    renameSync(draft, path);
  },
): Promise<T> {
  return withDraft(path, async (draft) => {
    const made = await make(draft);
    if (exists(`${draft}-wal`)) throw new Error(`${draft}-wal was left open.`); // its frames would be lost
    sync(draft);
    name(draft);
    sync(dirname(path));
    return made;
  });
}

/** Provides a temporary name for a file beside this real path, and removes whatever has that name at the end. */
export async function withDraft<T>(path: string, use: (draft: string) => Promise<T>): Promise<T> {
  sweepDrafts(dirname(path));
  let directory = `${path}${DRAFT}XXXXXX`;
  let inUse: NodeJS.Timeout | undefined;
  try {
    directory = mkdtempSync(path + DRAFT);
    inUse = setInterval(() => utimesSync(directory, systemClock(), systemClock()), IN_USE_EVERY_MS).unref();
    return await use(join(directory, basename(path)));
  } catch (error) {
    throw naming(path, directory, error);
  } finally {
    clearInterval(inUse);
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Removes unfinished files, which can hold keys, that killed programs left in this directory an hour ago or more, and
 * empty directories from two minutes ago.
 */
export function sweepDrafts(directory: string): void {
  const now = systemClock().getTime();
  for (const name of readdirSync(directory).filter((name) => LEFT_BEHIND.test(name))) {
    const path = join(directory, name);
    try {
      const unused_ms = now - statSync(path).mtimeMs;
      if (unused_ms > LEFT_BEHIND_MS) rmSync(path, { recursive: true });
      else if (unused_ms > LEFT_EMPTY_MS) rmdirSync(path); // It throws if a file is in it.
    } catch {} // It is another user's, or was swept by another program.
  }
}

/** Removes the unfinished files of this name, whose program has stopped. */
export function removeDrafts(path: string): void {
  const begun = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path) + DRAFT));
  for (const name of begun) rmSync(join(dirname(path), name), { recursive: true, force: true });
}

/** The error in words, with the name that the user gave instead of the temporary one. */
function naming(path: string, directory: string, error: unknown): unknown {
  const known = inWords(error);
  if (!(known instanceof Failure)) return known;
  const renamed = (text: string) => text.replaceAll(join(directory, basename(path)), path).replaceAll(directory, path);
  return new Failure(known.exit, (t) => renamed(known.words(t)), known.cause);
}

/** The suffixes of the files beside a database: its logs, its shared memory, its lock, its notes. */
const COMPANIONS = ["-wal", "-shm", "-journal", ".lock", ".heads", ".log-removed", ".address", ".set-up"];

/**
 * Writes the output file of a command. Throws `Failure` if it is the database or one of its companions, if the path is
 * not a regular file (a device would be replaced), or if it exists and `overwrite` is false.
 */
export async function makeResult<T>({ out, overwrite, db }: Result, make: (draft: string) => Promise<T>): Promise<T> {
  if (exists(out) && !statSync(out).isFile()) {
    throw new Failure("refused", (t) => t.files.out_not_a_file({ path: out }));
  }
  const target = realPath(out);
  const database = db === undefined ? undefined : realPath(db);
  if (target === database) throw new Failure("refused", (t) => t.files.is_the_database({ path: out }));
  if (COMPANIONS.some((suffix) => target === `${database}${suffix}`)) {
    throw new Failure("refused", (t) => t.files.of_the_database({ path: out }));
  }
  if (!overwrite) mustBeFree(target);
  return makeAtomically(target, make, overwrite ? (draft) => renameSync(draft, target) : undefined);
}

/** Where a command's output goes. `db` is the database in use, if it is a file. */
export interface Result {
  readonly out: string;
  readonly overwrite: boolean;
  readonly db?: string | undefined;
}

/** The name of standard output in `--out`. */
export const STANDARD_OUTPUT = "-";

/** Makes a command's output piece by piece: its file, as `makeResult` does, or standard output. */
export async function writeResult<T>(
  result: Result,
  terminal: Terminal,
  make: (write: (piece: Uint8Array) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (result.out === STANDARD_OUTPUT) return make((piece) => terminal.write(piece));
  return makeResult(result, async (draft) => {
    const descriptor = openSync(draft, "wx");
    try {
      // It may block, because nothing else runs in this process.
      return await make(async (piece) => write(descriptor, piece, result.out));
    } finally {
      closeSync(descriptor);
    }
  });
}

function write(descriptor: number, piece: Uint8Array, path: string): void {
  try {
    writeFileSync(descriptor, piece);
  } catch (error) {
    throw inWords(error, path); // The system's error names no file here.
  }
}

/** Larger than any key or picture. */
const MAX_GIVEN = 16 * 1024 * 1024;

/** The bytes of a small file named on the command line, such as a key. Throws `Failure` if it cannot be read. */
export function readGiven(path: string): Buffer {
  try {
    const about = statSync(path);
    if (about.isCharacterDevice() || about.size > MAX_GIVEN) {
      throw new Failure("refused", (t) => t.files.too_large({ path }));
    }
    return readFileSync(path);
  } catch (error) {
    throw inWords(error, path);
  }
}

/** Whether anything exists at this path. */
export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The free bytes on the disk of a file, for this user. */
export function freeBytesAt(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}

/** Opens a file's bytes, from the start on each call. Throws if there is no such file. */
export function openBytes(path: string): OpenBytes {
  if (!statSync(path).isFile()) throw new Failure("refused", (t) => t.files.not_a_file({ path }));
  return () => createReadStream(path);
}

/** Flushes a file's content, or a directory's names, to the disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
