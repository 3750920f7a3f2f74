/** A build of one producer. The global stands in for what the build writes into the source; core is loaded after it. */
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import BetterSqlite from "better-sqlite3";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import type { Lacre } from "../../../src/core/index.ts";
import { aNif } from "../../support/nif.ts";

const pair = () =>
  generateKeyPairSync("rsa", {
    modulusLength: 1024,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
const [producers, other] = [pair(), pair()];

vi.stubGlobal("LACRE_PRODUCER", {
  certificate_number: 1234,
  name: "Oficina, Lda.",
  tax_id: "509442013",
  public_key: producers.publicKey,
});
vi.resetModules();
const { openLacre, pemSigner } = await import("../../../src/core/index.ts");
const { sqlite } = await import("../../../src/core/database/sqlite.ts");
afterAll(() => vi.unstubAllGlobals());

/** An installation of the producer's build, with the signer of this key or with none. */
function opened(private_key?: string) {
  const signer = private_key === undefined ? {} : { signer: pemSigner(private_key, 1) };
  return openLacre({ dialect: sqlite(":memory:"), ...signer });
}

const COMPANY = {
  ...{ name: "Padaria Central, Lda.", tax_id: "500000000" },
  ...{ address: "Rua 1", postal_code: "1100-148", city: "Lisboa" },
};

/** Issues a quotation of a new company. */
async function issueOne(lacre: Lacre) {
  const home = lacre.as(await lacre.companies.create({ ...COMPANY, tax_id: aNif() }));
  const series = await home.series.create({ doc_type: "OR", code: "LOJA", validation_code: "CSDF7T5H" });
  return home.documents.create({
    doc_type: "OR",
    series_id: series.id,
    issue_date: series.created_at.slice(0, 10),
    customer_id: (await home.customers.create({ name: "Ana Conceição" })).id,
    lines: [{ description: "Pão de Mafra", qty: 1, unit_price_net: 1, tax_rate: 6 }],
    issue: true,
  });
}

const BOUND =
  "This build is that of Oficina, Lda.: its certificate number, producer and key come with it and do not change.";
const OTHER_KEY = "This build signs with the key of Oficina, Lda. alone";

/** A path for a database, gone when the test ends: instance.ts would load Lacre before it is a producer's. */
function aFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "lacre-producer-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, "lacre.db");
}

test("it signs with the producer's key, under the producer's number", async () => {
  const lacre = await opened(producers.privateKey);
  expect(await issueOne(lacre)).toMatchObject({ number: "OR LOJA/1", qr_code: expect.stringMatching(/\*R:1234$/) });
  expect(await lacre.signer.get()).toMatchObject({
    certificate_number: 1234,
    producer: { name: "Oficina, Lda.", tax_id: "509442013" },
    public_key: producers.publicKey,
  });
});

test("it accepts no other key, and makes none", async () => {
  const refused = { code: "unavailable", message: expect.stringContaining(OTHER_KEY) };
  for (const key of [other.privateKey, undefined]) {
    await expect(issueOne(await opened(key))).rejects.toMatchObject(refused);
  }
  await expect((await opened(other.privateKey)).signer.get()).rejects.toMatchObject(refused);
});

test("it takes the producer's key into the database, and refuses another there", async () => {
  const lacre = await opened();
  await expect(lacre.signer.import({ private_key: other.privateKey })).rejects.toMatchObject({ code: "unavailable" });
  await lacre.signer.import({ private_key: producers.privateKey });
  expect(await issueOne(lacre)).toMatchObject({ number: "OR LOJA/1" });
});

test("number, producer and key cannot be changed", async () => {
  const lacre = await opened(producers.privateKey);
  const refused = { code: "invalid_state", message: BOUND };
  await expect(lacre.signer.setCertificate({ certificate_number: 0 })).rejects.toMatchObject(refused);
  await expect(lacre.signer.setCertificate({ producer_name: null })).rejects.toMatchObject(refused);
  await expect(lacre.signer.rotate()).rejects.toMatchObject(refused);
});

/** Lacre as it comes: an open build, loaded anew. */
async function openBuild() {
  vi.unstubAllGlobals();
  vi.resetModules();
  const core = await import("../../../src/core/index.ts");
  const driver = await import("../../../src/core/database/sqlite.ts");
  return (file: string) => core.openLacre({ dialect: driver.sqlite(file) });
}

function textOf(file: AsyncIterable<Uint8Array>): Promise<string> {
  return Readable.from(file)
    .toArray()
    .then((pieces) => Buffer.concat(pieces).toString("latin1"));
}

const FOREIGN = {
  code: "unavailable",
  message: expect.stringContaining("Certificate number 1234 belongs to a producer's build"),
};

test("an open build prints, exports and encodes nothing that was issued under the producer's number", async () => {
  const file = aFile();
  const made = await openLacre({ dialect: sqlite(file), signer: pemSigner(producers.privateKey, 1) });
  const { id } = await issueOne(made);
  const [company] = await made.companies.list();
  const own = made.as(String(company?.id));
  expect((await own.documents.pdf({ id })).pdf.length).toBeGreaterThan(1_000);
  expect(await textOf((await own.saft.export({})).file)).toContain("<SoftwareCertificateNumber>1234<");
  expect(await own.series.verify()).toMatchObject({ whole: true });
  await made.close();

  const lacre = await (await openBuild())(file);
  const shop = lacre.as(String(company?.id));
  await expect(shop.documents.pdf({ id })).rejects.toMatchObject(FOREIGN);
  await expect(shop.documents.print({ id })).rejects.toMatchObject(FOREIGN);
  await expect(shop.saft.export({})).rejects.toMatchObject(FOREIGN);
  expect(await shop.documents.get({ id })).toMatchObject({ number: "OR LOJA/1", qr_code: null });
  expect((await shop.documents.list()).data).toMatchObject([{ qr_code: null }]);
  const { series } = await shop.series.verify();
  expect(series.flatMap(({ finding }) => finding ?? [])).toMatchObject([{ number: "OR LOJA/1" }]);
  await lacre.close();
});

test("a number that SQL put into an open build's database is named, and neither issued under nor exported", async () => {
  const file = aFile();
  const open = await openBuild();
  const before = await open(file);
  await issueOne(before);
  const [company] = await before.companies.list();
  await before.close();
  const sql = new BetterSqlite(file);
  sql.exec("update installation set certificate_number = 1234");
  sql.close();
  const lacre = await open(file);
  const shop = lacre.as(String(company?.id));
  await expect(issueOne(lacre)).rejects.toMatchObject(FOREIGN);
  await expect(shop.saft.export({})).rejects.toMatchObject(FOREIGN);
  expect((await lacre.installation.verify()).findings).toContainEqual({
    place: "certificate",
    reason: "Certificate 1234 belongs to a producer's build, and this is not it.",
  });
  await lacre.close();
});

test("control: in an open build all of that is up to the operator", async () => {
  const lacre = await (await openBuild())(":memory:");
  await expect(lacre.signer.setCertificate({ certificate_number: 1234 })).rejects.toMatchObject({
    code: "invalid_request",
  });
  expect(await lacre.signer.setCertificate({ certificate_number: 9999 })).toMatchObject({ certificate_number: 9999 });
  expect(await lacre.signer.rotate()).toMatchObject({ key_version: 1 });
});
