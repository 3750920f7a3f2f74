/** Tables as files for a spreadsheet. */
import { typedMoney } from "../words/decimals.ts";

/** A cell: words, an amount in euros, or nothing. */
export type Cell = string | number | null;

/** The characters with which a spreadsheet formula can begin. */
const FORMULA = /^[=+\-@\t\r]/;

function written(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return typedMoney(cell);
  const harmless = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[";\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * A file that spreadsheets open directly: UTF-8 with a byte order mark, columns separated by semicolons, amounts as
 * written in the page's language. Words that would run as a formula begin with an apostrophe.
 */
export function csvOf(rows: readonly (readonly Cell[])[]): Blob {
  const lines = rows.map((row) => `${row.map(written).join(";")}\r\n`);
  return new Blob(["\ufeff", ...lines], { type: "text/csv;charset=utf-8" });
}
