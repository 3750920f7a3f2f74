/** `lacre saft` as a process: it writes a complete file under the given name, or none. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { expect, test } from "vitest";
import { anInvoice } from "../support/factories.ts";
import { homeOf } from "../support/instance.ts";
import { mustBeValid } from "../support/saft.ts";
import { lacre, lacreJson, type Made, makeDatabase, startServer } from "./program.ts";

/** A database with one invoice on each of the given days of 2026, and the path of its SAF-T file. */
async function withInvoices(...days: string[]): Promise<Made & { readonly out: string }> {
  const made = await makeDatabase();
  const instance = await openLacre({ dialect: sqlite(made.db), now: () => new Date("2026-11-21T12:00:00Z") });
  const home = await homeOf(instance, made.company.id);
  const { id: series } = await home.company.series.create({ doc_type: "FT", code: "LOJA" });
  for (const day of days) await anInvoice(home, { series_id: series, issue_date: `2026-${day}` });
  await instance.close();
  return { ...made, out: join(made.directory, "saft.xml") };
}

test("writes the file of a year, a month or some days, beside a running server", async () => {
  const { db, out } = await withInvoices("01-31", "02-01", "02-28", "03-01");
  await startServer(["serve", "--db", db]);
  const counted = async (...period: string[]) => {
    const report = await lacreJson("saft", ...period, "--out", out, "--overwrite", "--db", db);
    mustBeValid(readFileSync(out));
    return [report.from, report.to, (report.sales_invoices as { documents: number }).documents];
  };
  expect(await counted("--year", "2026")).toEqual(["2026-01-01", "2026-12-31", 4]);
  expect(await counted("--year", "2026", "--month", "2")).toEqual(["2026-02-01", "2026-02-28", 2]);
  expect(await counted("--year", "2024", "--month", "2")).toEqual(["2024-02-01", "2024-02-29", 0]);
  expect(await counted("--from", "2026-02-28", "--to", "2026-03-01")).toEqual(["2026-02-28", "2026-03-01", 2]);
  expect(await counted("--year", "2026", "--training")).toEqual(["2026-01-01", "2026-12-31", 0]);
});

test("shows people the contents of the file and its warnings", async () => {
  const { db, out } = await withInvoices("02-01");
  const { stdout, code } = await lacre(["saft", "--year", "2026", "--out", out, "--db", db]);
  expect(code).toBe(0);
  expect(stdout).toContain("2026-01-01 to 2026-12-31");
  expect(stdout).toMatch(/ FT +1 +0 +1 +100\.00 +23\.00 +123\.00\n/);
  expect(stdout).toMatch(/ PT +NOR +23 % +100\.00 +23\.00\n/);
  expect(stdout).toContain("Look at this (1): Documents of a program without a certificate number");
  expect(stdout).toContain("1 customer, 1 product, 1 tax rate.");
  const past = await lacre(["saft", "--year", "2026", "--month", "2", "--out", out, "--overwrite", "--db", db]);
  expect([past.code, past.stdout]).toEqual([0, expect.not.stringContaining("The period is not over")]);
  const next = `${new Date().getFullYear() + 1}`;
  const early = await lacre(["saft", "--year", next, "--out", out, "--overwrite", "--db", db]);
  expect(early.stdout).toContain(
    `The period is not over: what is issued from now until ${next}-12-31 is not in this file.`,
  );
});

test("keeps an existing file, and leaves nothing behind when refused", async () => {
  const { db, out, directory } = await withInvoices("02-01");
  writeFileSync(out, "precious");
  const before = readdirSync(directory);
  const { code, stderr } = await lacre(["saft", "--year", "2026", "--out", out, "--db", db]);
  expect([code, stderr]).toEqual([3, expect.stringContaining("exists already")]);
  expect(readFileSync(out, "utf8")).toBe("precious");
  const refused = await lacre(["saft", "--from", "2025-12-31", "--to", "2026-01-01", "--out", `${out}2`, "--db", db]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("a file covers one year")]);
  expect(existsSync(`${out}2`)).toBe(false);
  expect(readdirSync(directory)).toEqual(before);
});

test("never overwrites the database", async () => {
  const { db } = await withInvoices();
  const { code, stderr } = await lacre(["saft", "--year", "2026", "--out", db, "--overwrite", "--db", db]);
  expect([code, stderr]).toEqual([3, expect.stringContaining("is the database itself")]);
});

test.each(["-wal", "-shm", "-journal", ".lock"])("never writes to the %s of the database", async (suffix) => {
  const { db } = await withInvoices();
  for (const command of [["saft", "--overwrite", "--out"], ["saft", "--out"], ["backup"]]) {
    const { code, stderr } = await lacre([...command, db + suffix, "--db", db]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("belongs to the database")]);
    expect(existsSync(db + suffix)).toBe(false);
  }
});

test("replaces only regular files", async () => {
  const { db, directory } = await withInvoices();
  // A pipe stands in for any device: replaced by a file, it would be lost.
  const pipe = `${directory}/pipe`;
  execFileSync("mkfifo", [pipe]);
  for (const out of [pipe, directory]) {
    const { code, stderr } = await lacre(["saft", "--overwrite", "--out", out, "--db", db]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("is not a file")]);
  }
  expect(statSync(pipe).isFIFO()).toBe(true);
});

test.each([
  [["--month", "2"], "--month needs --year"],
  [["--year", "2026", "--from", "2026-01-01"], "not both"],
  [["--year", "2026", "--month", "13"], "--month must be a whole number from 1 to 12"],
])("%j is refused", async (period, message) => {
  const { code, stderr } = await lacre(["saft", "--out", "/nowhere/x.xml", ...period]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
