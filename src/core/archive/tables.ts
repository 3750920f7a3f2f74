/** What an archive holds: which tables, in which order, and what is left out. */
import type { Tables } from "../database/tables.ts";

type Key<Name extends keyof Tables> = readonly (keyof Tables[Name] & string)[];

/** The tables, each before those that refer to it, and the key by which its rows are in order. */
export const KEYS = {
  installation: ["id"],
  companies: ["id"],
  company_logos: ["company_id"],
  actors: ["id"],
  api_keys: ["digest"],
  users: ["id"],
  memberships: ["id"],
  invitations: ["id"],
  signing_keys: ["key_version"],
  customers: ["id"],
  products: ["id"],
  lists: ["number"],
  series: ["id"],
  documents: ["id"],
  document_lines: ["document_id", "line_number"],
  document_references: ["document_id", "position"],
  document_payments: ["document_id", "position"],
  payments: ["id"],
  balances: ["document_id"],
  customer_debts: ["company_id", "customer_id"],
  sales_sums: ["company_id", "month", "doc_type", "tax_region", "tax_code", "tax_rate_bps"],
  document_counts: ["company_id", "grain", "period", "doc_type", "series_id"],
  communications: ["id"],
  events: ["company_id", "position"],
  webhooks: ["id"],
  company_mail: ["company_id"],
  document_links: ["id"],
  emails: ["id"],
  deliveries: ["id"],
  delivery_attempts: ["delivery_id", "attempt"],
  idempotency_keys: ["company_id", "key"],
} as const satisfies { readonly [Name in keyof Tables]?: Key<Name> };

/** A table that archives hold. */
export type Archived = keyof typeof KEYS;

/** Those tables, in order. */
export const ARCHIVED = Object.keys(KEYS) as readonly Archived[];

/** The tables that are left out, and why. */
export const LEFT_OUT = {
  migrations: "the archive's first line names them, and they are applied anew",
  checks: "what was found in the original is not known of its copy, which is checked anew",
  devices: "a browser that the original knows is not known to its copy",
  password_tries: "of the last quarter of an hour",
  sessions: "a browser that is let in by the original is not let in by its copy",
  email_papers: "what waits in the original is sent by the original, never by its copy too",
  customer_search: "each engine has an index of its own form, which is built anew",
  product_search: "each engine has an index of its own form, which is built anew",
} as const satisfies Record<Exclude<keyof Tables, Archived>, string>;

/** Columns whose values belong to the place of a database. */
export const OF_THE_PLACE: Readonly<Partial<Record<Archived, readonly string[]>>> = {
  company_mail: ["server_password"],
  installation: ["place"],
};
