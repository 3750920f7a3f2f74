/** Archives: what goes in comes out, on every engine; and what is no whole archive leaves nothing behind. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { archiveLacre, type Lacre, type LacreDialect, type LacreError, openLacre, pemSigner } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { ARCHIVED, LEFT_OUT, OF_THE_PLACE } from "../../../src/core/archive/tables.ts";
import { TABLE_NAMES } from "../../../src/core/database/tables.ts";
import {
  archiveOf,
  archiveWith,
  linesOf,
  readArchive,
  rowsOf,
  taxFilesOf,
  verifiedOf,
} from "../../support/archives.ts";
import { chanceOf } from "../../support/chance.ts";
import { dropped, HAS_SERVER, POSTGRES, schemaOf } from "../../support/databases.ts";
import { type Database, DRIVERS, type Driver, NOW, TODAY } from "../../support/drivers.ts";
import { aCustomer, aDraft, anInvoice, aProduct } from "../../support/factories.ts";
import { aCompany, aFile, anInstance, homeOf, type Instance } from "../../support/instance.ts";
import { pngOf } from "../../support/pictures.ts";
import { expectRefusal, refusalOf } from "../../support/refusals.ts";
import { aStrictMonth } from "../../support/strict-month.ts";
import { aTarget } from "../../support/target.ts";

const [BETTER, NODE] = DRIVERS as [Driver, Driver];
/** Where an archive goes on its way: the other library, and a server where one answers. */
const BETWEEN: readonly Database[] = HAS_SERVER ? [NODE, POSTGRES] : [NODE];

const now = () => new Date("2026-11-27T19:00:00Z");

/** A dialect for a new place; a schema is dropped when the test ends. */
function aPlace(database: Database): LacreDialect {
  const file = aFile();
  if (database === POSTGRES) onTestFinished(() => dropped(schemaOf(file)));
  return database.dialect(file);
}

async function opened(dialect: LacreDialect): Promise<Lacre> {
  const lacre = await openLacre({ dialect, now, migrate: false, signer: pemSigner(TEST_SIGNING_KEY, 1) });
  onTestFinished(() => lacre.close());
  return lacre;
}

/** A month of a certified business in a file. */
async function aCertifiedShop(): Promise<Instance> {
  const { home } = await aStrictMonth(chanceOf(7), BETTER, aFile());
  onTestFinished(() => home.lacre.close());
  return home;
}

const METADATA = { order: 'nº 7 \\ "x"', n: "1.5" };

/** An invoice to be issued, as a shop's program asks for it. */
const anOrder = ({ series }: Pick<Instance, "series">, customer_id: string) => ({
  doc_type: "FT" as const,
  series_id: series.FT,
  issue_date: TODAY,
  customer_id,
  lines: [{ description: "Bolo", qty: 0.000001, unit_price_net: 99_999_999, tax_rate: 23 }],
  external_id: "encomenda-1",
  metadata: METADATA,
  issue: true,
});

/** A shop with people, several companies, drafts, webhooks and all else that a certified month lacks, in a file. */
async function aMixedShop(): Promise<Instance> {
  const instance = await anInstance(BETTER, { file: aFile() });
  const { company, company_id, lacre } = instance;
  await company.webhooks.create({ url: "https://example.com/a", description: "ERP «café»" });
  await aTarget(instance);
  const logo = pngOf({ width: 9, height: 3 });
  await lacre.companies.change({ id: company_id, logo, footer_text: 'Obrigado — 🧾 "até já"' });
  const odd = await aCustomer(instance, { name: "Ångström & Filhos 𝔏", external_id: "erp/7", metadata: METADATA });
  await company.customers.archive({ id: (await aCustomer(instance, { name: "Quem se foi" })).id });
  await company.products.archive({ id: (await aProduct(instance, { sku: "P900" })).id });
  const order = anOrder(instance, odd.id);
  await company.documents.create(order, { idempotency_key: "encomenda-1" });
  await company.documents.create({ ...order, issue: false }, { idempotency_key: "rascunho-1" });
  const training = await company.series.create({ doc_type: "FT", code: "AULA", training: true });
  await anInvoice(instance, { series_id: training.id });
  const other = await aCompany(lacre);
  await lacre.companies.change({ id: other.company_id, cash_vat: true, tax_region: "PT-MA" });
  await other.company.series.create({ doc_type: "FT", code: "2026C", cash_vat: true });
  const owed = await anInvoice(other);
  await other.company.payments.record({ id: owed.id, amount: 23, method_code: "NU", payment_date: TODAY });
  await anInvoice(other, {
    doc_type: "NC",
    customer_id: owed.customer_id,
    references: [{ document_id: owed.id }],
  });
  await company.series.openYear({ year: 2027 });
  await lacre.keys.create({ company_id, name: "loja", scopes: ["documents:read"] });
  instance.travel("2026-11-27T18:00:00Z");
  return instance;
}

