/** Shows results, as JSON or as lines for people. */
import { STANDARD_OUTPUT } from "./files.ts";
import type { Terminal } from "./terminal.ts";
import type { Texts } from "./texts/texts.ts";

/** Prints `data` as JSON, or `lines` for people. */
export function show(terminal: Terminal, json: boolean, data: unknown, lines: readonly string[]): void {
  terminal.print(json ? JSON.stringify(data, null, 2) : terminal.complete(lines.join("\n")));
}

/** Shows a report about the file `out`; on standard error if the file itself goes to standard output. */
export function showBeside(out: string, terminal: Terminal, ...report: [boolean, unknown, readonly string[]]): void {
  show(out === STANDARD_OUTPUT ? { ...terminal, print: terminal.printError } : terminal, ...report);
}

/** Aligns rows as columns, one line each: to the left, and from column `numbersFrom` on to the right. */
export function columns(rows: readonly (readonly string[])[], numbersFrom = Number.POSITIVE_INFINITY): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  return rows.map((row) =>
    row
      .map((cell, i) => (i < numbersFrom ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** How many names a sentence lists; the rest is counted. */
const NAMES = 6;

/** `FT 2026A, FS 2026A and 3 more`. */
export function listed(names: readonly string[], t: Texts): string {
  return t.listed({ names: names.slice(0, NAMES).join(", "), more: names.length - NAMES });
}

/** `812 kB`, `4.1 MB`. */
export function sizeText(bytes: number, { decimal }: Texts): string {
  const units = ["kB", "MB", "GB", "TB"];
  let size = bytes / 1000;
  while (size >= 1000 && units.length > 1) {
    size /= 1000;
    units.shift();
  }
  return `${size < 10 ? decimal({ text: size.toFixed(1) }) : Math.round(size)} ${units[0]}`;
}
