import { mkdir, readdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { FAKER } from "../support/faketime.ts";
import {
  call,
  invoice,
  lacre,
  lacreJson,
  type Made,
  makeAnother,
  makeCustomer,
  makeDatabase,
  type Running,
  startServer,
  temporaryDirectory,
} from "./program.ts";

const serve = ({ db }: Made, directory: string, ...flags: string[]) =>
  startServer(["serve", "--db", db, "--backup-to", directory, ...flags]);

/** The log entries of an event, once there are `count`. */
async function entriesOf({ lines, ended }: Running, event: string, count = 1): Promise<Record<string, unknown>[]> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  for (;;) {
    const found = lines.map((line) => JSON.parse(line)).filter((entry) => entry.event === event);
    if (found.length >= count || over) return found;
    await pause(20);
  }
}

const NOW_MS = Date.now();

/** A file's name with the time in it some hours earlier. */
const dated = (name: string, hours: number) => {
  const stamp = new Date(NOW_MS - hours * 3_600_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return name.replace(/\d{8}T\d{6}/, stamp);
};

test("a backup is taken at the start if the last is older than the interval, and only the newest are kept", async () => {
  const made = await makeDatabase();
  const directory = temporaryDirectory();
  const first = await serve(made, directory);
  const [{ file }] = (await entriesOf(first, "backup_taken")) as [{ file: string }];
  const [name] = (await readdir(directory)) as [string];
  expect(file).toBe(join(directory, name));
  expect(name).toMatch(/^lacre-[0-9a-f]{8}-\d{8}T\d{6}Z\.db$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await call(first, "", "GET", "/readyz")).body).toMatchObject({ last_backup: { age_s: expect.any(Number) } });
  expect(await lacreJson("status", "--db", made.db)).toMatchObject({
    last_backup: { file, documents: 0, every_s: 86_400 },
  });
  await first.stop();

  const other = await makeAnother(); // the same name, another installation
  const beside = await serve(other, directory, "--keep", "1");
  await entriesOf(beside, "backup_taken");
  await beside.stop();
  const strange = (await readdir(directory)).filter((one) => one !== name);
  expect(strange).toHaveLength(1);

  const again = await serve(made, directory, "--keep", "1");
  await entriesOf(again, "backups_scheduled");
  await again.stop();
  expect((await readdir(directory)).toSorted()).toEqual([name, ...strange].toSorted()); // none was due

  await rename(file, join(directory, dated(name, 25)));
  const own = [dated(name, 49), dated(name, 73)];
  const kept = [`${dated(name, 97)}.old`, `x${dated(name, 97)}`, name.replace(/-\d{8}T.*/, "-2026.db")];
  for (const each of [...own, ...kept]) await writeFile(join(directory, each), "x");
  await mkdir(join(directory, dated(name, 121)));
  const due = await serve(made, directory, "--keep", "2", "--backup-every", "1d");
  expect(await entriesOf(due, "backup_deleted", 2)).toHaveLength(2);
  const taken = (await entriesOf(due, "backup_taken")).map((entry) => String(entry.file).slice(directory.length + 1));
  expect((await readdir(directory)).toSorted()).toEqual(
    [...taken, dated(name, 25), dated(name, 121), ...kept, ...strange].toSorted(),
  );
  const restored = join(temporaryDirectory(), "restored.db");
  expect(await lacreJson("restore", join(directory, String(taken[0])), "--db", restored)).toMatchObject({
    restores: 1,
  });
});

test.skipIf(!FAKER)("a backup is taken after each interval, and only the newest are kept", async () => {
  const made = await makeDatabase();
  const before = await startServer(["serve", "--db", made.db]);
  await call(before, made.api_key, "POST", "/v1/documents", invoice(made, await makeCustomer(before, made)));
  await before.stop();
  const directory = temporaryDirectory();
  // A minute of the program is a second here, for its timers too.
  const server = await startServer(
    ["serve", "--db", made.db, "--backup-to", directory, "--backup-every", "1m", "--keep", "2"],
    { env: { LD_PRELOAD: String(FAKER), FAKETIME: "+0 x60" } },
  );
  const taken = (await entriesOf(server, "backup_taken", 4)) as { file: string; documents: number }[];
  await entriesOf(server, "backup_deleted", 2);
  await server.stop();
  expect(taken.map(({ documents }) => documents)).toEqual(taken.map(() => 1));
  const at = taken.map(({ file }) =>
    Date.parse(file.replace(/.*-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/, "$1-$2-$3T$4:$5:$6Z")),
  );
  for (const [i, time] of at.entries()) expect(time).toBeGreaterThanOrEqual((at[i - 1] ?? 0) + 60_000);
  const kept = (await readdir(directory)).map((name) => join(directory, name)).toSorted();
  expect(kept.filter((file) => file.endsWith("Z.db"))).toHaveLength(2);
  const [last = ""] = kept.slice(-1);
  expect(await lacreJson("verify", "--db", last)).toMatchObject({ whole: true, documents: 1 });
});

