import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { pemSigner } from "lacre";
import { describe, expect, test } from "vitest";
import { DRIVERS } from "../support/drivers.ts";
import { anInvoice } from "../support/factories.ts";
import { aCompany, aFile, anInstallation, aShell, homeOf } from "../support/instance.ts";

function aPrivateKey(modulusLength = 1024): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

describe.each(DRIVERS)("signing over $name", (driver) => {
  test("without a signer an installation makes a key of its own, at the first company, and keeps it", async () => {
    const file = aFile();
    const first = await anInstallation(driver, { file });
    const shell = aShell(file);
    const keys = () => shell.prepare("select key_version, public_key from signing_keys").all();
    expect(keys()).toEqual([]);
    const padaria = await aCompany(first);
    const [own] = keys() as { public_key: string }[];
    expect(createPublicKey(own?.public_key ?? "").asymmetricKeyDetails?.modulusLength).toBe(1024);
    await anInvoice(padaria);
    await anInvoice(await aCompany(first, { tax_id: "500000000" }));
    const second = await anInstallation(driver, { file });
    const again = await homeOf(second, padaria.company_id);
    await anInvoice(again);
    expect(keys()).toEqual([own]);
    expect(await again.company.series.verify()).toMatchObject({ whole: true, documents: 2 });
  });

  test("a new key version goes on in the same series, and the old documents still verify", async () => {
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

  test("a version that is known with another key signs nothing", async () => {
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

  test("a key that is not RSA of 1024 bits is no signing key", () => {
    expect(() => pemSigner(aPrivateKey(2048), 1)).toThrow("1024 bits");
    const { privateKey } = generateKeyPairSync("ed25519");
    expect(() => pemSigner(privateKey.export({ type: "pkcs8", format: "pem" }).toString(), 1)).toThrow(TypeError);
  });
});
