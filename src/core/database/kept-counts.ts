/** Recounts what is stored beside the rows themselves. Each comparison is one statement, so it sees one moment. */
import { type Expression, type Kysely, type RawBuilder, sql } from "kysely";
import type { Reader, Tables } from "./tables.ts";
import { jsonOf, larger, tableAs } from "./words.ts";

/** The stored head of a chain of events, and the position of its last event. */
export interface KeptHead {
  readonly event_position: number;
  readonly event_seal: string | null;
  readonly last_position: number;
}

/** How many rows of each table a company has, with the head of its events. */
export interface RowCounts extends KeptHead {
  readonly actors: number;
  readonly communications: number;
  readonly customers: number;
  readonly document_links: number;
  readonly emails: number;
  readonly invitations: number;
  /** Issued and cancelled documents, by the stored counts. */
  readonly documents: number;
  readonly payments: number;
  readonly products: number;
  readonly series: number;
  readonly webhooks: number;
  /** Its sums of sales as JSON, with cents as text. */
  readonly sales: string;
  /** The latest instant of issue, by the company's row and by its series. */
  readonly last_issued_at: string | null;
  readonly last_of_series: string | null;
}

interface InstallationCounts extends KeptHead {
  readonly actors: number;
  readonly invitations: number;
  readonly signing_keys: number;
}

/** The rows of sums of sales as JSON, their cents as text. */
const SALES = jsonOf({
  ...Object.fromEntries(
    ["month", "doc_type", "tax_region", "tax_code", "tax_rate_bps"].map((name) => [name, sql.ref(name)]),
  ),
  net_cents: sql`cast(net_cents as text)`,
  tax_cents: sql`cast(tax_cents as text)`,
});

/** The row counts of a company, and the head of its chain of events; undefined for no company. */
export async function countCompany(db: Reader, company_id: string): Promise<RowCounts | undefined> {
  const own = (table: string) =>
    sql`(select count(*) from ${sql.table(table)} where company_id = companies.id) as ${sql.ref(table)}`;
  const { rows } = await sql<RowCounts>`select event_position, event_seal, last_issued_at,
    (select max(last_issued_at) from ${tableAs("series")} where company_id = companies.id) as last_of_series,
    (select coalesce(max(position), 0) from ${tableAs("events")} where company_id = companies.id) as last_position,
    ${own("actors")}, ${own("communications")}, ${own("customers")}, ${own("document_links")}, ${own("emails")}, ${own("invitations")}, ${own("payments")}, ${own("products")}, ${own("series")}, ${own("webhooks")}, (
      select coalesce(sum(issued + cancelled), 0) from ${tableAs("document_counts")}
      where company_id = companies.id and grain = 'year'
    ) as documents, (
      select ${SALES} from ${tableAs("sales_sums")} where company_id = companies.id
    ) as sales from ${tableAs("companies")} where id = ${company_id}`.execute(asDb(db));
  return rows[0];
}

/**
 * The counts of signing keys, actors and invitations of the installation, and the head of its events; undefined if its
 * row is missing.
 */
export async function countInstallation(db: Reader): Promise<InstallationCounts | undefined> {
  const { rows } = await sql<InstallationCounts>`select event_position, event_seal,
    (select coalesce(max(position), 0) from ${tableAs("events")} where company_id is null) as last_position,
    (select count(*) from ${tableAs("actors")} where company_id is null) as actors,
    (select count(*) from ${tableAs("invitations")} where company_id is null) as invitations,
    (select count(*) from ${tableAs("signing_keys")}) as signing_keys from ${tableAs("installation")}`.execute(
    asDb(db),
  );
  return rows[0];
}

/** The first stored count of a company that a recount contradicts. */
export async function faultOfCounts(db: Reader, company_id: string): Promise<string | null> {
  return (
    (await faultOfTotals(db, company_id)) ??
    (await faultOfDocumentCounts(db, company_id)) ??
    (await faultOfDebts(db, company_id))
  );
}

/** Compares what each customer owes, and the sum, with the balances of their documents. */
async function faultOfDebts(db: Reader, company_id: string): Promise<string | null> {
  const { rows } = await sql<{ customer_id: string }>`
    with counted as (
      select customer_id, sum(outstanding_cents) as cents, count(*) as documents from ${tableAs("balances")}
      where company_id = ${company_id} and outstanding_cents > 0 group by customer_id
    ),
    kept as (
      select customer_id, outstanding_cents as cents, documents from ${tableAs("customer_debts")}
      where company_id = ${company_id} and (outstanding_cents <> 0 or documents <> 0)
    )
    select customer_id from (select * from counted except select * from kept) as missing
    union all select customer_id from (select * from kept except select * from counted) as surplus
    order by customer_id limit 1`.execute(asDb(db));
  const [wrong] = rows;
  if (wrong) return `What customer ${wrong.customer_id} owes is not kept as its documents have it.`;
  const { rows: totals } = await sql`
    select coalesce(sum(outstanding_cents), 0) as cents, count(distinct customer_id) as customers from ${tableAs("balances")}
    where company_id = ${company_id} and outstanding_cents > 0
    except select outstanding_cents, debtor_count from ${tableAs("companies")} where id = ${company_id}`.execute(
    asDb(db),
  );
  return totals.length > 0 ? "What all customers owe together is not kept as their documents have it." : null;
}

