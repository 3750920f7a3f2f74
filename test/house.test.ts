/** The laws of the house, kept over the text of src. Each is also tried on a text that breaks it. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS } from "../src/core/operations.ts";
import type { Operation } from "../src/core/runtime/operation.ts";
import { LIBRARY_ONLY, ROUTES } from "../src/http/routes.ts";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

/** One source file: its path under src, and its text. */
interface Source {
  readonly path: string;
  readonly text: string;
}

/** A rule: what is wrong with a file, and a file with which something is. */
interface Law {
  readonly name: string;
  readonly problems: (source: Source) => readonly string[];
  readonly broken: Source;
}

const SOURCES: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), "utf8") }));

/** The text without comments, and without what stands in plain quotes where `quotes` says so. */
function code({ text }: Source, quotes: "kept" | "emptied" = "kept"): string {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
  return quotes === "kept" ? bare : bare.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
}

const found = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([match]) => match);

/** What a file imports or re-exports. */
const importsOf = (source: Source) =>
  Array.from(code(source).matchAll(/(?:from\s+|import\(\s*)"([^"]+)"/g), ([, name]) => name as string);

// ——— Rooms ———

/** From the innermost out: a room imports itself and what stands before it. */
const ROOMS = ["core/fiscal", "core", "http", "bin"] as const;

const roomOf = (path: string) => ROOMS.findIndex((room) => path.startsWith(`${room}/`));

/** What each room may import from outside, and the files that may import more. */
const PACKAGES: Readonly<Record<(typeof ROOMS)[number], RegExp>> = {
  "core/fiscal": /^node:crypto$/,
  core: /^(kysely|zod|node:crypto)$/,
  http: /^(zod|itty-router|@asteasolutions\/zod-to-openapi)$/,
  bin: /^(zod|node:.*)$/,
};
const MORE_PACKAGES: Readonly<Record<string, RegExp>> = {
  "core/api-keys.ts": /^node:zlib$/, // CRC32, the checksum of a key
  "core/print/pdf-canvas.ts": /^pdfkit$/,
  "core/print/picture.ts": /^node:zlib$/, // the checksums and the pixels of a PNG
  "core/print/qr-matrix.ts": /^qrcode-generator$/,
  "core/database/sqlite.ts": /^better-sqlite3$/,
  "core/database/node-sqlite.ts": /^node:sqlite$/,
  "core/saft/xml.ts": /^saxes$/, // a streaming XML parser; everything else reads its events
  "http/node.ts": /^node:(http|net|stream|stream\/promises)$/,
  "http/viewer.ts": /^node:fs$/, // reads the bundle of the documentation page
};

const DRIVERS = /^core\/database\/(node-)?sqlite\.ts$/;

// ——— Tables ———

/**
 * Who names a table in SQL: the file or the folder (it ends in a slash) that owns it comes first, then those that read it
 * or keep a column of it by agreement.
 */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  actors: ["core/actors.ts", "core/api-keys.ts"],
  api_keys: ["core/api-keys.ts"],
  companies: ["core/companies.ts"],
  company_logos: ["core/companies.ts"],
  customers: ["core/customers.ts", "core/master-data.ts"],
  customer_search: ["core/runtime/search.ts"],
  document_counts: ["core/documents/"],
  document_lines: ["core/documents/", "core/saft/export/reader.ts"],
  document_payments: ["core/documents/"],
  document_references: ["core/documents/", "core/saft/export/reader.ts"],
  documents: ["core/documents/", "core/saft/export/reader.ts", "core/saft/export/receipt-references.ts"],
  events: ["core/events.ts"],
  idempotency_keys: ["core/runtime/idempotency.ts"],
  installation: ["core/installation.ts", "core/signing/certification.ts"],
  lists: ["core/runtime/page.ts"],
  migrations: ["core/database/"],
  payments: ["core/payments.ts"],
  product_search: ["core/runtime/search.ts"],
  products: ["core/products.ts", "core/master-data.ts"],
  series: ["core/series/"],
  signing_keys: ["core/signing/"],
};

/** Whether a file may name a table in SQL. */
function mayName(path: string, table: string): boolean {
  const owners = OWNERS[table] ?? [];
  return owners.some((owner) => (owner.endsWith("/") ? path.startsWith(owner) : path === owner));
}

// ——— The laws ———

