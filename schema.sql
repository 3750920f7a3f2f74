-- The database as the migrations build it: a photograph, taken by test/core/database/schema.test.ts (vitest -u retakes it).
-- Tables first, in the order they were made, each with its indexes; then the guards.

CREATE TABLE migrations (
  id text primary key,
  -- SHA-256 of the migration's text
  digest text not null,
  applied_at text not null
) strict;

CREATE TABLE companies (
  id text primary key,
  name text not null,
  tax_id text not null,
  address text,
  postal_code text,
  city text,
  country text not null,
  tax_region text not null check (tax_region in ('PT', 'PT-AC', 'PT-MA')),
  time_zone text not null,
  cash_vat integer not null check (cash_vat in (0, 1)),
  default_exemption_code text,
  -- printed at the foot of every document
  footer_text text,
  -- the last customer code given (C17); never reused
  customer_count integer not null default 0,
  -- the operator confirmed a clock behind this instant (see series/clock-guard.ts)
  clock_confirmed_for text,
  clock_confirmed_at text,
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
  -- folded copy of name, tax_id, email, phone (see runtime/search.ts)
  search text not null,
  created_at text not null,
  archived_at text,
  unique (company_id, code)
) strict;

CREATE INDEX customers_by_company on customers (company_id, id) where archived_at is null;

CREATE VIRTUAL TABLE customer_search using fts5 (pieces, content='', contentless_delete=1, detail=none, prefix='2 3', tokenize="ascii tokenchars ' !""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'");

CREATE TABLE products (
  -- the rowid, named so that SQLite never changes it: product_search refers to it
  position integer primary key,
  id text not null unique,
  company_id text not null references companies (id),
  name text not null,
  sku text,
  unit text not null,
  type text not null check (type in ('P', 'S')),
  unit_price_micros integer not null check (unit_price_micros >= 0),
  tax_rate_bps integer not null check (tax_rate_bps between 0 and 10000),
  stock_micros integer,
  exemption_code text,
  -- folded copy of name, sku
  search text not null,
  created_at text not null,
  archived_at text
) strict;

CREATE INDEX products_by_company on products (company_id, id) where archived_at is null;

CREATE VIRTUAL TABLE product_search using fts5 (pieces, content='', contentless_delete=1, detail=none, prefix='2 3', tokenize="ascii tokenchars ' !""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'");

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
  training integer not null check (training in (0, 1)),
  -- the certificate its documents are issued under, 0 for none; set by the first one and then fixed
  certificate_number integer,
  -- the head: everything the next document needs; only takeNumber() changes it
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

CREATE INDEX series_by_company on series (company_id, id);

CREATE INDEX series_by_latest on series (company_id, last_issued_at);

CREATE INDEX series_restore_locked on series (company_id) where restore_locked_at is not null;

CREATE TABLE documents (
  id text primary key,
  company_id text not null references companies (id),
  doc_type text not null,
  series_id text not null references series (id),
  status text not null check (status in ('draft', 'issued', 'cancelled')),
  issue_date text not null,
  due_date text,
  customer_id text not null references customers (id),
  global_discount_bps integer not null check (global_discount_bps between 0 and 10000),
  notes text,
  -- 1 in a training series: no balance, no link with a real document
  training integer not null check (training in (0, 1)),
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

CREATE INDEX documents_by_type on documents (company_id, doc_type, issue_date, id);

CREATE INDEX documents_by_status on documents (company_id, status, issue_date, id);

CREATE INDEX documents_by_type_and_status on documents (company_id, doc_type, status, issue_date, id);

CREATE INDEX documents_by_date on documents (company_id, issue_date, id);

CREATE INDEX documents_by_customer on documents (customer_id);

CREATE TABLE document_lines (
  -- checked at commit: a document created as issued is inserted after its parts, as it takes none later
  document_id text not null references documents (id) deferrable initially deferred,
  line_number integer not null,
  description text not null,
  qty_micros integer not null check (qty_micros > 0),
  unit text not null,
  unit_price_micros integer not null check (unit_price_micros >= 0),
  tax_rate_bps integer not null check (tax_rate_bps between 0 and 10000),
  discount_bps integer not null check (discount_bps between 0 and 10000),
  product_id text references products (id),
  reference_id text references documents (id),
  -- on a draft as given; at issue frozen as the reason found for the zero rate
  exemption_code text,
  -- frozen at issue: where and how it is taxed, and the product as it was
  tax_region text,
  tax_code text,
  product_code text,
  product_name text,
  product_type text,
  primary key (document_id, line_number)
) strict, without rowid;

CREATE INDEX document_lines_by_reference on document_lines (reference_id) where reference_id is not null;

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
  -- payments made on the spot, frozen with the document; at issue each becomes a payment with the same id
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
  document_id text not null references documents (id),
  amount_cents integer not null check (amount_cents > 0),
  method_code text not null,
  payment_date text not null,
  created_at text not null,
  created_by text not null references actors (id),
  voided_at text,
  voided_by text references actors (id)
) strict, without rowid;

