-- The database as the migrations build it on PostgreSQL: a photograph, taken by
-- test/core/database/postgres-schema.test.ts (vitest -u retakes it). Texts compare byte by byte, as on SQLite.
create schema if not exists lacre;

create table "lacre".migrations (
  id text collate "C" primary key,
  -- SHA-256 of the migration's text
  digest text collate "C" not null,
  applied_at text collate "C" not null
);

create table "lacre".companies (
  id text collate "C" primary key,
  name text collate "C" not null,
  -- one company to a taxpayer: the series of two would give out the same numbers
  tax_id text collate "C" not null unique,
  address text collate "C",
  postal_code text collate "C",
  city text collate "C",
  country text collate "C" not null,
  tax_region text collate "C" not null check (tax_region in ('PT', 'PT-AC', 'PT-MA')),
  time_zone text collate "C" not null,
  cash_vat bigint not null check (cash_vat in (0, 1)),
  default_exemption_code text collate "C",
  -- the largest simplified invoice, in EUR (CIVA, article 40); null for no limit
  simplified_limit bigint default 1000 check (simplified_limit in (100, 1000)),
  -- printed at the foot of every document
  footer_text text collate "C",
  -- the last customer code given (C17); never reused
  customer_count bigint not null default 0,
  -- the last product code given (P17), or the highest that an sku ever spelled; never reused
  product_count bigint not null default 0,
  -- the operator confirmed a clock behind this instant (see series/clock-guard.ts)
  clock_confirmed_for text collate "C",
  clock_confirmed_at text collate "C",
  -- the head of its chain of events
  event_position bigint not null default 0,
  event_seal text collate "C",
  -- how many webhooks its events are sent to: where there are none, an event costs nothing more
  webhook_count bigint not null default 0,
  created_at text collate "C" not null
);

create table "lacre".company_logos (
  -- a table of its own, so that issuing does not read a picture
  company_id text collate "C" primary key references "lacre".companies (id),
  -- PNG or JPEG
  picture bytea not null
);

create table "lacre".actors (
  id text collate "C" primary key,
  -- null for an actor of the installation
  company_id text collate "C" references "lacre".companies (id),
  kind text collate "C" not null check (kind in ('key', 'user', 'host')),
  -- SourceID of the tax file: K3, U2, H1; counted per kind, never reused
  code text collate "C" not null,
  name text collate "C" not null,
  created_at text collate "C" not null,
  unique (company_id, code)
);

create table "lacre".api_keys (
  -- SHA-256 of the key, hexadecimal; the key itself is never stored. Every request looks its key up by this
  digest text collate "C" primary key,
  -- the key's actor
  id text collate "C" not null unique references "lacre".actors (id),
  -- permissions, separated by spaces
  scopes text collate "C" not null,
  last_four text collate "C" not null,
  revoked_at text collate "C"
);

create table "lacre".users (
  -- the user's actor in the installation
  id text collate "C" primary key references "lacre".actors (id),
  -- an e-mail address as it was given, and its one spelling
  login text collate "C" not null,
  login_folded text collate "C" not null unique,
  -- scrypt as a PHC string; the password itself is never stored
  password text collate "C" not null,
  -- of the page: pt, en; null to follow the browser
  language text collate "C" check (language in ('pt', 'en')),
  disabled_at text collate "C"
);

create table "lacre".memberships (
  -- the user's actor in the company
  id text collate "C" primary key references "lacre".actors (id),
  user_id text collate "C" not null references "lacre".users (id),
  company_id text collate "C" not null references "lacre".companies (id),
  role text collate "C" not null check (role in ('owner', 'accountant', 'cashier')),
  disabled_at text collate "C",
  unique (user_id, company_id)
);

create index memberships_by_company on "lacre".memberships (company_id, id);

create table "lacre".sessions (
  -- SHA-256 of the secret in the cookie, hexadecimal. Every request of a person looks its session up by this
  digest text collate "C" primary key,
  id text collate "C" not null unique,
  user_id text collate "C" not null references "lacre".users (id),
  created_at text collate "C" not null,
  -- written at most once a minute
  last_seen_at text collate "C" not null,
  -- until when what asks for the password again runs without it
  confirmed_until text collate "C",
  address text collate "C",
  user_agent text collate "C"
);

create index sessions_by_user on "lacre".sessions (user_id, id);

create table "lacre".devices (
  -- SHA-256 of the secret in the cookie of a browser where this user has logged in, hexadecimal
  digest text collate "C" not null,
  user_id text collate "C" not null references "lacre".users (id),
  last_used_at text collate "C" not null,
  primary key (digest, user_id)
);

create index devices_by_user on "lacre".devices (user_id, last_used_at);

create table "lacre".password_tries (
  -- SHA-256 of what is counted, hexadecimal: a login, a network, a login from a network, a browser
  key text collate "C" primary key,
  -- when, in milliseconds, with spaces between
  times text collate "C" not null,
  -- before then no other is made, in milliseconds
  ready_ms bigint,
  expires_ms bigint not null
);

create index password_tries_by_end on "lacre".password_tries (expires_ms);

create table "lacre".invitations (
  id text collate "C" primary key,
  -- null for a link of the host program: to the whole installation
  company_id text collate "C" references "lacre".companies (id),
  kind text collate "C" not null check (kind in ('setup', 'invitation', 'reset')),
  -- SHA-256 of the secret in the link, hexadecimal
  digest text collate "C" not null unique,
  -- what the user becomes; null on a reset
  role text collate "C" check (role in ('owner', 'accountant', 'cashier')),
  -- who is invited; null on a set-up link for whoever has it
  login text collate "C",
  -- who chooses a new password
  user_id text collate "C" references "lacre".users (id),
  created_at text collate "C" not null,
  expires_at text collate "C" not null,
  used_at text collate "C",
  withdrawn_at text collate "C"
);

create index invitations_by_company on "lacre".invitations (company_id, id);

create table "lacre".signing_keys (
  -- HashControl: the key's version as AT knows it
  key_version bigint generated by default as identity primary key,
  public_key text collate "C" not null unique,
  -- null when the embedder holds the key
  private_key text collate "C",
  created_at text collate "C" not null
);

create table "lacre".customers (
  -- the rowid, named so that SQLite never changes it: customer_search refers to it
  position bigint generated by default as identity primary key,
  id text collate "C" not null unique,
  company_id text collate "C" not null references "lacre".companies (id),
  -- CustomerID of the tax file: C17
  code text collate "C" not null,
  name text collate "C" not null,
  tax_id text collate "C",
  email text collate "C",
  phone text collate "C",
  address text collate "C",
  postal_code text collate "C",
  city text collate "C",
  country text collate "C",
  -- what the caller keeps (see caller-data.ts): its own id, which many rows may share, and JSON
  external_id text collate "C",
  metadata text collate "C",
  -- folded copy of name, tax_id, email, phone (see runtime/search.ts)
  search text collate "C" not null,
  created_at text collate "C" not null,
  archived_at text collate "C",
  unique (company_id, code)
);

create index customers_by_company on "lacre".customers (company_id, id) where archived_at is null;

create index customers_by_external_id on "lacre".customers (company_id, external_id, id) where external_id is not null and archived_at is null;

create table "lacre".customer_search (
  rowid bigint primary key,
  pieces tsvector not null
);

create index customer_search_by_piece on "lacre".customer_search using gin (pieces) with (fastupdate = off);

create table "lacre".products (
  -- the rowid, named so that SQLite never changes it: product_search refers to it
  position bigint generated by default as identity primary key,
  id text collate "C" not null unique,
  company_id text collate "C" not null references "lacre".companies (id),
  -- ProductCode of the tax file where there is no sku: P17
  code text collate "C" not null,
  name text collate "C" not null,
  sku text collate "C",
  -- the highest number that its skus, past ones too, spelled as a code of ours: no other product is given it
  reserved_number bigint,
  unit text collate "C" not null,
  type text collate "C" not null check (type in ('P', 'S')),
  unit_price_micros bigint not null check (unit_price_micros >= 0),
  tax_rate_bps bigint not null check (tax_rate_bps between 0 and 10000),
  stock_micros bigint,
  exemption_code text collate "C",
  -- folded copy of name, sku
  search text collate "C" not null,
  created_at text collate "C" not null,
  archived_at text collate "C",
  unique (company_id, code)
);

