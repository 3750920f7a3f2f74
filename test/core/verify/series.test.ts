import { pemSigner, signedText } from "lacre";
import type { SqliteFile } from "lacre/sqlite";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { documentState } from "../../../src/core/database/row-states.ts";
import type { Row } from "../../../src/core/database/tables.ts";
import { frozenForm, SEAL_VERSION } from "../../../src/core/documents/seal.ts";
import { sealOfEvent } from "../../../src/core/events/events.ts";
import { sealOf } from "../../../src/core/fiscal/chain.ts";
import { DRIVERS, type Driver, TODAY } from "../../support/drivers.ts";
import { aCustomer, aLine, anInvoice, aProduct } from "../../support/factories.ts";
import { anInstance, anInstanceInHand, type Instance } from "../../support/instance.ts";

const LENGTH = 100;
/** The documents whose every column is changed: the first, one inside, the last. */
const PICKED = [1, 57, LENGTH];

/** A chain of 100 documents with all their parts, and no triggers: what someone with the file and a shell has. */
async function aChain(driver: Driver) {
  const instance = await anInstanceInHand(driver);
  const { raw, series } = instance;
  const customer_id = (await aCustomer(instance)).id;
  const product_id = (await aProduct(instance)).id;
  const order = await anInvoice(instance, { doc_type: "OR", customer_id });
  await instance.company.series.change({ id: series.FT, validation_code: "CSDF7T5H" });
  for (let i = 1; i <= LENGTH; i++) {
    instance.wait(1_000);
    await anInvoice(instance, {
      customer_id,
      references: [{ document_id: order.id }],
      payments: [{ amount: 1, method_code: "NU", payment_date: TODAY }],
      lines: [aLine({ qty: i, product_id, reference_id: order.id }), aLine({ tax_rate: 6 })],
    });
  }
  for (const { name } of rows(raw, "select name from sqlite_schema where type = 'trigger'")) {
    raw.exec(`drop trigger ${name}`);
  }
  raw.exec("pragma foreign_keys = off");
  raw.exec("pragma ignore_check_constraints = on");
  return instance;
}

type Raw = Record<string, string | number | null>;

function rows(raw: SqliteFile, sql: string, ...parameters: unknown[]): Raw[] {
  return raw.prepare(sql).all(parameters) as Raw[];
}

/** The finding in the FT series after a change, which is then undone. */
async function findingAfter(instance: Instance & { raw: SqliteFile }, change: () => void) {
  const { series } = await reportAfter(instance, change);
  return series.find(({ id }) => id === instance.series.FT)?.finding ?? null;
}

/** The findings outside the series after a change, which is then undone. */
async function findingsAfter(instance: Instance & { raw: SqliteFile }, change: () => void) {
  return (await reportAfter(instance, change)).findings;
}

async function reportAfter({ raw, company }: Instance & { raw: SqliteFile }, change: () => void) {
  raw.exec("savepoint tampering");
  try {
    change();
    const report = await company.series.verify();
    expect(report.whole).toBe(report.findings.length === 0 && report.series.every(({ finding }) => finding === null));
    return report;
  } finally {
    raw.exec("rollback to tampering");
    raw.exec("release tampering");
  }
}

