/**
 * Drafts are created, changed and discarded. A draft has no number and can be wrong in ways an issued document cannot.
 */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import { sideBySide } from "../database/savepoint.ts";
import type { Row } from "../database/tables.ts";
import { recordDocumentEvent } from "../events/events.ts";
import { definedOnly, PathId, withFields } from "../fields.ts";
import { type Day, isCivilDate } from "../fiscal/civil-time.ts";
import { daysAfter } from "../fiscal/deadlines.ts";
import { DOCUMENT_TYPES, hasSupplyDate, hasTerms, isQuotation, isReceipt } from "../fiscal/document-types.ts";
import { fromBps, fromCents, toBps, toCents, toMicros } from "../fiscal/money.ts";
import { MAX_TOTAL_CENTS, sharedDiscount, totalsOf } from "../fiscal/totals.ts";
import { parseMetadata, storedMetadata } from "../records/caller-data.ts";
import { findCustomer } from "../records/customers.ts";
import { DEFAULT_UNIT } from "../records/products.ts";
import { pricesOf } from "../records/unit-prices.ts";
import { type Problem, problem, refuse, refuseInput } from "../runtime/errors.ts";
import { noticing } from "../runtime/notices.ts";
import { command } from "../runtime/operation.ts";
import type { Permission } from "../runtime/permissions.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { isCashVat, receiptLines } from "./cash-vat.ts";
import { type DraftContext, readContext } from "./context.ts";
import { problemsWithDiscounts, withOneGlobalDiscount } from "./discounts.ts";
import { type Document, DocumentChanges, NewDocument, problemsWithStandIns, StoredDocument } from "./document.ts";
import { NOT_ISSUED, parseTransport } from "./frozen.ts";
import { ISSUE_FAILS, type Issued, issueAndSend, issueDraft, needsToSend, readFacts, readIssuing } from "./issue.ts";
import {
  type DocumentParts,
  deleteParts,
  findParts,
  insertParts,
  type NewParts,
  partsOn,
  replaceParts,
} from "./parts.ts";
import { getDocument, showDocument, showDraft, showIssued } from "./read.ts";
import { isReferenced } from "./references.ts";
import { t } from "./refusals.ts";
import { type DraftInput, type Given, type LineInput, resolved } from "./resolve.ts";
import { claimDocument, insertDocument, mustAllow, mustFindDocument } from "./rows.ts";
import { taxedLines } from "./tax.ts";
import { draftTransport, problemsWithTransport, saveTransportCode, transportInput } from "./transport.ts";
import { toLine, toReference } from "./view.ts";

export const createDocument = command(
  {
    id: "createDocument",
    summary: "Create a draft, or issue at once",
    isTagged: true,
    needs: "documents:write",
    alsoNeeds: (input) => {
      const { issue, email } = (input ?? {}) as Partial<NewDocument>;
      return [
        ...(issue === true ? (["documents:issue"] as const) : []),
        ...needsToSend({ email }),
        ...neededWithin(input),
      ];
    },
    input: NewDocument,
    output: StoredDocument,
    fails: [...ISSUE_FAILS, "rate_limited"],
  },
  async (scope, { issue = false, email, ...given }) => {
    mustNotSendDraft({ issue, email });
    const { input, notices } = await resolved(scope, given);
    return noticing(scope, await storeNewDocument(scope, input, issue, email), notices);
  },
);

/** Stores a new draft, or issues it at once and sends it if asked, and returns the document as callers see it. */
export async function storeNewDocument(
  scope: WriteScope,
  input: DraftInput,
  issue: boolean,
  email?: z.output<typeof NewDocument>["email"],
): Promise<Document> {
  const [{ columns, parts: newParts, context }, facts] = await sideBySide([
    prepare(scope, input),
    issue ? readFacts(scope) : undefined,
  ]);
  const draft = newDraft(scope, scope.newId(), columns);
  const parts = partsOn(draft.id, newParts, scope.newId);
  if (facts) {
    const whole = ({ row, parts }: Issued) => insertWhole(scope, row, parts);
    const issuing = await readIssuing(scope, draft, parts, { ...context, ...facts });
    const issue = () => issueDraft(scope, issuing, facts.signer, whole);
    return showIssued(scope, await issueAndSend(scope, draft, email, issue), context.company);
  }
  await insertWhole(scope, draft, parts);
  await recordDocumentEvent(scope, "document.drafted", draft);
  return showDraft(scope, draft, parts);
}

