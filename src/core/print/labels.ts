/** The labels on the page. Mentions prescribed by law stay Portuguese in English too, with a translation. */
import { countryCode, UNKNOWN_COUNTRY } from "../fiscal/countries.ts";
import { DOCUMENT_TYPES, type DocType } from "../fiscal/document-types.ts";
import { PAYMENT_MEANS } from "../fiscal/payment-means.ts";
import type { Lang } from "../texts/languages.ts";
import { type Text, type TextsIn, texts, textsIn } from "../texts/texts.ts";
import type { PrintableDocument } from "./printable.ts";

const LABEL_TEXTS = texts({
  /** The sets of one print, in order. */
  original: ["Original", "Original"],
  duplicate: ["Duplicado", "Duplicate"],
  triplicate: ["Triplicado", "Triplicate"],
  quadruplicate: ["Quadruplicado", "Quadruplicate"],
  /** On each set beyond three of a document that goods travel with (Decreto-Lei 147/2003, article 5/12). */
  beyond_three: [
    "Cópia de documento não válida para os fins previstos no regime de bens em circulação",
    "Cópia de documento não válida para os fins previstos no regime de bens em circulação (copy of no use to goods in transit)",
  ],
  second_print: ["2.ª via", "2.ª via (copy)"],
  customer: ["Cliente", "Customer"],
  customer_code: ["Código de cliente", "Customer code"],
  tax_id: ["NIF", "Tax ID"],
  issue_date: ["Data de emissão", "Date of issue"],
  entry_date: ["Data e hora", "Date and time"],
  due_date: ["Vencimento", "Due date"],
  valid_until: ["Válido até", "Valid until"],
  supply_date: ["Data da operação", "Date of supply"],
  at_doc_code: ["Código AT", "AT code"],
  issued_by: ["Emitido por", "Issued by"],
  origin: ["Documento de origem", "Source document"],
  corrected: ["Documento corrigido", "Corrected document"],
  settled: ["Documentos liquidados", "Settled documents"],
  loading: ["Local de carga", "Place of loading"],
  unloading: ["Local de descarga", "Place of unloading"],
  start: ["Início do transporte", "Start of transport"],
  end: ["Fim do transporte", "End of transport"],
  vehicle: ["Viatura", "Vehicle"],
  code: ["Código", "Code"],
  description: ["Descrição", "Description"],
  quantity: ["Qtd.", "Qty"],
  unit: ["Un.", "Unit"],
  price: ["Preço unit.", "Unit price"],
  price_gross: ["Preço c/ IVA", "Price incl. VAT"],
  discount: ["Desc.", "Disc."],
  tax: ["IVA", "VAT"],
  net: ["Valor", "Amount"],
  gross: ["Valor c/ IVA", "Incl. VAT"],
  carried_out: ["A transportar", "Carried forward"],
  carried_in: ["Transporte", "Brought forward"],
  summary: ["Resumo do IVA", "VAT summary"],
  base: ["Base", "Base"],
  sum: ["Soma das linhas", "Sum of lines"],
  rounding: ["Arredondamento", "Rounding"],
  global_discount: ["Desconto global", "Global discount"],
  with_vat: ["c/ IVA", "incl. VAT"],
  total_net: ["Total sem IVA", "Total without VAT"],
  total_tax: ["Total de IVA", "Total VAT"],
  total: ["Total", "Total"],
  received: ["Total recebido", "Total received"],
  payments: ["Pagamento", "Payment"],
  refunds: ["Devolução", "Refund"],
  cash_given: ["Entregue em numerário", "Cash given"],
  change: ["Troco", "Change"],
  notes: ["Observações", "Notes"],
  cancelled: ["ANULADO", "ANULADO"],
  cancelled_at: ["ANULADO em", "ANULADO (cancelled) on"],
  training: [
    "Documento emitido para fins de Formação",
    "Documento emitido para fins de Formação (issued for training)",
  ],
  rehearsal: [
    "ENSAIO: programa não certificado, documento sem valor fiscal",
    "ENSAIO: programa não certificado, documento sem valor fiscal (rehearsal)",
  ],
  no_invoice: ["Este documento não serve de fatura", "Este documento não serve de fatura (this is not an invoice)"],
  not_fiscal: [
    "Este documento não tem valor fiscal",
    "Este documento não tem valor fiscal (this is not a fiscal document)",
  ],
  cash_vat: ["IVA - regime de caixa", "IVA - regime de caixa (cash VAT scheme)"],
  uncertified: [
    "Emitido por programa não certificado",
    "Emitido por programa não certificado (by a program that is not certified)",
  ],
  statement: ["Extrato de conta", "Statement of account"],
  from: ["Desde", "From"],
  to: ["Até", "To"],
  printed_at: ["Emitido em", "Printed on"],
  date: ["Data", "Date"],
  movement: ["Movimento", "Movement"],
  payment_of: ["Pagamento de {number}", "Payment of {number}"],
  refund_of: ["Devolução de {number}", "Refund of {number}"],
  debit: ["Débito", "Debit"],
  credit: ["Crédito", "Credit"],
  balance: ["Saldo", "Balance"],
  opening_balance: ["Saldo anterior", "Opening balance"],
  closing_balance: ["Saldo em {day:day}", "Balance on {day:day}"],
  not_due: ["Por vencer", "Not yet due"],
  days_1_30: ["Vencido há 1 a 30 dias", "1 to 30 days overdue"],
  days_31_60: ["Vencido há 31 a 60 dias", "31 to 60 days overdue"],
  days_61_90: ["Vencido há 61 a 90 dias", "61 to 90 days overdue"],
  over_90: ["Vencido há mais de 90 dias", "More than 90 days overdue"],
  in_favour: ["A favor do cliente", "In the customer's favour"],
  unallocated: ["Notas de crédito por imputar", "Credit notes not allocated"],
  takings: ["Apuro do dia", "Takings of the day"],
  by_means: ["Por meio de pagamento", "By means of payment"],
  by_actor: ["Por quem registou", "By who recorded it"],
  without_means: ["Sem meio indicado", "Means not stated"],
  no_money: ["Sem recebimentos nem devoluções", "Nothing was received or given back"],
  received_count: ["Recebido ({count})", "Received ({count})"],
  refunded_count: ["Devolvido ({count})", "Given back ({count})"],
  page: ["Página {page:plain} de {pages:plain}", "Page {page:plain} of {pages:plain}"],
});

