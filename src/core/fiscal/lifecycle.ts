/** The states of a document, the verbs that move it, and the refusal each forbidden step earns. */

/** The states of a document, in the order it passes them. */
export const STATUSES = ["draft", "issued", "cancelled"] as const;

/** A document's state. */
export type Status = (typeof STATUSES)[number];

/** What a verb asks of a document and, for the refusal, how it reads once done. */
interface VerbRule {
  readonly asks: readonly Status[];
  readonly done: string;
}

const RULES = {
  change: { asks: ["draft"], done: "changed" },
  discard: { asks: ["draft"], done: "discarded" },
  issue: { asks: ["draft"], done: "issued" },
  cancel: { asks: ["issued"], done: "cancelled" },
  pay: { asks: ["issued"], done: "paid" },
  // A draft has no number to be handed over with (Despacho 8632/2014, 1.10).
  print: { asks: ["issued", "cancelled"], done: "printed" },
} satisfies Record<string, VerbRule>;

/** A verb of a document's life. */
export type Verb = keyof typeof RULES;

/** What can be done to a document: the statuses each verb asks for. */
export const VERBS: Readonly<Record<Verb, VerbRule>> = RULES;

const SUBJECT: Readonly<Record<Status, string>> = {
  draft: "A draft",
  issued: "An issued document",
  cancelled: "A cancelled document",
};

/** Why a document of this status cannot take this verb, as one sentence; undefined when it can. */
export function refusal(verb: Verb, status: Status): string | undefined {
  const { asks, done } = VERBS[verb];
  return asks.includes(status) ? undefined : `${SUBJECT[status]} cannot be ${done}.`;
}
