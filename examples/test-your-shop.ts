/** How a shop tests its own invoicing against Lacre in memory, on a clock it moves. Run it with `node --test`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompanyFace } from "lacre";
import { openInMemory } from "lacre/testing";

/** The shop's own code under test: bills an order, once, on the day it is paid. */
async function billOrder(
  invoicing: CompanyFace,
  order: { id: string; total: number; paid_on: string },
  series_id: string,
) {
  const customer = await invoicing.customers.create(
    { name: "Consumidor final" },
    { idempotency_key: `customer-${order.id}` },
  );
  return invoicing.documents.create(
    {
      doc_type: "FR",
      series_id,
      customer_id: customer.id,
      issue_date: order.paid_on,
      lines: [{ description: `Order ${order.id}`, qty: 1, unit_price_net: order.total, tax_rate: 23 }],
      issue: true,
    },
    { idempotency_key: `bill-${order.id}` },
  );
}

test("an order that is billed twice has one invoice", async () => {
  const { lacre, company, series } = await openInMemory({ now: () => new Date("2026-11-21T10:00:00Z") });
  const order = { id: "A1", total: 100, paid_on: "2026-11-21" };

  const first = await billOrder(company, order, series.FR);
  const again = await billOrder(company, order, series.FR);

  assert.equal(first.number, "FR 2026A/1");
  assert.equal(first.total_gross, 123);
  assert.deepEqual(again, first);
  await lacre.close();
});

test("yesterday's order cannot be billed after today's", async () => {
  let now = new Date("2026-11-21T10:00:00Z");
  const { lacre, company, series } = await openInMemory({ now: () => now });
  await billOrder(company, { id: "A1", total: 10, paid_on: "2026-11-21" }, series.FR);

  now = new Date("2026-11-22T10:00:00Z");
  await billOrder(company, { id: "A2", total: 10, paid_on: "2026-11-22" }, series.FR);

  await assert.rejects(billOrder(company, { id: "A0", total: 10, paid_on: "2026-11-21" }, series.FR), {
    code: "date_out_of_order",
  });
  await lacre.close();
});
