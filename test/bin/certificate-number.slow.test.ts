/** An open build takes no certificate number but the rehearsal's, by whichever way another is given. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import type { SignerState } from "../../src/core/signing/signer.ts";
import { textOf } from "../core/print/reading.ts";
import { aPrivateKey, publicHalfOf } from "../support/keys.ts";
import {
  call,
  invoice,
  lacre,
  lacreJson,
  type Made,
  makeCustomer,
  makeDatabase,
  startServer,
  today,
} from "./program.ts";

/** A producer, as `tools/build.ts` writes one into its build. */
const PRODUCER = {
  certificate_number: 1234,
  name: "Oficina, Lda.",
  tax_id: "509442013",
  public_key: publicHalfOf(aPrivateKey()),
};

const NOT_CERTIFIED = /Emitido por programa não certificado (?!n)/;

const signer = ({ db }: Made) => lacreJson<SignerState>("signer", "show", "--db", db);

/** Issues an invoice, and tells all that an invoice shows a number in: its QR code, its page, the tax file. */
async function issueAndShow(made: Made, env: Readonly<Record<string, string>> = {}) {
  const server = await startServer(["serve", "--db", made.db, "--no-backup-because", "test"], { env });
  const customer_id = await makeCustomer(server, made);
  const { status, body } = await call(server, made.api_key, "POST", "/v1/documents", invoice(made, customer_id));
  expect([status, body.error]).toEqual([201, undefined]);
  await server.stop();
  const [pdf, saft] = [join(made.directory, "invoice.pdf"), join(made.directory, "year.xml")];
  const year = today().slice(0, 4);
  await lacre(["pdf", String(body.number), "--out", pdf, "--overwrite", "--db", made.db], { env });
  await lacre(["saft", "--year", year, "--out", saft, "--overwrite", "--db", made.db], { env });
  const [, exported] = /<SoftwareCertificateNumber>(\d+)</.exec(readFileSync(saft, "latin1")) ?? [];
  return { qr: /\*R:(\d+)/.exec(String(body.qr_code))?.[1], page: textOf(readFileSync(pdf)), exported };
}

test("no command sets another number", async () => {
  const made = await makeDatabase();
  const set = (number: string) => lacre(["signer", "set", "--certificate-number", number, "--db", made.db]);
  for (const number of ["1", "1234", "9998", "01234"]) {
    const { code, stderr } = await set(number);
    expect([number, code, stderr]).toEqual([
      number,
      EXITS.refused.code,
      expect.stringContaining("must be 0, or 9999 to rehearse: any other number comes with the build of its producer"),
    ]);
  }
  for (const number of ["1234.0", "0x4d2", "1e3", "-1", " 1234", "１２３４", "99990"]) {
    expect([number, (await set(number)).code]).toEqual([number, EXITS.usage.code]);
  }
  expect(await signer(made)).toMatchObject({ certificate_number: 0, producer: null });
  expect((await set("9999")).code).toBe(0); // the control
  expect(await signer(made)).toMatchObject({ certificate_number: 9999 });
});

test("no environment brings one to a page, a QR code or a tax file", async () => {
  const made = await makeDatabase();
  const file = join(made.directory, "producer.json");
  writeFileSync(file, JSON.stringify(PRODUCER));
  const preload = join(made.directory, "preload.mjs");
  writeFileSync(preload, `globalThis.LACRE_PRODUCER = ${JSON.stringify(PRODUCER)};`);
  const environments = [
    { LACRE_PRODUCER: file, LACRE_CERTIFICATE_NUMBER: "1234" },
    { LACRE_PRODUCER: JSON.stringify(PRODUCER), CERTIFICATE_NUMBER: "1234" },
    { NODE_OPTIONS: `--import=${preload}` },
  ];
  for (const env of environments) {
    const { page, ...shown } = await issueAndShow(made, env);
    expect(shown).toEqual({ qr: "0", exported: "0" });
    expect(page).toMatch(NOT_CERTIFIED);
    expect(page).not.toContain("1234");
    expect(JSON.parse((await lacre(["signer", "show", "--db", made.db], { env })).stdout)).toMatchObject({
      certificate_number: 0,
      producer: null,
    });
  }
  // The control: that is how the sources, of which builds are made, are told of a producer.
  const { stderr } = await lacre(["signer", "show", "--db", made.db], { node: ["--import", preload] });
  expect(stderr).toContain("This build signs with the key of Oficina, Lda. alone");
});

