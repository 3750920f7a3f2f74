/**
 * A day of a shop: `npm install && npm run build && npm run day`. Vendure and Lacre run in memory; orders are placed by
 * the Shop API, paid, and refunded by the Admin API, and what Lacre issued is printed. It ends with an error where that
 * is not what it should be.
 */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import {
  EventBus,
  Order,
  OrderService,
  OrderStateTransitionEvent,
  RequestContextService,
  TransactionalConnection,
} from "@vendure/core";
import type { CompanyFace, DocumentWithPayments } from "lacre";
import { createHandler } from "lacre/http";
import { serve } from "lacre/node";
import { openInMemory } from "lacre/testing";
import { openShop } from "./shop.js";

/** What the Admin API tells of an order; money in cents. */
interface Told {
  readonly id: string;
  readonly code: string;
  readonly state: string;
  readonly totalWithTax: number;
  readonly customFields: { readonly lacreInvoice: string | null };
  readonly lines: readonly { readonly id: string; readonly proratedUnitPriceWithTax: number }[];
  readonly payments: readonly {
    readonly id: string;
    readonly refunds: readonly {
      readonly id: string;
      readonly customFields: { readonly lacreCreditNote: string | null };
    }[];
  }[];
  readonly history: { readonly items: readonly { readonly data: { readonly note?: string } }[] };
}

const TOLD = `query ($id: ID!) {
  order(id: $id) {
    id code state totalWithTax customFields { lacreInvoice }
    lines { id proratedUnitPriceWithTax }
    payments { id refunds { id customFields { lacreCreditNote } } }
    history { items { data } }
  }
}`;

/** What a visitor puts into the basket, and says. */
interface Basket {
  /** Loaves at 1.15 with 6 %. */
  readonly bread?: number;
  /** Mugs at 9.99 with 23 %. */
  readonly mugs?: number;
  readonly nif?: string;
  readonly coupon?: string;
}

const NIF = "234567899";
const NO_NIF = "234567890";

const cents = (euros: number) => Math.round(euros * 100);

class Day {
  constructor(
    private readonly shop: Awaited<ReturnType<typeof openShop>>,
    private readonly company: CompanyFace,
  ) {}

  /** A voucher over two rates, shipping and a NIF; a loaf is given back, then all the rest. */
  async refundsInParts() {
    await assert.rejects(this.buy({ bread: 1, nif: NO_NIF }), /no Portuguese NIF/);
    const id = await this.buy({ bread: 3, mugs: 2, nif: NIF, coupon: "DEZ" });
    const { lines, totalWithTax } = await this.invoiced(id);
    const [invoice] = await this.documents(id, 1);
    assert.equal(cents(invoice.total_gross), totalWithTax);
    assert.equal(invoice.customer?.tax_id, NIF);
    assert.deepEqual(
      invoice.payments.map(({ method_code, amount }) => [method_code, cents(amount)]),
      [["CC", totalWithTax]],
    );

    const [{ id: orderLineId, proratedUnitPriceWithTax: loaf } = assert.fail()] = lines;
    await this.refund(id, loaf, [{ orderLineId, quantity: 1 }]);
    await this.refund(id, totalWithTax - loaf);
    const [, part, rest] = await this.documents(id, 3);
    assert.deepEqual(
      part.lines.map(({ qty, reference_line }) => [qty, reference_line]),
      [[1, 1]],
    );
    assert.equal(cents(part.total_gross), loaf);
    assert.equal(cents(rest.total_gross), totalWithTax - loaf);
    assert.deepEqual(
      [part, rest].map(({ refunds }) => refunds.map(({ amount }) => cents(amount))),
      [[loaf], [totalWithTax - loaf]],
    );
    assert.deepEqual(await this.notes(id), []);
  }

