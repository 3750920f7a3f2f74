/** Checks sums: each line against its price, each document against its lines, each section against its documents. */
import { type Decimal, decimalOf, formatDecimal, isNear, magnitude, minus, plus, times, ZERO } from "../decimal.ts";
import { elementAt, type SaftElement, type SaftVisitor, textAt } from "../read.ts";
import { type DocumentTable, TABLE_NAMES, tableOf } from "../vocabulary.ts";
import type { Findings } from "./findings.ts";

/** The sums of the lines of a document, or of the entries of a section. */
interface Sums {
  lines: number;
  debit: Decimal;
  credit: Decimal;
  quantity: Decimal;
}

interface LineSums extends Sums {
  /** The tax on credits less that on debits; undefined when a line gives an amount of tax instead of a percentage. */
  tax: Decimal | undefined;
  /** The same tax before the discounts of a receipt. */
  undiscounted_tax: Decimal;
  /** The discounts of the lines. */
  settlement: Decimal;
  readonly groups: Set<string>;
}

/** The elements with control totals. */
const SECTIONS: ReadonlySet<string> = new Set([...TABLE_NAMES, "GeneralLedgerEntries"]);

const HALF_CENT: Decimal = { units: 5n, scale: 3 };

/** The sides of the lines of sales, and of credit notes (Portaria 302/2016, 4.1.4.19); other types are not checked. */
const SIDES: ReadonlyMap<string, "credit" | "debit"> = new Map([
  ...(["FT", "FS", "FR", "ND"] as const).map((type) => [type, "credit"] as const),
  ["NC", "debit"],
]);

/**
 * Reports wrong sums of documents as errors. Wrong control totals of sections, prices and rates that do not give their
 * amount, and means of payment that do not come to the total are warnings: no text of the law says how programs round
 * prices, or that all means are known.
 */
export function totalsCheck(errors: Findings, warnings: Findings): SaftVisitor {
  let document = noLines();
  let section = noEntries();

  return {
    open({ name }) {
      if (SECTIONS.has(name)) section = noEntries();
    },
    close(element) {
      const { name, parent } = element;
      const table = tableOf(parent?.name);
      if (name === "Line") {
        addLine(document, element);
        checkPrice(element, warnings);
      } else if (name === "DebitLine" || name === "CreditLine") addEntry(section, element);
      else if (name === "Transaction") section.entries++;
      else if (table?.document === name) {
        checkDocument(element, document, errors);
        checkMeans(element, warnings);
        checkCurrency(element, warnings);
        addDocument(section, document, textAt(element, `DocumentStatus/${table.status}`), table);
        document = noLines();
      } else if (SECTIONS.has(name)) checkSection(element, section, warnings);
    },
  };
}

const noSums = (): Sums => ({ lines: 0, debit: ZERO, credit: ZERO, quantity: ZERO });
const noLines = (): LineSums => ({
  ...noSums(),
  tax: ZERO,
  undiscounted_tax: ZERO,
  settlement: ZERO,
  groups: new Set(),
});
const noEntries = () => ({ ...noSums(), entries: 0 });

function addLine(sums: LineSums, line: SaftElement): void {
  const debit = decimalOf(textAt(line, "DebitAmount"));
  const credit = decimalOf(textAt(line, "CreditAmount"));
  sums.lines++;
  sums.debit = plus(sums.debit, debit ?? ZERO);
  sums.credit = plus(sums.credit, credit ?? ZERO);
  sums.quantity = plus(sums.quantity, decimalOf(textAt(line, "Quantity")) ?? ZERO);

  const settlement = decimalOf(textAt(line, "SettlementAmount")) ?? ZERO;
  sums.settlement = plus(sums.settlement, settlement);

  const tax = elementAt(line, "Tax");
  if (!tax) return; // Guides without prices, and receipts, may have none.
  const percentage = decimalOf(textAt(tax, "TaxPercentage"));
  if (!percentage || !sums.tax) {
    sums.tax = undefined;
    return;
  }
  const base = decimalOf(textAt(line, "TaxBase")) ?? credit ?? debit ?? ZERO;
  const add = debit ? minus : plus;
  const taxOn = (amount: Decimal) => times(amount, times(percentage, { units: 1n, scale: 2 }));
  sums.tax = add(sums.tax, taxOn(base));
  sums.undiscounted_tax = add(sums.undiscounted_tax, taxOn(plus(base, settlement)));
  sums.groups.add(
    ["TaxType", "TaxCountryRegion", "TaxCode", "TaxPercentage"].map((name) => textAt(tax, name)).join(" "),
  );
}

