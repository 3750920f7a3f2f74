import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { type Lacre, type LogEntry, pemSigner, signedText, verifySignature } from "lacre";
import { describe, expect, test } from "vitest";
import { getSigner, importSigner, rotateSigner, setCertificate } from "../../../src/core/signing/signer.ts";
import { DATABASES, isPostgres } from "../../support/databases.ts";
import { NOW } from "../../support/drivers.ts";
import { anInvoice, invoiceInput } from "../../support/factories.ts";
import { aCompany, aFile, anInstallation, anInstance, homeOf, pastIn } from "../../support/instance.ts";
import { aPrivateKey, publicHalfOf, secretsOf } from "../../support/keys.ts";
import { expectRefusal, refusalOf } from "../../support/refusals.ts";

const PRODUCER = { producer_name: "Oficina de Programas, Lda.", producer_tax_id: "509442013" };

/** A PEM whose numbers do not match: the public half of one key, the private exponent of another. */
function aDamagedKey(): string {
  const [one, other] = [aPrivateKey(), aPrivateKey()].map((pem) => createPrivateKey(pem).export({ format: "jwk" }));
  const { d, dp, dq } = other ?? {};
  const key = createPrivateKey({ key: { ...one, d, dp, dq } as never, format: "jwk" });
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function aKeyOf(kind: "ed25519" | "ec" | "rsa-pss"): string {
  const { privateKey } =
    kind === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : kind === "ed25519"
        ? generateKeyPairSync("ed25519")
        : generateKeyPairSync("rsa-pss", { modulusLength: 1024 });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function aLockedKey(): string {
  const lock = { cipher: "aes-256-cbc", passphrase: "segredo" };
  return createPrivateKey(aPrivateKey())
    .export({ type: "pkcs8", format: "pem", ...lock })
    .toString();
}

interface Signed {
  readonly number: string;
  readonly issue_date: string;
  readonly system_entry_date: string;
  readonly total_gross_cents: number;
  readonly hash: string;
  readonly key_version: number;
}

describe.each(DATABASES)("the signer over $name", (driver) => {
  /** An installation in a file, with one company. */
  async function aFiled(options: { signer?: ReturnType<typeof pemSigner>; log?: (entry: LogEntry) => void } = {}) {
    const file = aFile();
    const lacre = await anInstallation(driver, { file, ...options });
    const home = await aCompany(lacre);
    const all = <T>(sql: string) => pastIn<T>(driver, file, sql);
    return { file, lacre, home, all };
  }

  const eventsOf = async (all: <T>(sql: string) => Promise<T[]>) =>
    (
      await all<{ action: string; at: string; detail: string }>(
        "select action, at, detail from events where company_id is null and position > 3 order by position",
      )
    ).map(({ action, at, detail }) => [action, at, JSON.parse(detail) as unknown]);

  describe("the key", () => {
    test("is shown by version and public key; before the first company there is none", async () => {
      const lacre = await anInstallation(driver);
      const nothing = { certificate_number: 0, key_version: null, public_key: null, host_signs: false, producer: null };
      expect(await lacre.signer.get()).toEqual(nothing);
      await aCompany(lacre);
      const first = await lacre.signer.get();
      expect(first).toEqual({ ...nothing, key_version: 1, public_key: expect.stringContaining("BEGIN PUBLIC KEY") });
      expect(createPublicKey(first.public_key ?? "").asymmetricKeyDetails?.modulusLength).toBe(1024);
    });

    test("has the next version after a rotation; each document verifies under its own version and no other", async () => {
      const { lacre, home, all } = await aFiled();
      await anInvoice(home);
      const first = await lacre.signer.get();
      const second = await lacre.signer.rotate();
      expect(second).toEqual({
        ...first,
        key_version: 2,
        public_key: expect.not.stringContaining(first.public_key ?? ""),
      });
      expect(await lacre.signer.get()).toEqual(second);
      await anInvoice(home);
      expect(await lacre.signer.rotate()).toMatchObject({ key_version: 3 });

      const documents = await all<Signed>("select * from documents order by sequence");
      expect(documents.map(({ number, key_version }) => [number, key_version])).toEqual([
        ["FT 2026A/1", 1],
        ["FT 2026A/2", 2],
      ]);
      const keys = [first.public_key ?? "", second.public_key ?? ""];
      const verified = documents.map((document, i) => {
        const text = signedText({ ...document, previous_hash: documents[i - 1]?.hash ?? "" });
        return keys.map((key) => verifySignature(text, document.hash, key));
      });
      expect(verified).toEqual([
        [true, false],
        [false, true],
      ]);
      expect(await home.company.series.verify()).toMatchObject({ whole: true, documents: 2 });
    });

    // On PostgreSQL the commands of a company do not wait for those of the installation.
    test.skipIf(isPostgres(driver))(
      "that is added between two documents of one commit signs the second; the same holds for a certificate",
      async () => {
        const { lacre, home, all } = await aFiled();
        const input = await invoiceInput(home, { issue: true });
        await home.company.documents.create(input);
        await Promise.all([
          home.company.documents.create(input),
          lacre.signer.rotate(),
          home.company.documents.create(input),
          lacre.signer.setCertificate({ producer_name: "Padaria", producer_tax_id: "500000000" }),
          home.company.documents.create(input),
        ]);
        const issued = await all<Signed & { issuer: string }>(
          "select key_version, issuer from documents order by sequence",
        );
        const producer = ({ issuer }: { issuer: string }) => JSON.parse(issuer).producer;
        expect(issued.map(({ key_version }) => key_version)).toEqual([1, 1, 2, 2]);
        expect(issued.map(producer)).toEqual([null, null, null, { name: "Padaria", tax_id: "500000000" }]);
        expect(await home.company.series.verify()).toMatchObject({ whole: true, documents: 4 });
      },
    );

    test("that another process installed signs the next document of this one", async () => {
      const { file, home, all } = await aFiled();
      await anInvoice(home);
      const beside = await anInstallation(driver, { file });
      await beside.signer.rotate();
      await anInvoice(home);
      await beside.signer.import({ private_key: aPrivateKey() });
      await anInvoice(home);
      await anInvoice(await homeOf(beside, home.company_id));
      const versions = await all<Signed>("select key_version from documents order by sequence");
      expect(versions.map(({ key_version }) => key_version)).toEqual([1, 2, 3, 3]);
      expect(await home.company.series.verify()).toMatchObject({ whole: true, documents: 4 });
    });

    test.each(["pkcs1", "pkcs8"] as const)("can be imported as %s, under its own version", async (type) => {
      const { lacre, home, all } = await aFiled();
      await anInvoice(home);
      const private_key = aPrivateKey(1024, type);
      const imported = await lacre.signer.import({ private_key, key_version: 7 });
      expect(imported).toMatchObject({ key_version: 7, public_key: publicHalfOf(private_key), host_signs: false });
      await anInvoice(home);
      const [, second] = await all<Signed>("select * from documents order by sequence");
      expect(second?.key_version).toBe(7);
      expect(await home.company.series.verify()).toMatchObject({ whole: true, documents: 2 });
      expect(await lacre.signer.import({ private_key: aPrivateKey() })).toMatchObject({ key_version: 8 });
    });

    test("can be imported as version 1 before the first company", async () => {
      const lacre = await anInstallation(driver);
      const private_key = aPrivateKey();
      expect(await lacre.signer.import({ private_key })).toMatchObject({ key_version: 1 });
      await anInvoice(await aCompany(lacre));
      expect(await lacre.signer.get()).toMatchObject({ key_version: 1, public_key: publicHalfOf(private_key) });
    });

    test.each<[string, () => string, string]>([
      ["of 2048 bits", () => aPrivateKey(2048), "must be RSA of 1024 bits"],
      ["of 512 bits", () => aPrivateKey(512), "must be RSA of 1024 bits"],
      ["over an Edwards curve", () => aKeyOf("ed25519"), "must be RSA of 1024 bits"],
      ["over an elliptic curve", () => aKeyOf("ec"), "must be RSA of 1024 bits"],
      ["for RSA-PSS alone", () => aKeyOf("rsa-pss"), "must be RSA of 1024 bits"],
      ["that is only the public half", () => publicHalfOf(aPrivateKey()), "must be a private key as PEM"],
      ["behind a passphrase", aLockedKey, "without a passphrase"],
      ["cut short", () => aPrivateKey().slice(0, 400), "must be a private key as PEM"],
      ["whose halves do not belong together", aDamagedKey, "is damaged"],
      ["that is no PEM", () => "segredo-segredo-segredo", "must be a private key as PEM"],
      ["that is empty", () => "", "must be a private key as PEM"],
      ["hidden in a long file", () => " ".repeat(16_384) + aPrivateKey(), "must have at most 16,384 characters"],
    ])("%s is refused, and nothing of it is told", async (_, make, message) => {
      const entries: LogEntry[] = [];
      const { lacre, home, all } = await aFiled({ log: (entry) => entries.push(entry) });
      const before = [await lacre.signer.get(), await all("select * from signing_keys"), await eventsOf(all)];
      const private_key = make();
      const refusal = await refusalOf(lacre.signer.import({ private_key }));
      expect([refusal.code, refusal.message]).toEqual([
        "invalid_request",
        expect.stringMatching(`^private_key: .*${message}`),
      ]);
      const told = JSON.stringify([refusal.message, refusal.problems, refusal.stack, refusal.cause, entries]);
      for (const secret of [...secretsOf(private_key), "segredo"]) expect(told).not.toContain(secret);
      expect([await lacre.signer.get(), await all("select * from signing_keys"), await eventsOf(all)]).toEqual(before);
      expect((await anInvoice(home)).number).toBe("FT 2026A/1");
    });

    test("that is already known is refused, whichever version it had", async () => {
      const { lacre } = await aFiled();
      const private_key = aPrivateKey(1024, "pkcs1");
      await lacre.signer.import({ private_key });
      await lacre.signer.rotate();
      const again = createPrivateKey(private_key).export({ type: "pkcs8", format: "pem" }).toString();
      await expectRefusal(lacre.signer.import({ private_key: again }), "conflict", "already known, as version 2");
      expect(await lacre.signer.get()).toMatchObject({ key_version: 3 });
    });

    test.each([
      [1, "conflict", "Key versions only go up: the next is 6"],
      [3, "conflict", "Key versions only go up: the next is 6"],
      [5, "conflict", "Key versions only go up: the next is 6"],
      [0, "invalid_request", "key_version: must be a whole number from 1 to 9,999"],
      [10_000, "invalid_request", "key_version: must be a whole number from 1 to 9,999"],
    ] as const)("takes no version that is used or passed: %d after 1 and 5", async (key_version, code, message) => {
      const { lacre } = await aFiled();
      await lacre.signer.import({ private_key: aPrivateKey(), key_version: 5 });
      await expectRefusal(lacre.signer.import({ private_key: aPrivateKey(), key_version }), code, message);
      expect(await lacre.signer.get()).toMatchObject({ key_version: 5 });
    });

    test("of the host is changed there: the installation neither creates nor imports one", async () => {
      const signer = pemSigner(aPrivateKey(), 4);
      const { lacre, all } = await aFiled({ signer });
      const { public_key } = signer;
      expect(await lacre.signer.get()).toMatchObject({ key_version: 4, public_key, host_signs: true });
      await expectRefusal(lacre.signer.rotate(), "invalid_state", "host program signs");
      await expectRefusal(lacre.signer.import({ private_key: aPrivateKey() }), "invalid_state", "host program signs");
      expect(await all("select key_version, private_key from signing_keys")).toEqual([
        { key_version: 4, private_key: null },
      ]);
    });

    test("has its private half in one table: no answer, event, document or log entry has it", async () => {
      const entries: LogEntry[] = [];
      const { lacre, home, all } = await aFiled({ log: (entry) => entries.push(entry) });
      const answers: unknown[] = [await lacre.signer.get(), await lacre.signer.rotate(), await anInvoice(home)];
      const private_key = aPrivateKey();
      answers.push(await lacre.signer.import({ private_key }), await anInvoice(home), await lacre.signer.get());
      answers.push(await lacre.signer.setCertificate({ certificate_number: 0, ...PRODUCER }));
      const known = await all<{ private_key: string }>("select private_key from signing_keys");
      const told = JSON.stringify([
        answers,
        entries,
        await all("select * from events"),
        await all("select * from documents"),
      ]);
      const secrets = [private_key, ...known.map((row) => row.private_key)].flatMap(secretsOf);
      expect(secrets.length).toBeGreaterThan(40);
      for (const secret of secrets) expect(told).not.toContain(secret);
      expect((await all<{ detail: string }>("select * from signing_keys where key_version = 3"))[0]).toMatchObject({
        private_key: createPrivateKey(private_key).export({ type: "pkcs8", format: "pem" }),
      });
    });

    test("leaves an event for each change", async () => {
      const { lacre, all } = await aFiled();
      const rotated = await lacre.signer.rotate();
      const imported = await lacre.signer.import({ private_key: aPrivateKey(), key_version: 9 });
      expect(await eventsOf(all)).toEqual([
        ["signer.rotated", NOW, { key_version: 2, public_key: rotated.public_key }],
        ["signer.imported", NOW, { key_version: 9, public_key: imported.public_key }],
      ]);
    });
  });

  describe("the certificate", () => {
    test("has a number and a producer; only given fields change, and each change is an event", async () => {
      const { lacre, all } = await aFiled();
      const key = await lacre.signer.get();
      const producer = { name: PRODUCER.producer_name, tax_id: PRODUCER.producer_tax_id };
      const { setCertificate: set } = lacre.signer;
      expect(await set({ certificate_number: 9999 })).toEqual({ ...key, certificate_number: 9999 });
      expect(await set({ ...PRODUCER, producer_tax_id: "PT509442013" })).toEqual({
        ...key,
        certificate_number: 9999,
        producer,
      });
      expect(await set({ certificate_number: 0 })).toEqual({ ...key, certificate_number: 0, producer });
      expect(await set({ producer_name: "Outra Oficina" })).toMatchObject({
        producer: { ...producer, name: "Outra Oficina" },
      });
      expect(await set()).toMatchObject({ certificate_number: 0 });
      expect(await set({ producer_name: null, producer_tax_id: null })).toEqual(key);
      expect(await lacre.signer.get()).toEqual(key);
      expect(await eventsOf(all)).toEqual([
        ["certification.changed", NOW, { certificate_number: 9999 }],
        ["certification.changed", NOW, PRODUCER],
        ["certification.changed", NOW, { certificate_number: 0 }],
        ["certification.changed", NOW, { producer_name: "Outra Oficina" }],
        ["certification.changed", NOW, { producer_name: null, producer_tax_id: null }],
      ]);
    });

    test.each<[string, Parameters<Lacre["signer"]["setCertificate"]>[0], string]>([
      ["a number below 0", { certificate_number: -1 }, "certificate_number: must be a whole number from 0 to 9,999"],
      ["a number of five digits", { certificate_number: 10_000 }, "certificate_number: must be a whole number"],
      ["the number of somebody's program", { certificate_number: 1234 }, "certificate_number: must be 0, or 9999"],
      ["half a number", { certificate_number: 0.5 }, "certificate_number: must be a whole number"],
      ["a producer without a tax number", { producer_name: "Oficina" }, "producer_tax_id: is required"],
      ["a producer without a name", { producer_tax_id: "509442013" }, "producer_name: is required"],
      ["a wrong tax number", { ...PRODUCER, producer_tax_id: "509442014" }, "producer_tax_id: is not a valid"],
      ["an empty name", { ...PRODUCER, producer_name: " " }, "producer_name: must not be empty"],
    ])("is not changed by %s", async (_, changes, message) => {
      const { lacre, all } = await aFiled();
      await expectRefusal(lacre.signer.setCertificate(changes), "invalid_request", message);
      expect(await lacre.signer.get()).toMatchObject({ certificate_number: 0, producer: null });
      expect(await eventsOf(all)).toEqual([]);
    });

    test("and the signing key are set by the host program alone, whatever scopes an API key has", async () => {
      const { lacre, api_key } = await anInstance(driver);
      const caller = await lacre.authenticate(api_key);
      await expectRefusal(lacre.run(caller, getSigner, {}), "forbidden");
      await expectRefusal(lacre.run(caller, setCertificate, { certificate_number: 1 }), "forbidden");
      await expectRefusal(lacre.run(caller, rotateSigner, {}), "forbidden");
      await expectRefusal(lacre.run(caller, importSigner, { private_key: aPrivateKey() }), "forbidden");
    });
  });
});
