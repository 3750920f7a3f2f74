/** The master files of the tax file: the customers, products and taxes that its documents name, as they name them. */
import { hash } from "node:crypto";
import type { CustomerSnapshot } from "../documents/document.ts";
import type { WalkedDocument, WalkedLine } from "../documents/walk.ts";
import { countryCode, UNKNOWN_COUNTRY } from "../fiscal/countries.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { FINAL_CONSUMER } from "../fiscal/qr.ts";
import type { TaxCode } from "../fiscal/vat-rates.ts";
import { percentageText } from "./amounts.ts";
import type { FiledLine, LineTax } from "./lines.ts";
import { address, content, element, isExact, isInCodePage } from "./markup.ts";
import type { Warnings } from "./report.ts";

interface CustomerEntry {
  readonly id: string;
  /** Name and tax number are the same on all documents of the entry; the address is that of the latest. */
  customer: CustomerSnapshot;
  issued_at: string;
}

interface ProductEntry {
  readonly type: string;
  readonly description: string;
  readonly issued_at: string;
}

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
  const customers = new Map<string, CustomerEntry>();
  // Most documents of a customer carry the same snapshot, to the letter: reading each once is enough.
  const bySnapshot = new Map<string, CustomerEntry>();
  const entriesOf = new Map<string, number>();
  const products = new Map<string, ProductEntry>();
  const taxes = new Map<string, LineTax>();

  function entryOf(snapshot: string, issued_at: string): CustomerEntry {
    const known = bySnapshot.get(snapshot);
    if (known) return known;
    const customer = JSON.parse(snapshot) as CustomerSnapshot;
    const identity = JSON.stringify([customer.code, customer.tax_id, customer.name]);
    let entry = customers.get(identity);
    if (entry === undefined) {
      const nth = (entriesOf.get(customer.code) ?? 0) + 1;
      entriesOf.set(customer.code, nth);
      entry = { id: nth === 1 ? customer.code : `${customer.code}-${nth}`, customer, issued_at };
      customers.set(identity, entry);
      if (countryCode(customer.country) === UNKNOWN_COUNTRY) warnings.warn("country_unknown", entry.id);
    }
    bySnapshot.set(snapshot, entry);
    const { name, tax_id, address, postal_code, city } = customer;
    const replaced = [name, tax_id, address, postal_code, city].filter((text) => text !== null && !isInCodePage(text));
    if (replaced.length > 0) warnings.warn("text_replaced", entry.id, replaced.length);
    return entry;
  }

  function addProducts(lines: readonly WalkedLine[], issued_at: string): void {
    for (const line of lines) {
      const code = productCode(line);
      const known = products.get(code);
      if (known && known.issued_at >= issued_at) continue;
      products.set(code, { type: line.product_type ?? OTHER, description: productDescription(line), issued_at });
    }
  }

  return {
    add({ row, lines }, filed) {
      const entry = entryOf(row.customer, row.issued_at);
      if (row.issued_at > entry.issued_at) {
        entry.customer = JSON.parse(row.customer);
        entry.issued_at = row.issued_at;
      }
      if (DOCUMENT_TYPES[row.doc_type].saft_table !== "Payments") addProducts(lines, row.issued_at);
      for (const { tax } of filed) {
        if (tax) taxes.set(`${tax.tax_region} ${tax.tax_code} ${tax.tax_rate_bps}`, tax);
      }
    },
    customerId: ({ row }) => entryOf(row.customer, row.issued_at).id,
    counts: () => ({ customers: customers.size, products: products.size, tax_rates: taxes.size }),
    *write() {
      for (const entry of customers.values()) yield customerXml(entry);
      for (const [code, product] of products) yield productXml(code, product);
      if (taxes.size > 0) yield element("TaxTable", Array.from(taxes.values(), taxXml).join(""));
    },
  };
}

/** ProductType of what is neither known as a product nor as a service. */
const OTHER = "O";

/** The code by which a line names its product, as the content of an element; one is made where it has none. */
export function productCode({ product_code, description }: WalkedLine): string {
  if (product_code === null) return `L-${digest(description)}`;
  // Two codes must not become one by being cut or written in other letters.
  return isExact(product_code, 60) ? content(product_code, 60) : `${content(product_code, 40)}-${digest(product_code)}`;
}

/** The product's name, else the line's text, as the content of an element: at least 2 characters. */
export function productDescription({ product_name, description }: WalkedLine): string {
  return content(product_name ?? description, 200).padEnd(2, ".");
}

/** The first 16 hexadecimal digits of the SHA-256 of a text. */
function digest(text: string): string {
  return hash("sha256", text).slice(0, 16);
}

function customerXml({ id, customer }: CustomerEntry): string {
  return element(
    "Customer",
    element("CustomerID", id) +
      element("AccountID", "Desconhecido") +
      element("CustomerTaxID", content(customer.tax_id ?? FINAL_CONSUMER, 30)) +
      element("CompanyName", content(customer.name, 100)) +
      address("BillingAddress", customer, countryCode(customer.country)) +
      element("SelfBillingIndicator", 0),
  );
}

function productXml(code: string, { type, description }: ProductEntry): string {
  return element(
    "Product",
    element("ProductType", type) +
      element("ProductCode", code) +
      element("ProductDescription", description) +
      element("ProductNumberCode", code),
  );
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
