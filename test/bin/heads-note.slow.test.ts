import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { describe, expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
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
async function whileServed(
  made: Made,
  work: (server: Running) => Promise<void> = async () => {},
  flags: readonly string[] = [],
) {
  // A link for the first owner would be an event more at each start.
  const server = await startServer(["serve", "--no-area", ...flags, "--db", made.db]);
  await work(server);
  expect(await server.stop()).toMatchObject({ code: 0 });
  return server.lines.map((line) => JSON.parse(line) as { event: string; message?: string });
}

interface OldAndNew extends Shop {
  /** A copy of the database when it had two invoices; it has five. Each has its note beside it. */
  readonly old: string;
  readonly year: string;
}

/** Issues two invoices, keeps a copy of the file, and issues three more. */
async function withOldFile(made: Made): Promise<OldAndNew> {
  const old = join(temporaryDirectory(), "old.db");
  let customer_id = "";
  await whileServed(made, async (server) => {
    customer_id = await makeCustomer(server, made);
    await issue(server, { ...made, customer_id }, 2);
  });
  for (const suffix of WITH_NOTE) copyFileSync(made.db + suffix, old + suffix);
  await whileServed(made, async (server) => void (await issue(server, { ...made, customer_id }, 3)));
  return { ...made, customer_id, old, year: made.series[0]?.code ?? "" };
}

/** One such, and the bytes of its files. */
let first: Promise<readonly [OldAndNew, Record<"db" | "old", readonly Uint8Array[]>]> | undefined;

const WITH_NOTE = ["", ".heads"];

/** A database with two invoices, a copy of which is kept, and three more: the same for each test. */
async function anOldAndANewFile(): Promise<OldAndNew> {
  first ??= makeDatabase()
    .then(withOldFile)
    .then((shop) => {
      const bytesOf = (file: string) => WITH_NOTE.map((suffix) => readFileSync(file + suffix));
      return [shop, { db: bytesOf(shop.db), old: bytesOf(shop.old) }];
    });
  const [shop, bytes] = await first;
  const directory = temporaryDirectory();
  const files = { db: join(directory, "lacre.db"), old: join(temporaryDirectory(), "old.db") };
  for (const name of ["db", "old"] as const) {
    for (const [i, suffix] of WITH_NOTE.entries()) {
      writeFileSync(files[name] + suffix, bytes[name][i] as Uint8Array, { mode: 0o600 });
    }
  }
  return { ...shop, ...files, directory };
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

  test("counts as a restored backup until its heads are confirmed; no number is issued again", async () => {
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
      new RegExp(`^  lacre restore --db '${made.db}' --confirm-head 'FT ${made.year}/5' --confirm-head '.*'$`, "m"),
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

  test("control: with an older note of its own, and none elsewhere, it issues numbers a second time", async () => {
    const made = await anOldAndANewFile();
    copyFileSync(made.old, made.db);
    copyFileSync(`${made.old}.heads`, `${made.db}.heads`);
    await whileServed(made, async (server) => expect(await issue(server, made, 1)).toEqual([`FT ${made.year}/3`]));
  });
});

const COPIED = expect.arrayContaining([expect.objectContaining({ event: "database_copied" })]);

/** Copies a database elsewhere as a program for backups does, while a server runs, and without its note. */
async function copyServed(made: Shop): Promise<Shop> {
  const directory = temporaryDirectory();
  const db = join(directory, "side.db");
  const source = new DatabaseSync(made.db);
  await backup(source, db);
  source.close();
  return { ...made, directory, db };
}

const restoresOf = async ({ db }: Made) =>
  (await lacreJson<{ restores: number }>("restore", "--status", "--db", db)).restores;

describe("a copied file", () => {
  test("starts locked until its last numbers are confirmed, and the original continues", async () => {
    const made = await makeDatabase();
    const year = made.series[0]?.code ?? "";
    const server = await startServer(["serve", "--no-area", "--db", made.db]);
    const shop = { ...made, customer_id: await makeCustomer(server, made) };
    await issue(server, shop, 4);
    while (marksIn(made.db).length < 1) await pause(50);
    const copy = await copyServed(shop);
    expect(await issue(server, shop, 4)).toEqual([5, 6, 7, 8].map((n) => `FT ${year}/${n}`));

    const log = await whileServed(copy, async (side) => {
      expect(await issue(side, copy, 1)).toEqual([503]);
      const { body } = await call(side, "", "GET", "/readyz");
      expect(body).toMatchObject({ error: expect.anything() });
      expect(await issue(server, shop, 1)).toEqual([`FT ${year}/9`]);
    });
    expect(log.find(({ event }) => event === "database_copied")?.message).toMatch(/lacre restore .*--status/);
    expect(log).toEqual(
      expect.arrayContaining([expect.objectContaining({ event: "waiting", kind: "numbers_unconfirmed" })]),
    );
    expect(await whileServed(copy)).not.toEqual(COPIED); // it has a note of its own
    expect(await restoresOf(copy)).toBe(1);
    const { code } = await lacre(["restore", "--confirm-head", `FT ${year}/9`, "--db", copy.db]);
    expect(code).toBe(0);
    await whileServed(copy, async (side) => expect(await issue(side, copy, 1)).toEqual([409])); // closed

    await server.stop();
    const after = await whileServed(shop, async (again) =>
      expect(await issue(again, shop, 1)).toEqual([`FT ${year}/10`]),
    );
    expect(after).not.toEqual(COPIED);
  });

  test("continues at once if its note came with it", async () => {
    const made = await anOldAndANewFile();
    const db = join(temporaryDirectory(), "moved.db");
    for (const suffix of ["", ".heads"]) copyFileSync(made.db + suffix, db + suffix);
    const log = await whileServed({ ...made, db }, async (server) =>
      expect(await issue(server, made, 1)).toEqual([`FT ${made.year}/6`]),
    );
    expect(log).not.toEqual(COPIED);
  });

  test("is also locked beside the note of another database", async () => {
    const [made, other] = [await anOldAndANewFile(), await withOldFile(await makeAnother())];
    copyFileSync(`${other.db}.heads`, `${made.db}.heads`);
    const log = await whileServed(made, async (server) => expect(await issue(server, made, 1)).toEqual([503]));
    expect(log).toEqual(COPIED);
    expect(await restoresOf(made)).toBe(1);
  });

  test("that was restored and confirmed is not locked again", async () => {
    const made = await anOldAndANewFile();
    const db = join(temporaryDirectory(), "restored.db");
    await lacreJson("restore", made.old, "--db", db);
    expect((await lacre(["restore", "--confirm-head", `FT ${made.year}/2`, "--db", db])).code).toBe(0);
    const log = await whileServed({ ...made, db }, async (server) =>
      expect(await issue(server, made, 1)).toEqual([`FT ${made.year}/3`]),
    );
    expect(log).not.toEqual(COPIED);
  });

  test("without documents is never locked", async () => {
    const made = await makeDatabase();
    let customer_id = "";
    await whileServed(made, async (server) => {
      customer_id = await makeCustomer(server, made);
    });
    const copy = await copyServed({ ...made, customer_id });
    const year = made.series[0]?.code;
    const log = await whileServed(copy, async (server) =>
      expect(await issue(server, copy, 1)).toEqual([`FT ${year}/1`]),
    );
    expect(log).not.toEqual(COPIED);
    expect(marksIn(copy.db)).toHaveLength(1);
  });

  test("that a program embeds continues as before: it needs no note", async () => {
    const made = await anOldAndANewFile();
    const copy = await copyServed(made);
    const instance = await openLacre({ dialect: sqlite(copy.db) });
    const issued = await instance.as(made.company).documents.create(invoice(made, made.customer_id) as never);
    expect(issued.number).toBe(`FT ${made.year}/6`);
    expect((await instance.installation.get()).locked).toEqual([]);
    await instance.close();
    expect(existsSync(`${copy.db}.heads`)).toBe(false);
  });
});

/** The mark in a database: none before its first document was noted. */
function marksIn(db: string): string[] {
  const connection = new DatabaseSync(db);
  try {
    const rows = connection.prepare("select place from installation where place is not null").all();
    return rows.map(({ place }) => String(place).trim());
  } finally {
    connection.close();
  }
}

function forgetMark(db: string): void {
  const connection = new DatabaseSync(db);
  connection.exec("update installation set place = null");
  connection.close();
}

describe("the mark of the note", () => {
  test("is adopted by a database without one: after an update, and after a kill between the two", async () => {
    const made = await anOldAndANewFile();
    const [mark] = marksIn(made.db);
    expect(JSON.parse(readFileSync(`${made.db}.heads`, "utf8"))).toMatchObject({ mark });
    forgetMark(made.db);
    const log = await whileServed(made, async (server) =>
      expect(await issue(server, made, 1)).toEqual([`FT ${made.year}/6`]),
    );
    expect(log).not.toEqual(COPIED);
    expect(marksIn(made.db)).toEqual([mark]);
    forgetMark(made.db);
    rmSync(`${made.db}.heads`);
    expect(await whileServed(made)).not.toEqual(COPIED);
    expect(marksIn(made.db)).not.toEqual([mark]);
  });

  test("is not in a database whose note cannot be written, which then is not locked", async () => {
    const made = await makeDatabase();
    const year = made.series[0]?.code;
    mkdirSync(`${made.db}.heads.new`);
    let shop: Shop = { ...made, customer_id: "" };
    const log = await whileServed(made, async (server) => {
      shop = { ...made, customer_id: await makeCustomer(server, made) };
      await issue(server, shop, 1);
    });
    expect(log.map(({ event }) => event)).toContain("heads_not_noted");
    expect(marksIn(made.db)).toEqual([]);
    rmdirSync(`${made.db}.heads.new`);
    const after = await whileServed(made, async (server) =>
      expect(await issue(server, shop, 1)).toEqual([`FT ${year}/2`]),
    );
    expect(after).not.toEqual(COPIED);
    expect(marksIn(made.db)).toHaveLength(1);
  });

  test("is written again when its note is deleted while a server runs", async () => {
    const made = await anOldAndANewFile();
    const [mark] = marksIn(made.db);
    const { ino } = statSync(`${made.db}.heads`);
    await whileServed(made, async () => {
      while (statSync(`${made.db}.heads`).ino === ino) await pause(50); // its first one is written
      rmSync(`${made.db}.heads`);
    });
    expect(JSON.parse(readFileSync(`${made.db}.heads`, "utf8"))).toMatchObject({ mark });
  });
});

describe("lacre heads --to", () => {
  const kindsIn = async ({ db }: Made) =>
    (await lacreJson<{ waiting: { kind: string }[] }>("status", "--db", db)).waiting.map(({ kind }) => kind);

  test("is requested until the note is elsewhere, where it reveals a file that was put back with its note", async () => {
    const made = await anOldAndANewFile();
    const elsewhere = temporaryDirectory();
    expect(await kindsIn(made)).toContain("heads_not_elsewhere");
    expect((await lacre(["status", "--db", made.db])).stdout).toMatch(/lacre heads .*--to DIR/);
    await whileServed(made, async (server) => {
      const { stdout, code } = await lacre(["heads", "--to", elsewhere, "--db", made.db]);
      expect([code, stdout]).toEqual([0, expect.stringContaining(`elsewhere ${elsewhere}/lacre-`)]);
      const [number] = await issue(server, made, 1);
      while (!noteIn(elsewhere).includes(`"${number}"`)) await pause(50);
    });
    expect(await kindsIn(made)).not.toContain("heads_not_elsewhere");
    expect((await lacre(["status", "--db", made.db])).stdout).toContain(`note of heads  ${elsewhere}/lacre-`);
    expect(await whileServed(made)).not.toEqual(OLDER);

    const latest = readFileSync(made.db);
    for (const suffix of ["", ".heads"]) copyFileSync(made.old + suffix, made.db + suffix);
    // The file of old knows of no directory; it is named anew, as on a new machine.
    const named = await lacre(["heads", "--to", elsewhere, "--db", made.db]);
    expect([named.code, named.stdout]).toEqual([0, expect.stringContaining(`FT ${made.year}/6 was given`)]);
    expect(noteIn(elsewhere)).toContain(`"FT ${made.year}/6"`);
    const log = await whileServed(made, async (server) => expect(await issue(server, made, 1)).toEqual([503]));
    expect(log).toEqual(OLDER);
    expect(noteIn(elsewhere)).toContain(`"FT ${made.year}/6"`);
    const low = await lacre(["restore", "--confirm-head", `FT ${made.year}/2`, "--db", made.db]);
    expect([low.code, low.stderr]).toEqual([EXITS.refused.code, expect.stringContaining("/6 was given")]);

    writeFileSync(made.db, latest);
    await whileServed(made, async (server) => expect(await issue(server, made, 1)).toEqual([`FT ${made.year}/7`]));
  });

  test("locks a file at the start if it lacks heads noted there", async () => {
    const made = await anOldAndANewFile();
    const elsewhere = temporaryDirectory();
    await lacreJson("heads", "--to", elsewhere, "--db", made.db);
    const aside = ["", ".heads"].map((suffix) => [suffix, readFileSync(made.db + suffix)] as const);
    await whileServed(made, async (server) => void (await issue(server, made, 1)));
    for (const [suffix, bytes] of aside) writeFileSync(made.db + suffix, bytes);
    const log = await whileServed(made, async (server) => expect(await issue(server, made, 1)).toEqual([503]));
    expect(log).toEqual(OLDER);
  });

  test("continues while the directory is missing, and writes the note once it is back", async () => {
    const made = await anOldAndANewFile();
    const parent = temporaryDirectory();
    const elsewhere = join(parent, "mounted");
    mkdirSync(elsewhere);
    await lacreJson("heads", "--to", elsewhere, "--db", made.db);
    renameSync(elsewhere, join(parent, "away"));
    let number: unknown;
    const log = await whileServed(made, async (server) => {
      [number] = await issue(server, made, 1);
      expect(number).toBe(`FT ${made.year}/6`);
      while (!server.lines.some((line) => line.includes("heads_not_noted"))) await pause(50);
      renameSync(join(parent, "away"), elsewhere);
      while (!noteIn(elsewhere).includes(`"${number}"`)) await pause(50);
    });
    expect(log.map(({ event }) => event)).toContain("heads_unreadable");
    expect((await lacre(["heads", "--stop", "--db", made.db])).stdout).toContain("alone");
    expect(await kindsIn(made)).toContain("heads_not_elsewhere");
  });

  test.each([
    ["a hard link", linkSync],
    ["a symbolic link", symlinkSync],
  ])("is written beside what somebody else put in its way, %s, and never through it", async (_, link) => {
    const made = await anOldAndANewFile();
    const elsewhere = temporaryDirectory();
    await lacreJson("heads", "--to", elsewhere, "--db", made.db);
    const path = join(elsewhere, readdirSync(elsewhere)[0] ?? "");
    const [before, key] = [readFileSync(path, "utf8"), join(made.directory, "key.pem")];
    writeFileSync(key, "the signing key");
    link(key, `${path}.new`);
    await whileServed(made, async (server) => {
      const [number] = await issue(server, made, 1);
      while (!noteIn(elsewhere).includes(`"${number}"`)) await pause(50);
    });
    expect(readFileSync(key, "utf8")).toBe("the signing key");
    expect(readFileSync(path, "utf8")).not.toBe(before); // the control: it was written
  });

  test("refuses a path that is not a directory, two wishes at once, and a server", async () => {
    const made = await makeDatabase();
    const missing = join(made.directory, "missing");
    for (const [args, exit, line] of [
      [["--to", missing, "--db", made.db], EXITS.unusable, "There is no directory"],
      [["--to", made.directory, "--stop", "--db", made.db], EXITS.usage, "one of --to DIR and --stop"],
      [["--to", made.directory, "--db", "postgres://lacre@localhost/shop"], EXITS.refused, "A note of heads is kept"],
    ] as const) {
      const { code, stderr } = await lacre(["heads", ...args]);
      expect([code, stderr]).toEqual([exit.code, expect.stringContaining(line)]);
    }
  });
});

/** The one note in a directory elsewhere. */
function noteIn(directory: string): string {
  const [name = ""] = readdirSync(directory).filter((name) => name.endsWith(".heads"));
  return readFileSync(join(directory, name), "utf8");
}

test("a database whose log was removed after a kill is locked, although nothing noted its numbers", async () => {
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

test("a killed server has noted its numbers, so that a lost log is noticed", async () => {
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
  test("that is lost or unreadable locks its database, and is written again", async () => {
    const made = await anOldAndANewFile();
    const before = JSON.parse(readFileSync(`${made.db}.heads`, "utf8"));
    const events = { number: expect.stringMatching(/^events\/\d+$/) };
    const heads = [{ number: `FT ${made.year}/5` }, events, events];
    expect(before).toMatchObject({ lacre_heads: 1, heads });
    rmSync(`${made.db}.heads`);
    const lost = await whileServed(made);
    expect(lost.map(({ event }) => event)).not.toContain("heads_unreadable");
    expect(lost).toEqual(COPIED);
    let restores = 1;
    for (const spoilt of [
      "",
      "{",
      '{"lacre_heads":2,"heads":[]}',
      '{"lacre_heads":1,"heads":[{"company_id":"a","number":"5","seal":"b"}]}',
    ]) {
      writeFileSync(`${made.db}.heads`, spoilt);
      const log = await whileServed(made);
      expect(log.map(({ event }) => event)).toContain("heads_unreadable");
      expect(log).toEqual(COPIED);
      expect(JSON.parse(readFileSync(`${made.db}.heads`, "utf8"))).toMatchObject({ heads });
      expect(await restoresOf(made)).toBe(++restores);
    }
    expect(await whileServed(made)).not.toEqual(COPIED);
  });

  test("stored elsewhere proves what the file alone cannot: that its end was cut off", async () => {
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

  test("that remains after the database was deleted keeps init from beginning at 1", async () => {
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
  const flags = ["--no-backup-because", "it is a trial"];
  expect((await whileServed(made, undefined, flags)).map(({ event }) => event)).not.toContain("not_private");
});
