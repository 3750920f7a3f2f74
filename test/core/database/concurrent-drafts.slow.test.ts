/** A plain connection to PostgreSQL that adds a part to a draft while Lacre issues it. */
import { pemSigner } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import type pg from "pg";
import { describe, expect, test } from "vitest";
import { HAS_SERVER } from "../../support/databases.ts";
import { aDraft } from "../../support/factories.ts";
import { fault } from "../../support/history.ts";
import { aCompany } from "../../support/instance.ts";
import { aPlace, aPlainConnection, openPrograms } from "../../support/postgres.ts";

/** A draft with a part of each kind, an issue of it that waits at its signature, and plain connections. */
async function aDraftInHand() {
  const place = aPlace();
  const signer = pemSigner(TEST_SIGNING_KEY, 1);
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const sign = async (text: string) => {
    reached.resolve();
    await gate.promise;
    return signer.sign(text);
  };
  const now = () => new Date("2026-11-21T12:00:00Z");
  const [lacre] = await openPrograms(place, 1, { now, signer: { ...signer, sign } });
  if (!lacre) throw new Error("No program was opened.");
  const home = await aCompany(lacre);
  const { id } = await aDraft(home, { payments: [{ amount: 1, method_code: "NU", payment_date: "2026-11-21" }] });
  const [plain, watcher] = [await aPlainConnection(place), await aPlainConnection(place)];
  await plain.query("set deadlock_timeout = '100ms'"); // Where both wait for each other, it is this one that gives up.
  const { rows } = await plain.query<{ pid: number }>("select pg_backend_pid() as pid");
  return {
    home,
    id,
    plain,
    watcher,
    pid: rows[0]?.pid as number,
    issue: () => home.company.documents.issue({ id }),
    atSignature: reached.promise,
    sign: gate.resolve,
  };
}

/** Resolves to "waits" once this backend waits for a lock of another, or to what `work` came to before. */
async function waitsOr(watcher: pg.Client, blocker: string, work: Promise<unknown>): Promise<unknown> {
  const settled = work.then(
    () => "done",
    (error: unknown) => error,
  );
  const waiting = async () => {
    for (;;) {
      const { rows } = await watcher.query(`select pid from pg_stat_activity where ${blocker}`);
      if (rows.length > 0) return "waits";
      if ((await Promise.race([settled, "not yet"])) !== "not yet") return settled;
    }
  };
  return Promise.race([settled, waiting()]);
}

const INSERT = (id: string) => `insert into document_lines (
    document_id, line_number, description, qty_micros, unit, unit_price_micros, unit_price_gross_micros, tax_rate_bps,
    discount_bps, product_id, reference_id, reference_line, exemption_code, supply_date, product_type, tax_region,
    tax_code, product_code, product_name
  ) select document_id, 77, 'slipped in', qty_micros, unit, unit_price_micros, unit_price_gross_micros, tax_rate_bps,
    discount_bps, product_id, reference_id, reference_line, exemption_code, supply_date, product_type, tax_region,
    tax_code, product_code, product_name
  from document_lines where document_id = '${id}'`;

const INSERT_PAYMENT = (id: string) => `insert into document_payments
  select document_id, 77, 'slipped in', amount_cents, method_code, payment_date
  from document_payments where document_id = '${id}'`;

const CHANGES: readonly (readonly [what: string, sql: (id: string) => string])[] = [
  ["a line added", INSERT],
  ["a line changed", (id) => `update document_lines set description = 'x' where document_id = '${id}'`],
  ["a line removed", (id) => `delete from document_lines where document_id = '${id}'`],
  ["a payment added", INSERT_PAYMENT],
  ["a payment changed", (id) => `update document_payments set method_code = 'TB' where document_id = '${id}'`],
  ["a payment removed", (id) => `delete from document_payments where document_id = '${id}'`],
];

const WAITS = (pid: number) => `pid = ${pid} and wait_event_type = 'Lock'`;

describe.skipIf(!HAS_SERVER)("a draft that is being issued", () => {
  test.each(CHANGES)("%s over another connection waits for the issue, and is not part of it", async (what, sql) => {
    const holdsLine = /line (changed|removed)/.test(what);
    const { home, id, plain, watcher, pid, issue, atSignature, sign } = await aDraftInHand();
    const issuing = issue();
    await atSignature;
    const changing = plain.query(sql(id));
    const outcome = changing.then(
      () => "done",
      ({ message }: Error) => message,
    );
    expect(await waitsOr(watcher, WAITS(pid), changing)).toBe("waits");
    sign();
    const issued = await issuing;
    // Whoever changes a line holds it, and the issue stores all lines anew: the server ends either of the two. The
    // issue is tried again then, and finds the line changed.
    expect(await outcome).toMatch(holdsLine ? /deadlock|done|is issued/ : /the document is issued/);
    expect(await home.company.documents.get({ id })).toMatchObject(issued);
    expect(await fault(home)).toBe(null);
  });

  test("the control: with a guard that does not lock the document, the payment slips in", async () => {
    const { home, id, plain, watcher, pid, issue, atSignature, sign } = await aDraftInHand();
    const guard = "document_payments_no_insert_once_issued";
    const { rows } = await plain.query<{ made: string }>(`select pg_get_functiondef('${guard}'::regproc) as made`);
    await plain.query(String(rows[0]?.made).replace(" for share", ""));
    const issuing = issue();
    await atSignature;
    const changing = plain.query(INSERT_PAYMENT(id));
    expect(await waitsOr(watcher, WAITS(pid), changing)).toBe("done");
    sign();
    await issuing;
    expect(await fault(home)).not.toBe(null);
  });

  test("includes a line that was added before it is read, after waiting until that is committed", async () => {
    const { home, id, plain, watcher, issue, sign } = await aDraftInHand();
    sign();
    await plain.query("begin");
    await plain.query(INSERT(id));
    const issuing = issue();
    const waits = "datname = current_database() and wait_event_type = 'Lock' and query like '%\"documents\"%'";
    expect(await waitsOr(watcher, waits, issuing)).toBe("waits");
    await plain.query("commit");
    const { lines, total_net } = await issuing;
    expect(lines.map(({ description }) => description)).toEqual(["Pão de Mafra", "slipped in"]);
    expect(total_net).toBe(200);
    expect(await fault(home)).toBe(null);
  });
});
