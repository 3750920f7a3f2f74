/** What each version of a seal or a state covers: a photograph, and since when. */
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { type Columns, type Covered, newestOf, text } from "../../../src/core/database/columns.ts";
import { MIGRATIONS } from "../../../src/core/database/migrations/index.ts";
import { statementsIn } from "../../../src/core/database/migrations/migration.ts";
import { STATED, STATED_OF_DOCUMENT } from "../../../src/core/database/row-states.ts";
import { TABLES } from "../../../src/core/database/tables.ts";
import { SEALED } from "../../../src/core/documents/seal.ts";
import { SEALED_OF_EVENT } from "../../../src/core/events/events.ts";

const HEADER = `What each version of a seal or a state covers: a photograph, taken by test/core/database/forms.test.ts (vitest -u
retakes it). What a released version covers never changes: databases hold seals and states that were made by it.
`;

const FORMS: Readonly<Record<string, readonly Covered[]>> = {
  event: SEALED_OF_EVENT,
  ...Object.fromEntries(Object.entries(SEALED).map(([part, columns]) => [`seal of a document: ${part}`, columns])),
  "state of a document": STATED_OF_DOCUMENT,
  ...Object.fromEntries(Object.entries(STATED).map(([table, columns]) => [`state of ${table}`, columns])),
};

test("forms.txt is what each version covers", async () => {
  const lines = Object.entries(FORMS).flatMap(([form, columns]) =>
    Array.from({ length: newestOf(columns) }, (_, i) => i + 1).flatMap((version) => {
      const own = columns.filter(({ since }) => since === version).map(({ name }) => name);
      return own.length > 0
        ? [`\n${form}, ${version === 1 ? "version 1" : `more in version ${version}`}\n  ${own.sort().join("\n  ")}`]
        : [];
    }),
  );
  await expect(`${HEADER}${lines.join("\n")}\n`).toMatchFileSnapshot("forms.txt");
});

/** The number of the migration that makes each column. */
function madeBy(): ReadonlyMap<string, number> {
  const database = new Database(":memory:");
  const found = new Map<string, number>();
  for (const [i, { sqlite }] of MIGRATIONS.entries()) {
    for (const statement of statementsIn(sqlite((name) => name))) database.exec(statement);
    const columns = database
      .prepare(
        "select tables.name || '.' || columns.name from pragma_table_list as tables, pragma_table_xinfo(tables.name) as columns",
      )
      .pluck()
      .all() as string[];
    for (const column of columns) if (!found.has(column)) found.set(column, i + 1);
  }
  database.close();
  return found;
}

/** The columns that are covered since another version than the number of the migration that makes them. */
function misdated(tables: Readonly<Record<string, Columns>>): string[] {
  const made = madeBy();
  return Object.entries(tables).flatMap(([table, columns]) =>
    Object.entries(columns).flatMap(([name, { since }]) => {
      const due = made.get(`${table}.${name}`) ?? since; // the rowid of a search index is no column
      return due === since ? [] : [`${table}.${name} is covered since ${since}, and made by migration ${due}.`];
    }),
  );
}

test("a column is covered since the version with the number of the migration that makes it", () => {
  expect(misdated(TABLES)).toEqual([]);
  // the control
  expect(misdated({ ...TABLES, customers: { ...TABLES.customers, phone: text.orNull.from(2) } })).toEqual([
    "customers.phone is covered since 2, and made by migration 1.",
  ]);
});
