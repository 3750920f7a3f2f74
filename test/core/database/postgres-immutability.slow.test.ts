/** What no connection to PostgreSQL may change once it is issued. immutability.test.ts has the same for SQLite. */
import type pg from "pg";
import { describe, expect, test } from "vitest";
import { HAS_SERVER, POSTGRES } from "../../support/databases.ts";
import { fault } from "../../support/history.ts";
import { anInstance } from "../../support/instance.ts";
import { aPlace, aPlainConnection } from "../../support/postgres.ts";
import { aTarget } from "../../support/target.ts";

/** One statement that would change what is issued, and the triggers that stop it. */
interface Attack {
  readonly name: string;
  readonly sql: string;
  readonly guards: readonly string[];
}

/** How each table is attacked. */
interface Besieged {
  readonly table: string;
  /** A unique key of it. */
  readonly key: string;
  /** Conditions that find its guarded rows, and the guards of those against changes. */
  readonly rows: string;
  readonly changes: readonly string[];
  /** More guards of its key. */
  readonly identity?: { readonly columns: readonly string[]; readonly guard: string };
  /** Guards against deletion. */
  readonly deletes: string;
  /** Columns that may change, or change under conditions that have attacks of their own. */
  readonly free?: readonly string[];
  /** An ordinary text column, for upserts; and the guards against inserts, which upserts meet first. */
  readonly text: string;
  readonly inserts?: readonly string[];
  /** Columns of the inserted copy. */
  readonly as?: Readonly<Record<string, string>>;
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

const grows = (table: string, rows: string, text: string, free: readonly string[] = [], key = "id"): Besieged => ({
  table,
  key,
  rows,
  text,
  free,
  changes: [`${table}_never_change`],
  deletes: `${table}_are_never_deleted`,
});

const partOf = (table: string, position: string, text: string): Besieged => ({
  table,
  key: `document_id, ${position}`,
  rows: "document_id = $issued",
  text,
  changes: [`${table}_no_update_once_issued`],
  identity: { columns: ["document_id", position, "payment_id"], guard: `${table}_identity_is_fixed` },
  deletes: `${table}_no_delete_once_issued`,
  inserts: [`${table}_no_insert_once_issued`],
});

const BESIEGED: readonly Besieged[] = [
  {
    table: "documents",
    key: "id",
    rows: "id = $issued",
    text: "notes",
    changes: ["documents_are_frozen_once_issued"],
    identity: { columns: ["id"], guard: "documents_identity_is_fixed" },
    deletes: "documents_are_never_deleted_once_issued",
    free: ["status", "cancelled_at", "cancelled_by", "cancel_reason", "at_doc_code"],
    as: { status: "'draft'", sequence: "null" },
  },
  partOf("document_lines", "line_number", "description"),
  partOf("document_references", "position", "reason"),
  partOf("document_payments", "position", "method_code"),
  grows("payments", "id = $payment", "method_code", ["voided_at", "kind"]),
  grows("events", "company_id = $company and position = 1", "action", [], "company_id, position"),
  grows("communications", "month = '2025-11'", "marked_at"),
  grows("actors", "code = 'K1'", "name", ["kind"]),
  grows("memberships", "role = 'owner' and company_id = $company and disabled_at is null", "id", [
    "role",
    "disabled_at",
  ]),
  grows("invitations", "login = 'eva@loja.pt'", "created_at", ["used_at", "withdrawn_at", "kind", "role"]),
  grows("signing_keys", "key_version = 1", "created_at", [], "key_version"),
  {
    ...grows("users", "login = 'ana@loja.pt'", "id"),
    free: ["login", "login_folded", "password", "language", "disabled_at"],
  },
  {
    ...grows("companies", "id = $company", "created_at"),
    free: [
      ..."name tax_id address postal_code city country tax_region time_zone cash_vat default_exemption_code".split(" "),
      ..."simplified_limit footer_text iban accent_color prices_with_vat language due_days".split(" "),
      ..."customer_count product_count clock_confirmed_for".split(" "),
      ..."clock_confirmed_at event_position event_seal webhook_count".split(" "),
      ..."last_issued_at outstanding_cents debtor_count".split(" "),
    ],
  },
  {
    table: "series",
    key: "id",
    rows: "id = $series",
    text: "code",
    changes: ["series_only_move_on"],
    deletes: "series_are_never_deleted_once_used",
    free: [
      ..."next_number last_issue_date last_entry_date last_issued_at last_hash last_seal closed_at".split(" "),
      "restore_locked_at",
    ],
  },
];

const TABLES = BESIEGED.map(({ table }) => table);

/** Statements that no table's plan makes, each with its guards. */
const SINGLE: readonly (readonly [sql: string, ...guards: string[]])[] = [
  ["update documents set status = 'draft', sequence = null where id = $issued", "documents_are_frozen_once_issued"],
  [
    "update documents set status = 'issued', cancelled_at = null where id = $cancelled",
    "documents_are_frozen_once_issued",
  ],
  ["update documents set cancel_reason = 'x' where id = $cancelled", "documents_are_frozen_once_issued"],
  [
    "update documents set status = 'cancelled', cancelled_at = 'now', total_gross_cents = 1 where id = $issued",
    "documents_are_frozen_once_issued",
  ],
  ["update documents set at_doc_code = 'x' where id = $shipped", "documents_are_frozen_once_issued"],
  ["update documents set at_doc_code = null where id = $shipped", "documents_are_frozen_once_issued"],
  ["update documents set at_doc_code = 'x', notes = 'x' where id = $issued", "documents_are_frozen_once_issued"],
  ["update documents set id = 'new' where id = $draft", "documents_identity_is_fixed"],
  ["delete from documents where id = $cancelled", "documents_are_never_deleted_once_issued"],
  ["$copy(documents, id = $issued, id => 'new', sequence => 99)", "documents_begin_as_drafts_or_issued"],
  ["$copy(documents, id = $cancelled, id => 'new', sequence => 98)", "documents_begin_as_drafts_or_issued"],
  [
    "merge into documents using (select 1) as one on id = $issued when matched then update set notes = 'merged'",
    "documents_are_frozen_once_issued",
  ],
  [
    "merge into documents using (select 1) as one on id = $issued when matched then delete",
    "documents_are_never_deleted_once_issued",
  ],
  ["$copy(document_lines, document_id = $issued, line_number => 77)", "document_lines_no_insert_once_issued"],
  ["$copy(document_references, document_id = $issued, position => 77)", "document_references_no_insert_once_issued"],
  [
    "$copy(document_payments, document_id = $issued, position => 77, payment_id => 'new')",
    "document_payments_no_insert_once_issued",
  ],
  ...(["document_lines.line_number", "document_references.position", "document_payments.position"] as const).map(
    (part) => {
      const [table, position] = part.split(".");
      const sql = `update ${table} set document_id = $issued, ${position} = 77 where document_id = $draft`;
      return [sql, `${table}_identity_is_fixed`] as const;
    },
  ),
  ["update payments set voided_at = null where id = $voided", "payments_never_change"],
  ["update payments set voided_at = 'now', amount_cents = 1 where id = $payment", "payments_never_change"],
  ["update companies set event_position = event_position + 2 where id = $company", "companies_never_change"],
  ["update companies set event_position = event_position - 1 where id = $company", "companies_never_change"],
  ["update companies set last_issued_at = null where id = $company", "companies_never_change"],
  ["update companies set tax_id = '501964843' where id = $company", "companies_keep_their_tax_id"],
  ["update payments set kind = 'refund' where id = $payment", "payments_never_change"],
  ["update actors set kind = 'user' where code = 'K1'", "actors_never_change"],
  ["update invitations set role = 'owner' where login = 'eva@loja.pt'", "invitations_never_change"],
  ["update invitations set used_at = null where used_at is not null", "invitations_never_change"],
  ["update series set next_number = 1 where id = $series", "series_only_move_on"],
  ["update series set next_number = next_number + 2 where id = $series", "series_only_move_on"],
  ["update series set closed_at = null where id = $closed", "series_only_move_on"],
];

function attacksOn(columns: readonly Column[], triggers: readonly string[], ids: Readonly<Record<string, string>>) {
  const columnsOf = (table: string) => columns.filter((column) => column.table === table);
  const withIds = (sql: string) => sql.replace(/\$([a-z]+)\b(?!\()/g, (_, name: string) => `'${ids[name]}'`);
  const copy = (table: string, rows: string, changes: Readonly<Record<string, string>>) => {
    const names = columnsOf(table).map(({ name }) => name);
    const values = names.map((name) => changes[name] ?? name);
    return `insert into ${table} (${names.join(", ")}) select ${values.join(", ")} from ${table} where ${rows}`;
  };
  const attacks: Attack[] = [];
  const attack = (name: string, sql: string, ...guards: string[]) => attacks.push({ name, sql: withIds(sql), guards });

  const truncates = triggers.filter((name) => name.endsWith("_by_truncate"));
  for (const { table, key, rows, changes, identity, deletes, free = [], text, inserts = [], as = {} } of BESIEGED) {
    for (const { name, type } of columnsOf(table)) {
      if (free.includes(name)) continue;
      const other = type === "text" ? `coalesce(${name}, '') || 'x'` : `coalesce(${name}, 0) + ${OTHER[name] ?? 1}`;
      const more = identity?.columns.includes(name) ? [identity.guard] : [];
      attack(
        `${table}: update of ${name}`,
        `update ${table} set ${name} = ${other} where ${rows}`,
        ...changes,
        ...more,
      );
    }
    attack(`${table}: delete`, `delete from ${table} where ${rows}`, deletes);
    attack(`${table}: truncate`, `truncate ${table} cascade`, ...truncates);
    const set = text === "id" ? "id = excluded.id || 'x'" : `${text} = 'upserted'`;
    const upsert = `${copy(table, rows, as)} on conflict (${key}) do update set ${set}`;
    attack(`${table}: upsert`, upsert, ...inserts, ...changes);
  }
  for (const [sql, ...guards] of SINGLE) {
    const [, table = "", rows = "", pairs = ""] = /^\$copy\((\w+), (.+?), (.*)\)$/.exec(sql) ?? [];
    const changed = pairs.split(", ").map((pair) => pair.split(" => "));
    attack(sql, table === "" ? sql : copy(table, rows, Object.fromEntries(changed)), ...guards);
  }
  return attacks;
}

/** How far a number moves, where one on is another row's. */
const OTHER: Readonly<Record<string, number>> = { sequence: 999, key_version: 999, position: 999, line_number: 999 };

/** A shop to be attacked, over a plain connection. */
async function aBesiegedShop() {
  const place = aPlace();
  const instance = await anInstance(POSTGRES, { file: place });
  const ids = await aTarget(instance);
  const plain = await aPlainConnection(place);

  const { rows: columns } = await plain.query<Column>(
    `select table_name as table, column_name as name, data_type as type from information_schema.columns
     where table_schema = current_schema() order by table_name, ordinal_position`,
  );
  const { rows: refusing } = await plain.query<{ name: string }>(
    `select tgname as name from pg_trigger join pg_proc on pg_proc.oid = tgfoid
     where pronamespace = current_schema()::regnamespace and prosrc like '%raise exception%' order by tgname`,
  );
  const triggers = refusing.map(({ name }) => name);
  return { instance, plain, triggers, attacks: attacksOn(columns, triggers, ids) };
}

/** A digest of every row of every guarded table. */
async function everyRow(plain: pg.Client): Promise<string> {
  const each = TABLES.map(
    (table) => `(select coalesce(md5(string_agg(md5(one::text), '' order by md5(one::text))), '') from ${table} one)`,
  );
  return (await plain.query<{ rows: string }>(`select ${each.join(" || ' ' || ")} as rows`)).rows[0]?.rows as string;
}

/** The SQLSTATE of a statement; undefined where it succeeds. Within a transaction, everything is undone. */
async function stateOf(plain: pg.Client, sql: string): Promise<string | undefined> {
  return plain.query(sql).then(
    () => undefined,
    ({ code }: pg.DatabaseError) => code,
  );
}

/** restrict_violation, which the guards raise and nothing else does here. */
const REFUSED = "23001";

/** Opens a transaction in which no foreign key stops an attack, so that the guards alone are tried. */
async function withoutForeignKeys(plain: pg.Client): Promise<void> {
  const { rows } = await plain.query<{ drop: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop from pg_constraint
     where contype = 'f' and connamespace = current_schema()::regnamespace`,
  );
  await plain.query("begin");
  for (const { drop } of rows) await plain.query(drop);
}

async function dropGuards(plain: pg.Client, guards: readonly string[]): Promise<void> {
  const { rows } = await plain.query<{ drop: string }>(
    `select format('drop trigger %I on %s', tgname, tgrelid::regclass) as drop from pg_trigger
     where tgname = any ($1) and tgrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace)`,
    [guards],
  );
  expect(rows, guards.join()).toHaveLength(guards.length);
  for (const { drop } of rows) await plain.query(drop);
}

describe.skipIf(!HAS_SERVER)("issued data over PostgreSQL", () => {
  test("never changes, whatever statement a plain connection sends", async () => {
    const { instance, plain, attacks } = await aBesiegedShop();
    const before = await everyRow(plain);
    for (const { name, sql } of attacks) {
      expect(await stateOf(plain, sql), name).toBe(REFUSED);
      expect(await everyRow(plain), name).toBe(before);
    }
    expect(await fault(instance)).toBe(null);
  });

  test("the control: with its triggers dropped, each attack succeeds", async () => {
    const { plain, attacks } = await aBesiegedShop();
    await withoutForeignKeys(plain);
    const before = await everyRow(plain);
    for (const { name, sql, guards } of attacks) {
      await plain.query("savepoint attack");
      await dropGuards(plain, guards);
      expect(await stateOf(plain, sql), `${name}: ${sql}`).toBe(undefined);
      expect(await everyRow(plain), name).not.toBe(before);
      await plain.query("rollback to attack");
    }
    await plain.query("rollback");
  });

  test("every trigger that refuses is tried by an attack that only it stops", async () => {
    const { plain, attacks, triggers } = await aBesiegedShop();
    await withoutForeignKeys(plain);
    const needed = new Set<string>();
    for (const { sql, guards } of attacks) {
      for (const kept of guards.filter((name) => !needed.has(name))) {
        await plain.query("savepoint attack");
        await dropGuards(
          plain,
          guards.filter((name) => name !== kept),
        );
        if ((await stateOf(plain, sql)) === REFUSED) needed.add(kept);
        await plain.query("rollback to attack");
      }
    }
    await plain.query("rollback");
    expect([...needed].sort()).toEqual([...triggers].sort());
  });
});
