import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { pemSigner, type Signer, type Timer } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { aDraft, anInvoice } from "../../support/factories.ts";
import { aCompany, aFile, anInstallation, anInstance, homeOf, pastIn } from "../../support/instance.ts";
import { aPrivateKey } from "../../support/keys.ts";
import { expectRefusal } from "../../support/refusals.ts";

/** A timer that fires when the test says. */
function aTimer() {
  const set: { ms: number; ring: () => void; stopped: boolean }[] = [];
  const timer: Timer = (ms, ring) => {
    const alarm = { ms, ring, stopped: false };
    set.push(alarm);
    return () => {
      alarm.stopped = true;
    };
  };
  return { timer, set };
}

/** A signer whose first answer comes when the test gives it, and every later one at once. */
function aThoughtfulSigner() {
  const plain = pemSigner(aPrivateKey(), 1);
  const asked = Promise.withResolvers<string>();
  const answer = Promise.withResolvers<string>();
  const signer: Signer = {
    ...plain,
    sign(text) {
      const isFirst = texts.push(text) === 1;
      if (!isFirst) return plain.sign(text);
      asked.resolve(text);
      return answer.promise;
    },
  };
  const texts: string[] = [];
  return { signer, plain, asked: asked.promise, answer };
}

describe.each(DATABASES)("signing over $name", (driver) => {
  test("without a signer an installation creates a key with the first company, and keeps it", async () => {
    const file = aFile();
    const first = await anInstallation(driver, { file });
    const keys = () => pastIn(driver, file, "select key_version, public_key from signing_keys");
    expect(await keys()).toEqual([]);
    const padaria = await aCompany(first);
    const [own] = (await keys()) as { public_key: string }[];
    expect(createPublicKey(own?.public_key ?? "").asymmetricKeyDetails?.modulusLength).toBe(1024);
    await anInvoice(padaria);
    await anInvoice(await aCompany(first));
    const second = await anInstallation(driver, { file });
    const again = await homeOf(second, padaria.company_id);
    await anInvoice(again);
    expect(await keys()).toEqual([own]);
    expect(await again.company.series.verify()).toMatchObject({ whole: true, documents: 2 });
  });

  test("a new key version continues the same series, and the old documents still verify", async () => {
    const file = aFile();
    const before = await aCompany(await anInstallation(driver, { file, signer: pemSigner(aPrivateKey(), 1) }));
    await anInvoice(before);
    const after = await homeOf(
      await anInstallation(driver, { file, signer: pemSigner(aPrivateKey(), 2) }),
      before.company_id,
    );
    expect((await anInvoice(after)).number).toBe("FT 2026A/2");
    expect(await after.company.series.verify()).toMatchObject({ whole: true, documents: 2 });
  });

  test("a version already known with another key signs nothing", async () => {
    const file = aFile();
    const before = await aCompany(await anInstallation(driver, { file, signer: pemSigner(aPrivateKey(), 1) }));
    await anInvoice(before);
    const other = await homeOf(
      await anInstallation(driver, { file, signer: pemSigner(aPrivateKey(), 1) }),
      before.company_id,
    );
    await expect(anInvoice(other)).rejects.toThrow("Signing key version 1 is already known");
    expect(await before.company.series.verify()).toMatchObject({ whole: true, documents: 1 });
  });

  test("a host's key already known under another version signs nothing", async () => {
    const file = aFile();
    const key = aPrivateKey();
    const before = await aCompany(await anInstallation(driver, { file, signer: pemSigner(key, 1) }));
    await anInvoice(before);
    const other = await anInstallation(driver, { file, signer: pemSigner(key, 2) });
    await expectRefusal(
      anInvoice(await homeOf(other, before.company_id)),
      "unavailable",
      "already known, as version 1",
    );
    await expectRefusal(other.signer.get(), "unavailable", "already known, as version 1");
  });

  test("a public key is recognised in every form", async () => {
    const file = aFile();
    const signer = pemSigner(aPrivateKey(), 1);
    const pkcs1 = createPublicKey(signer.public_key).export({ type: "pkcs1", format: "pem" }).toString();
    const before = await aCompany(await anInstallation(driver, { file, signer }));
    await anInvoice(before);
    const again = await anInstallation(driver, { file, signer: { ...signer, public_key: `\n${pkcs1}` } });
    expect((await anInvoice(await homeOf(again, before.company_id))).number).toBe("FT 2026A/2");
    expect(await before.company.series.verify()).toMatchObject({ whole: true, documents: 2 });
  });

  test("if the newest key was the host's, nothing else signs until the installation gets one", async () => {
    const file = aFile();
    const before = await aCompany(await anInstallation(driver, { file, signer: pemSigner(aPrivateKey(), 3) }));
    await anInvoice(before);
    const alone = await anInstallation(driver, { file });
    const home = await homeOf(alone, before.company_id);
    await expectRefusal(anInvoice(home), "unavailable", "Signing key version 3 is not in the database");
    expect(await alone.signer.get()).toMatchObject({ key_version: 3, host_signs: true });
    expect(await alone.signer.rotate()).toMatchObject({ key_version: 4, host_signs: false });
    expect((await anInvoice(home)).number).toBe("FT 2026A/2");
    expect(await home.company.series.verify()).toMatchObject({ whole: true, documents: 2 });
  });

  test.each([0, -1, 1.5, Number.NaN])("%d is not a valid version of a host's key", async (key_version) => {
    const signer = { ...pemSigner(aPrivateKey(), 1), key_version };
    await expect(anInstallation(driver, { signer })).rejects.toThrow("key_version must be a whole number");
  });

  test.each([
    ["no PEM", "none"],
    ["too long", createPublicKey(aPrivateKey(2048)).export({ type: "spki", format: "pem" }).toString()],
  ])("a host's public key that is %s is none", async (_, public_key) => {
    const signer = { ...pemSigner(aPrivateKey(), 1), public_key };
    await expect(anInstallation(driver, { signer })).rejects.toThrow(
      "public_key must be an RSA public key of 1024 bits",
    );
  });

  test("a key other than RSA of 1024 bits is not a signing key", () => {
    expect(() => pemSigner(aPrivateKey(2048), 1)).toThrow("1024 bits");
    const { privateKey } = generateKeyPairSync("ed25519");
    expect(() => pemSigner(privateKey.export({ type: "pkcs8", format: "pem" }).toString(), 1)).toThrow(TypeError);
  });

  describe("a slow signer of the host", () => {
    test("has two seconds", async () => {
      const { timer, set } = aTimer();
      const { signer, plain, asked, answer } = aThoughtfulSigner();
      const instance = await anInstance(driver, { signer, timer });
      const invoice = anInvoice(instance);
      answer.resolve(plain.sign(await asked));
      expect((await invoice).number).toBe("FT 2026A/1");
      expect(set).toEqual([{ ms: 2_000, ring: expect.any(Function), stopped: true }]);
      expect(await instance.company.series.verify()).toMatchObject({ whole: true, documents: 1 });
    });

    test.each<[string, (signer: ReturnType<typeof aThoughtfulSigner>) => Promise<void>]>([
      ["signs after all", async ({ answer, plain, asked }) => answer.resolve(plain.sign(await asked))],
      ["fails after all", async ({ answer }) => answer.reject(new Error("no line to the signer"))],
    ])("and when they are over costs no number, also if it %s", async (_, late) => {
      const { timer, set } = aTimer();
      const thoughtful = aThoughtfulSigner();
      const instance = await anInstance(driver, { signer: thoughtful.signer, timer });
      const { company, series } = instance;
      const draft = await aDraft(instance);
      const issuing = company.documents.issue({ id: draft.id });
      await thoughtful.asked;
      set[0]?.ring();
      await expectRefusal(issuing, "unavailable", "could not be signed");
      await late(thoughtful);
      await setImmediate(); // A rejection that nobody handles would be reported now, and fail the run.
      expect(await company.documents.get({ id: draft.id })).toMatchObject({ status: "draft", number: null });
      expect((await company.series.get({ id: series.FT })).next_number).toBe(1);
      expect((await company.documents.issue({ id: draft.id })).number).toBe("FT 2026A/1");
      expect(await company.series.verify()).toMatchObject({ whole: true, documents: 1 });
    });

    test("fails the document at once when it fails, with a promise or without", async () => {
      const { timer, set } = aTimer();
      const plain = pemSigner(aPrivateKey(), 1);
      const failures: (() => string | Promise<string>)[] = [
        () => Promise.reject(new Error("no line to the signer")),
        () => {
          throw new Error("no line to the signer");
        },
        () => "bm90IGEgc2lnbmF0dXJl",
      ];
      const left = [...failures];
      const signer = { ...plain, sign: (text: string) => left.shift()?.() ?? plain.sign(text) };
      const instance = await anInstance(driver, { signer, timer });
      const draft = await aDraft(instance);
      for (const _ of failures) {
        await expectRefusal(instance.company.documents.issue({ id: draft.id }), "unavailable", "could not be signed");
      }
      expect(set.map(({ stopped }) => stopped)).toEqual([true, true, true]);
      expect((await instance.company.documents.issue({ id: draft.id })).number).toBe("FT 2026A/1");
    });
  });
});