create index products_by_company on "lacre".products (company_id, id) where archived_at is null;

create table "lacre".product_search (
  rowid bigint primary key,
  pieces tsvector not null
);

create index product_search_by_piece on "lacre".product_search using gin (pieces) with (fastupdate = off);

create table "lacre".series (
  id text collate "C" primary key,
  company_id text collate "C" not null references "lacre".companies (id),
  doc_type text collate "C" not null,
  code text collate "C" not null,
  -- lower-cased code: unique per type regardless of case, closed series included
  code_folded text collate "C" not null,
  -- the beginning of its numbers: FT, or RG / RC for receipts, GD for returns
  at_type text collate "C" not null,
  validation_code text collate "C",
  -- when the validation code was set: no document of a certified program is dated before
  registered_at text collate "C",
  training bigint not null check (training in (0, 1)),
  -- for documents of the cash-VAT scheme, which are in series of their own
  cash_vat bigint not null check (cash_vat in (0, 1)),
  -- the certificate its documents are issued under, 0 for none; set by the first one and then fixed
  certificate_number bigint,
  -- the head: everything the next document needs; only moveOn() changes it
  next_number bigint not null default 1 check (next_number >= 1),
  last_issue_date text collate "C",
  last_entry_date text collate "C",
  last_issued_at text collate "C",
  last_hash text collate "C",
  last_seal text collate "C",
  closed_at text collate "C",
  -- set in a restored backup until the operator confirms the head (see series/restore-lock.ts)
  restore_locked_at text collate "C",
  created_at text collate "C" not null,
  unique (company_id, doc_type, code_folded)
);

create unique index series_by_validation_code on "lacre".series (company_id, validation_code);

create index series_by_company on "lacre".series (company_id, id);

create index series_restore_locked on "lacre".series (company_id) where restore_locked_at is not null;

create table "lacre".documents (
  id text collate "C" primary key,
  company_id text collate "C" not null references "lacre".companies (id),
  doc_type text collate "C" not null,
  series_id text collate "C" not null references "lacre".series (id),
  status text collate "C" not null check (status in ('draft', 'issued', 'cancelled')),
  issue_date text collate "C" not null,
  due_date text collate "C",
  -- when it was supplied, where that is not the day of issue
  supply_date text collate "C",
  customer_id text collate "C" not null references "lacre".customers (id),
  global_discount_bps bigint not null check (global_discount_bps between 0 and 10000),
  notes text collate "C",
  -- what the caller keeps (see caller-data.ts): its own id, which many rows may share, and JSON
  external_id text collate "C",
  metadata text collate "C",
  -- 1 in a training series: no balance, no link with a real document
  training bigint not null check (training in (0, 1)),
  -- JSON: start_at, end_at, from, to, vehicle; on guides and returns, filled when issued
  transport text collate "C",
  total_net_cents bigint not null,
  total_tax_cents bigint not null,
  total_gross_cents bigint not null,
  created_at text collate "C" not null,
  -- frozen at issue
  sequence bigint,
  number text collate "C",
  atcud text collate "C",
  system_entry_date text collate "C",
  issued_at text collate "C",
  issued_by text collate "C" references "lacre".actors (id),
  hash text collate "C",
  key_version bigint,
  certificate_number bigint,
  qr_code text collate "C",
  -- JSON: the customer and the company as they were
  customer text collate "C",
  issuer text collate "C",
  seal text collate "C",
  -- given by the tax authority for a transport, once
  at_doc_code text collate "C",
  -- the only other change after issue
  cancelled_at text collate "C",
  cancelled_by text collate "C" references "lacre".actors (id),
  cancel_reason text collate "C",
  unique (series_id, sequence),
  check ((status = 'draft') = (sequence is null)),
  check (status <> 'draft' or at_doc_code is null),
  check ((status = 'cancelled') = (cancelled_at is not null))
);

create index documents_by_date on "lacre".documents (company_id, issue_date, id, status);

create index documents_by_type on "lacre".documents (company_id, doc_type, issue_date, id, status);

create index documents_by_series on "lacre".documents (company_id, series_id, issue_date, id);

create index documents_by_customer on "lacre".documents (company_id, customer_id, issue_date, id, status, doc_type, series_id);

create index documents_by_external_id on "lacre".documents (company_id, external_id, issue_date, id, status, doc_type, series_id) where external_id is not null;

create index documents_unissued on "lacre".documents (company_id, status, issue_date, id, doc_type, series_id) where status <> 'issued';

create table "lacre".document_lines (
  -- checked at commit: a document created as issued is inserted after its parts, as it takes none later
  document_id text collate "C" not null references "lacre".documents (id) deferrable initially deferred,
  line_number bigint not null,
  description text collate "C" not null,
  qty_micros bigint not null check (qty_micros > 0),
  unit text collate "C" not null,
  unit_price_micros bigint not null check (unit_price_micros >= 0),
  -- of a price given with VAT, which totals count; unit_price_micros is then its net
  unit_price_gross_micros bigint check (unit_price_gross_micros >= 0),
  tax_rate_bps bigint not null check (tax_rate_bps between 0 and 10000),
  discount_bps bigint not null check (discount_bps between 0 and 10000),
  product_id text collate "C" references "lacre".products (id),
  -- on a correction: the document this line corrects, where there are several, and the number of the line there
  reference_id text collate "C" references "lacre".documents (id),
  reference_line bigint,
  -- on a draft as given; at issue frozen as the reason found for the zero rate
  exemption_code text collate "C",
  supply_date text collate "C",
  -- P or S: on a draft as given, at issue frozen as the product's or as the unit tells
  product_type text collate "C",
  -- frozen at issue: where and how it is taxed, and the product as it was
  tax_region text collate "C",
  tax_code text collate "C",
  product_code text collate "C",
  product_name text collate "C",
  primary key (document_id, line_number)
);

create index document_lines_by_reference on "lacre".document_lines (reference_id) where reference_id is not null;

create index document_lines_by_product on "lacre".document_lines (product_id) where product_id is not null;

create table "lacre".document_references (
  document_id text collate "C" not null references "lacre".documents (id) deferrable initially deferred,
  position bigint not null,
  -- the document that is corrected, returned, acknowledged or followed
  referenced_id text collate "C" not null references "lacre".documents (id),
  amount_cents bigint,
  reason text collate "C",
  primary key (document_id, position)
);

create index document_references_by_referenced on "lacre".document_references (referenced_id);

create table "lacre".document_payments (
  -- payments made on the spot, frozen with the document; at issue each becomes a payment with the same id
  document_id text collate "C" not null references "lacre".documents (id) deferrable initially deferred,
  position bigint not null,
  payment_id text collate "C" not null unique,
  amount_cents bigint not null check (amount_cents > 0),
  method_code text collate "C" not null,
  payment_date text collate "C" not null,
  primary key (document_id, position)
);

create table "lacre".payments (
  id text collate "C" primary key,
  company_id text collate "C" not null references "lacre".companies (id),
  document_id text collate "C" not null references "lacre".documents (id),
  amount_cents bigint not null check (amount_cents > 0),
  method_code text collate "C" not null,
  payment_date text collate "C" not null,
  created_at text collate "C" not null,
  created_by text collate "C" not null references "lacre".actors (id),
  voided_at text collate "C",
  voided_by text collate "C" references "lacre".actors (id)
);

create index payments_by_document on "lacre".payments (document_id, company_id, id);

create index payments_by_company on "lacre".payments (company_id, id) where voided_at is null;

create index payments_by_date on "lacre".payments (company_id, payment_date, id, voided_at) where voided_at is null;

create table "lacre".balances (
  -- what is owed on each document that takes payments, from its issue to its cancellation; kept by triggers, so that a
  -- foreign key would cost each issue two look-ups for nothing
  document_id text collate "C" primary key,
  -- as on the document, for lists
  company_id text collate "C" not null,
  doc_type text collate "C" not null,
  series_id text collate "C" not null,
  customer_id text collate "C" not null,
  issue_date text collate "C" not null,
  -- gross; 0 on an FR, which is paid when it is issued
  total_cents bigint not null,
  -- the total less live payments and live credit notes
  outstanding_cents bigint not null,
  -- unpaid, partial, paid
  payment_status text collate "C" not null
);