  /** Two orders are paid, and one is given back, while Lacre does not answer. */
  async whileLacreIsDown() {
    const kept = await this.buy({ bread: 2 });
    const given = await this.buy({ mugs: 1 });
    await this.settleRefund(given, (await this.told(given)).totalWithTax);
    await until(async () => (await this.jobs()).filter((state) => state === "RETRYING").length === 3);
    assert.equal((await this.told(kept)).state, "PaymentSettled");
    return async () => {
      await this.invoiced(kept);
      const [{ customer }] = await this.documents(kept, 1);
      assert.deepEqual([customer?.name, customer?.tax_id], ["Ana Conceição", null]);
      await this.credited(given);
      await this.documents(given, 2);
    };
  }

  /** Vendure tells twice that an order is paid. */
  async eventsTwice() {
    const id = await this.buy({ bread: 1 });
    const { app } = this.shop;
    const ctx = await app.get(RequestContextService).create({ apiType: "admin" });
    const order = await app.get(OrderService).findOne(ctx, id);
    assert(order);
    const event = new OrderStateTransitionEvent("ArrangingPayment", "PaymentSettled", ctx, order);
    await app.get(EventBus).publish(event);
    await until(async () => (await this.jobs()).every((state) => state === "COMPLETED"));
    await this.documents(id, 1);
  }

  /** A wrong NIF that no form has checked; then five euros off for a scratch, which no line tells of. */
  async leftToPeople() {
    const id = await this.buy({ mugs: 1 }, async (orderId) => {
      const { rawConnection } = this.shop.app.get(TransactionalConnection);
      await rawConnection.getRepository(Order).update(orderId, { customFields: { nif: NO_NIF } });
    });
    await this.invoiced(id);
    const [{ customer }] = await this.documents(id, 1);
    assert.equal(customer?.tax_id, null);
    await this.settleRefund(id, 500);
    assert.match((await this.notes(id)).join(" "), /no NIF.*by hand/);
  }

  /** Places an order by the Shop API, and pays it. */
  private async buy({ bread = 0, mugs = 0, nif, coupon }: Basket, beforePaying?: (id: string) => Promise<void>) {
    const ask = this.shop.visit();
    for (const [productVariantId, quantity] of [bread, mugs].map((quantity, i) => [i + 1, quantity])) {
      if (quantity) await ask(ADD, { productVariantId, quantity });
    }
    await ask(CUSTOMER, { input: { firstName: "Ana", lastName: "Conceição", emailAddress: "ana@example.com" } });
    await ask(ADDRESS, {
      input: { streetLine1: "Rua Nova 7", postalCode: "8000-123", city: "Faro", countryCode: "PT" },
    });
    if (nif) await ask(FIELDS, { input: { customFields: { nif } } });
    if (coupon) await ask(COUPON, { coupon });
    await ask(SHIPPING);
    const { transitionOrderToState } = await ask<{ transitionOrderToState: { id: string } }>(TO_PAYMENT);
    await beforePaying?.(transitionOrderToState.id);
    await ask(PAY);
    return transitionOrderToState.id;
  }

  /** Gives money back, and waits for the credit note. */
  private async refund(id: string, amount: number, lines: readonly object[] = []) {
    await this.credited(id, await this.settleRefund(id, amount, lines));
  }

  /** Gives money back by the Admin API: answers the refund's id. */
  private async settleRefund(orderId: string, amount: number, lines: readonly object[] = []): Promise<string> {
    const paymentId = (await this.told(orderId)).payments[0]?.id;
    const input = { paymentId, amount, lines, shipping: 0, adjustment: 0 };
    const { id } = (await this.shop.admin<{ refundOrder: { id: string } }>(REFUND, { input })).refundOrder;
    await this.shop.admin(SETTLE, { input: { id, transactionId: `refund ${id}` } });
    return id;
  }

  private told = async (id: string) => (await this.shop.admin<{ order: Told }>(TOLD, { id })).order;

  private notes = async (id: string) => (await this.told(id)).history.items.flatMap(({ data }) => data.note ?? []);

  /** The states of all jobs of the plugin. */
  private async jobs() {
    const { jobs } = await this.shop.admin<{ jobs: { items: { state: string }[] } }>(JOBS);
    return jobs.items.map(({ state }) => state);
  }

