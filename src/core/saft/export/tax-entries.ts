/** The taxes of the master files: one entry for each rate that a line bears. */
import type { TaxCode } from "../../fiscal/vat-rates.ts";
import { percentageText } from "./amounts.ts";
import type { ExportedLine, LineTax } from "./lines.ts";
import { element } from "./markup.ts";

/** An empty collection. Taxes are few, and kept in full. */
export function taxEntries() {
  const taxes: LineTax[] = [];
  return {
    size: () => taxes.length,
    add(lines: readonly ExportedLine[]): void {
      for (const { tax } of lines) {
        if (tax && !taxes.some((known) => isSameTax(known, tax))) taxes.push(tax);
      }
    },
    *write() {
      if (taxes.length > 0) yield [`\n${element("TaxTable", taxes.map(taxXml).join(""))}`];
    },
  };
}

const TAX_NAMES: Readonly<Record<TaxCode, string>> = {
  RED: "Taxa reduzida",
  INT: "Taxa intermédia",
  NOR: "Taxa normal",
  ISE: "Isenta",
  NS: "Não sujeito a imposto",
  OUT: "Outra taxa",
};

function isSameTax(one: LineTax, other: LineTax): boolean {
  return (
    one.tax_rate_bps === other.tax_rate_bps && one.tax_code === other.tax_code && one.tax_region === other.tax_region
  );
}

function taxXml(tax: LineTax): string {
  return element(
    "TaxTableEntry",
    taxKind(tax) +
      element("Description", TAX_NAMES[tax.tax_code]) +
      element("TaxPercentage", percentageText(tax.tax_rate_bps)),
  );
}

/** The type, region and code of a tax: the beginning of a table entry and of a line's Tax. */
export function taxKind({ tax_region, tax_code }: LineTax): string {
  return (
    element("TaxType", tax_code === "NS" ? "NS" : "IVA") +
    element("TaxCountryRegion", tax_region) +
    element("TaxCode", tax_code)
  );
}
