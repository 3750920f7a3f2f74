/** Fills the document being written: from a draft, from another document, or from a reference. */
import { batch } from "@preact/signals";
import type { Document, DocumentSummary, Product } from "../../core/face.ts";
import { type DocumentType, isReceipt } from "../../core/fiscal/document-types.ts";
import { lacre } from "../reading/api.ts";
import { isFinalConsumer } from "../reading/customer-names.ts";
import { typedMoney, typedNumber } from "../words/decimals.ts";
import { type LineStart, newLine } from "./line.ts";
import { receiptable, referringTo } from "./standing.ts";
import type { SentDocument } from "./submission.ts";
import { type Chosen, PLACE, type Reference, referenceTo, type Writing, writesReceipt } from "./writing.ts";

/** What can be copied: a document as it was read, or as it was sent. */
type Source = Pick<
  SentDocument,
  "global_discount_pct" | "global_discount_amount" | "due_date" | "valid_until" | "supply_date" | "notes" | "transport"
> & {
  readonly lines: SentDocument["lines"];
};

function startOf(line: Source["lines"][number], products: ReadonlyMap<string, Product>): LineStart {
  const product = products.get(line.product_id ?? "");
  return {
    description: line.description,
    qty: line.qty,
    price:
      line.unit_price_gross == null
        ? { value: line.unit_price_net ?? 0, withVat: false }
        : { value: line.unit_price_gross, withVat: true },
    tax_rate: line.tax_rate,
    discount_pct: line.discount_pct ?? 0,
    discount_amount: line.discount_amount ?? null,
    unit: line.unit ?? "",
    product_id: line.product_id ?? null,
    exemption_code: line.exemption_code ?? null,
    usual_exemption: product?.exemption_code ?? null,
    sku: product?.sku ?? null,
    rest: {
      ...(line.type && !line.product_id && { type: line.type }),
      ...(line.supply_date && { supply_date: line.supply_date }),
    },
  };
}

/** The most products that are read to fill a document; further lines are shown without their codes. */
const MAX_PRODUCTS = 60;

async function productsOf(lines: Source["lines"]): Promise<ReadonlyMap<string, Product>> {
  const ids = [...new Set(lines.flatMap(({ product_id }) => product_id ?? []))].slice(0, MAX_PRODUCTS);
  const found = await Promise.all(ids.map((id) => lacre.products.get({ id }).catch(() => undefined)));
  return new Map(found.flatMap((product) => (product ? [[product.id, product]] : [])));
}

/** A customer as a document names them; undefined if they cannot be read. */
export async function customerOf(id: string): Promise<Chosen | undefined> {
  const customer = await lacre.customers.get({ id }).catch(() => undefined);
  return customer && isFinalConsumer(customer) ? "final_consumer" : customer;
}

/** Fills it with a draft, or with a document that was sent and refused. */
export async function fill(writing: Writing, source: SentDocument | Document): Promise<void> {
  const lines = source.lines;
  const [products, customer, references] = await Promise.all([
    productsOf(lines),
    customerOf(source.customer_id),
    Promise.all((source.references ?? []).map(({ document_id }) => lacre.documents.get({ id: document_id }))),
  ]);
  batch(() => {
    writing.doc_type.value = source.doc_type;
    writing.customer.value = customer;
    writing.references.value = references.map((document, index) => {
      const { amount, reason } = source.references?.[index] ?? {};
      return referenceTo(document, amount ? typedMoney(amount) : "", reason ?? "");
    });
    writing.lines.value = isReceipt(source)
      ? []
      : lines.map((line) =>
          newLine({
            ...startOf(line, products),
            of:
              line.reference_id && line.reference_line
                ? { document_id: line.reference_id, line: line.reference_line }
                : undefined,
          }),
        );
    fillDetails(writing, source);
    writing.issue_date.value = source.issue_date;
    writing.series_id.value = source.series_id;
    writing.payments.value = "payments" in source ? (source.payments ?? []) : [];
  });
}