/** Columns and rows that a restore changes: everything else has to be as it was. */
function withoutRestore(archive: Uint8Array) {
  const { head: _, rows: __, ...tables } = rowsOf(archive);
  const without = (table: string, ...columns: string[]) =>
    tables[table]?.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name))));
  const isOfRestore = ({ action }: Record<string, unknown>) =>
    action === "backup.restored" || action === "series.locked";
  return {
    ...tables,
    installation: without("installation", "restores", "event_position", "event_seal"),
    companies: without("companies", "event_position", "event_seal"),
    series: without("series", "restore_locked_at"),
    events: tables.events?.filter((row) => !isOfRestore(row)),
    deliveries: tables.deliveries?.filter((row) => !isOfRestore(row)),
  };
}

describe.each([
  ["a certified month", aCertifiedShop, ["2026-11"]],
  ["a shop with everything else", aMixedShop, ["2026-11", "2026-12"]],
] as const)("%s", (_, shop, months) => {
  describe.each(BETWEEN)("over $name and back", (between) => {
    test("has every row, verifies alike, and gives the same tax files to the byte", async () => {
      const { lacre, file } = await shop();
      const first = await archiveOf(BETTER.dialect(file));
      const [there, back] = [aPlace(between), aPlace(BETTER)];
      await readArchive(first, there, now);
      const second = await archiveOf(there);
      await readArchive(second, back, now);
      const third = await archiveOf(back);
      expect(withoutRestore(second)).toEqual(withoutRestore(first));
      expect(withoutRestore(third)).toEqual(withoutRestore(first));
      const restored = await opened(back);
      const verified = await verifiedOf(lacre);
      expect(verified.installation.whole && verified.reports.every(({ whole }) => whole)).toBe(true);
      expect(await verifiedOf(await opened(there))).toEqual(verified);
      expect(await verifiedOf(restored)).toEqual(verified);
      await lacre.close();
      const source = await opened(BETTER.dialect(file));
      const files = await taxFilesOf(source, months);
      expect(await taxFilesOf(restored, months)).toEqual(files);
      expect(await taxFilesOf(await opened(there), months)).toEqual(files);
      expect(await restored.installation.get()).toMatchObject({ restores: 2 });
    });
  });
});

describe.each([BETTER, ...BETWEEN])("an unarchived database on $name", (database) => {
  test("issues nothing until its last numbers are confirmed, and then continues where the source stopped", async () => {
    const { file, company_id, lacre } = await aMixedShop();
    const [last] = (await lacre.as(company_id).documents.list({ doc_type: "FT", status: "issued" })).data;
    const there = aPlace(database);
    const { locked, documents, restores } = await readArchive(await archiveOf(BETTER.dialect(file)), there, now);
    expect(documents).toBeGreaterThan(5);
    expect(restores).toBe(1);
    expect(new Set(locked.map((one) => one.company_id)).size).toBeGreaterThan(1);

    const moved = await opened(there);
    const home = await homeOf(moved, company_id);
    const series_id = String(last?.series_id);
    const ready = { issue_date: "2026-11-27", series_id };
    const { id } = await aDraft(home, ready);
    await expectRefusal(home.company.documents.issue({ id }), "unavailable", String(last?.number));
    const numbers = locked.filter((one) => one.company_id === company_id).map(({ head }) => head);
    await home.company.series.confirmHeads({ numbers });
    const { number } = await home.company.documents.issue({ id });
    const [, sequence] = String(last?.number).split("/");
    expect(number).toBe(`${String(last?.number).split("/")[0]}/${Number(sequence) + 1}`);
    expect((await home.company.series.verify()).whole).toBe(true);
  });

  test("repeats a remembered answer, finds names, and numbers new rows after the old", async () => {
    const { file, company_id, lacre } = await aMixedShop();
    const customers = await lacre.as(company_id).customers.list({ search: "angstrom" });
    const there = aPlace(database);
    await readArchive(await archiveOf(BETTER.dialect(file)), there, now);
    const home = await homeOf(await opened(there), company_id);
    expect(await home.company.customers.list({ search: "angstrom" })).toEqual(customers);
    expect(customers.data).toHaveLength(1);
    expect((await home.company.customers.list({ search: "se foi" })).data).toEqual([]);
    const [sold] = (await home.company.documents.list({ external_id: "encomenda-1", status: "issued" })).data;
    const again = await home.company.documents.create(anOrder(home, String(customers.data[0]?.id)), {
      idempotency_key: "encomenda-1",
    });
    expect(again.number).toBe(sold?.number);
    const added = await aCustomer(home, { name: "Zacarias Novo" });
    await aProduct(home, { name: "Artigo novo" });
    expect((await home.company.customers.list({ search: "zacarias" })).data).toEqual([added]);
    expect((await home.company.series.verify()).whole).toBe(true);
  });
});