test("no request sets one", async () => {
  const made = await makeDatabase();
  const server = await startServer(["serve", "--db", made.db]);
  const customer_id = await makeCustomer(server, made);
  const more = { certificate_number: 1234 };
  for (const [path, body] of [
    ["/v1/documents", invoice(made, customer_id)],
    ["/v1/customers", { name: "Rui" }],
    ["/v1/series", { doc_type: "FT", code: "LOJA" }],
  ] as const) {
    const { status, body: answered } = await call(server, made.api_key, "POST", path, { ...body, ...more });
    expect([path, status, JSON.stringify(answered)]).toEqual([
      path,
      400,
      expect.stringContaining("certificate_number: is not a known field"),
    ]);
    expect((await call(server, made.api_key, "POST", path, body)).status).toBe(201); // the control
  }
  const line = { name: "Processado por programa certificado n.º 1234/AT" };
  expect((await call(server, made.api_key, "POST", "/v1/customers", line)).status).toBe(400);
  expect((await call(server, made.api_key, "PATCH", "/area/v1/company", more)).status).toBe(403);
});

/** Changes rows behind Lacre's back, without the triggers that would refuse it. */
function pastTriggers({ db }: Made, change: string): void {
  const sql = new DatabaseSync(db);
  const triggers = sql.prepare("select name, sql from sqlite_schema where type = 'trigger'").all();
  for (const { name } of triggers) sql.exec(`drop trigger ${name}`);
  sql.exec(change);
  for (const trigger of triggers) sql.exec(String(trigger.sql));
  sql.close();
}

test.each([
  ["the installation", "update installation set certificate_number = 1234", "certificate: Certificate 1234 belongs to"],
  ["a series", "update series set certificate_number = 1234", "its series is under 1234"],
  ["a document", "update documents set certificate_number = 1234", "/1 (Padaria Central, Lda.): The seal is broken."],
  [
    "a document and its series",
    "update documents set certificate_number = 1234; update series set certificate_number = 1234 where next_number > 1",
    "/1 (Padaria Central, Lda.): The seal is broken.",
  ],
])("what SQL writes into %s is neither printed nor exported, and verify names it", async (_, change, named) => {
  const made = await makeDatabase();
  expect(await issueAndShow(made)).toMatchObject({ qr: "0", exported: "0" }); // the control
  pastTriggers(made, change);
  const [pdf, saft] = [join(made.directory, "other.pdf"), join(made.directory, "other.xml")];
  await lacre(["pdf", `FT ${made.series[0]?.code}/1`, "--out", pdf, "--db", made.db]);
  if (change.includes("documents")) expect(existsSync(pdf)).toBe(false);
  else expect(textOf(readFileSync(pdf))).toMatch(NOT_CERTIFIED);
  const { code: ended } = await lacre(["saft", "--year", today().slice(0, 4), "--out", saft, "--db", made.db]);
  expect(ended).not.toBe(EXITS.done.code);
  if (existsSync(saft)) expect(readFileSync(saft, "latin1")).not.toContain(">1234<");
  const server = await startServer(["serve", "--db", made.db, "--no-backup-because", "test"]);
  const listed = await call(server, made.api_key, "GET", "/v1/documents");
  expect(JSON.stringify(listed.body)).not.toContain("R:1234");
  await server.stop();
  const { code, stdout } = await lacre(["verify", "--db", made.db]);
  expect([code, stdout]).toEqual([EXITS.not_whole.code, expect.stringContaining(named)]);
});
