/** What falls due: issued documents by the day on which they are due, and what is outstanding on them. */
import { preparedSelect } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { isAfter, isJust } from "../database/words.ts";
import type { Day } from "../fiscal/civil-time.ts";
import type { ReadScope } from "../runtime/scope.ts";

/** A place in the order of documents by the day on which they are due. */
export interface DuePlace {
  readonly due_date: Day;
  readonly id: string;
}

/** A document with a day on which it is due. */
export interface DueDocument extends DuePlace {
  readonly doc_type: Row<"documents">["doc_type"];
  readonly customer_id: string;
  /** Null where nothing can be owed, as for training. */
  readonly outstanding_cents: number | null;
}

interface Span {
  readonly after: DuePlace;
  readonly to: Day;
  readonly limit: number;
}

/** Issued documents that are due after a place and until a day, in order; paid ones too, so that a call reads few. */
export async function dueDocuments({ db, company_id }: ReadScope, { after, to, limit }: Span): Promise<DueDocument[]> {
  return (await dueBetween(db, { company_id, ...after, to, limit })) as DueDocument[];
}

const dueBetween = preparedSelect(
  (db, { company_id, due_date, id, to, limit }: DuePlace & Omit<Span, "after"> & { readonly company_id: string }) =>
    db
      .selectFrom("documents")
      .leftJoin("balances", "balances.document_id", "documents.id")
      .select(["documents.id", "documents.doc_type", "documents.due_date", "documents.customer_id"])
      .select("balances.outstanding_cents")
      .where("documents.company_id", "=", company_id)
      .where(isJust("documents.status", "issued"))
      .where(isAfter(["documents.due_date", "documents.id"], [due_date, id]))
      .where("documents.due_date", "<=", to)
      .orderBy("documents.due_date")
      .orderBy("documents.id")
      .limit(limit),
);

/** What is outstanding on a document, in cents; null where nothing can be owed on it, as once it is cancelled. */
export async function outstandingOn({ db }: Pick<ReadScope, "db">, document_id: string): Promise<number | null> {
  return (await keptOn(db, { document_id }))[0]?.outstanding_cents ?? null;
}

const keptOn = preparedSelect((db, { document_id }: { document_id: string }) =>
  db.selectFrom("balances").select("outstanding_cents").where("document_id", "=", document_id),
);
