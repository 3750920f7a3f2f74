-- The database as the migrations build it: a photograph, taken by test/core/database/schema.test.ts (vitest -u retakes it).
-- Tables first, in the order they were made, each with its indexes; then the guards.

CREATE TABLE migrations (
  id text primary key,
  -- SHA-256 of the migration's statements
  digest text not null,
  applied_at text not null
) strict;

CREATE TABLE companies (
  id text primary key,
  name text not null,
  -- one company to a taxpayer: the series of two would give out the same numbers
  tax_id text not null unique,
  address text,
  postal_code text,
  city text,
  country text not null,
  tax_region text not null check (tax_region in ('PT', 'PT-AC', 'PT-MA')),
  time_zone text not null,
  cash_vat integer not null check (cash_vat in (0, 1)),
  default_exemption_code text,
  -- the largest simplified invoice, in EUR (CIVA, article 40); null for no limit
  simplified_limit integer default 1000 check (simplified_limit in (100, 1000)),
  -- printed at the foot of every document
  footer_text text,
  -- where its customers pay
  iban text,
  -- the colour of its papers, as in #0b5d3b
  accent_color text,
  -- whether its people enter prices with VAT
  prices_with_vat integer not null default 0 check (prices_with_vat in (0, 1)),
  -- the language of a customer without one
  language text check (language in ('pt', 'en')),
  -- the days in which a customer without such a term pays
  due_days integer check (due_days between 0 and 365),
  -- the last customer code given (C17); never reused
  customer_count integer not null default 0,
  -- the last product code given (P17), or the highest that an sku ever spelled; never reused
  product_count integer not null default 0,
  -- the operator confirmed a clock behind this instant (see series/clock-guard.ts)
  clock_confirmed_for text,
  clock_confirmed_at text,
  -- the head of its chain of events
  event_position integer not null default 0,
  event_seal text,
  -- how many webhooks its events are sent to: where there are none, an event costs nothing more
  webhook_count integer not null default 0,
  -- the latest instant of issue in any of its series, which the clock is checked against
  last_issued_at text,
  -- what all its customers owe together, and how many owe; kept by triggers on customer_debts
  outstanding_cents integer not null default 0,
  debtor_count integer not null default 0,
  created_at text not null
) strict, without rowid;

CREATE TABLE company_logos (
  -- a table of its own, so that issuing does not read a picture
  company_id text primary key references companies (id),
  -- PNG or JPEG
  picture blob not null
) strict, without rowid;

CREATE TABLE actors (
  id text primary key,
  -- null for an actor of the installation
  company_id text references companies (id),
  kind text not null check (kind in ('key', 'user', 'host')),
  -- SourceID of the tax file: K3, U2, H1; counted per kind, never reused
  code text not null,
  name text not null,
  created_at text not null,
  unique (company_id, code)
) strict, without rowid;

CREATE TABLE api_keys (
  -- SHA-256 of the key, hexadecimal; the key itself is never stored. Every request looks its key up by this
  digest text primary key,
  -- the key's actor
  id text not null unique references actors (id),
  -- permissions, separated by spaces
  scopes text not null,
  last_four text not null,
  revoked_at text
) strict, without rowid;

CREATE TABLE users (
  -- the user's actor in the installation
  id text primary key references actors (id),
  -- an e-mail address as it was given, and its one spelling
  login text not null,
  login_folded text not null unique,
  -- scrypt as a PHC string; the password itself is never stored
  password text not null,
  -- of the page: pt, en; null to follow the browser
  language text check (language in ('pt', 'en')),
  disabled_at text
) strict, without rowid;

CREATE TABLE memberships (
  -- the user's actor in the company
  id text primary key references actors (id),
  user_id text not null references users (id),
  company_id text not null references companies (id),
  role text not null check (role in ('owner', 'accountant', 'cashier')),
  disabled_at text,
  unique (user_id, company_id)
) strict, without rowid;

CREATE INDEX memberships_by_company on memberships (company_id, id);

CREATE TABLE sessions (
  -- SHA-256 of the secret in the cookie, hexadecimal. Every request of a person looks its session up by this
  digest text primary key,
  id text not null unique,
  user_id text not null references users (id),
  created_at text not null,
  -- written at most once a minute
  last_seen_at text not null,
  -- until when what asks for the password again runs without it
  confirmed_until text,
  address text,
  user_agent text
) strict, without rowid;

CREATE INDEX sessions_by_user on sessions (user_id, id);

CREATE TABLE devices (
  -- SHA-256 of the secret in the cookie of a browser where this user has logged in, hexadecimal
  digest text not null,
  user_id text not null references users (id),
  last_used_at text not null,
  primary key (digest, user_id)
) strict, without rowid;

CREATE INDEX devices_by_user on devices (user_id, last_used_at);

CREATE TABLE password_tries (
  -- SHA-256 of what is counted, hexadecimal: a login, a network, a login from a network, a browser
  key text primary key,
  -- when, in milliseconds, with spaces between
  times text not null,
  -- before then no other is made, in milliseconds
  ready_ms integer,
  expires_ms integer not null
) strict, without rowid;

CREATE INDEX password_tries_by_end on password_tries (expires_ms);

CREATE TABLE invitations (
  id text primary key,
  -- null for a link of the host program: to the whole installation
  company_id text references companies (id),
  kind text not null check (kind in ('setup', 'invitation', 'reset')),
  -- SHA-256 of the secret in the link, hexadecimal
  digest text not null unique,
  -- what the user becomes; null on a reset
  role text check (role in ('owner', 'accountant', 'cashier')),
  -- who is invited; null on a set-up link for whoever has it
  login text,
  -- who chooses a new password
  user_id text references users (id),
  created_at text not null,
  expires_at text not null,
  used_at text,
  withdrawn_at text
) strict, without rowid;

CREATE INDEX invitations_by_company on invitations (company_id, id);

CREATE TABLE signing_keys (
  -- HashControl: the key's version as AT knows it
  key_version integer primary key,
  public_key text not null unique,
  -- null when the embedder holds the key
  private_key text,
  created_at text not null
) strict;

CREATE TABLE customers (
  -- the rowid, named so that SQLite never changes it: customer_search refers to it
  position integer primary key,
  id text not null unique,
  company_id text not null references companies (id),
  -- CustomerID of the tax file: C17
  code text not null,
  name text not null,
  tax_id text,
  email text,
  phone text,
  address text,
  postal_code text,
  city text,
  country text,
  -- the language of what is printed for it, and the days in which it pays; the company's where null
  language text check (language in ('pt', 'en')),
  due_days integer check (due_days between 0 and 365),
  -- whether it is reminded of what is overdue
  reminders integer not null default 1 check (reminders in (0, 1)),
  -- what the caller keeps (see caller-data.ts): its own id, which many rows may share, and JSON
  external_id text,
  metadata text,
  -- folded copy of name, tax_id, email, phone (see runtime/search.ts)
  search text not null,
  created_at text not null,
  updated_at text not null,
  archived_at text,
  unique (company_id, code)
) strict;

CREATE INDEX customers_by_company on customers (company_id, id) where archived_at is null;

CREATE INDEX customers_by_name on customers (company_id, substr(search, 1, 60), id)
    where archived_at is null;

CREATE INDEX customers_by_external_id on customers (company_id, external_id, id)
    where external_id is not null and archived_at is null;

CREATE INDEX customers_by_tax_id on customers (company_id, tax_id, id)
    where tax_id is not null and archived_at is null;

