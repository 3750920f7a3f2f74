/** What each role may do, for every operation and every route there is. */
import { readFileSync } from "node:fs";
import { PERMISSIONS } from "lacre";
import { describe, expect, test } from "vitest";
import { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS, PERSON_OPERATIONS } from "../../../src/core/operations.ts";
import type { Operation } from "../../../src/core/runtime/operation.ts";
import {
  ALL_PERMISSIONS,
  type AnyPermission,
  ROLE_NAMES,
  ROLES,
  SESSION_PERMISSIONS,
  scopeOf,
} from "../../../src/core/runtime/permissions.ts";
import { AREA_ROUTES } from "../../../src/http/area-routes.ts";
import { ROUTES } from "../../../src/http/routes.ts";
import { anArea } from "../../support/area.ts";
import { TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { anInvoice, aPayment } from "../../support/factories.ts";
import { expectRefusal, refusalOf } from "../../support/refusals.ts";

const operationsIn = (groups: Readonly<Record<string, Readonly<Record<string, Operation>>>>) =>
  Object.values(groups).flatMap((group) => Object.values(group));

/** What docs/operating.md says of each permission: its operations, the roles that have it, the scope of a key. */
const DOCUMENTED = new Map(
  Array.from(
    readFileSync("docs/operating.md", "utf8").matchAll(
      /^\| `([a-z]+:[a-z]+)` \| (.*) \| (yes|no) \| (yes|no) \| (yes|no) \| (none|`[a-z]+:[a-z]+`) \|$/gm,
    ),
    ([, permission = "", operations = "", owner, accountant, cashier, scope]) => [
      permission,
      {
        operations: operations === "none" ? [] : operations.replaceAll("`", "").split(", "),
        owner,
        accountant,
        cashier,
        scope,
      },
    ],
  ),
);

test("the page on people says for every permission who has it, and for every operation which it needs", () => {
  expect([...DOCUMENTED.keys()]).toEqual(ALL_PERMISSIONS);
  const all = [COMPANY_OPERATIONS, PERSON_OPERATIONS, INSTALLATION_OPERATIONS].flatMap(operationsIn);
  for (const [permission, { operations, scope, ...roles }] of DOCUMENTED) {
    const needing = all.filter(({ needs }) => needs === permission).map(({ id }) => id);
    expect([permission, operations.toSorted()]).toEqual([permission, [...new Set(needing)].toSorted()]);
    for (const role of ROLE_NAMES) {
      const has = (ROLES[role] as readonly string[]).includes(permission);
      expect([permission, role, roles[role]]).toEqual([permission, role, has ? "yes" : "no"]);
    }
    const ofKeys = scopeOf(permission as AnyPermission);
    const isForKeys = (PERMISSIONS as readonly string[]).includes(ofKeys);
    expect([permission, scope]).toEqual([permission, isForKeys ? `\`${ofKeys}\`` : "none"]);
  }
});

describe.each(ROLE_NAMES)("the role %s", (role) => {
  const may = ({ id, needs }: Operation) =>
    needs === "any_key" ||
    needs === "person" ||
    needs === "visitor" ||
    (DOCUMENTED.get(needs)?.[role] === "yes" &&
      (id !== "listEvents" || DOCUMENTED.get("events:read")?.[role] === "yes"));

  test("is let into the operations it has the permission for, and into no other", async () => {
    const area = await anArea();
    const { cookie = "" } = await area.person(role);
    const from = { address: null, network: null, user_agent: null };
    const person = await area.lacre.authenticateSession(cookie.split("=")[1] as string, from);
    const inside = await area.lacre.enterCompany(person, area.company_id);
    const all = [COMPANY_OPERATIONS, PERSON_OPERATIONS, INSTALLATION_OPERATIONS].flatMap(operationsIn);
    expect(all.length).toBeGreaterThan(60);
    for (const operation of all) {
      const refusal = await refusalOf(area.lacre.run(inside, operation, { nonsense: true }));
      const expected = !may(operation)
        ? "forbidden"
        : operation.confirmed === true
          ? "password_required"
          : "invalid_request";
      expect([operation.id, refusal.code]).toEqual([operation.id, expected]);
    }
  });

  test("meets 403 on every route it has no permission for, and on no other", async () => {
    const area = await anArea();
    const person = role === "owner" ? await area.owner() : await area.person(role);
    await person.confirm();
    for (const route of [...ROUTES, ...AREA_ROUTES]) {
      if (!("operation" in route) || route.cookie || route.path === "/area/v1/session/password") continue;
      const body = route.method === "GET" || route.method === "DELETE" ? undefined : { nonsense: true };
      const reply = await person.send(route.method, route.path.replace(/:\w+/g, UNKNOWN_ID), { body });
      const name = `${route.method} ${route.path}: ${reply.text}`;
      if (may(route.operation)) expect(route.upload ? [415] : [200, 204, 400, 404], name).toContain(reply.status);
      else expect(reply.status, name).toBe(403);
    }
  });
});

describe("what roles tell apart", () => {
  test("a cashier sells and takes payments, but cancels, voids and gives back nothing, and reads only the events of documents", async () => {
    const area = await anArea();
    const cashier = await area.person("cashier");
    const invoice = await anInvoice(area);
    const payment = await aPayment(area, invoice, 1);
    const send = async (method: string, path: string) => (await cashier.send(method, path)).status;
    expect(await send("POST", `/v1/documents/${invoice.id}/cancel`)).toBe(403);
    expect(await send("DELETE", `/v1/payments/${payment.id}`)).toBe(403);
    const refund = { amount: 1, method_code: "NU", payment_date: TODAY, kind: "refund" };
    expect((await cashier.send("POST", `/v1/documents/${invoice.id}/payments`, { body: refund })).status).toBe(403);
    expect(await send("GET", "/area/v1/events?limit=200")).toBe(403);
    expect(await send("GET", `/area/v1/events?resource_id=${area.company_id}`)).toBe(403);
    expect(await send("GET", `/area/v1/events?resource_id=${invoice.id}`)).toBe(200);
  });

  test("a key has within its scopes, and a session of the host program by scopes too", async () => {
    const area = await anArea();
    const { lacre, company_id } = area;
    const scopes = ["documents:issue", "payments:write"] as const;
    const { api_key } = await lacre.keys.create({ company_id, name: "k", scopes: [...scopes] });
    const host = await lacre.hostMember({ company: company_id, actor: "Rui", scopes });
    for (const caller of [await lacre.authenticate(api_key), host]) {
      const invoice = await anInvoice(area);
      const payment = await aPayment(area, invoice, 1);
      await lacre.run(caller, COMPANY_OPERATIONS.payments.void, { id: payment.id });
      await lacre.run(caller, COMPANY_OPERATIONS.documents.cancel, { id: invoice.id });
      await expectRefusal(lacre.run(caller, COMPANY_OPERATIONS.figures.get, {}), "forbidden");
    }
  });
});

test("a key gets as many scopes as exist; a long list is not even read", async () => {
  const { company } = await anArea();
  expect((await company.keys.create({ name: "all", scopes: [...PERMISSIONS] })).scopes).toEqual(PERMISSIONS);
  const scopes = Array(PERMISSIONS.length + 1).fill("nothing");
  const { message } = await refusalOf(company.keys.create({ name: "x", scopes }));
  expect(message).toBe(`scopes: must have at most ${PERMISSIONS.length} items`);
});

describe("a permission for persons", () => {
  const OF_PERSONS = operationsIn(COMPANY_OPERATIONS).filter(({ needs }) =>
    (SESSION_PERMISSIONS as readonly string[]).includes(needs),
  );

  test("is given to no key: not when one is made, and not to a caller that claims it", async () => {
    const { lacre, company, company_id } = await anArea();
    for (const scope of SESSION_PERMISSIONS) {
      const scopes = ["saft:read", scope] as never;
      await expectRefusal(lacre.keys.create({ company_id, name: "x", scopes }), "invalid_request", "scopes[1]");
      await expectRefusal(company.keys.create({ name: "x", scopes }), "invalid_request", "scopes[1]");
    }
    expect(OF_PERSONS.length).toBeGreaterThan(8);
    const actor = { id: UNKNOWN_ID, kind: "key", code: "K9", name: "x" } as const;
    for (const operation of OF_PERSONS) {
      const caller = { company_id, actor, scopes: ALL_PERMISSIONS };
      await expectRefusal(lacre.run(caller, operation as Operation, { nonsense: true }), "forbidden", operation.needs);
    }
  });

  test("of no use to a visitor, nor to a session above companies", async () => {
    const area = await anArea();
    const from = { address: null, network: null, user_agent: null };
    const visitor = area.lacre.visitor(from);
    const { cookie = "" } = await area.owner();
    const person = await area.lacre.authenticateSession(cookie.split("=")[1] as string, from);
    for (const operation of operationsIn(COMPANY_OPERATIONS)) {
      if (operation.needs === "any_key" || operation.needs === "visitor") continue; // whoever has a link opens it
      for (const caller of [visitor, person]) {
        const refusal = await refusalOf(area.lacre.run(caller, operation, { nonsense: true }));
        expect([operation.id, refusal.code]).toEqual([operation.id, "forbidden"]);
      }
    }
    for (const operation of [...operationsIn(INSTALLATION_OPERATIONS), PERSON_OPERATIONS.session.get]) {
      const code = operation.needs === "operator" ? "forbidden" : "unauthorized";
      await expectRefusal(area.lacre.run(visitor, operation as Operation, {}), code);
    }
  });

  test("does not appear in GET /v1/me, which shows what a key could have", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    expect((await owner.send<{ scopes: string[] }>("GET", "/v1/me")).body.scopes).toEqual(PERMISSIONS);
  });
});

test("a secret shown once is never remembered: no Idempotency-Key is taken for it", async () => {
  const area = await anArea();
  const owner = await area.owner();
  const headers = { "idempotency-key": "once" };
  for (const [path, body] of [
    ["/area/v1/keys", { name: "x", scopes: ["saft:read"] }],
    ["/area/v1/users/invitations", { login: "x@loja.pt", role: "cashier" }],
    [`/area/v1/users/${owner.user_id}/reset`, {}],
    ["/area/v1/session", { login: "x", password: "x" }],
    ["/area/v1/companies", { name: "Outra", tax_id: "501964843" }],
  ] as const) {
    const reply = await owner.send("POST", path, { headers, body });
    expect([path, reply.status, reply.text]).toEqual([
      path,
      400,
      expect.stringContaining("Idempotency-Key: is not taken by"),
    ]);
  }
  const once = { headers, body: { name: "Ana" } };
  const [first, second] = [
    await owner.send("POST", "/v1/customers", once),
    await owner.send("POST", "/v1/customers", once),
  ];
  expect([first.status, second.text, second.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"]);
});
