/** Drafts: created, changed, discarded. A draft has no number and can be wrong in ways an issued document cannot. */
import { z } from "zod";
import { findCustomer } from "../customers.ts";
import type { NewRow, Row } from "../database/tables.ts";
import { type Problem, refuse, refuseInput } from "../errors.ts";
import { recordEvent } from "../events.ts";
import { definedOnly, PathId } from "../fields.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { refusal } from "../fiscal/lifecycle.ts";
import { scaled, unscaled } from "../fiscal/money.ts";
import { MAX_TOTAL_CENTS, totalsOf } from "../fiscal/totals.ts";
import { command } from "../operation.ts";
import { DEFAULT_UNIT, findProducts } from "../products.ts";
import type { ReadScope, WriteScope } from "../scope.ts";
import { findSeries } from "../series.ts";
import { Document, DocumentChanges, NewDocument } from "./document.ts";
import { showDocument } from "./find.ts";
import { ISSUE_FAILS, issueDraft } from "./issue.ts";
import { findDocuments, isReferenced } from "./references.ts";
import { documentPaymentsOf, findDocument, linesOf, PART_TABLES, referencesOf, toLine, toReference } from "./rows.ts";

export const createDocument = command(
  {
    id: "createDocument",
    summary: "Create a draft, or issue at once",
    needs: "documents:write",
    alsoNeeds: (input) => (input.issue ? ["documents:issue"] : []),
    input: NewDocument,
    output: Document,
    fails: ISSUE_FAILS,
  },
  async (scope, { issue, ...input }) => {
    const prepared = await prepare(scope, input);
    const row: NewRow<"documents"> = {
      ...NOT_ISSUED,
      id: scope.newId(),
      company_id: scope.company_id,
      ...prepared.columns,
      created_at: scope.now.toISOString(),
    };
    const draft = await scope.db.insertInto("documents").values(row).returningAll().executeTakeFirstOrThrow();
    await insertParts(scope, draft.id, prepared);
    await recordEvent(scope, "document.drafted", draft.id);
    return showDocument(scope, issue ? await issueDraft(scope, draft) : draft);
  },
);

export const changeDraft = command(
  {
    id: "changeDraft",
    summary: "Change a draft; lines, references and payments are replaced as a whole",
    needs: "documents:write",
    input: z.strictObject({ id: PathId, ...DocumentChanges.shape }),
    output: Document,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id, ...changes }) => {
    const before = (await findDocument(scope, id)) ?? refuse("not_found", "There is no such document.");
    const prepared = await prepare(scope, { ...(await inputOf(scope, before)), ...definedOnly(changes) });
    const refused = refusal("change", before.status);
    if (refused !== undefined) refuse("invalid_state", refused);
    await deleteParts(scope, before.id);
    await insertParts(scope, before.id, prepared);
    const draft = await scope.db
      .updateTable("documents")
      .set(prepared.columns)
      .where("id", "=", before.id)
      .where("status", "=", "draft")
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordEvent(scope, "document.changed", draft.id, { fields: Object.keys(changes) });
    return showDocument(scope, draft);
  },
);

export const discardDraft = command(
  {
    id: "discardDraft",
    summary: "Discard a draft",
    needs: "documents:write",
    input: z.strictObject({ id: PathId }),
    output: z.void(),
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id }) => {
    const draft = (await findDocument(scope, id)) ?? refuse("not_found", "There is no such document.");
    const refused = refusal("discard", draft.status);
    if (refused !== undefined) refuse("invalid_state", refused);
    if (await isReferenced(scope, draft.id)) {
      refuse("invalid_state", "Another draft references this one; change or discard that one first.");
    }
    await deleteParts(scope, draft.id);
    await scope.db.deleteFrom("documents").where("id", "=", draft.id).where("status", "=", "draft").execute();
    await recordEvent(scope, "document.discarded", draft.id);
  },
);

/** The columns a draft leaves empty. */
const NOT_ISSUED = {
  status: "draft",
  sequence: null,
  number: null,
  atcud: null,
  system_entry_date: null,
  issued_at: null,
  issued_by: null,
  hash: null,
  key_version: null,
  certificate_number: null,
  customer: null,
  issuer: null,
  seal: null,
  cancelled_at: null,
  cancelled_by: null,
  cancel_reason: null,
} as const;

type DraftInput = Omit<NewDocument, "issue">;

/** A draft ready to be stored: the columns of its row, and the rows that hang on it but for the document's id. */
interface Prepared {
  readonly columns: Pick<
    NewRow<"documents">,
    | "doc_type"
    | "series_id"
    | "issue_date"
    | "due_date"
    | "customer_id"
    | "global_discount_bps"
    | "notes"
    | "total_net_cents"
    | "total_tax_cents"
    | "total_gross_cents"
  >;
  readonly lines: readonly Omit<NewRow<"document_lines">, "document_id">[];
  readonly references: readonly Omit<NewRow<"document_references">, "document_id">[];
  readonly payments: readonly Omit<NewRow<"document_payments">, "document_id">[];
}

