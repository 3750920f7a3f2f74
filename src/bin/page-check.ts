/** Finds damaged pages of a database, caused by a failing disk or another program. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { SqliteFile } from "../core/database/sqlite.ts";
import { StorageError } from "../core/index.ts";
import { driver } from "./database/driver.ts";
import { Failure } from "./exit.ts";
import type { Words } from "./texts/texts.ts";

/** Throws `Failure` (not_whole) if a page of the file is damaged, or an index lacks a row. */
export function mustBeSound(file: string): void {
  const damage = damageIn(file, "integrity_check");
  if (damage) throw new Failure("not_whole", (t) => t.database.damaged({ damage: damage.reason(t) }));
}

/** The largest file that is checked when a server starts: about a second's work, and 100,000 documents. */
const CHECKED_AT_START = 512 * 1024 * 1024;

/**
 * Throws `Failure` (unusable) if a page of the file is damaged: new documents could be lost, or make it worse. Returns
 * false if the file is too large to check now.
 */
export function mustBeUndamaged(file: string): boolean {
  if (statSync(file).size > CHECKED_AT_START) return false;
  const damage = damageIn(file, "quick_check");
  if (damage === undefined) return true;
  throw new Failure("unusable", damageWords(file, damage));
}

/** What is wrong with the pages of a file. */
export interface Damage {
  /** SQLite's first finding, in English. */
  readonly reason: Words;
  /** Whether only the search indexes are damaged, which are made from other tables. */
  readonly isInSearchAlone: boolean;
}

/** The damage, and what to do about it. */
export function damageWords(file: string, { reason, isInSearchAlone }: Damage): Words {
  return (t) =>
    (isInSearchAlone ? t.database.damaged_search : t.database.damaged_file)({ path: file, damage: reason(t) });
}

/** The first damage found. A quick check takes half the time and does not compare indexes with their tables. */
export function damageIn(file: string, check: "integrity_check" | "quick_check"): Damage | undefined {
  const connection = driver(dirname(file)).connect(file);
  const foundBy = (pragma: string): Words | undefined => {
    try {
      const [row] = connection.prepare(`pragma ${pragma}`).all([]) as Record<string, string>[];
      const found = row?.[check];
      if (found === undefined) return (t) => t.database.cannot_be_checked;
      return found === "ok" ? undefined : () => found.replace(/^\*\*\* in database main \*\*\*\s*/, "");
    } catch (error) {
      if (error instanceof StorageError && error.trouble === "broken") return () => error.message;
      throw error;
    }
  };
  try {
    const reason = foundBy(`${check}(1)`);
    if (reason === undefined) return undefined;
    const damaged = namesOfTables(connection).filter((name) => foundBy(`${check}('${name}')`) !== undefined);
    return { reason, isInSearchAlone: damaged.length > 0 && damaged.every((name) => OF_SEARCH.test(name)) };
  } finally {
    connection.close();
  }
}

/** The tables of full-text search, and those in which SQLite keeps them. */
const OF_SEARCH = /^(?:customer|product)_search(?:_|$)/;

/** The tables of a damaged file that can be checked one by one; none if their list is damaged. */
function namesOfTables(connection: Pick<SqliteFile, "prepare">): string[] {
  try {
    const rows = connection.prepare("select name from sqlite_schema where type = 'table'").all([]);
    return (rows as { name: string }[]).map(({ name }) => name).filter((name) => /^\w+$/.test(name));
  } catch (error) {
    if (error instanceof StorageError && error.trouble === "broken") return [];
    throw error;
  }
}
