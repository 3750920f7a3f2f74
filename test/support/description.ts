/** Checks answers against the description with closed answers, and remembers which of its refusals were seen. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { closedDocument } from "../../src/http/openapi.ts";

/** A node of the document; undefined where the document has no such member. */
interface Node {
  readonly [member: string]: Node | undefined;
}

/** One request and its answer, as sent. */
export interface Exchange {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  /** The JSON that was sent; undefined where the body was none or no JSON. */
  readonly sent: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A described operation: its method and path template, and its node in the document. */
export interface Described {
  readonly id: string;
  readonly method: string;
  /** `/v1/customers/{id}` */
  readonly template: string;
  readonly node: Node;
}

const document = closedDocument() as unknown as Node;
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, "description");

const METHODS = ["get", "post", "patch", "put", "delete"];

/** Every operation of the document. */
export const OPERATIONS: readonly Described[] = Object.entries(document.paths ?? {}).flatMap(([template, path]) =>
  METHODS.flatMap((method) => {
    const node = path?.[method];
    return node ? [{ id: String(node.operationId), method: method.toUpperCase(), template, node }] : [];
  }),
);

const produced = new Set<string>();

/** The refusals seen since `forgetRefusals`, as `createCustomer 400 invalid_request`. */
export function producedRefusals(): ReadonlySet<string> {
  return produced;
}

/** Starts the count of refusals anew, for the next file of tests. */
export function forgetRefusals(): void {
  produced.clear();
}

/** Every refusal the document promises, in the same form. */
export function describedRefusals(): readonly string[] {
  return OPERATIONS.flatMap(({ id, node }) =>
    Object.entries(node.responses ?? {})
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, response]) => codesOf(response).map((code) => `${id} ${status} ${code}`)),
  );
}

