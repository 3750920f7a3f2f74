/** `openLacre`: fills in the defaults, brings the schema up to date, and returns the `Lacre` object. */
import { Kysely } from "kysely";
import { z } from "zod";
import { ActorName, HOST_PROGRAM, hostActorId } from "./actors.ts";
import { authenticate } from "./api-keys.ts";
import { mustFindCompany } from "./companies.ts";
import { migrate, mustBeCurrent, schemaState } from "./database/migrate.ts";
import type { LacreDialect } from "./database/sqlite-dialect.ts";
import { StorageError } from "./database/storage-error.ts";
import type { Tables } from "./database/tables.ts";
import type { CompanyFace, HostFace } from "./face.ts";
import { createInstallation } from "./installation.ts";
import { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS } from "./operations.ts";
import { type Operation, parseInput } from "./runtime/operation.ts";
import { type Caller, type KeyCaller, PERMISSIONS } from "./runtime/permissions.ts";
import {
  type Clock,
  type IdSource,
  type Log,
  type MonotonicClock,
  neverThrowing,
  type RateLimitReading,
  type RateLimitStore,
  randomSecret,
  type SecretSource,
  type Signer,
  silentLog,
  systemClock,
  systemMonotonicClock,
  systemTimer,
  type Timer,
  uuidv7Source,
} from "./runtime/ports.ts";
import { DEFAULT_RATE_LIMIT, memoryRateLimit, type RateLimit } from "./runtime/rate-limit.ts";
import { createRun, type Run, type RunOptions } from "./runtime/run.ts";
import { NO_COMPANY } from "./runtime/scope.ts";
import { type Guarded, storageGuard } from "./runtime/storage-guard.ts";
import { boundedSigner, signerSource } from "./signing/signing-keys.ts";

/** The database, and all Lacre takes from the host. Only `dialect` is required; every default is written here once. */
export interface LacreOptions {
  /** The database: `sqlite("lacre.db")` of lacre/sqlite or `nodeSqlite("lacre.db")` of lacre/node-sqlite. */
  readonly dialect: LacreDialect;
  /** The wall clock, read once per call; the system's when left out. */
  readonly now?: Clock;
  /** The clock for rate limits and waiting times, in milliseconds; the system's when left out. */
  readonly monotonic?: MonotonicClock;
  /** The timer for the signer's deadline; the system's when left out. */
  readonly timer?: Timer;
  /** Makes the ids of rows, which must ascend; UUIDv7 when left out. */
  readonly newId?: IdSource;
  /** Makes the secret of an API key; 32 random bytes when left out. */
  readonly newSecret?: SecretSource;
  /** Signs documents; when left out the installation makes a key of its own and keeps it in the database. */
  readonly signer?: Signer;
  /** Requests per API key: a limit, counted in memory, or a store of yours; 120 in 60 seconds when left out. */
  readonly rateLimit?: RateLimit | RateLimitStore;
  /** Takes log entries; when left out nothing is logged. */
  readonly log?: Log;
  /** Creates or upgrades the schema when needed; with `false`, opening refuses unless it is current. */
  readonly migrate?: boolean;
  /** Tells whether the database is still where it was opened; when left out this is assumed. */
  readonly isStorageThere?: () => boolean;
  /** Called once when an I/O error left a commit in doubt: stop the process, a restart recovers. */
  readonly onHalt?: (reason: string) => void;
  /** Checks every answer against its contract; for tests, false when left out. */
  readonly checkContracts?: boolean;
}

/** An open Lacre: methods for the host program, for each company, and for the HTTP layer. */
export interface Lacre extends HostFace {
  /**
   * Acts as the host program inside one company, with every permission. `actor` names who acts (`"Maria, till 2"`, 1 to 200
   * characters, `"Lacre"` when left out): documents, payments, events and the tax file's SourceID (`H1`) record it.
   */
  as(company: string | { readonly id: string }, options?: { readonly actor?: string }): CompanyFace;
  /** The caller behind an API key; throws `unauthorized` for one that is malformed, unknown or revoked. */
  authenticate(api_key: string): Promise<KeyCaller>;
  /** Counts one request of a key against its limit. */
  takeRequest(key_id: string): RateLimitReading | Promise<RateLimitReading>;
  /** Runs any operation for a caller; the HTTP layer uses it. */
  readonly run: Run;
  /** Whether the database answers, its schema is current, and the storage refused no change just now. */
  isReady(): Promise<boolean>;
  /** The log it was opened with; it never throws. */
  readonly log: Log;
  /** Makes an id like those of rows. */
  readonly newId: () => string;
  /** The clock it was opened with. */
  readonly now: Clock;
  /** Milliseconds, for durations; never for documents. */
  readonly monotonic: MonotonicClock;
  /** Closes the database. Calls under way should have ended. */
  close(): Promise<void>;
}

