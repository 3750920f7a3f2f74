// Writes out the library's types, so that an editor shows on hover what /docs shows: TypeScript infers them from zod
// schemas, and a schema's description is a value, which no inferred type carries.

import { readFileSync } from "node:fs";
import type { z } from "zod";
import * as face from "../src/core/face.ts";
import { DOC_TYPES } from "../src/core/fiscal/document-types.ts";
import { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS, PERSON_OPERATIONS } from "../src/core/operations.ts";
import type { Operation } from "../src/core/runtime/operation.ts";
import { Pagination } from "../src/core/runtime/page.ts";
import { PERMISSIONS } from "../src/core/runtime/permissions.ts";
import { LANGS } from "../src/core/texts/languages.ts";

/** A schema of any of zod's kinds, distinguished by its `def`. */
type Schema = z.core.$ZodTypes & z.ZodType;

const known = (schema: z.core.SomeType): Schema => schema as Schema;

/** A schema's metadata beside its type: a type for zod's `custom`, and the texts that an editor shows. */
interface Meta {
  /** The TypeScript type of a `custom` schema, which its function does not show. */
  readonly signature?: string | undefined;
  readonly description?: string | undefined;
  readonly format?: string | undefined;
  readonly example?: unknown;
  readonly maxLength?: number;
  readonly default?: unknown;
}

/** Operations by group and verb. */
type Groups = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const unionText = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(" | ");

/** The names of schemas, and of unions of literals by their written form. */
const SCHEMAS = new Map(Object.entries(face).map(([name, schema]) => [known(schema), name]));
const UNIONS = new Map([
  [unionText(DOC_TYPES), "DocType"],
  [unionText(PERMISSIONS), "Permission"],
  [unionText(LANGS), "Lang"],
]);

/** The types that the face names without a schema: their files, and how the declaration of each begins. */
const DECLARED = [
  ["src/core/runtime/page.ts", "interface Page<Item>"],
  ["src/core/runtime/run.ts", "interface RunOptions"],
  ["src/core/saft/xml.ts", "type OpenBytes"],
  ["src/core/runtime/ports.ts", "interface MailMessage"],
  ["src/core/runtime/ports.ts", "interface MailServer"],
] as const;

/** A declaration of a file with the comment before it. */
function declaration(text: string, head: string): string {
  const start = text.indexOf(`export ${head} `);
  if (start === -1) throw new Error(`Nothing is declared as ${head}.`);
  const end = text.indexOf(head.startsWith("type") ? ";\n" : "\n}\n", start);
  return text.slice(text.lastIndexOf("/**", start), text.indexOf("\n", end + 1) + 1);
}

/**
 * The text of `face.d.ts`: what `src/core/face.ts` exports, with every type written out. It imports nothing, so that
 * `lacre/client` needs no types of Node.
 */
export function faceDeclarations(): string {
  const types = Array.from(SCHEMAS, ([schema, name]) => {
    const [head, end] = schema._zod.def.type === "object" ? [`interface ${name} `, ""] : [`type ${name} = `, ";"];
    return `${docText(sentencesOn(schema))}export ${head}${writtenOut(schema)}${end}\n`;
  });
  return [
    ...Array.from(UNIONS, ([union, name]) => `export type ${name} = ${union};\n`),
    ...DECLARED.map(([file, head]) => declaration(readFileSync(file, "utf8"), head)),
    "/** The operations inside one company, as methods. Each takes one object, checks it, and throws `LacreError`: with ",
    "the codes it names, with `invalid_request`, or with `unavailable` when the storage is in trouble. */\n",
    `export interface CompanyMethods ${methodsText(COMPANY_OPERATIONS)}\n`,
    "/** What people do with links, their sessions and their own user, as methods: the company area calls them. */\n",
    `export interface PersonMethods ${methodsText(PERSON_OPERATIONS)}\n`,
    "/** The host's operations on the installation, as methods of `lacre`: companies, keys, signer. They throw alike. */\n",
    `export interface HostFace ${methodsText(INSTALLATION_OPERATIONS)}\n`,
    ...types,
  ].join("");
}

function methodsText(groups: Groups): string {
  return block(
    Object.entries(groups).map(([group, verbs]) => {
      const methods = Object.entries(verbs).map(([verb, operation]) => methodText(verb, operation));
      return `readonly ${group}: ${block(methods)};`;
    }),
  );
}

