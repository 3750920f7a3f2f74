/** The rules of docs/architecture.md, checked on the text of src. Each is also tried on a file that breaks it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { TABLES } from "../src/core/database/tables.ts";
import { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS, PERSON_OPERATIONS } from "../src/core/operations.ts";
import type { Operation } from "../src/core/runtime/operation.ts";
import { AREA_ROUTES, AREA_UNROUTED } from "../src/http/area-routes.ts";
import { LIBRARY_ONLY, ROUTES } from "../src/http/routes.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** One file of TypeScript: its path, under src or from the root of the repository, and its text. */
interface Source {
  readonly path: string;
  readonly text: string;
}

/** A rule: what is wrong with a file, and a file that breaks it. */
interface Law {
  readonly name: string;
  readonly problems: (source: Source) => readonly string[];
  readonly broken: Source;
}

/** The paths of all files below a folder, relative to it, with `/` between names. */
const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.includes("node_modules"),
  );

/** The TypeScript below a folder. */
const sourcesBelow = (folder: string): Source[] =>
  filesBelow(folder)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, folder, path), "utf8") }));

const SOURCES: readonly Source[] = sourcesBelow("src");

/** The text without comments, and without what stands in plain quotes where `quotes` says so. */
function code({ text }: Source, quotes: "kept" | "emptied" = "kept"): string {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
  return quotes === "kept" ? bare : bare.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
}

const found = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([match]) => match);