CREATE INDEX customers_by_update on customers (company_id, updated_at, id) where archived_at is null;

CREATE INDEX customers_by_identity
    on customers (company_id, coalesce(tax_id, '999999990'), name, external_id, id) where archived_at is null;

CREATE VIRTUAL TABLE customer_search using fts5 (pieces, content='', contentless_delete=1, detail=none, prefix='2 3',
    tokenize="ascii tokenchars ' !""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'");

CREATE TABLE products (
  -- the rowid, named so that SQLite never changes it: product_search refers to it
  position integer primary key,
  id text not null unique,
  company_id text not null references companies (id),
  -- ProductCode of the tax file where there is no sku: P17
  code text not null,
  name text not null,
  sku text,
  -- the highest number that its skus, past ones too, spelled as a code of ours: no other product is given it
  reserved_number integer,
  unit text not null,
  type text not null check (type in ('P', 'S')),
  unit_price_micros integer not null check (unit_price_micros >= 0),
  -- the price with VAT, where it was given so
  unit_price_gross_micros integer check (unit_price_gross_micros >= 0),
  tax_rate_bps integer not null check (tax_rate_bps between 0 and 10000),
  stock_micros integer,
  exemption_code text,
  -- a short code for the keys of a till
  till_number integer check (till_number > 0),
  -- what the caller keeps, as of customers
  external_id text,
  metadata text,
  -- folded copy of name, sku
  search text not null,
  created_at text not null,
  updated_at text not null,
  archived_at text,
  unique (company_id, code)
) strict;

CREATE INDEX products_by_company on products (company_id, id) where archived_at is null;

CREATE INDEX products_by_sku on products (company_id, sku, id)
    where sku is not null and archived_at is null;

CREATE INDEX products_by_external_id on products (company_id, external_id, id)
    where external_id is not null and archived_at is null;

CREATE INDEX products_by_till_number on products (company_id, till_number, id)
    where till_number is not null and archived_at is null;

CREATE INDEX products_by_update on products (company_id, updated_at, id) where archived_at is null;

CREATE INDEX products_by_name on products (company_id, substr(search, 1, 60), id)
    where archived_at is null;

CREATE VIRTUAL TABLE product_search using fts5 (pieces, content='', contentless_delete=1, detail=none, prefix='2 3',
    tokenize="ascii tokenchars ' !""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'");

CREATE TABLE series (
  id text primary key,
  company_id text not null references companies (id),
  doc_type text not null,
  code text not null,
  -- lower-cased code: unique per type regardless of case, closed series included
  code_folded text not null,
  -- the beginning of its numbers: FT, or RG / RC for receipts, GD for returns
  at_type text not null,
  validation_code text,
  -- when the validation code was set: no document of a certified program is dated before
  registered_at text,
  training integer not null check (training in (0, 1)),
  -- for documents of the cash-VAT scheme, which are in series of their own
  cash_vat integer not null check (cash_vat in (0, 1)),
  -- the certificate its documents are issued under, 0 for none; set by the first one and then fixed
  certificate_number integer,
  -- the head: everything the next document needs; only moveOn() changes it
  next_number integer not null default 1 check (next_number >= 1),
  last_issue_date text,
  last_entry_date text,
  last_issued_at text,
  last_hash text,
  last_seal text,
  closed_at text,
  -- set in a restored backup until the operator confirms the head (see series/restore-lock.ts)
  restore_locked_at text,
  created_at text not null,
  unique (company_id, doc_type, code_folded)
) strict;

CREATE UNIQUE INDEX series_by_validation_code on series (company_id, validation_code);

CREATE INDEX series_by_company on series (company_id, id);

CREATE INDEX series_restore_locked on series (company_id) where restore_locked_at is not null;

CREATE TABLE documents (
  id text primary key,
  company_id text not null references companies (id),
  doc_type text not null,
  series_id text not null references series (id),
  status text not null check (status in ('draft', 'issued', 'cancelled')),
  issue_date text not null,
  due_date text,
  -- of a quotation
  valid_until text,
  -- when it was supplied, where that is not the day of issue
  supply_date text,
  customer_id text not null references customers (id),
  global_discount_bps integer not null check (global_discount_bps between 0 and 10000),
  -- a discount of an amount in its place, with VAT where the lines are priced with it
  global_discount_cents integer check (global_discount_cents > 0),
  notes text,
  -- what the caller keeps (see caller-data.ts): its own id, which many rows may share, and JSON
  external_id text,
  metadata text,
  -- 1 in a training series: no balance, no link with a real document
  training integer not null check (training in (0, 1)),
  -- 1 on an RC whose payments are recorded on the documents that it names
  record_payments integer not null check (record_payments in (0, 1)),
  -- JSON: start_at, end_at, from, to, vehicle; on guides and returns, filled when issued
  transport text,
  total_net_cents integer not null,
  total_tax_cents integer not null,
  total_gross_cents integer not null,
  created_at text not null,
  -- frozen at issue
  sequence integer,
  number text,
  atcud text,
  system_entry_date text,
  issued_at text,
  issued_by text references actors (id),
  hash text,
  key_version integer,
  certificate_number integer,
  qr_code text,
  -- JSON: the customer and the company as they were
  customer text,
  issuer text,
  seal text,
  -- given by the tax authority for a transport, once
  at_doc_code text,
  -- the only other change after issue
  cancelled_at text,
  cancelled_by text references actors (id),
  cancel_reason text,
  unique (series_id, sequence),
  check ((status = 'draft') = (sequence is null)),
  check (status <> 'draft' or at_doc_code is null),
  check ((status = 'cancelled') = (cancelled_at is not null))
) strict;

CREATE INDEX documents_by_date on documents (company_id, issue_date, id, status, total_gross_cents);

CREATE INDEX documents_by_type on documents (company_id, doc_type, issue_date, id, status);

CREATE INDEX documents_by_series on documents (company_id, series_id, issue_date, id);

CREATE INDEX documents_by_customer on documents (company_id, customer_id, issue_date, id,
    status, doc_type, series_id);

CREATE INDEX documents_by_external_id on documents (company_id, external_id, issue_date, id,
    status, doc_type, series_id)
    where external_id is not null;

CREATE INDEX documents_unissued on documents (company_id, status, issue_date, id, doc_type,
    series_id)
    where status <> 'issued';

CREATE INDEX documents_due on documents (company_id, due_date, id)
    where due_date is not null and status = 'issued';

CREATE TABLE document_lines (
  -- checked at commit: a document created as issued is inserted after its parts, as it takes none later
  document_id text not null references documents (id) deferrable initially deferred,
  line_number integer not null,
  description text not null,
  qty_micros integer not null check (qty_micros > 0),
  unit text not null,
  unit_price_micros integer not null check (unit_price_micros >= 0),
  -- of a price given with VAT, which totals count; unit_price_micros is then its net
  unit_price_gross_micros integer check (unit_price_gross_micros >= 0),
  tax_rate_bps integer not null check (tax_rate_bps between 0 and 10000),
  discount_bps integer not null check (discount_bps between 0 and 10000),
  -- a discount of an amount in its place, with VAT where the price has it
  discount_cents integer check (discount_cents > 0),
  product_id text references products (id),
  -- on a correction: the document this line corrects, where there are several, and the number of the line there
  reference_id text references documents (id),
  reference_line integer,
  -- on a draft as given; at issue frozen as the reason found for the zero rate
  exemption_code text,
  supply_date text,
  -- P or S: on a draft as given, at issue frozen as the product's or as the unit tells
  product_type text,
  -- frozen at issue: where and how it is taxed, and the product as it was
  tax_region text,
  tax_code text,
  product_code text,
  product_name text,
  -- its share of a discount of an amount on all lines
  global_discount_micros integer check (global_discount_micros >= 0),
  primary key (document_id, line_number)
) strict, without rowid;

