/** A key can do exactly what its scopes allow, by a table written by hand. */
import { PERMISSIONS, type Permission } from "lacre";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Answered, ask, bodyFor, openStreet, refusalOf, type Street } from "../../support/attack.ts";
import { type Described, OPERATIONS } from "../../support/description.ts";

/** The scope each operation needs; null when any key will do. */
const NEEDED: Readonly<Record<string, Permission | null>> = {
  getMe: null,
  listCustomers: "customers:read",
  getCustomer: "customers:read",
  createCustomer: "customers:write",
  changeCustomer: "customers:write",
  archiveCustomer: "customers:write",
  listProducts: "products:read",
  getProduct: "products:read",
  createProduct: "products:write",
  changeProduct: "products:write",
  archiveProduct: "products:write",
  listDocuments: "documents:read",
  getDocument: "documents:read",
  getDocumentPdf: "documents:read",
  createDocument: "documents:write",
  changeDraft: "documents:write",
  discardDraft: "documents:write",
  issueDocument: "documents:issue",
  cancelDocument: "documents:issue",
  listPayments: "payments:read",
  recordPayment: "payments:write",
  voidPayment: "payments:write",
  listSeries: "series:read",
  getSeries: "series:read",
  createSeries: "series:write",
  changeSeries: "series:write",
  exportSaft: "saft:read",
};

/** The operations that need a key: all but the OpenAPI document, its viewer and the probes. */
const GUARDED = OPERATIONS.filter(({ template }) => template.startsWith("/v1/"));

let street: Street;

beforeEach(async () => {
  street = await openStreet();
});

afterEach(() => street.lacre.close());

/** Calls an operation on a resource of the own company on which it can succeed. */
function call({ id: operation, method, template }: Described, api_key: string, body?: unknown): Promise<Answered> {
  const { handler, own } = street;
  const { customer, product, series, draft, issued, payment } = own.owned;
  const ids: Record<string, string> = { customers: customer, products: product, series, payments: payment };
  const onIssued = ["cancelDocument", "recordPayment", "getDocumentPdf"].includes(operation);
  const id = ids[template.split("/")[2] as string] ?? (onIssued ? issued : draft);
  return ask(handler, { method, path: template.replace("{id}", id), api_key, body: body ?? bodyFor(operation, own) });
}

test("the table holds exactly the routes under /v1", () => {
  expect(GUARDED.map(({ id }) => id).sort()).toEqual(Object.keys(NEEDED).sort());
});

test("each operation with each single scope, and with none: the cells of the table pass, the rest get 403", async () => {
  const keys = new Map<Permission | "none", string>([["none", await street.keyWith([])]]);
  for (const scope of PERMISSIONS) keys.set(scope, await street.keyWith([scope]));
  // Reads first and deletions last, so that each cell still finds its resource.
  const rank = ({ method, id }: Described) =>
    method === "GET" ? 0 : method === "DELETE" ? 3 : id === "issueDocument" ? 2 : 1;
  for (const operation of GUARDED.toSorted((a, b) => rank(a) - rank(b))) {
    const needed = NEEDED[operation.id];
    for (const [scope, api_key] of keys) {
      if (needed === null && scope === "none") continue; // a key without scopes cannot be created
      const before = await street.rows();
      const answer = await call(operation, api_key);
      const cell = [operation.id, scope];
      if (needed === null || needed === scope) {
        expect([...cell, answer.status]).toEqual([
          ...cell,
          expect.toSatisfy((status: number) => [200, 201, 204, 409].includes(status)),
        ]);
        if (answer.status === 409) expect(["cancelDocument", "discardDraft"]).toContain(operation.id);
      } else {
        expect([...cell, refusalOf(answer)]).toEqual([...cell, "forbidden"]);
        expect(answer.text).toContain(needed);
        expect(await street.rows()).toBe(before);
      }
    }
  }
});

test("control: with every scope but the one it needs, each operation still gets 403", async () => {
  for (const operation of GUARDED) {
    const needed = NEEDED[operation.id];
    if (needed === null) continue;
    const allBut = await street.keyWith(PERMISSIONS.filter((scope) => scope !== needed));
    expect([operation.id, (await call(operation, allBut)).status]).toEqual([operation.id, 403]);
  }
});

test("issue: true needs documents:write and documents:issue together", async () => {
  const create = GUARDED.find(({ id }) => id === "createDocument") as Described;
  const status = async (scopes: readonly Permission[], issue?: boolean) =>
    (await call(create, await street.keyWith(scopes), { ...bodyFor("createDocument", street.own), issue })).status;
  const before = await street.rows();
  expect(await status(["documents:write"], true)).toBe(403);
  expect(await status(["documents:issue"], true)).toBe(403);
  expect(await status(["documents:issue"])).toBe(403);
  expect((await street.rows()).split("\n").filter((row) => row.startsWith("documents "))).toEqual(
    before.split("\n").filter((row) => row.startsWith("documents ")),
  );
  expect(await status(["documents:write"], false)).toBe(201);
  expect(await status(["documents:write"])).toBe(201);
  expect(await status(["documents:write", "documents:issue"], true)).toBe(201);
});

test("a key without any scope cannot be created", async () => {
  const input = { company_id: street.own.company_id, name: "none", scopes: [] };
  await expect(street.lacre.keys.create(input)).rejects.toMatchObject({ code: "invalid_request" });
});

test("a document shows its payments with documents:read alone", async () => {
  const { handler, own } = street;
  const api_key = await street.keyWith(["documents:read"]);
  const { text } = await ask(handler, { method: "GET", path: `/v1/documents/${own.owned.issued}`, api_key });
  expect(JSON.parse(text).payments).toBeInstanceOf(Array);
});

test("a missing scope is reported before any fault of the body or the resource", async () => {
  const { handler } = street;
  const api_key = await street.keyWith([]);
  const bodies = ["{", "x".repeat(1024 * 1024 + 1), JSON.stringify({ unknown: 1 })];
  for (const body of bodies) {
    expect((await ask(handler, { method: "POST", path: "/v1/customers", api_key, body })).status).toBe(403);
  }
  const headers = { "content-type": "text/plain" };
  expect((await ask(handler, { method: "POST", path: "/v1/customers", api_key, body: "x", headers })).status).toBe(403);
  expect((await ask(handler, { method: "GET", path: "/v1/customers/nothing", api_key })).status).toBe(403);
  expect((await ask(handler, { method: "GET", path: "/v1/customers?limit=x", api_key })).status).toBe(403);
});
