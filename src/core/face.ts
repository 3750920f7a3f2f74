/**
 * The library API, and its input and output types under the names embedders import, all derived from the operations.
 * In the package tools/declarations.ts spells these types out, with the texts of schemas and operations.
 */
import type * as z from "zod";
import type { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS, PERSON_OPERATIONS } from "./operations.ts";
import type { RunOptions } from "./runtime/run.ts";

/** One operation as a method: input in, output out. Throws `LacreError`. */
type Method<Op> = Op extends { input: infer I extends z.ZodType; output: infer O extends z.ZodType }
  ? Record<never, never> extends z.input<I>
    ? (input?: z.input<I>, options?: RunOptions) => Promise<z.output<O>>
    : (input: z.input<I>, options?: RunOptions) => Promise<z.output<O>>
  : never;

type Face<Groups> = {
  readonly [Group in keyof Groups]: { readonly [Verb in keyof Groups[Group]]: Method<Groups[Group][Verb]> };
};

type Inside = typeof COMPANY_OPERATIONS;
type Host = typeof INSTALLATION_OPERATIONS;
type In<Op extends { readonly input: z.ZodType }> = z.input<Op["input"]>;
type Out<Op extends { readonly output: z.ZodType }> = z.output<Op["output"]>;
type ChangesOf<Op extends { readonly input: z.ZodType }> = Omit<In<Op>, "id">;

/**
 * The operations inside one company, as methods. Each takes one object, checks it, and throws `LacreError`: with the
 * codes it names, with `invalid_request`, or with `unavailable` when the storage is in trouble.
 */
export type CompanyMethods = Face<Inside>;
/** What `lacre.as(company)` gives: the operations inside one company, and its events as they come. */
export type CompanyFace = CompanyMethods & EventFeed;
/** What people do with links, their sessions and their own user, as methods: the company area calls them over HTTP. */
export type PersonMethods = Face<typeof PERSON_OPERATIONS>;
/** The host's operations on the installation, as methods of `lacre`: companies, keys, signer. They throw alike. */
export type HostFace = Face<Host>;

/** One page of a list. `pagination.total` counts the rows of the whole list, not of the page. */
export interface Page<Item> {
  data: Item[];
  pagination: { limit: number; offset: number; total: number };
}

export type Customer = Out<Inside["customers"]["get"]>;
/** A customer to create; left-out fields are null. */
export type NewCustomer = In<Inside["customers"]["create"]>;
/** The fields of a customer to change; null clears one. */
export type CustomerChanges = ChangesOf<Inside["customers"]["change"]>;

export type Product = Out<Inside["products"]["get"]>;
/** A product to create. */
export type NewProduct = In<Inside["products"]["create"]>;
/** The fields of a product to change; null clears one. */
export type ProductChanges = ChangesOf<Inside["products"]["change"]>;

export type Series = Out<Inside["series"]["get"]>;
/** A series to open. */
export type NewSeries = In<Inside["series"]["create"]>;
/** The changes to a series: registering it and closing it. */
export type SeriesChanges = ChangesOf<Inside["series"]["change"]>;

export type Document = Out<Inside["documents"]["create"]>;
export type DocumentWithPayments = Out<Inside["documents"]["get"]>;
export type DocumentSummary = Out<Inside["documents"]["list"]>["data"][number];
/** Which documents a list shows; all of them when nothing is given. */
export type DocumentFilter = In<Inside["documents"]["list"]>;
/** A document to draft, or with `issue: true` to issue at once. */
export type NewDocument = In<Inside["documents"]["create"]>;
/** The fields of a draft to change; lists are replaced. */
export type DocumentChanges = ChangesOf<Inside["documents"]["change"]>;
/** A line of a document. */
export type DocumentLine = Document["lines"][number];
/** A line to write: what is sold, how much of it, its price and its rate of VAT. */
export type NewDocumentLine = NewDocument["lines"][number];
export type DocumentReference = Document["references"][number];
/** A document that a new one corrects, returns, acknowledges or follows. */
export type NewDocumentReference = NonNullable<NewDocument["references"]>[number];
/** A payment made at issue, sent with an FT, FS or FR. */
export type NewDocumentPayment = NonNullable<NewDocument["payments"]>[number];
/** The customer as it was when the document was issued. */
export type CustomerSnapshot = NonNullable<Document["customer"]>;
/** How the goods of a guide or a return will travel, as it is sent. */
export type NewTransport = NonNullable<NewDocument["transport"]>;
export type Transport = NonNullable<Document["transport"]>;
/** Where goods are loaded or unloaded; unknown members are left out. */
export type Place = NonNullable<Transport["from"]>;
/** A printed document: the bytes of the file, and a name for it. */
export type DocumentPdf = Out<Inside["documents"]["pdf"]>;

