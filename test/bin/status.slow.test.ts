import { spawnSync } from "node:child_process";
import { appendFile, chmod, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import {
  call,
  type Ended,
  invoice,
  lacre,
  lacreJson,
  makeCustomer,
  makeDatabase,
  startServer,
  TERMINAL,
} from "./program.ts";

const UNCERTIFIED = "This program is not certified";
const DUTIES = "Before its first invoice the business tells AT";
const REGISTER = "before its first document";

test("init and serve say that series need registering, that the program is not certified, and what the law asks", async () => {
  const { db } = await makeDatabase();
  const other = join(db, "..", "other.db");
  const { stdout } = await lacre(["init", "--name", "Padaria", "--tax-id", "500000000", "--db", other]);
  expect(stdout).toContain(UNCERTIFIED);
  expect(stdout).toContain(REGISTER);
  expect(stdout).toContain(DUTIES);

  const logged = await startServer(["serve", "--db", db]);
  const entries = () => logged.lines.map((line) => JSON.parse(line));
  await expect
    .poll(entries)
    .toContainEqual(expect.objectContaining({ event: "not_certified", message: expect.stringContaining(UNCERTIFIED) }));
  await expect
    .poll(entries)
    .toContainEqual(expect.objectContaining({ event: "duties", message: expect.stringContaining(DUTIES) }));
  await expect.poll(entries).toContainEqual(
    expect.objectContaining({
      event: "waiting",
      kind: "series_unregistered",
      message: expect.stringContaining(REGISTER),
    }),
  );
  expect((await logged.stop()).stderr).toBe(""); // a person at a terminal alone is told twice

  const seen = await startServer(["serve", "--no-area", "--db", db], { through: TERMINAL });
  const words = () => seen.lines.filter((line) => !line.startsWith("{"));
  const wanted = [expect.stringContaining(UNCERTIFIED), expect.stringContaining(REGISTER)];
  await expect.poll(words).toEqual(expect.arrayContaining(wanted));
});

test("status shows a person what waits and where everything is, beside a server and without one", async () => {
  const made = await makeDatabase();
  const { db } = made;
  const file = join(made.directory, "backup.db");
  const overdue =
    "- No backup was taken yet, and documents were issued since. Take one, best to another disk: lacre backup";
  const fresh = (await lacre(["status", "--db", db])).stdout;
  expect(fresh).toMatch(/^last backup +none$/m);
  expect(fresh).not.toContain(overdue);
  const code_of_year = made.series[0]?.code;
  const server = await startServer(["serve", "--db", db]);
  const order = invoice(made, await makeCustomer(server, made));
  await call(server, made.api_key, "POST", "/v1/documents", order);
  expect((await lacre(["status", "--db", db])).stdout).toContain(overdue);
  await lacreJson("backup", file, "--every", "12h", "--db", db);
  expect(await lacreJson("status", "--db", db)).toMatchObject({ last_backup: { every_s: 43_200 } });

  const { code, stdout, stderr } = await lacre(["status", "--db", db]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^company +Padaria Central, Lda\., NIF 500000000$/m);
  expect(stdout).toMatch(/^certificate +This program is not certified/m);
  expect(stdout).toMatch(new RegExp(`^last backup +\\d+ seconds? ago \\(.*\\), 1 document, ${file}$`, "m"));
  expect(stdout).toMatch(new RegExp(`^database +${db} \\(rw-------\\), \\d+ kB; .* free$`, "m"));
  expect(stdout).toMatch(/^signing key +version 1, in the database$/m);
  expect(stdout).toMatch(/^versions +lacre .*, Node .*, SQLite .*, schema 0001-initial$/m);
  expect(stdout).not.toContain("No backup was taken");
  expect(stdout).toContain(
    `- Documents without ATCUD, in series that can no longer be registered: FT ${code_of_year}.`,
  );
  await server.stop();

  await chmod(db, 0o644);
  expect((await lacre(["status", "--db", db])).stdout).toContain(
    `- Other users can read or change ${db}, which holds keys and customers`,
  );
  await chmod(db, 0o600);
  const restored = join(made.directory, "restored.db");
  await lacreJson("restore", file, "--db", restored);
  const { waiting } = await lacreJson<{ waiting: { kind: string }[] }>("status", "--db", restored);
  expect(waiting[0]).toMatchObject({
    kind: "numbers_unconfirmed",
    numbers: expect.arrayContaining([`FT ${code_of_year}/1`]),
  });
  expect((await lacre(["status", "--db", restored])).stdout).toMatch(
    /^last backup +\d+ seconds? ago \(.*\), the one this file is from$/m,
  );
  const locked = await startServer(["serve", "--db", restored]);
  expect(await call(locked, "", "GET", "/readyz")).toMatchObject({
    status: 503,
    body: { error: { message: expect.stringContaining("lacre restore --status") } },
  });
  await expect
    .poll(() => locked.lines.join("\n"))
    .toContain("Nothing is issued after a restore until you confirm the last number");
});

test("commands are printed with --db and --company, and work as they are printed", async () => {
  const { directory } = await makeDatabase();
  const db = join(directory, "Ana's shop.db");
  await lacreJson("init", "--name", "Padaria", "--tax-id", "500000000", "--db", db);
  const second = ["--name", "Talho", "--tax-id", "503504564", "--db", db];
  const { id } = await lacreJson<{ id: string }>("company", "create", ...second);
  const named = `--db '${db.replace("'", "'\\''")}'`;

  const { stdout } = await lacre(["status", "--db", db]);
  const [register = ""] = /(?<=^- Talho: .*)lacre series register .*(?=CODE$)/m.exec(stdout) ?? [];
  expect(register).toContain(`lacre series register ${named} --company ${id} "`);
  expect(await typed(`${register}AAJFF2345`)).toMatchObject({ code: 0 });
  const server = await startServer(["serve", "--db", db]);
  const logged = () => server.lines.map((line) => JSON.parse(line));
  await expect
    .poll(logged)
    .toContainEqual(
      expect.objectContaining({ company_id: id, message: expect.stringContaining(register.slice(0, -9)) }),
    );
  await server.stop();

  // A refusal of the core, and of the program itself, and what a command says next.
  const missing = await lacre(["company", "show", "--db", join(directory, "none.db")]);
  expect(missing.stderr).toContain(`lacre init --db '${directory}/none.db'`);
  const unknown = await lacre(["user", "disable", "ana@example.pt", "--db", db]);
  expect(unknown.stderr).toContain(`lacre user list ${named}`);
  expect(await typed(`lacre user list ${named}`)).toMatchObject({ code: 0 });
  const none = (await lacre(["user", "list", "--db", db])).stdout;
  expect(none).toContain(`lacre user invite ${named} --role owner`);
  // The default database needs no flag.
  const { stdout: plain } = await lacre(["status"], { cwd: directory });
  expect(plain).toContain('lacre series register "');
});

/** Types a command that Lacre printed into a shell. */
function typed(command: string): Promise<Ended> {
  return lacre([command.replace(/^lacre /, "")], { through: ["sh", "-c", 'eval "$0 $1"'] });
}

test("status --check ends with a code of its own while something waits, and with 0 when nothing does", async () => {
  const { db, series } = await makeDatabase();
  const waits = await lacre(["status", "--check", "--db", db]);
  expect([waits.code, waits.stderr]).toEqual([EXITS.waiting.code, "lacre: 1 thing waits for you\n"]);
  expect(waits.stdout).toContain("Waiting for you:\n- Not registered with AT");
  expect((await lacre(["status", "--db", db])).code).toBe(0);
  for (const [i, { id }] of series.entries()) {
    await lacreJson("series", "register", id, `AAJF${"BCDFGHJKMNPQ"[i]}345`, "--db", db);
  }
  const { code, stdout, stderr } = await lacre(["status", "--check", "--db", db]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Nothing waits for you.");
  await chmod(db, 0o644);
  expect((await lacre(["status", "--check", "--db", db])).code).toBe(EXITS.waiting.code);
});

test("a disk that fills up waits and is logged before it is full; a full one is the reason of /readyz", async ({
  skip,
}) => {
  const { directory, db: made, api_key } = await makeDatabase();
  const disk = join(directory, "disk");
  await mkdir(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=280m", "tmpfs", disk]).status !== 0) {
    return skip("a file system can be mounted by root alone");
  }
  onTestFinished(() => void spawnSync("umount", ["--lazy", disk]));
  const [db, ballast] = [join(disk, "shop.db"), join(disk, "ballast")];
  await copyFile(made, db);
  const server = await startServer(["serve", "--rate-limit", "1000000", "--db", db]);
  const entries = (event: string) => server.lines.map((line) => JSON.parse(line)).filter((one) => one.event === event);
  const ready = () => call(server, "", "GET", "/readyz");
  expect(await ready()).toMatchObject({ status: 200, body: { disk_low: false } });
  expect((await lacre(["status", "--db", db])).stdout).not.toContain("The disk of the database");

  await writeFile(ballast, Buffer.alloc(64 * 1024 * 1024));
  await expect.poll(() => entries("disk_low"), { timeout: 30_000 }).toMatchObject([{ database: db, level: "warn" }]);
  expect(await ready()).toMatchObject({ status: 200, body: { disk_low: true } });
  expect((await lacre(["status", "--db", db])).stdout).toMatch(
    /^- The disk of the database has 2\d\d MB left: make room/m,
  );

  await appendFile(ballast, Buffer.alloc(256 * 1024 * 1024)).catch(() => {}); // as much as there is
  const write = () => call(server, api_key, "POST", "/v1/customers", { name: "Ana ".repeat(40) });
  await expect.poll(async () => (await write()).status, { interval: 1, timeout: 30_000 }).toBe(503);
  expect(entries("storage_error")[0]).toMatchObject({ trouble: "full", database: db });
  const full = { status: 503, body: { error: { message: expect.stringContaining("The disk is full") } } };
  expect(await ready()).toMatchObject(full);
  await rm(ballast);
  expect((await write()).status).toBe(201);
  expect(await ready()).toMatchObject({ status: 200, body: { disk_low: false } });
});
