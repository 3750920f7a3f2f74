/** Finds damaged pages of a database: what a failing disk or another program did to the file. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { StorageError } from "../core/index.ts";
import { driver } from "./driver.ts";
import { Failure } from "./exit.ts";
import type { Words } from "./texts/texts.ts";

/** Throws `Failure` (not_whole) if a page of the file is damaged, or an index lacks a row. */
export function mustBeSound(file: string): void {
  const damage = damageIn(file, "integrity_check");
  if (damage) throw new Failure("not_whole", (t) => t.database.damaged(damage(t)));
}

/** The largest file that is checked when a server starts: about a second's work, and 100,000 documents. */
const CHECKED_AT_START = 512 * 1024 * 1024;

/**
 * Throws `Failure` (unusable) if a page of the file is damaged: what is issued into it could be lost, and make it
 * worse. Returns false if the file is too large to be checked now.
 */
export function mustBeUndamaged(file: string): boolean {
  if (statSync(file).size > CHECKED_AT_START) return false;
  const damage = damageIn(file, "quick_check");
  if (damage === undefined) return true;
  throw new Failure("unusable", (t) => t.database.damaged_file(file, damage(t)));
}

/** The first damage found. A quick check takes half the time and does not compare indexes with their tables. */
function damageIn(file: string, check: "integrity_check" | "quick_check"): Words | undefined {
  const connection = driver(dirname(file)).connect(file);
  try {
    const [row] = connection.prepare(`pragma ${check}(1)`).all([]) as Record<string, string>[];
    const found = row?.[check];
    if (found === undefined) return (t) => t.database.cannot_be_checked;
    return found === "ok" ? undefined : () => found.replace(/^\*\*\* in database main \*\*\*\s*/, "");
  } catch (error) {
    if (error instanceof StorageError && error.trouble === "broken") return () => error.message;
    throw error;
  } finally {
    connection.close();
  }
}
