/** How a call runs: who may, is the input well formed, through the gate into a transaction, the remembered answer. */
import type { Kysely } from "kysely";
import type { z } from "zod";
import { StorageError } from "../database/storage-error.ts";
import type { Tables } from "../database/tables.ts";
import { signerSource } from "../signing/signing-keys.ts";
import { type ErrorCode, LacreError, refuse } from "./errors.ts";
import { createGate } from "./gate.ts";
import {
  fingerprintOf,
  type KeyedRequest,
  keyHolder,
  mustBeIdempotencyKey,
  recallAnswer,
  rememberAnswer,
} from "./idempotency.ts";
import { type Command, type Needs, type Operation, parseInput, type Query } from "./operation.ts";
import type { Clock, IdSource, Log, MonotonicClock, SecretSource, Signer } from "./ports.ts";
import { type Caller, mustBeAllowed, NO_COMPANY, type ReadScope, type WriteScope } from "./scope.ts";

/** Everything a run needs of the world; `openLacre` fills it. */
export interface World {
  readonly db: Kysely<Tables>;
  /** Where queries read: a connection beside the writer, or the writer's own where there is but one. */
  readonly reader: Kysely<Tables>;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly newId: IdSource;
  readonly newSecret: SecretSource;
  /** The host program's, ready to be asked; undefined where the installation signs with a key of its own. */
  readonly hostSigner: Signer | undefined;
  readonly log: Log;
  /** Checks every answer and every refusal against the operation's contract; for tests. */
  readonly checkContracts: boolean;
  /** Whether the database is still where it was opened; a file can be deleted under a running server. */
  readonly isStorageThere: () => boolean;
  /** Called once when an I/O error made the outcome of a commit unknown. */
  readonly onHalt: (reason: string) => void;
}

/** How to run, beyond what to run. */
export interface RunOptions {
  /** Makes a command safe to repeat: the same key and input give the first answer again. */
  readonly idempotency_key?: string | undefined;
}

/** What a run gave. */
export interface Ran<Output> {
  readonly value: Output;
  /** The answer was remembered from an earlier run of the same request. */
  readonly replayed: boolean;
}

/** Runs any operation for a caller. Throws `LacreError`; anything else that comes out is a bug. */
export type Run = <Input extends z.ZodType, Output extends z.ZodType>(
  caller: Caller,
  operation: Query<Input, Output> | Command<Input, Output>,
  input: unknown,
  options?: RunOptions,
) => Promise<Ran<z.output<Output>>>;

/** Runs work that touches the storage outside an operation; refuses with `unavailable` when the storage is in trouble. */
export type Guarded = <T>(work: () => Promise<T>) => Promise<T>;

/** The caller that is the host program itself acting on the installation, above any company. */
export const OPERATOR: Caller = { company_id: NO_COMPANY, key_id: null, scopes: [] };

/** Codes any operation can refuse with, so none needs to declare them. */
export const COMMON_CODES: readonly ErrorCode[] = ["invalid_request", "forbidden", "unavailable"];
/** Codes any operation that takes an Idempotency-Key can refuse with. */
export const IDEMPOTENCY_CODES: readonly ErrorCode[] = ["idempotency_key_reused", "idempotency_in_progress"];

/**
 * Refuses with `forbidden` unless this caller has what is needed. `run` asks; the HTTP layer asks for what an operation
 * needs whatever its input before it reads a body, so that 403 comes before 400.
 */
export function mustHave(caller: Caller, needs: Needs): void {
  if (needs === "operator") {
    if (caller.key_id !== null) refuse("forbidden", "Only the host program may do this.");
  } else if (needs !== "any_key") mustBeAllowed(caller, needs);
}

/** Everything this input of an operation needs of its caller. */
function needsOf({ needs, alsoNeeds }: Operation, input: unknown): readonly Needs[] {
  return [needs, ...(alsoNeeds?.(input) ?? [])];
}

/** What `createRun` makes. */
interface Runner {
  readonly run: Run;
  readonly guarded: Guarded;
  /** Whether the storage is there and, as far as is known, takes what is written. */
  canWrite(): boolean;
}

