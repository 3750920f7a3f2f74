/** Rows of documents: finding them, checking their state, storing them. */
import { type List, listOf, preparedSelect, preparedWrite, valuesOf } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { allows, type Verb } from "../fiscal/lifecycle.ts";
import { refuse } from "../runtime/errors.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";

const documentById = preparedSelect((db, { id, company_id }: { id: string; company_id: string }) =>
  db.selectFrom("documents").selectAll().where("id", "=", id).where("company_id", "=", company_id),
);

/** A document's row. Refuses with `not_found` when the company has none with this id. */
export async function mustFindDocument({ db, company_id }: ReadScope, id: string): Promise<Row<"documents">> {
  const [row] = await documentById(db, { id, company_id });
  return row ?? refuse("not_found", "no_such_document");
}

/** Stores the row of a new document, a draft or one that is issued at once. */
export const insertDocument = preparedWrite((db, row: Row<"documents">) => db.insertInto("documents").values(row));

/** Refuses with `invalid_state` unless the document's state allows the verb. */
export function mustAllow(verb: Verb, { status }: Row<"documents">): void {
  if (!allows(verb, status)) refuse("invalid_state", "status_forbids", { verb, status });
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
  db.selectFrom("documents").selectAll().where("company_id", "=", company_id).where("id", "in", valuesOf(ids)),
);
