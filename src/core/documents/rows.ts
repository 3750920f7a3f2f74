/** How documents lie in their tables, and the one bridge from rows to what callers see. */
import { amongst, type List, listOf, preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { refusal, type Verb } from "../fiscal/lifecycle.ts";
import { fromBps, fromCents, fromMicros } from "../fiscal/money.ts";
import { refuse } from "../runtime/errors.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import type { DocumentLine, DocumentReference, DocumentSummary } from "./document.ts";

/** The columns that stay empty until a document is issued, and are filled ever after. */
type FilledAtIssue =
  | "sequence"
  | "number"
  | "system_entry_date"
  | "issued_at"
  | "hash"
  | "key_version"
  | "certificate_number"
  | "qr_code"
  | "customer"
  | "issuer";

/** The row of an issued document, cancelled since or not. */
export type IssuedRow = Row<"documents"> & { readonly status: "issued" | "cancelled" } & {
  readonly [Column in FilledAtIssue]: NonNullable<Row<"documents">[Column]>;
};

const documentById = preparedSelect((db, { id, company_id }: { id: string; company_id: string }) =>
  db.selectFrom("documents").selectAll().where("id", "=", id).where("company_id", "=", company_id),
);

/** A document's row. Refuses with `not_found` when the company has none with this id. */
export async function mustFindDocument({ db, company_id }: ReadScope, id: string): Promise<Row<"documents">> {
  const [row] = await documentById(db, { id, company_id });
  return row ?? refuse("not_found", "There is no such document.");
}

/** Stores a new document's row, a draft's or one issued at once. */
export const insertDocument = preparedWrite((db, row: Row<"documents">) => db.insertInto("documents").values(row));

/** Refuses with `invalid_state` unless the document's state allows the verb. */
export function mustAllow(verb: Verb, { status }: Row<"documents">): void {
  const refused = refusal(verb, status);
  if (refused !== undefined) refuse("invalid_state", refused);
}

/** The document with this id, in a state that allows the verb; refuses with `not_found` or `invalid_state`. */
export async function claimDocument(scope: WriteScope, id: string, verb: Verb): Promise<Row<"documents">> {
  const document = await mustFindDocument(scope, id);
  mustAllow(verb, document);
  return document;
}

/** The documents of this company with these ids, by id; ids that name nothing are absent. */
export async function findDocuments(
  { db, company_id }: ReadScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row<"documents">>> {
  if (ids.length === 0) return new Map();
  const rows = await documentsByIds(db, { company_id, ids: listOf(new Set(ids)) });
  return new Map(rows.map((row) => [row.id, row]));
}

const documentsByIds = preparedSelect((db, { company_id, ids }: { company_id: string; ids: List }) =>
  db.selectFrom("documents").selectAll().where("company_id", "=", company_id).where("id", "in", amongst(ids)),
);

/** The rows that hang on a document, each kind in order. */
export interface DocumentParts {
  readonly lines: readonly Row<"document_lines">[];
  readonly references: readonly Row<"document_references">[];
  readonly payments: readonly Row<"document_payments">[];
}

/** How the parts of one kind are read, of one document and of several, and stored. */
function partsIn<Name extends "document_lines" | "document_references" | "document_payments">(
  name: Name,
  order: Name extends "document_lines" ? "line_number" : "position",
) {
  // All three have what is asked for here, which Kysely cannot see through a generic name.
  const table = name as "document_references";
  const column = order as "position";
  const ofOne = preparedSelect((db, { document_id }: { document_id: string }) =>
    db.selectFrom(table).selectAll().where("document_id", "=", document_id).orderBy(column),
  );
  const ofSeveral = preparedSelect((db, { documents }: { documents: List }) =>
    db
      .selectFrom(table)
      .selectAll()
      .where("document_id", "in", amongst(documents))
      .orderBy("document_id")
      .orderBy(column),
  );
  const removeAll = preparedWrite((db, { document_id }: { document_id: string }) =>
    db.deleteFrom(table).where("document_id", "=", document_id),
  );
  const insertOne = preparedWrite((db, part: Row<Name>) =>
    db.insertInto(table).values(part as Row<"document_references">),
  );
  return {
    async of({ db }: ReadScope, document_id: string): Promise<Row<Name>[]> {
      const rows: unknown[] = await ofOne(db, { document_id });
      return rows as Row<Name>[];
    },
    /** By document, each in order; documents without any are absent. */
    async byDocument({ db }: ReadScope, ids: readonly string[]): Promise<ReadonlyMap<string, Row<Name>[]>> {
      const rows: unknown[] = await ofSeveral(db, { documents: listOf(ids) });
      return Map.groupBy(rows as (Row<Name> & { document_id: string })[], ({ document_id }) => document_id);
    },
    async insert({ db }: WriteScope, parts: readonly Row<Name>[] = []): Promise<void> {
      for (const part of parts) await insertOne(db, part);
    },
    async remove({ db }: WriteScope, document_id: string): Promise<void> {
      await removeAll(db, { document_id });
    },
  };
}

const LINES = partsIn("document_lines", "line_number");
const REFERENCES = partsIn("document_references", "position");
const PLANNED_PAYMENTS = partsIn("document_payments", "position");
const PARTS = { lines: LINES, references: REFERENCES, payments: PLANNED_PAYMENTS };

/** The parts of several documents, in three queries however many there are; every id is present. */
export async function partsOf(scope: ReadScope, ids: readonly string[]): Promise<ReadonlyMap<string, DocumentParts>> {
  const lines = await LINES.byDocument(scope, ids);
  const references = await REFERENCES.byDocument(scope, ids);
  const payments = await PLANNED_PAYMENTS.byDocument(scope, ids);
  return new Map(
    ids.map((id) => [
      id,
      { lines: lines.get(id) ?? [], references: references.get(id) ?? [], payments: payments.get(id) ?? [] },
    ]),
  );
}

/** What every document shows of its parts. */
export type Content = Pick<DocumentParts, "lines" | "references">;

/** The lines and references of one document. */
export async function findContent(scope: ReadScope, { id }: Row<"documents">): Promise<Content> {
  return { lines: await LINES.of(scope, id), references: await REFERENCES.of(scope, id) };
}

/** What was paid on the spot, or will have been when the draft is issued. */
export function findPlannedPayments(scope: ReadScope, { id }: Row<"documents">): Promise<Row<"document_payments">[]> {
  return PLANNED_PAYMENTS.of(scope, id);
}

/** All parts of one document. */
export async function findParts(scope: ReadScope, row: Row<"documents">): Promise<DocumentParts> {
  return { ...(await findContent(scope, row)), payments: await findPlannedPayments(scope, row) };
}

/** The references of several documents, by document, each in order; documents without any are absent. */
export function referencesOf(
  scope: ReadScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row<"document_references">[]>> {
  return REFERENCES.byDocument(scope, ids);
}

/** Parts before they hang on a document. */
export interface NewParts {
  readonly lines: readonly Omit<Row<"document_lines">, "document_id">[];
  readonly references: readonly Omit<Row<"document_references">, "document_id">[];
  readonly payments: readonly Omit<Row<"document_payments">, "document_id">[];
}

/** New parts, hung on a document. */
export function partsOn(document_id: string, { lines, references, payments }: NewParts): DocumentParts {
  const own = <Part extends object>(part: Part) => ({ document_id, ...part });
  return { lines: lines.map(own), references: references.map(own), payments: payments.map(own) };
}

/** Stores parts of a draft, beside those it may have, or of a document that is yet to come. */
export async function insertParts(scope: WriteScope, parts: Partial<DocumentParts>): Promise<void> {
  await LINES.insert(scope, parts.lines);
  await REFERENCES.insert(scope, parts.references);
  await PLANNED_PAYMENTS.insert(scope, parts.payments);
}

/** Stores parts in place of those the draft has; kinds that are left out stay as they are. */
export async function replaceParts(
  scope: WriteScope,
  document_id: string,
  parts: Partial<DocumentParts>,
): Promise<void> {
  await deleteParts(scope, document_id, Object.keys(parts) as (keyof DocumentParts)[]);
  await insertParts(scope, parts);
}

/** Takes the parts off a draft: of the kinds named, or of all. */
export async function deleteParts(
  scope: WriteScope,
  document_id: string,
  kinds: readonly (keyof DocumentParts)[] = ["lines", "references", "payments"],
): Promise<void> {
  for (const kind of kinds) await PARTS[kind].remove(scope, document_id);
}

/** What money has done to a document since it was issued. */
export interface Settlement {
  readonly paid_cents: number;
  /** Live credit notes. */
  readonly credited_cents: number;
}

/** The columns that tell a document as lists show it. */
export const SUMMARY_COLUMNS = [
  "id",
  "doc_type",
  "series_id",
  "number",
  "atcud",
  "hash",
  "status",
  "issue_date",
  "due_date",
  "customer_id",
  "customer",
  "total_net_cents",
  "total_tax_cents",
  "total_gross_cents",
  "global_discount_bps",
  "notes",
  "training",
  "qr_code",
  "transport",
  "at_doc_code",
  "created_at",
  "issued_at",
  "system_entry_date",
  "cancelled_at",
  "cancel_reason",
] as const satisfies readonly (keyof Row<"documents">)[];

export type SummaryRow = Pick<Row<"documents">, (typeof SUMMARY_COLUMNS)[number]>;

/** A document as lists show it. */
export function toSummary(
  row: SummaryRow,
  references: readonly Row<"document_references">[],
  settlement: Settlement,
): DocumentSummary {
  return {
    id: row.id,
    doc_type: row.doc_type,
    series_id: row.series_id,
    number: row.number,
    atcud: row.atcud,
    hash: row.hash,
    status: row.status,
    issue_date: row.issue_date,
    due_date: row.due_date,
    customer_id: row.customer_id,
    customer: row.customer === null ? null : JSON.parse(row.customer),
    total_net: fromCents(row.total_net_cents),
    total_tax: fromCents(row.total_tax_cents),
    total_gross: fromCents(row.total_gross_cents),
    global_discount_pct: fromBps(row.global_discount_bps),
    ...balanceOf(row, settlement),
    references: references.map(toReference),
    notes: row.notes,
    qr_code: row.qr_code,
    transport: row.transport === null ? null : JSON.parse(row.transport),
    at_doc_code: row.at_doc_code,
    created_at: row.created_at,
    issued_at: row.issued_at,
    system_entry_date: row.system_entry_date,
    cancelled_at: row.cancelled_at,
    cancel_reason: row.cancel_reason,
  };
}

/** A reference as callers see it. */
export function toReference(row: Row<"document_references">): DocumentReference {
  return {
    document_id: row.referenced_id,
    amount: row.amount_cents === null ? null : fromCents(row.amount_cents),
    reason: row.reason,
  };
}

/** A line as callers see it. */
export function toLine(row: Row<"document_lines">): DocumentLine {
  return {
    description: row.description,
    qty: fromMicros(row.qty_micros),
    unit_price_net: fromMicros(row.unit_price_micros),
    tax_rate: fromBps(row.tax_rate_bps),
    discount_pct: fromBps(row.discount_bps),
    product_id: row.product_id,
    unit: row.unit,
    reference_id: row.reference_id,
    exemption_code: row.exemption_code,
  };
}

/** Whether money can be owed on a document: it is issued, for real, and of a type that takes payments. */
export function hasBalance({ doc_type, status, training }: SummaryRow): boolean {
  return status === "issued" && training === 0 && DOCUMENT_TYPES[doc_type].takes_payments;
}

/** Balance and payment status, derived: an FR is paid by nature, the rest by what came in and what was credited. */
function balanceOf(
  row: SummaryRow,
  { paid_cents, credited_cents }: Settlement,
): Pick<DocumentSummary, "outstanding" | "payment_status"> {
  const type = DOCUMENT_TYPES[row.doc_type];
  if (!hasBalance(row)) return { outstanding: null, payment_status: null };
  const outstanding_cents = row.total_gross_cents - paid_cents - credited_cents;
  const isPaid = outstanding_cents <= 0 || type.paid_by_nature;
  const isUntouched = paid_cents === 0 && credited_cents === 0;
  return {
    outstanding: fromCents(outstanding_cents),
    payment_status: isPaid ? "paid" : isUntouched ? "unpaid" : "partial",
  };
}
