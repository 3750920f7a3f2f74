/**
 * The program after this one: a copy of the sources with a second migration in them, changed as whoever adds a field to
 * customers, one to documents and a table would change them. So an upgrade is tried before there is one.
 */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A change of a file: what stands after, in place of what stands before. */
type Change = readonly [file: string, before: string, after: string];

/** The columns that no update may change once a document is issued. */
const FROZEN =
  "company_id doc_type series_id issue_date due_date valid_until supply_date customer_id global_discount_bps " +
  "global_discount_cents notes purchase_order external_id metadata training record_payments transport " +
  "total_net_cents total_tax_cents total_gross_cents created_at sequence number atcud system_entry_date " +
  "issued_at issued_by hash key_version certificate_number qr_code customer issuer seal";

const changed = (columns: string) =>
  columns
    .split(" ")
    .map((column) => `new.${column} is distinct from old.${column}`)
    .join(" or ");

const IS_FROZEN = `old.status <> 'draft' and not (
  not (${changed(FROZEN)}) and (
    (old.status = 'issued' and new.status = 'cancelled' and new.at_doc_code is not distinct from old.at_doc_code)
    or (old.status = 'issued' and new.status = 'issued' and old.at_doc_code is null and new.at_doc_code is not null
      and not (${changed("cancelled_at cancelled_by cancel_reason")}))
  )
)`;

const ON_POSTGRES = ` begin
  if ${IS_FROZEN} then
    raise exception using message = 'documents: the document is issued', errcode = 'restrict_violation';
  end if;
  return new;
end `;

/** The second migration: columns, a table, a trigger and an index in place of others, and a row that is changed. */
const MIGRATION = `import type { Migration } from "./migration.ts";

export const next: Migration = {
  id: "0002-next",
  sqlite: (t) => ({
    tables: [
      \`alter table \${t("customers")} add column mobile text\`,
      \`alter table \${t("documents")} add column purchase_order text\`,
      \`create table \${t("agents")} (
  id text primary key,
  company_id text not null references \${t("companies")} (id),
  name text not null
) strict, without rowid\`,
    ],
    rows: [\`insert into \${t("agents")} select 'agent of ' || id, id, name from \${t("companies")}\`],
    guards: [
      \`drop index \${t("customers_by_external_id")}\`,
      \`create index \${t("customers_by_external_id")} on \${t("customers")} (company_id, external_id, id, name)
    where external_id is not null and archived_at is null\`,
      \`drop trigger \${t("documents_are_frozen_once_issued")}\`,
      \`create trigger \${t("documents_are_frozen_once_issued")} before update on \${t("documents")}
when ${IS_FROZEN}
begin
  select raise(abort, 'documents: the document is issued');
end\`,
    ],
  }),
  postgres: (t) => ({
    tables: [
      \`alter table \${t("customers")} add column mobile text collate "C"\`,
      \`alter table \${t("documents")} add column purchase_order text collate "C"\`,
      \`create table \${t("agents")} (
  id text collate "C" primary key,
  company_id text collate "C" not null references \${t("companies")} (id),
  name text collate "C" not null
)\`,
    ],
    rows: [\`insert into \${t("agents")} select 'agent of ' || id, id, name from \${t("companies")}\`],
    guards: [
      \`drop index \${t("customers_by_external_id")}\`,
      \`create index customers_by_external_id on \${t("customers")} (company_id, external_id, id, name)
    where external_id is not null and archived_at is null\`,
      \`drop trigger documents_are_frozen_once_issued on \${t("documents")}\`,
      \`drop function \${t("documents_are_frozen_once_issued")}()\`,
      \`create function \${t("documents_are_frozen_once_issued")}() returns trigger language plpgsql as $$${ON_POSTGRES}$$\`,
      \`create trigger documents_are_frozen_once_issued before update on \${t("documents")}
    for each row execute function \${t("documents_are_frozen_once_issued")}()\`,
    ],
  }),
};
`;

const DATABASE = "core/database";

/** The migration in its place. */
const SCHEMA: readonly Change[] = [
  [
    `${DATABASE}/migrations/index.ts`,
    'from "./0001-initial.ts";\n',
    'from "./0001-initial.ts";\nimport { next } from "./0002-next.ts";\n',
  ],
  [`${DATABASE}/migrations/index.ts`, "[initial]", "[initial, next]"],
];

/** A field of customers. */
const OF_CUSTOMER: readonly Change[] = [
  [`${DATABASE}/tables.ts`, "    phone: text.orNull,\n", "    phone: text.orNull,\n    mobile: text.orNull.from(2),\n"],
  [
    "core/records/customers.ts",
    "  phone: text(100).nullable(),\n",
    "  phone: text(100).nullable(),\n  mobile: text(100).nullable(),\n",
  ],
  ["core/records/customers.ts", "    phone: row.phone,\n", "    phone: row.phone,\n    mobile: row.mobile,\n"],
];

