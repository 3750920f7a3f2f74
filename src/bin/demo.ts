/** `lacre demo`: issues a real invoice in memory through its own server, and shows it with commands to try. */

import * as z from "zod";
import { civilDate } from "../core/fiscal/civil-time.ts";
import { DOCUMENT_TYPES } from "../core/fiscal/document-types.ts";
import { type Company, type Customer, type Document, type Log, openLacre } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { createDemoClock } from "../http/demo-clock.ts";
import { webhookSender } from "../http/node.ts";
import { command } from "./command.ts";
import { FLAGS } from "./config.ts";
import { driver } from "./database/driver.ts";
import { begin } from "./init.ts";
import { listen, reachedAt } from "./listen.ts";
import { columns, show } from "./output.ts";
import type { Texts } from "./texts/texts.ts";

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
  input: z.strictObject({
    port: FLAGS.port,
    host: FLAGS.host,
    public_url: FLAGS.public_url,
    allowed_host: FLAGS.allowed_host,
    json: FLAGS.json,
  }),
  async run({ json, ...address }, terminal) {
    const log: Log = (entry) => entry.level === "error" && terminal.printError(JSON.stringify(entry)); // nothing else
    const clock = createDemoClock();
    const lacre = await openLacre({
      now: clock.now,
      dialect: driver().dialect(":memory:"),
      webhookSender: webhookSender(),
      publicUrl: address.public_url,
      webhooksToPrivateNetworks: true, // to a receiver under development on this machine
      keyKind: "test", // of those made in its area, too
      log,
    });
    try {
      void lacre.webhooks.deliver();
      const { company, api_key } = await begin(lacre, BAKERY, { name: "demo" });
      const series = await lacre.as(company).series.current({ doc_type: "FT" });
      const server = await listen(lacre, { ...address, area: { demo: true }, clock }, log);
      const { url } = server;
      const set_up_url = reachedAt(server, address) + (await lacre.users.invite()).link_path;
      const api = client(url, api_key);
      const customer = await api<Customer>("/v1/customers", ANA);
      const order = {
        doc_type: "FT",
        series_id: series.id,
        issue_date: civilDate(systemClock(), company.time_zone),
        customer_id: customer.id,
        lines: LINES,
        issue: true,
      };
      const invoice = await api<Document>("/v1/documents", order);
      const stopped = terminal.stopRequested();
      show(terminal, json, { url, api_key, company, invoice, set_up_url }, [
        ...printed(company, invoice),
        ...nextSteps(url, set_up_url, api_key, invoice, order, terminal.texts),
      ]);
      await stopped;
      await server.close();
    } finally {
      await lacre.close();
    }
  },
});

/** Calls the API as any client would. */
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

/** The invoice as a Portuguese customer reads it, in a frame. */
function printed(company: Company, { lines = [], customer, ...invoice }: Document): string[] {
  const rule = "─".repeat(74);
  const text = [
    `${company.name} · NIF ${company.tax_id}`,
    `${company.address}, ${company.postal_code} ${company.city}`,
    "",
    `${DOCUMENT_TYPES[invoice.doc_type].name} ${invoice.number} · ${invoice.issue_date}`,
    `${customer?.name} · NIF ${customer?.tax_id}`,
    "",
    ...columns([
      ...lines.map((line) => [line.description, `${line.qty} ×`, euros(line.unit_price_net), `IVA ${line.tax_rate} %`]),
      [],
      ["Total sem IVA", "", euros(invoice.total_net)],
      ["IVA", "", euros(invoice.total_tax)],
      ["Total", "", euros(invoice.total_gross)],
    ]),
    "",
    `ATCUD       ${invoice.atcud ?? "nenhum: série por registar na AT"}`,
    `Código QR   ${invoice.qr_code?.slice(0, 58)}…`,
    `Assinatura  ${invoice.hash?.slice(0, 58)}…`,
  ];
  return [`┌${rule}┐`, ...text.map((line) => `│ ${line.padEnd(72)} │`), `└${rule}┘`];
}

function nextSteps(
  url: string,
  set_up_url: string,
  api_key: string,
  { id }: Document,
  order: object,
  { demo: t }: Texts,
): string[] {
  const authorized = '-H "Authorization: Bearer $LACRE_KEY"';
  const post = (path: string, body: object) =>
    `curl -s ${url}${path} ${authorized} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    "",
    t.runs({ url }),
    `\n${t.in_browser}`,
    set_up_url,
    `\n${t.paste({ url })}`,
    `\nexport LACRE_KEY=${api_key}`,
    `\n${t.save}`,
    `curl -sSf ${url}/v1/documents/${id}/pdf ${authorized} -o ${t.file}`,
    `\n${t.list}`,
    `curl -s ${url}/v1/documents ${authorized}`,
    `\n${t.customer}`,
    post("/v1/customers", { name: "Rui Tavares", email: "rui@example.com" }),
    `\n${t.issue}`,
    post("/v1/documents", { ...order, lines: LINES.slice(0, 1) }),
  ];
}

const euros = (amount: number) => `${amount.toFixed(2).replace(".", ",")} €`.padStart(8);