CREATE INDEX document_lines_by_reference on document_lines (reference_id)
    where reference_id is not null;

CREATE INDEX document_lines_by_product on document_lines (product_id, document_id)
    where product_id is not null;

CREATE TABLE document_references (
  document_id text not null references documents (id) deferrable initially deferred,
  position integer not null,
  -- the document that is corrected, returned, acknowledged or followed
  referenced_id text not null references documents (id),
  amount_cents integer,
  reason text,
  primary key (document_id, position)
) strict, without rowid;

CREATE INDEX document_references_by_referenced on document_references (referenced_id);

CREATE TABLE document_payments (
  -- payments made on the spot, on an NC refunds, frozen with the document; at issue each is recorded under the same id,
  -- those of an RC under ids of their own
  document_id text not null references documents (id) deferrable initially deferred,
  position integer not null,
  payment_id text not null unique,
  amount_cents integer not null check (amount_cents > 0),
  method_code text not null,
  payment_date text not null,
  primary key (document_id, position)
) strict, without rowid;

CREATE TABLE payments (
  id text primary key,
  company_id text not null references companies (id),
  -- the document on whose balance it counts
  document_id text not null references documents (id),
  -- money received, or given back
  kind text not null check (kind in ('payment', 'refund')),
  amount_cents integer not null check (amount_cents > 0),
  method_code text not null,
  payment_date text not null,
  -- the RC that recorded the payment, or the NC with which the money was given back
  recorded_with text references documents (id),
  created_at text not null,
  created_by text not null references actors (id),
  voided_at text,
  voided_by text references actors (id)
) strict, without rowid;

CREATE INDEX payments_by_document on payments (document_id, company_id, id);

CREATE INDEX payments_by_company on payments (company_id, id)
    where voided_at is null and kind = 'payment';

CREATE INDEX payments_by_date on payments (company_id, payment_date, id, voided_at, kind)
    where voided_at is null and kind = 'payment';

CREATE INDEX refunds_by_company on payments (company_id, id, voided_at, kind)
    where voided_at is null and kind = 'refund';

CREATE INDEX refunds_by_date on payments (company_id, payment_date, id, voided_at, kind)
    where voided_at is null and kind = 'refund';

CREATE INDEX payments_recorded_with on payments (recorded_with) where recorded_with is not null;

CREATE TABLE balances (
  -- what is owed on each document that takes payments, from its issue to its cancellation; kept by triggers, so that a
  -- foreign key would cost each issue two look-ups for nothing
  document_id text primary key,
  -- as on the document, for lists
  company_id text not null,
  doc_type text not null,
  series_id text not null,
  customer_id text not null,
  issue_date text not null,
  -- gross; 0 on an FR, which is paid when it is issued
  total_cents integer not null,
  -- the total less live payments and live credit notes, and what was given back
  outstanding_cents integer not null,
  refunded_cents integer not null default 0,
  -- unpaid, partial, paid
  payment_status text not null
) strict, without rowid;

CREATE INDEX balances_by_status on balances (company_id, payment_status, issue_date,
    document_id, doc_type, series_id);

CREATE INDEX balances_open on balances (customer_id, issue_date, document_id)
    where outstanding_cents > 0;

CREATE INDEX balances_in_favour on balances (company_id, document_id, outstanding_cents, customer_id)
    where outstanding_cents < 0;

CREATE TABLE customer_debts (
  -- what is outstanding on each customer's documents; kept by triggers on balances. What was credited beyond what was
  -- left to pay is no debt, and takes nothing off those of other documents
  company_id text not null,
  customer_id text not null,
  outstanding_cents integer not null,
  -- how many documents it is outstanding on
  documents integer not null,
  primary key (company_id, customer_id)
) strict, without rowid;

CREATE INDEX customer_debts_by_size on customer_debts (company_id, outstanding_cents,
    customer_id)
    where outstanding_cents > 0;

CREATE TABLE sales_sums (
  -- base and tax of issued, live sales documents per month of issue, type and rate; training left out. Kept by the
  -- commands that issue and cancel (see documents/sales.ts), as a group is rounded where no trigger can follow
  company_id text not null references companies (id),
  -- 2026-03
  month text not null,
  doc_type text not null,
  tax_region text not null,
  tax_code text not null,
  tax_rate_bps integer not null,
  -- as on the documents: those of an NC are taken off by whoever sums types
  net_cents integer not null,
  tax_cents integer not null,
  primary key (company_id, month, doc_type, tax_region, tax_code, tax_rate_bps)
) strict, without rowid;

CREATE TABLE communications (
  -- a mark that the tax file of a month was communicated to the tax authority; rows are only ever added
  id text primary key,
  company_id text not null references companies (id),
  -- 2026-03
  month text not null,
  -- the month's documents then, cancelled ones included, and how many were cancelled: more of either is a change since
  documents integer not null,
  cancelled integer not null,
  marked_at text not null,
  marked_by text not null references actors (id)
) strict, without rowid;

CREATE INDEX communications_by_company on communications (company_id, id);

CREATE TABLE events (
  -- null for an event of the installation
  company_id text references companies (id),
  -- 1, 2, 3, … within the company, or within the installation
  position integer not null check (position >= 1),
  at text not null,
  -- noun.verb in the past tense: document.issued
  action text not null,
  resource_id text,
  actor_id text not null references actors (id),
  -- JSON: what the resource itself does not show
  detail text,
  -- SHA-256 of the resource's row as the event left it (see row-states.ts)
  state text,
  -- SHA-256 over all of the above and the seal before it
  seal text not null
) strict;

CREATE UNIQUE INDEX events_of_prints on events (resource_id) where action = 'document.printed';

CREATE UNIQUE INDEX events_by_company on events (company_id, position);

CREATE UNIQUE INDEX events_of_installation on events (position) where company_id is null;

CREATE INDEX events_by_resource on events (resource_id, position);

CREATE TABLE webhooks (
  id text primary key,
  company_id text not null references companies (id),
  url text not null,
  -- patterns of actions, separated by spaces: *, document.*, payment.recorded
  actions text not null,
  description text,
  -- whsec_ and Base64, in the clear because it signs; null once deleted
  secret text,
  -- the one before, which signs beside it until then
  previous_secret text,
  previous_until text,
  disabled_at text,
  disabled_reason text check (disabled_reason in ('asked', 'gone', 'failing')),
  -- the first failure since the last success
  failing_since text,
  -- to the minute, when messages of it were last taken to be sent, or it was enabled again
  taken_at text,
  created_at text not null,
  deleted_at text
) strict, without rowid;

CREATE INDEX webhooks_by_company on webhooks (company_id, id) where deleted_at is null;

CREATE TABLE document_links (
  id text primary key,
  company_id text not null references companies (id),
  document_id text not null references documents (id),
  -- SHA-256 of the secret in its address, hexadecimal
  digest text not null unique,
  language text not null check (language in ('pt', 'en')),
  -- 0 where it opens the original
  second_print integer not null check (second_print in (0, 1)),
  created_at text not null,
  expires_at text not null,
  revoked_at text
) strict, without rowid;

