/** Imports the customers and products of another program's SAF-T (PT) file. Its documents are not imported. */
import { z } from "zod";
import { mustFindCompany } from "../../companies.ts";
import { importCustomers, NewCustomer } from "../../customers.ts";
import { civilDate } from "../../fiscal/civil-time.ts";
import { fromBps } from "../../fiscal/money.ts";
import { vatRatesOn } from "../../fiscal/vat-rates.ts";
import { importProducts, NewProduct } from "../../products.ts";
import { refuse } from "../../runtime/errors.ts";
import { command } from "../../runtime/operation.ts";
import { type OpenBytes, XmlError } from "../xml.ts";
import { type ImportNote, readImport } from "./records.ts";

const { unit_price_net, unit_price_gross: _, tax_rate, ...fields } = NewProduct.shape;
const Counts = z.strictObject({ created: z.int(), existing: z.int() });

export const importMasterFiles = command(
  {
    id: "importMasterFiles",
    summary: "Create the customers and products that do not exist yet, all of them or none",
    needs: "operator",
    input: z.strictObject({
      customers: z.array(NewCustomer),
      products: z.array(
        z.strictObject({
          ...fields,
          unit_price_net: unit_price_net.describe("0 when left out."),
          tax_rate: tax_rate.optional().describe("The normal rate of the company's region when left out."),
        }),
      ),
      dry_run: z.boolean().default(false).describe("Only count; write nothing."),
    }),
    output: z.strictObject({ customers: Counts, products: Counts }),
    fails: [],
  },
  async (scope, { customers, products, dry_run }) => {
    const { tax_region, time_zone } = await mustFindCompany(scope);
    const { NOR } = vatRatesOn(tax_region, civilDate(scope.now, time_zone));
    const priced = products.map((product) => ({
      ...product,
      unit_price_net: product.unit_price_net ?? 0,
      tax_rate: product.tax_rate ?? fromBps(NOR),
    }));
    const created = {
      customers: await importCustomers(scope, customers, dry_run),
      products: await importProducts(scope, priced, dry_run),
    };
    return {
      customers: { created: created.customers, existing: customers.length - created.customers },
      products: { created: created.products, existing: products.length - created.products },
    };
  },
);

/** Records that an import creates, finds already there, or cannot use. */
interface ImportCounts {
  readonly created: number;
  readonly existing: number;
  readonly unusable: number;
}

/** The result of an import, or of its dry run. */
export interface SaftImport {
  readonly dry_run: boolean;
  readonly customers: ImportCounts;
  readonly products: ImportCounts;
  /** Notes on data left out, cut or assumed, by record. */
  readonly notes: readonly ImportNote[];
}

/** The one method of a company (`lacre.as(company)`) that an import calls. */
interface ImportTarget {
  readonly saft: {
    importMasterFiles(
      input: z.input<typeof importMasterFiles.input>,
    ): Promise<z.output<typeof importMasterFiles.output>>;
  };
}

/**
 * Imports the customers and products of a SAF-T (PT) 1.04_01 file into a company, in one transaction. A customer with
 * the same tax id and name, or a product with the same code, already exists and stays as it is, so an import can be
 * repeated. Prices, units and rates come from the last line that sold the product. `open` gives the bytes of the file;
 * with `dry_run` nothing is written. Refuses with `invalid_request` when the file is not well-formed or not SAF-T; then
 * nothing was written.
 */
export async function importSaft(
  company: ImportTarget,
  open: OpenBytes,
  { dry_run = false }: { readonly dry_run?: boolean } = {},
): Promise<SaftImport> {
  const { customers, products, unusable_customers, unusable_products, notes } = await readImport(open).catch(refuseXml);
  const done = await company.saft.importMasterFiles({ customers, products, dry_run });
  return {
    dry_run,
    customers: { ...done.customers, unusable: unusable_customers },
    products: { ...done.products, unusable: unusable_products },
    notes,
  };
}

function refuseXml(error: unknown): never {
  if (!(error instanceof XmlError)) throw error;
  return refuse("invalid_request", "file_not_readable", { reason: error.message });
}
