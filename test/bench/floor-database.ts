/** The floor's own database, made of one that Lacre wrote: the same documents, in as many tables as it takes. */
import Database from "better-sqlite3";

const TABLES = `
create table keys (
  digest text primary key, company_id text not null, key_id text not null, code text not null, scopes text not null
) strict, without rowid;
create table companies (
  id text primary key, name text not null, tax_id text not null, address text, postal_code text, city text,
  country text not null, tax_region text not null, time_zone text not null, cash_vat integer not null,
  default_exemption_code text, simplified_limit integer, footer_text text, created_at text not null,
  event_position integer not null, event_seal text not null
) strict;
create table signing_keys (key_version integer primary key, private_key text not null) strict;
create table customers (
  id text primary key, company_id text not null, code text not null, name text not null, tax_id text, email text,
  phone text, address text, postal_code text, city text, country text, search text not null, created_at text not null
) strict;
create table series (
  id text primary key, at_type text not null, code text not null, validation_code text, next_number integer not null,
  last_hash text
) strict;
create table documents (
  id text primary key, company_id text not null, doc_type text not null, series_id text not null references series (id),
  status text not null, issue_date text not null, customer_id text not null references customers (id),
  total_net_cents integer not null, total_tax_cents integer not null, total_gross_cents integer not null,
  created_at text not null, sequence integer, number text, atcud text, system_entry_date text, issued_at text,
  issued_by text, hash text, key_version integer, qr_code text, customer text, issuer text, cancelled_at text,
  cancel_reason text, unique (series_id, sequence)
) strict;
create index documents_by_date on documents (company_id, issue_date, id);
create index documents_by_status on documents (company_id, status, issue_date, id);
create table lines (
  document_id text not null references documents (id), line_number integer not null, description text not null,
  qty_micros integer not null, unit text not null, unit_price_micros integer not null, tax_rate_bps integer not null,
  discount_bps integer not null, product_type text, primary key (document_id, line_number)
) strict, without rowid;
create table payments (
  id text primary key, company_id text not null, document_id text not null references documents (id),
  amount_cents integer not null, method_code text not null, payment_date text not null, created_at text not null,
  created_by text
) strict;
create index payments_by_document on payments (document_id);
create table events (
  company_id text not null, position integer not null, at text not null, action text not null,
  resource_id text not null, actor_id text not null, detail text, state text, seal text not null,
  primary key (company_id, position)
) strict, without rowid;
`;

/** Makes the floor's database at `file` of the one that was seeded. */
export function makeFloorDatabase(seeded: string, file: string): void {
  const db = new Database(file);
  db.pragma("journal_mode = wal");
  db.pragma("synchronous = off"); // nothing to lose yet: the server turns it on
  db.exec(TABLES);
  db.prepare("attach ? as seeded").run(seeded);
  db.exec("begin");
  db.exec(
    "insert into keys select digest, company_id, id, code, scopes from seeded.api_keys join seeded.actors using (id)",
  );
  for (const table of ["companies", "signing_keys", "customers", "series", "documents", "payments"]) copy(db, table);
  copy(db, "lines", "document_lines");
  copy(db, "events", "events where company_id is not null");
  db.exec("commit");
  db.pragma("wal_checkpoint(truncate)");
  db.close();
}

/** Copies the columns that both sides have. */
function copy(db: Database.Database, table: string, from = table): void {
  const columns = db.prepare("select group_concat(name) from pragma_table_info(?)").pluck().get(table);
  db.exec(`insert into ${table} (${columns}) select ${columns} from seeded.${from} order by 1, 2`);
}
