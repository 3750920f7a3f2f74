/** Everything above the lines: issuer, title, customer, dates, transport and referenced documents. */
import { type Align, lineHeight, type Steps, type Style } from "./canvas.ts";
import {
  cancellation,
  customerLines,
  customerName,
  dateRows,
  issuerLines,
  type LabelledText,
  referenceItems,
  referencesLabel,
  transportRows,
} from "./facts.ts";
import { typeName } from "./labels.ts";
import {
  type Layout,
  LEFT,
  PALE,
  type Pages,
  RIGHT,
  STYLES,
  TOP,
  WIDTH,
  writeItem,
  writeParagraph,
  writeText,
} from "./layout.ts";

const COLUMN_GAP = 24;
const HALF = (WIDTH - COLUMN_GAP) / 2;

/** Who a paper is from and to, and its title and dates. */
export interface Heading {
  readonly issuer: readonly string[];
  readonly title: readonly Entry[];
  readonly customer: { readonly name: string | null; readonly lines: readonly string[] };
  readonly dates: readonly LabelledText[];
}

/** Writes everything above the lines of a document. */
export function* writeHeader(layout: Layout): Steps {
  const { document } = layout;
  writeHeading(layout, {
    issuer: issuerLines(layout),
    title: titleEntries(layout),
    customer: { name: customerName(document.customer), lines: customerLines(document.customer, layout) },
    dates: dateRows(layout, false),
  });
  if (document.transport) writeTransport(layout);
  if (document.references.length > 0) yield* writeReferences(layout);
}

/** Writes the head of a paper: the issuer beside the title, and below them the customer beside the dates. */
export function writeHeading(layout: Pages, { issuer, title, customer, dates }: Heading): void {
  const top = lineHeight(STYLES.strong);
  const left = writeIssuer(layout, issuer);
  layout.y = TOP + Math.max(left, top + writeColumn(layout, RIGHT - HALF, TOP + top, HALF, title)) + 22;
  layout.canvas.rule(LEFT, layout.y, WIDTH, PALE, 0.6);
  layout.y += 12;
  layout.y += Math.max(writeCustomer(layout, customer), writeDates(layout, dates)) + 20;
}

/** Writes texts one below the other, skipping the empty ones. Returns the height they take. */
function writeColumn(layout: Pages, x: number, top: number, width: number, entries: readonly Entry[]): number {
  let y = top;
  for (const { text, style = STYLES.text, align = "left" } of entries) {
    if (text) y += writeText(layout, { text, x, y, width, style, align });
  }
  return y - top;
}

/** A text of a column; an empty one is left out. */
export interface Entry {
  readonly text: string | null;
  readonly style?: Style;
  readonly align?: Align;
}

function writeIssuer(layout: Pages, lines: readonly string[]): number {
  const { frame, canvas, logo } = layout;
  const above = logo ? canvas.picture(logo, LEFT, TOP, 170, 54) + 10 : 0;
  return (
    above +
    writeColumn(layout, LEFT, TOP + above, HALF, [
      { text: frame.issuer, style: STYLES.name },
      ...lines.map((text) => ({ text, style: STYLES.quiet })),
    ])
  );
}

/** The title, which stands below the line that names the copy. */
function titleEntries(layout: Layout): Entry[] {
  const { document, frame, lang } = layout;
  return [
    { text: typeName(document.doc_type, lang), style: STYLES.title, align: "right" },
    { text: document.number, style: STYLES.number, align: "right" },
    { text: frame.mention, style: STYLES.mention, align: "right" },
    ...[...frame.alarms, cancellation(layout)].map((text): Entry => ({ text, style: STYLES.alarm, align: "right" })),
  ];
}

function writeCustomer(layout: Pages, { name, lines }: Heading["customer"]): number {
  return writeColumn(layout, LEFT, layout.y, HALF, [
    { text: layout.labels.customer, style: STYLES.label },
    { text: name, style: STYLES.name },
    ...lines.map((text) => ({ text })),
  ]);
}

function writeDates(layout: Pages, dates: readonly LabelledText[]): number {
  let y = layout.y + 11;
  for (const [label, value] of dates) {
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
