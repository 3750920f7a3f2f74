/** PostgreSQL's engine: how statements are written for it, its locks, and what its schema says. */
import {
  PostgresAdapter,
  PostgresQueryCompiler,
  type RawNode,
  type SchemableIdentifierNode,
  sql,
  type Transaction,
} from "kysely";
import type { CountedRequest, CountOfRequests, DatabaseLocation, Engine, HeadOfChain, Holder } from "./engine.ts";
import { mustKnow } from "./migrations/known.ts";
import { thingsOf } from "./postgres-catalogue.ts";
import { DUE } from "./postgres-due.ts";
import { asText, preparedSelect } from "./prepared.ts";
import { type Reader, TABLE_NAMES, type Tables } from "./tables.ts";
import { textFor } from "./words.ts";

/** The most commands in one transaction: a server keeps 64 savepoints of a transaction at hand, and spills the rest. */
const MAX_TOGETHER = 32;

/**
 * Held, together with a number for the schema's name, by whoever migrates. Any number that no other program uses will
 * do.
 */
const SCHEMA_LOCK = 5_172_233;

/**
 * What tells databases apart: a restored dump has another table, another cluster another number, and a server that took
 * over, or was recovered to a point in time, another timeline. Some services hide the last two.
 */
async function placeOf(db: Reader, table: string): Promise<DatabaseLocation> {
  const [own] = await tableOf(db, { table });
  const [cluster] = await Promise.resolve(clusterOf(db, {})).catch(() => []);
  return { table: `${cluster?.cluster ?? ""}/${own?.place}`, timeline: cluster?.timeline ?? "" };
}

const tableOf = preparedSelect((db, { table }: { table: string }) =>
  asText(
    db,
    sql<{ place: string }>`select concat(oid::text, '/', to_regclass(${table})::oid::text) as place
      from pg_database where datname = current_database()`,
  ),
);

const clusterOf = preparedSelect((db, _: object) =>
  asText(
    db,
    sql<{ cluster: string; timeline: string }>`select system_identifier::text as cluster,
      substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline from pg_control_system()`,
  ),
);

/**
 * Makes PostgreSQL's engine, with Lacre's tables in a schema. `losesNothing`: a standby that takes over has every
 * acknowledged document.
 */
