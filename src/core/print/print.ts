/** Renders a document as PDF: one complete set of pages per copy. */

import { yieldToOthers } from "../runtime/ports.ts";

import type { Lang } from "./format.ts";
import { writeHeader } from "./header.ts";
import { LABELS, titleOf } from "./labels.ts";
import { issuerName, openLayout, writePageFooters } from "./layout.ts";
import { writeLines } from "./lines.ts";
import type { Canvas } from "./pdf-canvas.ts";
import type { PrintableDocument } from "./printable.ts";
import { writeTotals } from "./totals.ts";

/** How a document is printed. */
export interface PrintOptions {
  /** Default: Portuguese. Mentions prescribed by law stay Portuguese in every language. */
  readonly lang?: Lang | undefined;
  /** The number of sets, 1 to 4: original, duplicate, triplicate, quadruplicate. Default: 1. */
  readonly copies?: number | undefined;
  /** Marks the sets as a second print, `2.ª via`. */
  readonly copy?: boolean | undefined;
}

/** The document as an A4 PDF. The same document with the same options always gives the same bytes. */
export async function printDocument(
  document: PrintableDocument,
  { lang = "pt", copies = 1, copy = false }: PrintOptions = {},
): Promise<Uint8Array> {
  const { openCanvas } = await import("./pdf-canvas.ts");
  const canvas = openCanvas({
    title: titleOf(document, lang),
    author: issuerName(document),
    lang: lang === "pt" ? "pt-PT" : "en",
    created: new Date(`${document.system_entry_date}Z`),
  });
  for (let set = 0; set < copies; set++) await writeSet(canvas, document, lang, copyLabel(lang, set, copy));
  return canvas.finish();
}

async function writeSet(canvas: Canvas, document: PrintableDocument, lang: Lang, mark: string): Promise<void> {
  const first = canvas.pageCount();
  const layout = openLayout(canvas, document, lang);
  writeHeader(layout, mark);
  await writeLines(layout);
  writeTotals(layout);
  writePageFooters(layout, first);
  canvas.flushPages();
  await yieldToOthers();
}

/** The label of a set. The first set of a second print is not labelled as the original, which exists already. */
function copyLabel(lang: Lang, set: number, copy: boolean): string {
  const { copies, second_print } = LABELS[lang];
  const name = copies[set] ?? "";
  if (!copy) return name;
  return set === 0 ? second_print : `${name} · ${second_print}`;
}
