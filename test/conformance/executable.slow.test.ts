/** The packaged executable does what its start does not load: it prints, exports, checks, and reads a server. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { textOf } from "../core/print/reading.ts";
import { HAS_SERVER } from "../support/databases.ts";
import { anInvoice } from "../support/factories.ts";
import { homeOf } from "../support/instance.ts";
import { aSchema } from "../support/schemas.ts";

const executable = process.env.LACRE_EXECUTABLE;

/** Runs the executable, and returns what it prints. */
const lacre = (...args: string[]) => execFileSync(executable as string, args);

/** A database with an invoice. */
async function aShop() {
  const directory = mkdtempSync(join(tmpdir(), "lacre-packaged-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const db = join(directory, "lacre.db");
  lacre("init", "--name", "Padaria Central, Lda.", "--tax-id", "500000000", "--db", db);
  await using instance = await openLacre({ dialect: sqlite(db) });
  const [company] = await instance.companies.list();
  const home = await homeOf(instance, company?.id as string);
  const { id, number, issue_date } = await anInvoice(home);
  return { db, id, number: number as string, year: issue_date.slice(0, 4), tax_file: join(directory, "saft.xml") };
}

describe.skipIf(executable === undefined)("the executable", () => {
  test("prints a document", async () => {
    const { db, id, number } = await aShop();
    expect(textOf(lacre("pdf", id, "--out", "-", "--db", db))).toContain(number);
  });

  test("exports a tax file, and checks it", async () => {
    const { db, year, tax_file } = await aShop();
    lacre("saft", "--year", year, "--out", tax_file, "--db", db);
    expect(JSON.parse(String(lacre("verify", "--saft", tax_file, "--json")))).toMatchObject({
      accepted: true,
      documents: 1,
    });
  });

  test.skipIf(!HAS_SERVER)("makes a database on PostgreSQL, and verifies it", () => {
    const { db } = aSchema();
    lacre("init", "--name", "Padaria Central, Lda.", "--tax-id", "500000000", "--db", db);
    expect(JSON.parse(String(lacre("verify", "--db", db, "--json")))).toMatchObject({ whole: true });
  });
});