test("an archive holds every table, or says why not", () => {
  const counters = ["rate_log"]; // on a server, of requests in the last minute
  expect([...ARCHIVED, ...Object.keys(LEFT_OUT), ...counters].sort()).toEqual([...TABLE_NAMES].sort());
});

test("its page names every table that is left out", () => {
  const [, told = ""] = /\*\*Left out\*\*(.*?)\n\n/s.exec(readFileSync("docs/archive.md", "utf8")) ?? [];
  const named = Array.from(told.matchAll(/`(\w+)`/g), ([, name]) => name);
  expect(named.sort()).toEqual([...Object.keys(LEFT_OUT), ...Object.values(OF_THE_PLACE).flat()].sort());
});

test("an archive is as of one moment, while others continue to issue", async () => {
  const home = await aCertifiedShop();
  const { file, lacre } = home;
  const before = (await lacre.installation.heads()).length;
  const pieces = archiveLacre({ dialect: BETTER.dialect(file) });
  const read: Uint8Array[] = [(await pieces.next()).value as Uint8Array]; // it has begun
  const later = await anInvoice(home, {
    issue_date: "2026-11-27",
    customer_id: String((await home.company.customers.list()).data[0]?.id),
    lines: [{ description: "Pão", qty: 1, unit_price_net: 1, tax_rate: 22 }],
  });
  for await (const piece of pieces) read.push(piece);
  const archive = Buffer.concat(read);
  const { documents = [], events = [], head = [] } = rowsOf(archive);
  expect(head).toHaveLength(before);
  expect(documents.map(({ number }) => number)).not.toContain(later.number);
  expect(events.map(({ resource_id }) => resource_id)).not.toContain(later.id);
  await readArchive(archive, aPlace(BETTER), now);
  // Control: the next archive has it.
  const { documents: all = [] } = rowsOf(await archiveOf(BETTER.dialect(file)));
  expect(all.map(({ number }) => number)).toContain(later.number);
});

test("the same rows give the same lines on any database", async () => {
  const { file } = await aMixedShop();
  const at = () => new Date(NOW);
  const [one, other] = [await archiveOf(BETTER.dialect(file), at), await archiveOf(NODE.dialect(file), at)];
  expect(one.equals(other)).toBe(true);
});

test("a reader who stops ends the archive", async () => {
  const { file, lacre } = await aCertifiedShop();
  for await (const piece of archiveLacre({ dialect: BETTER.dialect(file) })) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
  expect(await lacre.isReady()).toBe(true);
});

// ——— What is no whole archive ———

/** The archive that the tests below break. */
let taken: Promise<Buffer> | undefined;
async function anArchive(): Promise<Buffer> {
  taken ??= aMixedShop().then(({ file }) => archiveOf(BETTER.dialect(file)));
  return taken;
}

/** The first line with this beginning, changed. */
const changed = (lines: string[], begins: string, change: (line: string) => string | string[]) => {
  const at = lines.findIndex((line) => line.startsWith(begins));
  expect(at, begins).toBeGreaterThanOrEqual(0);
  return lines.flatMap((line, i) => (i === at ? change(line) : line));
};