function methodText(verb: string, { summary, fails, kind, needs, input, output }: Operation): string {
  const isOptional = Object.values(shapeOf(input)).every(isLeftOut);
  // The host's own commands take no Idempotency-Key, and a query needs none.
  const options = kind === "command" && needs !== "operator" ? ", options?: RunOptions" : "";
  const refusals = fails.map((code) => `\`${code}\``).join(", ");
  const doc = docText([sentence(summary)], refusals && `@throws LacreError with ${refusals}`);
  return `${doc}${verb}(input${isOptional ? "?" : ""}: ${typeText(input)}${options}): Promise<${typeText(output)}>;`;
}

/** A schema as a type: by its name if it has one, written out otherwise. */
const typeText = (schema: z.core.SomeType): string => SCHEMAS.get(known(schema)) ?? writtenOut(known(schema));

function writtenOut(schema: Schema): string {
  const { def } = schema._zod;
  switch (def.type) {
    case "string":
    case "number":
    case "boolean":
    case "unknown":
    case "void":
    case "null":
      return def.type;
    case "literal":
      return unionText(def.values);
    case "enum": {
      const union = unionText(Object.values(def.entries));
      return UNIONS.get(union) ?? union;
    }
    case "optional":
      return `${typeText(def.innerType)} | undefined`;
    case "nullable":
      return `${typeText(def.innerType)} | null`;
    case "union":
      return def.options.map(typeText).join(" | ");
    case "pipe":
      return typeText(def.in); // What a field is made into is the core's own business: no answer has one.
    case "array":
      return `Array<${typeText(def.element)}>`;
    case "record":
      return `Record<${typeText(def.keyType)}, ${typeText(def.valueType)}>`;
    case "custom": {
      const { signature } = metaOf(schema);
      if (signature === undefined)
        throw new Error("A schema of zod's `custom` needs a `signature` among its metadata.");
      return signature;
    }
    case "object":
      return objectText(schema);
    default:
      throw new Error(`There is no type for zod's ${def.type}.`);
  }
}

/** The fields of an object; none if the schema is of another kind. */
function shapeOf(schema: z.core.SomeType): Readonly<Record<string, Schema>> {
  const { def } = known(schema)._zod;
  return def.type === "object" ? (def.shape as Readonly<Record<string, Schema>>) : {};
}

/** A page of a list, or any other object. */
function objectText(schema: Schema): string {
  const { data, pagination } = shapeOf(schema);
  if (data?._zod.def.type === "array" && pagination === known(Pagination)) {
    return `Page<${typeText(data._zod.def.element)}>`;
  }
  const fields = Object.entries(shapeOf(schema)).map(
    ([name, field]) => `${docText(sentencesOn(field))}${name}${isLeftOut(field) ? "?" : ""}: ${typeText(field)};`,
  );
  return fields.length === 0 ? "Record<string, never>" : block(fields);
}

const isLeftOut = (field: Schema) => field._zod.def.type === "optional";

const block = (members: readonly string[]) => `{\n${members.join("\n").replace(/^(?=.)/gm, "  ")}\n}`;

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "UUID.",
  date: "A day, `YYYY-MM-DD`.",
  "date-time": "An instant, RFC 3339.",
};

/** The texts of a schema: its description, its format or an example; its length and default. */
function sentencesOn(schema: Schema): (string | undefined)[] {
  const { description, format, example, maxLength, default: given } = metaOf(schema);
  const shown = format === undefined && example !== undefined ? `\`${example}\`, for example.` : undefined;
  return [
    sentence(description) ?? FORMATS[format ?? ""] ?? shown,
    ...(maxLength === undefined ? [] : [`At most ${maxLength} characters.`]),
    ...(given === undefined ? [] : [`${given} when left out.`]),
  ];
}

/** The metadata of a schema; its wrappers (`optional`, `nullable`) may add to it. */
function metaOf(schema: Schema): Meta {
  const { def } = schema._zod;
  return { ...("innerType" in def && metaOf(known(def.innerType))), ...schema.meta() };
}

const sentence = (text: string | undefined) => text && (/[.!?]$/.test(text) ? text : `${text}.`);

/** A doc comment of a paragraph and a tag; nothing if both are empty. */
function docText(sentences: readonly (string | undefined)[], tag?: string): string {
  const text = sentences.filter(Boolean).join(" ");
  if (tag) return `/**\n * ${text}\n * ${tag}\n */\n`;
  return text ? `/** ${text} */\n` : "";
}
