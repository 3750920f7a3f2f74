/** The states of a document, the verbs that move it, and the refusal each forbidden step earns. */

/** The states of a document, in the order it passes them. */
export const STATUSES = ["draft", "issued", "cancelled"] as const;

/** A document's state. */
export type Status = (typeof STATUSES)[number];

/** What can be done to a document: the status each verb asks for and, for the refusal, how it reads once done. */
export const VERBS = {
  change: { asks: "draft", done: "changed" },
  discard: { asks: "draft", done: "discarded" },
  issue: { asks: "draft", done: "issued" },
  cancel: { asks: "issued", done: "cancelled" },
  pay: { asks: "issued", done: "paid" },
} as const satisfies Record<string, { asks: Status; done: string }>;

/** A verb of a document's life. */
export type Verb = keyof typeof VERBS;

const SUBJECT: Readonly<Record<Status, string>> = {
  draft: "A draft",
  issued: "An issued document",
  cancelled: "A cancelled document",
};

/** Why a document of this status cannot take this verb, as one sentence; undefined when it can. */
export function refusal(verb: Verb, status: Status): string | undefined {
  const { asks, done } = VERBS[verb];
  return status === asks ? undefined : `${SUBJECT[status]} cannot be ${done}.`;
}
