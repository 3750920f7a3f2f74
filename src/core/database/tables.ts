/** Every table as data, column by column; test/core/database/tables.test.ts compares it with `schema.sql`. */
import type { Insertable, Kysely, Selectable } from "kysely";
import type { DocType } from "../fiscal/document-types.ts";
import type { PaymentStatus, Status } from "../fiscal/lifecycle.ts";
import type { PaymentCode, PaymentKind } from "../fiscal/payment-means.ts";
import type { ProductType } from "../fiscal/product-types.ts";
import type { TaxCode, TaxRegion } from "../fiscal/vat-rates.ts";
import type { Lang } from "../texts/languages.ts";
import {
  blob,
  type Column,
  type Columns,
  type Covered,
  day,
  entryTime,
  instant,
  integer,
  type RowOf,
  text,
} from "./columns.ts";

/** The roles, as `ROLES` of runtime/permissions.ts names them. */
type RoleName = "owner" | "accountant" | "cashier";

/** Why a webhook is disabled: somebody asked for it, its address is gone, or it failed for days. */
type DisabledReason = "asked" | "gone" | "failing";

/** How a delivery ended. */
type DeliveryOutcome = "delivered" | "given_up";

/** How far an e-mail is: it waits, the server took it, it was not sent, nobody knows, or it was no longer right. */
type EmailStatus = "queued" | "sent" | "failed" | "unknown" | "withdrawn";

