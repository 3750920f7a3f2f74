import { openLacre } from "lacre";
import { describe, expect, onTestFinished, test } from "vitest";
import { MIGRATIONS, MIGRATIONS_TABLE } from "../../../src/core/database/migrations/index.ts";
import { postgresEngine } from "../../../src/core/database/postgres-engine.ts";
import { pastLacre, SOME_POSTGRES } from "../../support/databases.ts";

const HEADER = `-- The database as the migrations build it on PostgreSQL: a photograph, taken by
-- test/core/database/postgres-schema.test.ts (vitest -u retakes it). Texts compare byte by byte, as on SQLite.
create schema if not exists lacre;
`;

test("schema.postgres.sql is what the migrations build on PostgreSQL", async () => {
  const { statementsOf } = postgresEngine("lacre");
  const made = [MIGRATIONS_TABLE, ...MIGRATIONS.map(({ up }) => up)].flatMap(statementsOf);
  await expect([HEADER, ...made.map((sql) => `${sql}\n`)].join("\n")).toMatchFileSnapshot(
    "../../../schema.postgres.sql",
  );
});

const { name, dialect } = SOME_POSTGRES;

const DAMAGES = [
  ["drop trigger series_only_move_on on series", "trigger series_only_move_on is missing."],
  ["alter table events disable trigger events_never_change", "trigger events_never_change is not as this program"],
  ["drop index payments_by_date", "index payments_by_date is missing."],
  ["alter table customers drop column phone", "column customers.phone is missing."],
  ["alter table documents alter column hash type varchar", "column documents.hash is not as this program makes it."],
  [
    "alter table payments drop constraint payments_amount_cents_check",
    "table payments is not as this program makes it.",
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

  test("is without fault as it was made", async () => {
    expect(await (await aHome()).fault()).toBeUndefined();
  });

  test("a table and a view that are not Lacre's are named, and no fault", async () => {
    const { home, fault, lacre } = await aHome();
    expect((await lacre.installation.verify()).others).toEqual([]);
    await pastLacre(home, "create table notes (id text)", "create view totals as select number from documents");
    expect((await lacre.installation.verify()).others).toEqual(["notes", "totals"]);
    expect(await fault()).toBeUndefined();
  });

  test.each(DAMAGES)("%s: verifying says so", async (damage, says) => {
    const { home, fault } = await aHome();
    await pastLacre(home, damage);
    expect(await fault()).toContain(says);
  });
});
