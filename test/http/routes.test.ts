import { expect, test } from "vitest";
import { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS } from "../../src/core/operations.ts";
import type { Operation } from "../../src/core/runtime/operation.ts";
import { AREA_ROUTES } from "../../src/http/area-routes.ts";
import { LIBRARY_ONLY, ROUTES, route } from "../../src/http/routes.ts";

const routed = ROUTES.filter((one) => "operation" in one);

/** Every route with the status of its success: those of the contract, and those Lacre adds. */
const CONTRACT = `
GET    /v1/me                     200
GET    /v1/customers              200
POST   /v1/customers              201
GET    /v1/customers/:id          200
PATCH  /v1/customers/:id          200
DELETE /v1/customers/:id          204
GET    /v1/customers/:id/statement 200
GET    /v1/customers/:id/statement/pdf 200
GET    /v1/products               200
POST   /v1/products               201
GET    /v1/products/:id           200
PATCH  /v1/products/:id           200
DELETE /v1/products/:id           204
GET    /v1/documents              200
POST   /v1/documents              201
GET    /v1/documents/:id          200
PATCH  /v1/documents/:id          200
DELETE /v1/documents/:id          204
GET    /v1/documents/:id/pdf      200
POST   /v1/documents/:id/prints   200
POST   /v1/documents/preview      200
GET    /v1/documents/:id/preview  200
POST   /v1/documents/:id/issue    200
POST   /v1/documents/:id/cancel   200
POST   /v1/documents/:id/credit   201
POST   /v1/documents/:id/payments 201
POST   /v1/documents/:id/email    201
GET    /v1/documents/:id/links    200
POST   /v1/documents/:id/links    201
GET    /v1/links/:id              200
DELETE /v1/links/:id              204
GET    /v1/payments               200
GET    /v1/payments/takings       200
GET    /v1/payments/takings/pdf   200
DELETE /v1/payments/:id           204
GET    /v1/emails                 200
GET    /v1/emails/:id             200
GET    /v1/series                 200
POST   /v1/series                 201
GET    /v1/series/:id             200
PATCH  /v1/series/:id             200
GET    /v1/saft                   200
GET    /v1/events                 200
GET    /v1/webhooks               200
POST   /v1/webhooks               201
GET    /v1/webhooks/:id           200
PATCH  /v1/webhooks/:id           200
DELETE /v1/webhooks/:id           204
POST   /v1/webhooks/:id/secret    200
POST   /v1/webhooks/:id/test      200
GET    /v1/webhooks/:id/deliveries 200
POST   /v1/webhooks/deliveries/:id/redeliver 200`;

test("the routes are exactly these", () => {
  const lines = routed.map(({ method, path, status }) => `${method.padEnd(6)} ${path.padEnd(26)} ${status}`);
  expect(`\n${lines.join("\n")}`).toBe(CONTRACT);
});

test("every operation of a company has a route, or a reason to have none", () => {
  const operations = Object.values(COMPANY_OPERATIONS).flatMap((verbs) => Object.values(verbs));
  const ofArea = AREA_ROUTES.flatMap((one) => ("operation" in one ? [one] : []));
  const ofCompany = ofArea.filter(({ operation }) => operations.includes(operation as never));
  const led = [...routed, ...ofCompany, ...LIBRARY_ONLY].map(({ operation }) => operation.id);
  expect(led.toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  for (const { reason } of LIBRARY_ONLY) expect(reason).not.toBe("");
});

test("no key reaches the full record of events or the names of actors: they lie below /area/v1 alone", () => {
  const { actors, events } = COMPANY_OPERATIONS;
  for (const operation of [actors.list, events.list]) {
    expect(routed.map((one) => one.operation)).not.toContain(operation);
    const [found] = AREA_ROUTES.filter((one) => "operation" in one && one.operation === operation);
    expect(found?.path).toMatch(/^\/area\/v1\//);
  }
});

test("an operation for the operator alone cannot have a route", () => {
  const host = Object.values(INSTALLATION_OPERATIONS).flatMap((verbs) => Object.values<Operation>(verbs));
  const unrouted = [...LIBRARY_ONLY.map(({ operation }) => operation), ...host];
  const forOperator = unrouted.filter(({ needs }) => needs === "operator");
  expect(forOperator.length).toBeGreaterThan(5);
  for (const operation of forOperator) {
    expect(() => route("GET", "/v1/anything", operation as never)).toThrow(
      `${operation.id} is for the host program alone.`,
    );
  }
});

test("no route needs the operator, and the input of each has the fields of its path", () => {
  for (const { operation, path_fields, input } of routed) {
    expect(operation.needs).not.toBe("operator");
    expect(Object.keys(input.shape)).toEqual(expect.arrayContaining([...path_fields]));
  }
});