/** A price is rounded to the decimals it is written with, and the amount of a line to the cent or finer. */
function checkPrice(line: SaftElement, warnings: Findings): void {
  const [quantity, price] = [decimalOf(textAt(line, "Quantity")), decimalOf(textAt(line, "UnitPrice"))];
  const field = elementAt(line, "CreditAmount") ?? elementAt(line, "DebitAmount");
  const amount = decimalOf(field?.text);
  if (!quantity || !price || !field || !amount) return; // Receipts have no prices.
  const ofPrice = times(magnitude(quantity), { units: 5n, scale: price.scale + 1 });
  const product = times(quantity, price);
  if (isNear(amount, product, plus(HALF_CENT, ofPrice))) return;
  const [given, sum] = [formatDecimal(amount), formatDecimal(product)];
  warnings.at(field, "sum", `${field.name} is ${given}; Quantity times UnitPrice is ${sum}.`);
}

function addEntry(section: Sums, line: SaftElement): void {
  section.debit = plus(section.debit, decimalOf(textAt(line, "DebitAmount")) ?? ZERO);
  section.credit = plus(section.credit, decimalOf(textAt(line, "CreditAmount")) ?? ZERO);
}

/** All documents and lines count; amounts count unless the document's status is excluded. */
function addDocument(
  section: Sums & { entries: number },
  sums: Sums,
  status: string | undefined,
  { excluded }: DocumentTable,
): void {
  section.entries++;
  section.lines += sums.lines;
  if (status !== undefined && excluded.includes(status)) return;
  section.debit = plus(section.debit, sums.debit);
  section.credit = plus(section.credit, sums.credit);
  section.quantity = plus(section.quantity, sums.quantity);
}

/**
 * Net and tax are rounded once per document or once per rate, so they may differ from the lines by half a cent for each
 * rate and half a cent more.
 */
function checkDocument(element: SaftElement, sums: LineSums, errors: Findings): void {
  const [net, payable, gross] = ["NetTotal", "TaxPayable", "GrossTotal"].map((name) =>
    decimalOf(textAt(element, `DocumentTotals/${name}`)),
  );
  if (!net || !payable || !gross) return; // The structure check reports these.
  const report = (name: string, reason: string) =>
    errors.at(elementAt(element, `DocumentTotals/${name}`) ?? element, "sum", reason);

  const sum = plus(net, payable);
  if (!isNear(gross, sum, ZERO)) {
    report(
      "GrossTotal",
      `GrossTotal is ${formatDecimal(gross)}; NetTotal and TaxPayable add up to ${formatDecimal(sum)}.`,
    );
  }
  checkSettlement(element, sums, errors);
  const tolerance = times(HALF_CENT, { units: BigInt(sums.groups.size + 1), scale: 0 });
  const lines = amountOf(element, sums);
  const isReceipt = textAt(element, "PaymentType") === "RG";
  const isNet = isNear(lines, net, tolerance);
  if (!isNet && !(isReceipt && isTotalOfReceipt(lines, [net, gross], sums, tolerance))) {
    const totals = isReceipt
      ? `NetTotal is ${formatDecimal(net)} and GrossTotal ${formatDecimal(gross)}`
      : `NetTotal is ${formatDecimal(net)}`;
    report("NetTotal", `${totals}; the lines add up to ${formatDecimal(lines)}.`);
  }
  // The lines of an RG may be gross, and a discount at payment need not change the tax.
  const taxes = isReceipt ? (isNet ? [sums.tax, sums.undiscounted_tax] : []) : [sums.tax];
  if (isReceipt && sums.groups.size === 0) return; // It need not say what tax the settled documents bore.
  const [tax] = taxes;
  if (tax && !taxes.some((one) => one && isNear(payable, magnitude(one), tolerance))) {
    report(
      "TaxPayable",
      `TaxPayable is ${formatDecimal(payable)}; the taxes of the lines add up to ${formatDecimal(magnitude(tax))}.`,
    );
  }
}

/** The sum of the lines: on the side their type demands, so that a sale of debits is negative, else on either. */
function amountOf(element: SaftElement, { credit, debit }: LineSums): Decimal {
  const side = SIDES.get(textAt(element, "InvoiceType") ?? "");
  if (side === "credit") return minus(credit, debit);
  return side === "debit" ? minus(debit, credit) : magnitude(minus(credit, debit));
}

/** The lines of a receipt outside cash VAT (RG) may be net or gross, and before or after the discounts at payment. */
function isTotalOfReceipt(
  lines: Decimal,
  totals: readonly Decimal[],
  { settlement }: LineSums,
  tolerance: Decimal,
): boolean {
  return totals.some((total) => isNear(lines, total, tolerance) || isNear(lines, plus(total, settlement), tolerance));
}

