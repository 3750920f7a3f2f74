/** `fixtures` of `lacre/testing`: a company with a year of documents, the same for the same seed. */
import { hash } from "node:crypto";
import type { Document, NewDocument, NewDocumentLine } from "./documents/document.ts";
import type { DocType } from "./fiscal/document-types.ts";
import type { CompanyFace } from "./open.ts";
import type { Clock, IdSource } from "./runtime/ports.ts";

/** A clock that stands still until it is told otherwise. */
export interface FixedClock {
  /** The option `now` of `openInMemory`. */
  readonly now: Clock;
  /** Moves it to an instant, `2026-11-21T10:00:00Z`. */
  to(instant: string): void;
}

/** What a year is made of. */
export interface YearOptions {
  /** The same seed gives the same documents, to the byte where clock, ids and signing key are the same too. */
  readonly seed: number;
  /** The clock of the instance, which the year moves from January to December. */
  readonly clock: FixedClock;
}

/** What the year has. */
export interface Year {
  /** The ids of the documents, by type, in the order in which they were issued. */
  readonly documents: Readonly<Record<DocType, readonly string[]>>;
  /** The ids of those that were cancelled. */
  readonly cancelled: readonly string[];
}

const CUSTOMERS = [
  { name: "Ana Conceição", tax_id: "123456789", address: "Rua das Flores 3", postal_code: "4050-262", city: "Porto" },
  {
    name: "Café Aliança, Lda.",
    tax_id: "501964843",
    address: "Rua Augusta 9",
    postal_code: "1100-048",
    city: "Lisboa",
  },
  { name: "Hotel do Cais, S.A.", tax_id: "502011475", address: "Cais 1", postal_code: "8000-100", city: "Faro" },
  { name: "Consumidor final" },
] as const;

const PRODUCTS = [
  { name: "Pão de Mafra", sku: "PAO", unit_price_net: 1.15, tax_rate: 6 },
  { name: "Bolo de anos", sku: "BOLO", unit_price_net: 55.55, tax_rate: 23 },
  { name: "Café", sku: "CAFE", unit_price_net: 0.75, tax_rate: 13 },
  { name: "Velas", sku: "VELAS", unit_price_net: 11.11, tax_rate: 23 },
] as const;

const OTHER_TYPES = ["GT", "GR", "OR", "NDV", "ND"] as const;

/** Whole numbers from a seed. */
function numbersFrom(seed: number) {
  let drawn = 0;
  const below = (limit: number) => Number.parseInt(hash("sha256", `${seed}/${drawn++}`).slice(0, 8), 16) % limit;
  return { below, oneOf: <T>(items: readonly T[]): T => items[below(items.length)] as T };
}