const REFUSED: readonly (readonly [name: string, make: (archive: Buffer) => Uint8Array, sentence: string])[] = [
  ["a text", () => Buffer.from("olá\n"), "not an archive of Lacre"],
  ["a packed text", () => gzipSync("olá\n"), "not an archive of Lacre"],
  ["a packed text without a line", () => gzipSync("olá"), "is cut off"],
  ["nothing", () => Buffer.alloc(0), "is cut off"],
  ["an archive without its last byte", (whole) => whole.subarray(0, -1), "is cut off"],
  ["half an archive", (whole) => whole.subarray(0, whole.length / 2), "is cut off"],
  ["lines without the hash", (whole) => gzipSync(linesOf(whole).join("\n")), "is cut off"],
  ["an archive twice", (whole) => Buffer.concat([whole, whole]), "is damaged"],
  [
    "an archive with a line behind its hash",
    (whole) => gzipSync(Buffer.concat([gunzipSync(whole), Buffer.from("{}\n")])),
    "is damaged",
  ],
  [
    "an archive changed by hand",
    (whole) => gzipSync(gunzipSync(whole).toString().replace("Ångström & Filhos", "Ångström & Primos")),
    "was changed after it was taken",
  ],
  [
    "an archive of a later format",
    (whole) => archiveWith(changed(linesOf(whole), "{", (line) => line.replace('archive":1', 'archive":2'))),
    "by a newer Lacre",
  ],
  [
    "an archive of a later schema",
    (whole) => archiveWith(changed(linesOf(whole), "{", (line) => line.replace("0001-initial", "0002-later"))),
    "by a newer Lacre",
  ],
  [
    "an archive of another schema",
    (whole) => archiveWith(changed(linesOf(whole), "{", (line) => line.replace(/"digest":"./, '"digest":"x'))),
    "by another build",
  ],
  [
    "an archive whose first line lacks its migrations",
    (whole) => archiveWith(changed(linesOf(whole), "{", (line) => line.replace('"migrations"', '"m"'))),
    "is damaged",
  ],
  [
    "a forged amount",
    (whole) =>
      archiveWith(
        changed(linesOf(whole), '{"documents"', (line) => line.replace(/"total_net_cents":\d+/, '"total_net_cents":1')),
      ),
    "is not whole",
  ],
  [
    "a lost customer's name",
    (whole) => archiveWith(changed(linesOf(whole), '{"customers"', (line) => line.replace('"name":"', '"name":"x'))),
    "is not whole",
  ],
  ["a lost event", (whole) => archiveWith(changed(linesOf(whole), '{"events"', () => [])), "rows of"],
  [
    "a lost count of rows",
    (whole) => archiveWith(changed(linesOf(whole), '{"rows"', (line) => line.replace('"events":', '"webhooks":'))),
    "rows of",
  ],
  [
    "another head",
    (whole) => archiveWith(changed(linesOf(whole), '{"head"', (line) => line.replace(/"seal":"./, '"seal":"x'))),
    "as the last of its series",
  ],
  ["a lost head", (whole) => archiveWith(changed(linesOf(whole), '{"head"', () => [])), "is damaged"],
  [
    "a row twice",
    (whole) => archiveWith(changed(linesOf(whole), '{"products"', (l) => [l, l])),
    "a row that Lacre did not store",
  ],
  [
    "a row of nobody",
    (whole) =>
      archiveWith(changed(linesOf(whole), '{"products"', (l) => l.replace(/"company_id":"./, '"company_id":"x'))),
    "a row that Lacre did not store",
  ],
  [
    "a line of no document",
    (whole) => {
      const stray = (line: string) => [line, line.replace(/"document_id":"./, '"document_id":"x')];
      const lines = changed(linesOf(whole), '{"document_lines"', stray);
      const more = (_: string, count: string) => `"document_lines":${Number(count) + 1}`;
      return archiveWith(changed(lines, '{"rows"', (line) => line.replace(/"document_lines":(\d+)/, more)));
    },
    "a row that Lacre did not store",
  ],
  [
    "an unknown table",
    (whole) => archiveWith(changed(linesOf(whole), '{"products"', (l) => [l, '{"sqlite_schema":{"a":1}}'])),
    "is damaged",
  ],
  [
    "tables in another order",
    (whole) => archiveWith(changed(linesOf(whole), '{"documents"', (l) => [l, '{"companies":{}}'])),
    "is damaged",
  ],
  ...(
    [
      ["a column more", /"sku":/, '"more":1,"sku":'],
      ["a column less", /"sku":"[^"]*",/, ""],
      ["another column", /"sku":/, '"skew":'],
      ["half a character", /"sku":"/, '"sku":"\\ud800'],
      ["a zero in a text", /"sku":"/, '"sku":"\\u0000'],
      ["a number that is none of Lacre's", /"position":\d+/, '"position":9007199254740993'],
      ["a fraction", /"position":\d+/, '"position":1.5'],
      ["a truth value", /"sku":"[^"]*"/, '"sku":true'],
      ["a list", /"sku":"[^"]*"/, '"sku":[1]'],
      ["bytes that are none", /"sku":"[^"]*"/, '"sku":{"base64":7}'],
      ["broken JSON", /"sku":/, '"sku'],
    ] as const
  ).map(
    ([name, from, to]) =>
      [
        `a row with ${name}`,
        (whole: Buffer) => archiveWith(changed(linesOf(whole), '{"products"', (line) => line.replace(from, to))),
        "is damaged",
      ] as const,
  ),
  ["a line that is a list", (whole) => archiveWith([...linesOf(whole), "[]"]), "is damaged"],
  ["a line without end", () => gzipSync(Buffer.alloc(40 * 1024 * 1024, "x")), "unpacks to far more"],
];

/** What the database itself finds, or what is found late. */
const FOUND_LATE = ["a row that Lacre did not store", "was changed after it was taken", "rows of", "is not whole"];

describe.each([BETTER, ...BETWEEN])("on $name", (database) => {
  test.each(database === BETTER ? REFUSED : REFUSED.filter(([, , sentence]) => FOUND_LATE.includes(sentence)))(
    "%s is refused, and leaves nothing",
    async (_, make, sentence) => {
      const there = aPlace(database);
      const refusal = await refusalOf(readArchive(make(await anArchive()), there, now));
      expect(refusal.message).toContain(sentence);
      expect(refusal.code).toBe("invalid_request");
      await expect(openLacre({ dialect: there, migrate: false })).rejects.toThrow("The database is empty.");
    },
  );

  test("control: the unchanged lines make an archive again", async () => {
    const whole = await anArchive();
    await readArchive(archiveWith(linesOf(whole)), aPlace(database), now);
  });

  test("an existing database is refused, and stays unchanged", async () => {
    const there = aPlace(database);
    const lacre = await openLacre({ dialect: there });
    onTestFinished(() => lacre.close());
    const heads = await lacre.installation.heads();
    const refusal = await refusalOf(readArchive(await anArchive(), there, now));
    expect([refusal.code, refusal.message]).toEqual(["conflict", expect.stringContaining("The database is not empty")]);
    expect(await lacre.installation.heads()).toEqual(heads);
  });
});

test("an archive cut off anywhere is refused as cut off", async () => {
  const whole = await anArchive();
  const chance = chanceOf(randomBytes(4).readUInt32LE());
  for (let i = 0; i < 15; i++) {
    const length = 2 + chance.below(whole.length - 2);
    const { message } = await refusalOf(readArchive(whole.subarray(0, length), aPlace(BETTER), now));
    expect(message, `seed ${chance.seed}, ${length} bytes`).toContain("is cut off");
  }
});

test("an archive with any bit flipped is refused, unless it unpacks to the same", async () => {
  const whole = await anArchive();
  const chance = chanceOf(randomBytes(4).readUInt32LE());
  for (let i = 0; i < 25; i++) {
    const at = chance.below(whole.length);
    const turned = Buffer.from(whole);
    turned[at] = (turned[at] as number) ^ (1 << chance.below(8));
    const said = await readArchive(turned, aPlace(BETTER), now).then(
      () => (gunzipSync(turned).equals(gunzipSync(whole)) ? "the same" : "another"),
      (error: LacreError) => error.message,
    );
    expect(said, `seed ${chance.seed}, byte ${at} of ${whole.length}`).toMatch(/archive|^the same$/);
  }
});

test("an archive that unpacks to more than any real one is refused before it fills a disk", async () => {
  const [first = ""] = linesOf(await anArchive());
  const long = gzipSync(`${first}\n{"installation":"${"x".repeat(40 * 1024 * 1024)}"}\n`);
  expect((await refusalOf(readArchive(long, aPlace(BETTER)))).message).toContain("unpacks to far more");
  const lines = linesOf(await anArchive());
  const at = lines.findIndex((line) => line.startsWith('{"products"'));
  const row = JSON.parse(String(lines[at])).products;
  const many = Array.from({ length: 90 }, (_, i) =>
    JSON.stringify({
      products: { ...row, id: `x${i}`, position: 1_000 + i, code: `P${1_000 + i}`, name: "x".repeat(1e6) },
    }),
  );
  const bomb = archiveWith([...lines.slice(0, at), ...many, ...lines.slice(at)]);
  expect(bomb.length).toBeLessThan(400_000);
  expect((await refusalOf(readArchive(bomb, aPlace(BETTER), now, 1_000))).message).toContain("unpacks to far more");
});

test("an empty database has no archive, nor has one in memory, which nobody else can read", async () => {
  await expect(archiveOf(BETTER.dialect(":memory:"))).rejects.toThrow("The database is empty.");
});
