/** How results are shown: JSON where it was asked for, else lines for people. */
import type { Shell } from "./terminal.ts";

/** Prints `data` as JSON, or the lines that say the same to a person. */
export function show(shell: Shell, json: boolean, data: unknown, lines: readonly string[]): void {
  shell.print(json ? JSON.stringify(data, null, 2) : lines.join("\n"));
}

/** Rows as left-aligned columns. */
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
