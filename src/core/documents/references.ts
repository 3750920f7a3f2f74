/** References: the documents that a document corrects, returns, acknowledges or follows. Issuing checks their rules. */
import { preparedSelect } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { type List, listOf, valuesOf } from "../database/words.ts";
import { DOCUMENT_TYPES, type DocType, isReceipt, signOnReceipt } from "../fiscal/document-types.ts";
import { sumOfCents } from "../fiscal/money.ts";
import { totalsOf } from "../fiscal/totals.ts";
import { type Problem, problem, refuse } from "../runtime/errors.ts";
import type { ReadScope } from "../runtime/scope.ts";
import type { Text } from "../texts/texts.ts";
import { type DocumentParts, haveManyLines, MAX_LINES_COMPARED, partsOf } from "./parts.ts";
import { t } from "./refusals.ts";

/** The printed and exported reason of a correction without one. */
const DEFAULT_CORRECTION_REASON = "Retificação";

/** The problems of a document's references that no later event can fix. */
export function problemsWithReferences(
  document: Row<"documents">,
  { lines, references }: DocumentParts,
  referenced: ReadonlyMap<string, Row<"documents">>,
): Problem[] {
  const named = references.flatMap(({ referenced_id }, i) =>
    problemsWith(document, referenced.get(referenced_id)).map((text) => problem(`references[${i}].document_id`, text)),
  );
  const { cap, corrects } = DOCUMENT_TYPES[document.doc_type];
  if (cap === null || references.length === 0) return named;
  const missing = lines.flatMap(({ reference_id }, i) =>
    corrects && references.length > 1 && reference_id === null
      ? [problem(`lines[${i}].reference_id`, t.is_required_with_several)]
      : [],
  );
  return [
    ...named,
    ...missing,
    ...problemsWithAmounts(document, references, referenced),
    ...problemsWithShares(document, lines, references),
  ];
}

/** The problems of one reference, whatever happens to the referenced document later. */
function problemsWith(document: Row<"documents">, referenced: Row<"documents"> | undefined): Text[] {
  const type = DOCUMENT_TYPES[document.doc_type];
  if (!referenced) return [t.names_no_document_of_company];
  const problems: Text[] = [];
  if (!type.may_reference.includes(referenced.doc_type)) {
    const { doc_type } = document;
    problems.push(
      type.may_reference.length === 0
        ? t.references_nothing({ doc_type })
        : t.may_not_reference({ doc_type, referenced: referenced.doc_type, allowed: type.may_reference }),
    );
  }
  if (referenced.issue_date > document.issue_date) problems.push(t.is_dated_later);
  if (type.same_customer && referenced.customer_id !== document.customer_id) problems.push(t.is_of_other_customer);
  if (referenced.training !== document.training) {
    problems.push(referenced.training === 1 ? t.is_training_document : t.is_real_document);
  }
  return problems;
}

/** Several references share the gross among them, a receipt less its credit notes; a single one takes all of it. */
function problemsWithAmounts(
  document: Row<"documents">,
  references: DocumentParts["references"],
  referenced: ReadonlyMap<string, Row<"documents">>,
): Problem[] {
  if (references.length === 1 && references[0]?.amount_cents === null) return [];
  const missing = references.flatMap(({ amount_cents }, i) =>
    amount_cents === null ? [problem(`references[${i}].amount`, t.is_required_with_several)] : [],
  );
  if (missing.length > 0) return missing;
  const amounts_cents = Math.abs(namedCents(document, references, referenced));
  const gross_cents = document.total_gross_cents;
  return amounts_cents === gross_cents
    ? []
    : [problem("references", t.amounts_differ_from_total({ amounts_cents, gross_cents }))];
}

/**
 * What a document names of others, in cents: all of its total where it gives no amount. On a receipt, what it names of
 * credit notes is taken off.
 */
export function namedCents(
  document: Pick<Row<"documents">, "doc_type" | "total_gross_cents">,
  references: DocumentParts["references"],
  referenced: ReadonlyMap<string, Pick<Row<"documents">, "doc_type">>,
): number {
  return references.reduce((sum, { referenced_id, amount_cents }) => {
    const named = referenced.get(referenced_id);
    const sign = named && isReceipt(document) ? signOnReceipt(named.doc_type) : 1;
    return sum + sign * (amount_cents ?? document.total_gross_cents);
  }, 0);
}

/** The amount of a reference and that of its lines are each rounded twice per rate, net and tax. */
const ROUNDING_CENTS = 2;

/** If every line names its reference, the amount of a reference is the sum of its lines. */
function problemsWithShares(
  { global_discount_bps }: Row<"documents">,
  lines: DocumentParts["lines"],
  references: DocumentParts["references"],
): Problem[] {
  if (references.length < 2 || lines.some(({ reference_id }) => reference_id === null)) return [];
  return references.flatMap(({ referenced_id, amount_cents }, i) => {
    const own = lines.filter(({ reference_id }) => reference_id === referenced_id);
    const { total_gross_cents, groups } = totalsOf(own, global_discount_bps);
    const difference = Math.abs((amount_cents ?? total_gross_cents) - total_gross_cents);
    if (difference <= ROUNDING_CENTS * groups.length) return [];
    return [problem(`references[${i}].amount`, t.must_be_what_lines_come_to({ gross_cents: total_gross_cents }))];
  });
}

