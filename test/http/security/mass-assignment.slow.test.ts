/** A client can set only the fields that an operation describes. */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  ask,
  bodyFor,
  bodySchemaOf,
  fieldsOf,
  followed,
  openStreet,
  refusalOf,
  type Schema,
  type Street,
  withField,
} from "../../support/attack.ts";
import { type Described, OPERATIONS } from "../../support/description.ts";

const WRITES = OPERATIONS.filter(({ method }) => method !== "GET");
const WITH_BODY = WRITES.filter(({ method }) => method !== "DELETE");

let street: Street;

beforeEach(async () => {
  street = await openStreet();
});

afterEach(() => street.lacre.close());

/** Names of fields: those of every answer, of every table column, and some that attackers try. */
async function serverOwnedNames(): Promise<string[]> {
  const shown = OPERATIONS.flatMap(({ node }) => Object.values(node.responses ?? {})).flatMap((response) => {
    const schema = response && followed(response).content?.["application/json"]?.schema;
    return fieldsOf(schema as Schema | undefined).map(({ path }) => path.replace(/^.*\./, "").replace("[0]", ""));
  });
  const tables = await street.tap.read(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'",
  );
  const columns = [];
  for (const { name } of tables)
    columns.push(...(await street.tap.read(`select name from pragma_table_info('${name}')`)));
  const tried = [
    "tenant",
    "tenant_id",
    "company",
    "key_id",
    "scopes",
    "is_admin",
    "role",
    "owner",
    "version",
    "deleted_at",
  ];
  return [...new Set([...shown, ...columns.map(({ name }) => String(name)), ...tried])].filter((name) => name !== "");
}

const randomNames = () => Array.from({ length: 20 }, () => `x${randomBytes(4).toString("hex")}`);

/** The objects in a body: the body itself, and one item of each list of objects. */
function holdersIn({ id: operation, ...described }: Described): { holder: string; known: readonly string[] }[] {
  const schema = bodySchemaOf({ id: operation, ...described }) ?? {};
  const items = fieldsOf(schema).filter(({ path, schema: { properties } }) => path !== "" && properties !== undefined);
  // An object that is one of several shapes is found once for each.
  const shapes = Map.groupBy(items, ({ path }) => path);
  return [
    { holder: "", known: Object.keys(schema.properties ?? {}) },
    ...[...shapes].map(([holder, found]) => ({
      holder,
      known: found.flatMap(({ schema: { properties } }) => Object.keys(properties ?? {})),
    })),
  ];
}

/** A valid item of each list, so that a refusal can only concern the added field. */
const ITEMS: Readonly<Record<string, Record<string, unknown>>> = {
  "lines[0]": { description: "Pão", qty: 1, unit_price_net: 10, tax_rate: 23 },
  "payments[0]": { amount: 1, method_code: "TB", payment_date: "2026-01-31" },
};

test("an undescribed field is refused by name at every level of a body, and nothing is stored", async () => {
  const { handler, own } = street;
  const names = [...(await serverOwnedNames()), ...randomNames()];
  expect(names.length).toBeGreaterThan(90);
  const before = await street.rows();
  let sent = 0;
  for (const operation of WITH_BODY) {
    const path = operation.template.replace("{id}", idFor(operation));
    const body = bodyFor(operation.id, own);
    for (const { holder, known } of holdersIn(operation)) {
      const item = holder === "references[0]" ? { document_id: own.owned.issued } : ITEMS[holder];
      const whole = item ? withField(body, holder, item) : body;
      for (const name of names.filter((one) => !known.includes(one))) {
        const field = holder ? `${holder}.${name}` : name;
        for (const value of [null, own.owned.customer]) {
          const api_key = own.api_key;
          const answer = await ask(handler, {
            method: operation.method,
            path,
            api_key,
            body: withField(whole, field, value),
          });
          expect([operation.id, field, answer.status, answer.text]).toEqual([
            operation.id,
            field,
            400,
            expect.stringContaining(`${field}: is not a known field`),
          ]);
          expect(refusalOf(answer)).toBe("invalid_request");
          sent++;
        }
      }
    }
  }
  expect(sent).toBeGreaterThan(2_000);
  expect(await street.rows()).toBe(before);
});

test("an undescribed query field is refused too", async () => {
  const { handler, own } = street;
  const before = await street.rows();
  for (const operation of OPERATIONS) {
    for (const name of ["company_id", "id", "status_code", "__proto__", "constructor", ...randomNames().slice(0, 2)]) {
      const path = `${operation.template.replace("{id}", idFor(operation))}?${name}=1`;
      const body = operation.method === "GET" || operation.method === "DELETE" ? undefined : bodyFor(operation.id, own);
      const answer = await ask(handler, { method: operation.method, path, api_key: own.api_key, body });
      const where = [operation.id, name];
      expect([...where, refusalOf(answer), answer.text]).toEqual([
        ...where,
        "invalid_request",
        expect.stringContaining("is not a known field"),
      ]);
    }
  }
  expect(await street.rows()).toBe(before);
});

test("a body on a DELETE is refused", async () => {
  const { handler, own } = street;
  const before = await street.rows();
  for (const { method, template } of WRITES.filter((write) => write.method === "DELETE")) {
    const path = template.replace("{id}", idFor({ template }));
    expect(refusalOf(await ask(handler, { method, path, api_key: own.api_key, body: { id: 1 } }))).toBe(
      "invalid_request",
    );
  }
  expect(await street.rows()).toBe(before);
});

test("control: without the added field each request succeeds", async () => {
  const { handler, own } = street;
  for (const operation of WITH_BODY.filter(({ id }) => id !== "cancelDocument")) {
    const path = operation.template.replace("{id}", idFor(operation));
    const body = bodyFor(operation.id, own);
    const answer = await ask(handler, { method: operation.method, path, api_key: own.api_key, body });
    expect([operation.id, answer.status]).toEqual([operation.id, expect.toSatisfy((status: number) => status < 300)]);
  }
});

/** The id of the own company for this path. */
function idFor({ template, id }: { template: string; id?: string }): string {
  const { owned } = street.own;
  if (template.startsWith("/v1/customers")) return owned.customer;
  if (template.startsWith("/v1/products")) return owned.product;
  if (template.startsWith("/v1/series")) return owned.series;
  if (template.startsWith("/v1/payments")) return owned.payment;
  if (template.startsWith("/v1/webhooks/deliveries")) return owned.delivery;
  if (template.startsWith("/v1/webhooks")) return owned.webhook;
  const takesIssued = ["cancelDocument", "recordPayment", "printOriginal"].includes(id ?? "");
  return takesIssued ? owned.issued : owned.draft;
}
