/** The databases that tests run over: SQLite by both drivers and with a prefix, PostgreSQL, and PGlite. */
import { createHash } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import { CompiledQuery } from "kysely";
import type { LacreDialect } from "lacre";
import { postgres } from "lacre/postgres";
import { openSqlite, type SqliteFile } from "lacre/sqlite";
import pg from "pg";
import { pgliteServer } from "../../src/core/database/pglite-server.ts";
import { type PostgresServer, postgresDialect } from "../../src/core/database/postgres-dialect.ts";
import { serverOf } from "../../src/core/database/postgres-pool.ts";
import { serverAt } from "../../src/core/database/postgres-server.ts";
import { sqliteDialect } from "../../src/core/database/sqlite-dialect.ts";
import { TABLE_NAMES } from "../../src/core/database/tables.ts";
import { type Database, DRIVERS, type Driver } from "./drivers.ts";
import { ofThisRun, type Spares, spareSchemas } from "./spare-schemas.ts";

/** A server that tests may make schemas in. */
export const POSTGRES_URL = process.env.LACRE_POSTGRES ?? "postgres://postgres@127.0.0.1:5432/test";

/** A schema for a file, so that it can be opened again, by other processes too. */
export function schemaOf(file: string): string {
  return ofThisRun("t", createHash("sha256").update(file).digest("hex").slice(0, 16));
}

/** The server's spare schemas. Their connections serve all tests of a process. */
const SPARES = spareSchemas(() => serverAt(POSTGRES_URL, 16));

/** PostgreSQL, by `pg`. */
export const POSTGRES: Database = {
  name: "PostgreSQL",
  dialect(file) {
    if (file === ":memory:") return spare(SPARES);
    const schema = schemaOf(file);
    return named(schema, postgres(POSTGRES_URL, { schema, connections: 4 }));
  },
};

/** Connections that the tests made, as a host program does. */
const POOL = new pg.Pool({ connectionString: POSTGRES_URL, max: 9, application_name: "shop" });
POOL.on("error", () => {});

const POOL_SPARES = spareSchemas(() => serverOf(POOL, 8));

/** PostgreSQL, by a pool of the host program's. */
const POSTGRES_BY_POOL: Database = {
  name: "PostgreSQL by a pool",
  dialect(file) {
    if (file === ":memory:") return spare(POOL_SPARES);
    const schema = schemaOf(file);
    return named(schema, postgres(POOL, { schema }));
  },
};

/** The schema of each dialect. */
const SCHEMAS = new WeakMap<LacreDialect, string>();

function named(schema: string, dialect: LacreDialect): LacreDialect {
  SCHEMAS.set(dialect, schema);
  return dialect;
}

function spare(spares: Spares): LacreDialect {
  const { schema, dialect } = spares.dialect();
  return named(schema, dialect);
}

/** Statements that leave a schema as it was, but for rows. */
const CHANGES_ROWS = /^(?:select|insert|update|delete|set local) /;

/** A trigger that refuses, as on SQLite: its name, when, on which table, under which condition, and its words. */
const REFUSING = /^create trigger (\w+) (.+) on (\w+)\n(?:when (.+)\n)?begin\n {2}select raise\(abort, (.+)\);\nend;$/;

/** The same as PostgreSQL has it. */
function refusing(trigger: string): string[] {
  const [, name, event, table, condition = "true", says] = REFUSING.exec(trigger) as unknown as string[];
  return [
    `create function ${name}() returns trigger language plpgsql as $$
      begin raise exception using message = ${says}, errcode = 'restrict_violation'; end $$`,
    `create trigger ${name} ${event} on ${table} for each row when (${condition}) execute function ${name}()`,
  ];
}

/**
 * Runs statements past Lacre, in one transaction, and returns the rows of the last. They may name its tables without a
 * schema, drop a trigger as on SQLite, and make one that refuses.
 */
