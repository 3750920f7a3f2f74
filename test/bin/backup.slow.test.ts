import { copyFile, link, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { describe, expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import {
  call,
  documentsIn,
  invoice,
  lacre,
  lacreJson,
  type Made,
  makeCustomer,
  makeDatabase,
  type Running,
  startServer,
  temporaryDirectory,
} from "./program.ts";

const UNLIMITED = ["--rate-limit", "1000000"];

/** Issues invoices one after the other and returns their numbers. */
async function issue(server: Running, made: Made, customer_id: string, count: number): Promise<string[]> {
  const numbers: string[] = [];
  for (let i = 0; i < count; i++) {
    const { status, body } = await call(server, made.api_key, "POST", "/v1/documents", invoice(made, customer_id));
    expect(status).toBe(201);
    numbers.push(body.number as string);
  }
  return numbers;
}

/** A database with `count` invoices, issued through its server, which is stopped again. */
async function makeUsedDatabase(count: number): Promise<Made & { readonly numbers: string[] }> {
  const made = await makeDatabase();
  const server = await startServer(["serve", "--db", made.db]);
  const numbers = await issue(server, made, await makeCustomer(server, made), count);
  expect(await server.stop()).toMatchObject({ code: 0 });
  return { ...made, numbers };
}

/** The numbers of all documents in a database without a running server. */
async function numbersIn(db: string, company: Made["company"]): Promise<Set<string | null>> {
  const instance = await openLacre({ dialect: sqlite(db), migrate: false });
  try {
    const numbers = new Set<string | null>();
    for (;;) {
      const { data, pagination } = await instance.as(company).documents.list({ limit: 200, offset: numbers.size });
      for (const { number } of data) numbers.add(number);
      if (numbers.size >= pagination.total) return numbers;
    }
  } finally {
    await instance.close();
  }
}

describe("backup", () => {
  test("of a busy server holds every document acknowledged before it began, and verifies", async () => {
    const made = await makeDatabase();
    const server = await startServer(["serve", "--db", made.db, ...UNLIMITED]);
    const customer_id = await makeCustomer(server, made);
    const acknowledged: string[] = [];
    const first = Promise.withResolvers<void>();
    let stopped = false;
    const client = async () => {
      while (!stopped) {
        acknowledged.push(...(await issue(server, made, customer_id, 1)));
        if (acknowledged.length >= 100) first.resolve();
      }
    };
    const clients = Promise.all(Array.from({ length: 32 }, client));
    await first.promise;

    const before = [...acknowledged];
    const file = join(temporaryDirectory(), "backup.db");
    const report = await lacreJson<{ documents: number }>("backup", file, "--db", made.db);
    const after = acknowledged.length;
    stopped = true;
    await clients;

    expect(report).toEqual({ file, documents: expect.any(Number), whole: true });
    expect(await readdir(join(file, ".."))).toEqual(["backup.db"]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(after).toBeGreaterThan(before.length);
    expect(report.documents).toBeGreaterThanOrEqual(before.length);

    const restored = join(temporaryDirectory(), "restored.db");
    expect(await lacreJson("restore", file, "--db", restored)).toMatchObject({ documents: report.documents });
    expect(await lacreJson("verify", "--db", restored)).toMatchObject({ whole: true, documents: report.documents });
    const held = await numbersIn(restored, made.company);
    expect(before.filter((number) => !held.has(number))).toEqual([]);
  });

  test("control: a plain copy of the file beside a running server misses documents", async () => {
    const made = await makeDatabase();
    const server = await startServer(["serve", "--db", made.db]);
    await issue(server, made, await makeCustomer(server, made), 5);
    const copy = join(temporaryDirectory(), "copy.db");
    await copyFile(made.db, copy);
    expect(await documentsIn(copy, made.company)).toBe(0);
  });

  test("never overwrites a file, and needs an existing directory", async () => {
    const { db } = await makeDatabase();
    const file = join(temporaryDirectory(), "backup.db");
    expect((await lacre(["backup", file, "--db", db])).code).toBe(0);
    const first = await readFile(file);
    const again = await lacre(["backup", file, "--db", db]);
    expect(again).toMatchObject({ code: EXITS.refused.code, stderr: expect.stringContaining("is not overwritten") });
    expect(await readFile(file)).toEqual(first);
    const nowhere = await lacre(["backup", join(file, "..", "nowhere", "b.db"), "--db", db]);
    expect(nowhere).toMatchObject({ code: EXITS.unusable.code, stderr: expect.stringContaining("no directory") });
  });
});

/** Changes an issued document directly in the database, with its triggers dropped. */
function tamper(db: string, sequence: number): void {
  using connection = new DatabaseSync(db);
  const triggers = connection.prepare("select name from sqlite_schema where type = 'trigger'").all();
  for (const { name } of triggers) connection.exec(`drop trigger ${name}`);
  connection.exec(`update documents set total_gross_cents = total_gross_cents + 1 where sequence = ${sequence}`);
}

test("backup of a damaged database names that database, and not the file that it did not make", async () => {
  const { db, directory } = await makeUsedDatabase(2);
  using file = new DatabaseSync(db);
  const [page_size, root] = ["pragma page_size", "select rootpage from sqlite_schema where name = 'customers'"].map(
    (sql) => Number(Object.values(file.prepare(sql).get() ?? {})[0]),
  ) as [number, number];
  file.close();
  await writeFile(db, (await readFile(db)).fill(0, (root - 1) * page_size, root * page_size));
  const out = join(directory, "o.db");
  const { code, stderr } = await lacre(["backup", out, "--db", db]);
  expect([code, stderr]).toEqual([EXITS.unusable.code, expect.stringContaining(`There is damage in ${db} (`)]);
  expect(stderr).not.toContain(out);
  expect(stderr).toContain(`lacre restore --db '${db}' FILE`);
});

test("verify names the first bad document; backup and restore refuse a bad database", async () => {
  const { db, directory, numbers } = await makeUsedDatabase(3);
  const file = join(temporaryDirectory(), "backup.db");
  await lacreJson("backup", file, "--db", db);
  tamper(db, 2);
  tamper(file, 3);

  const { code, stdout, stderr } = await lacre(["verify", "--db", db, "--json"]);
  expect(code).toBe(EXITS.not_whole.code);
  expect(stderr).toMatch(/^\{"error":\{"code":"not_whole",[^\n]+\n$/);
  expect(stderr).toContain(`${numbers[1]} (Padaria Central, Lda.): `);
  expect(JSON.parse(stdout)).toMatchObject({ whole: false, companies: [{ whole: false }] });
  expect((await lacre(["verify", "--db", db])).stdout).toContain(`NOT whole:\n  ${numbers[1]}`);

  const refused = await lacre(["backup", join(directory, "b.db"), "--db", db]);
  expect(refused).toMatchObject({ code: EXITS.not_whole.code, stderr: expect.stringContaining(`${numbers[1]}`) });
  const before = await readFile(db);
  const notRestored = await lacre(["restore", file, "--db", db]);
  expect(notRestored).toMatchObject({ code: EXITS.not_whole.code, stderr: expect.stringContaining(`${numbers[2]}`) });
  expect(await readFile(db)).toEqual(before);
  expect(await readdir(directory)).toEqual(["lacre.db", "lacre.db.heads"]);
});

describe("restore", () => {
  test("of an old backup uses no number twice", async () => {
    const made = await makeUsedDatabase(4);
    const backup = join(temporaryDirectory(), "backup.db");
    await lacreJson("backup", backup, "--db", made.db);
    const server = await startServer(["serve", "--db", made.db]);
    const lost = await issue(server, made, await makeCustomer(server, made), 3);

    const beside = await lacre(["restore", backup, "--db", made.db]);
    expect(beside).toMatchObject({ code: EXITS.in_use.code, stderr: expect.stringContaining("a server runs on it") });
    await server.stop();

    const head = made.numbers.at(-1) as string;
    const before = await readFile(made.db);
    const restored = await lacreJson<{ moved_aside: string; locked: { head: string }[] }>(
      ...["restore", backup, "--db", made.db],
    );
    expect(restored).toMatchObject({
      database: made.db,
      restored_from: backup,
      moved_aside: expect.stringContaining(`${made.db}.before-restore-`),
      documents: 4,
      restores: 1,
    });
    expect(restored.locked).toHaveLength(10);
    expect(restored.locked[0]).toEqual({ company_id: made.company.id, doc_type: "FT", head });
    expect(await readFile(restored.moved_aside)).toEqual(before);
    expect((await stat(made.db)).mode & 0o777).toBe(0o600);

    const again = await startServer(["serve", "--db", made.db]);
    const customer_id = await makeCustomer(again, made);
    const order = invoice(made, customer_id);
    const locked = await call(again, made.api_key, "POST", "/v1/documents", order);
    expect(locked).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } });
    expect((await call(again, made.api_key, "GET", "/v1/documents")).status).toBe(200);

    // The last number issued is not the last in the file, so the series is closed, here while the server runs.
    const unused = restored.locked.slice(1).map(({ head }) => head);
    expect(unused).toContainEqual(expect.stringMatching(/^FS \d{4}A\/0$/));
    const given = [...unused, lost.at(-1) as string].flatMap((number) => ["--confirm-head", number]);
    const settled = await lacreJson<{ confirmed: object[] }>("restore", ...given, "--db", made.db);
    expect(settled).toMatchObject({ still_locked: [] });
    expect(settled.confirmed.at(-1)).toEqual({ number: lost.at(-1), head, outcome: "closed" });
    expect(await call(again, made.api_key, "POST", "/v1/documents", order)).toMatchObject({ status: 409 });
    const opened = ["series", "create", "--doc-type", "FT", "--code", "NEW", "--db", made.db];
    const series = [await lacreJson<Made["series"][number]>(...opened)];
    const next = await call(again, made.api_key, "POST", "/v1/documents", invoice({ series }, customer_id));
    expect(next).toMatchObject({ status: 201, body: { number: "FT NEW/1" } });
    await again.stop();
    expect(await lacreJson("verify", "--db", made.db)).toMatchObject({ whole: true, documents: 5 });
  });

  test("of the latest state continues once its head is confirmed, and counts each restore", async () => {
    const made = await makeUsedDatabase(2);
    const backup = join(temporaryDirectory(), "backup.db");
    await lacreJson("backup", backup, "--db", made.db);
    const empty = join(temporaryDirectory(), "lacre.db");
    expect(await lacreJson("restore", backup, "--db", empty)).toMatchObject({ moved_aside: null, restores: 1 });
    expect(await lacreJson("restore", backup, "--db", empty)).toMatchObject({ restores: 2 });

    const wrong = await lacre(["restore", "--confirm-head", "FT-2026A-2", "--db", empty]);
    expect(wrong).toMatchObject({ code: EXITS.refused.code, stderr: expect.stringContaining("FT-2026A-2") });
    const head = made.numbers.at(-1) as string;
    const mistyped = await lacre(["restore", "--confirm-head", head, "--confirm-head", "FT 2026Z/3", "--db", empty]);
    expect(mistyped).toMatchObject({ code: EXITS.refused.code, stderr: expect.stringContaining("add --lost") });
    const waits = await lacre(["restore", "--status", "--db", empty]);
    expect([waits.code, waits.stdout]).toEqual([0, expect.stringContaining(`  ${head}\n`)]); // all or none
    const { code, stdout } = await lacre(["restore", "--confirm-head", head, "--db", empty]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${head} is the last number in this file`)]);

    const server = await startServer(["serve", "--db", empty]);
    const [next] = await issue(server, made, await makeCustomer(server, made), 1);
    expect(next).toBe(head.replace(/\d+$/, "3"));
  });

  test("control: a plain copy put back with its note uses numbers a second time", async () => {
    const made = await makeUsedDatabase(2);
    const copy = join(temporaryDirectory(), "copy.db");
    for (const suffix of ["", ".heads"]) await copyFile(made.db + suffix, copy + suffix);
    const again = async (db: string) => {
      const server = await startServer(["serve", "--db", db]);
      const numbers = await issue(server, made, await makeCustomer(server, made), 1);
      await server.stop();
      return numbers;
    };
    expect(await again(copy)).toEqual(await again(made.db));
  });

  test("of a plain copy made without a running server is locked and confirmed like a backup", async () => {
    const made = await makeUsedDatabase(1);
    const copy = join(temporaryDirectory(), "copy.db");
    await copyFile(made.db, copy);
    const restored = await lacreJson<{ locked: { head: string }[] }>("restore", copy, "--db", made.db);
    expect(restored.locked.map(({ head }) => head)).toContain(made.numbers[0]);
    const confirmed = await lacreJson("restore", "--confirm-head", made.numbers[0] as string, "--db", made.db);
    expect(confirmed).toMatchObject({ confirmed: [{ outcome: "unlocked" }] });
  });

  test("replaces a database that can no longer be read", async () => {
    const made = await makeUsedDatabase(1);
    const backup = join(temporaryDirectory(), "backup.db");
    await lacreJson("backup", backup, "--db", made.db);
    await writeFile(made.db, "gone");
    const { moved_aside } = await lacreJson<{ moved_aside: string }>("restore", backup, "--db", made.db);
    expect(await readFile(moved_aside, "utf8")).toBe("gone");
    expect(await lacreJson("verify", "--db", made.db)).toMatchObject({ whole: true, documents: 1 });
  });

  test("refuses a file that is not a backup", async () => {
    const made = await makeDatabase();
    await startServer(["serve", "--db", made.db]);
    const db = join(temporaryDirectory(), "lacre.db");
    const other = join(temporaryDirectory(), "other.db");
    new DatabaseSync(other).exec("create table notes (id text)");
    for (const [file, exit, line] of [
      [made.db.replace("lacre.db", "none.db"), EXITS.unusable, "There is no backup at"],
      ["package.json", EXITS.unusable, "is not a database"],
      [other, EXITS.unusable, "is not a Lacre database"],
    ] as const) {
      const { code, stderr } = await lacre(["restore", file, "--db", db]);
      expect([code, stderr]).toEqual([exit.code, expect.stringContaining(line)]);
    }
    expect(await readdir(join(db, ".."))).toEqual([]);
  });

  test("refuses the file of a running server as a backup: its latest documents are in another file", async () => {
    const made = await makeDatabase();
    const server = await startServer(["serve", "--db", made.db]);
    await issue(server, made, await makeCustomer(server, made), 1);
    const { code, stderr } = await lacre(["restore", made.db, "--db", join(temporaryDirectory(), "lacre.db")]);
    expect([code, stderr]).toEqual([EXITS.refused.code, expect.stringContaining("is a database in use")]);
  });

  test("refuses that file under another name of it (a hard link), beside which no log lies", async () => {
    const made = await makeDatabase();
    const server = await startServer(["serve", "--db", made.db]);
    await issue(server, made, await makeCustomer(server, made), 1);
    const second = join(temporaryDirectory(), "second.db");
    await link(made.db, second);
    const target = join(temporaryDirectory(), "lacre.db");
    const { code, stderr } = await lacre(["restore", second, "--db", target]);
    expect([code, stderr]).toEqual([EXITS.refused.code, expect.stringContaining("is a database in use")]);
    expect(await readdir(join(second, ".."))).toEqual(["second.db"]);
    await server.stop();
    expect((await lacre(["restore", second, "--db", target])).code).toBe(0); // the control: nobody uses it now
    expect(await readdir(join(second, ".."))).toEqual(["second.db"]);
  });

  test("of a backup with several names (hard links), as rotations keep them, leaves it as it was", async () => {
    const made = await makeUsedDatabase(1);
    const directory = temporaryDirectory();
    const [backup, second] = [join(directory, "daily.db"), join(directory, "weekly.db")];
    await lacreJson("backup", backup, "--db", made.db);
    await link(backup, second);
    const before = await readFile(backup);
    const restored = await lacreJson<{ locked: { head: string }[] }>("restore", second, "--db", made.db);
    expect(restored.locked.map(({ head }) => head)).toContain(made.numbers[0]);
    expect(before.equals(await readFile(backup))).toBe(true);
    expect((await stat(backup)).nlink).toBe(2);
    expect(await readdir(directory)).toEqual(["daily.db", "weekly.db"]);
    const refused = await lacre(["backup", second, "--db", made.db]);
    expect([refused.code, refused.stderr]).toEqual([EXITS.refused.code, expect.stringContaining("is not overwritten")]);
  });

  test("is refused while a program that embeds Lacre has the database open", async () => {
    const made = await makeUsedDatabase(1);
    const backup = join(temporaryDirectory(), "backup.db");
    await lacreJson("backup", backup, "--db", made.db);
    const embedder = await openLacre({ dialect: sqlite(made.db) });
    const { code, stderr } = await lacre(["restore", backup, "--db", made.db]);
    expect([code, stderr]).toEqual([EXITS.in_use.code, expect.stringContaining("Another program has")]);
    await embedder.close();
    expect(await readdir(made.directory)).toEqual(["lacre.db", "lacre.db.heads"]);
    expect((await lacre(["restore", backup, "--db", made.db])).code).toBe(0);
  });

  test("leaves a name under which no new database begins by accident", async () => {
    const made = await makeUsedDatabase(1);
    const backup = join(temporaryDirectory(), "backup.db");
    await lacreJson("backup", backup, "--db", made.db);
    const { moved_aside } = await lacreJson<{ moved_aside: string }>("restore", backup, "--db", made.db);
    await rm(made.db);
    await rm(`${made.db}.heads`);
    const init = ["init", "--name", "Padaria", "--tax-id", "500000000", "--db", made.db];
    for (const [command, exit] of [
      [init, EXITS.refused],
      [["serve", "--db", made.db], EXITS.unusable],
    ] as const) {
      const { code, stderr } = await lacre(command);
      expect([code, stderr]).toEqual([exit.code, expect.stringContaining(`${moved_aside} is left of`)]);
    }
    expect(await readdir(made.directory)).toEqual([basename(moved_aside)]);
  });
});