/** Checks the totals of lists, and the last codes given to customers and products. */
async function faultOfTotals(db: Reader, company_id: string): Promise<string | null> {
  const total = (list: string, shown: RawBuilder<unknown>) => sql`
    select ${list} as name,
      (select total from ${tableAs("lists")} where company_id = ${company_id} and name = ${list}) as kept,
      (select count(*) from ${sql.table(list)} where company_id = ${company_id} and ${shown}) as counted`;
  const own = sql.raw("cast(substr(code, 2) as integer)");
  const codes = (what: string, table: string, count: string, given: Expression<unknown>) => sql`
    select ${what} as name, ${sql.ref(count)} as kept,
      (select coalesce(max(${given}), 0) from ${sql.table(table)} where company_id = ${company_id}) as counted
    from ${tableAs("companies")} where id = ${company_id}`;
  const ownOrReserved = larger(own, sql`coalesce(reserved_number, 0)`);
  const { rows } = await sql<{ name: string; kept: number | null; counted: number }>`
    select * from (
      ${total("customers", sql`archived_at is null`)} union all ${total("products", sql`archived_at is null`)}
      union all ${total("payments", sql`voided_at is null and kind = 'payment'`)}
      union all ${codes("customer codes", "customers", "customer_count", own)}
      union all select 'enabled webhooks' as name, webhook_count as kept,
        (select count(*) from ${tableAs("webhooks")} where company_id = companies.id and disabled_at is null and deleted_at is null)
        as counted from ${tableAs("companies")} where id = ${company_id}
      union all ${codes("product codes", "products", "product_count", ownOrReserved)}
    ) as totals where kept is distinct from counted`.execute(asDb(db));
  const [wrong] = rows;
  if (!wrong) return null;
  return wrong.kept === null
    ? `The count of ${wrong.name} is missing.`
    : `The count of ${wrong.name} is kept as ${wrong.kept}; there are ${wrong.counted}.`;
}

/** Checks the documents and balances per series, day, month and year. */
async function faultOfDocumentCounts(db: Reader, company_id: string): Promise<string | null> {
  const { rows } = await sql<{ period: string; doc_type: string | null }>`
    with days as (
      select 'day' as grain, documents.issue_date as period, documents.doc_type, documents.series_id,
        count(*) filter (where status = 'draft') as draft, count(*) filter (where status = 'issued') as issued,
        count(*) filter (where status = 'cancelled') as cancelled,
        count(*) filter (where payment_status = 'unpaid') as unpaid,
        count(*) filter (where payment_status = 'partial') as partial,
        count(*) filter (where payment_status = 'paid') as paid
      from ${tableAs("documents")} left join ${tableAs("balances")} on document_id = documents.id
      where documents.company_id = ${company_id} group by 2, 3, 4
    ),
    months as (select 'month', substr(period, 1, 7), ${SUMS} from days group by 2, 3, 4),
    years as (select 'year', substr(period, 1, 4), ${SUMS} from days group by 2, 3, 4),
    counted as (select * from days union all select * from months union all select * from years),
    kept as (
      select grain, period, doc_type, series_id, draft, issued, cancelled, unpaid, partial, paid from ${tableAs("document_counts")}
      where company_id = ${company_id} and (draft <> 0 or issued <> 0 or cancelled <> 0)
    )
    select period, doc_type from (select * from counted except select * from kept) as missing
    union all select period, doc_type from (select * from kept except select * from counted) as surplus
    union all select 'none', null where (select count(*) from ${tableAs("balances")} where company_id = ${company_id})
      <> (select coalesce(sum(unpaid + partial + paid), 0) from counted where grain = 'year')
    order by period limit 1`.execute(asDb(db));
  const [period] = rows;
  if (!period) return null;
  return period.doc_type === null
    ? "A balance is kept of no document."
    : `The number of ${period.doc_type} kept for ${period.period} is not that of its documents.`;
}

const SUMS = sql.raw(
  `doc_type, series_id, ${["draft", "issued", "cancelled", "unpaid", "partial", "paid"].map((name) => `sum(${name})`)}`,
);

/** The first row whose owner is missing: an event without its company; a key, user or member without its actor. */
export async function faultOfOwners(db: Reader): Promise<string | null> {
  const { rows } = await sql<{ fault: string }>`
    select * from (
      select 'There are events of company ' || company_id || ', which is missing.' as fault from ${tableAs("events")}
      where company_id is not null and not exists (select 1 from ${tableAs("companies")} where id = events.company_id) limit 1
    ) as ownerless_events
    ${sql.join((["api_keys", "users", "memberships"] as const).map(withoutActor), sql``)}`.execute(asDb(db));
  return rows[0]?.fault ?? null;
}

/** The first row of a table whose actor is missing. */
function withoutActor(table: keyof Tables) {
  return sql`union all select * from (
      select ${sql.lit(`The actor of ${table} `)} || id || ' is missing.' from ${tableAs(table)}
      where not exists (select 1 from ${tableAs("actors")} where actors.id = ${sql.id(table, "id")}) limit 1
    ) as ${sql.ref(`ownerless_${table}`)}`;
}

/** A statement written as text can be run on any database; a `Reader` hides that so that no other room writes one. */
function asDb(db: Reader): Kysely<Tables> {
  return db as Kysely<Tables>;
}
