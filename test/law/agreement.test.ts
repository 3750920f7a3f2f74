/**
 * Four accounts of one document, the API's totals, the QR code, the tax file and the printed page, agree to the cent.
 */

import fc from "fast-check";
import { computeTotals, type NewDocumentLine } from "lacre";
import { expect, test } from "vitest";
import type { Document } from "../../src/core/documents/document.ts";
import type { PricedLine } from "../../src/core/fiscal/computed-totals.ts";
import { TAX_REGIONS, type TaxRegion } from "../../src/core/fiscal/vat-rates.ts";
import { textOf } from "../core/print/reading.ts";
import { DATABASE } from "../support/databases.ts";
import { aCustomer, aLine, anInvoice } from "../support/factories.ts";
import { type Instance, openInstance } from "../support/instance.ts";
import { anExport, type Element, exact } from "../support/saft.ts";
import { runsOf } from "../support/sampled.ts";

/** Every rate that is lawful anywhere in 2026, one that is lawful nowhere, and none. */
const RATES = [0, 4, 6, 9, 12, 13, 16, 22, 23, 17.5];

interface Mix {
  readonly doc_type: "FT" | "FR" | "NC" | "ND" | "OR" | "GT" | "GR" | "NDV";
  readonly global_discount_bps: number;
  /** Whether discounts are of the amounts that their percentages come to. */
  readonly areAmounts: boolean;
  readonly lines: readonly {
    readonly region: TaxRegion;
    readonly rate: number;
    readonly exemption_code: string | null;
    readonly qty_micros: number;
    readonly price_micros: number;
    readonly discount_bps: number;
  }[];
}