/** What a file imports or re-exports. */
const importsOf = (source: Source) =>
  Array.from(code(source).matchAll(/(?:from\s+|import\(\s*)"([^"]+)"/g), ([, name]) => name as string);

/** The files of src that a file imports, types included. */
const filesImportedBy = (source: Source) =>
  importsOf(source)
    .filter((name) => name.startsWith("."))
    .map((name) => normalize(join(dirname(source.path), name)));

// ——— Rooms ———

/** From the innermost out: a room imports itself and what stands before it. The client has a law of its own. */
const ROOMS = ["core/fiscal", "core", "http", "client", "bin", "web"] as const;

const roomOf = (path: string) => ROOMS.findIndex((room) => path.startsWith(`${room}/`));

/** What each room may import from outside, and the files that may import more. */
const PACKAGES: Readonly<Record<(typeof ROOMS)[number], RegExp>> = {
  "core/fiscal": /^node:crypto$/,
  core: /^(kysely|zod|node:crypto)$/,
  http: /^(zod|itty-router|@asteasolutions\/zod-to-openapi)$/,
  bin: /^(zod|node:.*)$/,
  client: /^$/,
  web: /^(preact(\/hooks)?|@preact\/signals|lacre:contracts)$/,
};
const MORE_PACKAGES: Readonly<Record<string, RegExp>> = {
  "core/archive/gzip.ts": /^node:zlib$/,
  "core/people/guessed.ts": /^node:zlib$/, // the list of passwords, compressed
  "core/database/host-transaction.ts": /^node:fs$/, // tells whether two paths are one file
  "core/runtime/host-transactions.ts": /^node:async_hooks$/, // in which transaction of the host's a call is made
  "core/people/api-keys.ts": /^node:zlib$/, // CRC32, the checksum of a key
  "core/print/pdf-canvas.ts": /^pdfkit$/,
  "core/print/picture.ts": /^node:zlib$/, // the checksums and the pixels of a PNG
  "core/print/qr-matrix.ts": /^qrcode-generator$/,
  "core/database/sqlite.ts": /^(better-sqlite3|node:module)$/, // the former at its first use
  "core/database/postgres-server.ts": /^pg$/,
  "core/database/node-sqlite.ts": /^node:sqlite$/,
  "core/runtime/idempotency.ts": /^node:zlib$/, // remembered answers, compressed
  "core/saft/xml.ts": /^saxes$/, // a streaming XML parser; everything else reads its events
  "http/area-files.ts": /^node:(fs|zlib)$/, // reads the bundle of the company area
  "http/files.ts": /^node:(crypto|zlib)$/, // tags and packs files
  "http/addresses.ts": /^node:net$/, // reads addresses and networks as the system does
  "http/connections.ts": /^node:(http|net)$/, // types of connections
  "http/node.ts": /^node:(http|net|stream)$/,
  "core/webhooks/address.ts": /^node:net$/, // reads addresses and networks as the system does
  "http/mail.ts": /^nodemailer$/, // the former at the first e-mail
  "http/webhook-sender.ts": /^node:(dns\/promises|http|https|net)$/,
  "http/reading.ts": /^node:fs$/, // reads the pages of docs/
  "http/viewer.ts": /^node:fs$/, // reads the bundle of the documentation page
};

const DRIVERS = /^core\/database\/(node-)?sqlite\.ts$/;

const GRAPH: ReadonlyMap<string, readonly string[]> = new Map(
  SOURCES.map((source) => [source.path, filesImportedBy(source)]),
);

/** The shortest way from a file back to itself over imports, if there is one. */
function circleThrough(source: Source): string[] | undefined {
  const ways = filesImportedBy(source).map((file) => [source.path, file]);
  const seen = new Set<string>();
  for (const way of ways) {
    const last = way.at(-1) as string;
    if (last === source.path) return way;
    if (seen.has(last)) continue;
    seen.add(last);
    ways.push(...(GRAPH.get(last) ?? []).map((file) => [...way, file]));
  }
  return undefined;
}

/** Where http and bin enter core: its doors, files of runtime, and the types of what they handle. */
const ENTRANCES: Readonly<Record<"http" | "bin", readonly string[]>> = {
  http: [
    "core/texts/languages.ts",
    "core/texts/texts.ts",
    "core/open.ts",
    "core/operations.ts",
    "core/version.ts",
    "core/runtime/contract.ts",
    "core/runtime/errors.ts",
    "core/runtime/etag.ts",
    "core/runtime/operation.ts",
    "core/runtime/permissions.ts",
    "core/runtime/ports.ts",
    "core/runtime/public-url.ts",
    "core/runtime/refusals.ts",
    "core/runtime/tracing.ts",
  ],
  bin: [
    "core/index.ts",
    "core/version.ts",
    "core/database/node-sqlite.ts",
    "core/database/postgres-copy.ts",
    "core/database/postgres-facts.ts",
    "core/database/postgres.ts",
    "core/database/schema-facts.ts",
    "core/database/sqlite.ts",
    "core/fiscal/civil-time.ts",
    "core/fiscal/document-types.ts",
    "core/fiscal/numbering.ts",
    "core/fiscal/vat-rates.ts",
    "core/texts/languages.ts",
    "core/texts/imported-record.ts",
    "core/texts/saft.ts",
    "core/texts/texts.ts",
    "core/operations.ts",
    "core/print/paper.ts",
    "core/runtime/free-space.ts",
    "core/runtime/ports.ts",
    "core/runtime/public-url.ts",
    "core/signing/signer.ts",
    "core/webhooks/address.ts",
    "core/webhooks/signature.ts",
  ],
};

// ——— The map ———

/** docs.test.ts proves that the map names nothing else. */
const MAP = "docs/architecture.md";

/** Every path of the tree on the map: the fenced block that begins with `src/`. Folders end in a slash. */
function pathsOnTheMap(markdown: string): string[] {
  const [, tree = ""] = /^```\w*\n(src\/\n[\s\S]*?)^```$/m.exec(markdown) ?? [];
  const folders: string[] = [];
  return Array.from(tree.matchAll(/^( *)(\S+)/gm), ([, indent = "", name = ""]) => {
    folders.length = indent.length / 2;
    const path = [...folders, name].join("");
    if (name.endsWith("/")) folders.push(name);
    return path;
  });
}

const ON_THE_MAP: readonly string[] = existsSync(join(ROOT, MAP))
  ? pathsOnTheMap(readFileSync(join(ROOT, MAP), "utf8"))
  : [];

// ——— Styles ———

/** The page's files of style; the first lists the others in the order in which they are built into one. */
const STYLE_LIST = "web/style.css";
const STYLES: readonly Source[] = filesBelow("src/web")
  .filter((path) => path.endsWith(".css"))
  .map((path) => ({ path: `web/${path}`, text: readFileSync(join(ROOT, "src/web", path), "utf8") }));

const LISTED: readonly string[] = STYLES.filter(({ path }) => path === STYLE_LIST).flatMap(({ text }) =>
  found(text, /(?<=^@import "\.\/)[^"]+/gm).map((path) => `web/${path}`),
);

/** The classes that selectors name. */
const classesStyled = (style: Source) =>
  found(code(style), /[^{};]+(?=\{)/g).flatMap((selector) => found(selector, /(?<=\.)[a-z][\w-]*/g));

const STYLED: ReadonlySet<string> = new Set(STYLES.flatMap(classesStyled));

/** The words of a component's literals: the classes it gives are among them. */
const wordsOf = (source: Source) =>
  found(code(source), /"[^"\n]*"|`[^`]*`/g).flatMap((literal) => found(literal, /[\w-]+/g));

/** The classes that a component gives, without those that it computes. */
const classesGiven = (source: Source) =>
  Array.from(code(source).matchAll(/\bclass(?:=|: |Name = )("[^"]*"|\{(?:[^{}]|\{[^{}]*\})*\})/g), ([, given]) => given)
    .flatMap((given) => Array.from((given as string).matchAll(/(=== )?("[^"]*"|`[^`]*`)/g)))
    .flatMap(([, compared, literal]) =>
      compared ? [] : found((literal as string).replace(/\$\{[^}]*\}/g, " "), /[\w-]+/g),
    );

/** The component that a file of style stands beside, all that it is built of, and who uses it; for style/, the page. */
function componentsOf(style: string): readonly Source[] {
  if (style.startsWith("web/style/")) return SOURCES.filter(({ path }) => path.startsWith("web/"));
  const isBeside = (path: string) => path.replace(/\.tsx?$/, ".css") === style;
  const built = new Set(Array.from(GRAPH.keys()).filter(isBeside));
  for (const path of built) for (const next of GRAPH.get(path) ?? []) built.add(next);
  return SOURCES.filter(({ path }) => built.has(path) || GRAPH.get(path)?.some(isBeside));
}

const LAWS_OF_STYLE: readonly Law[] = [
  {
    name: "a file of style stands beside a component of its name, or in style/, and is listed once in style.css",
    problems: ({ path }) => {
      if (path === STYLE_LIST) return LISTED.filter((listed) => !STYLES.some((style) => style.path === listed));
      return [
        ...(componentsOf(path).length > 0 ? [] : ["stands beside no component"]),
        ...(LISTED.filter((listed) => listed === path).length === 1 ? [] : ["is not listed once"]),
      ];
    },
    broken: { path: "web/screens/nobody.css", text: "" },
  },
  {
    name: "a class in a file of style is given by its component, what that is built of, or who uses it",
    problems: (style) => {
      const words = new Set(componentsOf(style.path).flatMap(wordsOf));
      return classesStyled(style).filter((name) => !words.has(name));
    },
    broken: { path: "web/chart.css", text: ".combobox { color: red; }" },
  },
];

// ——— Tables ———

/**
 * Who names a table in SQL: the file or the folder (it ends in a slash) that owns it comes first, then those that read
 * it or keep a column of it by agreement.
 */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  actors: [
    "core/people/actors.ts",
    "core/people/api-keys.ts",
    "core/people/host.ts",
    "core/people/users.ts",
    "core/people/sessions.ts",
  ],
  api_keys: ["core/people/api-keys.ts"],
  balances: ["core/documents/"],
  checks: ["core/verify/"],
  communications: ["core/saft/communications.ts"],
  companies: ["core/company/companies.ts", "core/events/events.ts"], // the head of its events
  company_logos: ["core/company/companies.ts"],
  customers: ["core/records/customers.ts", "core/records/customer-within.ts", "core/records/master-data.ts"],
  customer_search: ["core/runtime/search.ts"],
  customer_debts: ["core/documents/"],
  document_counts: ["core/documents/"],
  document_links: ["core/documents/links.ts", "core/events/events.ts"], // the history of a document
  document_lines: ["core/documents/", "core/saft/export/reader.ts"],
  document_payments: ["core/documents/"],
  document_references: ["core/documents/", "core/saft/export/reader.ts"],
  documents: [
    "core/documents/",
    "core/saft/export/reader.ts",
    "core/saft/export/receipt-references.ts",
    "core/database/row-states.ts",
    "core/verify/series.ts",
  ],
  events: ["core/events/events.ts"],
  idempotency_keys: ["core/runtime/idempotency.ts"],
  invitations: ["core/people/invitations.ts"],
  installation: [
    "core/installation/installation.ts",
    "core/signing/certification.ts",
    "core/events/events.ts",
    "core/installation/backups.ts",
  ],
  lists: ["core/runtime/page.ts"],
  memberships: ["core/people/users.ts"],
  migrations: ["core/database/"],
  payments: [
    "core/documents/payments.ts",
    "core/documents/balances.ts",
    "core/documents/settlement.ts", // what is left of a document
    "core/documents/statement.ts",
    "core/documents/takings.ts",
    "core/events/events.ts", // the history of a document
  ],
  product_search: ["core/runtime/search.ts"],
  products: ["core/records/products.ts", "core/records/product-within.ts", "core/records/master-data.ts"],
  sales_sums: ["core/documents/"],
  series: ["core/series/"],
  sessions: ["core/people/sessions.ts"],
  devices: ["core/people/sessions.ts"],
  password_tries: ["core/people/password-tries.ts"],
  signing_keys: ["core/signing/"],
  users: ["core/people/users.ts", "core/people/sessions.ts"],
  webhooks: ["core/webhooks/"],
  company_mail: ["core/emails/"],
  deliveries: ["core/deliveries/", "core/webhooks/", "core/emails/"],
  delivery_attempts: ["core/deliveries/"],
  emails: ["core/emails/", "core/events/events.ts"], // the history of a document
  email_papers: ["core/emails/"],
};

/** Files that compute the name of a table, and the tables each may name so. */
const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  "core/database/sqlite-engine.ts": [], // SQLite's own table of tables
  "core/documents/counts.ts": [], // a query within a query
  "core/documents/parts.ts": ["document_lines", "document_references", "document_payments"],
  "core/records/in-use.ts": ["customers", "products"],
  "core/records/list.ts": ["customers", "products"],
  "core/records/master-data.ts": ["customers", "products"],
  "core/runtime/search.ts": ["customers", "customer_search", "products", "product_search"],
};

const STATEMENT = /\.(?:selectFrom|insertInto|updateTable|deleteFrom|\w*Join)\(\s*/;
const NAMED = new RegExp(`${STATEMENT.source}"(\\w+)[^"]*"`, "g");
const UNNAMED = new RegExp(`${STATEMENT.source}(?!["\\s])[^,\\n]{1,40}`, "g");

/** Whether a file may name a table in SQL. */
function mayName(path: string, table: string): boolean {
  const owners = OWNERS[table] ?? [];
  return owners.some((owner) => (owner.endsWith("/") ? path.startsWith(owner) : path === owner));
}

// ——— The laws ———

/** Files that round no money: times, and points on paper. */
const ROUNDING_OTHERS: readonly string[] = [
  "core/people/password-tries.ts",
  "core/runtime/rate-limit.ts",
  "core/print/pdf-canvas.ts",
  "core/deliveries/deliver.ts",
  "core/fiscal/fitted-lines.ts",
  "core/webhooks/deliver.ts",
  "core/emails/deliver.ts",
  "core/emails/queue.ts",
  "core/webhooks/signature.ts",
];

const LAWS: readonly Law[] = [
  {
    name: "imports run one way: bin, client, http, core, fiscal",
    problems: ({ path, text }) =>
      importsOf({ path, text })
        .filter((name) => name.startsWith("."))
        .filter((name) => roomOf(normalize(join(dirname(path), name))) > roomOf(path)),
    broken: { path: "core/fiscal/money.ts", text: 'import { text } from "../fields.ts";' },
  },
  {
    name: "core imports nothing of http, not even a type",
    problems: ({ path, text }) =>
      path.startsWith("core/") ? importsOf({ path, text }).filter((name) => /\/(http|bin)\//.test(name)) : [],
    broken: { path: "core/runtime/run.ts", text: 'import type { Handler } from "../http/handler.ts";' },
  },
  {
    name: "each layer imports only its own packages",
    problems: ({ path, text }) => {
      const room = ROOMS[roomOf(path)];
      return importsOf({ path, text })
        .filter((name) => !name.startsWith("."))
        .filter((name) => !(room && PACKAGES[room].test(name)) && !MORE_PACKAGES[path]?.test(name));
    },
    broken: { path: "core/records/customers.ts", text: 'import { readFileSync } from "node:fs";' },
  },
  {
    name: "there are no import cycles, types included",
    problems: (source) => {
      const circle = circleThrough(source);
      return circle ? [circle.slice(1).join(" → ")] : [];
    },
    broken: { path: "core/database/tables.ts", text: 'import type { Document } from "../documents/document.ts";' },
  },
  {
    name: "database imports itself, fiscal and the texts only",
    problems: (source) =>
      source.path.startsWith("core/database/")
        ? filesImportedBy(source).filter((file) => !/^core\/(?:database|fiscal|texts)\//.test(file))
        : [],
    broken: { path: "core/database/migrate.ts", text: 'import { createInstallation } from "../installation.ts";' },
  },
  {
    name: "http and bin import only the files of core that are listed",
    problems: (source) => {
      const [room] = source.path.split("/");
      if (room !== "http" && room !== "bin") return [];
      return filesImportedBy(source).filter((file) => file.startsWith("core/") && !ENTRANCES[room].includes(file));
    },
    broken: { path: "http/routes.ts", text: 'import { findCustomer } from "../core/records/customers.ts";' },
  },
  {
    name: "web takes values from itself, fiscal and the texts only, of core's other files types",
    problems: (source) => {
      if (!source.path.startsWith("web/")) return [];
      const values = { ...source, text: code(source).replace(/^import type [^;]*;/gm, "") };
      return filesImportedBy(values).filter((file) => !/^(?:web|core\/(?:fiscal|texts))\//.test(file));
    },
    broken: { path: "web/session.ts", text: 'import { refuse } from "../core/runtime/errors.ts";' },
  },
  {
    name: "the client takes values from itself only, types of core's face and of http's answers",
    problems: (source) => {
      if (!source.path.startsWith("client/")) return [];
      const values = { ...source, text: code(source).replace(/^import type [^;]*;/gm, "") };
      const types = filesImportedBy(source).filter((file) => !/^(?:client\/|core\/face\.|http\/answer\.)/.test(file));
      return [...types, ...filesImportedBy(values).filter((file) => !file.startsWith("client/"))];
    },
    broken: { path: "client/error.ts", text: 'import { statusOf } from "../http/answer.ts";' },
  },
  {
    name: "every file and folder at the root of core is listed in docs/architecture.md",
    problems: ({ path }) => {
      const [, entry] = /^(core\/[\w.-]+\/?)/.exec(path) ?? [];
      return entry === undefined || ON_THE_MAP.includes(`src/${entry}`) ? [] : [entry];
    },
    broken: { path: "core/vehicles.ts", text: "" },
  },
  {
    name: "a driver is imported by the program and lacre/testing, never by the library",
    problems: ({ path, text }) =>
      path.startsWith("bin/") || path === "core/testing.ts"
        ? []
        : importsOf({ path, text }).filter((name) => DRIVERS.test(normalize(join(dirname(path), name)))),
    broken: { path: "core/open.ts", text: 'import { sqlite } from "./database/sqlite.ts";' },
  },
  {
    name: "requests, responses and statuses are in http, in the client, and in the one file that calls it from the browser",
    problems: (source) =>
      /^(?:http|client)\//.test(source.path) || source.path === "web/reading/api.ts"
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
    name: "only ports.ts, the client's platform.ts and the page's clock.ts read clocks and random bytes, and core does not wait",
    problems: (source) => {
      if (["core/runtime/ports.ts", "client/platform.ts", "web/clock.ts"].includes(source.path)) return [];
      const text = code(source, "emptied");
      const read = found(
        text,
        /\bnew Date\(\)|\bDate\.now\b|\bMath\.random\b|\brandom(?:UUID|Bytes|Int|FillSync)\b|\bperformance\./g,
      );
      // For another program that is writing, for the end of a turn, for a connection of the host's pool, and to listen again.
      const mayWait = /^core\/database\/(?:sqlite-dialect|sqlite-snapshots|postgres-pool|postgres-news)\.ts$/.test(
        source.path,
      );
      const waits =
        source.path.startsWith("core/") && !mayWait ? found(text, /\bset(?:Timeout|Interval|Immediate)\b/g) : [];
      return [...read, ...waits];
    },
    broken: { path: "core/events/events.ts", text: "const at = new Date().toISOString();" },
  },
  {
    name: "a transaction opens in the write queue, for a query's snapshot, and around a migration",
    problems: (source) =>
      [
        "core/runtime/write-queue.ts",
        "core/runtime/run.ts",
        "core/database/migrate.ts",
        "core/database/pglite-server.ts", // PGlite lends its connection so
      ].includes(source.path)
        ? []
        : found(code(source), /\.(?:transaction|startTransaction)\(/g),
    broken: { path: "core/documents/payments.ts", text: "await db.transaction().execute(work);" },
  },
  {
    name: "a table is named in SQL by the file or folder that owns it",
    problems: (source) =>
      Array.from(code(source).matchAll(NAMED), ([, table]) => table as string).filter(
        (table) => !mayName(source.path, table),
      ),
    broken: { path: "core/records/products.ts", text: 'db.selectFrom("documents as d")' },
  },
  {
    name: "the name of a table is computed in the files listed for it, and nowhere else",
    problems: (source) => (COMPUTED[source.path] ? [] : found(code(source), UNNAMED)),
    broken: { path: "core/records/products.ts", text: "db.selectFrom(table)" },
  },
  {
    name: "a file that computes the name of a table mentions the tables listed for it, and no others",
    problems: (source) => {
      const tables = COMPUTED[source.path];
      if (!tables) return [];
      const text = code(source)
        .replace(NAMED, "") // judged by the law on names that are written out
        .replace(/\bRow<"\w+">/g, "");
      const mentioned = Array.from(text.matchAll(/(?:[(:|]|\bas|\bextends)\s*"(\w+)"/g), ([, name]) => name as string);
      return mentioned.filter((name) => name in OWNERS && !tables.includes(name));
    },
    broken: { path: "core/documents/parts.ts", text: 'const LINES = partsIn("customers"); db.selectFrom(table)' },
  },
  {
    name: "SQL as text is in core/database only",
    problems: (source) =>
      source.path.startsWith("core/database/")
        ? []
        : found(code(source), /\bsql(?:<[^>]*>)?`|\bsql\.\w+|CompiledQuery/g),
    broken: { path: "core/series/series.ts", text: "sql`restores + 1`" },
  },
  {
    name: "a text is normalised in spelling.ts alone, which never takes long",
    problems: (source) => (source.path === "core/fiscal/spelling.ts" ? [] : found(code(source), /\.normalize\(/g)),
    broken: { path: "core/records/customers.ts", text: 'const name = given.normalize("NFC");' },
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
      source.path.startsWith("core/") && !ROUNDING_OTHERS.includes(source.path)
        ? found(code(source), /\bMath\.(?:round|floor|ceil|trunc)\b|\.toFixed\(|\bparseFloat\b/g)
        : [],
    broken: { path: "core/fiscal/totals.ts", text: "Math.round(net * 23) / 100" },
  },
  {
    name: "a class that a component gives is in a file of style",
    problems: (source) =>
      source.path.startsWith("web/") ? classesGiven(source).filter((name) => !STYLED.has(name)) : [],
    broken: { path: "web/chart.tsx", text: '<p class={isOld ? "hint" : "faded"} />' },
  },
  {
    name: "a class is an error, or what Kysely wants to be extended",
    problems: (source) =>
      found(code(source, "emptied"), /\bclass \w+(?: extends \w+)?/g).filter(
        (name) => !/ extends (?:Error|SqliteQueryCompiler|PostgresQueryCompiler)$/.test(name),
      ),
    broken: { path: "core/series/series.ts", text: "class SeriesService {}" },
  },
  {
    name: "names are exported by name",
    problems: (source) => found(code(source), /^export default\b|^(?:export )?(?:const )?enum \w+/gm),
    broken: { path: "core/series/series.ts", text: "export default function openSeries() {}" },
  },
  {
    name: "there is no TODO",
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
    broken: { path: "core/records/customers.ts", text: "export const mergeCustomers = command({}, async () => {});" },
  },
  {
    name: "a refusal says a text of a table, in both languages",
    problems: wordsOfRefusals,
    broken: {
      path: "core/records/customers.ts",
      text: 'z.string().refine((given) => isEmail(given), "must be an e-mail")',
    },
  },
];

/** Calls that refuse, and the checks of a zod schema. */
const SPEAKING =
  /\b(?:refuse\w*|refusal\w*|problem|says?)\(|\.(?:refine|min|max|regex|uuid|email|int|number|string|boolean|enum|literal|array|custom)(?:<[^>]*>)?\(/g;

/** The literals with a space in them that such calls, or a `message:`, hold: words, where a name or a path has none. */
function wordsOfRefusals(source: Source): string[] {
  // The client's own sentences are for programmers.
  if (/^(?:bin|client)\//.test(source.path) || source.path.endsWith("/refusals.ts")) return [];
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
  const tables: Record<string, Record<string, Operation>>[] = [
    COMPANY_OPERATIONS,
    PERSON_OPERATIONS,
    INSTALLATION_OPERATIONS,
  ];
  return tables.flatMap((groups) => Object.values(groups).flatMap((group) => Object.values(group)));
}

// ——— The laws of the whole repository ———

/** The TypeScript of the repository, by paths from its root. */
const REPOSITORY: readonly Source[] = ["src", "test", "tools", "examples"].flatMap((folder) =>
  sourcesBelow(folder)
    .map(({ path, text }) => ({ path: `${folder}/${path}`, text }))
    // Its own examples break the laws, and a tool writes the types of the client.
    .filter(({ path }) => !["test/house.test.ts", "examples/typed-client/lacre.d.ts"].includes(path)),
);

/** Everything a comment may cite, with a slash before each path. */
const CITABLE: readonly string[] = [
  ...readdirSync(ROOT),
  ...["src", "test", "tools", "docs", "examples", ".ci"].flatMap((folder) =>
    existsSync(join(ROOT, folder)) ? filesBelow(folder).map((path) => `${folder}/${path}`) : [],
  ),
].map((path) => `/${path}`);

const DOCS = CITABLE.filter((path) => path.endsWith(".md")).map((path) => readFileSync(join(ROOT, path), "utf8"));

/** The comments of a file, without web addresses. */
const commentsOf = ({ text }: Source) =>
  found(text, /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm).map((comment) => comment.replace(/https?:\/\/\S+/g, ""));

/** Whether the repository holds a file of this name; `test/core/series` stands for the files that begin so. */
const isCitable = (name: string) =>
  CITABLE.some((path) => path.endsWith(`/${name}`) || path.startsWith(`/${name}.`) || path.startsWith(`/${name}/`));

/** What starts Lacre's program or other processes that run Lacre. */
const STARTS = /\/(?:program|processes|recording|doors)\.ts$|^node:worker_threads$/;

const LAWS_OF_ALL: readonly Law[] = [
  {
    name: "a comment cites files that the repository holds",
    problems: (source) =>
      commentsOf(source)
        .flatMap((comment) => [
          ...found(comment, /(?<![\w./-])[\w-][\w./-]*\.(?:md|ts|mjs|json|sql)\b/g),
          ...found(comment, /(?<![\w./-])(?:src|test|docs)\/[\w/-]+(?![\w./-]*\.\w)/g),
        ])
        .filter((name) => !name.endsWith(".d.ts") && !isCitable(name.replace(/\/$/, ""))),
    broken: { path: "src/core/fiscal/totals.ts", text: "/** Rounded as rounding-rules.md says. */" },
  },
  {
    name: "a comment is at most 120 characters wide, as the formatter leaves it as it is",
    problems: ({ text }) => found(text, /^(?=.{121})\s*(?:\/\*\*|\* |\/\/).*$/gm),
    broken: { path: "src/core/fiscal/totals.ts", text: `/** ${"Totals. ".repeat(20)} */` },
  },
  {
    name: "an id like T03 is explained in docs",
    problems: ({ text }) =>
      found(text, /\b[TDR]\d\d\b(?!:\d)/g).filter((id) => !DOCS.some((page) => page.includes(id))),
    broken: { path: "test/durability/kill.slow.test.ts", text: 'describe("kill -9 (T01)", () => {});' },
  },
  {
    name: "a test that starts the program, or other processes, is called slow",
    problems: (source) =>
      /^test\/.*(?<!\.slow)\.test\.ts$/.test(source.path) ? importsOf(source).filter((name) => STARTS.test(name)) : [],
    broken: { path: "test/bin/key.test.ts", text: 'import { lacre } from "./program.ts";' },
  },
  {
    name: "a test has no limit of time of its own, and waits without one: a busy machine decides nothing",
    problems: ({ path, text }) =>
      /^test\/(?!web\/).*\.test\.ts$/.test(path)
        ? found(
            text,
            /^\}, \d[\d_]+\);$|^ +\}, \d+_000\);$|^ +\d+_000,\n +\);$|\{\s*timeout: [A-Z\d_]+[^)]*?\}, (?:async|\()|\bvi\.wait\w+/gm,
          )
        : [],
    broken: { path: "test/core/key.test.ts", text: 'test("it is made", async () => {\n}, 60_000);' },
  },
];

describe.each([
  ...LAWS.map((law) => ({ ...law, sources: SOURCES })),
  ...LAWS_OF_STYLE.map((law) => ({ ...law, sources: STYLES })),
  ...LAWS_OF_ALL.map((law) => ({ ...law, sources: REPOSITORY })),
])("$name", ({ problems, broken, sources }) => {
  test("holds", () => {
    const broke = sources.flatMap((source) => problems(source).map((problem) => `${source.path}: ${problem}`));
    expect(broke).toEqual([]);
  });

  test("finds what breaks it", () => expect(problems(broken)).not.toEqual([]));
});

test.each([
  ["no_such_customer", 'refuse("not_found", "There is no such customer.")'],
  ["series_exists", 'refuse("conflict", `There is already a series.`)'],
  ["must_be_more_than", "refuseInput([problem(path, `must be more than that`)])"],
  ["storage_not_ready", 'refusalAnswer("unavailable", "The database is not ready.")'],
  ["must_not_be_empty", 'z.array(Line.describe("One line.")).min(1, "must have a line")'],
  ["must_be_bytes_of_picture", 'z.custom<Uint8Array>((given) => isBytes(given), "must be bytes")'],
  ["is_unknown_field", 'context.addIssue({ code: "custom", message: "is not known" })'],
])("a literal text in place of %s is found", (_, text) => {
  expect(wordsOfRefusals({ path: "http/bind.ts", text })).toHaveLength(1);
});

test("rules cover all of src, and every table has an owner", () => {
  expect(SOURCES.length).toBeGreaterThan(60);
  expect(SOURCES.filter(({ path }) => roomOf(path) === -1)).toEqual([]);
  expect(Object.keys(OWNERS).sort()).toEqual(Object.keys(TABLES).sort());
  for (const owner of Object.values(OWNERS).flat()) {
    expect(SOURCES.some(({ path }) => (owner.endsWith("/") ? path.startsWith(owner) : path === owner))).toBe(true);
  }
});

test("the lists of exceptions have no unused entry", () => {
  const entered = (room: string) =>
    SOURCES.filter(({ path }) => path.startsWith(`${room}/`)).flatMap((source) => filesImportedBy(source));
  const idle = [
    ...Object.entries(ENTRANCES).flatMap(([room, files]) => files.filter((file) => !entered(room).includes(file))),
    ...Object.keys(COMPUTED).filter((path) => {
      const source = SOURCES.find((each) => each.path === path);
      return !source || found(code(source), UNNAMED).length === 0;
    }),
  ];
  expect(idle).toEqual([]);
});

test("the files that biome.json lets exceed a limit are there, each once in a list, and the lists are sorted", () => {
  const { overrides } = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8")) as {
    overrides: readonly { includes: readonly string[] }[];
  };
  for (const { includes } of overrides) {
    expect(includes.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(includes).toEqual([...new Set(includes)].sort());
  }
});

test("an operation is routed, or on the list of those that are not, or for the host program alone", () => {
  const routes = [...ROUTES, ...AREA_ROUTES];
  const routed = routes.flatMap((route) => ("operation" in route ? [route.operation.id] : []));
  const libraryOnly = [...LIBRARY_ONLY, ...AREA_UNROUTED].map(({ operation }) => operation.id);
  const ofHost = Object.values(INSTALLATION_OPERATIONS).flatMap((group) => Object.values(group).map(({ id }) => id));
  expect([...routed, ...libraryOnly, ...ofHost].sort()).toEqual(
    operations()
      .map(({ id }) => id)
      .sort(),
  );
  expect(new Set(routed).size).toBe(routed.length);
});
