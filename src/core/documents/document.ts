/** The schemas of a document: as input, and as every answer shows it. */
import * as z from "zod";
import { EmailAtIssue } from "../emails/input.ts";
import {
  Amount,
  Day,
  DiscountAmount,
  DiscountPct,
  ExemptionCode,
  Id,
  IdList,
  Instant,
  InstantInput,
  Money,
  measured,
  problemsWithBoth,
  problemsWithMissing,
  Quantity,
  says,
  TaxRate,
  text,
  UnitPrice,
  UnitPriceGross,
  withFields,
} from "../fields.ts";
import { PAYMENT_STATUSES, QUOTE_STATUSES, STATUSES } from "../fiscal/lifecycle.ts";
import { typedNumber } from "../fiscal/numbering.ts";
import { PRODUCT_TYPES } from "../fiscal/product-types.ts";
import { MAX_LINES } from "../fiscal/totals.ts";
import { TAX_REGIONS } from "../fiscal/vat-rates.ts";
import { CALLER_FIELDS, CALLER_INPUT, ExternalId } from "../records/caller-data.ts";
import { CustomerWithin } from "../records/customer-within.ts";
import { ProductWithin } from "../records/product-within.ts";
import { DEFAULT_UNIT } from "../records/products.ts";
import { ONE_PRICE, PRICE_FIELDS, withLinePrice } from "../records/unit-prices.ts";
import { type Problem, problem } from "../runtime/errors.ts";
import { withNotices } from "../runtime/notices.ts";
import { CursorPageInput } from "../runtime/page.ts";
import { DocTypeField } from "../series/series.ts";
import { MethodCode, NewPaymentKind, Payment } from "./payments.ts";
import { t } from "./refusals.ts";

const MAX_REFERENCES = 1_000;
const MAX_PAYMENTS = 100;

/** The most lines of a printed text: a list of serial numbers fits, and its length on paper is bounded. */
const MAX_TEXT_LINES = 50;

const lineFields = {
  description: text(500, { multiline: true, lines: MAX_TEXT_LINES }).meta({ example: "Pão de Mafra" }),
  qty: Quantity,
};

/** The fields that a line without `product` must have, beside its price. */
const REQUIRED_OF_LINE = ["description", "tax_rate"];

/** Whether a line leaves to a product what it does not say itself. */
const isOfProduct = ({ product }: { readonly product?: unknown }): boolean => product !== undefined;

const lineInput = withFields(
  z.strictObject({
    ...lineFields,
    description: lineFields.description.optional().describe("With product it may be left out: the product's name."),
    ...PRICE_FIELDS,
    unit_price_gross: UnitPriceGross.nullish().describe(PRICE_FIELDS.unit_price_gross.description ?? ""),
    tax_rate: TaxRate.optional().describe(
      `${TaxRate.description} With product rate and price may be left out: the product's, with VAT where it was priced so and the rate is its own.`,
    ),
    discount_pct: DiscountPct.optional().describe("Percentage, 0 to 100; 0 when left out."),
    discount_amount: DiscountAmount.nullish().describe(
      "EUR off the line, in place of discount_pct: without VAT on a line priced net, with VAT on one priced so. At most quantity times price. Not on RC.",
    ),
    product_id: Id.nullish(),
    product: ProductWithin.optional(),
    unit: text(100).optional().describe(`The product's unit, else ${DEFAULT_UNIT}, when left out.`),
    reference_id: Id.nullish().describe("The referenced document this line corrects."),
    reference_line: z
      .int()
      .min(1)
      .max(MAX_LINES)
      .nullish()
      .describe("The line of that document it corrects, counted from 1; its quantity is then limited to that line's."),
    exemption_code: ExemptionCode.nullish().describe(
      "Why a line at 0 % bears no tax; the product's reason, else the company's, when left out.",
    ),
    type: z
      .enum(PRODUCT_TYPES)
      .nullish()
      .describe(
        "P product, S service, on a line without product; when left out S if its unit is a time such as h, else P, and P on guides and returns.",
      ),
    supply_date: Day.nullish().describe("When this line was supplied; the document's supply_date when left out."),
  }),
  (given) => [
    ...(isOfProduct(given) ? [] : problemsWithMissing(given, REQUIRED_OF_LINE)),
    ...problemsWithBoth(given, "product", "product_id"),
  ],
);

export const NewDocumentLine = withLinePrice(lineInput, isOfProduct).meta({
  id: "DocumentLineInput",
  description:
    "A line with one price, net or with VAT; or with a product's own code, and what differs from the product.",
  anyOf: [
    ...ONE_PRICE.map(({ required, ...price }) => ({ required: [...REQUIRED_OF_LINE, ...required], ...price })),
    { required: ["product"] },
  ],
});
export type NewDocumentLine = z.input<typeof NewDocumentLine>;

