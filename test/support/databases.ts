/** The databases that tests run over: both SQLite drivers, PostgreSQL where a server answers, and PGlite. */
import { createHash, randomUUID } from "node:crypto";
import { PGlite, types } from "@electric-sql/pglite";
import type { LacreDialect } from "lacre";
import { postgres } from "lacre/postgres";
import pg from "pg";
import { type PostgresClient, type PostgresServer, postgresDialect } from "../../src/core/database/postgres-dialect.ts";
import type { Connections } from "../../src/core/database/session.ts";
import { type Database, DRIVERS } from "./drivers.ts";

/** A server that tests may make schemas in. */
export const POSTGRES_URL = process.env.LACRE_POSTGRES ?? "postgres://postgres@127.0.0.1:5432/test";

/** A schema for a file, so that it can be opened again; for `:memory:` one that nobody else has. */
function schemaOf(file: string): string {
  const name = file === ":memory:" ? randomUUID() : file;
  return `t_${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

/** A dialect whose schema is dropped as it closes, where it stood for a database in memory. */
function passing(dialect: LacreDialect, file: string, drop: () => Promise<unknown>): LacreDialect {
  if (file !== ":memory:") return dialect;
  const connect = (): Connections => {
    const connections = dialect.connect();
    return {
      ...connections,
      async close() {
        await connections.close();
        await drop();
      },
    };
  };
  return { ...dialect, connect };
}

/** PostgreSQL, by `pg`. */
const POSTGRES: Database = {
  name: "PostgreSQL",
  dialect(file) {
    const schema = schemaOf(file);
    return passing(postgres(POSTGRES_URL, { schema, connections: 4 }), file, () => dropped(schema));
  },
};

async function dropped(schema: string): Promise<void> {
  const client = new pg.Client(POSTGRES_URL);
  await client.connect();
  await client.query(`drop schema if exists ${schema} cascade`);
  await client.end();
}

let lite: Promise<PGlite> | undefined;

/** PGlite: the same in this process. It takes seconds to start, so that the tests of a file share one. */
const PGLITE: Database = {
  name: "PGlite",
  dialect(file) {
    const schema = schemaOf(file);
    const drop = async () => (await lite)?.exec(`drop schema if exists ${schema} cascade`);
    return passing(postgresDialect(liteServer, { schema }), file, drop);
  },
};

/** Its one connection, which callers take in turn. */
let turn: Promise<unknown> = Promise.resolve();

function liteServer(): PostgresServer {
  return {
    async client() {
      lite ??= PGlite.create();
      const db = await lite;
      const before = turn;
      const mine = Promise.withResolvers<void>();
      turn = mine.promise;
      await before;
      return liteClient(db, mine.resolve);
    },
    async close() {},
  };
}

function liteClient(db: PGlite, release: () => void): PostgresClient {
  const parsers = { [types.INT8]: Number, [types.NUMERIC]: Number };
  return {
    async query(text, values) {
      const { rows, affectedRows } = await db.query<object>(text, [...values], { parsers });
      return { rows, rowCount: affectedRows ?? null };
    },
    release,
  };
}

/** Whether a server answers at `POSTGRES_URL`. */
async function answers(): Promise<boolean> {
  const client = new pg.Client({ connectionString: POSTGRES_URL, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** Every database by name. */
const EVERY: readonly Database[] = [...DRIVERS, POSTGRES, PGLITE];

/**
 * The databases to run over: those that LACRE_DATABASES names, separated by commas; else both SQLite drivers, and
 * PostgreSQL as a server or, where none answers, as PGlite.
 */
export const DATABASES: readonly Database[] = await (async () => {
  const asked = process.env.LACRE_DATABASES?.split(",");
  if (asked) return EVERY.filter(({ name }) => asked.includes(name));
  return [...DRIVERS, (await answers()) ? POSTGRES : PGLITE];
})();
