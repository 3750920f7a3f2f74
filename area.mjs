// Builds the company area: one JSON file with the shell and every asset, each under a name that changes with its
// content. Together with the doors and the limits of fields, which are computed from the routes and the contracts; and
// with the texts taken out of the scripts, into one file for each language.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build as bundle } from "esbuild";
import { LANGS } from "./src/core/languages.ts";

/** The most that the script of the area may weigh, compressed: every screen together. */
const MOST_SCRIPT_BYTES = 75 * 1024;

const TYPES = { js: "text/javascript", css: "text/css", json: "application/json" };

/** The groups of operations, each with its verbs that have a route: the method, the path, how it answers. */
function doorsOf(operations, routes) {
  const doors = {};
  for (const [group, verbs] of Object.entries(operations)) {
    for (const [verb, operation] of Object.entries(verbs)) {
      const route = routes.find((one) => one.operation === operation);
      if (!route) continue;
      doors[group] ??= {};
      doors[group][verb] = [route.method, route.path, ...(route.file ? ["file"] : [])];
    }
  }
  return doors;
}

/** The limits of the fields of the commands that the page names, under the names of HTML. */
function limitsOf(operations, toJsonSchema) {
  const limits = {};
  const source = readdirSync("src/web", { recursive: true })
    .filter((file) => file.endsWith(".tsx"))
    .map((file) => readFileSync(`src/web/${file}`, "utf8"))
    .join("\n");
  for (const [group, verbs] of Object.entries(operations)) {
    for (const [verb, { kind, input }] of Object.entries(verbs)) {
      if (kind !== "command" || !source.includes(`"${group}.${verb}"`)) continue;
      const schema = toJsonSchema(input, { io: "input", unrepresentable: "any" });
      const { properties = {}, required = [] } = schema.$ref ? schema.$defs[schema.$ref.split("/").at(-1)] : schema;
      const ofFields = Object.entries(properties).map(([name, field]) => [
        name,
        limitsOfField(field, required.includes(name)),
      ]);
      limits[`${group}.${verb}`] = Object.fromEntries(
        ofFields.filter(([name, limits]) => name !== "id" && Object.keys(limits).length > 0),
      );
    }
  }
  return limits;
}

function limitsOfField(schema, required) {
  const { maxLength, minimum, maximum } = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  return {
    ...(required && { required }),
    ...(maxLength !== undefined && { maxlength: maxLength }),
    ...(minimum > Number.MIN_SAFE_INTEGER && { min: minimum }),
    ...(maximum < Number.MAX_SAFE_INTEGER && { max: maximum }),
  };
}

/** What src/web imports as `lacre:contracts`. */
async function contracts() {
  const { z } = await import("zod");
  const { COMPANY_OPERATIONS } = await import("./src/core/operations.ts");
  const { ROUTES } = await import("./src/http/routes.ts");
  const { AREA_ROUTES } = await import("./src/http/area-routes.ts");
  const values = {
    DOORS: doorsOf(COMPANY_OPERATIONS, [...ROUTES, ...AREA_ROUTES]),
    LIMITS: limitsOf(COMPANY_OPERATIONS, z.toJSONSchema),
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

/** A table of texts as the formatter leaves it: on one line, or on several. */
const TABLE_OF_TEXTS = /(?<=^const [^\n]*= )texts\((\{ [^\n]* \}|\{\n.*?\n\})\)/gms;

/** Takes the texts out of the scripts: a table of them, whose pairs are in the order of `LANGS`, gives way to its number. */
function textsApart() {
  const catalogues = LANGS.map(() => []);
  const numbered = (table) => {
    const pairs = Object.entries(runInNewContext(`(${table})`));
    for (const [language, catalogue] of catalogues.entries()) {
      catalogue.push(Object.fromEntries(pairs.map(([name, pair]) => [name, pair[language]])));
    }
    return `texts(${catalogues[0].length - 1})`;
  };
  const files = readdirSync("src/web", { recursive: true }).filter((file) => /\.tsx?$/.test(file));
  const scripts = new Map(
    files.sort().map((file) => {
      const source = readFileSync(`src/web/${file}`, "utf8");
      return [resolve("src/web", file), source.replaceAll(TABLE_OF_TEXTS, (_, table) => numbered(table))];
    }),
  );
  const plugin = {
    name: "texts",
    setup({ onLoad }) {
      onLoad({ filter: /[/\\]src[/\\]web[/\\].*\.tsx?$/ }, ({ path }) => ({
        contents: scripts.get(path),
        loader: path.endsWith("x") ? "tsx" : "ts",
      }));
    },
  };
  return { plugin, catalogues };
}

/** The area as `{ shell, assets: { name: { type, gzip } } }`; `{area}` in the shell stands for the path it lies at. */
export async function buildArea() {
  const { plugin, catalogues } = textsApart();
  const { outputFiles, metafile } = await bundle({
    entryPoints: ["src/web/main.tsx", "src/web/style.css"],
    outdir: "assets",
    entryNames: "[name]-[hash]",
    bundle: true,
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
    tsconfigRaw: { compilerOptions: { target: "es2024", verbatimModuleSyntax: true } },
    plugins: [plugin, await contracts()],
  });
  const texts = catalogues.map((catalogue, language) => {
    const contents = JSON.stringify(catalogue);
    const digest = createHash("sha256").update(contents).digest("hex").slice(0, 8);
    return { path: `texts-${LANGS[language]}-${digest}.json`, contents };
  });
  const assets = {};
  let script_bytes = 0;
  for (const { path, contents } of [...outputFiles, ...texts]) {
    const type = TYPES[path.split(".").at(-1)];
    const gzip = gzipSync(contents, { level: 9 });
    if (type === TYPES.js) script_bytes += gzip.length;
    assets[basename(path)] = { type, gzip: gzip.toString("base64") };
  }
  if (script_bytes > MOST_SCRIPT_BYTES) {
    throw new Error(`The area's script weighs ${script_bytes} bytes compressed; at most ${MOST_SCRIPT_BYTES}.`);
  }
  const outputOf = (entry) => Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)[0];
  const start = outputOf("src/web/main.tsx");
  const at = (path) => `{area}/assets/${basename(path)}`;
  const links = texts.map(({ path }, n) => `<link rel="alternate" hreflang="${LANGS[n]}" href="${at(path)}">`);
  const shell = readFileSync("src/web/shell.html", "utf8")
    .replace("{style}", at(outputOf("src/web/style.css")))
    .replace("{start}", at(start))
    .replace("{links}", links.join("\n"));
  return { shell, assets, script_bytes };
}
