/** The OpenAPI 3.1 document, made from the routes and from the schemas that validate their input. */
import {
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type RouteConfig,
  zodToOpenAPIRegistry,
} from "@asteasolutions/zod-to-openapi";
import * as z from "zod";
import type { Lacre } from "../core/open.ts";
import { COMPANY_OPERATIONS } from "../core/operations.ts";
import { COMMON_CODES, IDEMPOTENCY_CODES, MATCH_CODE } from "../core/runtime/contract.ts";
import { type AnyPermission, scopeOf } from "../core/runtime/permissions.ts";
import { ANSWER_CODES, type AnswerCode, sentenceOf, statusOf } from "./answer.ts";
import { takesQuery } from "./bind.ts";
import { EXAMPLES } from "./examples.ts";
import { withOpenAnswers } from "./openapi-answers.ts";
import { BEARER, HEADERS, INFO, introduction, NOTES, SERVERS, SERVICE_TAG, TAGS, WEBHOOK } from "./openapi-parts.ts";
import type { OperationRoute, PageRoute } from "./route.ts";
import { ROUTES } from "./routes.ts";

const JSON_TYPE = "application/json";

/** The headers of every answer to a valid key. */
const KEY_HEADERS = [
  "X-Request-Id",
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
];

const IfMatch = z.string().optional().meta({
  description: "Refuses the change unless the resource is as it was read: its `ETag`.",
  example: HEADERS.ETag?.example,
});

const IdempotencyKey = z.string().optional().meta({
  description: "Makes the request safe to repeat: 1 to 255 visible ASCII characters, bare or quoted.",
  example: "order-2026-1017",
});

/** The differences between the descriptions of two installations. */
export interface DescribedAt {
  /** The address or the path of the API. Default: that of the document, or this machine's. */
  readonly server?: string;
  /** The limit of each key; undefined if a store of the host counts. Default: 120 requests in 60 seconds. */
  readonly rateLimit?: Lacre["rateLimit"];
}

/** The OpenAPI document of the whole API: requests are closed, answers open. */
export function openApiDocument(at: DescribedAt = {}): object {
  return withOpenAnswers(closedDocument(at), PUBLIC_CODES);
}

/** The same with answers exactly as this version gives them, to the last field and code: tests check against it. */
export function closedDocument({ server = "", ...described }: DescribedAt = {}): object {
  const rateLimit = "rateLimit" in described ? described.rateLimit : { limit: 120, window_s: 60 };
  const operations = ROUTES.filter((route) => "operation" in route);
  const registry = new OpenAPIRegistry();
  registry.registerComponent("securitySchemes", "bearer", BEARER);
  for (const [name, header] of Object.entries(HEADERS)) registry.registerComponent("headers", name, header);
  for (const code of SHARED_CODES) registry.registerComponent("responses", pascalCase(code), refusalResponse([code]));
  registry.registerWebhook(webhookMessage());
  for (const route of ROUTES) registry.registerPath("page" in route ? pagePath(route) : operationPath(route));
  const schemas = namedSchemas(operations);
  const definitions = [...schemas.map((schema) => ({ type: "schema" as const, schema })), ...registry.definitions];
  const document = new OpenApiGeneratorV31(definitions).generateDocument({
    openapi: "3.1.0",
    info: { ...INFO, description: `${introduction(rateLimit)}\n\n${codeTable()}` },
    servers: server ? [{ ...SERVERS[0], url: server }] : SERVERS,
    tags: [...Object.values(TAGS), SERVICE_TAG],
  });
  for (const parameter of listsIn(document)) parameter.explode = false;
  return document;
}

/** The parameters of a query that are lists: their values have commas between them, as bind.ts reads them. */
function listsIn({ paths = {} }: ReturnType<OpenApiGeneratorV31["generateDocument"]>): { explode?: boolean }[] {
  const operations = Object.values(paths).flatMap((path) => [path.get, path.delete]);
  const parameters = operations.flatMap((operation) => operation?.parameters ?? []);
  const named = parameters.filter((one) => "name" in one);
  return named.filter(({ schema }) => schema && "type" in schema && schema.type === "array");
}

/** The codes an API key can meet. */
const PUBLIC_CODES: readonly AnswerCode[] = ANSWER_CODES.filter((code) => code !== "password_required");

/** A table of every code with its status, including the few that no operation produces. */
function codeTable(): string {
  const rows = PUBLIC_CODES.toSorted((a, b) => statusOf(a) - statusOf(b)).map(
    (code) => `| ${statusOf(code)} | \`${code}\` | ${sentenceOf(code).in("en")} |`,
  );
  return ["| Status | Code | Meaning |", "|---|---|---|", ...rows].join("\n");
}

