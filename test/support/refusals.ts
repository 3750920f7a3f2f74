/** What a call refuses with. */
import { type ErrorCode, LacreError } from "lacre";
import { expect } from "vitest";

/** The error a call refuses with; fails the test when it does not refuse. */
export async function refusalOf(call: Promise<unknown>): Promise<LacreError> {
  const outcome = await call.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) return expect.fail(`expected a refusal, got ${JSON.stringify(outcome.answer)}`);
  if (!(outcome.error instanceof LacreError)) throw outcome.error;
  return outcome.error;
}

/** Expects a call to refuse with this code, in words that contain each of `says`. */
export async function expectRefusal(call: Promise<unknown>, code: ErrorCode, ...says: string[]): Promise<void> {
  const refusal = await refusalOf(call);
  expect(refusal.code, refusal.message).toBe(code);
  for (const part of says) expect(refusal.message).toContain(part);
}
