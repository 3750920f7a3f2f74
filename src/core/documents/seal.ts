/** The sealed form of a document: every frozen field under its own name. Issuing and verifying share it. */
import { type Covered, coverage, newestOf } from "../database/columns.ts";
import { UNSEALED } from "../database/row-states.ts";
import { coveredIn, type Row } from "../database/tables.ts";
import type { Sealable, SealedDocument } from "../fiscal/chain.ts";
import type { DocumentParts } from "./parts.ts";

/** The columns that a seal covers, of a document and of its parts. */
export const SEALED = {
  document: coveredIn("documents", UNSEALED),
  line: coveredIn("document_lines", ["document_id"]),
  payment: coveredIn("document_payments", ["document_id"]),
  reference: coveredIn("document_references", ["document_id"]),
} as const;

/** The version by which documents are sealed today. */
export const SEAL_VERSION = newestOf(Object.values(SEALED).flat());

const PARTS = ["lines", "payments", "references"].map((name) => ({ name, since: 1 }));

const documentForm = formOf([...SEALED.document, ...PARTS]);
const lineForm = formOf(SEALED.line);
const paymentForm = formOf(SEALED.payment);
const referenceForm = formOf(SEALED.reference);

type Form = Record<string, Sealable>;

/** Members are sorted once, here, so that no seal sorts them again. */
function formOf(columns: readonly Covered[]): (version: number, row: object) => Form {
  const covered = coverage(columns);
  return (version, row) => {
    const form: Form = {};
    for (const name of covered(version, row)) form[name] = row[name as keyof typeof row];
    return form;
  };
}

/**
 * The fields of a document and its parts that a version of the seal covers, as stored: cents, micros and basis points,
 * never decimals.
 */
export function frozenForm(
  row: Omit<Row<"documents">, (typeof UNSEALED)[number]>,
  { lines, references, payments }: DocumentParts,
  version: number = SEAL_VERSION,
): SealedDocument {
  return documentForm(version, {
    ...row,
    lines: lines.map((line) => lineForm(version, line)),
    payments: payments.map((payment) => paymentForm(version, payment)),
    references: references.map((reference) => referenceForm(version, reference)),
  });
}
