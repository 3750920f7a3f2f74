/** What is owed: the kept table against documents, payments and credit notes, after random histories. */
import { describe, expect, test } from "vitest";
import { chanceOf } from "../../support/chance.ts";
import { DATABASES } from "../../support/databases.ts";
import { TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCreditNote, aCustomer, aDraft, aLineOf, anInvoice, aPayment } from "../../support/factories.ts";
import { aHistory, fault } from "../../support/history.ts";
import { anInstance, withoutForeignKeys } from "../../support/instance.ts";
import { runsOf } from "../../support/sampled.ts";

describe.each(DATABASES)("balances over $name", (driver) => {
  test("after any history lists show what each document shows, and every filter finds its documents", async () => {
    const chance = chanceOf(Number(process.env.LACRE_SEED));
    for (let round = 0; round < runsOf(4); round++) {
      const home = await anInstance(driver);
      const { company } = home;
      await aHistory(home, chance, { acts: 120 });
      const said = `LACRE_SEED=${chance.seed}, round ${round}`;
      expect(await fault(home), said).toBeNull();
      const { data: all } = await company.documents.list({ limit: 200 });
      const single = await Promise.all(all.map(({ id }) => company.documents.get({ id })));
      expect(all, said).toEqual(single.map(({ lines: _, payments: __, refunds: ___, ...summary }) => summary));
      for (let i = 0; i < 300; i++) {
        const like = chance.oneOf(all);
        const wanted = Object.fromEntries(
          (["doc_type", "status", "customer_id", "series_id", "number", "payment_status"] as const)
            .filter(() => chance.below(3) === 0)
            .map((name) => [name, chance.below(5) === 0 ? chance.oneOf(all)[name] : like[name]])
            .filter(([, value]) => value !== null),
        );
        const [from, to] = ["2026-11-19", "2026-11-20"].map((day) => (chance.below(4) === 0 ? day : undefined));
        const due = all.filter(
          (one) =>
            Object.entries(wanted).every(([name, value]) => one[name as keyof typeof one] === value) &&
            (from ?? "") <= one.issue_date &&
            one.issue_date <= (to ?? TODAY),
        );
        const offset = chance.oneOf([0, 0, chance.below(due.length + 2)]);
        const limit = chance.oneOf([200, 1 + chance.below(5)]);
        const page = await company.documents.list({ ...wanted, from, to, offset, limit });
        const what = `${said}: ${JSON.stringify({ ...wanted, from, to, offset, limit })}`;
        const { next_cursor, ...pagination } = page.pagination;
        expect({ data: page.data, pagination }, what).toEqual({
          data: due.slice(offset, offset + limit),
          pagination: { limit, offset, total: due.length },
        });
        expect(next_cursor !== null, what).toBe(offset + limit < due.length);
      }
    }
  });

  describe("a wrong one is named", () => {
    const CHANGES: [string, string, string][] = [
      ["that is missing", "delete from balances", "FT 2026A/1: Its balance is missing."],
      [
        "with another amount",
        "update balances set outstanding_cents = 0",
        "FT 2026A/1: The balance kept is 0 of 100 (partial), and comes to 90 of 100 (partial).",
      ],
      [
        "with another status",
        "update balances set payment_status = 'paid'",
        "FT 2026A/1: The balance kept is 90 of 100 (paid), and comes to 90 of 100 (partial).",
      ],
      [
        "with other refunds",
        "update balances set refunded_cents = 1",
        "FT 2026A/1: The balance kept is 90 of 100 (partial), 0.01 given back, and comes to 90 of 100 (partial).",
      ],
      ["with another total", "update balances set total_cents = 1", "FT 2026A/1: The balance kept is 90 of 0.01"],
      ...["company_id", "series_id", "doc_type", "customer_id", "issue_date"].map(
        (column): [string, string, string] => [
          `with another ${column}`,
          `update balances set ${column} = 'x'`,
          "FT 2026A/1: Its balance has another company, type, series, customer or day.",
        ],
      ),
      [
        "of a document that does not exist",
        `update balances set document_id = '${UNKNOWN_ID}'`,
        "FT 2026A/1: Its balance is missing.",
      ],
      [
        "of no document at all",
        `insert into balances select '${UNKNOWN_ID}', company_id, doc_type, series_id, customer_id, issue_date, 1, 1, 0, 'unpaid'
         from balances`,
        "A balance is kept of no document.",
      ],
      [
        "of a draft",
        `insert into balances select id, company_id, doc_type, series_id, customer_id, issue_date, 1, 1, 0, 'unpaid'
         from documents where status = 'draft'`,
        "The number of FT kept for 2026 is not that of its documents.",
      ],
      [
        "of a document on which nothing is owed",
        `insert into balances select id, company_id, doc_type, series_id, customer_id, issue_date, 1, 1, 0, 'unpaid'
         from documents where doc_type = 'OR'`,
        "OR 2026A/1: A balance is kept, and nothing is owed.",
      ],
      [
        "after a payment that was never recorded",
        "drop trigger balances_are_paid",
        "and comes to 80 of 100 (partial).",
      ],
      ["after a credit note that was never taken", "drop trigger balances_are_credited", "and comes to 80 of 100"],
    ];

    test.each(CHANGES)("%s", async (_, sql, says) => {
      const home = await anInstance(driver);
      const invoice = await anInvoice(home, { lines: [aLineOf(100)] });
      await aPayment(home, invoice, 10);
      await aDraft(home);
      await anInvoice(home, { doc_type: "OR" });
      expect(await fault(home)).toBeNull();
      await home.past(withoutForeignKeys(driver), sql);
      if (sql.endsWith("paid")) await aPayment(home, invoice, 10);
      if (sql.endsWith("credited")) await aCreditNote(home, invoice, { lines: [aLineOf(10)] });
      expect(await fault(home)).toContain(says);
    });
  });

  test("more documents than one query reads are all compared", async () => {
    const home = await anInstance(driver);
    const customer_id = (await aCustomer(home)).id;
    for (let i = 0; i < 300; i++) await anInvoice(home, { customer_id });
    expect(await fault(home)).toBeNull();
    for (const end of ["asc", "desc"]) {
      const first = `(select document_id from balances order by document_id ${end} limit 1)`;
      await home.past(`update balances set outstanding_cents = outstanding_cents - 1 where document_id = ${first}`);
      expect(await fault(home)).toContain(end === "asc" ? "FT 2026A/1:" : "FT 2026A/300:");
      await home.past(`update balances set outstanding_cents = outstanding_cents + 1 where document_id = ${first}`);
    }
  });
});
