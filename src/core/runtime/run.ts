/** Runs operations: checks the caller and the input, opens the transaction, remembers the answer. */
import type { Kysely, Transaction } from "kysely";
import type { z } from "zod";
import type { Reader, Tables } from "../database/tables.ts";
import { withContract } from "./contract.ts";
import { refuse } from "./errors.ts";
import {
  fingerprintOf,
  type KeyedRequest,
  keyHolder,
  mustBeIdempotencyKey,
  recallAnswer,
  rememberAnswer,
} from "./idempotency.ts";
import { type Command, type Operation, parseInput, type Query, type Ran } from "./operation.ts";
import { type Caller, mustHave, type Needs } from "./permissions.ts";
import type { Clock, IdSource, Log, MonotonicClock, SecretSource, Signer } from "./ports.ts";
import type { ActorScope, WriteScope } from "./scope.ts";
import type { StorageGuard } from "./storage-guard.ts";
import { createWriteQueue } from "./write-queue.ts";

/** Everything running an operation needs; `openLacre` fills it. */
export interface World {
  readonly db: Kysely<Tables>;
  /** The connection for queries: a second one, or the writer's where there is only one. */
  readonly reader: Kysely<Tables>;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly newId: IdSource;
  readonly newSecret: SecretSource;
  /** The host program's signer; undefined where the installation signs with a key of its own. */
  readonly hostSigner: Signer | undefined;
  /** The signer to use within a transaction. */
  readonly takeSigner: (db: Transaction<Tables>, now: Date) => Promise<Signer>;
  /** The id of the host program's actor with this name in the company of the call; creates a missing one. */
  readonly hostActorId: (scope: ActorScope, name: string) => Promise<string>;
  readonly storage: StorageGuard;
  readonly log: Log;
  /** Checks every answer and every refusal against the operation's contract; for tests. */
  readonly checkContracts: boolean;
}

/** Options of one call. */
export interface RunOptions {
  /** Makes a command safe to repeat: the same key and input give the first answer again. */
  readonly idempotency_key?: string | undefined;
}

/** Runs any operation for a caller. Throws `LacreError`; any other error is a bug. */
export type Run = <Input extends z.ZodType, Output extends z.ZodType>(
  caller: Caller,
  operation: Query<Input, Output> | Command<Input, Output>,
  input: unknown,
  options?: RunOptions,
) => Promise<Ran<z.output<Output>>>;

/** Everything this input of an operation needs of its caller. */
function needsOf({ needs, alsoNeeds }: Operation, input: unknown): readonly Needs[] {
  return [needs, ...(alsoNeeds?.(input) ?? [])];
}

/** Makes the one function that runs operations. */
export function createRun(world: World): Run {
  const { hostSigner, storage } = world;
  const whileHolding = keyHolder();
  const inTurn = createWriteQueue({ db: world.db, monotonic: world.monotonic, storage });

  const run: Run = async (caller, operation, input, { idempotency_key } = {}) => {
    for (const needs of needsOf(operation, input)) mustHave(caller, needs);
    const parsed = parseInput(operation.input, input);
    const work = () =>
      storage.guarded(() =>
        operation.kind === "query"
          ? runQuery(caller, operation, parsed)
          : runKeyed(caller, operation, parsed, idempotency_key),
      );
    return (await (world.checkContracts ? withContract(operation, work) : work())) as Ran<never>;
  };

  async function runQuery(caller: Caller, operation: Query, input: unknown): Promise<Ran<unknown>> {
    const { company_id } = caller;
    const read = (db: Reader) => operation.run({ caller, company_id, now: world.clock(), hostSigner, db }, input);
    // One snapshot, so that lines and totals agree while others write.
    const value = operation.isLong ? read(world.reader) : world.reader.transaction().execute(read);
    return { value: await value, replayed: false };
  }

  /** Runs a command while its Idempotency-Key, if any, is held. */
  async function runKeyed(
    caller: Caller,
    operation: Command,
    input: unknown,
    key: string | undefined,
  ): Promise<Ran<unknown>> {
    if (key === undefined) return runCommand(caller, operation, input, undefined);
    // Answers to the host program can hold a new API key, which is never stored in the clear.
    if (operation.needs === "operator") {
      refuse("invalid_request", "takes_no_idempotency_key", { operation_id: operation.id });
    }
    mustBeIdempotencyKey(key);
    const request = { key, fingerprint: fingerprintOf(operation.id, input) };
    return whileHolding(caller.company_id, request, () => runCommand(caller, operation, input, request));
  }

  /** A command that may wait for a remote signer shares its transaction with no other. */
  function goesAlone(operation: Command, input: unknown): boolean {
    return hostSigner !== undefined && !hostSigner.is_local && needsOf(operation, input).includes("documents:issue");
  }

  /** Runs a command in a transaction, or finds its remembered answer. */
  async function runCommand(
    caller: Caller,
    operation: Command,
    input: unknown,
    request: KeyedRequest | undefined,
  ): Promise<Ran<unknown>> {
    const ran = await inTurn(
      async (db): Promise<Ran<unknown>> => {
        let forGood = false;
        const scope = await writeScope(caller, db, () => {
          forGood = true;
        });
        const recalled = request && (await recallAnswer(scope, request));
        if (recalled) return { value: recalled.answer, replayed: true };
        const value = await operation.run(scope, input);
        if (request) await rememberAnswer(scope, request, value, forGood);
        return { value, replayed: false };
      },
      goesAlone(operation, input),
    );
    if (!ran.replayed) storage.noteCommit();
    return ran;
  }

  async function writeScope(caller: Caller, db: Transaction<Tables>, keepAnswer: () => void): Promise<WriteScope> {
    const { actor, company_id } = caller;
    const now = world.clock();
    const newId = () => world.newId(now);
    return {
      caller,
      actor_id: "id" in actor ? actor.id : await world.hostActorId({ db, company_id, now, newId }, actor.name),
      company_id,
      now,
      hostSigner,
      db,
      newId,
      newSecret: world.newSecret,
      log: world.log,
      signer: () => world.takeSigner(db, now),
      keepAnswer,
    };
  }

  return run;
}