export async function pastLacre(dialect: LacreDialect, ...statements: readonly string[]): Promise<object[]> {
  const schema = SCHEMAS.get(dialect) as string;
  if (!statements.every((statement) => CHANGES_ROWS.test(statement))) {
    for (const spares of [SPARES, POOL_SPARES, LITE_SPARES]) spares.spoil(schema);
  }
  const connections = dialect.connect();
  const connection = await connections.writer();
  const run = async (sql: string) => (await connection.run<object>(CompiledQuery.raw(sql))).rows;
  try {
    await connection.begin("write");
    await run(`set local search_path to ${schema}`);
    let rows: object[] = [];
    for (const statement of statements.flatMap((one) => (one.includes("raise(abort") ? refusing(one) : one))) {
      const [, dropped] = /^drop trigger (\w+)$/.exec(statement) ?? [];
      const [on] = dropped ? await run(triggerIn(schema, dropped)) : [];
      rows = await run(on ? `${statement} on ${Object.values(on)[0]}` : statement);
    }
    await connection.commit();
    return rows;
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
    await connections.close();
  }
}

const triggerIn = (schema: string, name: string) => `select relname from pg_trigger
  join pg_class on pg_class.oid = tgrelid where tgname = '${name}' and relnamespace = '${schema}'::regnamespace`;

/** Whether a database is a server's, or PGlite. */
export const isPostgres = ({ name }: Database): boolean =>
  [POSTGRES, POSTGRES_BY_POOL, PGLITE].some((one) => one.name === name);

/** Drops a schema with all that is in it. */
export async function dropped(schema: string): Promise<void> {
  const client = new pg.Client(POSTGRES_URL);
  await client.connect();
  await client.query(`drop schema if exists ${schema} cascade`);
  await client.end();
}

let lite: PGlite | undefined;

/** PGlite takes seconds to start, so that the tests of a file share one. */
function liteServer(): PostgresServer {
  lite ??= new PGlite();
  return pgliteServer(lite);
}

const LITE_SPARES = spareSchemas(liteServer);

/** PGlite: PostgreSQL in this process. */
const PGLITE: Database = {
  name: "PGlite",
  dialect(file) {
    if (file === ":memory:") return spare(LITE_SPARES);
    const schema = schemaOf(file);
    return named(schema, postgresDialect(liteServer, { schema }));
  },
};

/** Whether a server answers at `POSTGRES_URL`. */
export async function answers(): Promise<boolean> {
  const client = new pg.Client({ connectionString: POSTGRES_URL, connectionTimeoutMillis: 60_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** Whether tests that need a server, not PGlite, can run here. */
export const HAS_SERVER = await answers();

/** The server that PostgreSQL is asked at, or PGlite. */
export const SERVER: () => PostgresServer = HAS_SERVER ? () => serverAt(POSTGRES_URL, 4) : liteServer;

/** Tables of a shop with the names of Lacre's: whatever takes one for Lacre's own fails, or finds nothing in it. */
export const SHOP_TABLES = Array.from(TABLE_NAMES, (name) => `create table if not exists ${name} (shop text);`).join(
  "\n",
);

const PREFIX = "lacre_";

function openShop(...[file, options = {}]: Parameters<Driver["open"]>): SqliteFile {
  const opened = openSqlite(file, options);
  if (!options.readonly) opened.exec(SHOP_TABLES);
  return opened;
}

/** SQLite in a file that is a shop's. */
const IN_A_SHOP: Driver = {
  name: "SQLite with a prefix",
  prefix: PREFIX,
  open: openShop,
  dialect: (file) => sqliteDialect(openShop, file, "better-sqlite3", { prefix: PREFIX }),
};

/** Every database that can be asked for by its name. */
export const EVERY: readonly Database[] = [...DRIVERS, IN_A_SHOP, POSTGRES, POSTGRES_BY_POOL, PGLITE];

const ASKED = process.env.LACRE_DATABASES?.split(",") ?? ["better-sqlite3", HAS_SERVER ? "PostgreSQL" : "PGlite"];

/**
 * The databases to run over: those that LACRE_DATABASES names, separated by commas; else better-sqlite3, and PostgreSQL
 * as a server or, where none answers, as PGlite.
 */
export const DATABASES: readonly Database[] = EVERY.filter(({ name }) => ASKED.includes(name));

/** The first of them, for tests that run over one. */
export const [DATABASE] = DATABASES as [Database];

/** PostgreSQL as a server or, where none answers, as PGlite: for tests of what is PostgreSQL's alone. */
export const SOME_POSTGRES: Database = HAS_SERVER ? POSTGRES : PGLITE;
