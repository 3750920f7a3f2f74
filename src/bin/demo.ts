/** `lacre demo`: an installation in memory, one real invoice through its own server, and how to go on from there. */

import { z } from "zod";
import type { Company } from "../core/companies.ts";
import type { Customer } from "../core/customers.ts";
import type { Document } from "../core/documents/document.ts";
import { civilDate } from "../core/fiscal/civil-time.ts";
import { DOCUMENT_TYPES } from "../core/fiscal/document-types.ts";
import { type Log, openLacre } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { command } from "./command.ts";
import { FLAGS } from "./config.ts";
import { begin } from "./init.ts";
import { listen } from "./listen.ts";
import { driver } from "./open-database.ts";
import { columns } from "./output.ts";
import type { Terminal } from "./terminal.ts";

const BAKERY = {
  name: "Padaria Central, Lda.",
  tax_id: "500000000",
  address: "Rua da Prata 1",
  postal_code: "1100-413",
  city: "Lisboa",
} as const;

const ANA = { name: "Ana Conceição", tax_id: "123456789", email: "ana@example.com" } as const;

const LINES = [
  { description: "Bolo de anos", qty: 1, unit_price_net: 55.55, tax_rate: 23 },
  { description: "Velas", qty: 1, unit_price_net: 11.11, tax_rate: 23 },
  { description: "Pão de Mafra", qty: 3, unit_price_net: 1.15, tax_rate: 6 },
] as const;

export const demoCommand = command({
  name: "demo",
  summary: "in memory: one invoice, a key, four curl lines; keeps serving",
  details: "Nothing is kept: with the program its documents end. Ctrl+C stops it.",
  input: z.strictObject({ port: FLAGS.port, host: FLAGS.host }),
  async run(address, terminal) {
    const log = errorsOnly(terminal);
    const lacre = await openLacre({ dialect: driver().dialect(":memory:"), log });
    try {
      const { company, api_key, series } = await begin(lacre, BAKERY, { name: "demo", kind: "test" });
      const server = await listen(lacre, address, log);
      const api = client(server.url, api_key);
      const customer = await api<Customer>("/v1/customers", ANA);
      const order = {
        doc_type: "FT",
        series_id: series.find(({ doc_type }) => doc_type === "FT")?.id,
        issue_date: civilDate(systemClock(), company.time_zone),
        customer_id: customer.id,
        lines: LINES,
        issue: true,
      };
      const invoice = await api<Document>("/v1/documents", order);
      const stopped = terminal.stopRequested();
      terminal.print([...printed(company, invoice), "", ...goOn(server.url, api_key, invoice, order)].join("\n"));
      await stopped;
      await server.close();
    } finally {
      await lacre.close();
    }
  },
});

/** Calls the API like anybody else. */
function client(url: string, api_key: string) {
  return async <T>(path: string, body: object): Promise<T> => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
}

/** The invoice as a person reads it. */
function printed(company: Company, invoice: Document): string[] {
  const lines = (invoice.lines ?? []).map(({ description, qty, unit_price_net, tax_rate }) => [
    `  ${description}`,
    `${qty} x ${euros(unit_price_net)}`,
    `+ ${tax_rate} %`,
  ]);
  return [
    `${company.name}, NIF ${company.tax_id}, ${company.address}, ${company.postal_code} ${company.city}`,
    "",
    `${DOCUMENT_TYPES[invoice.doc_type].name} ${invoice.number}, ${invoice.issue_date}`,
    `${invoice.customer?.name}, NIF ${invoice.customer?.tax_id}`,
    "",
    ...columns(lines),
    "",
    ...columns([
      ["  net", euros(invoice.total_net)],
      ["  VAT", euros(invoice.total_tax)],
      ["  total", `${euros(invoice.total_gross)} EUR`],
    ]),
    "",
    `Signed into its series: ${invoice.hash?.slice(0, 40)}…`,
  ];
}

function goOn(url: string, api_key: string, { id }: Document, order: object): string[] {
  const authorized = `-H 'Authorization: Bearer ${api_key}'`;
  const post = (path: string, body: object) =>
    `curl -s ${url}${path} ${authorized} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    `Lacre answers on ${url} until you stop it (Ctrl+C); the API's documentation: ${url}/docs`,
    `API key: ${api_key}`,
    "",
    "The invoice as PDF:",
    `curl -s ${url}/v1/documents/${id}/pdf ${authorized} -o invoice.pdf`,
    "List the documents:",
    `curl -s ${url}/v1/documents ${authorized}`,
    "Create a customer:",
    post("/v1/customers", { name: "Rui Tavares", email: "rui@example.com" }),
    "Issue another invoice:",
    post("/v1/documents", { ...order, lines: LINES.slice(0, 1) }),
  ];
}

function euros(amount: number): string {
  return amount.toFixed(2);
}

/** A demo is for reading: only what went wrong is told. */
function errorsOnly(terminal: Terminal): Log {
  return (entry) => {
    if (entry.level === "error") terminal.printError(JSON.stringify(entry));
  };
}
