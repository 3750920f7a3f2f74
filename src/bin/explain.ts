/** Errors in words: what is wrong, with which file, and what to do. */
import { getSystemErrorMessage } from "node:util";
import { LacreError as HttpError } from "../client/error.ts";
import { LacreError, StorageError } from "../core/index.ts";
import { textWithCommands } from "../http/remedies.ts";
import { type Exit, Failure } from "./exit.ts";
import type { Texts, Words } from "./texts/texts.ts";

/** The program's report of an error. `code` is the core's, or the name of the exit. */
export interface Explained {
  readonly exit: Exit;
  readonly code: string;
  /** In English, for programs. */
  readonly message: string;
  /** The same for people. */
  readonly words: Words;
  /** Only of a bug: a report needs it. */
  readonly stack?: string;
}

/** Explains any error that ended a command. */
export function explained(error: unknown): Explained {
  if (error instanceof LacreError) {
    const message = textWithCommands(error, "en");
    return { exit: "refused", code: error.code, message, words: (t) => textWithCommands(error, t.lang) };
  }
  if (error instanceof HttpError) {
    const { code, message } = error;
    return { exit: "refused", code, message, words: () => message };
  }
  const known = inWords(error);
  if (known instanceof Failure) {
    return { exit: known.exit, code: known.exit, message: known.message, words: known.words };
  }
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  return { exit: "failed", code: "failed", message, words: () => message, stack };
}

/** A storage error or a failed system call as a `Failure` about `path`, if given; any other error unchanged. */
export function inWords(error: unknown, path?: Words | string): unknown {
  const named = typeof path === "string" ? () => path : path;
  if (error instanceof StorageError) return storageFailure(error, named);
  return isFromTheSystem(error) ? systemFailure(error, named) : error;
}

// ——— The storage ———

function storageFailure(error: StorageError, path: Words = (t) => t.errors.the_database): Failure {
  const { trouble, message, cause, text } = error;
  // Without SQLite's error behind it, the message is a sentence of Lacre's own.
  if (cause === undefined) return new Failure("unusable", (t) => text?.in(t.lang) ?? message, error);
  const [exit, words] = STORAGE[trouble];
  return new Failure(exit, (t) => words(t)({ path: path(t), reason: message }), cause);
}

type Sentence = (t: Texts) => (values: { path: string; reason: string }) => string;

const STORAGE: Record<StorageError["trouble"], readonly [Exit, Sentence]> = {
  busy: ["in_use", (t) => t.errors.busy],
  held: ["in_use", (t) => t.errors.busy],
  full: ["failed", (t) => t.errors.no_room_to_write],
  broken: ["unusable", (t) => t.errors.broken],
  lost: ["failed", (t) => t.errors.lost],
  deadlock: ["in_use", (t) => t.errors.busy],
  aborted: ["in_use", (t) => t.errors.busy],
  unusable: ["unusable", (t) => t.errors.unusable],
};

// ——— The system ———

/** Node's error of a failed system call. */
interface SystemError extends NodeJS.ErrnoException {
  readonly dest?: string;
}

/** A failed system call as a `Failure` that names `path`, else the path of the call. */
function systemFailure(error: SystemError, path?: Words): Failure {
  // A name without a leading slash is looked up in the working directory.
  if (error.syscall === "uv_cwd") return new Failure("refused", (t) => t.errors.nowhere, error);
  const [exit, sentence] = SYSTEM[error.code ?? ""] ?? ["failed", (t: Texts) => t.errors.other];
  const called = exit === "failed" ? (error.dest ?? error.path) : error.path; // A copy lacks room at its destination.
  const named: Words = path ?? ((t) => called ?? t.errors.the_file);
  const shown = (t: Texts) => (error.code === "ENAMETOOLONG" ? shortened(named(t)) : named(t));
  return new Failure(exit, (t) => sentence(t)({ path: shown(t), reason: reasonOf(error) }), error);
}

/** By the system's code (errno(3)): the exit and the sentence. */
const SYSTEM: Readonly<Record<string, readonly [Exit, Sentence]>> = {
  ENOENT: ["refused", (t) => t.errors.no_file],
  ENOTDIR: ["refused", (t) => t.errors.not_a_directory],
  EISDIR: ["refused", (t) => t.errors.is_a_directory],
  ERR_FS_EISDIR: ["refused", (t) => t.errors.is_a_directory],
  EEXIST: ["refused", (t) => t.errors.exists],
  ENAMETOOLONG: ["refused", (t) => t.errors.name_too_long],
  ELOOP: ["refused", (t) => t.errors.circle],
  EACCES: ["refused", (t) => t.errors.forbidden],
  EPERM: ["refused", (t) => t.errors.forbidden],
  EROFS: ["refused", (t) => t.errors.read_only],
  EBUSY: ["refused", (t) => t.errors.in_use],
  ETXTBSY: ["refused", (t) => t.errors.running],
  ENXIO: ["refused", (t) => t.errors.device],
  ENODEV: ["refused", (t) => t.errors.device],
  ENOSPC: ["failed", (t) => t.errors.no_room],
  EDQUOT: ["failed", (t) => t.errors.no_room],
  EFBIG: ["failed", (t) => t.errors.too_large],
  EIO: ["failed", (t) => t.errors.disk_fails],
  EMFILE: ["failed", (t) => t.errors.too_many_open],
  ENFILE: ["failed", (t) => t.errors.too_many_open],
};

/** The system's text of an error without a sentence here: in English, as this library's `strerror` has it. */
function reasonOf({ errno, code, message }: SystemError): string {
  // For errors that Node finds itself, such as a directory instead of a file to remove, the number is positive.
  return errno === undefined ? message : `${getSystemErrorMessage(-Math.abs(errno))} (${code})`;
}

const NAME_SHOWN = 60;

function shortened(path: string): string {
  return path.length > NAME_SHOWN ? `${path.slice(0, NAME_SHOWN)}…` : path;
}

function isFromTheSystem(error: unknown): error is SystemError {
  return error instanceof Error && "syscall" in error;
}
