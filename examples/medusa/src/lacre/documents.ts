/**
 * What an order of Medusa is in Lacre. Medusa counts in euros, with as many decimals as its taxes make; an invoice
 * comes to the cents that were paid. Of Medusa's types this names what it reads, so that it can be tested by itself.
 */
import type { NewCredit, NewCustomer, NewDocument, NewDocumentLine, NewDocumentPayment } from "lacre";
import { nifOf } from "lacre/totals";

/** A number in one of Medusa's forms, all of which `Number` understands. */
type Amount = unknown;

interface Priced {
  readonly total: Amount;
  readonly original_total: Amount;
  readonly tax_lines?: readonly { readonly rate: number }[];
}

interface Address {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly company?: string;
  readonly phone?: string;
  readonly address_1?: string;
  readonly address_2?: string;
  readonly postal_code?: string;
  readonly city?: string;
  readonly country_code?: string;
}

/** An order with its totals. */
export interface Order {
  readonly id: string;
  readonly currency_code: string;
  readonly customer_id?: string;
  readonly email?: string;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly billing_address?: Address;
  readonly shipping_address?: Address;
  readonly items?: readonly (Priced & { readonly id: string; readonly title: string; readonly quantity: Amount })[];
  readonly shipping_methods?: readonly (Priced & { readonly id: string; readonly name: string })[];
}

/** A payment of it. */
export interface Payment {
  readonly provider_id: string;
  readonly captures?: readonly { readonly amount: Amount }[];
}

/** What the shop knows and an order does not say. */
export interface Terms {
  /** SAF-T's code for each payment provider, by its id; OU, other means, for those left out. */
  readonly methods?: Readonly<Record<string, NewDocumentPayment["method_code"]>>;
  /** Why a line at 0 % bears no tax, such as M07; the company's own reason when left out. */
  readonly exemption?: string;
}

/** The invoice of an order, and the id of the item or shipping method that each of its lines was. */
export interface Invoice {
  readonly document: NewDocument;
  readonly lines: string[];
}

const inCents = (amount: Amount) => Math.round(Number(amount) * 100);

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

export const capturedCents = (payments: readonly Payment[]) =>
  sum(payments.flatMap(({ captures = [] }) => captures.map(({ amount }) => inCents(amount))));

/** The FR of an order that is paid, `day` being that of the payment. Throws where it is no sale in euros. */
export function invoiceOf(order: Order, payments: readonly Payment[], day: string, terms: Terms): Invoice {
  if (order.currency_code.toLowerCase() !== "eur") throw new Error(`Order ${order.id} is in ${order.currency_code}.`);
  const items = itemsOf(order, capturedCents(payments));
  const document: NewDocument = {
    doc_type: "FR",
    series: "current",
    external_id: order.id,
    customer: customerOf(order),
    lines: items.map((item) => lineOf(item, terms)),
    payments: payments
      .map(({ provider_id, captures = [] }) => ({
        method_code: terms.methods?.[provider_id] ?? "OU",
        amount: sum(captures.map(({ amount }) => inCents(amount))) / 100,
        payment_date: day,
      }))
      .filter(({ amount }) => amount > 0),
    issue: true,
  };
  return { document, lines: items.map(({ id }) => id) };
}

/** The lines of an order that came back, `invoiced` being the ids of its invoice; Lacre refuses one that has none. */
export function creditOf(
  order: Pick<Order, "id">,
  invoiced: readonly string[],
  returned: readonly { readonly item_id: string; readonly quantity: Amount }[],
): NewCredit {
  return {
    external_id: order.id,
    reason: "Devolução",
    lines: returned.map(({ item_id, quantity }) => ({ line: invoiced.indexOf(item_id) + 1, qty: Number(quantity) })),
    issue: true,
  };
}

/** A line; `full` and `paid`, in cents with VAT, are what it comes to without and with what came off. */
interface Item {
  readonly id: string;
  readonly text: string;
  readonly type: "P" | "S";
  readonly qty: number;
  readonly rate: number;
  readonly full: number;
  readonly paid: number;
}

/** The items, whose cents come to `total`: what rounding each of them leaves is on the dearest. */
function itemsOf({ items = [], shipping_methods = [] }: Order, total: number): Item[] {
  const all = [
    ...items.map(
      (item) => ({ ...moneyOf(item), id: item.id, text: item.title, type: "P", qty: Number(item.quantity) }) as const,
    ),
    ...shipping_methods.map((item) => ({ ...moneyOf(item), id: item.id, text: item.name, type: "S", qty: 1 }) as const),
  ].filter(({ full, qty }) => qty > 0 && full > 0);
  const left = total - sum(all.map(({ paid }) => paid));
  const dearest = all.reduce((found, { paid }, i) => (paid > (all[found]?.paid ?? 0) ? i : found), 0);
  if (Math.abs(left) > all.length) throw new Error(`The lines and what was paid differ by ${left / 100} EUR.`);
  return all.map((item, i) => {
    const paid = i === dearest ? item.paid + left : item.paid;
    return { ...item, paid, full: Math.max(item.full, paid) };
  });
}

const moneyOf = ({ original_total, total, tax_lines = [] }: Priced) => ({
  full: inCents(original_total),
  paid: inCents(total),
  rate: sum(tax_lines.map(({ rate }) => rate)),
});

function lineOf({ text, type, qty, rate, full, paid }: Item, { exemption }: Terms): NewDocumentLine {
  return {
    description: cut(text) ?? "Artigo",
    type,
    qty,
    // Six decimals, up: a price without VAT need not be whole cents with it, and all of it can be taken off.
    unit_price_gross: Math.ceil((full * 10_000) / qty) / 1_000_000,
    tax_rate: rate,
    ...(paid < full && { discount_amount: (full - paid) / 100 }),
    ...(rate === 0 && exemption && { exemption_code: exemption }),
  };
}

/** The NIF that the storefront put into the metadata of the cart; undefined for none, and for a wrong one. */
export const nifIn = ({ metadata }: Order) => nifOf(String(metadata?.nif ?? ""));

/** Whom an order is invoiced to: in Lacre a customer for each NIF, or name without one, under which somebody buys. */
function customerOf(order: Order): NewCustomer {
  const address = order.billing_address ?? order.shipping_address ?? {};
  const nif = nifIn(order);
  const person = `${address.first_name ?? ""} ${address.last_name ?? ""}`;
  const name = cut((nif && address.company) || person, 200) ?? "Consumidor final";
  return {
    name,
    external_id: cut(`medusa ${order.customer_id ?? order.email} ${nif ?? name}`),
    tax_id: nif,
    email: mailOf(order.email),
    phone: cut(address.phone),
    address: cut([address.address_1, address.address_2].filter(Boolean).join(", ")),
    postal_code: cut(address.postal_code),
    city: cut(address.city),
    country: cut(address.country_code?.toUpperCase()),
  };
}

/** A text on one line, as long as Lacre keeps it; undefined for none. A checkout lets through more than that. */
function cut(text: string | undefined, length = 100): string | undefined {
  const line = (text ?? "").replace(/[\s\p{Cc}]+/gu, " ").trim();
  return [...line].slice(0, length).join("").trim() || undefined;
}

/** An address that Lacre takes; undefined for any other, as a sale does not wait for an e-mail. */
const mailOf = (text = "") => {
  const isMail = /^\w+(?:[.+-]\w+)*@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i.test(text);
  return isMail && text.length <= 100 ? text : undefined;
};
