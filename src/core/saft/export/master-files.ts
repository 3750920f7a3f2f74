/** The master files of the tax file: the customers, products and taxes that its documents name. */
import { DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { customerEntries } from "./customer-entries.ts";
import type { ExportedLine } from "./lines.ts";
import { productEntries } from "./product-entries.ts";
import { taxEntries } from "./tax-entries.ts";
import type { EntryReader, ExportedDocument, ProductLine } from "./types.ts";
import type { Warnings } from "./warnings.ts";

/**
 * Collects what documents name. It keeps a few numbers for each customer and product, and reads them again to write
 * their entries; only taxes, and customers who changed their name, are kept whole.
 */
export interface MasterFiles {
  /** Takes in a document of the first pass. */
  add(document: ExportedDocument, lines: readonly ExportedLine[]): void;
  /** The CustomerID of a document that was added. */
  customerId(document: ExportedDocument): string;
  /** The ProductCode of a line. */
  productCode(line: ProductLine): string;
  readonly counts: () => { readonly customers: number; readonly products: number; readonly tax_rates: number };
  /** The entries, in the order of the schema, in batches. */
  write(reader: EntryReader): AsyncGenerator<readonly string[]>;
}

/** Master files without entries. */
export function newMasterFiles(warnings: Warnings): MasterFiles {
  const customers = customerEntries(warnings);
  const products = productEntries();
  const taxes = taxEntries();
  return {
    add({ position, row, lines }, exported) {
      const source = { position, issued_at: Date.parse(row.issued_at) };
      customers.add(row.customer, source);
      if (!DOCUMENT_TYPES[row.doc_type].is_receipt) products.add(lines, source);
      taxes.add(exported);
    },
    customerId: ({ position }) => customers.idAt(position),
    productCode: products.codeOf,
    counts: () => ({ customers: customers.size(), products: products.size(), tax_rates: taxes.size() }),
    async *write(reader) {
      yield* customers.write(reader);
      yield* products.write(reader);
      yield* taxes.write();
    },
  };
}
