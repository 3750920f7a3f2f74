/** In tests, checks every answer and refusal of an operation against its contract. */
import { type ErrorCode, LacreError } from "./errors.ts";
import type { Operation, Ran } from "./operation.ts";

/** Codes any operation can refuse with, so none needs to declare them. */
export const COMMON_CODES: readonly ErrorCode[] = ["invalid_request", "forbidden", "unavailable"];
/** What a command meets when the caller's session ended while it waited. */
const ENDED = "unauthorized" satisfies ErrorCode;
/** The code with which any operation can refuse an `if_match`. */
export const MATCH_CODE = "precondition_failed" satisfies ErrorCode;
/** Codes any operation that takes an Idempotency-Key can refuse with. */
export const IDEMPOTENCY_CODES: readonly ErrorCode[] = ["idempotency_key_reused", "idempotency_in_progress"];

/** Runs an operation; throws a plain Error where its answer or its refusal is not one it declares. */
export async function withContract(operation: Operation, work: () => Promise<Ran<unknown>>): Promise<Ran<unknown>> {
  try {
    const ran = await work();
    const parsed = ran.replayed ? undefined : operation.output.safeParse(ran.value);
    if (parsed?.error) throw new Error(`${operation.id} broke its contract: ${parsed.error.message}`);
    return ran;
  } catch (error) {
    if (!(error instanceof LacreError)) throw error;
    const own = operation.target ? [...operation.fails, MATCH_CODE] : operation.fails;
    if ([...own, ...COMMON_CODES, ...IDEMPOTENCY_CODES, ENDED].includes(error.code)) throw error;
    throw new Error(`${operation.id} refused with ${error.code}, which it does not declare.`);
  }
}
