/**
 * Keeps a second server off a database. The lock is an exclusive transaction on a SQLite file of its own, `<db>.lock`;
 * the operating system releases it even if the process is killed.
 */
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Failure } from "./exit.ts";

/** Takes the lock of a database without waiting and returns what releases it, or throws `Failure` (in_use). */
export function takeServerLock(database: string): () => void {
  const path = `${database}.lock`;
  closeSync(openSync(path, "a")); // Only before locking: closing any descriptor later would release the lock.
  const before = statSync(path).ino;
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec("pragma journal_mode = memory"); // No second file beside it.
    lock.exec("begin exclusive");
    // The previous holder may have removed the file after we opened it; a lock on that file protects nothing.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== before) throw new Error("the lock file was replaced");
  } catch (error) {
    lock.close();
    throw new Failure(
      "in_use",
      `${database} is in use: a server runs on it, or init or restore; stop that first.`,
      error,
    );
  }
  return () => {
    rmSync(path, { force: true }); // While still locked, so that nobody else can hold it.
    lock.close();
  };
}
