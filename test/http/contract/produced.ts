/**
 * Which refusals each file of this folder produces. Together they produce every refusal that the description promises:
 * `produced.test.ts` holds this table against the description, and each file proves its own rows by the answers it got.
 * So both checks hold when a file runs alone.
 */
import { beforeAll, expect, test } from "vitest";
import { describedRefusals, forgetRefusals, producedRefusals } from "../../support/description.ts";

/** By file, patterns over refusals written as `createCustomer 400 invalid_request`: operation, status and code. */
export const PRODUCED_BY = {
  "documents-create": [
    / 409 date_out_of_order$/,
    /^\w+Document 409 (payment_exceeds_balance|series_closed)$/,
    /^createDocument 409 invalid_state$/,
    /^creditDocument 409 (invalid_state|credit_exceeds_original)$/,
  ],
  "documents-preview": [/^preview(New)?Document 409 invalid_state$/, /^issueDocument 409 conflict$/],
  "documents-states": [/ 409 document_settled$/, /^(changeDraft|(discard|issue|cancel)\w+) 409 invalid_state$/],
  emails: [/^sendDocument 409 invalid_state$/],
  files: [/^(?:getDocumentPdf|printOriginal) 409 invalid_state$/],
  keys: [/ 401 unauthorized$/, / 403 forbidden$/, / 404 not_found$/],
  law: [
    /^change(Customer|Product) 409 invalid_state$/,
    /^(?!creditDocument)\w+ 409 (credit_exceeds_original|receipt_exceeds_documents|series_not_registered)$/,
  ],
  links: [/^\w+DocumentLink 409 invalid_state$/],
  payments: [/^recordPayment 409 (payment_exceeds_balance|invalid_state)$/, /^voidPayment 409 invalid_state$/],
  preconditions: [/ 412 precondition_failed$/],
  refusals: [
    / 400 invalid_request$/,
    / 413 payload_too_large$/,
    / 415 unsupported_media_type$/,
    / 429 rate_limited$/,
    / 500 internal_error$/,
    / 503 unavailable$/,
  ],
  retries: [/ 422 idempotency_key_reused$/, / 409 idempotency_in_progress$/],
  events: [/^readEvents 409 invalid_state$/],
  webhooks: [/^\w+Webhook 409 (conflict|invalid_state)$/, /^redeliver 409 invalid_state$/],
  series: [/^createSeries 409 conflict$/, /^changeSeries 409 (invalid_state|series_closed|conflict)$/],
} satisfies Readonly<Record<string, readonly RegExp[]>>;

/** Refusals that no scenario here produces, and why. */
export const ELSEWHERE: readonly { readonly refusal: RegExp; readonly reason: string }[] = [
  { refusal: / 408 request_timeout$/, reason: "It takes a client that stalls for seconds: security/slow-clients." },
  {
    refusal: /^previewNewDocument (409 idempotency_in_progress|422 idempotency_key_reused)$/,
    reason: "It changes nothing and remembers no key.",
  },
  { refusal: /^get(Description|Health|Readiness) 500 /, reason: "They call nothing that could throw." },
];

/** Of some refusals, those that no pattern covers. */
export function uncovered(refusals: readonly string[], patterns: readonly RegExp[]): string[] {
  return refusals.filter((refusal) => !patterns.some((pattern) => pattern.test(refusal)));
}

/** The refusals that the table expects of a file and that are not among those produced. */
export function missingFrom(file: keyof typeof PRODUCED_BY, produced: ReadonlySet<string>): string[] {
  const elsewhere = ELSEWHERE.map(({ refusal }) => refusal);
  return uncovered(describedRefusals(), elsewhere)
    .filter((refusal) => PRODUCED_BY[file].some((pattern) => pattern.test(refusal)))
    .filter((refusal) => !produced.has(refusal));
}

/** The last test of a file: its scenarios have produced every refusal that the table expects of it. */
export function producesItsRefusals(file: keyof typeof PRODUCED_BY): void {
  beforeAll(forgetRefusals); // of files that ran in this process before
  test(`${file} produces every refusal the table expects of it`, () => {
    expect(missingFrom(file, producedRefusals())).toEqual([]);
  });
}
