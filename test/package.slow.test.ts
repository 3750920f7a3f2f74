/**
 * The package as it is shipped: packed, unpacked beside nothing but its dependencies, and used as an embedder would.
 */
import { execFile } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import ts from "../node_modules/typed-client/node_modules/typescript/lib/typescript.js";
import packageJson from "../package.json" with { type: "json" };
import { ROUTES } from "../src/client/routes.ts";
import * as face from "../src/core/face.ts";
import { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS } from "../src/core/operations.ts";
import { REGULAR } from "../src/core/print/fonts/noto-sans.ts";
import type { Operation } from "../src/core/runtime/operation.ts";
import { ENTRANCES } from "../tools/entrances.ts";

const run = promisify(execFile);

/** The compiler of this repository, and the last one written in JavaScript: its API tells what an editor would show. */
const COMPILERS = { "7": "node_modules", "5.9": "node_modules/typed-client/node_modules" } as const;

let project: string;
let tarball: Buffer;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "lacre-embedder-"));
  await run("npm", ["pack", "--silent", "--pack-destination", project]);
  const packed = join(project, `lacre-${packageJson.version}.tgz`);
  tarball = readFileSync(packed);
  const installed = join(project, "node_modules/lacre");
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", packed, "-C", installed, "--strip-components=1"]);
  const { dependencies, optionalDependencies } = packageJson;
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), "@types/node"]) {
    const link = join(project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve("node_modules", name), link);
  }
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  copyFileSync("test/support/embedder.ts", join(project, "embedder.ts"));
});

afterAll(() => rmSync(project, { recursive: true }));