create index balances_by_status on "lacre".balances (company_id, payment_status, issue_date, document_id, doc_type, series_id);

create index balances_open on "lacre".balances (company_id, customer_id, issue_date, document_id) where outstanding_cents > 0;

create index balances_in_favour on "lacre".balances (company_id, document_id, outstanding_cents) where outstanding_cents < 0;

create table "lacre".customer_debts (
  -- what is outstanding on each customer's documents; kept by triggers on "lacre".balances. What was credited beyond what was
  -- left to pay is no debt, and takes nothing off those of other documents
  company_id text collate "C" not null,
  customer_id text collate "C" not null,
  outstanding_cents bigint not null,
  -- how many documents it is outstanding on
  documents bigint not null,
  primary key (company_id, customer_id)
);

create index customer_debts_by_size on "lacre".customer_debts (company_id, outstanding_cents, customer_id) where outstanding_cents > 0;

create table "lacre".company_debts (
  -- what all customers of a company owe together; kept by triggers on "lacre".customer_debts
  company_id text collate "C" primary key,
  outstanding_cents bigint not null,
  -- how many customers owe
  customers bigint not null
);

create table "lacre".sales_sums (
  -- base and tax of issued, live sales documents per month of issue, type and rate; training left out. Kept by the
  -- commands that issue and cancel (see documents/sales.ts), as a group is rounded where no trigger can follow
  company_id text collate "C" not null references "lacre".companies (id),
  -- 2026-03
  month text collate "C" not null,
  doc_type text collate "C" not null,
  tax_region text collate "C" not null,
  tax_code text collate "C" not null,
  tax_rate_bps bigint not null,
  -- as on the documents: those of an NC are taken off by whoever sums types
  net_cents bigint not null,
  tax_cents bigint not null,
  primary key (company_id, month, doc_type, tax_region, tax_code, tax_rate_bps)
);

create table "lacre".communications (
  -- a mark that the tax file of a month was communicated to the tax authority; rows are only ever added
  id text collate "C" primary key,
  company_id text collate "C" not null references "lacre".companies (id),
  -- 2026-03
  month text collate "C" not null,
  -- the month's documents then, cancelled ones included, and how many were cancelled: more of either is a change since
  documents bigint not null,
  cancelled bigint not null,
  marked_at text collate "C" not null,
  marked_by text collate "C" not null references "lacre".actors (id)
);

create index communications_by_company on "lacre".communications (company_id, id);

create table "lacre".events (
  -- null for an event of the installation
  company_id text collate "C" references "lacre".companies (id),
  -- 1, 2, 3, … within the company, or within the installation
  position bigint not null check (position >= 1),
  at text collate "C" not null,
  -- noun.verb in the past tense: document.issued
  action text collate "C" not null,
  resource_id text collate "C",
  actor_id text collate "C" not null references "lacre".actors (id),
  -- JSON: what the resource itself does not show
  detail text collate "C",
  -- SHA-256 of the resource's row as the event left it (see row-states.ts)
  state text collate "C",
  -- SHA-256 over all of the above and the seal before it
  seal text collate "C" not null
);

create unique index events_of_prints on "lacre".events (resource_id) where action = 'document.printed';

create unique index events_by_company on "lacre".events (company_id, position);

create unique index events_of_installation on "lacre".events (position) where company_id is null;

create index events_by_resource on "lacre".events (resource_id, position);

create table "lacre".webhooks (
  id text collate "C" primary key,
  company_id text collate "C" not null references "lacre".companies (id),
  url text collate "C" not null,
  -- patterns of actions, separated by spaces: *, document.*, payment.recorded
  actions text collate "C" not null,
  description text collate "C",
  -- whsec_ and Base64, in the clear because it signs; null once deleted
  secret text collate "C",
  -- the one before, which signs beside it until then
  previous_secret text collate "C",
  previous_until text collate "C",
  disabled_at text collate "C",
  disabled_reason text collate "C" check (disabled_reason in ('asked', 'gone', 'failing')),
  -- the first failure since the last success
  failing_since text collate "C",
  -- to the minute, when messages of it were last taken to be sent, or it was enabled again
  taken_at text collate "C",
  created_at text collate "C" not null,
  deleted_at text collate "C"
);

create index webhooks_by_company on "lacre".webhooks (company_id, id) where deleted_at is null;

create table "lacre".webhook_deliveries (
  -- webhook-id of the message, the same in every attempt
  id text collate "C" primary key,
  company_id text collate "C" not null references "lacre".companies (id),
  webhook_id text collate "C" not null references "lacre".webhooks (id),
  -- that of the event
  position bigint not null,
  action text collate "C" not null,
  -- what the event is about: of a payment its document. Events of one subject are delivered in order
  subject_id text collate "C" not null,
  -- null while it waits
  outcome text collate "C" check (outcome in ('delivered', 'given_up')),
  -- when to try next; while it is tried, when others may. Null once it has ended, and behind one of its subject
  due_at text collate "C",
  attempts bigint not null default 0,
  -- attempts that failed since it was queued or sent again
  failures bigint not null default 0,
  queued_at text collate "C" not null,
  ended_at text collate "C",
  unique (webhook_id, position)
);

create index webhook_deliveries_due on "lacre".webhook_deliveries (webhook_id, due_at, position) where due_at is not null;

create index webhook_deliveries_by_subject on "lacre".webhook_deliveries (webhook_id, subject_id, position) where outcome is null;

create index webhook_deliveries_ended on "lacre".webhook_deliveries (company_id, ended_at) where ended_at is not null;

create table "lacre".webhook_attempts (
  delivery_id text collate "C" not null references "lacre".webhook_deliveries (id),
  attempt bigint not null,
  at text collate "C" not null,
  -- of the answer; null where there was none
  status bigint,
  -- why it failed, where that is not the status
  error text collate "C",
  duration_ms bigint not null,
  primary key (delivery_id, attempt)
);

create table "lacre".idempotency_keys (
  company_id text collate "C" not null references "lacre".companies (id),
  key text collate "C" not null,
  -- SHA-256 of operation and input
  fingerprint text collate "C" not null,
  -- JSON text of the answer, or where it is long the same as a zlib stream (RFC 1950), whose x begins no JSON
  answer bytea not null,
  -- null: kept forever, because it issued a document
  expires_at text collate "C",
  primary key (company_id, key)
);

create index idempotency_keys_by_expiry on "lacre".idempotency_keys (expires_at) where expires_at is not null;

create table "lacre".lists (
  -- also marks the list's words in a search index (see runtime/search.ts)
  number bigint generated by default as identity primary key,
  company_id text collate "C" not null references "lacre".companies (id),
  -- customers, products, payments: a company has all three from its first day
  name text collate "C" not null,
  -- the number of rows it shows, kept by triggers: no list is counted row by row
  total bigint not null,
  unique (company_id, name)
);

create table "lacre".document_counts (
  -- documents of a series by status and by payment status, per year, month and day of issue; kept by triggers
  company_id text collate "C" not null references "lacre".companies (id),
  grain text collate "C" not null check (grain in ('year', 'month', 'day')),
  -- 2026, 2026-03 or 2026-03-14
  period text collate "C" not null,
  doc_type text collate "C" not null,
  series_id text collate "C" not null,
  draft bigint not null default 0,
  issued bigint not null default 0,
  cancelled bigint not null default 0,
  -- of those issued
  unpaid bigint not null default 0,
  partial bigint not null default 0,
  paid bigint not null default 0,
  primary key (company_id, grain, period, doc_type, series_id)
);

create table "lacre".checks (
  -- of a company, by Lacre itself (Despacho 8632/2014, 3.1.3): when it ended, and when the last one of everything did
  company_id text collate "C" primary key references "lacre".companies (id),
  checked_at text collate "C" not null,
  whole_at text collate "C",
  -- the events up to here were found in order
  event_position bigint not null,
  event_seal text collate "C",
  -- so were the documents of each series up to a sequence, as JSON
  sequences text collate "C" not null,
  -- the first finding that nobody answered for: while there is one, the company issues nothing
  finding_place text collate "C",
  finding_reason text collate "C",
  -- marks of the findings that were answered for, as JSON; the events have them too
  answered text collate "C" not null default '[]',
  -- of several servers, the one that checks has it until then
  claimed_until text collate "C"
);

