/** A file in which only the search index is damaged: nothing of the documents is lost, and the way out says so. */
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { describe, expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { TODAY } from "../support/drivers.ts";
import { anInvoice } from "../support/factories.ts";
import { homeOf } from "../support/instance.ts";
import { lacre, lacreJson, type Made, makeDatabase } from "./program.ts";

/** Overwrites every page of the tables whose names begin so, as a failing disk does. Tells how many there were. */
async function damage(db: string, table: string, byte: number): Promise<number> {
  const file = new Sqlite(db);
  const page_size = Number(file.pragma("page_size", { simple: true }));
  const pages = file.prepare("select pageno from dbstat where name glob ? || '*'").pluck().all(table) as number[];
  file.close();
  const bytes = await readFile(db);
  for (const page of pages) bytes.fill(byte, (page - 1) * page_size, page * page_size);
  await writeFile(db, bytes);
  return pages.length;
}

/** A database with documents, and products enough for an index of several pages. */
async function aShop(): Promise<Made & { readonly first: string }> {
  const made = await makeDatabase();
  const instance = await openLacre({ dialect: sqlite(made.db), now: () => new Date(`${TODAY}T12:00:00Z`) });
  const home = await homeOf(instance, made.company.id);
  const { number } = await anInvoice(home, { issue_date: TODAY });
  await anInvoice(home, { issue_date: TODAY });
  const cake = { unit_price_net: 1, tax_rate: 23 };
  for (let i = 0; i < 100; i++) await home.company.products.create({ name: `Bolo de anos n.º ${i}`, ...cake });
  await instance.close();
  return { ...made, first: String(number) };
}

describe.each([
  ["the index of products, of zeros", "product_search", 0],
  ["the index of customers, of noise", "customer_search", 0x5a],
])("%s", (_, table, byte) => {
  test("is named by verify; documents and tax files can be read, and an archive remakes the file", async () => {
    const { db, directory, first, company } = await aShop();
    expect(await damage(db, table, byte)).toBeGreaterThan(3);
    const there = ["--db", db];
    const [pdf, xml, archive, anew] = ["a.pdf", "a.xml", "a.lacre", "anew.db"].map((name) => join(directory, name)) as [
      string,
      string,
      string,
      string,
    ];
    expect(await lacre(["pdf", first, "--out", pdf, ...there])).toMatchObject({ code: 0 });
    expect(await lacre(["saft", "--year", TODAY.slice(0, 4), "--out", xml, ...there])).toMatchObject({ code: 0 });

    const said = `In ${db} only the search index is damaged (`;
    const ways = `\n  lacre archive --db '${db}' FILE\n  lacre unarchive FILE --db NEW.db\n`;
    for (const [exit, ...args] of [
      ["not_whole", "verify"],
      ["unusable", "serve", "--port", "0"],
      ["unusable", "backup", join(directory, "b.db")],
    ] as const) {
      const { code, stderr } = await lacre([...args, ...there]);
      expect([args[0], code, stderr]).toEqual([args[0], EXITS[exit].code, expect.stringContaining(said)]);
      expect(stderr).toContain(ways);
    }
    const { stdout } = await lacre(["verify", "--json", ...there]);
    expect(JSON.parse(stdout)).toMatchObject({ whole: false, documents: 2, damage: expect.any(String) });

    await lacreJson("archive", archive, ...there);
    await lacreJson("unarchive", archive, "--db", anew);
    expect(await lacreJson("verify", "--db", anew)).toMatchObject({ whole: true, documents: 2, damage: null });
    const instance = await openLacre({ dialect: sqlite(anew) });
    const found = await instance.as(company.id).products.list({ search: "anos n.º 42" });
    await instance.close();
    expect(found.pagination.total).toBe(1);
  });
});

test("damage in a table of documents is reported as such, and the way out is a backup", async () => {
  const { db, directory, first } = await aShop();
  const both = join(directory, "both.db");
  expect(await damage(db, "document_lines", 0)).toBeGreaterThan(0);
  await copyFile(db, both);
  await damage(both, "product_search", 0);
  for (const damaged of [db, both]) {
    expect((await lacre(["pdf", first, "--out", join(directory, "a.pdf"), "--db", damaged])).code).not.toBe(0);
    const { code, stderr } = await lacre(["serve", "--port", "0", "--db", damaged]);
    expect([code, stderr]).toEqual([EXITS.unusable.code, expect.stringContaining(`There is damage in ${damaged} (`)]);
    expect(stderr).toContain("restore a backup");
    expect(stderr).not.toContain("lacre archive");
  }
});
