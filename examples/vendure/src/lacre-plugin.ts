/** Invoices of a Vendure shop by Lacre: an FR when an order is paid, an NC when a refund is settled. */
import type { OnApplicationBootstrap, OnModuleInit } from "@nestjs/common";
import { HistoryEntryType } from "@vendure/common/lib/generated-types";
import {
  type CustomFields,
  EventBus,
  HistoryService,
  type ID,
  type Job,
  type JobQueue,
  JobQueueService,
  LanguageCode,
  Logger,
  type Order,
  OrderService,
  OrderStateTransitionEvent,
  PluginCommonModule,
  Refund,
  RefundStateTransitionEvent,
  type RequestContext,
  RequestContextService,
  TransactionalConnection,
  type Type,
  VendurePlugin,
} from "@vendure/core";
import { type Client, type ClientOptions, createClient, LacreError } from "lacre/client";
import { nifOf } from "lacre/totals";
import { type Credit, creditOf, creditOn, hasWrongNif, type Invoice, invoiceOf, type Terms } from "./documents.js";

declare module "@vendure/core/dist/entity/custom-entity-fields" {
  interface CustomOrderFields {
    /** The NIF that the buyer wants on the invoice. */
    nif: string | null;
    /** The number of the invoice, once issued, and its id in Lacre. */
    lacreInvoice: string | null;
    lacreInvoiceId: string | null;
    /** What each of its lines was in the order. */
    lacreLines: string[];
  }
  interface CustomRefundFields {
    /** The number of the credit note, once issued. */
    lacreCreditNote: string | null;
  }
}

/** The shop's Lacre, and its terms. */
export interface LacrePluginOptions extends Terms {
  readonly lacre: ClientOptions;
  /** The company's time zone, for the day of a payment; Europe/Lisbon when left out. */
  readonly timeZone?: string;
}

/** Work of the queue: what was asked for when the order was paid stays, whatever becomes of the order. */
type Task =
  | { readonly kind: "invoice"; readonly orderId: ID; readonly code: string; readonly asked: string }
  | {
      readonly kind: "credit";
      readonly orderId: ID;
      readonly refundId: ID;
      readonly total: number;
      readonly asked: string;
    };

/** How often a job is tried: for about a week where the queue waits up to 10 minutes in between. */
const RETRIES = 1_000;

const isNif = (value: string) => {
  if (value.trim() === "" || nifOf(value) !== undefined) return;
  return [
    { languageCode: LanguageCode.pt, value: "O NIF não está certo: confirme os nove algarismos." },
    { languageCode: LanguageCode.en, value: "This is no Portuguese NIF: check its nine digits." },
  ];
};

const FIELDS: CustomFields = {
  Order: [
    { name: "nif", type: "string", nullable: true, public: true, validate: isNif },
    { name: "lacreInvoice", type: "string", nullable: true, public: true, readonly: true },
    { name: "lacreInvoiceId", type: "string", nullable: true, internal: true },
    { name: "lacreLines", type: "string", list: true, internal: true },
  ],
  Refund: [{ name: "lacreCreditNote", type: "string", nullable: true, public: true, readonly: true }],
};

@VendurePlugin({
  compatibility: "^3.0.0",
  imports: [PluginCommonModule],
  configuration: (config) => {
    config.customFields.Order.push(...(FIELDS.Order ?? []));
    config.customFields.Refund.push(...(FIELDS.Refund ?? []));
    return config;
  },
})
export class LacrePlugin implements OnModuleInit, OnApplicationBootstrap {
  private static options: LacrePluginOptions;

  static init(options: LacrePluginOptions): Type<LacrePlugin> {
    LacrePlugin.options = options;
    return LacrePlugin;
  }

  private readonly lacre: Client = createClient(LacrePlugin.options.lacre);
  private queue!: JobQueue<Task>;

  constructor(
    private readonly queues: JobQueueService,
    private readonly events: EventBus,
    private readonly orders: OrderService,
    private readonly history: HistoryService,
    private readonly contexts: RequestContextService,
    private readonly connection: TransactionalConnection,
  ) {}

  async onModuleInit() {
    this.queue = await this.queues.createQueue({ name: "lacre", process: (job) => this.process(job) });
  }

