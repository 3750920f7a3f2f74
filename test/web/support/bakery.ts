/** A bakery in the middle of its year: what every screen has to show, and what the pictures of the README show. */
import { civilDate } from "../../../src/core/fiscal/civil-time.ts";
import type { Office } from "./office.ts";

/** Where some of it is found. */
export interface Bakery {
  readonly invoice_id: string;
  readonly receipt_id: string;
  readonly draft_id: string;
  readonly customer_id: string;
}

interface Made {
  readonly id: string;
}

const PRODUCTS = [
  { name: "Pão de Mafra", sku: "PAO", unit_price_gross: 1.15, tax_rate: 6, unit: "un" },
  { name: "Broa de Avintes", sku: "BROA", unit_price_gross: 3.4, tax_rate: 6, unit: "un" },
  { name: "Bolo de anos", sku: "BOLO", unit_price_gross: 28.5, tax_rate: 23, unit: "kg" },
  { name: "Bolo de mel com nozes e especiarias", sku: "MEL-NOZ-500", unit_price_gross: 12.9, tax_rate: 23 },
  { name: "Café", unit_price_gross: 0.9, tax_rate: 13 },
  { name: "Pastel de nata", sku: "NATA", unit_price_gross: 1.3, tax_rate: 13, stock: 48 },
  { name: "Velas", unit_price_gross: 2.5, tax_rate: 23 },
  { name: "Entrega ao domicílio", unit_price_gross: 5, tax_rate: 23, type: "S" },
  { name: "Formação de pasteleiros", unit_price_net: 1_250, tax_rate: 0, exemption_code: "M07", type: "S" },
];

const CUSTOMERS = [
  { name: "Ana Conceição", tax_id: "123456789", email: "ana.conceicao@example.com", city: "Lisboa" },
  { name: "Rui Tavares", phone: "912 345 678", city: "Setúbal" },
  {
    name: "Associação Recreativa, Cultural e Desportiva de São Bartolomeu de Messines",
    tax_id: "501964843",
    email: "secretaria.da.direcao@associacao-de-messines.example.com",
    address: "Avenida 25 de Abril, 128, 3.º direito",
    postal_code: "8375-101",
    city: "São Bartolomeu de Messines",
  },
  { name: "Café Central de Évora, Unipessoal, Lda.", tax_id: "503504564", city: "Évora" },
];

/** A document that is larger than any bakery's, to see whether its figures have room. */
const LARGE = { description: "Fornecimento anual a refeitórios", qty: 1, unit_price_net: 1_003_713.73, tax_rate: 23 };

/**
 * Fills a company that has no documents yet. Everything in it is the same each time, but for the day it is. `hasLarge`:
 * one document is of more than a million.
 */
export async function fillBakery(office: Office, { hasLarge = false } = {}): Promise<Bakery> {
  const today = civilDate(new Date(), "Europe/Lisbon");
  const products = await inOrder(PRODUCTS, (product) => office.send<Made>("POST", "/v1/products", product));
  const customers = await inOrder(CUSTOMERS, (customer) => office.send<Made>("POST", "/v1/customers", customer));
  const counter = await office.send<Made>("POST", "/v1/customers", { name: "Consumidor final", tax_id: "999999990" });
  const { data } = await office.read<{ data: readonly (Made & { doc_type: string })[] }>("/v1/series?limit=200");
  const issue = async (doc_type: string, fields: Record<string, unknown>) => {
    const series_id = data.find((series) => series.doc_type === doc_type)?.id;
    const document = { doc_type, series_id, issue_date: today, issue: true, ...fields };
    return office.send<Made & { total_gross: number }>("POST", "/v1/documents", document);
  };
  /** Sold over the counter, and paid at once. */
  const sellNow = async (issue_date: string, lines: readonly unknown[]) => {
    const { id, total_gross } = await issue("FS", { issue_date, customer_id: counter.id, lines });
    const paid = { amount: total_gross, method_code: "NU", payment_date: issue_date };
    await office.send("POST", `/v1/documents/${id}/payments`, paid);
  };
  const line = (n: number, qty: number) => {
    const at = n % PRODUCTS.length;
    const { name, tax_rate, sku: _, stock: __, ...price } = PRODUCTS[at] as (typeof PRODUCTS)[number];
    return { description: name, qty, tax_rate, product_id: products[at]?.id, ...given(price) };
  };
  const customerOf = (n: number) => customers[n % customers.length]?.id;

  // A sale at the counter and an invoice on some days of each month until now.
  const days = datesOf(today);
  for (const [n, issue_date] of days.entries()) {
    const lines = [line(n, (n % 5) + 1), line(n + 2, (n % 7) + 12)];
    if (n % 3 === 0) await issue("FT", { issue_date, customer_id: customerOf(n), lines });
    else await sellNow(issue_date, [line(n % 7, 4), line((n + 2) % 7, 3)]);
  }

  if (hasLarge) await issue("FT", { customer_id: customers[2]?.id, lines: [LARGE] });
  const invoice = await issue("FT", {
    customer_id: customers[0]?.id,
    lines: [line(2, 2), { ...line(0, 30), discount_pct: 5 }, line(6, 3)],
    notes: "Entregar antes das 8 horas.",
  });
  const pay = { amount: 20, method_code: "MB", payment_date: today };
  await office.send("POST", `/v1/documents/${invoice.id}/payments`, pay);
  await issue("NC", {
    customer_id: customers[0]?.id,
    references: [{ document_id: invoice.id, reason: "Bolo a mais" }],
    lines: [line(6, 1)],
  });
  const receipt = await issue("FR", { customer_id: customers[3]?.id, lines: [line(5, 24)] });
  const wrong = await issue("FS", { customer_id: counter.id, lines: [line(4, 1)] });
  await office.send("POST", `/v1/documents/${wrong.id}/cancel`, { reason: "Artigo trocado" });
  await issue("OR", { customer_id: customers[1]?.id, lines: [line(3, 6)] });
  const draft = await issue("FT", { customer_id: customers[1]?.id, lines: [line(2, 1), line(6, 2)], issue: false });
  return {
    invoice_id: invoice.id,
    receipt_id: receipt.id,
    draft_id: draft.id,
    customer_id: customers[0]?.id as string,
  };
}

/** Only what a line takes of a product. */
function given({ unit_price_gross, unit_price_net, unit, exemption_code }: Partial<(typeof PRODUCTS)[number]>) {
  return { unit_price_gross, unit_price_net, unit, exemption_code };
}

/** The 5th, 12th, 19th and 26th of each month of the year, up to a day. */
function datesOf(today: string): string[] {
  const days = ["05", "12", "19", "26"];
  const months = Array.from({ length: 12 }, (_, month) => String(month + 1).padStart(2, "0"));
  return months
    .flatMap((month) => days.map((day) => `${today.slice(0, 4)}-${month}-${day}`))
    .filter((date) => date < today);
}

async function inOrder<Item, Value>(items: readonly Item[], make: (item: Item) => Promise<Value>): Promise<Value[]> {
  const made: Value[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}