/** Type-checks one file of the project, declarations of packages included. */
async function check(
  compiler: keyof typeof COMPILERS,
  file: string,
  module: "nodenext" | "bundler",
  more: object = {},
) {
  const how = module === "bundler" ? { module: "esnext", moduleResolution: "bundler" } : { module };
  const compilerOptions = {
    target: "es2024",
    lib: ["es2024"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    ...how,
    ...more,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  // Several threads would check the same declarations several times.
  const flags = compiler === "7" ? ["--singleThreaded"] : [];
  await run(resolve(COMPILERS[compiler], ".bin/tsc"), ["--project", project, ...flags]);
}

describe("the npm package", () => {
  const files = () => readdirSync(join(project, "node_modules/lacre"), { recursive: true, encoding: "utf8" });

  test("has no sources, and runs nothing when it is installed", () => {
    expect(files().filter((path) => /(?<!\.d)\.ts$/.test(path))).toEqual([]);
    const scripts = Object.keys(packageJson.scripts);
    expect(scripts.filter((name) => /^(pre|post)?(install|prepare|prepublish)$/.test(name))).toEqual([]);
  });

  test("has the fonts once, with licence", () => {
    const piece = REGULAR.slice(10_000, 10_100);
    const texts = files().filter((path) => /\.(js|ts|json|map)$/.test(path));
    const withFont = texts.filter((path) =>
      readFileSync(join(project, "node_modules/lacre", path), "utf8").includes(piece),
    );
    expect(withFont).toEqual([expect.stringMatching(/^dist\/chunks\/pdf-canvas-\w+\.js$/)]); // of which no start reads
    expect(files()).toContain("dist/core/print/fonts/OFL.txt");
  });

  test("passes publint", async () => {
    const { buffer, byteOffset, byteLength } = tarball;
    const bytes = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    const { messages } = await publint({ pack: { tarball: bytes }, strict: true });
    expect(messages).toEqual([]);
  });
});

test.each(Object.keys(COMPILERS) as (keyof typeof COMPILERS)[])(
  "it type-checks without skipLibCheck in TypeScript %s",
  async (compiler) => {
    await check(compiler, "embedder.ts", "nodenext");
    await check(compiler, "embedder.ts", "bundler");
  },
);

test.each(Object.keys(COMPILERS) as (keyof typeof COMPILERS)[])(
  "lacre/client type-checks without any types of Node in TypeScript %s, and has no method that HTTP lacks",
  async (compiler) => {
    const text = `import { createClient, LacreError, type Client, verifyWebhook } from "lacre/client";
const shop: Client = createClient({ url: "https://billing.example", key: "lacre_live_x" });
const ana = await shop.customers.create({ name: "Ana" }, { idempotency_key: "customer-7" });
const city: string | null = ana.city;
const totals: number[] = [];
for await (const { total_gross } of shop.documents.each({ doc_type: "FT" })) totals.push(total_gross);
const bytes: Uint8Array = (await shop.documents.pdf({ id: ana.id })).pdf;
const file: AsyncIterable<Uint8Array> = (await shop.saft.export({ from: "2026-11-01", to: "2026-11-30" })).file;
const position: number = (await verifyWebhook({ secret: "whsec_x", headers: new Headers(), body: "" })).data.position;
const isKnown = (error: unknown) => error instanceof LacreError && error.code === "not_found" && error.status === 404;
export { bytes, city, file, isKnown, position, totals };
// @ts-expect-error
shop.series.verify;
// @ts-expect-error
shop.figures;
// @ts-expect-error
(await shop.saft.export({ from: "2026-11-01", to: "2026-11-30" })).report;
// @ts-expect-error
await shop.customers.change({ id: ana.id }, { idempotency_key: "x" });
// @ts-expect-error
shop.customers.each({ offset: 1 });
`;
    writeFileSync(join(project, "client.ts"), text);
    const more = { lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"], types: [] };
    await check(compiler, "client.ts", "bundler", more);
    await check(compiler, "client.ts", "nodenext", more);
    await expect(check(compiler, "embedder.ts", "bundler", more)).rejects.toThrow(); // the library needs them
  },
);

test("it runs, over both drivers and in memory", async () => {
  const { stdout } = await run(process.execPath, ["--no-warnings", "embedder.ts"], { cwd: project });
  const year = new Date().getFullYear();
  expect(stdout).toMatch(`sqlite: FT ${year}A/1, 401\nnodeSqlite: FT ${year}A/1, 401\nmemory: FT 2026A/1`);
});

/** What a program in the project prints, started with these flags. */
async function printed(name: string, text: string, ...flags: readonly string[]): Promise<string> {
  writeFileSync(join(project, name), text);
  return (await run(process.execPath, ["--no-warnings", ...flags, name], { cwd: project })).stdout;
}

test("what several entrances export is one thing, and an error of one is known to all", async () => {
  const text = `const doors = ["lacre", "lacre/sqlite", "lacre/node-sqlite", "lacre/testing", "lacre/http", "lacre/node"];
const modules = await Promise.all(doors.map((door) => import(door)));
const errors = modules.flatMap(({ StorageError }) => StorageError ?? []);
const [{ LacreError }, , , { openInMemory }] = modules;
const { lacre, company } = await openInMemory();
const refused = await company.customers.get({ id: "no" }).catch((error) => error);
await lacre.close();
console.log(errors.length, new Set(errors).size, refused instanceof LacreError);
`;
  expect(await printed("one.mjs", text)).toBe("3 1 true\n");
});

test("a start reads few files: what it needs of Kysely and zod lies in the package", async () => {
  const hook = `import { registerHooks } from "node:module";
globalThis.loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
`;
  writeFileSync(join(project, "hook.mjs"), hook);
  const text = `import { openLacre } from "lacre";
import { nodeSqlite } from "lacre/node-sqlite";
await (await openLacre({ dialect: nodeSqlite(":memory:") })).close();
const files = loaded.filter((url) => url.startsWith("file:"));
console.log(files.length < 30, files.some((url) => url.includes("kysely")), files.some((url) => url.includes("fewfiles")));
`;
  expect(await printed("fewfiles.mjs", text, "--import", "./hook.mjs")).toBe("true false true\n");
});

test("a host's own Kysely builds statements for a transaction", async () => {
  const text = `import { sql } from "kysely";
import { openInMemory } from "lacre/testing";
const { lacre, company_id } = await openInMemory();
await lacre.transaction(company_id, async ({ kysely }) => {
  await sql\`create table orders (id text)\`.execute(kysely);
  await kysely.insertInto("orders").values({ id: sql\`\${"10"} || '01'\` }).execute();
  console.log((await kysely.selectFrom("orders").selectAll().execute())[0].id);
});
await lacre.close();
`;
  expect(await printed("kysely.mjs", text)).toBe("1001\n");
});

test("CommonJS takes it by require", async () => {
  const text = `const { openInMemory } = require("lacre/testing");
openInMemory().then(({ lacre }) => lacre.close()).then(() => console.log(typeof require("lacre").openLacre));
`;
  expect(await printed("required.cjs", text)).toBe("function\n");
});

test("its program starts, and finds its pages", async () => {
  const main = join(project, "node_modules/lacre/dist/bin/main.js");
  const { stdout } = await run(process.execPath, [main, "version"], { cwd: project });
  expect(stdout).toContain(packageJson.version);
  const text = `import { readAreaFiles, readViewer } from "lacre/http";
console.log(Object.keys(readAreaFiles().assets).length > 10, readViewer().script.length > 100_000);
`;
  expect(await printed("pages.mjs", text)).toBe("true true\n");
});

test("it is an open build, whatever a host program says about a producer", async () => {
  const text = `globalThis.LACRE_PRODUCER = { certificate_number: 1234, name: "Oficina", tax_id: "509442013", public_key: "x" };
const { openInMemory } = await import("lacre/testing");
const { lacre } = await openInMemory();
const { certificate_number, producer } = await lacre.signer.get();
const set = (number) => lacre.signer.setCertificate({ certificate_number: number });
const refused = await set(1234).catch(({ code }) => code);
console.log(certificate_number, producer, refused, (await set(9999)).certificate_number);
await lacre.close();
`;
  writeFileSync(join(project, "producer.mjs"), text);
  const { stdout } = await run(process.execPath, ["--no-warnings", "producer.mjs"], { cwd: project });
  expect(stdout).toBe("0 null invalid_request 9999\n");
});

test("without better-sqlite3 it runs in memory, and lacre/sqlite says what to install", async () => {
  const link = join(project, "node_modules/better-sqlite3");
  const text = `import { openLacre } from "lacre";
import { nodeSqlite } from "lacre/node-sqlite";
import { sqlite } from "lacre/sqlite";
import { openInMemory } from "lacre/testing";
const { lacre, company } = await openInMemory();
console.log((await company.customers.create({ name: "Ana" })).name);
await lacre.close();
await (await openLacre({ dialect: nodeSqlite("without.db") })).close();
await openLacre({ dialect: sqlite("missing.db") }).catch((error) => console.log(error.name, error.message));
`;
  writeFileSync(join(project, "without.mjs"), text);
  rmSync(link);
  try {
    const { stdout } = await run(process.execPath, ["--no-warnings", "without.mjs"], { cwd: project });
    expect(stdout).toBe(
      "Ana\nStorageError lacre/sqlite needs better-sqlite3, which is not installed: npm install better-sqlite3. Or open " +
        "the file with nodeSqlite(file) of lacre/node-sqlite, which needs nothing.\n",
    );
  } finally {
    symlinkSync(resolve("node_modules/better-sqlite3"), link);
  }
});

test("a plain Kysely dialect does not type-check", async () => {
  const text = `import { SqliteDialect } from "kysely";
import { openLacre } from "lacre";
export const lacre = openLacre({ dialect: new SqliteDialect({ database: async () => { throw new Error(); } }) });
`;
  writeFileSync(join(project, "foreign.ts"), text);
  await expect(check("7", "foreign.ts", "nodenext")).rejects.toMatchObject({
    stdout: expect.stringMatching(
      /foreign\.ts\(3,34\): error TS2739: .* is missing the following properties from type 'LacreDialect': engine, connect/,
    ),
  });
});

test("the types that are spelled out are those that TypeScript infers from the schemas", async () => {
  const names = ["CompanyMethods", "PersonMethods", "HostFace", ...Object.keys(face)];
  // Core tells a day from an instant by their types; to embedders both are strings.
  const text = `import type * as Spelled from "lacre";
import type * as Inferred from "${resolve("src/core/face.ts")}";
type Plain<T> = T extends { readonly kindOfTime: string } ? string
  : T extends Uint8Array ? T
  : T extends AsyncIterable<infer E> ? AsyncIterable<Plain<E>>
  : T extends (...given: infer A) => Promise<infer R> ? (...given: A) => Promise<Plain<R>>
  : T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;
${names
  .map(
    (name, i) => `export const to${i} = (given: Spelled.${name}): Plain<Inferred.${name}> => given;
export const from${i} = (given: Inferred.${name}): Spelled.${name} => given;`,
  )
  .join("\n")}
`;
  writeFileSync(join(project, "equal.ts"), text);
  await check("7", "equal.ts", "nodenext", { allowImportingTsExtensions: true, skipLibCheck: true });
});

/** The operations that `lacre/client` has. */
const OVER_HTTP = Object.fromEntries(
  Object.entries<Readonly<Record<string, Operation>>>(COMPANY_OPERATIONS).map(([group, verbs]) => {
    const routed: object = ROUTES[group as keyof typeof ROUTES] ?? {};
    return [group, Object.fromEntries(Object.entries(verbs).filter(([verb]) => verb in routed))];
  }),
);

/** An editor of one file: given a text, it tells what is known at a place. It reads all declarations once. */
function anEditor(file: string) {
  let text = "";
  let version = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ module: ts.ModuleKind.NodeNext, strict: true, types: ["node"] }),
    getScriptFileNames: () => [file],
    getScriptVersion: (path) => (path === file ? String(version) : "1"),
    getScriptSnapshot(path) {
      const content = path === file ? text : ts.sys.readFile(path);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => project,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
  });
  return (given: string) => {
    text = given;
    version++;
    return (place: number) => service.getQuickInfoAtPosition(file, place);
  };
}

