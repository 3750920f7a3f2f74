/**
 * The tools of an agent, computed from the operations: it finds, drafts and previews. No tool issues, cancels, pays or
 * deletes: only a person or another program does.
 */
import * as z from "zod";
import { COMPANY_OPERATIONS } from "../core/operations.ts";
import { problem, refuse, refuseInput } from "../core/runtime/errors.ts";
import type { Operation } from "../core/runtime/operation.ts";
import { common } from "../core/runtime/refusals.ts";
import { t } from "./refusals.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Runs an operation for the agent's key. */
export type RunOperation = (operation: Operation, input: Arguments) => Promise<unknown>;

/** A tool as `tools/list` names it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: "object" };
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: false };
}

/** The members of a JSON Schema that are looked at here. */
interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}

/** The most rows that a list answers an agent, and those it answers when nothing is asked. */
const MAX_ROWS = 50;
const USUAL_ROWS = 20;

/** The most bytes of an answer: more would crowd out all else that an agent has read. */
const MAX_ANSWER_BYTES = 100_000;

const { customers, products, documents, payments, series, figures, events, me, waiting } = COMPANY_OPERATIONS;

/** What an agent does by one operation each. */
const SINGLE: readonly Operation[] = [
  me.get,
  customers.list,
  products.list,
  documents.list,
  documents.get,
  payments.list,
  series.list,
  events.read,
  figures.get,
  figures.debts,
  waiting.list,
];

/** What two tools say instead of the summary of an operation. */
const DRAFT =
  "Draft a document, or with an id change that draft: then send only what changes; lists are replaced. It has no number and can be changed until a person issues it in the company area; no tool can.";
const PREVIEW =
  "Preview a draft: its totals and tax, all that issuing would refuse, and the digest that a person approves.";

/** The fields of a draft that a tool does not take. */
const NOT_OF_AGENTS = ["issue", "email", "at_doc_code", "metadata"];

/** A tool, and what it does. */
interface Working {
  readonly tool: Tool;
  call(run: RunOperation, given: Arguments): Promise<unknown>;
}

let made: ReadonlyMap<string, Working> | undefined;

/** The tools by their names, made at the first call: most programs have no agent. */
function tools(): ReadonlyMap<string, Working> {
  if (!made) {
    const single = SINGLE.map((operation) => toolOf(operation.id, operation.summary, operation));
    const all: Working[] = [...single, toolOf("previewDraft", PREVIEW, documents.previewDraft), draftTool()];
    made = new Map(all.map((one) => [one.tool.name, one]));
  }
  return made;
}

/** Every tool, as `tools/list` answers. */
export const toolList = (): readonly Tool[] => Array.from(tools().values(), ({ tool }) => tool);

/** Whether there is a tool of this name. */
export const isTool = (name: string): boolean => tools().has(name);

/**
 * The answer of a tool as JSON. Refuses with `invalid_request` arguments that it does not take, and an answer that is
 * too large; and as its operation does.
 */
export async function callTool(name: string, given: Arguments, run: RunOperation): Promise<string> {
  const one = tools().get(name);
  if (!one) return refuse("not_found");
  const { properties = {} } = one.tool.inputSchema;
  const unknown = Object.keys(given).filter((field) => !Object.hasOwn(properties, field));
  if (unknown.length > 0) refuseInput(unknown.map((field) => problem(field, common.is_unknown_field)));
  const text = JSON.stringify((await one.call(run, given)) ?? null);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ANSWER_BYTES) refuse("invalid_request", t.answer_too_large({ bytes, max: MAX_ANSWER_BYTES }));
  return text;
}

/** A tool that runs one operation. */
function toolOf(name: string, description: string, operation: Operation): Working {
  const schema = schemaOf(operation);
  const isList = schema.properties?.limit !== undefined;
  const limit = { type: "integer", minimum: 1, maximum: MAX_ROWS, default: USUAL_ROWS };
  // A list that has a cursor goes on by it alone.
  const { offset, ...properties } = schema.properties ?? {};
  const skips = offset !== undefined && !("cursor" in properties) && { offset };
  const inputSchema = isList ? { ...schema, properties: { ...properties, ...skips, limit } } : schema;
  return {
    tool: { name, description, inputSchema, annotations: hints(true) },
    call: (run: RunOperation, given: Arguments) => run(operation, isList ? { ...given, limit: rowsOf(given) } : given),
  };
}

