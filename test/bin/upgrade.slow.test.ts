/**
 * The next program's commands over a database of this one: they look and change nothing, and `serve` backs a file up
 * first.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { type LacreDialect, openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { archiveOf } from "../support/archives.ts";
import { dropped, POSTGRES, POSTGRES_URL, schemaOf } from "../support/databases.ts";
import { type Database, DRIVERS, type Driver, NOW } from "../support/drivers.ts";
import { aFile, aShell, openInstance } from "../support/instance.ts";
import { makeNextProgram, type NextProgram } from "../support/next-program.ts";
import { addressWith, aRole, describeOnPostgres, onServer } from "../support/schemas.ts";
import { aTarget } from "../support/target.ts";

let built: NextProgram;
beforeAll(() => {
  built = makeNextProgram();
});
afterAll(() => built.remove());

const [DRIVER] = DRIVERS as [Driver];

function start(...args: string[]) {
  const child = spawn(process.execPath, [join(built.directory, "src/bin/main.ts"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "", LC_MESSAGES: "", LANG: "C" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs a command of the next program to its end. */
async function run(...args: string[]) {
  const child = start(...args);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

/** A database of this program, which holds its signing key itself, and the number of an invoice in it. */
async function anOlder(driver: Database) {
  const file = aFile();
  const instance = await openInstance(driver, { file });
  const { issued } = await aTarget(instance);
  const { number } = await instance.company.documents.get({ id: issued });
  await instance.lacre.close();
  return { file, number: String(number), company: instance.company_id, dialect: instance.dialect };
}

const anOlderFile = () => anOlder(DRIVER);

/** The same on a server, in a schema of its own. */
async function anOlderOnServer() {
  const { file, ...older } = await anOlder(POSTGRES);
  const schema = schemaOf(file);
  onTestFinished(() => dropped(schema));
  return { ...older, schema, db: addressWith({ schema }), directory: dirname(file) };
}

const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** The last migration that was applied. */
function schemaIn(file: string): unknown {
  const shell = aShell(file);
  const last = shell.prepare("select max(id) from migrations").pluck().get();
  shell.close();
  return last;
}

/** The commands that only read, on a file and on a server; `out` names the files that they write. */
const looksAt = (out: (name: string) => string, number: string, company: string): string[][] => [
  ["status"],
  ["verify"],
  ["archive", out("a.lacre")],
  ["saft", "--year", "2026", "--out", out("s.xml"), "--company", company],
  ["pdf", number, "--copy", "--out", out("d.pdf"), "--company", company],
];

test("commands that only read use a copy of an older file, which stays unchanged to the byte", async () => {
  const { file, number, company } = await anOlderFile();
  const before = digestOf(file);
  const out = (name: string) => join(dirname(file), name);
  for (const args of [...looksAt(out, number, company), ["backup", out("b.db")]]) {
    const { code, stderr, stdout } = await run(...args, "--db", file);
    expect([code, args[0] === "backup" ? "" : stderr], args.join(" ")).toEqual([0, ""]);
    if (args[0] === "status") expect(stdout).toMatch(/schema 0001-initial: lacre serve .+ upgrades it to 0002-next/);
    expect(digestOf(file), args.join(" ")).toBe(before);
  }
  expect(readdirSync(dirname(file)).filter((name) => name.includes("draft"))).toEqual([]);
  for (const made of ["a.lacre", "s.xml", "d.pdf"]) expect(statSync(out(made)).size).toBeGreaterThan(500);
  expect(schemaIn(out("b.db"))).toBe("0001-initial");
  const backup = await openLacre({ dialect: sqlite(out("b.db")), migrate: false });
  expect(await backup.installation.verify()).toMatchObject({ whole: true });
  await backup.close();
});

test("a command that changes something, and an original as PDF, refuse an older file in words", async () => {
  const { file, number, company } = await anOlderFile();
  const before = digestOf(file);
  const out = join(dirname(file), "d.pdf");
  for (const args of [
    ["key", "create", "--name", "caixa", "--scope", "documents:read", "--company", company],
    ["pdf", number, "--out", out, "--company", company],
  ]) {
    const { code, stderr } = await run(...args, "--db", file);
    expect([code, stderr]).toEqual([5, expect.stringContaining("The database has an older schema")]);
  }
  expect(existsSync(out)).toBe(false);
  expect(digestOf(file)).toBe(before);
});

/** Starts `serve` over a file, waits until it listens or ends, and gives what it logged. */
async function served(file: string) {
  const child = start("serve", "--db", file, "--port", "0");
  const entries: Record<string, unknown>[] = [];
  const listening = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    entries.push(JSON.parse(line));
    if (entries.at(-1)?.event === "listening") listening.resolve();
  });
  const stderr = text(child.stderr);
  const ended = once(child, "close").then(([code]) => {
    listening.resolve();
    return code as number | null;
  });
  await listening.promise;
  return {
    entries,
    async stop() {
      child.kill("SIGTERM");
      return { code: await ended, stderr: await stderr };
    },
  };
}

