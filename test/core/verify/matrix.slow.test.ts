/**
 * Whatever is changed behind Lacre's back, verifying names it; or it is on the list of the harmless, with the reason.
 */
import type { SqliteFile } from "lacre/sqlite";
import { describe, expect, test } from "vitest";
import { PERSON_OPERATIONS } from "../../../src/core/operations.ts";
import { DRIVERS, type Driver, TODAY } from "../../support/drivers.ts";
import { aCustomer, aDraft, aLine, anInvoice, aPayment, aProduct } from "../../support/factories.ts";
import { aCompany, anInstanceInHand, type Instance } from "../../support/instance.ts";
import { aMailbox } from "../../support/mail.ts";
import { JPEG } from "../../support/pictures.ts";

/** Columns that a change does no harm in: `table.column`, or a whole table. */
const HARMLESS: Readonly<Record<string, string>> = {
  "lists.number":
    "It marks the words of a company's rows in the search index: a wrong one hides rows from search alone.",
  "migrations.applied_at": "It tells when, and nothing reads it.",
  "migrations.id": "A database with another migration is not opened.",
  "migrations.digest": "A database made by another text is not opened.",
  idempotency_keys:
    "An answer that was given once. What is true is in the documents, and a retry issues a document of its own.",
  "users.language": "The language of a page, which no document depends on.",
  "sessions.last_seen_at": "A session lives some hours longer or shorter.",
  "sessions.confirmed_until": "The password is asked for some minutes later or earlier.",
  deliveries: "What waits to be sent and the log of what was: receivers ask the API for what is true.",
  delivery_attempts: "As for deliveries.",
  email_papers: "As for deliveries: what was issued is in the document.",
  "installation.place": "A database that seems to lie elsewhere issues nothing until its last numbers are confirmed.",
  "emails.doubts": "It counts attempts whose fate is unknown; the event of the e-mail's end says how many there were.",
  "webhooks.failing_since": "It tells since when, and ends with the next success.",
  checks: "What was checked last and how it ended: checking finds again what is there.",
  devices: "A browser that logged in before has tries at the password of its own.",
  password_tries: "Wrong passwords of the last quarter of an hour.",
  "company_mail.server_password": "It is sealed and bound to its company: another one cannot be read.",
  "company_mail.failing_since": "As for webhooks.",
  "company_mail.taken_at": "As for webhooks.",
  "company_mail.tested_at": "It spaces test messages.",
  "company_mail.remind_at": "Reminders go out earlier or later; a step of a document goes out once, whatever it says.",
  "company_mail.reminded_until": "As for remind_at.",
  "company_mail.remind_after": "As for remind_at.",
  "webhooks.taken_at": "It tells whether somebody sends, and is written anew when somebody does.",
  customer_search: "Search finds rows and shows none; every list shows them all.",
  product_search: "As for customers.",
};

/** Rows that nothing holds yet, and sums of nothing, as SQL. */
const UNBOUND: Readonly<Record<string, string>> = {
  customer_debts: "outstanding_cents = 0 and documents = 0",
  documents: "status = 'draft'", // issuing checks a draft anew, whoever wrote it
  document_lines: "document_id in (select id from documents where status = 'draft')",
  document_references: "document_id in (select id from documents where status = 'draft')",
  document_payments: "document_id in (select id from documents where status = 'draft')",
};

/** Values that another row of the kind really has, where any text would be found too easily. */
const PLAUSIBLE: Readonly<Record<string, string>> = {
  "documents.status": "case status when 'issued' then 'cancelled' else 'issued' end",
  "actors.kind": "case kind when 'key' then 'host' else 'key' end",
  "products.type": "case type when 'P' then 'S' else 'P' end",
  "companies.tax_region": "'PT-MA'",
  "memberships.role": "case role when 'owner' then 'cashier' else 'owner' end",
  "invitations.role": "case role when 'owner' then 'cashier' else 'owner' end",
  "invitations.kind": "case kind when 'setup' then 'invitation' else 'setup' end",
};

/** Tables of which a row may go without a word, and why. */
const MAY_GO: Readonly<Record<string, string>> = {
  sessions: "They end by themselves; whoever had one logs in again.",
};

/** Columns that an added row must not share with another. */
const UNIQUE = [
  "code",
  "code_folded",
  "digest",
  "id",
  "login_folded",
  "user_id",
  "payment_id",
  "position",
  "public_key",
  "sequence",
  "tax_id",
  "validation_code",
];

type Raw = Record<string, string | number | null>;

