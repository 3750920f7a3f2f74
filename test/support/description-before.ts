/**
 * The description of before "one act per sale", as it was published: within v1 everything is added, so each answer of
 * its routes is still as it says. It is never retaken.
 */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Exchange } from "./description.ts";

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
  readonly requestBody?: { readonly content: Content };
}

interface Response {
  readonly $ref?: string;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

const before = JSON.parse(
  readFileSync(new URL("../http/contract/openapi-before.json", import.meta.url), "utf8"),
) as Description;

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addSchema(before, "before");

/** Its operations, by method and path template: `GET /v1/customers/{id}`. */
export const OPERATIONS_BEFORE: ReadonlyMap<string, Operation> = new Map(
  Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  ),
);

/** The operation that an exchange is about; undefined if it came later. */
function operationBefore({ method, path }: Pick<Exchange, "method" | "path">): Operation | undefined {
  const bare = path.split("?", 1)[0]?.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{id}");
  return OPERATIONS_BEFORE.get(`${method} ${bare}`);
}

/** Why the answer of an exchange is not as it was described; empty if it is, or if its route came later. */
export function problemsBefore(exchange: Pick<Exchange, "method" | "path" | "status" | "headers" | "text">): string[] {
  const operation = operationBefore(exchange);
  const { status, headers, text } = exchange;
  if (!operation) return [];
  const found = operation.responses[status];
  const response = found?.$ref ? before.components.responses[found.$ref.split("/").at(-1) ?? ""] : found;
  if (!response) return [`${operation.operationId} had no ${status}`];
  const types = Object.keys(response.content ?? {});
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (types.length === 0) return text === "" ? [] : [`${operation.operationId} ${status} had no body`];
  const schema = response.content?.[type]?.schema;
  if (!schema) return [`${operation.operationId} ${status} was ${types.join(" or ")}, not ${type}`];
  return type === "application/json" ? problemsWithValue(schema, JSON.parse(text)) : [];
}

function problemsWithValue(schema: object, value: unknown): string[] {
  const check = compiled.get(schema) ?? ajv.compile(absolute(schema));
  compiled.set(schema, check);
  return check(value) ? [] : [`it was described otherwise: ${ajv.errorsText(check.errors)}`];
}

const compiled = new WeakMap<object, ReturnType<typeof ajv.compile>>();

/** The same schema, whose references find the description from anywhere. */
const absolute = (schema: object) => JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"before#'));
