/**
 * Crediting: a credit note made from the document that it corrects. Its lines are copied with their prices as given,
 * each naming the line it credits; what is left after partial credits comes to the last cent.
 */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import type { Row } from "../database/tables.ts";
import { Amount, Day, PathId, Quantity, text } from "../fields.ts";
import { civilDate, yearOf } from "../fiscal/civil-time.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { fittedLines, loweredLine } from "../fiscal/fitted-lines.ts";
import { fromBps, fromCents, fromMicros, toMicros } from "../fiscal/money.ts";
import {
  amountAsPriced,
  groupKey,
  isDiscountedByAmount,
  lineNet,
  MAX_LINES,
  mostOffLine,
  netInCents,
  totalsOf,
  withoutDiscount,
} from "../fiscal/totals.ts";
import { CALLER_INPUT } from "../records/caller-data.ts";
import { type Problem, problem, refuse, refuseInput } from "../runtime/errors.ts";
import { noticing } from "../runtime/notices.ts";
import { command } from "../runtime/operation.ts";
import type { Permission } from "../runtime/permissions.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { currentSeriesOf, findSeries, problemWithoutSeries } from "../series/series.ts";
import { isStrict } from "../signing/certification.ts";
import { roomByGroup } from "./caps.ts";
import { StoredDocument } from "./document.ts";
import { storeNewDocument } from "./draft.ts";
import { findParts, linesAbout } from "./parts.ts";
import { MethodCode } from "./payments.ts";
import { liveDocumentsOn } from "./references.ts";
import { t } from "./refusals.ts";
import type { DraftInput, LineInput } from "./resolve.ts";
import { mustAllow, mustFindDocument } from "./rows.ts";
import { refundableAfter } from "./settlement.ts";

type Line = Row<"document_lines">;

/** What is credited of a document, and how. */
export const NewCredit = z
  .strictObject({
    lines: z
      .array(
        z.strictObject({
          line: z.int().min(1).max(MAX_LINES).describe("The line of the document, counted from 1."),
          qty: Quantity.optional().describe("All that is left of it when left out."),
        }),
      )
      .min(1)
      .max(MAX_LINES)
      .optional()
      .describe("All that is left of every line when left out."),
    reason: text(50).optional().describe("Printed and exported; Retificação when left out."),
    refund: z
      .strictObject({
        method_code: MethodCode,
        payment_date: Day.optional().describe("Today in the company's time zone when left out."),
        amount: Amount.optional().describe("All that can be given back, at most the credit, when left out."),
      })
      .optional()
      .describe("Money given back with it, which needs the scope payments:refund too."),
    issue: z.boolean().optional().describe("Issue at once; false when left out."),
    ...z.object(CALLER_INPUT).partial().shape,
  })
  .meta({ id: "CreditInput", description: "What to credit of a document; all that is left of it, when empty." });
export type NewCredit = z.input<typeof NewCredit>;

export const creditDocument = command(
  {
    id: "creditDocument",
    summary: "Credit a document, or part of it, by an NC",
    isTagged: true,
    needs: "documents:write",
    alsoNeeds: (input) => neededBy((input ?? {}) as Partial<NewCredit>),
    input: z.strictObject({ id: PathId, ...NewCredit.shape }),
    output: StoredDocument,
    fails: ["not_found", "invalid_state", "payment_exceeds_balance", "credit_exceeds_original", "date_out_of_order"],
  },
  async (scope, { id, lines: wanted, reason, refund, issue = false, ...caller }) => {
    const original = await mustFindDocument(scope, id);
    mustAllow("credit", original);
    if (!DOCUMENT_TYPES.NC.may_reference.includes(original.doc_type)) {
      refuse("invalid_state", t.takes_no_credit({ doc_type: original.doc_type }));
    }
    const { lines, input } = creditedLines(await readSold(scope, original), wanted);
    const issue_date = civilDate(scope.now, (await mustFindCompany(scope)).time_zone);
    const draft: DraftInput = {
      doc_type: "NC",
      series_id: await seriesOf(scope, original, yearOf(issue_date)),
      issue_date,
      customer_id: original.customer_id,
      references: [{ document_id: id, reason }],
      ...caller,
      global_discount_pct: fromBps(original.global_discount_bps),
      ...input,
    };
    const gross_cents = totalsOf(lines, original.global_discount_bps).total_gross_cents;
    const payments = refund && [
      {
        method_code: refund.method_code,
        payment_date: refund.payment_date ?? issue_date,
        amount: refund.amount ?? fromCents(await refundableAfter(scope, original, gross_cents)),
        kind: "refund" as const,
      },
    ];
    return noticing(scope, await storeNewDocument(scope, { ...draft, ...(payments && { payments }) }, issue));
  },
);

function neededBy({ issue, refund }: Partial<NewCredit>): readonly Permission[] {
  return [
    ...(issue === true ? (["documents:issue"] as const) : []),
    ...(refund === undefined ? [] : (["payments:refund"] as const)),
  ];
}

