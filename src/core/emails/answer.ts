/** What a sender answers: it may be the host program's own, so no more is taken of it than is asked. */
import { toldOf } from "../deliveries/attempts.ts";
import type { MailAnswer } from "../runtime/ports.ts";
import { MAX_ADDRESS, MAX_ADDRESSES } from "./input.ts";

/** What may become of an attempt. */
export const OUTCOMES = ["delivered", "failed", "refused", "unknown"] as const satisfies MailAnswer["outcome"][];

/** The most recipients that an e-mail has. */
export const MAX_RECIPIENTS = 2 * MAX_ADDRESSES;

/** An answer as an attempt is settled with it. */
export type Answer = Omit<MailAnswer, "refused"> & { readonly refused?: string[] };

/** The answer of a sender. Nobody knows how far it came where it throws, or answers nothing known. */
export async function answerOf(send: () => Promise<MailAnswer>): Promise<Answer> {
  try {
    const { outcome, refused = [], ...told } = await send();
    if (OUTCOMES.includes(outcome)) return { outcome, ...toldOf(told), refused: addressesIn(refused) };
  } catch {}
  return { outcome: "unknown", status: null, error: "sender_failed" };
}

function addressesIn(refused: readonly unknown[]): string[] {
  const addresses = refused.filter((one) => typeof one === "string" && one.length <= MAX_ADDRESS && !/\s/.test(one));
  return (addresses as string[]).slice(0, MAX_RECIPIENTS);
}
