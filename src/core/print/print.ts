/** Renders papers as PDF: of a document, one complete set of pages per copy. */

import type { Instant } from "../fiscal/civil-time.ts";
import { toCents } from "../fiscal/money.ts";
import { yieldToOthers } from "../runtime/ports.ts";
import type { Lang } from "../texts/languages.ts";
import type { Steps } from "./canvas.ts";
import { issuerName } from "./facts.ts";
import type { Framed } from "./frame.ts";
import { writeHeader } from "./header.ts";
import { LABELS, type Labels, titleOf } from "./labels.ts";
import { addPages, type Layout, openLayout } from "./layout.ts";
import { writeLines } from "./lines.ts";
import type { Copy, Paper } from "./paper.ts";
import type { Canvas, PreparedPicture } from "./pdf-canvas.ts";
import type { PrintableDocument, PrintableStatement, PrintableTakings, PrintedNow } from "./printable.ts";
import { writeReceipt } from "./receipt.ts";
import { statementIn, writeStatement } from "./statement.ts";
import { takingsIn, writeTakings } from "./takings.ts";
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
  const cash_given_cents = cash_given === undefined ? null : toCents(cash_given);
  const told = { document, cash_given_cents, lang, labels: LABELS[lang] };
  const sets = Array.from({ length: copies }, (_, set) => ({
    name: copyName(told.labels, set, copy),
    mention: document.transport !== null && set >= VALID_SETS ? told.labels.beyond_three : null,
  }));
  const info = {
    title: titleOf(document, lang),
    author: issuerName(document),
    created: document.issued_at,
    lang,
    logo: document.training ? null : document.logo,
  };
  return drawn(info, signal, (canvas, logo) =>
    paper === "A4" ? writePages(openLayout(canvas, told, logo), sets) : writeReceipt(canvas, told, logo, sets),
  );
}

/** A customer's statement as a PDF on A4. */
export function printStatement(statement: PrintableStatement, lang: Lang, signal?: AbortSignal): Promise<Uint8Array> {
  const paper = statementIn(statement, lang);
  return drawn(infoOf(paper, statement), signal, (canvas, logo) => writeStatement(canvas, paper, logo));
}

/** The takings of a day as a PDF on a roll of 80 mm. */
export function printTakings(takings: PrintableTakings, lang: Lang, signal?: AbortSignal): Promise<Uint8Array> {
  const paper = takingsIn(takings, lang);
  return drawn(infoOf(paper, takings), signal, (canvas, logo) => writeTakings(canvas, paper, logo));
}

/** What a file says of itself, and the logo that is drawn on it. */
interface Info {
  readonly title: string;
  readonly author: string;
  readonly created: Instant;
  readonly lang: Lang;
  readonly logo: Uint8Array | null;
}

const infoOf = ({ frame, lang }: Framed, { company, printed_at }: PrintedNow): Info => ({
  ...{ title: frame.title, author: frame.issuer, created: printed_at, lang, logo: company.logo },
});

/** Draws a paper in steps; other work gets a turn after each. */
async function drawn(
  { title, author, created, lang, logo }: Info,
  signal: AbortSignal | undefined,
  write: (canvas: Canvas, logo: PreparedPicture | undefined) => Steps,
): Promise<Uint8Array> {
  const { openCanvas, preparePicture } = await import("./pdf-canvas.ts");
  const picture = logo ? await preparePicture(logo) : undefined;
  const canvas = openCanvas({ title, author, lang: lang === "pt" ? "pt-PT" : "en", created: new Date(created) });
  const turn = async () => {
    await yieldToOthers();
    signal?.throwIfAborted();
  };
  for (const _ of write(canvas, picture)) await turn();
  return canvas.finish(turn);
}

/** Draws a document on A4. */
function* writePages(layout: Layout, sets: readonly Copy[]): Steps {
  yield* writeHeader(layout);
  yield* writeLines(layout);
  yield* writeTotals(layout);
  yield* addPages(layout, sets);
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
