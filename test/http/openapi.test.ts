import { execFileSync } from "node:child_process";
import Ajv2020 from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { openApiDocument } from "lacre/http";
import { expect, test } from "vitest";
import { ANSWER_CODES, statusOf } from "../../src/http/answer.ts";
import { EXAMPLES } from "../../src/http/examples.ts";
import { closedDocument } from "../../src/http/openapi.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { clientRoutes } from "../../tools/routes.ts";
import { describedRefusals } from "../support/description.ts";

const document = openApiDocument() as {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, object> };
};
const text = JSON.stringify(document);

test("the OpenAPI document equals its snapshot", async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot("openapi.json");
});

test("lacre/client has each route of an operation", async () => {
  await expect(clientRoutes()).toMatchFileSnapshot("../../src/client/routes.ts");
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

/** The routes whose answer is JSON. */
const ANSWERED = ROUTES.filter((route) => "operation" in route).filter(({ status, file }) => status !== 204 && !file);

/** A validator that knows a description, and refers to what it says of a route. */
function validatorOf(description: object) {
  const ajv = new Ajv2020.default({ strict: false });
  formats.default(ajv);
  ajv.addSchema(description, "description");
  const isValid = (pointer: string, value: unknown) => ajv.validate({ $ref: `description#/${pointer}` }, value);
  const at = ({ method, path }: (typeof ROUTES)[number], member: string) =>
    `paths/${path.replaceAll("/", "~1").replace(/:(\w+)/g, "%7B$1%7D")}/${method.toLowerCase()}/${member}/content/application~1json/schema`;
  return { ajv, isValid, at };
}

/** A value with a field more in every object that has fields of its own; `metadata` has those of the caller. */
function withMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMore);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === "metadata" ? member : withMore(member),
  ]);
  return { ...Object.fromEntries(members), added_later: { since: "v1" } };
}

test("an answer that gets a field in every object is still as published, and no longer as this version answers", () => {
  const published = validatorOf(document);
  const closed = validatorOf(closedDocument());
  for (const route of ANSWERED) {
    const more = withMore(EXAMPLES[route.operation.id]?.answer);
    const pointer = published.at(route, `responses/${route.status}`);
    expect(published.isValid(pointer, more), `${route.operation.id}: ${published.ajv.errorsText()}`).toBe(true);
    expect(closed.isValid(pointer, more), route.operation.id).toBe(false);
  }
});

/** The parts of a description, through its references. */
function partsOf(root: object, begin: unknown): Part[] {
  const found = new Set<Part>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null || found.has(node as Part)) return;
    found.add(node as Part);
    const { $ref, example: _, examples: __, ...members } = node as Part;
    if (typeof $ref === "string") visit(at(root, $ref));
    for (const member of Object.values(members)) visit(member);
  };
  visit(begin);
  return [...found];
}

type Part = Readonly<Record<string, unknown>>;

/** What a reference of a description refers to. */
const at = (root: object, $ref: string): Part =>
  $ref
    .slice(2)
    .split("/")
    .reduce((node, name) => (node as Part)[name.replaceAll("~1", "/")] as Part, root as Part);

/** All answers of a description, or all that is sent. */
const sidesOf = (root: typeof document, side: "responses" | "requestBody" | "parameters") =>
  Object.values(root.paths).flatMap((methods) => Object.values(methods).map((operation) => (operation as Part)[side]));

const isEnumeration = ({ enum: values, const: value }: Part) => Array.isArray(values) || value !== undefined;

test("a set of values is open in every answer, and listed; in requests it is closed", () => {
  const closed = closedDocument() as typeof document;
  const inAnswers = (root: typeof document) => partsOf(root, sidesOf(root, "responses"));
  expect(inAnswers(closed).filter(isEnumeration).length).toBeGreaterThan(15); // the control
  const constants = inAnswers(document)
    .filter(isEnumeration)
    .map((part) => part.enum);
  expect(new Set(constants.map(String))).toEqual(new Set(["true", "ok"])); // a replay is told, and health
  const open = inAnswers(document).filter((part) => Array.isArray(part["x-extensible-enum"]));
  expect(open.length).toBeGreaterThan(15);
  for (const part of open) {
    expect(part.type).toBeDefined();
    for (const value of part["x-extensible-enum"] as unknown[]) expect(part.description).toContain(`\`${value}\``);
  }
  const sent = [...sidesOf(document, "requestBody"), ...sidesOf(document, "parameters")];
  const inRequests = partsOf(document, sent);
  expect(inRequests.filter(isEnumeration).length).toBeGreaterThan(8);
  expect(inRequests.filter((part) => "x-extensible-enum" in part)).toEqual([]);
});