/** A database with rows in every table: two companies, all that documents can go through, keys, codes, a restore. */
async function aFullDatabase(driver: Driver) {
  const instance = await anInstanceInHand(driver, { mailSender: aMailbox(), publicUrl: "https://loja.pt" });
  const { raw, lacre, company, series, company_id } = instance;
  await aCompany(lacre);
  await lacre.companies.change({ id: company_id, logo: JPEG });
  const customer = await aCustomer(instance, { tax_id: "501964843" });
  const product = await aProduct(instance);
  await company.customers.archive({ id: (await aCustomer(instance)).id });
  await company.products.archive({ id: (await aProduct(instance)).id });
  await company.series.change({ id: series.FT, validation_code: "CSDF7T5H" });
  const order = await anInvoice(instance, { doc_type: "OR", customer_id: customer.id });
  const lines = [aLine({ product_id: product.id, reference_id: order.id }), aLine({ tax_rate: 6 })];
  const paid = { amount: 1, method_code: "NU", payment_date: TODAY } as const;
  const whole = { customer_id: customer.id, references: [{ document_id: order.id }], payments: [paid], lines };
  const invoices = [await anInvoice(instance, whole), await anInvoice(instance, whole), await anInvoice(instance)];
  const [first, , last] = invoices as [{ id: string }, unknown, { id: string }];
  await aPayment(instance, first, 1);
  await company.payments.void({ id: (await aPayment(instance, first, 0.5)).id });
  await company.documents.cancel({ id: last.id });
  await company.mail.change({ name: "Padaria" });
  await company.documents.email({ id: first.id, to: ["ana@example.com"] });
  const link = await company.links.create({ id: first.id });
  await company.links.create({ id: first.id, language: "en" });
  await company.links.revoke({ id: link.id });
  const guide = await anInvoice(instance, { doc_type: "GT", customer_id: customer.id });
  await company.documents.change({ id: guide.id, at_doc_code: "AT-1" });
  await aDraft(instance, whole);
  await company.documents.create({ ...(await draftInput(instance, customer.id)) }, { idempotency_key: "once" });
  const { id } = await lacre.keys.create({ company_id, name: "caixa", scopes: ["documents:read"] });
  await lacre.keys.revoke({ id });
  await somePeople(instance);
  await lacre.signer.setCertificate({ producer_name: "Oficina", producer_tax_id: "509442013" });
  await company.clock.confirm();
  const { id: webhook } = await company.webhooks.create({ url: "https://example.com/a" });
  await company.webhooks.rotateSecret({ id: webhook });
  const { id: gone } = await company.webhooks.create({ url: "https://example.com/b" });
  await company.webhooks.delete({ id: gone });
  await company.saft.markCommunicated({ month: TODAY.slice(0, 7) });
  await lacre.installation.countRestore();
  await company.series.confirmHeads({ numbers: ["FT 2026A/3"] });
  raw.exec("pragma foreign_keys = off");
  raw.exec("pragma ignore_check_constraints = on");
  return instance;
}

/** Users with sessions, one of them disabled, and links: used, open and withdrawn. */
async function somePeople({ lacre, company }: Instance): Promise<void> {
  const visitor = lacre.visitor({ address: "203.0.113.7", network: "203.0.113.7", user_agent: "Firefox" });
  const ids: string[] = [];
  for (const login of ["ana@loja.pt", "rui@loja.pt", "eva@loja.pt"]) {
    const token = (await lacre.users.invite({ login })).link_path.split("#")[1];
    const input = { token, name: login, password: "quatro palavras sem nexo" };
    const { session } = (await lacre.run(visitor, PERSON_OPERATIONS.invitations.accept, input)).value;
    ids.push(session.user.id);
  }
  const [ana = "", rui = "", eva = ""] = ids;
  await company.users.changeRole({ id: rui, role: "cashier" });
  await company.users.disable({ id: rui });
  await lacre.users.disable({ id: eva });
  await company.users.invite({ login: "x@loja.pt", role: "cashier" });
  await company.users.invite({ login: "x@loja.pt", role: "accountant" });
  await company.users.reset({ id: ana });
}

async function draftInput({ series }: { series: Record<string, string> }, customer_id: string) {
  return {
    doc_type: "FT" as const,
    series_id: series.FT as string,
    customer_id,
    issue_date: TODAY,
    lines: [aLine()],
  };
}

type Full = Awaited<ReturnType<typeof aFullDatabase>>;

function rows(raw: SqliteFile, sql: string, ...parameters: unknown[]): Raw[] {
  return raw.prepare(sql).all(parameters) as Raw[];
}

