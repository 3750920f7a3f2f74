/** The program on a PostgreSQL server: every command by an address, and what it says where that cannot be used. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { addressWith, aRole, aSchema, describeOnPostgres, onServer } from "../support/schemas.ts";
import { until } from "../support/until.ts";
import {
  call,
  invoice,
  lacre,
  lacreJson,
  type Made,
  makeCustomer,
  startServer,
  TERMINAL,
  temporaryDirectory,
} from "./program.ts";

type OnServer = Omit<Made, "directory">;

const LOJA = ["--name", "Loja", "--tax-id", "500000000"];

/** A new database in a schema of its own, made by `init`. */
async function aDatabase(): Promise<OnServer & { readonly schema: string }> {
  const { schema, db } = aSchema();
  const made = await lacreJson<Omit<OnServer, "db">>("init", ...LOJA, "--db", db);
  return { ...made, db, schema };
}

describeOnPostgres("on PostgreSQL", () => {
  test("every command takes an address, from its flag or from LACRE_DB", async () => {
    const made = await aDatabase();
    const directory = temporaryDirectory();
    const server = await startServer(["serve"], { env: { LACRE_DB: made.db } });
    const issued = await call(
      server,
      made.api_key,
      "POST",
      "/v1/documents",
      invoice(made, await makeCustomer(server, made)),
    );
    expect(issued.status).toBe(201);
    const number = String(issued.body.number);
    const file = join(directory, "year.xml");
    const year = number.slice(3, 7);
    const COMMANDS: readonly (readonly string[])[] = [
      ["status"],
      ["company", "show"],
      ["company", "set", "--city", "Lisboa"],
      ["key", "create", "--name", "k", "--scope", "all"],
      ["key", "list"],
      ["user", "invite", "--role", "owner"],
      ["user", "list"],
      ["series", "list"],
      ["series", "create", "--doc-type", "FT", "--code", "LOJA2"],
      ["series", "open", "--year", String(Number(year) + 1)],
      ["series", "close", "FT LOJA2", "--yes"],
      ["signer", "show"],
      ["signer", "rotate"],
      ["pdf", number, "--out", join(directory, "invoice.pdf")],
      ["saft", "--year", year, "--out", file],
      ["import-saft", file],
      ["verify"],
      ["restore", "--status"],
      ["clock", "confirm"],
      ["company", "create", "--name", "Outra", "--tax-id", "509442013"],
    ];
    for (const args of COMMANDS) {
      const { code, stderr } = await lacre([...args, "--json", "--db", made.db]);
      expect({ args, code, stderr }).toEqual({ args, code: EXITS.done.code, stderr: "" });
    }
    expect(readFileSync(join(directory, "invoice.pdf")).subarray(0, 5).toString()).toBe("%PDF-");
    const stopped = await server.stop();
    expect([stopped.code, stopped.stderr]).toEqual([0, ""]);
  });

  test("two servers serve one database: each reads what the other issues, and they share the numbers", async () => {
    const made = await aDatabase();
    const [one, other] = await Promise.all([1, 2].map(() => startServer(["serve", "--db", made.db])));
    if (!one || !other) throw new Error("Two servers were started.");
    const order = invoice(made, await makeCustomer(one, made));
    const answers = await Promise.all(
      [one, other, one, other].map((server) => call(server, made.api_key, "POST", "/v1/documents", order)),
    );
    const sequences = answers.map(({ body }) => Number(String(body.number).split("/")[1])).sort();
    expect(sequences).toEqual([1, 2, 3, 4]);
    const listed = await call(other, made.api_key, "GET", "/v1/documents");
    expect(listed.body.pagination).toMatchObject({ total: 4 });
    await one.stop();
    expect((await call(other, made.api_key, "POST", "/v1/documents", order)).status).toBe(201);
    expect(await lacreJson("verify", "--db", made.db)).toMatchObject({ whole: true, documents: 5 });
  });

  test("serve creates a database only with --new, once, and never over another", async () => {
    const { db, schema } = aSchema();
    const missing = await lacre(["serve", "--db", db, "--port", "0"]);
    expect([missing.code, missing.stderr]).toEqual([
      EXITS.unusable.code,
      expect.stringContaining("There is no Lacre database at"),
    ]);
    expect(await onServer(`select 1 from pg_namespace where nspname = '${schema}'`)).toEqual([]);

    const server = await startServer(["serve", "--new", "--db", db]);
    expect(server.lines[0]).toContain('"event":"listening"');
    // There is no place for a link that only its user can read: the log says how to make one.
    const asked = await until(() => server.lines.find((line) => line.includes('"event":"set_up"')));
    expect(asked).toMatch(/lacre user invite .*--role owner/);
    expect((await server.stop()).stderr).toContain("was made");
    expect(server.lines.join("\n")).not.toContain("/area/setup");
    const again = await lacre(["serve", "--new", "--db", db]);
    expect([again.code, again.stderr]).toEqual([
      EXITS.refused.code,
      expect.stringContaining("There is a Lacre database at"),
    ]);
    // It has no company yet: init goes on, once.
    expect((await lacre(["init", ...LOJA, "--db", db])).code).toBe(EXITS.done.code);
    expect((await lacre(["init", ...LOJA, "--db", db])).code).toBe(EXITS.refused.code);
  });

  test("of two programs that create the same database at once, one does", async () => {
    const { db } = aSchema();
    const runs = await Promise.all([1, 2, 3].map(() => lacre(["init", ...LOJA, "--db", db])));
    const codes = runs.map(({ code }) => code).sort();
    expect(codes[0]).toBe(EXITS.done.code);
    expect(codes.slice(1).every((code) => code === EXITS.refused.code || code === EXITS.in_use.code)).toBe(true);
    expect(await lacreJson("status", "--db", db)).toMatchObject({ companies: [{ name: "Loja" }] });
  });

  test("a refused init can be repeated", async () => {
    const { db } = aSchema();
    expect((await lacre(["init", "--name", "Loja", "--tax-id", "12", "--db", db])).code).toBe(EXITS.refused.code);
    expect((await lacre(["init", ...LOJA, "--db", db])).code).toBe(EXITS.done.code);
  });

  test("a person at the terminal sees where the database is, without its password", async () => {
    const { schema } = await aDatabase();
    const db = addressWith({ schema }, "postgres", "segredo");
    const { stdout } = await lacre(["status", "--db", db]);
    expect(stdout).toMatch(new RegExp(`^database +postgres://postgres@.*schema=${schema}, [\\d.]+ .B$`, "m"));
    expect(stdout).toMatch(/^last backup +the server's own; Lacre takes none on PostgreSQL/m);
    expect(stdout).toMatch(/PostgreSQL \d+\.\d+ \(pg\), schema 0001-initial$/m);
    const pt = (await lacre(["--lang", "pt", "status", "--db", db])).stdout;
    expect(pt).toContain("as do próprio servidor; em PostgreSQL o Lacre não faz nenhuma");

    const seen = await startServer(["serve", "--db", db], { through: TERMINAL });
    const ready = await call(seen, "", "GET", "/readyz");
    await seen.stop();
    expect([stdout, pt, ...seen.lines, JSON.stringify(ready.body)].join("\n")).not.toContain("segredo");
  });

  test("no backup is ever overdue: backups are the server's", async () => {
    const made = await aDatabase();
    const server = await startServer(["serve", "--db", made.db]);
    await call(server, made.api_key, "POST", "/v1/documents", invoice(made, await makeCustomer(server, made)));
    expect((await call(server, "", "GET", "/readyz")).body).toMatchObject({ last_backup: null, backup_overdue: false });
    const { waiting } = await lacreJson<{ waiting: { kind: string }[] }>("status", "--db", made.db);
    expect(waiting.map(({ kind }) => kind)).not.toContain("backup_overdue");
  });

  test("features of files alone are refused in words that name the alternative", async () => {
    const made = await aDatabase();
    const file = join(temporaryDirectory(), "backup.db");
    mkdirSync(file);
    const refusals: readonly (readonly [args: readonly string[], code: number, says: string])[] = [
      [["backup", file], EXITS.refused.code, "with pg_dump"],
      [["restore", file], EXITS.refused.code, "with pg_restore"],
      [["serve", "--backup-to", file], EXITS.usage.code, "are for a file"],
      [["serve", "--keep", "3"], EXITS.usage.code, "are for a file"],
    ];
    for (const [args, code, says] of refusals) {
      const ended = await lacre([...args, "--db", made.db]);
      expect({ args, code: ended.code, said: ended.stderr }).toEqual({
        args,
        code,
        said: expect.stringContaining(says),
      });
    }
    const pt = await lacre(["--lang", "pt", "backup", file, "--db", made.db]);
    expect(pt.stderr).toContain("não é um ficheiro que se copie");
  });

  test("a schema with tables of another program is left alone", async () => {
    const { db, schema } = aSchema();
    await onServer(`create schema ${schema}; create table ${schema}.notes (id text)`);
    for (const args of [["init", ...LOJA], ["serve"], ["status"]]) {
      const { code, stderr } = await lacre([...args, "--db", db]);
      expect([code, stderr]).toEqual([EXITS.unusable.code, expect.stringContaining("tables that are not Lacre's")]);
    }
    const tables = await onServer(`select tablename from pg_tables where schemaname = '${schema}'`);
    expect(tables).toEqual([{ tablename: "notes" }]);
  });

  test("a role without rights is told so", async () => {
    const made = await aDatabase();
    const { role, password } = await aRole();
    const db = addressWith({ schema: made.schema }, role, password);
    const { code, stderr } = await lacre(["status", "--db", db]);
    expect([code, stderr]).toEqual([
      EXITS.unusable.code,
      expect.stringMatching(/The role lacks a right .*permission denied/),
    ]);
    expect(stderr).not.toContain(password);
    const { schema } = aSchema();
    const making = await lacre(["init", ...LOJA, "--db", addressWith({ schema }, role, password)]);
    expect([making.code, making.stderr]).toEqual([
      EXITS.unusable.code,
      expect.stringContaining("The role lacks a right"),
    ]);

    await onServer(`grant usage on schema ${made.schema} to ${role};
      grant select on all tables in schema ${made.schema} to ${role}`);
    expect((await lacre(["status", "--db", db])).code).toBe(EXITS.done.code);
    const adding = await lacre(["series", "create", "--doc-type", "FT", "--code", "B", "--db", db]);
    expect([adding.code, adding.stderr]).toEqual([EXITS.unusable.code, expect.stringContaining("permission denied")]);
  });

  test("an unknown database and an unknown role are named", async () => {
    const url = new URL(addressWith({}));
    url.pathname = "/no_such_database";
    const database = await lacre(["status", "--db", url.href]);
    expect([database.code, database.stderr]).toEqual([
      EXITS.unusable.code,
      expect.stringMatching(/no database for postgres:\S*\/no_such_database .*createdb NAME/),
    ]);
    const role = await lacre(["--lang", "pt", "status", "--db", addressWith({}, "ninguem", "segredo")]);
    expect([role.code, role.stderr]).toEqual([EXITS.unusable.code, expect.stringContaining("não deixa entrar")]);
    expect(role.stderr).not.toContain("segredo");
  });

  test("a server whose connections are ended continues", async () => {
    const { role, password } = await aRole();
    await onServer(`grant create on database ${new URL(addressWith({})).pathname.slice(1)} to ${role}`);
    const db = addressWith({ schema: role }, role, password);
    const made = await lacreJson<Omit<OnServer, "db">>("init", ...LOJA, "--db", db);
    const server = await startServer(["serve", "--db", db]);
    const order = invoice(made, await makeCustomer(server, made));
    const ended = await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
    expect(ended.length).toBeGreaterThan(0);
    await until(async () => (await call(server, made.api_key, "POST", "/v1/documents", order)).status === 201);
    expect((await call(server, "", "GET", "/readyz")).status).toBe(200);
    await server.stop();
  });
});

describeOnPostgres("a copy on PostgreSQL", () => {
  const DUMPS = spawnSync("pg_dump", ["--version"]).status === 0;

  /** The invoices that are issued, and whether another can be. */
  async function stateOf(made: OnServer, parameters: Record<string, string> = {}) {
    const url = new URL(made.db);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const server = await startServer(["serve", "--db", url.href]);
    const ready = await call(server, "", "GET", "/readyz");
    const copied = server.lines.some((line) => line.includes('"event":"database_copied"'));
    await server.stop();
    return { ready: ready.status, copied };
  }

  test.skipIf(!DUMPS)("restored from a dump issues nothing until the last numbers are confirmed", async () => {
    const made = await aDatabase();
    const { schema, db } = made;
    const server = await startServer(["serve", "--db", db]);
    const order = invoice(made, await makeCustomer(server, made));
    expect((await call(server, made.api_key, "POST", "/v1/documents", order)).status).toBe(201);
    await server.stop();
    expect(await stateOf(made)).toEqual({ ready: 200, copied: false }); // a restart is no copy

    const dump = join(temporaryDirectory(), "dump.sql");
    const dumped = spawnSync("pg_dump", ["--schema", schema, "--file", dump, addressWith({})], { encoding: "utf8" });
    expect(dumped.stderr).toBe("");
    await onServer(`drop schema ${schema} cascade`);
    const restored = spawnSync("psql", ["--quiet", "--file", dump, addressWith({})], { encoding: "utf8" });
    expect(restored.stderr).toBe("");

    expect(await stateOf(made)).toEqual({ ready: 503, copied: true });
    expect(await stateOf(made)).toEqual({ ready: 503, copied: false }); // it was locked already
    const { locked, restores } = await lacreJson<{ locked: { head: string }[]; restores: number }>(
      ...["restore", "--status", "--db", db],
    );
    expect([locked.length, restores]).toEqual([10, 1]);
    const heads = locked.flatMap(({ head }) => ["--confirm-head", head]);
    expect((await lacre(["restore", ...heads, "--db", db])).code).toBe(EXITS.done.code);
    expect(await stateOf(made)).toEqual({ ready: 200, copied: false });
    expect(await lacreJson("verify", "--db", db)).toMatchObject({ whole: true, documents: 1 });
  });

  /** What is noted of the place, changed; and whether that is a copy. */
  const PLACES: readonly (readonly [
    name: string,
    change: string,
    parameters: Record<string, string>,
    copied: boolean,
  ])[] = [
    ["the same place", "place", {}, false],
    ["another server", "'1' || place", {}, true],
    ["another timeline, as after a failover", "place || '9'", {}, true],
    ["another timeline, after a failover that loses nothing", "place || '9'", { failover: "synchronous" }, false],
    ["no timeline, as a service that hides it gives", "split_part(place, ' ', 1) || ' '", {}, false],
  ];
  test.each(PLACES)("is recognised by its place: %s", async (_, change, parameters, copied) => {
    const made = await aDatabase();
    await onServer(`update ${made.schema}.installation set place = ${change}`);
    expect(await stateOf(made, parameters)).toEqual({ ready: copied ? 503 : 200, copied });
  });
});

describe("an address that cannot be used", () => {
  const SENTENCE = "must be a file, or the address of a PostgreSQL database";
  test.each([
    ["of another database", "mysql://db.local/shop", SENTENCE],
    ["without slashes", "postgres:shop", SENTENCE],
    ["with # in its password", "postgres://u:segredo#1@db.local/shop", SENTENCE],
    ["with / in its password", "postgres://u:12/segredo@db.local/shop", SENTENCE],
    ["with ? in its password", "postgres://u:12?segredo@db.local/shop", SENTENCE],
    ["with a mistyped parameter", "postgres://db.local/shop?shema=a", "has a parameter shema"],
    ["with a password as a parameter", "postgres://db.local/shop?password=segredo", "has a parameter password"],
    ["with a schema in capitals", "postgres://db.local/shop?schema=Loja", "must name its schema in small letters"],
    ["with a schema of the server's own", "postgres://db.local/shop?schema=pg_loja", "must name its schema"],
    ["with another failover", "postgres://db.local/shop?failover=none", "must have synchronous as failover"],
    ["with an unknown sslmode", "postgres://db.local/shop?sslmode=prefer", "must have one of these as sslmode"],
  ])("is refused: one %s", async (_, db, says) => {
    const { code, stdout, stderr } = await lacre(["status"], { env: { LACRE_DB: db } });
    expect({ code, stdout }).toEqual({ code: EXITS.usage.code, stdout: "" });
    expect(stderr).toMatch(/^lacre: LACRE_DB [^\n]+\n$/);
    expect(stderr).toContain(says);
    expect(stderr).not.toContain("segredo");
  });

  test("of a machine that does not answer is named, without its password, in both languages and as JSON", async () => {
    const db = "postgres://lacre:segredo@127.0.0.1:1/shop?schema=a";
    const shown = "postgres://lacre@127.0.0.1:1/shop?schema=a";
    const runs = [
      await lacre(["serve", "--db", db]),
      await lacre(["--lang", "pt", "status", "--db", db]),
      await lacre(["init", ...LOJA, "--json", "--db", db]),
    ];
    for (const { code, stdout, stderr } of runs) {
      expect([code, stdout]).toEqual([EXITS.unusable.code, ""]);
      expect(stderr).toContain(shown);
      expect(stderr).not.toContain("segredo");
    }
    expect(runs.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining("No PostgreSQL server answers at"),
      expect.stringContaining("Nenhum servidor PostgreSQL responde em"),
      expect.stringContaining('{"error":{"code":"unusable"'),
    ]);
  });

  test.each([
    ["28P01", 'password authentication failed for user "lacre"', EXITS.unusable.code, "lets nobody in under this name"],
    ["53300", "sorry, too many clients already", EXITS.in_use.code, "takes no more connections"],
    ["57P03", "the database system is starting up", EXITS.in_use.code, "is starting or stopping"],
  ])("of a server that answers %s is explained", async (sqlstate, message, exit, says) => {
    const port = await aServerThatRefuses(sqlstate, message);
    const db = `postgres://lacre:segredo@127.0.0.1:${port}/shop`;
    const { code, stderr } = await lacre(["status", "--db", db]);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(says)]);
    expect(stderr).not.toContain("segredo");
  });
});