/** The current NC series; for a document of training or of cash VAT the one of its kind. */
async function seriesOf(scope: ReadScope, { series_id }: Row<"documents">, year: number): Promise<string> {
  const kind = await findSeries(scope, series_id);
  const found = await currentSeriesOf(scope, "NC", year, kind);
  if (found) return found.id;
  const { text, remedy } = await problemWithoutSeries(scope, "NC", year);
  return refuse("invalid_state", text, remedy);
}

/** A document that is credited: its lines, and what its live credit notes took of them. */
interface Sold {
  readonly row: Row<"documents">;
  readonly lines: readonly Line[];
  /** By line number, in micros. */
  readonly left: ReadonlyMap<number, number>;
  /** By line number. */
  readonly creditedNet: ReadonlyMap<number, bigint>;
  /** What can still be credited of each group: cents with tax. */
  readonly room: ReadonlyMap<string, number>;
  /** How many credit notes there are. */
  readonly credits: number;
  readonly isStrict: boolean;
}

async function readSold(scope: ReadScope, row: Row<"documents">): Promise<Sold> {
  const { lines } = await findParts(scope, row);
  const credits = (await liveDocumentsOn(scope, [row.id], "NC")).get(row.id) ?? [];
  const left = new Map(lines.map(({ line_number, qty_micros }) => [line_number, qty_micros]));
  const creditedNet = new Map<number, bigint>();
  for (const credit of credits) {
    const own = linesAbout(row.id, credit);
    for (const line of own) takeOff(left, lines, line);
    for (const line of own) {
      const { reference_line: at } = line;
      if (at !== null) creditedNet.set(at, (creditedNet.get(at) ?? 0n) + lineNet(line, credit.global_discount_bps));
    }
  }
  const room = roomByGroup({ row, lines }, credits);
  return { row, lines, left, creditedNet, room, credits: credits.length, isStrict: await isStrict(scope) };
}

/** Takes a credited line off the line it names, or off those of its product. */
function takeOff(left: Map<number, number>, lines: readonly Line[], credited: Line): void {
  const { reference_line, product_id } = credited;
  const named = lines.filter((line) =>
    reference_line === null
      ? product_id !== null && line.product_id === product_id
      : line.line_number === reference_line,
  );
  let gone = credited.qty_micros;
  for (const { line_number } of named) {
    const had = left.get(line_number) ?? 0;
    left.set(line_number, Math.max(0, had - gone));
    gone = Math.max(0, gone - had);
  }
}

type Wanted = NonNullable<z.output<typeof NewCredit>["lines"]>;

/** The lines of the credit note as they will be taxed, and as its input. */
function creditedLines(
  sold: Sold,
  wanted: Wanted = [],
): { lines: readonly Line[]; input: Pick<DraftInput, "lines" | "global_discount_amount"> } {
  const { row, lines, left } = sold;
  const { global_discount_cents } = row;
  const asked: Wanted =
    wanted.length > 0 ? mustBeLines(lines, wanted) : lines.map(({ line_number: line }) => ({ line }));
  const quantities = asked.flatMap(({ line, qty }) => {
    const micros = qty === undefined ? (left.get(line) ?? 0) : toMicros(qty);
    return micros > 0 || wanted.length > 0 ? [[line, micros] as const] : [];
  });
  if (quantities.length === 0) {
    refuse("credit_exceeds_original", t.room_for_credit({ room_cents: 0, number: row.number ?? "" }));
  }
  for (const [line, micros] of quantities) mustBeLeft(sold, line, micros);
  const isWhole = sold.credits === 0 && wholeOf(lines, quantities);
  const parts = quantities.map(([line, micros]) => partOf(lines[line - 1] as Line, micros));
  const credited = isWhole ? lines : fitted(sold, parts);
  const input = credited.map(inputOf);
  if (!isWhole || global_discount_cents === null) return { lines: credited, input: { lines: input } };
  return { lines, input: { lines: input, global_discount_amount: fromCents(global_discount_cents) } };
}

const wholeOf = (lines: readonly Line[], quantities: readonly (readonly [number, number])[]): boolean =>
  quantities.length === lines.length && quantities.every(([line, micros]) => lines[line - 1]?.qty_micros === micros);

/** Refuses lines that the document does not have, and lines that are named twice. */
function mustBeLines(lines: readonly Line[], wanted: Wanted): Wanted {
  const problems = wanted.flatMap(({ line }, i): Problem[] => {
    const path = `lines[${i}].line`;
    if (line > lines.length) return [problem(path, t.names_no_corrected_line)];
    return wanted.findIndex((one) => one.line === line) < i ? [problem(path, common.is_repeated)] : [];
  });
  return problems.length > 0 ? refuseInput(problems) : wanted;
}