describe.each(DRIVERS)("verifying over $name", (driver) => {
  test("an untouched installation verifies, series without documents too", async () => {
    const instance = await anInstance(driver);
    const { data } = await instance.company.series.list();
    for (let i = 0; i < 3; i++) await anInvoice(instance);
    const report = await instance.company.series.verify();
    expect(report).toMatchObject({ whole: true, documents: 3 });
    expect(report.series).toHaveLength(data.length);
    expect(report.series.find(({ doc_type }) => doc_type === "FT")).toEqual({
      id: instance.series.FT,
      doc_type: "FT",
      code: "2026A",
      documents: 3,
      finding: null,
    });
  });

  test("a chain longer than one batch is verified to its end", async () => {
    const instance = await anInstance(driver);
    const customer_id = (await aCustomer(instance)).id;
    for (let i = 0; i < 501; i++) await anInvoice(instance, { customer_id });
    expect(await instance.company.series.verify()).toMatchObject({ whole: true, documents: 501 });
  });

  test("text of every script verifies after it is stored", async () => {
    const instance = await anInstance(driver);
    for (const name of ["É\u0301poca", "Σίσυφος", "مخبز", "👩‍👩‍👧", "ẞ'\"\\;--", "a\u00a0b"]) {
      const customer_id = (await aCustomer(instance, { name })).id;
      await anInvoice(instance, { customer_id, lines: [aLine({ description: name })] });
    }
    expect(await instance.company.series.verify()).toMatchObject({ whole: true, documents: 6 });
  });

  test("a change to any column of a document or its parts is found, at the first bad document", async () => {
    const instance = await aChain(driver);
    const { raw, series } = instance;
    expect(await findingAfter(instance, () => {})).toBeNull();
    let changes = 0;
    for (const sequence of PICKED) {
      const [document] = rows(
        raw,
        "select id from documents where series_id = ? and sequence = ?",
        series.FT,
        sequence,
      );
      for (const [table, key] of [
        ["documents", "id"],
        ["document_lines", "document_id"],
        ["document_references", "document_id"],
        ["document_payments", "document_id"],
      ] as const) {
        for (const { name, type } of rows(raw, `select name, type from pragma_table_info('${table}')`)) {
          if (table === "documents" && MUTABLE.includes(String(name))) continue;
          const other = type === "INTEGER" ? `coalesce(${name}, 0) + 1000` : `coalesce(${name}, '') || 'x'`;
          // a part stays with its document while its other columns change
          const sql = `update ${table} set ${name} = ${other} where ${key} = ?`;
          const finding = await findingAfter(instance, () => void raw.prepare(sql).run([document?.id]));
          expect(finding, `${table}.${name} of ${sequence}`).not.toBeNull();
          const gone = table === "documents" && ["sequence", "series_id"].includes(String(name));
          const due = gone && sequence < LENGTH ? sequence + 1 : gone ? sequence - 1 : sequence;
          expect([due, LENGTH + 1], `${table}.${name} of ${sequence}`).toContain(finding?.sequence);
          if (!gone) expect(finding?.sequence, `${table}.${name}`).toBe(sequence);
          changes++;
        }
      }
    }
    expect(changes).toBeGreaterThan(PICKED.length * 40);
  });

  test("a column that was emptied is found, with a reason of its own", async () => {
    const instance = await aChain(driver);
    const { raw, series } = instance;
    const [document] = rows(raw, "select * from documents where series_id = ? and sequence = 57", series.FT);
    const filled = rows(raw, `select name from pragma_table_info('documents') where "notnull" = 0`)
      .map(({ name }) => String(name))
      .filter((name) => document?.[name] !== null && !["id", "sequence"].includes(name));
    expect(filled.length).toBeGreaterThan(10);
    for (const name of filled) {
      const sql = `update documents set ${name} = null where id = '${document?.id}'`;
      const finding = await findingAfter(instance, () => raw.exec(sql));
      expect(finding, name).toMatchObject({ sequence: 57, reason: expect.not.stringContaining("cannot be checked") });
    }
  });

  test("deleted, inserted, swapped or cut-off rows are found", async () => {
    const instance = await aChain(driver);
    const { raw, series } = instance;
    const at = (sequence: number) => `series_id = '${series.FT}' and sequence = ${sequence}`;
    const idAt = (sequence: number) => `(select id from documents where ${at(sequence)})`;
    const columns = rows(raw, "select name from pragma_table_info('documents')").map(({ name }) => String(name));
    const insert = (from: number, changes: Record<string, string>) =>
      `insert into documents select ${columns.map((name) => changes[name] ?? name)} from documents where ${at(from)}`;
    const swap = (one: number, two: number, ...fields: string[]) =>
      fields.map((field) => {
        const value = (sequence: number) => {
          const [row] = rows(raw, `select ${field} as value from documents where ${at(sequence)}`);
          return typeof row?.value === "number" ? row.value : `'${row?.value}'`;
        };
        return [value(two), value(one)].map((to, i) => ({ field, to, id: idOf(i ? two : one) }));
      });
    const idOf = (sequence: number) => rows(raw, `select id from documents where ${at(sequence)}`)[0]?.id;

    const cases: [string, string | (() => void), number][] = [
      ["the first document deleted", `delete from documents where ${at(1)}`, 2],
      ["one inside deleted", `delete from documents where ${at(57)}`, 58],
      ["the last deleted", `delete from documents where ${at(LENGTH)}`, LENGTH - 1],
      ["the last ten cut off", `delete from documents where series_id = '${series.FT}' and sequence > 90`, 90],
      ["all deleted", `delete from documents where series_id = '${series.FT}'`, 0],
      ["one made a draft", `update documents set status = 'draft', sequence = null where ${at(57)}`, 58],
      ["a line deleted", `delete from document_lines where line_number = 2 and document_id = ${idAt(57)}`, 57],
      ["a reference deleted", `delete from document_references where document_id = ${idAt(57)}`, 57],
      ["a payment deleted", `delete from document_payments where document_id = ${idAt(57)}`, 57],
      [
        "a line inserted, without a price",
        `insert into document_lines select document_id, 3, 'brinde', 1, unit, 0, null, tax_rate_bps, 0, null, null, null, null, null, null, null, tax_region, tax_code, null, null, null from document_lines where line_number = 1 and document_id = ${idAt(57)}`,
        57,
      ],
      [
        "a reference inserted",
        `insert into document_references select document_id, 7, referenced_id, null, null from document_references where document_id = ${idAt(57)}`,
        57,
      ],
      [
        "two lines swapped",
        `update document_lines set line_number = 9 - line_number where document_id = ${idAt(57)}`,
        57,
      ],
      ["one inserted after the last", insert(LENGTH, { id: "'new'", sequence: "101" }), 101],
      ["one inserted before the first", insert(1, { id: "'new'", sequence: "0" }), 0],
      ["one inserted far before the first", insert(1, { id: "'new'", sequence: "-7" }), -7],
      ["the head set back", `update series set next_number = 91 where id = '${series.FT}'`, 90],
      ["the head moved on", `update series set next_number = 102 where id = '${series.FT}'`, LENGTH],
      ["the head's hash changed", `update series set last_hash = 'x' where id = '${series.FT}'`, LENGTH],
      ["the head's seal changed", `update series set last_seal = null where id = '${series.FT}'`, LENGTH],
      ["the head's date changed", `update series set last_issue_date = '2027-01-01' where id = '${series.FT}'`, LENGTH],
      ["the head's instant changed", `update series set last_issued_at = null where id = '${series.FT}'`, LENGTH],
      ["the head's entry time changed", `update series set last_entry_date = 'x' where id = '${series.FT}'`, LENGTH],
      ["the series' code changed", `update series set code = 'X' where id = '${series.FT}'`, 1],
      ["its validation code changed", `update series set validation_code = 'XXXXXXXX' where id = '${series.FT}'`, 1],
      ["its prefix changed", `update series set at_type = 'FR' where id = '${series.FT}'`, 1],
      ["the public key deleted", "delete from signing_keys", 1],
      ["the public key replaced", "update signing_keys set public_key = 'x'", 1],
    ];
    for (const [name, change, sequence] of cases) {
      const finding = await findingAfter(instance, () => (typeof change === "string" ? raw.exec(change) : change()));
      expect(finding, name).not.toBeNull();
      expect(finding?.sequence, `${name}: ${finding?.reason}`).toBe(sequence);
    }

    const changes = swap(10, 11, "sequence", "number", "atcud").flat();
    const swapped = await findingAfter(instance, () => {
      raw.exec(`update documents set sequence = -sequence where ${at(10)} or ${at(11)}`);
      for (const { field, to, id } of changes) raw.exec(`update documents set ${field} = ${to} where id = '${id}'`);
    });
    expect(swapped?.sequence).toBe(10);
  });

  test("a deleted series that has documents is found", async () => {
    const { raw, company, series } = await aChain(driver);
    raw.exec(`delete from series where id = '${series.FT}'`);
    const report = await company.series.verify();
    expect(report.whole).toBe(false);
    expect(report.series.find(({ id }) => id === series.FT)?.finding).toMatchObject({ sequence: LENGTH });
  });

  test("a document cancelled, or no longer cancelled, by hand is found", async () => {
    const instance = await aChain(driver);
    const { raw, company, series } = instance;
    const ft = (sequence: number) => `series_id = '${series.FT}' and sequence = ${sequence}`;
    const cancel = "status = 'cancelled', cancelled_at = 'then', cancel_reason = 'x'";
    const cancelled = await findingAfter(instance, () => raw.exec(`update documents set ${cancel} where ${ft(57)}`));
    expect(cancelled).toEqual({
      number: "FT 2026A/57",
      sequence: 57,
      reason: "The row is not as its last event, document.issued, left it.",
    });
    const [row] = rows(
      raw,
      `select payment_id from document_payments join documents on id = document_id where ${ft(58)}`,
    );
    await company.payments.void({ id: String(row?.payment_id) });
    const [document] = rows(raw, `select id from documents where ${ft(58)}`);
    await company.documents.cancel({ id: String(document?.id) });
    const live = "status = 'issued', cancelled_at = null, cancelled_by = null, cancel_reason = null";
    expect(await findingAfter(instance, () => raw.exec(`update documents set ${live} where ${ft(58)}`))).toMatchObject({
      sequence: 58,
      reason: "The row is not as its last event, document.cancelled, left it.",
    });
  });

  test("a tail cut off with its head set back, and a chain signed again with the key, are found by the events", async () => {
    const instance = await aChain(driver);
    const { raw, series } = instance;
    const ft = `series_id = '${series.FT}'`;
    const cut = () => {
      raw.exec(`delete from documents where ${ft} and sequence > 90`);
      setHeadBack(raw, series.FT);
    };
    expect(await findingsAfter(instance, cut)).toContainEqual({
      place: "counts",
      reason: expect.stringMatching(/^The number of FT kept for 2026/),
    });
    const signedAgain = () => {
      raw.exec(`update document_lines set unit_price_micros = 0
        where document_id = (select id from documents where ${ft} and sequence = 57)`);
      raw.exec(`update documents set total_net_cents = 0, total_tax_cents = 0, total_gross_cents = 0
        where ${ft} and sequence = 57`);
    };
    expect(await findingAfter(instance, signedAgain)).toMatchObject({ sequence: 57, number: "FT 2026A/57" });
    const again = await findingAfter(instance, () => {
      signedAgain();
      chainAgain(raw, series.FT);
      setHeadBack(raw, series.FT);
    });
    expect(again).toMatchObject({
      sequence: 57,
      reason: "The row is not as its last event, document.issued, left it.",
    });
  });

  test("the limit: with the signing key, documents and events rewritten alike are not found", async () => {
    const instance = await aChain(driver);
    const { raw, series, company_id } = instance;
    const ft = `series_id = '${series.FT}'`;
    const rewritten = () => {
      raw.exec(`update documents set notes = 'other' where ${ft} and sequence = 57`);
      chainAgain(raw, series.FT);
      setHeadBack(raw, series.FT);
      recordAgain(raw, company_id);
    };
    expect(await findingAfter(instance, rewritten)).toBeNull();
    expect(await findingsAfter(instance, rewritten)).toEqual([]);
  });
});

