/**
 * The cash-VAT scheme (annex to Decreto-Lei 71/2013): its documents are in series of their own (article 6/1), and its
 * receipts state the tax of the invoices they are about (article 6/3).
 */
import type { Row } from "../database/tables.ts";
import { isOutsideCashVat, splitByRate } from "../fiscal/cash-vat.ts";
import { DOCUMENT_TYPES, isReceipt } from "../fiscal/document-types.ts";
import { fromBps, fromCents } from "../fiscal/money.ts";
import { FINAL_CONSUMER } from "../fiscal/tax-id.ts";
import { type AmountLine, grossByGroup } from "../fiscal/totals.ts";
import { type Problem, problem, refuseInput } from "../runtime/errors.ts";
import type { ReadScope } from "../runtime/scope.ts";
import type { DraftContext } from "./context.ts";
import { parseIssuer } from "./frozen.ts";
import { type DocumentParts, haveManyLines, linesAbout, MAX_LINES_COMPARED, partsOf } from "./parts.ts";
import { liveDocumentsOn } from "./references.ts";
import { t } from "./refusals.ts";
import type { LineInput } from "./resolve.ts";

/** Whether a series is for documents of the scheme. */
export const isCashVat = (series: Pick<Row<"series">, "cash_vat"> | undefined): boolean => series?.cash_vat === 1;

/** Whether a document was issued in the scheme. */
const wasCashVat = ({ issuer }: Row<"documents">): boolean => issuer !== null && parseIssuer(issuer).cash_vat;

/**
 * The scheme's rules for a document and its series: receipts and corrections stay in the scheme of the documents they
 * name; an invoice needs a company in the scheme, a customer who is a taxable person, and operations that the scheme
 * covers.
 */
export function problemsWithCashVat(
  document: Row<"documents">,
  parts: DocumentParts,
  { company, series, customer, referenced }: DraftContext,
): Problem[] {
  const { lines, references } = parts;
  const isCash = isCashVat(series);
  const { cap, corrects, takes_payments } = DOCUMENT_TYPES[document.doc_type];
  const others = references.flatMap(({ referenced_id }, i) => {
    const named = referenced.get(referenced_id);
    if (!named || !(corrects || cap) || wasCashVat(named) === isCash) return [];
    return [problem(`references[${i}].document_id`, isCash ? t.is_not_under_cash_vat : t.is_under_cash_vat)];
  });
  if (!isCash) return others;
  const problems = [...others];
  if (takes_payments && !corrects && company.cash_vat === 0)
    problems.push(problem("series_id", t.company_left_cash_vat));
  if (!customer?.tax_id || customer.tax_id === FINAL_CONSUMER || customer.tax_id === company.tax_id) {
    problems.push(problem("customer_id", t.must_be_taxable_person));
  }
  for (const [i, { exemption_code }] of lines.entries()) {
    if (exemption_code === null || !isOutsideCashVat(exemption_code)) continue;
    problems.push(problem(`lines[${i}].exemption_code`, t.is_outside_cash_vat({ code: exemption_code })));
  }
  return isReceipt(document) ? [...problems, ...problemsWithReceipt(document, parts, referenced)] : problems;
}

/** The scheme's rules for receipts alone. */
function problemsWithReceipt(
  document: Row<"documents">,
  { lines, references, payments }: DocumentParts,
  referenced: DraftContext["referenced"],
): Problem[] {
  const problems: Problem[] = [];
  if (references.length === 0) problems.push(problem("references", t.is_required_on_type({ doc_type: "RC" })));
  for (const [i, { payment_date }] of payments.entries()) {
    if (payment_date === document.issue_date) continue;
    problems.push(problem(`payments[${i}].payment_date`, t.must_be_date_of_receipt({ date: document.issue_date })));
  }
  for (const [i, { reference_id }] of lines.entries()) {
    if (references.length < 2 || reference_id !== null) continue;
    problems.push(problem(`lines[${i}].reference_id`, t.is_required_with_several));
  }
  for (const [i, { referenced_id }] of references.entries()) {
    if (referenced.get(referenced_id)?.doc_type !== "NC") continue;
    problems.push(problem(`references[${i}].document_id`, t.is_credited_under_cash_vat));
  }
  return problems;
}

/**
 * The lines of a receipt sent without lines: one for each rate of each document, with that rate's share. A reference
 * without an amount takes everything that is left.
 */
