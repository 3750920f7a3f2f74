/** Renders a document as PDF: one complete set of pages per copy. */

import { toCents } from "../fiscal/money.ts";
import { yieldToOthers } from "../runtime/ports.ts";
import type { Lang } from "../texts/languages.ts";
import type { Steps } from "./canvas.ts";
import { issuerName } from "./facts.ts";
import { writeHeader } from "./header.ts";
import { LABELS, type Labels, titleOf } from "./labels.ts";
import { closeLayout, copyLayer, footerLayer, type Layout, openLayout } from "./layout.ts";
import { writeLines } from "./lines.ts";
import { A4, type Copy, type Paper } from "./paper.ts";
import type { PrintableDocument } from "./printable.ts";
import { writeReceipt } from "./receipt.ts";
import { writeTotals } from "./totals.ts";

/** How a document is printed. */
export interface PrintOptions {
  /** Default: A4. */
  readonly paper?: Paper | undefined;
  /** Default: Portuguese. Mentions prescribed by law stay Portuguese in every language. */
  readonly lang?: Lang | undefined;
  /** The number of sets, 1 to 4: original, duplicate, triplicate, quadruplicate. Default: 1. */
  readonly copies?: number | undefined;
  /** Marks the sets as a second print, `2.ª via`. */
  readonly copy?: boolean | undefined;
  /** The cash handed over, in EUR, at least the amount paid in cash: printed with the change. */
  readonly cash_given?: number | undefined;
  /** Ends the work: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The document as a PDF. The same document with the same options always gives the same bytes. Other work gets turns
 * while it is drawn; only the page being drawn and the finished part of the file are in memory.
 */
export async function printDocument(
  document: PrintableDocument,
  { paper = "A4", lang = "pt", copies = 1, copy = false, cash_given, signal }: PrintOptions = {},
): Promise<Uint8Array> {
  const { openCanvas, preparePicture } = await import("./pdf-canvas.ts");
  const logo = document.logo && !document.training ? await preparePicture(document.logo) : undefined;
  const canvas = openCanvas({
    title: titleOf(document, lang),
    author: issuerName(document),
    lang: lang === "pt" ? "pt-PT" : "en",
    created: new Date(document.issued_at),
  });
  const turn = async () => {
    await yieldToOthers();
    signal?.throwIfAborted();
  };
  const cash_given_cents = cash_given === undefined ? null : toCents(cash_given);
  const told = { document, cash_given_cents, lang, labels: LABELS[lang] };
  const sets = Array.from({ length: copies }, (_, set) => ({
    name: copyName(told.labels, set, copy),
    mention: document.transport !== null && set >= VALID_SETS ? told.labels.beyond_three : null,
  }));
  const steps =
    paper === "A4" ? writePages(openLayout(canvas, told, logo), sets) : writeReceipt(canvas, told, logo, sets);
  for (const _ of steps) await turn();
  return canvas.finish(turn);
}

/** Draws every page once, and adds the sheets of each copy. */
function* writePages(layout: Layout, sets: readonly Copy[]): Steps {
  const { canvas, pages } = layout;
  yield* writeHeader(layout);
  yield* writeLines(layout);
  yield* writeTotals(layout);
  closeLayout(layout);
  const footers = [];
  for (const index of pages.keys()) {
    footers.push(footerLayer(layout, index + 1));
    yield;
  }
  for (const set of sets) {
    const label = copyLayer(layout, set);
    for (const [index, page] of pages.entries()) {
      canvas.addSheet([page, footers[index] as typeof page, label], A4);
      if (index % 100 === 0) yield;
    }
  }
}

/** Goods travel with the original, the duplicate and the triplicate (Decreto-Lei 147/2003, article 6). */
const VALID_SETS = 3;

/** The name of a set. The first set of a second print is not called the original, which exists already. */
function copyName({ second_print, ...labels }: Labels, set: number, copy: boolean): string {
  const { original, duplicate, triplicate, quadruplicate } = labels;
  const name = [original, duplicate, triplicate, quadruplicate][set] ?? "";
  if (!copy) return name;
  return set === 0 ? second_print : `${name} · ${second_print}`;
}
