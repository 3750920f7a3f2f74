import { openLacre } from "lacre";
import { describe, expect, onTestFinished, test } from "vitest";
import { databaseOf } from "../../../src/core/database/executor.ts";
import { MIGRATIONS } from "../../../src/core/database/migrations/index.ts";
import { statementsIn } from "../../../src/core/database/migrations/migration.ts";
import { postgresEngine } from "../../../src/core/database/postgres-engine.ts";
import { pastLacre, SOME_POSTGRES } from "../../support/databases.ts";

const HEADER = `-- The database as the migrations build it on PostgreSQL: a photograph, taken by
-- test/core/database/postgres-schema.test.ts (vitest -u retakes it). Texts compare byte by byte, as on SQLite.
create schema if not exists lacre;
`;

test("schema.postgres.sql is what the migrations build on PostgreSQL", async () => {
  const { stepsOf } = postgresEngine("lacre");
  const made = MIGRATIONS.map(stepsOf).flatMap(statementsIn);
  await expect([HEADER, ...made.map((sql) => `${sql};\n`)].join("\n")).toMatchFileSnapshot(
    "../../../schema.postgres.sql",
  );
});

const { name, dialect } = SOME_POSTGRES;

const DUE_HEADER = `/**
 * What the schema consists of on PostgreSQL: a photograph, taken by test/core/database/postgres-schema.test.ts (vitest
 * -u retakes it). The role that serves may make nothing, and so cannot find out by making it.
 */
import type { Catalogue } from "./catalogue.ts";

export const DUE: Catalogue = {
`;

/** A member of the object as the formatter leaves it. */
function member([name, text]: readonly [string, string]): string {
  const value = text.includes('"') ? `'${text}'` : `"${text}"`; // no text has both
  const key = `"${name}"`;
  const line = `  ${key}: ${value},`;
  return line.length > 120 ? `  ${key}:\n    ${value},` : line;
}

test("postgres-due.ts is the schema as a server reports it", async () => {
  const home = dialect(":memory:");
  const lacre = await openLacre({ dialect: home });
  onTestFinished(() => lacre.close());
  const database = databaseOf(home);
  onTestFinished(() => database.connections.close());
  const things = await home.engine.thingsOf(database.loose);
  const members = things
    .map(({ name, text }) => [name, text] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  expect(members.length).toBeGreaterThan(500);
  await expect(`${DUE_HEADER}${members.map(member).join("\n")}\n};\n`).toMatchFileSnapshot(
    "../../../src/core/database/postgres-due.ts",
  );
});

const DAMAGES = [
  ["drop trigger series_only_move_on on series", "trigger series_only_move_on is missing."],
  ["alter table events disable trigger events_never_change", "trigger events_never_change is not as this program"],
  ["drop index payments_by_date", "index payments_by_date is missing."],
  ["drop index payments_by_date;; create index payments_by_date on payments (id)", "index payments_by_date is not as"],
  ["alter table customers drop column phone", "column customers.phone is missing."],
  ["alter table customers add column nickname text", "column customers.nickname is not Lacre's."],
  ["alter table documents alter column hash type varchar", "column documents.hash is not as this program makes it."],
  [
    'alter table documents alter column hash type text collate "default"',
    "column documents.hash is not as this program makes it.",
  ],
  ["alter table series alter column next_number set default 7", "column series.next_number is not as this program"],
  ["alter table payments drop constraint payments_amount_cents_check", "payments_amount_cents_check is missing."],
  [
    "alter table payments drop constraint payments_amount_cents_check;; " +
      "alter table payments add constraint payments_amount_cents_check check (amount_cents > -1)",
    "constraint payments_amount_cents_check is not as this program makes it.",
  ],
  [
    "create or replace function balances_end() returns trigger language plpgsql as $$ begin return null; end $$",
    "function balances_end is not as this program makes it.",
  ],
  [
    "create trigger strange after insert on payments for each row execute function balances_end()",
    "trigger strange is not Lacre's.",
  ],
] as const;

describe(`a schema over ${name}`, () => {
  async function aHome() {
    const home = dialect(":memory:");
    const lacre = await openLacre({ dialect: home });
    onTestFinished(() => lacre.close());
    const fault = async () => {
      const { findings } = await lacre.installation.verify();
      return findings.find(({ place }) => place === "schema")?.reason;
    };
    return { home, fault, lacre };
  }

  test("is without fault when just made", async () => {
    expect(await (await aHome()).fault()).toBeUndefined();
  });

  test("a table, a view and an index that are not Lacre's are no fault, and the first two are named", async () => {
    const { home, fault, lacre } = await aHome();
    expect((await lacre.installation.verify()).others).toEqual([]);
    await pastLacre(
      home,
      "create table notes (id text)",
      "create view totals as select number from documents",
      "create index for_reports on documents (created_at)",
    );
    expect((await lacre.installation.verify()).others).toEqual(["notes", "totals"]);
    expect(await fault()).toBeUndefined();
  });

  test.each(DAMAGES)("%s: verifying says so", async (damage, says) => {
    const { home, fault } = await aHome();
    await pastLacre(home, ...damage.split(";; "));
    expect(await fault()).toContain(says);
  });
});
