/** The product that a line names by the caller's own code instead of an id. */
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { type List, listOf, valuesOf } from "../database/words.ts";
import { says, text } from "../fields.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { ExternalId } from "./caller-data.ts";
import { t } from "./refusals.ts";

/** A product by one code of the caller's. */
export const ProductWithin = z
  .strictObject({ sku: text(100).optional(), external_id: ExternalId.optional() })
  .refine(({ sku, external_id }) => (sku === undefined) !== (external_id === undefined), says(t.must_have_one_code))
  .meta({
    id: "ProductWithin",
    description:
      "In place of product_id: the one product with this sku, or with this external_id; exactly one of them.",
    minProperties: 1,
    maxProperties: 1,
    example: { sku: "PAO-1" },
  });
export type ProductWithin = z.infer<typeof ProductWithin>;

/** The products in use with each code, by the code as `keyOf` writes it; codes without any are absent. */
export async function productsByCode(
  { db, company_id }: ReadScope,
  named: readonly ProductWithin[],
): Promise<ReadonlyMap<string, readonly Row<"products">[]>> {
  const skus = named.flatMap(({ sku }) => sku ?? []);
  const ids = named.flatMap(({ external_id }) => external_id ?? []);
  const found = [
    ...(skus.length === 0 ? [] : await bySku(db, { company_id, codes: listOf(new Set(skus)) })).map(
      (row) => [keyOf({ sku: row.sku ?? "" }), row] as const,
    ),
    ...(ids.length === 0 ? [] : await byExternalId(db, { company_id, codes: listOf(new Set(ids)) })).map(
      (row) => [keyOf({ external_id: row.external_id ?? "" }), row] as const,
    ),
  ];
  const byKey = Map.groupBy(found, ([key]) => key);
  return new Map(Array.from(byKey, ([key, pairs]) => [key, pairs.map(([, row]) => row)]));
}

/** A code with its kind, which no other code has. */
export const keyOf = ({ sku, external_id }: ProductWithin): string => JSON.stringify([sku, external_id]);

const inUseWith = (column: "sku" | "external_id") =>
  preparedSelect((db, { company_id, codes }: { readonly company_id: string; readonly codes: List }) =>
    db
      .selectFrom("products")
      .selectAll()
      .where("company_id", "=", company_id)
      .where(column, "in", valuesOf(codes))
      .where("archived_at", "is", null),
  );

const bySku = inUseWith("sku");
const byExternalId = inUseWith("external_id");
