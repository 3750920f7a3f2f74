import { describe, expect, test } from "vitest";
import { atType, DOC_TYPES, DOCUMENT_TYPES, type DocumentType } from "../../../src/core/fiscal/document-types.ts";

/** The types for which a fact holds, in the order of the contract. */
const typesThat = (holds: (row: DocumentType) => boolean) =>
  DOC_TYPES.filter((doc_type) => holds(DOCUMENT_TYPES[doc_type])).join(" ");

test("every type of the contract has a row, and no other", () => {
  expect(DOC_TYPES).toEqual(["FT", "FS", "FR", "NC", "ND", "RC", "GT", "GR", "NDV", "OR"]);
  expect(Object.keys(DOCUMENT_TYPES)).toEqual([...DOC_TYPES]);
});

describe("each fact holds for exactly the types of the specification", () => {
  test.each<[string, string, (row: DocumentType) => boolean]>([
    ["SalesInvoices", "FT FS FR NC ND", (row) => row.saft_table === "SalesInvoices"],
    ["MovementOfGoods", "GT GR NDV", (row) => row.saft_table === "MovementOfGoods"],
    ["WorkingDocuments", "OR", (row) => row.saft_table === "WorkingDocuments"],
    ["Payments", "RC", (row) => row.saft_table === "Payments"],
    ["debit side", "NC NDV", (row) => row.line_side === "debit"],
    ["takes payments", "FT FS FR ND", (row) => row.takes_payments],
    ["takes payments at issue", "FT FS FR RC", (row) => row.takes_payments_at_issue],
    ["paid by nature", "FR", (row) => row.paid_by_nature],
    ["same customer", "NC ND RC", (row) => row.same_customer],
    ["archived customer allowed", "NC ND RC NDV", (row) => row.archived_customer_allowed],
    ["must reference in strict mode", "NC ND RC NDV", (row) => row.must_reference],
    ["may travel", "FT FR GT GR NDV", (row) => row.takes_transport],
    ["travels", "GT GR NDV", (row) => row.has_transport],
    ["travels from the customer to the company", "NDV", (row) => row.brings_back],
    ["names its customer above 1000 EUR", "FT FR", (row) => row.names_customer_above_cents === 100_000],
    ["splits the amount", "NC RC", (row) => row.cap !== null],
  ])("%s: %s", (_, types, holds) => {
    expect(typesThat(holds)).toBe(types);
  });

  test.each([
    ["FT", "OR GT GR"],
    ["FS", "OR GT GR"],
    ["FR", "OR GT GR"],
    ["NC", "FT FS FR ND"],
    ["ND", "FT FS FR ND"],
    ["RC", "FT FS ND NC"],
    ["GT", "OR"],
    ["GR", "OR"],
    ["NDV", "GT GR FT FS FR"],
    ["OR", ""],
  ] as const)("%s may reference %s", (doc_type, types) => {
    expect(DOCUMENT_TYPES[doc_type].may_reference.join(" ")).toBe(types);
  });
});

test("the authority's code is the type itself, except for receipts and returns", () => {
  const differing = DOC_TYPES.filter((doc_type) => atType(doc_type, false) !== doc_type);
  expect(differing.map((doc_type) => `${doc_type} ${atType(doc_type, false)}`)).toEqual(["RC RG", "NDV GD"]);
});

test("cash VAT changes the code of receipts only", () => {
  expect(atType("RC", true)).toBe("RC");
  for (const doc_type of DOC_TYPES) if (doc_type !== "RC") expect(atType(doc_type, true)).toBe(atType(doc_type, false));
});

test("no two types have the same code, with or without the cash-VAT scheme", () => {
  for (const cash_vat of [true, false]) {
    expect(new Set(DOC_TYPES.map((doc_type) => atType(doc_type, cash_vat))).size).toBe(DOC_TYPES.length);
  }
});