export type Payment = Out<Inside["payments"]["record"]>;
/** A payment to record. */
export type NewPayment = ChangesOf<Inside["payments"]["record"]>;

/** The counts, totals and warnings of a SAF-T export. */
export type SaftExportReport = Out<Inside["saft"]["export"]>["report"];

/** The installation as its page shows it to an owner. */
export type OwnInstallation = Out<Inside["installation"]["get"]>;

/** What an import of master files did, or would do. */
export type SaftImport = Out<Inside["saft"]["importMasterFiles"]>;

/** A month, and whether its tax file was communicated to the tax authority. */
export type Communication = Out<Inside["saft"]["markCommunicated"]>;

/** What a company sold, its VAT, and who owes. */
export type Figures = Out<Inside["figures"]["get"]>;

/** How a company stands with one customer. */
export type CustomerFigures = Out<Inside["figures"]["customer"]>;

/** One event of a company, as programs outside read it. */
export type FeedEvent = Out<Inside["events"]["read"]>["data"][number];

/** Where to begin following events, and what ends it. */
export interface FollowOptions {
  /** The last position that was read; 0 when left out. */
  readonly after?: number;
  /** Ends the events when it aborts. */
  readonly signal?: AbortSignal;
}

/** The events of a company, as they come. */
export interface EventFeed {
  readonly events: {
    /**
     * The events after a position, oldest first, then those to come: at once where this process commits them, within a
     * second where another does. It ends, without an error, with `signal` or `lacre.close()`. Keep the position of the
     * last event you handled, and go on from there after a restart. Throws `LacreError` with `invalid_state` for a
     * position that this database does not have yet, and with `unavailable` when the storage is in trouble.
     */
    follow(options?: FollowOptions): AsyncIterable<FeedEvent>;
  };
}

/** An address outside that events are sent to. */
export type Webhook = Out<Inside["webhooks"]["get"]>;
/** A webhook with its secret, which is shown this once. */
export type WebhookWithSecret = Out<Inside["webhooks"]["create"]>;
/** A webhook to create. */
export type NewWebhook = In<Inside["webhooks"]["create"]>;
/** The fields of a webhook to change. */
export type WebhookChanges = ChangesOf<Inside["webhooks"]["change"]>;
/** An event on its way to a webhook. */
export type WebhookDelivery = Out<Inside["webhooks"]["test"]>;

/** What ends delivering webhooks. */
export interface DeliverOptions {
  /** Ends it when it aborts; what is under way is waited for, at most a second. */
  readonly signal?: AbortSignal;
}

/** Sends what waits for webhooks. */
export interface Deliverer {
  readonly webhooks: {
    /**
     * Delivers the events of all companies to their webhooks, until `signal` aborts or `lacre.close()`. It needs the
     * option `webhookSender`. Several processes may run it on one database. Throws TypeError without that option.
     */
    deliver(options?: DeliverOptions): Promise<void>;
  };
}

/** What ends checking the database. */
export interface CheckOptions {
  /** Goes on checking until it aborts, and then once more what is new, for at most a second. */
  readonly signal?: AbortSignal;
}

/** One entry of the record of events. */
export type Event = Out<Inside["events"]["list"]>["data"][number];

export type Company = Out<Host["companies"]["get"]>;
/** A company to create. */
export type NewCompany = In<Host["companies"]["create"]>;
/** The fields of a company to change. */
export type CompanyChanges = ChangesOf<Host["companies"]["change"]>;

/** An API key as it is listed: never its value. */
export type ApiKey = Out<Host["keys"]["revoke"]>;
/** An API key to create. */
export type NewApiKey = In<Host["keys"]["create"]>;
/** An API key right after it was created: the only time `api_key` can be read. */
export type CreatedApiKey = Out<Host["keys"]["create"]>;

/** The history of the database file. */
export type Installation = Out<Host["installation"]["get"]>;
/** One thing that waits for a person, as `lacre status` shows it. */
export type Waiting = Out<Host["installation"]["waiting"]>[number];
/** The last number of a series with its seal, to be noted outside the database. */
export type Head = Out<Host["installation"]["heads"]>[number];
/** A noted head that conflicts with the file. */
export type HeadConflict = Out<Host["installation"]["compareHeads"]>[number];
/** The signing key, and the program's certificate. */
export type SignerState = Out<Host["signer"]["get"]>;
