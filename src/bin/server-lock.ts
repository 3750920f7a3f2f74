/**
 * One server per database. The lock is a SQLite file of its own, `<db>.lock`, under an exclusive transaction for as
 * long as it is held: the operating system frees it even when the process is killed.
 */
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Failure } from "./exit.ts";

export interface ServerLock {
  release(): void;
}

/** Takes the lock of a database at once, or throws `Failure` (in_use). */
export function takeServerLock(database: string): ServerLock {
  const path = `${database}.lock`;
  closeSync(openSync(path, "a")); // Never again from here on: closing it would drop the lock of the whole process.
  const before = statSync(path).ino;
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec("pragma journal_mode = memory"); // No second file beside it.
    lock.exec("begin exclusive");
    // Whoever held it before may have removed the file after we opened it: then this lock would keep nobody out.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== before) throw new Error("the lock file was replaced");
  } catch (error) {
    lock.close();
    throw new Failure("in_use", `${database} is in use: a server runs on it, or it is being made or restored.`, error);
  }
  return {
    release() {
      rmSync(path, { force: true }); // While we hold it, so that nobody else can be in it.
      lock.close();
    },
  };
}
