/** Lists as tables; on a narrow screen each row becomes a card that names its cells. */
import type { ComponentChildren } from "preact";
import { texts } from "../words/texts.ts";

const t = texts({
  of: ["{from}–{to} de {total}", "{from}–{to} of {total}"],
  previous: ["Anteriores", "Previous"],
  next: ["Seguintes", "Next"],
  pages: ["Páginas", "Pages"],
});

/** A column: its heading, and the cell of a row. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the right, the buttons of a row at the end; the first column names the row. */
  readonly kind?: "number" | "actions";
}

export interface TableProps<Row> {
  /** The title of the table, for people who cannot see it. */
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly class?: string;
}

/** A table. */
export function Table<Row>({ title: caption, columns, rows, keyOf, class: name = "" }: TableProps<Row>) {
  return (
    <div class={`listing ${name}`}>
      <table class="list">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" class={kind}>
                {kind === "actions" ? <span class="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, kind }, index) =>
                index === 0 ? (
                  <th key={title} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} class={kind} data-label={kind === "actions" ? undefined : title}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PagerProps {
  readonly pagination: { readonly limit: number; readonly offset: number; readonly total: number };
  readonly onMove: (offset: number) => void;
}

/** Moves between the pages of a list; nothing if all of it is shown. */
export function Pager({ pagination: { limit, offset, total }, onMove }: PagerProps) {
  if (total <= limit && offset === 0) return null;
  return (
    <nav class="pager" aria-label={t.pages}>
      <button type="button" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - limit))}>
        ← {t.previous}
      </button>
      <span>{t.of({ from: Math.min(offset + 1, total), to: Math.min(offset + limit, total), total })}</span>
      <button type="button" disabled={offset + limit >= total} onClick={() => onMove(offset + limit)}>
        {t.next} →
      </button>
    </nav>
  );
}
