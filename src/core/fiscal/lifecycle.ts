/** The states of a document, and the verbs that each of them allows. */

/** The states of a document, in order. */
export const STATUSES = ["draft", "issued", "cancelled"] as const;

/** A document's state. */
export type Status = (typeof STATUSES)[number];

/** How much of an issued document that takes payments is paid or credited: nothing, a part, or all. */
export const PAYMENT_STATUSES = ["unpaid", "partial", "paid"] as const;

/** How far a document is paid. */
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** What became of an issued quotation: nothing yet, nothing in time, invoiced in part, or whole. */
export const QUOTE_STATUSES = ["open", "expired", "partly_invoiced", "invoiced"] as const;

/** What became of a quotation. */
export type QuoteStatus = (typeof QUOTE_STATUSES)[number];

/** The verbs of a document, and the statuses that allow each. */
export const VERBS = {
  change: ["draft"],
  discard: ["draft"],
  issue: ["draft"],
  cancel: ["issued"],
  pay: ["issued"],
  credit: ["issued"],
  refund: ["issued"],
  // A draft has no number under which to hand it over (Despacho 8632/2014, 1.10).
  print: ["issued", "cancelled"],
  send: ["issued"],
} as const satisfies Record<string, readonly Status[]>;

/** A verb of a document's life. */
export type Verb = keyof typeof VERBS;

/** Whether a document of this status can take this verb. */
export function allows(verb: Verb, status: Status): boolean {
  const statuses: readonly Status[] = VERBS[verb];
  return statuses.includes(status);
}
