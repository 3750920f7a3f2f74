// Finishes the declarations in dist: spells out dist/core/face.d.ts, so that an editor shows on hover what /docs shows.
// TypeScript infers the face from zod schemas, and a schema's description is a value, which no inferred type carries.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";

/** Rewrites the declarations that tsc left in the folder `dist`; the compiled JavaScript beside them is run for it. */
export async function finishDeclarations(dist) {
  for (const path of filesOf(dist, ".d.ts")) {
    // tsc keeps the extensions of the sources, which older versions of it do not resolve.
    writeFileSync(path, readFileSync(path, "utf8").replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
  }
  const path = resolve(dist, "core/face.d.ts");
  const { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS } = await import(resolve(dist, "core/operations.js"));
  const faces = { CompanyMethods: COMPANY_OPERATIONS, HostFace: INSTALLATION_OPERATIONS };
  const { DOC_TYPES, PERMISSIONS } = await import(resolve(dist, "core/index.js"));
  const unions = new Map([
    [unionText(DOC_TYPES), "DocType"],
    [unionText(PERMISSIONS), "Permission"],
  ]);
  writeFileSync(path, spelledOut(readFileSync(path, "utf8"), faces, await schemasOf(dist), unions));
}

function filesOf(folder, ending) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(ending)).map((name) => resolve(folder, name));
}

/** Every schema that core exports, by its name. */
async function schemasOf(dist) {
  const modules = await Promise.all(filesOf(`${dist}/core`, ".js").map((path) => import(path)));
  const exported = modules.flatMap((module) => Object.entries(module));
  return new Map(exported.filter(([, value]) => value instanceof z.ZodType));
}

/** An exported type with its docstring, as tsc prints it. */
const EXPORTED = /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export type (\w+) = (.*);$/gm;

/** A type that is made of others by their names. */
const ALL_NAMED = /^\w+(?: & \w+)+$/;

/** The declarations of the face, with every exported type replaced by its members. What is not exported is left out. */
function spelledOut(declared, faces, schemas, unions) {
  const exported = declared.slice(declared.search(/^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\nexport /m));
  const types = Array.from(declared.matchAll(EXPORTED))
    .filter(([, , name, inferred]) => !faces[name] && !ALL_NAMED.test(inferred))
    .map(([, , name]) => name);
  for (const name of types) {
    if (!schemas.has(name)) throw new Error(`face.ts exports ${name}, but no file of core exports that schema.`);
  }
  // What has a name: schemas by themselves, and the unions of literals by how they would be written.
  const names = new Map([...types.map((name) => [schemas.get(name), name]), ...unions]);
  const body = exported.replace(EXPORTED, (whole, doc = "", name, inferred) => {
    if (ALL_NAMED.test(inferred)) return whole;
    if (faces[name]) return `${doc}export interface ${name} ${faceText(faces[name], names)}`;
    const schema = schemas.get(name);
    const side = inferred.startsWith("Out<") ? "output" : "input";
    const docs = doc || docText([sentence(schema.description)]);
    return schema.def.type === "union"
      ? `${docs}export type ${name} = ${schema.def.options.map((one) => membersText(one, side, names)).join(" | ")};`
      : `${docs}export interface ${name} ${membersText(schema, side, names)}`;
  });
  return `import type { ${[...unions.values()].join(", ")}, OpenBytes, RunOptions } from "./index.js";\n${body}`;
}

function faceText(groups, names) {
  const group = ([name, verbs]) => `readonly ${name}: ${block(Object.entries(verbs).map(method))};`;
  const method = ([verb, operation]) => {
    const { summary, fails, input, output } = operation;
    const given = Object.keys(input.shape).length === 0 ? "Record<string, never>" : typeText(input, "input", names);
    const isOptional = input.safeParse({}).success || Object.values(input.shape).every(isLeftOut("input"));
    // The host's own commands take no Idempotency-Key, and a query needs none.
    const takesKey = operation.kind === "command" && operation.needs !== "operator";
    const options = takesKey ? ", options?: RunOptions" : "";
    const refusals = fails.map((code) => `\`${code}\``).join(", ");
    const doc = docText([sentence(summary)], refusals && `@throws LacreError with ${refusals}`);
    return `${doc}${verb}(input${isOptional ? "?" : ""}: ${given}${options}): Promise<${typeText(output, "output", names)}>;`;
  };
  return block(Object.entries(groups).map(group));
}

