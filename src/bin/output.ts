/** Shows results, as JSON or as lines for people. */
import type { Terminal } from "./terminal.ts";

/** Prints `data` as JSON, or `lines` for people. */
export function show(terminal: Terminal, json: boolean, data: unknown, lines: readonly string[]): void {
  terminal.print(json ? JSON.stringify(data, null, 2) : lines.join("\n"));
}

/** Aligns rows as left-aligned columns, one line each. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** `1 document`, `2 documents`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
