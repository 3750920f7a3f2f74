import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import {
  call,
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

interface Shop extends Made {
  readonly customer_id: string;
}

async function issue(server: Running, made: Shop, count: number): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let i = 0; i < count; i++) {
    const { status, body } = await call(server, made.api_key, "POST", "/v1/documents", invoice(made, made.customer_id));
    answers.push(status === 201 ? body.number : status);
  }
  return answers;
}

/** Runs a server on the database while `work` is done, and stops it. Returns what it logged. */
async function whileServed(made: Made, work: (server: Running) => Promise<void> = async () => {}) {
  // A link for the first owner would be an event more at each start.
  const server = await startServer(["serve", "--no-area", "--db", made.db]);
  await work(server);
  expect(await server.stop()).toMatchObject({ code: 0 });
  return server.lines.map((line) => JSON.parse(line) as { event: string; message?: string });
}

/** A database with two invoices, a copy of which is kept, and three more. */
async function anOldAndANewFile(): Promise<Shop & { readonly old: string; readonly year: string }> {
  const made = await makeDatabase();
  const old = join(temporaryDirectory(), "old.db");
  let customer_id = "";
  await whileServed(made, async (server) => {
    customer_id = await makeCustomer(server, made);
    await issue(server, { ...made, customer_id }, 2);
  });
  copyFileSync(made.db, old);
  await whileServed(made, async (server) => void (await issue(server, { ...made, customer_id }, 3)));
  return { ...made, customer_id, old, year: made.series[0]?.code ?? "" };
}

const OLDER = expect.arrayContaining([expect.objectContaining({ event: "older_copy" })]);

/** Waits until the note beside a database contains a number. */
async function untilNoted({ db }: Made, number: unknown): Promise<void> {
  while (!(existsSync(`${db}.heads`) && readFileSync(`${db}.heads`, "utf8").includes(`"${number}"`))) await pause(50);
}

describe("an older copy that was put back by hand", () => {
  test("issues nothing, says why, and does no harm once the latest file is back", async () => {
    const made = await anOldAndANewFile();
    const latest = `${made.old}.latest`;
    copyFileSync(made.db, latest);
    copyFileSync(made.old, made.db);
    const log = await whileServed(made, async (server) => {
      expect(await issue(server, made, 2)).toEqual([503, 503]);
    });
    expect(log.find(({ event }) => event === "older_copy")?.message).toContain(
      `FT ${made.year}/5 was given, but this file ends at FT ${made.year}/2.`,
    );
    const { code, stderr } = await lacre(["verify", "--db", made.db]);
    expect([code, stderr]).toEqual([EXITS.not_whole.code, expect.stringContaining(`FT ${made.year}/5 was given`)]);

    copyFileSync(latest, made.db);
    const after = await whileServed(made, async (server) => {
      expect(await issue(server, made, 1)).toEqual([`FT ${made.year}/6`]);
    });
    expect(after).not.toEqual(OLDER);
  });

  test("is a restored backup until its heads are confirmed; no number is given again", async () => {
    const made = await anOldAndANewFile();
    copyFileSync(made.old, made.db);
    // Any command notices it, also before a server does.
    const confirm = (...numbers: string[]) =>
      lacre(["restore", ...numbers.flatMap((number) => ["--confirm-head", number]), "--db", made.db, "--json"]);
    const low = await confirm(`FT ${made.year}/2`);
    expect([low.code, low.stderr]).toEqual([EXITS.refused.code, expect.stringContaining("/5 was given")]);
    const status = await lacreJson<{ locked: { head: string }[]; missing: object[] }>(
      ...["restore", "--status", "--db", made.db],
    );
    // The command it names has the number that was noted.
    const said = (await lacre(["restore", "--status", "--db", made.db])).stdout;
    expect(said).toMatch(
      new RegExp(`^  lacre restore --confirm-head 'FT ${made.year}/5' --confirm-head '.*' --db '${made.db}'$`, "m"),
    );
    expect(status).toMatchObject({ restores: 1, missing: [{ number: `FT ${made.year}/5`, problem: "behind" }] });
    const heads = status.locked.map(({ head }) => (head.startsWith("FT ") ? `FT ${made.year}/5` : head));
    expect(JSON.parse((await confirm(...heads)).stdout)).toMatchObject({ still_locked: [] });

    const log = await whileServed(made, async (server) => {
      expect(await issue(server, made, 1)).toEqual([409]); // the series is closed
    });
    expect(log).not.toEqual(OLDER);
    expect(await lacreJson("verify", "--db", made.db)).toMatchObject({ whole: true, missing: [] });
  });

  test("control: without the note it gives numbers a second time", async () => {
    const made = await anOldAndANewFile();
    copyFileSync(made.old, made.db);
    rmSync(`${made.db}.heads`);
    await whileServed(made, async (server) => expect(await issue(server, made, 1)).toEqual([`FT ${made.year}/3`]));
  });
});

