/**
 * The first walk: everything that must be known before a document is written, and that later walks must say alike. What
 * is cancelled or billed afterwards stays as it was found here, so a file is whole however long its writing takes.
 */
import type { Place, Transport } from "../../documents/document.ts";
import { entryTime } from "../../fiscal/civil-time.ts";
import { countryCode, UNKNOWN_COUNTRY } from "../../fiscal/countries.ts";
import { DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { NO_REASON } from "../../fiscal/exemptions.ts";
import type { ReadScope } from "../../runtime/scope.ts";
import { type SaftTable, TABLE_NAMES } from "../vocabulary.ts";
import { isInCodePage } from "../windows-1252.ts";
import { TAXES_PER_CENT, taxDifference } from "./amounts.ts";
import { column } from "./columns.ts";
import type { Standing } from "./documents.ts";
import { type FiledLine, goodsLines, receiptLines } from "./lines.ts";
import { type MasterFiles, masterFiles } from "./master-files.ts";
import {
  type Billing,
  billingsOf,
  isBillable,
  placeOf,
  type WalkedDocument,
  type WalkedRow,
  walkRun,
} from "./reader.ts";
import type { Warnings } from "./report.ts";
import { type Filing, runsOf } from "./selection.ts";

/** The control totals of a table. Amounts in millionths of a euro, quantities in millionths. */
export interface TableTotals {
  documents: number;
  cancelled: number;
  lines: number;
  debit_micros: bigint;
  credit_micros: bigint;
  quantity_micros: bigint;
}

/** What the first walk found. */
export interface Survey {
  readonly totals: Readonly<Record<SaftTable, TableTotals>>;
  readonly masters: MasterFiles;
  standing(document: WalkedDocument): Standing;
}

/** Walks every document of the filing once. */
export async function survey(scope: ReadScope, filing: Filing, warnings: Warnings): Promise<Survey> {
  const totals = {
    SalesInvoices: nothing(),
    MovementOfGoods: nothing(),
    WorkingDocuments: nothing(),
    Payments: nothing(),
  };
  const masters = masterFiles(warnings);
  const cancelled = new Set<number>();
  const billed = billedDocuments();
  // Invoices come first: guides and quotations ask which of them stand.
  for (const table of TABLE_NAMES) {
    const linesOf = table === "Payments" ? receiptLines : goodsLines;
    for (const run of runsOf(filing, table)) {
      for await (const stride of walkRun(scope, run, filing.series)) {
        const billings = isBillable(run.series) ? await billingsOf(scope, stride) : [];
        for (const billing of billings.filter((billing) => stood(billing, filing, cancelled))) {
          const document = stride.find(({ row }) => row.id === billing.billed_id) as WalkedDocument;
          billed.add(document.place, billing);
        }
        for (const document of stride) {
          const lines = linesOf(document);
          if (document.row.status === "cancelled") cancelled.add(document.place);
          count(totals[table], document, lines);
          masters.add(document, lines);
          warnAbout(document, lines, warnings);
        }
      }
    }
  }
  return { totals, masters, standing: (document) => standingOf(document, cancelled, billed) };
}

const nothing = (): TableTotals => ({
  documents: 0,
  cancelled: 0,
  lines: 0,
  debit_micros: 0n,
  credit_micros: 0n,
  quantity_micros: 0n,
});

/** Whether an invoice stood when the export began, as far as the file says; of one outside it, as it is now. */
function stood(billing: Billing, { series, runs }: Filing, cancelled: ReadonlySet<number>): boolean {
  const { series_id, sequence, isLive } = billing;
  const run = runs.find((run) => run.series.id === series_id);
  if (run && sequence >= run.first && sequence < run.end) return !cancelled.has(placeOf(run, billing));
  const head = series.find((row) => row.id === series_id)?.next_number ?? 0;
  return isLive && sequence < head;
}

/** The documents that invoices bill, each with when the first of them did, and by whom: two numbers, as there may be many. */
interface BilledDocuments {
  /** Takes in a billing; an earlier one of the same document has come before. */
  add(place: number, billing: Billing): void;
  billingAt(place: number): Pick<Standing, "since" | "by"> | undefined;
}

function billedDocuments(): BilledDocuments {
  // In milliseconds, as if Lisbon's wall time were UTC: only what is written goes in and comes out.
  const times = column();
  const issuers: string[] = [];
  const issuersAt = column(Uint32Array);
  return {
    add(place, { system_entry_date, issued_by }) {
      if (times.get(place) > 0) return;
      times.set(place, Date.parse(`${system_entry_date}Z`));
      if (!issuers.includes(issued_by)) issuers.push(issued_by);
      issuersAt.set(place, issuers.indexOf(issued_by));
    },
    billingAt(place) {
      const time = times.get(place);
      if (!(time > 0)) return undefined;
      return { since: new Date(time).toISOString().slice(0, 19), by: issuers[issuersAt.get(place)] as string };
    },
  };
}

/** Totals leave out what is cancelled; the numbers of documents and lines do not (Portaria 302/2016, 4.1 to 4.4). */
function count(totals: TableTotals, { row, lines }: WalkedDocument, filed: readonly FiledLine[]): void {
  totals.documents++;
  totals.lines += filed.length;
  if (row.status === "cancelled") {
    totals.cancelled++;
    return;
  }
  for (const { side, amount_micros } of filed) {
    if (side === "debit") totals.debit_micros += amount_micros;
    else totals.credit_micros += amount_micros;
  }
  for (const { qty_micros } of lines) totals.quantity_micros += BigInt(qty_micros);
}

function standingOf({ place, row }: WalkedDocument, cancelled: ReadonlySet<number>, billed: BilledDocuments): Standing {
  if (cancelled.has(place)) {
    const at = entryTime(new Date(row.cancelled_at ?? row.issued_at));
    // An entry time may run a little ahead of a clock that stepped back; a document is not cancelled before it is made.
    const since = at > row.system_entry_date ? at : row.system_entry_date;
    return { status: "A", since, reason: row.cancel_reason, by: row.cancelled_by as string };
  }
  const billing = billed.billingAt(place);
  if (billing) return { status: "F", ...billing, reason: null };
  return { status: "N", since: row.system_entry_date, reason: null, by: row.issued_by };
}

function warnAbout(document: WalkedDocument, filed: readonly FiledLine[], { warn }: Warnings): void {
  const { row, references } = document;
  const { is_receipt, corrects } = DOCUMENT_TYPES[row.doc_type];
  if (references.length === 0 && is_receipt) warn("receipt_without_origin", row.number);
  if (references.length === 0 && corrects) warn("correction_without_reference", row.number);
  const isByDefault = row.certificate_number === 0 && filed.some(({ tax }) => tax?.exemption_code === NO_REASON);
  if (isByDefault) warn("exemption_by_default", row.number);
  if (taxDifference(row.total_tax_cents, filed) > TAXES_PER_CENT) warn("tax_differs", row.number);
  const places = placesOf(row);
  if (places.some(({ country }) => countryCode(country ?? null) === UNKNOWN_COUNTRY))
    warn("country_unknown", row.number);
  const replaced = replacedTexts(document, places);
  if (replaced > 0) warn("text_replaced", row.number, replaced);
}

function placesOf({ transport }: WalkedRow): Place[] {
  if (transport === null) return [];
  const { from, to } = JSON.parse(transport) as Transport;
  return [from, to].filter((place) => place !== null);
}

/** How many of the texts that the file takes from a document, and that somebody typed, the code page cannot write. */
function replacedTexts({ row, lines, references }: WalkedDocument, places: readonly Place[]): number {
  let replaced = isReplaced(row.cancel_reason);
  for (const { description, unit, product_code, product_name } of lines) {
    replaced += isReplaced(description) + isReplaced(unit) + isReplaced(product_code) + isReplaced(product_name);
  }
  for (const { reason } of references) replaced += isReplaced(reason);
  for (const { address, city, postal_code } of places) {
    replaced += isReplaced(address) + isReplaced(city) + isReplaced(postal_code);
  }
  return replaced;
}

function isReplaced(text: string | null | undefined): 0 | 1 {
  return text == null || isInCodePage(text) ? 0 : 1;
}