describe("the package pg", () => {
  /** Has Node find no `pg`, as where it is not installed. */
  const WITHOUT_PG = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (name !== "pg") return next(name, context);
      throw Object.assign(new Error("Cannot find package 'pg'"), { code: "ERR_MODULE_NOT_FOUND" });
    } });`)}`;
  const node = ["--import", WITHOUT_PG];

  test("is requested in words if it is not installed", async () => {
    const english = await lacre(["status", "--db", "postgres://127.0.0.1:1/shop"], { node });
    expect([english.code, english.stderr]).toEqual([
      EXITS.unusable.code,
      "lacre: PostgreSQL is reached by the package pg, which is not installed: npm install pg\n",
    ]);
    const portuguese = await lacre(["--lang", "pt", "init", ...LOJA, "--db", "postgres://127.0.0.1:1/shop"], { node });
    expect(portuguese.stderr).toContain("falta o pacote pg: npm install pg");
  });

  test("is not loaded for a file", async () => {
    const db = join(temporaryDirectory(), "lacre.db");
    expect((await lacre(["init", ...LOJA, "--db", db], { node })).code).toBe(EXITS.done.code);
    expect((await lacre(["status", "--db", db], { node })).code).toBe(EXITS.done.code);
  });
});

/** A server that answers whoever connects with this error (the protocol's ErrorResponse). */
async function aServerThatRefuses(sqlstate: string, message: string): Promise<number> {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${sqlstate}\0M${message}\0\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.concat([Buffer.from("E"), length, fields])));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}
