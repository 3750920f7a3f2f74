/** `if_match`: a change of what is not as it was read is refused, in the transaction that would make it. */
import { etagOf, openLacre } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES, isPostgres, POSTGRES } from "../../support/databases.ts";
import { NOW, TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCustomer, aDraft, aLineOf, anInvoice, aPayment, aProduct } from "../../support/factories.ts";
import { anInstance, anInstanceOnFile } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const STALE = etagOf({ name: "as it was" });

const paying = (amount: number) => ({ amount, method_code: "MB", payment_date: TODAY }) as const;

/** How calls ended: `done`, or the code of the refusal. */
const outcomes = async (calls: readonly Promise<unknown>[]) =>
  (await Promise.all(calls.map((call) => call.then(() => "done").catch(({ code }) => code as string)))).sort();

describe.each(DATABASES)("if_match over $name", (driver) => {
  test("of several simultaneous changes to one draft, all from the same state, exactly one is made", async () => {
    const instance = await anInstance(driver);
    const { documents } = instance.company;
    const { id } = await aDraft(instance);
    for (let round = 0; round < 5; round++) {
      const if_match = etagOf(await documents.get({ id }));
      const calls = [1, 2, 3, 4].map((amount) =>
        documents.change({ id, lines: [aLineOf(round * 10 + amount)] }, { if_match }),
      );
      expect(await outcomes(calls)).toEqual(["done", ...Array(3).fill("precondition_failed")]);
    }
  });

  test("the control: without it every one of them is made, over the others", async () => {
    const instance = await anInstance(driver);
    const { id } = await aDraft(instance);
    const calls = [1, 2, 3, 4].map((amount) => instance.company.documents.change({ id, lines: [aLineOf(amount)] }));
    expect(await outcomes(calls)).toEqual(Array(4).fill("done"));
  });

  test("customers, products, drafts and their payments are distinguished by what get answers", async () => {
    const instance = await anInstance(driver);
    const { customers, products, documents } = instance.company;
    const ana = await aCustomer(instance);
    const bread = await aProduct(instance);
    expect(etagOf(await customers.get({ id: ana.id }))).toBe(etagOf(ana));
    expect(etagOf(await products.get({ id: bread.id }))).toBe(etagOf(bread));
    const changed = await customers.change({ id: ana.id, city: "Faro" }, { if_match: etagOf(ana) });
    await expectRefusal(
      customers.change({ id: ana.id, city: "Beja" }, { if_match: etagOf(ana) }),
      "precondition_failed",
    );
    await customers.change({ id: ana.id, city: "Beja" }, { if_match: `${STALE}, ${etagOf(changed)}` });
    await products.change({ id: bread.id, name: "Broa" }, { if_match: "*" });
    await expectRefusal(products.archive({ id: bread.id }, { if_match: etagOf(bread) }), "precondition_failed");
    expect((await products.get({ id: bread.id })).name).toBe("Broa");

    const { id } = await aDraft(instance, { doc_type: "FR", payments: [paying(1)] });
    const read = etagOf(await documents.get({ id }));
    await documents.change({ id, payments: [paying(2)] });
    await expectRefusal(documents.issue({ id }, { if_match: read }), "precondition_failed");
    await expectRefusal(documents.discard({ id }, { if_match: read }), "precondition_failed");
    await documents.issue({ id }, { if_match: etagOf(await documents.get({ id })) });
  });

  test("a document that was paid since it was read is not cancelled", async () => {
    const instance = await anInstance(driver);
    const { documents, payments } = instance.company;
    const { id } = await anInvoice(instance);
    const if_match = etagOf(await documents.get({ id }));
    const paid = await aPayment(instance, { id }, 1);
    await expectRefusal(documents.cancel({ id }, { if_match }), "precondition_failed");
    await payments.void({ id: paid.id });
    expect((await documents.cancel({ id }, { if_match })).status).toBe("cancelled");
  });

  test("it is checked after existence and before the state, and refuses nothing that was already done", async () => {
    const instance = await anInstance(driver);
    const { documents } = instance.company;
    await expectRefusal(documents.issue({ id: UNKNOWN_ID }, { if_match: STALE }), "not_found");
    const { id } = await aDraft(instance);
    const options = { if_match: etagOf(await documents.get({ id })), idempotency_key: "issue-1" };
    const issued = await documents.issue({ id }, options);
    expect(await documents.issue({ id }, options)).toEqual(issued);
    await expectRefusal(documents.issue({ id }, { if_match: options.if_match }), "precondition_failed");
    await expectRefusal(documents.issue({ id }, { if_match: "*" }), "invalid_state");
  });

  test("a text that is not an If-Match is refused, and so is one where nothing can be compared", async () => {
    const instance = await anInstance(driver);
    const { customers, series } = instance.company;
    const { id } = await aCustomer(instance);
    for (const if_match of ["", "abc", '"a" "b"', '"a",', 'w/"a"', "*, *", `"${"a".repeat(1_000)}"`]) {
      await expectRefusal(customers.change({ id, city: "Faro" }, { if_match }), "invalid_request", "options.if_match");
    }
    await expectRefusal(customers.change({ id, city: "Faro" }, { if_match: `W/${STALE}` }), "precondition_failed");
    await expectRefusal(customers.create({ name: "Rui" }, { if_match: "*" }), "invalid_request", "createCustomer");
    await expectRefusal(
      customers.get({ id }, { if_match: "*" }),
      "invalid_request",
      "options.if_match: is not taken by",
    );
    const closing = { id: instance.series.FT, status: "closed" } as const;
    await expectRefusal(series.change(closing, { if_match: "*" }), "invalid_request", "changeSeries");
  });
});

// PGlite serves one program.
test.each(DATABASES.filter((driver) => !isPostgres(driver) || driver === POSTGRES))(
  "of two programs on one database over $name exactly one changes the draft",
  async (driver) => {
    const one = await anInstanceOnFile(driver);
    await using two = await openLacre({ dialect: driver.dialect(one.file), now: () => new Date(NOW) });
    const { id } = await aDraft(one);
    for (let round = 0; round < 5; round++) {
      const if_match = etagOf(await one.company.documents.get({ id }));
      const calls = [one.company, two.as(one.company_id)].map(({ documents }, i) =>
        documents.change({ id, notes: `${round}, by program ${i}` }, { if_match }),
      );
      expect(await outcomes(calls)).toEqual(["done", "precondition_failed"]);
    }
  },
);
