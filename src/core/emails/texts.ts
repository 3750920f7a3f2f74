/** What an e-mail says: subject and message, in both languages, or as the company has written them. */
import type { Row } from "../database/tables.ts";
import type { DocType } from "../fiscal/document-types.ts";
import { spacedIban } from "../fiscal/iban.ts";
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
  reminder_subject: ["Lembrete de pagamento: {title} – {company}", "Payment reminder: {title} – {company}"],
  reminder: [
    "Estimado cliente,\n\nLembramos que {document} {number}, de {date}, venceu no dia {due_date}. Falta pagar {outstanding}.\n\nEnviamos o documento de novo, em anexo. Se entretanto já pagou, por favor ignore esta mensagem.\n\nCom os melhores cumprimentos,\n{company}",
    "Dear customer,\n\nThis is a reminder that {document} {number} of {date} was due on {due_date}. The amount still to be paid is {outstanding}.\n\nThe document is attached again. If you have paid in the meantime, please ignore this message.\n\nKind regards,\n{company}",
  ],
  reminder_with_iban: [
    "Estimado cliente,\n\nLembramos que {document} {number}, de {date}, venceu no dia {due_date}. Falta pagar {outstanding}.\n\nPode pagar por transferência para o IBAN {iban}.\n\nEnviamos o documento de novo, em anexo. Se entretanto já pagou, por favor ignore esta mensagem.\n\nCom os melhores cumprimentos,\n{company}",
    "Dear customer,\n\nThis is a reminder that {document} {number} of {date} was due on {due_date}. The amount still to be paid is {outstanding}.\n\nYou can pay by bank transfer to IBAN {iban}.\n\nThe document is attached again. If you have paid in the meantime, please ignore this message.\n\nKind regards,\n{company}",
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

/** The places that a company's own texts about a document may have. */
export const PLACES = ["title", "document", "number", "date", "due_date", "total", "customer", "company"] as const;

type Place = (typeof PLACES)[number];

/** The places that its own texts of reminders may have. */
export const REMINDER_PLACES = [...PLACES, "outstanding", "days", "iban"] as const;

const PLACE = /\{([^{}]*)\}/g;

/** The first place of a text that is none of `places`, with its braces. */
export function unknownPlace(text: string, places: readonly string[]): string | undefined {
  for (const [place, name = ""] of text.matchAll(PLACE)) if (!places.includes(name)) return place;
  return undefined;
}

/** The texts of a company in one language; null where it has none. */
export interface OwnTexts {
  readonly subject: string | null;
  readonly message: string | null;
}

interface Written {
  readonly subject: string;
  readonly message: string;
}

const asPlaces = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, `{${name}}`])) as Record<Name, string>;

/** Lacre's own texts, with places, for a document that has a total: what a company's own begin from. */
export function usualTexts(lang: Lang): Written {
  const places = asPlaces(PLACES);
  return { subject: t.subject(places).in(lang), message: t.message_with_total(places).in(lang) };
}

/** Lacre's own texts of a reminder, with places. */
export function usualReminder(lang: Lang, iban: string | null): Written {
  const places = asPlaces(REMINDER_PLACES);
  const message = iban === null ? t.reminder(places) : t.reminder_with_iban(places);
  return { subject: t.reminder_subject(places).in(lang), message: message.in(lang) };
}

type Told = Pick<Row<"documents">, "doc_type" | "issue_date" | "due_date" | "total_gross_cents"> & {
  readonly number: string;
  readonly customer: { readonly name: string };
  readonly issuer: { readonly name: string };
};

const euros = (cents: number, lang: Lang) => t.euros({ cents }).in(lang);

function valuesOf(document: Told, lang: Lang): Readonly<Record<Place, string>> {
  const { doc_type, number, issue_date, due_date, total_gross_cents, customer, issuer } = document;
  const day = (value: typeof issue_date | null) => (value === null ? "" : t.day({ day: value }).in(lang));
  return {
    title: titleOf(document, lang),
    document: NAMES[doc_type].in(lang),
    number,
    company: issuer.name,
    date: day(issue_date),
    due_date: day(due_date),
    total: euros(total_gross_cents, lang),
    customer: customer.name,
  };
}

/** The company's own texts with their places filled; Lacre's where it has none. */
function written(values: Readonly<Record<string, string>>, own: OwnTexts, usual: Written): Written {
  const filled = (text: string) => text.replaceAll(PLACE, (place, name: string) => values[name] ?? place);
  return {
    subject: own.subject === null ? usual.subject : filled(own.subject),
    message: own.message === null ? usual.message : filled(own.message),
  };
}

/** The subject and the message of an e-mail about a document. */
export function textsAbout(document: Told, lang: Lang, own: OwnTexts): Written {
  const values = valuesOf(document, lang);
  const message = document.total_gross_cents > 0 ? t.message_with_total(values) : t.message(values);
  return written(values, own, { subject: t.subject(values).in(lang), message: message.in(lang) });
}

/** What a reminder tells beside its document. */
export interface Overdue {
  readonly outstanding_cents: number;
  /** Days since it was due. */
  readonly days: number;
  /** The company's account, as it is stored. */
  readonly iban: string | null;
}

/** The subject and the message of a reminder. */
export function reminderOf(document: Told, lang: Lang, own: OwnTexts, overdue: Overdue): Written {
  const { outstanding_cents, days, iban } = overdue;
  const values = {
    ...valuesOf(document, lang),
    outstanding: euros(outstanding_cents, lang),
    days: String(days),
    iban: iban === null ? "" : spacedIban(iban),
  };
  const message = iban === null ? t.reminder(values) : t.reminder_with_iban(values);
  return written(values, own, { subject: t.reminder_subject(values).in(lang), message: message.in(lang) });
}
