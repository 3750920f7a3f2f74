/**
 * Checks documents in their series: one type per internal code, no gaps, dates in order; receipts name such documents.
 */
import { elementAt, type SaftElement, textAt } from "../read.ts";
import { type DocumentTable, TABLES } from "../vocabulary.ts";
import type { Findings } from "./findings.ts";
import { type SequenceSet, sequenceSet } from "./sequences.ts";

/** A document with its number taken apart: `1T A/00007` has the code `1T`, the series `1T A`, the sequence 7. */
export interface SeriesDocument {
  readonly element: SaftElement;
  readonly table: DocumentTable;
  readonly number: string;
  readonly code: string;
  readonly series: string;
  readonly sequence: bigint;
  readonly date: string;
  readonly entry: string;
  readonly hash: string;
  /** Copied from another program: its series may have gaps. */
  readonly is_integrated: boolean;
}

/** The part of the previous document that a check needs. */
export type PreviousDocument = Omit<SeriesDocument, "element" | "table">;

interface Series {
  readonly seen: SequenceSet;
  /** The sequence from which its documents bear each date, ascending: dates repeat far more often than they change. */
  readonly days: { readonly from: bigint; readonly date: string }[];
  readonly first: bigint;
  /** The document with the highest number, without its element: a file may have as many series as documents. */
  last: PreviousDocument;
}

/** Checks on documents and on what receipts say of them, in the order of the file. */
export interface SeriesCheck {
  document(element: SaftElement, table: DocumentTable): void;
  /** A line of a receipt; invoices come before receipts in the file. */
  receiptLine(line: SaftElement): void;
}

/** Called for each document, with the document just before it in its series if the file has that. */
export type OnDocument = (document: SeriesDocument, previous: PreviousDocument | undefined) => void;

/**
 * Makes a check of documents, one by one in the order of the file; those with a valid number go to `onDocument`. Its
 * memory grows with the series and their days, not with the documents.
 */
export function seriesCheck(errors: Findings, onDocument: OnDocument): SeriesCheck {
  const types = new Map<string, string>();
  const all = new Map<string, Series>();

  return {
    document(element, table) {
      const document = documentOf(element, table);
      if (!document) return;
      checkCode(document, types, errors);

      const key = `${table.document} ${document.series}`;
      const known = all.get(key);
      const { element: _, table: __, ...kept } = document;
      const series = known ?? { seen: sequenceSet(), days: [], first: document.sequence, last: kept };
      if (known) checkOrder(document, series, errors);
      else all.set(key, series);
      onDocument(document, series.last.sequence + 1n === document.sequence ? series.last : undefined);
      series.seen.add(document.sequence);
      if (document.sequence > series.last.sequence) series.last = kept;
      const { date, sequence } = document;
      if (date > (series.days.at(-1)?.date ?? "")) series.days.push({ from: sequence, date });
    },
    receiptLine(line) {
      for (const settled of line.children.filter(({ name }) => name === "SourceDocumentID")) {
        const [, name, , digits] = NUMBER.exec(textAt(settled, "OriginatingON") ?? "") ?? [];
        const series = all.get(`${TABLES.SalesInvoices.document} ${name}`);
        if (series && digits !== undefined) checkSettled(settled, BigInt(digits), series, errors);
      }
    },
  };
}

/** Its series, its code, and its sequence. */
const NUMBER = /^(([^ ]+) [^/^ ]+)\/([0-9]{1,60})$/;

function documentOf(element: SaftElement, table: DocumentTable): SeriesDocument | undefined {
  const match = NUMBER.exec(textAt(element, table.number) ?? "");
  if (!match) return undefined;
  const [number, series = "", code = "", digits = ""] = match;
  return {
    element,
    table,
    number,
    code,
    series,
    sequence: BigInt(digits),
    date: textAt(element, table.date) ?? "",
    entry: textAt(element, "SystemEntryDate") ?? "",
    hash: textAt(element, "Hash") ?? "",
    is_integrated: textAt(element, `DocumentStatus/${table.source}`) === "I",
  };
}

function checkCode({ element, table, code }: SeriesDocument, types: Map<string, string>, errors: Findings): void {
  const type = textAt(element, table.type) ?? "";
  const known = types.get(code) ?? type;
  types.set(code, known);
  if (known === type) return;
  const reason = `The internal code ${code} is used for ${known} and for ${type}; a code has only one type.`;
  errors.at(elementAt(element, table.type) ?? element, "internal_code", reason);
}

function checkOrder(document: SeriesDocument, { last, seen }: Series, errors: Findings): void {
  const { element, table, number, series, sequence, date, entry } = document;
  const expected = last.sequence + 1n;
  const field = (name: string) => elementAt(element, name) ?? element;
  if (sequence < expected) {
    const isRepeated = seen.has(sequence);
    const reason = isRepeated ? `${number} is repeated.` : `${number} comes after ${last.number}.`;
    errors.at(field(table.number), isRepeated ? "key" : "sequence", reason);
    return;
  }
  if (sequence > expected && !document.is_integrated) {
    const missing =
      sequence - expected === 1n
        ? `${series}/${expected} is`
        : `${series}/${expected} to ${series}/${sequence - 1n} are`;
    errors.at(field(table.number), "sequence", `${missing} missing between ${last.number} and ${number}.`);
  }
  if (date < last.date) {
    const reason = `${number} is dated ${date}, before ${last.date}, the date of ${last.number}.`;
    errors.at(field(table.date), "date", reason);
  }
  if (entry < last.entry) {
    const reason = `${number} was entered at ${entry}, before ${last.entry}, the entry time of ${last.number}.`;
    errors.at(field("SystemEntryDate"), "date", reason);
  }
}

/**
 * A settled document of a series of this file is in the file, unless it is older; and it has the date the receipt says.
 */
function checkSettled(settled: SaftElement, sequence: bigint, series: Series, errors: Findings): void {
  if (sequence < series.first || series.last.is_integrated) return;
  const [number, date] = ["OriginatingON", "InvoiceDate"].map((name) => elementAt(settled, name));
  if (number && !series.seen.has(sequence)) {
    errors.at(
      number,
      "reference",
      `OriginatingON is ${number.text}, but the file has no such document in that series.`,
    );
    return;
  }
  const dated = series.days.findLast(({ from }) => from <= sequence)?.date;
  if (!number || !date || dated === undefined || date.text === dated) return;
  errors.at(date, "date", `InvoiceDate is ${date.text}, but ${number.text} is dated ${dated}.`);
}
