import { statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { Command } from "../../src/bin/command.ts";
import { COMMANDS } from "../../src/bin/commands.ts";
import { readSettings } from "../../src/bin/config.ts";
import { EXITS, type Exit } from "../../src/bin/exit.ts";
import { TEXTS } from "../../src/bin/texts/texts.ts";
import { PERMISSIONS } from "../../src/core/runtime/permissions.ts";
import { VERSION } from "../../src/core/version.ts";
import { lacre, lacreJson, makeDatabase, seriesOf, temporaryDirectory } from "./program.ts";

/** Every command by its words, as the program promises them. */
const PROMISED = [
  ["demo"],
  ["init"],
  ["serve"],
  ["company", "create"],
  ["company", "show"],
  ["company", "set"],
  ["key", "create"],
  ["key", "list"],
  ["key", "revoke"],
  ["series", "list"],
  ["series", "create"],
  ["series", "register"],
  ["series", "close"],
  ["signer", "show"],
  ["signer", "set"],
  ["signer", "rotate"],
  ["signer", "import"],
  ["verify"],
  ["import-saft", "FILE"],
  ["backup"],
  ["restore"],
  ["archive"],
  ["unarchive"],
  ["clock", "confirm"],
  ["mail", "test"],
  ["openapi"],
];

function commandNamed(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (!found) throw new Error(`There is no command ${name}.`);
  return found;
}

describe("the help", () => {
  test("names every command and every exit code", async () => {
    const { code, stdout, stderr } = await lacre(["--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const words of PROMISED) expect(stdout).toContain(`lacre ${words.join(" ")}`);
    for (const [exit, { code }] of Object.entries(EXITS)) {
      expect(stdout).toContain(`  ${code}  ${TEXTS.en.exits[exit as Exit]}`);
    }
  });

  test("of each command shows its flags, their variables and defaults", async () => {
    const helps = await Promise.all(
      [["init"], ["serve"], ["key", "create"], ["restore"]].map((words) => lacre([...words, "--help"])),
    );
    expect(helps.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const [init, serve, key, restore] = helps.map(({ stdout }) => stdout);
    expect(init).toMatch(/^lacre init --name TEXT --tax-id NIF \[flags\]\n/);
    expect(serve).toMatch(/--db PATH .*\(LACRE_DB; default \.\/lacre\.db\)/);
    expect(serve).toMatch(/--port N .*\(LACRE_PORT; default 8787\)/);
    expect(serve).toMatch(/--host ADDRESS .*\(LACRE_HOST; default 127\.0\.0\.1\)/);
    expect(serve).toMatch(/--rate-limit N .*\(default 120\)/);
    expect(key).toMatch(/^lacre key create --name TEXT --scope S … \[flags\]\n/);
    expect(restore).toContain("lacre restore --confirm-head 'FT 2026A/17'");
  });

  test("of a group shows its commands", async () => {
    expect((await lacre(["series", "--help"])).stdout).toMatch(/series list.*series create.*series register.*close/s);
  });

  test("the version is the package's", async () => {
    const { version } = JSON.parse(await readFile("package.json", "utf8"));
    expect(VERSION).toBe(version);
    expect((await lacre(["--version"])).stdout).toBe(`${version}\n`);
  });
});

describe("a wrong command line", () => {
  test.each([
    [["frob"], "there is no command frob; see lacre --help"],
    [["series"], "series needs one of: list, create, open, register, close"],
    [["serve", "--prot", "1"], "there is no flag --prot; see lacre serve --help"],
  ])("ends %j with one line", async (args, line) => {
    expect(await lacre(args)).toEqual({ code: EXITS.usage.code, stdout: "", stderr: `lacre: ${line}\n` });
  });

  test.each([
    ["serve", ["--port", "99999"], "--port must be a whole number from 0 to 65535"],
    ["serve", ["--port"], "--port needs a value: --port N"],
    ["serve", ["--port", "--db"], "--port needs a value: --port N"],
    ["serve", ["--port", "1", "--port=2"], "--port is given twice; give it once"],
    ["serve", ["-p", "1"], "there is no flag -p; see lacre serve --help"],
    ["serve", ["--rate-limit", "0"], "--rate-limit must be a whole number from 1 to 1000000"],
    ["verify", ["--json=yes"], "--json takes no value; leave out =yes"],
    [
      "verify",
      ["lacre.db"],
      "lacre.db is one argument too many: what has spaces needs quotes; see lacre verify --help",
    ],
    ["verify", ["--db="], "--db must name a file"],
    ["init", [], "--name is required; --tax-id is required; see lacre init --help"],
    ["backup", [], "FILE is required"],
    ["series open", [], "--year is required"],
    ["key create", ["--name", "x", "--scope", "all", "--scope", "root"], "--scope must be one of customers:read"],
    ["series create", ["--doc-type", "XX", "--code", "A"], "--doc-type must be one of FT, FS, FR"],
  ])("names what is wrong: %s %j", (name, args, line) => {
    expect(() => readSettings(commandNamed(name), args, {})).toThrow(line);
  });

  test("names a wrong environment variable; a flag overrides its variable", async () => {
    const serve = commandNamed("serve");
    const env = { LACRE_PORT: "http", LACRE_DB: "env.db", LACRE_HOST: "" };
    expect(() => readSettings(serve, [], env)).toThrow("LACRE_PORT must be a whole number from 0 to 65535");
    const settings = readSettings(serve, ["--port=1"], env);
    const flags = { new: false, area: true, plain_http_lan: false, json: false };
    const sending = { webhooks: true, webhooks_to_private_networks: false, smtp_plain: false };
    expect(settings).toEqual({ db: "env.db", port: 1, host: "127.0.0.1", rate_limit: 120, ...flags, ...sending });
    const { code, stderr } = await lacre(["serve"], { env: { LACRE_DB: join(temporaryDirectory(), "env.db") } });
    expect([code, stderr]).toEqual([EXITS.unusable.code, expect.stringMatching(/^lacre: There is no .*env\.db;/)]);
  });

  test("restore needs a file or a number", async () => {
    const { code, stderr } = await lacre(["restore"]);
    expect([code, stderr]).toEqual([2, "lacre: give one of FILE, --confirm-head NUMBER and --status\n"]);
  });
});

describe("init", () => {
  test("makes a private database and prints company, key and series", async () => {
    const { directory, db, company, api_key, series } = await makeDatabase();
    expect(company).toMatchObject({ name: "Padaria Central, Lda.", tax_id: "500000000", time_zone: "Europe/Lisbon" });
    expect(api_key).toMatch(/^lacre_live_[0-9A-Za-z]{49}$/);
    expect(series.map(({ doc_type }) => doc_type)).toEqual("FT FS FR NC ND RC GT GR NDV OR".split(" "));
    expect(series[0]).toMatchObject({
      id: expect.any(String),
      code: expect.stringMatching(/^\d{4}A$/),
      next_number: 1,
    });
    expect(await readdir(directory)).toEqual(["lacre.db"]);
    expect(statSync(db).mode & 0o777).toBe(0o600);
  });

  test("prints JSON with exactly three members, and accepts every detail of a company", async () => {
    const db = join(temporaryDirectory(), "lacre.db");
    const made = await lacreJson(
      ...["init", "--name", "Ilhas, SA", "--tax-id", "PT500000000", "--db", db],
      ...["--address", "Rua 1", "--postal-code", "9500-001", "--city", "Ponta Delgada", "--tax-region", "PT-AC"],
      ...["--time-zone", "Atlantic/Azores", "--cash-vat"],
    );
    expect(Object.keys(made)).toEqual(["company", "api_key", "series"]);
    expect(made.company).toMatchObject({
      tax_id: "500000000",
      address: "Rua 1",
      postal_code: "9500-001",
      city: "Ponta Delgada",
      tax_region: "PT-AC",
      time_zone: "Atlantic/Azores",
      cash_vat: true,
    });
  });

  test("refuses an existing database and leaves it unchanged", async () => {
    const { directory, db } = await makeDatabase();
    const before = await readFile(db);
    const { code, stderr } = await lacre(["init", "--name", "B", "--tax-id", "500000000", "--db", db]);
    expect(code).toBe(EXITS.refused.code);
    expect(stderr).toMatch(/^lacre: .*lacre\.db exists already and is not overwritten; name another\.\n$/);
    expect(await readFile(db)).toEqual(before);
    expect(await readdir(directory)).toEqual(["lacre.db"]);
  });

  test("leaves nothing behind when the core refuses", async () => {
    const directory = temporaryDirectory();
    const db = join(directory, "lacre.db");
    const { code, stderr } = await lacre(["init", "--name", "B", "--tax-id", "123", "--db", db]);
    expect(code).toBe(EXITS.refused.code);
    expect(stderr).toBe("lacre: --tax-id: is not a valid Portuguese tax number (NIF)\n");
    expect(await readdir(directory)).toEqual([]);
  });
});

describe("company, key and series", () => {
  test("do their work and show it as JSON or for people", async () => {
    const made = await makeDatabase();
    const db = ["--db", made.db];

    expect(await lacreJson("company", "show", ...db)).toEqual(made.company);
    const set = ["company", "set", "--address", "Rua 2", "--city", "Braga", "--cash-vat"];
    expect(await lacreJson(...set, ...db)).toMatchObject({ address: "Rua 2", city: "Braga", cash_vat: true });
    const cleared = ["company", "set", "--address", "", "--no-cash-vat"];
    expect(await lacreJson(...cleared, ...db)).toMatchObject({ address: null, city: "Braga", cash_vat: false });

    const create = ["key", "create", "--name", "till", "--scope", "documents:read", "--scope", "customers:read"];
    const key = await lacreJson<{ id: string }>(...create, ...db);
    expect(key).toEqual({
      id: expect.any(String),
      name: "till",
      scopes: ["customers:read", "documents:read"],
      api_key: expect.stringMatching(/^lacre_live_/),
    });
    expect(await lacreJson("key", "revoke", key.id, ...db)).toMatchObject({
      id: key.id,
      revoked_at: expect.any(String),
    });
    const keys = await lacreJson<{ name: string; revoked_at: string | null }[]>("key", "list", ...db);
    expect(keys.map(({ name, revoked_at }) => [name, revoked_at !== null])).toEqual([
      ["till", true],
      ["first key", false],
    ]);
    expect((await lacre(["key", "revoke", key.id, ...db])).stderr).toBe("lacre: The API key is already revoked.\n");

    const opened = ["series", "create", "--doc-type", "FS", "--code", "LOJA", "--training"];
    const series = await lacreJson<{ id: string }>(...opened, ...db);
    expect(series).toMatchObject({ doc_type: "FS", code: "LOJA", training: true, validation_code: null });
    const registered = await lacreJson("series", "register", seriesOf(made), "CSDF7T5H", ...db);
    expect(registered).toMatchObject({ id: seriesOf(made), validation_code: "CSDF7T5H" });
    expect(await lacreJson("series", "close", series.id, "--yes", ...db)).toMatchObject({ status: "closed" });
    const { stdout } = await lacre(["series", "list", ...db]);
    expect(stdout).toMatch(/^\S+ {2}FT \d{4}A +active +next 1 +registered CSDF7T5H$/m);
    expect(stdout).toMatch(/^\S+ {2}FS LOJA +closed +next 1 +not registered, training$/m);

    const year = new Date().getFullYear() + 1;
    const { id: next } = await lacreJson<{ id: string }>(
      "series",
      "create",
      "--doc-type",
      "FT",
      "--code",
      `${year}A`,
      ...db,
    );
    await lacreJson("series", "close", next, "--yes", ...db);
    const again = (await lacre(["series", "open", "--year", String(year), ...db])).stdout;
    expect(again).toContain(
      `FT ${year}A is closed, and its code is not used again; choose another: lacre series create --db '${db[1]}' --doc-type FT`,
    );

    expect(await lacreJson("clock", "confirm", ...db)).toMatchObject({ latest_issued_at: null });
    expect((await lacre(["clock", "confirm", ...db])).stdout).toContain("The clock is confirmed.");
    expect(await lacreJson("verify", ...db)).toMatchObject({ whole: true, documents: 0, companies: [{ whole: true }] });
    expect(await readdir(made.directory)).toEqual(["lacre.db"]);
  });

  test("require --company only if there are several companies", async () => {
    const { company, db } = await makeDatabase();
    const other = ["company", "create", "--name", "Talho Novo", "--tax-id", "509442013", "--db", db];
    const talho = await lacreJson<{ id: string }>(...other);
    const { code, stderr } = await lacre(["series", "list", "--db", db]);
    expect(code).toBe(EXITS.usage.code);
    expect(stderr).toBe(
      `lacre: --company is required, because the database holds several: ` +
        `${company.id} (Padaria Central, Lda.), ${talho.id} (Talho Novo)\n`,
    );
    expect(await lacreJson("company", "show", "--company", talho.id, "--db", db)).toEqual(talho);
    expect((await lacre(["company", "show", "--company", "nobody", "--db", db])).code).toBe(EXITS.refused.code);
  });

  test("take --scope all for every scope", async () => {
    const { db } = await makeDatabase();
    const key = await lacreJson<{ scopes: string[] }>("key", "create", "--name", "all", "--scope", "all", "--db", db);
    expect(key.scopes).toEqual(PERMISSIONS);
  });
});

test("openapi prints the description, even if its reader closes early", async () => {
  const { stdout } = await lacre(["openapi"]);
  expect(JSON.parse(stdout)).toMatchObject({ openapi: "3.1.0", info: { version: "1.0.0" } });
  const cut = await lacre(["openapi"], { through: ["bash", "-c", 'set -o pipefail; "$@" | head -c 1', "-"] });
  expect(cut).toEqual({ code: 0, stdout: "{", stderr: "" });
});

test("a list shows the day on which a key was revoked in the company's time zone: half past midnight in Lisbon's summer is yesterday's UTC", async () => {
  const { db } = await makeDatabase();
  {
    using database = new DatabaseSync(db);
    database.exec("update api_keys set revoked_at = '2026-06-30T23:30:00.000Z'");
  }
  const listed = async () => (await lacre(["key", "list", "--lang", "en", "--db", db])).stdout;
  expect(await listed()).toContain("revoked 2026-07-01");
  await lacre(["company", "set", "--time-zone", "Atlantic/Azores", "--db", db]);
  expect(await listed()).toContain("revoked 2026-06-30");
});