export const changeDraft = command(
  {
    id: "changeDraft",
    summary: "Change a draft; or set the at_doc_code of an issued document, once",
    target: getDocument,
    isTagged: true,
    needs: "documents:write",
    alsoNeeds: neededWithin,
    input: withFields(z.strictObject({ id: PathId, ...DocumentChanges.shape }), problemsWithStandIns),
    output: StoredDocument,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id, at_doc_code, ...input }) => {
    const before = await mustFindDocument(scope, id);
    const changes = definedOnly(input);
    if (at_doc_code !== undefined) {
      if (Object.keys(changes).length > 0) refuseInput([problem("at_doc_code", t.must_be_sent_alone)]);
      return noticing(scope, await showDocument(scope, await saveTransportCode(scope, before, at_doc_code)));
    }
    // A wrong input is refused before the wrong state of the document: 400 before 409.
    const changed = withOneGlobalDiscount<Given>(await inputOf(scope, before), changes);
    const { input: byIds, notices } = await resolved(scope, changed);
    const prepared = await prepare(scope, byIds);
    mustAllow("change", before);
    if (Object.keys(changes).length === 0) return noticing(scope, await showDraft(scope, before));
    await replaceParts(scope, before.id, partsNamedIn(changes, partsOn(before.id, prepared.parts, scope.newId)));
    const draft = await scope.db
      .updateTable("documents")
      .set(prepared.columns)
      .where("id", "=", before.id)
      .where("status", "=", "draft")
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordDocumentEvent(scope, "document.changed", draft, { fields: Object.keys(changes) });
    return noticing(scope, await showDraft(scope, draft), notices);
  },
);

export const discardDraft = command(
  {
    id: "discardDraft",
    summary: "Discard a draft",
    target: getDocument,
    needs: "documents:write",
    input: z.strictObject({ id: PathId }),
    output: z.void(),
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id }) => {
    const draft = await claimDocument(scope, id, "discard");
    if (await isReferenced(scope, draft.id)) refuse("invalid_state", t.draft_is_referenced);
    await deleteParts(scope, draft.id);
    await scope.db.deleteFrom("documents").where("id", "=", draft.id).where("status", "=", "draft").execute();
    await recordDocumentEvent(scope, "document.discarded", draft);
  },
);

/** Stores a new document after its parts, as an issued document takes no more of them. */
async function insertWhole(scope: WriteScope, row: Row<"documents">, parts: DocumentParts): Promise<void> {
  await insertParts(scope, parts);
  await insertDocument(scope.db, row);
}

/** Refuses an e-mail of what is not issued. */
export function mustNotSendDraft({ issue, email }: Pick<z.output<typeof NewDocument>, "issue" | "email">): void {
  if (email && !issue) refuseInput([problem("email", t.is_sent_once_issued)]);
}

/** What a document needs that is sent with a customer, or with refunds: who may not give any plans none either. */
export function neededWithin(input: unknown): readonly Permission[] {
  const { customer, payments } = (input ?? {}) as { readonly customer?: unknown; readonly payments?: unknown };
  const isRefund = (one: unknown) => (one as { readonly kind?: unknown } | null)?.kind === "refund";
  return [
    ...(customer === undefined ? [] : (["customers:write"] as const)),
    ...(Array.isArray(payments) && payments.some(isRefund) ? (["payments:refund"] as const) : []),
  ];
}

