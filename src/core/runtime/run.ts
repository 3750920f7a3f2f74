/** Runs operations: checks the caller and the input, opens the transaction, remembers the answer. */
import type * as z from "zod";
import { type Database, type ExecutorDb, inTransaction } from "../database/executor.ts";
import { sideBySide } from "../database/savepoint.ts";
import type { Reader } from "../database/tables.ts";
import type { Passwords } from "../people/passwords.ts";
import { withContract } from "./contract.ts";
import { refuse, refuseFor } from "./errors.ts";
import { etagOf, mustBeIfMatch, mustMatch } from "./etag.ts";
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
import type { Clock, IdSource, Log, MonotonicClock, SecretSource, Signer } from "./ports.ts";
import { type ActorScope, NO_COMPANY, type ReadScope, type RecordScope, type WriteScope } from "./scope.ts";
import type { StorageGuard } from "./storage-guard.ts";
import { createAllTurns, type TurnsByKind } from "./turns.ts";
import type { InTurn } from "./write-queue.ts";

/** How many files of one company may be read at once: each holds its data in memory for as long as its reader takes. */
const MAX_FILES = 8;
/** Seconds after which a caller may ask for another file. */
const RETRY_FILE_S = 10;

/** Everything running an operation needs; `openLacre` fills it. */
export interface World {
  readonly database: Database;
  readonly clock: Clock;
  /** Whether the host gave no clock. Then the database server's clock is used, if there is one. */
  readonly isServerClock: boolean;
  readonly monotonic: MonotonicClock;
  readonly newId: IdSource;
  readonly newSecret: SecretSource;
  /** The host program's signer; undefined where the installation signs with a key of its own. */
  readonly hostSigner: Signer | undefined;
  /** Whether webhooks may be sent to private networks. */
  readonly toPrivateNetworks: boolean;
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

/** The input of a command, and the tags of which its target must have one. */
interface Asked {
  readonly input: unknown;
  readonly if_match: string | undefined;
}

/** Everything this input of an operation needs of its caller. */
function needsOf({ needs, alsoNeeds }: Operation, input: unknown): readonly Needs[] {
  return [needs, ...(alsoNeeds?.(input) ?? [])];
}

/** Whether this input of an operation needs a person's password again. */
function isConfirmed({ confirmed }: Operation, input: unknown): boolean {
  return typeof confirmed === "function" ? confirmed(input) : confirmed === true;
}

/** Makes the one function that runs operations. Commands run through a write queue. */
export function createRun(world: World, inTurn: InTurn): Run {
  const { database, hostSigner, storage, toPrivateNetworks, freeBytes } = world;
  const whileHolding = keyHolder();
  const turnsOf = createAllTurns();
  /** How many files of each company are being read. */
  const filesRead = new Map<string, number>();

  const run: Run = async (caller, operation, input, { idempotency_key, if_match, signal } = {}) => {
    for (const needs of needsOf(operation, input)) mustHave(caller, needs);
    if (isConfirmed(operation, input)) mustBeConfirmed(caller, world.clock());
    const parsed = parseInput(operation.input, input);
    if (if_match !== undefined) {
      if (!operation.target) refuse("invalid_request", "takes_no_if_match", { operation_id: operation.id });
      mustBeIfMatch(if_match);
    }
    const turns = turnsOf(caller.company_id, signal);
    const work = () =>
      storage.guarded(() =>
        operation.kind === "query"
          ? runQuery(caller, operation, parsed, turns)
          : runKeyed(caller, operation, { input: parsed, if_match }, turns, idempotency_key),
      );
    return (await (world.checkContracts ? withContract(operation, work) : work())) as Ran<never>;
  };

  async function runQuery(caller: Caller, operation: Query, input: unknown, turns: TurnsByKind): Promise<Ran<unknown>> {
    const read = (db: Reader) => operation.run(readScope(caller, db, turns), input);
    // One snapshot, so that lines and totals agree while others write.
    const value = await (operation.isLong ? read(database.loose) : inTransaction(database, "snapshot", read));
    return { value: operation.isLong ? withGuardedFile(value, caller.company_id) : value, replayed: false };
  }

  /** A long query may answer with a file that is produced while it is read. */
  function withGuardedFile(value: unknown, company_id: string): unknown {
    const { file } = value as { readonly file?: AsyncIterable<Uint8Array> };
    if (!file) return value;
    if ((filesRead.get(company_id) ?? 0) >= MAX_FILES) refuseFor(RETRY_FILE_S, "unavailable", "too_many_files");
    return { ...(value as object), file: { [Symbol.asyncIterator]: () => readCounted(company_id, file) } };
  }

  async function* readCounted(company_id: string, file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    filesRead.set(company_id, (filesRead.get(company_id) ?? 0) + 1);
    try {
      yield* world.eachPiece(file);
    } finally {
      filesRead.set(company_id, (filesRead.get(company_id) ?? 0) - 1);
    }
  }

  function readScope(caller: Caller, db: Reader, turns: TurnsByKind): ReadScope {
    return {
      caller,
      company_id: caller.company_id,
      now: world.clock(),
      hostSigner,
      toPrivateNetworks,
      freeBytes,
      db,
      turns,
    };
  }

  /** Runs a command while its Idempotency-Key, if any, is held. */
  async function runKeyed(
    caller: Caller,
    operation: Command,
    asked: Asked,
    turns: TurnsByKind,
    key: string | undefined,
  ): Promise<Ran<unknown>> {
    if (key === undefined) return inItsTurn(operation, turns, () => runCommand(caller, operation, asked, turns));
    // Answers to the host program can hold a new API key, which is never stored in the clear. Keys belong to companies.
    if (operation.needs === "operator" || operation.unkeyed || caller.company_id === NO_COMPANY) {
      refuse("invalid_request", "takes_no_idempotency_key", { operation_id: operation.id });
    }
    mustBeIdempotencyKey(key);
    const request = { key, fingerprint: fingerprintOf(operation.id, asked.input) };
    const run = () => runCommand(caller, operation, asked, turns, request);
    return whileHolding(caller.company_id, request, () => inItsTurn(operation, turns, run));
  }

  /** Runs a command, in its turn if it takes one. */
  function inItsTurn<T>({ takesTurn }: Command, turns: TurnsByKind, run: () => Promise<T>): Promise<T> {
    return takesTurn === undefined ? run() : turns[takesTurn].take(run);
  }

  /** A command that may wait for a remote signer shares its transaction with no other. */
  function goesAlone(operation: Command, input: unknown): boolean {
    return hostSigner !== undefined && !hostSigner.is_local && needsOf(operation, input).includes("documents:issue");
  }

  /** Whether a command may change every company. */
  function isBroad({ company_id }: Caller, { needs, inCompanies }: Command): boolean {
    return company_id === NO_COMPANY && (inCompanies === true || needs === "operator");
  }

  /**
   * Locks what a command may change. The clock is read after that, so that a number and its time never disagree; reads
   * that do not depend on the lock run at the same time.
   */
  async function begun(db: ExecutorDb, caller: Caller, operation: Command, request: KeyedRequest | undefined) {
    const { actor, company_id } = caller;
    const [locked, present, actor_id, remembered] = await sideBySide([
      database.engine.lock(db, company_id === NO_COMPANY ? undefined : company_id),
      // A key's access is as of its request; a person who lost access also loses the commands that still wait.
      caller.session ? world.stillThere(db, caller) : caller,
      "id" in actor ? actor.id : world.findHostActor(db, company_id, actor.name),
      request && findRemembered(db, company_id, request),
    ]);
    if (isBroad(caller, operation)) await database.engine.lockCompanies(db);
    const heads = new Map(locked ? [[company_id, locked.head]] : []);
    return { now: world.isServerClock && locked ? locked.at : world.clock(), present, actor_id, remembered, heads };
  }

  /** Runs a command in a transaction, or finds its remembered answer. */
  async function runCommand(
    caller: Caller,
    operation: Command,
    { input, if_match }: Asked,
    turns: TurnsByKind,
    request?: KeyedRequest,
  ): Promise<Ran<unknown>> {
    const { passwords } = world;
    const prepared = await operation.prepare?.({ ...readScope(caller, database.loose, turns), passwords }, input);
    const ran = await inTurn(
      world.bound(async (db: ExecutorDb): Promise<Ran<unknown>> => {
        const begin = await begun(db, caller, operation, request);
        if (begin.present !== caller) for (const needs of needsOf(operation, input)) mustHave(begin.present, needs);
        const recalled = request && answerIn(begin.remembered, request, begin.now);
        if (recalled) return { value: recalled.answer, etag: recalled.etag, replayed: true };
        let forGood = false;
        let etag: string | undefined;
        const scope = await writeScope(caller, db, begin, turns, {
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
      }),
      { company_id: caller.company_id, alone: goesAlone(operation, input), isBroad: isBroad(caller, operation) },
    );
    if (!ran.replayed) storage.noteCommit();
    if (!operation.answer) return ran;
    return { ...ran, value: await operation.answer(readScope(caller, database.loose, turns), input, ran.value) };
  }

  async function writeScope(
    caller: Caller,
    db: ExecutorDb,
    { now, actor_id: known, heads }: Awaited<ReturnType<typeof begun>>,
    turns: TurnsByKind,
    told: Pick<WriteScope, "keepAnswer" | "noteState">,
  ): Promise<WriteScope> {
    const { actor, company_id } = caller;
    const { log } = world;
    const newId = () => world.newId(now);
    const actor_id = known ?? (await world.createHostActor({ db, company_id, now, newId, heads, log }, actor.name));
    const record: RecordScope = { db, company_id, now, actor_id, heads, log };
    return {
      caller,
      ...record,
      hostSigner,
      toPrivateNetworks,
      freeBytes,
      turns,
      newId,
      newSecret: world.newSecret,
      signer: () => world.takeSigner(record),
      ...told,
    };
  }

  return run;
}
