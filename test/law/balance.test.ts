/** The balance of a document depends on its payments and credits, not on their order. */
import fc from "fast-check";
import { type DocType, LacreError } from "lacre";
import { expect, test } from "vitest";
import type { Document } from "../../src/core/documents/document.ts";
import { DATABASE } from "../support/databases.ts";
import { aCreditNote, aCustomer, aLineOf, anInvoice, aPayment } from "../support/factories.ts";
import { type Instance, openInstance } from "../support/instance.ts";
import { expectRefusal } from "../support/refusals.ts";
import { runsOf } from "../support/sampled.ts";

/** Every document is of 100.00 EUR. */
const GROSS = 10_000;

const KINDS = ["pay", "credit", "acknowledge"] as const;
type Kind = (typeof KINDS)[number];

/** An act on a document, in cents; one that does not stay is undone later. */
interface Act {
  readonly kind: Kind;
  readonly cents: number;
  readonly stays: boolean;
}

/** A document, acts on it, and two orders: each names every act once, and those that do not stay a second time. */
interface Plan {
  readonly doc_type: "FT" | "FS" | "FR" | "ND";
  readonly acts: readonly Act[];
  readonly orders: readonly (readonly number[])[];
}

const anAct = (stays: boolean, max: number): fc.Arbitrary<Act> =>
  fc.record({ kind: fc.constantFrom(...KINDS), cents: fc.integer({ min: 1, max }), stays: fc.constant(stays) });

const plan: fc.Arbitrary<Plan> = fc
  .record({
    doc_type: fc.constantFrom("FT", "FS", "FR", "ND"),
    staying: fc.array(anAct(true, 6_000), { maxLength: 6 }).map(thatFit),
    passing: fc.array(anAct(false, GROSS), { maxLength: 5 }),
  })
  .chain(({ doc_type, staying, passing }) => {
    // An FR is its own receipt.
    const acts = [...staying, ...passing].filter(({ kind }) => doc_type !== "FR" || kind !== "acknowledge");
    const events = acts.flatMap(({ stays }, i) => (stays ? [i] : [i, i]));
    const order = fc.shuffledSubarray(events, { minLength: events.length, maxLength: events.length });
    return fc.record({ doc_type: fc.constant(doc_type), acts: fc.constant(acts), orders: fc.tuple(order, order) });
  });

const sumOf = (acts: Iterable<Act>, kind: Kind): number =>
  [...acts].reduce((sum, act) => sum + (act.kind === kind ? act.cents : 0), 0);

/** The kinds that may be combined in any order: payments with credits, and receipts with credits. */
function thatFit(acts: readonly Act[]): Act[] {
  const fitting: Act[] = [];
  for (const act of acts) {
    const all = [...fitting, act];
    const credited = sumOf(all, "credit");
    if (sumOf(all, "pay") + credited <= GROSS && sumOf(all, "acknowledge") + credited <= GROSS) fitting.push(act);
  }
  return fitting;
}

/** How much of each kind the law still allows beside the acts so far, in cents. */
function roomFor(kind: Kind, standing: Iterable<Act>, doc_type: DocType): number {
  const acts = [...standing];
  const credited = sumOf(acts, "credit");
  if (kind === "credit") return GROSS - credited;
  // What was paid on the spot was paid before anything was credited.
  return GROSS - sumOf(acts, kind) - (kind === "pay" && doc_type === "FR" ? 0 : credited);
}

const CODES = {
  pay: "payment_exceeds_balance",
  credit: "credit_exceeds_original",
  acknowledge: "receipt_exceeds_documents",
} as const;

/** Does it, and returns how to undo it. */
async function carryOut(
  home: Instance,
  document: Document,
  kind: Kind,
  cents: number,
): Promise<() => Promise<unknown>> {
  const { company } = home;
  if (kind === "pay") {
    const { id } = await aPayment(home, document, cents / 100);
    return () => company.payments.void({ id });
  }
  const lines = [aLineOf(cents / 100)];
  const references = [{ document_id: document.id }];
  const { customer_id } = document;
  const { id } = await (kind === "credit"
    ? aCreditNote(home, document, { lines })
    : anInvoice(home, { doc_type: "RC", customer_id, lines, references }));
  return () => company.documents.cancel({ id });
}