/** The row of a draft that is not stored yet. */
export function newDraft({ company_id, now }: ReadScope, id: string, columns: Prepared["columns"]): Row<"documents"> {
  return { ...NOT_ISSUED, id, company_id, ...columns, created_at: now.toISOString() };
}

/** A draft ready to be stored: the columns of its row, and its parts. */
interface Prepared {
  readonly columns: Omit<Row<"documents">, "id" | "company_id" | "created_at" | keyof typeof NOT_ISSUED>;
  readonly parts: NewParts;
  /** Read to check the draft; issuing at once reuses it. */
  readonly context: DraftContext;
}

/** Checks everything that a draft names, computes its totals, and refuses with every problem at once. */
export async function prepare(scope: ReadScope, given: DraftInput, planned?: Row<"customers">): Promise<Prepared> {
  const references = (given.references ?? []).map(toReferenceRow);
  const read = await readContext(scope, given, { lines: given.lines, references });
  const context = planned ? { ...read, customer: planned } : read;
  const leavesLines = given.lines.length === 0 && given.doc_type === "RC" && isCashVat(context.series);
  const input = leavesLines ? { ...given, lines: await receiptLines(scope, references, context.referenced) } : given;
  const global_discount_bps = toBps(input.global_discount_pct ?? 0);
  const global_discount_cents = centsOrNull(input.global_discount_amount);
  const lines = input.lines.map((line, i) => toLineRow(line, i + 1, context.products));
  // Taxed as if issued now, so that a draft shows the totals it will be issued with.
  const taxed = taxedLines(context, lines);
  const { groups: _, ...totals } = totalsOf(sharedDiscount(taxed, global_discount_cents), global_discount_bps);
  const problems = [
    ...problemsWithNoLines(input, leavesLines && references.length > 0),
    ...problemsWithNames(input, context),
    ...problemsWithRepeats(input),
    ...problemsWithPayments(input),
    ...problemsWithRecorder(input),
    ...problemsWithDueDate(input),
    ...problemsWithValidity(input),
    ...problemsWithSupplyDates(input),
    ...problemsWithTypes(input, context),
    ...problemsWithTransport(input.doc_type, input.transport),
    ...problemsWithDiscounts(input, taxed),
    ...problemsWithTotal(totals.total_gross_cents),
  ];
  if (problems.length > 0) refuseInput(problems);
  const { doc_type, series_id, issue_date, customer_id, notes = null, transport } = input;
  const { due_date = dueBy(context) } = input;
  const { valid_until = null, supply_date = null, external_id = null } = input;
  return {
    columns: {
      doc_type,
      series_id,
      issue_date,
      due_date,
      valid_until,
      supply_date,
      customer_id,
      global_discount_bps,
      global_discount_cents,
      notes,
      external_id,
      metadata: storedMetadata(input.metadata),
      training: context.series?.training ?? 0,
      record_payments: input.record_payments ? 1 : 0,
      transport: transport == null ? null : JSON.stringify(draftTransport(transport)),
      ...totals,
    },
    parts: {
      lines,
      references,
      payments: (input.payments ?? []).map(({ amount, method_code, payment_date }, position) => ({
        position,
        amount_cents: toCents(amount),
        method_code,
        payment_date,
      })),
    },
    context,
  };
}

/** The parts that a change sends. The others keep their rows and ids. */
function partsNamedIn(
  changes: { readonly [Kind in keyof DocumentParts]?: readonly object[] | undefined },
  { lines, references, payments }: DocumentParts,
): Partial<DocumentParts> {
  return {
    ...(changes.lines && { lines }),
    ...(changes.references && { references }),
    ...(changes.payments && { payments }),
  };
}