CREATE INDEX payments_by_document on payments (document_id, company_id, id);

CREATE INDEX payments_by_company on payments (company_id, id) where voided_at is null;

CREATE TABLE events (
  id text primary key,
  company_id text references companies (id),
  at text not null,
  -- noun.verb in the past tense: document.issued
  action text not null,
  resource_id text,
  actor_id text not null references actors (id),
  -- JSON: what the resource itself does not show
  detail text
) strict, without rowid;

CREATE INDEX events_by_company on events (company_id, id);

CREATE TABLE idempotency_keys (
  company_id text not null references companies (id),
  key text not null,
  -- SHA-256 of operation and input
  fingerprint text not null,
  -- JSON text of the answer
  answer text not null,
  -- null: kept forever, because it issued a document
  expires_at text,
  primary key (company_id, key)
) strict;

CREATE INDEX idempotency_keys_by_expiry on idempotency_keys (expires_at) where expires_at is not null;

CREATE TABLE lists (
  -- also marks the list's words in a search index (see runtime/search.ts)
  number integer primary key,
  company_id text not null references companies (id),
  -- customers, products, payments, events
  name text not null,
  -- the number of rows it shows, kept by triggers: no list is counted row by row
  total integer not null,
  unique (company_id, name)
) strict;

CREATE TABLE document_counts (
  -- documents of a type by status, per year, month and day of issue; kept by triggers
  company_id text not null references companies (id),
  grain text not null check (grain in ('year', 'month', 'day')),
  -- 2026, 2026-03 or 2026-03-14
  period text not null,
  doc_type text not null,
  draft integer not null,
  issued integer not null,
  cancelled integer not null,
  primary key (company_id, grain, period, doc_type)
) strict, without rowid;

CREATE TABLE installation (
  -- one row, with the history of this file
  id integer primary key check (id = 1),
  created_at text not null,
  -- set in a backup when it is taken and never cleared: such a file starts locked
  backup_taken_at text,
  restores integer not null default 0,
  -- the number AT gave the program's producer; 0 without certification
  certificate_number integer not null default 0 check (certificate_number between 0 and 9999),
  producer_name text,
  producer_tax_id text
) strict;

