/** `lacre archive` and `lacre unarchive`: files, servers, words, and what a killed one leaves. */
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { seeded } from "../bench/seed.ts";
import { archiveWith, linesOf } from "../support/archives.ts";
import { aSchema, describeOnPostgres, onServer } from "../support/schemas.ts";
import { until } from "../support/until.ts";
import {
  call,
  documentsIn,
  invoice,
  lacre,
  lacreJson,
  type Made,
  makeCustomer,
  makeDatabase,
  start,
  startServer,
  temporaryDirectory,
} from "./program.ts";

/** A database with two invoices, and its archive. */
async function anArchive(): Promise<Made & { readonly file: string; readonly customer_id: string }> {
  const made = await makeDatabase();
  const server = await startServer(["serve", "--db", made.db]);
  const customer_id = await makeCustomer(server, made);
  for (let i = 0; i < 2; i++) await call(server, made.api_key, "POST", "/v1/documents", invoice(made, customer_id));
  const file = join(made.directory, "shop.lacre");
  const report = await lacreJson("archive", file, "--db", made.db); // while the server runs
  expect(report).toEqual({ file, documents: 2, bytes: statSync(file).size, whole: true });
  await server.stop();
  return { ...made, file, customer_id };
}

/** Starts an unarchiving, and kills it once `hasBegun` says so. */
async function killedWhen(args: readonly string[], hasBegun: () => Promise<boolean> | boolean): Promise<void> {
  const child = start(args);
  const ended = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  await until(hasBegun);
  child.kill("SIGKILL");
  expect((await ended)[1]).toBe("SIGKILL");
}

const draftsIn = (directory: string) => readdirSync(directory).filter((name) => name.includes(".lacre-draft-"));

describe("a file", () => {
  test("is written whole, for its owner alone, over nothing, and read into a new database that is locked", async () => {
    const { file, db, directory, company, api_key, series, customer_id } = await anArchive();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).sort()).toEqual(["lacre.db", "lacre.db.heads", "shop.lacre"]);
    const again = await lacre(["archive", file, "--db", db]);
    expect([again.code, again.stderr]).toEqual([EXITS.refused.code, expect.stringContaining("exists already")]);
    for (const out of [db, `${db}-wal`]) {
      expect((await lacre(["archive", out, "--db", db])).code).toBe(EXITS.refused.code);
    }

    const moved = join(temporaryDirectory(), "moved.db");
    const { stdout } = await lacre(["unarchive", file, "--db", moved]);
    expect(stdout).toMatch(/^.*moved\.db is read from .*shop\.lacre, taken 20.*Z: 2 documents, whole\. Restore 1\.\n/);
    const [command = ""] = /lacre restore .*--confirm-head .*/.exec(stdout) ?? [];
    expect(command).toContain(`--confirm-head 'FT ${series[0]?.code}/2'`);
    expect(readdirSync(join(moved, ".."))).toEqual(["moved.db"]);
    expect(statSync(moved).mode & 0o777).toBe(0o600);
    expect(await lacreJson("verify", "--db", moved)).toMatchObject({ whole: true, documents: 2 });
    expect(await documentsIn(moved, company)).toBe(2);

    const server = await startServer(["serve", "--db", moved]);
    const made = { series, api_key };
    const refused = await call(server, api_key, "POST", "/v1/documents", invoice(made, customer_id));
    expect([refused.status, refused.body.code ?? (refused.body.error as { code: string }).code]).toEqual([
      503,
      "unavailable",
    ]);
    expect(command).toContain(` --db '${moved}' `);
    const flags = Array.from(command.matchAll(/(--[a-z-]+) '([^']*)'/g), ([, flag, value]) => [`${flag}`, `${value}`]);
    expect((await lacre(["restore", ...flags.flat()])).code).toBe(0);
    const issued = await call(server, api_key, "POST", "/v1/documents", invoice(made, customer_id));
    expect(String(issued.body.number)).toMatch(/\/3$/);
  });

  test("an existing database, remains of a lost one and a file that is not an archive are refused in words", async () => {
    const { file, db, directory } = await anArchive();
    const before = readFileSync(db);
    const refusals: [string, string[], number, RegExp][] = [
      ["the database", ["unarchive", file, "--db", db], EXITS.refused.code, /exists already and is not overwritten/],
      ["no file", ["unarchive", "nowhere.lacre"], EXITS.refused.code, /There is no file nowhere\.lacre/],
      ["a directory", ["unarchive", directory], EXITS.refused.code, /is not a file/],
      [
        "a database",
        ["unarchive", db, "--db", join(directory, "n.db")],
        EXITS.unusable.code,
        /not an archive of Lacre/,
      ],
      ["no operand", ["unarchive"], EXITS.usage.code, /FILE is required/],
      [
        "no database",
        ["archive", join(directory, "x"), "--db", join(directory, "n.db")],
        EXITS.unusable.code,
        /There is no/,
      ],
    ];
    for (const [name, args, code, says] of refusals) {
      const ended = await lacre(args);
      expect([ended.code, ended.stdout, ended.stderr.split("\n").length], `${name}: ${ended.stderr}`).toEqual([
        code,
        "",
        2,
      ]);
      expect(ended.stderr, name).toMatch(says);
    }
    expect(readFileSync(db).equals(before)).toBe(true);
    writeFileSync(join(directory, "gone.db.heads"), "{}");
    const left = await lacre(["unarchive", file, "--db", join(directory, "gone.db")]);
    expect([left.code, left.stderr]).toEqual([EXITS.refused.code, expect.stringContaining("is left of an earlier")]);
  });

  test("a broken archive says what is wrong in both languages, with a code, and leaves nothing", async () => {
    const { file, directory } = await anArchive();
    const whole = readFileSync(file);
    const broken = join(directory, "broken.lacre");
    const db = join(temporaryDirectory(), "new.db");
    const forged = linesOf(whole).map((line) => line.replace(/"total_gross_cents":\d+/, '"total_gross_cents":1'));
    const newer = linesOf(whole).map((line) => line.replace('"lacre_archive":1', '"lacre_archive":9'));
    const cases: [Buffer, keyof typeof EXITS, RegExp, RegExp][] = [
      [whole.subarray(0, -9), "not_whole", /is cut off/, /está cortado/],
      [archiveWith(forged), "not_whole", /is not whole\. FT /, /não está íntegro \(FT .*«/],
      [archiveWith(newer), "unusable", /a newer Lacre/, /Lacre mais recente/],
    ];
    for (const [bytes, exit, english, portuguese] of cases) {
      writeFileSync(broken, bytes);
      const json = await lacre(["unarchive", broken, "--db", db, "--json"]);
      expect(json.code).toBe(EXITS[exit].code);
      expect(JSON.parse(json.stderr).error).toEqual({ code: exit, message: expect.stringMatching(english) });
      const { stderr } = await lacre(["unarchive", broken, "--db", db, "--lang", "pt"]);
      expect(stderr).toMatch(portuguese);
      expect(readdirSync(join(db, ".."))).toEqual([]);
    }
  });

  test("standard output takes an archive, and a full disk behind it fails in words", async () => {
    const { db, directory } = await anArchive();
    const writtenTo = async (path: string) => {
      const out = openSync(path, "w");
      const child = start(["archive", "-", "--db", db], { output: out });
      closeSync(out);
      const [stderr, [code]] = await Promise.all([text(child.stderr as Readable), once(child, "close")]);
      return { code, stderr };
    };
    const piped = join(directory, "piped.lacre");
    expect(await writtenTo(piped)).toEqual({ code: 0, stderr: "-: 2 documents, whole.\n" });
    const moved = join(temporaryDirectory(), "moved.db");
    expect(await lacreJson("unarchive", piped, "--db", moved)).toMatchObject({ documents: 2 });
    const full = await writtenTo("/dev/full");
    expect([full.code, full.stderr]).toEqual([EXITS.failed.code, expect.stringContaining("has no room")]);
  });

  test("killed half-way it leaves no database, and can be repeated", async () => {
    const { file: source } = await seeded(temporaryDirectory(), 2_000);
    const file = join(temporaryDirectory(), "shop.lacre");
    await lacreJson("archive", file, "--db", source);
    const directory = temporaryDirectory();
    const db = join(directory, "new.db");
    const hasRows = () =>
      draftsIn(directory).some((name) => sizeOf(join(directory, name, `${basename(db)}-wal`)) > 500_000);
    await killedWhen(["unarchive", file, "--db", db], hasRows);
    expect(readdirSync(directory).filter((name) => !name.includes(".lacre-draft-") && !name.endsWith(".lock"))).toEqual(
      [],
    );
    expect((await lacre(["verify", "--db", db])).code).toBe(EXITS.unusable.code);
    expect(await lacreJson("unarchive", file, "--db", db)).toMatchObject({ documents: 2_000, restores: 1 });
  });
});

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

