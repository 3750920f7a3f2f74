/** What an e-mail says: subject and message, in both languages, or as the company has written them. */
import type { Row } from "../database/tables.ts";
import type { DocType } from "../fiscal/document-types.ts";
import { titleOf } from "../print/labels.ts";
import type { Lang } from "../texts/languages.ts";
import { type Text, texts } from "../texts/texts.ts";

const t = texts({
  subject: ["{title} – {company}", "{title} – {company}"],
  message: [
    "Estimado cliente,\n\nEnviamos em anexo {document} {number}, de {issue_date:day}.\n\nCom os melhores cumprimentos,\n{company}",
    "Dear customer,\n\nPlease find attached {document} {number} of {issue_date:day}.\n\nKind regards,\n{company}",
  ],
  message_with_total: [
    "Estimado cliente,\n\nEnviamos em anexo {document} {number}, de {issue_date:day}, no valor de {total_cents:euros}.\n\nCom os melhores cumprimentos,\n{company}",
    "Dear customer,\n\nPlease find attached {document} {number} of {issue_date:day}, for {total_cents:euros}.\n\nKind regards,\n{company}",
  ],
  day: ["{day:day}", "{day:day}"],
  euros: ["{cents:euros}", "{cents:euros}"],
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
export const PLACES = ["title", "number", "date", "due_date", "total", "customer", "company"] as const;

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

type Told = Pick<Row<"documents">, "doc_type" | "issue_date" | "due_date" | "total_gross_cents"> & {
  readonly number: string;
  readonly customer: { readonly name: string };
  readonly issuer: { readonly name: string };
};

/** The subject and the message of an e-mail about a document. */
export function textsAbout(document: Told, lang: Lang, own: OwnTexts): { subject: string; message: string } {
  const { doc_type, number, issue_date, due_date, total_gross_cents: total_cents, issuer } = document;
  const company = issuer.name;
  const title = titleOf(document, lang);
  const day = (value: typeof issue_date | null) => (value === null ? "" : t.day({ day: value }).in(lang));
  const values: Readonly<Record<string, string>> = {
    title,
    number,
    company,
    date: day(issue_date),
    due_date: day(due_date),
    total: t.euros({ cents: total_cents }).in(lang),
    customer: document.customer.name,
  };
  const filled = (text: string) => text.replaceAll(PLACE, (place, name: string) => values[name] ?? place);
  const said = { document: NAMES[doc_type], number, issue_date, company };
  const message = total_cents > 0 ? t.message_with_total({ ...said, total_cents }) : t.message(said);
  return {
    subject: own.subject === null ? t.subject({ title, company }).in(lang) : filled(own.subject),
    message: own.message === null ? message.in(lang) : filled(own.message),
  };
}