/** The template a path matches, or undefined. */
export function templateOf(path: string): string | undefined {
  const [bare = ""] = path.split("?");
  const templates = [...new Set(OPERATIONS.map(({ template }) => template))];
  if (templates.includes(bare)) return bare;
  return templates.find((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "(?!\\.)[\\w.-]+")}$`).test(bare));
}

/** The methods described for a path template. */
export function methodsOf(template: string): string[] {
  return OPERATIONS.filter((operation) => operation.template === template).map(({ method }) => method);
}

/**
 * The faults of an exchange, as sentences; none when the document describes such an answer for the operation: status,
 * content type, body, headers. A refusal before the operation is known only needs the shape of an error.
 */
export function problemsWith(exchange: Exchange): string[] {
  const { method, path, status, headers, text } = exchange;
  const template = templateOf(path);
  const asked = method === "HEAD" ? "GET" : method;
  const operation = OPERATIONS.find((known) => known.template === template && known.method === asked);
  const problems = status >= 400 && method !== "HEAD" ? problemsWithError(text, headers) : [];
  if (!operation) {
    const refused = template === undefined ? 404 : 405;
    return status === refused ? problems : [...problems, `${status} where nothing is described`];
  }
  const response = resolved(operation.node.responses?.[status]);
  if (!response) return [...problems, `${status} is not described`];
  if (status >= 400 && problems.length === 0) produced.add(`${operation.id} ${status} ${codeOf(exchange)}`);
  return [
    ...problems,
    ...problemsWithHeaders(response, status, headers),
    ...problemsWithBody(exchange, operation, response),
    ...problemsWithRequest(exchange, operation),
  ];
}

function codeOf({ method, text }: Exchange): string {
  return method === "HEAD" ? "" : (JSON.parse(text) as { error: { code: string } }).error.code;
}

function problemsWithError(text: string, headers: Headers): string[] {
  const type = headers.get("content-type") ?? "none";
  if (!/^application\/json(; *charset=utf-8)?$/i.test(type)) return [`an error is JSON, not ${type}`];
  const body: unknown = JSON.parse(text);
  return isError(body) ? [] : [`an error is { error: { code, message } }, not ${text}`];
}

const isError = ajv.compile({
  type: "object",
  required: ["error"],
  additionalProperties: false,
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      additionalProperties: false,
      properties: {
        code: { type: "string", pattern: "^[a-z]+(_[a-z]+)*$" },
        message: { type: "string", minLength: 1 },
      },
    },
  },
});

/** Described headers that not every answer has. */
const AT_TIMES = ["Retry-After", "Idempotent-Replayed", "ETag"];

function problemsWithHeaders(response: Node, status: number, headers: Headers): string[] {
  return Object.entries(response.headers ?? {}).flatMap(([name, reference]) => {
    const value = headers.get(name);
    // A failure of ours can come before the key and its limit are known.
    const isExpected = !AT_TIMES.includes(name) && !(status >= 500 && /ratelimit/i.test(name));
    if (value === null) return isExpected ? [`the header ${name} is missing`] : [];
    const schema = resolved(resolved(reference)?.schema) ?? {};
    const given = String(schema.type) === "integer" ? Number(value) : value;
    return ajv.validate(schema as object, given) ? [] : [`the header ${name} is ${value}`];
  });
}

function problemsWithBody({ method, status, headers, text }: Exchange, operation: Described, response: Node): string[] {
  const described = Object.keys(response.content ?? {});
  if (method === "HEAD" || described.length === 0) return text === "" ? [] : ["a body where none is described"];
  const type = (headers.get("content-type") ?? "").split(";")[0] ?? "";
  if (!described.includes(type)) return [`the content type is ${type}, not ${described.join(" or ")}`];
  if (type !== "application/json") return [];
  const check = schemaAt(pointerTo(operation, "responses", String(status)), response, type);
  return check(JSON.parse(text)) ? [] : sentences("the body", check);
}

/** A request that was accepted must be allowed by the document. */
function problemsWithRequest({ sent, status, path }: Exchange, operation: Described): string[] {
  if (status >= 300) return [];
  const query = [...new URLSearchParams(path.split("?")[1] ?? "").keys()];
  const known = parametersOf(operation, "query");
  const unknown = query.filter((name) => !known.includes(name)).map((name) => `the query ${name} is not described`);
  const body = resolved(operation.node.requestBody);
  if (sent === undefined || (!body && JSON.stringify(sent) === "{}")) return unknown;
  if (!body) return [...unknown, "a body that is not described"];
  const check = schemaAt(pointerTo(operation, "requestBody"), body, "application/json");
  // Text is checked as it is stored: composed.
  const composed = JSON.parse(JSON.stringify(sent).normalize("NFC"));
  return check(composed) ? unknown : [...unknown, ...sentences("the request", check)];
}

/** The names of an operation's parameters in `place`. */
export function parametersOf({ node, template }: Described, place: "query" | "header" | "path"): string[] {
  const shared = Object.values(document.paths?.[template]?.parameters ?? {});
  return [...shared, ...Object.values(node.parameters ?? {})]
    .map(resolved)
    .filter((parameter) => String(parameter?.in) === place)
    .map((parameter) => String(parameter?.name));
}

const compiled = new Map<string, ValidateFunction>();

/** The validator of the schema at `pointer`, or at the node that it refers to. */
function schemaAt(pointer: string, node: Node, type: string): ValidateFunction {
  const found = Object.entries(components).find(([, component]) => component === node)?.[0] ?? pointer;
  const $ref = `description#${found}/content/${escaped(type)}/schema`;
  const known = compiled.get($ref) ?? ajv.compile({ $ref });
  compiled.set($ref, known);
  return known;
}

/** Shared responses and request bodies by their pointer. */
const components: Record<string, Node | undefined> = Object.fromEntries(
  ["responses", "requestBodies"].flatMap((kind) =>
    Object.entries(document.components?.[kind] ?? {}).map(([name, node]) => [`/components/${kind}/${name}`, node]),
  ),
);

function pointerTo({ template, method }: Described, ...members: string[]): string {
  return `/paths/${escaped(template)}/${method.toLowerCase()}/${members.join("/")}`;
}

function escaped(member: string): string {
  return encodeURIComponent(member.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function sentences(subject: string, { errors }: ValidateFunction): string[] {
  return (errors ?? []).map(({ instancePath, message, params }) =>
    [subject, instancePath, message, JSON.stringify(params)].filter(Boolean).join(" "),
  );
}

/** The codes a response can carry, from its schema. */
function codesOf(response: Node | undefined): string[] {
  const schema = resolved(resolved(response)?.content?.["application/json"]?.schema);
  const code = resolved(resolved(schema?.properties?.error)?.properties?.code);
  const codes = code?.enum ?? (code?.const ? [code.const] : []);
  return Object.values(codes).map(String);
}

/** Follows `$ref`s within the document. */
function resolved(node: Node | undefined): Node | undefined {
  const reference = node?.$ref as unknown;
  if (typeof reference !== "string") return node;
  const members = reference.replace("#/", "").split("/");
  return resolved(members.reduce<Node | undefined>((at, member) => at?.[member.replaceAll("~1", "/")], document));
}