describeOnPostgres("a server", () => {
  test("can be read into a new schema only, and one from a server can be read into a file", async () => {
    const { file, directory } = await anArchive();
    const { db } = aSchema();
    const there = await lacreJson<{ locked: unknown[] }>("unarchive", file, "--db", db);
    expect(there).toMatchObject({ documents: 2, restores: 1, unarchived_from: file });
    expect(there.locked.length).toBeGreaterThan(1);
    const again = await lacre(["unarchive", file, "--db", db]);
    expect([again.code, again.stderr]).toEqual([
      EXITS.refused.code,
      expect.stringContaining("There is a Lacre database"),
    ]);
    const back = join(directory, "back.lacre");
    await lacreJson("archive", back, "--db", db);
    const returned = join(directory, "back.db");
    expect(await lacreJson("unarchive", back, "--db", returned)).toMatchObject({ documents: 2, restores: 2 });
    expect(await lacreJson("verify", "--db", returned)).toMatchObject({ whole: true, documents: 2 });
    expect(await lacreJson("restore", "--status", "--db", db)).toMatchObject({ restores: 1 });

    const other = aSchema();
    await onServer(`create schema ${other.schema}; create table ${other.schema}.orders (id int)`);
    const foreign = await lacre(["unarchive", file, "--db", other.db]);
    expect([foreign.code, foreign.stderr]).toEqual([EXITS.unusable.code, expect.stringContaining("not Lacre's")]);
  });

  test("killed half-way it leaves no schema, and can be repeated", async () => {
    const { file: source } = await seeded(temporaryDirectory(), 2_000);
    const file = join(temporaryDirectory(), "shop.lacre");
    await lacreJson("archive", file, "--db", source);
    const { schema, db } = aSchema();
    const hasRows = async () => {
      const others = `select query from pg_stat_activity where pid <> pg_backend_pid()`;
      return (await onServer(`${others} and query like 'insert into "${schema}"%'`)).length > 0;
    };
    await killedWhen(["unarchive", file, "--db", db], hasRows);
    await until(async () => !(await hasRows()));
    expect(await onServer(`select 1 from pg_namespace where nspname = '${schema}'`)).toEqual([]);
    expect(await lacreJson("unarchive", file, "--db", db)).toMatchObject({ documents: 2_000, restores: 1 });
  });
});