/** Gives a series the head of its last document. */
function setHeadBack(raw: SqliteFile, series_id: string): void {
  const last = "from documents where documents.series_id = series.id order by sequence desc limit 1";
  raw.exec(`update series set
    next_number = (select sequence + 1 ${last}), last_issue_date = (select issue_date ${last}),
    last_entry_date = (select system_entry_date ${last}), last_hash = (select hash ${last}),
    last_issued_at = (select issued_at ${last}), last_seal = (select seal ${last}) where id = '${series_id}'`);
}

/** Writes the states of documents and the seals of events anew. */
function recordAgain(raw: SqliteFile, company_id: string): void {
  let seal: string | null = null;
  const events = rows(raw, "select * from events where company_id = ? order by position", company_id);
  for (const event of events as unknown as Row<"events">[]) {
    const [document] = rows(raw, "select * from documents where id = ?", event.resource_id);
    const state = document ? documentState(document as unknown as Row<"documents">) : event.state;
    seal = sealOfEvent({ ...event, state }, seal);
    const update = raw.prepare("update events set state = ?, seal = ? where company_id = ? and position = ?");
    update.run([state, seal, company_id, event.position]);
  }
  raw.prepare("update companies set event_seal = ? where id = ?").run([seal, company_id]);
}

/** The columns that cancelling changes. */
const MUTABLE = ["status", "at_doc_code", "cancelled_at", "cancelled_by", "cancel_reason"];

