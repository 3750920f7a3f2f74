/** A plain model of what is paid, receipted, refunded and credited on an FT and an FR, and acts on Lacre and on it. */
import fc from "fast-check";
import type { NewDocument } from "lacre";
import { expect } from "vitest";
import type { Document } from "../../src/core/documents/document.ts";
import { TODAY } from "./drivers.ts";
import { aCreditNote, aCustomer, aLineOf, anInvoice, aPayment } from "./factories.ts";
import type { Home } from "./instance.ts";
import { expectRefusal } from "./refusals.ts";

export const CASH = { method_code: "NU", payment_date: TODAY } as const;
export const REFUND = { ...CASH, kind: "refund" } as const;

export function aRefund({ company }: Pick<Home, "company">, { id }: { readonly id: string }, amount: number) {
  return company.payments.record({ id, amount, ...REFUND });
}

/** An invoice without tax of so many EUR. */
export function anInvoiceOf(home: Home, amount: number, fields: Partial<NewDocument> = {}) {
  return anInvoice(home, { lines: [aLineOf(amount)], ...fields });
}

/** A receipt that records its payment on these documents, so many EUR on each. */
export function aReceipt(
  home: Home,
  named: readonly (readonly [Document, number])[],
  fields: Partial<NewDocument> = {},
): Promise<Document> {
  const amount = named.reduce((sum, [, own]) => sum + own, 0);
  return anInvoice(home, {
    doc_type: "RC",
    customer_id: named[0]?.[0].customer_id ?? "",
    lines: [aLineOf(amount)],
    references: named.map(([{ id }, own]) => ({ document_id: id, amount: own })),
    payments: [{ ...CASH, amount }],
    record_payments: true,
    ...fields,
  });
}

/** A payment, refund or credit note: the receipt that recorded the one, the credit note that gave the other back. */
interface Known {
  readonly id: string;
  readonly cents: number;
  readonly receipt?: string | undefined;
  readonly credit?: string | undefined;
}

/** An invoice, and what is on it. */
interface Sold {
  readonly document: Document;
  readonly isPaidByNature: boolean;
  paid: Known[];
  refunded: Known[];
  credited: Known[];
}

/** A shop with one FT and one FR. */
interface Shop {
  readonly home: Home;
  readonly sold: readonly [Sold, Sold];
  receipts: Known[];
}

/** The total of each document, in cents. */
const TOTAL = 10_000;

const sum = (known: readonly Known[]) => known.reduce((all, { cents }) => all + cents, 0);
const without = (known: readonly Known[], id: string) => known.filter((one) => one.id !== id);
const pick = (known: readonly Known[], which: number) => known[which % Math.max(known.length, 1)];

const left = ({ isPaidByNature, paid, refunded, credited }: Sold) =>
  isPaidByNature ? 0 : TOTAL - sum(paid) + sum(refunded) - sum(credited);
const roomToPay = (one: Sold) => (one.isPaidByNature ? TOTAL - sum(one.paid) : left(one));
const roomToRefund = ({ isPaidByNature, paid, refunded, credited }: Sold) =>
  (isPaidByNature ? TOTAL : sum(paid)) + sum(credited) - sum(refunded) - TOTAL;

/** What an act is about: one of the two invoices, a thing on it, and an amount. */
interface About {
  readonly on: Sold;
  readonly which: number;
  readonly cents: number;
}

/** Makes something of these cents, or expects the refusal of what is beyond the room. */
async function within<Made>(
  { cents }: About,
  room: number,
  code: "payment_exceeds_balance" | "credit_exceeds_original",
  make: () => Promise<Made>,
): Promise<Made | undefined> {
  if (cents <= room) return make();
  await expectRefusal(make(), code);
  return undefined;
}

async function credit({ home }: Shop, about: About, isRefunded: boolean): Promise<void> {
  const { on, cents } = about;
  const lines = [aLineOf(cents / 100)];
  const payments = isRefunded ? [{ ...REFUND, amount: cents / 100 }] : [];
  const made = await within(about, TOTAL - sum(on.credited), "credit_exceeds_original", () =>
    aCreditNote(home, on.document, { lines, payments }),
  );
  if (!made) return;
  on.credited.push({ id: made.id, cents });
  const { refunds } = await home.company.documents.get({ id: made.id });
  on.refunded.push(...refunds.map(({ id }) => ({ id, cents, credit: made.id })));
}

