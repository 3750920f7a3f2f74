/**
 * Taxes a document's lines, from the rates and reasons of the lines, their products, the company and the corrected
 * document.
 */
import type { Row } from "../database/tables.ts";
import { CASH_VAT_RECEIPT, DOCUMENT_TYPES, salesSign } from "../fiscal/document-types.ts";
import { exemptionOf, isInForce, unmetDemand } from "../fiscal/exemptions.ts";
import { fromBps } from "../fiscal/money.ts";
import { lawfulRates, reasonInForce, type Taxation, type TaxPlace, taxationOf, UNTAXED } from "../fiscal/taxation.ts";
import { type Problem, problem } from "../runtime/errors.ts";
import type { CorrectedDocument, DraftContext } from "./context.ts";
import { parseIssuer } from "./frozen.ts";
import { t } from "./refusals.ts";

/** The part of a line that decides its tax. */
type TaxableLine = Pick<
  Row<"document_lines">,
  "tax_rate_bps" | "unit_price_micros" | "product_id" | "reference_id" | "exemption_code"
>;

/** The same lines, each with its tax. */
export function taxedLines<Line extends TaxableLine>(
  context: DraftContext,
  lines: readonly Line[],
): (Line & Taxation)[] {
  const isUntaxed = untaxedLines(context, lines);
  return lines.map((line) => {
    if (isUntaxed(line)) return { ...line, ...UNTAXED };
    return { ...line, ...taxationIn(context, line, taxPlaceOf(context, line)) };
  });
}

/** Exemption codes that are wrong in any mode: on a taxed line, or not in force. */
export function problemsWithReasons(context: DraftContext, lines: readonly TaxableLine[]): Problem[] {
  return lines.flatMap((line, i) => {
    const given = line.exemption_code === null ? undefined : exemptionOf(line.exemption_code);
    if (!given) return [];
    const path = `lines[${i}].exemption_code`;
    if (line.tax_rate_bps > 0) return [problem(path, t.takes_no_exemption({ rate_bps: line.tax_rate_bps }))];
    const { date } = taxPlaceOf(context, line);
    return isInForce(given, date) ? [] : [problem(path, t.exemption_not_in_force({ code: given.code, date }))];
  });
}

/** The problems that strict mode adds: an unlawful rate, and a zero rate without a reason. */
export function problemsWithTax(context: DraftContext, lines: readonly TaxableLine[]): Problem[] {
  const isUntaxed = untaxedLines(context, lines);
  return lines.flatMap((line, i) => {
    if (isUntaxed(line)) return [];
    const place = taxPlaceOf(context, line);
    if (line.tax_rate_bps === 0 && reasonOf(context, line, place) === undefined) {
      return [problem(`lines[${i}].exemption_code`, t.needs_exemption)];
    }
    if (taxationIn(context, line, place).tax_code !== "OUT") return [];
    return [
      problem(`lines[${i}].tax_rate`, t.must_be_lawful_rate({ ...place, rates: lawfulRates(place).map(fromBps) })),
    ];
  });
}

/**
 * Reasons that do not apply to the customer of an invoice (docs/law.md, "Zero rates"). A correction may repeat those of
 * the corrected document, right or wrong: that is how it is put right.
 */
export function problemsWithDemands(context: DraftContext, lines: readonly TaxableLine[]): Problem[] {
  const { customer } = context;
  if (!customer || salesSign(context.doc_type) === 0) return [];
  return lines.flatMap((line, i) => {
    if (line.tax_rate_bps > 0) return [];
    const reason = exemptionOf(reasonOf(context, line, taxPlaceOf(context, line)) ?? "");
    const demand = reason?.demands_strictly ? unmetDemand(reason, customer) : null;
    if (!reason || demand === null) return [];
    const isRepeated = correctionOf(context, line)?.lines.some(({ exemption_code }) => exemption_code === reason.code);
    return isRepeated
      ? []
      : [problem(`lines[${i}].exemption_code`, t.exemption_demands[demand]({ code: reason.code }))];
  });
}

function untaxedLines(
  { doc_type, series }: DraftContext,
  lines: readonly TaxableLine[],
): (line: TaxableLine) => boolean {
  const { untaxed } = DOCUMENT_TYPES[doc_type];
  // Receipts of the cash-VAT scheme bear tax as invoices do: SAF-T wants it on every line.
  if (untaxed === "never" || series?.at_type === CASH_VAT_RECEIPT) return () => false;
  if (untaxed === "zero_rated") return ({ tax_rate_bps }) => tax_rate_bps === 0;
  const isUnpriced = lines.every(({ unit_price_micros }) => unit_price_micros === 0);
  return () => isUnpriced;
}

/**
 * The company's region and the document's day; for a correction and a receipt under cash VAT, those of the document
 * that the line is about.
 */
function taxPlaceOf(context: DraftContext, line: TaxableLine): TaxPlace {
  const { row, issuer } = correctionOf(context, line) ?? acknowledgedBy(context, line) ?? {};
  if (!row || !issuer) return { region: context.company.tax_region, date: context.issue_date };
  return { region: correctedAtRate(context, line)?.tax_region ?? issuer.tax_region, date: row.issue_date };
}

/** A rate above 0 keeps its code from the corrected document, if that one corrects an older document itself. */
function taxationIn(context: DraftContext, line: TaxableLine, place: TaxPlace): Taxation {
  const taxation = taxationOf(line.tax_rate_bps, reasonOf(context, line, place), place);
  const corrected = line.tax_rate_bps > 0 ? correctedAtRate(context, line) : undefined;
  return { ...taxation, tax_code: corrected?.tax_code ?? taxation.tax_code };
}

/** The first line at the same rate in the document that a line corrects. */
function correctedAtRate(context: DraftContext, line: TaxableLine): Row<"document_lines"> | undefined {
  return correctionOf(context, line)?.lines.find(({ tax_rate_bps }) => tax_rate_bps === line.tax_rate_bps);
}

/** The document that a line of a receipt under cash VAT is about: the one it names, else the first of its receipt. */
function acknowledgedBy(
  { series, referenced }: DraftContext,
  { reference_id }: TaxableLine,
): Pick<CorrectedDocument, "row" | "issuer"> | undefined {
  if (series?.at_type !== CASH_VAT_RECEIPT) return undefined;
  const row = referenced.get(reference_id ?? "") ?? referenced.values().next().value;
  return row && { row, issuer: row.issuer === null ? null : parseIssuer(row.issuer) };
}

/** The line's own reason, else its product's, else that of the corrected document, else the company's. */
function reasonOf(context: DraftContext, line: TaxableLine, { date }: TaxPlace): string | undefined {
  const { products, company } = context;
  const zeroLines = correctionOf(context, line)?.lines.filter(({ tax_rate_bps }) => tax_rate_bps === 0) ?? [];
  const same = zeroLines.find(({ product_id }) => product_id !== null && product_id === line.product_id);
  return reasonInForce(
    [
      line.exemption_code,
      same?.exemption_code,
      products.get(line.product_id ?? "")?.exemption_code,
      zeroLines[0]?.exemption_code,
      company.default_exemption_code,
    ],
    date,
  );
}

/** The document a line corrects: the one it names, else the first that its document names. */
function correctionOf({ corrected }: DraftContext, { reference_id }: TaxableLine): CorrectedDocument | undefined {
  return corrected.find(({ row }) => row.id === reference_id) ?? corrected[0];
}
