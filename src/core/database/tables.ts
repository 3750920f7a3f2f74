/** Every row type, as the tables are in `schema.sql`; test/core/database/tables.test.ts compares the two. */
import type { ColumnType, Generated, Insertable, Kysely, Selectable } from "kysely";
import type { DocType } from "../fiscal/document-types.ts";
import type { PaymentStatus, Status } from "../fiscal/lifecycle.ts";
import type { PaymentCode } from "../fiscal/payment-means.ts";
import type { ProductType } from "../fiscal/product-types.ts";
import type { TaxCode, TaxRegion } from "../fiscal/vat-rates.ts";

/** The roles, as `ROLES` of runtime/permissions.ts names them. */
type RoleName = "owner" | "accountant" | "cashier";

/** Why a webhook is disabled: somebody asked, it answered that it is gone, or it failed for days. */
type DisabledReason = "asked" | "gone" | "failing";

/** How a delivery ended. */
type DeliveryOutcome = "delivered" | "given_up";

/** A full-text index, with one row for each row its list shows. */
interface SearchTable {
  /** The row's position. */
  rowid: number;
  /** Pieces separated by line breaks. They are indexed but not stored, so they cannot be read. */
  pieces: string;
  /** The name `match` is applied to. SQLite names it after the table; that of products is `product_search`. */
  customer_search: ColumnType<string, never, never>;
}

