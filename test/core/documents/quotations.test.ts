import { describe, expect, test } from "vitest";
import type { Document } from "../../../src/core/documents/document.ts";
import { DOC_TYPES } from "../../../src/core/fiscal/document-types.ts";
import { DATABASES } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { aDraft, aLine, aLineOf, anInvoice } from "../../support/factories.ts";
import { anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const EUR = { lines: [aLineOf(100)] };

/** A quotation of 100.00 that holds until the end of the year, or as these fields say. */
const aQuotation = (home: Instance, fields: Parameters<typeof anInvoice>[1] = {}): Promise<Document> =>
  anInvoice(home, { doc_type: "OR", valid_until: "2026-12-31", ...EUR, ...fields });

/** What became of it, by each way to read it: one answer that all of them give. */
async function becameOf({ company }: Instance, { id, number }: Document) {
  const answers = [
    await company.documents.get({ id }),
    ...(await company.documents.list({ ids: [id] })).data,
    ...(await company.documents.list({ doc_type: "OR" })).data.filter((one) => one.id === id),
    ...(await company.documents.search({ search: number as string })).data,
  ].map(({ quote_status }) => quote_status);
  expect(answers).toHaveLength(4);
  expect(new Set(answers).size).toBe(1);
  return answers[0];
}

describe.each(DATABASES)("a quotation over $name", (driver) => {
  test("holds until a day that a draft keeps, changes and clears", async () => {
    const home = await anInstance(driver);
    const { documents } = home.company;
    const draft = await aDraft(home, { doc_type: "OR", valid_until: TODAY });
    expect(draft).toMatchObject({ valid_until: TODAY, quote_status: null });
    const { id } = draft;
    expect((await documents.change({ id, notes: "Obrigado" })).valid_until).toBe(TODAY);
    expect((await documents.change({ id, valid_until: "2026-12-31" })).valid_until).toBe("2026-12-31");
    await expectRefusal(documents.change({ id, valid_until: "2026-11-20" }), "invalid_request", "valid_until: ");
    const series_id = home.series.FT;
    await expectRefusal(documents.change({ id, doc_type: "FT", series_id }), "invalid_request", "valid_until: ");
    expect((await documents.change({ id, valid_until: null })).valid_until).toBeNull();
    expect((await documents.change({ id, doc_type: "FT", series_id, issue_date: TODAY })).valid_until).toBeNull();
  });

  test("alone has such a day; null is taken everywhere", async () => {
    const home = await anInstance(driver);
    for (const doc_type of DOC_TYPES.filter((one) => one !== "OR")) {
      const refused = aDraft(home, { doc_type, valid_until: "2026-12-31" });
      await expectRefusal(refused, "invalid_request", `valid_until: a document of type ${doc_type} has no last day`);
      expect((await aDraft(home, { doc_type, valid_until: null })).valid_until).toBeNull();
    }
  });

  test("freezes the day", async () => {
    const home = await anInstance(driver);
    const quotation = await aQuotation(home);
    const { documents } = home.company;
    expect((await documents.get({ id: quotation.id })).valid_until).toBe("2026-12-31");
    await expectRefusal(documents.change({ id: quotation.id, valid_until: null }), "invalid_state");
    const later = `update documents set valid_until = '2027-12-31' where id = '${quotation.id}'`;
    await expect(home.past(later)).rejects.toThrow(/the document is issued/);
    expect(await home.company.series.verify()).toMatchObject({ whole: true });
    const trigger = "trigger documents_are_frozen_once_issued";
    await home.past("open" in driver ? `drop ${trigger}` : `alter table documents disable ${trigger}`, later);
    expect(await home.company.series.verify()).toMatchObject({ whole: false });
  });
});

describe.each(DATABASES)("what became of a quotation over $name", (driver) => {
  test("is open until it is invoiced, in part or whole, by documents that are live", async () => {
    const home = await anInstance(driver);
    const { documents } = home.company;
    const quotation = await aQuotation(home);
    expect(quotation.quote_status).toBe("open");
    const naming = { customer_id: quotation.customer_id, references: [{ document_id: quotation.id }] };
    const invoice = (doc_type: "FT" | "FS" | "FR", eur: number, more = {}) =>
      anInvoice(home, { doc_type, ...naming, lines: [aLineOf(eur)], ...more });
    await invoice("FT", 100, { issue: false });
    await anInvoice(home, { doc_type: "GT", ...naming });
    expect(await becameOf(home, quotation)).toBe("open");
    const wrong = await invoice("FT", 100);
    expect(wrong.quote_status).toBeNull();
    expect(await becameOf(home, quotation)).toBe("invoiced");
    await documents.cancel({ id: wrong.id });
    expect(await becameOf(home, quotation)).toBe("open");
    await invoice("FS", 60);
    expect(await becameOf(home, quotation)).toBe("partly_invoiced");
    await invoice("FR", 39.99);
    expect(await becameOf(home, quotation)).toBe("partly_invoiced");
    await invoice("FT", 0.01);
    expect(await becameOf(home, quotation)).toBe("invoiced");
    await invoice("FT", 100);
    expect(await becameOf(home, quotation)).toBe("invoiced");
  });

  test("counts of an invoice the amount that it states for the quotation", async () => {
    const home = await anInstance(driver);
    const one = await aQuotation(home);
    const two = await aQuotation(home, { customer_id: one.customer_id });
    const references = [
      { document_id: one.id, amount: 100 },
      { document_id: two.id, amount: 50 },
    ];
    await anInvoice(home, { customer_id: one.customer_id, references, lines: [aLineOf(150)] });
    expect(await becameOf(home, one)).toBe("invoiced");
    expect(await becameOf(home, two)).toBe("partly_invoiced");
  });
});

describe.each(DATABASES)("what becomes of a quotation over time over $name", (driver) => {
  test("expires after its day, in the company's zone, unless it was invoiced; and can be invoiced still", async () => {
    const home = await anInstance(driver);
    await home.lacre.companies.change({ id: home.company_id, time_zone: "Atlantic/Azores" });
    const quotation = await aQuotation(home, { valid_until: "2026-11-30" });
    const endless = await aQuotation(home, { valid_until: null });
    home.travel("2026-12-01T00:30:00Z"); // still 30 November in the Azores
    expect(await becameOf(home, quotation)).toBe("open");
    home.travel("2026-12-01T01:30:00Z");
    expect(await becameOf(home, quotation)).toBe("expired");
    expect(await becameOf(home, endless)).toBe("open");
    const { customer_id } = quotation;
    const references = [{ document_id: quotation.id }];
    await anInvoice(home, { issue_date: "2026-12-01", customer_id, references, ...EUR });
    expect(await becameOf(home, quotation)).toBe("invoiced");
  });

  test("is expired from the start where its day has passed, as its preview says", async () => {
    const home = await anInstance(driver);
    const past = { issue_date: "2026-11-19", valid_until: "2026-11-20" };
    const draft = await aDraft(home, { doc_type: "OR", ...past });
    expect((await home.company.documents.previewDraft({ id: draft.id })).document.quote_status).toBe("expired");
    expect((await home.company.documents.issue({ id: draft.id })).quote_status).toBe("expired");
    expect((await aQuotation(home, past)).quote_status).toBe("expired");
  });

  test("has no such state once it is cancelled", async () => {
    const home = await anInstance(driver);
    const { id } = await aQuotation(home);
    const cancelled = await home.company.documents.cancel({ id });
    expect(cancelled).toMatchObject({ quote_status: null, valid_until: "2026-12-31" });
    expect((await home.company.documents.list({ ids: [id] })).data[0]?.quote_status).toBeNull();
  });

  test("of nothing is open until an invoice names it", async () => {
    const home = await anInstance(driver);
    const free = { lines: [aLine({ unit_price_net: 0 })] };
    const quotation = await aQuotation(home, free);
    expect(await becameOf(home, quotation)).toBe("open");
    const references = [{ document_id: quotation.id }];
    await anInvoice(home, { customer_id: quotation.customer_id, references, ...EUR });
    expect(await becameOf(home, quotation)).toBe("invoiced");
  });
});