CREATE INDEX document_links_by_document on document_links (document_id, id);

CREATE TABLE emails (
  id text primary key,
  company_id text not null references companies (id),
  document_id text not null references documents (id),
  -- withdrawn: a reminder of what is no longer owed
  status text not null check (status in ('queued', 'sent', 'failed', 'unknown', 'withdrawn')),
  -- of a reminder, its step: days after the document was due
  reminder integer,
  -- of the SMTP server
  sender text not null,
  sender_name text not null,
  reply_to text,
  -- addresses, separated by spaces
  recipients text not null,
  copied text,
  subject text not null,
  message text not null,
  language text not null check (language in ('pt', 'en')),
  -- the same in every attempt
  message_id text not null,
  -- 0 where it carries the original
  second_print integer not null check (second_print in (0, 1)),
  -- attempts after which nobody knows whether it arrived
  doubts integer not null default 0,
  -- the addresses that the server refused, separated by spaces
  refused text,
  -- why it was not sent
  error text,
  queued_at text not null,
  queued_by text not null references actors (id),
  ended_at text
) strict, without rowid;

CREATE INDEX emails_by_company on emails (company_id, queued_at, id);

CREATE INDEX emails_by_document on emails (document_id, queued_at, id);

CREATE INDEX emails_not_sent on emails (company_id, ended_at)
    where status in ('failed', 'unknown');

CREATE UNIQUE INDEX emails_of_reminders on emails (document_id, reminder)
    where reminder is not null;

CREATE TABLE email_papers (
  email_id text primary key references emails (id),
  -- JSON: the document as it was when the e-mail was queued, and how it is printed
  facts text not null,
  -- of a reminder, what it says is outstanding
  outstanding_cents integer,
  logo blob,
  -- drawn at the first attempt
  pdf blob
) strict;

CREATE TABLE company_mail (
  company_id text primary key references companies (id),
  -- the name beside the sender's address; null for the company's
  name text,
  reply_to text,
  subject_pt text,
  message_pt text,
  subject_en text,
  message_en text,
  -- the days after which what is overdue is reminded of, ascending, with spaces between them; null for never
  reminder_days text,
  reminder_subject_pt text,
  reminder_message_pt text,
  reminder_subject_en text,
  reminder_message_en text,
  -- when reminders are next looked for; null while there are none
  remind_at text,
  -- the last day whose steps have passed
  reminded_until text,
  -- in the middle of a day, how far it is: that day, and due date and id of a document
  remind_after text,
  -- an SMTP server of its own
  server_host text,
  server_port integer,
  server_security text check (server_security in ('tls', 'starttls', 'none')),
  server_user text,
  -- sealed under a key that is kept elsewhere
  server_password text,
  server_from text,
  -- to the minute, when e-mails of it were last taken to be sent
  taken_at text,
  -- the first failure since the last success
  failing_since text,
  -- the last test message
  tested_at text
) strict, without rowid;

CREATE TABLE deliveries (
  -- webhook-id of the message, the same in every attempt; the e-mail
  id text primary key,
  company_id text not null references companies (id),
  kind text not null check (kind in ('webhook', 'email')),
  -- the webhook; of e-mails the company
  queue_id text not null,
  -- that of the event
  position integer not null,
  action text not null,
  -- what the event is about: of a payment its document. Deliveries of one subject go in order; an e-mail is its own
  subject_id text not null,
  -- null while it waits
  outcome text check (outcome in ('delivered', 'given_up')),
  -- when to try next; while it is tried, when others may. Null once it has ended, and behind one of its subject
  due_at text,
  attempts integer not null default 0,
  -- attempts that failed since it was queued or sent again
  failures integer not null default 0,
  -- the attempt of an e-mail that may have reached the server; 0 once it is known what became of it
  begun integer not null default 0,
  queued_at text not null,
  ended_at text,
  unique (queue_id, position)
) strict, without rowid;

CREATE INDEX deliveries_due on deliveries (queue_id, due_at, position)
    where due_at is not null;

CREATE INDEX deliveries_by_subject on deliveries (queue_id, subject_id, position)
    where outcome is null;

CREATE INDEX deliveries_ended on deliveries (company_id, ended_at)
    where ended_at is not null;

CREATE TABLE delivery_attempts (
  delivery_id text not null references deliveries (id),
  attempt integer not null,
  at text not null,
  -- of the answer; null where there was none
  status integer,
  -- why it failed, where that is not the status
  error text,
  duration_ms integer not null,
  primary key (delivery_id, attempt)
) strict, without rowid;

CREATE TABLE idempotency_keys (
  company_id text not null references companies (id),
  key text not null,
  -- SHA-256 of operation and input
  fingerprint text not null,
  -- JSON text of the answer, or where it is long the same as a zlib stream (RFC 1950), whose x begins no JSON
  answer blob not null,
  -- null: kept forever, because it issued a document
  expires_at text,
  primary key (company_id, key)
) strict;

CREATE INDEX idempotency_keys_by_expiry on idempotency_keys (expires_at)
    where expires_at is not null;

CREATE TABLE lists (
  -- also marks the list's words in a search index (see runtime/search.ts)
  number integer primary key,
  company_id text not null references companies (id),
  -- customers, products, payments: a company has all three from its first day
  name text not null,
  -- the number of rows it shows, kept by triggers: no list is counted row by row
  total integer not null,
  unique (company_id, name)
) strict;

CREATE TABLE document_counts (
  -- documents of a series by status and by payment status, per year, month and day of issue; kept by triggers
  company_id text not null references companies (id),
  grain text not null check (grain in ('year', 'month', 'day')),
  -- 2026, 2026-03 or 2026-03-14
  period text not null,
  doc_type text not null,
  series_id text not null,
  draft integer not null default 0,
  issued integer not null default 0,
  cancelled integer not null default 0,
  -- of those issued
  unpaid integer not null default 0,
  partial integer not null default 0,
  paid integer not null default 0,
  primary key (company_id, grain, period, doc_type, series_id)
) strict, without rowid;

CREATE TABLE checks (
  -- of a company, by Lacre itself (Despacho 8632/2014, 3.1.3): when it ended, and when the last one of everything did
  company_id text primary key references companies (id),
  checked_at text not null,
  whole_at text,
  -- the events up to here were found in order
  event_position integer not null,
  event_seal text,
  -- so were the documents of each series up to a sequence, as JSON
  sequences text not null,
  -- the first finding that nobody answered for: while there is one, the company issues nothing
  finding_place text,
  finding_reason text,
  -- marks of the findings that were answered for, as JSON; the events have them too
  answered text not null default '[]',
  -- of several servers, the one that checks has it until then
  claimed_until text
) strict, without rowid;

CREATE TABLE installation (
  -- one row, with the history of this file
  id integer primary key check (id = 1),
  created_at text not null,
  -- set in a backup when it is taken and never cleared: such a file starts locked
  backup_taken_at text,
  restores integer not null default 0,
  -- the server, the table there and the timeline; of a file that a server of Lacre's serves, the mark of the note beside
  -- it: in a copy they differ
  place text,
  -- the number AT gave the program's producer; 0 without certification
  certificate_number integer not null default 0 check (certificate_number between 0 and 9999),
  producer_name text,
  producer_tax_id text,
  -- the head of its chain of events
  event_position integer not null default 0,
  event_seal text
) strict;

CREATE TRIGGER documents_begin_as_drafts_or_issued before insert on documents
when new.status = 'cancelled'
  or (new.status = 'issued' and new.sequence is distinct from (select next_number - 1 from series
    where id = new.series_id))
