/** Reads an archive into an empty database: completely or not at all. */

import * as z from "zod";
import { beginTransaction, databaseInside, databaseOf, type ExecutorDb } from "../database/executor.ts";
import { applyMissing, makeAround, schemaState, stateAfter } from "../database/migrate.ts";
import { StorageError } from "../database/storage-error.ts";
import { countStored, ROWS_AT_ONCE, type StoredRow, storing } from "../database/stored-rows.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import { type Lacre, openLacre } from "../open.ts";
import { LacreError, refuse } from "../runtime/errors.ts";
import { systemClock } from "../runtime/ports.ts";
import { indexAll } from "../runtime/search.ts";
import { allHeads, type Head } from "../series/heads.ts";
import { unpacked } from "./gzip.ts";
import { damaged, FORMAT, Header, HeadLine, objectIn, opened, RowsLine, rowIn } from "./lines.ts";
import { t } from "./refusals.ts";
import { ARCHIVED, type Archived } from "./tables.ts";
import type { ArchiveOptions } from "./write.ts";

/** The result of reading an archive, and the state of the database. */
export interface Unarchived {
  /** When the archive was taken. */
  readonly taken_at: Instant;
  /** Issued and cancelled ones, verified. */
  readonly documents: number;
  /** How often a backup was restored into this installation, including this time. */
  readonly restores: number;
  /** Series whose last number must be confirmed. */
  readonly locked: Awaited<ReturnType<Lacre["installation"]["get"]>>["locked"];
}

/**
 * Reads the bytes of an archive, as `archiveLacre` made them, into an empty database. Everything happens in one
 * transaction: rows are stored unchanged, counted, compared with the heads in the archive, verified, and counted as a
 * restore. So the database is locked for issuing like a restored backup, as its source may live on: confirm the last
 * numbers with `series.confirmHeads`. Throws `LacreError`, and leaves the database as it was: `conflict` if it is not
 * empty, `invalid_request` if the archive is not one, is cut off, damaged or changed, comes from a newer Lacre or
 * another build, or fails verification.
 */
export async function unarchiveLacre(
  pieces: AsyncIterable<Uint8Array>,
  { dialect, now = systemClock }: ArchiveOptions,
): Promise<Unarchived> {
  const database = databaseOf(dialect);
  try {
    const transaction = await beginTransaction(database, "write");
    try {
      const done = await readInto(transaction.db, pieces, { dialect, now });
      await asStorable(() => transaction.commit());
      return done;
    } finally {
      await transaction.rollback();
    }
  } finally {
    await database.connections.close();
  }
}

async function readInto(
  db: ExecutorDb,
  pieces: AsyncIterable<Uint8Array>,
  { dialect, now }: Required<Pick<ArchiveOptions, "dialect">> & { readonly now: () => Date },
): Promise<Unarchived> {
  const lines = opened(unpacked(pieces));
  try {
    const { header, rest } = await begun(lines);
    await db.engine.lockSchema(db);
    if ((await schemaState(db)) !== "empty") refuse("conflict", t.database_is_not_empty);
    const ids = header.migrations.map(({ id }) => id);
    await makeAround(db, ids, now(), async () => {
      const { heads, rows } = await storeRows(db, rest, lines);
      await mustBeComplete(db, heads, rows);
    });
    await applyMissing(db, now(), header.migrations);
    await indexAll(db);
    const engine = { ...db.engine, placeOf: async () => null }; // noted when the database is next opened
    const inside = { ...dialect, engine, connect: () => databaseInside(engine, db.executor).connections };
    const lacre = await openLacre({ dialect: inside, now, migrate: false });
    const documents = await verified(lacre);
    await lacre.installation.countRestore();
    const { restores, locked } = await lacre.installation.get();
    await lacre.close();
    return { taken_at: header.taken_at, documents, restores, locked };
  } finally {
    await lines.return(undefined);
  }
}

/** The first line, which must be that of an archive this program can read, and the lines that came with it. */
async function begun(lines: AsyncGenerator<readonly string[]>) {
  const { value } = await lines.next();
  const [first, ...rest] = (value ?? []) as readonly string[];
  return { header: headerIn(first), rest };
}

function headerIn(line: string | undefined): z.output<typeof Header> {
  const given = Stated.safeParse(line?.startsWith(BEGINNING) ? objectIn(line) : undefined).data;
  if (!given) return refuse("invalid_request", t.archive_is_none, { to: "take_other_file" });
  if (given.lacre_archive > FORMAT) refuse("invalid_request", t.archive_is_newer(given), { to: "use_other_build" });
  const { data: header } = Header.safeParse(given);
  if (!header) return damaged();
  const state = stateAfter(header.migrations);
  if (state === "newer") refuse("invalid_request", t.archive_is_newer(header), { to: "use_other_build" });
  if (state === "other_text") refuse("invalid_request", t.archive_is_of_other_build(header), { to: "use_other_build" });
  return header;
}