/** The Settlement of a receipt is the sum of the discounts of its lines, as the schema says; an invoice's is none. */
function checkSettlement(element: SaftElement, { settlement }: LineSums, errors: Findings): void {
  const field = elementAt(element, "DocumentTotals/Settlement/SettlementAmount");
  const given = decimalOf(field?.text);
  if (!field || !given || element.name !== "Payment" || isNear(given, settlement, HALF_CENT)) return;
  const sum = formatDecimal(settlement);
  errors.at(field, "sum", `SettlementAmount is ${formatDecimal(given)}; the discounts of the lines add up to ${sum}.`);
}

/**
 * The means of payment come to the total, or to what withholding and discounts leave of it; an invoice's may be less.
 */
function checkMeans(element: SaftElement, warnings: Findings): void {
  const totals = elementAt(element, "DocumentTotals");
  const isReceipt = element.name === "Payment";
  const means = isReceipt ? childrenOf(element, "PaymentMethod") : childrenOf(totals, "Payment");
  const gross = decimalOf(textAt(element, "DocumentTotals/GrossTotal"));
  const [first] = means;
  if (!first || !gross) return;
  const paid = sumOf(means, "PaymentAmount");
  const withheld = sumOf(childrenOf(element, "WithholdingTax"), "WithholdingTaxAmount");
  const discount = isReceipt ? sumOf(childrenOf(totals, "Settlement"), "SettlementAmount") : ZERO;
  const isBelow = minus(paid, gross).units <= 0n;
  const due = minus(gross, withheld);
  const isDue = [due, gross, minus(due, discount), minus(gross, discount)].some((one) => isNear(paid, one, HALF_CENT));
  if (isDue || (isBelow && textAt(element, "InvoiceType") !== "FR" && !isReceipt)) return;
  const reason = `The means of payment add up to ${formatDecimal(paid)}; GrossTotal is ${formatDecimal(gross)}.`;
  warnings.at(first, "sum", reason);
}

/** The total in the currency it was agreed in, times the rate, is the total in euros, as in AT's own example. */
function checkCurrency(element: SaftElement, warnings: Findings): void {
  const field = elementAt(element, "DocumentTotals/Currency/CurrencyAmount");
  const [amount, rate, gross] = ["Currency/CurrencyAmount", "Currency/ExchangeRate", "GrossTotal"].map((name) =>
    decimalOf(textAt(element, `DocumentTotals/${name}`)),
  );
  if (!field || !amount || !rate || !gross) return;
  const product = times(amount, rate);
  const ofRate = times(magnitude(amount), { units: 5n, scale: rate.scale + 1 });
  const ofAmount = times(magnitude(rate), { units: 5n, scale: amount.scale + 1 });
  if (isNear(gross, product, plus(HALF_CENT, plus(ofRate, ofAmount)))) return;
  const reason = `GrossTotal is ${formatDecimal(gross)}; CurrencyAmount times ExchangeRate is ${formatDecimal(product)}.`;
  warnings.at(field, "sum", reason);
}

const childrenOf = (element: SaftElement | undefined, name: string) =>
  element?.children.filter((child) => child.name === name) ?? [];

function sumOf(elements: readonly SaftElement[], name: string): Decimal {
  return elements.reduce((sum, element) => plus(sum, decimalOf(textAt(element, name)) ?? ZERO), ZERO);
}

/** A control total may be rounded to the decimals it is written with, but not to fewer than two. */
function checkSection(element: SaftElement, section: Sums & { entries: number }, warnings: Findings): void {
  const sums: ReadonlyMap<string, Decimal> = new Map([
    ["NumberOfEntries", { units: BigInt(section.entries), scale: 0 }],
    ["NumberOfMovementLines", { units: BigInt(section.lines), scale: 0 }],
    ["TotalDebit", section.debit],
    ["TotalCredit", section.credit],
    ["TotalQuantityIssued", section.quantity],
  ]);
  for (const field of element.children) {
    const [given, sum] = [decimalOf(field.text), sums.get(field.name)];
    if (!given || !sum) continue;
    const tolerance = { units: 5n, scale: given.scale < 2 ? 3 : given.scale + 1 };
    if (isNear(given, sum, tolerance)) continue;
    const reason = `${field.name} of ${element.name} is ${field.text}; its entries add up to ${formatDecimal(sum)}.`;
    warnings.at(field, "control_total", reason);
  }
}