test("a database whose log was taken away after a kill is locked, though nothing noted its numbers", async () => {
  const made = await makeDatabase();
  // A link for the first owner would be an event more at each start.
  const server = await startServer(["serve", "--no-area", "--db", made.db]);
  const shop = { ...made, customer_id: await makeCustomer(server, made) };
  await issue(server, shop, 2);
  await server.stop("SIGKILL");
  for (const ending of ["-wal", ".heads"]) rmSync(`${made.db}${ending}`, { force: true });
  // A command that fails does not use up the sign.
  const missing = join(made.directory, "missing");
  expect((await lacre(["serve", "--backup-to", missing, "--db", made.db])).stderr).toContain("There is no directory");
  expect(await whileServed(made)).toContainEqual(expect.objectContaining({ event: "log_removed" }));
  expect(await whileServed(made)).not.toContainEqual(expect.objectContaining({ event: "log_removed" }));
  const { locked } = await lacreJson<{ locked: unknown[] }>("restore", "--status", "--db", made.db);
  expect(locked).toHaveLength(10);
});

test("a server that was killed has noted its numbers, so that a log that was lost is noticed", async () => {
  const made = await makeDatabase();
  // A link for the first owner would be an event more at each start.
  const server = await startServer(["serve", "--no-area", "--db", made.db]);
  const shop = { ...made, customer_id: await makeCustomer(server, made) };
  await untilNoted(made, (await issue(server, shop, 3)).at(-1));
  await server.stop("SIGKILL");
  truncateSync(`${made.db}-wal`);
  const log = await whileServed(made);
  expect(log).toEqual(OLDER);
});

describe("the note", () => {
  test("may be lost, or unreadable: nothing stops, and it is written again", async () => {
    const made = await anOldAndANewFile();
    const before = JSON.parse(readFileSync(`${made.db}.heads`, "utf8"));
    const events = { number: expect.stringMatching(/^events\/\d+$/) };
    expect(before).toMatchObject({ lacre_heads: 1, heads: [{ number: `FT ${made.year}/5` }, events, events] });
    rmSync(`${made.db}.heads`);
    expect((await whileServed(made)).map(({ event }) => event)).not.toContain("heads_unreadable");
    expect(JSON.parse(readFileSync(`${made.db}.heads`, "utf8")).heads).toEqual(before.heads);
    for (const spoilt of [
      "",
      "{",
      '{"lacre_heads":2,"heads":[]}',
      '{"lacre_heads":1,"heads":[{"company_id":"a","number":"5","seal":"b"}]}',
    ]) {
      writeFileSync(`${made.db}.heads`, spoilt);
      expect((await whileServed(made)).map(({ event }) => event)).toContain("heads_unreadable");
      expect(JSON.parse(readFileSync(`${made.db}.heads`, "utf8")).heads).toEqual(before.heads);
    }
  });

  test("taken elsewhere proves what the file alone cannot: that its end was cut off", async () => {
    const made = await anOldAndANewFile();
    const outside = join(temporaryDirectory(), "monday.heads");
    copyFileSync(`${made.db}.heads`, outside);
    const report = await lacreJson<{ heads: object }>("verify", "--heads", outside, "--db", made.db);
    expect(report).toMatchObject({ whole: true, missing: [] });
    const printed = join(temporaryDirectory(), "printed.heads");
    writeFileSync(printed, JSON.stringify(report.heads));

    copyFileSync(made.old, made.db); // and the note that belongs to it
    rmSync(`${made.db}.heads`);
    expect((await lacre(["verify", "--db", made.db])).code).toBe(0); // control
    for (const note of [outside, printed]) {
      const { code, stderr } = await lacre(["verify", "--heads", note, "--db", made.db]);
      expect([code, stderr]).toEqual([EXITS.not_whole.code, expect.stringContaining(`FT ${made.year}/5 was given`)]);
    }
    const wrong = await lacre(["verify", "--heads", made.old, "--db", made.db]);
    expect([wrong.code, wrong.stderr]).toEqual([EXITS.refused.code, expect.stringContaining("is not a note of heads")]);
  });

  test("that is left where the database was deleted keeps init from beginning at 1", async () => {
    const made = await anOldAndANewFile();
    rmSync(made.db);
    const { code, stderr } = await lacre(["init", "--name", "P", "--tax-id", "500000000", "--db", made.db]);
    expect([code, stderr]).toEqual([EXITS.refused.code, expect.stringContaining("lacre.db.heads is left of")]);
  });
});

test("a database that others can read is served with a warning, and not at all under a certificate number", async () => {
  const made = await makeDatabase();
  chmodSync(made.db, 0o644);
  const warning = expect.objectContaining({ event: "not_private", message: expect.stringContaining("chmod 600") });
  expect(await whileServed(made)).toEqual(expect.arrayContaining([warning]));
  const certified = ["--certificate-number", "9999", "--producer-name", "P", "--producer-tax-id", "509442013"];
  expect((await lacre(["signer", "set", ...certified, "--db", made.db])).code).toBe(0);
  const { code, stderr } = await lacre(["serve", "--db", made.db, "--port", "0"]);
  expect([code, stderr]).toEqual([EXITS.refused.code, expect.stringContaining(`chmod 600 '${made.db}'`)]);
  chmodSync(made.db, 0o600);
  expect((await whileServed(made)).map(({ event }) => event)).not.toContain("not_private");
});
