/** A line of the document being written: what is typed, what it means, and what is wrong with it. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { NewDocumentLine, Product } from "../../core/face.ts";
import { grossOfNet, netMicrosOfGross, netOfGross } from "../../core/fiscal/gross-prices.ts";
import { fromCents, scaled, toCents } from "../../core/fiscal/money.ts";
import { MAX_PERCENTAGE, MAX_QUANTITY, MAX_UNIT_PRICE, mostOffLine, type NetLine } from "../../core/fiscal/totals.ts";
import { pricesWithVat } from "../prices.ts";
import { money, parseDecimal, typedMoney, typedNumber } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  description: ["Escreva a descrição.", "Write the description."],
  number: ["Escreva um número, como 1,5.", "Type a number, as 1.5."],
  more_than_zero: ["Tem de ser mais do que 0.", "Must be more than 0."],
  at_most: ["No máximo {max}.", "At most {max}."],
  at_zero: ["Escolha o preço a 0 %.", "Choose the price at 0%."],
  discount_exceeds: ["O desconto de {off} passa do valor da linha.", "The discount of {off} is more than the line."],
  decimals: ["No máximo {count} casas decimais.", "At most {count} decimals."],
});

/** A price as it was typed: with VAT or without it. */
export interface Price {
  readonly value: number;
  readonly withVat: boolean;
  /** The price without VAT, if nobody can tell which of the two was typed: both are whole cents. */
  readonly orNet?: number;
}

/** A price as it is typed, at a rate; it stays unchanged until the other kind of price is shown. */
interface TypedPrice {
  readonly text: string;
  readonly withVat: boolean;
  readonly rate: number;
}

/** What to do with a price with VAT on a line that no longer bears it. */
export type AtZero = "keep" | "strip";

/** The values of a line before anybody types into it. */
export interface LineStart {
  readonly description: string;
  readonly qty: number;
  readonly price: Price;
  readonly tax_rate: number;
  readonly discount_pct?: number;
  /** An amount off, which a program set: it stays until a percentage is typed. */
  readonly discount_amount?: number | null;
  readonly unit?: string;
  readonly product_id?: string | null;
  readonly exemption_code?: string | null;
  /** The exemption code of the product or the corrected line, used when the line has none. */
  readonly usual_exemption?: string | null;
  readonly sku?: string | null;
  /** The line of another document that this one corrects or follows. */
  readonly of?: { readonly document_id: string; readonly line: number } | undefined;
  /** Fields that this page does not show, and sends back unchanged. */
  readonly rest?: Pick<NewDocumentLine, "type" | "supply_date">;
}

/** The fields that can be wrong, as the API names them. */
export type LineField = "description" | "qty" | "unit" | "price" | "discount_pct" | "tax_rate" | "exemption_code";

/** The meaning of a line's typed values; without `amounts` one of them is unreadable. */
export interface Checked {
  readonly problems: Readonly<Partial<Record<LineField, string>>>;
  readonly amounts?: NetLine;
  readonly input?: SentLine;
}

/** A line as this page sends it: it always says what a product would fill in. */
export type SentLine = NewDocumentLine & { readonly description: string; readonly tax_rate: number };

let lastKey = 0;

const typedLine = (start: LineStart) => ({
  key: ++lastKey,
  start,
  description: signal(start.description),
  qty: signal(typedNumber(start.qty)),
  unit: signal(start.unit ?? ""),
  /** Undefined while the price is the initial one. */
  typedPrice: signal<TypedPrice | undefined>(undefined),
  discount: signal(start.discount_pct ? typedNumber(start.discount_pct) : ""),
  rate: signal(start.tax_rate),
  /** The choice about a price with VAT, once the line moved to 0 %. */
  atZero: signal<AtZero | undefined>(undefined),
  exemption: signal(start.exemption_code ?? ""),
  /** The server's refusals, until the field changes. */
  refused: signal<Readonly<Partial<Record<LineField, string>>>>({}),
});

