/** A customer's statement on A4: the balance after each row, and what is open at the end, by age. */

import { entryTime } from "../fiscal/civil-time.ts";
import { toCents } from "../fiscal/money.ts";
import { amount, date, dateTime, euros } from "../texts/format.ts";
import type { Lang } from "../texts/languages.ts";
import type { Steps, Style } from "./canvas.ts";
import { accountLines, companyLines } from "./facts.ts";
import { type Framed, OF_NO_DOCUMENT } from "./frame.ts";
import { type Entry, writeHeading } from "./header.ts";
import { LABELS, paymentName, titleOf } from "./labels.ts";
import { addPages, makeRoom, openPages, type Pages, STYLES } from "./layout.ts";
import { ONLY_SET } from "./paper.ts";
import type { Canvas, PreparedPicture } from "./pdf-canvas.ts";
import type { PrintableMove, PrintableStatement } from "./printable.ts";
import { type Column, descriptionColumn, numberColumn, textColumn, writeTable } from "./table.ts";
import { sizedTotals, writeTotalRows } from "./totals.ts";

/** A statement in the words of one language. */
export interface ToldStatement extends Framed {
  readonly statement: PrintableStatement;
}

/** A statement in a language. */
export function statementIn(statement: PrintableStatement, lang: Lang): ToldStatement {
  const labels = LABELS[lang];
  const frame = {
    title: `${labels.statement} ${statement.customer.code}`,
    issuer: statement.company.name,
    mention: labels.no_invoice,
    ...OF_NO_DOCUMENT,
  };
  return { statement, lang, labels, frame };
}

/** Writes the statement, over as many pages as it needs. */
export function* writeStatement(canvas: Canvas, told: ToldStatement, logo: PreparedPicture | undefined): Steps {
  const { statement, labels, lang, frame } = told;
  const layout = openPages(canvas, told, logo);
  const title = (text: string | null, style: Style): Entry => ({ text, style, align: "right" });
  writeHeading(layout, {
    issuer: companyLines(statement.company, told),
    title: [title(labels.statement, STYLES.title), title(frame.mention, STYLES.mention)],
    customer: { name: statement.customer.name, lines: accountLines(statement.customer, told) },
    dates: [
      [labels.from, date(statement.from, lang)],
      [labels.to, date(statement.to, lang)],
      [labels.customer_code, statement.customer.code],
      [labels.printed_at, dateTime(entryTime(statement.printed_at), lang)],
    ],
  });
  yield* writeTable(layout, columnsOf(told), rowsOf(told), (_, { balance }) => toCents(balance));
  layout.carried = null;
  writeOpen(layout, told);
  yield* addPages(layout, ONLY_SET);
}

/** A row of the table: a move, or the balance before the first. */
interface Row extends Pick<PrintableMove, "debit" | "credit" | "balance" | "due_date"> {
  readonly date: PrintableMove["date"] | null;
  readonly text: string;
}

function rowsOf(told: ToldStatement): Row[] {
  const { opening_balance: balance, rows } = told.statement;
  const opening = { date: null, text: told.labels.opening_balance, due_date: null, debit: 0, credit: 0, balance };
  return [opening, ...rows.map((move) => ({ ...move, text: textOf(told, move) }))];
}

/** What a move is: a receipt, which moves no balance, says its amount. */
function textOf({ labels, lang }: ToldStatement, move: PrintableMove): string {
  const { kind, document_number: number, method_code, doc_type } = move;
  if (kind === "document") {
    const title = titleOf({ doc_type, number }, lang);
    return move.debit + move.credit > 0 ? title : `${title}  ·  ${euros(toCents(move.amount), lang)}`;
  }
  const name = kind === "payment" ? labels.payment_of({ number }) : labels.refund_of({ number });
  return method_code === null ? name : `${name}  ·  ${paymentName(method_code, lang)}`;
}

function columnsOf({ labels, lang }: ToldStatement): Column<Row>[] {
  const sum = (eur: number) => amount(toCents(eur), lang);
  const unlessZero = (eur: number) => (eur === 0 ? "" : sum(eur));
  return [
    textColumn(labels.date, (row) => (row.date === null ? "" : date(row.date, lang)), 60),
    descriptionColumn(labels.movement, ({ text }) => text),
    textColumn(labels.due_date, ({ due_date }) => (due_date === null ? "" : date(due_date, lang)), 60),
    numberColumn(labels.debit, ({ debit }) => unlessZero(debit)),
    numberColumn(labels.credit, ({ credit }) => unlessZero(credit)),
    numberColumn(labels.balance, ({ balance }) => sum(balance)),
  ];
}

/** Writes every step from what is open, by age, to the closing balance, so that a reader who adds them up gets it. */
function writeOpen(layout: Pages, { statement, labels, lang }: ToldStatement): void {
  const { ages, in_favour, unallocated, to, closing_balance } = statement;
  const steps: (readonly [string, number])[] = [
    [labels.not_due, ages.not_due],
    [labels.days_1_30, ages.days_1_30],
    [labels.days_31_60, ages.days_31_60],
    [labels.days_61_90, ages.days_61_90],
    [labels.over_90, ages.over_90],
    [labels.in_favour, -in_favour],
    [labels.unallocated, -unallocated],
  ];
  const totals = sizedTotals(layout, {
    rows: steps.map(([label, eur]) => [label, amount(toCents(eur), lang)]),
    total: [`${labels.closing_balance({ day: to })} (EUR)`, amount(toCents(closing_balance), lang)],
  });
  makeRoom(layout, ABOVE + totals.height);
  layout.y += ABOVE;
  layout.y = writeTotalRows(layout, totals);
}

/** The room between the table and what is below it. */
const ABOVE = 14;
