// Finishes the declarations in dist: spells out dist/core/face.d.ts, so that an editor shows on hover what /docs shows.
// TypeScript infers the face from zod schemas, and a schema's description is a value, which no inferred type carries.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import type { Operation } from "../src/core/runtime/operation.ts";

/** Rewrites the declarations that tsc left in the folder `dist`; the compiled JavaScript beside them is run for it. */
export async function finishDeclarations(dist: string): Promise<void> {
  for (const path of filesOf(dist, ".d.ts")) {
    // tsc keeps the extensions of the sources, which older versions of it do not resolve.
    writeFileSync(path, readFileSync(path, "utf8").replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
  }
  const path = resolve(dist, "core/face.d.ts");
  const { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS, PERSON_OPERATIONS } = await import(
    resolve(dist, "core/operations.js")
  );
  const faces = {
    CompanyMethods: COMPANY_OPERATIONS,
    PersonMethods: PERSON_OPERATIONS,
    HostFace: INSTALLATION_OPERATIONS,
  };
  const { DOC_TYPES, PERMISSIONS } = await import(resolve(dist, "core/index.js"));
  const unions = new Map([
    [unionText(DOC_TYPES), "DocType"],
    [unionText(PERMISSIONS), "Permission"],
  ]);
  writeFileSync(path, spelledOut(readFileSync(path, "utf8"), faces, await schemasOf(dist), unions));
}

function filesOf(folder: string, ending: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(ending)).map((name) => resolve(folder, name));
}

/** Every schema that core exports, by its name. */
async function schemasOf(dist: string): Promise<ReadonlyMap<string, Schema>> {
  const modules = await Promise.all(filesOf(`${dist}/core`, ".js").map((path) => import(path)));
  const exported = modules.flatMap((module) => Object.entries(module));
  return new Map(exported.flatMap(([name, value]) => (value instanceof z.ZodType ? [[name, known(value)]] : [])));
}

/** A schema of any of zod's kinds, told apart by its `def`. */
type Schema = z.core.$ZodTypes & z.ZodType;

const known = (schema: z.core.SomeType): Schema => schema as Schema;

/** What the schema says of itself beside its type: a type for zod's `custom`, and what an editor shows. */
interface Meta {
  /** The TypeScript of what a `custom` schema takes, which its function does not show. */
  readonly signature?: string | undefined;
  readonly description?: string | undefined;
  readonly format?: string | undefined;
  readonly example?: unknown;
  readonly maxLength?: number;
  readonly default?: unknown;
}

/** The way in, where fields may be left out, or out. */
type Side = "input" | "output";

/** What has a name of its own: a schema by itself, or a union of literals by how it would be written. */
type Names = ReadonlyMap<Schema | string, string>;

/** Operations by group and verb. */
type Groups = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The faces of the library, by the names that face.ts gives them. */
type Faces = Readonly<Record<string, Groups | undefined>>;

/** An exported type with its docstring, as tsc prints it. */
const EXPORTED = /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export type (\w+) = (.*);$/gm;

/** A type that is made of others by their names. */
const ALL_NAMED = /^\w+(?: & \w+)+$/;

/** The declarations of the face, with every exported type replaced by its members. What is not exported is left out. */
function spelledOut(declared: string, faces: Faces, schemas: ReadonlyMap<string, Schema>, unions: Names): string {
  const exported = declared.slice(declared.search(/^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\nexport /m));
  const schemaOf = (name: string): Schema => {
    const schema = schemas.get(name);
    if (!schema) throw new Error(`face.ts exports ${name}, but no file of core exports that schema.`);
    return schema;
  };
  const types = Array.from(declared.matchAll(EXPORTED)).flatMap(([, , name = "", inferred = ""]) =>
    faces[name] || ALL_NAMED.test(inferred) ? [] : [[schemaOf(name), name] as const],
  );
  const names: Names = new Map<Schema | string, string>([...types, ...unions]);
  const body = exported.replace(EXPORTED, (whole: string, doc: string | undefined, name: string, inferred: string) => {
    if (ALL_NAMED.test(inferred)) return whole;
    const face = faces[name];
    if (face) return `${doc ?? ""}export interface ${name} ${faceText(face, names)}`;
    const schema = schemaOf(name);
    const { def } = schema._zod;
    const side = inferred.startsWith("Out<") ? "output" : "input";
    const docs = doc ?? docText([sentence(schema.description)]);
    return def.type === "union"
      ? `${docs}export type ${name} = ${def.options.map((one) => membersText(known(one), side, names)).join(" | ")};`
      : `${docs}export interface ${name} ${membersText(schema, side, names)}`;
  });
  return `import type { ${[...unions.values()].join(", ")}, OpenBytes, RunOptions } from "./index.js";\n${body}`;
}

