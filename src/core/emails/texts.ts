/** What an e-mail says: subject and message, in both languages, or as the company has written them. */
import type { Row } from "../database/tables.ts";
import type { DocType } from "../fiscal/document-types.ts";
import { titleOf } from "../print/labels.ts";
import type { Lang } from "../texts/languages.ts";
import { type Text, texts } from "../texts/texts.ts";

const t = texts({
  subject: ["{title} – {company}", "{title} – {company}"],
  message: [
    "Estimado cliente,\n\nEnviamos em anexo {document} {number}, de {date}.\n\nCom os melhores cumprimentos,\n{company}",
    "Dear customer,\n\nPlease find attached {document} {number} of {date}.\n\nKind regards,\n{company}",
  ],
  message_with_total: [
    "Estimado cliente,\n\nEnviamos em anexo {document} {number}, de {date}, no valor de {total}.\n\nCom os melhores cumprimentos,\n{company}",
    "Dear customer,\n\nPlease find attached {document} {number} of {date}, for {total}.\n\nKind regards,\n{company}",
  ],
  day: ["{day:day}", "{day:day}"],
  euros: ["{cents:euros}", "{cents:euros}"],
});

/** What a test message says. */
export const testTexts = texts({
  subject: ["E-mail de teste – {company}", "Test message – {company}"],
  message: [
    "Se está a ler isto, os e-mails de {company} chegam ao destino.",
    "If you are reading this, the e-mails of {company} arrive.",
  ],
});

/** A document in a sentence, before its number. */
const NAMES: Readonly<Record<DocType, Text>> = texts({
  FT: ["a fatura", "invoice"],
  FS: ["a fatura simplificada", "simplified invoice"],
  FR: ["a fatura-recibo", "invoice and receipt"],
  NC: ["a nota de crédito", "credit note"],
  ND: ["a nota de débito", "debit note"],
  RC: ["o recibo", "receipt"],
  GT: ["a guia de transporte", "transport document"],
  GR: ["a guia de remessa", "delivery note"],
  NDV: ["a nota de devolução", "return note"],
  OR: ["o orçamento", "quotation"],
});

/** The places that a company's own texts may have. */
export const PLACES = ["title", "document", "number", "date", "due_date", "total", "customer", "company"] as const;

type Place = (typeof PLACES)[number];

const PLACE = /\{([^{}]*)\}/g;

/** The first place of a text that is none of `PLACES`, with its braces. */
export function unknownPlace(text: string): string | undefined {
  for (const [place, name] of text.matchAll(PLACE)) if (!PLACES.some((known) => known === name)) return place;
  return undefined;
}

/** The texts of a company in one language; null where it has none. */
export interface OwnTexts {
  readonly subject: string | null;
  readonly message: string | null;
}

/** Lacre's own texts, with places, for a document that has a total: what a company's own begin from. */
export function usualTexts(lang: Lang): { readonly subject: string; readonly message: string } {
  const places = Object.fromEntries(PLACES.map((name) => [name, `{${name}}`])) as Record<Place, string>;
  return { subject: t.subject(places).in(lang), message: t.message_with_total(places).in(lang) };
}

type Told = Pick<Row<"documents">, "doc_type" | "issue_date" | "due_date" | "total_gross_cents"> & {
  readonly number: string;
  readonly customer: { readonly name: string };
  readonly issuer: { readonly name: string };
};

/** The subject and the message of an e-mail about a document. */
export function textsAbout(document: Told, lang: Lang, own: OwnTexts): { subject: string; message: string } {
  const { doc_type, number, issue_date, due_date, total_gross_cents: total_cents, issuer } = document;
  const day = (value: typeof issue_date | null) => (value === null ? "" : t.day({ day: value }).in(lang));
  const values: Readonly<Record<Place, string>> = {
    title: titleOf(document, lang),
    document: NAMES[doc_type].in(lang),
    number,
    company: issuer.name,
    date: day(issue_date),
    due_date: day(due_date),
    total: t.euros({ cents: total_cents }).in(lang),
    customer: document.customer.name,
  };
  const filled = (text: string) => text.replaceAll(PLACE, (place, name: Place) => values[name] ?? place);
  const message = total_cents > 0 ? t.message_with_total(values) : t.message(values);
  return {
    subject: own.subject === null ? t.subject(values).in(lang) : filled(own.subject),
    message: own.message === null ? message.in(lang) : filled(own.message),
  };
}