type Typed = Readonly<ReturnType<typeof typedLine>>;

/** A line: what is typed, the price in its field, and what everything means. */
export interface Line extends Typed {
  readonly price: ReadonlySignal<string>;
  readonly checked: ReadonlySignal<Checked>;
}

/** A new line. */
export function newLine(start: LineStart): Line {
  const line = typedLine(start);
  return {
    ...line,
    price: computed(() => {
      const typed = line.typedPrice.value;
      const withVat = pricesWithVat.value;
      const price = priceNow(line);
      // A typed text stays as it was typed, unless it means something else at this rate.
      if (typed?.withVat === withVat && (price === undefined || price.withVat === withVat)) return typed.text;
      return price ? typedMoney(shown(price, line.rate.value, withVat)) : (typed?.text ?? "");
    }),
    checked: computed(() => check(line)),
  };
}

/** A line for a product, at its own price. */
export function lineOf(product: Product, qty: number): Line {
  return newLine({
    description: product.name,
    qty,
    price: priceOf(product),
    tax_rate: product.tax_rate,
    unit: product.unit,
    product_id: product.id,
    usual_exemption: product.exemption_code,
    sku: product.sku,
  });
}

/** The price of a product: the round shelf price with VAT, if prices are with VAT and it converts exactly. */
function priceOf({ unit_price_net, tax_rate }: Product): Price {
  const gross = pricesWithVat.peek() ? grossOfNet(unit_price_net, tax_rate) : unit_price_net;
  const isShelf = gross !== unit_price_net && scaled(gross, 2) !== undefined;
  if (!isShelf || netOfGross(gross, tax_rate) !== unit_price_net) return { value: unit_price_net, withVat: false };
  return { value: gross, withVat: true, ...(scaled(unit_price_net, 2) !== undefined && { orNet: unit_price_net }) };
}

/** The price as it was typed, and its rate; undefined if the text is not a price. */
function given({ start, typedPrice }: Pick<Typed, "start" | "typedPrice">): (Price & { rate: number }) | undefined {
  const typed = typedPrice.value;
  if (!typed) return { ...start.price, rate: start.tax_rate };
  const price = readPrice(typed);
  return price && { ...price, rate: typed.rate };
}

/** The two possible meanings of a price with VAT on a line at 0 %; undefined if there is no question. */
export function pricesAtZero(line: Pick<Typed, "start" | "typedPrice" | "rate" | "atZero">) {
  const price = given(line);
  if (!price?.withVat || line.rate.value !== 0 || price.rate === 0 || price.value === 0) return undefined;
  const chosen = line.atZero.value ?? (price.orNet === undefined ? undefined : "strip");
  return { keep: price.value, strip: price.orNet ?? netOfGross(price.value, price.rate), chosen };
}

/**
 * The price at the line's present rate: the typed one stays, with VAT or without it. A price that may be either counts
 * as one without VAT once the rate differs, as it is stored.
 */
function priceNow(line: Pick<Typed, "start" | "typedPrice" | "rate" | "atZero">): Price | undefined {
  const price = given(line);
  const atZero = pricesAtZero(line);
  if (atZero?.chosen === "strip") return { value: atZero.strip, withVat: false };
  if (price?.orNet !== undefined && line.rate.value !== price.rate && !atZero) {
    return { value: price.orNet, withVat: false };
  }
  return price && { value: price.value, withVat: price.withVat };
}

function shown({ value, withVat }: Price, rate: number, wanted: boolean): number {
  if (withVat === wanted) return value;
  return wanted ? grossOfNet(value, rate) : netOfGross(value, rate);
}

/** The price that a text means; undefined if it cannot be one. */
function readPrice({ text, withVat }: Pick<TypedPrice, "text" | "withVat">): Price | undefined {
  const read = readNumber(text, { decimals: 6, max: MAX_UNIT_PRICE });
  return "value" in read ? { value: read.value, withVat } : undefined;
}