function toLineRow(
  line: LineInput,
  line_number: number,
  products: ReadonlyMap<string, Row<"products">>,
): Omit<Row<"document_lines">, "document_id"> {
  return {
    line_number,
    description: line.description,
    qty_micros: toMicros(line.qty),
    unit: line.unit ?? products.get(line.product_id ?? "")?.unit ?? DEFAULT_UNIT,
    ...pricesOf(line),
    tax_rate_bps: toBps(line.tax_rate),
    discount_bps: toBps(line.discount_pct ?? 0),
    discount_cents: centsOrNull(line.discount_amount),
    product_id: line.product_id ?? null,
    reference_id: line.reference_id ?? null,
    reference_line: line.reference_line ?? null,
    exemption_code: line.exemption_code ?? null,
    tax_region: null,
    tax_code: null,
    product_code: null,
    product_name: null,
    global_discount_micros: null,
    product_type: line.type ?? null,
    supply_date: line.supply_date ?? null,
  };
}

const centsOrNull = (eur: number | null | undefined): number | null => (eur == null ? null : toCents(eur));

function toReferenceRow(
  { document_id, amount, reason }: NonNullable<DraftInput["references"]>[number],
  position: number,
): NewParts["references"][number] {
  return {
    position,
    referenced_id: document_id,
    amount_cents: centsOrNull(amount),
    reason: reason ?? null,
  };
}

function problemsWithNoLines({ lines }: DraftInput, isReceived: boolean): Problem[] {
  if (lines.length > 0) return [];
  return [isReceived ? problem("references", t.is_received_already) : problem("lines", t.must_have_a_line)];
}

/** Ids that this company does not have; another company's id counts as unknown. */
function problemsWithNames(input: DraftInput, { series, customer, products, referenced }: DraftContext): Problem[] {
  const problems: Problem[] = [];
  if (!series) problems.push(problem("series_id", t.is_unknown));
  else if (series.doc_type !== input.doc_type) {
    const types = { series_type: series.doc_type, doc_type: input.doc_type };
    problems.push(problem("series_id", t.names_other_series_type(types)));
  }
  if (!customer) problems.push(problem("customer_id", t.is_unknown));
  for (const [i, { document_id }] of (input.references ?? []).entries()) {
    if (!referenced.has(document_id)) {
      problems.push(problem(`references[${i}].document_id`, t.is_unknown));
    }
  }
  for (const [i, { product_id }] of input.lines.entries()) {
    if (product_id != null && !products.has(product_id)) {
      problems.push(problem(`lines[${i}].product_id`, t.is_unknown));
    }
  }
  return problems;
}

function problemsWithRepeats({ references = [], lines }: DraftInput): Problem[] {
  const ids = references.map(({ document_id }) => document_id);
  const repeated = ids.flatMap((id, i) =>
    ids.indexOf(id) < i ? [problem(`references[${i}].document_id`, common.is_repeated)] : [],
  );
  const strangers = lines.flatMap(({ reference_id }, i) =>
    reference_id != null && !ids.includes(reference_id)
      ? [problem(`lines[${i}].reference_id`, t.names_no_own_reference)]
      : [],
  );
  return [...repeated, ...strangers];
}

function problemsWithPayments({ doc_type, payments = [] }: DraftInput): Problem[] {
  const { takes_payments_at_issue, takes_refunds_at_issue } = DOCUMENT_TYPES[doc_type];
  const refunds = takes_refunds_at_issue
    ? []
    : payments.flatMap(({ kind }, i) =>
        kind === "refund" ? [problem(`payments[${i}].kind`, t.takes_no_refund_at_issue)] : [],
      );
  const isPaid = payments.some(({ kind }) => kind !== "refund");
  if (!isPaid || takes_payments_at_issue) return refunds;
  return [problem("payments", t.takes_no_payment_at_issue({ doc_type })), ...refunds];
}

function problemsWithRecorder({ doc_type, record_payments }: DraftInput): Problem[] {
  return record_payments && !isReceipt({ doc_type }) ? [problem("record_payments", t.only_receipts_record)] : [];
}

type Terms = Pick<DraftContext, "doc_type" | "issue_date" | "customer" | "company">;

/** When an invoice or debit note is due that names no day: by its customer's term, else by the company's. */
function dueBy({ doc_type, issue_date, customer, company }: Terms): Day | null {
  const due_days = customer?.due_days ?? company.due_days;
  if (due_days === null || !hasTerms({ doc_type })) return null;
  const due_date = daysAfter(issue_date, due_days);
  return isCivilDate(due_date) ? due_date : null; // after the year 9999 there are no days
}

