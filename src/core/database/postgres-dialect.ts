/** Executors over PostgreSQL, whichever client speaks to it: `pg` in programs, PGlite in tests. */
import { hash } from "node:crypto";
import { type CompiledQuery, type Dialect, PostgresIntrospector, type QueryResult } from "kysely";
import {
  type Connection,
  type ConnectionSource,
  type Connections,
  connectionDriver,
  type Purpose,
  SAVEPOINT,
  type SavepointStep,
} from "./executor.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { postgresTrouble } from "./postgres-errors.ts";

/** What a client answers. */
export interface PostgresAnswer {
  readonly rows: readonly object[];
  /** Rows that were found or changed; null where the statement counts none. */
  readonly rowCount: number | null;
}

/** One connection to a server. */
export interface PostgresClient {
  /** The process that serves it, where nothing between hides which one that is. */
  readonly pid?: number | undefined;
  /**
   * Runs one statement. Statements run in the order they are given, and one need not wait for the answer of another.
   * A name keeps the statement prepared on the server; with an empty one the text is one statement and no more.
   */
  query(text: string, values: readonly unknown[], name: string | undefined): Promise<PostgresAnswer>;
  /** Gives the connection back; one that is `broken` is closed instead. */
  release(broken: boolean): void;
}

/** What a connection is taken for; `hosted`: a transaction of the host program, which may take its time. */
export type Use = Purpose | "hosted";

/** Connections to a server. */
export interface PostgresServer {
  /** The most connections for writing. */
  readonly writers: number;
  /** There is one connection for every use. */
  readonly isOne?: boolean;
  /** A free connection; those for one use never wait for those for another. */
  client(use: Use): Promise<PostgresClient>;
  close(): Promise<void>;
}

/** Where Lacre's tables are, and what is known of the standbys. */
export interface PostgresOptions {
  /** The schema that Lacre's tables are in, which migrating creates; `lacre` when left out. */
  readonly schema?: string;
  /**
   * `synchronous` where a standby that takes over has every acknowledged document. Where this is left out, it is opened
   * as a copy, which is locked for issuing.
   */
  readonly failover?: "synchronous" | undefined;
}

/** The schema when none is given. */
export const DEFAULT_SCHEMA = "lacre";

/** Builds the dialect over a server. `connect` is called once for each time the dialect is opened. */
export function postgresDialect(
  connect: () => PostgresServer,
  { schema = DEFAULT_SCHEMA, failover }: PostgresOptions,
): Dialect & ConnectionSource {
  const engine = postgresEngine(schema, failover === "synchronous");
  const connections = () => postgresConnections(connect());
  return {
    engine,
    connect: connections,
    createDriver: () => connectionDriver(connections),
    createAdapter: () => engine.adapter,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => engine.compiler,
  };
}

function postgresConnections(server: PostgresServer): Connections {
  const take = async (use: Use) => postgresConnection(await server.client(use).catch(refused));
  return {
    writers: server.writers,
    isOne: server.isOne ?? false,
    writer: () => take("write"),
    hosted: () => take("hosted"),
    reader: () => take("snapshot"),
    close: () => server.close(),
  };
}

function refused(error: unknown): never {
  throw postgresTrouble(error, "connecting") ?? error;
}

/** Each command holds its locks from its first statement on, so that committed rows are what it reads. */
const BEGIN: Readonly<Record<Purpose, string>> = {
  write: "begin isolation level read committed",
  snapshot: "begin isolation level repeatable read read only",
};

/** One connection while a caller has it. */
export function postgresConnection(client: PostgresClient): Connection {
  /** The error of the first statement that failed, whoever waited for it: it is why all that follow fail. */
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

  /** Sends a statement without waiting. Its error is thrown by the next that is waited for. */
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

  /** Whatever failed before is undone with the rest, even where its error comes only now. */
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
    // One message for both.
    begin: (purpose, patience_ms) =>
      send(patience_ms === undefined ? BEGIN[purpose] : `${BEGIN[purpose]}; set local lock_timeout = ${patience_ms}`),
    commit: () => order("commit"),
    async rollback() {
      failed = undefined;
      await order("rollback").catch(() => {
        isBroken = true; // what cannot be rolled back is closed, which undoes it, too
      });
    },
    release: (broken = false) => client.release(isBroken || broken),
  };
}

/**
 * The names of statements that servers keep prepared: by their text, so that no name stands for another statement where
 * a pooler mixes up the connections of several programs.
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
