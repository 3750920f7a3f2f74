// Builds the company area: one JSON file with the shell and every asset, each under a name that changes with its
// content. The routes of operations and the limits of fields are computed from the routes and the contracts.

import type { Limits, Route } from "lacre:contracts";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build as bundle, type Metafile, type Plugin } from "esbuild";
import { z } from "zod";
import { COMPANY_OPERATIONS, PERSON_OPERATIONS } from "../src/core/operations.ts";
import type { AreaFiles } from "../src/http/area-files.ts";
import { AREA_ROUTES } from "../src/http/area-routes.ts";
import type { OperationRoute } from "../src/http/route.ts";
import { ROUTES } from "../src/http/routes.ts";
import { routesOf } from "./routes.ts";

const START = "src/web/main.tsx";
const STYLE = "src/web/style.css";

/** The first screens of a visit: signing in and the set-up, and home. */
const FIRST_SCREENS = [START, "src/web/screens/home.tsx"];
/** The largest weight of a first screen's scripts, compressed, with their texts in both languages. */
const MAX_FIRST_BYTES = 60 * 1024;
/** The largest weight of the whole page's style, compressed. */
const MAX_STYLE_BYTES = 9 * 1024;

const TYPES: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css" };

/** The company area as it is served, and the weight of its scripts. */
interface Area extends AreaFiles {
  /** By the source of each screen: the bytes of all scripts that it needs, compressed. */
  readonly script_bytes: ReadonlyMap<string, number>;
}

/**
 * Bundles src/web: a script for each screen, one for what several share, and one style for all. Throws if a first
 * screen needs more of either than a visit should wait for.
 */
export async function buildArea(): Promise<Area> {
  const { outputFiles, metafile } = await bundle({
    entryPoints: [START, STYLE],
    outdir: "assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    // Calls of `h` are shorter than those of the automatic runtime.
    jsx: "transform",
    jsxFactory: "h",
    jsxFragment: "Fragment",
    inject: [fileURLToPath(import.meta.resolve("preact"))],
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    plugins: [contracts()],
  });
  const packed = new Map(outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents, { level: 9 })]));
  const script_bytes = scriptBytes(metafile, packed);
  for (const screen of FIRST_SCREENS) {
    const bytes = script_bytes.get(screen) ?? Number.POSITIVE_INFINITY;
    if (bytes > MAX_FIRST_BYTES) {
      throw new Error(`The scripts of ${screen} weigh ${bytes} bytes compressed; at most ${MAX_FIRST_BYTES}.`);
    }
  }
  const style = outputOf(metafile, STYLE);
  const style_bytes = packed.get(basename(style))?.length ?? Number.POSITIVE_INFINITY;
  if (style_bytes > MAX_STYLE_BYTES) {
    throw new Error(`${STYLE} weighs ${style_bytes} bytes compressed; at most ${MAX_STYLE_BYTES}.`);
  }
  const assets = Array.from(packed, ([name, gzip]) => {
    const type = TYPES[name.split(".").at(-1) ?? ""] ?? "";
    return [name, { type, gzip: gzip.toString("base64") }] as const;
  });
  const at = (path: string) => `{area}/assets/${basename(path)}`;
  const start = outputOf(metafile, START);
  // Scripts named in the shell load together; otherwise each loads only after the one that imports it.
  const preloads = closure(metafile, [start]).map((path) => `<link rel="modulepreload" href="${at(path)}">`);
  const shell = readFileSync("src/web/shell.html", "utf8")
    .replace("{style}", at(style))
    .replace("{preloads}", preloads.join("\n"))
    .replace("{start}", at(start));
  return { shell, assets: Object.fromEntries(assets), script_bytes };
}

/** The path of the output whose entry is this source. */
function outputOf(metafile: Metafile, source: string): string {
  const [path] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
  if (path === undefined) throw new Error(`${source} has no output of its own.`);
  return path;
}

/** The imports of a script: immediate, or later. */
const importsOf = (metafile: Metafile, path: string, kind: "import-statement" | "dynamic-import") =>
  metafile.outputs[path]?.imports.filter((one) => one.kind === kind).map((one) => one.path) ?? [];

/** Scripts, and everything that they import immediately. */
function closure(metafile: Metafile, paths: readonly string[]): string[] {
  const found = new Set(paths);
  for (const path of found) for (const next of importsOf(metafile, path, "import-statement")) found.add(next);
  return Array.from(found);
}

/** The needs of each screen: its script, that of the start, and everything that the two import immediately. */
function scriptBytes(metafile: Metafile, packed: ReadonlyMap<string, Buffer>): Map<string, number> {
  const start = outputOf(metafile, START);
  const bytesOf = (path: string) => packed.get(basename(path))?.length ?? 0;
  const screens = [start, ...importsOf(metafile, start, "dynamic-import")];
  return new Map(
    screens.map((screen) => {
      const bytes = closure(metafile, [start, screen]).reduce((sum, path) => sum + bytesOf(path), 0);
      return [metafile.outputs[screen]?.entryPoint ?? screen, bytes];
    }),
  );
}

/** What src/web imports as `lacre:contracts`. */
function contracts(): Plugin {
  const routes = [...ROUTES, ...AREA_ROUTES];
  const entry = ({ method, path, file }: OperationRoute): Route => (file ? [method, path, "file"] : [method, path]);
  const values = {
    ROUTES: routesOf(COMPANY_OPERATIONS, routes, entry),
    PERSON_ROUTES: routesOf(PERSON_OPERATIONS, routes, entry),
    LIMITS: limits(),
  };
  const contents = Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
  return {
    name: "contracts",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^lacre:contracts$/ }, ({ path }) => ({ path, namespace: "contracts" }));
      onLoad({ filter: /.*/, namespace: "contracts" }, () => ({ contents: contents.join("\n"), loader: "js" }));
    },
  };
}

/** The limits of the fields of each command, under the names of HTML. */
function limits(): Record<string, Record<string, Limits>> {
  const commands = Object.entries(COMPANY_OPERATIONS).flatMap(([group, verbs]) =>
    Object.entries(verbs).flatMap(([verb, { kind, input }]) =>
      kind === "command" ? [[`${group}.${verb}`, input as z.ZodType] as const] : [],
    ),
  );
  return Object.fromEntries(commands.map(([name, input]) => [name, limitsOfFields(input)]));
}

/** The parts of zod's JSON Schema that hold limits. */
interface FieldSchema {
  readonly type?: string;
  readonly anyOf?: readonly FieldSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, FieldSchema>>;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

function limitsOfFields(input: z.ZodType): Record<string, Limits> {
  const whole: FieldSchema = z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as FieldSchema;
  const own = (whole.$ref && whole.$defs?.[whole.$ref.split("/").at(-1) ?? ""]) || whole;
  const found = limitsWithin(own).filter(([path, limits]) => path !== "id" && Object.keys(limits).length > 0);
  return Object.fromEntries(found);
}

/** The limits of the fields of an object and of the objects in it, by their paths: `server.host`. */
function limitsWithin({ properties = {}, required = [] }: FieldSchema, path = ""): (readonly [string, Limits])[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const given = field.anyOf?.find(({ type }) => type !== "null") ?? field;
    const limits = limitsOfField(given, required.includes(name));
    return [[path + name, limits] as const, ...limitsWithin(given, `${path}${name}.`)];
  });
}

function limitsOfField({ maxLength, minimum, maximum }: FieldSchema, required: boolean): Limits {
  return {
    ...(required && { required }),
    ...(maxLength !== undefined && { maxlength: maxLength }),
    ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && { min: minimum }),
    ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && { max: maximum }),
  };
}
