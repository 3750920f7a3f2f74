/** The parts of the OpenAPI document that no schema or route provides: its introduction, servers, tags and headers. */
import type { Lacre } from "../core/open.ts";
import { VERSION } from "../core/version.ts";

export const INFO = {
  title: "Lacre",
  version: "1.0.0",
  "x-revision": VERSION, // within v1 fields and routes are added
  summary: "Invoicing for Portugal.",
  license: { name: "MIT", identifier: "MIT" },
};

/** The introduction, with the limit of each key if it is known. */
export function introduction(rateLimit: Lacre["rateLimit"]): string {
  const allowed = rateLimit
    ? `A key may make at most ${rateLimit.limit} requests in any ${rateLimit.window_s} seconds`
    : "A key may make a limited number of requests";
  return `Customers, products, fiscal documents and payments of one company.

**Keys.** Every request carries \`Authorization: Bearer <API key>\`. A key belongs to one company and sees only that company's data.

**Limits.** ${allowed}, counted over all endpoints; any more are answered with 429. Every answer to a key says how many are left.

**Numbers.** Amounts are EUR. JSON numbers are read as exact decimals; more precision than a field carries is refused, never rounded. Unknown fields are refused too.

**Retries.** A POST with an \`Idempotency-Key\` can be repeated safely: the same key and request return the first answer again.

**Changes by others.** Reads of one customer, product or document, and what changes them, answer an \`ETag\`. Sent back as \`If-Match\` with a change, it refuses the change with 412 \`precondition_failed\` if somebody else was faster.

**Methods.** HEAD works wherever GET does, and OPTIONS everywhere. Any other method on a known path is answered with 405 \`method_not_allowed\` and an \`Allow\` header.

**Versions.** Within v1, fields and routes are only added. A removal means /v2, announced by \`Deprecation\` and \`Sunset\` headers at least twelve months ahead.

**Errors.** Always \`{ "error": { "code", "message" } }\`. Codes are stable, and more may be added; messages are for people, in Portuguese where \`Accept-Language\` prefers it, otherwise in English.`;
}

export const SERVERS = [
  { url: "/", description: "The server of this document." },
  { url: "http://127.0.0.1:8787", description: "A server on this machine." },
];

/** Tags by the first part of the path after `/v1`. */
export const TAGS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  me: { name: "Key", description: "The company and the scopes of the key in use." },
  customers: { name: "Customers", description: "The buyers that documents are addressed to." },
  products: { name: "Products", description: "Goods and services that document lines can reference." },
  documents: { name: "Documents", description: "Drafts and issued documents." },
  payments: { name: "Payments", description: "Money received." },
  links: { name: "Links", description: "Addresses that open issued documents." },
  emails: { name: "E-mails", description: "Documents sent by e-mail." },
  series: { name: "Series", description: "Numbering sequences, each for one document type." },
  saft: { name: "SAF-T", description: "The audit file for the tax authority." },
  events: { name: "Events", description: "What happened in the company, in the order of its commits." },
  webhooks: { name: "Webhooks", description: "Addresses that events are sent to as they happen." },
};

export const SERVICE_TAG = { name: "Service", description: "The service itself. No key needed." };

/** Facts about an operation that its summary and schemas cannot express. */
export const NOTES: Readonly<Record<string, string>> = {
  createDocument:
    "With `issue: true` it also needs the scope `documents:issue`. `external_id` and `metadata` are kept for you: neither is printed, both are fixed once issued, and no document takes them from the one it references. Two documents may have the same `external_id`; an `Idempotency-Key` keeps an order from being invoiced twice.",
  previewNewDocument:
    "Nothing is stored, signed or numbered. What creating it refuses with 400 is refused here, too; what issuing it would refuse is in `refusals`. An Idempotency-Key is accepted and remembers nothing.",
  issueDocument:
    "With the `digest` of a preview it issues what was shown: a draft that differs by now is refused with `conflict`.",
  sendDocument:
    "What is sent is fixed when it is queued; `GET /v1/emails/{id}` tells how far it is, and the events `email.sent`, `email.failed` and `email.unknown` what became of it; a reminder that is no longer right is `withdrawn`. The first print, e-mail or link of a document takes the original; those after it are second prints.",
  createDocumentLink:
    "Takes no Idempotency-Key, as its answer holds a secret. Whoever opens the address gets the PDF without a key, for 30 days or until it is revoked. The first print, e-mail or link of a document takes the original. The PDF is the same at each opening, but for a document that is cancelled by then, as it says. Refused where the installation has no public address.",
  changeDraft:
    "An issued GT, GR or NDV accepts only `at_doc_code`, once. `metadata`, like `lines`, is replaced as a whole.",
  changeCustomer: "`metadata` is replaced as a whole. Documents do not take a customer's `external_id` or `metadata`.",
  getDocumentPdf: "Its content was frozen when the document was issued.",
  listPayments: "With `from` or `to` the newest `payment_date` comes first, otherwise what was recorded last.",
  getTakings: "No fiscal document. An FR is paid by its issue: what its payments do not state counts without means.",
  getStatement:
    "No invoice. Documents count by `issue_date`, payments and refunds by `payment_date`; at most 5,000 rows.",
  getTakingsPdf: "On a roll of 80 mm. It says that it is no fiscal document.",
  getStatementPdf: "On A4. It says that it is no invoice.",
  createWebhook: "Takes no Idempotency-Key, as its answer holds a secret; a second webhook to one address is refused.",
  rotateWebhookSecret: "Takes no Idempotency-Key, as its answer holds a secret.",
  redeliver: "The message has the same `webhook-id` and a new timestamp.",
  testWebhook: "The message is about the event `webhook.tested`, which is in the feed, too.",
  readEvents: "Positions are 1, 2, 3, … without gaps; send `last_position` as the next `after`.",
  exportSaft: "SAF-T (PT) 1.04_01 in Windows-1252, for days of one year; streamed as it is produced.",
};