/** Whether a stored document is due on the day that the terms give for it now. */
async function isDueByTerms(scope: ReadScope, row: Row<"documents">): Promise<boolean> {
  if (row.due_date === null) return false;
  const customer = await findCustomer(scope, row.customer_id);
  return row.due_date === dueBy({ ...row, customer, company: await mustFindCompany(scope) });
}

function problemsWithDueDate({ due_date, issue_date }: DraftInput): Problem[] {
  return due_date && due_date < issue_date ? [problem("due_date", t.is_before_issue)] : [];
}

/** A quotation alone holds until a day, which is not before its own. */
function problemsWithValidity({ doc_type, valid_until, issue_date }: DraftInput): Problem[] {
  if (valid_until == null) return [];
  if (!isQuotation({ doc_type })) return [problem("valid_until", t.takes_no_valid_until({ doc_type }))];
  return valid_until < issue_date ? [problem("valid_until", t.is_before_issue)] : [];
}

function problemsWithSupplyDates({ doc_type, supply_date, lines }: DraftInput): Problem[] {
  if (hasSupplyDate({ doc_type })) return [];
  const dated = lines.flatMap((line, i) => (line.supply_date == null ? [] : [`lines[${i}].supply_date`]));
  const paths = supply_date == null ? dated : ["supply_date", ...dated];
  return paths.map((path) => problem(path, t.takes_no_supply_date({ doc_type })));
}

/** A line takes its product's type. */
function problemsWithTypes({ lines }: DraftInput, { products }: DraftContext): Problem[] {
  return lines.flatMap(({ type, product_id }, i) => {
    const own = products.get(product_id ?? "")?.type;
    return type == null || own === undefined || own === type
      ? []
      : [problem(`lines[${i}].type`, t.must_be_products_type({ type: own }))];
  });
}

function problemsWithTotal(total_gross_cents: number): Problem[] {
  if (total_gross_cents <= MAX_TOTAL_CENTS) return [];
  return [problem("lines", t.total_is_too_large({ max_cents: MAX_TOTAL_CENTS }))];
}

/**
 * The input that would create a stored draft: a change of one field checks and stores the whole draft again, so that a
 * field left out here would be lost.
 */
async function inputOf(scope: ReadScope, row: Row<"documents">): Promise<Required<DraftInput>> {
  const [{ lines, references, payments }, isByTerms] = await sideBySide([
    findParts(scope, row),
    isDueByTerms(scope, row),
  ]);
  return {
    doc_type: row.doc_type,
    series_id: row.series_id,
    issue_date: row.issue_date,
    customer_id: row.customer_id,
    // What the terms give they give anew for another day or customer.
    due_date: isByTerms ? undefined : row.due_date,
    valid_until: row.valid_until,
    supply_date: row.supply_date,
    notes: row.notes,
    external_id: row.external_id,
    metadata: parseMetadata(row.metadata),
    transport: row.transport === null ? null : transportInput(parseTransport(row.transport)),
    global_discount_pct: fromBps(row.global_discount_bps),
    global_discount_amount: row.global_discount_cents === null ? null : fromCents(row.global_discount_cents),
    lines: lines.map(lineInput),
    references: references.map(toReference),
    payments: payments.map(({ amount_cents, method_code, payment_date }) => ({
      amount: fromCents(amount_cents),
      method_code,
      payment_date,
      kind: DOCUMENT_TYPES[row.doc_type].takes_refunds_at_issue ? "refund" : "payment",
    })),
    record_payments: row.record_payments === 1,
  };
}

/** The input that would give a stored line. */
function lineInput(row: Row<"document_lines">): LineInput {
  const { unit_price_net, ...line } = toLine(row);
  return line.unit_price_gross === null ? { ...line, unit_price_net } : line;
}
