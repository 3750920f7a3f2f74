/** The master files of the tax file: the customers, products and taxes that its documents name. */
import { isReceipt } from "../../fiscal/document-types.ts";
import { customerEntries } from "./customer-entries.ts";
import type { ExportedLine } from "./lines.ts";
import { productEntries } from "./product-entries.ts";
import { taxEntries } from "./tax-entries.ts";
import type { EntryReader, ExportedDocument } from "./types.ts";
import type { Warnings } from "./warnings.ts";

/**
 * Collects what documents name. It keeps a few numbers for each customer and product, and reads them again to write
 * their entries; only taxes, and customers who changed their name, are kept in full.
 */
export function newMasterFiles(warnings: Warnings) {
  const customers = customerEntries(warnings);
  const products = productEntries();
  const taxes = taxEntries();
  return {
    /** Adds a document of the first pass. */
    add({ position, row, lines }: ExportedDocument, exported: readonly ExportedLine[]): void {
      const source = { position, issued_at: Date.parse(row.issued_at) };
      customers.add(row.customer, source);
      if (!isReceipt(row)) products.add(lines, source);
      taxes.add(exported);
    },
    /** The CustomerID of a document that was added. */
    customerId: ({ row }: ExportedDocument) => customers.idOf(row.customer),
    /** The ProductCode of a line. */
    productCode: products.codeOf,
    counts: () => ({ customers: customers.size(), products: products.size(), tax_rates: taxes.size() }),
    /** The entries, in the order of the schema, in batches. */
    async *write(reader: EntryReader): AsyncGenerator<readonly string[]> {
      yield* customers.write(reader);
      yield* products.write(reader);
      yield* taxes.write();
    },
  };
}

export type MasterFiles = ReturnType<typeof newMasterFiles>;
