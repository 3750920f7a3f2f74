/** `openLacre`: fills in the defaults, brings the schema up to date, and returns the `Lacre` object. */
import type { Transaction } from "kysely";
import * as z from "zod";
import { mustFindCompany } from "./company/companies.ts";
import { t } from "./company/refusals.ts";
import type { DatabaseLocation } from "./database/engine.ts";
import {
  beginTransaction,
  type Database,
  databaseInside,
  databaseOf,
  type ExecutorDb,
  executorOf,
  inTransaction,
  type LacreDialect,
} from "./database/executor.ts";
import { type HostHandles, handlesOver } from "./database/host-handles.ts";
import { fileInUse, type HostTransaction, hostDatabase, isSameFile } from "./database/host-transaction.ts";
import { migrate, mustBeCurrent, mustNotBeForeign, schemaState } from "./database/migrate.ts";
import { StorageError } from "./database/storage-error.ts";
import type { Reader, Tables } from "./database/tables.ts";
import { deliver } from "./deliveries/deliver.ts";
import { mustOpen } from "./documents/links.ts";
import { emailKind, type Mailer } from "./emails/deliver.ts";
import { isSealKey } from "./emails/sealed.ts";
import { firstSeal, lastPositions } from "./events/events.ts";
import { createLookout, type EventFeed, followerOf, followerOfAll, type InstallationFeed } from "./events/follow.ts";
import type { CompanyMethods, HostFace } from "./face.ts";
import {
  createInstallation,
  isElsewhere,
  lockIfCopied,
  type Readiness,
  readinessOf,
} from "./installation/installation.ts";
import { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS } from "./operations.ts";
import { ActorName } from "./people/actors.ts";
import { authenticate } from "./people/api-keys.ts";
import { createHostActor, findHostActor, HOST_PROGRAM, hostMembers } from "./people/host.ts";
import { triesIn } from "./people/password-tries.ts";
import { createPasswords, DEFAULT_PASSWORD_COST, type PasswordCost } from "./people/passwords.ts";
import { authenticateSession, noteSession, visitorFrom } from "./people/sessions.ts";
import { liveMembershipsOf, memberIn, stillThere } from "./people/users.ts";
import { type EachRow, withEach } from "./rows.ts";
import { createBell, createTelling } from "./runtime/bell.ts";
import { type Closing, createClosing } from "./runtime/closing.ts";
import { refuse } from "./runtime/errors.ts";
import type { FreeBytes } from "./runtime/free-space.ts";
import { boundHere, duringHosted, type Hosted, noteHosted, withoutSelfWaits } from "./runtime/host-transactions.ts";
import { type Operation, parseInput } from "./runtime/operation.ts";
import {
  ALL_PERMISSIONS,
  type Caller,
  type CameFrom,
  type HostMember,
  type KeyCaller,
  ROLES,
  type UserCaller,
} from "./runtime/permissions.ts";
import {
  type Clock,
  type IdSource,
  type KeyKind,
  type Log,
  type MailSender,
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
  type WebhookSender,
} from "./runtime/ports.ts";
import { publicAddress } from "./runtime/public-url.ts";
import {
  DEFAULT_RATE_LIMIT,
  LINK_RATE_LIMIT,
  memoryRateLimit,
  type RateLimit,
  rateLimitOf,
  rateLimitStore,
  SESSION_RATE_LIMIT,
  sharedRateLimit,
} from "./runtime/rate-limit.ts";
import { createRun, type Run, type RunOptions, type World } from "./runtime/run.ts";
import { NO_COMPANY } from "./runtime/scope.ts";
import { type Guarded, guardedInside, storageGuard } from "./runtime/storage-guard.ts";
import { type OpenTelemetry, type Tracing, tracedRun, tracingWith } from "./runtime/tracing.ts";
import { createWriteQueue } from "./runtime/write-queue.ts";
import { boundedSigner, signerSource } from "./signing/signing-keys.ts";
import { findCheck } from "./verify/finding.ts";
import { type CheckOptions, keepChecked } from "./verify/keep-checked.ts";
import { type Deliverer, webhookKind } from "./webhooks/deliver.ts";

/**
 * The database, and everything that Lacre takes from the host. Only `dialect` is required; every default is written
 * here once.
 */