function operationPath(route: OperationRoute): RouteConfig {
  const { operation, path, status } = route;
  const { id, needs, summary } = operation;
  const scope = needs === "any_key" ? undefined : scopeOf(needs as AnyPermission);
  const description = [scope ? `Needs the scope \`${scope}\`.` : "Any valid key will do.", NOTES[id]].filter(Boolean);
  return {
    method: methodOf(route),
    path: path.replace(/:(\w+)/g, "{$1}"),
    operationId: id,
    summary,
    description: description.join(" "),
    tags: [tagOf(path)],
    security: [{ bearer: scope ? [scope] : [] }],
    ...(scope && { "x-required-scope": scope }),
    request: requestOf(route),
    responses: {
      [status]: {
        description: SUCCESS[status],
        headers: headersOf([...KEY_HEADERS, ...successHeaders(route)]),
        ...(status !== 204 && { content: contentOf(route) }),
      },
      ...refusals(codesOf(route)),
    },
  };
}

/** The message that Lacre itself sends, described for its receivers. */
function webhookMessage(): RouteConfig {
  const { summary, description, headers } = WEBHOOK;
  const { element: FeedEvent } = COMPANY_OPERATIONS.events.read.output.shape.data;
  const given = Object.entries(headers).map(([name, says]) => [name, z.string().describe(says)]);
  const Sent = z.strictObject({
    type: z.string().meta({ description: "The action of the event.", example: "document.issued" }),
    timestamp: FeedEvent.shape.at,
    data: FeedEvent,
  });
  return {
    method: "post",
    path: "event",
    operationId: "event",
    summary,
    description,
    tags: [TAGS.webhooks?.name ?? ""],
    security: [],
    request: {
      headers: z.object(Object.fromEntries(given)),
      body: { required: true, content: { [JSON_TYPE]: { schema: named("WebhookMessage", Sent) } } },
    },
    responses: { "2XX": { description: "Taken." }, 410: { description: "Never again: the webhook is disabled." } },
  };
}

const SUCCESS = { 200: "Done.", 201: "Created.", 204: "Done; there is no body." } as const;

/** A file is described only by its media type, any other result by the schema of the operation's output. */
function contentOf({ operation: { id, output }, file }: OperationRoute) {
  if (file) return { [file.type]: { schema: { type: "string" as const, format: "binary" } } };
  return { [JSON_TYPE]: { schema: output, ...exampleOf(EXAMPLES[id]?.answer) } };
}

function successHeaders(route: OperationRoute): string[] {
  const { status, file, collection, operation } = route;
  const replayed = takesKey(route) ? ["Idempotent-Replayed"] : [];
  if (file) return ["Content-Disposition", ...replayed];
  return [
    ...(status === 201 && collection !== null ? ["Location"] : []),
    ...(operation.isTagged ? ["ETag"] : []),
    ...replayed,
  ];
}

/** Whether a request can be made safe to repeat. */
function takesKey({ method, operation }: OperationRoute): boolean {
  return method === "POST" && !(operation.kind === "command" && operation.unkeyed);
}

/** How an operation's input is sent: path, query string, header, body. */
function requestOf(route: OperationRoute): NonNullable<RouteConfig["request"]> {
  const { method, operation, input, path_fields } = route;
  const inPath = Object.entries(input.shape).filter(([name]) => path_fields.includes(name));
  const others = Object.entries(input.shape).filter(([name]) => !path_fields.includes(name));
  const fields = z.strictObject(Object.fromEntries(others));
  const headers = {
    ...(takesKey(route) && { "Idempotency-Key": IdempotencyKey }),
    ...(operation.target && { "If-Match": IfMatch }),
  };
  const request = {
    params: z.object(Object.fromEntries(inPath)),
    ...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
  };
  if (others.length === 0) return request;
  if (takesQuery(route)) return { ...request, query: fields };
  const schema = inPath.length > 0 ? named(`${capitalised(operation.id)}Input`, fields) : input;
  return {
    ...request,
    body: {
      required: method === "PATCH" || !fields.safeParse({}).success,
      content: { [JSON_TYPE]: { schema, ...exampleOf(EXAMPLES[operation.id]?.request) } },
    },
  };
}

/** Every code with which an operation can be refused over HTTP. */
function codesOf(route: OperationRoute): AnswerCode[] {
  const { method, operation } = route;
  const codes: AnswerCode[] = [
    ...COMMON_CODES.filter((code) => code !== "forbidden" || operation.needs !== "any_key"),
    ...operation.fails.filter((code) => PUBLIC_CODES.includes(code)),
    "unauthorized",
    "rate_limited",
    "internal_error",
    "request_timeout",
  ];
  if (takesKey(route)) codes.push(...IDEMPOTENCY_CODES);
  if (operation.target) codes.push(MATCH_CODE);
  if (method !== "GET") codes.push("payload_too_large");
  if (method === "POST" || method === "PATCH") codes.push("unsupported_media_type");
  return codes;
}

