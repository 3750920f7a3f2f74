import { execFileSync } from "node:child_process";
import Ajv2020 from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { openApiDocument } from "lacre/http";
import { expect, test } from "vitest";
import { ANSWER_CODES, statusOf } from "../../src/http/answer.ts";
import { EXAMPLES } from "../../src/http/examples.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { describedRefusals } from "../support/description.ts";

const document = openApiDocument() as {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, object> };
};
const text = JSON.stringify(document);

test("the OpenAPI document equals its snapshot", async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot("openapi.json");
});

test("it is the same at every call", () => {
  expect(JSON.stringify(openApiDocument())).toBe(text);
});

test("it passes the strictest lint", () => {
  const lint = ["lint", "--extends=recommended-strict", "--format=json", "test/http/openapi.json"];
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const report = execFileSync("node_modules/.bin/redocly", lint, { env, encoding: "utf8", stdio: "pipe" });
  expect(JSON.parse(report).totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});

test("every schema in it is JSON Schema 2020-12", () => {
  const ajv = new Ajv2020.default({ strict: false });
  const schemas = Object.values(document.components.schemas);
  expect(schemas.length).toBeGreaterThan(20);
  for (const schema of schemas) expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  expect(ajv.validateSchema({ type: "strnig" })).toBe(false);
});

test("no body field has a default, because generated clients would require it", () => {
  expect(JSON.stringify(document.components.schemas)).not.toContain('"default":');
  expect(JSON.stringify(document.paths)).toContain('"default":50');
});

test("every code that a key can meet is documented with its status", () => {
  const { info } = openApiDocument() as { info: { description: string } };
  for (const code of ANSWER_CODES) {
    const isDocumented = info.description.includes(`| ${statusOf(code)} | \`${code}\` |`);
    expect([code, isDocumented]).toEqual([code, code !== "password_required"]); // only a person's session meets that one
  }
});

test("every code of an operation is described under its status", () => {
  const described = new Set(describedRefusals());
  for (const route of ROUTES) {
    if ("page" in route) continue;
    const { id, fails } = route.operation;
    const always = ["invalid_request", "unauthorized", "rate_limited", "internal_error", "unavailable"] as const;
    const met = fails.filter((code) => code !== "password_required"); // by people alone
    for (const code of [...met, ...always]) expect(described).toContain(`${id} ${statusOf(code)} ${code}`);
  }
});

test("it describes exactly the existing routes", () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  expect(described.toSorted()).toEqual(served.toSorted());
});

test("every operation with a JSON answer has a valid example of it, and of its request", () => {
  const ajv = new Ajv2020.default({ strict: false });
  formats.default(ajv);
  ajv.addSchema(document, "description");
  for (const route of ROUTES) {
    if ("page" in route || route.status === 204 || route.file) continue;
    const { method, path, status, operation, path_fields, input } = route;
    const { answer, request } = EXAMPLES[operation.id] ?? {};
    const pointer = `paths/${path.replaceAll("/", "~1").replace(/:(\w+)/g, "%7B$1%7D")}/${method.toLowerCase()}`;
    const schema = { $ref: `description#/${pointer}/responses/${status}/content/application~1json/schema` };
    expect(ajv.validate(schema, answer), `${operation.id}: ${ajv.errorsText()}`).toBe(true);
    if (!request) continue;
    const in_path = Object.fromEntries(path_fields.map((name) => [name, "x"]));
    expect(input.safeParse({ ...in_path, ...request }).error).toBeUndefined();
  }
});
