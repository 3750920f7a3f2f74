/** Every field of an input that takes a text, as the schemas of the operations have it, and what a text costs there. */
import type * as z from "zod";
import { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS, PERSON_OPERATIONS } from "../../src/core/operations.ts";
import { LacreError } from "../../src/core/runtime/errors.ts";
import { type Operation, parseInput } from "../../src/core/runtime/operation.ts";
import { parseJson } from "../../src/http/json.ts";

/** A field for texts. */
export interface TextField {
  readonly operation: Operation;
  /** As `lines[].description`; `metadata{name}` is the name of a member. */
  readonly path: string;
  /** An input of the operation that has a text there, and nothing else. */
  inputWith(text: string): unknown;
}

type Field = Pick<TextField, "path" | "inputWith">;

/** Every field for texts of every operation, nested ones and names of members too. */
export const TEXT_FIELDS: readonly TextField[] = [COMPANY_OPERATIONS, PERSON_OPERATIONS, INSTALLATION_OPERATIONS]
  .flatMap((table) => Object.values(table as Record<string, Record<string, Operation>>))
  .flatMap((group) => Object.values(group))
  .flatMap((operation) =>
    fieldsOf(operation.input).map((field) => ({ operation, ...field, path: field.path.slice(1) })),
  );

function fieldsOf(schema: z.core.$ZodType): Field[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "string":
    case "enum":
    case "literal":
      return [{ path: "", inputWith: (text) => text }];
    case "object":
      return Object.entries(def.shape).flatMap(([name, field]) =>
        within(field, `.${name}`, (value) => ({ [name]: value })),
      );
    case "array":
      return within(def.element, "[]", (value) => [value]);
    case "record": {
      const names = within(def.keyType, "{name}", (value) => ({ [String(value)]: "x" }));
      return [...names, ...within(def.valueType, "{}", (value) => ({ name: value }))];
    }
    case "union":
      return def.options.flatMap(fieldsOf);
    case "optional":
    case "nullable":
    case "default":
    case "readonly":
      return fieldsOf(def.innerType);
    case "pipe":
      return fieldsOf(def.in);
    case "number":
    case "boolean":
    case "null":
    case "custom": // bytes and files
    case "transform":
      return [];
    default:
      throw new Error(`Whether a schema of type ${def.type} takes texts is not known here.`);
  }
}

function within(schema: z.core.$ZodType, step: string, around: (value: unknown) => unknown): Field[] {
  return fieldsOf(schema).map(({ path, inputWith }) => ({
    path: step + path,
    inputWith: (text) => around(inputWith(text)),
  }));
}

/** What is repeated to make the worst texts: marks of two classes in turn, what grows when it is normalised … */
const WORST: Readonly<Record<string, string>> = {
  "stacked marks of two classes": "\u0301\u0323",
  "stacks of thirty marks": `a${"\u0301\u0323".repeat(15)}`,
  "a sign that is eighteen letters": "\ufdfa",
  "characters outside the basic plane": "\u{1d160}",
  "decomposed Hangul": "\u1112\u1161\u11ab",
  spaces: " ",
  "wide spaces": "\u3000",
  "spaces between letters": "a ",
  "line breaks": "\r\n",
  "the certificate line": "Processado por programa certificado n.º 1/AT ",
  digits: "0",
  dots: "a.",
  "signs of addresses": "a@a.",
  "signs of webhooks": "https://xn--a.",
  escapes: '"\\',
};

/** The bytes of the largest text that fits a body of 1 MiB beside the names of its fields. */
const LARGEST = 1024 * 1024 - 1_000;

/** How many times as much as plain letters a text may cost. */
const MOST = 5;

/**
 * The texts that cost more in a field than `MOST` times what plain letters of as many bytes do. Other work slows a
 * measurement down and never speeds it up: a text is cleared by one that is quick, and named after three slow medians.
 */
export function costlyTextsIn(field: TextField): string[] {
  const plain = bodyOf(field, "a");
  const least = Math.min(...costsOf(field, plain));
  return Object.entries(WORST).flatMap(([name, repeated]) => {
    const body = bodyOf(field, repeated);
    const isCostly = () => median(costsOf(field, body)) > MOST * median(costsOf(field, plain));
    const looksCostly = costOf(field, body) > MOST * least;
    return looksCostly && isCostly() && isCostly() && isCostly()
      ? [`${field.operation.id} ${field.path}: ${name}`]
      : [];
  });
}

const median = (figures: readonly number[]) => figures.toSorted((a, b) => a - b)[figures.length >> 1] as number;

const costsOf = (field: TextField, body: Uint8Array) => Array.from({ length: 5 }, () => costOf(field, body));

/** The CPU time in milliseconds to read a body and to validate it. */
function costOf({ operation }: TextField, body: Uint8Array): number {
  const before = process.cpuUsage();
  try {
    parseInput(operation.input, parseJson(body));
  } catch (error) {
    if (!(error instanceof LacreError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** A body with the largest text of one that is repeated in a field. */
const bodyOf = ({ inputWith }: TextField, repeated: string) =>
  Buffer.from(JSON.stringify(inputWith(textOf(repeated, LARGEST))));

/** A text of some bytes in JSON, made of one that is repeated. */
function textOf(repeated: string, bytes: number): string {
  return repeated.repeat(Math.floor(bytes / (Buffer.byteLength(JSON.stringify(repeated)) - 2)));
}
