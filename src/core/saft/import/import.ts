/**
 * Imports the customers and products of another program's SAF-T (PT) file. Its documents are not imported. The file is
 * read before the transaction; all it holds is stored in one, or nothing.
 */
import * as z from "zod";
import { mustFindCompany } from "../../company/companies.ts";
import { Money, TaxRate } from "../../fields.ts";
import { civilDate } from "../../fiscal/civil-time.ts";
import { fromBps, toBps } from "../../fiscal/money.ts";
import { vatRatesOn } from "../../fiscal/vat-rates.ts";
import { importCustomers, NewCustomer } from "../../records/customers.ts";
import { importProducts, NewProduct } from "../../records/products.ts";
import { problem, refuseInput } from "../../runtime/errors.ts";
import { commandAfter, parseInput } from "../../runtime/operation.ts";
import { yieldToOthers } from "../../runtime/ports.ts";
import { type OpenBytes, XmlError } from "../xml.ts";
import { type FileLimits, NOTE_CODES, rateToday, readImport } from "./records.ts";

const { unit_price_net, unit_price_gross: _, tax_rate, ...fields } = NewProduct.shape;

const ImportedProduct = z.strictObject({ ...fields, unit_price_net, tax_rate: tax_rate.optional() });

/** Limits on a file that a person sends: storing it holds up others, and folding texts for search takes longest. */
const MAX_OF_PERSON: FileLimits = { records: 20_000, characters: 3_000_000 };
const NO_LIMITS: FileLimits = { records: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };

/** How many records are checked before others get a turn. */
const CHECKED_IN_A_ROW = 100;

/** Checks the records of a file as if they were sent one by one. */
async function checked<I extends z.ZodType>(schema: I, records: readonly unknown[]): Promise<z.output<I>[]> {
  const found: z.output<I>[] = [];
  for (const record of records) {
    if (found.push(parseInput(schema, record)) % CHECKED_IN_A_ROW === 0) await yieldToOthers();
  }
  return found;
}

/** The most rows and notes that a report shows; its counts are complete. */
const SHOWN = 200;

/** A report of records of one kind. */
const sorted = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({
    created: z.int(),
    existing: z.int().describe("There already, or twice in the file: they stay as they are."),
    unusable: z.int().describe("Each has a note that says why."),
    rows: z
      .strictObject({ created: z.array(row), existing: z.array(row) })
      .describe(`The first ${SHOWN} of each, in the order of the file.`),
  });

export const SaftImport = z
  .strictObject({
    dry_run: z.boolean().describe("Nothing was written: this is what would be."),
    customers: sorted(z.strictObject({ name: z.string(), tax_id: z.string().nullable() })),
    products: sorted(
      z.strictObject({ name: z.string(), sku: z.string().nullable(), unit_price_net: Money, tax_rate: TaxRate }),
    ),
    notes: z
      .array(
        z.strictObject({
          record: z.string().meta({ example: "Customer C7" }),
          line: z.int().describe("The line of the file."),
          code: z.enum(NOTE_CODES).describe("What was done, for programs."),
          field: z.string().nullable().describe("The element of SAF-T that it is about."),
          given: z.string().nullable().describe("What the file has, or what is left of it; cut where it is long."),
          max: z.int().nullable().describe("The most characters that are kept."),
          became: z.string().nullable().describe("What is stored in its place."),
          note: z.string().describe("The same as a text."),
        }),
      )
      .describe(`What was left out, cut or assumed, by record: the first ${SHOWN}.`),
    more_notes: z.int().describe("How many notes are not shown."),
  })
  .describe("What an import of master files did, or would do.");
export type SaftImport = z.infer<typeof SaftImport>;

export const importMasterFiles = commandAfter(
  {
    id: "importMasterFiles",
    summary: "Take over the customers and products of a SAF-T (PT) file that do not exist yet, all of them or none",
    needs: "company:write",
    unkeyed: true,
    input: z.strictObject({
      file: z
        .custom<OpenBytes>((given) => typeof given === "function")
        .meta({ signature: "OpenBytes" })
        .describe("Opens the bytes of the file. It is read once, before anything is stored."),
      dry_run: z.boolean().optional().describe("Only report what would be done; false when left out."),
    }),
    output: SaftImport,
    fails: [],
  },
  async (scope, { file }) => {
    const max = scope.caller.session ? MAX_OF_PERSON : NO_LIMITS;
    const { customers, products, ...noted } = await readImport(file, max).catch(refuseXml);
    return {
      customers: await checked(NewCustomer, customers),
      products: await checked(ImportedProduct, products),
      ...noted,
    };
  },
  async (scope, { dry_run = false }, { customers, products, taxed, unusable_customers, unusable_products, notes }) => {
    const { tax_region, time_zone } = await mustFindCompany(scope);
    const rates = vatRatesOn(tax_region, civilDate(scope.now, time_zone));
    const rated = products.map(({ tax_rate }, index) => {
      const how = taxed[index];
      return tax_rate === undefined || !how ? ([rates.NOR] as const) : rateToday(toBps(tax_rate), how, rates);
    });
    const priced = products.map((product, index) => ({
      ...product,
      unit_price_net: product.unit_price_net ?? 0,
      tax_rate: fromBps(rated[index]?.[0] ?? rates.NOR),
    }));
    const noted = [...notes, ...rated.flatMap(([, note]) => note ?? [])].sort((a, b) => a.line - b.line);
    const done = await importCustomers(scope, customers, dry_run);
    const stocked = await importProducts(scope, priced, dry_run);
    return {
      dry_run,
      customers: reported(done, unusable_customers, ({ name, tax_id }) => ({ name, tax_id })),
      products: reported(stocked, unusable_products, ({ name, sku = null, unit_price_net = 0, tax_rate }) => ({
        name,
        sku,
        unit_price_net,
        tax_rate,
      })),
      notes: noted.slice(0, SHOWN),
      more_notes: Math.max(0, noted.length - SHOWN),
    };
  },
  { takesTurn: "importing" },
);

function reported<Item, Shown>(
  { created, existing }: { readonly created: readonly Item[]; readonly existing: readonly Item[] },
  unusable: number,
  shownAs: (item: Item) => Shown,
) {
  const first = (items: readonly Item[]) => items.slice(0, SHOWN).map(shownAs);
  const rows = { created: first(created), existing: first(existing) };
  return { created: created.length, existing: existing.length, unusable, rows };
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
export function importSaft(
  company: ImportTarget,
  open: OpenBytes,
  { dry_run = false }: { readonly dry_run?: boolean } = {},
): Promise<SaftImport> {
  return company.saft.importMasterFiles({ file: open, dry_run });
}

function refuseXml(error: unknown): never {
  if (!(error instanceof XmlError)) throw error;
  return refuseInput([problem("", error.sentence)]);
}