/** Refuses with `invalid_state` a referenced document that is not issued, or is cancelled. */
export function mustBeIssued({ number, status }: Row<"documents">): void {
  if (status === "issued") return;
  refuse("invalid_state", t.reference_must_be_issued({ number: number ?? t.this_one, state: t.state[status] }));
}

/** The references to freeze: a single one takes the whole gross, and every correction has a reason. */
export function frozenReferences(
  { doc_type, total_gross_cents }: Row<"documents">,
  references: DocumentParts["references"],
): DocumentParts["references"] {
  const { cap, corrects } = DOCUMENT_TYPES[doc_type];
  return references.map((reference) => ({
    ...reference,
    amount_cents: cap === null ? reference.amount_cents : (reference.amount_cents ?? total_gross_cents),
    reason: corrects ? (reference.reason ?? DEFAULT_CORRECTION_REASON) : reference.reason,
  }));
}

/** Cents credited on each document by live credit notes; documents without any are absent. */
export function creditedCentsByDocument(
  scope: ReadScope,
  document_ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return amountsOn(scope, document_ids, "NC");
}

/** Cents credited on one document by live credit notes. */
export async function creditedCentsOn({ db }: ReadScope, document_id: string): Promise<number> {
  return sumOfCents(await creditsOn(db, { document_id }));
}

const creditsOn = preparedSelect((db, { document_id }: { document_id: string }) =>
  db
    .selectFrom("document_references as reference")
    .innerJoin("documents as credit", "credit.id", "reference.document_id")
    .select("reference.amount_cents")
    .where("reference.referenced_id", "=", document_id)
    .where("credit.doc_type", "=", "NC")
    .where("credit.status", "=", "issued"),
);

/** Cents of each document that live receipts acknowledge; documents without any are absent. */
export function acknowledgedCentsByDocument(
  scope: ReadScope,
  document_ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return amountsOn(scope, document_ids, "RC");
}

/** Cents that live documents of one type name for each document. */
async function amountsOn(
  { db }: ReadScope,
  document_ids: readonly string[],
  doc_type: DocType,
): Promise<ReadonlyMap<string, number>> {
  if (document_ids.length === 0) return new Map();
  const rows = await sumsOn(db, { documents: listOf(document_ids), doc_type });
  return new Map(rows.map((row) => [row.referenced_id, row.cents]));
}

const sumsOn = preparedSelect((db, { documents, doc_type }: { documents: List; doc_type: DocType }) =>
  db
    .selectFrom("document_references as reference")
    .innerJoin("documents as referrer", "referrer.id", "reference.document_id")
    .select(["reference.referenced_id", (eb) => eb.fn.sum<number>("reference.amount_cents").as("cents")])
    .where("reference.referenced_id", "in", valuesOf(documents))
    .where("referrer.doc_type", "=", doc_type)
    .where("referrer.status", "=", "issued")
    .groupBy("reference.referenced_id"),
);

/**
 * The live documents of one type that name each of these, with their parts; documents without any are absent. Refuses
 * with `invalid_state` if they have more lines than can be compared.
 */
export async function liveDocumentsOn(
  scope: ReadScope,
  document_ids: readonly string[],
  doc_type: "NC" | "RC",
): Promise<ReadonlyMap<string, (DocumentParts & { readonly global_discount_bps: number })[]>> {
  const rows = await liveOn(scope.db, { documents: listOf(document_ids), doc_type });
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map(({ id }) => id))];
  if (await haveManyLines(scope, ids)) {
    refuse("invalid_state", t.credits_have_too_many_lines({ max: MAX_LINES_COMPARED }));
  }
  const parts = await partsOf(scope, ids);
  const credits = Map.groupBy(rows, ({ referenced_id }) => referenced_id);
  return new Map(
    Array.from(credits, ([referenced_id, notes]) => [
      referenced_id,
      notes.map(({ id, global_discount_bps }) => ({ ...(parts.get(id) as DocumentParts), global_discount_bps })),
    ]),
  );
}

const liveOn = preparedSelect((db, { documents, doc_type }: { documents: List; doc_type: DocType }) =>
  db
    .selectFrom("document_references as reference")
    .innerJoin("documents as referrer", "referrer.id", "reference.document_id")
    .select(["reference.referenced_id", "referrer.id", "referrer.global_discount_bps"])
    .where("reference.referenced_id", "in", valuesOf(documents))
    .where("referrer.doc_type", "=", doc_type)
    .where("referrer.status", "=", "issued"),
);

/** Whether any other document, drafts included, references this one. */
export async function isReferenced({ db }: ReadScope, document_id: string): Promise<boolean> {
  const row = await db
    .selectFrom("document_references")
    .select("document_id")
    .where("referenced_id", "=", document_id)
    .where("document_id", "<>", document_id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The number of a live document that references this one, or undefined. */
export async function liveReferrer({ db }: ReadScope, document_id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("document_references as reference")
    .innerJoin("documents as referrer", "referrer.id", "reference.document_id")
    .select("referrer.number")
    .where("reference.referenced_id", "=", document_id)
    .where("referrer.status", "=", "issued")
    .limit(1)
    .executeTakeFirst();
  return row?.number ?? undefined;
}
