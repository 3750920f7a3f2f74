/** Errors in words: what is wrong, with which file, and what to do. */
import { getSystemErrorMessage } from "node:util";
import { LacreError, StorageError } from "../core/index.ts";
import { type Exit, Failure } from "./exit.ts";

/** What the program tells about an error. `code` is the core's, or the name of the exit. */
export interface Explained {
  readonly exit: Exit;
  readonly code: string;
  readonly message: string;
  /** Of a bug only: a report needs it. */
  readonly stack?: string;
}

/** Explains any error that ended a command. */
export function explained(error: unknown): Explained {
  if (error instanceof LacreError) return { exit: "refused", code: error.code, message: error.message };
  const known = inWords(error);
  if (known instanceof Failure) return { exit: known.exit, code: known.exit, message: known.message };
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  return { exit: "failed", code: "failed", message, stack };
}

/** A storage error or a failed system call as a `Failure` about `path`, if given; any other error as it is. */
export function inWords(error: unknown, path?: string): unknown {
  if (error instanceof StorageError) return storageFailure(error, path);
  return isFromTheSystem(error) ? systemFailure(error, path) : error;
}

// ——— The storage ———

type Trouble = Pick<StorageError, "trouble" | "message" | "cause">;

function storageFailure({ trouble, message, cause }: Trouble, path = "the database"): Failure {
  // Without SQLite's error behind it, the message is a sentence of Lacre's own.
  const [exit, sentence]: [Exit, string] =
    cause === undefined ? ["unusable", message] : STORAGE[trouble](path, message);
  return new Failure(exit, sentence, cause);
}

const STORAGE: Record<StorageError["trouble"], (path: string, reason: string) => [Exit, string]> = {
  busy: (path) => ["in_use", `Another program is writing to ${path}; try again.`],
  full: (path) => ["failed", `The disk has no room for ${path}: nothing was written; free some, and try again.`],
  broken: (path, reason) => [
    "unusable",
    `There is damage in ${path}, or its disk fails (${reason}); check the disk, and restore a backup: lacre restore FILE`,
  ],
  unusable: (path, reason) => ["unusable", `Lacre cannot use ${path} (${reason}); check its permissions and its disk.`],
};

// ——— The system ———

/** Node's error of a failed system call. */
interface SystemError extends NodeJS.ErrnoException {
  readonly dest?: string;
}

/** A failed system call as a `Failure` that names `path`, else the path of the call. */
function systemFailure(error: SystemError, path?: string): Failure {
  if (error.syscall === "uv_cwd") return new Failure("refused", NOWHERE, error);
  const [exit, sentence] = SYSTEM[error.code ?? ""] ?? ["failed", other(error)];
  const called = exit === "failed" ? (error.dest ?? error.path) : error.path; // A copy lacks room where it goes to.
  return new Failure(exit, sentence(path ?? called ?? "the file"), error);
}

/** A name without a leading slash is looked for in the working directory. */
const NOWHERE =
  "The directory this was started in is gone; change to another, or name the database in full (--db /PATH).";

/** By the system's code (errno(3)): the exit and the sentence. */
const SYSTEM: Readonly<Record<string, readonly [Exit, (path: string) => string]>> = {
  ENOENT: ["refused", (path) => `There is no file ${path}; check its name.`],
  ENOTDIR: ["refused", (path) => `A part of ${path} is a file, not a directory; check its name.`],
  EISDIR: ["refused", (path) => `${path} is a directory; name a file.`],
  EEXIST: ["refused", (path) => `${path} exists already and is not overwritten; name another.`],
  ENAMETOOLONG: ["refused", (path) => `The name ${shortened(path)} is too long; choose a shorter one.`],
  ELOOP: ["refused", (path) => `${path} is a link that leads to itself; name the file.`],
  EACCES: ["refused", forbidden],
  EPERM: ["refused", forbidden],
  EROFS: ["refused", (path) => `${path} is on a read-only disk; choose another place.`],
  EBUSY: ["refused", (path) => `${path} is in use by the system; choose another.`],
  ETXTBSY: ["refused", (path) => `${path} is a program that is running; name another file.`],
  ENXIO: ["refused", noFile],
  ENODEV: ["refused", noFile],
  ENOSPC: ["failed", full],
  EDQUOT: ["failed", full],
  EFBIG: ["failed", (path) => `${path} would be larger than this disk allows; choose another disk.`],
  EIO: ["failed", (path) => `The disk of ${path} fails; check it, and choose another.`],
  EMFILE: ["failed", manyOpen],
  ENFILE: ["failed", manyOpen],
};

function forbidden(path: string): string {
  return `This user may not use ${path}; change its permissions or its directory's, or name another.`;
}

function noFile(path: string): string {
  return `${path} is a device or a socket; name a file.`;
}

function full(path: string): string {
  return `The disk has no room for ${path}; free some, and try again.`;
}

function manyOpen(path: string): string {
  return `${path} cannot be opened: too many files are; raise the limit (ulimit -n), or end other programs.`;
}

function other({ errno, code, message }: SystemError): (path: string) => string {
  return (path) => `${path}: ${errno === undefined ? message : `${getSystemErrorMessage(errno)} (${code})`}.`;
}

const NAME_SHOWN = 60;

function shortened(path: string): string {
  return path.length > NAME_SHOWN ? `${path.slice(0, NAME_SHOWN)}…` : path;
}

function isFromTheSystem(error: unknown): error is SystemError {
  return error instanceof Error && "syscall" in error;
}