test("serve backs up an older file, verified, before it upgrades it, and says where", async () => {
  const { file } = await ownKey();
  const server = await served(file);
  const { code } = await server.stop();
  expect(code).toBe(0);
  const upgrading = server.entries.find(({ event }) => event === "upgrading");
  expect(upgrading).toMatchObject({ level: "warn", database: file, from: "0001-initial", to: "0002-next" });
  const backup = String(upgrading?.backup);
  expect(backup).toMatch(/\/before-0\.1\.0-lacre-\d{8}T\d{6}Z\.db$/);
  expect([schemaIn(backup), schemaIn(file)]).toEqual(["0001-initial", "0002-next"]);
  const older = await openLacre({ dialect: sqlite(backup), migrate: false });
  expect(await older.installation.verify()).toMatchObject({ whole: true });
  await older.close();

  const again = await served(file);
  await again.stop();
  expect(again.entries.filter(({ event }) => event === "upgrading")).toEqual([]);
});

test("serve refuses an older file for what it would refuse a current one for, before it upgrades it", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const signedElsewhere = (await anOlderFile()).file;
  const certified = (await ownKey()).file;
  const older = await openLacre({ dialect: sqlite(certified), migrate: false });
  await older.signer.setCertificate({ certificate_number: 9999 });
  await older.close();
  chmodSync(certified, 0o600);
  for (const [file, at, said] of [
    [signedElsewhere, "0", "--signing-key"],
    [certified, "0", "--backup-to DIR, or say why not"],
    [(await ownKey()).file, String(port), "is already in use"],
  ] as const) {
    const { code, stderr } = await run("serve", "--db", file, "--port", at);
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(said)]);
    expect(schemaIn(file)).toBe("0001-initial");
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith("before-"))).toEqual([]);
  }
});

test("a backup before an upgrade takes the place of those of the same state, which failed upgrades left", async () => {
  const { file } = await ownKey();
  const left = (second: number) => join(dirname(file), `before-0.1.0-lacre-20260101T00000${second}Z.db`);
  copyFileSync(file, left(1));
  const earlier = await openLacre({ dialect: sqlite(file), migrate: false });
  await earlier.companies.create({ name: "Outra, Lda.", tax_id: "501964843" });
  await earlier.close();
  for (const second of [2, 3]) copyFileSync(file, left(second));
  const server = await served(file);
  await server.stop();
  const { backup } = server.entries.find(({ event }) => event === "upgrading") ?? {};
  const kept = readdirSync(dirname(file)).filter((name) => name.startsWith("before-"));
  expect(kept.sort()).toEqual([basename(left(1)), basename(String(backup))]);
});

test("an upgraded file is backed up and restored, and so is the backup from before, which is upgraded during the restore", async () => {
  const { file } = await ownKey();
  const server = await served(file);
  await server.stop();
  const before = String(server.entries.find(({ event }) => event === "upgrading")?.backup);
  const after = join(dirname(file), "after.db");
  expect(await run("backup", after, "--db", file)).toMatchObject({ code: 0, stderr: "" });
  for (const backup of [after, before]) {
    const { code, stderr } = await run("restore", backup, "--db", file);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(schemaIn(file)).toBe("0002-next");
    expect(await run("verify", "--db", file)).toMatchObject({ code: 0 });
  }
});