/** A value in which all that a description enumerates is something of which it does not know. */
function withLaterValues(root: object, schema: Part, value: unknown): unknown {
  const within = (inner: unknown, member: unknown) => withLaterValues(root, inner as Part, member);
  if (typeof schema.$ref === "string") return within(at(root, schema.$ref), value);
  if (Array.isArray(schema.enum)) return typeof value === "number" ? 424_242 : value === null ? null : "ADDED_LATER";
  if (Array.isArray(value)) return value.map((each) => (schema.items ? within(schema.items, each) : each));
  if (typeof value !== "object" || value === null) return value;
  const of = (name: string) => (schema.properties as Part | undefined)?.[name];
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, of(name) ? within(of(name), member) : member]),
  );
}

test("an answer with a value that was added later is still as published, and no longer as this version answers", () => {
  const published = validatorOf(document);
  const closed = validatorOf(closedDocument());
  const changed = ANSWERED.filter((route) => {
    const answer = EXAMPLES[route.operation.id]?.answer;
    const pointer = published.at(route, `responses/${route.status}`);
    const later = withLaterValues(closedDocument(), { $ref: `#/${decodeURIComponent(pointer)}` }, answer);
    expect(published.isValid(pointer, later), `${route.operation.id}: ${published.ajv.errorsText()}`).toBe(true);
    if (JSON.stringify(later) === JSON.stringify(answer)) return false;
    expect(closed.isValid(pointer, later), route.operation.id).toBe(false);
    return true;
  });
  const all = changed.map(({ operation }) => operation.id);
  expect(all).toEqual(
    expect.arrayContaining(["getMe", "createDocument", "listPayments", "createSeries", "listWebhooks"]),
  );
});

test("no answer promises a limit of what may be sent", () => {
  const { schemas } = document.components;
  const { ajv, isValid } = validatorOf(document);
  const customer = { ...(EXAMPLES.getCustomer?.answer as object), name: "x".repeat(1_000) };
  expect(isValid("components/schemas/Customer", customer), ajv.errorsText()).toBe(true);
  expect(JSON.stringify(schemas.Customer)).not.toMatch(/"(?:max|min)Length"|"additionalProperties":false/);
  expect(JSON.stringify(schemas.CustomerInput)).toMatch(/"maxLength":200.*"additionalProperties":false/);
});

test("requests stay closed: one more field makes it invalid, at any depth", () => {
  const { ajv, isValid, at } = validatorOf(document);
  for (const route of ANSWERED) {
    const { request } = EXAMPLES[route.operation.id] ?? {};
    if (!request) continue;
    expect(isValid(at(route, "requestBody"), request), `${route.operation.id}: ${ajv.errorsText()}`).toBe(true);
    expect(isValid(at(route, "requestBody"), { ...request, added: 1 }), route.operation.id).toBe(false);
  }
  const transport = (from: object) => ({ ...(EXAMPLES.createDocument?.request as object), transport: { from } });
  expect(isValid("components/schemas/DocumentInput", transport({ city: "Faro" })), ajv.errorsText()).toBe(true);
  expect(isValid("components/schemas/DocumentInput", transport({ city: "Faro", planet: "Mars" }))).toBe(false);
  expect(isValid("components/schemas/Place", { city: "Faro", planet: "Mars" })).toBe(true);
});

test("every refusal has the one schema Error, to which codes may be added; its own are in its description", () => {
  const { isValid } = validatorOf(document);
  expect(text.match(/"enum":\["invalid_request"/)).toBeNull();
  for (const [, methods] of Object.entries(document.paths)) {
    for (const operation of Object.values(methods) as { responses: Record<string, Refusal> }[]) {
      for (const [status, { content, description }] of Object.entries(operation.responses)) {
        if (Number(status) < 400 || !content) continue;
        const { schema, examples } = content["application/json"];
        expect(schema).toEqual({ $ref: "#/components/schemas/Error" });
        for (const code of Object.keys(examples)) expect(description).toContain(`\`${code}\``);
      }
    }
  }
  const later = { error: { code: "not_known_yet", message: "No.", hint: "x" }, trace: "y" };
  expect(isValid("components/schemas/Error", later)).toBe(true);
  expect(isValid("components/schemas/Error", { error: { message: "No." } })).toBe(false);
});

interface Refusal {
  readonly description: string;
  readonly content?: { readonly "application/json": { readonly schema: object; readonly examples: object } };
}

test("every operation with a JSON answer has a valid example of it, and of its request", () => {
  const { ajv, isValid, at } = validatorOf(document);
  for (const route of ANSWERED) {
    const { status, operation, path_fields, input } = route;
    const { answer, request } = EXAMPLES[operation.id] ?? {};
    expect(isValid(at(route, `responses/${status}`), answer), `${operation.id}: ${ajv.errorsText()}`).toBe(true);
    if (!request) continue;
    const in_path = Object.fromEntries(path_fields.map((name) => [name, "x"]));
    expect(input.safeParse({ ...in_path, ...request }).error).toBeUndefined();
  }
});
