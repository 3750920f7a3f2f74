/** The types that the files of an export share. This file imports none of them. */

import type { Row } from "../../database/tables.ts";
import type { IssuedRow } from "../../documents/frozen.ts";
import type { DocumentParts } from "../../documents/parts.ts";
import type { EntryTime } from "../../fiscal/civil-time.ts";

/** A reference, with the number, date and type of the document it names. */
export interface ReferencedDocument extends Pick<Row<"documents">, "doc_type" | "issue_date" | "supply_date"> {
  readonly referenced_id: string;
  readonly number: string;
  /** Null where only a line's description names the document. */
  readonly amount_cents: number | null;
  readonly reason: string | null;
}

/** An issued document with its parts. */
export interface ExportedDocument {
  /** Its position among all documents of the file, from 0. */
  readonly position: number;
  readonly row: IssuedRow;
  /** The tax authority's code of its series: `FT`, `RG`. */
  readonly at_type: string;
  readonly lines: DocumentParts["lines"];
  readonly references: readonly ReferencedDocument[];
  readonly payments: DocumentParts["payments"];
}

/** The documents of one series whose sequence is at least `first` and less than `end`. */
export interface SeriesRange {
  readonly series: Row<"series">;
  readonly first: number;
  readonly end: number;
  /** How many documents the ranges before this one hold. */
  readonly before: number;
}

/** The fields of a line that describe its product. */
export type ProductLine = Pick<Row<"document_lines">, "description" | "product_code" | "product_name" | "product_type">;

/** One line of the document at a position of the file. */
export interface LinePosition {
  readonly position: number;
  readonly line_number: number;
}

/** Reads again the documents from which the entries of the master files are written. */
export interface EntryReader {
  /** The customers' snapshots (JSON) of the documents at these positions, in the same order. */
  customers(positions: readonly number[]): Promise<string[]>;
  /** The lines at these positions, in the same order. */
  lines(positions: readonly LinePosition[]): Promise<ProductLine[]>;
}

/** An invoice that references a document, and so bills it. */
export interface Billing {
  readonly billed_id: string;
  readonly series_id: string;
  readonly sequence: number;
  readonly is_cancelled: boolean;
  readonly system_entry_date: EntryTime;
  readonly issued_by: string;
}