create table "lacre".installation (
  -- one row, with the history of this file
  id bigint generated by default as identity primary key check (id = 1),
  created_at text collate "C" not null,
  -- set in a backup when it is taken and never cleared: such a file starts locked
  backup_taken_at text collate "C",
  restores bigint not null default 0,
  -- the server, the table there and the timeline; of a file that a server of Lacre's serves, the mark of the note beside
  -- it: in a copy they differ
  place text collate "C",
  -- the number AT gave the program's producer; 0 without certification
  certificate_number bigint not null default 0 check (certificate_number between 0 and 9999),
  producer_name text collate "C",
  producer_tax_id text collate "C",
  -- the head of its chain of events
  event_position bigint not null default 0,
  event_seal text collate "C"
);

create unlogged table "lacre".rate_log (
  -- an API key or a session, and when its requests of the last window were accepted, in milliseconds
  key text collate "C" primary key,
  times bigint[] not null,
  -- whether the latest request was
  accepted bigint not null
);

create function "lacre".documents_begin_as_drafts_or_issued() returns trigger language plpgsql as $$ begin
  if new.status = 'cancelled'
  or (new.status = 'issued' and new.sequence is distinct from (select next_number - 1 from "lacre".series where id = new.series_id)) then
    raise exception using message = 'documents: a document begins as a draft, or with the number its series just gave', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger documents_begin_as_drafts_or_issued before insert on "lacre".documents for each row execute function "lacre".documents_begin_as_drafts_or_issued();

create function "lacre".documents_identity_is_fixed() returns trigger language plpgsql as $$ begin
  if new.id is distinct from old.id then
    raise exception using message = 'documents: a row keeps its identity', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger documents_identity_is_fixed before update on "lacre".documents for each row execute function "lacre".documents_identity_is_fixed();

create function "lacre".documents_are_frozen_once_issued() returns trigger language plpgsql as $$ begin
  if old.status <> 'draft' and not (
  not (new.company_id is distinct from old.company_id or new.doc_type is distinct from old.doc_type or new.series_id is distinct from old.series_id or new.issue_date is distinct from old.issue_date or new.due_date is distinct from old.due_date or new.supply_date is distinct from old.supply_date or new.customer_id is distinct from old.customer_id or new.global_discount_bps is distinct from old.global_discount_bps or new.notes is distinct from old.notes or new.external_id is distinct from old.external_id or new.metadata is distinct from old.metadata or new.training is distinct from old.training or new.transport is distinct from old.transport or new.total_net_cents is distinct from old.total_net_cents or new.total_tax_cents is distinct from old.total_tax_cents or new.total_gross_cents is distinct from old.total_gross_cents or new.created_at is distinct from old.created_at or new.sequence is distinct from old.sequence or new.number is distinct from old.number or new.atcud is distinct from old.atcud or new.system_entry_date is distinct from old.system_entry_date or new.issued_at is distinct from old.issued_at or new.issued_by is distinct from old.issued_by or new.hash is distinct from old.hash or new.key_version is distinct from old.key_version or new.certificate_number is distinct from old.certificate_number or new.qr_code is distinct from old.qr_code or new.customer is distinct from old.customer or new.issuer is distinct from old.issuer or new.seal is distinct from old.seal)
  and (
    (old.status = 'issued' and new.status = 'cancelled' and new.at_doc_code is not distinct from old.at_doc_code)
    or (
      old.status = 'issued' and new.status = 'issued' and old.at_doc_code is null and new.at_doc_code is not null
      and not (new.cancelled_at is distinct from old.cancelled_at or new.cancelled_by is distinct from old.cancelled_by or new.cancel_reason is distinct from old.cancel_reason)
    )
  )
) then
    raise exception using message = 'documents: the document is issued', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger documents_are_frozen_once_issued before update on "lacre".documents for each row execute function "lacre".documents_are_frozen_once_issued();

create function "lacre".documents_are_never_deleted_once_issued() returns trigger language plpgsql as $$ begin
  if old.status <> 'draft' then
    raise exception using message = 'documents: the document is issued', errcode = 'restrict_violation';
  end if;
  return old;
end $$;

create trigger documents_are_never_deleted_once_issued before delete on "lacre".documents for each row execute function "lacre".documents_are_never_deleted_once_issued();

create function "lacre".documents_are_never_deleted_once_issued_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'documents: the document is issued', errcode = 'restrict_violation';
end $$;

create trigger documents_are_never_deleted_once_issued_by_truncate before truncate on "lacre".documents for each statement execute function "lacre".documents_are_never_deleted_once_issued_by_truncate();

create function "lacre".document_lines_no_insert_once_issued() returns trigger language plpgsql as $$ begin
  if (select status from "lacre".documents where id = new.document_id for share) <> 'draft' then
    raise exception using message = 'document_lines: the document is issued', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger document_lines_no_insert_once_issued before insert on "lacre".document_lines for each row execute function "lacre".document_lines_no_insert_once_issued();

create function "lacre".document_lines_no_update_once_issued() returns trigger language plpgsql as $$ begin
  if (select status from "lacre".documents where id = old.document_id for share) is distinct from 'draft' then
    raise exception using message = 'document_lines: the document is issued', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger document_lines_no_update_once_issued before update on "lacre".document_lines for each row execute function "lacre".document_lines_no_update_once_issued();

create function "lacre".document_lines_no_delete_once_issued() returns trigger language plpgsql as $$ begin
  if (select status from "lacre".documents where id = old.document_id for share) is distinct from 'draft' then
    raise exception using message = 'document_lines: the document is issued', errcode = 'restrict_violation';
  end if;
  return old;
end $$;

create trigger document_lines_no_delete_once_issued before delete on "lacre".document_lines for each row execute function "lacre".document_lines_no_delete_once_issued();

create function "lacre".document_lines_no_delete_once_issued_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'document_lines: the document is issued', errcode = 'restrict_violation';
end $$;

create trigger document_lines_no_delete_once_issued_by_truncate before truncate on "lacre".document_lines for each statement execute function "lacre".document_lines_no_delete_once_issued_by_truncate();

create function "lacre".document_lines_identity_is_fixed() returns trigger language plpgsql as $$ begin
  if new.document_id is distinct from old.document_id or new.line_number is distinct from old.line_number then
    raise exception using message = 'document_lines: a row keeps its identity', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger document_lines_identity_is_fixed before update on "lacre".document_lines for each row execute function "lacre".document_lines_identity_is_fixed();

create function "lacre".document_references_no_insert_once_issued() returns trigger language plpgsql as $$ begin
  if (select status from "lacre".documents where id = new.document_id for share) <> 'draft' then
    raise exception using message = 'document_references: the document is issued', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger document_references_no_insert_once_issued before insert on "lacre".document_references for each row execute function "lacre".document_references_no_insert_once_issued();

create function "lacre".document_references_no_update_once_issued() returns trigger language plpgsql as $$ begin
  if (select status from "lacre".documents where id = old.document_id for share) is distinct from 'draft' then
    raise exception using message = 'document_references: the document is issued', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger document_references_no_update_once_issued before update on "lacre".document_references for each row execute function "lacre".document_references_no_update_once_issued();

create function "lacre".document_references_no_delete_once_issued() returns trigger language plpgsql as $$ begin
  if (select status from "lacre".documents where id = old.document_id for share) is distinct from 'draft' then
    raise exception using message = 'document_references: the document is issued', errcode = 'restrict_violation';
  end if;
  return old;
end $$;

create trigger document_references_no_delete_once_issued before delete on "lacre".document_references for each row execute function "lacre".document_references_no_delete_once_issued();

create function "lacre".document_references_no_delete_once_issued_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'document_references: the document is issued', errcode = 'restrict_violation';
end $$;

create trigger document_references_no_delete_once_issued_by_truncate before truncate on "lacre".document_references for each statement execute function "lacre".document_references_no_delete_once_issued_by_truncate();

