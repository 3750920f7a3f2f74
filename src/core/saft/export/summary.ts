/** The summary of a file, for people: documents and amounts by type, and VAT by region and rate, in cents as issued. */
import { CASH_VAT_RECEIPT, salesSign } from "../../fiscal/document-types.ts";
import { groupKey, inGroupOrder, type TaxGroup, totalsOf } from "../../fiscal/totals.ts";
import type { SaftTable } from "../vocabulary.ts";
import type { ExportedDocument } from "./types.ts";

/** The documents of one of the tax authority's types. Amounts leave out cancelled ones. */
export interface TypeSum {
  readonly type: string;
  documents: number;
  cancelled: number;
  lines: number;
  net_cents: number;
  tax_cents: number;
  gross_cents: number;
}

/** An empty summary. */
export function newSummary() {
  const types = new Map<string, TypeSum>();
  const [invoiced, received] = [new Map<string, TaxGroup>(), new Map<string, TaxGroup>()];
  return {
    /**
     * Adds a document of a table; the file shows it with as many lines. Credit notes count against the VAT, receipts of
     * the cash-VAT scheme for it.
     */
    add(table: SaftTable, { row, at_type, lines }: ExportedDocument, line_count: number): void {
      const sum = types.get(at_type) ?? newSum(at_type);
      types.set(at_type, sum);
      sum.documents++;
      sum.lines += line_count;
      if (row.status === "cancelled") {
        sum.cancelled++;
        return;
      }
      sum.net_cents += row.total_net_cents;
      sum.tax_cents += row.total_tax_cents;
      sum.gross_cents += row.total_gross_cents;
      const vat = table === "SalesInvoices" ? invoiced : at_type === CASH_VAT_RECEIPT ? received : undefined;
      if (!vat) return;
      const sign = salesSign(row.doc_type) || 1;
      for (const group of totalsOf(lines, row.global_discount_bps).groups) addGroup(vat, group, sign);
    },
    types: (): TypeSum[] => [...types.values()],
    /** The VAT of invoices less credit notes, by region, code and rate. */
    vat: () => [...invoiced.values()].sort(inGroupOrder),
    /** The VAT of receipts of the cash-VAT scheme, in which it falls due on payment. */
    vatReceived: () => [...received.values()].sort(inGroupOrder),
  };
}

export type Summary = ReturnType<typeof newSummary>;

const newSum = (type: string): TypeSum => {
  const amounts = { net_cents: 0, tax_cents: 0, gross_cents: 0 };
  return { type, documents: 0, cancelled: 0, lines: 0, ...amounts };
};

function addGroup(sums: Map<string, TaxGroup>, group: TaxGroup, sign: number): void {
  const key = groupKey(group);
  const { net_cents, tax_cents } = sums.get(key) ?? { net_cents: 0, tax_cents: 0 };
  sums.set(key, {
    ...group,
    net_cents: net_cents + sign * group.net_cents,
    tax_cents: tax_cents + sign * group.tax_cents,
  });
}
