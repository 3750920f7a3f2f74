/** The master files of the tax file: the customers, products and taxes that its documents name, as they name them. */
import { hash } from "node:crypto";
import type { Row } from "../../database/tables.ts";
import type { CustomerSnapshot } from "../../documents/document.ts";
import { countryCode, UNKNOWN_COUNTRY } from "../../fiscal/countries.ts";
import { DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { FINAL_CONSUMER } from "../../fiscal/tax-id.ts";
import type { TaxCode } from "../../fiscal/vat-rates.ts";
import { UNKNOWN } from "../vocabulary.ts";
import { isInCodePage } from "../windows-1252.ts";
import { percentageText } from "./amounts.ts";
import { column, remembered, textNumbers } from "./columns.ts";
import type { FiledLine, LineTax } from "./lines.ts";
import { address, content, element, isExact } from "./markup.ts";
import type { WalkedDocument } from "./reader.ts";
import type { Warnings } from "./report.ts";
import type { LineSpot } from "./selection.ts";

/** Entries read again and written at once. */
const BATCH = 32;

/** What is read again of the documents that say an entry last. */
interface Said {
  snapshots(places: readonly number[]): Promise<string[]>;
  lines(spots: readonly LineSpot[]): Promise<NamingLine[]>;
}

/**
 * What the documents of a file name. Of each customer and product it keeps a few numbers, and reads again what its entry
 * says; only rates, and customers who changed their name, are kept whole.
 */
export interface MasterFiles {
  /** Takes in a document of the first walk. */
  add(document: WalkedDocument, lines: readonly FiledLine[]): void;
  /** The CustomerID of a document of the second. */
  customerId(document: WalkedDocument): string;
  /** The ProductCode of a line. */
  productCode(line: NamingLine): string;
  readonly counts: () => { readonly customers: number; readonly products: number; readonly tax_rates: number };
  /** The entries, in the order of the schema, some at a time. */
  write(said: Said): AsyncGenerator<readonly string[]>;
}

/** Master files without entries. */
export function masterFiles(warnings: Warnings): MasterFiles {
  const customers = customerEntries(warnings);
  const products = productEntries();
  const taxes: LineTax[] = [];
  return {
    add({ place, row, lines }, filed) {
      const saying = { place, issued_at: Date.parse(row.issued_at) };
      customers.add(row.customer, saying);
      if (!DOCUMENT_TYPES[row.doc_type].is_receipt) products.add(lines, saying);
      for (const { tax } of filed) {
        if (tax && !taxes.some((known) => isSameTax(known, tax))) taxes.push(tax);
      }
    },
    customerId: ({ place }) => customers.idAt(place),
    productCode: products.codeOf,
    counts: () => ({ customers: customers.size(), products: products.size(), tax_rates: taxes.length }),
    async *write(said) {
      yield* customers.write(said);
      yield* products.write(said);
      if (taxes.length > 0) yield [`\n${element("TaxTable", taxes.map(taxXml).join(""))}`];
    },
  };
}

/** A document that says an entry: its place in the file, and when it was issued, in milliseconds. */
interface Saying {
  readonly place: number;
  readonly issued_at: number;
}

/** For each entry which document says it last: what that one says is exported. */
function latestSayings() {
  const [places, instants] = [column(Uint32Array), column()];
  return {
    placeOf: places.get,
    /** Says whether this is the last so far; of several at the same instant the one that is told last. */
    take(entry: number, { place, issued_at }: Saying): boolean {
      if (issued_at < instants.get(entry)) return false;
      places.set(entry, place);
      instants.set(entry, issued_at);
      return true;
    },
  };
}

/** The numbers from 0 to `size`, some at a time. */
function* batches(size: number): Generator<number[]> {
  for (let first = 0; first < size; first += BATCH) {
    yield Array.from({ length: Math.min(BATCH, size - first) }, (_, i) => first + i);
  }
}

/** One entry per customer, tax number and name; the first of a customer has its code, further ones `-2`, `-3`. */
function customerEntries(warnings: Warnings) {
  let size = 0;
  const latest = latestSayings();
  /** The entry that the document at a place names. */
  const entryAt = column(Uint32Array);
  /** Of the first entry of a customer with the code C17: 17, and a digest of name and tax number. */
  const [numbers, identities] = [column(Uint32Array), column()];
  /** The first entry of C17 plus 1 (0: none) stands in row 17. */
  const firsts = column(Uint32Array);
  /** Further entries of customers who changed, and first ones with a code of another form. */
  const further = new Map<string, number>();
  const furtherIds = new Map<number, string>();
  const timesOf = new Map<string, number>();
  const warned = textNumbers();

  function entryOf(customer: CustomerSnapshot): number {
    const number = numberIn(customer.code);
    const identity = JSON.stringify([customer.code, customer.tax_id, customer.name]);
    if (number === undefined) return furtherEntry(customer, identity, 1);
    const digest = Number.parseInt(hash("sha256", identity).slice(0, 12), 16);
    const first = firsts.get(number) - 1;
    if (first < 0) {
      firsts.set(number, size + 1);
      numbers.set(size, number);
      identities.set(size, digest);
      return size++;
    }
    return identities.get(first) === digest ? first : furtherEntry(customer, identity, 2);
  }

  /** An entry that is kept whole; `nth` is what the first of them would be of its customer. */
  function furtherEntry({ code }: CustomerSnapshot, identity: string, nth: number): number {
    const known = further.get(identity);
    if (known !== undefined) return known;
    const time = timesOf.get(code) ?? nth;
    timesOf.set(code, time + 1);
    further.set(identity, size);
    furtherIds.set(size, time === 1 ? code : `${code}-${time}`);
    return size++;
  }

  function idOf(entry: number): string {
    return furtherIds.get(entry) ?? `C${numbers.get(entry)}`;
  }

  /** Warns of what a snapshot cannot say in the file: once, however often it comes back. */
  function warnOnce(id: string, { country, ...customer }: CustomerSnapshot, snapshot: string): void {
    const { name, tax_id, address, postal_code, city } = customer;
    const isUnknown = countryCode(country) === UNKNOWN_COUNTRY;
    const texts = [name, tax_id, address, postal_code, city];
    const replaced = texts.filter((text) => text !== null && !isInCodePage(text)).length;
    const isNew = warned.size();
    if ((!isUnknown && replaced === 0) || warned.numberOf(snapshot) < isNew) return;
    if (isUnknown) warnings.warn("country_unknown", id);
    if (replaced > 0) warnings.warn("text_replaced", id, replaced);
  }

  // Most documents of a customer carry the same snapshot, to the letter.
  const entryOfSnapshot = remembered((snapshot) => {
    const customer = JSON.parse(snapshot) as CustomerSnapshot;
    const entry = entryOf(customer);
    warnOnce(idOf(entry), customer, snapshot);
    return entry;
  });

  return {
    size: () => size,
    idAt: (place: number) => idOf(entryAt.get(place)),
    add(snapshot: string, saying: Saying): void {
      const entry = entryOfSnapshot(snapshot);
      entryAt.set(saying.place, entry);
      latest.take(entry, saying);
    },
    async *write({ snapshots }: Said) {
      for (const batch of batches(size)) {
        const said = await snapshots(batch.map(latest.placeOf));
        yield said.map((snapshot, i) => customerXml(idOf(batch[i] as number), JSON.parse(snapshot)));
      }
    },
  };
}

/** Codes are made so and counted up by one (see customers.ts); those beyond would take a column too long. */
const MOST_NUMBERED = 100_000_000;

/** The 17 of the code C17; undefined for a code of another form. */
function numberIn(code: string): number | undefined {
  const number = Number(code.slice(1));
  return Number.isInteger(number) && number > 0 && number < MOST_NUMBERED && code === `C${number}` ? number : undefined;
}

/** What a line says of its product. */
export type NamingLine = Pick<Row<"document_lines">, "description" | "product_code" | "product_name" | "product_type">;

/** One entry per product code: the product's name on the latest document, or the text of a line without product. */
function productEntries() {
  const entries = textNumbers();
  const entryOf = remembered(entries.numberOf);
  const latest = latestSayings();
  const line_numbers = column(Uint32Array);
  const [ofProduct, ofText] = [remembered(fittedCode), remembered(codeOfText)];

  const codeOf = ({ product_code, description }: NamingLine): string =>
    product_code === null ? ofText(description) : ofProduct(product_code);

  return {
    size: entries.size,
    codeOf,
    add(lines: WalkedDocument["lines"], saying: Saying): void {
      for (const line of lines) {
        const entry = entryOf(codeOf(line));
        if (latest.take(entry, saying)) line_numbers.set(entry, line.line_number);
      }
    },
    async *write({ lines }: Said) {
      for (const batch of batches(entries.size())) {
        const spots = batch.map((entry) => ({ place: latest.placeOf(entry), line_number: line_numbers.get(entry) }));
        yield (await lines(spots)).map((line) => productXml(codeOf(line), line));
      }
    },
  };
}

/** ProductType of what is neither known as a product nor as a service. */
const OTHER = "O";

/** The code of a product as the content of an element. Two must not become one by being cut or written in other letters. */
function fittedCode(code: string): string {
  return isExact(code, 60) ? content(code, 60) : `${content(code, 40)}-${digest(code)}`;
}

/** The code that is made for a line that has none, from its text. */
function codeOfText(description: string): string {
  return `L-${digest(description)}`;
}

/** The product's name, else the line's text, as the content of an element: at least 2 characters. */
export function productDescription({ product_name, description }: NamingLine): string {
  return content(product_name ?? description, 200, 2);
}

/** The first 16 hexadecimal digits of the SHA-256 of a text. */
function digest(text: string): string {
  return hash("sha256", text).slice(0, 16);
}

function customerXml(id: string, customer: CustomerSnapshot): string {
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

function productXml(code: string, line: NamingLine): string {
  return `\n${element(
    "Product",
    element("ProductType", line.product_type ?? OTHER) +
      element("ProductCode", code) +
      element("ProductDescription", productDescription(line)) +
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

/** What tax it is, where and at which rate by name: the beginning of a table entry and of a line's Tax. */
export function taxKind({ tax_region, tax_code }: LineTax): string {
  return (
    element("TaxType", tax_code === "NS" ? "NS" : "IVA") +
    element("TaxCountryRegion", tax_region) +
    element("TaxCode", tax_code)
  );
}
