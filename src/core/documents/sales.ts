/**
 * Sales by month and rate. Issuing adds the base and tax of a document's groups to the sums of its month, and
 * cancelling subtracts them, in the same transaction: reading them costs the same however many documents there are.
 * `verify` recounts them. Training documents, receipts, guides, returns and quotations are not sales.
 */
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { eventsAfter } from "../events/events.ts";
import { monthOf } from "../fiscal/civil-time.ts";
import { salesSign } from "../fiscal/document-types.ts";
import { fromBps } from "../fiscal/money.ts";
import { type AmountLine, type TaxGroup, totalsOf } from "../fiscal/totals.ts";
import type { TaxCode, TaxRegion } from "../fiscal/vat-rates.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";

type Sold = Pick<Row<"documents">, "id" | "doc_type" | "issue_date" | "training" | "status" | "global_discount_bps">;

const isSale = ({ doc_type, training }: Sold): boolean => training === 0 && salesSign(doc_type) !== 0;

/** Adds an issued document to the sums of its month. */
export async function addSale(scope: WriteScope, row: Sold, groups: readonly TaxGroup[]): Promise<void> {
  if (!isSale(row)) return;
  for (const group of groups) await addGroup(scope, row, group, 1);
}

/** Subtracts a cancelled document from the sums of the month in which it was issued. */
export async function removeSale(scope: WriteScope, row: Sold, lines: readonly AmountLine[]): Promise<void> {
  if (!isSale(row)) return;
  for (const group of totalsOf(lines, row.global_discount_bps).groups) await addGroup(scope, row, group, -1);
}

async function addGroup(
  { db, company_id }: WriteScope,
  { doc_type, issue_date }: Sold,
  { tax_region, tax_code, tax_rate_bps, net_cents, tax_cents }: TaxGroup,
  by: 1 | -1,
): Promise<void> {
  await addToSum(db, {
    company_id,
    month: monthOf(issue_date),
    doc_type,
    // A line of a sale always has both.
    tax_region: tax_region as TaxRegion,
    tax_code: tax_code as TaxCode,
    tax_rate_bps,
    net_cents: by * net_cents,
    tax_cents: by * tax_cents,
  });
}

const addToSum = preparedWrite((db, row: Row<"sales_sums">) =>
  db
    .insertInto("sales_sums")
    .values(row)
    .onConflict((existing) =>
      existing
        .columns(["company_id", "month", "doc_type", "tax_region", "tax_code", "tax_rate_bps"])
        .doUpdateSet(({ eb, ref }) => ({
          net_cents: eb("sales_sums.net_cents", "+", ref("excluded.net_cents")),
          tax_cents: eb("sales_sums.tax_cents", "+", ref("excluded.tax_cents")),
        })),
    ),
);

/** Sales of one type at one rate in one month; credit notes count negative. */
export type Sales = Omit<Row<"sales_sums">, "company_id">;

/** The sales from one month through another, by month, type and rate. */
export async function salesBetween({ db, company_id }: ReadScope, from: string, to: string): Promise<Sales[]> {
  const rows = await sumsBetween(db, { company_id, from, to });
  return rows.map(({ net_cents, tax_cents, ...kept }) => {
    const sign = salesSign(kept.doc_type);
    return { ...kept, net_cents: sign * Number(net_cents), tax_cents: sign * Number(tax_cents) };
  });
}

const sumsBetween = preparedSelect((db, { company_id, from, to }: { company_id: string; from: string; to: string }) =>
  db
    .selectFrom("sales_sums")
    .select(["month", "doc_type", "tax_region", "tax_code", "tax_rate_bps"])
    .select(({ cast }) => [
      // As text: a sum may exceed 2^53, where one driver throws.
      cast<string>("net_cents", "text").as("net_cents"),
      cast<string>("tax_cents", "text").as("tax_cents"),
    ])
    .where("company_id", "=", company_id)
    .where("month", ">=", from)
    .where("month", "<=", to),
);

// ——— The recount ———

/** A document of the recount. */
export interface Recounted {
  readonly row: Sold;
  readonly lines: readonly AmountLine[];
}

/**
 * Recounts the sums of a company as of an event, while others issue and cancel. Pass every document with a number to
 * `add`, a few at a time, right after reading them.
 */
export function salesRecount({ db, company_id }: Pick<ReadScope, "db" | "company_id">, event_position: number) {
  const sums = new Map<string, [net: bigint, tax: bigint]>();
  const [issuedSince, cancelledSince] = [new Set<string | null>(), new Set<string | null>()];
  let seen = event_position;

  /** Called after documents were read: by then the record holds any later event that they already show. */
  async function followEvents(): Promise<void> {
    for (let events = await eventsAfter(db, company_id, seen); events.length > 0; ) {
      for (const { action, resource_id, position } of events) {
        if (action === "document.issued") issuedSince.add(resource_id);
        if (action === "document.cancelled") cancelledSince.add(resource_id);
        seen = position;
      }
      events = await eventsAfter(db, company_id, seen);
    }
  }

  return {
    async add(documents: readonly Recounted[]): Promise<void> {
      await followEvents();
      for (const { row, lines } of documents) {
        if (!isSale(row) || issuedSince.has(row.id)) continue;
        if (row.status !== "issued" && !cancelledSince.has(row.id)) continue;
        for (const group of totalsOf(lines, row.global_discount_bps).groups) {
          const key = keyOf({ ...group, doc_type: row.doc_type, month: monthOf(row.issue_date) });
          const [net, tax] = sums.get(key) ?? [0n, 0n];
          sums.set(key, [net + BigInt(group.net_cents), tax + BigInt(group.tax_cents)]);
        }
      }
    },
    /** The first stored sum that the recount contradicts. */
    faultOf(kept: readonly KeptSales[]): string | null {
      const keptByKey = new Map(kept.map((sum) => [keyOf(sum), `${sum.net_cents} ${sum.tax_cents}`]));
      const wrong = [...new Set([...keptByKey.keys(), ...sums.keys()])].sort().find((key) => {
        const [net, tax] = sums.get(key) ?? [0n, 0n];
        return (keptByKey.get(key) ?? "0 0") !== `${net} ${tax}`;
      });
      return wrong === undefined ? null : `The sales kept of ${wrong} are not those of its documents.`;
    },
  };
}

/** A stored sum, its cents as text. */
export type KeptSales = Omit<Sales, "net_cents" | "tax_cents"> & {
  readonly net_cents: string;
  readonly tax_cents: string;
};

type Key = Pick<TaxGroup, "tax_region" | "tax_code" | "tax_rate_bps"> & Pick<Sales, "doc_type" | "month">;

const keyOf = ({ month, doc_type, tax_region, tax_code, tax_rate_bps }: Key): string =>
  `${doc_type} in ${month} (${tax_region} ${tax_code}, ${fromBps(tax_rate_bps)} %)`;
