/** Writes an installation as an archive, for moving it to another database. */

import type * as z from "zod";
import { beginTransaction, databaseOf, type ExecutorDb } from "../database/executor.ts";
import { appliedMigrations, mustBeCurrent } from "../database/migrate.ts";
import { type StoredRow, storedPages } from "../database/stored-rows.ts";
import type { LacreOptions } from "../open.ts";
import { systemClock } from "../runtime/ports.ts";
import { allHeads } from "../series/heads.ts";
import { VERSION } from "../version.ts";
import { packed } from "./gzip.ts";
import { FORMAT, type Header, lineOfRow, sealed } from "./lines.ts";
import { ARCHIVED, type Archived, KEYS, OF_THE_PLACE } from "./tables.ts";

/**
 * A whole installation as the bytes of an archive (docs/archive.md), for `unarchiveLacre`: gzip of lines of JSON.
 * Everything is as of the moment when the reading begins, while others continue to write; memory does not grow with the
 * database. It has a connection of its own, so an instance open on the same file keeps working; for the same reason a
 * database in memory cannot be archived. The archive holds the signing key, if that is in the database. Throws
 * `StorageError` if there is no Lacre database with the current schema.
 */
export async function* archiveLacre({ dialect, now = systemClock }: ArchiveOptions): AsyncGenerator<Uint8Array> {
  const database = databaseOf(dialect);
  try {
    const transaction = await beginTransaction(database, "snapshot");
    try {
      await mustBeCurrent(transaction.db);
      yield* packed(sealed(linesOf(transaction.db, now())));
    } finally {
      await transaction.rollback();
    }
  } finally {
    await database.connections.close();
  }
}

/** The database, and the clock; the system's when left out. */
export type ArchiveOptions = Pick<LacreOptions, "dialect" | "now">;

async function* linesOf(db: ExecutorDb, now: Date): AsyncGenerator<string> {
  const migrations = (await appliedMigrations(db)).map(({ id, digest }) => ({ id, digest }));
  const { name: engine } = db.engine;
  const header: z.input<typeof Header> = {
    lacre_archive: FORMAT,
    lacre: VERSION,
    taken_at: now.toISOString(),
    engine,
    migrations,
  };
  yield JSON.stringify(header);
  const rows: Partial<Record<Archived, number>> = {};
  for (const table of ARCHIVED) {
    rows[table] = 0;
    for await (const page of storedPages(db, table, KEYS[table])) {
      rows[table] += page.length;
      for (const row of page) yield lineOfRow(table, withoutPlace(table, row));
    }
  }
  for (const head of await allHeads(db)) yield JSON.stringify({ head });
  yield JSON.stringify({ rows });
}

function withoutPlace(table: Archived, row: StoredRow): StoredRow {
  const columns = OF_THE_PLACE[table];
  return columns ? { ...row, ...Object.fromEntries(columns.map((name) => [name, null])) } : row;
}