/** The message sent to webhooks. */
export const WEBHOOK = {
  summary: "An event, sent to a webhook",
  description:
    "As Standard Webhooks 1.0.0 has it. Check the signature over the body as it came, and that the timestamp is new; " +
    "answer with 2xx within 15 seconds; drop what has a `webhook-id` you know. Any other answer is a failure, and the " +
    "message is sent again for three days; 410 disables the webhook. Events of one resource come in order; a payment " +
    "counts as of its document. The body is thin: what it names is read from the API.",
  headers: {
    "webhook-id": "The message: the same in every attempt.",
    "webhook-timestamp": "When this attempt began, in epoch seconds.",
    "webhook-signature":
      "`v1,` and the Base64 of the HMAC-SHA256 over `id.timestamp.body`, keyed with the bytes of the secret after " +
      "`whsec_`; after a rotation two of them, with a space between.",
  },
} as const;

export const BEARER = { type: "http", scheme: "bearer", description: "An API key: `lacre_live_…`." } as const;

export const HEADERS: Readonly<
  Record<string, { readonly description: string; readonly schema: object; readonly example: unknown }>
> = {
  "X-Request-Id": {
    description: "Identifies this request in the log: your own value, if it has 8 to 128 characters `A-Za-z0-9._-`.",
    schema: { type: "string" },
    example: "01a1fda8-e7da-7636-94a3-8b2ba05e58b9",
  },
  "RateLimit-Policy": {
    description: "The limit `q` in any `w` seconds.",
    schema: { type: "string" },
    example: '"default";q=120;w=60',
  },
  RateLimit: {
    description: "Requests left, and the seconds until the oldest counted one no longer counts.",
    schema: { type: "string" },
    example: '"default";r=119;t=60',
  },
  "X-RateLimit-Limit": { description: "Requests allowed in the window.", schema: { type: "integer" }, example: 120 },
  "X-RateLimit-Remaining": { description: "Requests left.", schema: { type: "integer" }, example: 119 },
  "X-RateLimit-Reset": {
    description: "When the oldest counted request no longer counts, in epoch seconds.",
    schema: { type: "integer" },
    example: 1795257127,
  },
  "Retry-After": { description: "Seconds to wait before trying again.", schema: { type: "integer" }, example: 1 },
  "Content-Language": {
    description: "The language of the message: `pt` where `Accept-Language` prefers Portuguese, otherwise `en`.",
    schema: { type: "string", enum: ["en", "pt"] },
    example: "en",
  },
  Vary: {
    description: "What the message depends on.",
    schema: { type: "string" },
    example: "Accept-Language",
  },
  "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string" }, example: "Bearer" },
  "Content-Disposition": {
    description:
      "The name under which to save the file. A browser shows a PDF (`inline`) and saves others (`attachment`).",
    schema: { type: "string" },
    example: "inline; filename*=UTF-8''FT%202026A-17.pdf",
  },
  Location: {
    description: "The path of the new resource.",
    schema: { type: "string", format: "uri-reference" },
    example: "/v1/customers/01a1fda8-e7da-7630-a09b-b84ea830fdf5",
  },
  ETag: {
    description:
      "The state of the resource, for `If-Match`: the digest of what `GET` answers. Of documents drafts have it here, and all have it at `GET`.",
    schema: { type: "string" },
    example: '"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"',
  },
  "Idempotent-Replayed": {
    description: "`true` when this is the answer to an earlier request with the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
};
