/** The schema's 19 asserts and its one `xs:all`, which tools for XSD 1.0 cannot read. */
import { decimalOf, isZero } from "../decimal.ts";
import { elementAt, type SaftElement, type SaftVisitor, textAt } from "../read.ts";
import type { Findings } from "./findings.ts";

/** The problem of a closed element, as a sentence; undefined when there is none. */
type Assert = (element: SaftElement) => string | undefined;

const has = (element: SaftElement, path: string) => elementAt(element, path) !== undefined;
const isZeroAt = (element: SaftElement, path: string) =>
  isZero(decimalOf(textAt(element, path)) ?? { units: 1n, scale: 0 });

/** A line has a TaxExemptionReason if and only if its tax is 0. */
const exemptionGiven: Assert = (line) => {
  for (const tax of ["TaxPercentage", "TaxAmount"]) {
    if (!has(line, `Tax/${tax}`)) continue;
    if (isZeroAt(line, `Tax/${tax}`) && !has(line, "TaxExemptionReason")) {
      return `The line has a ${tax} of 0 but no TaxExemptionReason.`;
    }
    if (!isZeroAt(line, `Tax/${tax}`) && has(line, "TaxExemptionReason")) {
      return `The line has a TaxExemptionReason but a ${tax} other than 0.`;
    }
  }
  return undefined;
};

const exemptionComplete: Assert = (line) => {
  const [reason, code] = [has(line, "TaxExemptionReason"), has(line, "TaxExemptionCode")];
  if (reason && !code) return "The line has a TaxExemptionReason without TaxExemptionCode.";
  return code && !reason ? "The line has a TaxExemptionCode without TaxExemptionReason." : undefined;
};

/** TaxBase is for lines that correct nothing but tax. */
const taxBaseAlone: Assert = (line) => {
  const amounts = ["UnitPrice", "DebitAmount", "CreditAmount"].filter((name) => has(line, name));
  const other = has(line, "TaxBase") ? amounts.find((name) => !isZeroAt(line, name)) : undefined;
  return other && `The line has a TaxBase and a ${other} other than 0.`;
};

const cashVatTaxed: Assert = (line) =>
  line.parent && textAt(line.parent, "PaymentType") === "RC" && !has(line, "Tax")
    ? "A line of a receipt of type RC has no Tax."
    : undefined;

const taxonomyOfMovements: Assert = (account) =>
  (textAt(account, "GroupingCategory") === "GM") === has(account, "TaxonomyCode")
    ? undefined
    : "An account has a TaxonomyCode if and only if its GroupingCategory is GM.";

const groupedUnlessFirst: Assert = (account) =>
  ["GR", "AR"].includes(textAt(account, "GroupingCategory") ?? "") === has(account, "GroupingCode")
    ? "An account has a GroupingCode unless its GroupingCategory is GR or AR."
    : undefined;

const SALES_LINE = [exemptionGiven, exemptionComplete, taxBaseAlone];

const ACCOUNT = [taxonomyOfMovements, groupedUnlessFirst];

/** The asserts about a line, by the document it is in. */
const LINES: ReadonlyMap<string, readonly Assert[]> = new Map([
  ["Invoice", SALES_LINE],
  ["StockMovement", [exemptionGiven, exemptionComplete]],
  ["WorkDocument", SALES_LINE],
  ["Payment", [exemptionGiven, exemptionComplete, cashVatTaxed]],
]);

/** Checks the asserts of each element as it closes. */
export function assertsCheck(errors: Findings): SaftVisitor {
  const sides = new Set<string>();
  const check = (element: SaftElement, asserts: readonly Assert[] = []) => {
    for (const assert of asserts) {
      const problem = assert(element);
      if (problem) errors.at(element, "assert", problem);
    }
  };

  return {
    close(element) {
      const { name, parent } = element;
      if (name === "Account") check(element, ACCOUNT);
      else if (name === "Line") check(element, LINES.get(parent?.name ?? ""));
      else if (name === "DebitLine" || name === "CreditLine") sides.add(name);
      else if (name === "Lines") {
        if (sides.size < 2) errors.at(element, "assert", "A transaction needs a DebitLine and a CreditLine.");
        sides.clear();
      }
    },
  };
}