CREATE TRIGGER documents_begin_as_drafts_or_issued before insert on documents
when new.status = 'cancelled'
  or (new.status = 'issued' and new.sequence is not (select next_number - 1 from series where id = new.series_id))
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
when new.id is not old.id or new.rowid is not old.rowid
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
  not (new.company_id is not old.company_id or new.doc_type is not old.doc_type or new.series_id is not old.series_id or new.issue_date is not old.issue_date or new.due_date is not old.due_date or new.customer_id is not old.customer_id or new.global_discount_bps is not old.global_discount_bps or new.notes is not old.notes or new.training is not old.training or new.transport is not old.transport or new.total_net_cents is not old.total_net_cents or new.total_tax_cents is not old.total_tax_cents or new.total_gross_cents is not old.total_gross_cents or new.created_at is not old.created_at or new.sequence is not old.sequence or new.number is not old.number or new.atcud is not old.atcud or new.system_entry_date is not old.system_entry_date or new.issued_at is not old.issued_at or new.issued_by is not old.issued_by or new.hash is not old.hash or new.key_version is not old.key_version or new.certificate_number is not old.certificate_number or new.qr_code is not old.qr_code or new.customer is not old.customer or new.issuer is not old.issuer or new.seal is not old.seal)
  and (
    (old.status = 'issued' and new.status = 'cancelled' and new.at_doc_code is old.at_doc_code)
    or (
      old.status = 'issued' and new.status = 'issued' and old.at_doc_code is null and new.at_doc_code is not null
      and not (new.cancelled_at is not old.cancelled_at or new.cancelled_by is not old.cancelled_by or new.cancel_reason is not old.cancel_reason)
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
when (select status from documents where id = old.document_id) is not 'draft'
begin
  select raise(abort, 'document_lines: the document is issued');
end;

CREATE TRIGGER document_lines_no_delete_once_issued before delete on document_lines
when (select status from documents where id = old.document_id) is not 'draft'
begin
  select raise(abort, 'document_lines: the document is issued');
end;

CREATE TRIGGER document_lines_identity_is_fixed before update on document_lines
when new.document_id is not old.document_id or new.line_number is not old.line_number
begin
  select raise(abort, 'document_lines: a row keeps its identity');
end;

CREATE TRIGGER document_references_no_insert_once_issued before insert on document_references
when (select status from documents where id = new.document_id) <> 'draft'
begin
  select raise(abort, 'document_references: the document is issued');
end;

CREATE TRIGGER document_references_no_update_once_issued before update on document_references
when (select status from documents where id = old.document_id) is not 'draft'
begin
  select raise(abort, 'document_references: the document is issued');
end;

CREATE TRIGGER document_references_no_delete_once_issued before delete on document_references
when (select status from documents where id = old.document_id) is not 'draft'
begin
  select raise(abort, 'document_references: the document is issued');
end;

CREATE TRIGGER document_references_identity_is_fixed before update on document_references
when new.document_id is not old.document_id or new.position is not old.position
begin
  select raise(abort, 'document_references: a row keeps its identity');
end;

CREATE TRIGGER document_payments_no_insert_once_issued before insert on document_payments
when (select status from documents where id = new.document_id) <> 'draft'
begin
  select raise(abort, 'document_payments: the document is issued');
end;

CREATE TRIGGER document_payments_no_update_once_issued before update on document_payments
when (select status from documents where id = old.document_id) is not 'draft'
begin
  select raise(abort, 'document_payments: the document is issued');
end;

CREATE TRIGGER document_payments_no_delete_once_issued before delete on document_payments
when (select status from documents where id = old.document_id) is not 'draft'
begin
  select raise(abort, 'document_payments: the document is issued');
end;

CREATE TRIGGER document_payments_identity_is_fixed before update on document_payments
when new.document_id is not old.document_id or new.position is not old.position or new.payment_id is not old.payment_id
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
when old.voided_at is not null or new.voided_at is null or new.id is not old.id or new.company_id is not old.company_id or new.document_id is not old.document_id or new.amount_cents is not old.amount_cents or new.method_code is not old.method_code or new.payment_date is not old.payment_date or new.created_at is not old.created_at or new.created_by is not old.created_by
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
when new.id is not old.id or new.created_at is not old.created_at
begin
  select raise(abort, 'companies: rows never change');
end;

CREATE TRIGGER events_are_never_replaced before insert on events
when exists (select 1 from events where id = new.id)
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
when exists (select 1 from actors where company_id is new.company_id and code = new.code)
begin
  select raise(abort, 'actors: the row exists');
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
  or (old.closed_at is not null and new.closed_at is not old.closed_at)
  or (old.certificate_number is not null and new.certificate_number is not old.certificate_number)
  or (new.validation_code is not old.validation_code
    and exists (select 1 from documents where series_id = old.id and sequence is not null))
  or new.id is not old.id or new.rowid is not old.rowid or new.company_id is not old.company_id or new.doc_type is not old.doc_type or new.code is not old.code or new.code_folded is not old.code_folded or new.at_type is not old.at_type or new.training is not old.training or new.created_at is not old.created_at
begin
  select raise(abort, 'series: a series only moves on');
end;

CREATE TRIGGER customers_are_counted after insert on customers
begin
  insert into lists (company_id, name, total) select new.company_id, 'customers', 1
  where new.company_id is not null and new.archived_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
end;

CREATE TRIGGER customers_are_counted_when_hidden after update of company_id, archived_at on customers
begin
  insert into lists (company_id, name, total) select old.company_id, 'customers', -1
  where old.company_id is not null and old.archived_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
  insert into lists (company_id, name, total) select new.company_id, 'customers', 1
  where new.company_id is not null and new.archived_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
end;

CREATE TRIGGER customers_are_counted_when_deleted after delete on customers
begin
  insert into lists (company_id, name, total) select old.company_id, 'customers', -1
  where old.company_id is not null and old.archived_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
end;

CREATE TRIGGER products_are_counted after insert on products
begin
  insert into lists (company_id, name, total) select new.company_id, 'products', 1
  where new.company_id is not null and new.archived_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
end;

CREATE TRIGGER products_are_counted_when_hidden after update of company_id, archived_at on products
begin
  insert into lists (company_id, name, total) select old.company_id, 'products', -1
  where old.company_id is not null and old.archived_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
  insert into lists (company_id, name, total) select new.company_id, 'products', 1
  where new.company_id is not null and new.archived_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
end;

CREATE TRIGGER products_are_counted_when_deleted after delete on products
begin
  insert into lists (company_id, name, total) select old.company_id, 'products', -1
  where old.company_id is not null and old.archived_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
end;

CREATE TRIGGER payments_are_counted after insert on payments
begin
  insert into lists (company_id, name, total) select new.company_id, 'payments', 1
  where new.company_id is not null and new.voided_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
end;

CREATE TRIGGER payments_are_counted_when_hidden after update of company_id, voided_at on payments
begin
  insert into lists (company_id, name, total) select old.company_id, 'payments', -1
  where old.company_id is not null and old.voided_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
  insert into lists (company_id, name, total) select new.company_id, 'payments', 1
  where new.company_id is not null and new.voided_at is null
  on conflict (company_id, name) do update set total = total + excluded.total;
end;

CREATE TRIGGER events_are_counted after insert on events
begin
  insert into lists (company_id, name, total) select new.company_id, 'events', 1
  where new.company_id is not null
  on conflict (company_id, name) do update set total = total + excluded.total;
end;

CREATE TRIGGER documents_are_counted after insert on documents
begin
  insert into document_counts (company_id, grain, period, doc_type, draft, issued, cancelled)
  select new.company_id, grain, substr(new.issue_date, 1, length), new.doc_type,
    1 * (new.status = 'draft'), 1 * (new.status = 'issued'), 1 * (new.status = 'cancelled')
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day', 10) where true
  on conflict (company_id, grain, period, doc_type) do update
  set draft = draft + excluded.draft, issued = issued + excluded.issued, cancelled = cancelled + excluded.cancelled;
end;

CREATE TRIGGER documents_are_counted_when_changed after update of company_id,doc_type,status,issue_date on documents
when new.company_id is not old.company_id or new.doc_type is not old.doc_type or new.status is not old.status or new.issue_date is not old.issue_date
begin
  insert into document_counts (company_id, grain, period, doc_type, draft, issued, cancelled)
  select old.company_id, grain, substr(old.issue_date, 1, length), old.doc_type,
    -1 * (old.status = 'draft'), -1 * (old.status = 'issued'), -1 * (old.status = 'cancelled')
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day', 10) where true
  on conflict (company_id, grain, period, doc_type) do update
  set draft = draft + excluded.draft, issued = issued + excluded.issued, cancelled = cancelled + excluded.cancelled;
  insert into document_counts (company_id, grain, period, doc_type, draft, issued, cancelled)
  select new.company_id, grain, substr(new.issue_date, 1, length), new.doc_type,
    1 * (new.status = 'draft'), 1 * (new.status = 'issued'), 1 * (new.status = 'cancelled')
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day', 10) where true
  on conflict (company_id, grain, period, doc_type) do update
  set draft = draft + excluded.draft, issued = issued + excluded.issued, cancelled = cancelled + excluded.cancelled;
end;

CREATE TRIGGER documents_are_counted_when_deleted after delete on documents
begin
  insert into document_counts (company_id, grain, period, doc_type, draft, issued, cancelled)
  select old.company_id, grain, substr(old.issue_date, 1, length), old.doc_type,
    -1 * (old.status = 'draft'), -1 * (old.status = 'issued'), -1 * (old.status = 'cancelled')
  from (select 'year' as grain, 4 as length union all select 'month', 7 union all select 'day', 10) where true
  on conflict (company_id, grain, period, doc_type) do update
  set draft = draft + excluded.draft, issued = issued + excluded.issued, cancelled = cancelled + excluded.cancelled;
end;