const BEGINNING = '{"lacre_archive":';
const Stated = z.looseObject({ lacre_archive: z.int().min(1), lacre: z.string().max(40) });

interface Stored {
  readonly heads: readonly Head[];
  /** How many rows the archive states of each table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Stores all rows, and returns the counts and heads at the archive's end. */
async function storeRows(
  db: ExecutorDb,
  first: readonly string[],
  lines: AsyncIterable<readonly string[]>,
): Promise<Stored> {
  const heads: Head[] = [];
  let rows: Stored["rows"] | undefined;
  let table: TableStore | undefined;
  async function take(line: string): Promise<void> {
    if (rows) damaged();
    const given = objectIn(line);
    const [[name, value] = ["", null], ...others] = Object.entries(given);
    if (others.length > 0) damaged();
    if (name === table?.name) return table.add(value, line.length);
    await table?.flush();
    if (name === "head") heads.push((HeadLine.safeParse(given).data ?? damaged()).head);
    else if (name === "rows") rows = statedRows(given);
    else table = await tableStore(db, nextTable(table?.name, name));
    if (name === table?.name) await table.add(value, line.length);
  }
  for (const line of first) await take(line);
  for await (const group of lines) for (const line of group) await take(line);
  return { heads, rows: rows ?? damaged() };
}

/** The table with this name, which must come after the one before. */
function nextTable(before: Archived | undefined, name: string): Archived {
  const found = ARCHIVED.indexOf(name as Archived);
  return found > (before ? ARCHIVED.indexOf(before) : -1) ? (name as Archived) : damaged();
}

/** The stated number of rows of each table; 0 for a table that is not named. */
function statedRows(given: object): Stored["rows"] {
  const { rows } = RowsLine.safeParse(given).data ?? damaged();
  return Object.keys(rows).every((name) => ARCHIVED.includes(name as Archived)) ? rows : damaged();
}

interface TableStore {
  readonly name: Archived;
  add(given: unknown, length: number): Promise<void>;
  flush(): Promise<void>;
}

/** Rows are stored together, up to this many characters of their lines. */
const MAX_HELD = 4 * 1024 * 1024;

async function tableStore(db: ExecutorDb, name: Archived): Promise<TableStore> {
  const columns = await db.engine.columnsOf(db, name);
  const store = storing(db, name, columns);
  let held: StoredRow[] = [];
  let held_length = 0;
  async function flush(): Promise<void> {
    if (held.length > 0) await asStorable(() => store(held));
    held = [];
    held_length = 0;
  }
  return {
    name,
    flush,
    async add(given, length) {
      held.push(rowIn(given, columns));
      held_length += length;
      if (held.length === ROWS_AT_ONCE || held_length > MAX_HELD) await flush();
    },
  };
}

/** Lacre never stored a row that the database refuses, whether for itself or for its references. */
async function asStorable(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof LacreError || error instanceof StorageError) throw error;
    refuse("invalid_request", t.archive_row_does_not_fit({ reason: (error as Error).message }));
  }
}

/** Refuses if the stored rows or heads differ from those that the archive states. */
async function mustBeComplete(db: ExecutorDb, heads: readonly Head[], rows: Stored["rows"]): Promise<void> {
  for (const table of ARCHIVED) {
    if ((await db.engine.columnsOf(db, table)).length === 0) continue; // an older schema lacks some tables
    const [found, stated] = [await countStored(db, table), rows[table] ?? 0];
    if (found !== stated) refuse("invalid_request", t.archive_lacks_rows({ table, stated, found }));
  }
  const found = new Map((await allHeads(db)).map((head) => [`${head.company_id} ${head.number}`, head.seal]));
  for (const { company_id, number, seal } of heads) {
    if (found.get(`${company_id} ${number}`) !== seal) refuse("invalid_request", t.archive_ends_otherwise({ number }));
  }
  if (found.size !== heads.length) damaged();
}

/** Verifies everything, and counts the documents. Refuses at the first fault. */
async function verified(lacre: Lacre): Promise<number> {
  mustHaveNone((await lacre.installation.verify()).findings);
  let documents = 0;
  for (const { id } of await lacre.companies.list()) {
    const report = await lacre.as(id).series.verify();
    mustHaveNone(
      report.series.flatMap(({ doc_type, code, finding }) =>
        finding ? [{ place: finding.number ?? `${doc_type} ${code}`, reason: finding.reason }] : [],
      ),
    );
    mustHaveNone(report.findings);
    documents += report.documents;
  }
  return documents;
}

function mustHaveNone([first]: readonly { readonly place: string; readonly reason: string }[]): void {
  if (first) refuse("invalid_request", t.archive_is_not_whole(first));
}
