/** Rows of any table as they are stored: read in the order of a key, and stored again in another database. */
import { type CompiledQuery, sql } from "kysely";
import { type ExecutorDb, executorOf, type Soon } from "./executor.ts";
import type { Reader } from "./tables.ts";

/** What a column holds. */
export type StoredValue = string | number | Uint8Array | null;

/** A row with all its columns. */
export type StoredRow = Readonly<Record<string, StoredValue>>;

/** How many rows one statement reads or stores. */
export const ROWS_AT_ONCE = 200;

/**
 * All rows of a table in the order of a unique key, by pages. Rows whose key begins with a null come first; the columns
 * after the null must tell them apart.
 */
export async function* storedPages(db: Reader, table: string, key: readonly string[]): AsyncGenerator<StoredRow[]> {
  const [first = "", ...rest] = key;
  // A null sorts neither before nor after another: those rows are walked by the columns that follow it.
  if (rest.length > 0) yield* walk(db, table, rest, sql`${sql.ref(first)} is null`);
  yield* walk(db, table, key, sql`${sql.ref(first)} is not null`);
}

async function* walk(
  db: Reader,
  table: string,
  key: readonly string[],
  part: ReturnType<typeof sql>,
): AsyncGenerator<StoredRow[]> {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  for (let last: StoredRow | undefined; ; ) {
    const after = last && sql`and (${columns}) > (${sql.join(key.map((name) => last?.[name]))})`;
    const { rows } = await sql<StoredRow>`select * from ${sql.table(table)} where ${part} ${after ?? sql``}
      order by ${columns} limit ${sql.lit(ROWS_AT_ONCE)}`.execute(executorOf(db));
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    last = rows.at(-1);
  }
}

/** Makes a function that stores rows with these columns unchanged, at most `ROWS_AT_ONCE` together. */
export function storing(
  db: ExecutorDb,
  table: string,
  columns: readonly string[],
): (rows: readonly StoredRow[]) => Soon<unknown> {
  const statements = new Map<number, CompiledQuery>();

  function compiled(rows: readonly StoredRow[]): CompiledQuery {
    const values = rows.map((row) => sql`(${sql.join(columns.map((name) => row[name]))})`);
    const names = sql.join(columns.map((name) => sql.ref(name)));
    return sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.compile(db);
  }

  return (rows) => {
    const statement = statements.get(rows.length) ?? compiled(rows);
    statements.set(rows.length, statement);
    const parameters = rows.flatMap((row) => columns.map((name) => row[name]));
    return db.executor.run({ ...statement, parameters });
  };
}

/** How many rows a table has. */
export async function countStored(db: Reader, table: string): Promise<number> {
  const { rows } = await sql<{ found: number }>`select count(*) as found from ${sql.table(table)}`.execute(
    executorOf(db),
  );
  return rows[0]?.found ?? 0;
}