begin
  select raise(abort, 'documents: a document begins as a draft, or with the number its series just gave');
end;

CREATE TRIGGER documents_are_never_replaced before insert on documents
when exists (
  select 1 from documents
  where id = new.id or rowid = new.rowid or (series_id = new.series_id and sequence = new.sequence)
)
begin
  select raise(abort, 'documents: the row exists');
end;

CREATE TRIGGER documents_identity_is_fixed before update on documents
when new.id is distinct from old.id
begin
  select raise(abort, 'documents: a row keeps its identity');
end;

CREATE TRIGGER documents_rowid_is_fixed before update on documents
when new.rowid is distinct from old.rowid
begin
  select raise(abort, 'documents: a row keeps its identity');
end;

CREATE TRIGGER documents_take_a_free_number before update on documents
when new.sequence is not null and exists (
  select 1 from documents where series_id = new.series_id and sequence = new.sequence and id <> old.id
)
begin
  select raise(abort, 'documents: the number is taken');
end;

CREATE TRIGGER documents_are_frozen_once_issued before update on documents
when old.status <> 'draft' and not (
  not (new.company_id is distinct from old.company_id or new.doc_type is distinct from old.doc_type
    or new.series_id is distinct from old.series_id or new.issue_date is distinct from old.issue_date
    or new.due_date is distinct from old.due_date or new.valid_until is distinct from old.valid_until
    or new.supply_date is distinct from old.supply_date
    or new.customer_id is distinct from old.customer_id
    or new.global_discount_bps is distinct from old.global_discount_bps
    or new.global_discount_cents is distinct from old.global_discount_cents or new.notes is distinct from old.notes
    or new.external_id is distinct from old.external_id or new.metadata is distinct from old.metadata
    or new.training is distinct from old.training or new.record_payments is distinct from old.record_payments
    or new.transport is distinct from old.transport
    or new.total_net_cents is distinct from old.total_net_cents
    or new.total_tax_cents is distinct from old.total_tax_cents
    or new.total_gross_cents is distinct from old.total_gross_cents
    or new.created_at is distinct from old.created_at or new.sequence is distinct from old.sequence
    or new.number is distinct from old.number or new.atcud is distinct from old.atcud
    or new.system_entry_date is distinct from old.system_entry_date
    or new.issued_at is distinct from old.issued_at or new.issued_by is distinct from old.issued_by
    or new.hash is distinct from old.hash or new.key_version is distinct from old.key_version
    or new.certificate_number is distinct from old.certificate_number or new.qr_code is distinct from old.qr_code
    or new.customer is distinct from old.customer or new.issuer is distinct from old.issuer
    or new.seal is distinct from old.seal)
  and (
    (old.status = 'issued' and new.status = 'cancelled' and new.at_doc_code is not distinct from old.at_doc_code)
    or (
      old.status = 'issued' and new.status = 'issued' and old.at_doc_code is null and new.at_doc_code is not null
      and not (new.cancelled_at is distinct from old.cancelled_at
        or new.cancelled_by is distinct from old.cancelled_by
        or new.cancel_reason is distinct from old.cancel_reason)
    )
  )
)
begin
  select raise(abort, 'documents: the document is issued');
end;

CREATE TRIGGER documents_are_never_deleted_once_issued before delete on documents
when old.status <> 'draft'
begin
  select raise(abort, 'documents: the document is issued');
end;

CREATE TRIGGER document_lines_no_insert_once_issued before insert on document_lines
when (select status from documents where id = new.document_id) <> 'draft'
begin
  select raise(abort, 'document_lines: the document is issued');
end;

CREATE TRIGGER document_lines_no_update_once_issued before update on document_lines
when (select status from documents where id = old.document_id) is distinct from 'draft'
begin
  select raise(abort, 'document_lines: the document is issued');
end;

CREATE TRIGGER document_lines_no_delete_once_issued before delete on document_lines
when (select status from documents where id = old.document_id) is distinct from 'draft'
begin
  select raise(abort, 'document_lines: the document is issued');
end;

CREATE TRIGGER document_lines_identity_is_fixed before update on document_lines
when new.document_id is distinct from old.document_id or new.line_number is distinct from old.line_number
begin
  select raise(abort, 'document_lines: a row keeps its identity');
end;

CREATE TRIGGER document_references_no_insert_once_issued before insert on document_references
when (select status from documents where id = new.document_id) <> 'draft'
begin
  select raise(abort, 'document_references: the document is issued');
end;

CREATE TRIGGER document_references_no_update_once_issued before update on document_references
when (select status from documents where id = old.document_id) is distinct from 'draft'
begin
  select raise(abort, 'document_references: the document is issued');
end;

CREATE TRIGGER document_references_no_delete_once_issued before delete on document_references
when (select status from documents where id = old.document_id) is distinct from 'draft'
begin
  select raise(abort, 'document_references: the document is issued');
end;

CREATE TRIGGER document_references_identity_is_fixed before update on document_references
when new.document_id is distinct from old.document_id or new.position is distinct from old.position
begin
  select raise(abort, 'document_references: a row keeps its identity');
end;

CREATE TRIGGER document_payments_no_insert_once_issued before insert on document_payments
when (select status from documents where id = new.document_id) <> 'draft'
begin
  select raise(abort, 'document_payments: the document is issued');
end;

CREATE TRIGGER document_payments_no_update_once_issued before update on document_payments
when (select status from documents where id = old.document_id) is distinct from 'draft'
begin
  select raise(abort, 'document_payments: the document is issued');
end;

CREATE TRIGGER document_payments_no_delete_once_issued before delete on document_payments
when (select status from documents where id = old.document_id) is distinct from 'draft'
begin
  select raise(abort, 'document_payments: the document is issued');
end;

CREATE TRIGGER document_payments_identity_is_fixed before update on document_payments
when new.document_id is distinct from old.document_id or new.position is distinct from old.position
  or new.payment_id is distinct from old.payment_id
begin
  select raise(abort, 'document_payments: a row keeps its identity');
end;

CREATE TRIGGER document_payments_are_never_replaced before insert on document_payments
when exists (select 1 from document_payments where payment_id = new.payment_id)
begin
  select raise(abort, 'document_payments: the row exists');
end;

CREATE TRIGGER payments_are_never_replaced before insert on payments
when exists (select 1 from payments where id = new.id)
begin
  select raise(abort, 'payments: the row exists');
end;

CREATE TRIGGER payments_are_never_deleted before delete on payments
begin
  select raise(abort, 'payments: rows are never deleted');
end;

CREATE TRIGGER payments_never_change before update on payments
when old.voided_at is not null or new.voided_at is null or new.id is distinct from old.id
  or new.company_id is distinct from old.company_id or new.document_id is distinct from old.document_id
  or new.amount_cents is distinct from old.amount_cents or new.method_code is distinct from old.method_code
  or new.payment_date is distinct from old.payment_date or new.created_at is distinct from old.created_at
  or new.created_by is distinct from old.created_by or new.kind is distinct from old.kind
  or new.recorded_with is distinct from old.recorded_with
begin
  select raise(abort, 'payments: rows never change');
end;

CREATE TRIGGER companies_are_never_replaced before insert on companies
when exists (select 1 from companies where id = new.id)
begin
  select raise(abort, 'companies: the row exists');
end;

CREATE TRIGGER companies_are_never_deleted before delete on companies
begin
  select raise(abort, 'companies: rows are never deleted');