export async function receiptLines(
  scope: ReadScope,
  references: Pick<Row<"document_references">, "referenced_id" | "amount_cents">[],
  referenced: DraftContext["referenced"],
): Promise<LineInput[]> {
  const dues = await duesOn(scope, referenced);
  return references.flatMap(({ referenced_id, amount_cents }) => {
    const due = dues.get(referenced_id) ?? [];
    const left_cents = due.reduce((sum, one) => sum + one.left_cents, 0);
    const name = referenced.get(referenced_id)?.number ?? "";
    return Array.from(splitByRate(due, amount_cents ?? left_cents), ([{ tax_rate_bps, exemption_code }, cents]) => ({
      description: `${name}, IVA ${fromBps(tax_rate_bps)} %`,
      qty: 1,
      unit_price_gross: fromCents(cents),
      tax_rate: fromBps(tax_rate_bps),
      reference_id: referenced_id,
      exemption_code,
    }));
  });
}

/**
 * Refuses a receipt of the scheme if its lines state amounts other than the shares of an invoice's rates: the tax due
 * with it would differ.
 */
export async function mustSplitAsInvoiced(
  scope: ReadScope,
  { global_discount_bps }: Row<"documents">,
  parts: DocumentParts,
  referenced: DraftContext["referenced"],
): Promise<void> {
  const dues = await duesOn(scope, referenced);
  const problems = parts.references.flatMap(({ referenced_id, amount_cents }) => {
    const split = splitByRate(dues.get(referenced_id) ?? [], amount_cents ?? 0);
    const wanted = new Map(Array.from(split, ([due, cents]) => [rateOf(due), cents]));
    const stated = grossByRate(linesAbout(referenced_id, parts), global_discount_bps);
    const rates = new Set([...wanted.keys(), ...stated.keys()]);
    if ([...rates].every((rate) => (wanted.get(rate) ?? 0) === (stated.get(rate) ?? 0))) return [];
    const shares = Array.from(split, ([{ tax_rate_bps: rate_bps }, cents]) => t.share({ rate_bps, cents }));
    return [
      problem("lines", t.must_be_split_as_invoiced({ number: referenced.get(referenced_id)?.number ?? "", shares })),
    ];
  });
  if (problems.length > 0) refuseInput(problems);
}

/** The gross of each document at each of its rates, and the part of it that receipts have left. */
async function duesOn(scope: ReadScope, documents: DraftContext["referenced"]) {
  const ids = [...documents.keys()];
  if (await haveManyLines(scope, ids)) {
    refuseInput([problem("references", t.name_too_many_lines({ max: MAX_LINES_COMPARED }))]);
  }
  const parts = await partsOf(scope, ids);
  const [credits, receipts] = [await liveDocumentsOn(scope, ids, "NC"), await liveDocumentsOn(scope, ids, "RC")];
  const named = (by: typeof credits, id: string) =>
    added((by.get(id) ?? []).map((one) => grossByRate(linesAbout(id, one), one.global_discount_bps)));
  return new Map(
    Array.from(documents, ([id, { global_discount_bps }]) => {
      const lines = parts.get(id)?.lines ?? [];
      const [credited, received] = [named(credits, id), named(receipts, id)];
      const dues = Array.from(grossByRate(lines, global_discount_bps), ([rate, gross_cents]) => {
        const due_cents = gross_cents - (credited.get(rate) ?? 0);
        const left_cents = Math.max(due_cents - (received.get(rate) ?? 0), 0);
        const { tax_rate_bps, tax_code, exemption_code } = lines.find(
          (line) => rateOf(line) === rate,
        ) as (typeof lines)[0];
        return { tax_rate_bps, tax_code, due_cents, left_cents, exemption_code };
      });
      return [id, dues] as const;
    }),
  );
}

/** The key of a rate: operations not subject to tax (NS) have another 0 % than exempt ones. */
const rateOf = ({ tax_rate_bps, tax_code }: Pick<AmountLine, "tax_rate_bps" | "tax_code">): string =>
  tax_code === "NS" ? tax_code : `${tax_rate_bps}`;

/** Cents with tax by rate, as in the totals. */
const grossByRate = (lines: readonly AmountLine[], global_discount_bps: number): ReadonlyMap<string, number> =>
  grossByGroup(lines, global_discount_bps, rateOf);

function added(maps: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const map of maps) for (const [rate, cents] of map) sum.set(rate, (sum.get(rate) ?? 0) + cents);
  return sum;
}