export function postgresEngine(schema: string, losesNothing = false): Engine {
  return {
    name: "postgres",
    compiler: new SchemaQueryCompiler(schema),
    adapter: new PostgresAdapter(),
    maxTogether: MAX_TOGETHER,
    isBackedUpByServer: true,
    laneOf: (company_id) => company_id,
    async lock(db, company_id) {
      const [locked] = await lockOf(db, { company_id });
      if (!locked) return undefined;
      const { at, applied, ...head } = locked;
      mustKnow(applied);
      return { at: new Date(at), head };
    },
    countRequest,
    bound: (db, ms) => boundOf(db, { ms: String(ms) }),
    cancel: async (db, pid) => canceled(db, { pid }),
    holderOf: async (db, pid) => (await rootOf(db, { pid }))[0],
    lockCompanies: (db) => everyCompany(db, {}),
    async lockSchema(db) {
      await sql`select pg_advisory_xact_lock(${sql.lit(SCHEMA_LOCK)}, hashtext(${schema}))`.execute(db);
      // Checked first: creating a schema that exists needs a right that a role for serving does not have.
      const { rows } = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(db);
      if (rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(db);
    },
    stepsOf: ({ postgres }) => postgres((name) => `${quoted(schema)}.${name}`),
    beginStoring: (db) => sql`set constraints all immediate`.execute(db), // no index is made while checks wait
    settleStored: (db) => settleStored(db, quoted(schema)),
    tables: TABLE_NAMES,
    async columnsOf(db, table) {
      const rows = await columnsOf(db, { table: `${quoted(schema)}.${table}` });
      return rows.map(({ name }) => name);
    },
    async placeOf(db) {
      const place = await placeOf(db, `${quoted(schema)}.installation`);
      return losesNothing ? { ...place, timeline: "" } : place;
    },
    async tablesOf(db) {
      const rows = await tablesOf(db, { schema: quoted(schema) });
      return rows.map(({ name }) => name);
    },
    thingsOf: (db) => thingsOf(db, { schema: quoted(schema) }),
    due: async () => DUE,
  };
}

const NOW_MS = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** The clock is read once the row is locked: read before, it could be behind a document that was issued meanwhile. */
const lockOf = preparedSelect((db, { company_id }: { company_id: string | undefined }) => {
  const row =
    company_id === undefined
      ? sql`select event_position, event_seal, 0::bigint as webhook_count from ${sql.table("installation")}`
      : sql`select event_position, event_seal, webhook_count from ${sql.table("companies")} where id = ${company_id}`;
  return asText(
    db,
    sql<
      HeadOfChain & { readonly at: number; readonly applied: number }
    >`select ${NOW_MS} as at, (select count(*) from ${sql.table("migrations")}) as applied, locked.*
      from (${row} for no key update) as locked`,
  );
});

/** Those who wait in line block others, too: the holder is the one that nobody blocks. */
const rootOf = preparedSelect((db, { pid }: { pid: number }) =>
  asText(
    db,
    sql<Holder>`with recursive chain (pid) as (
        select unnest(pg_blocking_pids(${pid}::integer))
        union select unnest(pg_blocking_pids(chain.pid)) from chain
      )
      select pid::bigint as pid, coalesce(application_name, '') as program,
        coalesce(extract(epoch from clock_timestamp() - xact_start), 0)::bigint as seconds
      from chain join pg_stat_activity using (pid)
      where cardinality(pg_blocking_pids(pid)) = 0 order by xact_start limit 1`,
  ),
);

const canceled = preparedSelect((db, { pid }: { pid: number }) =>
  asText(db, sql`select pg_cancel_backend(${pid}::integer)`),
);

const boundOf = preparedSelect((db, { ms }: { ms: string }) =>
  asText(db, sql`select set_config('lock_timeout', ${ms}, true), set_config('statement_timeout', ${ms}, true)`),
);

/** One statement, so that whoever waits for the row counts the requests accepted before it. */
const countOf = preparedSelect((db, { key, limit, window_ms }: CountedRequest) =>
  asText(
    db,
    sql<{ accepted: number; used: number; oldest: number | null; now: number }>`
      insert into ${sql.table("rate_log")} as log (key, times, accepted)
      select ${key}, case when ${limit}::bigint > 0 then array[ms] else array[]::bigint[] end,
        case when ${limit}::bigint > 0 then 1 else 0 end
      from (select ${NOW_MS} as ms) as clock
      on conflict (key) do update set (times, accepted) = (
        select case when cardinality(kept.times) < ${limit}::bigint then kept.times || ms else kept.times end,
          case when cardinality(kept.times) < ${limit}::bigint then 1 else 0 end
        from (select ${NOW_MS} as ms) as clock, lateral (
          select coalesce(array_agg(time order by time), array[]::bigint[]) as times
          from unnest(log.times) as counted (time) where time > ms - ${window_ms}::bigint
        ) as kept
      )
      returning accepted, cardinality(times)::bigint as used, times[1] as oldest, ${NOW_MS} as now`,
  ),
);

/** How many requests a process counts between two sweeps of idle keys. */
const SWEPT_EACH = 1_000;
let until_swept = SWEPT_EACH;

async function countRequest(db: Reader, request: CountedRequest): Promise<CountOfRequests> {
  if (--until_swept === 0) {
    until_swept = SWEPT_EACH;
    await forgetResting(db, { window_ms: request.window_ms });
  }
  const [counted] = await countOf(db, request);
  if (!counted) throw new Error("A request was not counted.");
  const { accepted, used, oldest, now } = counted;
  return { accepted: accepted === 1, used, oldest_ms: now - (oldest ?? now) };
}

const forgetResting = preparedSelect((db, { window_ms }: Pick<CountedRequest, "window_ms">) =>
  asText(
    db,
    sql`delete from ${sql.table("rate_log")} where coalesce(times[cardinality(times)], 0) < ${NOW_MS} - ${window_ms}::bigint`,
  ),
);

const everyCompany = preparedSelect((db, _: object) =>
  asText(db, sql`select 1 from ${sql.table("companies")} order by id for no key update`),
);

/** The server has no statistics of uncommitted tables; without them a plan may walk through all rows. */
async function settleStored(db: Transaction<Tables>, schema: string): Promise<void> {
  for (const name of TABLE_NAMES) {
    const table = `${schema}.${name}`;
    if ((await columnsOf(db, { table })).length === 0) continue; // an older schema has not every table
    for (const { name: column } of await numberedOf(db, { table })) {
      await sql`select setval(pg_get_serial_sequence(${table}, ${column}), coalesce(max(${sql.ref(column)}), 1),
        count(*) > 0) from ${sql.table(name)}`.execute(db);
    }
    await sql`analyze ${sql.table(name)}`.execute(db);
  }
}

/** The columns of a table that a sequence numbers. */
const numberedOf = preparedSelect((db, { table }: { table: string }) =>
  asText(
    db,
    sql<{ name: string }>`select attname::text as name from pg_attribute
      where attrelid = to_regclass(${table}) and attidentity <> ''`,
  ),
);

const columnsOf = preparedSelect((db, { table }: { table: string }) =>
  asText(
    db,
    sql<{ name: string }>`select attname::text as name from pg_attribute
      where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped order by attnum`,
  ),
);

const tablesOf = preparedSelect((db, { schema }: { schema: string }) =>
  asText(
    db,
    sql<{ name: string }>`select relname::text as name from pg_class
      where relnamespace = to_regnamespace(${schema}) and relkind in ('r', 'p', 'v', 'm', 'f') order by relname`,
  ),
);

/** A name as SQL writes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Puts the schema before the name of each of Lacre's tables: a search path would not hold behind every pooler. */
class SchemaQueryCompiler extends PostgresQueryCompiler {
  readonly #schema: string;

  constructor(schema: string) {
    super();
    this.#schema = schema;
  }

  protected override visitSchemableIdentifier(node: SchemableIdentifierNode): void {
    if (!node.schema && TABLE_NAMES.has(node.identifier.name)) this.append(`${quoted(this.#schema)}.`);
    super.visitSchemableIdentifier(node);
  }

  protected override visitRaw(node: RawNode): void {
    super.visitRaw(textFor("postgres", node));
  }
}
