/** Rows of documents: finding them, checking their state, storing them. */
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { type List, listOf, untilCommit, valuesOf } from "../database/words.ts";
import { allows, type Verb } from "../fiscal/lifecycle.ts";
import { refuse } from "../runtime/errors.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { t } from "./refusals.ts";

const documentById = preparedSelect((db, { id, company_id }: { id: string; company_id: string }) =>
  db.selectFrom("documents").selectAll().where("id", "=", id).where("company_id", "=", company_id),
);

/** A document's row. Refuses with `not_found` when the company has none with this id. */
export async function mustFindDocument({ db, company_id }: ReadScope, id: string): Promise<Row<"documents">> {
  const [row] = await documentById(db, { id, company_id });
  return row ?? refuse("not_found", t.no_such_document);
}

/** Stores the row of a new document, a draft or one that is issued at once. */
export const insertDocument = preparedWrite((db, row: Row<"documents">) => db.insertInto("documents").values(row));

/** Refuses with `invalid_state` unless the document's state allows the verb. */
export function mustAllow(verb: Verb, { status }: Row<"documents">): void {
  if (!allows(verb, status)) refuse("invalid_state", t.status_forbids({ what: t.subject[status], done: t.done[verb] }));
}

/**
 * The document with this id, in a state that allows the verb, locked until the commit; refuses with `not_found` or
 * `invalid_state`.
 */
export async function claimDocument({ db, company_id }: WriteScope, id: string, verb: Verb): Promise<Row<"documents">> {
  const [document] = await claimById(db, { id, company_id });
  if (!document) return refuse("not_found", t.no_such_document);
  mustAllow(verb, document);
  return document;
}

/**
 * Another program that adds a part to a draft waits for its row, so the parts read next are the parts that are issued.
 */
const claimById = preparedSelect((db, { id, company_id }: { id: string; company_id: string }) =>
  db
    .selectFrom("documents")
    .selectAll()
    .where("id", "=", id)
    .where("company_id", "=", company_id)
    .modifyEnd(untilCommit()),
);

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

/** The ids of the newest documents to a customer, at most this many. */
export async function newestTo({ db, company_id }: ReadScope, customer_id: string, limit: number): Promise<string[]> {
  return (await newestIdsTo(db, { company_id, customer_id, limit })).map(({ id }) => id);
}

interface ToCustomer {
  readonly company_id: string;
  readonly customer_id: string;
  readonly limit: number;
}

const newestIdsTo = preparedSelect((db, { company_id, customer_id, limit }: ToCustomer) =>
  db
    .selectFrom("documents")
    .select("id")
    .where("company_id", "=", company_id)
    .where("customer_id", "=", customer_id)
    .orderBy("issue_date", "desc")
    .orderBy("id", "desc")
    .limit(limit),
);

/** The seal of the document with this sequence in a series; undefined if there is none. */
export async function sealAt(db: Reader, at: { series_id: string; sequence: number }): Promise<string | undefined> {
  return (await sealsAt(db, at))[0]?.seal ?? undefined;
}

const sealsAt = preparedSelect((db, { series_id, sequence }: { series_id: string; sequence: number }) =>
  db.selectFrom("documents").select("seal").where("series_id", "=", series_id).where("sequence", "=", sequence),
);

/** Whether the company issued a document, cancelled since or not; training does not count. */
export async function hasIssued({ db, company_id }: ReadScope): Promise<boolean> {
  const row = await db
    .selectFrom("documents")
    .select("id")
    .where("company_id", "=", company_id)
    .where("status", "in", ["issued", "cancelled"])
    .where("training", "=", 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a document was issued to this customer, cancelled since or not; training does not count. */
export async function hasIssuedTo({ db, company_id }: ReadScope, customer_id: string): Promise<boolean> {
  const row = await db
    .selectFrom("documents")
    .select("id")
    .where("company_id", "=", company_id)
    .where("customer_id", "=", customer_id)
    .where("status", "<>", "draft")
    .where("training", "=", 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a line of an issued document names this product; training does not count. */
export async function hasIssuedWith({ db }: ReadScope, product_id: string): Promise<boolean> {
  const row = await db
    .selectFrom("document_lines as line")
    .innerJoin("documents as document", "document.id", "line.document_id")
    .select("document.id")
    .where("line.product_id", "=", product_id)
    .where("document.status", "<>", "draft")
    .where("document.training", "=", 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
