/** What an order of Vendure is in Lacre: its FR, and the credit of a refund. Vendure counts cents, Lacre euros. */
import type { Order, Refund } from "@vendure/core";
import type { NewCredit, NewCustomer, NewDocument, NewDocumentLine, NewDocumentPayment } from "lacre";
import { nifOf } from "lacre/totals";

/** What the shop knows and an order does not say. */
export interface Terms {
  /** SAF-T's code for each payment method of the shop, by the method's code; OU, other means, for those left out. */
  readonly methods?: Readonly<Record<string, NewDocumentPayment["method_code"]>>;
  /** Why a line at 0 % bears no tax, such as M07; the company's own reason when left out. */
  readonly exemption?: string;
}

/** The invoice of an order, and which of its lines stands where. */
export interface Invoice {
  readonly document: NewDocument;
  /** Of each line of the document, what it was in the order: the id of an order line, or `shipping`. */
  readonly lines: string[];
}

/** A row of an order; `full` and `paid`, in cents with VAT, are what it comes to without and with all that came off. */
interface Item {
  readonly of: string;
  readonly text: string;
  readonly type: "P" | "S";
  readonly qty: number;
  readonly rate: number;
  readonly full: number;
  readonly paid: number;
}

const sum = (cents: readonly number[]) => cents.reduce((total, each) => total + each, 0);

/**
 * The FR of a paid order, `day` being that of the payment. Its lines come to what was paid, to the cent, whether the
 * shop's prices are with VAT or without. Throws where the order is no sale in euros, comes to nothing, or has a
 * negative surcharge.
 */
export function invoiceOf(order: Order, day: string, terms: Terms): Invoice {
  const items = itemsOf(order);
  if (order.currencyCode !== "EUR") throw new Error(`The order is in ${order.currencyCode}.`);
  if (order.totalWithTax === 0) throw new Error("The order comes to 0.00.");
  if (items.some(({ full }) => full < 0)) throw new Error("The order has a negative surcharge.");
  const document: NewDocument = {
    doc_type: "FR",
    series: "current",
    external_id: order.code,
    customer: customerOf(order),
    lines: items.map((item) => lineOf(item, terms)),
    payments: settledOf(order).map(({ method, amount }) => ({
      method_code: terms.methods?.[method] ?? "OU",
      amount: amount / 100,
      payment_date: day,
    })),
    issue: true,
  };
  return { document, lines: items.map(({ of }) => of) };
}

/** Whether a number was typed that is no NIF: the invoice then goes without it. */
export const hasWrongNif = ({ customFields: { nif } }: Order) => Boolean(nif?.trim()) && nifOf(nif ?? "") === undefined;

/** The payments that were made, whole or since given back. */
const settledOf = ({ payments }: Order) => payments.filter(({ state }) => state === "Settled");

function itemsOf({ lines, shippingLines, surcharges }: Order): Item[] {
  return [
    ...lines.map((line) => ({
      of: String(line.id),
      text: line.productVariant.name,
      type: "P" as const,
      qty: line.quantity,
      rate: line.taxRate,
      full: line.linePriceWithTax,
      paid: line.proratedLinePriceWithTax,
    })),
    ...shippingLines.map(({ shippingMethod, taxRate, priceWithTax, discountedPriceWithTax }) => ({
      of: "shipping",
      text: shippingMethod.name,
      type: "S" as const,
      qty: priceWithTax === 0 ? 0 : 1,
      rate: taxRate,
      full: priceWithTax,
      paid: discountedPriceWithTax,
    })),
    ...surcharges.map(({ id, description, taxRate, priceWithTax }) => ({
      of: `surcharge ${id}`,
      text: description,
      type: "S" as const,
      qty: 1,
      rate: taxRate,
      full: priceWithTax,
      paid: priceWithTax,
    })),
  ].filter(({ qty }) => qty > 0);
}

function lineOf({ text, type, qty, rate, full, paid }: Item, { exemption }: Terms): NewDocumentLine {
  return {
    description: cut(text) ?? "Artigo",
    type,
    qty,
    // Six decimals, up: a shop's price without VAT need not be whole cents with it, and all of it can be taken off.
    unit_price_gross: Math.ceil((full * 10_000) / qty) / 1_000_000,
    tax_rate: rate,
    ...(paid < full && { discount_amount: (full - paid) / 100 }),
    ...(rate === 0 && exemption && { exemption_code: exemption }),
  };
}

/**
 * Whom an order is invoiced to. Somebody who buys once for themselves and once for a company is two customers in Lacre,
 * as the NIF, or the name where there is none, of a customer with documents stays.
 */
function customerOf({ customer, billingAddress, shippingAddress, customFields }: Order): NewCustomer {
  const address = billingAddress.streetLine1 ? billingAddress : shippingAddress;
  const nif = nifOf(customFields.nif ?? "");
  const person = address.fullName || `${customer?.firstName ?? ""} ${customer?.lastName ?? ""}`;
  const name = cut((nif && address.company) || person, 200) ?? "Consumidor final";
  return {
    name,
    external_id: cut(`vendure ${customer?.id} ${nif ?? name}`),
    tax_id: nif,
    email: mailOf(customer?.emailAddress),
    phone: cut(address.phoneNumber),
    address: cut([address.streetLine1, address.streetLine2].filter(Boolean).join(", ")),
    postal_code: cut(address.postalCode),
    city: cut(address.city),
    country: cut(address.countryCode),
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

/** The credit of a refund. */
export interface Credit {
  readonly request: NewCredit;
  /** What of the invoice is credited, by what it was in the order; all that is left of it where there is none. */
  readonly parts?: readonly { readonly of: string; readonly qty?: number }[];
}

/**
 * The credit of a settled refund: what is left, once all that was paid is given back; else the units and the shipping
 * of the refund, where it is what they came to. Undefined for any other amount: a person knows what that is for.
 */
export function creditOf(order: Order, refund: Refund, terms: Terms): Credit | undefined {
  const given = order.payments.flatMap(({ refunds }) => refunds).filter(({ state }) => state === "Settled");
  const isLast = sum(given.map(({ total }) => total)) === sum(settledOf(order).map(({ amount }) => amount));
  const parts = isLast ? undefined : partsOf(order, refund);
  if (!isLast && !parts) return undefined;
  const request: NewCredit = {
    external_id: order.code,
    reason: cut(refund.reason, 50),
    refund: { method_code: terms.methods?.[refund.method] ?? "OU" },
    issue: true,
  };
  return { request, ...(parts && { parts }) };
}

function partsOf(order: Order, { lines, shipping, total }: Refund): Credit["parts"] | undefined {
  const units = lines.filter(({ quantity }) => quantity > 0);
  const values = units.map(({ orderLineId, quantity }) => {
    return quantity * (order.lines.find(({ id }) => id === orderLineId)?.proratedUnitPriceWithTax ?? Number.NaN);
  });
  const isShippingPart = shipping !== 0 && shipping !== order.shippingWithTax;
  if (total === 0 || sum(values) + shipping !== total || isShippingPart) return undefined;
  const goods = units.map(({ orderLineId, quantity }) => ({ of: String(orderLineId), qty: quantity }));
  return shipping > 0 ? [...goods, { of: "shipping" }] : goods;
}

/** The same with the lines of the invoice, `invoiced` being what each of them was in the order. */
export function creditOn(invoiced: readonly string[], { request, parts }: Credit): NewCredit {
  if (!parts) return request;
  const lines = parts.flatMap(({ of, ...part }) =>
    invoiced.flatMap((each, i) => (each === of ? [{ line: i + 1, ...part }] : [])),
  );
  return { ...request, lines };
}