create function "lacre".document_references_identity_is_fixed() returns trigger language plpgsql as $$ begin
  if new.document_id is distinct from old.document_id or new.position is distinct from old.position then
    raise exception using message = 'document_references: a row keeps its identity', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger document_references_identity_is_fixed before update on "lacre".document_references for each row execute function "lacre".document_references_identity_is_fixed();

create function "lacre".document_payments_no_insert_once_issued() returns trigger language plpgsql as $$ begin
  if (select status from "lacre".documents where id = new.document_id for share) <> 'draft' then
    raise exception using message = 'document_payments: the document is issued', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger document_payments_no_insert_once_issued before insert on "lacre".document_payments for each row execute function "lacre".document_payments_no_insert_once_issued();

create function "lacre".document_payments_no_update_once_issued() returns trigger language plpgsql as $$ begin
  if (select status from "lacre".documents where id = old.document_id for share) is distinct from 'draft' then
    raise exception using message = 'document_payments: the document is issued', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger document_payments_no_update_once_issued before update on "lacre".document_payments for each row execute function "lacre".document_payments_no_update_once_issued();

create function "lacre".document_payments_no_delete_once_issued() returns trigger language plpgsql as $$ begin
  if (select status from "lacre".documents where id = old.document_id for share) is distinct from 'draft' then
    raise exception using message = 'document_payments: the document is issued', errcode = 'restrict_violation';
  end if;
  return old;
end $$;

create trigger document_payments_no_delete_once_issued before delete on "lacre".document_payments for each row execute function "lacre".document_payments_no_delete_once_issued();

create function "lacre".document_payments_no_delete_once_issued_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'document_payments: the document is issued', errcode = 'restrict_violation';
end $$;

create trigger document_payments_no_delete_once_issued_by_truncate before truncate on "lacre".document_payments for each statement execute function "lacre".document_payments_no_delete_once_issued_by_truncate();

create function "lacre".document_payments_identity_is_fixed() returns trigger language plpgsql as $$ begin
  if new.document_id is distinct from old.document_id or new.position is distinct from old.position or new.payment_id is distinct from old.payment_id then
    raise exception using message = 'document_payments: a row keeps its identity', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger document_payments_identity_is_fixed before update on "lacre".document_payments for each row execute function "lacre".document_payments_identity_is_fixed();

create function "lacre".payments_are_never_deleted() returns trigger language plpgsql as $$ begin
  raise exception using message = 'payments: rows are never deleted', errcode = 'restrict_violation';
  return old;
end $$;

create trigger payments_are_never_deleted before delete on "lacre".payments for each row execute function "lacre".payments_are_never_deleted();

create function "lacre".payments_are_never_deleted_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'payments: rows are never deleted', errcode = 'restrict_violation';
end $$;

create trigger payments_are_never_deleted_by_truncate before truncate on "lacre".payments for each statement execute function "lacre".payments_are_never_deleted_by_truncate();

create function "lacre".payments_never_change() returns trigger language plpgsql as $$ begin
  if old.voided_at is not null or new.voided_at is null or new.id is distinct from old.id or new.company_id is distinct from old.company_id or new.document_id is distinct from old.document_id or new.amount_cents is distinct from old.amount_cents or new.method_code is distinct from old.method_code or new.payment_date is distinct from old.payment_date or new.created_at is distinct from old.created_at or new.created_by is distinct from old.created_by then
    raise exception using message = 'payments: rows never change', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger payments_never_change before update on "lacre".payments for each row execute function "lacre".payments_never_change();

create function "lacre".companies_are_never_deleted() returns trigger language plpgsql as $$ begin
  raise exception using message = 'companies: rows are never deleted', errcode = 'restrict_violation';
  return old;
end $$;

create trigger companies_are_never_deleted before delete on "lacre".companies for each row execute function "lacre".companies_are_never_deleted();

create function "lacre".companies_are_never_deleted_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'companies: rows are never deleted', errcode = 'restrict_violation';
end $$;

create trigger companies_are_never_deleted_by_truncate before truncate on "lacre".companies for each statement execute function "lacre".companies_are_never_deleted_by_truncate();

create function "lacre".companies_never_change() returns trigger language plpgsql as $$ begin
  if new.id is distinct from old.id or new.created_at is distinct from old.created_at or new.event_position not in (old.event_position, old.event_position + 1) then
    raise exception using message = 'companies: rows never change', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger companies_never_change before update on "lacre".companies for each row execute function "lacre".companies_never_change();

create function "lacre".companies_keep_their_tax_id() returns trigger language plpgsql as $$ begin
  if new.tax_id is distinct from old.tax_id
  and exists (select 1 from "lacre".series where company_id = old.id and training = 0 and next_number > 1) then
    raise exception using message = 'companies: documents bear the tax number', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger companies_keep_their_tax_id before update on "lacre".companies for each row execute function "lacre".companies_keep_their_tax_id();

create function "lacre".events_are_never_deleted() returns trigger language plpgsql as $$ begin
  raise exception using message = 'events: rows are never deleted', errcode = 'restrict_violation';
  return old;
end $$;

create trigger events_are_never_deleted before delete on "lacre".events for each row execute function "lacre".events_are_never_deleted();

create function "lacre".events_are_never_deleted_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'events: rows are never deleted', errcode = 'restrict_violation';
end $$;

create trigger events_are_never_deleted_by_truncate before truncate on "lacre".events for each statement execute function "lacre".events_are_never_deleted_by_truncate();

create function "lacre".events_never_change() returns trigger language plpgsql as $$ begin
  raise exception using message = 'events: rows never change', errcode = 'restrict_violation';
  return new;
end $$;

create trigger events_never_change before update on "lacre".events for each row execute function "lacre".events_never_change();

create function "lacre".communications_are_never_deleted() returns trigger language plpgsql as $$ begin
  raise exception using message = 'communications: rows are never deleted', errcode = 'restrict_violation';
  return old;
end $$;

create trigger communications_are_never_deleted before delete on "lacre".communications for each row execute function "lacre".communications_are_never_deleted();

create function "lacre".communications_are_never_deleted_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'communications: rows are never deleted', errcode = 'restrict_violation';
end $$;

create trigger communications_are_never_deleted_by_truncate before truncate on "lacre".communications for each statement execute function "lacre".communications_are_never_deleted_by_truncate();

create function "lacre".communications_never_change() returns trigger language plpgsql as $$ begin
  raise exception using message = 'communications: rows never change', errcode = 'restrict_violation';
  return new;
end $$;

create trigger communications_never_change before update on "lacre".communications for each row execute function "lacre".communications_never_change();

create function "lacre".actors_are_never_deleted() returns trigger language plpgsql as $$ begin
  raise exception using message = 'actors: rows are never deleted', errcode = 'restrict_violation';
  return old;
end $$;

create trigger actors_are_never_deleted before delete on "lacre".actors for each row execute function "lacre".actors_are_never_deleted();

create function "lacre".actors_are_never_deleted_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'actors: rows are never deleted', errcode = 'restrict_violation';
end $$;

create trigger actors_are_never_deleted_by_truncate before truncate on "lacre".actors for each statement execute function "lacre".actors_are_never_deleted_by_truncate();

create function "lacre".actors_never_change() returns trigger language plpgsql as $$ begin
  raise exception using message = 'actors: rows never change', errcode = 'restrict_violation';
  return new;
end $$;

create trigger actors_never_change before update on "lacre".actors for each row execute function "lacre".actors_never_change();

create function "lacre".users_are_never_deleted() returns trigger language plpgsql as $$ begin
  raise exception using message = 'users: rows are never deleted', errcode = 'restrict_violation';
  return old;
end $$;

create trigger users_are_never_deleted before delete on "lacre".users for each row execute function "lacre".users_are_never_deleted();

create function "lacre".users_are_never_deleted_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'users: rows are never deleted', errcode = 'restrict_violation';
end $$;

create trigger users_are_never_deleted_by_truncate before truncate on "lacre".users for each statement execute function "lacre".users_are_never_deleted_by_truncate();

