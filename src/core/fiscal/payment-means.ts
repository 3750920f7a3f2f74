/** The payment mechanisms of SAF-T (PT) (Portaria 302/2016, field 4.1.4.20.6.1). */
import { sumOfCents } from "./money.ts";

/** One row per code, in alphabetical order, with the Portuguese name from the law and an English one. */
export const PAYMENT_MEANS = [
  { code: "CC", pt: "Cartão crédito", en: "credit card" },
  { code: "CD", pt: "Cartão débito", en: "debit card" },
  { code: "CH", pt: "Cheque bancário", en: "bank cheque" },
  { code: "CI", pt: "Crédito documentário internacional", en: "international documentary credit" },
  { code: "CO", pt: "Cheque ou cartão oferta", en: "gift cheque or card" },
  { code: "CS", pt: "Compensação de saldos em conta corrente", en: "netting of current account balances" },
  {
    code: "DE",
    pt: "Dinheiro eletrónico, por exemplo residente em cartões de fidelidade ou de pontos",
    en: "electronic money, e.g. loyalty or points cards",
  },
  { code: "LC", pt: "Letra comercial", en: "bill of exchange" },
  { code: "MB", pt: "Referências de pagamento para Multibanco", en: "Multibanco payment references" },
  { code: "NU", pt: "Numerário", en: "cash" },
  { code: "OU", pt: "Outros meios aqui não assinalados", en: "other means not listed" },
  { code: "PR", pt: "Permuta de bens", en: "barter" },
  {
    code: "TB",
    pt: "Transferência bancária ou débito direto autorizado",
    en: "bank transfer or authorised direct debit",
  },
  {
    code: "TR",
    pt: "Títulos de compensação extrassalarial independentemente do seu suporte, por exemplo, títulos de refeição, educação, etc.",
    en: "extra-salary vouchers in any form: meal, education and the like",
  },
] as const;

/** A payment mechanism as SAF-T (PT) codes it. */
export type PaymentCode = (typeof PAYMENT_MEANS)[number]["code"];

/** Money received, and money given back. */
export const PAYMENT_KINDS = ["payment", "refund"] as const;

/** Whether money was received or given back. */
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/** Notes and coins. */
export const CASH = "NU" satisfies PaymentCode;

/** The part of these payments that was made in cash, in cents. */
export const cashCents = (payments: readonly { readonly method_code: string; readonly amount_cents: number }[]) =>
  sumOfCents(payments.filter(({ method_code }) => method_code === CASH));

/** The sum from which a sale may not be paid in cash, in cents (Lei Geral Tributária, article 63-E/1). */
export const CASH_LIMIT_CENTS = 300_000;

/** The codes, in alphabetical order. */
export const PAYMENT_CODES = PAYMENT_MEANS.map(({ code }) => code);
