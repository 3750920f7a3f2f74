/** What one kind of database does in its own way. All other code is the same for each. */
import type { DialectAdapter, QueryCompiler, Transaction } from "kysely";
import type { Catalogue, Thing } from "./catalogue.ts";
import type { Migration, Steps } from "./migrations/migration.ts";
import type { Reader, Tables } from "./tables.ts";

/** The kinds of database. */
export type EngineName = "sqlite" | "postgres";

/** Where a database lies. */
export interface DatabaseLocation {
  /** Of the server, the database and the table. */
  readonly table: string;
  /** Begins anew when a standby takes over, or at a recovery; empty where that is known to lose nothing. */
  readonly timeline: string;
}

/** The libraries that open SQLite files. */
export type SqliteBinding = "better-sqlite3" | "node:sqlite";

/** An engine: `sqlite-engine.ts` has SQLite's, `postgres-engine.ts` PostgreSQL's. */
export interface Engine {
  readonly name: EngineName;
  /** The library that has an SQLite file open, where it is known. */
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
   * Keeps other processes out until the transaction ends: from a company, or from the installation where none is given.
   * Every command holds the lock of all it changes before it reads: installation, then companies by id. Undefined where
   * nothing had to be asked for.
   */
  lock(db: Transaction<Tables>, company_id: string | undefined): Locked | undefined | Promise<Locked | undefined>;
  /** Who holds what the transaction of a process waits for, as another connection sees it. */
  holderOf?(db: Reader, pid: number): Promise<Holder | undefined>;
  /** Ends the statement that a process is at. */
  cancel?(db: Reader, pid: number): Promise<unknown>;
  /** Bounds each statement of a transaction, and each wait for a lock, to so many whole milliseconds. */
  bound?(db: Transaction<Tables>, ms: number): unknown;
  /** The same lock for every company, once the installation is locked. */
  lockCompanies(db: Transaction<Tables>): unknown;
  /** Counts a request for all processes at once; undefined where one process serves, which can count by itself. */
  readonly countRequest?: ((db: Reader, request: CountedRequest) => Promise<CountOfRequests>) | undefined;
  /** Holds other programs off while one migrates; begins the transaction's work. */
  lockSchema(db: Transaction<Tables>): unknown;
  /** The steps of a migration, with the names that things have in this database. */
  stepsOf(migration: Migration): Steps;
  /** Before rows are stored, and indexes made over them, in tables that were just made. */
  beginStoring(db: Transaction<Tables>): unknown;
  /** After that. The next numbers follow those of the rows. */
  settleStored(db: Transaction<Tables>): unknown;
  /** The names that Lacre's tables have in this database. */
  readonly tables: ReadonlySet<string>;
  /** The columns of one of Lacre's tables; none where there is no such table. */
  columnsOf(db: Reader, table: string): Promise<string[]>;
  /** Where the database lies, which a copy of it has not in common; null for a file, which its host looks after. */
  placeOf(db: Reader): Promise<DatabaseLocation | null>;
  /** The tables and views that stand where Lacre's would, by name. */
  tablesOf(db: Reader): Promise<string[]>;
  /** What the schema consists of, as the database tells it. */
  thingsOf(db: Reader): Thing[] | Promise<Thing[]>;
  /** What it consists of where the migrations have just made it. */
  due(): Promise<Catalogue>;
  /** The digest of that, where it is known and making it takes long. */
  readonly dueDigest?: string | undefined;
}

/** A transaction that others wait for. */
export interface Holder {
  /** Its process on the server; null where it is one of this program's own. */
  readonly pid: number | null;
  /** The name that its program gave itself; empty where it has none. */
  readonly program: string;
  /** How long it has been under way, in whole seconds. */
  readonly seconds: number;
}

/** What was read as the lock was taken. */
export interface Locked {
  /** The server's clock, once the lock is held. */
  readonly at: Date;
  /** The head of the chain of events of what is locked. */
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

/** What was counted, by the server's clock. */
export interface CountOfRequests {
  readonly accepted: boolean;
  /** Accepted requests in the window that ends now, this one included. */
  readonly used: number;
  /** Milliseconds since the oldest of them. */
  readonly oldest_ms: number;
}