/** Makes the one function that runs operations, and the guard that every other touch of the storage goes through. */
export function createRun(world: World): Runner {
  const keys = keyHolder();
  const { hostSigner } = world;
  const takeSigner = signerSource(hostSigner);
  const gate = createGate({
    db: world.db,
    clock: world.monotonic,
    mustBeOpen,
    mustHaveLasted: mustBeThere,
    onTrouble: noteTrouble,
  });
  let trouble: StorageError["trouble"] | undefined;
  let trouble_since_ms = 0;
  let halted = false;

  const run: Run = async (caller, operation, input, { idempotency_key } = {}) => {
    for (const needs of needsOf(operation, input)) mustHave(caller, needs);
    const parsed = parseInput(operation.input, input);
    const ran = await checked(operation, () =>
      guarded(() =>
        operation.kind === "query"
          ? runQuery(caller, operation, parsed)
          : runOnce(caller, operation, parsed, idempotency_key),
      ),
    );
    return ran as Ran<never>;
  };

  async function runQuery(caller: Caller, operation: Query, input: unknown): Promise<Ran<unknown>> {
    const { company_id } = caller;
    const read = (db: ReadScope["db"]) =>
      operation.run({ caller, company_id, now: world.clock(), hostSigner, db }, input);
    // In one snapshot, so that a document's lines are those of its totals whoever else is writing.
    const value = operation.isLong ? read(world.reader) : world.reader.transaction().execute(read);
    return { value: await value, replayed: false };
  }

  /** A command, once per Idempotency-Key where it has one. */
  async function runOnce(
    caller: Caller,
    operation: Command,
    input: unknown,
    key: string | undefined,
  ): Promise<Ran<unknown>> {
    if (key === undefined) return runCommand(caller, operation, input, undefined);
    // Remembering their answers would store a new API key in the clear.
    if (operation.needs === "operator") refuse("invalid_request", `${operation.id} takes no Idempotency-Key.`);
    mustBeIdempotencyKey(key);
    const request = { key, fingerprint: fingerprintOf(operation.id, input) };
    return keys.holding(caller.company_id, request, () => runCommand(caller, operation, input, request));
  }

  /** What may wait for a remote signer keeps nobody else waiting inside its transaction. */
  function goesAlone(operation: Command, input: unknown): boolean {
    return hostSigner !== undefined && !hostSigner.is_local && needsOf(operation, input).includes("documents:issue");
  }

  /** In a transaction: the remembered answer is looked up, or the command runs and its answer is remembered. */
  async function runCommand(
    caller: Caller,
    operation: Command,
    input: unknown,
    request: KeyedRequest | undefined,
  ): Promise<Ran<unknown>> {
    const ran = await gate(
      async (db): Promise<Ran<unknown>> => {
        const now = world.clock();
        let forGood = false;
        const scope: WriteScope = {
          caller,
          company_id: caller.company_id,
          now,
          hostSigner,
          db,
          newId: () => world.newId(now),
          newSecret: world.newSecret,
          log: world.log,
          signer: () => takeSigner(db, now),
          keepAnswer: () => {
            forGood = true;
          },
        };
        const recalled = request && (await recallAnswer(scope, request));
        if (recalled) return { value: recalled.answer, replayed: true };
        const value = await operation.run(scope, input);
        if (request) await rememberAnswer(scope, request, value, forGood);
        return { value, replayed: false };
      },
      goesAlone(operation, input),
    );
    if (!ran.replayed && trouble !== "broken") trouble = undefined; // a commit went through: there is room again
    return ran;
  }

  /** Asked at the gate: a command that waited for its turn must learn that one before it broke the storage. */
  function mustBeOpen(): void {
    if (trouble === "broken") refuse("unavailable", "Writing stopped after a storage error; a restart will recover.");
    mustBeThere(); // the log beside a file that took this one's place may be that file's: nothing goes into it
  }

  /** What is written into a file that was deleted meanwhile is lost, though SQLite calls it committed. */
  function mustBeThere(): void {
    if (!world.isStorageThere()) throw new StorageError("broken", "The database file is gone or was replaced.");
  }

  /** After a full disk also once some time has passed: who sends no change while it is not so would never find out. */
  function canWrite(): boolean {
    if (!world.isStorageThere()) return false;
    return trouble === undefined || (trouble !== "broken" && world.monotonic() - trouble_since_ms > TRY_AGAIN_MS);
  }

  /** Heard at once, before another command can pass the gate. */
  function noteTrouble(error: StorageError): void {
    if (error.trouble === "busy" || trouble === "broken") return;
    trouble = error.trouble;
    trouble_since_ms = world.monotonic();
  }

  /** Turns trouble with the storage into a refusal. After an I/O error nothing more is written: see StorageTrouble. */
  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      const { message } = error;
      noteTrouble(error); // first: what follows is the host's
      world.log({ level: "error", event: "storage_error", trouble: error.trouble, message });
      if (error.trouble === "broken" && !halted) {
        halted = true;
        world.onHalt(message);
      }
      return refuse("unavailable", STORAGE_SENTENCES[error.trouble], error.trouble === "busy" ? 1 : undefined);
    }
  }

  /** In tests, holds every answer and refusal against the operation's contract. */
  async function checked(operation: Operation, work: () => Promise<Ran<unknown>>): Promise<Ran<unknown>> {
    if (!world.checkContracts) return work();
    try {
      const ran = await work();
      mustKeepContract(operation, ran);
      return ran;
    } catch (error) {
      if (error instanceof LacreError) mustBeDeclared(operation, error);
      throw error;
    }
  }

  return { run, guarded, canWrite };
}

/** How long changes are not asked for after one that the storage did not take, in milliseconds. */
const TRY_AGAIN_MS = 10_000;

const STORAGE_SENTENCES: Record<StorageError["trouble"], string> = {
  busy: "The database is busy.",
  full: "The storage is full; nothing was written.",
  broken: "The storage failed; whether a change was written is unknown. Retry with the same Idempotency-Key.",
  unusable: "The database cannot be used.",
};

function mustKeepContract(operation: Operation, { value, replayed }: Ran<unknown>): void {
  if (replayed) return;
  const parsed = operation.output.safeParse(value);
  if (!parsed.success) throw new Error(`${operation.id} broke its contract: ${parsed.error.message}`);
}

function mustBeDeclared(operation: Operation, { code }: LacreError): void {
  if (![...operation.fails, ...COMMON_CODES, ...IDEMPOTENCY_CODES].includes(code)) {
    throw new Error(`${operation.id} refused with ${code}, which it does not declare.`);
  }
}