create function "lacre".users_never_change() returns trigger language plpgsql as $$ begin
  if new.id is distinct from old.id then
    raise exception using message = 'users: rows never change', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger users_never_change before update on "lacre".users for each row execute function "lacre".users_never_change();

create function "lacre".memberships_are_never_deleted() returns trigger language plpgsql as $$ begin
  raise exception using message = 'memberships: rows are never deleted', errcode = 'restrict_violation';
  return old;
end $$;

create trigger memberships_are_never_deleted before delete on "lacre".memberships for each row execute function "lacre".memberships_are_never_deleted();

create function "lacre".memberships_are_never_deleted_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'memberships: rows are never deleted', errcode = 'restrict_violation';
end $$;

create trigger memberships_are_never_deleted_by_truncate before truncate on "lacre".memberships for each statement execute function "lacre".memberships_are_never_deleted_by_truncate();

create function "lacre".memberships_never_change() returns trigger language plpgsql as $$ begin
  if new.id is distinct from old.id or new.user_id is distinct from old.user_id or new.company_id is distinct from old.company_id then
    raise exception using message = 'memberships: rows never change', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger memberships_never_change before update on "lacre".memberships for each row execute function "lacre".memberships_never_change();

create function "lacre".invitations_are_never_deleted() returns trigger language plpgsql as $$ begin
  raise exception using message = 'invitations: rows are never deleted', errcode = 'restrict_violation';
  return old;
end $$;

create trigger invitations_are_never_deleted before delete on "lacre".invitations for each row execute function "lacre".invitations_are_never_deleted();

create function "lacre".invitations_are_never_deleted_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'invitations: rows are never deleted', errcode = 'restrict_violation';
end $$;

create trigger invitations_are_never_deleted_by_truncate before truncate on "lacre".invitations for each statement execute function "lacre".invitations_are_never_deleted_by_truncate();

create function "lacre".invitations_never_change() returns trigger language plpgsql as $$ begin
  if old.used_at is not null or old.withdrawn_at is not null or new.id is distinct from old.id or new.company_id is distinct from old.company_id or new.kind is distinct from old.kind or new.digest is distinct from old.digest or new.role is distinct from old.role or new.login is distinct from old.login or new.user_id is distinct from old.user_id or new.created_at is distinct from old.created_at or new.expires_at is distinct from old.expires_at then
    raise exception using message = 'invitations: rows never change', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger invitations_never_change before update on "lacre".invitations for each row execute function "lacre".invitations_never_change();

create function "lacre".signing_keys_are_never_deleted() returns trigger language plpgsql as $$ begin
  raise exception using message = 'signing_keys: rows are never deleted', errcode = 'restrict_violation';
  return old;
end $$;

create trigger signing_keys_are_never_deleted before delete on "lacre".signing_keys for each row execute function "lacre".signing_keys_are_never_deleted();

create function "lacre".signing_keys_are_never_deleted_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'signing_keys: rows are never deleted', errcode = 'restrict_violation';
end $$;

create trigger signing_keys_are_never_deleted_by_truncate before truncate on "lacre".signing_keys for each statement execute function "lacre".signing_keys_are_never_deleted_by_truncate();

create function "lacre".signing_keys_never_change() returns trigger language plpgsql as $$ begin
  raise exception using message = 'signing_keys: rows never change', errcode = 'restrict_violation';
  return new;
end $$;

create trigger signing_keys_never_change before update on "lacre".signing_keys for each row execute function "lacre".signing_keys_never_change();

create function "lacre".series_are_never_deleted_once_used() returns trigger language plpgsql as $$ begin
  if exists (select 1 from "lacre".documents where series_id = old.id and sequence is not null) then
    raise exception using message = 'series: the series has documents', errcode = 'restrict_violation';
  end if;
  return old;
end $$;

create trigger series_are_never_deleted_once_used before delete on "lacre".series for each row execute function "lacre".series_are_never_deleted_once_used();

create function "lacre".series_are_never_deleted_once_used_by_truncate() returns trigger language plpgsql as $$ begin
  raise exception using message = 'series: the series has documents', errcode = 'restrict_violation';
end $$;

create trigger series_are_never_deleted_once_used_by_truncate before truncate on "lacre".series for each statement execute function "lacre".series_are_never_deleted_once_used_by_truncate();

create function "lacre".series_only_move_on() returns trigger language plpgsql as $$ begin
  if new.next_number is null
  or new.next_number < old.next_number
  or new.next_number > old.next_number + 1
  or (old.closed_at is not null and new.closed_at is distinct from old.closed_at)
  or (old.certificate_number is not null and new.certificate_number is distinct from old.certificate_number)
  or ((new.validation_code is distinct from old.validation_code or new.registered_at is distinct from old.registered_at)
    and exists (select 1 from "lacre".documents where series_id = old.id and sequence is not null))
  or new.id is distinct from old.id or new.company_id is distinct from old.company_id or new.doc_type is distinct from old.doc_type or new.code is distinct from old.code or new.code_folded is distinct from old.code_folded or new.at_type is distinct from old.at_type or new.training is distinct from old.training or new.cash_vat is distinct from old.cash_vat or new.created_at is distinct from old.created_at then
    raise exception using message = 'series: a series only moves on', errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger series_only_move_on before update on "lacre".series for each row execute function "lacre".series_only_move_on();

create function "lacre".companies_have_lists() returns trigger language plpgsql as $$ begin
  insert into "lacre".lists (company_id, name, total) values (new.id, 'customers', 0), (new.id, 'products', 0), (new.id, 'payments', 0);
  return null;
end $$;

create trigger companies_have_lists after insert on "lacre".companies for each row execute function "lacre".companies_have_lists();

create function "lacre".customers_are_counted() returns trigger language plpgsql as $$ begin
  update "lacre".lists set total = total + 1 where company_id = new.company_id and name = 'customers' and new.archived_at is null;
  return null;
end $$;

create trigger customers_are_counted after insert on "lacre".customers for each row execute function "lacre".customers_are_counted();

create function "lacre".customers_are_counted_when_hidden() returns trigger language plpgsql as $$ begin
  update "lacre".lists set total = total - 1 where company_id = old.company_id and name = 'customers' and old.archived_at is null;
  update "lacre".lists set total = total + 1 where company_id = new.company_id and name = 'customers' and new.archived_at is null;
  return null;
end $$;

create trigger customers_are_counted_when_hidden after update of company_id, archived_at on "lacre".customers for each row execute function "lacre".customers_are_counted_when_hidden();

create function "lacre".customers_are_counted_when_deleted() returns trigger language plpgsql as $$ begin
  update "lacre".lists set total = total - 1 where company_id = old.company_id and name = 'customers' and old.archived_at is null;
  return null;
end $$;

create trigger customers_are_counted_when_deleted after delete on "lacre".customers for each row execute function "lacre".customers_are_counted_when_deleted();

create function "lacre".products_are_counted() returns trigger language plpgsql as $$ begin
  update "lacre".lists set total = total + 1 where company_id = new.company_id and name = 'products' and new.archived_at is null;
  return null;
end $$;

create trigger products_are_counted after insert on "lacre".products for each row execute function "lacre".products_are_counted();

create function "lacre".products_are_counted_when_hidden() returns trigger language plpgsql as $$ begin
  update "lacre".lists set total = total - 1 where company_id = old.company_id and name = 'products' and old.archived_at is null;
  update "lacre".lists set total = total + 1 where company_id = new.company_id and name = 'products' and new.archived_at is null;
  return null;
end $$;

create trigger products_are_counted_when_hidden after update of company_id, archived_at on "lacre".products for each row execute function "lacre".products_are_counted_when_hidden();

create function "lacre".products_are_counted_when_deleted() returns trigger language plpgsql as $$ begin
  update "lacre".lists set total = total - 1 where company_id = old.company_id and name = 'products' and old.archived_at is null;
  return null;
end $$;

create trigger products_are_counted_when_deleted after delete on "lacre".products for each row execute function "lacre".products_are_counted_when_deleted();

create function "lacre".payments_are_counted() returns trigger language plpgsql as $$ begin
  update "lacre".lists set total = total + 1 where company_id = new.company_id and name = 'payments' and new.voided_at is null;
  return null;
end $$;

create trigger payments_are_counted after insert on "lacre".payments for each row execute function "lacre".payments_are_counted();

