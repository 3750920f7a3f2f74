/** What one kind of database does in its own way. All other code is the same for each. */
import type { DialectAdapter, QueryCompiler, Transaction } from "kysely";
import type { Catalogue, Thing } from "./catalogue.ts";
import type { Migration, Steps } from "./migrations/migration.ts";
import type { Reader, Tables } from "./tables.ts";

/** The kinds of database. */
export type EngineName = "sqlite" | "postgres";

/** Where a database lies. */
export interface DatabaseLocation {
  /** The server, the database and the table. */
  readonly table: string;
  /** Changes when a standby takes over and at a recovery; empty where that is known to lose nothing. */
  readonly timeline: string;
}

/** The libraries that open SQLite files. */
export type SqliteBinding = "better-sqlite3" | "node:sqlite";

/** An engine: `sqlite-engine.ts` has SQLite's, `postgres-engine.ts` PostgreSQL's. */
export interface Engine {
  readonly name: EngineName;
  /** The library that opened an SQLite file, where it is known. */
  readonly binding?: SqliteBinding | undefined;
  /** Writes statements as the engine takes them. */
  readonly compiler: QueryCompiler;
  /** What Kysely asks about the engine. */
  readonly adapter: DialectAdapter;
  /** The most commands in one transaction: it bounds how long the first waits for the last. */
  readonly maxTogether: number;
  /** The server's operator takes the backups, where Lacre cannot see them. */
  readonly isBackedUpByServer: boolean;
  /** Commands of one lane run one after the other. SQLite has one writer; on PostgreSQL a company has. */
  laneOf(company_id: string): string;
  /**
   * Locks a company, or the installation where none is given, against other processes until the transaction ends. Every
   * command locks all that it changes before it reads: the installation, then companies by id. Undefined where the
   * engine needs no lock.
   */
  lock(db: Transaction<Tables>, company_id: string | undefined): Locked | undefined | Promise<Locked | undefined>;
  /** Who holds the lock that a process's transaction waits for, as seen by another connection. */
  holderOf?(db: Reader, pid: number): Promise<Holder | undefined>;
  /** Cancels the statement that a process is running. */
  cancel?(db: Reader, pid: number): Promise<unknown>;
  /** Limits each statement of a transaction, and each wait for a lock, to this many whole milliseconds. */
  bound?(db: Transaction<Tables>, ms: number): unknown;
  /** The same lock for every company, once the installation is locked. */
  lockCompanies(db: Transaction<Tables>): unknown;
  /**
   * Counts a request for all processes together; undefined where a single process serves, which can count by itself.
   */
  readonly countRequest?: ((db: Reader, request: CountedRequest) => Promise<CountOfRequests>) | undefined;
  /** Holds other programs off while one migrates; begins the transaction's work. */
  lockSchema(db: Transaction<Tables>): unknown;
  /** The steps of a migration, with the names that things have in this database. */
  stepsOf(migration: Migration): Steps;
  /** Called before rows are stored, and indexes made over them, in tables that were just created. */
  beginStoring(db: Transaction<Tables>): unknown;
  /** Called afterwards. The next numbers follow those of the rows. */
  settleStored(db: Transaction<Tables>): unknown;
  /** The names that Lacre's tables have in this database. */
  readonly tables: ReadonlySet<string>;
  /** The columns of one of Lacre's tables; none if there is no such table. */
  columnsOf(db: Reader, table: string): Promise<string[]>;
  /** Where the database lies, which differs for a copy of it; null for a file, which its host watches. */
  placeOf(db: Reader): Promise<DatabaseLocation | null>;
  /** The tables and views that stand where Lacre's would, by name. */
  tablesOf(db: Reader): Promise<string[]>;
  /** What the schema consists of, as the database reports it. */
  thingsOf(db: Reader): Thing[] | Promise<Thing[]>;
  /** What the schema consists of right after the migrations have made it. */
  due(): Promise<Catalogue>;
  /** The digest of that, if it is known without making a schema, which takes long. */
  readonly dueDigest?: string | undefined;
}

/** A transaction that others wait for. */
export interface Holder {
  /** Its process on the server; null for one of this program's own. */
  readonly pid: number | null;
  /** The name that its program gave itself; empty where it has none. */
  readonly program: string;
  /** How long it has been under way, in whole seconds. */
  readonly seconds: number;
}

/** What is read when the lock is taken. */
export interface Locked {
  /** The server's clock, once the lock is held. */
  readonly at: Date;
  /** The head of the locked company's or installation's chain of events. */
  readonly head: HeadOfChain;
}

/** The last event of a chain, 0 and null before the first, and how many webhooks a company's events are sent to. */
export interface HeadOfChain {
  readonly event_position: number;
  readonly event_seal: string | null;
  readonly webhook_count: number;
}

/** A request to be counted against a limit. */
export interface CountedRequest {
  readonly key: string;
  /** Requests accepted in any window. */
  readonly limit: number;
  readonly window_ms: number;
}

/** A count by the server's clock. */
export interface CountOfRequests {
  readonly accepted: boolean;
  /** Accepted requests in the window that ends now, this one included. */
  readonly used: number;
  /** Milliseconds since the oldest of them. */
  readonly oldest_ms: number;
}
