/** Checks sums: each document against its lines, each section against its documents. */
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
  /** The tax on credits less that on debits; undefined when a line gives no percentage. */
  tax: Decimal | undefined;
  readonly groups: Set<string>;
}

/** The elements with control totals. */
const SECTIONS: ReadonlySet<string> = new Set([...TABLE_NAMES, "GeneralLedgerEntries"]);

const HALF_CENT: Decimal = { units: 5n, scale: 3 };

/** Reports wrong sums of documents as errors, and wrong control totals of sections as warnings. */
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
      if (name === "Line") addLine(document, element);
      else if (name === "DebitLine" || name === "CreditLine") addEntry(section, element);
      else if (name === "Transaction") section.entries++;
      else if (table?.document === name) {
        checkDocument(element, document, errors);
        addDocument(section, document, textAt(element, `DocumentStatus/${table.status}`), table);
        document = noLines();
      } else if (SECTIONS.has(name)) checkSection(element, section, warnings);
    },
  };
}

const noSums = (): Sums => ({ lines: 0, debit: ZERO, credit: ZERO, quantity: ZERO });
const noLines = (): LineSums => ({ ...noSums(), tax: ZERO, groups: new Set() });
const noEntries = () => ({ ...noSums(), entries: 0 });

function addLine(sums: LineSums, line: SaftElement): void {
  const debit = decimalOf(textAt(line, "DebitAmount"));
  const credit = decimalOf(textAt(line, "CreditAmount"));
  sums.lines++;
  sums.debit = plus(sums.debit, debit ?? ZERO);
  sums.credit = plus(sums.credit, credit ?? ZERO);
  sums.quantity = plus(sums.quantity, decimalOf(textAt(line, "Quantity")) ?? ZERO);

  const base = decimalOf(textAt(line, "TaxBase")) ?? credit ?? debit ?? ZERO;
  const percentage = decimalOf(textAt(line, "Tax/TaxPercentage"));
  if (!percentage || !sums.tax) sums.tax = undefined;
  else {
    const tax = times(base, times(percentage, { units: 1n, scale: 2 }));
    sums.tax = debit ? minus(sums.tax, tax) : plus(sums.tax, tax);
    sums.groups.add(
      ["TaxType", "TaxCountryRegion", "TaxCode", "TaxPercentage"].map((of) => textAt(line, `Tax/${of}`)).join(" "),
    );
  }
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
 * rate and half a cent more. Net and tax of receipts outside cash VAT (RG) are only informative, and not compared.
 */
function checkDocument(element: SaftElement, { debit, credit, tax, groups }: LineSums, errors: Findings): void {
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
  if (textAt(element, "PaymentType") === "RG") return;
  const tolerance = times(HALF_CENT, { units: BigInt(groups.size + 1), scale: 0 });
  const lines = magnitude(minus(credit, debit));
  if (!isNear(net, lines, tolerance)) {
    report("NetTotal", `NetTotal is ${formatDecimal(net)}; the lines add up to ${formatDecimal(lines)}.`);
  }
  if (tax && !isNear(payable, magnitude(tax), tolerance)) {
    report(
      "TaxPayable",
      `TaxPayable is ${formatDecimal(payable)}; the taxes of the lines add up to ${formatDecimal(magnitude(tax))}.`,
    );
  }
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