/** The tables by name, each with the type of its rows. */
export interface Tables {
  /** Who did something. `company_id` is null for an actor of the installation. */
  actors: {
    id: string;
    company_id: string | null;
    kind: "key" | "user" | "host";
    code: string;
    name: string;
    created_at: string;
  };
  /** The secret of an actor that is an API key; of the key itself only the SHA-256 is stored. */
  api_keys: {
    id: string;
    scopes: string;
    digest: string;
    last_four: string;
    revoked_at: string | null;
  };
  /** A person of the installation, and an actor there. */
  users: {
    id: string;
    login: string;
    login_folded: string;
    password: string;
    language: string | null;
    disabled_at: string | null;
  };
  /** A user in a company, and an actor there. */
  memberships: {
    id: string;
    user_id: string;
    company_id: string;
    role: RoleName;
    disabled_at: string | null;
  };
  /** A user at one browser; of the secret in its cookie only the SHA-256 is stored. */
  /** A browser where a user has logged in. */
  devices: {
    digest: string;
    user_id: string;
    last_used_at: string;
  };
  /** Tries at passwords, by what is counted. */
  password_tries: {
    key: string;
    times: string;
    ready_ms: number | null;
    expires_ms: number;
  };
  sessions: {
    digest: string;
    id: string;
    user_id: string;
    created_at: string;
    last_seen_at: string;
    confirmed_until: string | null;
    address: string | null;
    user_agent: string | null;
  };
  /** A link that makes a user, or lets one choose a new password. */
  invitations: {
    id: string;
    company_id: string | null;
    kind: "setup" | "invitation" | "reset";
    digest: string;
    role: RoleName | null;
    login: string | null;
    user_id: string | null;
    created_at: string;
    expires_at: string;
    used_at: string | null;
    withdrawn_at: string | null;
  };
  /** A company: the tenant. */
  companies: {
    id: string;
    name: string;
    tax_id: string;
    address: string | null;
    postal_code: string | null;
    city: string | null;
    country: string;
    tax_region: TaxRegion;
    time_zone: string;
    cash_vat: number;
    default_exemption_code: string | null;
    simplified_limit: Generated<number | null>;
    footer_text: string | null;
    customer_count: Generated<number>;
    product_count: Generated<number>;
    clock_confirmed_for: string | null;
    clock_confirmed_at: string | null;
    event_position: Generated<number>;
    event_seal: string | null;
    webhook_count: Generated<number>;
    created_at: string;
  };
  /** The picture printed at the head of a company's documents. */
  company_logos: {
    company_id: string;
    picture: Uint8Array;
  };
  /** A customer of a company. */
  customers: {
    position: Generated<number>;
    id: string;
    company_id: string;
    code: string;
    name: string;
    tax_id: string | null;
    email: string | null;
    phone: string | null;
    address: string | null;
    postal_code: string | null;
    city: string | null;
    country: string | null;
    external_id: string | null;
    metadata: string | null;
    search: string;
    created_at: string;
    archived_at: string | null;
  };
  /** A product or service of a company. */
  products: {
    position: Generated<number>;
    id: string;
    company_id: string;
    code: string;
    name: string;
    sku: string | null;
    reserved_number: number | null;
    unit: string;
    type: ProductType;
    unit_price_micros: number;
    tax_rate_bps: number;
    stock_micros: number | null;
    exemption_code: string | null;
    search: string;
    created_at: string;
    archived_at: string | null;
  };
  customer_search: SearchTable;
  product_search: SearchTable;
  /** The number of rows a list shows, kept by triggers. */
  lists: {
    number: number;
    company_id: string;
    name: "customers" | "products" | "payments";
    total: number;
  };
  /** A series of numbers, with the head of its chain. */
  series: {
    id: string;
    company_id: string;
    doc_type: DocType;
    code: string;
    code_folded: string;
    at_type: string;
    validation_code: string | null;
    registered_at: string | null;
    training: number;
    cash_vat: number;
    certificate_number: number | null;
    next_number: Generated<number>;
    last_issue_date: string | null;
    last_entry_date: string | null;
    last_issued_at: string | null;
    last_hash: string | null;
    last_seal: string | null;
    closed_at: string | null;
    restore_locked_at: string | null;
    created_at: string;
  };
  /** A document. The columns from `sequence` to `seal` are filled when it is issued and never change again. */
  documents: {
    id: string;
    company_id: string;
    doc_type: DocType;
    series_id: string;
    status: Status;
    issue_date: string;
    due_date: string | null;
    supply_date: string | null;
    customer_id: string;
    global_discount_bps: number;
    notes: string | null;
    external_id: string | null;
    metadata: string | null;
    training: number;
    transport: string | null;
    total_net_cents: number;
    total_tax_cents: number;
    total_gross_cents: number;
    created_at: string;
    sequence: number | null;
    number: string | null;
    atcud: string | null;
    system_entry_date: string | null;
    issued_at: string | null;
    issued_by: string | null;
    hash: string | null;
    key_version: number | null;
    certificate_number: number | null;
    qr_code: string | null;
    customer: string | null;
    issuer: string | null;
    seal: string | null;
    at_doc_code: string | null;
    cancelled_at: string | null;
    cancelled_by: string | null;
    cancel_reason: string | null;
  };
  /** A line of a document. The columns from `tax_region` on are filled when it is issued. */
  document_lines: {
    document_id: string;
    line_number: number;
    description: string;
    qty_micros: number;
    unit: string;
    unit_price_micros: number;
    unit_price_gross_micros: number | null;
    tax_rate_bps: number;
    discount_bps: number;
    product_id: string | null;
    reference_id: string | null;
    reference_line: number | null;
    exemption_code: string | null;
    supply_date: string | null;
    product_type: ProductType | null;
    tax_region: TaxRegion | null;
    tax_code: TaxCode | null;
    product_code: string | null;
    product_name: string | null;
  };
  /** A reference to another document, which is corrected, returned, acknowledged or followed. */
  document_references: {
    document_id: string;
    position: number;
    referenced_id: string;
    amount_cents: number | null;
    reason: string | null;
  };
  /** A payment planned on a draft; when the document is issued it becomes a row of `payments` with the same id. */
  document_payments: {
    document_id: string;
    position: number;
    payment_id: string;
    amount_cents: number;
    method_code: PaymentCode;
    payment_date: string;
  };
  /** The documents of a series by status and payment status, in a year, month or day of issue; kept by triggers. */
  document_counts: {
    company_id: string;
    grain: "year" | "month" | "day";
    /** `2026`, `2026-03` or `2026-03-14`. */
    period: string;
    doc_type: DocType;
    series_id: string;
    draft: Generated<number>;
    issued: Generated<number>;
    cancelled: Generated<number>;
    unpaid: Generated<number>;
    partial: Generated<number>;
    paid: Generated<number>;
  };
  /** What is owed on an issued document that takes payments; kept by triggers, and ended when it is cancelled. */
  balances: {
    document_id: string;
    company_id: string;
    doc_type: DocType;
    series_id: string;
    customer_id: string;
    issue_date: string;
    total_cents: number;
    outstanding_cents: number;
    payment_status: PaymentStatus;
  };
  /** What a customer owes on issued documents, and on how many; kept by triggers on balances. */
  customer_debts: {
    company_id: string;
    customer_id: string;
    outstanding_cents: number;
    documents: number;
  };
  /** What all customers of a company owe together, and how many owe; kept by triggers on customer_debts. */
  company_debts: {
    company_id: string;
    outstanding_cents: number;
    customers: number;
  };
  /** A mark that the tax file of a month was communicated. A month may have several: the latest counts. */
  communications: {
    id: string;
    company_id: string;
    /** `2026-03`. */
    month: string;
    documents: number;
    cancelled: number;
    marked_at: string;
    marked_by: string;
  };
  /** Base and tax of live sales documents per month, type and rate; kept as documents are issued and cancelled. */
  sales_sums: {
    company_id: string;
    /** `2026-03`. */
    month: string;
    doc_type: DocType;
    tax_region: TaxRegion;
    tax_code: TaxCode;
    tax_rate_bps: number;
    net_cents: number;
    tax_cents: number;
  };
  /** Money received for a document. */
  payments: {
    id: string;
    company_id: string;
    document_id: string;
    amount_cents: number;
    method_code: PaymentCode;
    payment_date: string;
    created_at: string;
    created_by: string;
    voided_at: string | null;
    voided_by: string | null;
  };
  /** One thing that happened, sealed into the chain of its company or of the installation. Rows are only ever added. */
  events: {
    company_id: string | null;
    position: number;
    at: string;
    action: string;
    resource_id: string | null;
    actor_id: string;
    detail: string | null;
    state: string | null;
    seal: string;
  };
  /** An address outside that events of a company are sent to. */
  webhooks: {
    id: string;
    company_id: string;
    url: string;
    actions: string;
    description: string | null;
    secret: string | null;
    previous_secret: string | null;
    previous_until: string | null;
    disabled_at: string | null;
    disabled_reason: DisabledReason | null;
    failing_since: string | null;
    taken_at: string | null;
    created_at: string;
    deleted_at: string | null;
  };
  /** One event on its way to one webhook. */
  webhook_deliveries: {
    id: string;
    company_id: string;
    webhook_id: string;
    position: number;
    action: string;
    subject_id: string;
    outcome: DeliveryOutcome | null;
    due_at: string | null;
    attempts: Generated<number>;
    failures: Generated<number>;
    queued_at: string;
    ended_at: string | null;
  };
  /** One attempt at a delivery. */
  webhook_attempts: {
    delivery_id: string;
    attempt: number;
    at: string;
    status: number | null;
    error: string | null;
    duration_ms: number;
  };
  /** The stored answer to a request with an Idempotency-Key. */
  idempotency_keys: {
    company_id: string;
    key: string;
    fingerprint: string;
    answer: Uint8Array;
    expires_at: string | null;
  };
  /** One version of the signing key. */
  signing_keys: {
    key_version: number;
    public_key: string;
    private_key: string | null;
    created_at: string;
  };
  /** The one row about the database file itself. */
  installation: {
    id: number;
    created_at: string;
    backup_taken_at: string | null;
    restores: Generated<number>;
    place: string | null;
    certificate_number: Generated<number>;
    producer_name: string | null;
    producer_tax_id: string | null;
    event_position: Generated<number>;
    event_seal: string | null;
  };
  /** What the last check of a company found, and how far it came. */
  checks: {
    company_id: string;
    checked_at: string;
    whole_at: string | null;
    event_position: number;
    event_seal: string | null;
    sequences: string;
    finding_place: string | null;
    finding_reason: string | null;
    answered: Generated<string>;
    claimed_until: string | null;
  };
  /** A migration that was applied. */
  migrations: {
    id: string;
    digest: string;
    applied_at: string;
  };
}

/** A database for queries alone. */
export type Reader = Pick<Kysely<Tables>, "selectFrom">;

/** A row as it is read. */
export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;
/** A row as it is written. */
export type NewRow<Name extends keyof Tables> = Insertable<Tables[Name]>;