function fillDetails(writing: Writing, source: SentDocument | Document): void {
  fillDiscount(writing, source);
  writing.due_date.value = source.due_date ?? "";
  writing.valid_until.value = source.valid_until ?? "";
  writing.supply_date.value = source.supply_date ?? "";
  writing.notes.value = source.notes ?? "";
  const { start_at, end_at, vehicle, from, to } = source.transport ?? {};
  writing.transport.travels.value = source.transport != null;
  writing.transport.start_at.value = localTime(start_at);
  writing.transport.end_at.value = localTime(end_at);
  writing.transport.vehicle.value = vehicle ?? "";
  for (const field of PLACE) {
    writing.transport.from[field].value = from?.[field] ?? "";
    writing.transport.to[field].value = to?.[field] ?? "";
  }
}

function fillDiscount(writing: Writing, { global_discount_pct, global_discount_amount = null }: Discounted): void {
  writing.discount.value = global_discount_pct ? typedNumber(global_discount_pct) : "";
  writing.discount_amount.value = global_discount_amount;
}

type Discounted = Pick<Source, "global_discount_pct" | "global_discount_amount">;

/** The days of another document, which a copy leaves out. */
const UNDATED = { due_date: null, valid_until: null, supply_date: null };

/** Fills it with the content of another document, of today and under no reference. */
export async function copy(writing: Writing, source: Document): Promise<void> {
  const { doc_type, issue_date } = writing;
  const [type, today] = [doc_type.value, issue_date.value];
  await fill(writing, { ...source, references: [], ...UNDATED, transport: null });
  batch(() => {
    doc_type.value = type;
    issue_date.value = today;
    writing.series_id.value = "";
    writing.payments.value = [];
    writing.lines.value = writing.lines.value.map(({ start: { of: _, rest: __, ...start } }) => newLine(start));
  });
}

/** An instant as a field of date and time takes it. */
function localTime(instant: string | null | undefined): string {
  if (!instant) return "";
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * Adds a reference, and takes over its customer, and its lines if there are none yet. A receipt takes the amount that
 * no receipt acknowledges yet, with the means that were recorded last.
 */
export async function addReference(writing: Writing, summary: DocumentSummary): Promise<void> {
  if (writing.references.value.some(({ document }) => document.id === summary.id)) return;
  const isAcknowledged = writesReceipt(writing);
  const found = lacre.documents.get({ id: summary.id });
  const left = isAcknowledged ? receiptable(summary, await referringTo(summary.id)) : summary.total_gross;
  const reference = referenceTo(summary, typedMoney(left));
  const { payments } = await found;
  const source = isAcknowledged ? undefined : await found;
  const products = await productsOf(source?.lines ?? []);
  const customer = await customerOf(summary.customer_id);
  batch(() => {
    const { customer: chosen, lines, references, type } = writing;
    if (references.value.length === 0 || chosen.value === undefined) chosen.value = customer;
    const isFirst = lines.value.length === 0;
    references.value = [...references.value, reference];
    const [latest] = payments;
    if (isAcknowledged && latest && writing.payments.value.length === 0) {
      writing.payments.value = [{ method_code: latest.method_code, amount: left }];
    }
    if (!source || addsOnly(type.value)) return;
    if (isFirst) fillDiscount(writing, source);
    const prices = type.value.has_transport || source.total_gross > 0 ? undefined : products;
    const copied = source.lines.map((line, index) => {
      const start = startOf(line, products);
      // A guide without prices says what was delivered, not what it costs.
      const product = prices?.get(line.product_id ?? "");
      return newLine({
        ...start,
        ...(product && { price: { value: product.unit_price_net, withVat: false }, tax_rate: product.tax_rate }),
        of: { document_id: summary.id, line: index + 1 },
      });
    });
    lines.value = [...lines.value, ...copied];
  });
}

/**
 * Whether it only adds to the document that it corrects: a debit note begins empty, or everything would be charged
 * again.
 */
const addsOnly = ({ corrects, line_side }: DocumentType): boolean => corrects && line_side === "credit";

/** Removes a reference, with the lines that came from it. */
export function removeReference(writing: Writing, { document }: Reference): void {
  batch(() => {
    writing.references.value = writing.references.value.filter((one) => one.document.id !== document.id);
    writing.lines.value = writing.lines.value.filter(({ start }) => start.of?.document_id !== document.id);
  });
}