/**
 * Plays the acts on a new document in an order. Each is refused exactly when the law leaves no room for it; if it is to
 * stay, it is done again at the end, and must succeed. Returns the document's balance.
 */
async function play(home: Instance, customer_id: string, { doc_type, acts }: Plan, order: readonly number[]) {
  const document = await anInvoice(home, { doc_type, customer_id, lines: [aLineOf(GROSS / 100)] });
  const standing = new Map<Act, () => Promise<unknown>>();
  const seen = new Set<Act>();
  const late: Act[] = [];
  const attempt = async (act: Act): Promise<boolean> => {
    const room = roomFor(act.kind, standing.keys(), doc_type);
    const doing = carryOut(home, document, act.kind, act.cents);
    if (act.cents > room) {
      await expectRefusal(doing, CODES[act.kind]);
      return false;
    }
    standing.set(act, await doing);
    return true;
  };
  const check = async () => {
    const { outstanding, payment_status } = await home.company.documents.get({ id: document.id });
    expect([outstanding, payment_status]).toEqual(balanceOf(doc_type, standing.keys()));
    return [outstanding, payment_status];
  };
  for (const act of order.map((i) => acts[i] as Act)) {
    if (seen.has(act)) {
      await standing.get(act)?.();
      standing.delete(act);
    } else if (!(await attempt(act)) && act.stays) late.push(act);
    seen.add(act);
    await check();
  }
  for (const act of late) expect(await attempt(act)).toBe(true);
  const balance = await check();
  await mustBeFullExactly(home, document, standing.keys());
  return balance;
}

/** Gross less live payments less live credit notes, and 0 on an FR; receipts only say what was paid. */
function balanceOf(doc_type: DocType, standing: Iterable<Act>): [outstanding: number, payment_status: string] {
  const acts = [...standing];
  const left = doc_type === "FR" ? 0 : GROSS - sumOf(acts, "pay") - sumOf(acts, "credit");
  const isUntouched = acts.every(({ kind }) => kind === "acknowledge");
  return [left / 100, left <= 0 ? "paid" : isUntouched ? "unpaid" : "partial"];
}

/** For each kind: one cent too much is refused, and the most there is room for succeeds. Each is undone again. */
async function mustBeFullExactly(home: Instance, document: Document, standing: Iterable<Act>): Promise<void> {
  const acts = [...standing];
  for (const kind of KINDS) {
    if (kind === "acknowledge" && document.doc_type === "FR") continue;
    const room = roomFor(kind, acts, document.doc_type);
    await expectRefusal(carryOut(home, document, kind, room + 1), CODES[kind]);
    if (room > 0) await (await carryOut(home, document, kind, room))();
  }
}

test("whatever the order of payments, credits, receipts, cancellations and voids, the balance is the same", async () => {
  const home = await openInstance(DATABASE);
  const customer_id = (await aCustomer(home)).id;
  try {
    await fc.assert(
      fc.asyncProperty(plan, async (one) => {
        const [first, second] = one.orders as [number[], number[]];
        expect(await play(home, customer_id, one, first)).toEqual(await play(home, customer_id, one, second));
      }),
      { numRuns: runsOf(100) },
    );
    expect(await home.company.series.verify()).toMatchObject({ whole: true });
  } finally {
    await home.lacre.close();
  }
});

test("a document is cancelled only when no payment, credit or receipt is left on it", async () => {
  const home = await openInstance(DATABASE);
  const customer_id = (await aCustomer(home)).id;
  for (const kind of KINDS) {
    const document = await anInvoice(home, { customer_id, lines: [aLineOf(GROSS / 100)] });
    const undo = await carryOut(home, document, kind, 1);
    await expectRefusal(home.company.documents.cancel({ id: document.id }), "document_settled");
    await undo();
    const { outstanding, status } = await home.company.documents.cancel({ id: document.id });
    expect([outstanding, status]).toEqual([null, "cancelled"]);
    await expect(carryOut(home, document, kind, 1)).rejects.toThrow(LacreError);
  }
  await home.lacre.close();
});
