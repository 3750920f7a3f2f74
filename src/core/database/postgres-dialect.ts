/** Executors over PostgreSQL, whichever client speaks to it: `pg`, or PGlite in this process. */
import { hash } from "node:crypto";
import { type CompiledQuery, type Dialect, PostgresIntrospector, type QueryResult } from "kysely";
import {
  type Connection,
  type ConnectionSource,
  type Connections,
  connectionDriver,
  type News,
  type Purpose,
  SAVEPOINT,
  type SavepointStep,
} from "./executor.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { postgresTrouble } from "./postgres-errors.ts";
import { type Listening, newsOn } from "./postgres-news.ts";

/** What a client answers. */
export interface PostgresAnswer {
  readonly rows: readonly object[];
  /** Rows that were found or changed; null if the statement counts none. */
  readonly rowCount: number | null;
}

/** One connection to a server. */
export interface PostgresClient {
  /** The process that serves it, unless something between hides it. */
  readonly pid?: number | undefined;
  /** It is the host program's at other times: a transaction sets for itself what Lacre's own connections have. */
  readonly isShared?: boolean;
  /**
   * Runs one statement. Statements run in the order they are given, without waiting for each other's answers. A named
   * statement stays prepared on the server; with an empty name the text must be a single statement.
   */
  query(text: string, values: readonly unknown[], name: string | undefined): Promise<PostgresAnswer>;
  /** Returns the connection to the pool; a `broken` one is closed instead. */
  release(broken: boolean): void;
}

/** What a connection is taken for; `hosted`: a transaction of the host program, which may be long. */
export type Use = Purpose | "hosted";

/** Connections to a server. */
export interface PostgresServer {
  /** The most connections for writing. */
  readonly writers: number;
  /** There is one connection for every use. */
  readonly isOne?: boolean;
  /** A free connection; a caller never waits for connections of another use. */
  client(use: Use): Promise<PostgresClient>;
  /**
   * A connection that only listens, whose process is not one of a pooler's; undefined where there is none. Left out
   * where nobody else can be on the server.
   */
  listener?(): Promise<Listening | undefined>;
  close(): Promise<void>;
}

/** Where Lacre's tables are, and what the standbys guarantee. */
export interface PostgresOptions {
  /** The schema that Lacre's tables are in, which migrating creates; `lacre` when left out. */
  readonly schema?: string;
  /**
   * `synchronous` if a standby that takes over has every acknowledged document. If left out, a database that a standby
   * took over is opened as a copy, which is locked for issuing.
   */
  readonly failover?: "synchronous" | undefined;
}

/** The schema when none is given. */
export const DEFAULT_SCHEMA = "lacre";

/** Builds the dialect over a server. `connect` is called once each time the dialect is opened. */
export function postgresDialect(
  connect: () => PostgresServer,
  { schema = DEFAULT_SCHEMA, failover }: PostgresOptions,
): Dialect & ConnectionSource {
  const engine = postgresEngine(schema, failover === "synchronous");
  const connections = () => postgresConnections(connect(), schema);
  return {
    engine,
    connect: connections,
    createDriver: () => connectionDriver(connections),
    createAdapter: () => engine.adapter,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => engine.compiler,
  };
}

function postgresConnections(server: PostgresServer, schema: string): Connections {
  const take = async (use: Use) => postgresConnection(await server.client(use).catch(refused));
  const news = newsOf(server, schema);
  return {
    writers: server.writers,
    isOne: server.isOne ?? false,
    writer: () => take("write"),
    hosted: () => take("hosted"),
    reader: () => take("snapshot"),
    news,
    async close() {
      await news?.close();
      await server.close();
    },
  };
}

function newsOf(server: PostgresServer, schema: string): News | undefined {
  const { listener } = server;
  if (!listener) return undefined;
  return newsOn(schema, listener, async (text, values) => {
    const client = await server.client("snapshot");
    try {
      await client.query(text, values, undefined);
    } finally {
      client.release(false);
    }
  });
}

function refused(error: unknown): never {
  throw postgresTrouble(error, "connecting") ?? error;
}

/** Each command holds its locks from its first statement on, so it may read committed rows. */
const BEGIN: Readonly<Record<Purpose, string>> = {
  write: "begin isolation level read committed",
  snapshot: "begin isolation level repeatable read read only",
};

/** The same on a connection of the host program's, which may be named otherwise, and lose commits. */
const BEGIN_SHARED = `; set local application_name = 'lacre';
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`;

/** One connection while a caller has it. */
export function postgresConnection(client: PostgresClient): Connection {
  /** The error of the first statement that failed, whoever waited for it: all later ones fail because of it. */
  let failed: { readonly error: unknown } | undefined;
  let isBroken = false;

  function raised(error: unknown): never {
    const first = failed ? failed.error : error;
    const trouble = postgresTrouble(first, "running");
    if (trouble?.trouble === "lost") isBroken = true;
    throw trouble ?? first;
  }

  async function run<Row>({ sql, parameters }: CompiledQuery<Row>, isKept = true): Promise<QueryResult<Row>> {
    try {
      const answer = await client.query(sql, parameters, isKept ? nameOf(sql) : "");
      if (!isKept) failed = undefined; // the host has undone the part in which it was
      return { rows: answer.rows as Row[], numAffectedRows: BigInt(answer.rowCount ?? 0) };
    } catch (error) {
      failed ??= { error };
      return raised(error);
    }
  }

  /** Sends a statement without waiting. The next one that is awaited throws its error. */
  function send(sql: string, parameters: readonly unknown[] = [], name?: string): void {
    client.query(sql, parameters, name).catch((error) => {
      failed ??= { error };
    });
  }

  async function order(sql: string): Promise<void> {
    try {
      await client.query(sql, [], undefined);
    } catch (error) {
      raised(error);
    }
    if (failed) raised(failed.error);
  }

  /** An earlier failure is undone with the rest, even if its error only arrives now. */
  async function undo(): Promise<void> {
    await client.query(SAVEPOINT.undo, [], undefined).catch((error) => {
      failed = undefined;
      raised(error);
    });
    failed = undefined;
  }

  return {
    pid: client.pid,
    run,
    send: ({ sql, parameters }) => send(sql, parameters, nameOf(sql)),
    savepoint(step: SavepointStep) {
      if (step === "begin") return send(SAVEPOINT.begin);
      return step === "undo" ? undo() : order(SAVEPOINT.keep);
    },
    begin(purpose, patience_ms) {
      const patience = patience_ms === undefined ? "" : `; set local lock_timeout = ${patience_ms}`;
      send(BEGIN[purpose] + patience + (client.isShared ? BEGIN_SHARED : "")); // all in one message
    },
    commit: () => order("commit"),
    async rollback() {
      failed = undefined;
      await order("rollback").catch(() => {
        isBroken = true; // a connection that cannot roll back is closed, which undoes it, too
      });
    },
    release: (broken = false) => client.release(isBroken || broken),
  };
}

/**
 * The names of statements that servers keep prepared, derived from their text, so that no name stands for another
 * statement where a pooler mixes connections of several programs.
 */
const NAMES = new Map<string, string>();
const NAMES_KEPT = 1_000;

function nameOf(sql: string): string | undefined {
  const known = NAMES.get(sql);
  if (known !== undefined || NAMES.size >= NAMES_KEPT || sql.startsWith("create ")) return known; // nobody makes twice
  const name = `lacre_${hash("sha256", sql).slice(0, 32)}`;
  NAMES.set(sql, name);
  return name;
}
