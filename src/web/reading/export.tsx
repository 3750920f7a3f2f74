/** Saves all pages of a list as a spreadsheet file. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Page } from "../../core/runtime/page.ts";
import { Button } from "../button.tsx";
import { todayHere } from "../clock.ts";
import { Problem } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { search } from "../router.ts";
import { texts } from "../words/texts.ts";
import { type Cell, csvOf } from "./csv.ts";
import { saveFile } from "./files.ts";
import type { Asked } from "./list.tsx";
import { type Resource, sentenceOf } from "./resource.tsx";

const t = texts({
  export: ["Exportar CSV", "Export CSV"],
  exporting: ["A exportar… {done} de {total}", "Exporting… {done} of {total}"],
  stop: ["Parar", "Stop"],
});

/** The server's largest page. */
const LIMIT = 200;
/** The most rows of one file: fifty pages of the largest size, which stay within the limit of requests. */
const MAX_ROWS = 10_000;

/** A column of the file: its heading, and the cell of a row. */
export type ExportColumn<Row> = readonly [title: string, cell: (row: Row) => Cell];

interface ExportProps<Row> {
  /** The shown list. */
  readonly from: Resource<Page<Row>>;
  /** Reads any page of the same list; its filters do not change with the address. */
  readonly read: (page: Asked, signal: AbortSignal) => Promise<Page<Row>>;
  readonly columns: readonly ExportColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly words: {
    /** The name of the file, before its days. */
    readonly file: string;
    readonly exported: (values: { readonly count: number }) => string;
    readonly too_many: (values: { readonly total: number; readonly most: number }) => string;
  };
}

/** The button that saves a list, with its progress. Nothing for an empty list. */
export function Export<Row>({ from, read, columns, keyOf, words }: ExportProps<Row>) {
  const progress = useSignal<{ readonly done: number; readonly total: number } | undefined>(undefined);
  const problem = useSignal("");
  const ends = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ends.current?.abort(), []);
  const listed = from.state.value.value?.pagination.total ?? 0;

  /** All rows, page by page. A row that moves to the next page meanwhile is taken once. */
  const all = async (signal: AbortSignal) => {
    const found = new Map<string, Row>();
    for (let offset = 0, total = listed; offset < total && offset < MAX_ROWS; offset += LIMIT) {
      progress.value = { done: offset, total };
      const page = await read({ limit: LIMIT, offset }, signal);
      total = page.pagination.total;
      for (const row of page.data) found.set(keyOf(row), row);
    }
    return [...found.values()];
  };
  const run = async () => {
    problem.value = listed > MAX_ROWS ? words.too_many({ total: listed, most: MAX_ROWS }) : "";
    if (problem.value || progress.value) return;
    const days = periodShown() ?? todayHere();
    const end = new AbortController();
    ends.current = end;
    try {
      const rows = await all(end.signal);
      const cells = rows.map((row) => columns.map(([, cell]) => cell(row)));
      saveFile({ name: `${words.file}-${days}.csv`, blob: csvOf([columns.map(([title]) => title), ...cells]) });
      announce(words.exported({ count: rows.length }));
    } catch (error) {
      if (!end.signal.aborted) problem.value = sentenceOf(error);
    } finally {
      progress.value = undefined;
    }
  };
  if (listed === 0 && !progress.value) return null;
  return (
    <div class="export">
      {progress.value ? (
        <>
          <progress max={progress.value.total} value={progress.value.done} aria-label={t.export} />
          <span role="status">{t.exporting(progress.value)}</span>
          <Button label={t.stop} onClick={() => ends.current?.abort()} />
        </>
      ) : (
        <Button label={t.export} onClick={run} />
      )}
      <Problem>{problem.value}</Problem>
    </div>
  );
}

/** The first and the last listed day, for the name of the file; undefined if either is open. */
function periodShown(): string | undefined {
  const [from, to] = ["from", "to"].map((name) => search.peek().get(name));
  return from && to ? `${from}-${to}` : undefined;
}
