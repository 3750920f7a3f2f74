/** What may come after a document, and which series can take the one that is written. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Company, DocumentWithPayments, Payment, Series } from "../../src/core/face.ts";
import { DOC_TYPES, type DocType } from "../../src/core/fiscal/document-types.ts";
import { EXAMPLES } from "../../src/http/examples.ts";
import type * as Steps from "../../src/web/document/next-steps.ts";
import type * as Usable from "../../src/web/document/usable-series.ts";
import type * as Writings from "../../src/web/document/writing.ts";
import { day } from "../support/days.ts";
import { ownStore } from "./support/store.ts";

let steps: typeof Steps;
let usable: typeof Usable;
let writings: typeof Writings;

beforeAll(async () => {
  ownStore();
  steps = await import("../../src/web/document/next-steps.ts");
  usable = await import("../../src/web/document/usable-series.ts");
  writings = await import("../../src/web/document/writing.ts");
});

const example = (name: string) => EXAMPLES[name]?.answer;
const payment = example("recordPayment") as Payment;
const document = (change: Partial<DocumentWithPayments>): DocumentWithPayments => ({
  ...(example("getDocument") as DocumentWithPayments),
  payments: [],
  ...change,
});

describe("a payment", () => {
  test("can be recorded on issued documents with a debt, not on drafts, cancelled or training documents", () => {
    expect(steps.takesPayment(document({}))).toBe(true);
    expect(steps.takesPayment(document({ outstanding: 0 }))).toBe(false);
    expect(steps.takesPayment(document({ outstanding: -5 }))).toBe(false);
    expect(steps.takesPayment(document({ status: "draft" }))).toBe(false);
    expect(steps.takesPayment(document({ status: "cancelled" }))).toBe(false);
    expect(steps.takesPayment(document({ training: true }))).toBe(false);
    expect(steps.takesPayment(document({ doc_type: "OR" }))).toBe(false);
  });

  test("states the means of an invoice-receipt once, if its total is above 0", () => {
    const paid = { doc_type: "FR", outstanding: 0 } as const;
    expect(steps.takesPayment(document(paid))).toBe(true);
    expect(steps.takesPayment(document({ ...paid, payments: [payment] }))).toBe(false);
    expect(steps.takesPayment(document({ ...paid, total_gross: 0 }))).toBe(false);
  });
});

describe("what may follow", () => {
  test.each([
    ["FT", ["RC", "NC", "ND", "NDV"]],
    ["RC", []],
    ["OR", ["FT", "GT"]],
  ] as const)("a document of type %s", (doc_type, types) => {
    expect(steps.following(document({ doc_type }), [])).toEqual(types);
  });

  test("is nothing after a draft, a cancelled or a training document", () => {
    for (const change of [{ status: "draft" }, { status: "cancelled" }, { training: true }] as const) {
      expect(steps.following(document(change), [])).toEqual([]);
    }
  });

  test("is no receipt once receipts acknowledge all of it; a cancelled one acknowledges nothing", () => {
    const invoice = document({});
    const reference = { document_id: invoice.id, amount: invoice.total_gross, reason: null };
    const receipt = document({ id: "r", doc_type: "RC", references: [reference] });
    expect(steps.following(invoice, [receipt])).not.toContain("RC");
    expect(steps.following(invoice, [{ ...receipt, status: "cancelled" }])).toContain("RC");
  });
});

describe("the series that a document goes into", () => {
  const series = (id: string, change: Partial<Series> = {}): Series => ({
    ...(example("getSeries") as Series),
    id,
    ...change,
  });
  const writing = (doc_type: DocType) =>
    writings.newWriting({ default_exemption_code: null } as Company, doc_type, day("2026-11-21"));
  const ids = (all: readonly Series[], current: readonly Series[], of = writing("FT")) =>
    usable.usableSeries({ all, current }, of).map(({ id }) => id);

  test("are those of its type, the usual one first, then others in use, those for training last", () => {
    const usual = series("usual");
    const all = [series("training", { training: true }), series("other"), usual];
    const unfit = [series("closed", { status: "closed" }), series("fs", { doc_type: "FS" })];
    expect(ids([...all, ...unfit], [usual])).toEqual(["usual", "other", "training"]);
    expect(ids(unfit, [])).toEqual([]);
  });

  test("can be chosen from, and one is always chosen: the usual one if none is named, or one that does not fit", () => {
    const all = ["usual", "other"].map((id) => series(id));
    const values = (chosen: string) => usable.seriesToChoose(all, chosen).map(([value]) => value);
    expect(values("")).toEqual(["", "other"]);
    expect(values("usual")).toEqual(["usual", "other"]);
    expect(values("other")).toEqual(["", "other"]);
    expect(values("closed")).toEqual(["closed", "other"]);
  });

  test("are under cash VAT if a correction names such a document, and only then", () => {
    const all = DOC_TYPES.flatMap((doc_type) =>
      [true, false].map((cash_vat) => series(`${doc_type} ${cash_vat}`, { doc_type, cash_vat })),
    );
    const credit = writing("NC");
    expect(ids(all, [], credit)).toEqual(["NC true", "NC false"]);
    for (const cash_vat of [true, false]) {
      const named = document({ series_id: `FT ${cash_vat}` });
      credit.references.value = [writings.referenceTo(named)];
      expect(ids(all, [], credit)).toEqual([`NC ${cash_vat}`]);
    }
  });
});