const percentage = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10_000 }));
const mix: fc.Arbitrary<Mix> = fc.record({
  doc_type: fc.constantFrom("FT", "FR", "NC", "ND", "ND", "OR", "GT", "GR", "NDV"),
  global_discount_bps: percentage,
  areAmounts: fc.boolean(),
  lines: fc.array(
    fc.record({
      region: fc.constantFrom(...TAX_REGIONS),
      rate: fc.constantFrom(...RATES),
      exemption_code: fc.constantFrom(null, "M07", "M16", "M99"),
      qty_micros: fc.oneof(fc.constant(1_000_000), fc.integer({ min: 1, max: 10 ** 9 })),
      price_micros: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10 ** 9 })),
      discount_bps: percentage,
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

function lineOf(line: Mix["lines"][number], areAmounts: boolean) {
  const { rate, exemption_code, qty_micros, price_micros, discount_bps } = line;
  const off_cents = Number((BigInt(qty_micros) * BigInt(price_micros) * BigInt(discount_bps)) / 10n ** 14n);
  return aLine({
    qty: qty_micros / 1e6,
    unit_price_net: price_micros / 1e6,
    tax_rate: rate,
    ...(areAmounts
      ? { discount_amount: off_cents === 0 ? null : off_cents / 100 }
      : { discount_pct: discount_bps / 100 }),
    ...(rate === 0 && { exemption_code }),
  });
}

/** The discount off all lines, as a percentage or as the amount that it about comes to. */
function offAll({ global_discount_bps, areAmounts, lines }: Mix) {
  if (!areAmounts) return { global_discount_pct: global_discount_bps / 100 };
  const { total_net } = computeTotals({ lines: lines.map((line) => lineOf(line, true)) as PricedLine[] });
  // A document taxes some lines apart that are one group here, so that it may come to a few cents less.
  const off_cents = Math.floor((total_net * global_discount_bps) / 100) - lines.length;
  return { global_discount_amount: off_cents > 0 ? off_cents / 100 : null };
}

/**
 * Issues them all in one company, and returns each as the tax file has it. A debit note spans regions by its
 * references.
 */
async function issued(home: Instance, mixes: readonly Mix[]): Promise<(readonly [Document, Element])[]> {
  const { lacre, company_id: id } = home;
  const customer_id = (await aCustomer(home)).id;
  const anchors = new Map<TaxRegion, string>();
  for (const tax_region of TAX_REGIONS) {
    await lacre.companies.change({ id, tax_region });
    anchors.set(tax_region, (await anInvoice(home, { customer_id })).id);
  }
  const documents: Document[] = [];
  for (const one of mixes) {
    const { doc_type, areAmounts, lines } = one;
    await lacre.companies.change({ id, tax_region: lines[0]?.region ?? "PT" });
    const correction = {
      references: [...anchors.values()].map((document_id) => ({ document_id })),
      lines: lines.map(
        (line): NewDocumentLine => ({ ...lineOf(line, areAmounts), reference_id: anchors.get(line.region) ?? "" }),
      ),
    };
    documents.push(
      await anInvoice(home, {
        ...{ doc_type, customer_id, ...offAll(one) },
        ...(doc_type === "ND" ? correction : { lines: lines.map((line) => lineOf(line, areAmounts)) }),
      }),
    );
  }
  const file = await anExport(home);
  mustListEveryTax(file.taxes, [...file.documents.values()]);
  return documents.map((document) => [document, file.documents.get(document.number ?? "")]);
}

const nameOf = ({ TaxType, TaxCountryRegion, TaxCode, TaxPercentage }: Element): string =>
  [TaxType, TaxCountryRegion, TaxCode, TaxPercentage].join(" ");

/** The tax table holds each tax of the lines once, and no other. */
function mustListEveryTax(taxes: readonly Element[], elements: readonly Element[]): void {
  const borne = elements.flatMap(({ Line }) => Line.flatMap(({ Tax }: Element) => (Tax ? [nameOf(Tax)] : [])));
  expect(taxes.map(nameOf).sort()).toEqual([...new Set(borne)].sort());
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
/** In units of 10^-14 EUR: half a cent, and the rounding of one line in the file. */
const [HALF_CENT, HALF_MICRO] = [exact("0.005"), exact("0.0000005")];

/** The fields of the QR code's regions: where each tax code has its base and its tax. */
const FIELDS: readonly (readonly [code: string, base: string, tax: string])[] = [
  ["ISE", "2", ""],
  ["RED", "3", "4"],
  ["INT", "5", "6"],
  ["NOR", "7", "8"],
];

/** Expects the same figures in the API's totals, the QR code and the tax file. */
function mustSayTheSame({ number, qr_code, ...totals }: Document, { Line: lines, DocumentTotals }: Element): void {
  const fields = new Map((qr_code ?? "").split("*").map((field) => field.split(":") as [string, string]));
  const qr = (key: string): bigint => exact(fields.get(key) ?? "0");
  const of = (region: string | null, code: string): Element[] =>
    lines.filter(
      ({ Tax }: Element) => Tax?.TaxCode === code && (region ?? Tax.TaxCountryRegion) === Tax.TaxCountryRegion,
    );
  /** Expects a figure in cents to be the sum of these lines, but for one rounding per region and rate. */
  const mustBeNear = (figure: bigint, some: readonly Element[], amountOf: (line: Element) => bigint, what: string) => {
    const roundings = BigInt(new Set(some.map(({ Tax }) => nameOf(Tax))).size);
    const difference = figure - sum(some.map(amountOf));
    const tolerance = HALF_CENT * roundings + HALF_MICRO * BigInt(some.length);
    expect(difference <= tolerance && -difference <= tolerance, `${number}: ${what} in ${qr_code}`).toBe(true);
  };

  const { NetTotal, TaxPayable, GrossTotal } = DocumentTotals;
  expect([NetTotal, TaxPayable, GrossTotal]).toEqual(
    [totals.total_net, totals.total_tax, totals.total_gross].map((amount) => amount.toFixed(2)),
  );
  expect([fields.get("N"), fields.get("O")]).toEqual([TaxPayable, GrossTotal]);

  const regions = TAX_REGIONS.filter((region) => lines.some(({ Tax }: Element) => Tax?.TaxCountryRegion === region));
  const letters = ["I", "J", "K"].filter((letter) => fields.has(`${letter}1`));
  expect(letters.map((letter) => fields.get(`${letter}1`))).toEqual(regions.length === 0 ? ["0"] : regions);
  for (const [i, region] of regions.entries()) {
    for (const [code, base, tax] of FIELDS) {
      mustBeNear(qr(`${letters[i]}${base}`), of(region, code), amountOf, `${region} ${code}`);
      if (tax) mustBeNear(qr(`${letters[i]}${tax}`), of(region, code), taxOf, `tax of ${region} ${code}`);
    }
  }
  mustBeNear(qr("L"), of(null, "NS"), amountOf, "L");

  const bases = sum(letters.flatMap((letter) => FIELDS.map(([, base]) => qr(letter + base))));
  const taxes = sum(letters.flatMap((letter) => FIELDS.map(([, , tax]) => (tax ? qr(letter + tax) : 0n))));
  // The rest of the totals is what has no field; without such lines it must be zero to the cent.
  mustBeNear(qr("N") - taxes, of(null, "OUT"), taxOf, "N");
  mustBeNear(qr("O") - qr("N") - bases - qr("L"), of(null, "OUT"), amountOf, "O");
}

const amountOf = ({ CreditAmount, DebitAmount }: Element): bigint => exact(CreditAmount ?? DebitAmount);
const taxOf = (line: Element): bigint => (amountOf(line) * BigInt(Number(line.Tax.TaxPercentage) * 100)) / 10_000n;

/** Expects the same totals on the printed page. */
async function mustBePrinted({ company }: Instance, { id, doc_type, lines, ...totals }: Document): Promise<void> {
  const { pdf } = await company.documents.pdf({ id });
  const text = textOf(pdf);
  const shown = (label: string) => new RegExp(`${label} (-?[\\d ]*\\d,\\d\\d)`).exec(text)?.[1]?.replaceAll(" ", "");
  const isPriced = lines.some(({ unit_price_net }) => unit_price_net > 0);
  const isShown = isPriced || !["OR", "GT", "GR", "NDV"].includes(doc_type);
  const due = [totals.total_net, totals.total_tax, totals.total_gross].map((amount) =>
    amount.toFixed(2).replace(".", ","),
  );
  const found = ["Total sem IVA", "Total de IVA", "Total \\(EUR\\)"].map(shown);
  expect(found, text).toEqual(isShown ? due : [undefined, undefined, undefined]);
}

test("whatever the lines, rates, regions and discounts, all four agree", async () => {
  const property = fc.asyncProperty(fc.array(mix, { minLength: 1, maxLength: 30, size: "max" }), async (mixes) => {
    const home = await openInstance(DATABASE);
    try {
      const told = await issued(home, mixes);
      for (const [document, element] of told) mustSayTheSame(document, element);
      for (const [document] of told.slice(0, 3)) await mustBePrinted(home, document);
    } finally {
      await home.lacre.close();
    }
  });
  await fc.assert(property, { numRuns: runsOf(15) });
});

test("control: a cent more or less in any of them is found", async () => {
  const home = await openInstance(DATABASE);
  const line = { exemption_code: null, qty_micros: 1_000_000, price_micros: 10_000_000, discount_bps: 0 } as const;
  const lines = [
    { ...line, region: "PT", rate: 0 },
    { ...line, region: "PT", rate: 23 },
    { ...line, region: "PT-AC", rate: 0 },
    { ...line, region: "PT-AC", rate: 16 },
  ] as const;
  const told = await issued(home, [{ doc_type: "ND", global_discount_bps: 0, areAmounts: false, lines }]);
  const [document, element] = told[0] as [Document, Element];
  mustSayTheSame(document, element);
  await mustBePrinted(home, document);
  const text = "*I1:PT*I7:10.00*I8:2.30*J1:PT-AC*J7:10.00*J8:1.60*L:20.00*N:3.90*O:43.90*";
  expect(document.qr_code).toContain(text);
  for (const wrong of ["I7:10.01", "I8:2.29", "J1:PT-MA", "J8:1.61", "L:19.99", "N:3.91", "O:43.91"]) {
    const [key = ""] = wrong.split(":");
    const qr_code = document.qr_code?.replace(new RegExp(`\\*${key}:[^*]*`), `*${wrong}`) ?? null;
    expect(() => mustSayTheSame({ ...document, qr_code }, element), wrong).toThrow();
  }
  expect(() => mustSayTheSame({ ...document, total_net: 40.01 }, element)).toThrow();
  const other = structuredClone(element);
  other.Line[1].CreditAmount = "10.01";
  expect(() => mustSayTheSame(document, other)).toThrow();
  expect(() => mustListEveryTax([], [element])).toThrow();
  await expect(mustBePrinted(home, { ...document, total_tax: 3.91 })).rejects.toThrow();
  await home.lacre.close();
});
