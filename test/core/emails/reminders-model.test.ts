/** Weeks of a company beside a plain model of what it must have reminded of. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { aCustomer, anInvoice } from "../../support/factories.ts";
import { type Instance, openInstance } from "../../support/instance.ts";
import { aMailbox } from "../../support/mail.ts";
import { ANA, inDays, remindersOf, takeAll } from "../../support/reminders.ts";
import { runsOf } from "../../support/sampled.ts";

interface Invoice {
  readonly id: string;
  /** The day on which it is due, as a number like `today`. */
  readonly due: number;
  owed: number;
  readonly payments: { readonly id: string; readonly amount: number }[];
  /** The steps that it must have been reminded of. */
  readonly told: number[];
}

interface World {
  readonly instance: Instance;
  readonly customer_id: string;
  readonly invoices: Invoice[];
  /** Days after `TODAY`. */
  today: number;
  steps: readonly number[];
  /** The last day whose steps have passed. */
  passed: number;
}

type Act = (world: World) => Promise<void>;

const issue = fc.integer({ min: 0, max: 9 }).map(
  (due_in): Act =>
    async ({ instance, customer_id, invoices, today }) => {
      const due = today + due_in;
      const { id } = await anInvoice(instance, { customer_id, issue_date: inDays(today), due_date: inDays(due) });
      invoices.push({ id, due, owed: 123, payments: [], told: [] });
    },
);

/** Does something to an invoice, where there is one. */
const toOne = (which: number, act: (world: World, invoice: Invoice) => Promise<void>): Act => {
  return async (world) => {
    const invoice = world.invoices[which % Math.max(world.invoices.length, 1)];
    if (invoice) await act(world, invoice);
  };
};

const pay = fc.tuple(fc.nat(5), fc.boolean()).map(([which, isAll]) =>
  toOne(which, async ({ instance, today }, invoice) => {
    const amount = isAll ? invoice.owed : Math.min(invoice.owed, 1);
    if (amount === 0) return;
    const made = { id: invoice.id, amount, method_code: "TB", payment_date: inDays(today) } as const;
    const { id } = await instance.company.payments.record(made);
    invoice.owed -= amount;
    invoice.payments.push({ id, amount });
  }),
);

const bounce = fc.nat(5).map((which) =>
  toOne(which, async ({ instance }, invoice) => {
    const payment = invoice.payments.pop();
    if (!payment) return;
    await instance.company.payments.void({ id: payment.id });
    invoice.owed += payment.amount;
  }),
);

const setting = (steps: readonly number[]): Act => {
  return async (world) => {
    if (world.steps.length === 0) world.passed = world.today;
    world.steps = steps;
    await world.instance.company.mail.change({ reminders: { days: [...steps] } });
  };
};

const set = fc.constantFrom([1, 4, 9], [2, 4], [5], []).map(setting);

const sleep = fc.integer({ min: 1, max: 7 }).map(
  (days): Act =>
    async (world) => {
      world.today += days;
    },
);

/** Lets a night pass; in the morning reminders go out. */
async function morning(world: World): Promise<void> {
  const { instance, invoices, steps } = world;
  const { emails } = instance.company;
  world.today += 1;
  const { today } = world;
  instance.travel(`${inDays(today)}T09:00:00.000Z`);
  for (const taken of await takeAll(instance)) {
    await emails.settle({ ...taken, outcome: "delivered", status: 250, error: null, duration_ms: 1 });
  }
  for (const { due, owed, told } of invoices) {
    const reached = steps.findLast((step) => due + step <= today);
    if (reached === undefined || due + reached <= world.passed || owed === 0) continue;
    if (told.every((step) => step < reached)) told.push(reached);
  }
  world.passed = today;
}

async function agree(driver: (typeof DATABASES)[number], acts: readonly Act[]): Promise<void> {
  const instance = await openInstance(driver, { mailSender: aMailbox() });
  try {
    const { id: customer_id } = await aCustomer(instance, { email: ANA });
    const world: World = { instance, customer_id, invoices: [], today: 0, steps: [], passed: 0 };
    for (const act of [setting([1, 4, 9]), ...acts]) {
      instance.travel(`${inDays(world.today)}T12:00:00.000Z`);
      await act(world);
      await morning(world);
    }
    for (const { id, told } of world.invoices) {
      expect((await remindersOf(instance, { id })).map(([step]) => step)).toEqual(told);
    }
  } finally {
    await instance.lacre.close();
  }
}

const weeks = fc.array(fc.oneof(issue, issue, pay, bounce, set, sleep), { minLength: 4, maxLength: 30 });

describe.each(DATABASES)("weeks of a company over $name", (driver) => {
  test("whatever is issued, paid, bounced and set, a plain model has the same reminders", async () => {
    await fc.assert(
      fc.asyncProperty(weeks, (acts) => agree(driver, acts)),
      { numRuns: runsOf("open" in driver ? 40 : 6) },
    );
  });
});
