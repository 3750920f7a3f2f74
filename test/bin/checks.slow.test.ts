/** A served database that anything but Lacre changed while it was stopped. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { call, invoice, lacre, lacreJson, makeCustomer, makeDatabase, type Running, startServer } from "./program.ts";

/** Takes a euro off a document, with the guards out of the way, and puts them back. */
function takeEuro(file: string, number: string): void {
  const shell = new Sqlite(file);
  const guards = shell.prepare("select name, sql from sqlite_schema where type = 'trigger'").all() as {
    name: string;
    sql: string;
  }[];
  for (const { name } of guards) shell.exec(`drop trigger "${name}"`);
  const change = "update documents set total_gross_cents = total_gross_cents - 100 where number = ?";
  expect(shell.prepare(change).run(number).changes).toBe(1);
  for (const { sql } of guards) shell.exec(sql);
  shell.close();
}

/** A database with three documents that a server issued and was stopped after. */
async function served() {
  const made = await makeDatabase();
  const server = await startServer(["serve", "--db", made.db]);
  const customer_id = await makeCustomer(server, made);
  const issue = (at: Running) => call(at, made.api_key, "POST", "/v1/documents", invoice(made, customer_id));
  for (let i = 0; i < 3; i++) expect((await issue(server)).status).toBe(201);
  expect((await server.stop()).code).toBe(0);
  return { ...made, issue };
}

/** Waits until the check of everything has been stored since this instant. */
async function untilChecked(db: string, since: string): Promise<void> {
  await expect
    .poll(
      async () => {
        const { checks } = await lacreJson<{ checks: { whole_at: string | null }[] }>("status", "--db", db);
        return checks.length > 0 && checks.every(({ whole_at }) => whole_at !== null && whole_at >= since);
      },
      { timeout: 30_000, interval: 100 },
    )
    .toBe(true);
}

test("a total changed while nobody served: no issuing, it is named everywhere, and an answer ends it", async () => {
  const { db, api_key, issue, directory } = await served();
  takeEuro(db, "FT 2026A/2");
  const since = new Date().toISOString();
  const server = await startServer(["serve", "--db", db]);
  await untilChecked(db, since);
  const refused = await issue(server);
  expect([refused.status, refused.body]).toEqual([
    503,
    { error: { code: "unavailable", message: expect.stringMatching(/FT 2026A\/2 .* lacre verify/) } },
  ]);
  const ready = await call(server, api_key, "GET", "/readyz");
  expect([ready.status, JSON.stringify(ready.body)]).toEqual([503, expect.stringContaining("lacre verify")]);
  expect(server.lines.some((line) => line.includes('"database_changed"') && line.includes("FT 2026A/2"))).toBe(true);
  expect((await lacre(["status", "--db", db])).stdout).toContain("FT 2026A/2 is not as Lacre left it");
  const out = join(directory, "saft.xml");
  const saft = await lacre(["saft", "--out", out, "--db", db]);
  expect([saft.code, saft.stderr]).toEqual([EXITS.not_whole.code, expect.stringContaining("FT 2026A/2")]);
  expect(readFileSync(out, "latin1")).toContain("</AuditFile>");
  const overHttp = await fetch(`${server.url}/v1/saft`, { headers: { authorization: `Bearer ${api_key}` } });
  expect([overHttp.status, await overHttp.text()]).toEqual([503, expect.stringContaining("FT 2026A/2")]);
  expect((await lacre(["pdf", "FT 2026A/2", "--out", join(directory, "a.pdf"), "--db", db])).code).toBe(0);
  expect((await lacre(["verify", "--db", db])).code).toBe(EXITS.not_whole.code);
  const answer = await lacre(["verify", "--answer", "Ana tried a tool on it", "--db", db]);
  expect([answer.code, answer.stdout]).toEqual([0, expect.stringContaining("FT 2026A/2")]);
  expect((await issue(server)).status).toBe(201);
  expect((await lacre(["verify", "--db", db])).code).toBe(0);
  expect((await server.stop()).code).toBe(0);
});

test("control: an untouched database is still served, and a server killed during its check reaches the same result afterwards", async () => {
  const { db, issue } = await served();
  const killed = await startServer(["serve", "--db", db]);
  await killed.stop("SIGKILL");
  const since = new Date().toISOString();
  const server = await startServer(["serve", "--db", db]);
  await untilChecked(db, since);
  expect((await issue(server)).status).toBe(201);
  await server.stop("SIGKILL");
  takeEuro(db, "FT 2026A/4");
  const later = new Date().toISOString();
  const again = await startServer(["serve", "--db", db]);
  await untilChecked(db, later);
  expect((await issue(again)).status).toBe(503);
  await again.stop();
});
