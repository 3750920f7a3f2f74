/** The parts of a document: its lines, its references, and its planned payments. */
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import { sideBySide } from "../database/savepoint.ts";
import type { Row } from "../database/tables.ts";
import { type List, listOf, valuesOf } from "../database/words.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";

/** The parts of one document, each kind in order. */
export interface DocumentParts {
  readonly lines: readonly Row<"document_lines">[];
  readonly references: readonly Row<"document_references">[];
  readonly payments: readonly Row<"document_payments">[];
}

/** The lines of a document that are about one of those it names: all lines, if it names no other. */
export function linesAbout(
  id: string,
  {
    lines,
    references,
  }: {
    readonly lines: readonly Row<"document_lines">[];
    readonly references: readonly Pick<Row<"document_references">, "referenced_id">[];
  },
): readonly Row<"document_lines">[] {
  return references.length === 1 ? lines : lines.filter(({ reference_id }) => reference_id === id);
}

/** Reads, stores and removes the parts of one kind. */
function partsIn<Name extends "document_lines" | "document_references" | "document_payments">(
  name: Name,
  order: Name extends "document_lines" ? "line_number" : "position",
) {
  // All three tables have these columns; Kysely cannot see that through a generic name.
  const table = name as "document_references";
  const column = order as "position";
  const ofOne = preparedSelect((db, { document_id }: { document_id: string }) =>
    db.selectFrom(table).selectAll().where("document_id", "=", document_id).orderBy(column),
  );
  const ofSeveral = preparedSelect((db, { documents }: { documents: List }) =>
    db
      .selectFrom(table)
      .selectAll()
      .where("document_id", "in", valuesOf(documents))
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

/** The most lines that a correction is compared with: those of its documents, and those of their credit notes. */
export const MAX_LINES_COMPARED = 20_000;

/** Whether these documents have more lines than can be compared; it reads no more than that. */
export async function haveManyLines({ db }: ReadScope, ids: readonly string[]): Promise<boolean> {
  const [some] = await someLines(db, { documents: listOf(ids), count: MAX_LINES_COMPARED + 1 });
  return (some?.found ?? 0) > MAX_LINES_COMPARED;
}

const someLines = preparedSelect((db, { documents, count }: { documents: List; count: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("document_lines")
        .select("line_number")
        .where("document_id", "in", valuesOf(documents))
        .limit(count)
        .as("some"),
    )
    .select((eb) => eb.fn.countAll<number>().as("found")),
);

/** The lines of several documents, by document, each in order. */
export function linesOf(
  scope: ReadScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row<"document_lines">[]>> {
  return LINES.byDocument(scope, ids);
}

/** The numbers of lines of several documents, by document. */
export async function lineCountsOf({ db }: ReadScope, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const counts = await countsOf(db, { documents: listOf(ids) });
  return new Map(counts.map(({ document_id, lines }) => [document_id, Number(lines)]));
}

const countsOf = preparedSelect((db, { documents }: { documents: List }) =>
  db
    .selectFrom("document_lines")
    .select(["document_id", (eb) => eb.fn.countAll<number>().as("lines")])
    .where("document_id", "in", valuesOf(documents))
    .groupBy("document_id"),
);

/** The parts every document shows. */
export type Content = Pick<DocumentParts, "lines" | "references">;

/** The lines and references of one document. */
export async function findContent(scope: ReadScope, { id }: Pick<Row<"documents">, "id">): Promise<Content> {
  const [lines, references] = await sideBySide([LINES.of(scope, id), REFERENCES.of(scope, id)]);
  return { lines, references };
}

/** The payments made at issue, or planned on a draft. */
export function findPlannedPayments(
  scope: ReadScope,
  { id }: Pick<Row<"documents">, "id">,
): Promise<Row<"document_payments">[]> {
  return PLANNED_PAYMENTS.of(scope, id);
}

/** All parts of one document. */
export async function findParts(scope: ReadScope, row: Pick<Row<"documents">, "id">): Promise<DocumentParts> {
  const [content, payments] = await sideBySide([findContent(scope, row), findPlannedPayments(scope, row)]);
  return { ...content, payments };
}

/** The references of several documents, by document, each in order; documents without any are absent. */
export function referencesOf(
  scope: ReadScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row<"document_references">[]>> {
  return REFERENCES.byDocument(scope, ids);
}

/** Parts that belong to no document yet. */
export interface NewParts {
  readonly lines: readonly Omit<Row<"document_lines">, "document_id">[];
  readonly references: readonly Omit<Row<"document_references">, "document_id">[];
  readonly payments: readonly Omit<Row<"document_payments">, "document_id" | "payment_id">[];
}

/** Gives new parts the id of their document, and payments one of their own. */
export function partsOn(
  document_id: string,
  { lines, references, payments }: NewParts,
  newId: () => string,
): DocumentParts {
  const own = <Part extends object>(part: Part) => ({ document_id, ...part });
  return {
    lines: lines.map(own),
    references: references.map(own),
    payments: payments.map((payment) => ({ ...own(payment), payment_id: newId() })),
  };
}

/** Stores parts of a draft, or of a document that is stored after them. */
export async function insertParts(scope: WriteScope, parts: Partial<DocumentParts>): Promise<void> {
  await LINES.insert(scope, parts.lines);
  await REFERENCES.insert(scope, parts.references);
  await PLANNED_PAYMENTS.insert(scope, parts.payments);
}

/** Replaces the parts of a draft; kinds that are left out stay as they are. */
export async function replaceParts(
  scope: WriteScope,
  document_id: string,
  parts: Partial<DocumentParts>,
): Promise<void> {
  await deleteParts(scope, document_id, Object.keys(parts) as (keyof DocumentParts)[]);
  await insertParts(scope, parts);
}

/** Removes the parts of a draft: the kinds named, or all. */
export async function deleteParts(
  scope: WriteScope,
  document_id: string,
  kinds: readonly (keyof DocumentParts)[] = ["lines", "references", "payments"],
): Promise<void> {
  for (const kind of kinds) await PARTS[kind].remove(scope, document_id);
}
