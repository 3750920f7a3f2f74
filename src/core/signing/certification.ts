/** The certification of the program: the tax authority's number for it, and the producer. */
import { preparedSelect } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { problem, refuseInput } from "../runtime/errors.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { PRODUCER } from "./producer.ts";
import { t } from "./refusals.ts";

/** The certificate number (0 for none) and the producer of the program, if set. */
export interface Certification {
  readonly certificate_number: number;
  readonly producer: { readonly name: string; readonly tax_id: string } | null;
}

/** The current certification, the build's own before the installation's; issuing a document freezes it. */
export async function certificationOf({ db }: Pick<ReadScope, "db">): Promise<Certification> {
  if (PRODUCER) {
    const { certificate_number, name, tax_id } = PRODUCER;
    return { certificate_number, producer: { name, tax_id } };
  }
  const [row] = await certificationRow(db, {});
  if (!row) throw new Error("The installation has no row.");
  const { certificate_number, producer_name, producer_tax_id } = row;
  const isKnown = producer_name !== null && producer_tax_id !== null;
  return { certificate_number, producer: isKnown ? { name: producer_name, tax_id: producer_tax_id } : null };
}

const read = new WeakMap<object, Certification>();

/**
 * The same within a transaction, read once for all commands that share it: a change by another process counts from the
 * next transaction on.
 */
export async function certificationWithin({ db }: Pick<WriteScope, "db">): Promise<Certification> {
  const certification = read.get(db) ?? (await certificationOf({ db }));
  read.set(db, certification);
  return certification;
}

/** Whether a certificate number is set: the law then comes first (docs/law.md, "Two modes"). */
export async function isStrict(scope: Pick<ReadScope, "db">): Promise<boolean> {
  return (await certificationOf(scope)).certificate_number > 0;
}

const certificationRow = preparedSelect((db, _: object) =>
  db.selectFrom("installation").select(["certificate_number", "producer_name", "producer_tax_id"]),
);

/** Saves changes of the certification. A producer has a name and a tax number; one alone is `invalid_request`. */
export async function saveCertification(
  { db }: WriteScope,
  changes: Partial<Pick<Row<"installation">, "certificate_number" | "producer_name" | "producer_tax_id">>,
): Promise<void> {
  read.delete(db);
  const { producer_name, producer_tax_id } = await db
    .updateTable("installation")
    .set(changes)
    .returning(["producer_name", "producer_tax_id"])
    .executeTakeFirstOrThrow();
  if ((producer_name === null) === (producer_tax_id === null)) return;
  const path = producer_name === null ? "producer_name" : "producer_tax_id";
  refuseInput([problem(path, t.producer_is_incomplete)]);
}
