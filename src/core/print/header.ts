/** What stands above the lines: who issues, what it is, for whom, when, on which journey, about which documents. */
import { FINAL_CONSUMER } from "../fiscal/tax-id.ts";
import type { Align, Style } from "./canvas.ts";
import { moment } from "./format.ts";
import { TYPE_WORDS, typeName } from "./labels.ts";
import {
  block,
  cancellation,
  issuerName,
  LEFT,
  PALE,
  RIGHT,
  type Sheet,
  STYLES,
  TOP,
  WIDTH,
  writeAt,
  writeItem,
} from "./layout.ts";
import type { PrintableAddress, PrintableDocument } from "./printable.ts";
import { isDelivery } from "./traits.ts";

const GAP = 24;
const HALF = (WIDTH - GAP) / 2;

/** Writes all that comes before the lines. `mark` says which copy this is. */
export function writeOpening(sheet: Sheet, mark: string): void {
  const { document } = sheet;
  sheet.y = TOP + Math.max(writeIssuer(sheet), writeTitle(sheet, mark)) + 22;
  sheet.paper.rule(LEFT, sheet.y, WIDTH, PALE, 0.6);
  sheet.y += 12;
  sheet.y += Math.max(writeCustomer(sheet), writeDates(sheet)) + 20;
  if (document.transport) writeTransport(sheet, document.transport);
  if (document.references.length > 0) writeReferences(sheet);
}

/** A column of texts one below the other; gives its height. */
function column(sheet: Sheet, x: number, top: number, width: number, texts: readonly Entry[]): number {
  let y = top;
  for (const { text, style = STYLES.text, align = "left" } of texts) {
    if (text) y += writeAt(sheet, { text, x, y, width, style, align });
  }
  return y - top;
}

interface Entry {
  readonly text: string | null;
  readonly style?: Style;
  readonly align?: Align;
}

function writeIssuer(sheet: Sheet): number {
  const { document, texts, paper } = sheet;
  const { training, logo, issuer, producer } = document;
  const above = logo && !training ? paper.picture(logo, LEFT, TOP, 170, 54) + 10 : 0;
  const { tax_id } = training ? producer : issuer;
  const address = training ? [] : addressLines(issuer);
  return (
    above +
    column(sheet, LEFT, TOP + above, HALF, [
      { text: issuerName(document), style: STYLES.name },
      ...address.map((text) => ({ text, style: STYLES.quiet })),
      { text: `${texts.tax_id} ${tax_id}`, style: STYLES.quiet },
    ])
  );
}

function writeTitle(sheet: Sheet, mark: string): number {
  const { document, texts, lang } = sheet;
  return column(sheet, RIGHT - HALF, TOP, HALF, [
    { text: mark, style: STYLES.strong, align: "right" },
    { text: typeName(document.doc_type, lang), style: STYLES.title, align: "right" },
    { text: document.number, style: STYLES.number, align: "right" },
    { text: document.training ? texts.training : null, style: STYLES.alarm, align: "right" },
    { text: document.status === "cancelled" ? cancellation(sheet) : null, style: STYLES.alarm, align: "right" },
  ]);
}

function writeCustomer(sheet: Sheet): number {
  const { document, texts } = sheet;
  const { customer } = document;
  const known = customer.tax_id !== null && customer.tax_id !== FINAL_CONSUMER;
  return column(sheet, LEFT, sheet.y, HALF, [
    { text: texts.customer, style: STYLES.label },
    { text: customer.name, style: STYLES.name },
    ...addressLines(customer).map((text) => ({ text })),
    { text: `${texts.tax_id} ${known ? customer.tax_id : "Consumidor final"}` },
  ]);
}

/** The most lines of a place: what has more of them is written as one text, which takes less room. */
const PLACE_LINES = 4;

function place(text: string | null): string {
  const lines = (text ?? "").split(/[\r\n]+/).filter((line) => line.trim() !== "");
  return lines.join(lines.length > PLACE_LINES ? ", " : "\n");
}

/** Street, then postal code and city, then the country where it is not Portugal. */
function addressLines({ address, postal_code, city, country }: PrintableAddress): string[] {
  const abroad = country !== null && !["PT", "PORTUGAL"].includes(country.trim().toUpperCase());
  return [place(address), [postal_code, city].filter(Boolean).join(" "), abroad ? country : null].filter(
    (line): line is string => Boolean(line),
  );
}

function writeDates(sheet: Sheet): number {
  const { document, texts } = sheet;
  const facts: readonly (readonly [string, string | null])[] = [
    [texts.issue_date, document.issue_date],
    [texts.entry_date, isDelivery(document) ? moment(document.system_entry_date) : null],
    [texts.due_date, document.due_date],
    [texts.customer_code, document.customer.code],
    [texts.at_doc_code, document.at_doc_code],
  ];
  let y = sheet.y + 11;
  for (const [label, value] of facts) {
    if (value === null) continue;
    const row = { x: RIGHT - HALF + 40, y, width: HALF - 40 };
    writeAt(sheet, { ...row, text: label, style: STYLES.quiet });
    const narrow = { ...row, x: row.x + 90, width: row.width - 90 };
    y += writeAt(sheet, { ...narrow, text: value, style: STYLES.text, align: "right" }) + 2.5;
  }
  return y - sheet.y;
}

function writeTransport(sheet: Sheet, transport: NonNullable<PrintableDocument["transport"]>): void {
  const { texts, paper } = sheet;
  const cells: readonly (readonly [string, string | null])[] = [
    [texts.loading, place(transport.from)],
    [texts.unloading, place(transport.to)],
    [texts.start, moment(transport.start_at)],
    [texts.end, transport.end_at && moment(transport.end_at)],
    [texts.vehicle, transport.vehicle],
  ];
  const given = cells.filter((cell): cell is readonly [string, string] => Boolean(cell[1]));
  const places = 0.27 * WIDTH;
  const times = (WIDTH - 2 * places) / (given.length - 2);
  paper.rule(LEFT, sheet.y, WIDTH, PALE, 0.6);
  sheet.y += 9;
  let x = LEFT;
  let height = 0;
  given.forEach(([label, text], index) => {
    const width = index < 2 ? places : times;
    const entries = [{ text: label, style: STYLES.label }, { text }];
    height = Math.max(height, column(sheet, x, sheet.y, width - 12, entries));
    x += width;
  });
  sheet.y += height + 16;
}

function writeReferences(sheet: Sheet): void {
  const { document, texts, paper } = sheet;
  paper.rule(LEFT, sheet.y, WIDTH, PALE, 0.6);
  sheet.y += 9;
  block(sheet, texts[TYPE_WORDS[document.doc_type].references], STYLES.label);
  for (const { number, issue_date, reason, amount_cents } of document.references) {
    const text = [number, issue_date, reason].filter(Boolean).join("  ·  ");
    writeItem(sheet, text, amount_cents);
  }
  sheet.y += 14;
}