end;

CREATE TRIGGER companies_never_change before update on companies
when new.id is distinct from old.id or new.created_at is distinct from old.created_at
  or new.event_position not in (old.event_position, old.event_position + 1)
  or coalesce(new.last_issued_at, '') < coalesce(old.last_issued_at, '')
begin
  select raise(abort, 'companies: rows never change');
end;

CREATE TRIGGER companies_keep_their_tax_id before update on companies
when new.tax_id is distinct from old.tax_id
  and exists (select 1 from series where company_id = old.id and training = 0 and next_number > 1)
begin
  select raise(abort, 'companies: documents bear the tax number');
end;

CREATE TRIGGER events_are_never_replaced before insert on events
when exists (select 1 from events where rowid = new.rowid
  or (company_id is not distinct from new.company_id and position = new.position))
begin
  select raise(abort, 'events: the row exists');
end;

CREATE TRIGGER events_are_never_deleted before delete on events
begin
  select raise(abort, 'events: rows are never deleted');
end;

CREATE TRIGGER events_never_change before update on events
begin
  select raise(abort, 'events: rows never change');
end;

CREATE TRIGGER communications_are_never_replaced before insert on communications
when exists (select 1 from communications where id = new.id)
begin
  select raise(abort, 'communications: the row exists');
end;

CREATE TRIGGER communications_are_never_deleted before delete on communications
begin
  select raise(abort, 'communications: rows are never deleted');
end;

CREATE TRIGGER communications_never_change before update on communications
begin
  select raise(abort, 'communications: rows never change');
end;

CREATE TRIGGER actors_are_never_replaced before insert on actors
when exists (select 1 from actors where id = new.id)
begin
  select raise(abort, 'actors: the row exists');
end;

CREATE TRIGGER actors_are_never_deleted before delete on actors
begin
  select raise(abort, 'actors: rows are never deleted');
end;

CREATE TRIGGER actors_never_change before update on actors
begin
  select raise(abort, 'actors: rows never change');
end;

CREATE TRIGGER actors_are_distinct before insert on actors
when exists (select 1 from actors where company_id is not distinct from new.company_id and code = new.code)
begin
  select raise(abort, 'actors: the row exists');
end;

CREATE TRIGGER users_are_never_replaced before insert on users
when exists (select 1 from users where id = new.id or login_folded = new.login_folded)
begin
  select raise(abort, 'users: the row exists');
end;

CREATE TRIGGER users_are_never_deleted before delete on users
begin
  select raise(abort, 'users: rows are never deleted');
end;

CREATE TRIGGER users_never_change before update on users
when new.id is distinct from old.id
begin
  select raise(abort, 'users: rows never change');
end;

CREATE TRIGGER memberships_are_never_replaced before insert on memberships
when exists (select 1 from memberships where id = new.id or (user_id = new.user_id
  and company_id = new.company_id))
begin
  select raise(abort, 'memberships: the row exists');
end;

CREATE TRIGGER memberships_are_never_deleted before delete on memberships
begin
  select raise(abort, 'memberships: rows are never deleted');
end;

CREATE TRIGGER memberships_never_change before update on memberships
when new.id is distinct from old.id or new.user_id is distinct from old.user_id
  or new.company_id is distinct from old.company_id
begin
  select raise(abort, 'memberships: rows never change');
end;

CREATE TRIGGER invitations_are_never_replaced before insert on invitations
when exists (select 1 from invitations where id = new.id or digest = new.digest)
begin
  select raise(abort, 'invitations: the row exists');
end;

CREATE TRIGGER invitations_are_never_deleted before delete on invitations
begin
  select raise(abort, 'invitations: rows are never deleted');
end;

CREATE TRIGGER invitations_never_change before update on invitations
when old.used_at is not null or old.withdrawn_at is not null or new.id is distinct from old.id
  or new.company_id is distinct from old.company_id or new.kind is distinct from old.kind
  or new.digest is distinct from old.digest or new.role is distinct from old.role
  or new.login is distinct from old.login or new.user_id is distinct from old.user_id
  or new.created_at is distinct from old.created_at or new.expires_at is distinct from old.expires_at
begin
  select raise(abort, 'invitations: rows never change');
end;

CREATE TRIGGER signing_keys_are_never_replaced before insert on signing_keys
when exists (select 1 from signing_keys where key_version = new.key_version)
begin
  select raise(abort, 'signing_keys: the row exists');
end;

CREATE TRIGGER signing_keys_are_never_deleted before delete on signing_keys
begin
  select raise(abort, 'signing_keys: rows are never deleted');
end;

CREATE TRIGGER signing_keys_never_change before update on signing_keys
begin
  select raise(abort, 'signing_keys: rows never change');
end;

CREATE TRIGGER signing_keys_are_distinct before insert on signing_keys
when exists (select 1 from signing_keys where public_key = new.public_key)
begin
  select raise(abort, 'signing_keys: the row exists');
end;

CREATE TRIGGER series_are_never_deleted_once_used before delete on series
when exists (select 1 from documents where series_id = old.id and sequence is not null)
begin
  select raise(abort, 'series: the series has documents');
end;

CREATE TRIGGER series_are_never_replaced before insert on series
when exists (
  select 1 from series
  where id = new.id or rowid = new.rowid
    or (company_id = new.company_id and doc_type = new.doc_type and code_folded = new.code_folded)
)
begin
  select raise(abort, 'series: the row exists');
end;

CREATE TRIGGER series_only_move_on before update on series
when new.next_number is null
  or new.next_number < old.next_number
  or new.next_number > old.next_number + 1
  or (old.closed_at is not null and new.closed_at is distinct from old.closed_at)
  or (old.certificate_number is not null and new.certificate_number is distinct from old.certificate_number)
  or ((new.validation_code is distinct from old.validation_code
    or new.registered_at is distinct from old.registered_at)
    and exists (select 1 from documents where series_id = old.id and sequence is not null))
  or new.id is distinct from old.id or new.company_id is distinct from old.company_id
    or new.doc_type is distinct from old.doc_type or new.code is distinct from old.code
    or new.code_folded is distinct from old.code_folded or new.at_type is distinct from old.at_type
    or new.training is distinct from old.training or new.cash_vat is distinct from old.cash_vat
    or new.created_at is distinct from old.created_at
begin
  select raise(abort, 'series: a series only moves on');
end;

CREATE TRIGGER series_rowid_is_fixed before update on series
when new.rowid is distinct from old.rowid
begin
  select raise(abort, 'series: a row keeps its identity');
end;

CREATE TRIGGER companies_have_lists after insert on companies
begin
  insert into lists (company_id, name, total) values (new.id, 'customers', 0), (new.id, 'products', 0),
    (new.id, 'payments', 0);
end;

CREATE TRIGGER customers_are_counted after insert on customers
begin
  update lists set total = total + 1 where company_id = new.company_id and name = 'customers'
    and new.archived_at is null;
end;

CREATE TRIGGER customers_are_counted_when_hidden after update of company_id,
    archived_at on customers
begin
  update lists set total = total - 1 where company_id = old.company_id and name = 'customers'
    and old.archived_at is null;
  update lists set total = total + 1 where company_id = new.company_id and name = 'customers'
    and new.archived_at is null;
end;

CREATE TRIGGER customers_are_counted_when_deleted after delete on customers
begin
  update lists set total = total - 1 where company_id = old.company_id and name = 'customers'
    and old.archived_at is null;
end;

