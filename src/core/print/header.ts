/** Everything above the lines: issuer, title, customer, dates, transport and referenced documents. */
import { type Align, lineHeight, type Steps, type Style } from "./canvas.ts";
import {
  cancellation,
  customerLines,
  customerName,
  dateRows,
  issuerLines,
  issuerName,
  referenceItems,
  referencesLabel,
  transportRows,
} from "./facts.ts";
import { typeName } from "./labels.ts";
import { type Layout, LEFT, PALE, RIGHT, STYLES, TOP, WIDTH, writeItem, writeParagraph, writeText } from "./layout.ts";
import { isInvoice, isRehearsal } from "./traits.ts";

const COLUMN_GAP = 24;
const HALF = (WIDTH - COLUMN_GAP) / 2;

/** Writes everything above the lines. */
export function* writeHeader(layout: Layout): Steps {
  const { document } = layout;
  layout.y = TOP + Math.max(writeIssuer(layout), lineHeight(STYLES.strong) + writeTitle(layout)) + 22;
  layout.canvas.rule(LEFT, layout.y, WIDTH, PALE, 0.6);
  layout.y += 12;
  layout.y += Math.max(writeCustomer(layout), writeDates(layout)) + 20;
  if (document.transport) writeTransport(layout);
  if (document.references.length > 0) yield* writeReferences(layout);
}

/** Writes texts one below the other, skipping the empty ones. Returns the height they take. */
function writeColumn(layout: Layout, x: number, top: number, width: number, entries: readonly Entry[]): number {
  let y = top;
  for (const { text, style = STYLES.text, align = "left" } of entries) {
    if (text) y += writeText(layout, { text, x, y, width, style, align });
  }
  return y - top;
}

interface Entry {
  readonly text: string | null;
  readonly style?: Style;
  readonly align?: Align;
}

function writeIssuer(layout: Layout): number {
  const { document, canvas, logo } = layout;
  const above = logo ? canvas.picture(logo, LEFT, TOP, 170, 54) + 10 : 0;
  return (
    above +
    writeColumn(layout, LEFT, TOP + above, HALF, [
      { text: issuerName(document), style: STYLES.name },
      ...issuerLines(layout).map((text) => ({ text, style: STYLES.quiet })),
    ])
  );
}

/** Writes the title below the line that names the copy. */
function writeTitle(layout: Layout): number {
  const { document, labels, lang } = layout;
  return writeColumn(layout, RIGHT - HALF, TOP + lineHeight(STYLES.strong), HALF, [
    { text: typeName(document.doc_type, lang), style: STYLES.title, align: "right" },
    { text: document.number, style: STYLES.number, align: "right" },
    { text: isInvoice(document) ? null : labels.no_invoice, style: STYLES.mention, align: "right" },
    { text: isRehearsal(document) ? labels.rehearsal : null, style: STYLES.alarm, align: "right" },
    { text: document.training ? labels.training : null, style: STYLES.alarm, align: "right" },
    { text: cancellation(layout), style: STYLES.alarm, align: "right" },
  ]);
}

function writeCustomer(layout: Layout): number {
  const { labels } = layout;
  return writeColumn(layout, LEFT, layout.y, HALF, [
    { text: labels.customer, style: STYLES.label },
    { text: customerName(layout), style: STYLES.name },
    ...customerLines(layout).map((text) => ({ text })),
  ]);
}

function writeDates(layout: Layout): number {
  let y = layout.y + 11;
  for (const [label, value] of dateRows(layout, false)) {
    const row = { x: RIGHT - HALF + 40, y, width: HALF - 40 };
    writeText(layout, { ...row, text: label, style: STYLES.quiet });
    const narrow = { ...row, x: row.x + 90, width: row.width - 90 };
    y += writeText(layout, { ...narrow, text: value, style: STYLES.text, align: "right" }) + 2.5;
  }
  return y - layout.y;
}

function writeTransport(layout: Layout): void {
  const { canvas } = layout;
  const given = transportRows(layout);
  const places = 0.27 * WIDTH;
  const times = (WIDTH - 2 * places) / (given.length - 2);
  canvas.rule(LEFT, layout.y, WIDTH, PALE, 0.6);
  layout.y += 9;
  let x = LEFT;
  let height = 0;
  given.forEach(([label, text], index) => {
    const width = index < 2 ? places : times;
    const entries = [{ text: label, style: STYLES.label }, { text }];
    height = Math.max(height, writeColumn(layout, x, layout.y, width - 12, entries));
    x += width;
  });
  layout.y += height + 16;
}

function* writeReferences(layout: Layout): Steps {
  layout.canvas.rule(LEFT, layout.y, WIDTH, PALE, 0.6);
  layout.y += 9;
  writeParagraph(layout, referencesLabel(layout), STYLES.label);
  for (const { text, cents } of referenceItems(layout)) {
    writeItem(layout, text, cents);
    yield;
  }
  layout.y += 14;
}