test("a restore counts those of the file that it replaces, also when another program made that file's schema", async () => {
  const { file } = await ownKey();
  const backup = join(dirname(file), "backup.db");
  expect(await run("backup", backup, "--db", file)).toMatchObject({ code: 0 });
  const older = aFile();
  copyFileSync(backup, older);
  counted(older, 3);
  const [newer, same] = [aFile(), aFile()];
  for (const copy of [newer, same]) expect(await run("restore", backup, "--db", copy)).toMatchObject({ code: 0 });
  counted(newer, 3);
  const shell = aShell(newer);
  shell.exec("insert into migrations select '0003-later', digest, applied_at from migrations limit 1");
  shell.close();
  counted(same, 3);
  for (const target of [older, newer, same]) {
    const { stdout } = await run("restore", backup, "--db", target, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ restores: 4 });
  }
});

/** Sets how many restores a file counts. */
function counted(file: string, restores: number): void {
  const shell = aShell(file);
  shell.exec(`update installation set restores = ${restores}`);
  shell.close();
}

test("serve does not upgrade an older file if no verified backup of it can be taken", async () => {
  const { file } = await ownKey();
  const shell = aShell(file);
  shell.exec("update customers set name = 'another'");
  shell.close();
  const server = await served(file);
  const { code, stderr } = await server.stop();
  expect([code, stderr]).toEqual([4, expect.stringContaining("The row is not as its last event")]);
  expect(schemaIn(file)).toBe("0001-initial");
});

/** A database whose signing key is in it, as `serve` needs one, with a customer. */
async function ownKey() {
  const file = aFile();
  const lacre = await openLacre({ dialect: sqlite(file) });
  const { id } = await lacre.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
  await lacre.as(id).customers.create({ name: "Ana" });
  await lacre.close();
  return { file };
}

describeOnPostgres("on PostgreSQL", () => {
  const contentOf = async (dialect: LacreDialect) => String(await archiveOf(dialect, () => new Date(NOW)));

  test("commands that look do so in a copy that is gone afterwards, while others write", async () => {
    const { db, number, company, dialect, directory, schema } = await anOlderOnServer();
    const before = await contentOf(dialect);
    const { role, password } = await aRole();
    await onServer(
      `grant usage on schema ${schema} to ${role}; grant select on all tables in schema ${schema} to ${role}`,
    );
    const writing = new pg.Client(POSTGRES_URL);
    await writing.connect();
    onTestFinished(() => writing.end());
    await writing.query(
      `begin; update ${schema}.customers set name = 'Rui'; update ${schema}.companies set name = 'Loja'`,
    );
    const out = (name: string) => join(directory, name);
    for (const args of looksAt(out, number, company)) {
      const { code, stderr, stdout } = await run(...args, "--db", addressWith({ schema }, role, password));
      expect([code, stderr], args.join(" ")).toEqual([0, ""]);
      if (args[0] === "status") expect(stdout).toMatch(/schema 0001-initial: lacre serve .+ upgrades it to 0002-next/);
    }
    await writing.query("rollback");
    for (const made of ["a.lacre", "s.xml", "d.pdf"]) expect(statSync(out(made)).size).toBeGreaterThan(500);
    expect(await contentOf(dialect)).toBe(before);
    expect(await onServer(`select id from ${schema}.migrations`)).toEqual([{ id: "0001-initial" }]);
    const { code, stderr } = await run(
      "key",
      "create",
      "--name",
      "k",
      "--scope",
      "all",
      "--company",
      company,
      "--db",
      db,
    );
    expect([code, stderr]).toEqual([5, expect.stringContaining("The database has an older schema")]);
  });

  test.each([
    ["a row", "update SCHEMA.customers set name = 'another'", "The row is not as its last event"],
    [
      "a guard",
      "drop trigger documents_are_frozen_once_issued on SCHEMA.documents",
      "documents_are_frozen_once_issued",
    ],
  ])("verify finds %s that was changed before the upgrade", async (_, change, says) => {
    const { db, schema } = await anOlderOnServer();
    await onServer(change.replace("SCHEMA", schema));
    const { code, stderr } = await run("verify", "--db", db);
    expect([code, stderr]).toEqual([4, expect.stringContaining(says)]);
  });
});
