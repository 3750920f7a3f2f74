/** Reads the customers and products of any program's SAF-T (PT) file as input for Lacre, and notes the changes. */
import type * as z from "zod";
import { fromBps, fromMicros, halfUp } from "../../fiscal/money.ts";
import { beginningOf, composed } from "../../fiscal/spelling.ts";
import { FINAL_CONSUMER, normalTaxId } from "../../fiscal/tax-id.ts";
import type { VatRates } from "../../fiscal/vat-rates.ts";
import { NewCustomer } from "../../records/customers.ts";
import { NewProduct } from "../../records/products.ts";
import { IMPORT_NOTES, importNote, type NoteCode, type NoteSubject } from "../../texts/saft.ts";
import { type Decimal, decimalOf } from "../decimal.ts";
import { readSaft, type SaftElement, shortened, textAt } from "../read.ts";
import { t } from "../refusals.ts";
import { UNKNOWN } from "../vocabulary.ts";
import { type OpenBytes, XmlError } from "../xml.ts";

export const NOTE_CODES = Object.keys(IMPORT_NOTES) as [NoteCode, ...NoteCode[]];

/** A note on a record that was changed or left out. */
interface ImportNote extends NoteSubject {
  /** `Customer C7` or `Product 110`. */
  readonly record: string;
  /** The line of the file. */
  readonly line: number;
  readonly code: NoteCode;
  readonly note: string;
}

/** How much a file may hold. */
export interface FileLimits {
  /** Customers and products. */
  readonly records: number;
  /** UTF-16 units in those that can be imported. */
  readonly characters: number;
}

/** The records of a file for an import. */
export interface ImportRecords {
  readonly customers: z.input<typeof NewCustomer>[];
  readonly products: ProductRecord[];
  /** How each of the products was taxed, in their order. */
  readonly taxed: Taxed[];
  /** Records that cannot be imported; each has a note. */
  unusable_customers: number;
  unusable_products: number;
  readonly notes: ImportNote[];
}

/** A product; without price or rate if no document in the file shows one. */
export interface ProductRecord
  extends Omit<z.input<typeof NewProduct>, "unit_price_net" | "unit_price_gross" | "tax_rate"> {
  readonly unit_price_net?: number | undefined;
  readonly tax_rate?: number | undefined;
}

/** How a product was taxed when it was last sold. */
interface Taxed {
  /** The class of its rate: `NOR`, `INT`, `RED`; anything else that the file has. */
  readonly tax_code: string | undefined;
  /** Makes a note on it. */
  readonly noteOf: (code: NoteCode, about: Partial<NoteSubject>) => ImportNote;
}

type Note = (code: NoteCode, about?: Partial<NoteSubject>) => void;

/**
 * Reads the records for an import. Throws `XmlError` when the file is not well-formed, not SAF-T (PT) 1.04_01, or has
 * more than `max`; other errors in it do not matter. Memory grows with the master files, not with the documents.
 */
export async function readImport(open: OpenBytes, max: FileLimits): Promise<ImportRecords> {
  const records: ImportRecords = {
    customers: [],
    products: [],
    taxed: [],
    unusable_customers: 0,
    unusable_products: 0,
    notes: [],
  };
  const products: { readonly element: SaftElement; readonly sale: Sale }[] = [];
  const sales = new Map<string, Sale>();
  const held = { records: 0, characters: 0 };
  const hold = (more: Partial<FileLimits>, { line }: SaftElement) => {
    held.records += more.records ?? 0;
    held.characters += more.characters ?? 0;
    const isTooMuch = held.records > max.records || held.characters > max.characters;
    if (isTooMuch) throw new XmlError(t.file_has_too_many_records(max), line, 1);
  };

  await readSaft(open, {
    close(element) {
      const parent = element.parent?.name;
      if (parent === "MasterFiles" && element.name === "Customer") {
        hold({ records: 1 }, element);
        const customer = customerOf(element, notesOn(element, "CustomerID", records));
        if (customer) {
          hold({ characters: charactersOf(customer) }, element);
          records.customers.push(customer);
        } else records.unusable_customers++;
      } else if (parent === "MasterFiles" && element.name === "Product") {
        hold({ records: 1 }, element);
        const code = textAt(element, "ProductCode") ?? "";
        const sale = sales.get(code) ?? {};
        sales.set(code, sale);
        products.push({ element, sale });
      } else if (element.name === "Line") {
        const sale = sales.get(textAt(element, "ProductCode") ?? "");
        if (sale) updateSale(sale, element);
      }
    },
  });
  for (const { element, sale } of products) {
    const product = productOf(element, sale, notesOn(element, "ProductCode", records));
    if (product) {
      hold({ characters: charactersOf(product) }, element);
      records.products.push(product);
      records.taxed.push({ tax_code: sale.tax_code, noteOf: noteOn(element, "ProductCode") });
    } else records.unusable_products++;
  }
  return records;
}

