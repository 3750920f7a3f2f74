/**
 * A program as an embedder writes it, with the package's names alone. package.slow.test.ts runs it from the tarball.
 */
import { createServer } from "node:http";
import {
  type Company,
  type CompanyFace,
  type Customer,
  type Document,
  type DocumentSummary,
  type Lacre,
  type LacreDialect,
  type NewCustomer,
  type NewDocument,
  type NewDocumentLine,
  openLacre,
  type Page,
  type Payment,
  type Series,
} from "lacre";
import { createClient, LacreError } from "lacre/client";
import { createHandler } from "lacre/http";
import { nodeListener } from "lacre/node";
import { nodeSqlite } from "lacre/node-sqlite";
import { sqlite } from "lacre/sqlite";
import { openInMemory, type TestInstance } from "lacre/testing";

const DRIVERS: Readonly<Record<string, (file: string) => LacreDialect>> = { sqlite, nodeSqlite };

const bread: NewDocumentLine = { description: "Pão de Mafra", qty: 3, unit_price_net: 1.15, tax_rate: 6 };
const ana: NewCustomer = { name: "Ana Conceição", city: "Lisboa" };

// @ts-expect-error A customer has a name.
const nameless: NewCustomer = { city: "Lisboa" };
// @ts-expect-error There is no such type of document.
const unknown: NewDocument["doc_type"] = "XX";

function invoiceOf(customer: Customer, series: Series, issue_date: string): NewDocument {
  return { doc_type: "FT", series_id: series.id, issue_date, customer_id: customer.id, lines: [bread], issue: true };
}

/** Issues an invoice, has it paid, and finds it in the list. */
async function sell(shop: CompanyFace, issue_date: string): Promise<Document> {
  const customer: Customer = await shop.customers.create(ana);
  const { data }: Page<Series> = await shop.series.list({ limit: 200 });
  const series = data.find(({ doc_type }) => doc_type === "FT");
  if (!series) throw new Error("There is no series for invoices.");
  const invoice: Document = await shop.documents.create(invoiceOf(customer, series, issue_date), {
    idempotency_key: "the-first",
  });
  const payment: Payment = await shop.payments.record({
    id: invoice.id,
    amount: invoice.total_gross,
    method_code: "MB",
    payment_date: issue_date,
  });
  const [listed]: DocumentSummary[] = (await shop.documents.list({ doc_type: "FT" })).data;
  if (listed?.payment_status !== "paid" || payment.document_id !== invoice.id) throw new Error("It is not paid.");
  const { pdf } = await shop.documents.pdf({ id: invoice.id });
  if (String.fromCharCode(...pdf.subarray(0, 5)) !== "%PDF-") throw new Error("It is not printed.");
  return invoice;
}

/** Asks over HTTP, with a key that is none. */
async function statusOver(lacre: Lacre): Promise<number> {
  const server = createServer(nodeListener(createHandler(lacre)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { me } = createClient({ url: `http://127.0.0.1:${port}`, key: "lacre_live_unknown" });
  const refused: unknown = await me.get().catch((error: unknown) => error);
  await new Promise((resolve) => server.close(resolve));
  return refused instanceof LacreError ? refused.status : 0;
}

for (const [name, dialect] of Object.entries(DRIVERS)) {
  const lacre = await openLacre({ dialect: dialect(`${name}.db`) });
  const company: Company = await lacre.companies.create({ name: "Loja", tax_id: "500000000" });
  const today = new Date().toLocaleDateString("sv-SE", { timeZone: company.time_zone });
  const { number } = await sell(lacre.as(company), today);
  console.log(`${name}: ${number}, ${await statusOver(lacre)}`);
  await lacre.close();
}

const test: TestInstance = await openInMemory({ now: () => new Date("2026-11-21T10:00:00Z") });
console.log(`memory: ${(await sell(test.company, "2026-11-21")).number}`, nameless, unknown);
await test.lacre.close();
