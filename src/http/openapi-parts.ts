/** What the description says that no schema and no route can: its words, servers, tags and headers. */

export const INFO = {
  title: "Lacre",
  version: "1.0.0",
  summary: "Invoicing for Portugal.",
  description: `Customers, products, fiscal documents and payments of one company.

**Keys.** Every request carries \`Authorization: Bearer <API key>\`. A key belongs to one company and sees only that company's data.

**Limits.** Never more than 120 requests of a key in any 60 seconds, on all endpoints together; beyond that the answer is 429. Every answer to a key says what is left.

**Numbers.** Amounts are EUR. JSON numbers are read as exact decimals; more precision than a field carries is refused, never rounded. Unknown fields are refused too.

**Retries.** A POST with an \`Idempotency-Key\` can be repeated: the same key and request give the first answer again.

**Methods.** HEAD works wherever GET does, and OPTIONS everywhere. Another method on a known path is 405 \`method_not_allowed\`, with \`Allow\`.

**Versions.** Inside v1 fields and routes are only added. A removal means /v2, announced by \`Deprecation\` and \`Sunset\` headers at least twelve months ahead.

**Errors.** Always \`{ "error": { "code", "message" } }\`. Codes are stable, and more may be added; messages are for people.`,
  license: { name: "MIT", identifier: "MIT" },
};

export const SERVERS = [
  { url: "/", description: "Where this description was read." },
  { url: "http://127.0.0.1:8787", description: "A server on this machine." },
];

/** Tags by the first part of the path after `/v1`. */
export const TAGS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  me: { name: "Key", description: "What the key in use is for." },
  customers: { name: "Customers", description: "Whom documents are made out to." },
  products: { name: "Products", description: "Goods and services that lines can name." },
  documents: { name: "Documents", description: "Drafts, and what becomes of them once issued." },
  payments: { name: "Payments", description: "Money received." },
  series: { name: "Series", description: "Runs of numbers, one document type each." },
  saft: { name: "SAF-T", description: "The tax authority's file." },
};

export const SERVICE_TAG = { name: "Service", description: "The service itself. No key needed." };

/** What an operation's summary and schemas cannot say. */
export const NOTES: Readonly<Record<string, string>> = {
  createDocument: "`issue: true` needs the scope `documents:issue` as well.",
  changeDraft: "On an issued GT, GR or NDV it takes `at_doc_code`, alone and once.",
  getDocumentPdf: "What it says is what was frozen when the document was issued.",
  exportSaft: "SAF-T (PT) 1.04_01 in Windows-1252, of days of one year; sent while it is made.",
};

export const BEARER = { type: "http", scheme: "bearer", description: "An API key: `lacre_live_…`." } as const;

export const HEADERS: Readonly<
  Record<string, { readonly description: string; readonly schema: object; readonly example: unknown }>
> = {
  "X-Request-Id": {
    description: "Names this request in the log; yours, if you sent one of 8 to 128 characters `A-Za-z0-9._-`.",
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
  "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string" }, example: "Bearer" },
  "Content-Disposition": {
    description: "The name to save the file under.",
    schema: { type: "string" },
    example: "attachment; filename*=UTF-8''FT%202026A-17.pdf",
  },
  Location: {
    description: "Where the new resource lives.",
    schema: { type: "string", format: "uri-reference" },
    example: "/v1/customers/01a1fda8-e7da-7630-a09b-b84ea830fdf5",
  },
  "Idempotent-Replayed": {
    description: "There, and `true`, when this is the answer to an earlier request with the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
};