describe("on hover", () => {
  const HEAD = `import { openLacre, type Document, type NewCustomer } from "lacre";
import type { Client } from "lacre/client";
declare const client: Client;
declare const lacre: Awaited<ReturnType<typeof openLacre>>;
declare const company: ReturnType<typeof lacre.as>;
declare const document: Document;
declare const customer: NewCustomer;
`;

  let edit: ReturnType<typeof anEditor>;

  beforeAll(() => {
    edit = anEditor(join(project, "hover.ts"));
  });

  /** The docstring an editor shows before the `|` in each of these pieces of a program, tags included. */
  function hovers(pieces: readonly string[]): string[] {
    const knownAt = edit(`${HEAD}${pieces.map((piece) => `${piece.replace("|", "")};\n`).join("")}`);
    let start = HEAD.length;
    return pieces.map((piece) => {
      const { documentation, tags = [] } = knownAt(start + piece.indexOf("|") - 1) ?? {};
      start += piece.length + 1;
      const tagged = tags.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`);
      return [ts.displayPartsToString(documentation), ...tagged].join("\n");
    });
  }

  test.each([
    ["company", COMPANY_OPERATIONS],
    ["lacre", INSTALLATION_OPERATIONS],
    ["client", OVER_HTTP],
  ])("every operation of %s shows its summary and its refusals", (face, groups) => {
    const operations = Object.entries<Readonly<Record<string, Operation>>>(groups).flatMap(([group, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => ({ name: `${face}.${group}.${verb}`, ...operation })),
    );
    const shown = hovers(operations.map(({ name }) => `${name}|`));
    const expected = operations.map(({ summary, fails }) => {
      const codes = fails.map((code) => `\`${code}\``).join(", ");
      return codes ? `${summary}.\n@throws LacreError with ${codes}` : `${summary}.`;
    });
    expect(shown).toEqual(expected);
  });

  test("a field shows its schema's description, in a literal too", () => {
    expect(
      hovers([
        "document.total_gross|",
        "document.lines[0]!.tax_rate|",
        "customer.tax_id|",
        "company.documents.list({ status|: 'draft' })",
        "company.customers.create({ name: '', tax_id|: null })",
      ]),
    ).toEqual([
      "EUR, at most two decimals.",
      "Percentage: 23 is 23 %.",
      "For Portugal (or no country) a valid NIF. At most 30 characters.",
      "Only documents in this status.",
      "For Portugal (or no country) a valid NIF. At most 30 characters.",
    ]);
  });
});

describe("an entrance", () => {
  const declarationOf = (file: string) =>
    join(project, "node_modules/lacre", file.replace(/^src(.*)\.ts$/, "dist$1.d.ts"));

  let program: ts.Program;

  beforeAll(() => {
    const all = Object.values(ENTRANCES).map(declarationOf);
    program = ts.createProgram(all, { module: ts.ModuleKind.NodeNext, types: [] });
  });

  test.each(Object.entries(ENTRANCES))("%s shows what every name is that it exports", (_, file) => {
    const checker = program.getTypeChecker();
    const source = program.getSourceFile(declarationOf(file));
    const module = source && checker.getSymbolAtLocation(source);
    const exported = module ? checker.getExportsOfModule(module) : [];
    const original = (symbol: ts.Symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const bare = exported.filter((symbol) => original(symbol).getDocumentationComment(checker).length === 0);
    expect(exported.length).toBeGreaterThan(1);
    expect(bare.map(({ name }) => name)).toEqual([]);
  });
});