function rowsOf({ limit = USUAL_ROWS }: Arguments): unknown {
  if (typeof limit === "number" && limit > MAX_ROWS) {
    refuseInput([problem("limit", common.must_be_at_most({ max: MAX_ROWS }))]);
  }
  return limit;
}

/** The tool that creates a draft, or changes one. */
function draftTool(): Working {
  const { properties = {}, required: _, ...schema } = schemaOf(documents.create);
  const own = Object.entries(properties).filter(([name]) => !NOT_OF_AGENTS.includes(name));
  const id = { type: "string", description: "The draft to change; left out for a new one." };
  const inputSchema = withoutUnused({ ...schema, properties: { id, ...Object.fromEntries(own) } });
  return {
    tool: { name: "draft", description: DRAFT, inputSchema, annotations: hints(false) },
    call: (run: RunOperation, given: Arguments) =>
      run(given.id === undefined ? documents.create : documents.change, given),
  };
}

const hints = (readOnlyHint: boolean) => ({ readOnlyHint, destructiveHint: false }) as const;

// ——— Schemas ———

const CLOSED = { type: "object", additionalProperties: false } as const;

/** The schema of an operation's input, without what only costs an agent's attention. */
function schemaOf({ input }: Operation): Tool["inputSchema"] {
  const whole = z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as JsonSchema;
  const { $schema: _, $ref, $defs, description: __, ...own } = shortened(whole) as JsonSchema & { $ref?: string };
  const named = $defs as Readonly<Record<string, JsonSchema>> | undefined;
  const name = $ref?.replace("#/$defs/", "");
  if (name === undefined || !named) return { ...own, ...(named && { $defs: named }), ...CLOSED };
  const { [name]: root, ...others } = named;
  const { description: ___, ...fields } = root ?? {};
  return { ...fields, $defs: others, ...CLOSED };
}

/** Examples, and keywords that the operation checks anyway. */
const LEFT_OUT = new Set([
  ...["example", "pattern", "minLength", "maxLength", "maxItems", "propertyNames"],
  ...["minimum", "maximum", "exclusiveMinimum", "maxProperties"],
]);

const isLeftOut = (name: string, value: unknown): boolean => LEFT_OUT.has(name) || value === "uuid" || value === false;

const firstSentence = (text: string): string => text.split(/(?<=\.) /, 1)[0] ?? "";

/** A schema without these keywords, with short descriptions, and a null among its types where it may be null. */
function shortened(schema: unknown, isNamed = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => shortened(one));
  if (schema === null || typeof schema !== "object") return schema;
  const members = Object.entries(schema)
    .filter(([name, value]) => isNamed || !isLeftOut(name, value))
    .map(([name, value]) => [
      name,
      name === "description" && !isNamed
        ? firstSentence(String(value))
        : shortened(value, !isNamed && (name === "properties" || name === "$defs")),
    ]);
  return withoutNull(Object.fromEntries(members));
}

/** A schema without the named parts that it no longer names. */
function withoutUnused(schema: Tool["inputSchema"]): Tool["inputSchema"] {
  const named = Object.entries((schema.$defs ?? {}) as Record<string, JsonSchema>);
  const text = JSON.stringify(schema);
  return { ...schema, $defs: Object.fromEntries(named.filter(([name]) => text.includes(`"#/$defs/${name}"`))) };
}

/** `{ anyOf: [{ type: "string" }, { type: "null" }] }` as `{ type: ["string", "null"] }`. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [one, none, ...more] = (Array.isArray(anyOf) ? anyOf : []) as JsonSchema[];
  if (!one || none?.type !== "null" || more.length > 0 || typeof one.type !== "string" || one.enum) return schema;
  return { ...one, ...rest, type: [one.type, "null"] };
}
