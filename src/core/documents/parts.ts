/** The parts of a document: its lines, its references, and the payments planned on it. */
import { amongst, type List, listOf, preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";

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
export async function findContent(scope: ReadScope, { id }: Pick<Row<"documents">, "id">): Promise<Content> {
  return { lines: await LINES.of(scope, id), references: await REFERENCES.of(scope, id) };
}

/** What was paid on the spot, or will have been when the draft is issued. */
export function findPlannedPayments(
  scope: ReadScope,
  { id }: Pick<Row<"documents">, "id">,
): Promise<Row<"document_payments">[]> {
  return PLANNED_PAYMENTS.of(scope, id);
}

/** All parts of one document. */
export async function findParts(scope: ReadScope, row: Pick<Row<"documents">, "id">): Promise<DocumentParts> {
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