function faceText(groups: Groups, names: Names): string {
  const methodText = (verb: string, operation: Operation) => {
    const { summary, fails } = operation;
    const [input, output] = [known(operation.input), known(operation.output)];
    const fields = Object.values(shapeOf(input));
    const given = fields.length === 0 ? "Record<string, never>" : typeText(input, "input", names);
    const isOptional = input.safeParse({}).success || fields.every(isLeftOut("input"));
    // The host's own commands take no Idempotency-Key, and a query needs none.
    const takesKey = operation.kind === "command" && operation.needs !== "operator";
    const options = takesKey ? ", options?: RunOptions" : "";
    const refusals = fails.map((code) => `\`${code}\``).join(", ");
    const doc = docText([sentence(summary)], refusals && `@throws LacreError with ${refusals}`);
    return `${doc}${verb}(input${isOptional ? "?" : ""}: ${given}${options}): Promise<${typeText(output, "output", names)}>;`;
  };
  const groupText = ([name, verbs]: [string, Groups[string]]) =>
    `readonly ${name}: ${block(Object.entries(verbs).map(([verb, operation]) => methodText(verb, operation)))};`;
  return block(Object.entries(groups).map(groupText));
}

/** A schema as a type: by its name where it has one, spelled out otherwise. */
function typeText(schema: Schema, side: Side, names: Names): string {
  const { def } = schema._zod;
  const inner = (one: z.core.SomeType) => typeText(known(one), side, names);
  const name = names.get(schema);
  if (name !== undefined) return name;
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
      return names.get(union) ?? union;
    }
    case "optional":
      return `${inner(def.innerType)} | undefined`;
    case "default":
      return side === "input" ? `${inner(def.innerType)} | undefined` : inner(def.innerType);
    case "nullable":
      return `${inner(def.innerType)} | null`;
    case "union":
      return def.options.map(inner).join(" | ");
    case "pipe":
      // What a field is made into is the core's own business: no answer has one.
      if (side === "input") return inner(def.in);
      throw new Error("There is no type for what a field is made into.");
    case "array":
      return `${parenthesised(inner(def.element))}[]`;
    case "record":
      return `Record<${inner(def.keyType)}, ${inner(def.valueType)}>`;
    case "custom": {
      const { signature } = metaOf(schema);
      if (signature === undefined)
        throw new Error("A schema of zod's `custom` needs a `signature` among its metadata.");
      return signature;
    }
    case "object":
      return objectText(schema, side, names);
    default:
      throw new Error(`There is no type for zod's ${def.type}.`);
  }
}

const unionText = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(" | ");

/** The fields of an object; none where the schema is of another kind. */
function shapeOf(schema: Schema): Readonly<Record<string, Schema>> {
  const { def } = schema._zod;
  return def.type === "object" ? (def.shape as Readonly<Record<string, Schema>>) : {};
}

/** A page of a list, the changes to what an id names, or any other object. */
function objectText(schema: Schema, side: Side, names: Names): string {
  const { data, pagination, id, ...rest } = shapeOf(schema);
  const items = data?._zod.def;
  if (items?.type === "array" && pagination) return `Page<${typeText(known(items.element), side, names)}>`;
  const keys = Object.keys(rest);
  const isRest = (named: Schema | string) => {
    const shape = typeof named === "string" ? {} : shapeOf(named);
    return keys.length === Object.keys(shape).length && keys.every((key) => shape[key] === rest[key]);
  };
  const changes = id && keys.length > 0 && Array.from(names).findLast(([named]) => isRest(named));
  return changes ? `{ id: ${typeText(id, side, names)} } & ${changes[1]}` : membersText(schema, side, names);
}

function membersText(schema: Schema, side: Side, names: Names): string {
  const isOptional = isLeftOut(side);
  return block(
    Object.entries(shapeOf(schema)).map(([name, field]) => {
      const doc = docText(sentencesOn(field, side));
      return `${doc}${name}${isOptional(field) ? "?" : ""}: ${typeText(field, side, names)};`;
    }),
  );
}

const isLeftOut = (side: Side) => (field: Schema) => {
  const { type } = field._zod.def;
  return type === "optional" || (side === "input" && type === "default");
};

const parenthesised = (type: string) => (/ [|&] /.test(type) && !/^[{<]/.test(type) ? `(${type})` : type);

const block = (members: readonly string[]) => (members.length === 0 ? "{}" : `{\n${indented(members.join("\n"))}\n}`);

const indented = (text: string) => text.replace(/^(?=.)/gm, "  ");

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "UUID.",
  date: "A day, `YYYY-MM-DD`.",
  "date-time": "An instant, RFC 3339.",
};

/** What a field's schema says: its description, its format or an example; on the way in its length and default. */
function sentencesOn(field: Schema, side: Side): (string | undefined)[] {
  const { description, format, example, maxLength, default: given } = metaOf(field);
  const shown = format === undefined && example !== undefined ? `\`${example}\`, for example.` : undefined;
  return [
    sentence(description) ?? FORMATS[format ?? ""] ?? shown,
    ...(side === "input" && maxLength !== undefined ? [`At most ${maxLength} characters.`] : []),
    ...(given === undefined ? [] : [`${given} when left out.`]),
  ];
}

/** The metadata of a schema; what wraps it (`optional`, `nullable`) may add to it. */
function metaOf(schema: Schema): Meta {
  const { def } = schema._zod;
  return { ...("innerType" in def && metaOf(known(def.innerType))), ...schema.meta() };
}

const sentence = (text: string | undefined) => text && (/[.!?]$/.test(text) ? text : `${text}.`);

/** A doc comment of a paragraph and a tag; nothing where both are empty. */
function docText(sentences: readonly (string | undefined)[], tag?: string): string {
  const text = sentences.filter(Boolean).join(" ");
  if (tag) return `/**\n * ${text}\n * ${tag}\n */\n`;
  return text ? `/** ${text} */\n` : "";
}
