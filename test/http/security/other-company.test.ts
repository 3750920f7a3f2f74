/** To a company, the data of another company does not exist, for every operation and every place of an id. */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  ask,
  bodyFor,
  bodySchemaOf,
  comparable,
  fieldsOf,
  type Owned,
  openStreet,
  refusalOf,
  type Street,
} from "../../support/attack.ts";
import { OPERATIONS } from "../../support/description.ts";

const BY_ID = OPERATIONS.filter(({ template }) => template.includes("{id}"));
/** The query without which an operation is refused. */
const YEAR = "?from=2026-01-01&to=2026-12-31";
const PERIODS: Readonly<Record<string, string>> = { getStatement: YEAR, getStatementPdf: YEAR };

/** Deletions come last, so that the control still finds every resource. */
const LAST_DELETE = BY_ID.toSorted((a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"));

let street: Street;

beforeEach(async () => {
  street = await openStreet();
});

afterEach(() => street.lacre.close());

/** Calls an operation on this id with the key of the own company. */
function askFor({ id: operation, method, template }: (typeof BY_ID)[number], id: string) {
  const { handler, own } = street;
  const path = template.replace("{id}", id) + (PERIODS[operation] ?? "");
  return ask(handler, { method, path, api_key: own.api_key, body: bodyFor(operation, own) });
}

/** The operations that answer an id of the other company differently from an unknown one. */
async function leaks(): Promise<string[]> {
  const found: string[] = [];
  for (const operation of LAST_DELETE) {
    const unknown = comparable(await askFor(operation, randomUUID()));
    for (const [kind, id] of Object.entries(street.other.owned)) {
      if (comparable(await askFor(operation, id)) !== unknown) found.push(`${operation.id} of a ${kind}`);
    }
  }
  return found;
}

test("every operation with an id answers the ids of another company as it answers unknown ids", async () => {
  const before = await street.rowsOf(street.other.company_id);
  expect(BY_ID.length).toBeGreaterThan(12);
  for (const operation of BY_ID) expect(refusalOf(await askFor(operation, randomUUID()))).toBe("not_found");
  expect(await leaks()).toEqual([]);
  expect(await street.rowsOf(street.other.company_id)).toBe(before);
});

test("control: with the ids of the own company each operation finds its resource", async () => {
  for (const operation of LAST_DELETE) {
    const statuses = [];
    for (const id of Object.values(street.own.owned)) statuses.push((await askFor(operation, id)).status);
    expect([operation.id, statuses.filter((status) => status !== 404).length]).not.toEqual([operation.id, 0]);
  }
});

test("control: without the company condition in the SQL, every operation leaks", async () => {
  street.tap.intercept = (sql) => sql.replace(/(?:"\w+"\.)?"company_id" = likely\(\?\)/g, "? is not null");
  const found = await leaks();
  for (const { id } of BY_ID) expect(found.some((leak) => leak.startsWith(`${id} of a `))).toBe(true);
});

/** Every place of an id in a body, with the resources it can reference. */
const BODY_IDS: readonly {
  readonly place: string;
  readonly kinds: readonly (keyof Owned)[];
  /** The members of a body with the id in this place. */
  with(id: string): Record<string, unknown>;
}[] = [
  { place: "series_id", kinds: ["series"], with: (id) => ({ series_id: id }) },
  { place: "customer_id", kinds: ["customer"], with: (id) => ({ customer_id: id }) },
  { place: "lines[0].product_id", kinds: ["product"], with: (id) => ({ lines: [{ ...LINE, product_id: id }] }) },
  {
    place: "lines[0].reference_id",
    kinds: ["issued", "draft"],
    with: (id) => ({ references: [{ document_id: id }], lines: [{ ...LINE, reference_id: id }] }),
  },
  {
    place: "references[0].document_id",
    kinds: ["issued", "draft"],
    with: (id) => ({ references: [{ document_id: id }] }),
  },
];
const LINE = { description: "Pão", qty: 1, unit_price_net: 10, tax_rate: 23 };

test("the matrix has every place of an id in a body", () => {
  const places = new Set<string>();
  for (const operation of OPERATIONS) {
    for (const { path, schema } of fieldsOf(bodySchemaOf(operation))) if (schema.format === "uuid") places.add(path);
  }
  expect([...places].sort()).toEqual(BODY_IDS.map(({ place }) => place).sort());
});

test("in a body, an id of another company is refused with the same answer as an unknown one", async () => {
  const { handler, own, other } = street;
  const before = await street.rowsOf(other.company_id);
  const whole = { ...bodyFor("createDocument", own), references: [] };
  for (const [method, path] of [
    ["POST", "/v1/documents"],
    ["PATCH", `/v1/documents/${own.owned.draft}`],
  ] as const) {
    for (const { place, kinds, with: put } of BODY_IDS) {
      const send = (id: string) => ask(handler, { method, path, api_key: own.api_key, body: { ...whole, ...put(id) } });
      const unknown = await send(randomUUID());
      expect(refusalOf(unknown)).toBe("invalid_request");
      expect(unknown.text).toContain(place.includes("reference") ? "references[0].document_id" : place);
      for (const [kind, id] of Object.entries(other.owned)) {
        expect([place, kind, comparable(await send(id))]).toEqual([place, kind, comparable(unknown)]);
      }
      for (const kind of kinds) {
        expect([place, kind, (await send(own.owned[kind])).status]).toEqual([
          place,
          kind,
          method === "POST" ? 201 : 200,
        ]);
      }
    }
  }
  expect(await street.rowsOf(other.company_id)).toBe(before);
});

test("in the query, a document of another company has no payments, as an unknown one", async () => {
  const { handler, own, other } = street;
  const list = (id: string) =>
    ask(handler, { method: "GET", path: `/v1/payments?document_id=${id}`, api_key: own.api_key });
  const unknown = comparable(await list(randomUUID()));
  for (const id of Object.values(other.owned)) expect(comparable(await list(id))).toBe(unknown);
  expect(JSON.parse((await list(own.owned.issued)).text).data).toHaveLength(1);
});

test("no list shows a row of another company", async () => {
  const { handler, own, other } = street;
  for (const { method, template } of OPERATIONS.filter(
    ({ id, template }) => id.startsWith("list") && !template.includes("{id}"),
  )) {
    const { text, status } = await ask(handler, { method, path: template, api_key: own.api_key });
    expect(status).toBe(200);
    const { data, pagination } = JSON.parse(text);
    expect(data).toHaveLength(pagination.total);
    expect(pagination.total).toBeGreaterThan(0);
    for (const id of [other.company_id, ...Object.values(other.owned)]) expect(text).not.toContain(id);
  }
});

test("an Idempotency-Key used by another company is free, and its answer stays with that company", async () => {
  const { handler, own, other } = street;
  const send = (api_key: string, name: string) =>
    ask(handler, {
      method: "POST",
      path: "/v1/customers",
      api_key,
      body: { name },
      headers: { "idempotency-key": "order-1" },
    });
  const theirs = await send(other.api_key, "Ana");
  const ours = await send(own.api_key, "Ana");
  expect([theirs.status, ours.status]).toEqual([201, 201]);
  expect(ours.headers.has("idempotent-replayed")).toBe(false);
  expect(JSON.parse(ours.text).id).not.toBe(JSON.parse(theirs.text).id);
  const again = await send(other.api_key, "Ana");
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.text).toBe(theirs.text);
  expect((await send(own.api_key, "Rui")).status).toBe(422);
});
