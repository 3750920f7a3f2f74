/** `lacre pdf` as a process: it writes a complete file under the given name, or none. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { expect, test } from "vitest";
import { textOf } from "../core/print/reading.ts";
import { UNKNOWN_ID } from "../support/drivers.ts";
import { aDraft, anInvoice } from "../support/factories.ts";
import { homeOf } from "../support/instance.ts";
import { lacre, lacreJson, type Made, makeDatabase, startServer } from "./program.ts";

interface Shop extends Made {
  readonly out: string;
  readonly issued: string;
  readonly draft: string;
}

/** A database with an invoice and a draft, and the path of the PDF. */
async function aShop(): Promise<Shop> {
  const made = await makeDatabase();
  const instance = await openLacre({ dialect: sqlite(made.db), now: () => new Date("2026-11-21T12:00:00Z") });
  const home = await homeOf(instance, made.company.id);
  const { id: series_id } = await home.company.series.create({ doc_type: "FT", code: "LOJA" });
  const [issued, draft] = [await anInvoice(home, { series_id }), await aDraft(home, { series_id })];
  await instance.close();
  return { ...made, out: join(made.directory, "invoice.pdf"), issued: issued.id, draft: draft.id };
}

test("writes the same bytes as the API answers, beside a running server", async () => {
  const { db, out, issued, api_key } = await aShop();
  const { url } = await startServer(["serve", "--db", db]);
  const query = "lang=en&copies=2&copy=true&paper=80mm";
  const answer = await fetch(`${url}/v1/documents/${issued}/pdf?${query}`, {
    headers: { authorization: `Bearer ${api_key}` },
  });
  const options = ["--lang", "en", "--copies", "2", "--copy", "--paper", "80mm"];
  const told = await lacreJson("pdf", issued, "--out", out, ...options, "--db", db);
  const written = readFileSync(out);
  expect(told).toEqual({ file: out, document: "FT LOJA-1.pdf", bytes: written.length });
  expect(written.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
});

test("replaces an existing file only with --overwrite, and never the database", async () => {
  const { db, out, issued } = await aShop();
  writeFileSync(out, "precious");
  const pdf = (...args: string[]) => lacre(["pdf", issued, ...args, "--db", db]);
  expect(await pdf("--out", out)).toMatchObject({ code: 3, stderr: expect.stringContaining("exists already") });
  expect(readFileSync(out, "utf8")).toBe("precious");
  expect(await pdf("--out", db, "--overwrite")).toMatchObject({ code: 3, stderr: expect.stringContaining("database") });
  expect((await pdf("--out", out, "--overwrite")).code).toBe(0);
  expect(readFileSync(out).subarray(0, 5).toString()).toBe("%PDF-");
});

test("the first PDF is the original, later ones are second prints", async () => {
  const { db, out, issued } = await aShop();
  const printed = async (...more: string[]) => {
    expect((await lacre(["pdf", issued, "--out", out, "--overwrite", ...more, "--db", db])).code).toBe(0);
    return textOf(readFileSync(out)).match(/Original|2\.ª via/)?.[0];
  };
  expect([await printed("--copy"), await printed(), await printed()]).toEqual(["2.ª via", "Original", "2.ª via"]);
});

test("takes the number of a document as printed", async () => {
  const { db, out, issued } = await aShop();
  const pdf = (document: string) => lacre(["pdf", document, "--copy", "--overwrite", "--out", out, "--db", db]);
  expect((await pdf(issued)).code).toBe(0);
  const byId = readFileSync(out);
  expect((await pdf("FT LOJA/1")).code).toBe(0);
  expect(readFileSync(out).equals(byId)).toBe(true);
});

test("says why it cannot print, and leaves nothing behind", async () => {
  const { db, out, issued, draft, directory } = await aShop();
  const before = readdirSync(directory);
  for (const [args, says] of [
    [[draft], "A draft cannot be printed."],
    [[UNKNOWN_ID], "There is no such document."],
    [["FT LOJA/2"], "There is no document FT LOJA/2 of Padaria Central, Lda.; the last of its series is FT LOJA/1."],
    [["FS LOJA/1"], "There is no document FS LOJA/1 of Padaria Central, Lda.; the last of each series: FT LOJA/1."],
    [["LOJA/1"], "There is no document LOJA/1 of Padaria Central, Lda.; the last of each series: FT LOJA/1."],
    [["FT", "LOJA/1"], "LOJA/1 is one argument too many: what has spaces needs quotes"],
    [[issued, "--lang", "fr"], "must be one of pt, en"],
    [[issued, "--paper", "80"], "must be one of A4, 80mm"],
    [[issued, "--copies", "5"], "must be a whole number from 1 to 4"],
  ] as const) {
    const { code, stderr } = await lacre(["pdf", ...args, "--out", out, "--db", db]);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(says)]);
  }
  expect(existsSync(out)).toBe(false);
  expect(readdirSync(directory)).toEqual(before);
});
