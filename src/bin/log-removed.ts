/**
 * Notices that the log of a database was removed, and locks the database: the documents in that log may be on paper.
 */
import { rmSync, writeFileSync } from "node:fs";
import type { Lacre } from "../core/index.ts";
import { exists } from "./files.ts";

/** The note of a removed log. It stays until the database is locked, also if commands fail or are killed before. */
export function removedLogNote(file: string): string {
  return `${file}.log-removed`;
}

/**
 * Notes a log that was removed after its program was killed: the shared memory is still there, which SQLite keeps only
 * beside a log. Call it before the first connection, which removes that sign.
 */
export function noteRemovedLog(file: string): void {
  const isGone = () => !exists(`${file}-wal`);
  // Checked twice: closing a database removes the shared memory before the log, opening creates it after.
  if (isGone() && exists(`${file}-shm`) && isGone()) writeFileSync(removedLogNote(file), "");
}

/** Locks a database whose log was removed, like a restored backup. Returns whether it did. */
export async function lockIfLogRemoved(lacre: Lacre, file: string): Promise<boolean> {
  if (!exists(removedLogNote(file))) return false;
  await lacre.installation.countRestore({});
  forgetRemovedLog(file);
  return true;
}

/** Forgets a removed log: the database is locked by now. */
export function forgetRemovedLog(file: string): void {
  rmSync(removedLogNote(file), { force: true });
}
