/** Runs operations: checks the caller and the input, opens the transaction, remembers the answer. */
import type * as z from "zod";
import { type Database, type ExecutorDb, inTransaction } from "../database/executor.ts";
import { sideBySide } from "../database/savepoint.ts";
import type { Reader } from "../database/tables.ts";
import type { Passwords } from "../people/passwords.ts";
import type { Lang } from "../texts/languages.ts";
import { withContract } from "./contract.ts";
import { problem, refuseInput } from "./errors.ts";
import { etagOf, mustBeIfMatch, mustMatch } from "./etag.ts";
import { createFiles } from "./files.ts";
import type { FreeBytes } from "./free-space.ts";
import {
  answerIn,
  findRemembered,
  fingerprintOf,
  type KeyedRequest,
  keyHolder,
  mustBeIdempotencyKey,
  rememberAnswer,
} from "./idempotency.ts";
import { type Command, type Operation, parseInput, type Query, type Ran } from "./operation.ts";
import { type Caller, mustBeConfirmed, mustHave, type Needs } from "./permissions.ts";
import type { Clock, IdSource, KeyKind, Log, MailAccess, MonotonicClock, SecretSource, Signer } from "./ports.ts";
import { common } from "./refusals.ts";
import { type ActorScope, NO_COMPANY, type ReadScope, type RecordScope, type WriteScope } from "./scope.ts";
import type { StorageGuard } from "./storage-guard.ts";
import { createAllTurns, type TurnsByKind } from "./turns.ts";
import type { InTurn } from "./write-queue.ts";

/** Everything running an operation needs; `openLacre` fills it. */
export interface World {
  readonly database: Database;
  readonly clock: Clock;
  /** Whether the host gave no clock. Then the database server's clock is used, if there is one. */
  readonly isServerClock: boolean;
  readonly monotonic: MonotonicClock;
  readonly newId: IdSource;
  readonly newSecret: SecretSource;
  /** The kind of keys that are made without one. */
  readonly keyKind: KeyKind;
  /** The host program's signer; undefined if the installation signs with a key of its own. */
  readonly hostSigner: Signer | undefined;
  /** Whether webhooks may be sent to private networks. */
  readonly toPrivateNetworks: boolean;
  /** How e-mails are sent; null where nothing sends them. */
  readonly mail: MailAccess | null;
  /** The address at which others reach it; null where nobody has named one. */
  readonly publicUrl: string | null;
  readonly freeBytes: FreeBytes;
  /** The signer to use within a transaction. */
  readonly takeSigner: (scope: RecordScope) => Promise<Signer>;
  /** The id of the host program's actor with this name in a company; undefined before its first change. */
  readonly findHostActor: (db: Reader, company_id: string, name: string) => Promise<string | undefined>;
  /** Creates it in the company of the call. */
  readonly createHostActor: (scope: ActorScope, name: string) => Promise<string>;
  readonly passwords: Passwords;
  /** The same caller as of now, for a command that may have waited; refuses a person who lost access meanwhile. */
  readonly stillThere: (db: Reader, caller: Caller) => Promise<Caller>;
  readonly storage: StorageGuard;
  /** Wraps a file that is still produced after its query was answered. */
  readonly eachPiece: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  readonly log: Log;
  /** Binds queued work to the tracing span of its call. */
  readonly bound: <Work>(work: Work) => Work;
  /** Checks every answer and every refusal against the operation's contract; for tests. */
  readonly checkContracts: boolean;
}

