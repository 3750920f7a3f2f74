/**
 * The state of a row: a digest of it as an event left it. Each event keeps the state of its resource's row, so that
 * verifying finds a row that anything but Lacre has changed.
 */
import { hash } from "node:crypto";
import { sql } from "kysely";
import { canonical, type Sealable } from "../fiscal/chain.ts";
import { asText, preparedSelect } from "./prepared.ts";
import type { Reader, Row } from "./tables.ts";
import { likely } from "./words.ts";

/** Names the form of states. Another form needs another tag. */
const STATE_VERSION = "lacre-state-1";

/** The resource of events about the installation itself. */
export const INSTALLATION = "installation";

/** One kind of row that events name, as SQL. */
interface Kind {
  /** The columns the state covers; by default all of the table's. */
  readonly columns?: string;
  readonly from: string;
  /** What events name the row by. */
  readonly id?: string;
  /** The company of the row; null where it belongs to the installation. */
  readonly company?: string;
  /** Columns that change without an event; verifying recomputes each, but for the place, sessions and webhooks. */
  readonly counted?: readonly string[];
}

const KINDS = {
  actors: {
    columns:
      "actors.*, digest, scopes, last_four, revoked_at, login, login_folded, password, users.disabled_at, " +
      "user_id, role, memberships.company_id as member_of, memberships.disabled_at as left_at",
    from:
      "actors left join api_keys on api_keys.id = actors.id left join users on users.id = actors.id " +
      "left join memberships on memberships.id = actors.id",
    company: "actors.company_id",
    id: "actors.id",
  },
  communications: { from: "communications" },
  companies: {
    columns: "companies.*, picture",
    from: "companies left join company_logos on company_id = companies.id",
    company: "companies.id",
    id: "companies.id",
    counted: ["customer_count", "product_count", "event_position", "event_seal", "webhook_count"],
  },
  customers: { from: "customers" },
  invitations: { from: "invitations" },
  installation: {
    from: "installation",
    id: `'${INSTALLATION}'`,
    company: "null",
    counted: ["event_position", "event_seal", "place"],
  },
  payments: { from: "payments" },
  products: { from: "products" },
  sessions: { from: "sessions", company: "null", counted: ["last_seen_at", "confirmed_until"] },
  series: {
    from: "series",
    // the head and the certificate, which are those of its documents
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
  webhooks: { from: "webhooks", counted: ["failing_since", "taken_at"] },
  signing_keys: { from: "signing_keys", id: "cast(key_version as text)", company: "null" },
} as const satisfies Record<string, Kind>;

/** The tables whose rows events name, but for `documents`: their frozen columns have a seal of their own. */
export type RecordedTable = keyof typeof KINDS;

/** A row beside the last event that names it, both as of one moment. */
export interface RecordedRow {
  readonly resource_id: string;
  /** The row's state now. */
  readonly state: string;
  /** Its last event: the action, a space, and the state that left, if any; null without an event. */
  readonly last_event: string | null;
}

const ROWS_AT_ONCE = 256;

/** The last event that names a row, to be selected beside it as `last_event`. */
export function lastEventOf(id: string) {
  return sql.raw<string | null>(
    `(select action || ' ' || coalesce(state, '') from events where resource_id = ${id} order by position desc limit 1)`,
  );
}

function readersOf({ columns = "*", from, id = "id", company = "company_id", counted = [] }: Kind) {
  const byId = preparedSelect((db, { resource_id }: { resource_id: string }) =>
    asText(
      db,
      sql<Columns>`select ${sql.raw(columns)} ${sql.raw(`from ${from}`)} where ${sql.raw(id)} = ${resource_id}`,
    ),
  );
  const page = preparedSelect((db, { company_id, after }: { company_id: string | undefined; after: string }) => {
    // In `likely` it is no index that is chosen by it: rows come in the order of their ids, without sorting.
    const mine = company_id === undefined ? sql`is null` : sql`= ${company_id}`;
    return asText(
      db,
      sql<Columns & Omit<RecordedRow, "state">>`select ${sql.raw(columns)}, ${sql.raw(id)} as resource_id,
        ${lastEventOf(id)} as last_event ${sql.raw(`from ${from}`)} where ${likely(sql`${sql.raw(company)} ${mine}`)} and ${sql.raw(id)} > ${after}
        order by resource_id limit ${sql.lit(ROWS_AT_ONCE)}`,
    );
  });
  return { byId, page, left_out: [...counted, "resource_id", "last_event"] };
}

type Columns = Readonly<Record<string, unknown>>;

type Readers = ReturnType<typeof readersOf> & { covered?: readonly string[] | undefined };

const READERS = Object.fromEntries(Object.entries(KINDS).map(([table, kind]) => [table, readersOf(kind)])) as Record<
  RecordedTable,
  Readers
>;

/** The state of a row with all the columns that its kind covers. */
export function rowState(table: RecordedTable, row: object): string {
  return stateOf(row as Columns, coveredOf(table, row));
}

/** The columns that a state covers, sorted as sealing needs them; the same for each row of a kind. */
function coveredOf(table: RecordedTable, row: object): readonly string[] {
  const reader = READERS[table];
  reader.covered ??= Object.keys(row)
    .filter((name) => !reader.left_out.includes(name))
    .sort();
  return reader.covered;
}

/** The state of a row as it is stored; null where there is none. */
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
    return { resource_id, last_event, state: rowState(table, row) };
  });
}

/** What the state of a document covers: its seal, and all that may change once it is issued. */
export type StatedDocument = Pick<
  Row<"documents">,
  "status" | "seal" | "at_doc_code" | "cancelled_at" | "cancelled_by" | "cancel_reason"
>;

/**
 * The state of a document: as issued it is its seal, later a digest of that and of all that may change. A draft has
 * none, as nothing that it says counts before it is issued.
 */
export function documentState(row: StatedDocument): string | null {
  const { at_doc_code, cancel_reason, cancelled_at, cancelled_by, seal, status } = row;
  if (status === "draft") return null;
  if (status === "issued" && at_doc_code === null && (cancelled_at ?? cancelled_by ?? cancel_reason) === null)
    return seal;
  return stateOf({ at_doc_code, cancel_reason, cancelled_at, cancelled_by, seal, status });
}

/** The digest of these columns, of all when left out: of their names and then their values. */
function stateOf(row: Columns, names: readonly string[] = Object.keys(row)): string {
  const values = names.map((name) => {
    const value = row[name];
    return value instanceof Uint8Array ? hash("sha256", value) : (value as Sealable);
  });
  return hash("sha256", canonical([STATE_VERSION, names.join(" "), ...values]));
}