/** A schema as a type: by its name where it has one, spelled out otherwise. */
function typeText(schema, side, names) {
  const { def } = schema;
  const inner = (one) => typeText(one, side, names);
  if (names.has(schema)) return names.get(schema);
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
      throw new Error("declarations.mjs knows no type for what a field is made into.");
    case "array":
      return `${parenthesised(inner(def.element))}[]`;
    case "record":
      return `Record<${inner(def.keyType)}, ${inner(def.valueType)}>`;
    case "custom":
      if (schema.safeParse(() => {}).success) return schema.meta()?.signature ?? "OpenBytes";
      if (schema.safeParse({ async *[Symbol.asyncIterator]() {} }).success) return "AsyncIterable<Uint8Array>";
      return schema.safeParse("").success ? "Uint8Array | string" : "Uint8Array";
    case "object":
      return objectText(schema, side, names);
    default:
      throw new Error(`declarations.mjs knows no type for zod's ${def.type}.`);
  }
}

const unionText = (values) => values.map((value) => JSON.stringify(value)).join(" | ");

/** A page of a list, the changes to what an id names, or any other object. */
function objectText(schema, side, names) {
  const { data, pagination, id, ...rest } = schema.shape;
  if (data && pagination) return `Page<${typeText(data.def.element, side, names)}>`;
  const keys = Object.keys(rest);
  const isRest = ({ shape = {} }) =>
    keys.length === Object.keys(shape).length && keys.every((key) => shape[key] === rest[key]);
  const changes = id && keys.length > 0 && Array.from(names).findLast(([named]) => isRest(named));
  return changes ? `{ id: ${typeText(id, side, names)} } & ${changes[1]}` : membersText(schema, side, names);
}

function membersText({ shape }, side, names) {
  const isOptional = isLeftOut(side);
  return block(
    Object.entries(shape).map(([name, field]) => {
      const doc = docText(sentencesOn(field, side));
      return `${doc}${name}${isOptional(field) ? "?" : ""}: ${typeText(field, side, names)};`;
    }),
  );
}

const isLeftOut = (side) => (field) =>
  field.def.type === "optional" || (side === "input" && field.def.type === "default");

const parenthesised = (type) => (/ [|&] /.test(type) && !/^[{<]/.test(type) ? `(${type})` : type);

const block = (members) => (members.length === 0 ? "{}" : `{\n${indented(members.join("\n"))}\n}`);

const indented = (text) => text.replace(/^(?=.)/gm, "  ");

const FORMATS = { uuid: "UUID.", date: "A day, `YYYY-MM-DD`.", "date-time": "An instant, RFC 3339." };

/** What a field's schema knows of it: its description, its format or an example; on the way in its length and default. */
function sentencesOn(field, side) {
  const { description, format, example, maxLength, default: given } = metaOf(field);
  const shown = format === undefined && example !== undefined ? `\`${example}\`, for example.` : undefined;
  return [
    sentence(description) ?? FORMATS[format] ?? shown,
    ...(side === "input" && maxLength !== undefined ? [`At most ${maxLength} characters.`] : []),
    ...(given === undefined ? [] : [`${given} when left out.`]),
  ];
}

/** The metadata of a schema; what wraps it (`optional`, `nullable`) may add to it. */
function metaOf(schema) {
  return { ...(schema.def.innerType && metaOf(schema.def.innerType)), ...schema.meta() };
}

const sentence = (text) => text && (/[.!?]$/.test(text) ? text : `${text}.`);

/** A doc comment of a paragraph and a tag; nothing where both are empty. */
function docText(sentences, tag) {
  const text = sentences.filter(Boolean).join(" ");
  if (tag) return `/**\n * ${text}\n * ${tag}\n */\n`;
  return text ? `/** ${text} */\n` : "";
}