test("a failed backup is reported loudly, deletes nothing and is tried again", async () => {
  const made = await makeDatabase();
  const directory = temporaryDirectory();
  const before = await startServer(["serve", "--db", made.db]);
  await call(before, made.api_key, "POST", "/v1/documents", invoice(made, await makeCustomer(before, made)));
  await before.stop();
  const good = await serve(made, directory);
  await entriesOf(good, "backup_taken");
  await good.stop();
  const [name] = (await readdir(directory)) as [string];
  const last = dated(name, 25);
  await rename(join(directory, name), join(directory, last));

  change(made.db, "total_net_cents + 1");
  const server = await serve(made, directory, "--keep", "1");
  const [failure] = await entriesOf(server, "backup_failed");
  expect(failure).toMatchObject({ level: "error", failures: 1, last });
  expect(failure?.message).toMatch(
    /^NO BACKUP was taken to .*: FT \d{4}A\/1 .*\. The last one is .* Tried again in 10 s; .*lacre backup --db '.*' FILE/,
  );
  expect(await readdir(directory)).toEqual([last]);
  expect((await call(server, "", "GET", "/healthz")).status).toBe(200);

  change(made.db, "total_net_cents - 1");
  expect(await entriesOf(server, "backup_taken")).toHaveLength(1);
  await entriesOf(server, "backup_deleted");
  expect(await readdir(directory)).toHaveLength(1);
  expect(await readdir(directory)).not.toContain(last);
});

/** Changes the only document of a database directly, with its triggers dropped and put back. */
function change(db: string, total: string): void {
  using connection = new DatabaseSync(db);
  const triggers = connection.prepare("select name, sql from sqlite_schema where type = 'trigger'").all();
  for (const { name } of triggers) connection.exec(`drop trigger ${name}`);
  connection.exec(`update documents set total_net_cents = ${total}`);
  for (const { sql } of triggers) connection.exec(String(sql));
}

test("a server stopped during a backup leaves nothing unfinished", async () => {
  const made = await makeDatabase();
  const directory = temporaryDirectory();
  const server = await serve(made, directory);
  while ((await readdir(directory)).length === 0) await pause(5);
  expect(await server.stop()).toMatchObject({ code: 0 });
  expect((await readdir(directory)).filter((name) => !name.endsWith("Z.db"))).toEqual([]);
});

test("a missing directory, a path that is not one, and a wrong interval are refused at the start", async () => {
  const { db } = await makeDatabase();
  for (const [flags, exit, line] of [
    [["--backup-to", `${db}.none`], EXITS.unusable, "There is no directory"],
    [["--backup-to", db], EXITS.unusable, "There is no directory"],
    [["--keep", "3"], EXITS.usage, "need --backup-to DIR"],
    [["--backup-to", ".", "--backup-every", "10s"], EXITS.usage, "--backup-every must be a time from 1m to 24d"],
    [["--backup-to", ".", "--keep", "0"], EXITS.usage, "--keep must be a whole number from 1"],
  ] as const) {
    const { code, stderr } = await lacre(["serve", "--db", db, ...flags]);
    expect([code, stderr]).toEqual([exit.code, expect.stringContaining(line)]);
  }
});

test("under a certificate number a server requires a schedule of backups, or a reason for none", async () => {
  const made = await makeDatabase();
  const { db } = made;
  const served = async (...flags: string[]) => {
    const server = await startServer(["serve", "--db", db, ...flags]);
    return (await server.stop()).code;
  };
  expect(await served()).toBe(0); // without a number nothing is asked
  await lacreJson("signer", "set", "--certificate-number", "9999", "--db", db);
  const { code, stderr } = await lacre(["serve", "--db", db, "--port", "0"]);
  expect([code, stderr]).toEqual([EXITS.refused.code, expect.stringContaining("--backup-to DIR, or say why not")]);
  expect(await lacreJson("status", "--db", db)).toMatchObject({ no_backups: null });

  const because = "the host copies the disk every night";
  expect(await served("--no-backup-because", because)).toBe(0);
  expect(await lacreJson("status", "--db", db)).toMatchObject({ no_backups: { because } });
  expect((await lacre(["status", "--db", db])).stdout).toMatch(new RegExp(`^no backups +${because} \\(since `, "m"));
  expect((await lacre(["serve", "--db", db, "--port", "0"])).code).toBe(EXITS.refused.code); // it is said at each start

  const scheduled = await serve(made, temporaryDirectory());
  await entriesOf(scheduled, "backup_taken");
  expect((await scheduled.stop()).code).toBe(0);
  expect(await lacreJson("status", "--db", db)).toMatchObject({ no_backups: null });

  for (const [flags, said] of [
    [["--no-backup-because", because, "--backup-to", temporaryDirectory()], "not both"],
    [["--no-backup-because"], "--no-backup-because needs a value: --no-backup-because TEXT"],
    [["--no-backup-because", "--port", "0"], "--no-backup-because needs a value: --no-backup-because TEXT"],
    [["--backup-because", because], "there is no flag --backup-because"],
  ] as const) {
    const refused = await lacre(["serve", "--db", db, ...flags]);
    expect([refused.code, refused.stderr]).toEqual([EXITS.usage.code, expect.stringContaining(said)]);
  }
  const empty = await lacre(["serve", "--db", db, "--port", "0", "--no-backup-because", " "]);
  expect([empty.code, empty.stderr]).toEqual([EXITS.refused.code, expect.stringContaining("--no-backup-because: ")]);
});