/** One response per status, with the codes it can carry. */
function refusals(codes: readonly AnswerCode[]): RouteConfig["responses"] {
  const byStatus = Map.groupBy(new Set(codes), statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [status, sharedRefusal(some) ?? refusalResponse(some)]),
  );
}

/** A code that is alone under its status means the same everywhere, so its response is described once. */
const SHARED_CODES = PUBLIC_CODES.filter((code) => statusOf(code) !== 409 && code !== "method_not_allowed");

function sharedRefusal([code]: readonly AnswerCode[]) {
  return code && SHARED_CODES.includes(code) ? { $ref: `#/components/responses/${pascalCase(code)}` } : undefined;
}

function refusalResponse(codes: readonly AnswerCode[], headers = headersOfRefusal(statusOf(codes[0] as AnswerCode))) {
  const examples = codes.map((code) => [code, { value: { error: { code, message: sentenceOf(code).in("en") } } }]);
  return {
    description: codes.map((code) => `\`${code}\`: ${sentenceOf(code).in("en")}`).join(" Or "),
    headers: headersOf([...headers, ...LANGUAGE_HEADERS]),
    content: { [JSON_TYPE]: { schema: errorBody(codes), examples: Object.fromEntries(examples) } },
  };
}

/** The schema of an error that carries one of these codes. */
function errorBody(codes: readonly AnswerCode[]) {
  const closed = { type: "object" as const, additionalProperties: false };
  const code = { type: "string" as const, enum: [...codes] };
  const message = {
    type: "string" as const,
    description: "For people. Fields are named by their path, such as lines[2].qty.",
  };
  const error = { ...closed, required: ["code", "message"], properties: { code, message } };
  return { ...closed, required: ["error"], properties: { error } };
}

/** The headers of every refusal: its message is written in a language. */
const LANGUAGE_HEADERS = ["Content-Language", "Vary"];

function headersOfRefusal(status: number): string[] {
  if (status === 401) return ["X-Request-Id", "WWW-Authenticate"];
  if (status === 408) return ["X-Request-Id"];
  if (status === 403) return [...KEY_HEADERS, "WWW-Authenticate"];
  return status === 409 || status === 429 || status === 503 ? [...KEY_HEADERS, "Retry-After"] : KEY_HEADERS;
}

/** The codes with which a page can be refused: it takes no query, and the service can be too busy or not ready. */
const PAGE_CODES: readonly AnswerCode[] = ["invalid_request", "request_timeout", "internal_error", "unavailable"];

function pagePath(route: PageRoute): RouteConfig {
  const { id, summary, type, output } = route.page;
  return {
    method: methodOf(route),
    path: route.path,
    operationId: id,
    summary,
    description: "No key needed.",
    tags: [tagOf(route.path)],
    security: [],
    responses: {
      200: { description: SUCCESS[200], headers: headersOf(["X-Request-Id"]), content: { [type]: { schema: output } } },
      ...Object.fromEntries(PAGE_CODES.map((code) => [statusOf(code), refusalResponse([code], ["X-Request-Id"])])),
    },
  };
}

/** The named schemas that occur in the inputs and outputs of these routes. */
function namedSchemas(routes: readonly OperationRoute[]): z.ZodType[] {
  const found = new Set<z.ZodType>();
  const visit = (schema: z.ZodType): void => {
    if (found.has(schema)) return;
    const { id } = schema.meta() ?? {};
    if (id) found.add(named(id, schema));
    for (const part of partsOfSchema(schema)) visit(part);
  };
  for (const { operation, file } of routes) {
    visit(operation.input);
    if (!file) visit(operation.output);
  }
  return [...found];
}

function partsOfSchema(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape);
  if (schema instanceof z.ZodArray) return [schema.element as z.ZodType];
  if (schema instanceof z.ZodUnion) return schema.options as z.ZodType[];
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? [schema.unwrap() as z.ZodType] : [];
}

/** Makes the generator reference the schema by name instead of repeating it. */
function named<Schema extends z.ZodType>(name: string, schema: Schema): Schema {
  zodToOpenAPIRegistry.add(schema, { _internal: { refId: name } });
  return schema;
}

function methodOf({ method }: OperationRoute | PageRoute) {
  return method.toLowerCase() as Lowercase<typeof method>;
}

function tagOf(path: string): string {
  const [, version, resource = ""] = path.split("/");
  return ((version === "v1" && TAGS[resource]) || SERVICE_TAG).name;
}

function headersOf(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function exampleOf(value: unknown) {
  return value === undefined ? {} : { example: value };
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function pascalCase(code: string): string {
  return code.split("_").map(capitalised).join("");
}
