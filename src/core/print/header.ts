/** Everything above the lines: issuer, title, customer, dates, transport and referenced documents. */
import { DOCUMENT_TYPES, isReceipt } from "../fiscal/document-types.ts";
import { FINAL_CONSUMER, FINAL_CONSUMER_NAME } from "../fiscal/tax-id.ts";
import type { Align, Style } from "./canvas.ts";
import { date, dateTime } from "./format.ts";
import { typeName } from "./labels.ts";
import {
  cancellation,
  issuerName,
  type Layout,
  LEFT,
  lineHeight,
  PALE,
  RIGHT,
  STYLES,
  type Steps,
  TOP,
  WIDTH,
  writeItem,
  writeParagraph,
  writeText,
} from "./layout.ts";
import type { PrintableAddress, PrintableDocument } from "./printable.ts";
import { isDelivery, isInvoice } from "./traits.ts";

const COLUMN_GAP = 24;
const HALF = (WIDTH - COLUMN_GAP) / 2;

/** Writes everything above the lines. */
export function* writeHeader(layout: Layout): Steps {
  const { document } = layout;
  layout.y = TOP + Math.max(writeIssuer(layout), lineHeight(STYLES.strong) + writeTitle(layout)) + 22;
  layout.canvas.rule(LEFT, layout.y, WIDTH, PALE, 0.6);
  layout.y += 12;
  layout.y += Math.max(writeCustomer(layout), writeDates(layout)) + 20;
  if (document.transport) writeTransport(layout, document.transport);
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
  const { document, labels, canvas, logo } = layout;
  const { training, issuer, producer } = document;
  const above = logo ? canvas.picture(logo, LEFT, TOP, 170, 54) + 10 : 0;
  const { tax_id } = training ? producer : issuer;
  const address = training ? [] : addressLines(issuer);
  return (
    above +
    writeColumn(layout, LEFT, TOP + above, HALF, [
      { text: issuerName(document), style: STYLES.name },
      ...address.map((text) => ({ text, style: STYLES.quiet })),
      { text: `${labels.tax_id} ${tax_id}`, style: STYLES.quiet },
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
    { text: document.training ? labels.training : null, style: STYLES.alarm, align: "right" },
    { text: document.status === "cancelled" ? cancellation(layout) : null, style: STYLES.alarm, align: "right" },
  ]);
}

function writeCustomer(layout: Layout): number {
  const { document, labels } = layout;
  const { customer } = document;
  const isNamed = customer.name.toLowerCase() !== FINAL_CONSUMER_NAME.toLowerCase();
  const unknown = isNamed ? FINAL_CONSUMER_NAME : STRUCK_OUT;
  return writeColumn(layout, LEFT, layout.y, HALF, [
    { text: labels.customer, style: STYLES.label },
    { text: customer.name, style: STYLES.name },
    ...addressLines(customer).map((text) => ({ text })),
    { text: `${labels.tax_id} ${isKnown(customer.tax_id) ? customer.tax_id : unknown}` },
  ]);
}

/** Stands for the tax number of a customer without one whose name says the rest (Despacho 8632/2014, 2.2.5). */
const STRUCK_OUT = "———";

const isKnown = (tax_id: string | null) => tax_id !== null && tax_id !== FINAL_CONSUMER;

/** An address with more lines than this is written as one text, its lines joined by commas, to save height. */
const MAX_PLACE_LINES = 4;

function compactLines(text: string | null): string {
  const lines = (text ?? "").split(/[\r\n]+/).filter((line) => line.trim() !== "");
  return lines.join(lines.length > MAX_PLACE_LINES ? ", " : "\n");
}

/** Street; postal code and city; the country unless it is Portugal. */
function addressLines({ address, postal_code, city, country }: PrintableAddress): string[] {
  const abroad = country !== null && !["PT", "PORTUGAL"].includes(country.trim().toUpperCase());
  return [compactLines(address), [postal_code, city].filter(Boolean).join(" "), abroad ? country : null].filter(
    (line): line is string => Boolean(line),
  );
}

function writeDates(layout: Layout): number {
  const { document, labels, lang } = layout;
  const rows: readonly (readonly [string, string | null])[] = [
    [labels.issue_date, date(document.issue_date, lang)],
    [labels.entry_date, isDelivery(document) ? dateTime(document.system_entry_date, lang) : null],
    [labels.supply_date, document.supply_date && date(document.supply_date, lang)],
    [labels.due_date, document.due_date && date(document.due_date, lang)],
    [labels.customer_code, document.customer.code],
    [labels.at_doc_code, document.at_doc_code],
  ];
  let y = layout.y + 11;
  for (const [label, value] of rows) {
    if (value === null) continue;
    const row = { x: RIGHT - HALF + 40, y, width: HALF - 40 };
    writeText(layout, { ...row, text: label, style: STYLES.quiet });
    const narrow = { ...row, x: row.x + 90, width: row.width - 90 };
    y += writeText(layout, { ...narrow, text: value, style: STYLES.text, align: "right" }) + 2.5;
  }
  return y - layout.y;
}

function writeTransport(layout: Layout, transport: NonNullable<PrintableDocument["transport"]>): void {
  const { labels, canvas, lang } = layout;
  const cells: readonly (readonly [string, string | null])[] = [
    [labels.loading, compactLines(transport.from)],
    [labels.unloading, compactLines(transport.to)],
    [labels.start, dateTime(transport.start_at, lang)],
    [labels.end, transport.end_at && dateTime(transport.end_at, lang)],
    [labels.vehicle, transport.vehicle],
  ];
  const given = cells.filter((cell): cell is readonly [string, string] => Boolean(cell[1]));
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

function referencesLabel(document: PrintableDocument): "settled" | "corrected" | "origin" {
  if (isReceipt(document)) return "settled";
  return DOCUMENT_TYPES[document.doc_type].corrects ? "corrected" : "origin";
}

function* writeReferences(layout: Layout): Steps {
  const { document, labels, canvas, lang } = layout;
  canvas.rule(LEFT, layout.y, WIDTH, PALE, 0.6);
  layout.y += 9;
  writeParagraph(layout, labels[referencesLabel(document)], STYLES.label);
  for (const { number, issue_date, reason, amount_cents } of document.references) {
    const text = [number, issue_date && date(issue_date, lang), reason].filter(Boolean).join("  ·  ");
    writeItem(layout, text, amount_cents);
    yield;
  }
  layout.y += 14;
}
