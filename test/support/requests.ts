/** One request per operation, for tests of every operation. */
import type { Permission } from "lacre";
import { type Api, LINE, type Sent, TODAY, UNKNOWN_ID } from "./http.ts";

/** A request that its operation accepts. */
export interface Example {
  readonly id: string;
  readonly method: string;
  /** The path; its resource exists, in a state that allows the request. */
  path(api: Api): Promise<string>;
  readonly body?: (api: Api) => Promise<object>;
  readonly status: number;
  /** The one scope it needs; null where any key may call it. */
  readonly needs: Permission | null;
}

const at =
  (path: string, resource?: (api: Api) => Promise<{ readonly id: string }>) =>
  async (api: Api): Promise<string> =>
    resource ? path.replace("{id}", (await resource(api)).id) : path;

const payment = async () => ({ amount: 1, method_code: "TB", payment_date: TODAY });
const paid = async (api: Api) => api.pay((await api.issued()).id, 1);
const invoice = async (api: Api) => ({
  doc_type: "FT",
  series_id: api.series.FT,
  issue_date: TODAY,
  customer_id: (await api.customer()).id,
  lines: [LINE],
});
const bread = async () => ({ name: "Pão", unit_price_net: 1, tax_rate: 6 });

/** The operations of the contract and those added to it. */
export const EXAMPLES: readonly Example[] = [
  { id: "getMe", method: "GET", path: at("/v1/me"), status: 200, needs: null },
  ...resource(
    "Customer",
    "customers",
    (api) => api.customer(),
    async () => ({ name: "Ana" }),
  ),
  ...resource("Product", "products", (api) => api.product(), bread),
  { id: "listDocuments", method: "GET", path: at("/v1/documents"), status: 200, needs: "documents:read" },
  {
    id: "createDocument",
    method: "POST",
    path: at("/v1/documents"),
    body: invoice,
    status: 201,
    needs: "documents:write",
  },
  {
    id: "getDocument",
    method: "GET",
    path: at("/v1/documents/{id}", (api) => api.draft()),
    status: 200,
    needs: "documents:read",
  },
  {
    id: "getDocumentPdf",
    method: "GET",
    path: at("/v1/documents/{id}/pdf", (api) => api.issued()),
    status: 200,
    needs: "documents:read",
  },
  {
    id: "printOriginal",
    method: "POST",
    path: at("/v1/documents/{id}/prints", (api) => api.issued()),
    body: async () => ({ copies: 2 }),
    status: 200,
    needs: "documents:issue",
  },
  {
    id: "changeDraft",
    method: "PATCH",
    path: at("/v1/documents/{id}", (api) => api.draft()),
    body: async () => ({ notes: "x" }),
    status: 200,
    needs: "documents:write",
  },
  {
    id: "discardDraft",
    method: "DELETE",
    path: at("/v1/documents/{id}", (api) => api.draft()),
    status: 204,
    needs: "documents:write",
  },
  {
    id: "previewNewDocument",
    method: "POST",
    path: at("/v1/documents/preview"),
    body: invoice,
    status: 200,
    needs: "documents:write",
  },
  {
    id: "previewDocument",
    method: "GET",
    path: at("/v1/documents/{id}/preview", (api) => api.draft()),
    status: 200,
    needs: "documents:read",
  },
  {
    id: "issueDocument",
    method: "POST",
    path: at("/v1/documents/{id}/issue", (api) => api.draft()),
    body: async () => ({}),
    status: 200,
    needs: "documents:issue",
  },
  {
    id: "sendDocument",
    method: "POST",
    path: at("/v1/documents/{id}/email", (api) => api.issued()),
    body: async () => ({ to: ["ana@example.com"] }),
    status: 201,
    needs: "documents:send",
  },
  { id: "listEmails", method: "GET", path: at("/v1/emails"), status: 200, needs: "documents:read" },
  {
    id: "getEmail",
    method: "GET",
    path: at("/v1/emails/{id}", (api) => api.email()),
    status: 200,
    needs: "documents:read",
  },
  {
    id: "createDocumentLink",
    method: "POST",
    path: at("/v1/documents/{id}/links", (api) => api.issued()),
    body: async () => ({ language: "en" }),
    status: 201,
    needs: "documents:send",
  },
  {
    id: "listDocumentLinks",
    method: "GET",
    path: at("/v1/documents/{id}/links", (api) => api.issued()),
    status: 200,
    needs: "documents:read",
  },
  {
    id: "getDocumentLink",
    method: "GET",
    path: at("/v1/links/{id}", (api) => api.link()),
    status: 200,
    needs: "documents:read",
  },
  {
    id: "revokeDocumentLink",
    method: "DELETE",
    path: at("/v1/links/{id}", (api) => api.link()),
    status: 204,
    needs: "documents:send",
  },
  {
    id: "cancelDocument",
    method: "POST",
    path: at("/v1/documents/{id}/cancel", (api) => api.issued()),
    body: async () => ({ reason: "Engano" }),
    status: 200,
    needs: "documents:issue",
  },
  {
    id: "creditDocument",
    method: "POST",
    path: at("/v1/documents/{id}/credit", (api) => api.issued()),
    body: async () => ({ reason: "Engano" }),
    status: 201,
    needs: "documents:write",
  },
  {
    id: "recordPayment",
    method: "POST",
    path: at("/v1/documents/{id}/payments", (api) => api.issued()),
    body: payment,
    status: 201,
    needs: "payments:write",
  },
  { id: "listPayments", method: "GET", path: at("/v1/payments"), status: 200, needs: "payments:read" },
  { id: "getTakings", method: "GET", path: at("/v1/payments/takings"), status: 200, needs: "payments:read" },
  {
    id: "getStatement",
    method: "GET",
    path: at("/v1/customers/{id}/statement?from=2026-01-01&to=2026-12-31", (api) => api.customer()),
    status: 200,
    needs: "documents:read",
  },
  { id: "getTakingsPdf", method: "GET", path: at("/v1/payments/takings/pdf"), status: 200, needs: "payments:read" },
  {
    id: "getStatementPdf",
    method: "GET",
    path: at("/v1/customers/{id}/statement/pdf?from=2026-01-01&to=2026-12-31", (api) => api.customer()),
    status: 200,
    needs: "documents:read",
  },
  { id: "voidPayment", method: "DELETE", path: at("/v1/payments/{id}", paid), status: 204, needs: "payments:write" },
  ...resource(
    "Webhook",
    "webhooks",
    (api) => api.webhook(),
    async () => ({ url: "https://example.com/new" }),
    async () => ({ enabled: false }),
  ).map((one) => (one.id === "archiveWebhook" ? { ...one, id: "deleteWebhook" } : one)),
  {
    id: "rotateWebhookSecret",
    method: "POST",
    path: at("/v1/webhooks/{id}/secret", (api) => api.webhook()),
    body: async () => ({}),
    status: 200,
    needs: "webhooks:write",
  },
  {
    id: "testWebhook",
    method: "POST",
    path: at("/v1/webhooks/{id}/test", (api) => api.webhook()),
    body: async () => ({}),
    status: 200,
    needs: "webhooks:write",
  },
  {
    id: "listDeliveries",
    method: "GET",
    path: at("/v1/webhooks/{id}/deliveries", (api) => api.webhook()),
    status: 200,
    needs: "webhooks:read",
  },
  {
    id: "redeliver",
    method: "POST",
    path: at("/v1/webhooks/deliveries/{id}/redeliver", (api) => api.delivery()),
    body: async () => ({}),
    status: 200,
    needs: "webhooks:write",
  },
  { id: "readEvents", method: "GET", path: at("/v1/events"), status: 200, needs: "events:read" },
  { id: "exportSaft", method: "GET", path: at("/v1/saft"), status: 200, needs: "saft:read" },
  ...resource(
    "Series",
    "series",
    (api) => api.newSeries(),
    async () => ({ doc_type: "FT", code: "B" }),
    async () => ({ status: "closed" }),
  ).filter(({ method }) => method !== "DELETE"),
];

