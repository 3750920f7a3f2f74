/** A build of one producer. The global stands in for what build.mjs writes into the source; core is loaded after it. */
import { generateKeyPairSync } from "node:crypto";
import { afterAll, expect, test, vi } from "vitest";
import type { Lacre } from "../../../src/core/index.ts";

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
  const home = lacre.as(await lacre.companies.create(COMPANY));
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

test("control: in an open build all of that is the operator's", async () => {
  vi.unstubAllGlobals();
  vi.resetModules();
  const core = await import("../../../src/core/index.ts");
  const driver = await import("../../../src/core/database/sqlite.ts");
  const lacre = await core.openLacre({ dialect: driver.sqlite(":memory:") });
  expect(await lacre.signer.setCertificate({ certificate_number: 77 })).toMatchObject({ certificate_number: 77 });
  expect(await lacre.signer.rotate()).toMatchObject({ key_version: 1 });
});