const ACTS = {
  async pay({ home }: Shop, about: About) {
    const { on, cents } = about;
    const made = await within(about, roomToPay(on), "payment_exceeds_balance", () =>
      aPayment(home, on.document, cents / 100),
    );
    if (made) on.paid.push({ id: made.id, cents });
  },
  async refund({ home }: Shop, about: About) {
    const { on, which, cents } = about;
    // On the invoice, or on a credit note about it.
    const note = which % 2 === 0 ? undefined : pick(on.credited, which);
    const made = await within(about, roomToRefund(on), "payment_exceeds_balance", () =>
      aRefund(home, note ?? on.document, cents / 100),
    );
    if (made) on.refunded.push({ id: made.id, cents, credit: note?.id });
  },
  credit: (shop: Shop, about: About) => credit(shop, about, false),
  // Gives back as much as it credits, where all that is left was paid.
  creditAndRefund: (shop: Shop, about: About) => credit(shop, about, roomToRefund(about.on) >= 0),
  async receipt(shop: Shop, about: About) {
    const { home, sold, receipts } = shop;
    const [{ document, credited }] = sold;
    const { cents } = about;
    if (cents > TOTAL - sum(credited) - sum(receipts)) return;
    const made = await within(about, left(sold[0]), "payment_exceeds_balance", () =>
      aReceipt(home, [[document, cents / 100]]),
    );
    if (!made) return;
    receipts.push({ id: made.id, cents });
    const { data } = await home.company.payments.list({ document_id: document.id });
    const own = data.filter(({ receipt_id }) => receipt_id === made.id);
    expect(own.map(({ amount }) => amount)).toEqual([cents / 100]);
    sold[0].paid.push(...own.map(({ id }) => ({ id, cents, receipt: made.id })));
  },
  async void({ home, receipts }: Shop, { on, which }: About) {
    const money = pick([...on.paid, ...on.refunded], which);
    if (!money) return;
    const voiding = home.company.payments.void({ id: money.id });
    if (receipts.some(({ id }) => id === money.receipt)) return expectRefusal(voiding, "invalid_state");
    await voiding;
    on.paid = without(on.paid, money.id);
    on.refunded = without(on.refunded, money.id);
  },
  async cancelCredit({ home }: Shop, { on, which }: About) {
    const note = pick(on.credited, which);
    if (!note) return;
    const cancelling = home.company.documents.cancel({ id: note.id });
    if (on.refunded.some((refund) => refund.credit === note.id)) return expectRefusal(cancelling, "document_settled");
    await cancelling;
    on.credited = without(on.credited, note.id);
  },
  async cancelReceipt(shop: Shop, { which, cents }: About) {
    const receipt = pick(shop.receipts, which);
    if (!receipt) return;
    const payments = cents % 2 === 0 ? "void" : "keep";
    await shop.home.company.documents.cancel({ id: receipt.id, payments });
    shop.receipts = without(shop.receipts, receipt.id);
    const [{ paid }] = shop.sold;
    if (payments === "void") shop.sold[0].paid = paid.filter((payment) => payment.receipt !== receipt.id);
  },
} as const;

type Act = keyof typeof ACTS;

const acts = fc.array(
  fc.record({
    does: fc.constantFrom(...(Object.keys(ACTS) as Act[])),
    on: fc.nat(1),
    which: fc.nat(9),
    cents: fc.oneof(fc.constant(TOTAL), fc.integer({ min: 1, max: TOTAL + 2_000 })),
  }),
  { minLength: 1, maxLength: 14 },
);

/** Compares what Lacre answers of both invoices, one by one and in lists, with the model. */
async function compare({ home: { company }, sold }: Shop, does: Act): Promise<void> {
  for (const one of sold) {
    const { id, customer_id, doc_type } = one.document;
    const untouched = one.paid.length + one.credited.length === 0;
    const payment_status = left(one) <= 0 ? "paid" : untouched ? "unpaid" : "partial";
    const due = { outstanding: left(one) / 100, payment_status };
    expect(await company.documents.get({ id }), does).toMatchObject(due);
    expect((await company.documents.list({ customer_id, doc_type })).data[0], does).toMatchObject(due);
  }
}

/** Whatever is done to an FT and an FR of 100.00, each step leaves what the model says. */
export function settlesAsModelled(home: Home) {
  return fc.asyncProperty(acts, async (steps) => {
    const customer_id = (await aCustomer(home)).id;
    const sell = async (doc_type: "FT" | "FR"): Promise<Sold> => ({
      document: await anInvoiceOf(home, TOTAL / 100, { doc_type, customer_id }),
      isPaidByNature: doc_type === "FR",
      paid: [],
      refunded: [],
      credited: [],
    });
    const shop: Shop = { home, sold: [await sell("FT"), await sell("FR")], receipts: [] };
    for (const { does, on, which, cents } of steps) {
      await ACTS[does](shop, { on: shop.sold[on] as Sold, which, cents });
      await compare(shop, does);
    }
  });
}
