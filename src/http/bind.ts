/** Binding: makes an operation's input from the fields of the path, and those of the query string or the body. */
import * as z from "zod";
import { problem, refuse, refuseInput } from "../core/runtime/errors.ts";
import { common } from "../core/runtime/refusals.ts";
import { hasBody, openBody, readObject } from "./body.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { t } from "./refusals.ts";
import type { OperationRoute } from "./route.ts";

/** A routed request; `params` are the variable parts of its path, which is plain. */
export interface Bindable {
  readonly request: IncomingRequest;
  readonly params: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether a route's fields travel in the query string rather than in the body. */
export function takesQuery({ method }: OperationRoute): boolean {
  return method === "GET" || method === "DELETE";
}

/** The input for a route's operation. Only faults of HTTP are refused here; the operation validates the fields. */
export async function bind(route: OperationRoute, call: Bindable, maxBytes: number): Promise<Fields> {
  const given = await givenTo(route, call, maxBytes);
  mustHaveNoFields(route.path_fields.filter((name) => Object.hasOwn(given, name)));
  return { ...given, ...call.params };
}

async function givenTo(route: OperationRoute, call: Bindable, maxBytes: number): Promise<Fields> {
  if (route.upload) return { ...queryFields(route, call), [route.upload.field]: openBody(call.request, route.upload) };
  return takesQuery(route) ? fromQuery(route, call, maxBytes) : fromBody(route, call, maxBytes);
}

/** Refuses with `invalid_request` if the query string has any field. */
export function mustHaveNoQuery({ target }: IncomingRequest): void {
  mustHaveNoFields([...queryOf(target).keys()]);
}

/** Refuses a body: ignoring it could ignore a filter, and so give a wrong answer. */
async function fromQuery(route: OperationRoute, call: Bindable, maxBytes: number) {
  if (await hasBody(call.request, maxBytes)) refuse("invalid_request", t.takes_no_body({ method: route.method }));
  return queryFields(route, call);
}

function queryFields({ input, upload }: OperationRoute, { request }: Bindable): Fields {
  const fields = queryOf(request.target);
  if (upload && fields.has(upload.field)) mustHaveNoFields([upload.field]);
  return mapValues(Object.fromEntries(fields), (text, name) => {
    const field = unwrapped(input.shape[name]);
    if (field instanceof z.ZodNumber && (isWhole(field) ? INTEGER : DECIMAL).test(text)) return Number(text);
    if (field instanceof z.ZodArray) return text.split(",");
    if (field instanceof z.ZodBoolean && /^(?:true|false)$/.test(text)) return text === "true";
    return text;
  });
}

/** An empty body means `{}` for a POST, which may have no fields; for a PATCH it is refused, as it changes nothing. */
async function fromBody({ method }: OperationRoute, { request }: Bindable, maxBytes: number): Promise<Fields> {
  const body = await readObject(request, maxBytes);
  mustHaveNoQuery(request);
  if (!body && method === "PATCH") refuse("invalid_request", t.body_must_have_changes);
  return { ...body };
}

/** The fields of the query string. Refuses with `invalid_request` a field that is repeated or cannot be decoded. */
function queryOf(target: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const piece of splitOnce(target, "?")[1].split("&")) {
    if (piece === "") continue;
    const [name, value] = splitOnce(piece, "=").map((text) => percentDecoded(text.replaceAll("+", " ")));
    if (name === undefined || value === undefined) refuse("invalid_request", t.query_not_utf8);
    if (fields.has(name)) refuseInput([problem(name, common.is_repeated)]);
    fields.set(name, value);
  }
  return fields;
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;
const DECIMAL = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

const isWhole = (field: z.ZodNumber) => field instanceof z.ZodNumberFormat;

function unwrapped(field: unknown): unknown {
  return field instanceof z.ZodOptional ? field.unwrap() : field;
}

function mustHaveNoFields(names: readonly string[]): void {
  if (names.length > 0) refuseInput(names.map((name) => problem(name, common.is_unknown_field)));
}

/** A text of a URL as it was before it was encoded; undefined where it is not encoded right. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
