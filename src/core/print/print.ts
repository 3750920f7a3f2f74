/** A document to its PDF: one set of pages for each copy, each set complete in itself. */
import { giveWay } from "../runtime/ports.ts";
import type { Paper } from "./canvas.ts";
import type { Lang } from "./format.ts";
import { writeOpening } from "./header.ts";
import { TEXTS, titleOf } from "./labels.ts";
import { issuerName, openSheet, writeFeet } from "./layout.ts";
import { writeLines } from "./lines.ts";
import type { PrintableDocument } from "./printable.ts";
import { writeClosing } from "./totals.ts";

/** How a document is printed. */
export interface PrintOptions {
  /** Portuguese when left out. What the law words itself stays Portuguese. */
  readonly lang?: Lang | undefined;
  /** How many sets, one to four: original, duplicate, triplicate, quadruplicate. One when left out. */
  readonly copies?: number | undefined;
  /** Marks a second print: `2.ª via`. */
  readonly copy?: boolean | undefined;
}

/** The PDF of a document, A4. The same document printed the same way is the same bytes. */
export async function printDocument(
  document: PrintableDocument,
  { lang = "pt", copies = 1, copy = false }: PrintOptions = {},
): Promise<Uint8Array> {
  const { openPaper } = await import("./pdf-canvas.ts");
  const paper = openPaper({
    title: titleOf(document, lang),
    author: issuerName(document),
    lang: lang === "pt" ? "pt-PT" : "en",
    created: new Date(`${document.system_entry_date}Z`),
  });
  for (let set = 0; set < copies; set++) await writeSet(paper, document, lang, copyMark(lang, set, copy));
  return paper.finish();
}

async function writeSet(paper: Paper, document: PrintableDocument, lang: Lang, mark: string): Promise<void> {
  const first = paper.pages();
  const sheet = openSheet(paper, document, lang);
  writeOpening(sheet, mark);
  await writeLines(sheet);
  writeClosing(sheet);
  writeFeet(sheet, first);
  paper.closePages();
  await giveWay();
}

/** Which of the sets this is. A lone second print is that and nothing else: the original is elsewhere. */
function copyMark(lang: Lang, set: number, copy: boolean): string {
  const { copies, second } = TEXTS[lang];
  const name = copies[set] ?? "";
  if (!copy) return name;
  return set === 0 ? second : `${name} · ${second}`;
}