const LAWS: readonly Law[] = [
  {
    name: "imports run one way: bin, http, core, fiscal",
    problems: ({ path, text }) =>
      importsOf({ path, text })
        .filter((name) => name.startsWith("."))
        .filter((name) => roomOf(normalize(join(dirname(path), name))) > roomOf(path)),
    broken: { path: "core/fiscal/money.ts", text: 'import { text } from "../fields.ts";' },
  },
  {
    name: "core knows nothing of http, not even by a type",
    problems: ({ path, text }) =>
      path.startsWith("core/") ? importsOf({ path, text }).filter((name) => /\/(http|bin)\//.test(name)) : [],
    broken: { path: "core/runtime/run.ts", text: 'import type { Handler } from "../http/handler.ts";' },
  },
  {
    name: "each room imports its own packages and no others",
    problems: ({ path, text }) => {
      const room = ROOMS[roomOf(path)];
      return importsOf({ path, text })
        .filter((name) => !name.startsWith("."))
        .filter((name) => !(room && PACKAGES[room].test(name)) && !MORE_PACKAGES[path]?.test(name));
    },
    broken: { path: "core/customers.ts", text: 'import { readFileSync } from "node:fs";' },
  },
  {
    name: "a driver is imported by the program and the test door, never by the library itself",
    problems: ({ path, text }) =>
      path.startsWith("bin/") || path === "core/testing.ts"
        ? []
        : importsOf({ path, text }).filter((name) => DRIVERS.test(normalize(join(dirname(path), name)))),
    broken: { path: "core/open.ts", text: 'import { sqlite } from "./database/sqlite.ts";' },
  },
  {
    name: "requests, responses and statuses live in http",
    problems: (source) =>
      source.path.startsWith("http/")
        ? []
        : found(
            code(source, "emptied"),
            /\b(?:Request|Response|Headers)\b|\bstatus(?:Code|_code)?\W{1,6}[1-5]\d\d\b|\b[1-5]\d\d\W{1,6}status\b/g,
          ),
    broken: { path: "core/runtime/errors.ts", text: "export const STATUS = { status: 409 };" },
  },
  {
    name: "the process, the console and files belong to bin",
    problems: (source) => {
      if (source.path.startsWith("bin/")) return [];
      const used = found(code(source, "emptied"), /\b(?:process|console)\.\w+/g);
      const allowed = source.path === "core/database/sqlite.ts" ? ["process.versions"] : []; // a check of the runtime
      return used.filter((name) => !allowed.includes(name));
    },
    broken: { path: "http/handler.ts", text: 'console.log("x");' },
  },
  {
    name: "clocks and chance are read in ports.ts alone, and core does not wait",
    problems: (source) => {
      if (source.path === "core/runtime/ports.ts") return [];
      const text = code(source, "emptied");
      const read = found(
        text,
        /\bnew Date\(\)|\bDate\.now\b|\bMath\.random\b|\brandom(?:UUID|Bytes|Int|FillSync)\b|\bperformance\./g,
      );
      const mayWait = source.path === "core/database/sqlite-dialect.ts"; // for another program that is writing
      const waits =
        source.path.startsWith("core/") && !mayWait ? found(text, /\bset(?:Timeout|Interval|Immediate)\b/g) : [];
      return [...read, ...waits];
    },
    broken: { path: "core/events.ts", text: "const at = new Date().toISOString();" },
  },
  {
    name: "a transaction opens at the gate, for a query's snapshot, and around a migration",
    problems: (source) =>
      ["core/runtime/gate.ts", "core/runtime/run.ts", "core/database/migrate.ts"].includes(source.path)
        ? []
        : found(code(source), /\.(?:transaction|startTransaction)\(/g),
    broken: { path: "core/payments.ts", text: "await db.transaction().execute(work);" },
  },
  {
    name: "a table is named in SQL by the file or folder that owns it",
    problems: (source) =>
      Array.from(
        code(source).matchAll(/(?:selectFrom|insertInto|updateTable|deleteFrom|[jJ]oin)\(\s*"(\w+)/g),
        ([, table]) => table as string,
      ).filter((table) => !mayName(source.path, table)),
    broken: { path: "core/payments.ts", text: 'db.selectFrom("documents as d")' },
  },
  {
    name: "SQL as text stays with the migrations",
    problems: (source) =>
      source.path.startsWith("core/database/")
        ? []
        : found(code(source), /\bsql(?:<[^>]*>)?`|\bsql\.\w+|CompiledQuery/g),
    broken: { path: "core/series/series.ts", text: "sql`restores + 1`" },
  },
  {
    name: "fiscal is synchronous",
    problems: (source) =>
      source.path.startsWith("core/fiscal/") ? found(code(source, "emptied"), /\b(?:async|await|Promise)\b/g) : [],
    broken: { path: "core/fiscal/chain.ts", text: "export async function sign() {}" },
  },
  {
    name: "money is rounded in one place, and not by a float",
    problems: (source) =>
      source.path.startsWith("core/") && source.path !== "core/runtime/rate-limit.ts" // which rounds seconds
        ? found(code(source), /\bMath\.(?:round|floor|ceil|trunc)\b|\.toFixed\(|\bparseFloat\b/g)
        : [],
    broken: { path: "core/fiscal/totals.ts", text: "Math.round(net * 23) / 100" },
  },
  {
    name: "a class is an error, or what Kysely wants to be extended",
    problems: (source) =>
      found(code(source, "emptied"), /\bclass \w+(?: extends \w+)?/g).filter(
        (name) => !/ extends (?:Error|SqliteDriver|SqliteQueryCompiler)$/.test(name),
      ),
    broken: { path: "core/series/series.ts", text: "class SeriesService {}" },
  },
  {
    name: "names are exported by name",
    problems: (source) => found(code(source), /^export default\b|^(?:export )?(?:const )?enum \w+/gm),
    broken: { path: "core/series/series.ts", text: "export default function openSeries() {}" },
  },
  {
    name: "nothing is left to do",
    problems: ({ text }) => found(text, /\b(?:TODO|FIXME|XXX|HACK)\b/g),
    broken: { path: "core/series/series.ts", text: "// TODO: close it" },
  },
  {
    name: "every operation is in operations.ts",
    problems: (source) => {
      if (!source.path.startsWith("core/")) return [];
      const known = new Set(operations().map(({ id }) => id));
      return Array.from(
        code(source).matchAll(/^export const (\w+) = (?:query|command)\(/gm),
        ([, name]) => name as string,
      ).filter((name) => !known.has(name));
    },
    broken: { path: "core/customers.ts", text: "export const mergeCustomers = command({}, async () => {});" },
  },
  {
    name: "a refusal names a sentence of the table in runtime/sentences.ts",
    problems: wordsOfRefusals,
    broken: { path: "core/customers.ts", text: 'z.string().refine((given) => isEmail(given), "must be an e-mail")' },
  },
];

/** Calls that refuse, and the checks of a zod schema. */
const SPEAKING =
  /\b(?:refuse\w*|refusal\w*|problem|says?)\(|\.(?:refine|min|max|regex|uuid|email|int|number|string|boolean|enum|literal|array|custom)(?:<[^>]*>)?\(/g;

/** The literals with a space in them that such calls, or a `message:`, hold: words, where a name or a path has none. */
function wordsOfRefusals(source: Source): string[] {
  if (source.path.startsWith("bin/") || source.path === "core/runtime/sentences.ts") return [];
  const text = code(source).replace(/\.(?:describe|meta)\((?:[^()]|\([^()]*\))*\)/g, ""); // told to readers of the API
  const calls = Array.from(text.matchAll(SPEAKING), ({ 0: call, index }) => argumentsAt(text, index + call.length));
  const words = [...calls, ...found(text, /\bmessage: *["`].*/g)]
    .flatMap((part) => found(part, /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g))
    .filter((literal) => literal.replace(/\$\{[^}]*\}/g, "").includes(" "));
  return [...new Set(words)];
}

/** The text up to the parenthesis that closes the one before `start`. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < text.length; end++) depth += text[end] === "(" ? 1 : text[end] === ")" ? -1 : 0;
  return text.slice(start, end);
}

function operations(): Operation[] {
  const groups: Record<string, Record<string, Operation>> = { ...COMPANY_OPERATIONS, ...INSTALLATION_OPERATIONS };
  return Object.values(groups).flatMap((group) => Object.values(group));
}

describe.each(LAWS)("$name", ({ problems, broken }) => {
  test("holds", () => {
    const broke = SOURCES.flatMap((source) => problems(source).map((problem) => `${source.path}: ${problem}`));
    expect(broke).toEqual([]);
  });

  test("would be seen to break", () => expect(problems(broken)).not.toEqual([]));
});

test.each([
  ["no_such_customer", 'refuse("not_found", "There is no such customer.")'],
  ["series_exists", 'refuse("conflict", `There is already a series.`)'],
  ["must_be_more_than", "refuseInput([problem(path, `must be more than that`)])"],
  ["storage_not_ready", 'refusalAnswer("unavailable", "The database is not ready.")'],
  ["must_not_be_empty", 'z.array(Line.describe("One line.")).min(1, "must have a line")'],
  ["must_be_bytes_of_picture", 'z.custom<Uint8Array>((given) => isBytes(given), "must be bytes")'],
  ["is_unknown_field", 'context.addIssue({ code: "custom", message: "is not known" })'],
])("words of their own in place of %s are seen", (_, text) => {
  expect(wordsOfRefusals({ path: "http/bind.ts", text })).toHaveLength(1);
});

test("the laws read all of src, and every table has an owner", () => {
  expect(SOURCES.length).toBeGreaterThan(60);
  expect(SOURCES.filter(({ path }) => roomOf(path) === -1)).toEqual([]);
  const tables = readFileSync(join(SRC, "core/database/tables.ts"), "utf8");
  const names = Array.from(tables.matchAll(/^ {2}(\w+): \w+Table;$/gm), ([, name]) => name);
  expect(Object.keys(OWNERS).sort()).toEqual(names.sort());
  for (const owner of Object.values(OWNERS).flat()) {
    expect(SOURCES.some(({ path }) => (owner.endsWith("/") ? path.startsWith(owner) : path === owner))).toBe(true);
  }
});

test("an operation is routed, or on the list of those that are not, or for the host program alone", () => {
  const routed = ROUTES.flatMap((route) => ("operation" in route ? [route.operation.id] : []));
  const libraryOnly = LIBRARY_ONLY.map(({ operation }) => operation.id);
  const ofHost = Object.values(INSTALLATION_OPERATIONS).flatMap((group) => Object.values(group).map(({ id }) => id));
  expect([...routed, ...libraryOnly, ...ofHost].sort()).toEqual(
    operations()
      .map(({ id }) => id)
      .sort(),
  );
  expect(new Set(routed).size).toBe(routed.length);
});
