/**
 * How a call runs: who may, is the input well formed, the one transaction, the remembered answer. The only file that
 * opens a transaction, so the only one that could ever let several commands share a commit.
 */
import type { Kysely } from "kysely";
import type { z } from "zod";
import { StorageError } from "./database/storage-error.ts";
import type { Tables } from "./database/tables.ts";
import { type ErrorCode, LacreError, refuse } from "./errors.ts";
import { fingerprintOf, recallAnswer, rememberAnswer } from "./idempotency.ts";
import { type Command, type Operation, parseInput, type Query } from "./operation.ts";
import type { Clock, IdSource, Log, SecretSource, Signer } from "./ports.ts";
import { type Caller, mustBeAllowed, type WriteScope } from "./scope.ts";
import { takeSigner } from "./signing-keys.ts";

/** Everything a run needs of the world; `openLacre` fills it. */
export interface World {
  readonly db: Kysely<Tables>;
  /** Where queries read: a connection beside the writer, or the writer's own where there is but one. */
  readonly reader: Kysely<Tables>;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly newSecret: SecretSource;
  readonly signer: Signer | undefined;
  readonly log: Log;
  /** Checks every answer and every refusal against the operation's contract; for tests. */
  readonly checkContracts: boolean;
  /** Called once when an I/O error made the outcome of a commit unknown. */
  readonly onHalt: (reason: string) => void;
}

export interface RunOptions {
  /** Makes a command safe to repeat: the same key and input give the first answer again. */
  readonly idempotency_key?: string | undefined;
}

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

/** The caller that is the host program itself acting on the installation, above any company. */
export const OPERATOR: Caller = { company_id: "", key_id: null, scopes: [] };

/** Codes any operation can refuse with, so none needs to declare them. */
export const COMMON_CODES: readonly ErrorCode[] = ["invalid_request", "forbidden", "unavailable"];
/** Codes any operation that takes an Idempotency-Key can refuse with. */
export const IDEMPOTENCY_CODES: readonly ErrorCode[] = ["idempotency_key_reused", "idempotency_in_progress"];

/** Visible ASCII, 1 to 255. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Refuses with `forbidden` unless this caller may run this operation at all. */
export function mustBeAllowedTo(caller: Caller, operation: Operation): void {
  const { needs } = operation;
  if (needs === "operator") {
    if (caller.key_id !== null) refuse("forbidden", "Only the host program may do this.");
  } else if (needs !== "any_key") mustBeAllowed(caller, needs);
}

export function createRun(world: World): Run {
  const inProgress = new Map<string, string>();
  let signer: Signer | undefined;
  let halted = false;

  async function runQuery(caller: Caller, operation: Query, input: unknown): Promise<unknown> {
    const { company_id } = caller;
    return operation.run({ caller, company_id, now: world.clock(), db: world.reader }, input);
  }

  /** One transaction: the remembered answer is looked up, or the command runs and its answer is remembered. */
  async function runCommand(
    caller: Caller,
    operation: Command,
    input: unknown,
    remember: { key: string; fingerprint: string } | undefined,
  ): Promise<Ran<unknown>> {
    if (halted) refuse("unavailable", "Writing stopped after a storage error; a restart will recover.");
    let used: Signer | undefined;
    const ran = await world.db.transaction().execute(async (db): Promise<Ran<unknown>> => {
      const now = world.clock();
      let forGood = false;
      const scope: WriteScope = {
        caller,
        company_id: caller.company_id,
        now,
        db,
        newId: () => world.newId(now),
        newSecret: world.newSecret,
        signer: async () => {
          used = signer ?? used ?? (await takeSigner(db, world.signer, now));
          return used;
        },
        keepAnswer: () => {
          forGood = true;
        },
      };
      if (remember) {
        const recalled = await recallAnswer(scope, remember.key, remember.fingerprint);
        if (recalled) return { value: recalled.answer, replayed: true };
      }
      const value = await operation.run(scope, input);
      if (remember) await rememberAnswer(scope, { ...remember, answer: value, forGood });
      return { value, replayed: false };
    });
    signer = used ?? signer; // only now is a new signing key sure to be stored
    return ran;
  }

  /** Runs while the Idempotency-Key is ours; a second request with the same key meanwhile is refused. */
  async function holdingKey<T>(
    caller: Caller,
    remember: { key: string; fingerprint: string },
    work: () => Promise<T>,
  ): Promise<T> {
    const held = `${caller.company_id} ${remember.key}`;
    const running = inProgress.get(held);
    if (running !== undefined) {
      if (running !== remember.fingerprint) refuse("idempotency_key_reused");
      refuse("idempotency_in_progress", undefined, 1);
    }
    inProgress.set(held, remember.fingerprint);
    try {
      return await work();
    } finally {
      inProgress.delete(held);
    }
  }

  /** Turns trouble with the storage into a refusal. After an I/O error nothing more is written: see StorageTrouble. */
  function refuseStorage({ trouble, message }: StorageError): never {
    world.log({ level: "error", event: "storage_error", trouble, message });
    if (trouble === "broken" && !halted) {
      halted = true;
      world.onHalt(message);
    }
    return refuse("unavailable", STORAGE_SENTENCES[trouble], trouble === "busy" ? 1 : undefined);
  }

  return async (caller, operation, input, { idempotency_key } = {}) => {
    mustBeAllowedTo(caller, operation);
    const parsed = parseInput(operation.input, input);
    for (const permission of operation.alsoNeeds?.(parsed) ?? []) mustBeAllowed(caller, permission);
    try {
      const ran = await start();
      if (world.checkContracts) mustKeepContract(operation, ran);
      return ran as Ran<never>;
    } catch (error) {
      if (error instanceof StorageError) return refuseStorage(error);
      if (world.checkContracts && error instanceof LacreError) mustBeDeclared(operation, error);
      throw error;
    }

    async function start(): Promise<Ran<unknown>> {
      if (operation.kind === "query") return { value: await runQuery(caller, operation, parsed), replayed: false };
      if (idempotency_key === undefined) return runCommand(caller, operation, parsed, undefined);
      if (!IDEMPOTENCY_KEY.test(idempotency_key)) {
        refuse("invalid_request", "Idempotency-Key: must be 1 to 255 visible ASCII characters");
      }
      const remember = { key: idempotency_key, fingerprint: fingerprintOf(operation.id, parsed) };
      return holdingKey(caller, remember, () => runCommand(caller, operation, parsed, remember));
    }
  };
}

const STORAGE_SENTENCES: Record<StorageError["trouble"], string> = {
  busy: "The database is busy.",
  full: "The storage is full; nothing was written.",
  broken: "The storage failed; whether this was written is unknown. Retry with the same Idempotency-Key.",
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
