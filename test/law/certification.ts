/**
 * The documents that AT asks for when it tests a program for certification, made by one scenario over HTTP: four days
 * in a shop that has certificate number 9999, two people at its till.
 */
import { DOC_TYPES, type DocType, type NewDocument, type NewDocumentLine, PERMISSIONS } from "lacre";
import { expect } from "vitest";
import type { Document } from "../../src/core/documents/document.ts";
import type { Customer } from "../../src/core/records/customers.ts";
import type { Api } from "../support/http.ts";

interface Till {
  /** A document issued at once, a minute after the one before. */
  issue(doc_type: DocType, fields: Partial<NewDocument>, key?: string): Promise<Document>;
  cancel(document: Document, reason: string, key?: string): Promise<Document>;
  readonly series: Record<string, string>;
}

/** The hour of Lisbon's clock, which in November is that of UTC. */
const at = (day: number, time: string) => new Date(`2026-11-${day}T${time}:00Z`);

/** A line at 23 %. */
const line = (description: string, unit_price_net: number, fields: Partial<NewDocumentLine> = {}): NewDocumentLine => ({
  description,
  qty: 1,
  unit_price_net,
  tax_rate: 23,
  ...fields,
});
const exempt = (description: string, unit_price_net: number, exemption_code: string, fields = {}): NewDocumentLine =>
  line(description, unit_price_net, { tax_rate: 0, exemption_code, ...fields });
/** The line of a receipt: it has no tax and no exemption reason. */
const payment = (amount: number) => line("Pagamento", amount, { tax_rate: 0 });
const about = (...documents: readonly Document[]) => ({ references: documents.map(({ id }) => ({ document_id: id })) });
const correcting = ({ id }: Document, reason: string) => ({ references: [{ document_id: id, reason }] });

const GLOBAL_DISCOUNT_LINES = [
  line("Parafuso", 0.55, { qty: 100, discount_pct: 8.8 }),
  line("Corda ao metro", 3.45, { qty: 3.5, unit: "m" }),
];

/** Plays the whole script. Returns the documents of each case, as they are at the end. */
export async function playScript(api: Api): Promise<ReadonlyMap<string, readonly Document[]>> {
  const [ana, rui] = [await api.keyWith(...PERMISSIONS), await api.keyWith(...PERMISSIONS)];
  await certify(api);
  const till = tillOf(api, ana);
  const cases = [...(await phaseOne(api, till)), ...(await phaseTwo(api, till, rui))];
  const shown = new Map<string, readonly Document[]>();
  for (const [name, documents] of cases) shown.set(name, await Promise.all(documents.map((one) => read(api, one))));
  return shown;
}

type Case = readonly [name: string, documents: readonly Document[]];

/** What only the operator sets: the certificate and its producer; and over HTTP the codes that AT gave the series. */
async function certify(api: Api): Promise<void> {
  await api.lacre.companies.change({
    ...{ id: api.company_id, address: "Rua do Forno, 12", postal_code: "2640-389", city: "Mafra" },
    footer_text: "Capital social 5.000,00 EUR",
  });
  const producer = { producer_name: "Lacre Software, Lda.", producer_tax_id: "508025338" };
  await api.lacre.signer.setCertificate({ certificate_number: 9999, ...producer });
  for (const doc_type of DOC_TYPES) {
    const body = { validation_code: `CERT${doc_type.padEnd(4, "0")}` };
    const answer = await api.call("PATCH", `/v1/series/${api.series[doc_type]}`, { body });
    expect(answer.status, answer.text).toBe(200);
  }
}

