/** The control totals of the tax file: the sums of each table's documents (Portaria 302/2016, 4.1 to 4.4). */
import { type SaftTable, TABLE_NAMES } from "../vocabulary.ts";
import { microsText } from "./amounts.ts";
import type { ExportedLine } from "./lines.ts";
import { element } from "./markup.ts";
import type { ExportedDocument } from "./types.ts";

/** The totals of one table. Amounts in millionths of a euro, quantities in millionths. */
export interface TableTotals {
  documents: number;
  cancelled: number;
  lines: number;
  debit_micros: bigint;
  credit_micros: bigint;
  quantity_micros: bigint;
}

export type ControlTotals = Readonly<Record<SaftTable, TableTotals>>;

/** Totals before any document. */
export function newTotals(): ControlTotals {
  const zero = { documents: 0, cancelled: 0, lines: 0, debit_micros: 0n, credit_micros: 0n, quantity_micros: 0n };
  return Object.fromEntries(TABLE_NAMES.map((table) => [table, { ...zero }])) as Record<SaftTable, TableTotals>;
}

/** Adds a document. Cancelled ones count as documents and lines, but their amounts and quantities do not. */
export function addToTotals(
  totals: TableTotals,
  { row, lines }: ExportedDocument,
  exported: readonly ExportedLine[],
): void {
  totals.documents++;
  totals.lines += exported.length;
  if (row.status === "cancelled") {
    totals.cancelled++;
    return;
  }
  for (const { side, amount_micros } of exported) {
    if (side === "debit") totals.debit_micros += amount_micros;
    else totals.credit_micros += amount_micros;
  }
  for (const { qty_micros } of lines) totals.quantity_micros += BigInt(qty_micros);
}

/** The elements with which a table begins. */
export function totalsXml(table: SaftTable, totals: TableTotals): string {
  if (table === "MovementOfGoods") {
    return (
      element("NumberOfMovementLines", totals.lines) +
      element("TotalQuantityIssued", microsText(totals.quantity_micros))
    );
  }
  return (
    element("NumberOfEntries", totals.documents) +
    element("TotalDebit", microsText(totals.debit_micros)) +
    element("TotalCredit", microsText(totals.credit_micros))
  );
}