/** Everything verifying finds, in the installation and in every company. */
async function findings({ raw, lacre }: Full): Promise<string[]> {
  const found = (await lacre.installation.verify()).findings.map(({ place, reason }) => `${place}: ${reason}`);
  for (const { id } of rows(raw, "select id from companies")) {
    const report = await lacre.as(String(id)).series.verify();
    expect(report.whole).toBe(report.findings.length === 0 && report.series.every(({ finding }) => finding === null));
    found.push(...report.findings.map(({ place, reason }) => `${place}: ${reason}`));
    found.push(...report.series.flatMap(({ finding }) => (finding ? [finding.reason] : [])));
  }
  return found;
}

/** Drops every trigger; returns what puts them back. */
function withoutTriggers(raw: SqliteFile): () => void {
  const triggers = rows(raw, "select name, sql from sqlite_schema where type = 'trigger' order by rowid");
  for (const { name } of triggers) raw.exec(`drop trigger ${name}`);
  return () => {
    for (const { sql } of triggers) raw.exec(String(sql));
  };
}

/** What is found after a change, which is then undone. */
async function foundAfter(instance: Full, change: () => void): Promise<string[]> {
  const { raw } = instance;
  raw.exec("savepoint tampering");
  try {
    change();
    return await findings(instance);
  } finally {
    raw.exec("rollback to tampering");
    raw.exec("release tampering");
  }
}

const tablesOf = (raw: SqliteFile) =>
  rows(raw, "select name from pragma_table_list where schema = 'main' and type in ('table', 'virtual')")
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith("sqlite_") && !(name in HARMLESS));

const columnsOf = (raw: SqliteFile, table: string) =>
  rows(raw, `select name, type, pk from pragma_table_info('${table}')`) as unknown as {
    name: string;
    type: string;
    pk: number;
  }[];

/** A few rows of a table, from its first to its last, each as a condition that it alone meets. */
function someRows(raw: SqliteFile, table: string): string[] {
  const keys = columnsOf(raw, table).filter(({ pk }) => pk > 0);
  const names = keys.length > 0 ? keys.map(({ name }) => name) : ["rowid"];
  const bound = UNBOUND[table] ? `where not (${UNBOUND[table]})` : "";
  const all = rows(raw, `select ${names} from ${table} ${bound} order by ${names}`);
  const step = Math.max(1, Math.floor(all.length / 3));
  return all
    .filter((_, i) => i % step === 0 || i === all.length - 1)
    .map((row) => names.map((name) => `${name} is '${String(row[name])}'`).join(" and "));
}

