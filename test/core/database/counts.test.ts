import fc from "fast-check";
import type { SqliteFile } from "lacre/sqlite";
import { describe, expect, test } from "vitest";
import { DRIVERS, TODAY } from "../../support/drivers.ts";
import { aCustomer, aDraft, anInvoice, aPayment, aProduct, invoiceInput } from "../../support/factories.ts";
import { aCompany, anInstance, anInstanceInHand, type Instance } from "../../support/instance.ts";

type InHand = Instance & { readonly raw: SqliteFile };

const STATES = ["draft", "issued", "cancelled", "unpaid", "partial", "paid"];

/** The totals that lists give, against a count of the rows: empty when they agree. */
function disagreements(raw: SqliteFile): unknown[] {
  const hidden = { customers: "archived_at", products: "archived_at", payments: "voided_at" };
  const lists = Object.entries(hidden).flatMap(([table, column]) =>
    raw
      .prepare(
        `select company_id, '${table}' as name, sum(kept) as kept, sum(there) as there from (
           select company_id, total as kept, 0 as there from lists where name = '${table}'
           union all select company_id, 0, 1 from ${table} where ${column} is null and company_id is not null
         ) group by company_id having sum(kept) <> sum(there)`,
      )
      .all([]),
  );
  const documents = Object.entries({ year: 4, month: 7, day: 10 }).flatMap(([grain, length]) =>
    raw
      .prepare(
        `select company_id, period, doc_type, series_id, ${STATES.map((state) => `sum(${state})`)} from (
           select company_id, period, doc_type, series_id, ${STATES} from document_counts where grain = '${grain}'
           union all select d.company_id, substr(d.issue_date, 1, ${length}), d.doc_type, d.series_id,
             -(status = 'draft'), -(status = 'issued'), -(status = 'cancelled'),
             -(payment_status is 'unpaid'), -(payment_status is 'partial'), -(payment_status is 'paid')
           from documents d left join balances on document_id = id
         ) group by 1, 2, 3, 4 having ${STATES.map((state) => `sum(${state}) <> 0`).join(" or ")}`,
      )
      .all([]),
  );
  return [...lists, ...documents];
}

/** Every way a row enters, leaves or moves in a list, by operations and by hand. */
async function everything({ raw, ...instance }: InHand): Promise<void> {
  const { company, lacre } = instance;
  const other = await aCompany(lacre);
  for (const create of [aCustomer, aProduct]) {
    const list = create === aCustomer ? company.customers : company.products;
    const table = create === aCustomer ? "customers" : "products";
    const [archived, moved, deleted] = [await create(instance), await create(instance), await create(instance)];
    await create(instance);
    await list.archive({ id: archived.id });
    await list.change({ id: moved.id, name: "Outro" });
    raw.exec(`update ${table} set company_id = '${other.company_id}' where id = '${moved.id}'`);
    raw.exec(`delete from ${table} where id in ('${deleted.id}', '${archived.id}')`);
  }
  const draft = await aDraft(instance);
  await company.documents.change({ id: draft.id, issue_date: "2025-02-28" });
  await company.documents.change({ id: draft.id, doc_type: "FR", series_id: instance.series.FR });
  await company.documents.discard({ id: (await aDraft(instance)).id });
  const cancelled = await anInvoice(instance);
  await company.documents.cancel({ id: cancelled.id });
  const invoice = await anInvoice(instance);
  const payment = await aPayment(instance, invoice, 1);
  await aPayment(instance, invoice, 2);
  await company.payments.void({ id: payment.id });
  await anInvoice(instance, { doc_type: "FR" });
  const paid = await anInvoice(instance);
  await aPayment(instance, paid, 123);
  raw.exec(`update documents set status = 'cancelled', cancelled_at = 'x' where id = '${paid.id}'`);
  await expect(company.documents.issue({ id: invoice.id })).rejects.toThrow();
}

describe.each(DRIVERS)("the totals of lists over $name", (driver) => {
  test("equal the number of rows, whatever happened to them", async () => {
    const instance = await anInstanceInHand(driver);
    await everything(instance);
    expect(disagreements(instance.raw)).toEqual([]);
  });

  test("the control: without any one of their triggers they differ", async () => {
    const triggers = (raw: SqliteFile) =>
      raw.prepare("select name from sqlite_schema where type = 'trigger' and name glob '*_are_counted*'").all([]) as {
        name: string;
      }[];
    const all = triggers((await anInstanceInHand(driver)).raw);
    expect(all).toHaveLength(12);
    for (const { name } of all) {
      const instance = await anInstanceInHand(driver);
      instance.raw.exec(`drop trigger ${name}`);
      await everything(instance);
      expect(disagreements(instance.raw), name).not.toEqual([]);
    }
  });

  test("are right under every filter of documents, for any dates", async () => {
    const day = fc
      .tuple(
        fc.constantFrom("1999", "2024", "2025", "2026", "9999"),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 28 }),
      )
      .map(([year, month, date]) => [year, ...[month, date].map((n) => String(n).padStart(2, "0"))].join("-"));
    const kind = fc.record({
      issue_date: day,
      doc_type: fc.constantFrom("FT", "FR", "OR"),
      fate: fc.constantFrom("draft", "issued", "cancelled"),
    });
    const filter = fc.record(
      {
        doc_type: fc.constantFrom("FT", "FR", "NC"),
        status: fc.constantFrom("draft", "issued", "cancelled"),
        from: day,
        to: day,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(kind, { maxLength: 25 }),
        fc.array(filter, { minLength: 20, maxLength: 20 }),
        async (kinds, filters) => {
          const instance = await anInstance(driver, { checkContracts: false });
          const { company, series } = instance;
          const input = await invoiceInput(instance, { issue_date: TODAY });
          const made: { doc_type: string; status: string; issue_date: string }[] = [];
          // In a series dates only go forward, and none is in the future.
          for (const { issue_date, doc_type, fate } of kinds.toSorted((a, b) =>
            a.issue_date < b.issue_date ? -1 : 1,
          )) {
            const issue = fate !== "draft" && issue_date <= TODAY;
            const fields = { ...input, doc_type, series_id: series[doc_type as "FT"], issue_date, issue };
            const document = await company.documents.create(fields as typeof input);
            if (issue && fate === "cancelled") await company.documents.cancel({ id: document.id });
            made.push({ doc_type, issue_date, status: issue ? fate : "draft" });
          }
          for (const { doc_type, status, from, to } of filters) {
            const due = made.filter(
              (one) =>
                (doc_type ?? one.doc_type) === one.doc_type &&
                (status ?? one.status) === one.status &&
                (from ?? "") <= one.issue_date &&
                one.issue_date <= (to ?? "9999-12-31"),
            );
            const { data, pagination } = await company.documents.list({ doc_type, status, from, to } as object);
            expect(pagination.total).toBe(due.length);
            expect(data).toHaveLength(due.length);
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});