export const DocumentLine = z
  .strictObject({
    ...lineFields,
    unit_price_net: UnitPrice,
    unit_price_gross: UnitPriceGross.nullable().describe(
      "The price with VAT, if it was given so; unit_price_net is then its net, half-up to six decimals.",
    ),
    tax_rate: TaxRate,
    discount_pct: DiscountPct,
    discount_amount: Money.nullable().describe("Off the line in place of a percentage, as its price: net or with VAT."),
    product_id: Id.nullable(),
    unit: z.string(),
    reference_id: Id.nullable(),
    reference_line: z.int().nullable(),
    exemption_code: ExemptionCode.nullable(),
    type: z
      .enum(PRODUCT_TYPES)
      .nullable()
      .describe("The product's type when issued; on a draft as given. Null on receipts."),
    supply_date: Day.nullable(),
  })
  .meta({ id: "DocumentLine", description: "A line of a document." });
export type DocumentLine = z.infer<typeof DocumentLine>;

export const NewDocumentReference = z
  .strictObject({
    document_id: Id,
    amount: Amount.nullish().describe("Gross; required when there is more than one (on NC, RC)."),
    reason: text(50).nullish(),
  })
  .meta({
    id: "DocumentReferenceInput",
    description: "A document that a new one corrects, returns, acknowledges or follows.",
  });
export type NewDocumentReference = z.input<typeof NewDocumentReference>;

export const DocumentReference = z
  .strictObject({
    document_id: Id,
    amount: Money.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: "DocumentReference", description: "A document this one corrects, returns, acknowledges or follows." });

export type DocumentReference = z.infer<typeof DocumentReference>;

export const Place = z
  .strictObject({
    address: text(100, { multiline: true }).nullable(),
    postal_code: text(100).nullable(),
    city: text(100).nullable(),
    country: text(100).nullable(),
  })
  .partial()
  .meta({ id: "Place", description: "Where goods are loaded or unloaded; unknown members are left out." });

export type Place = z.infer<typeof Place>;

export const NewTransport = z
  .strictObject({
    start_at: InstantInput.optional().describe("When they leave; the moment of issue when left out."),
    end_at: InstantInput.nullish().describe("When they arrive."),
    from: Place.optional().describe("The company's address when left out; on an NDV the customer's."),
    to: Place.optional().describe("The customer's address when left out; on an NDV the company's."),
    vehicle: text(100).nullish().describe("Licence plate."),
  })
  .describe("How the goods of a guide, a return or an invoice will travel, as it is sent.");
export type NewTransport = z.input<typeof NewTransport>;

export const Transport = z
  .strictObject({
    start_at: Instant.nullable().describe("Null on drafts that name none."),
    end_at: Instant.nullable(),
    from: z.union([Place, z.null()]),
    to: z.union([Place, z.null()]),
    vehicle: z.string().nullable(),
  })
  .meta({ id: "Transport", description: "How the goods of a document travel." });
export type Transport = z.infer<typeof Transport>;

export const NewDocumentPayment = z
  .strictObject({
    amount: Amount,
    method_code: MethodCode,
    payment_date: Day.optional().describe("With series it may be left out: the issue_date."),
    kind: NewPaymentKind,
  })
  .meta({
    id: "DocumentPaymentInput",
    description:
      "A payment sent with an FT, FS or FR that it was made at, or with the RC that acknowledges it; or a refund sent with an NC.",
  });
export type NewDocumentPayment = z.input<typeof NewDocumentPayment>;

const documentFields = {
  doc_type: DocTypeField,
  series_id: Id.optional().describe("A series of this doc_type; this or series."),
  series: z
    .literal("current")
    .optional()
    .describe("In place of series_id: what GET /v1/series?current=true shows for the type and the issue_date."),
  issue_date: Day.optional().describe("With series it may be left out: today in the company's time zone."),
  customer_id: Id.optional().describe("This or customer."),
  customer: CustomerWithin.optional(),
  lines: z
    .array(NewDocumentLine)
    .max(MAX_LINES)
    .describe("At least one; none on an RC of a cash-VAT series with references: its lines are made by rate."),
};

/** Fields that are sent beside the id they stand in for, and payments without a day where no series is read. */
export const problemsWithStandIns = (given: Readonly<Record<string, unknown>>) => [
  ...problemsWithBoth(given, "series", "series_id"),
  ...problemsWithBoth(given, "customer", "customer_id"),
  ...problemsWithDays(given),
];

function problemsWithDays({ series, payments }: Readonly<Record<string, unknown>>): readonly Problem[] {
  if (series !== undefined || !Array.isArray(payments)) return [];
  return payments.flatMap((payment, i) =>
    typeof payment === "object" && payment !== null
      ? problemsWithMissing(payment, ["payment_date"]).map(({ path, text }) => problem(`payments[${i}].${path}`, text))
      : [],
  );
}