/** Checks everything a draft names, computes its totals, and refuses with every problem at once. */
async function prepare(scope: WriteScope, input: DraftInput): Promise<Prepared> {
  const problems: Problem[] = [
    ...(await problemsWithNames(scope, input)),
    ...problemsWithReferences(input),
    ...problemsWithPayments(input),
  ];
  if (input.due_date && input.due_date < input.issue_date) {
    problems.push({ path: "due_date", message: "must not be before issue_date" });
  }
  const lines = await preparedLines(scope, input, problems);
  const global_discount_bps = scaled(input.global_discount_pct ?? 0, 2) as number;
  const { total_net_cents, total_tax_cents, total_gross_cents } = totalsOf(lines, global_discount_bps);
  if (total_gross_cents > MAX_TOTAL_CENTS) {
    problems.push({ path: "lines", message: `the total must be at most ${unscaled(MAX_TOTAL_CENTS, 2)}` });
  }
  if (problems.length > 0) refuseInput(problems);
  return {
    columns: {
      doc_type: input.doc_type,
      series_id: input.series_id,
      issue_date: input.issue_date,
      due_date: input.due_date ?? null,
      customer_id: input.customer_id,
      global_discount_bps,
      notes: input.notes ?? null,
      total_net_cents,
      total_tax_cents,
      total_gross_cents,
    },
    lines,
    references: (input.references ?? []).map(({ document_id, amount, reason }, position) => ({
      position,
      referenced_id: document_id,
      amount_cents: amount == null ? null : (scaled(amount, 2) as number),
      reason: reason ?? null,
    })),
    payments: (input.payments ?? []).map(({ amount, method_code, payment_date }, position) => ({
      position,
      payment_id: scope.newId(),
      amount_cents: scaled(amount, 2) as number,
      method_code,
      payment_date,
    })),
  };
}

/** Ids that name nothing of this company; another company's look exactly like unknown ones. */
async function problemsWithNames(scope: ReadScope, input: DraftInput): Promise<Problem[]> {
  const problems: Problem[] = [];
  const series = await findSeries(scope, input.series_id);
  if (!series) problems.push({ path: "series_id", message: "names no series" });
  else if (series.doc_type !== input.doc_type) {
    problems.push({ path: "series_id", message: `is a series for ${series.doc_type}, not ${input.doc_type}` });
  }
  if (!(await findCustomer(scope, input.customer_id))) {
    problems.push({ path: "customer_id", message: "names no customer" });
  }
  const references = input.references ?? [];
  const referenced = await findDocuments(
    scope,
    references.map(({ document_id }) => document_id),
  );
  for (const [i, { document_id }] of references.entries()) {
    if (!referenced.has(document_id)) {
      problems.push({ path: `references[${i}].document_id`, message: "names no document" });
    }
  }
  return problems;
}

function problemsWithReferences({ references = [], lines }: DraftInput): Problem[] {
  const ids = references.map(({ document_id }) => document_id);
  const repeated = ids.flatMap((id, i) =>
    ids.indexOf(id) < i ? [{ path: `references[${i}].document_id`, message: "is named twice" }] : [],
  );
  const strangers = lines.flatMap(({ reference_id }, i) =>
    reference_id != null && !ids.includes(reference_id)
      ? [{ path: `lines[${i}].reference_id`, message: "is not one of the document's references" }]
      : [],
  );
  return [...repeated, ...strangers];
}

function problemsWithPayments({ doc_type, payments = [] }: DraftInput): Problem[] {
  if (payments.length === 0 || DOCUMENT_TYPES[doc_type].takes_payments_at_issue) return [];
  return [{ path: "payments", message: `a document of type ${doc_type} is not paid on the spot` }];
}

async function preparedLines(scope: ReadScope, { lines }: DraftInput, problems: Problem[]): Promise<Prepared["lines"]> {
  const products = await findProducts(
    scope,
    lines.flatMap(({ product_id }) => product_id ?? []),
  );
  return lines.map((line, i) => {
    const product = line.product_id == null ? undefined : products.get(line.product_id);
    if (line.product_id != null && !product) {
      problems.push({ path: `lines[${i}].product_id`, message: "names no product" });
    }
    return {
      line_number: i + 1,
      description: line.description,
      qty_micros: scaled(line.qty, 6) as number,
      unit: line.unit ?? product?.unit ?? DEFAULT_UNIT,
      unit_price_micros: scaled(line.unit_price_net, 6) as number,
      tax_rate_bps: scaled(line.tax_rate, 2) as number,
      discount_bps: scaled(line.discount_pct ?? 0, 2) as number,
      product_id: line.product_id ?? null,
      reference_id: line.reference_id ?? null,
      product_code: null,
      product_name: null,
    };
  });
}

/** A stored draft as the input that would create it, so that changing one field checks the whole again. */
async function inputOf(scope: ReadScope, row: Row<"documents">): Promise<DraftInput> {
  const payments = await documentPaymentsOf(scope, row.id);
  return {
    doc_type: row.doc_type,
    series_id: row.series_id,
    issue_date: row.issue_date,
    customer_id: row.customer_id,
    due_date: row.due_date,
    notes: row.notes,
    global_discount_pct: unscaled(row.global_discount_bps, 2),
    lines: (await linesOf(scope, row.id)).map(toLine),
    references: (await referencesOf(scope, [row.id])).map(toReference),
    payments: payments.map(({ amount_cents, method_code, payment_date }) => ({
      amount: unscaled(amount_cents, 2),
      method_code,
      payment_date,
    })),
  };
}

async function insertParts(scope: WriteScope, document_id: string, prepared: Prepared): Promise<void> {
  const { lines, references, payments } = prepared;
  const own = <Part extends object>(part: Part) => ({ document_id, ...part });
  for (const some of inChunks(lines)) await scope.db.insertInto("document_lines").values(some.map(own)).execute();
  for (const some of inChunks(references)) {
    await scope.db.insertInto("document_references").values(some.map(own)).execute();
  }
  if (payments.length > 0) await scope.db.insertInto("document_payments").values(payments.map(own)).execute();
}

async function deleteParts(scope: WriteScope, document_id: string): Promise<void> {
  for (const table of PART_TABLES) {
    await scope.db.deleteFrom(table).where("document_id", "=", document_id).execute();
  }
}

/** Rows inserted by one statement: few enough for a database's limit on parameters. */
const CHUNK = 100;

function* inChunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += CHUNK) yield rows.slice(start, start + CHUNK);
}
