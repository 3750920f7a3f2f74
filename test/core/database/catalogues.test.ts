/** The schema on SQLite beside the schema on PostgreSQL: they differ where they must, and nowhere else. */
import { sqlite } from "lacre/sqlite";
import { beforeAll, expect, test } from "vitest";
import type { Catalogue } from "../../../src/core/database/catalogue.ts";
import { MIGRATIONS } from "../../../src/core/database/migrations/index.ts";
import { statementsIn } from "../../../src/core/database/migrations/migration.ts";
import { DUE } from "../../../src/core/database/postgres-due.ts";
import { UNSEALED } from "../../../src/core/database/row-states.ts";
import { coveredIn } from "../../../src/core/database/tables.ts";

let SQLITE: Catalogue;
beforeAll(async () => {
  SQLITE = await sqlite(":memory:").engine.due();
});

/** Tables that each engine has in its own form, or that one engine has alone. */
const OWN_FORM = /^(?:customer_search|product_search|rate_log)(?:\b|_)/;

/** Guards against REPLACE and rowids, which only SQLite has. */
const GUARDS_REPLACING =
  /_(?:are_never_replaced|are_distinct|rowid_is_fixed)$|^documents_take_a_free_number$|_no_update_once_issued_by_rowid$/;

/** The things of a kind by name, without those of a form of their own. */
function things(catalogue: Catalogue, kind: string): [name: string, text: string][] {
  return Object.entries(catalogue)
    .filter(([name]) => name.startsWith(`${kind} `))
    .map(([name, text]): [string, string] => [name.slice(kind.length + 1), text])
    .filter(([name]) => !OWN_FORM.test(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

const TYPES: Readonly<Record<string, string>> = { bigint: "integer", bytea: "blob", text: "text" };

test("each column has the same type, null and default", () => {
  const postgres = things(DUE, "column").map(([name, text]) => {
    const [type = "", ...rest] = text.replace(/ (?:collate C|identity d)$/, "").split(" ");
    return [name, [TYPES[type], ...rest].join(" ").replaceAll(/'::text/g, "'")];
  });
  expect(postgres.length).toBeGreaterThan(250);
  expect(things(SQLITE, "column")).toEqual(postgres);
});

test("on PostgreSQL each text compares byte by byte, and no whole number has less than 64 bits", () => {
  const columns = Object.entries(DUE).filter(([name]) => name.startsWith("column "));
  for (const [name, text] of columns) expect(text, name).toMatch(/^(?:bigint|bytea|tsvector|text .*\bcollate C$)/);
});

test("each key is over the same columns", () => {
  const sqlite = things(SQLITE, "index").flatMap(([name, text]) => {
    const [, kind, columns] = /^unique (pk|u) (.+)$/.exec(text) ?? [];
    const [, table] = /^sqlite_autoindex_(\w+)_\d+$/.exec(name) ?? [];
    return kind ? [`${table} ${kind === "pk" ? "p" : "u"} ${columns}`] : [];
  });
  // SQLite needs no index to find a row by its number.
  const numbered = things(DUE, "column").flatMap(([name, text]) =>
    text.includes("identity") ? [`p ${name.slice(name.indexOf(".") + 1)}`] : [],
  );
  const postgres = things(DUE, "constraint").flatMap(([, text]) => (/^[pu] /.test(text) ? [text] : []));
  expect(sqlite.length).toBeGreaterThan(30);
  expect([...sqlite.map((key) => key.slice(key.indexOf(" ") + 1)), ...numbered].sort()).toEqual(postgres.sort());
});

test("each foreign key names the same table, and is checked equally late", () => {
  const sqlite = things(SQLITE, "foreign key").map(
    ([name, text]) => `${name.replace(/^\w+\./, "")} references ${text}`,
  );
  const postgres = things(DUE, "constraint").flatMap(([, text]) => (/^f (.+) aas\b/.exec(text) ?? []).slice(1));
  expect(sqlite.sort()).toEqual(postgres.sort());
  const late = things(DUE, "constraint").filter(([, text]) => / deferred$/.test(text));
  const lateOnSqlite = things(SQLITE, "table").flatMap(
    ([, text]) => text.match(/deferrable initially deferred/g) ?? [],
  );
  expect(lateOnSqlite.length).toBe(late.length);
});

test("each table has the same number of checks", () => {
  const checks = things(DUE, "constraint").filter(([, text]) => text.startsWith("c "));
  const onSqlite = things(SQLITE, "table").flatMap(([, text]) => text.match(/\bcheck \(/g) ?? []);
  expect(onSqlite.length).toBe(checks.length);
  expect(checks.length).toBeGreaterThan(20);
});

test("each index of a migration is over the same columns, and conditional on both or on neither", () => {
  const sqlite = things(SQLITE, "index").flatMap(([name, text]) => {
    const [, unique = "", columns, made = ""] = /^(unique )?c (.+?) (CREATE .+)$/s.exec(text) ?? [];
    const [, expression = ""] = /( \w+\([^()]+\))/.exec(made) ?? [];
    return columns ? [[name, `${unique}${columns}${expression}${/\bwhere\b/.test(made) ? " where" : ""}`]] : [];
  });
  const postgres = things(DUE, "index")
    .filter(([name]) => !/_(?:pkey|key|by_piece)$/.test(name))
    .map(([name, text]) => {
      const [, unique = "", columns = "", where = ""] = /^(unique )?btree (.+?)(?: where (.+))?$/.exec(text) ?? [];
      return [
        name,
        `${unique}${columns.replace("COALESCE", "coalesce").replace("'::text", "'")}${where ? " where" : ""}`,
      ];
    });
  expect(postgres.length).toBeGreaterThan(30);
  expect(sqlite).toEqual(postgres);
});

test("each trigger of PostgreSQL is one of SQLite's, which also has guards against replacing", () => {
  const names = (catalogue: Catalogue) => things(catalogue, "trigger").map(([name]) => name);
  const postgres = names(DUE).filter((name) => !name.endsWith("_by_truncate"));
  const sqlite = names(SQLITE);
  expect(postgres.filter((name) => !sqlite.includes(name))).toEqual([]);
  expect(sqlite.filter((name) => !postgres.includes(name) && !GUARDS_REPLACING.test(name))).toEqual([]);
  expect(postgres.length).toBeGreaterThan(50);
});

/** The text of the last statement that makes this trigger, or its function. */
function guardOf(engine: "sqlite" | "postgres", name: string): string {
  const made = engine === "sqlite" ? `create trigger ${name} ` : `create function ${name}()`;
  const statements = MIGRATIONS.flatMap((migration) => statementsIn(migration[engine]((bare) => bare)));
  return statements.findLast((statement) => statement.startsWith(made)) ?? "";
}

test.each(["sqlite", "postgres"] as const)(
  "on %s each column that a document's seal covers is frozen by a trigger",
  (engine) => {
    const frozen = guardOf(engine, "documents_are_frozen_once_issued") + guardOf(engine, "documents_identity_is_fixed");
    const sealed = coveredIn("documents", UNSEALED).map(({ name }) => name);
    expect(sealed.length).toBeGreaterThan(25);
    expect(sealed.filter((name) => !frozen.includes(`new.${name} is distinct from old.${name}`))).toEqual([]);
  },
);