/** The labels in one language. */
export type Labels = TextsIn<typeof LABEL_TEXTS>;

/** The labels of each language. */
export const LABELS: Readonly<Record<Lang, Labels>> = {
  pt: { ...textsIn(LABEL_TEXTS, () => "pt") },
  en: { ...textsIn(LABEL_TEXTS, () => "en") },
};

/** The English name of each type; the Portuguese one is in `DOCUMENT_TYPES`. */
const ENGLISH_NAMES: Readonly<Record<DocType, string>> = {
  FT: "Invoice",
  FS: "Simplified invoice",
  FR: "Invoice and receipt",
  NC: "Credit note",
  ND: "Debit note",
  RC: "Receipt",
  GT: "Transport document",
  GR: "Delivery note",
  NDV: "Return note",
  OR: "Quotation",
};

/** The language of a paper, and its labels in it. */
export interface Words {
  readonly lang: Lang;
  readonly labels: Labels;
}

/** The name of a document type. */
export const typeName = (doc_type: DocType, lang: Lang): string =>
  lang === "pt" ? DOCUMENT_TYPES[doc_type].name : ENGLISH_NAMES[doc_type];

/** A document's title: `Fatura FT 2026A/17`. */
export const titleOf = ({ doc_type, number }: Pick<PrintableDocument, "doc_type" | "number">, lang: Lang): string =>
  `${typeName(doc_type, lang)} ${number}`;

/** The name of a payment mechanism; an unknown code is returned as it is. */
export function paymentName(code: string, lang: Lang): string {
  return PAYMENT_MEANS.find((means) => means.code === code)?.[lang] ?? code;
}

const COUNTRY_NAMES: Readonly<Record<Lang, Intl.DisplayNames>> = {
  pt: new Intl.DisplayNames("pt-PT", { type: "region" }),
  en: new Intl.DisplayNames("en", { type: "region" }),
};

/** The name of a country by its ISO code: `Espanha` for `ES`. Any other text is returned as it is. */
export function countryName(given: string, lang: Lang): string {
  const code = countryCode(given);
  return code === UNKNOWN_COUNTRY ? given : (COUNTRY_NAMES[lang].of(code) ?? given);
}

const REGIONS: Readonly<Record<string, Text>> = texts({
  PT: ["Continente", "Mainland"],
  "PT-AC": ["Açores", "Azores"],
  "PT-MA": ["Madeira", "Madeira"],
});

const RATES: Readonly<Record<string, Text>> = texts({
  RED: ["Reduzida", "Reduced"],
  INT: ["Intermédia", "Intermediate"],
  NOR: ["Normal", "Standard"],
  ISE: ["Isenta", "Exempt"],
  NS: ["Não sujeita", "Not subject"],
  OUT: ["Outra", "Other"],
});

/** The name of a tax region; an unknown code is returned as it is. */
export const regionName = (region: string, lang: Lang): string => REGIONS[region]?.in(lang) ?? region;

/** The name of a VAT rate by its SAF-T code; an unknown code is returned as it is. */
export const rateName = (code: string, lang: Lang): string => RATES[code]?.in(lang) ?? code;