/** What a new document must have, unless something is sent in its place. */
const requiredBeside = ({ series, customer }: Readonly<Record<string, unknown>>) => [
  ...(series === undefined ? ["series_id", "issue_date"] : []),
  ...(customer === undefined ? ["customer_id"] : []),
];

const documentDetails = {
  references: z.array(NewDocumentReference).max(MAX_REFERENCES),
  global_discount_pct: DiscountPct,
  global_discount_amount: DiscountAmount.nullable().describe(
    "EUR off all lines, split over them: at most their total. They are then all priced net, or all with VAT, as the amount is. In place of global_discount_pct; on a draft each takes the other's. Not on RC.",
  ),
  due_date: Day.nullable().describe(
    "FT, ND, when left out: issue_date and the customer's due_days, else the company's. On a draft it moves with them. Null for none.",
  ),
  valid_until: Day.nullable().describe("OR: the last day on which it holds; not before issue_date."),
  supply_date: Day.nullable().describe(
    "FT, FS, FR, NC, ND, OR: when goods were handed over, services done or an advance paid, if not on issue_date.",
  ),
  notes: text(1_000, { multiline: true, lines: MAX_TEXT_LINES }).nullable(),
  ...CALLER_INPUT,
  transport: NewTransport.nullable().describe(
    "GT, GR, NDV: how the goods travel. FT, FR: the same, where the invoice is their transport document too.",
  ),
  payments: z
    .array(NewDocumentPayment)
    .max(MAX_PAYMENTS)
    .describe(
      'FT, FS, FR: payments made at issue. RC: how it was paid, recorded with `record_payments` alone. NC: refunds, of `kind: "refund"`, on the one document it references.',
    ),
  record_payments: z
    .boolean()
    .describe(
      "RC: records its payments, which come to its total, on what it references, in that order. Else it changes no balance.",
    ),
};

export const NewDocument = withFields(
  z.strictObject({
    ...documentFields,
    ...z.object(documentDetails).partial().shape,
    issue: z.boolean().optional().describe("Issue at once; false when left out."),
    email: EmailAtIssue.optional(),
  }),
  (given) => [...problemsWithMissing(given, requiredBeside(given)), ...problemsWithStandIns(given)],
).meta({
  id: "DocumentInput",
  description:
    "A document to draft, or with `issue: true` to issue at once. It has series_id and issue_date, or series; and customer_id, or customer.",
});
export type NewDocument = z.input<typeof NewDocument>;

export const DocumentChanges = withFields(
  z.strictObject({
    ...z.object({ ...documentFields, ...documentDetails }).partial().shape,
    issue_date: Day.optional(),
    at_doc_code: text(100)
      .optional()
      .describe("The code AT gave for the transport, once, on an issued document that has one; sent alone."),
  }),
  problemsWithStandIns,
).meta({
  id: "DocumentChanges",
  description: "The fields of a draft to change; lists are replaced. What series and customer name is read anew.",
});
export type DocumentChanges = z.input<typeof DocumentChanges>;

export const CustomerSnapshot = z
  .strictObject({
    id: Id,
    code: z.string().describe("CustomerID of the tax file."),
    name: z.string(),
    tax_id: z.string().nullable(),
    address: z.string().nullable(),
    postal_code: z.string().nullable(),
    city: z.string().nullable(),
    country: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
  })
  .meta({ id: "CustomerSnapshot", description: "The customer as it was when the document was issued." });
export type CustomerSnapshot = z.infer<typeof CustomerSnapshot>;

/** The company as it was when the document was issued. */
export const Issuer = z.strictObject({
  name: z.string(),
  tax_id: z.string(),
  address: z.string().nullable(),
  postal_code: z.string().nullable(),
  city: z.string().nullable(),
  country: z.string(),
  tax_region: z.enum(TAX_REGIONS),
  cash_vat: z.boolean(),
  producer: z
    .union([z.strictObject({ name: z.string(), tax_id: z.string() }), z.null()])
    .describe("Who makes the program, as set for the installation."),
});
export type Issuer = z.infer<typeof Issuer>;