export interface LacreOptions {
  /** The database: `sqlite(file)` of lacre/sqlite, `nodeSqlite(file)` of lacre/node-sqlite, or `postgres(…)`. */
  readonly dialect: LacreDialect;
  /** The wall clock, read once per call; the system's when left out. */
  readonly now?: Clock;
  /** The clock for rate limits and waiting times, in milliseconds; the system's when left out. */
  readonly monotonic?: MonotonicClock;
  /** The timer for the signer's deadline and for polling events; the system's when left out. */
  readonly timer?: Timer;
  /** Makes the ids of rows, which must ascend; UUIDv7 when left out. */
  readonly newId?: IdSource;
  /** Makes the secret of an API key, a session or a link; 32 random bytes when left out. */
  readonly newSecret?: SecretSource;
  /** Signs documents; when left out the installation creates a key of its own and stores it in the database. */
  readonly signer?: Signer;
  /** Requests per API key: a limit, counted in memory, or a store of yours; 120 in 60 seconds when left out. */
  readonly rateLimit?: RateLimit | RateLimitStore;
  /**
   * The cost of scrypt for each password; 2¹⁵, 8 and 3 when left out. A stored password is hashed again at its next
   * login.
   */
  readonly passwordCost?: PasswordCost;
  /** Sends webhooks for `webhooks.deliver`: `webhookSender()` of lacre/node. */
  readonly webhookSender?: WebhookSender;
  /** Allows webhooks to private networks, also by plain HTTP: for tests, and for receivers beside you. */
  readonly webhooksToPrivateNetworks?: boolean;
  /**
   * Sends e-mails for `emails.deliver`, and lets documents be sent: `mailSender(server)` of lacre/mail; without it none
   * can be sent.
   */
  readonly mailSender?: MailSender;
  /**
   * 32 bytes that seal the passwords of companies' own SMTP servers in the database: keep them outside it, and outside
   * its backups; without them no such password can be kept.
   */
  readonly mailKey?: Uint8Array;
  /**
   * The address at which others reach this Lacre, such as `https://loja.pt/faturas`: links to documents begin with it,
   * and `createHandler` takes it; without it no link can be made.
   */
  readonly publicUrl?: string | undefined;
  /**
   * The kind of keys that are made without one: `test` in an installation that is thrown away, so that its keys say so;
   * `live` when left out.
   */
  readonly keyKind?: KeyKind;
  /** Takes log entries; when left out nothing is logged. */
  readonly log?: Log;
  /** The module `@opentelemetry/api`: each operation and each request then has a span; without it none has. */
  readonly opentelemetry?: OpenTelemetry;
  /** Creates or upgrades the schema when needed; with `false`, opening refuses unless it is current. */
  readonly migrate?: boolean;
  /**
   * Asked before each transaction and after each commit: what is wrong with the files of the database, as a phrase
   * (`"shop.db-wal is gone"`), or undefined while nothing is; when left out nothing is assumed to be wrong.
   */
  readonly storageFault?: () => string | undefined;
  /**
   * The free bytes on the disk of the database, asked together with what waits for a person, so that people learn of a
   * full disk in time; when left out nobody does.
   */
  readonly freeBytes?: FreeBytes;
  /** Called once when an I/O error left a commit in doubt: stop the process, as a restart recovers. */
  readonly onHalt?: (reason: string) => void;
  /** Checks every answer against its contract; for tests, false when left out. */
  readonly checkContracts?: boolean;
}

/** A company, or its id. */
export type CompanyId = string | { readonly id: string };

/** The result of `lacre.as(company)`: the operations inside one company, and its events as they come. */
export type CompanyFace = CompanyMethods & EachRow & EventFeed;

/** What the host program's work gets in its transaction. */
export interface InsideTransaction extends HostHandles {
  /** The company, inside the transaction. */
  readonly shop: CompanyFace;
}

