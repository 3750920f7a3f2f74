import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, invoice, lacre, lacreJson, makeCustomer, makeDatabase, startServer, TERMINAL } from "./program.ts";

const UNCERTIFIED = "This program is not certified";
const REGISTER = "before its first document";

test("init and serve say that series want registering and that the program is not certified", async () => {
  const { db } = await makeDatabase();
  const other = join(db, "..", "other.db");
  const { stdout } = await lacre(["init", "--name", "Padaria", "--tax-id", "500000000", "--db", other]);
  expect(stdout).toContain(UNCERTIFIED);
  expect(stdout).toContain(REGISTER);

  const logged = await startServer(["serve", "--db", db]);
  const entries = () => logged.lines.map((line) => JSON.parse(line));
  await expect
    .poll(entries)
    .toContainEqual(expect.objectContaining({ event: "not_certified", message: expect.stringContaining(UNCERTIFIED) }));
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
  await expect.poll(words).toEqual([expect.stringContaining(UNCERTIFIED), expect.stringContaining(REGISTER)]);
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
