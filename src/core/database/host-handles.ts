/** What the host program gets for its own statements inside a transaction that Lacre began. */
import {
  CompiledQuery,
  DefaultQueryExecutor,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteQueryCompiler,
  type Transaction,
} from "kysely";
import type { EngineName } from "./engine.ts";
import { type Executor, type ExecutorDb, kyselyConnection, kyselyOver } from "./executor.ts";

/** Runs statements in the transaction, on its connection. */
export interface HostConnection {
  /**
   * Runs one statement and returns its rows, if any. Placeholders are those of the database: `?` on SQLite, `$1` on
   * PostgreSQL, whose `bigint` and `numeric` come as numbers. Throws what the database throws.
   */
  query<Row extends object = Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Ways to run statements in the transaction. All refuse once it ends. */
export interface HostHandles {
  readonly connection: HostConnection;
  /** The same for those who build statements with Kysely. It knows no tables: `kysely.withTables<Yours>()`. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever tables the host's own database has.
  readonly kysely: Transaction<any>;
}

/** Statements that begin or end a transaction, which only Lacre may do. A part of it may be undone (`rollback to`). */
const ENDS =
  /^(?:begin|start transaction|commit|end|abort|prepare transaction|rollback(?! (?:work |transaction )?to\b))\b/i;

/** The first words of a statement, after spaces, semicolons and comments, with single spaces between them. */
function beginningOf(sql: string): string {
  let at = 0;
  for (;;) {
    const one = sql.charAt(at);
    if (one !== "" && (one.trim() === "" || one === ";")) at++;
    else if (sql.startsWith("--", at)) at = after(sql, "\n", at);
    else if (sql.startsWith("/*", at)) at = after(sql, "*/", at + 2);
    else
      return sql
        .slice(at, at + MAX_OF_WORDS)
        .split(/\s+/)
        .slice(0, 4)
        .join(" ");
  }
}

/** Longer than any statement that begins or ends a transaction. */
const MAX_OF_WORDS = 200;

function after(sql: string, end: string, from: number): number {
  const found = sql.indexOf(end, from);
  return found < 0 ? sql.length : found + end.length;
}

const NOT_YOURS =
  "Lacre begins and ends this transaction: it is committed when your function ends, and undone when it throws.";

/** Statements come from the host: none is kept prepared beside Lacre's own, and none may hide behind another. */
export function handlesOver({ engine, executor }: ExecutorDb): HostHandles {
  const run: Executor["run"] = (statement) => {
    if (ENDS.test(beginningOf(statement.sql))) throw new TypeError(NOT_YOURS);
    return executor.run(statement, false);
  };
  const { compiler, adapter } = KYSELY[engine.name];
  const connection = kyselyConnection({ run });
  const queryExecutor = new DefaultQueryExecutor(compiler, adapter, { provideConnection: (use) => use(connection) });
  return {
    connection: {
      query: async <Row>(sql: string, values: readonly unknown[] = []) =>
        (await run(CompiledQuery.raw(sql, [...values]) as CompiledQuery<Row>)).rows,
    },
    kysely: kyselyOver(queryExecutor),
  };
}

/** Leaves out Lacre's renaming of tables: the host program may have tables of the same names. */
const KYSELY = {
  sqlite: { compiler: new SqliteQueryCompiler(), adapter: new SqliteAdapter() },
  postgres: { compiler: new PostgresQueryCompiler(), adapter: new PostgresAdapter() },
} as const satisfies Record<EngineName, object>;