function mustBeLeft({ row, lines, left }: Sold, number: number, credited_micros: number): void {
  const room_micros = left.get(number) ?? 0;
  if (credited_micros > 0 && credited_micros <= room_micros) return;
  const { product_name, description, qty_micros } = lines[number - 1] as Line;
  const sale = { number: row.number ?? "", name: product_name ?? description };
  const amounts = { room_micros, credited_micros: credited_micros || qty_micros };
  refuse("credit_exceeds_original", t.room_for_quantity({ ...sale, ...amounts }));
}

/** A quantity of a line: discounts of an amount are taken off it in proportion, in whole cents. */
function partOf(line: Line, qty_micros: number): Line {
  const part = { ...line, qty_micros };
  if (!isDiscountedByAmount(line)) return part;
  const off = amountAsPriced(withoutDiscount(line), 0) - amountAsPriced(line, 0);
  const ofPart = (off * BigInt(qty_micros)) / BigInt(line.qty_micros);
  const undiscounted = { ...part, discount_bps: 0, discount_cents: null, global_discount_micros: null };
  const cents = Math.min(netInCents(ofPart), mostOffLine(undiscounted));
  return { ...undiscounted, discount_cents: cents > 0 ? cents : null };
}

/** The lines that come, at each rate, to no more than is left there; to all of it where nothing else is left. */
function fitted(sold: Sold, parts: readonly Line[]): readonly Line[] {
  const { row, room, credits, lines, left } = sold;
  const taken = new Map(parts.map(({ line_number, qty_micros }) => [line_number, qty_micros]));
  // Only under a certificate number is the value of each line a limit, too.
  const { allows, put } = roomsIn(sold, parts);
  const isAllowed = (line: Line) => !sold.isStrict || allows(line);
  const groups = Map.groupBy(
    parts.map((line) => put(loweredLine(line, isAllowed))),
    groupKey,
  );
  const fit = Array.from(groups, ([key, own]) => {
    const gross_cents = totalsOf(own, row.global_discount_bps).total_gross_cents;
    const isLast = lines.every(
      (line) => groupKey(line) !== key || (left.get(line.line_number) ?? 0) === (taken.get(line.line_number) ?? 0),
    );
    const room_cents = room.get(key) ?? 0;
    const wanted_cents = isLast ? room_cents : Math.min(gross_cents, room_cents);
    // What no rounding explains was credited without naming a line: issuing refuses it in words.
    const isRounding = Math.abs(wanted_cents - gross_cents) <= (credits + 1) * (own.length + 1);
    if (wanted_cents === gross_cents || wanted_cents < 0 || !isRounding) return own;
    const fitting = (isFine: typeof allows) => fittedLines(own, row.global_discount_bps, wanted_cents, isFine);
    return (fitting(allows) ?? fitting(isAllowed) ?? own).map(put);
  });
  return fit.flat().sort((a, b) => a.line_number - b.line_number);
}

/**
 * What lines and products were sold for, less all their credits and the parts that are now credited: a product on
 * several lines has one limit, which what each of them rounds up could pass.
 */
function roomsIn({ row, lines, creditedNet }: Sold, parts: readonly Line[]) {
  const net = (line: Line) => lineNet(line, row.global_discount_bps);
  const keysOf = ({ line_number, product_id }: Line) =>
    product_id === null ? [line_number] : [line_number, product_id];
  const [most, taken] = [new Map<number | string, bigint>(), new Map<number | string, bigint>()];
  const add = (to: typeof most, line: Line, amount: bigint) => {
    for (const key of keysOf(line)) to.set(key, (to.get(key) ?? 0n) + amount);
  };
  for (const line of lines) {
    add(most, line, net(line));
    add(taken, line, creditedNet.get(line.line_number) ?? 0n);
  }
  const now = new Map(parts.map((part) => [part.line_number, net(part)]));
  for (const part of parts) add(taken, part, net(part));
  const more = (part: Line) => net(part) - (now.get(part.line_number) ?? 0n);
  return {
    /** Whether a part may take the place of that of its line: line and product stay within their values, in cents. */
    allows: (part: Line): boolean =>
      keysOf(part).every((key) => netInCents((taken.get(key) ?? 0n) + more(part)) <= netInCents(most.get(key) ?? 0n)),
    /** Lets a part take that place. */
    put(part: Line): Line {
      add(taken, part, more(part));
      now.set(part.line_number, net(part));
      return part;
    },
  };
}

function inputOf(line: Line): LineInput {
  const { unit_price_gross_micros: gross_micros, discount_cents, product_id } = line;
  return {
    description: line.description,
    qty: fromMicros(line.qty_micros),
    ...(gross_micros === null
      ? { unit_price_net: fromMicros(line.unit_price_micros) }
      : { unit_price_gross: fromMicros(gross_micros) }),
    tax_rate: fromBps(line.tax_rate_bps),
    ...(discount_cents === null
      ? { discount_pct: fromBps(line.discount_bps) }
      : { discount_amount: fromCents(discount_cents) }),
    unit: line.unit,
    product_id,
    reference_line: line.line_number,
    exemption_code: line.exemption_code,
    // A product has its type now; a line without one keeps its own.
    ...(product_id === null && { type: line.product_type }),
  };
}
