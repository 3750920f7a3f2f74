/** The master files of the tax file: the customers, products and taxes that its documents name, as they name them. */
import { hash } from "node:crypto";
import type { Row } from "../../database/tables.ts";
import type { CustomerSnapshot } from "../../documents/document.ts";
import type { WalkedDocument, WalkedRow } from "../../documents/walk.ts";
import { countryCode, UNKNOWN_COUNTRY } from "../../fiscal/countries.ts";
import { DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { FINAL_CONSUMER } from "../../fiscal/tax-id.ts";
import type { TaxCode } from "../../fiscal/vat-rates.ts";
import { UNKNOWN } from "../vocabulary.ts";
import { isInCodePage } from "../windows-1252.ts";
import { percentageText } from "./amounts.ts";
import type { FiledLine, LineTax } from "./lines.ts";
import { address, content, element, isExact } from "./markup.ts";
import type { Warnings } from "./report.ts";

/** What the documents of a file name. It grows with customers, products and rates, not with documents. */
export interface MasterFiles {
  /** Takes in a document of the first walk. */
  add(document: WalkedDocument, lines: readonly FiledLine[]): void;
  /** The CustomerID of a document of the second. */
  customerId(document: WalkedDocument): string;
  readonly counts: () => { readonly customers: number; readonly products: number; readonly tax_rates: number };
  /** The entries, in the order of the schema. */
  write(): Generator<string>;
}

/** Master files without entries. */
export function masterFiles(warnings: Warnings): MasterFiles {
  const customers = customerEntries(warnings);
  const products = productEntries();
  const taxes = new Map<string, LineTax>();
  return {
    add({ row, lines }, filed) {
      customers.add(row);
      if (!DOCUMENT_TYPES[row.doc_type].is_receipt) products.add(lines, row.issued_at);
      for (const { tax } of filed) {
        if (tax) taxes.set(`${tax.tax_region} ${tax.tax_code} ${tax.tax_rate_bps}`, tax);
      }
    },
    customerId: ({ row }) => customers.entryOf(row).id,
    counts: () => ({ customers: customers.all.size, products: products.all.size, tax_rates: taxes.size }),
    *write() {
      for (const entry of customers.all.values()) yield customerXml(entry);
      for (const [code, product] of products.all) yield productXml(code, product);
      if (taxes.size > 0) yield `\n${element("TaxTable", Array.from(taxes.values(), taxXml).join(""))}`;
    },
  };
}

interface CustomerEntry {
  readonly id: string;
  /** The latest snapshot of this name and tax number, as stored: its address is the one that is exported. */
  latest: string;
  issued_at: string;
}

/** One entry per customer, tax number and name; the first of a customer has its code, further ones `-2`, `-3`. */
function customerEntries(warnings: Warnings) {
  const all = new Map<string, CustomerEntry>();
  // Most documents of a customer carry the same snapshot, to the letter: reading each once is enough.
  const bySnapshot = new Map<string, CustomerEntry>();
  const entriesOf = new Map<string, number>();

  function entryOf({ customer: latest, issued_at }: WalkedRow): CustomerEntry {
    const known = bySnapshot.get(latest);
    if (known) return known;
    const customer = JSON.parse(latest) as CustomerSnapshot;
    const { code, tax_id, name } = customer;
    const identity = JSON.stringify([code, tax_id, name]);
    let entry = all.get(identity);
    if (entry === undefined) {
      const nth = (entriesOf.get(code) ?? 0) + 1;
      entriesOf.set(code, nth);
      entry = { id: nth === 1 ? code : `${code}-${nth}`, latest, issued_at };
      all.set(identity, entry);
    }
    bySnapshot.set(latest, entry);
    warnOf(entry.id, customer, warnings);
    return entry;
  }

  return {
    all,
    entryOf,
    add(row: WalkedRow): void {
      const entry = entryOf(row);
      if (row.issued_at < entry.issued_at) return;
      entry.latest = row.customer;
      entry.issued_at = row.issued_at;
    },
  };
}

function warnOf(
  id: string,
  { name, tax_id, address, postal_code, city, country }: CustomerSnapshot,
  { warn }: Warnings,
) {
  if (countryCode(country) === UNKNOWN_COUNTRY) warn("country_unknown", id);
  const replaced = [name, tax_id, address, postal_code, city].filter((text) => text !== null && !isInCodePage(text));
  if (replaced.length > 0) warn("text_replaced", id, replaced.length);
}

interface ProductEntry {
  /** The product's name on the latest document; the text of a line without product. */
  name: string;
  type: string;
  issued_at: string;
}

/** One entry per product code. */
function productEntries() {
  const all = new Map<string, ProductEntry>();
  return {
    all,
    add(lines: WalkedDocument["lines"], issued_at: string): void {
      for (const line of lines) {
        const code = productCode(line);
        const latest = { name: line.product_name ?? line.description, type: line.product_type ?? OTHER, issued_at };
        const known = all.get(code);
        if (!known) all.set(code, latest);
        else if (known.issued_at <= issued_at) Object.assign(known, latest);
      }
    },
  };
}

/** ProductType of what is neither known as a product nor as a service. */
const OTHER = "O";

/** The code by which a line names its product, as the content of an element; one is made where it has none. */
export function productCode({ product_code, description }: Row<"document_lines">): string {
  if (product_code === null) return `L-${digest(description)}`;
  // Two codes must not become one by being cut or written in other letters.
  return isExact(product_code, 60) ? content(product_code, 60) : `${content(product_code, 40)}-${digest(product_code)}`;
}

/** The product's name, else the line's text, as the content of an element: at least 2 characters. */
export function productDescription({ product_name, description }: Row<"document_lines">): string {
  return descriptionOf(product_name ?? description);
}

function descriptionOf(name: string): string {
  return content(name, 200, 2);
}

/** The first 16 hexadecimal digits of the SHA-256 of a text. */
function digest(text: string): string {
  return hash("sha256", text).slice(0, 16);
}

function customerXml({ id, latest }: CustomerEntry): string {
  const customer = JSON.parse(latest) as CustomerSnapshot;
  return `\n${element(
    "Customer",
    element("CustomerID", id) +
      element("AccountID", UNKNOWN) +
      element("CustomerTaxID", content(customer.tax_id ?? FINAL_CONSUMER, 30)) +
      element("CompanyName", content(customer.name, 100)) +
      address("BillingAddress", customer, countryCode(customer.country)) +
      element("SelfBillingIndicator", 0),
  )}`;
}

function productXml(code: string, { type, name }: ProductEntry): string {
  return `\n${element(
    "Product",
    element("ProductType", type) +
      element("ProductCode", code) +
      element("ProductDescription", descriptionOf(name)) +
      element("ProductNumberCode", code),
  )}`;
}

const TAX_NAMES: Readonly<Record<TaxCode, string>> = {
  RED: "Taxa reduzida",
  INT: "Taxa intermédia",
  NOR: "Taxa normal",
  ISE: "Isenta",
  NS: "Não sujeito a imposto",
  OUT: "Outra taxa",
};

function taxXml(tax: LineTax): string {
  return element(
    "TaxTableEntry",
    taxKind(tax) +
      element("Description", TAX_NAMES[tax.tax_code]) +
      element("TaxPercentage", percentageText(tax.tax_rate_bps)),
  );
}

/** What tax it is, where and at which rate by name: the beginning of a table entry and of a line's Tax. */
export function taxKind({ tax_region, tax_code }: LineTax): string {
  return (
    element("TaxType", tax_code === "NS" ? "NS" : "IVA") +
    element("TaxCountryRegion", tax_region) +
    element("TaxCode", tax_code)
  );
}
