/**
 * The state of a row: a digest of it as an event left it. Each event stores the state of its resource's row, so that
 * verifying finds a row that anything but Lacre has changed. A state begins with the version of its columns.
 */
import { hash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { digestOf, type Sealable, versionOf } from "../fiscal/chain.ts";
import { type Covered, coverage, newestOf } from "./columns.ts";
import { asText, preparedSelect } from "./prepared.ts";
import { coveredIn, type Reader, type Row, type Tables } from "./tables.ts";
import { likely } from "./words.ts";

/** The resource of events about the installation itself. */
export const INSTALLATION = "installation";

type ColumnOf<Name extends keyof Tables> = keyof Tables[Name] & string;

/** A table whose columns are part of the state of another's row. */
interface JoinedTable<Name extends keyof Tables> {
  readonly table: Name;
  /** The column that holds the id of the row; `id` when left out. */
  readonly by?: ColumnOf<Name>;
  readonly left_out?: readonly ColumnOf<Name>[];
  /** Names for columns whose own is taken. */
  readonly as?: { readonly [Column in ColumnOf<Name>]?: string };
}

type Joined = { [Name in keyof Tables]: JoinedTable<Name> }[keyof Tables];

/** A kind of row that events name. */
interface Kind<Column extends string = string> {
  readonly joined?: readonly Joined[];
  /** The expression by which events name the row; its id when left out. */
  readonly id?: RawBuilder<unknown>;
  /**
   * The column with the company of the row, `company_id` when left out; null if the row belongs to the installation.
   */
  readonly company?: Column | null;
  /**
   * Columns that change without an event; verifying recomputes all of them but the installation's place, and those of
   * sessions, webhooks and e-mails.
   */
  readonly counted?: readonly Column[];
}

const KINDS = {
  actors: {
    joined: [
      { table: "api_keys" },
      { table: "users", left_out: ["language"] },
      { table: "memberships", as: { company_id: "member_of", disabled_at: "left_at" } },
    ],
  },
  communications: {},
  companies: {
    joined: [
      { table: "company_logos", by: "company_id" },
      {
        table: "company_mail",
        by: "company_id",
        left_out: [
          ...["server_password", "taken_at", "failing_since", "tested_at"],
          ...["remind_at", "reminded_until", "remind_after"],
        ],
        as: { name: "mail_name" },
      },
    ],
    company: "id",
    counted: [
      ...["customer_count", "product_count", "event_position", "event_seal", "webhook_count"],
      ...["last_issued_at", "outstanding_cents", "debtor_count"],
    ],
  },
  customers: {},
  document_links: {},
  emails: { counted: ["doubts"] },
  invitations: {},
  installation: {
    id: sql`${sql.lit(INSTALLATION)}`,
    company: null,
    counted: ["event_position", "event_seal", "place"],
  },
  payments: {},
  products: {},
  sessions: { company: null, counted: ["last_seen_at", "confirmed_until"] },
  series: {
    // the head and the certificate, which follow from its documents
    counted: [
      "next_number",
      "last_issue_date",
      "last_entry_date",
      "last_issued_at",
      "last_hash",
      "last_seal",
      "certificate_number",
    ],
  },
  webhooks: { counted: ["failing_since", "taken_at"] },
  signing_keys: { id: sql`cast(${sql.ref("signing_keys.key_version")} as text)`, company: null },
} as const satisfies { readonly [Name in keyof Tables]?: Kind<ColumnOf<Name>> };

/** The tables whose rows events name, except `documents`: their frozen columns have a seal of their own. */
export type RecordedTable = keyof typeof KINDS;

/** A row beside the last event that names it, both read at one moment. */
export interface RecordedRow {
  readonly resource_id: string;
  /** The row's state now, in the version of the state that its last event stored. */
  readonly state: string;
  /** Its last event: the action, a space, and the state that it stored, if any; null without an event. */
  readonly last_event: string | null;
}

const ROWS_AT_ONCE = 256;

/** The last event that names a row by this column, to be selected beside it as `last_event`. */
export function lastEventOf(id: string | RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`(select action || ' ' || coalesce(state, '') from ${sql.table("events")}
    where resource_id = ${typeof id === "string" ? sql.ref(id) : id} order by position desc limit 1)`;
}

/** The action of a last event, and the state that it stored; empty if it stored none. */
export function partsOfLast(last_event: string): [action: string, state: string] {
  const space = last_event.indexOf(" ");
  return [last_event.slice(0, space), last_event.slice(space + 1)];
}

/** A column of a kind: where it is, and its name in the state. */
interface Stated extends Covered {
  readonly ref: string;
}

function statedIn(
  table: keyof Tables,
  left_out: readonly string[],
  as: Readonly<Record<string, string>> = {},
): Stated[] {
  return coveredIn(table, left_out).map(({ name, since }) => ({
    name: as[name] ?? name,
    since,
    ref: `${table}.${name}`,
  }));
}

/** The columns that the state of a row covers, by the table of its kind. */
export const STATED = byKind((table) => {
  const { joined = [], counted = [] }: Kind = KINDS[table];
  return [
    ...statedIn(table, counted),
    ...joined.flatMap(({ table, by = "id", left_out = [], as }) => statedIn(table, [by, ...left_out], as)),
  ];
});

function byKind<T>(make: (table: RecordedTable) => T): Readonly<Record<RecordedTable, T>> {
  const tables = Object.keys(KINDS) as RecordedTable[];
  return Object.fromEntries(tables.map((table) => [table, make(table)])) as Record<RecordedTable, T>;
}

function readersOf(table: RecordedTable) {
  const { joined = [], company = "company_id", ...kind }: Kind = KINDS[table];
  const id = kind.id ?? sql.ref(`${table}.id`);
  const stated = STATED[table];
  const columns = sql.join(stated.map(({ name, ref }) => sql`${sql.ref(ref)} as ${sql.ref(name)}`));
  const joins = joined.map(
    ({ table: other, by = "id" }) =>
      sql`left join ${sql.table(other)} on ${sql.ref(`${other}.${by}`)} = ${sql.ref(`${table}.id`)}`,
  );
  const from = sql`from ${sql.join([sql.table(table), ...joins], sql` `)}`;
  const byId = preparedSelect((db, { resource_id }: { resource_id: string }) =>
    asText(db, sql<object>`select ${columns} ${from} where ${id} = ${resource_id}`),
  );
  const page = preparedSelect((db, { company_id, after }: { company_id: string | undefined; after: string }) => {
    // `likely` keeps the index from being chosen by it: rows come in the order of their ids, without sorting.
    const owner = company === null ? sql`null` : sql.ref(`${table}.${company}`);
    const mine = company_id === undefined ? sql`${owner} is null` : sql`${owner} = ${company_id}`;
    return asText(
      db,
      sql<Omit<RecordedRow, "state">>`select ${columns}, ${id} as resource_id, ${lastEventOf(id)} as last_event ${from}
        where ${likely(mine)} and ${id} > ${after} order by resource_id limit ${sql.lit(ROWS_AT_ONCE)}`,
    );
  });
  return { byId, page, version: newestOf(stated), covered: coverage(stated) };
}

const READERS = byKind(readersOf);

/** The state of a row with all the columns that its kind covers; by the newest version when left out. */
export function rowState(table: RecordedTable, row: object, version: number = READERS[table].version): string {
  return stateOf(row, READERS[table].covered(version, row), version);
}

/** The stored state of a row; null if it has none. */
export async function stateById(db: Reader, table: RecordedTable, resource_id: string): Promise<string | null> {
  const [row] = await READERS[table].byId(db, { resource_id });
  return row ? rowState(table, row) : null;
}

/** The rows of a company, or of the installation, that follow `after`: at most 256, in the order of their resources. */
export async function recordedRows(
  db: Reader,
  table: RecordedTable,
  company_id: string | null,
  after: string,
): Promise<RecordedRow[]> {
  const found = await READERS[table].page(db, { company_id: company_id ?? undefined, after });
  return found.map((row) => {
    const { resource_id, last_event } = row;
    const [, left] = partsOfLast(last_event ?? "");
    return { resource_id, last_event, state: rowState(table, row, versionOf(left)) };
  });
}

/** The columns of a document that may change once it is issued, beside the seal over all others. */
export const UNSEALED = ["status", "seal", "at_doc_code", "cancelled_at", "cancelled_by", "cancel_reason"] as const;

/** What the state of a document covers: its seal, and everything that may change after it is issued. */
export type StatedDocument = Pick<Row<"documents">, (typeof UNSEALED)[number]>;

/** The columns that the state of a document covers. */
export const STATED_OF_DOCUMENT = coveredIn("documents").filter(({ name }) =>
  (UNSEALED as readonly string[]).includes(name),
);
const inDocument = coverage(STATED_OF_DOCUMENT);

/**
 * The state of a document: at issue its seal, later a digest of the seal and of everything that may change. A draft has
 * none: nothing in it counts before it is issued.
 */
export function documentState(row: StatedDocument, version: number = newestOf(STATED_OF_DOCUMENT)): string | null {
  if (row.status === "draft") return null;
  const isAsIssued = row.status === "issued" && CHANGED.every((name) => row[name] === null);
  return isAsIssued ? row.seal : stateOf(row, inDocument(version, row), version);
}

/** The columns that are null in a document as it was issued. */
const CHANGED = UNSEALED.filter((name) => name !== "status" && name !== "seal");

/** The digest of these columns: of their names, then of their values. */
function stateOf(row: object, names: readonly string[], version: number): string {
  const values = names.map((name) => {
    const value: unknown = row[name as keyof typeof row];
    return value instanceof Uint8Array ? hash("sha256", value) : (value as Sealable);
  });
  return digestOf("state", version, [names.join(" "), ...values]);
}