/** A field of documents. */
const OF_DOCUMENT: readonly Change[] = [
  [
    `${DATABASE}/tables.ts`,
    "    notes: text.orNull,\n",
    "    notes: text.orNull,\n    purchase_order: text.orNull.from(2),\n",
  ],
  [
    "core/documents/document.ts",
    "  notes: text(1_000, { multiline: true, lines: MAX_TEXT_LINES }).nullable(),\n",
    "  notes: text(1_000, { multiline: true, lines: MAX_TEXT_LINES }).nullable(),\n  purchase_order: text(60).nullable(),\n",
  ],
  [
    "core/documents/document.ts",
    "  notes: z.string().nullable(),\n",
    "  notes: z.string().nullable(),\n  purchase_order: z.string().nullable(),\n",
  ],
  ["core/documents/view.ts", '  "notes",\n', '  "notes",\n  "purchase_order",\n'],
  [
    "core/documents/view.ts",
    "    notes: row.notes,\n",
    "    notes: row.notes,\n    purchase_order: row.purchase_order,\n",
  ],
  ["core/documents/draft.ts", "notes = null, transport }", "notes = null, purchase_order = null, transport }"],
  ["core/documents/draft.ts", "      notes,\n", "      notes,\n      purchase_order,\n"],
  [
    "core/documents/draft.ts",
    "    notes: row.notes,\n",
    "    notes: row.notes,\n    purchase_order: row.purchase_order,\n",
  ],
];

/** The new table, and what PostgreSQL says of all this. */
const OTHERS: readonly Change[] = [
  [
    `${DATABASE}/tables.ts`,
    "export const TABLES = {\n",
    "export const TABLES = {\n  agents: { id: text, company_id: text, name: text },\n",
  ],
  ["core/archive/tables.ts", "export const KEYS = {\n", 'export const KEYS = {\n  agents: ["id"],\n'],
  [
    "core/archive/tables.ts",
    '  agents: ["id"],\n  installation: ["id"],\n  companies: ["id"],\n',
    '  installation: ["id"],\n  companies: ["id"],\n  agents: ["id"],\n',
  ],
  [
    `${DATABASE}/postgres-due.ts`,
    '  "column api_keys.digest"',
    `  "column agents.company_id": "text not null collate C",
  "column agents.id": "text not null collate C",
  "column agents.name": "text not null collate C",
  "column customers.mobile": "text collate C",
  "column documents.purchase_order": "text collate C",
  "constraint agents_company_id_fkey": "f company_id references companies id aas",
  "constraint agents_pkey": "p id",
  "index agents_pkey": "unique btree id",
  "table agents": "",
  "column api_keys.digest"`,
  ],
  [
    `${DATABASE}/postgres-due.ts`,
    '"index customers_by_external_id":\n    "btree company_id, external_id, id where',
    '"index customers_by_external_id":\n    "btree company_id, external_id, id, name where',
  ],
];

/** How many files of core somebody changes by hand for a field, the migration and its line included. */
export const FILES_BY_HAND = {
  customers: filesIn([...SCHEMA, ...OF_CUSTOMER]),
  documents: filesIn([...SCHEMA, ...OF_DOCUMENT]),
} as const;

function filesIn(changes: readonly Change[]): number {
  return new Set(changes.map(([file]) => file)).size + 1;
}

/** What tests use of the next program. */
export interface NextProgram {
  readonly directory: string;
  /** A module of its sources, by its path in src. */
  module<T>(path: string): Promise<T>;
  remove(): void;
}

/** Writes the next program. Throws where a change does not fit the sources as they are. */
export function makeNextProgram(): NextProgram {
  mkdirSync(join(ROOT, "build"), { recursive: true });
  const directory = mkdtempSync(join(ROOT, "build", "next-"));
  const src = join(directory, "src");
  for (const room of ["core", "http", "client", "bin"])
    cpSync(join(ROOT, "src", room), join(src, room), { recursive: true });
  writeFileSync(join(src, DATABASE, "migrations/0002-next.ts"), MIGRATION);
  for (const change of [...SCHEMA, ...OF_CUSTOMER, ...OF_DOCUMENT, ...OTHERS]) make(src, change);
  digestFunction(join(src, DATABASE, "postgres-due.ts"));
  return {
    directory,
    module: (path) => import(/* @vite-ignore */ pathToFileURL(join(src, path)).href),
    remove: () => rmSync(directory, { recursive: true }),
  };
}

function make(src: string, [file, before, after]: Change): void {
  const path = join(src, file);
  const text = readFileSync(path, "utf8");
  if (text.split(before).length !== 2) throw new Error(`${file} has not once: ${before}`);
  writeFileSync(
    path,
    text.replace(before, () => after),
  );
}

/** The function of the trigger that was replaced. */
function digestFunction(path: string): void {
  const sha256 = createHash("sha256").update(ON_POSTGRES).digest("hex");
  const text = readFileSync(path, "utf8");
  const pattern = /("function documents_are_frozen_once_issued":\s+"plpgsql )[0-9a-f]{64}/;
  if (!pattern.test(text)) throw new Error("postgres-due.ts has no such function.");
  writeFileSync(path, text.replace(pattern, `$1${sha256}`));
}