/** The UTF-16 units in the texts of a record. */
function charactersOf(record: object): number {
  return Object.values(record).reduce((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
}

function notesOn(element: SaftElement, key: string, { notes }: ImportRecords): Note {
  const noteOf = noteOn(element, key);
  return (code, about) => {
    notes.push(noteOf(code, about));
  };
}

function noteOn(element: SaftElement, key: string) {
  const record = `${element.name} ${textAt(element, key) ?? "without code"}`;
  return (code: NoteCode, about?: Partial<NoteSubject>): ImportNote => {
    const { field = null, given = null, max = null, became = null } = about ?? {};
    const shown = { field, given: given && shortened(given), max, became };
    return { record, line: element.line, code, ...shown, note: importNote({ code, ...shown }).in("en") };
  };
}

// ——— Customers ———

function customerOf(element: SaftElement, note: Note): z.input<typeof NewCustomer> | undefined {
  const name = fieldText(element, "CompanyName", NewCustomer.shape.name, 200, note);
  const tax_id = tidy(textAt(element, "CustomerTaxID"), MAX_TAX_ID);
  if (name === undefined) return drop(note, "no_name");
  if (tax_id === FINAL_CONSUMER && /^consumidor final$/i.test(name)) {
    return drop(note, "final_consumer");
  }
  const { email, phone, address, postal_code, city, country } = NewCustomer.shape;
  const details = {
    email: fieldText(element, "Email", email, 100, note),
    phone: fieldText(element, "Telephone", phone, 100, note),
    address: fieldText(element, "BillingAddress/AddressDetail", address, 100, note),
    postal_code: fieldText(element, "BillingAddress/PostalCode", postal_code, 100, note),
    city: fieldText(element, "BillingAddress/City", city, 100, note),
    country: fieldText(element, "BillingAddress/Country", country, 100, note),
  };
  return { name, ...details, tax_id: taxIdOf(tax_id, details.country ?? null, note) };
}

function taxIdOf(given: string | undefined, country: string | null, note: Note): string | null {
  if (given === undefined || given === FINAL_CONSUMER) return null;
  const tax_id = normalTaxId(given, country);
  if (tax_id !== undefined && NewCustomer.shape.tax_id.safeParse(tax_id).success) return tax_id;
  note("tax_id_invalid", { given });
  return null;
}

// ——— Products ———

/** Unit, price and rate at which the documents of a file last sold a product. */
interface Sale {
  unit?: string;
  price?: Decimal;
  rate?: Decimal;
  /** The class of that rate. */
  tax_code?: string | undefined;
}

/** A price of 0 is ignored: guides often have no prices. */
function updateSale(sale: Sale, line: SaftElement): void {
  const unit = textAt(line, "UnitOfMeasure");
  const price = decimalOf(textAt(line, "UnitPrice"));
  const rate = decimalOf(textAt(line, "Tax/TaxPercentage"));
  if (unit !== undefined) sale.unit = unit;
  if (price && price.units > 0n) sale.price = price;
  if (rate) {
    sale.rate = rate;
    sale.tax_code = textAt(line, "Tax/TaxCode");
  }
}

function productOf(element: SaftElement, sale: Sale, note: Note): ProductRecord | undefined {
  const { name: named, sku: coded } = NewProduct.shape;
  const name = fieldText(element, "ProductDescription", named, 200, note);
  if (name === undefined) return drop(note, "no_description");
  const sku =
    fieldText(element, "ProductCode", coded, 100, note) ?? fieldText(element, "ProductNumberCode", coded, 100, note);
  // Charges (O), excise duties (E) and other taxes (I) become goods.
  const type = textAt(element, "ProductType");
  if (type !== undefined && !["P", "S"].includes(type)) note("type_changed", { given: type });
  const unit = tidy(sale.unit, MAX_UNIT);
  return {
    name,
    sku: sku ?? null,
    type: type === "S" ? "S" : "P",
    ...(unit !== undefined && NewProduct.shape.unit.safeParse(unit).success && { unit }),
    unit_price_net: priceOf(sale.price, note),
    tax_rate: taxRateOf(sale.rate, note),
  };
}

function priceOf(price: Decimal | undefined, note: Note): number | undefined {
  const micros = price && rescaled(price, 6);
  if (price && micros !== undefined) {
    const exact = fromMicros(Number(micros));
    if (NewProduct.shape.unit_price_net.safeParse(exact).success) {
      if (price.units * 10n ** 6n !== micros * 10n ** BigInt(price.scale)) note("price_rounded");
      return exact;
    }
  }
  note("price_unknown");
  return undefined;
}

/**
 * The rate in basis points at which a product is taxed from now on, with a note if it differs from the file's: a rate
 * of the past, or of another region, becomes today's rate of its class here. A rate without a class stays, also with a
 * note: only the shop knows what it should be.
 */
export function rateToday(
  rate_bps: number,
  { tax_code, noteOf }: Taxed,
  { NOR, INT, RED }: VatRates,
): readonly [rate_bps: number, note?: ImportNote] {
  const rates: Readonly<Record<string, number>> = { NOR, INT, RED };
  if (rate_bps === 0 || Object.values(rates).includes(rate_bps)) return [rate_bps];
  const given = { field: "TaxPercentage", given: String(fromBps(rate_bps)) };
  const now = Object.hasOwn(rates, tax_code ?? "") ? rates[tax_code ?? ""] : undefined;
  if (now === undefined) return [rate_bps, noteOf("rate_kept", given)];
  return [now, noteOf("rate_replaced", { ...given, became: String(fromBps(now)) })];
}

function taxRateOf(rate: Decimal | undefined, note: Note): number | undefined {
  const bps = rate && rescaled(rate, 2);
  const exact = bps === undefined ? undefined : fromBps(Number(bps));
  if (exact !== undefined && NewProduct.shape.tax_rate.safeParse(exact).success) return exact;
  note("rate_unknown");
  return undefined;
}

/** The nearest whole number of units of `10^-decimals`; undefined for negative numbers. */
function rescaled({ units, scale }: Decimal, decimals: number): bigint | undefined {
  return units < 0n ? undefined : halfUp(units * 10n ** BigInt(decimals), 10n ** BigInt(scale));
}

// ——— Text ———

/** The longest tax id in characters; a longer one is left out rather than cut. */
const MAX_TAX_ID = 30;
/** The same, of a unit. */
const MAX_UNIT = 100;

function drop(note: Note, code: NoteCode): undefined {
  note(code);
}

/** The text at a path for a field: tidied, cut to `max` characters, and left out if the field still refuses it. */
function fieldText(element: SaftElement, path: string, schema: z.ZodType, max: number, note: Note): string | undefined {
  const given = tidy(textAt(element, path), max);
  if (given === undefined) return undefined;
  const characters = Array.from(given);
  const cut = characters.length > max ? characters.slice(0, max).join("").trim() : given;
  const field = path.slice(path.lastIndexOf("/") + 1);
  if (!schema.safeParse(cut).success) {
    note("not_accepted", { field, given });
    return undefined;
  }
  if (cut !== given) note("cut", { field, given: cut, max });
  return cut;
}

/**
 * A text on one line, without marks that reorder it; undefined if it is empty or `Desconhecido`. A text of more than
 * `max` characters is cut, but not so much that its excess goes unnoticed.
 */
function tidy(text: string | undefined, max: number): string | undefined {
  const onOneLine = text
    ?.replace(/[\p{Cc}\u2028\u2029]/gu, " ")
    .replace(/[\u202a-\u202e\u2066-\u2069]/gu, "")
    .replace(/ {2,}/g, " ")
    .trim();
  const tidied = onOneLine && composed(beginningOf(onOneLine, max + 1));
  return tidied === "" || tidied === UNKNOWN ? undefined : tidied;
}
