/** Commands of one moment share a transaction, and each asks the database for several things at once. */
import { openLacre, pemSigner } from "lacre";
import { describe, expect, onTestFinished, test } from "vitest";
import { databaseOf } from "../../../src/core/database/executor.ts";
import { DATABASES, POSTGRES } from "../../support/databases.ts";
import { NOW } from "../../support/drivers.ts";
import { aCustomer, anInvoice } from "../../support/factories.ts";
import { fault } from "../../support/history.ts";
import { aFile, anInstance, homeOf } from "../../support/instance.ts";
import { aPrivateKey } from "../../support/keys.ts";
import { aPlace } from "../../support/postgres.ts";
import { expectRefusal } from "../../support/refusals.ts";

describe.each(DATABASES)("commands that share a transaction, over $name", (database) => {
  const isServer = database === POSTGRES;

  /** How many keys are recorded. */
  async function keysIn(file: string): Promise<number> {
    const { connections, loose } = databaseOf(database.dialect(file));
    const keys = await loose.selectFrom("signing_keys").select("key_version").execute();
    await connections.close();
    return keys.length;
  }

  // PGlite has one connection, which is Lacre's.
  test.skipIf(database.name === "PGlite")("what a refused one began does not go on in that of the next", async () => {
    const file = isServer ? aPlace() : aFile();
    const before = await anInstance(database, { file });
    const issued = await anInvoice(before);
    await before.lacre.close();

    // The refused issue was about to record this key.
    const signer = pemSigner(aPrivateKey(), 2);
    const lacre = await openLacre({ dialect: database.dialect(file), signer, now: () => new Date(NOW) });
    onTestFinished(() => lacre.close());
    const home = await homeOf(lacre, before.company_id);
    const refused = home.company.documents.issue({ id: issued.id });
    const done = aCustomer(home);
    await expectRefusal(refused, "invalid_state");
    await done;
    expect(await keysIn(file)).toBe(1);
    expect((await anInvoice(home)).number).toBe("FT 2026A/2");
    expect(await keysIn(file)).toBe(2);
    expect(await lacre.installation.verify()).toMatchObject({ whole: true });
    expect(await fault(home)).toBe(null);
  });
});
