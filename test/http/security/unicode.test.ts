/** Text in any script is returned as it was sent, in NFC, and still matches its seal after a restart. */
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { openLacre } from "lacre";
import { openSqlite, sqlite } from "lacre/sqlite";
import { expect, test } from "vitest";
import { ask, DAY, openStreet } from "../../support/attack.ts";
import { asRead } from "../../support/factories.ts";

const NAMES = [
  "Conceição Araújo & Filhos, Lda.",
  "Conceic\u0327a\u0303o",
  "A\u030angstro\u0308m \u212b \u2126",
  "e\u0301\u0323 and e\u0323\u0301",
  "각 각",
  "👩‍👩‍👧‍👦 família 👨🏿‍🌾 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇵🇹",
  "می‌خواهم נְקֻדּוֹת שלום مرحبا",
  "Ελληνικά ΟΔΥΣΣΕΥΣ Σίσυφος",
  "Ünïcödé İstanbul ıI ßẞ ﬁ ½ ①",
  "漢字 ひらがな カタカナ ｶﾀｶﾅ 𠮷野家",
  "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 \u{10fffd}",
  "a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030a",
  "<b>não</b> & \"aspas\" 'plicas' `crase` \\ / %00 {{y}}",
  "soft\u00adhyphen zero\u200bwidth no\u00a0break \u{e0001}tag",
];

const stored = (text: string) => text.normalize("NFC").trim();

/** Characters that leave no mark. */
const INVISIBLE = /^[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}]*$/u;

/**
 * Allowed text: well-formed, with something to see, up to 100 characters, without controls, separators and bidi
 * overrides.
 */
const allowed = fc
  .string({ unit: "binary", minLength: 1, maxLength: 60 })
  .filter(
    (text) =>
      text.isWellFormed() && !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text) && stored(text) !== "",
  )
  .filter((text) => !INVISIBLE.test(text))
  .filter((text) => [...stored(text)].length <= 100);

test("names in any script are stored, found and sealed, and read the same after the file is reopened", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lacre-text-"));
  const file = join(directory, "text.db");
  const seed = Number(process.env.UNICODE_SEED ?? randomInt(2 ** 31));
  console.log(`unicode seed ${seed}: UNICODE_SEED=${seed} makes the same names again`);
  const names = [...NAMES, ...fc.sample(allowed, { seed, numRuns: 150 })];
  try {
    const { lacre, handler, own } = await openStreet(sqlite(file));
    const call = async (method: string, path: string, body?: unknown) => {
      const { status, text } = await ask(handler, { method, path, api_key: own.api_key, body });
      expect([path, body, status, status < 300 ? "" : text]).toEqual([path, body, method === "POST" ? 201 : 200, ""]);
      return JSON.parse(text);
    };
    const documents: { id: string; text: string; name: string }[] = [];
    for (const name of names) {
      const customer = await call("POST", "/v1/customers", { name, address: `${name}\nPorta 2\tdireita` });
      expect(customer.name).toBe(stored(name));
      expect(customer.address).toBe(stored(`${name}\nPorta 2\tdireita`));
      expect(await call("GET", `/v1/customers/${customer.id}`)).toEqual(asRead(customer));
      const product = await call("POST", "/v1/products", {
        name,
        sku: name,
        unit: "un",
        unit_price_net: 1,
        tax_rate: 23,
      });
      expect([product.name, product.sku]).toEqual([stored(name), stored(name)]);
      const document = await call("POST", "/v1/documents", {
        doc_type: "FT",
        series_id: own.owned.series,
        issue_date: DAY,
        customer_id: customer.id,
        notes: name,
        issue: true,
        lines: [{ description: name, qty: 1, unit_price_net: 1, tax_rate: 23, product_id: product.id }],
      });
      expect([document.notes, document.lines[0].description]).toEqual([stored(name), stored(name)]);
      expect(document.customer.name).toBe(stored(name));
      const search = encodeURIComponent(name.trim());
      const found = await call("GET", `/v1/customers?limit=200&search=${search}`);
      expect(found.data.map(({ id }: { id: string }) => id)).toContain(customer.id);
      const { text } = await ask(handler, {
        method: "GET",
        path: `/v1/documents/${document.id}`,
        api_key: own.api_key,
      });
      documents.push({ id: document.id, text, name: stored(name) });
    }
    expect((await lacre.as(own.company_id).series.verify()).whole).toBe(true);
    await lacre.close();

    const reopened = await openLacre({ dialect: sqlite(file) });
    const company = reopened.as(own.company_id);
    for (const { id, text } of documents) expect(JSON.stringify(await company.documents.get({ id }))).toBe(text);
    const verified = await company.series.verify();
    expect(verified).toMatchObject({ whole: true, documents: names.length + 1 });
    await reopened.close();

    // Control: one code point added to one line makes the seal fail.
    const raw = openSqlite(file);
    raw.exec("drop trigger document_lines_no_update_once_issued");
    raw.exec("drop trigger document_lines_identity_is_fixed");
    const last = documents.at(-1)?.id;
    raw.exec(`update document_lines set description = description || char(768) where document_id = '${last}'`);
    raw.close();
    const tampered = await openLacre({ dialect: sqlite(file) });
    expect((await tampered.as(own.company_id).series.verify()).whole).toBe(false);
    await tampered.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("the NFC and NFD forms of a name are the same name", async () => {
  const { lacre, handler, own } = await openStreet();
  const create = async (name: string) =>
    JSON.parse(
      (await ask(handler, { method: "POST", path: "/v1/customers", api_key: own.api_key, body: { name } })).text,
    ).name;
  expect(await create("João Gonçalves".normalize("NFD"))).toBe(await create("João Gonçalves".normalize("NFC")));
  const list = async (search: string) =>
    JSON.parse(
      (
        await ask(handler, {
          method: "GET",
          path: `/v1/customers?search=${encodeURIComponent(search)}`,
          api_key: own.api_key,
        })
      ).text,
    ).pagination.total;
  for (const search of ["João", "João".normalize("NFD"), "JOAO", "joao goncalves", "ão g"])
    expect([search, await list(search)]).toEqual([search, 2]);
  await lacre.close();
});