/** Options of one call. */
export interface RunOptions {
  /** Makes a command safe to repeat: the same key and input return the first answer again. */
  readonly idempotency_key?: string | undefined;
  /**
   * Refuses a change with `precondition_failed` if the customer, product or document is not as it was read: takes the
   * tag from `etagOf`, several with commas between them, or `*`.
   */
  readonly if_match?: string | undefined;
  /** The language of the notices in an answer; English when left out, as a refusal's message is. */
  readonly lang?: Lang | undefined;
  /** Ends printing or exporting, or waiting for it, when it aborts: the call then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs any operation for a caller. Throws `LacreError`; any other error is a bug. */
export type Run = <Input extends z.ZodType, Output extends z.ZodType>(
  caller: Caller,
  operation: Query<Input, Output> | Command<Input, Output>,
  input: unknown,
  options?: RunOptions,
) => Promise<Ran<z.output<Output>>>;

/** The world, and the objects that all calls share. */
interface Shared extends World {
  readonly inTurn: InTurn;
  readonly whileHolding: ReturnType<typeof keyHolder>;
  readonly withFile: ReturnType<typeof createFiles>;
}

/** One call whose permission and input were checked. */
interface Call {
  readonly caller: Caller;
  readonly input: unknown;
  /** The tags of which a command's target must have one. */
  readonly if_match: string | undefined;
  readonly key: string | undefined;
  readonly lang: Lang;
  readonly turns: TurnsByKind;
}

/** Makes the one function that runs operations. Commands run through a write queue. */
export function createRun(world: World, inTurn: InTurn): Run {
  const shared: Shared = { ...world, inTurn, whileHolding: keyHolder(), withFile: createFiles(world.eachPiece) };
  const turnsOf = createAllTurns();

  const run: Run = async (caller, operation, given, { idempotency_key: key, if_match, lang = "en", signal } = {}) => {
    for (const needs of needsOf(operation, given)) mustHave(caller, needs);
    if (isConfirmed(operation, given)) mustBeConfirmed(caller, world.clock());
    const input = parseInput(operation.input, given);
    if (if_match !== undefined) {
      if (!operation.target) {
        refuseInput([problem("options.if_match", common.is_not_taken({ operation_id: operation.id }))]);
      }
      mustBeIfMatch(if_match);
    }
    const call: Call = { caller, input, if_match, key, lang, turns: turnsOf(caller.company_id, signal) };
    const work = () =>
      world.storage.guarded(() =>
        operation.kind === "query" ? runQuery(shared, operation, call) : runKeyed(shared, operation, call),
      );
    return (await (world.checkContracts ? withContract(operation, work) : work())) as Ran<never>;
  };
  return run;
}

function needsOf({ needs, alsoNeeds }: Operation, input: unknown): readonly Needs[] {
  return [needs, ...(alsoNeeds?.(input) ?? [])];
}

/** Whether this input of an operation needs a person's password again. */
function isConfirmed({ confirmed }: Operation, input: unknown): boolean {
  return typeof confirmed === "function" ? confirmed(input) : confirmed === true;
}

async function runQuery(shared: Shared, operation: Query, call: Call): Promise<Ran<unknown>> {
  const { database } = shared;
  const read = (db: Reader) => operation.run(readScope(shared, call, db), call.input);
  if (operation.isLong) {
    return { value: shared.withFile(await read(database.loose), call.caller.company_id), replayed: false };
  }
  // One snapshot, so that lines and totals agree while others write.
  const inSnapshot = () => inTransaction(database, "snapshot", read);
  if (!operation.draw) return { value: await inSnapshot(), replayed: false };
  // Read in its turn: what waits holds no rows.
  const draw = async (signal: AbortSignal | undefined) => operation.draw?.(await inSnapshot(), signal);
  return { value: await call.turns.printing.take(draw), replayed: false };
}

function readScope(world: World, { caller, lang, turns }: Call, db: Reader): ReadScope {
  const { company_id } = caller;
  return { caller, company_id, now: world.clock(), lang, ...portsIn(world), db, turns };
}

/** What a call may know of the host's options. */
function portsIn({ hostSigner, toPrivateNetworks, mail, publicUrl, freeBytes }: World) {
  return { hostSigner, toPrivateNetworks, mail, publicUrl, freeBytes };
}

/** Runs a command while its Idempotency-Key, if any, is held. */
async function runKeyed(shared: Shared, operation: Command, call: Call): Promise<Ran<unknown>> {
  const { key, caller } = call;
  if (key === undefined) return inItsTurn(operation, call, () => runCommand(shared, operation, call));
  // Answers to the host program can hold a new API key, which is never stored in the clear. Keys belong to companies.
  if (operation.needs === "operator" || operation.unkeyed || caller.company_id === NO_COMPANY) {
    refuseInput([problem("options.idempotency_key", common.is_not_taken({ operation_id: operation.id }))]);
  }
  mustBeIdempotencyKey(key);
  const request = { key, fingerprint: fingerprintOf(operation.id, call.input) };
  const run = () => runCommand(shared, operation, call, request);
  return shared.whileHolding(caller.company_id, request, () => inItsTurn(operation, call, run));
}

function inItsTurn<T>({ takesTurn }: Command, { turns }: Call, run: () => Promise<T>): Promise<T> {
  return takesTurn === undefined ? run() : turns[takesTurn].take(run);
}

/** Runs a command in a transaction, or finds its remembered answer. */
async function runCommand(
  shared: Shared,
  operation: Command,
  call: Call,
  request?: KeyedRequest,
): Promise<Ran<unknown>> {
  const { database, passwords, storage } = shared;
  const { caller, input } = call;
  const prepared = await operation.prepare?.({ ...readScope(shared, call, database.loose), passwords }, input);
  const ran = await shared.inTurn(
    shared.bound((db: ExecutorDb) => runIn(db, shared, operation, call, request, prepared)),
    {
      company_id: caller.company_id,
      alone: goesAlone(shared, operation, input),
      isBroad: isBroad(caller, operation),
    },
  );
  if (!ran.replayed) storage.noteCommit();
  if (!operation.answer) return ran;
  return { ...ran, value: await operation.answer(readScope(shared, call, database.loose), input, ran.value) };
}

/** A command that may wait for a remote signer shares its transaction with no other. */
function goesAlone({ hostSigner }: World, operation: Command, input: unknown): boolean {
  return hostSigner !== undefined && !hostSigner.is_local && needsOf(operation, input).includes("documents:issue");
}

/** Whether a command may change every company. */
function isBroad({ company_id }: Caller, { needs, inCompanies }: Command): boolean {
  return company_id === NO_COMPANY && (inCompanies === true || needs === "operator");
}

/** The part of a command inside its transaction. */
async function runIn(
  db: ExecutorDb,
  shared: Shared,
  operation: Command,
  call: Call,
  request: KeyedRequest | undefined,
  prepared: unknown,
): Promise<Ran<unknown>> {
  const { caller, input, if_match } = call;
  const begin = await begun(db, shared, operation, caller, request);
  if (begin.present !== caller) for (const needs of needsOf(operation, input)) mustHave(begin.present, needs);
  const recalled = request && answerIn(begin.remembered, request, begin.now);
  if (recalled) return { value: recalled.answer, etag: recalled.etag, replayed: true };
  let forGood = false;
  let etag: string | undefined;
  const scope = await writeScope(db, shared, call, begin, {
    keepAnswer() {
      forGood = true;
    },
    noteState(resource) {
      etag = etagOf(resource);
    },
  });
  if (if_match !== undefined && operation.target) {
    const { id } = input as { readonly id: string };
    mustMatch(if_match, (await operation.target.run(scope, { id })) as object);
  }
  const value = await operation.run(scope, input, prepared);
  if (request) await rememberAnswer(scope, request, { answer: value, etag }, forGood);
  return { value, etag, replayed: false };
}

/**
 * Locks what a command may change. The clock is read after that, so that a number and its time never disagree; reads
 * that do not depend on the lock run at the same time.
 */
async function begun(
  db: ExecutorDb,
  { database, clock, isServerClock, stillThere, findHostActor }: World,
  operation: Command,
  caller: Caller,
  request: KeyedRequest | undefined,
) {
  const { actor, company_id } = caller;
  const [locked, present, actor_id, remembered] = await sideBySide([
    database.engine.lock(db, company_id === NO_COMPANY ? undefined : company_id),
    // A key's access is as of its request; a person who lost access also loses the commands that still wait.
    caller.session ? stillThere(db, caller) : caller,
    "id" in actor ? actor.id : findHostActor(db, company_id, actor.name),
    request && findRemembered(db, company_id, request),
  ]);
  if (isBroad(caller, operation)) await database.engine.lockCompanies(db);
  const heads = new Map(locked ? [[company_id, locked.head]] : []);
  return { now: isServerClock && locked ? locked.at : clock(), present, actor_id, remembered, heads };
}

async function writeScope(
  db: ExecutorDb,
  world: World,
  { caller, lang, turns }: Call,
  { now, actor_id: known, heads }: Awaited<ReturnType<typeof begun>>,
  told: Pick<WriteScope, "keepAnswer" | "noteState">,
): Promise<WriteScope> {
  const { actor, company_id } = caller;
  const { log, newSecret, keyKind } = world;
  const newId = () => world.newId(now);
  const actor_id = known ?? (await world.createHostActor({ db, company_id, now, newId, heads, log }, actor.name));
  const record: RecordScope = { db, company_id, now, actor_id, heads, log };
  const signer = () => world.takeSigner(record);
  return { caller, ...record, ...portsIn(world), lang, turns, newId, newSecret, keyKind, signer, ...told };
}