describe.each(DRIVERS)("behind Lacre's back over $name", (driver) => {
  test("nothing is found in an unchanged database, and restoring the triggers is no change", async () => {
    const instance = await aFullDatabase(driver);
    expect(await foundAfter(instance, () => {})).toEqual([]);
    expect(await foundAfter(instance, () => withoutTriggers(instance.raw)())).toEqual([]);
  });

  test("every column of every table is watched, or harmless for a reason", async () => {
    const instance = await aFullDatabase(driver);
    const { raw } = instance;
    const missed: string[] = [];
    let changes = 0;
    withoutTriggers(raw);
    for (const table of tablesOf(raw)) {
      const some = someRows(raw, table);
      expect(some.length, `rows of ${table}`).toBeGreaterThan(0);
      for (const { name, type } of columnsOf(raw, table)) {
        if (`${table}.${name}` in HARMLESS) continue;
        const other = { INTEGER: `coalesce(${name}, 0) + 1000`, BLOB: "x'00'" }[type] ?? `coalesce(${name}, '') || 'x'`;
        for (const where of some) {
          const set = `update ${table} set ${name} = ${PLAUSIBLE[`${table}.${name}`] ?? other} where ${where}`;
          changes++;
          if (!(await foundAfter(instance, () => raw.exec(set))).some(isOfRows)) missed.push(set);
        }
      }
    }
    expect(missed).toEqual([]);
    expect(changes).toBeGreaterThan(500);
  });

  test("a removed or added row is named, in every table", async () => {
    const instance = await aFullDatabase(driver);
    const { raw } = instance;
    const missed: string[] = [];
    withoutTriggers(raw);
    for (const table of tablesOf(raw)) {
      if (table === "migrations") continue; // a database without one is not opened
      const columns = columnsOf(raw, table);
      for (const where of someRows(raw, table)) {
        const deleted = `delete from ${table} where ${where}`;
        const counts = ["lists", "document_counts", "customer_debts", "sales_sums"].includes(table);
        const isZero = counts && rows(raw, `select * from ${table} where ${where}`).every(isAllZero);
        if (!isZero && !(table in MAY_GO) && !(await foundAfter(instance, () => raw.exec(deleted))).some(isOfRows))
          missed.push(deleted);
        if (counts || table === "installation") continue; // one row each, by a key
        const values = columns.map(({ name, type, pk }) =>
          pk > 0 || UNIQUE.includes(name)
            ? type === "INTEGER"
              ? `${name} + 7777`
              : name.endsWith("company_id") || (name === "document_id" && table !== "balances")
                ? name
                : `${name} || 'x'`
            : name,
        );
        const added = `insert into ${table} (${columns.map(({ name }) => name)}) select ${values} from ${table} where ${where}`;
        if (["company_logos", "company_mail"].includes(table)) continue; // a company has one
        if (!(await foundAfter(instance, () => raw.exec(added))).some(isOfRows)) missed.push(added);
      }
    }
    expect(missed).toEqual([]);
  });

  test("the schema is Lacre's: no trigger, index or column is missing, changed or added", async () => {
    const instance = await aFullDatabase(driver);
    const { raw } = instance;
    const objects = rows(raw, "select type, name, sql from sqlite_schema where sql is not null and type <> 'table'");
    for (const { type, name } of objects) {
      const dropped = await foundAfter(instance, () => raw.exec(`drop ${type} ${name}`));
      expect(dropped, `without ${name}`).toContain(`schema: ${type} ${name} is missing.`);
    }
    const weaker = (name: string, from: string, to: string) => () => {
      const [trigger] = rows(raw, "select sql from sqlite_schema where name = ?", name);
      raw.exec(`drop trigger ${name}`);
      raw.exec(String(trigger?.sql).replace(from, to));
    };
    const name = "documents_are_frozen_once_issued";
    const frozen = weaker(name, "old.status <> 'draft'", "old.status = 'never'");
    expect(await foundAfter(instance, frozen)).toEqual([`schema: trigger ${name} is not as this program makes it.`]);
    for (const added of [
      "create trigger sly after insert on documents begin delete from document_lines where document_id = new.id; end",
      "create index sly on documents (notes)",
    ]) {
      const found = await foundAfter(instance, () => raw.exec(added));
      expect(found).toEqual([expect.stringMatching(/^schema: (?:trigger|index) sly is not Lacre's\.$/)]);
    }
    const column = "alter table customers add column sly text";
    expect(await foundAfter(instance, () => raw.exec(column))).toContainEqual(
      "schema: table customers is not as this program makes it.",
    );
    const theirs = "create table host_orders (id text primary key); create index theirs on host_orders (id)";
    expect(await foundAfter(instance, () => raw.exec(theirs))).toEqual([]);
    raw.exec(`${theirs}; create view host_totals as select number from documents`);
    expect((await instance.lacre.installation.verify()).others).toEqual(["host_orders", "host_totals"]);
  });

  test("a cut tail is named, even with its head set back", async () => {
    const instance = await aFullDatabase(driver);
    const { raw, series, company_id } = instance;
    const last = `select id from documents where series_id = '${series.FT}' order by sequence desc limit 1`;
    const ofDocuments = await foundAfter(instance, () => {
      const putBack = withoutTriggers(raw);
      for (const table of ["document_lines", "document_references", "document_payments"]) {
        raw.exec(`delete from ${table} where document_id = (${last})`);
      }
      raw.exec(`delete from documents where id = (${last})`);
      const before = `from documents where series_id = '${series.FT}' order by sequence desc limit 1`;
      raw.exec(`update series set next_number = next_number - 1, last_hash = (select hash ${before}),
        last_issue_date = (select issue_date ${before}), last_entry_date = (select system_entry_date ${before}),
        last_issued_at = (select issued_at ${before}), last_seal = (select seal ${before}) where id = '${series.FT}'`);
      putBack();
    });
    expect(ofDocuments).toContainEqual(expect.stringMatching(/^counts: /));

    const ofEvents = await foundAfter(instance, () => {
      const putBack = withoutTriggers(raw);
      raw.exec(`delete from events where company_id = '${company_id}' and position > 20`);
      raw.exec(`update companies set event_position = 20,
        event_seal = (select seal from events where company_id = companies.id and position = 20)
        where id = '${company_id}'`);
      putBack();
    });
    expect(ofEvents.length).toBeGreaterThan(0);
  });
});

/** The schema is wrong throughout while the triggers are dropped. */
const isOfRows = (finding: string) => !finding.startsWith("schema: ");

function isAllZero(row: Raw): boolean {
  return Object.entries(row).every(([name, value]) => typeof value !== "number" || value === 0 || name === "number");
}