  /** Both handlers run in the transaction of what happened, so that the job is stored with it or not at all. */
  onApplicationBootstrap() {
    this.events.registerBlockingEventHandler({
      id: "lacre-invoice",
      event: OrderStateTransitionEvent,
      handler: async ({ ctx, order, toState }) => {
        if (toState === "PaymentSettled") await this.orByHand(ctx, order.id, () => this.queueInvoice(ctx, order.id));
      },
    });
    this.events.registerBlockingEventHandler({
      id: "lacre-credit",
      event: RefundStateTransitionEvent,
      handler: async ({ ctx, order, refund, toState }) => {
        if (toState === "Settled") await this.orByHand(ctx, order.id, () => this.queueCredit(ctx, order.id, refund.id));
      },
    });
  }

  private async queueInvoice(ctx: RequestContext, orderId: ID) {
    const order = await this.read(ctx, orderId);
    const { timeZone = "Europe/Lisbon", ...terms } = LacrePlugin.options;
    const invoice = invoiceOf(order, new Intl.DateTimeFormat("en-CA", { timeZone }).format(), terms);
    await this.add(ctx, { kind: "invoice", orderId, code: order.code, asked: JSON.stringify(invoice) });
    if (hasWrongNif(order)) await this.note(ctx, orderId, `The invoice has no NIF: ${order.customFields.nif} is none.`);
  }

  private async queueCredit(ctx: RequestContext, orderId: ID, refundId: ID) {
    const order = await this.read(ctx, orderId);
    const refund = order.payments.flatMap(({ refunds }) => refunds).find(({ id }) => id === refundId);
    const credit = refund && creditOf(order, refund, LacrePlugin.options);
    if (!credit) throw new Error("The refund is not what its units and shipping came to.");
    const { total } = refund;
    await this.add(ctx, { kind: "credit", orderId, refundId, total, asked: JSON.stringify(credit) });
  }

  private async add(ctx: RequestContext, task: Task) {
    await this.queue.add(task, { retries: RETRIES, ctx });
  }

  /** Tells a person on the order where the plugin cannot: nothing here may undo a payment that was made. */
  private async orByHand(ctx: RequestContext, orderId: ID, work: () => Promise<void>) {
    try {
      await work();
    } catch (error) {
      Logger.warn(`Order ${orderId}: ${error}`, "Lacre");
      await this.note(ctx, orderId, `Write this document in Lacre by hand. ${(error as Error).message}`);
    }
  }

  private async process({ data, attempts }: Job<Task>) {
    const ctx = await this.contexts.create({ apiType: "admin" });
    try {
      await (data.kind === "invoice" ? this.issue(ctx, data) : this.credit(ctx, data));
    } catch (error) {
      const isRefused = error instanceof LacreError && error.status >= 400 && error.status < 500;
      if (isRefused && attempts === 1) await this.note(ctx, data.orderId, `Lacre refuses: ${error.message}`);
      throw error;
    }
  }

  private async issue(ctx: RequestContext, { orderId, code, asked }: Task & { kind: "invoice" }) {
    const { document, lines }: Invoice = JSON.parse(asked);
    const { id, number } = await this.lacre.documents.create(document, { idempotency_key: `vendure-order-${code}` });
    await this.orders.updateCustomFields(ctx, orderId, { lacreInvoice: number, lacreInvoiceId: id, lacreLines: lines });
  }

  private async credit(ctx: RequestContext, { orderId, refundId, total, asked }: Task & { kind: "credit" }) {
    const { lacreInvoiceId: id, lacreLines } = (await this.read(ctx, orderId)).customFields;
    if (!id) throw new Error("The invoice is not issued yet.");
    const credit: Credit = JSON.parse(asked);
    const { number, total_gross } = await this.lacre.documents.credit(
      { id, ...creditOn(lacreLines, credit) },
      { idempotency_key: `vendure-refund-${refundId}` },
    );
    await this.connection.getRepository(ctx, Refund).update(refundId, { customFields: { lacreCreditNote: number } });
    if (total_gross !== total / 100)
      await this.note(ctx, orderId, `${number} is over ${total_gross}, not ${total / 100}.`);
  }

  private async read(ctx: RequestContext, id: ID): Promise<Order> {
    const order = await this.orders.findOne(ctx, id, [
      "customer",
      "lines.productVariant",
      "shippingLines.shippingMethod",
      "surcharges",
      "payments.refunds.lines",
    ]);
    if (!order) throw new Error(`There is no order ${id}.`);
    return order;
  }

  private async note(ctx: RequestContext, orderId: ID, note: string) {
    await this.history.createHistoryEntryForOrder(
      { ctx, orderId, type: HistoryEntryType.ORDER_NOTE, data: { note } },
      false,
    );
  }
}
