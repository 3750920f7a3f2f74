/**
 * A client that nobody wrote: its types come from the server's own description.
 *
 *   npx openapi-typescript http://127.0.0.1:8787/openapi.json --output lacre.d.ts
 *   LACRE_KEY=lacre_live_… node main.ts
 */
import createClient from "openapi-fetch";
import type { paths } from "./lacre.d.ts";

const client = createClient<paths>({
  baseUrl: process.env.LACRE_URL ?? "http://127.0.0.1:8787",
  headers: { authorization: `Bearer ${process.env.LACRE_KEY}` },
});

/** The answer, or the error's own words. */
function must<T>({ data, error }: { data?: T; error?: { error: { code: string; message: string } } }): T {
  if (data === undefined) throw new Error(error ? `${error.error.code}: ${error.error.message}` : "No answer.");
  return data;
}

const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Lisbon" }); // YYYY-MM-DD

const customer = must(await client.POST("/v1/customers", { body: { name: "Ana Conceição" } }));
// A company has closed series, series to practise in, and next year's: an invoice goes into the one of its date.
const query = { doc_type: "FT", current: true, date: today } as const;
const [invoices] = must(await client.GET("/v1/series", { params: { query } })).data;
if (!invoices) throw new Error(`The company has no series for invoices of ${today}.`);

const invoice = must(
  await client.POST("/v1/documents", {
    params: { header: { "Idempotency-Key": `first-of-${customer.id}` } },
    body: {
      doc_type: "FT",
      series_id: invoices.id,
      issue_date: today,
      customer_id: customer.id,
      issue: true,
      lines: [{ description: "Pão de Mafra", qty: 3, unit_price_net: 1.15, tax_rate: 6 }],
    },
  }),
);
console.log(`${invoice.number}: ${invoice.total_gross} EUR, ${invoice.payment_status}`);
