/**
 * Within v1 everything is added: the description of before still holds for every answer of its routes. Here by the
 * examples; `readAnswer` holds each answer of the other files against it, and test/conformance those of a day.
 */
import { expect, test } from "vitest";
import { EXAMPLES } from "../../../src/http/examples.ts";
import { ROUTES } from "../../../src/http/routes.ts";
import { OPERATIONS_BEFORE, problemsBefore } from "../../support/description-before.ts";
import { UNKNOWN_ID } from "../../support/http.ts";

const JSON_HEADERS = new Headers({ "content-type": "application/json; charset=utf-8" });

/** The route of today at a method and a path of before. */
function routeAt(method: string, template: string) {
  const routes = ROUTES.filter((route) => "operation" in route);
  return routes.find((one) => one.method === method && one.path.replace(/:(\w+)/g, "{$1}") === template);
}

/** An answer to a route, as the examples have it, with its body changed. */
function exampleOf(method: string, template: string, change: (body: object) => object = (body) => body) {
  const route = routeAt(method, template);
  if (!route) return undefined;
  const { answer } = EXAMPLES[route.operation.id] ?? {};
  if (answer === undefined || route.file) return undefined;
  const text = JSON.stringify(change(answer as object));
  return { method, path: template.replace("{id}", UNKNOWN_ID), status: route.status, headers: JSON_HEADERS, text };
}

/** The routes of before whose answer is JSON, as method and path. */
const ANSWERED = Array.from(OPERATIONS_BEFORE.keys(), (way) => way.split(" ") as [string, string]).filter(
  ([method, path]) => method !== "DELETE" && !/\/pdf$|prints$|saft$|^\/(?!v1)/.test(path),
);

test("each route of before is there, and its answer of today is as it was described", () => {
  expect(ANSWERED.length).toBeGreaterThan(25);
  for (const [method, path] of ANSWERED) {
    const exchange = exampleOf(method, path);
    expect(exchange, `${method} ${path}`).toBeDefined();
    if (exchange) expect(problemsBefore(exchange), `${method} ${path}`).toEqual([]);
  }
});

test("each request that was described as an example is one still", () => {
  let count = 0;
  for (const [way, { requestBody }] of OPERATIONS_BEFORE) {
    const example = requestBody?.content["application/json"]?.example as object | undefined;
    if (!example) continue;
    const [method, path] = way.split(" ") as [string, string];
    const at_path = path.includes("{id}") ? { id: UNKNOWN_ID } : {};
    expect(routeAt(method, path)?.input.safeParse({ ...at_path, ...example }).error, way).toBeUndefined();
    count += 1;
  }
  expect(count).toBeGreaterThan(10);
});

test("control: an answer without a field, with another type of it, or with another status is found", () => {
  for (const [method, path] of ANSWERED) {
    const without = exampleOf(method, path, (body) => Object.fromEntries(Object.entries(body).slice(1)));
    const other = exampleOf(method, path, (body) => Object.fromEntries(Object.keys(body).map((name) => [name, -0.5])));
    const exchange = exampleOf(method, path);
    if (!without || !other || !exchange) continue;
    expect(problemsBefore(without), `${method} ${path}`).not.toEqual([]);
    expect(problemsBefore(other), `${method} ${path}`).not.toEqual([]);
    expect(problemsBefore({ ...exchange, status: 202 }), `${method} ${path}`).not.toEqual([]);
  }
});
