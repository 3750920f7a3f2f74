import type Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { DRIVERS } from "../../support/drivers.ts";
import { aLine, anInvoice } from "../../support/factories.ts";
import { anInstanceOnFile, aShell, type Instance } from "../../support/instance.ts";
import { aTarget } from "../../support/target.ts";

/** One statement that would change an issued document, and the triggers that stop it. */
interface Attack {
  readonly name: string;
  readonly table: string;
  readonly sql: string;
  readonly guards: readonly string[];
}

/** The target of the attacks: an issued document with all its parts, a cancelled one, and a draft. */
interface Target {
  readonly instance: Instance;
  readonly shell: Database.Database;
  readonly attacks: readonly Attack[];
}

const TABLES = [
  "companies",
  "documents",
  "document_lines",
  "document_references",
  "document_payments",
  "payments",
  "events",
  "signing_keys",
  "actors",
  "users",
  "memberships",
  "invitations",
  "communications",
  "series",
] as const;

const quoted = (text: string) => `'${text}'`;

/** Every row of every guarded table, with its rowid where it has one. */
function everyRow(shell: Database.Database): string {
  return JSON.stringify(
    TABLES.map((table) => {
      const hasRowid = !isWithoutRowid(shell, table);
      return shell.prepare(`select ${hasRowid ? "rowid, " : ""}* from ${table} order by 1, 2`).all();
    }),
  );
}

