/** One story of a shop's day, as operations. Every door must give the same answers. */
import type { Door, Outcome } from "./doors.ts";

/** The answer of a step, written so that two runs can be compared. */
export interface Step {
  readonly step: string;
  readonly outcome: Outcome;
}

type Input = Readonly<Record<string, unknown>>;

/** Runs the story through a door and returns the answers, ids and times replaced by tokens. */
export async function tell(door: Door, today: string): Promise<Step[]> {
  const steps: Step[] = [];

  async function step(sentence: string, operation: string, input: Input = {}, idempotency_key?: string) {
    const outcome = await door.call(operation, input, idempotency_key);
    steps.push({ step: sentence, outcome });
    return (outcome.answer ?? {}) as Record<string, never>;
  }

  const { data } = (await step("the company has a series per type", "listSeries")) as { data?: Input[] };
  const series = Object.fromEntries((data ?? []).map((row) => [row.doc_type, row.id]));

  const ana = await step("Ana becomes a customer", "createCustomer", { name: "Ana Conceição", tax_id: "PT999999990" });
  const bread = await step("bread gets a price", "createProduct", { name: "Pão", unit_price_net: 1.15, tax_rate: 6 });
  await step("a typo is named", "createCustomer", { name: "Rui", e_mail: "rui@example.com" });
  await step("a bad tax number is named", "createCustomer", { name: "Rui", tax_id: "123456780" });
  await step("the same number again is noticed", "createCustomer", { name: "Rui", tax_id: "501964843" });
  const eva = await step("and told", "createCustomer", { name: "Eva", tax_id: "501964843", due_days: 30 });
  await step("she is found by it", "listCustomers", { tax_id: "PT501964843" });
  const first = await step("a page ends", "listCustomers", { limit: 1 });
  const { next_cursor } = (first as { pagination?: { next_cursor?: string } }).pagination ?? {};
  await step("its cursor leads on", "listCustomers", { limit: 1, cursor: next_cursor });
  await step("in this list alone", "listProducts", { cursor: next_cursor });
  await step("some are asked for by their ids", "listCustomers", { ids: [eva.id, ana.id] });
  await step("search forgives accents", "listCustomers", { search: "conceicao" });

  const invoice = {
    doc_type: "FT",
    series_id: series.FT,
    issue_date: today,
    customer_id: ana.id,
    lines: [
      { description: "Bolo", qty: 1, unit_price_net: 55.55, tax_rate: 23 },
      { description: "Vela", qty: 1, unit_price_net: 11.11, tax_rate: 23 },
    ],
  };
  const draft = await step("an order becomes a draft", "createDocument", invoice);
  await step("the draft gains a line and a discount", "changeDraft", {
    id: draft.id,
    global_discount_pct: 10,
    lines: [...invoice.lines, { description: "Pão", qty: 3, unit_price_net: 1.15, tax_rate: 6, product_id: bread.id }],
  });
  const shown = await step("its preview", "previewDocument", { id: draft.id });
  await step("the preview of an order that is not stored, with amounts off", "previewNewDocument", {
    ...invoice,
    issue_date: "2020-01-01",
    lines: invoice.lines.map((line) => ({ ...line, discount_amount: 5.55 })),
    global_discount_amount: 1,
  });
  await step("nobody has seen this one", "issueDocument", { id: draft.id, digest: "1:0" });
  await step("the draft is changed after it was shown", "changeDraft", { id: draft.id, notes: "Obrigado" });
  await step("and is not issued as if it were the same", "issueDocument", { id: draft.id, digest: shown.digest });
  await step("it is issued", "issueDocument", { id: draft.id }, "order-1");
  await step("the same request again is the same answer", "issueDocument", { id: draft.id }, "order-1");
  await step("the key does not serve another request", "createDocument", invoice, "order-1");
  await step("an issued document is not issued twice", "issueDocument", { id: draft.id });
  await step("nor changed", "changeDraft", { id: draft.id, notes: "no" });
  await step("part of it is paid", "recordPayment", {
    id: draft.id,
    amount: 20,
    method_code: "MB",
    payment_date: today,
  });
  await step("more than the rest is refused", "recordPayment", {
    id: draft.id,
    amount: 1_000,
    method_code: "MB",
    payment_date: today,
  });
  await step("it cannot be cancelled while paid", "cancelDocument", { id: draft.id });

  const credit = await step("a cake comes back", "createDocument", {
    doc_type: "NC",
    series_id: series.NC,
    issue_date: today,
    customer_id: ana.id,
    references: [{ document_id: draft.id, reason: "Devolução" }],
    lines: [{ description: "Bolo", qty: 1, unit_price_net: 10, tax_rate: 23 }],
    issue: true,
  });
  await step("the balance shows both", "getDocument", { id: draft.id });
  await step("the customer gets nothing back, as nothing was paid too much", "recordPayment", {
    id: credit.id,
    amount: 1,
    method_code: "NU",
    payment_date: today,
    kind: "refund",
  });
  await step("both are read with their lines", "listDocuments", { ids: [credit.id, draft.id], expand: "lines" });
  await step("the credit note was a mistake", "cancelDocument", { id: credit.id, reason: "Engano" });
  await step("the balance forgets it", "getDocument", { id: draft.id });

  const money = { method_code: "NU", payment_date: today };
  const receipt = await step("a receipt records what is left", "createDocument", {
    doc_type: "RC",
    series_id: series.RC,
    issue_date: today,
    customer_id: ana.id,
    references: [{ document_id: draft.id }],
    lines: [{ description: "Recebimento", qty: 1, unit_price_net: 30, tax_rate: 0 }],
    payments: [{ ...money, amount: 30 }],
    record_payments: true,
    issue: true,
  });
  await step("it is not cancelled without a word on its payment", "cancelDocument", { id: receipt.id });
  await step("it is cancelled, and its payment stays", "cancelDocument", { id: receipt.id, payments: "keep" });
  const all = await step("all of a cake comes back, and its money", "createDocument", {
    doc_type: "NC",
    series_id: series.NC,
    issue_date: today,
    customer_id: ana.id,
    references: [{ document_id: draft.id }],
    lines: [{ description: "Bolo", qty: 1, unit_price_net: 50, tax_rate: 23 }],
    payments: [{ ...money, amount: 20, kind: "refund" }],
    issue: true,
  });
  await step("the invoice shows what was given back", "getDocument", { id: draft.id });
  await step("and so does the credit note", "getDocument", { id: all.id });
  await step("which is not cancelled", "cancelDocument", { id: all.id });
  await step("refunds have a list of their own", "listPayments", { kind: "refund" });

  await step("bread gets a code", "changeProduct", { id: bread.id, sku: "PAO-1" });
  const call = {
    doc_type: "FR",
    series: "current",
    customer: { external_id: "shop-7", name: "Rui Sá", tax_id: "234567899" },
    lines: [
      { product: { sku: "PAO-1" }, qty: 3 },
      { description: "Bolo", qty: 1, unit_price_gross: 12.3, tax_rate: 23 },
    ],
    issue: true,
  };
  const sale = await step("a sale to somebody new is one call", "createDocument", call, "order-2");
  await step("and one sale, however often it is sent", "createDocument", call, "order-2");
  await step("the next one finds and changes him", "createDocument", {
    ...call,
    customer: { ...call.customer, city: "Faro" },
  });
  await step("series and series_id exclude each other", "createDocument", { ...call, series_id: series.FR });
  await step("a code that no product has is named", "createDocument", {
    ...call,
    lines: [{ product: { sku: "BOLO-1" }, qty: 1 }],
  });
  const refund = { method_code: "NU" };
  await step("one bread comes back, and its money", "creditDocument", {
    id: sale.id,
    lines: [{ line: 1, qty: 1 }],
    reason: "Devolução",
    refund,
    issue: true,
  });
  await step("then all the rest", "creditDocument", { id: sale.id, refund, issue: true }, "refund-2");
  await step("after which nothing is left", "creditDocument", { id: sale.id });
  await step("the sale shows what was given back", "getDocument", { id: sale.id });

  const quoted = await step("an offer holds until the end of the day", "createDocument", {
    ...invoice,
    doc_type: "OR",
    series_id: series.OR,
    valid_until: today,
    issue: true,
  });
  await step("an invoice holds until none", "createDocument", { ...invoice, valid_until: today });
  await step("it is taken in part", "createDocument", {
    ...invoice,
    lines: invoice.lines.slice(0, 1),
    references: [{ document_id: quoted.id }],
    issue: true,
  });
  await step("as the offer shows", "getDocument", { id: quoted.id });
  await step("and the list of offers", "listDocuments", { doc_type: "OR" });

  await step("the day's takings", "getTakings");
  const day = { from: today, to: today };
  await step("Ana's statement", "getStatement", { id: ana.id, ...day });
  await step("it does not end before it begins", "getStatement", { id: ana.id, from: today, to: "2020-01-01" });
  await step("and is of a known customer", "getStatement", { id: draft.id, ...day });

  const registered = await step("a series is registered", "createSeries", {
    doc_type: "FS",
    code: "LOJA",
    validation_code: "CSDF7T5H",
  });
  await step("its documents carry an ATCUD", "createDocument", {
    ...invoice,
    doc_type: "FS",
    series_id: registered.id,
    issue: true,
  });
  await step("the series is closed", "changeSeries", { id: registered.id, status: "closed" });
  await step("which a preview tells before", "previewNewDocument", {
    ...invoice,
    doc_type: "FS",
    series_id: registered.id,
  });
  await step("a closed series takes nothing", "createDocument", {
    ...invoice,
    doc_type: "FS",
    series_id: registered.id,
    issue: true,
  });
  await step("Ana is hidden", "archiveCustomer", { id: ana.id });
  await step("a hidden customer is not invoiced", "createDocument", { ...invoice, issue: true });
  await step("but her documents stay", "listDocuments", { limit: 2, offset: 1 });
  await step("and what is paid", "listPayments", { document_id: draft.id });
  await step("nobody knows her now", "getCustomer", { id: ana.id });
  return comparable(steps, today);
}

/**
 * Ids become #1, #2, … in order of appearance; instants, signatures, cursors, digests, who called and today's
 * date become words.
 */
function comparable(steps: Step[], today: string): Step[] {
  const ids: string[] = [];
  const token = (id: string) => `#${ids.includes(id) ? ids.indexOf(id) + 1 : ids.push(id)}`;
  const text = JSON.stringify(steps)
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, token)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "an instant")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, "an entry time")
    .replaceAll(/"[A-Za-z0-9+/]{171}="/g, '"a signature"')
    .replaceAll(/"kind":"(?:key|host)","code":"\w+","name":"[^"]+"/g, '"name":"the caller"')
    .replaceAll(/"next_cursor":"[^"]+"/g, '"next_cursor":"a cursor"')
    .replaceAll(/"digest":"[^"]+"/g, '"digest":"a digest"')
    .replaceAll(today, "today")
    .replaceAll(today.replaceAll("-", ""), "today")
    .replaceAll(`${today.slice(0, 4)}A`, "YEAR");
  return JSON.parse(text);
}