CREATE TRIGGER products_are_counted after insert on products
begin
  update lists set total = total + 1 where company_id = new.company_id and name = 'products'
    and new.archived_at is null;
end;

CREATE TRIGGER products_are_counted_when_hidden after update of company_id,
    archived_at on products
begin
  update lists set total = total - 1 where company_id = old.company_id and name = 'products'
    and old.archived_at is null;
  update lists set total = total + 1 where company_id = new.company_id and name = 'products'
    and new.archived_at is null;
end;

CREATE TRIGGER products_are_counted_when_deleted after delete on products
begin
  update lists set total = total - 1 where company_id = old.company_id and name = 'products'
    and old.archived_at is null;
end;

CREATE TRIGGER payments_are_counted after insert on payments
begin
  update lists set total = total + 1 where company_id = new.company_id and name = 'payments'
    and new.voided_at is null and new.kind = 'payment';
end;

CREATE TRIGGER payments_are_counted_when_hidden after update of company_id, voided_at on payments
begin
  update lists set total = total - 1 where company_id = old.company_id and name = 'payments'
    and old.voided_at is null and old.kind = 'payment';
  update lists set total = total + 1 where company_id = new.company_id and name = 'payments'
    and new.voided_at is null and new.kind = 'payment';
end;

CREATE TRIGGER documents_are_counted after insert on documents
begin
  insert into document_counts (company_id, grain, period, doc_type, series_id, draft, issued, cancelled,
    unpaid, paid)
  select new.company_id, grain, substr(new.issue_date, 1, length), new.doc_type, new.series_id,
    1 * (case when new.status = 'draft' then 1 else 0 end),
    1 * (case when new.status = 'issued' then 1 else 0 end),
    1 * (case when new.status = 'cancelled' then 1 else 0 end),
    1 * (case when new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS'
      or new.doc_type = 'ND') and (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) > 0 then 1 else 0 end),
    1 * (case when new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS'
      or new.doc_type = 'ND') and (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) <= 0 then 1 else 0 end)
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day',
    10) as periods where true
  on conflict (company_id, grain, period, doc_type, series_id) do update
  set draft = document_counts.draft + excluded.draft,
    issued = document_counts.issued + excluded.issued,
    cancelled = document_counts.cancelled + excluded.cancelled,
    unpaid = document_counts.unpaid + excluded.unpaid, paid = document_counts.paid + excluded.paid;
end;

CREATE TRIGGER documents_are_counted_when_changed after update of company_id,doc_type,series_id,status,issue_date on documents
when new.company_id is distinct from old.company_id or new.doc_type is distinct from old.doc_type
  or new.series_id is distinct from old.series_id or new.status is distinct from old.status
  or new.issue_date is distinct from old.issue_date
begin
  insert into document_counts (company_id, grain, period, doc_type, series_id, draft, issued, cancelled,
    unpaid, paid)
  select old.company_id, grain, substr(old.issue_date, 1, length), old.doc_type, old.series_id,
    -1 * (case when old.status = 'draft' then 1 else 0 end),
    -1 * (case when old.status = 'issued' then 1 else 0 end),
    -1 * (case when old.status = 'cancelled' then 1 else 0 end),
    -1 * (case when old.status = 'issued' and old.training = 0
    and (old.doc_type = 'FT' or old.doc_type = 'FR' or old.doc_type = 'FS'
      or old.doc_type = 'ND') and (case when old.doc_type = 'FR' then 0 else old.total_gross_cents end) > 0 then 1 else 0 end),
    -1 * (case when old.status = 'issued' and old.training = 0
    and (old.doc_type = 'FT' or old.doc_type = 'FR' or old.doc_type = 'FS'
      or old.doc_type = 'ND') and (case when old.doc_type = 'FR' then 0 else old.total_gross_cents end) <= 0 then 1 else 0 end)
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day',
    10) as periods where true
  on conflict (company_id, grain, period, doc_type, series_id) do update
  set draft = document_counts.draft + excluded.draft,
    issued = document_counts.issued + excluded.issued,
    cancelled = document_counts.cancelled + excluded.cancelled,
    unpaid = document_counts.unpaid + excluded.unpaid, paid = document_counts.paid + excluded.paid;
  insert into document_counts (company_id, grain, period, doc_type, series_id, draft, issued, cancelled,
    unpaid, paid)
  select new.company_id, grain, substr(new.issue_date, 1, length), new.doc_type, new.series_id,
    1 * (case when new.status = 'draft' then 1 else 0 end),
    1 * (case when new.status = 'issued' then 1 else 0 end),
    1 * (case when new.status = 'cancelled' then 1 else 0 end),
    1 * (case when new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS'
      or new.doc_type = 'ND') and (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) > 0 then 1 else 0 end),
    1 * (case when new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS'
      or new.doc_type = 'ND') and (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) <= 0 then 1 else 0 end)
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day',
    10) as periods where true
  on conflict (company_id, grain, period, doc_type, series_id) do update
  set draft = document_counts.draft + excluded.draft,
    issued = document_counts.issued + excluded.issued,
    cancelled = document_counts.cancelled + excluded.cancelled,
    unpaid = document_counts.unpaid + excluded.unpaid, paid = document_counts.paid + excluded.paid;
end;

CREATE TRIGGER documents_are_counted_when_deleted after delete on documents
begin
  insert into document_counts (company_id, grain, period, doc_type, series_id, draft, issued, cancelled,
    unpaid, paid)
  select old.company_id, grain, substr(old.issue_date, 1, length), old.doc_type, old.series_id,
    -1 * (case when old.status = 'draft' then 1 else 0 end),
    -1 * (case when old.status = 'issued' then 1 else 0 end),
    -1 * (case when old.status = 'cancelled' then 1 else 0 end),
    -1 * (case when old.status = 'issued' and old.training = 0
    and (old.doc_type = 'FT' or old.doc_type = 'FR' or old.doc_type = 'FS'
      or old.doc_type = 'ND') and (case when old.doc_type = 'FR' then 0 else old.total_gross_cents end) > 0 then 1 else 0 end),
    -1 * (case when old.status = 'issued' and old.training = 0
    and (old.doc_type = 'FT' or old.doc_type = 'FR' or old.doc_type = 'FS'
      or old.doc_type = 'ND') and (case when old.doc_type = 'FR' then 0 else old.total_gross_cents end) <= 0 then 1 else 0 end)
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day',
    10) as periods where true
  on conflict (company_id, grain, period, doc_type, series_id) do update
  set draft = document_counts.draft + excluded.draft,
    issued = document_counts.issued + excluded.issued,
    cancelled = document_counts.cancelled + excluded.cancelled,
    unpaid = document_counts.unpaid + excluded.unpaid, paid = document_counts.paid + excluded.paid;
end;

CREATE TRIGGER balances_are_counted after update of outstanding_cents on balances
when new.payment_status is distinct from old.payment_status
begin
  insert into document_counts (company_id, grain, period, doc_type, series_id, unpaid, partial, paid)
  select new.company_id, grain, substr(new.issue_date, 1, length), new.doc_type, new.series_id,
    (case when new.payment_status = 'unpaid' then 1 else 0 end)
      - (case when old.payment_status = 'unpaid' then 1 else 0 end),
    (case when new.payment_status = 'partial' then 1 else 0 end)
      - (case when old.payment_status = 'partial' then 1 else 0 end),
    (case when new.payment_status = 'paid' then 1 else 0 end)
      - (case when old.payment_status = 'paid' then 1 else 0 end)
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day',
    10) as periods where true
  on conflict (company_id, grain, period, doc_type, series_id) do update
  set unpaid = document_counts.unpaid + excluded.unpaid,
    partial = document_counts.partial + excluded.partial,
    paid = document_counts.paid + excluded.paid;