create function "lacre".payments_are_counted_when_hidden() returns trigger language plpgsql as $$ begin
  update "lacre".lists set total = total - 1 where company_id = old.company_id and name = 'payments' and old.voided_at is null;
  update "lacre".lists set total = total + 1 where company_id = new.company_id and name = 'payments' and new.voided_at is null;
  return null;
end $$;

create trigger payments_are_counted_when_hidden after update of company_id, voided_at on "lacre".payments for each row execute function "lacre".payments_are_counted_when_hidden();

create function "lacre".documents_are_counted() returns trigger language plpgsql as $$ begin
  insert into "lacre".document_counts (company_id, grain, period, doc_type, series_id, draft, issued, cancelled, unpaid, paid)
  select new.company_id, grain, substr(new.issue_date, 1, length), new.doc_type, new.series_id,
    1 * (case when new.status = 'draft' then 1 else 0 end),
    1 * (case when new.status = 'issued' then 1 else 0 end),
    1 * (case when new.status = 'cancelled' then 1 else 0 end),
    1 * (case when new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS' or new.doc_type = 'ND') and (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) > 0 then 1 else 0 end),
    1 * (case when new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS' or new.doc_type = 'ND') and (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) <= 0 then 1 else 0 end)
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day', 10) as periods where true
  on conflict (company_id, grain, period, doc_type, series_id) do update
  set draft = document_counts.draft + excluded.draft, issued = document_counts.issued + excluded.issued, cancelled = document_counts.cancelled + excluded.cancelled, unpaid = document_counts.unpaid + excluded.unpaid, paid = document_counts.paid + excluded.paid;
  return null;
end $$;

create trigger documents_are_counted after insert on "lacre".documents for each row execute function "lacre".documents_are_counted();

create function "lacre".documents_are_counted_when_changed() returns trigger language plpgsql as $$ begin
  if new.company_id is distinct from old.company_id or new.doc_type is distinct from old.doc_type or new.series_id is distinct from old.series_id or new.status is distinct from old.status or new.issue_date is distinct from old.issue_date then
    insert into "lacre".document_counts (company_id, grain, period, doc_type, series_id, draft, issued, cancelled, unpaid, paid)
  select old.company_id, grain, substr(old.issue_date, 1, length), old.doc_type, old.series_id,
    -1 * (case when old.status = 'draft' then 1 else 0 end),
    -1 * (case when old.status = 'issued' then 1 else 0 end),
    -1 * (case when old.status = 'cancelled' then 1 else 0 end),
    -1 * (case when old.status = 'issued' and old.training = 0
    and (old.doc_type = 'FT' or old.doc_type = 'FR' or old.doc_type = 'FS' or old.doc_type = 'ND') and (case when old.doc_type = 'FR' then 0 else old.total_gross_cents end) > 0 then 1 else 0 end),
    -1 * (case when old.status = 'issued' and old.training = 0
    and (old.doc_type = 'FT' or old.doc_type = 'FR' or old.doc_type = 'FS' or old.doc_type = 'ND') and (case when old.doc_type = 'FR' then 0 else old.total_gross_cents end) <= 0 then 1 else 0 end)
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day', 10) as periods where true
  on conflict (company_id, grain, period, doc_type, series_id) do update
  set draft = document_counts.draft + excluded.draft, issued = document_counts.issued + excluded.issued, cancelled = document_counts.cancelled + excluded.cancelled, unpaid = document_counts.unpaid + excluded.unpaid, paid = document_counts.paid + excluded.paid;
  insert into "lacre".document_counts (company_id, grain, period, doc_type, series_id, draft, issued, cancelled, unpaid, paid)
  select new.company_id, grain, substr(new.issue_date, 1, length), new.doc_type, new.series_id,
    1 * (case when new.status = 'draft' then 1 else 0 end),
    1 * (case when new.status = 'issued' then 1 else 0 end),
    1 * (case when new.status = 'cancelled' then 1 else 0 end),
    1 * (case when new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS' or new.doc_type = 'ND') and (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) > 0 then 1 else 0 end),
    1 * (case when new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS' or new.doc_type = 'ND') and (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) <= 0 then 1 else 0 end)
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day', 10) as periods where true
  on conflict (company_id, grain, period, doc_type, series_id) do update
  set draft = document_counts.draft + excluded.draft, issued = document_counts.issued + excluded.issued, cancelled = document_counts.cancelled + excluded.cancelled, unpaid = document_counts.unpaid + excluded.unpaid, paid = document_counts.paid + excluded.paid;
  end if;
  return null;
end $$;

create trigger documents_are_counted_when_changed after update of company_id,doc_type,series_id,status,issue_date on "lacre".documents for each row execute function "lacre".documents_are_counted_when_changed();

create function "lacre".documents_are_counted_when_deleted() returns trigger language plpgsql as $$ begin
  insert into "lacre".document_counts (company_id, grain, period, doc_type, series_id, draft, issued, cancelled, unpaid, paid)
  select old.company_id, grain, substr(old.issue_date, 1, length), old.doc_type, old.series_id,
    -1 * (case when old.status = 'draft' then 1 else 0 end),
    -1 * (case when old.status = 'issued' then 1 else 0 end),
    -1 * (case when old.status = 'cancelled' then 1 else 0 end),
    -1 * (case when old.status = 'issued' and old.training = 0
    and (old.doc_type = 'FT' or old.doc_type = 'FR' or old.doc_type = 'FS' or old.doc_type = 'ND') and (case when old.doc_type = 'FR' then 0 else old.total_gross_cents end) > 0 then 1 else 0 end),
    -1 * (case when old.status = 'issued' and old.training = 0
    and (old.doc_type = 'FT' or old.doc_type = 'FR' or old.doc_type = 'FS' or old.doc_type = 'ND') and (case when old.doc_type = 'FR' then 0 else old.total_gross_cents end) <= 0 then 1 else 0 end)
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day', 10) as periods where true
  on conflict (company_id, grain, period, doc_type, series_id) do update
  set draft = document_counts.draft + excluded.draft, issued = document_counts.issued + excluded.issued, cancelled = document_counts.cancelled + excluded.cancelled, unpaid = document_counts.unpaid + excluded.unpaid, paid = document_counts.paid + excluded.paid;
  return null;
end $$;

create trigger documents_are_counted_when_deleted after delete on "lacre".documents for each row execute function "lacre".documents_are_counted_when_deleted();

create function "lacre".balances_are_counted() returns trigger language plpgsql as $$ begin
  if new.payment_status is distinct from old.payment_status then
    insert into "lacre".document_counts (company_id, grain, period, doc_type, series_id, unpaid, partial, paid)
  select new.company_id, grain, substr(new.issue_date, 1, length), new.doc_type, new.series_id,
    (case when new.payment_status = 'unpaid' then 1 else 0 end) - (case when old.payment_status = 'unpaid' then 1 else 0 end),
    (case when new.payment_status = 'partial' then 1 else 0 end) - (case when old.payment_status = 'partial' then 1 else 0 end),
    (case when new.payment_status = 'paid' then 1 else 0 end) - (case when old.payment_status = 'paid' then 1 else 0 end)
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day', 10) as periods where true
  on conflict (company_id, grain, period, doc_type, series_id) do update
  set unpaid = document_counts.unpaid + excluded.unpaid, partial = document_counts.partial + excluded.partial, paid = document_counts.paid + excluded.paid;
  end if;
  return null;
end $$;

create trigger balances_are_counted after update of outstanding_cents on "lacre".balances for each row execute function "lacre".balances_are_counted();

create function "lacre".debts_begin() returns trigger language plpgsql as $$ begin
  if new.outstanding_cents > 0 then
    insert into "lacre".customer_debts (company_id, customer_id, outstanding_cents, documents)
  values (new.company_id, new.customer_id, new.outstanding_cents, 1)
  on conflict (company_id, customer_id) do update
  set outstanding_cents = customer_debts.outstanding_cents + excluded.outstanding_cents,
    documents = customer_debts.documents + excluded.documents;
  end if;
  return null;
end $$;

create trigger debts_begin after insert on "lacre".balances for each row execute function "lacre".debts_begin();

create function "lacre".debts_change() returns trigger language plpgsql as $$ begin
  if (case when new.outstanding_cents > 0 then new.outstanding_cents else 0 end) <> (case when old.outstanding_cents > 0 then old.outstanding_cents else 0 end) then
    insert into "lacre".customer_debts (company_id, customer_id, outstanding_cents, documents)
  values (new.company_id, new.customer_id, (case when new.outstanding_cents > 0 then new.outstanding_cents else 0 end) - (case when old.outstanding_cents > 0 then old.outstanding_cents else 0 end), (case when new.outstanding_cents > 0 then 1 else 0 end) - (case when old.outstanding_cents > 0 then 1 else 0 end))
  on conflict (company_id, customer_id) do update
  set outstanding_cents = customer_debts.outstanding_cents + excluded.outstanding_cents,
    documents = customer_debts.documents + excluded.documents;
  end if;
  return null;
end $$;

create trigger debts_change after update of outstanding_cents on "lacre".balances for each row execute function "lacre".debts_change();

create function "lacre".debts_end() returns trigger language plpgsql as $$ begin
  if old.outstanding_cents > 0 then
    insert into "lacre".customer_debts (company_id, customer_id, outstanding_cents, documents)
  values (old.company_id, old.customer_id, -old.outstanding_cents, -1)
  on conflict (company_id, customer_id) do update
  set outstanding_cents = customer_debts.outstanding_cents + excluded.outstanding_cents,
    documents = customer_debts.documents + excluded.documents;
  end if;
  return null;
end $$;

create trigger debts_end after delete on "lacre".balances for each row execute function "lacre".debts_end();

create function "lacre".customer_debts_begin() returns trigger language plpgsql as $$ begin
  insert into "lacre".company_debts (company_id, outstanding_cents, customers)
  values (new.company_id, new.outstanding_cents, (case when new.outstanding_cents > 0 then 1 else 0 end))
  on conflict (company_id) do update
  set outstanding_cents = company_debts.outstanding_cents + excluded.outstanding_cents,
    customers = company_debts.customers + excluded.customers;
  return null;
end $$;

create trigger customer_debts_begin after insert on "lacre".customer_debts for each row execute function "lacre".customer_debts_begin();

create function "lacre".customer_debts_change() returns trigger language plpgsql as $$ begin
  insert into "lacre".company_debts (company_id, outstanding_cents, customers)
  values (new.company_id, new.outstanding_cents - old.outstanding_cents, (case when new.outstanding_cents > 0 then 1 else 0 end) - (case when old.outstanding_cents > 0 then 1 else 0 end))
  on conflict (company_id) do update
  set outstanding_cents = company_debts.outstanding_cents + excluded.outstanding_cents,
    customers = company_debts.customers + excluded.customers;
  return null;
end $$;

create trigger customer_debts_change after update of outstanding_cents on "lacre".customer_debts for each row execute function "lacre".customer_debts_change();

create function "lacre".balances_begin() returns trigger language plpgsql as $$ begin
  if new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS' or new.doc_type = 'ND') then
    insert into "lacre".balances (document_id, company_id, doc_type, series_id, customer_id, issue_date,
    total_cents, outstanding_cents, payment_status)
  values (new.id, new.company_id, new.doc_type, new.series_id, new.customer_id, new.issue_date,
    (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end), (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end), case when (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) > 0 then 'unpaid' else 'paid' end);
  end if;
  return null;
end $$;

create trigger balances_begin after insert on "lacre".documents for each row execute function "lacre".balances_begin();

create function "lacre".balances_begin_with_drafts() returns trigger language plpgsql as $$ begin
  if old.status = 'draft' and new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS' or new.doc_type = 'ND') then
    insert into "lacre".balances (document_id, company_id, doc_type, series_id, customer_id, issue_date,
    total_cents, outstanding_cents, payment_status)
  values (new.id, new.company_id, new.doc_type, new.series_id, new.customer_id, new.issue_date,
    (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end), (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end), case when (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) > 0 then 'unpaid' else 'paid' end);
  end if;
  return null;
end $$;

create trigger balances_begin_with_drafts after update of status on "lacre".documents for each row execute function "lacre".balances_begin_with_drafts();

create function "lacre".balances_end() returns trigger language plpgsql as $$ begin
  if new.status = 'cancelled' then
    -- back to what it was counted as
  update "lacre".balances set outstanding_cents = total_cents,
    payment_status = case when total_cents > 0 then 'unpaid' else 'paid' end
  where document_id = new.id;
  delete from "lacre".balances where document_id = new.id;
  end if;
  return null;
end $$;

create trigger balances_end after update of status on "lacre".documents for each row execute function "lacre".balances_end();

create function "lacre".balances_are_credited() returns trigger language plpgsql as $$ begin
  if new.status = 'issued' and new.doc_type = 'NC' then
    update "lacre".balances
  set outstanding_cents = outstanding_cents - credit.cents,
    payment_status = case when outstanding_cents - credit.cents <= 0 then 'paid'
      when outstanding_cents - credit.cents < total_cents then 'partial' else 'unpaid' end
  from (
    select referenced_id, sum(amount_cents) as cents from "lacre".document_references
    where document_id = new.id group by referenced_id
  ) as credit
  where document_id = credit.referenced_id and total_cents > 0;
  end if;
  return null;
end $$;

create trigger balances_are_credited after insert on "lacre".documents for each row execute function "lacre".balances_are_credited();

create function "lacre".balances_are_credited_by_drafts() returns trigger language plpgsql as $$ begin
  if old.status = 'draft' and new.status = 'issued' and new.doc_type = 'NC' then
    update "lacre".balances
  set outstanding_cents = outstanding_cents - credit.cents,
    payment_status = case when outstanding_cents - credit.cents <= 0 then 'paid'
      when outstanding_cents - credit.cents < total_cents then 'partial' else 'unpaid' end
  from (
    select referenced_id, sum(amount_cents) as cents from "lacre".document_references
    where document_id = new.id group by referenced_id
  ) as credit
  where document_id = credit.referenced_id and total_cents > 0;
  end if;
  return null;
end $$;

create trigger balances_are_credited_by_drafts after update of status on "lacre".documents for each row execute function "lacre".balances_are_credited_by_drafts();

create function "lacre".balances_are_restored() returns trigger language plpgsql as $$ begin
  if old.status = 'issued' and new.status = 'cancelled' and new.doc_type = 'NC' then
    update "lacre".balances
  set outstanding_cents = outstanding_cents + credit.cents,
    payment_status = case when outstanding_cents + credit.cents <= 0 then 'paid'
      when outstanding_cents + credit.cents < total_cents then 'partial' else 'unpaid' end
  from (
    select referenced_id, sum(amount_cents) as cents from "lacre".document_references
    where document_id = new.id group by referenced_id
  ) as credit
  where document_id = credit.referenced_id and total_cents > 0;
  end if;
  return null;
end $$;

create trigger balances_are_restored after update of status on "lacre".documents for each row execute function "lacre".balances_are_restored();

create function "lacre".balances_are_paid() returns trigger language plpgsql as $$ begin
  update "lacre".balances
  set outstanding_cents = outstanding_cents - new.amount_cents,
    payment_status = case when outstanding_cents - new.amount_cents <= 0 then 'paid'
      when outstanding_cents - new.amount_cents < total_cents then 'partial' else 'unpaid' end
  where document_id = new.document_id and total_cents > 0;
  return null;
end $$;

create trigger balances_are_paid after insert on "lacre".payments for each row execute function "lacre".balances_are_paid();

create function "lacre".balances_are_restored_by_voids() returns trigger language plpgsql as $$ begin
  if old.voided_at is null and new.voided_at is not null then
    update "lacre".balances
  set outstanding_cents = outstanding_cents + new.amount_cents,
    payment_status = case when outstanding_cents + new.amount_cents <= 0 then 'paid'
      when outstanding_cents + new.amount_cents < total_cents then 'partial' else 'unpaid' end
  where document_id = new.document_id and total_cents > 0;
  end if;
  return null;
end $$;

create trigger balances_are_restored_by_voids after update of voided_at on "lacre".payments for each row execute function "lacre".balances_are_restored_by_voids();