function isWithoutRowid(shell: Database.Database, table: string): boolean {
  return (shell.prepare("select wr from pragma_table_list where name = ?").pluck().get(table) as number) === 1;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Builds the statements from the columns a table really has, so that a column added later is attacked too. */
function weapons(shell: Database.Database) {
  const columnsOf = (table: string) =>
    shell.prepare("select name, type from pragma_table_info(?)").all(table) as Column[];

  /** `insert … select` of one row with some columns changed; a changed `rowid` goes first. */
  const copy = (verb: string, table: string, where: string, changes: Record<string, string>) => {
    const { rowid, ...columns } = changes;
    const names = columnsOf(table).map(({ name }) => name);
    const target = rowid === undefined ? names : ["rowid", ...names];
    const values = names.map((name) => columns[name] ?? name);
    return `${verb} into ${table} (${target}) select ${rowid === undefined ? values : [rowid, ...values]} from ${table} where ${where}`;
  };

  /** One update per column, each to another value of its type. */
  const updateEach = (table: string, where: string, except: readonly string[] = []) =>
    columnsOf(table)
      .filter(({ name }) => !except.includes(name))
      .map(({ name, type }) => {
        const free = ["sequence", "key_version", "position"].includes(name) ? 999 : 1; // a value no other row has
        const other = type === "INTEGER" ? `coalesce(${name}, 0) + ${free}` : `coalesce(${name}, '') || 'x'`;
        return { column: name, sql: `update ${table} set ${name} = ${other} where ${where}` };
      });

  const namesOf = (table: string) => columnsOf(table).map(({ name }) => name);

  return { copy, updateEach, namesOf };
}

interface Ids {
  readonly company: string;
  readonly issued: string;
  readonly cancelled: string;
  /** With a transport code. */
  readonly shipped: string;
  readonly draft: string;
  readonly payment: string;
  readonly voided: string;
  readonly series: string;
  readonly closed: string;
  readonly unused: string;
}

function attacksOn(shell: Database.Database, ids: Ids): Attack[] {
  const { copy, updateEach, namesOf } = weapons(shell);
  const attacks: Attack[] = [];
  const attack = (table: string, name: string, sql: string, ...guards: string[]) =>
    attacks.push({ table, name: `${table}: ${name}`, sql, guards });

  const is = (id: string) => `id = ${quoted(id)}`;
  const of = (id: string) => `document_id = ${quoted(id)}`;
  const asDraft = {
    status: "'draft'",
    sequence: "null",
    cancelled_at: "null",
    notes: "'replaced'",
  };

  // ——— documents ———
  const frozen = "documents_are_frozen_once_issued";
  const identity = "documents_identity_is_fixed";
  const rowid = "documents_rowid_is_fixed";
  const replaced = "documents_are_never_replaced";
  const born = "documents_begin_as_drafts_or_issued";
  const taken = "documents_take_a_free_number";
  const status = ["status", "cancelled_at", "cancelled_by", "cancel_reason", "at_doc_code"];
  for (const { column, sql } of updateEach("documents", is(ids.issued), status)) {
    attack("documents", `update of ${column}`, sql, frozen, ...(column === "id" ? [identity] : []));
  }
  const update = (set: string, id: string) => `update documents set ${set} where ${is(id)}`;
  attack("documents", "a draft again", update("status = 'draft', sequence = null", ids.issued), frozen);
  attack("documents", "uncancelled", update("status = 'issued', cancelled_at = null", ids.cancelled), frozen);
  attack("documents", "another reason", update("cancel_reason = 'x'", ids.cancelled), frozen);
  attack(
    "documents",
    "cancelled and changed",
    update("status = 'cancelled', cancelled_at = 'now', total_gross_cents = 1", ids.issued),
    frozen,
  );
  attack("documents", "another transport code", update("at_doc_code = 'x'", ids.shipped), frozen);
  attack("documents", "its transport code taken away", update("at_doc_code = null", ids.shipped), frozen);
  attack("documents", "a transport code too late", update("at_doc_code = 'x'", ids.cancelled), frozen);
  attack("documents", "a transport code and more", update("at_doc_code = 'x', notes = 'x'", ids.issued), frozen);
  attack(
    "documents",
    "a transport code and a reason",
    update("at_doc_code = 'x', cancel_reason = 'x'", ids.issued),
    frozen,
  );
  attack(
    "documents",
    "cancelled with a transport code",
    update("status = 'cancelled', cancelled_at = 'now', at_doc_code = 'x'", ids.issued),
    frozen,
  );
  for (const id of [ids.issued, ids.cancelled]) {
    const deleted = `delete from documents where ${is(id)}`;
    attack("documents", "delete", deleted, "documents_are_never_deleted_once_issued");
  }
  const changed = { notes: "'replaced'" };
  attack("documents", "replace", copy("replace", "documents", is(ids.issued), changed), replaced, born);
  attack("documents", "replace by a draft", copy("replace", "documents", is(ids.issued), asDraft), replaced);
  attack("documents", "insert or replace", copy("insert or replace", "documents", is(ids.issued), asDraft), replaced);
  attack(
    "documents",
    "insert or replace by rowid",
    copy("insert or replace", "documents", is(ids.issued), { ...asDraft, rowid: "rowid", id: "'new'" }),
    replaced,
  );
  attack(
    "documents",
    "insert or replace by number",
    copy("insert or replace", "documents", is(ids.issued), { id: "'new'" }),
    replaced,
    born,
  );
  attack(
    "documents",
    "upsert",
    `${copy("insert", "documents", is(ids.issued), asDraft)} on conflict (id) do update set notes = 'upserted'`,
    replaced,
    frozen,
  );
  attack(
    "documents",
    "insert of an issued one",
    copy("insert", "documents", is(ids.issued), { id: "'new'", sequence: "99" }),
    born,
  );
  attack(
    "documents",
    "insert of a cancelled one",
    copy("insert", "documents", is(ids.cancelled), { id: "'new'", sequence: "98" }),
    born,
  );
  attack(
    "documents",
    "update or replace onto its id",
    `update or replace documents set id = ${quoted(ids.issued)} where ${is(ids.draft)}`,
    identity,
  );
  attack(
    "documents",
    "update or replace onto its rowid",
    `update or replace documents set rowid = (select rowid from documents where ${is(ids.issued)}) where ${is(ids.draft)}`,
    rowid,
  );
  attack(
    "documents",
    "update or replace onto its number",
    `update or replace documents set status = 'issued', sequence = (select sequence from documents where ${is(ids.issued)}) where ${is(ids.draft)}`,
    taken,
  );

  // ——— the parts of a document ———
  for (const [table, position] of [
    ["document_lines", "line_number"],
    ["document_references", "position"],
    ["document_payments", "position"],
  ] as const) {
    const noUpdate = `${table}_no_update_once_issued`;
    const noInsert = `${table}_no_insert_once_issued`;
    const fixed = `${table}_identity_is_fixed`;
    const never = table === "document_payments" ? ["document_payments_are_never_replaced"] : [];
    const ofAnIdentity = ["document_id", position, "payment_id"];
    for (const { column, sql } of updateEach(table, of(ids.issued), [position])) {
      attack(table, `update of ${column}`, sql, noUpdate, ...(ofAnIdentity.includes(column) ? [fixed] : []));
    }
    const moved = `update ${table} set ${position} = ${position} + 100 where ${of(ids.issued)}`;
    attack(table, `update of ${position}`, moved, noUpdate, fixed);
    const deleted = `delete from ${table} where ${of(ids.issued)}`;
    attack(table, "delete", deleted, `${table}_no_delete_once_issued`);
    const another = { [position]: "77", ...(table === "document_payments" && { payment_id: "'new'" }) };
    attack(table, "insert of another", copy("insert", table, of(ids.issued), another), noInsert);
    const other = { document_payments: "method_code", document_lines: "description", document_references: "reason" };
    const changes = { [other[table]]: "'replaced'" };
    attack(table, "replace", copy("replace", table, of(ids.issued), changes), noInsert, ...never);
    attack(
      table,
      "upsert",
      `${copy("insert", table, `${of(ids.issued)}`, {})} on conflict do update set ${other[table]} = 'upserted'`,
      noInsert,
      noUpdate,
      ...never,
    );
    attack(
      table,
      "a draft's row put in its place",
      `update or replace ${table} set document_id = ${quoted(ids.issued)} where ${of(ids.draft)}`,
      fixed,
    );
    attack(
      table,
      "moved to a draft",
      `update or replace ${table} set document_id = ${quoted(ids.draft)} where ${of(ids.issued)}`,
      noUpdate,
      fixed,
    );
  }
  attack(
    "document_payments",
    "a draft's row over its payment",
    copy("insert or replace", "document_payments", of(ids.issued), {
      document_id: quoted(ids.draft),
      position: "77",
    }),
    "document_payments_are_never_replaced",
  );
  attack(
    "document_payments",
    "a draft's row renamed to its payment",
    `update or replace document_payments set payment_id = (select payment_id from document_payments where ${of(ids.issued)}) where ${of(ids.draft)}`,
    "document_payments_identity_is_fixed",
  );

  // ——— tables that only grow ———
  const event = (position: number) => `company_id = ${quoted(ids.company)} and position = ${position}`;
  const memberOf = (name: string) =>
    `company_id = ${quoted(ids.company)} and user_id = (select id from users where login = '${name}@loja.pt')`;
  const grows = [
    { table: "payments", key: "id", one: is(ids.payment), two: is(ids.voided), text: "method_code" },
    { table: "events", key: "position", one: event(1), two: event(2), text: "action" },
    { table: "signing_keys", key: "key_version", one: "key_version = 1", two: "key_version = 2", text: "created_at" },
    { table: "actors", key: "id", one: "code = 'K1'", two: "code = 'H1' and company_id is not null", text: "name" },
    { table: "users", key: "id", one: "login = 'ana@loja.pt'", two: "login = 'rui@loja.pt'", text: "password" },
    { table: "memberships", key: "id", one: memberOf("ana"), two: memberOf("rui"), text: "disabled_at" },
    { table: "invitations", key: "id", one: "login = 'eva@loja.pt'", two: "login = 'ivo@loja.pt'", text: "used_at" },
    { table: "communications", key: "id", one: "month = '2025-11'", two: "month = '2025-12'", text: "marked_at" },
    { table: "companies", key: "id", one: is(ids.company), two: `not ${is(ids.company)}`, text: "created_at" },
  ];
  const CHANGING: Readonly<Record<string, readonly string[]>> = {
    // those with a check constraint are tried below with a value that it allows
    payments: ["voided_at", "kind"],
    companies: namesOf("companies").filter((name) => !["id", "created_at"].includes(name)),
    users: namesOf("users").filter((name) => name !== "id"),
    memberships: ["role", "disabled_at"],
    invitations: ["used_at", "withdrawn_at", "kind", "role"],
    actors: ["kind"],
  };
  const mayChange = (table: string) => CHANGING[table] ?? [];
  for (const { table, key, one, two, text } of grows) {
    const never = `${table}_never_change`;
    const exists = `${table}_are_never_replaced`;
    const distinct = ["signing_keys", "actors"].includes(table) ? [`${table}_are_distinct`] : [];
    for (const { column, sql } of updateEach(table, one, mayChange(table))) {
      attack(table, `update of ${column}`, sql, never);
    }
    attack(table, "delete", `delete from ${table} where ${one}`, `${table}_are_never_deleted`);
    const changes = { [text]: "'replaced'" };
    attack(table, "replace", copy("replace", table, one, changes), exists, ...distinct);
    attack(table, "insert or replace", copy("insert or replace", table, one, changes), exists, ...distinct);
    attack(
      table,
      "upsert",
      `${copy("insert", table, one, {})} on conflict do update set ${text} = 'upserted'`,
      exists,
      never,
      ...distinct,
    );
    attack(
      table,
      "update or replace onto another's key",
      `update or replace ${table} set ${key} = (select ${key} from ${table} where ${one}) where ${two}`,
      never,
    );
  }
  attack(
    "signing_keys",
    "insert or replace by public key",
    copy("insert or replace", "signing_keys", "key_version = 1", { key_version: "7" }),
    "signing_keys_are_distinct",
  );
  attack(
    "actors",
    "insert or replace by code",
    copy("insert or replace", "actors", "code = 'K1'", { id: "'another'" }),
    "actors_are_distinct",
  );
  const taxId = `update companies set tax_id = '501964843' where ${is(ids.company)}`;
  attack("companies", "another tax number", taxId, "companies_keep_their_tax_id");
  attack(
    "events",
    "insert or replace by rowid",
    copy("insert or replace", "events", event(1), { rowid: "rowid", position: "9999" }),
    "events_are_never_replaced",
  );
  for (const to of ["event_position + 2", "event_position - 1"]) {
    const head = `update companies set event_position = ${to} where ${is(ids.company)}`;
    attack("companies", `its events end at ${to}`, head, "companies_never_change");
  }
  for (const to of ["null", "'2000-01-01T00:00:00.000Z'"]) {
    const back = `update companies set last_issued_at = ${to} where ${is(ids.company)}`;
    attack("companies", `its last document was issued at ${to}`, back, "companies_never_change");
  }
  const refund = `update payments set kind = 'refund' where ${is(ids.payment)}`;
  attack("payments", "of another kind", refund, "payments_never_change");
  attack("actors", "of another kind", "update actors set kind = 'user' where code = 'K1'", "actors_never_change");
  const open = "login = 'eva@loja.pt'";
  for (const set of ["kind = 'setup'", "role = 'owner'"]) {
    attack("invitations", set, `update invitations set ${set} where ${open}`, "invitations_never_change");
  }
  const used = "used_at is not null";
  for (const set of ["used_at = null", "withdrawn_at = 'later'"]) {
    attack("invitations", `used, ${set}`, `update invitations set ${set} where ${used}`, "invitations_never_change");
  }
  const unvoid = `update payments set voided_at = null where ${is(ids.voided)}`;
  attack("payments", "unvoided", unvoid, "payments_never_change");
  const again = `update payments set voided_at = 'later' where ${is(ids.voided)}`;
  attack("payments", "voided again", again, "payments_never_change");
  attack(
    "payments",
    "voided and changed",
    `update payments set voided_at = 'now', amount_cents = 1 where ${is(ids.payment)}`,
    "payments_never_change",
  );

  // ——— series ———
  const moves = "series_only_move_on";
  const free = ["next_number", "last_issue_date", "last_entry_date", "last_issued_at", "last_hash", "last_seal"];
  for (const { column, sql } of updateEach("series", is(ids.series), [...free, "closed_at", "restore_locked_at"])) {
    attack("series", `update of ${column}`, sql, moves);
  }
  attack("series", "next number back", `update series set next_number = 1 where ${is(ids.series)}`, moves);
  const jump = `update series set next_number = next_number + 2 where ${is(ids.series)}`;
  attack("series", "next number jumping", jump, moves);
  attack("series", "opened again", `update series set closed_at = null where ${is(ids.closed)}`, moves);
  attack("series", "closed at another time", `update series set closed_at = 'x' where ${is(ids.closed)}`, moves);
  attack(
    "series",
    "delete of a used one",
    `delete from series where ${is(ids.series)}`,
    "series_are_never_deleted_once_used",
  );
  const exists = "series_are_never_replaced";
  const back = { next_number: "1" };
  attack("series", "replace", copy("replace", "series", is(ids.series), back), exists);
  const byCode = copy("insert or replace", "series", is(ids.series), { ...back, id: "'new'" });
  attack("series", "insert or replace by code", byCode, exists);
  attack(
    "series",
    "insert or replace by rowid",
    copy("insert or replace", "series", is(ids.series), {
      ...back,
      id: "'new'",
      code: "'NEW'",
      code_folded: "'new'",
      rowid: "rowid",
    }),
    exists,
  );
  attack(
    "series",
    "upsert",
    `${copy("insert", "series", is(ids.series), {})} on conflict do update set next_number = 1`,
    exists,
    moves,
  );
  for (const [column, others] of Object.entries({ id: "", rowid: "", code_folded: ", doc_type = 'FT'" })) {
    attack(
      "series",
      `update or replace onto its ${column}`,
      `update or replace series set ${column} = (select ${column} from series where ${is(ids.series)})${others} where ${is(ids.unused)}`,
      column === "rowid" ? "series_rowid_is_fixed" : moves,
    );
  }
  return attacks;
}

describe.each(DRIVERS)("issued data over $name", (driver) => {
  let target: Target;

  beforeEach(async () => {
    const instance = await anInstanceOnFile(driver);
    const ids = await aTarget(instance);
    const shell = aShell(instance.file);
    shell.exec("insert into signing_keys values (2, 'another public key', null, 'then')");
    const attacks = attacksOn(shell, { ...ids, unused: instance.series.GR });
    target = { instance, shell, attacks };
  });

  test("never changes, over a connection like Lacre's own or from any SQL shell", () => {
    const { instance, shell, attacks } = target;
    const own = driver.open(instance.file);
    const before = everyRow(shell);
    for (const { name, table, sql } of attacks) {
      const refused = new RegExp(`^${table}: `);
      expect(() => shell.exec(sql), `${name} in a shell`).toThrow(refused);
      expect(() => own.exec(sql), `${name} on Lacre's connection`).toThrow(refused);
      expect(everyRow(shell) === before, name).toBe(true);
    }
    own.close();
  });

  test("the control: with its triggers dropped, each attack succeeds", () => {
    const { shell, attacks } = target;
    const before = everyRow(shell);
    for (const { name, sql, guards } of attacks) {
      shell.exec("begin");
      for (const guard of guards) shell.exec(`drop trigger ${guard}`);
      expect(() => shell.exec(sql), name).not.toThrow();
      expect(everyRow(shell) !== before, name).toBe(true);
      shell.exec("rollback");
    }
  });

  test("every trigger of the schema is tried by an attack that only it stops", () => {
    const { shell, attacks } = target;
    const triggers = shell
      .prepare("select name from sqlite_schema where type = 'trigger' and sql like '%raise(%'")
      .pluck()
      .all();
    const needed = new Set<string>();
    for (const { sql, guards } of attacks) {
      for (const kept of guards) {
        shell.exec("begin");
        for (const guard of guards.filter((name) => name !== kept)) shell.exec(`drop trigger ${guard}`);
        try {
          shell.exec(sql);
        } catch {
          needed.add(kept);
        }
        shell.exec("rollback");
      }
    }
    expect([...needed].sort()).toEqual([...triggers].sort());
  });

  test("stays guarded when check constraints are switched off", () => {
    const { shell } = target;
    shell.pragma("ignore_check_constraints = on");
    const before = everyRow(shell);
    const { copy } = weapons(shell);
    const changes = { id: "'new'", status: "'draft'" };
    const sql = copy("insert or replace", "documents", "status = 'issued' and doc_type = 'FT'", changes);
    expect(() => shell.exec(sql)).toThrow(/^documents: the row exists/);
    expect(everyRow(shell) === before).toBe(true);
  });

  test("allowed changes succeed: cancelling, voiding, the next number, changing a draft", async () => {
    const { instance, shell } = target;
    const { company } = instance;
    const before = everyRow(shell);
    const invoice = await anInvoice(instance);
    await company.documents.cancel({ id: invoice.id });
    const { data } = await company.payments.list();
    for (const { id } of data) await company.payments.void({ id });
    const drafts = await company.documents.list({ status: "draft" });
    for (const { id } of drafts.data) await company.documents.change({ id, lines: [aLine(), aLine()] });
    for (const { id } of drafts.data) await company.documents.discard({ id });
    expect(everyRow(shell) !== before).toBe(true);
    expect(await company.series.verify()).toMatchObject({ whole: true });
  });
});