/** An open Lacre: methods for the host program, for each company, and for the HTTP layer. */
export interface Lacre extends Omit<HostFace, "webhooks" | "emails"> {
  /** The messages that wait to be sent to webhooks, and sending them. */
  readonly webhooks: HostFace["webhooks"] & Deliverer["webhooks"];
  /** The e-mails that wait to be sent, and sending them. */
  readonly emails: HostFace["emails"] & Mailer["emails"];
  /** The events of all companies in one feed. */
  readonly events: InstallationFeed;
  /**
   * Acts as the host program inside one company, with every permission. `actor` names who acts (`"Maria, till 2"`, 1 to
   * 200 characters, `"Lacre"` when left out): documents, payments, events and the tax file's SourceID (`H1`) record it.
   */
  as(company: CompanyId, options?: { readonly actor?: string }): CompanyFace;
  /**
   * The same inside a transaction that the host program has begun on this database: its order and the invoice are
   * committed, or undone, together. It takes a connection of better-sqlite3 or node:sqlite, a client of pg, or a
   * transaction of Kysely. Each call is a savepoint, and a refused one undoes only itself. Until the transaction ends,
   * nobody else issues in that company. Calls reject with TypeError, in words, if the transaction is not under way or
   * is on another database.
   */
  within(transaction: HostTransaction): Pick<Lacre, "as">;
  /**
   * Begins a transaction of yours in a company, and runs `work` in it: its calls of `shop`, and its own statements on
   * `connection` or `kysely`, are committed together when it ends, and undone together when it throws. It waits its
   * turn among the changes, and nobody else issues in that company meanwhile (on SQLite nobody writes): after
   * `timeoutMs` (10,000 when left out, 60,000 at most) it is undone and refused with `unavailable`. Calls made inside
   * it that would wait for it reject with TypeError, in words. `actor` is as in `as`.
   *
   * ```ts
   * import { openInMemory } from "lacre/testing";
   *
   * const { lacre, company_id } = await openInMemory();
   * const ana = await lacre.transaction(company_id, async ({ shop, connection }) => {
   * await connection.query("create table members (customer_id text)");
   * const customer = await shop.customers.create({ name: "Ana" });
   * await connection.query("insert into members values (?)", [customer.id]);
   * return customer;
   * });
   * ana.name; // => "Ana"
   * await lacre.close();
   * ```
   */
  transaction<T>(
    company: CompanyId,
    work: (inside: InsideTransaction) => Promise<T>,
    options?: { readonly actor?: string; readonly timeoutMs?: number },
  ): Promise<T>;
  /** The caller behind an API key; throws `unauthorized` for one that is malformed, unknown or revoked. */
  authenticate(api_key: string): Promise<KeyCaller>;
  /**
   * The person behind the secret of a session, in no company yet; throws `unauthorized` for one that is malformed,
   * unknown or ended. `from` is where the request comes from.
   */
  authenticateSession(secret: string, from: CameFrom): Promise<UserCaller>;
  /**
   * The same person in a company, with the permissions of a role; in their only one if none is named. Throws
   * `not_found` for a company of which the person is not a member, and `invalid_request` if one must be named.
   */
  enterCompany(person: UserCaller, company_id: string | undefined): Promise<UserCaller>;
  /**
   * Somebody in a company, as the host program's own session identifies them. Throws `invalid_request` for an invalid
   * member, and `not_found` for an unknown company.
   */
  hostMember(member: HostMember): Promise<Caller>;
  /** Anybody without a session, who has a link or a password. */
  visitor(from: CameFrom): Caller;
  /**
   * Anybody who has a link to a document, in the company of the document; throws `not_found` for a token that opens
   * nothing: malformed, unknown, expired or revoked.
   */
  linkHolder(token: string): Promise<Caller>;
  /** Counts one request to open a link against the limit of its network, 60 in 60 seconds. */
  takeLinkRequest(network: string): RateLimitReading;
  /** Counts one request of a session against its limit, 1,200 in 60 seconds. */
  takeSessionRequest(session_id: string): RateLimitReading | Promise<RateLimitReading>;
  /** Counts one request of a key against its limit. */
  takeRequest(key_id: string): RateLimitReading | Promise<RateLimitReading>;
  /** The limit of each API key; undefined if a store of yours counts. */
  readonly rateLimit: RateLimit | undefined;
  /**
   * Checks the database against its seals, signatures and events, and stores the result: all of it once, or with
   * `signal` for as long as the program runs, new documents and events every ten minutes and everything once a day. It
   * checks a few rows at a time, and rests longer than it works. A company with a finding issues nothing until somebody
   * answers for it: `series.answer({ why })`. Several processes may run it on one database. `lacre serve` always does.
   */
  check(options?: CheckOptions): Promise<void>;
  /** Runs any operation for a caller; the HTTP layer uses it. */
  readonly run: Run;
  /** Whether the database answers, its schema is current, and the storage refused no change just now. */
  isReady(): Promise<boolean>;
  /** Whether a full disk refused a change just now, so that it is not ready. */
  isDiskFull(): boolean;
  /** Whether documents can be issued: counts only, so that a probe without a key may see it. */
  readiness(): Promise<Readiness>;
  /** Its log, which never throws. */
  readonly log: Log;
  /** The address at which others reach it, without a slash at its end; undefined where none was named. */
  readonly publicUrl: string | undefined;
  /** Makes spans, if Lacre was opened with OpenTelemetry; the HTTP layer uses it. */
  readonly tracing: Tracing | undefined;
  /** Makes an id like those of rows. */
  readonly newId: () => string;
  /** Its clock. */
  readonly now: Clock;
  /** Milliseconds, for durations; never for documents. */
  readonly monotonic: MonotonicClock;
  /**
   * Closes the database once the calls under way have ended, or after `timeoutMs` (5,000 when left out): they and all
   * later ones then end with `unavailable`. A commit under way is done wholly or not at all.
   */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How long the host program's work may take in its transaction, in milliseconds: by default, and at most. */
const TRANSACTION_MS = 10_000;
const MAX_TRANSACTION_MS = 60_000;

/** How long `close` waits for calls under way, in milliseconds. */
const CLOSE_TIMEOUT_MS = 5_000;

const FOREIGN_DIALECT =
  "This dialect is not one of Lacre's: pass sqlite(file) of lacre/sqlite, nodeSqlite(file) of lacre/node-sqlite, or " +
  "postgres(…) of lacre/postgres, with an address or a pool.";

const OLD_NODE = "This Node is too old: Lacre needs Node 22.16 or newer.";

const ELSEWHERE = "This transaction is on another database than the one that this Lacre has open.";

const NOT_AWAITED =
  "The function ended while a call of its shop was under way, so its transaction was undone: await each call.";

const NO_TIMEOUT = `timeoutMs is a whole number from 1 to ${MAX_TRANSACTION_MS}.`;

const NO_COMPANY_GIVEN = "Give a company or its id: what lacre.companies.list() and create() answer.";

const NO_SENDER =
  "Nothing sends webhooks: give openLacre the option webhookSender, such as webhookSender() of lacre/node.";

const NO_SEAL_KEY = "The option mailKey is 32 bytes: those of a key that is kept outside the database.";

const NO_MAIL_SENDER =
  "Nothing sends e-mails: give openLacre the option mailSender, such as mailSender(server) of lacre/mail.";

const COPIED =
  "This database is a copy, or a standby took over: nothing is issued until the last numbers are confirmed.";

/**
 * Opens an installation, and creates it if the database is empty. Throws `StorageError` when the dialect or the file is
 * not Lacre's, the file was written by a newer version, or its SQLite could lose commits, and TypeError when the
 * signer's public key is not RSA of 1024 bits, or the rate limit or the public address is invalid.
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
  if (typeof Promise.withResolvers !== "function") throw new StorageError("unusable", OLD_NODE);
  if (typeof options.dialect?.connect !== "function") throw new StorageError("unusable", FOREIGN_DIALECT);
  if (options.mailKey && !isSealKey(options.mailKey)) throw new TypeError(NO_SEAL_KEY);
  const instance = connect(options);
  try {
    await makeCurrent(instance.world, options.migrate ?? true);
    return lacreOver(instance, await homeOf(instance));
  } catch (error) {
    await instance.world.database.connections.close();
    throw error;
  }
}

/** Everything that makes up one opening. */
type Instance = ReturnType<typeof connect>;

/** Connects to the database, and builds the objects that calls run in. Asks the database nothing yet. */
function connect(options: LacreOptions) {
  const database = withoutSelfWaits(databaseOf(options.dialect));
  const reader = database.loose;
  const closing = createClosing();
  const { bell, noteCommit } = bellOf(options, database, closing);
  const tracing = options.opentelemetry && tracingWith(options.opentelemetry);
  const log = neverThrowing(options.log ?? silentLog);
  const { monotonic = systemMonotonicClock, storageFault = () => undefined, onHalt = () => {} } = options;
  const guard = storageGuard({ monotonic, log, storageFault, onHalt });
  const world: World = {
    ...worldOf(options, database, guard.guarded, (...call) => run(...call)),
    storage: {
      ...guard,
      noteCommit() {
        guard.noteCommit();
        noteCommit();
      },
    },
    eachPiece: closing.eachDuring,
    bound: tracing?.bind ?? ((work) => work),
    monotonic,
    log,
  };
  const queue = createWriteQueue({ database, reader, monotonic, storage: world.storage });
  const run = tracedRun(createRun(world, queue.inTurn), tracing);
  /** Runs a read, which failing storage refuses. */
  const read = <T>(work: () => Promise<T>) => closing.during(() => guard.guarded(work));
  const positions = (company_ids?: readonly string[]) => read(() => lastPositions(reader, company_ids));
  const lookout = createLookout(positions, bell);
  return {
    options,
    world,
    reader,
    guard,
    queue,
    run,
    read,
    closing,
    bell,
    positions,
    lookout,
    tracing,
    ...limitsOf(options, world),
  };
}

/** The bell, and what rings it here and tells the programs beside this one. */
function bellOf({ timer = systemTimer }: LacreOptions, { connections: { news } }: Database, { isOpen }: Closing) {
  const me = randomSecret().toString("hex");
  const bell = createBell(timer, () => news?.listen(me, () => bell.ring()));
  const tell = news && createTelling(async () => (isOpen() ? news.tell(me) : undefined));
  const noteCommit = () => {
    bell.ring();
    tell?.();
  };
  return { bell, noteCommit };
}

/** The host's options for calls, or their defaults. `run` is set before the first call. */
function worldOf(options: LacreOptions, database: Database, guarded: Guarded, run: Run) {
  const { now: clock = systemClock, timer = systemTimer, signer, passwordCost = DEFAULT_PASSWORD_COST } = options;
  const { mailSender, mailKey = null, publicUrl } = options;
  const hostSigner = signer && boundedSigner(signer, timer);
  const tries = triesIn(
    (find) => guarded(() => find(database.loose)),
    async (operation, trial) => (await run(visitorFrom(NOWHERE), operation, trial)).value,
    clock,
  );
  return {
    database,
    clock,
    isServerClock: options.now === undefined,
    newId: options.newId ?? uuidv7Source(),
    newSecret: options.newSecret ?? randomSecret,
    keyKind: options.keyKind ?? "live",
    hostSigner,
    toPrivateNetworks: options.webhooksToPrivateNetworks ?? false,
    mail: mailSender ? { from: mailSender.from, key: mailKey, send: mailSender.send.bind(mailSender) } : null,
    publicUrl: publicUrl === undefined ? null : addressIn(publicUrl),
    freeBytes: options.freeBytes ?? (() => undefined),
    takeSigner: signerSource(hostSigner),
    findHostActor,
    createHostActor,
    stillThere,
    passwords: createPasswords(passwordCost, tries),
    checkContracts: options.checkContracts ?? false,
  };
}

/** A public address without a slash at its end. */
function addressIn(given: string): string {
  const { origin, path } = publicAddress(given);
  return origin + path;
}

/**
 * The limits of keys and of sessions, counted for all processes if the engine can; that of links is counted in memory,
 * as whoever has no key must cost the database no row.
 */
function limitsOf({ rateLimit }: LacreOptions, { database, monotonic, storage }: World) {
  const { countRequest } = database.engine;
  const counting = (limit: RateLimit) =>
    countRequest
      ? sharedRateLimit(limit, monotonic, (request) => storage.guarded(() => countRequest(database.loose, request)))
      : memoryRateLimit(limit, monotonic);
  return {
    limiter: rateLimitStore(rateLimit ?? DEFAULT_RATE_LIMIT, counting),
    sessionLimiter: counting(SESSION_RATE_LIMIT),
    linkLimiter: memoryRateLimit(LINK_RATE_LIMIT, monotonic),
  };
}

/** Brings the schema up to date, or refuses one that is not. */
async function makeCurrent({ database, clock, newId, log }: World, mayMigrate: boolean): Promise<void> {
  await mustNotBeForeign(database.loose);
  const now = clock();
  const begin = (db: Transaction<Tables>) =>
    createInstallation({ db, company_id: NO_COMPANY, now, newId: () => newId(now), heads: new Map(), log });
  if (mayMigrate) await migrate(database, now, begin);
  else await inTransaction(database, "write", mustBeCurrent);
}

/** Where the database lies. A database copied there is locked for issuing. */
async function homeOf({ world, reader, run }: Instance) {
  const { engine } = world.database;
  const place = await engine.placeOf(reader);
  const file = engine.name === "sqlite" ? await fileInUse(executorOf(reader)) : undefined;
  if (place && (await isElsewhere(reader, place))) {
    const { locked } = (await run(OPERATOR, lockIfCopied, place)).value;
    if (locked) world.log({ level: "error", event: "database_copied", message: COPIED });
  }
  return { place, file, seal: await firstSeal(reader) };
}

type Home = Awaited<ReturnType<typeof homeOf>>;

function lacreOver(instance: Instance, home: Home): Lacre {
  const { world, reader, guard, run, read, closing, bell, tracing } = instance;
  const { database, clock: now, freeBytes, newId, log, monotonic } = world;
  const host = face<HostFace>(INSTALLATION_OPERATIONS, async () => OPERATOR, run, closing.during);
  let closed: Promise<void> | undefined;
  const close = ({ timeoutMs = CLOSE_TIMEOUT_MS } = {}) => {
    closed ??= closing.begin(timeoutMs).then(database.connections.close);
    bell.ring();
    return closed;
  };
  return {
    ...host,
    ...callersOf(instance),
    ...tasksOf(instance, host),
    as: membersOf(instance, reader, run),
    within: (transaction) => within(instance, home, transaction),
    transaction: (company, work, how) => hostsTransaction(instance, company, work, how),
    run: (...call) => closing.during(() => run(...call)),
    readiness: () => read(() => readinessOf({ db: reader, now: now(), freeBytes })),
    isDiskFull: guard.isFull,
    isReady: async () => closing.isOpen() && guard.canWrite() && (await schemaState(reader)) === "current",
    log,
    publicUrl: world.publicUrl ?? undefined,
    tracing,
    newId: () => newId(now()),
    now,
    monotonic,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** The callers, for the HTTP layer. */
function callersOf(instance: Instance) {
  const { options, world, reader, guard, run, read, closing, limiter, sessionLimiter, linkLimiter } = instance;
  const hostMember = hostMembers((company_id) => guard.guarded(() => mustFindCompany({ db: reader, company_id })));
  return {
    authenticate: (api_key) => read(() => authenticate(reader, api_key)),
    authenticateSession: (secret, from) =>
      closing.during(async () => {
        const find = () => authenticateSession(reader, secret, from, world.clock());
        const { person, isSeen } = await guard.guarded(find);
        // Reading must continue when nothing can be written.
        if (isSeen) await run(person, noteSession, {}).catch(() => {});
        return person;
      }),
    enterCompany: (person, company_id) => read(() => personIn(reader, person, company_id)),
    hostMember: (member) => closing.during(() => hostMember(member)),
    visitor: visitorFrom,
    linkHolder: (token) =>
      read(async () => {
        const { company_id } = await mustOpen({ db: reader, now: world.clock() }, token);
        return { ...visitorFrom(NOWHERE), company_id };
      }),
    takeLinkRequest: (network) => linkLimiter.take(network),
    takeSessionRequest: (session_id) => sessionLimiter.take(session_id),
    rateLimit: rateLimitOf(options.rateLimit),
    takeRequest: (key_id) => limiter.take(key_id),
  } satisfies Partial<Lacre>;
}

/** The work that continues for as long as the program runs: delivering webhooks, and checking the database. */
function tasksOf(instance: Instance, host: HostFace) {
  const { options, world, reader, guard, run, closing, bell, positions, lookout } = instance;
  const { database, toPrivateNetworks, clock: now, monotonic, log } = world;
  const as = membersOf(instance, reader, run);
  const readIn = (company_id: string) => {
    const caller: Caller = { company_id, actor: { kind: "host", name: HOST_PROGRAM }, scopes: ALL_PERMISSIONS };
    return async (input: object) =>
      (await closing.during(() => run(caller, COMPANY_OPERATIONS.events.read, input))).value;
  };
  const delivering = { bell, closing, monotonic, log };
  return {
    events: { follow: followerOfAll(positions, readIn, bell, lookout, closing) },
    webhooks: {
      ...host.webhooks,
      async deliver(how) {
        const { webhookSender: send } = options;
        if (!send) throw new TypeError(NO_SENDER);
        const { due } = host.webhooks;
        await deliver(delivering, webhookKind({ due, as, send, toPrivateNetworks, monotonic, log }), how);
      },
    },
    emails: {
      ...host.emails,
      async deliver(how) {
        const { mailSender: sender } = options;
        if (!sender) throw new TypeError(NO_MAIL_SENDER);
        await deliver(delivering, emailKind({ due: host.emails.due, as, sender, monotonic, log }), how);
      },
    },
    async check(how) {
      const companies = async () => (await host.companies.list()).map(({ id }) => id);
      const wholeAt = async (company_id: string) =>
        (await guard.guarded(() => findCheck({ db: reader, company_id })))?.whole_at ?? null;
      const isShared = database.engine.name !== "sqlite";
      const checking = { run, operator: OPERATOR, companies, wholeAt, isShared, bell, closing, now, monotonic, log };
      await keepChecked(checking, how);
    },
  } satisfies Partial<Lacre>;
}

// ——— The host program in its companies, and in transactions ———

/** `as`, with calls that read from this database and run by `run`. */
function membersOf(
  { guard, bell, lookout, closing }: Instance,
  db: Reader,
  run: Run,
  during: Closing["during"] = closing.during,
): Lacre["as"] {
  const guarded = guardedInside(guard.guarded);
  return (company, { actor = HOST_PROGRAM } = {}) => {
    const company_id = idOf(company);
    const caller = hostCaller(db, guarded, company_id, actor);
    const own = withEach(face<CompanyMethods>(COMPANY_OPERATIONS, caller, run, during));
    const follow = followerOf(company_id, own.events.read, bell, lookout, closing);
    return { ...own, events: { ...own.events, follow } };
  };
}

/** The same inside a transaction, whose loss is the host's concern. */
function membersInside(instance: Instance, theirs: Database, during?: Closing["during"]): Lacre["as"] {
  const { world, reader, guard, tracing } = instance;
  const storage = { ...guard, guarded: guardedInside(guard.guarded) }; // it learns nothing of the commit
  const { monotonic } = world;
  const { inTurn } = createWriteQueue({ database: theirs, reader, monotonic, storage, attempts: 1 });
  const run = tracedRun(createRun({ ...world, database: theirs, storage }, inTurn), tracing);
  return membersOf(instance, theirs.loose, run, during);
}

function within(instance: Instance, home: Home, transaction: HostTransaction): Pick<Lacre, "as"> {
  const { database } = instance.world;
  const hosted: Hosted = { database, isOpen: () => theirs.isOpen() };
  const notePid = (pid: number) => {
    hosted.pid = pid;
  };
  const mustBeSame = (found: Database) => mustBeAt(home, found);
  const theirs = hostDatabase({ engine: database.engine, mustBeSame, notePid }, transaction);
  noteHosted(hosted);
  return { as: membersInside(instance, theirs.database) };
}

/**
 * Throws TypeError if a transaction of the host program is on another database. It asks nothing on another connection:
 * the host program may hold all that there are.
 */
async function mustBeAt({ place, file, seal: own }: Home, theirs: Database): Promise<void> {
  const isSame =
    theirs.engine.name === "sqlite"
      ? isSameFile(file, await fileInUse(executorOf(theirs.loose)))
      : (await placeIn(theirs))?.table === place?.table;
  const seal = isSame ? await firstSeal(theirs.loose).catch(() => undefined) : undefined; // there, no table may be ours
  if (seal === undefined || seal !== own) throw new TypeError(ELSEWHERE);
}

/** In a part that is undone: a failed query, on a server that hides its place, would fail the host's transaction. */
async function placeIn(theirs: Database): Promise<DatabaseLocation | null> {
  const part = await beginTransaction(theirs, "snapshot");
  const found = await theirs.engine.placeOf(part.db).catch(() => null);
  await part.rollback();
  return found;
}

type HostsWork<T> = (inside: InsideTransaction) => Promise<T>;

async function hostsTransaction<T>(
  instance: Instance,
  company: CompanyId,
  work: HostsWork<T>,
  { actor = HOST_PROGRAM, timeoutMs = TRANSACTION_MS }: { actor?: string; timeoutMs?: number } = {},
): Promise<T> {
  const { reader, queue, read } = instance;
  const company_id = idOf(company);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TRANSACTION_MS) throw new TypeError(NO_TIMEOUT);
  const bound = boundHere((db: ExecutorDb) => hostsWork(instance, db, company_id, actor, work));
  return read(async () => {
    await mustFindCompany({ db: reader, company_id });
    return queue.hosted(bound, company_id, timeoutMs);
  });
}

/** Does the host program's work in the transaction that was begun for it. */
async function hostsWork<T>(
  instance: Instance,
  db: ExecutorDb,
  company_id: string,
  actor: string,
  work: HostsWork<T>,
): Promise<T> {
  const { world, closing } = instance;
  const { database } = world;
  let underWay = 0;
  const during: Closing["during"] = async (call) => {
    underWay++;
    try {
      return await closing.during(call);
    } finally {
      underWay--;
    }
  };
  let isOpen = true;
  const hosted: Hosted = { database, company_id, pid: db.executor.pid, isOpen: () => isOpen };
  try {
    const shop = membersInside(instance, databaseInside(database.engine, db.executor), during)(company_id, { actor });
    const value = await duringHosted(hosted, () => work({ shop, ...handlesOver(db) }));
    if (underWay > 0) throw new TypeError(NOT_AWAITED);
    return value;
  } finally {
    isOpen = false;
  }
}

/** The origin of a request that has none. */
const NOWHERE: CameFrom = { address: null, network: null, user_agent: null };

/** The host program acting on the installation, above any company. */
const OPERATOR: Caller = { company_id: NO_COMPANY, actor: { kind: "host", name: HOST_PROGRAM }, scopes: [] };

/** The id of a company, from either form. Throws TypeError for anything else. */
function idOf(company: CompanyId): string {
  const id: unknown = typeof company === "object" && company !== null ? company.id : company;
  if (typeof id !== "string") throw new TypeError(NO_COMPANY_GIVEN);
  return id;
}

const HostName = z.strictObject({ actor: ActorName });

/** The host program inside one company, under a name. Name and company are checked once, at the first call. */
function hostCaller(reader: Reader, guarded: Guarded, company_id: string, actor: string): () => Promise<Caller> {
  let known: Promise<Caller> | undefined;
  const find = async (): Promise<Caller> => {
    const { actor: name } = parseInput(HostName, { actor });
    await guarded(() => mustFindCompany({ db: reader, company_id }));
    return { company_id, actor: { kind: "host", name }, scopes: ALL_PERMISSIONS };
  };
  return () => {
    known ??= find().catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** A person in a company: the one that is named, or the only one. */
async function personIn(reader: Reader, person: UserCaller, named: string | undefined): Promise<UserCaller> {
  const { user_id } = person.session;
  const [only, other] = named === undefined ? await liveMembershipsOf(reader, user_id) : [];
  const company_id = named?.toLowerCase() ?? (other ? undefined : only?.company_id);
  if (company_id === undefined) return refuse("invalid_request", t.which_company, { to: "name_company" });
  const member = await memberIn(reader, user_id, company_id);
  if (!member) return refuse("not_found", t.no_such_company);
  return { ...person, company_id, actor: member.actor, scopes: ROLES[member.role] };
}

/** Turns a table of operations into methods that run them for one caller. */
function face<Face>(
  groups: Record<string, Record<string, Operation>>,
  caller: () => Promise<Caller>,
  run: Run,
  during: Closing["during"],
): Face {
  const method =
    (operation: Operation) =>
    (input: unknown = {}, options?: RunOptions) =>
      during(async () => (await run(await caller(), operation, input, options)).value);
  return mapValues(groups, (verbs) => mapValues(verbs, method)) as Face;
}

function mapValues<From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