end;

CREATE TRIGGER debts_begin after insert on balances
when new.outstanding_cents > 0
begin
  insert into customer_debts (company_id, customer_id, outstanding_cents, documents)
  values (new.company_id, new.customer_id, new.outstanding_cents, 1)
  on conflict (company_id, customer_id) do update
  set outstanding_cents = customer_debts.outstanding_cents + excluded.outstanding_cents,
    documents = customer_debts.documents + excluded.documents;
end;

CREATE TRIGGER debts_change after update of outstanding_cents on balances
when (case when new.outstanding_cents > 0 then new.outstanding_cents else 0 end)
  <> (case when old.outstanding_cents > 0 then old.outstanding_cents else 0 end)
begin
  insert into customer_debts (company_id, customer_id, outstanding_cents, documents)
  values (new.company_id, new.customer_id,
    (case when new.outstanding_cents > 0 then new.outstanding_cents else 0 end)
    - (case when old.outstanding_cents > 0 then old.outstanding_cents else 0 end),
    (case when new.outstanding_cents > 0 then 1 else 0 end)
    - (case when old.outstanding_cents > 0 then 1 else 0 end))
  on conflict (company_id, customer_id) do update
  set outstanding_cents = customer_debts.outstanding_cents + excluded.outstanding_cents,
    documents = customer_debts.documents + excluded.documents;
end;

CREATE TRIGGER debts_end after delete on balances
when old.outstanding_cents > 0
begin
  insert into customer_debts (company_id, customer_id, outstanding_cents, documents)
  values (old.company_id, old.customer_id, -old.outstanding_cents, -1)
  on conflict (company_id, customer_id) do update
  set outstanding_cents = customer_debts.outstanding_cents + excluded.outstanding_cents,
    documents = customer_debts.documents + excluded.documents;
end;

CREATE TRIGGER customer_debts_begin after insert on customer_debts
begin
  update companies set outstanding_cents = outstanding_cents + new.outstanding_cents,
    debtor_count = debtor_count + (case when new.outstanding_cents > 0 then 1 else 0 end)
  where id = new.company_id;
end;

CREATE TRIGGER customer_debts_change after update of outstanding_cents on customer_debts
begin
  update companies set outstanding_cents = outstanding_cents + new.outstanding_cents - old.outstanding_cents,
    debtor_count = debtor_count + (case when new.outstanding_cents > 0 then 1 else 0 end)
      - (case when old.outstanding_cents > 0 then 1 else 0 end)
  where id = new.company_id;
end;

CREATE TRIGGER balances_begin after insert on documents
when new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS' or new.doc_type = 'ND')
begin
  insert into balances (document_id, company_id, doc_type, series_id, customer_id, issue_date,
    total_cents, outstanding_cents, payment_status)
  values (new.id, new.company_id, new.doc_type, new.series_id, new.customer_id, new.issue_date,
    (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end),
      (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end),
      case when (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) > 0 then 'unpaid' else 'paid' end);
end;

CREATE TRIGGER balances_begin_with_drafts after update of status on documents
when old.status = 'draft' and new.status = 'issued' and new.training = 0
    and (new.doc_type = 'FT' or new.doc_type = 'FR' or new.doc_type = 'FS' or new.doc_type = 'ND')
begin
  insert into balances (document_id, company_id, doc_type, series_id, customer_id, issue_date,
    total_cents, outstanding_cents, payment_status)
  values (new.id, new.company_id, new.doc_type, new.series_id, new.customer_id, new.issue_date,
    (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end),
      (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end),
      case when (case when new.doc_type = 'FR' then 0 else new.total_gross_cents end) > 0 then 'unpaid' else 'paid' end);
end;

CREATE TRIGGER balances_end after update of status on documents
when new.status = 'cancelled'
begin
  -- back to what it was counted as
  update balances set outstanding_cents = total_cents, refunded_cents = 0,
    payment_status = case when total_cents > 0 then 'unpaid' else 'paid' end
  where document_id = new.id;
  delete from balances where document_id = new.id;
end;

CREATE TRIGGER balances_are_credited after insert on documents
when new.status = 'issued' and new.doc_type = 'NC'
begin
  update balances
  set outstanding_cents = outstanding_cents - credit.cents,
    payment_status = case when outstanding_cents - credit.cents <= 0 then 'paid'
      when outstanding_cents - credit.cents < total_cents + refunded_cents then 'partial' else 'unpaid' end
  from (
    select referenced_id, sum(amount_cents) as cents from document_references
    where document_id = new.id group by referenced_id
  ) as credit
  where document_id = credit.referenced_id and total_cents > 0;
end;

CREATE TRIGGER balances_are_credited_by_drafts after update of status on documents
when old.status = 'draft' and new.status = 'issued' and new.doc_type = 'NC'
begin
  update balances
  set outstanding_cents = outstanding_cents - credit.cents,
    payment_status = case when outstanding_cents - credit.cents <= 0 then 'paid'
      when outstanding_cents - credit.cents < total_cents + refunded_cents then 'partial' else 'unpaid' end
  from (
    select referenced_id, sum(amount_cents) as cents from document_references
    where document_id = new.id group by referenced_id
  ) as credit
  where document_id = credit.referenced_id and total_cents > 0;
end;

CREATE TRIGGER balances_are_restored after update of status on documents
when old.status = 'issued' and new.status = 'cancelled' and new.doc_type = 'NC'
begin
  update balances
  set outstanding_cents = outstanding_cents + credit.cents,
    payment_status = case when outstanding_cents + credit.cents <= 0 then 'paid'
      when outstanding_cents + credit.cents < total_cents + refunded_cents then 'partial' else 'unpaid' end
  from (
    select referenced_id, sum(amount_cents) as cents from document_references
    where document_id = new.id group by referenced_id
  ) as credit
  where document_id = credit.referenced_id and total_cents > 0;
end;

CREATE TRIGGER balances_are_paid after insert on payments
begin
  update balances
  set outstanding_cents = outstanding_cents - money.received, refunded_cents = refunded_cents + money.refunded,
    payment_status = case when outstanding_cents - money.received <= 0 then 'paid'
      when outstanding_cents - money.received < total_cents + refunded_cents + money.refunded then 'partial' else 'unpaid' end
  from (
    select case when new.kind = 'refund' then -new.amount_cents else new.amount_cents end as received,
      case when new.kind = 'refund' then new.amount_cents else 0 end as refunded
  ) as money
  where document_id = new.document_id and total_cents > 0;
end;

CREATE TRIGGER balances_are_restored_by_voids after update of voided_at on payments
when old.voided_at is null and new.voided_at is not null
begin
  update balances
  set outstanding_cents = outstanding_cents + money.received, refunded_cents = refunded_cents - money.refunded,
    payment_status = case when outstanding_cents + money.received <= 0 then 'paid'
      when outstanding_cents + money.received < total_cents + refunded_cents - money.refunded then 'partial' else 'unpaid' end
  from (
    select case when new.kind = 'refund' then -new.amount_cents else new.amount_cents end as received,
      case when new.kind = 'refund' then new.amount_cents else 0 end as refunded
  ) as money
  where document_id = new.document_id and total_cents > 0;
end;