/** Signs and seals a series anew from its first document, as whoever holds the key can. */
function chainAgain(raw: SqliteFile, series_id: string): void {
  const signer = pemSigner(TEST_SIGNING_KEY, 1);
  let previous_hash = "";
  let previous_seal: string | null = null;
  const documents = rows(raw, "select * from documents where series_id = ? order by sequence", series_id);
  for (const document of documents as unknown as Row<"documents">[]) {
    const parts = <Name extends "document_lines" | "document_references" | "document_payments">(table: Name) =>
      rows(raw, `select * from ${table} where document_id = ? order by 2`, document.id) as unknown as Row<Name>[];
    const { issue_date, system_entry_date, number, total_gross_cents } = document;
    const hash: string = signer.sign(
      signedText({
        issue_date,
        system_entry_date: system_entry_date ?? "",
        number: number ?? "",
        total_gross_cents,
        previous_hash,
      }),
    ) as string;
    const form = frozenForm(
      { ...document, hash },
      {
        lines: parts("document_lines"),
        references: parts("document_references"),
        payments: parts("document_payments"),
      },
    );
    const seal: string = sealOf(form, previous_seal, SEAL_VERSION);
    raw.prepare("update documents set hash = ?, seal = ? where id = ?").run([hash, seal, document.id]);
    [previous_hash, previous_seal] = [hash, seal];
  }
}