const FOREIGN_DIALECT =
  "This dialect is not one of Lacre's: pass sqlite(file) of lacre/sqlite or nodeSqlite(file) of lacre/node-sqlite.";

/**
 * Opens an installation, and creates it where the database is empty. Throws `StorageError` when the dialect or the file is
 * not Lacre's, the file was written by a newer version, or the SQLite at hand could lose commits, and TypeError when the
 * signer's public key is not RSA of 1024 bits.
 *
 * ```ts
 * import { openLacre } from "lacre";
 * import { sqlite } from "lacre/sqlite";
 *
 * const lacre = await openLacre({ dialect: sqlite("lacre.db") });
 * const shop = await lacre.companies.create({ name: "Padaria Central, Lda.", tax_id: "500000000" });
 * const ana = await lacre.as(shop).customers.create({ name: "Ana Conceição" });
 * ana.name; // => "Ana Conceição"
 * await lacre.close();
 * ```
 */
export async function openLacre(options: LacreOptions): Promise<Lacre> {
  const { dialect, now = systemClock, monotonic = systemMonotonicClock, newId = uuidv7Source() } = options;
  if (dialect?.engine !== "sqlite") throw new StorageError("unusable", FOREIGN_DIALECT);
  const log = neverThrowing(options.log ?? silentLog);
  const hostSigner = options.signer && boundedSigner(options.signer, options.timer ?? systemTimer);
  const db = new Kysely<Tables>({ dialect });
  const reader = dialect.reader ? new Kysely<Tables>({ dialect: dialect.reader }) : db;
  try {
    if (options.migrate ?? true) await migrate(db, now(), createInstallation);
    else await mustBeCurrent(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const { rateLimit = DEFAULT_RATE_LIMIT } = options;
  const limiter = "take" in rateLimit ? rateLimit : memoryRateLimit(rateLimit, monotonic);
  const storage = storageGuard({
    monotonic,
    log,
    isStorageThere: options.isStorageThere ?? (() => true),
    onHalt: options.onHalt ?? (() => {}),
  });
  const run = createRun({
    db,
    reader,
    clock: now,
    monotonic,
    newId,
    newSecret: options.newSecret ?? randomSecret,
    hostSigner,
    takeSigner: signerSource(hostSigner),
    hostActorId,
    storage,
    log,
    checkContracts: options.checkContracts ?? false,
  });
  return {
    ...face<HostFace>(INSTALLATION_OPERATIONS, run, async () => OPERATOR),
    as: (company, { actor = HOST_PROGRAM } = {}) => {
      const company_id = typeof company === "string" ? company : company.id;
      return face<CompanyFace>(COMPANY_OPERATIONS, run, hostCaller(reader, storage.guarded, company_id, actor));
    },
    authenticate: (api_key) => storage.guarded(() => authenticate(reader, api_key)),
    takeRequest: (key_id) => limiter.take(key_id),
    run,
    isReady: async () => storage.canWrite() && (await schemaState(reader)) === "current",
    log,
    newId: () => newId(now()),
    now,
    monotonic,
    close: async () => {
      if (reader !== db) await reader.destroy();
      await db.destroy();
    },
  };
}

/** The host program acting on the installation, above any company. */
const OPERATOR: Caller = { company_id: NO_COMPANY, actor: { kind: "host", name: HOST_PROGRAM }, scopes: [] };

const HostName = z.strictObject({ actor: ActorName });

/** The host program inside one company, under a name. Name and company are checked once, at the first call. */
function hostCaller(
  reader: Kysely<Tables>,
  guarded: Guarded,
  company_id: string,
  actor: string,
): () => Promise<Caller> {
  let known: Promise<Caller> | undefined;
  const find = async (): Promise<Caller> => {
    const { actor: name } = parseInput(HostName, { actor });
    await guarded(() => mustFindCompany({ db: reader, company_id }));
    return { company_id, actor: { kind: "host", name }, scopes: PERMISSIONS };
  };
  return () => {
    known ??= find().catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** Turns a table of operations into methods that run them for one caller. */
function face<Face>(groups: Record<string, Record<string, Operation>>, run: Run, caller: () => Promise<Caller>): Face {
  const method =
    (operation: Operation) =>
    async (input: unknown = {}, options?: RunOptions) =>
      (await run(await caller(), operation, input, options)).value;
  return mapValues(groups, (verbs) => mapValues(verbs, method)) as Face;
}

function mapValues<From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
