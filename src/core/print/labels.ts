/** The labels on the page. Mentions prescribed by law stay Portuguese in English too, with a translation. */
import { countryCode, UNKNOWN_COUNTRY } from "../fiscal/countries.ts";
import { DOCUMENT_TYPES, type DocType } from "../fiscal/document-types.ts";
import { PAYMENT_MEANS } from "../fiscal/payment-means.ts";
import type { Lang } from "../texts/languages.ts";
import type { PrintableDocument } from "./printable.ts";

const PT = {
  /** The sets of one print, in order. */
  copies: ["Original", "Duplicado", "Triplicado", "Quadruplicado"],
  /** On each set beyond three of a document that goods travel with (Decreto-Lei 147/2003, article 5/12). */
  beyond_three: "Cópia de documento não válida para os fins previstos no regime de bens em circulação",
  second_print: "2.ª via",
  customer: "Cliente",
  customer_code: "Código de cliente",
  tax_id: "NIF",
  issue_date: "Data de emissão",
  entry_date: "Data e hora",
  due_date: "Vencimento",
  supply_date: "Data da operação",
  at_doc_code: "Código AT",
  issued_by: "Emitido por",
  origin: "Documento de origem",
  corrected: "Documento corrigido",
  settled: "Documentos liquidados",
  loading: "Local de carga",
  unloading: "Local de descarga",
  start: "Início do transporte",
  end: "Fim do transporte",
  vehicle: "Viatura",
  code: "Código",
  description: "Descrição",
  quantity: "Qtd.",
  unit: "Un.",
  price: "Preço unit.",
  price_gross: "Preço c/ IVA",
  discount: "Desc.",
  tax: "IVA",
  net: "Valor",
  gross: "Valor c/ IVA",
  carried_out: "A transportar",
  carried_in: "Transporte",
  summary: "Resumo do IVA",
  base: "Base",
  sum: "Soma das linhas",
  rounding: "Arredondamento",
  global_discount: "Desconto global",
  total_net: "Total sem IVA",
  total_tax: "Total de IVA",
  total: "Total",
  received: "Total recebido",
  payments: "Pagamento",
  cash_given: "Entregue em numerário",
  change: "Troco",
  notes: "Observações",
  cancelled: "ANULADO",
  cancelled_at: "ANULADO em",
  training: "Documento emitido para fins de Formação",
  rehearsal: "ENSAIO: programa não certificado, documento sem valor fiscal",
  no_invoice: "Este documento não serve de fatura",
  cash_vat: "IVA - regime de caixa",
  uncertified: "Emitido por programa não certificado",
  page: (page: number, pages: number) => `Página ${page} de ${pages}`,
} as const;

/** The labels in one language: the same keys as Portuguese. */
export type Labels = { readonly [Key in keyof typeof PT]: Widened<(typeof PT)[Key]> };

type Widened<Label> = Label extends string ? string : Label extends readonly string[] ? readonly string[] : Label;

const EN: Labels = {
  copies: ["Original", "Duplicate", "Triplicate", "Quadruplicate"],
  beyond_three: `${PT.beyond_three} (copy of no use to goods in transit)`,
  second_print: "2.ª via (copy)",
  customer: "Customer",
  customer_code: "Customer code",
  tax_id: "Tax ID",
  issue_date: "Date of issue",
  entry_date: "Date and time",
  due_date: "Due date",
  supply_date: "Date of supply",
  at_doc_code: "AT code",
  issued_by: "Issued by",
  origin: "Source document",
  corrected: "Corrected document",
  settled: "Settled documents",
  loading: "Place of loading",
  unloading: "Place of unloading",
  start: "Start of transport",
  end: "End of transport",
  vehicle: "Vehicle",
  code: "Code",
  description: "Description",
  quantity: "Qty",
  unit: "Unit",
  price: "Unit price",
  price_gross: "Price incl. VAT",
  discount: "Disc.",
  tax: "VAT",
  net: "Amount",
  gross: "Incl. VAT",
  carried_out: "Carried forward",
  carried_in: "Brought forward",
  summary: "VAT summary",
  base: "Base",
  sum: "Sum of lines",
  rounding: "Rounding",
  global_discount: "Global discount",
  total_net: "Total without VAT",
  total_tax: "Total VAT",
  total: "Total",
  received: "Total received",
  payments: "Payment",
  cash_given: "Cash given",
  change: "Change",
  notes: "Notes",
  cancelled: "ANULADO",
  cancelled_at: "ANULADO (cancelled) on",
  training: `${PT.training} (issued for training)`,
  rehearsal: `${PT.rehearsal} (rehearsal)`,
  no_invoice: `${PT.no_invoice} (this is not an invoice)`,
  cash_vat: `${PT.cash_vat} (cash VAT scheme)`,
  uncertified: `${PT.uncertified} (by a program that is not certified)`,
  page: (page, pages) => `Page ${page} of ${pages}`,
};

/** The labels of each language. */
export const LABELS: Readonly<Record<Lang, Labels>> = { pt: PT, en: EN };

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

const REGIONS: Readonly<Record<string, Readonly<Record<Lang, string>>>> = {
  PT: { pt: "Continente", en: "Mainland" },
  "PT-AC": { pt: "Açores", en: "Azores" },
  "PT-MA": { pt: "Madeira", en: "Madeira" },
};

const RATES: Readonly<Record<string, Readonly<Record<Lang, string>>>> = {
  RED: { pt: "Reduzida", en: "Reduced" },
  INT: { pt: "Intermédia", en: "Intermediate" },
  NOR: { pt: "Normal", en: "Standard" },
  ISE: { pt: "Isenta", en: "Exempt" },
  NS: { pt: "Não sujeita", en: "Not subject" },
  OUT: { pt: "Outra", en: "Other" },
};

/** The name of a tax region; an unknown code is returned as it is. */
export const regionName = (region: string, lang: Lang): string => REGIONS[region]?.[lang] ?? region;

/** The name of a VAT rate by its SAF-T code; an unknown code is returned as it is. */
export const rateName = (code: string, lang: Lang): string => RATES[code]?.[lang] ?? code;