interface NumberLimits {
  readonly decimals: number;
  readonly max: number;
  readonly isMoreThanZero?: boolean;
  /** The value of an empty field. */
  readonly empty?: number;
}

/** The number in a field, or what is wrong with it. */
export function readNumber(
  text: string,
  { decimals, max, isMoreThanZero = false, empty }: NumberLimits,
): { readonly value: number; readonly scaled: number } | { readonly problem: string } {
  const value = text.trim() === "" ? empty : parseDecimal(text);
  if (value === undefined) return { problem: t.number };
  if (isMoreThanZero && value <= 0) return { problem: t.more_than_zero };
  if (value > max) return { problem: t.at_most({ max: typedNumber(max) }) };
  const integer = scaled(value, decimals);
  return integer === undefined ? { problem: t.decimals({ count: decimals }) } : { value, scaled: integer };
}

/** The amount off that applies to a line, in EUR; null for none, or a percentage. */
export const amountOff = ({ start, discount }: Pick<Typed, "start" | "discount">): number | null =>
  discount.value.trim() === "" ? (start.discount_amount ?? null) : null;

/** The discount of a line: its amount in cents, and either kind as it is sent. */
function discountOf(
  line: Typed,
  percentage: { readonly value: number },
): { readonly cents: number; readonly input: Pick<NewDocumentLine, "discount_pct" | "discount_amount"> } {
  const amount = amountOff(line);
  if (amount !== null) return { cents: toCents(amount), input: { discount_amount: amount } };
  return { cents: 0, input: percentage.value > 0 ? { discount_pct: percentage.value } : {} };
}

function check(line: Typed): Checked {
  const { start, description, qty, unit, typedPrice, discount, rate, exemption } = line;
  const problems: Partial<Record<LineField, string>> = {};
  const read = (field: LineField, text: string, limits: NumberLimits) => {
    const found = readNumber(text, limits);
    if ("value" in found) return found;
    problems[field] = found.problem;
    return undefined;
  };
  const text = description.value.trim();
  if (text === "") problems.description = t.description;
  const quantity = read("qty", qty.value, { decimals: 6, max: MAX_QUANTITY, isMoreThanZero: true });
  const percentage = read("discount_pct", discount.value, { decimals: 2, max: MAX_PERCENTAGE, empty: 0 });
  const typed = typedPrice.value;
  if (typed) read("price", typed.text, { decimals: 6, max: MAX_UNIT_PRICE });
  const atZero = pricesAtZero(line);
  if (atZero && atZero.chosen === undefined) problems.price = t.at_zero;
  const price = priceNow(line);
  if (!quantity || !percentage || !price) return { problems };
  const tax_rate = rate.value;
  const price_micros = scaled(price.value, 6) as number;
  const tax_rate_bps = scaled(tax_rate, 2) as number;
  const off = discountOf(line, percentage);
  const amounts = {
    qty_micros: quantity.scaled,
    unit_price_micros: price.withVat ? netMicrosOfGross(price_micros, tax_rate_bps) : price_micros,
    unit_price_gross_micros: price.withVat ? price_micros : null,
    discount_bps: percentage.scaled,
    discount_cents: off.cents,
    tax_rate_bps,
  };
  if (off.cents > mostOffLine(amounts))
    problems.discount_pct = t.discount_exceeds({ off: money(fromCents(off.cents)) });
  return {
    problems,
    amounts,
    input: {
      ...start.rest,
      description: text,
      qty: quantity.value,
      ...(price.withVat ? { unit_price_gross: price.value } : { unit_price_net: price.value }),
      tax_rate,
      ...off.input,
      ...(start.product_id && { product_id: start.product_id }),
      ...(unit.value.trim() && { unit: unit.value.trim() }),
      ...(tax_rate === 0 && exemption.value && { exemption_code: exemption.value }),
    },
  };
}

/** What is wrong with a field: with its text, else the server's refusal. */
export const problemOf = (line: Line, field: LineField): string | undefined =>
  line.checked.value.problems[field] ?? line.refused.value[field];