function tillOf(api: Api, ana: string): Till {
  const series: Record<string, string> = { ...api.series };
  return {
    series,
    async issue(doc_type, fields, key = ana) {
      api.today = new Date(api.today.getTime() + 60_000);
      const issue_date = api.today.toISOString().slice(0, 10);
      const body = { doc_type, series_id: series[doc_type], issue_date, issue: true, ...fields };
      const answer = await api.call<Document>("POST", "/v1/documents", { body, key });
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    },
    async cancel({ id }, reason, key = ana) {
      api.today = new Date(api.today.getTime() + 60_000);
      const answer = await api.call<Document>("POST", `/v1/documents/${id}/cancel`, { body: { reason }, key });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
  };
}

async function read(api: Api, { id }: Document): Promise<Document> {
  return (await api.call<Document>("GET", `/v1/documents/${id}`)).body;
}

async function phaseOne(api: Api, { issue, cancel }: Till): Promise<Case[]> {
  const hotel = await api.customer({
    ...{ name: "Hotel Miramar, S.A.", tax_id: "501442600", address: "Avenida da Liberdade, 200" },
    ...{ postal_code: "1250-147", city: "Lisboa", country: "PT" },
  });
  const person = (name: string) => api.customer({ name });
  const bread = await api.product({ name: "Pão de Mafra", sku: "PAO-01" });
  const customer_id = hotel.id;
  const loaf = (qty: number) => line("Pão de Mafra", 1.15, { qty, tax_rate: 6, product_id: bread.id });

  api.today = at(23, "09:12");
  const early = await issue("FS", { customer_id: (await person("Maria Silva")).id, lines: [line("Café", 0.7)] });
  api.today = at(23, "10:40");
  const other = await issue("FS", { customer_id: (await person("José Santos")).id, lines: [line("Café", 0.7)] });
  const simplified = await issue("FS", { customer_id, lines: [loaf(2)] });
  const wrong = await issue("FT", { customer_id, lines: [loaf(20)] });
  const cancelled = await cancel(wrong, "Cliente errado");
  const check = await issue("OR", { customer_id, lines: [loaf(40)] });
  const invoice = await issue("FT", { customer_id, lines: [loaf(40)], ...about(check) });
  const credit = await issue("NC", { customer_id, lines: [loaf(4)], ...correcting(invoice, "Devolução") });
  const rates = await issue("FT", {
    customer_id,
    lines: [
      loaf(10),
      exempt("Formação de padeiros", 200, "M07"),
      line("Vinho de mesa", 4, { qty: 6, tax_rate: 13 }),
      line("Cesto de verga", 18),
    ],
  });
  const discounts = await issue("FT", {
    customer_id,
    lines: [GLOBAL_DISCOUNT_LINES[0] as NewDocumentLine, line("Martelo", 12)],
    global_discount_pct: 5,
  });
  const valued = await issue("GT", { customer_id, lines: [loaf(30)], transport: { vehicle: "AA-00-BB" } });
  const unvalued = await issue("GR", {
    customer_id,
    lines: [line("Tabuleiros vazios", 0, { qty: 12, tax_rate: 0 })],
  });
  const quotation = await issue("OR", { customer_id, lines: [line("Bolo de casamento", 350, { tax_rate: 13 })] });
  const invoice_receipt = await issue("FR", {
    customer_id,
    lines: [loaf(3)],
    payments: [{ amount: 3.66, method_code: "CD", payment_date: "2026-11-23" }],
  });
  const debit = await issue("ND", { customer_id, lines: [line("Portes", 5)], ...correcting(rates, "Portes em falta") });
  const returned = await issue("NDV", { customer_id, lines: [loaf(5)], ...about(valued) });
  const receipt = await issue("RC", { customer_id, lines: [payment(100)], ...about(rates) });

  return [
    ["5.1", [simplified]],
    ["5.2", [cancelled]],
    ["5.3", [check]],
    ["5.4", [invoice]],
    ["5.5", [credit]],
    ["5.6", [rates]],
    ["5.7", [discounts]],
    ["5.9", [early]],
    ["5.10", [other]],
    ["5.11", [valued, unvalued]],
    ["5.12", [quotation]],
    ["5.13", [invoice_receipt, debit, returned, receipt]],
  ];
}

async function phaseTwo(api: Api, till: Till, rui: string): Promise<Case[]> {
  const { issue, cancel } = till;
  const person = async (name: string) => ({ customer_id: (await api.customer({ name })).id });
  // What a customer is called who gave a NIF and nothing else.
  const { id: number_only } = await api.customer({ name: "Desconhecido", tax_id: "500829993" });
  const workshop: Customer = await api.customer({
    ...{ name: "Oficina do Zé & Filhos, Lda.", tax_id: "502011475", address: "Rua Nova, 3" },
    ...{ postal_code: "4000-001", city: "Porto", country: "PT" },
  });
  const customer_id = workshop.id;
  const oil = await api.product({ name: "Óleo de motor 5W-30", sku: "OLEO", unit_price_net: 24, tax_rate: 23 });
  const litres = (qty: number) => line("Óleo de motor 5W-30", 24, { qty, unit: "l", product_id: oil.id });

  api.today = at(23, "14:00");
  const simplified = await issue("FS", { customer_id: number_only, lines: [litres(1)] });
  const mistaken = await issue("FT", { customer_id, lines: [litres(2)] });
  const cancelled = await cancel(mistaken, "Quantidade errada", rui);
  const check = await issue("OR", { customer_id, lines: [litres(6)] });
  const guide = await issue("GT", {
    customer_id,
    lines: [litres(6)],
    transport: { start_at: "2026-11-23T16:30:00Z", end_at: "2026-11-24T10:00:00Z", vehicle: "AA-00-BB" },
    ...about(check),
  });

  api.today = at(25, "11:00");
  const invoice = await issue("FT", { customer_id, lines: [litres(6)], ...about(guide) }, rui);
  const credit = await issue("NC", { customer_id, lines: [litres(1)], ...correcting(invoice, "Lata amolgada") });
  const on_credit = await issue("FT", { customer_id, lines: [litres(4)], due_date: "2026-12-25" });

  const { five_lines, partial, cash_receipt } = await cashVat(api, till, customer_id);

  const invoice_receipt = await issue("FR", {
    customer_id,
    lines: [litres(1)],
    payments: [{ amount: 29.52, method_code: "MB", payment_date: "2026-11-25" }],
  });
  const t16 = await issue("FT", { customer_id, lines: GLOBAL_DISCOUNT_LINES, global_discount_pct: 10 });
  const paid = await issue("FT", {
    customer_id,
    lines: [litres(3)],
    payments: [
      { amount: 50, method_code: "NU", payment_date: "2026-11-25" },
      { amount: 38.56, method_code: "MB", payment_date: "2026-11-25" },
    ],
  });
  const small = await issue("FT", { ...(await person("Inês Rocha")), lines: [line("Anilha", 0.5)] });
  const second = await issue("FT", { ...(await person("Inês Rocha")), lines: [line("Anilha", 0.5, { qty: 3 })] });
  const many = await issue("FT", { customer_id, lines: [line("Folha de papel", 0.001, { qty: 2000 })] });

  api.today = at(26, "09:04");
  const early = await issue("FT", { customer_id, lines: [litres(1)] });
  const long = await issue("FT", {
    customer_id,
    lines: Array.from({ length: 40 }, (_, i) => line(`Peça n.º ${i + 1}`, (100 + i) / 100)),
  });
  const receipt = await issue("RC", { customer_id, lines: [payment(50)], ...about(invoice) });
  const debit = await issue("ND", { customer_id, lines: [litres(1)], ...correcting(on_credit, "Lata em falta") });
  const returned = await issue("NDV", { customer_id, lines: [litres(1)], ...about(guide) });
  const delivery = await issue("GR", { customer_id, lines: [litres(2)] });

  return [
    ["6", [simplified]],
    ["7", [cancelled]],
    ["8", [check]],
    ["9", [guide]],
    ["10", [invoice]],
    ["11", [credit]],
    ["12", [on_credit]],
    ["13", [five_lines]],
    ["14", [invoice_receipt]],
    ["15", [partial]],
    ["16", [t16]],
    ["17", [paid]],
    ["19", [small]],
    ["20", [second]],
    ["21", [many]],
    ["22", [early]],
    ["23", [long]],
    ["31", [receipt]],
    ["33", [debit, returned, delivery, cash_receipt]],
  ];
}

/** The cases under the cash-VAT scheme, whose documents have series of their own. */
async function cashVat(api: Api, { issue, series }: Till, customer_id: string) {
  const normal = { ...series };
  const books = await api.product({ name: "Manual de mecânica", sku: "LIVRO", tax_rate: 6 });
  const wine = await api.product({ name: "Vinho de mesa", sku: "VINHO", tax_rate: 13 });
  const labour = await api.product({ name: "Mão de obra", sku: "MO", type: "S", tax_rate: 23 });
  const manual = (price: number) => line("Manual de mecânica", price, { tax_rate: 6, product_id: books.id });
  const bottle = line("Vinho de mesa", 10, { tax_rate: 13, product_id: wine.id });

  await api.lacre.companies.change({ id: api.company_id, cash_vat: true });
  for (const doc_type of ["FT", "NC", "RC"] as const) {
    const validation_code = `CERTCX${doc_type}`;
    series[doc_type] = (await api.newSeries({ doc_type, code: "CAIXA", validation_code, cash_vat: true })).id;
  }
  const five_lines = await issue("FT", {
    customer_id,
    lines: [
      manual(12),
      exempt("Formação", 10, "M07"),
      bottle,
      line("Mão de obra", 10, { product_id: labour.id }),
      exempt("Livro usado", 10, "M13"),
    ],
  });
  const reason = "Preço da linha 1, devolução da linha 3";
  const partial = await issue("NC", {
    customer_id,
    lines: [manual(2), bottle],
    ...correcting(five_lines, reason),
  });
  const cash_receipt = await issue("RC", {
    customer_id,
    lines: [],
    references: [{ document_id: five_lines.id, amount: 30 }],
  });
  await api.lacre.companies.change({ id: api.company_id, cash_vat: false });
  Object.assign(series, normal);
  return { five_lines, partial, cash_receipt };
}