/** Makes ids of rows that ascend with a clock and are the same for the same seed. */
function ids(seed: number): IdSource {
  let made = 0;
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0").slice(-digits);
  return (now) => {
    const time = hex(now.getTime(), 12);
    const count = made++;
    const rest = hash("sha256", `${seed}/${count}`).slice(0, 8);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(count >> 12, 3)}-8${hex(count, 3)}-${rest}0000`;
  };
}

/** Makes a clock that stands at this instant. */
function clock(instant: string): FixedClock {
  let at = new Date(instant);
  return {
    now: () => new Date(at),
    to(next) {
      at = new Date(next);
    },
  };
}

/** A shop while its year is made. */
interface Making {
  readonly shop: CompanyFace;
  readonly series: ReadonlyMap<string, string>;
  readonly customers: readonly string[];
  readonly products: readonly string[];
  readonly numbers: ReturnType<typeof numbersFrom>;
  readonly documents: Record<DocType, string[]>;
  readonly cancelled: string[];
  /** The day, which each document is dated by. */
  day: string;
}

/** Issues one document of the day. */
async function issued(making: Making, doc_type: DocType, fields: Partial<NewDocument>): Promise<Document> {
  const { shop, series, day, documents } = making;
  const document = await shop.documents.create({
    doc_type,
    series_id: series.get(doc_type) as string,
    issue_date: day,
    ...fields,
    issue: true,
  } as NewDocument);
  documents[doc_type].push(document.id);
  return document;
}

/** One to three lines of products. */
function linesFrom({ numbers, products }: Making): NewDocumentLine[] {
  return Array.from({ length: 1 + numbers.below(3) }, () => {
    const at = numbers.below(PRODUCTS.length);
    const { name: description, unit_price_net, tax_rate } = PRODUCTS[at] as (typeof PRODUCTS)[number];
    const line = {
      product_id: products[at] as string,
      description,
      qty: 1 + numbers.below(5),
      unit_price_net,
      tax_rate,
    };
    return numbers.below(4) === 0 ? { ...line, discount_pct: 10 } : line;
  });
}

/** An invoice that is paid, credited in part and refunded. */
async function creditedInvoice(making: Making, customer_id: string): Promise<void> {
  const { shop, day } = making;
  const lines = [...linesFrom(making), { description: "Entrega", qty: 2, unit_price_net: 5, tax_rate: 23 }];
  const invoice = await issued(making, "FT", { customer_id, lines });
  await shop.payments.record({ id: invoice.id, amount: invoice.total_gross, method_code: "TB", payment_date: day });
  const references = [{ document_id: invoice.id }];
  const returned = [{ description: "Entrega", qty: 1, unit_price_net: 5, tax_rate: 23, reference_line: lines.length }];
  const note = await issued(making, "NC", { customer_id, references, lines: returned });
  const refund = { id: invoice.id, kind: "refund", method_code: "TB", payment_date: day } as const;
  await shop.payments.record({ ...refund, amount: note.total_gross });
}

/** An invoice that a receipt settles. */
async function receiptedInvoice(making: Making, customer_id: string): Promise<void> {
  const invoice = await issued(making, "FT", { customer_id, lines: linesFrom(making) });
  const paid = { method_code: "MB", payment_date: making.day, amount: invoice.total_gross } as const;
  const line = { description: `Recebimento de ${invoice.number}`, qty: 1, unit_price_net: paid.amount, tax_rate: 0 };
  const references = [{ document_id: invoice.id }];
  await issued(making, "RC", { customer_id, references, lines: [line], record_payments: true, payments: [paid] });
}

/** The documents of one month, each kind on a day of its own. */
async function month(making: Making, clock: FixedClock, year: number, number: number): Promise<void> {
  const { shop, numbers, customers, cancelled } = making;
  const [consumer] = customers.slice(-1);
  const known = customers.slice(0, -1);
  const on = async (day: number, work: () => Promise<unknown>) => {
    making.day = `${year}-${String(number).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
    clock.to(`${making.day}T${10 + numbers.below(6)}:00:00.000Z`);
    await work();
  };
  const lines = () => linesFrom(making);
  await on(3, () => issued(making, "FS", { customer_id: consumer as string, lines: lines() }));
  await on(6, () => creditedInvoice(making, numbers.oneOf(known)));
  await on(10, () => receiptedInvoice(making, numbers.oneOf(known)));
  await on(14, () => issued(making, "FR", { customer_id: numbers.oneOf(known), lines: lines() }));
  const other = OTHER_TYPES[(number - 1) % OTHER_TYPES.length] as DocType; // each of them twice a year
  await on(18, () => issued(making, other, { customer_id: numbers.oneOf(known), lines: lines() }));
  await on(22, async () => {
    const { id } = await issued(making, "FT", { customer_id: numbers.oneOf(known), lines: lines() });
    if (number % 3 === 1) {
      await shop.payments.record({ id, amount: 0.5, method_code: "NU", payment_date: making.day });
    }
    if (number % 3 !== 0) return; // it stays unpaid, wholly or in part
    await shop.documents.cancel({ id, reason: "Engano" });
    cancelled.push(id);
  });
}

/**
 * Fills a company with a year: all ten types of document, with payments, receipts that record theirs, credit notes,
 * refunds, unpaid invoices and cancelled ones. The company needs its series of that year, the one in which its clock
 * stands, and no documents. With the same seed, clock, ids and signing key two years are the same to the byte:
 *
 * ```ts
 * import { fixtures, openInMemory } from "lacre/testing";
 *
 * const clock = fixtures.clock("2026-01-01T09:00:00Z");
 * const { lacre, company } = await openInMemory({ now: clock.now, newId: fixtures.ids(7) });
 * const { documents } = await fixtures.year(company, { seed: 7, clock });
 * documents.FT.length; // => 36
 * await lacre.close();
 * ```
 */
async function year(shop: CompanyFace, { seed, clock }: YearOptions): Promise<Year> {
  const { data } = await shop.series.list({ limit: 200 });
  const customers = [];
  for (const customer of CUSTOMERS) customers.push((await shop.customers.create(customer)).id);
  const products = [];
  for (const product of PRODUCTS) products.push((await shop.products.create(product)).id);
  const documents = { FT: [], FS: [], FR: [], NC: [], ND: [], RC: [], GT: [], GR: [], NDV: [], OR: [] };
  const series = new Map(data.map(({ doc_type, id }) => [doc_type, id]));
  const numbers = numbersFrom(seed);
  const making: Making = { shop, series, customers, products, numbers, documents, cancelled: [], day: "" };
  const of = clock.now().getUTCFullYear();
  for (let number = 1; number <= 12; number++) await month(making, clock, of, number);
  return { documents, cancelled: making.cancelled };
}

/** A clock, ids and a year of documents that are the same in every run. */
export const fixtures = { clock, ids, year } as const;
