/** The context of a draft: everything it names, and its company. Drafting reads it to check, issuing to decide. */
import { mustFindCompany } from "../company/companies.ts";
import { sideBySide } from "../database/savepoint.ts";
import type { Row } from "../database/tables.ts";
import { DOCUMENT_TYPES, type DocType } from "../fiscal/document-types.ts";
import { findCustomer } from "../records/customers.ts";
import { findProducts } from "../records/products.ts";
import { problem, refuseInput } from "../runtime/errors.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { findSeries } from "../series/series.ts";
import type { Issuer } from "./document.ts";
import { parseIssuer } from "./frozen.ts";
import { haveManyLines, MAX_LINES_COMPARED, partsOf } from "./parts.ts";
import { t } from "./refusals.ts";
import { findDocuments } from "./rows.ts";

/** The type and date of a draft, everything it names, and its company; ids unknown to the company are absent. */
export interface DraftContext extends Pick<Row<"documents">, "doc_type" | "issue_date"> {
  readonly company: Row<"companies">;
  readonly series: Row<"series"> | undefined;
  readonly customer: Row<"customers"> | undefined;
  readonly products: ReadonlyMap<string, Row<"products">>;
  readonly referenced: ReadonlyMap<string, Row<"documents">>;
  /** The documents a correction corrects, in its order; empty for other types. */
  readonly corrected: readonly CorrectedDocument[];
}

/** Reads the context of a draft, before or after it is stored. */
export async function readContext(
  scope: ReadScope,
  {
    doc_type,
    issue_date,
    series_id,
    customer_id,
  }: Pick<Row<"documents">, "doc_type" | "issue_date" | "series_id" | "customer_id">,
  parts: {
    readonly lines: readonly { readonly product_id?: string | null | undefined }[];
    readonly references: readonly Pick<Row<"document_references">, "referenced_id">[];
  },
): Promise<DraftContext> {
  const { lines, references } = parts;
  const [referenced, company, series, customer, products] = await sideBySide([
    findDocuments(
      scope,
      references.map(({ referenced_id }) => referenced_id),
    ),
    mustFindCompany(scope),
    findSeries(scope, series_id),
    findCustomer(scope, customer_id),
    findProducts(
      scope,
      lines.flatMap(({ product_id }) => product_id ?? []),
    ),
  ]);
  const corrected = await readCorrected(scope, doc_type, references, referenced);
  return { doc_type, issue_date, company, series, customer, products, referenced, corrected };
}

/** A document that another corrects, with its lines. */
export interface CorrectedDocument {
  readonly row: Row<"documents">;
  /** Null while it is a draft itself. */
  readonly issuer: Issuer | null;
  readonly lines: readonly Row<"document_lines">[];
}

/** The corrected documents among those that a draft references. */
async function readCorrected(
  scope: ReadScope,
  doc_type: DocType,
  references: readonly Pick<Row<"document_references">, "referenced_id">[],
  referenced: ReadonlyMap<string, Row<"documents">>,
): Promise<CorrectedDocument[]> {
  if (!DOCUMENT_TYPES[doc_type].corrects || referenced.size === 0) return [];
  const ids = [...referenced.keys()];
  if (await haveManyLines(scope, ids)) {
    refuseInput([problem("references", t.name_too_many_lines({ max: MAX_LINES_COMPARED }))]);
  }
  const parts = await partsOf(scope, ids);
  return references.flatMap(({ referenced_id }) => {
    const row = referenced.get(referenced_id);
    if (!row) return [];
    const issuer = row.issuer === null ? null : parseIssuer(row.issuer);
    return [{ row, issuer, lines: parts.get(referenced_id)?.lines ?? [] }];
  });
}