const answered = {
  id: Id,
  doc_type: DocTypeField,
  series_id: Id,
  number: z.string().nullable().meta({ description: "Assigned when issued.", example: "FT 2026A/17" }),
  atcud: z.string().nullable().describe("Null when the series has no validation code."),
  hash: z.string().nullable().describe("Base64 RSA-SHA1 signature, chained per series; assigned when issued."),
  status: z.enum(STATUSES),
  training: z.boolean().describe("Of a training series: no real document."),
  issue_date: Day,
  due_date: Day.nullable(),
  valid_until: Day.nullable().describe("OR: the last day on which it holds; null on other types."),
  supply_date: Day.nullable(),
  customer_id: Id,
  customer: z.union([CustomerSnapshot, z.null()]).describe("The customer as issued; null on drafts."),
  total_net: Money,
  total_tax: Money,
  total_gross: Money,
  global_discount_pct: DiscountPct,
  global_discount_amount: Money.nullable().describe(
    "Off all lines in place of a percentage, as they are priced: net or with VAT.",
  ),
  payment_status: z
    .enum(PAYMENT_STATUSES)
    .nullable()
    .describe("Null for drafts, cancelled documents and types that take no payment."),
  outstanding: Money.nullable().describe(
    "Gross less payments and live credit notes, plus refunds; negative in the customer's favour; 0 on an FR.",
  ),
  quote_status: z
    .enum(QUOTE_STATUSES)
    .nullable()
    .describe(
      "OR, issued: `invoiced` once live FT, FS and FR that name it come to its gross, `partly_invoiced` when there is any, else `expired` after valid_until, else `open`. Null elsewhere. It refuses nothing.",
    ),
  references: z.array(DocumentReference),
  notes: z.string().nullable(),
  ...CALLER_FIELDS,
  created_at: Instant,
  issued_at: Instant.nullable(),
  system_entry_date: z.string().nullable().describe("Lisbon wall time, the literal text that was signed."),
  qr_code: z.string().nullable().describe("The text of the QR code, fixed when issued."),
  record_payments: z.boolean().describe("RC: whether it records its payments on the documents it references."),
  transport: z.union([Transport, z.null()]),
  at_doc_code: z.string().nullable().describe("The code AT gave for the transport."),
  cancelled_at: Instant.nullable(),
  cancel_reason: z.string().nullable(),
};

/** A document as lists show it. */
export const DocumentSummary = z
  .strictObject(answered)
  .meta({ id: "DocumentSummary", description: "A fiscal document without its lines." });
export type DocumentSummary = z.infer<typeof DocumentSummary>;

/** A document in a list that may be asked for with lines. */
export const ListedDocument = z
  .strictObject({ ...answered, lines: z.array(DocumentLine).optional().describe("With `expand=lines`.") })
  .meta({ id: "ListedDocument", description: "A fiscal document, without its lines unless they were asked for." });
export type ListedDocument = z.infer<typeof ListedDocument>;

export const Document = z
  .strictObject({ ...answered, lines: z.array(DocumentLine) })
  .meta({ id: "Document", description: "A fiscal document." });
export type Document = z.infer<typeof Document>;

/** A document as creating, changing or crediting answers it. */
export const StoredDocument = withNotices(Document);
export type StoredDocument = z.infer<typeof StoredDocument>;

/** A document as `getDocument` returns it. */
export const DocumentWithPayments = z
  .strictObject({
    ...answered,
    lines: z.array(DocumentLine),
    payments: z.array(Payment),
    refunds: z.array(Payment).describe("Money given back on it; on an NC, with it."),
  })
  .meta({ id: "DocumentWithPayments", description: "A fiscal document with its payments and refunds." });
export type DocumentWithPayments = z.infer<typeof DocumentWithPayments>;

const DocumentNumber = measured(1_000, (given) => given.trim())
  .refine((given) => typedNumber(given) !== undefined, says(t.must_be_document_number))
  .meta({ example: "FT 2026A/17" });

export const DocumentFilter = z
  .strictObject({
    ...CursorPageInput,
    doc_type: DocTypeField.optional(),
    status: z.enum(STATUSES).optional().describe("Only documents in this status."),
    customer_id: Id.optional().describe("Only documents to this customer; one that is unknown has none."),
    series_id: Id.optional().describe("Only documents of this series; one that is unknown has none."),
    number: DocumentNumber.optional().describe(
      "Only the document of this number, in any case. Without type or series those of this sequence in each: 17.",
    ),
    payment_status: z
      .enum(PAYMENT_STATUSES)
      .optional()
      .describe("Only issued documents that are paid so far; what takes no payment has no payment_status."),
    external_id: ExternalId.optional().describe(
      "Only documents with this external_id: those of one order, say; as sent, in the same case.",
    ),
    reference_id: Id.optional().describe("Only documents that name this one in their references, drafts included."),
    from: Day.optional().describe("First issue_date, inclusive."),
    to: Day.optional().describe("Last issue_date, inclusive."),
    ids: IdList.optional().describe(
      "These, in this order; unknown ones are left out. Beside it only `limit`, by default all, `cursor` and `expand`.",
    ),
    expand: z
      .enum(["lines"])
      .optional()
      .describe(
        "With the lines of each document. `limit` is then at most 50, which is its default, and a page ends before it has " +
          "more than 20,000 lines.",
      ),
  })
  .describe("Which documents a list shows; all of them when nothing is given.");
export type DocumentFilter = z.input<typeof DocumentFilter>;