/** The five operations of a plain resource. */
function resource(
  name: string,
  collection: "customers" | "products" | "series" | "webhooks",
  make: (api: Api) => Promise<{ readonly id: string }>,
  body: () => Promise<object>,
  changes: () => Promise<object> = body,
): Example[] {
  const [all, one] = [at(`/v1/${collection}`), at(`/v1/${collection}/{id}`, make)];
  const [read, write] = [`${collection}:read`, `${collection}:write`] as const;
  const plural = name === "Series" ? name : `${name}s`;
  return [
    { id: `list${plural}`, method: "GET", path: all, status: 200, needs: read },
    { id: `create${name}`, method: "POST", path: all, body, status: 201, needs: write },
    { id: `get${name}`, method: "GET", path: one, status: 200, needs: read },
    { id: `change${name}`, method: "PATCH", path: one, body: changes, status: 200, needs: write },
    { id: `archive${name}`, method: "DELETE", path: one, status: 204, needs: write },
  ];
}

/** The path of an example with an id that does not exist in place of a real one. */
export function pathOf(example: Example, api: Api, id: string = UNKNOWN_ID): Promise<string> {
  return example.path({
    ...api,
    customer: async () => ({ id }) as never,
    product: async () => ({ id }) as never,
    newSeries: async () => ({ id }) as never,
    draft: async () => ({ id }) as never,
    issued: async () => ({ id }) as never,
    pay: async () => ({ id }) as never,
    webhook: async () => ({ id }) as never,
    delivery: async () => ({ id }) as never,
    email: async () => ({ id }) as never,
    link: async () => ({ id }) as never,
  });
}

/** Whether an example's path has an id. */
export async function hasId(example: Example, api: Api): Promise<boolean> {
  return (await pathOf(example, api)).includes(UNKNOWN_ID);
}

/** The body an example sends. */
export async function sentBy({ body }: Example, api: Api): Promise<Sent> {
  return body ? { body: await body(api) } : {};
}