/** The tables by name, each with its columns. */
export const TABLES = {
  /** Who did something. `company_id` is null for an actor of the installation. */
  actors: {
    id: text,
    company_id: text.orNull,
    kind: text.as<"key" | "user" | "host">(),
    code: text,
    name: text,
    created_at: instant,
  },
  /** The secret of an actor that is an API key; of the key itself only the SHA-256 is stored. */
  api_keys: {
    id: text,
    scopes: text,
    digest: text,
    last_four: text,
    revoked_at: instant.orNull,
  },
  /** A person of the installation, and an actor there. */
  users: {
    id: text,
    login: text,
    login_folded: text,
    password: text,
    language: text.orNull,
    disabled_at: instant.orNull,
  },
  /** A user in a company, and an actor there. */
  memberships: {
    id: text,
    user_id: text,
    company_id: text,
    role: text.as<RoleName>(),
    disabled_at: instant.orNull,
  },
  /** A browser where a user has logged in. */
  devices: {
    digest: text,
    user_id: text,
    last_used_at: instant,
  },
  /** Tries at passwords, by what is counted. */
  password_tries: {
    key: text,
    times: text,
    ready_ms: integer.orNull,
    expires_ms: integer,
  },
  /** A user at one browser; of the secret in its cookie only the SHA-256 is stored. */
  sessions: {
    digest: text,
    id: text,
    user_id: text,
    created_at: instant,
    last_seen_at: instant,
    confirmed_until: instant.orNull,
    address: text.orNull,
    user_agent: text.orNull,
  },
  /** A link that makes a user, or lets one choose a new password. */
  invitations: {
    id: text,
    company_id: text.orNull,
    kind: text.as<"setup" | "invitation" | "reset">(),
    digest: text,
    role: text.as<RoleName>().orNull,
    login: text.orNull,
    user_id: text.orNull,
    created_at: instant,
    expires_at: instant,
    used_at: instant.orNull,
    withdrawn_at: instant.orNull,
  },
  /** A company: the tenant. */
  companies: {
    id: text,
    name: text,
    tax_id: text,
    address: text.orNull,
    postal_code: text.orNull,
    city: text.orNull,
    country: text,
    tax_region: text.as<TaxRegion>(),
    time_zone: text,
    cash_vat: integer,
    default_exemption_code: text.orNull,
    simplified_limit: integer.orNull.filled,
    footer_text: text.orNull,
    iban: text.orNull,
    accent_color: text.orNull,
    prices_with_vat: integer.filled,
    language: text.as<Lang>().orNull,
    due_days: integer.orNull,
    customer_count: integer.filled,
    product_count: integer.filled,
    clock_confirmed_for: instant.orNull,
    clock_confirmed_at: instant.orNull,
    event_position: integer.filled,
    event_seal: text.orNull,
    webhook_count: integer.filled,
    last_issued_at: instant.orNull,
    outstanding_cents: integer.filled,
    debtor_count: integer.filled,
    created_at: instant,
  },
  /** The picture printed at the head of a company's documents. */
  company_logos: {
    company_id: text,
    picture: blob,
  },
  /** A customer of a company. */
  customers: {
    position: integer.filled,
    id: text,
    company_id: text,
    code: text,
    name: text,
    tax_id: text.orNull,
    email: text.orNull,
    phone: text.orNull,
    address: text.orNull,
    postal_code: text.orNull,
    city: text.orNull,
    country: text.orNull,
    language: text.as<Lang>().orNull,
    due_days: integer.orNull,
    reminders: integer.filled,
    external_id: text.orNull,
    metadata: text.orNull,
    search: text,
    created_at: instant,
    updated_at: instant,
    archived_at: instant.orNull,
  },
  /** A product or service of a company. */
  products: {
    position: integer.filled,
    id: text,
    company_id: text,
    code: text,
    name: text,
    sku: text.orNull,
    reserved_number: integer.orNull,
    unit: text,
    type: text.as<ProductType>(),
    unit_price_micros: integer,
    unit_price_gross_micros: integer.orNull,
    tax_rate_bps: integer,
    stock_micros: integer.orNull,
    exemption_code: text.orNull,
    till_number: integer.orNull,
    external_id: text.orNull,
    metadata: text.orNull,
    search: text,
    created_at: instant,
    updated_at: instant,
    archived_at: instant.orNull,
  },
  /**
   * A full-text index, with one row for each row its list shows, by its position. Its pieces are separated by line
   * breaks; they are indexed but not stored, so they cannot be read.
   */
  customer_search: { rowid: integer, pieces: text },
  product_search: { rowid: integer, pieces: text },
  /** The number of rows a list shows, kept by triggers. */
  lists: {
    number: integer,
    company_id: text,
    name: text.as<"customers" | "products" | "payments">(),
    total: integer,
  },
  /** A series of numbers, with the head of its chain. */
  series: {
    id: text,
    company_id: text,
    doc_type: text.as<DocType>(),
    code: text,
    code_folded: text,
    at_type: text,
    validation_code: text.orNull,
    registered_at: instant.orNull,
    training: integer,
    cash_vat: integer,
    certificate_number: integer.orNull,
    next_number: integer.filled,
    last_issue_date: day.orNull,
    last_entry_date: entryTime.orNull,
    last_issued_at: instant.orNull,
    last_hash: text.orNull,
    last_seal: text.orNull,
    closed_at: instant.orNull,
    restore_locked_at: instant.orNull,
    created_at: instant,
  },
  /** A document. The columns from `sequence` to `seal` are filled when it is issued and never change again. */
  documents: {
    id: text,
    company_id: text,
    doc_type: text.as<DocType>(),
    series_id: text,
    status: text.as<Status>(),
    issue_date: day,
    due_date: day.orNull,
    valid_until: day.orNull,
    supply_date: day.orNull,
    customer_id: text,
    global_discount_bps: integer,
    global_discount_cents: integer.orNull,
    notes: text.orNull,
    external_id: text.orNull,
    metadata: text.orNull,
    training: integer,
    record_payments: integer,
    transport: text.orNull,
    total_net_cents: integer,
    total_tax_cents: integer,
    total_gross_cents: integer,
    created_at: instant,
    sequence: integer.orNull,
    number: text.orNull,
    atcud: text.orNull,
    system_entry_date: entryTime.orNull,
    issued_at: instant.orNull,
    issued_by: text.orNull,
    hash: text.orNull,
    key_version: integer.orNull,
    certificate_number: integer.orNull,
    qr_code: text.orNull,
    customer: text.orNull,
    issuer: text.orNull,
    seal: text.orNull,
    at_doc_code: text.orNull,
    cancelled_at: instant.orNull,
    cancelled_by: text.orNull,
    cancel_reason: text.orNull,
  },
  /** A line of a document. The columns from `tax_region` on are filled when it is issued. */
  document_lines: {
    document_id: text,
    line_number: integer,
    description: text,
    qty_micros: integer,
    unit: text,
    unit_price_micros: integer,
    unit_price_gross_micros: integer.orNull,
    tax_rate_bps: integer,
    discount_bps: integer,
    discount_cents: integer.orNull,
    product_id: text.orNull,
    reference_id: text.orNull,
    reference_line: integer.orNull,
    exemption_code: text.orNull,
    supply_date: day.orNull,
    product_type: text.as<ProductType>().orNull,
    tax_region: text.as<TaxRegion>().orNull,
    tax_code: text.as<TaxCode>().orNull,
    product_code: text.orNull,
    product_name: text.orNull,
    global_discount_micros: integer.orNull,
  },
  /** A reference to another document, which is corrected, returned, acknowledged or followed. */
  document_references: {
    document_id: text,
    position: integer,
    referenced_id: text,
    amount_cents: integer.orNull,
    reason: text.orNull,
  },
  /** A payment planned on a draft; issuing the document makes it a row of `payments`, of an RC one or several. */
  document_payments: {
    document_id: text,
    position: integer,
    payment_id: text,
    amount_cents: integer,
    method_code: text.as<PaymentCode>(),
    payment_date: day,
  },
  /** The documents of a series by status and payment status, in a year, month or day of issue; kept by triggers. */
  document_counts: {
    company_id: text,
    grain: text.as<"year" | "month" | "day">(),
    /** `2026`, `2026-03` or `2026-03-14`. */
    period: text,
    doc_type: text.as<DocType>(),
    series_id: text,
    draft: integer.filled,
    issued: integer.filled,
    cancelled: integer.filled,
    unpaid: integer.filled,
    partial: integer.filled,
    paid: integer.filled,
  },
  /** The amount owed on an issued document that takes payments; triggers keep it until the document is cancelled. */
  balances: {
    document_id: text,
    company_id: text,
    doc_type: text.as<DocType>(),
    series_id: text,
    customer_id: text,
    issue_date: day,
    total_cents: integer,
    outstanding_cents: integer,
    refunded_cents: integer.filled,
    payment_status: text.as<PaymentStatus>(),
  },
  /** What a customer owes on issued documents, and on how many; triggers on balances keep it. */
  customer_debts: {
    company_id: text,
    customer_id: text,
    outstanding_cents: integer,
    documents: integer,
  },
  /** A mark that the tax file of a month was communicated. A month may have several: the latest counts. */
  communications: {
    id: text,
    company_id: text,
    /** `2026-03`. */
    month: text,
    documents: integer,
    cancelled: integer,
    marked_at: instant,
    marked_by: text,
  },
  /** Base and tax of live sales documents per month, type and rate; kept as documents are issued and cancelled. */
  sales_sums: {
    company_id: text,
    /** `2026-03`. */
    month: text,
    doc_type: text.as<DocType>(),
    tax_region: text.as<TaxRegion>(),
    tax_code: text.as<TaxCode>(),
    tax_rate_bps: integer,
    net_cents: integer,
    tax_cents: integer,
  },
  /** Money received for a document, or given back, by its kind. */
  payments: {
    id: text,
    company_id: text,
    document_id: text,
    kind: text.as<PaymentKind>(),
    amount_cents: integer,
    method_code: text.as<PaymentCode>(),
    payment_date: day,
    recorded_with: text.orNull,
    created_at: instant,
    created_by: text,
    voided_at: instant.orNull,
    voided_by: text.orNull,
  },
  /** One event, sealed into the chain of its company or of the installation. Rows are only ever added. */
  events: {
    company_id: text.orNull,
    position: integer,
    at: instant,
    action: text,
    resource_id: text.orNull,
    actor_id: text,
    detail: text.orNull,
    state: text.orNull,
    seal: text,
  },
  /** An external address that a company's events are sent to. */
  webhooks: {
    id: text,
    company_id: text,
    url: text,
    actions: text,
    description: text.orNull,
    secret: text.orNull,
    previous_secret: text.orNull,
    previous_until: instant.orNull,
    disabled_at: instant.orNull,
    disabled_reason: text.as<DisabledReason>().orNull,
    failing_since: instant.orNull,
    taken_at: instant.orNull,
    created_at: instant,
    deleted_at: instant.orNull,
  },
  /** A link that opens an issued document; of its secret only the SHA-256 is stored. */
  document_links: {
    id: text,
    company_id: text,
    document_id: text,
    digest: text,
    language: text.as<Lang>(),
    second_print: integer,
    created_at: instant,
    expires_at: instant,
    revoked_at: instant.orNull,
  },
  /** An issued document sent by e-mail. */
  emails: {
    id: text,
    company_id: text,
    document_id: text,
    status: text.as<EmailStatus>(),
    reminder: integer.orNull,
    sender: text,
    sender_name: text,
    reply_to: text.orNull,
    recipients: text,
    copied: text.orNull,
    subject: text,
    message: text,
    language: text.as<Lang>(),
    message_id: text,
    second_print: integer,
    doubts: integer.filled,
    refused: text.orNull,
    error: text.orNull,
    queued_at: instant,
    queued_by: text,
    ended_at: instant.orNull,
  },
  /** What an e-mail that waits is made of; its row is deleted when it ends. */
  email_papers: {
    email_id: text,
    facts: text,
    outstanding_cents: integer.orNull,
    logo: blob.orNull,
    pdf: blob.orNull,
  },
  /** How the e-mails of a company look, and how their queue does. */
  company_mail: {
    company_id: text,
    name: text.orNull,
    reply_to: text.orNull,
    subject_pt: text.orNull,
    message_pt: text.orNull,
    subject_en: text.orNull,
    message_en: text.orNull,
    reminder_days: text.orNull,
    reminder_subject_pt: text.orNull,
    reminder_message_pt: text.orNull,
    reminder_subject_en: text.orNull,
    reminder_message_en: text.orNull,
    remind_at: instant.orNull,
    reminded_until: day.orNull,
    remind_after: text.orNull,
    server_host: text.orNull,
    server_port: integer.orNull,
    server_security: text.as<"tls" | "starttls" | "none">().orNull,
    server_user: text.orNull,
    server_password: text.orNull,
    server_from: text.orNull,
    taken_at: instant.orNull,
    failing_since: instant.orNull,
    tested_at: instant.orNull,
  },
  /** One event on its way to one webhook, or one e-mail on its way. */
  deliveries: {
    id: text,
    company_id: text,
    kind: text.as<"webhook" | "email">(),
    queue_id: text,
    position: integer,
    action: text,
    subject_id: text,
    outcome: text.as<DeliveryOutcome>().orNull,
    due_at: instant.orNull,
    attempts: integer.filled,
    failures: integer.filled,
    begun: integer.filled,
    queued_at: instant,
    ended_at: instant.orNull,
  },
  /** One attempt at a delivery. */
  delivery_attempts: {
    delivery_id: text,
    attempt: integer,
    at: instant,
    status: integer.orNull,
    error: text.orNull,
    duration_ms: integer,
  },
  /** The stored answer to a request with an Idempotency-Key. */
  idempotency_keys: {
    company_id: text,
    key: text,
    fingerprint: text,
    answer: blob,
    expires_at: instant.orNull,
  },
  /** One version of the signing key. */
  signing_keys: {
    key_version: integer,
    public_key: text,
    private_key: text.orNull,
    created_at: instant,
  },
  /** The one row about the database file itself. */
  installation: {
    id: integer,
    created_at: instant,
    backup_taken_at: instant.orNull,
    restores: integer.filled,
    place: text.orNull,
    certificate_number: integer.filled,
    producer_name: text.orNull,
    producer_tax_id: text.orNull,
    event_position: integer.filled,
    event_seal: text.orNull,
  },
  /** What the last check of a company found, and how far it got. */
  checks: {
    company_id: text,
    checked_at: instant,
    whole_at: instant.orNull,
    event_position: integer,
    event_seal: text.orNull,
    sequences: text,
    finding_place: text.orNull,
    finding_reason: text.orNull,
    answered: text.filled,
    claimed_until: instant.orNull,
  },
  /** A migration that was applied. */
  migrations: {
    id: text,
    digest: text,
    applied_at: instant,
  },
} as const satisfies Readonly<Record<string, Columns>>;

/** The tables by name, each with the type of its rows. */
export type Tables = { [Name in keyof typeof TABLES]: RowOf<(typeof TABLES)[Name]> };

/** The names of all tables; on PostgreSQL one more counts the requests of a key for all processes. */
export const TABLE_NAMES: ReadonlySet<string> = new Set([...Object.keys(TABLES), "rate_log"]);

/** The columns of a table except some, as states and seals cover them. */
export function coveredIn(table: keyof Tables, left_out: readonly string[] = []): Covered[] {
  const columns = Object.entries<Column>(TABLES[table]);
  return columns.flatMap(([name, { since }]) => (left_out.includes(name) ? [] : [{ name, since }]));
}

/** A database for queries alone. */
export type Reader = Pick<Kysely<Tables>, "selectFrom">;

/** A row as it is read. */
export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;
/** A row as it is written. */
export type NewRow<Name extends keyof Tables> = Insertable<Tables[Name]>;
