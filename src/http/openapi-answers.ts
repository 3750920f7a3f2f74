/**
 * The description's two sides, from the same schemas. Requests are closed: an unknown field is refused, and limits are
 * stated. Answers are open: within v1 they get more fields, longer texts and more values, also of codes, and a client
 * that follows the description must not refuse those.
 */

type Node = Readonly<Record<string, unknown>>;
type Nodes = Readonly<Record<string, Node>>;

/** Keywords that limit requests and promise nothing about answers. */
const LIMITS = [
  ...["minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"],
];

const SCHEMAS = "#/components/schemas/";

/**
 * A document with open answers and webhook messages, and in every refusal the schema `Error`, which knows these codes.
 * A schema for both requests and answers is there twice: for requests, its name ends in `Input`.
 */
export function withOpenAnswers(document: object, codes: readonly string[]): object {
  const {
    paths = {},
    webhooks,
    components,
    ...rest
  } = document as {
    readonly paths?: Readonly<Record<string, Nodes>>;
    readonly webhooks?: Nodes;
    readonly components: Readonly<Record<string, Nodes>>;
  };
  const { schemas = {}, responses = {}, headers = {} } = components;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const answered = reached([webhooks, ...operations.map((operation) => operation.responses)], schemas);
  const sent = reached(
    operations.map(({ parameters, requestBody }) => [parameters, requestBody]),
    schemas,
  );
  const isTwice = (name: string) =>
    answered.has(name) && sent.has(name) && JSON.stringify(opened(schemas[name])) !== JSON.stringify(schemas[name]);
  const asSent = (node: unknown) => withNames(node, (name) => (isTwice(name) ? `${name}Input` : name));
  const published = Object.entries(schemas).flatMap(([name, schema]): [string, unknown][] => [
    ...(answered.has(name) ? [[name, opened(schema)] as [string, unknown]] : []),
    ...(isTwice(name) ? [[`${name}Input`, asSent(schema)] as [string, unknown]] : []),
    ...(answered.has(name) ? [] : [[name, asSent(schema)] as [string, unknown]]),
  ]);
  return {
    ...rest,
    components: {
      ...components,
      schemas: { ...Object.fromEntries(published), Error: errorSchema(codes) },
      responses: mapValues(responses, refusal),
      headers: mapValues(headers, opened),
    },
    paths: mapValues(paths, (path) =>
      mapValues(path, ({ responses, ...operation }) => ({
        ...(asSent(operation) as Node),
        responses: mapValues(responses as Nodes, (response, status) =>
          Number(status) >= 400 ? refusal(response) : opened(response),
        ),
      })),
    ),
    webhooks: opened(webhooks),
  };
}

/** The schema of a refusal: its code is a text, as more may be added. */
function errorSchema(codes: readonly string[]): Node {
  const code = withOpenValues({ type: "string", description: "Stable.", enum: codes });
  const message = { type: "string", description: "For people. Fields are named by their path, such as lines[2].qty." };
  const error = { type: "object", required: ["code", "message"], properties: { code, message } };
  return {
    type: "object",
    description: "Why a request was refused.",
    required: ["error"],
    properties: { error },
  };
}

/** A refusal with the schema of all refusals; its own codes are in its description and its examples. */
function refusal({ content, ...response }: Node): Node {
  if (content === undefined) return response;
  const schema = { $ref: `${SCHEMAS}Error` };
  return { ...response, content: mapValues(content as Nodes, (media) => ({ ...media, schema })) };
}

/** A schema, or a part of the document with schemas in it, that accepts later additions. */
function opened(node: unknown): unknown {
  return mapNode(node, (part) => {
    const kept = Object.entries(part).filter(([name]) => !LIMITS.includes(name));
    const open = kept.filter(([name, value]) => name !== "additionalProperties" || value !== false);
    return withOpenValues(Object.fromEntries(open));
  });
}

/**
 * Today's values instead of an enumeration: for programs in `x-extensible-enum`, for people in the description. An
 * `anyOf` of the values and any text would say the same, but few generators make a plain text of it. A single value is
 * a constant, and stays.
 */
function withOpenValues({ enum: values, ...part }: Node): Node {
  if (!Array.isArray(values)) return part;
  if (values.length === 1) return { ...part, enum: values };
  const known = values.filter((value) => value !== null);
  const says = `Now ${known.map((value) => `\`${value}\``).join(", ")}; more may be added.`;
  return {
    ...part,
    description: part.description === undefined ? says : `${part.description} ${says}`,
    "x-extensible-enum": known,
  };
}

/** A part of the document whose references to schemas have other names. */
function withNames(node: unknown, nameOf: (name: string) => string): unknown {
  return mapNode(node, (part) =>
    typeof part.$ref === "string" && part.$ref.startsWith(SCHEMAS)
      ? { ...part, $ref: SCHEMAS + nameOf(part.$ref.slice(SCHEMAS.length)) }
      : part,
  );
}

/** The names of the schemas that these parts of the document refer to, directly or through others. */
function reached(parts: readonly unknown[], schemas: Nodes): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (part: unknown): unknown =>
    withNames(part, (name) => {
      if (!names.has(name)) {
        names.add(name);
        visit(schemas[name]);
      }
      return name;
    });
  for (const part of parts) visit(part);
  return names;
}

/** Maps every object of a part of the document, except examples, and maps from names to schemas. */
function mapNode(node: unknown, change: (part: Node) => Node): unknown {
  if (Array.isArray(node)) return node.map((each) => mapNode(each, change));
  if (typeof node !== "object" || node === null) return node;
  return mapValues(change(node as Node), (value, name) => {
    if (name === "example" || name === "examples") return value;
    return name === "properties" ? mapValues(value as Nodes, (each) => mapNode(each, change)) : mapNode(value, change);
  });
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
