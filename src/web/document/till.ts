/**
 * The money of a till, in cents: the means of payment, the cash handed over, what is missing, and when the document may
 * be issued. Nothing here is drawn or stored.
 */
import type { NewDocumentPayment, Series } from "../../core/face.ts";
import { DOCUMENT_TYPES, type DocType, isReceipt } from "../../core/fiscal/document-types.ts";
import { fromCents, scaled } from "../../core/fiscal/money.ts";
import { CASH, type PaymentCode } from "../../core/fiscal/payment-means.ts";
import { typedMoney } from "../words/decimals.ts";
import { readNumber } from "./line.ts";

/** A payment as it is planned at issue, in euros. */
export type Payment = Pick<NewDocumentPayment, "amount" | "method_code">;

/** The amount to pay. */
export interface Due {
  readonly doc_type: DocType;
  readonly total_cents: number;
}

/** One of several means, with its amount as typed; an empty one counts as no amount. */
export interface Share {
  readonly code: PaymentCode;
  readonly amount: string;
  /** Whether a person typed the amount; if exactly one amount was not typed, it is the remainder. */
  readonly isTyped: boolean;
}

/** The choices and typed texts. */
export interface Choice {
  /** The means that pays everything; undefined if it is paid later, or if a receipt does not say. */
  readonly means: PaymentCode | undefined;
  /** Several means, instead of the one. */
  readonly shares: readonly Share[] | undefined;
}

/** The cash handed over, and the change: of this moment only, so no document stores it. */
export interface Handed {
  readonly given_cents: number;
  readonly change_cents: number;
}

export const NOTHING_HANDED: Handed = { given_cents: 0, change_cents: 0 };

/** The result of a choice. */
export interface Till {
  /** The payments to record, in euros, without means that pay nothing. */
  readonly payments: readonly Payment[];
  /** Whether any means is named, even one that pays nothing yet. */
  readonly isSaid: boolean;
  readonly handed: Handed;
  /** The part paid in cash: only that gets change. */
  readonly cash_cents: number;
  /** The change; negative if cash is missing. */
  readonly change_cents: number;
  /** By how much the payments exceed the total. */
  readonly over_cents: number;
  /** The amount left to pay; a receipt leaves nothing. */
  readonly left_cents: number;
  /** Whether something is left although issuing it means that it was paid in full. */
  readonly isUnderpaid: boolean;
  /** Whether an amount is unreadable. */
  readonly isUnreadable: boolean;
  /** Whether the cash handed over is unreadable, or too little. */
  readonly isShort: boolean;
  /** Whether it cannot be issued like this. */
  readonly isBlocked: boolean;
}

const EURO = { decimals: 2, max: 1_000_000_000_000 };

/** The cents of a share; undefined if its amount is unreadable. */
function shareCents({ amount }: Share): number | undefined {
  const read = readNumber(amount, { ...EURO, empty: 0 });
  return "scaled" in read ? read.scaled : undefined;
}

const sum = (amounts: readonly number[]) => amounts.reduce((all, cents) => all + cents, 0);

/** Whether it states payments: a type that takes payments at issue, and a total above 0. */
export const takesPayments = ({ doc_type, total_cents }: Due): boolean =>
  DOCUMENT_TYPES[doc_type].takes_payments_at_issue && total_cents > 0;

/** The initial choice: the draft's payments, else cash if payment goes with the document. */
export function firstChoice(due: Due, before: readonly Payment[]): Choice {
  const { is_simplified, paid_by_nature } = DOCUMENT_TYPES[due.doc_type];
  const isPaidNow = is_simplified || paid_by_nature || isReceipt(due);
  const usual = takesPayments(due) && isPaidNow ? CASH : undefined;
  const shares = before.map(({ method_code, amount }) => ({
    code: method_code,
    amount: typedMoney(amount),
    isTyped: true,
  }));
  return { means: before[0] ? before[0].method_code : usual, shares: shares.length > 1 ? shares : undefined };
}

/**
 * The result of a choice.
 *
 * @param received the cash handed over, as it is typed; empty for the exact sum.
 */