  /** Waits for the number of an order's invoice. */
  private async invoiced(id: string): Promise<Told> {
    await until(async () => (await this.told(id)).customFields.lacreInvoice !== null);
    return this.told(id);
  }

  /** Waits for the number of a refund's credit note; of every refund when left out. */
  private async credited(id: string, refundId?: string) {
    await until(async () => {
      const refunds = (await this.told(id)).payments.flatMap(({ refunds }) => refunds);
      return refunds.every((refund) => (refundId && refund.id !== refundId) || refund.customFields.lacreCreditNote);
    });
  }

  /** The documents of an order in Lacre, oldest first. */
  private async documents(id: string, count: number) {
    const { code } = await this.told(id);
    const all: DocumentWithPayments[] = [];
    for (const { id } of (await this.company.documents.list({ external_id: code })).data.reverse()) {
      all.push(await this.company.documents.get({ id }));
    }
    for (const { number, total_gross, customer } of all)
      console.log(` ${number}: ${total_gross} EUR, ${customer?.name}`);
    assert.equal(all.length, count);
    return all as [DocumentWithPayments, DocumentWithPayments, DocumentWithPayments];
  }
}

const REFUSED = "... on ErrorResult { __typename message }";
const ADD = `mutation ($productVariantId: ID!, $quantity: Int!) {
  addItemToOrder(productVariantId: $productVariantId, quantity: $quantity) { __typename ${REFUSED} }
}`;
const CUSTOMER = `mutation ($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) { __typename ${REFUSED} } }`;
const ADDRESS = `mutation ($input: CreateAddressInput!) { setOrderShippingAddress(input: $input) { __typename ${REFUSED} } }`;
const FIELDS = `mutation ($input: UpdateOrderInput!) { setOrderCustomFields(input: $input) { __typename ${REFUSED} } }`;
const COUPON = `mutation ($coupon: String!) { applyCouponCode(couponCode: $coupon) { __typename ${REFUSED} } }`;
const SHIPPING = `mutation { setOrderShippingMethod(shippingMethodId: ["1"]) { __typename ${REFUSED} } }`;
const TO_PAYMENT = `mutation {
  transitionOrderToState(state: "ArrangingPayment") { __typename ... on Order { id } ${REFUSED} }
}`;
const PAY = `mutation { addPaymentToOrder(input: { method: "cartao", metadata: {} }) { __typename ${REFUSED} } }`;
const REFUND = `mutation ($input: RefundOrderInput!) {
  refundOrder(input: $input) { __typename ... on Refund { id } ${REFUSED} }
}`;
const SETTLE = `mutation ($input: SettleRefundInput!) { settleRefund(input: $input) { __typename ${REFUSED} } }`;
const JOBS = `{ jobs(options: { filter: { queueName: { eq: "lacre" } } }) { items { state } } }`;

/** Waits until something holds, a minute at most. */
async function until(holds: () => Promise<boolean>) {
  for (let tries = 0; !(await holds()); tries++) {
    assert(tries < 300, "Nothing happened for a minute.");
    await wait(200);
  }
}

async function main() {
  const { lacre, company, api_key } = await openInMemory();
  const handler = createHandler(lacre);
  let server = await serve(handler, { port: 0 });
  const { url, port } = server;
  // The client tries by itself, too: not here, so that the tries of the queue are seen.
  const shop = await openShop({ lacre: { url, key: api_key, retries: 0 }, methods: { cartao: "CC" } });
  const day = new Day(shop, company);
  try {
    console.log("A voucher, shipping and a NIF; a loaf is given back, then the rest:");
    await day.refundsInParts();
    console.log("Paid and given back while Lacre is down:");
    await server.close();
    const afterwards = await day.whileLacreIsDown();
    server = await serve(handler, { port });
    await afterwards();
    console.log("An order that is told of twice:");
    await day.eventsTwice();
    console.log("A wrong NIF, and five euros off that a person has to credit:");
    await day.leftToPeople();
  } finally {
    await shop.app.close();
    await server.close();
    await lacre.close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
