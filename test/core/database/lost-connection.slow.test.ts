/** A connection to PostgreSQL that ends at one place of a command. */
import { describe, expect, test } from "vitest";
import { aWireTo } from "../../support/cut-wire.ts";
import { HAS_SERVER, POSTGRES_URL } from "../../support/databases.ts";
import { aCustomer, aDraft, invoiceInput } from "../../support/factories.ts";
import { fault } from "../../support/history.ts";
import { aCompany } from "../../support/instance.ts";
import { aPlace, openPrograms } from "../../support/postgres.ts";
import { expectRefusal } from "../../support/refusals.ts";

async function aShopOverAWire() {
  const wire = await aWireTo(POSTGRES_URL);
  const [lacre] = await openPrograms(aPlace(), 1, { url: wire.url, now: () => new Date("2026-11-21T12:00:00Z") });
  if (!lacre) throw new Error("No program was opened.");
  return { wire, lacre, home: await aCompany(lacre) };
}

describe.skipIf(!HAS_SERVER)("a connection that ends", () => {
  test("before the commit reached the server: nothing was done, and the retry does it", async () => {
    const { wire, home } = await aShopOverAWire();
    const input = await invoiceInput(home, { issue: true });
    wire.cutAt("commit");
    await expectRefusal(home.company.documents.create(input, { idempotency_key: "a" }), "unavailable", "connection");
    expect((await home.company.documents.list()).data).toEqual([]);
    const made = await home.company.documents.create(input, { idempotency_key: "a" });
    expect(made.number).toBe("FT 2026A/1");
    expect(wire.cuts()).toBe(1);
    expect(await fault(home)).toBe(null);
  });

  test("when the server has committed: the retry gets the first answer", async () => {
    const { wire, home } = await aShopOverAWire();
    const input = await invoiceInput(home, { issue: true });
    wire.cutAt("commit", "COMMIT");
    await expectRefusal(home.company.documents.create(input, { idempotency_key: "a" }), "unavailable", "connection");
    const [document] = (await home.company.documents.list()).data;
    expect(document?.number).toBe("FT 2026A/1");
    const again = await home.company.documents.create(input, { idempotency_key: "a" });
    expect(again.id).toBe(document?.id);
    expect((await home.company.documents.list()).data).toHaveLength(1);
    expect(await fault(home)).toBe(null);
  });

  test.each(["next_number", "insert into", "for no key update"])("at %s: nothing was done", async (statement) => {
    const { wire, home } = await aShopOverAWire();
    const { id } = await aDraft(home);
    wire.cutAt(statement);
    await expectRefusal(home.company.documents.issue({ id }), "unavailable", "connection");
    expect(await home.company.documents.get({ id })).toMatchObject({ status: "draft", number: null });
    expect((await home.company.documents.issue({ id })).number).toBe("FT 2026A/1");
    expect(await fault(home)).toBe(null);
  });

  test("during opening, however often, occupies no place in the pool", async () => {
    const { wire, lacre, home } = await aShopOverAWire();
    // Each end makes the next command open a connection anew, which ends in turn.
    wire.cutAt("for no key update");
    await expectRefusal(aCustomer(home), "unavailable");
    for (let time = 0; time < 12; time++) {
      wire.cutAt("server_version_num");
      await expectRefusal(aCustomer(home), "unavailable");
    }
    expect(wire.cuts()).toBe(13);
    expect((await aCustomer(home)).name).toBe("Ana Conceição");
    await lacre.close(); // which waits for connections that are out
  });
});
