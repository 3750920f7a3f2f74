/**
 * Keeps a second server off a database. The lock is an exclusive transaction on a SQLite file of its own, `<db>.lock`;
 * the operating system releases it even if the process is killed.
 */
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Failure } from "../exit.ts";

/** Longer than `isLocked` ever holds it. */
const PROBED_MS = 200;

/** Takes the lock of a database and returns the function that releases it. Throws `Failure` (in_use). */
export function takeServerLock(database: string): () => void {
  const path = lockOf(database);
  closeSync(openSync(path, "a")); // Only before locking: closing any descriptor later would release the lock.
  const before = inodeOf(path);
  const lock = new DatabaseSync(path, { timeout: PROBED_MS });
  try {
    lock.exec("pragma journal_mode = memory"); // No second file beside it.
    lock.exec("begin exclusive");
    // The previous holder may have removed the file after we opened it; a lock on that file protects nothing.
    if (inodeOf(path) !== before) throw new Error("the lock file was replaced");
  } catch (error) {
    lock.close();
    mustBeLock(path, error);
    throw new Failure("in_use", (t) => t.database.in_use({ path: database }), error);
  }
  return () => {
    // Removed while still locked, so that nobody else can hold it; another file of that name is somebody else's.
    if (inodeOf(path) === before) rmSync(path);
    lock.close();
  };
}

/** The file that is locked while a server runs on a database. */
export function lockOf(database: string): string {
  return `${database}.lock`;
}

/** Whether a server, init or restore holds the lock of a database. */
export function isLocked(database: string): boolean {
  if (inodeOf(lockOf(database)) === undefined) return false;
  const probe = new DatabaseSync(lockOf(database), { readOnly: true, timeout: 0 });
  try {
    probe.prepare("select 1 from sqlite_schema").all();
    return false;
  } catch (error) {
    if (codeOf(error) === SQLITE_BUSY) return true;
    mustBeLock(lockOf(database), error);
    throw error;
  } finally {
    probe.close();
  }
}

const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;

function codeOf(error: unknown): unknown {
  return (error as { errcode?: unknown }).errcode;
}

/** Throws `Failure` (unusable) if an error says that the file, put there by somebody, cannot be locked. */
function mustBeLock(path: string, error: unknown): void {
  if (codeOf(error) === SQLITE_NOTADB) throw new Failure("unusable", (t) => t.database.not_a_lock({ path }), error);
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
