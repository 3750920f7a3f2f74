/** Means of payment by name, shortened if the official name is longer than usual speech. */
import { PAYMENT_MEANS, type PaymentCode } from "../../core/fiscal/payment-means.ts";
import { language } from "./language.ts";
import { texts } from "./texts.ts";

const SHORT: Readonly<Partial<Record<string, string>>> = texts({
  NU: ["Numerário", "Cash"],
  CD: ["Cartão de débito", "Debit card"],
  CC: ["Cartão de crédito", "Credit card"],
  MB: ["Referência Multibanco", "Multibanco reference"],
  TB: ["Transferência ou débito direto", "Transfer or direct debit"],
  CH: ["Cheque", "Cheque"],
  CO: ["Cheque ou cartão oferta", "Gift cheque or card"],
  CS: ["Compensação de saldos", "Netting of balances"],
  DE: ["Dinheiro eletrónico", "Electronic money"],
  TR: ["Vales de refeição, educação, etc.", "Meal, education and other vouchers"],
  OU: ["Outros meios", "Other means"],
});

/** A means of payment in words: `Numerário`; an unknown code stays as it is. */
export function meansName(code: string): string {
  const name = SHORT[code] ?? PAYMENT_MEANS.find((means) => means.code === code)?.[language.value] ?? code;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A shop's most frequent means come first. */
const USUAL: readonly PaymentCode[] = ["TB", "MB", "NU", "CD", "CC", "CH"];

/** Every means with its name, for a field that chooses one. */
export const meansOptions = (): readonly (readonly [value: PaymentCode, label: string])[] =>
  [...USUAL, ...PAYMENT_MEANS.map(({ code }) => code).filter((code) => !USUAL.includes(code))].map((code) => [
    code,
    meansName(code),
  ]);
