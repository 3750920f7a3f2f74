/** Expectations of refused calls. */
import { type ErrorCode, LacreError } from "lacre";
import { expect } from "vitest";

/** The error of a refused call; fails the test when the call succeeds. */
export async function refusalOf(call: Promise<unknown>): Promise<LacreError> {
  const outcome = await call.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) return expect.fail(`expected a refusal, got ${JSON.stringify(outcome.answer)}`);
  if (!(outcome.error instanceof LacreError)) throw outcome.error;
  return outcome.error;
}

/** Expects a call to be refused with this code, and a message that contains each of `says`. */
export async function expectRefusal(call: Promise<unknown>, code: ErrorCode, ...says: string[]): Promise<void> {
  const refusal = await refusalOf(call);
  expect(refusal.code, refusal.message).toBe(code);
  for (const part of says) expect(refusal.message).toContain(part);
}
