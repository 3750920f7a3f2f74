/**
 * The library API, derived from the operations, and the schemas whose types embedders import by name. In the package
 * tools/declarations.ts writes the types out, with the texts of schemas and operations.
 */
import type * as z from "zod";
import type { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS, PERSON_OPERATIONS } from "./operations.ts";
import type { RunOptions } from "./runtime/run.ts";

export { Company, CompanyChanges, NewCompany } from "./company/companies.ts";
export { CustomerFigures, Figures } from "./company/figures.ts";
export { NewCredit } from "./documents/credit.ts";
export {
  CustomerSnapshot,
  Document,
  DocumentChanges,
  DocumentFilter,
  DocumentLine,
  DocumentReference,
  DocumentSummary,
  DocumentWithPayments,
  ListedDocument,
  NewDocument,
  NewDocumentLine,
  NewDocumentPayment,
  NewDocumentReference,
  NewTransport,
  Place,
  StoredDocument,
  Transport,
} from "./documents/document.ts";
export { DocumentLink, DocumentLinkWithUrl } from "./documents/links.ts";
export { NewPayment, Payment } from "./documents/payments.ts";
export { DocumentPreview } from "./documents/preview.ts";
export { DocumentPdf } from "./documents/print.ts";
export { Statement } from "./documents/statement.ts";
export { Takings } from "./documents/takings.ts";
export { CompanyMail, CompanyMailChanges } from "./emails/company-mail.ts";
export { Email } from "./emails/emails.ts";
export { EmailInput } from "./emails/input.ts";
export { Event, FeedEvent } from "./events/events.ts";
export { Installation, OwnInstallation } from "./installation/installation.ts";
export { ApiKey, CreatedApiKey, NewApiKey } from "./people/api-keys.ts";
export { Customer, CustomerChanges, NewCustomer, StoredCustomer } from "./records/customers.ts";
export { NewProduct, Product, ProductChanges, StoredProduct } from "./records/products.ts";
export { Notice } from "./runtime/notices.ts";
export { Communication } from "./saft/communications.ts";
export { SaftExportReport } from "./saft/export/report.ts";
export { SaftImport } from "./saft/import/import.ts";
export { Head, HeadConflict } from "./series/heads.ts";
export { NewSeries, Series, SeriesChanges } from "./series/series.ts";
export { Waiting } from "./series/waiting.ts";
export { SignerState } from "./signing/signer.ts";
export { WebhookDelivery } from "./webhooks/deliveries.ts";
export { NewWebhook, Webhook, WebhookChanges, WebhookWithSecret } from "./webhooks/webhooks.ts";

/** One operation as a method: input in, output out. Throws `LacreError`. */
type Method<Op> = Op extends { input: infer I extends z.ZodType; output: infer O extends z.ZodType }
  ? Record<never, never> extends z.input<I>
    ? (input?: z.input<I>, options?: RunOptions) => Promise<z.output<O>>
    : (input: z.input<I>, options?: RunOptions) => Promise<z.output<O>>
  : never;

type Face<Groups> = {
  readonly [Group in keyof Groups]: { readonly [Verb in keyof Groups[Group]]: Method<Groups[Group][Verb]> };
};

/** The operations inside one company. */
export type CompanyMethods = Face<typeof COMPANY_OPERATIONS>;
/** What people do with links, their sessions and their own user. */
export type PersonMethods = Face<typeof PERSON_OPERATIONS>;
/** The host's operations on the installation. */
export type HostFace = Face<typeof INSTALLATION_OPERATIONS>;