export function tillOf(due: Due, { means, shares }: Choice, received: string): Till {
  const { total_cents } = due;
  const one = means && takesPayments(due) ? [{ code: means, cents: total_cents }] : [];
  const read = shares?.map((share) => ({ code: share.code, cents: shareCents(share) }));
  const paid = read?.map(({ code, cents = 0 }) => ({ code, cents })) ?? one;
  const paid_cents = sum(paid.map(({ cents }) => cents));
  const cash_cents = sum(paid.filter(({ code }) => code === CASH).map(({ cents }) => cents));
  const isUnreadable = read?.some(({ cents }) => cents === undefined) ?? false;
  const over_cents = Math.max(paid_cents - total_cents, 0);
  const isLeft = takesPayments(due) && !isUnreadable && !isReceipt(due);
  const left_cents = isLeft ? Math.max(total_cents - paid_cents, 0) : 0;
  const isUnderpaid = left_cents > 0 && DOCUMENT_TYPES[due.doc_type].paid_by_nature;
  const cash = cashOf(cash_cents, received);
  return {
    payments: paid
      .filter(({ cents }) => cents > 0)
      .map(({ code, cents }) => ({ method_code: code, amount: fromCents(cents) })),
    isSaid: paid.length > 0,
    ...cash,
    cash_cents,
    over_cents,
    left_cents,
    isUnderpaid,
    isUnreadable,
    isBlocked: isUnreadable || over_cents > 0 || isUnderpaid || cash.isShort,
  };
}

/** The cash handed over for a cash amount; if nothing is paid in cash, the typed text is ignored. */
function cashOf(cash_cents: number, received: string): Pick<Till, "handed" | "change_cents" | "isShort"> {
  const isExact = cash_cents === 0 || received.trim() === "";
  if (isExact) return { handed: NOTHING_HANDED, change_cents: 0, isShort: false };
  const given = readNumber(received, EURO);
  if (!("scaled" in given)) return { handed: NOTHING_HANDED, change_cents: 0, isShort: true };
  const change_cents = given.scaled - cash_cents;
  return { handed: { given_cents: given.scaled, change_cents }, change_cents, isShort: change_cents < 0 };
}

// ——— When Enter issues ———

/** Whether a first document would leave a series without its code for good; not asked once it may have been issued. */
export const lacksCode = (
  series: Pick<Series, "training" | "validation_code" | "next_number"> | undefined,
  isUnknown: boolean,
): boolean =>
  series !== undefined && !isUnknown && !series.training && series.validation_code === null && series.next_number === 1;

// ——— Several means ———

/** The amount that the shares leave of the total, as it is typed. */
function leftOf(total_cents: number, shares: readonly Share[]): string {
  const paid_cents = sum(shares.map((share) => shareCents(share) ?? 0));
  return typedMoney(fromCents(Math.max(total_cents - paid_cents, 0)));
}

/** The shares, with the one untyped amount set to what the others leave. */
function filled(total_cents: number, shares: readonly Share[]): readonly Share[] {
  const [rest, ...more] = shares.filter(({ isTyped }) => !isTyped);
  if (!rest || more.length > 0) return shares;
  const others = shares.filter((share) => share !== rest);
  return shares.map((share) => (share === rest ? { ...rest, amount: leftOf(total_cents, others) } : share));
}

/** Two shares: the chosen means, to be typed, and another one for everything until then. */
export function sharedFrom(total_cents: number, means: PaymentCode = CASH): readonly Share[] {
  return [
    { code: means, amount: "", isTyped: false },
    { code: means === "CD" ? CASH : "CD", amount: typedMoney(fromCents(total_cents)), isTyped: false },
  ];
}

/** The shares after an amount was typed. */
export const withAmount = (total_cents: number, shares: readonly Share[], index: number, amount: string) =>
  filled(
    total_cents,
    shares.map((share, at) => (at === index ? { ...share, amount, isTyped: true } : share)),
  );

/** The shares after a means was changed. */
export const withMeans = (shares: readonly Share[], index: number, code: PaymentCode): readonly Share[] =>
  shares.map((share, at) => (at === index ? { ...share, code } : share));

/** The shares and another one, by card, of the remaining amount. */
export const withAnother = (total_cents: number, shares: readonly Share[]): readonly Share[] => [
  ...shares,
  { code: "CD", amount: leftOf(total_cents, shares), isTyped: false },
];

/** The shares without one. */
export const withoutShare = (total_cents: number, shares: readonly Share[], index: number): readonly Share[] =>
  filled(
    total_cents,
    shares.filter((_, at) => at !== index),
  );

// ——— Payments of a receipt ———

/** A debt, and the part of it that a receipt acknowledges. */
export interface Debt {
  readonly id: string;
  /** The part that is acknowledged and still owed. */
  readonly open_cents: number;
}

/** The payments that settle debts: the money goes to them in order, and any excess to none. */
export function settlementOf(
  debts: readonly Debt[],
  payments: readonly Payment[],
): readonly (Payment & { readonly id: string })[] {
  const left = payments.map(({ amount, method_code }) => ({ method_code, cents: scaled(amount, 2) ?? 0 }));
  return debts.flatMap(({ id, open_cents }) => {
    let open = open_cents;
    return left.flatMap((given) => {
      const cents = Math.min(open, given.cents);
      if (cents <= 0) return [];
      open -= cents;
      given.cents -= cents;
      return { id, amount: fromCents(cents), method_code: given.method_code };
    });
  });
}
