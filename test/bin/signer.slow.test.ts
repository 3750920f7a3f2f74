import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import type { SignerState } from "../../src/core/signing/signer.ts";
import { aPrivateKey, publicHalfOf, secretsOf } from "../support/keys.ts";
import { pngOf } from "../support/pictures.ts";
import {
  call,
  invoice,
  lacre,
  lacreJson,
  type Made,
  makeCustomer,
  makeDatabase,
  startServer,
  temporaryDirectory,
} from "./program.ts";

const COMPANY = ["--name", "Padaria Central, Lda.", "--tax-id", "500000000"];

/** A file with a private key. */
async function aKeyFile(pem = aPrivateKey()): Promise<{ path: string; pem: string }> {
  const path = join(temporaryDirectory(), "key.pem");
  await writeFile(path, pem);
  return { path, pem };
}

/** A database made by `init` whose signing key is in a separate file. */
async function makeKeyless(key: string, version = "3"): Promise<Made> {
  const directory = temporaryDirectory();
  const db = join(directory, "lacre.db");
  const signing = ["--signing-key", key, "--signing-key-version", version];
  const made = await lacreJson<Omit<Made, "db" | "directory">>("init", ...COMPANY, "--db", db, ...signing);
  return { ...made, db, directory };
}

const signer = (...args: string[]) => lacreJson<SignerState>("signer", ...args);

describe("lacre signer", () => {
  test("show prints JSON with or without --json", async () => {
    const { db } = await makeDatabase();
    const { code, stdout } = await lacre(["signer", "show", "--db", db]);
    expect(code).toBe(0);
    const shown = JSON.parse(stdout) as SignerState;
    expect(shown).toEqual({
      certificate_number: 0,
      key_version: 1,
      public_key: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
      host_signs: false,
      producer: null,
    });
    expect(await signer("show", "--db", db)).toEqual(shown);
  });

  test("set changes the flags given and shows the result", async () => {
    const { db } = await makeDatabase();
    const { stdout } = await lacre(["signer", "set", "--certificate-number", "9999", "--db", db]);
    expect(stdout).toMatch(
      /^Rehearsal of strict mode, under number 9999\.[^\n]*\nDocuments are signed under key version 1\.\nThe private key[^\n]*\n-----BEGIN PUBLIC/,
    );
    const producer = ["--producer-name", "Oficina, Lda.", "--producer-tax-id", "509442013"];
    expect(await signer("set", ...producer, "--db", db)).toMatchObject({
      certificate_number: 9999,
      producer: { name: "Oficina, Lda.", tax_id: "509442013" },
    });
    const cleared = ["--producer-name", "", "--producer-tax-id=", "--certificate-number", "0"];
    expect(await signer("set", ...cleared, "--db", db)).toMatchObject({ certificate_number: 0, producer: null });
    const half = await lacre(["signer", "set", "--producer-name", "Oficina", "--db", db]);
    expect(half).toEqual({
      code: EXITS.refused.code,
      stdout: "",
      stderr: "lacre: --producer-tax-id: is required: a producer has a name and a tax number\n",
    });
    const long = await lacre(["signer", "set", "--certificate-number", "12345", "--db", db]);
    expect(long.code).toBe(EXITS.usage.code);
  });

  test("set --help says what a certificate number does and whose it is", async () => {
    const { stdout } = await lacre(["signer", "set", "--help"]);
    for (const words of [
      "AT certifies a program",
      "This build has no number of its own",
      "accepts no more; open a new one",
    ]) {
      expect(stdout).toContain(words);
    }
  });

  test("rotate and import beside a running server take effect at its next document", async () => {
    const made = await makeDatabase();
    const db = ["--db", made.db];
    const server = await startServer(["serve", ...db]);
    const customer_id = await makeCustomer(server, made);
    const issue = async () => {
      const answer = await call(server, made.api_key, "POST", "/v1/documents", invoice(made, customer_id));
      expect(answer.status).toBe(201);
    };
    await issue();
    const rotated = await signer("rotate", ...db);
    expect(rotated).toMatchObject({ key_version: 2 });
    await issue();
    const { path, pem } = await aKeyFile(aPrivateKey(1024, "pkcs1"));
    expect(await signer("import", path, "--key-version", "5", ...db)).toMatchObject({
      key_version: 5,
      public_key: publicHalfOf(pem),
    });
    await issue();
    expect(await server.stop()).toMatchObject({ code: 0, stderr: "" });
    expect(await lacreJson("verify", ...db)).toMatchObject({ whole: true, documents: 3 });
    const { stdout } = await lacre(["signer", "rotate", ...db]);
    expect(stdout).toMatch(/^Not certified\.\nDocuments are signed under key version 6\.\n-----BEGIN PUBLIC KEY-----/);
  });

  test("import refuses an unusable key in one line that reveals nothing of it", async () => {
    const { db } = await makeDatabase();
    const before = await signer("show", "--db", db);
    const tooLong = await aKeyFile(aPrivateKey(2048));
    const broken = await aKeyFile(aPrivateKey().replace("PRIVATE", "SECRET"));
    const refused = async (path: string) => lacre(["signer", "import", path, "--db", db]);
    const [long, torn, none] = await Promise.all([tooLong.path, broken.path, "/nowhere/key.pem"].map(refused));
    expect(long).toEqual({
      code: EXITS.refused.code,
      stdout: "",
      stderr: "lacre: FILE: must be RSA of 1024 bits\n",
    });
    expect(torn).toMatchObject({
      code: EXITS.refused.code,
      stderr: expect.stringMatching(/^lacre: FILE: must/),
    });
    for (const secret of secretsOf(broken.pem)) expect(torn?.stderr).not.toContain(secret);
    expect(none).toMatchObject({ code: EXITS.refused.code, stderr: expect.stringContaining("/nowhere/key.pem") });
    expect(await signer("show", "--db", db)).toEqual(before);
  });
});

describe("a signing key in a separate file", () => {
  test("signs the documents of serve, and is neither in the database nor in a backup", async () => {
    const key = await aKeyFile();
    const made = await makeKeyless(key.path);
    const db = ["--db", made.db];
    const env = { LACRE_SIGNING_KEY: key.path, LACRE_SIGNING_KEY_VERSION: "3" };
    const server = await startServer(["serve", ...db], { env });
    const customer_id = await makeCustomer(server, made);
    const answer = await call(server, made.api_key, "POST", "/v1/documents", invoice(made, customer_id));
    expect(answer.status).toBe(201);
    await server.stop();
    expect(JSON.parse(server.lines[0] ?? "")).toMatchObject({ certificate_number: 0, key_version: 3 });
    expect(await lacreJson("verify", ...db)).toMatchObject({ whole: true, documents: 1 });
    const public_key = publicHalfOf(key.pem);
    expect(await signer("show", ...db)).toMatchObject({ key_version: 3, public_key, host_signs: true });

    const backup = join(made.directory, "backup.db");
    await lacreJson("backup", backup, ...db);
    for (const file of [made.db, backup]) expect(await readFile(file, "latin1")).not.toContain("PRIVATE KEY");
    expect(await readFile((await makeDatabase()).db, "latin1")).toContain("PRIVATE KEY");
  });

  test("is not replaced by accident: serve refuses to start without the key, and rotate refuses while a key file is given", async () => {
    const key = await aKeyFile();
    const { db } = await makeKeyless(key.path);
    const without = await lacre(["serve", "--port", "0", "--db", db]);
    expect(without).toEqual({
      code: EXITS.refused.code,
      stdout: "",
      stderr: "lacre: Signing key version 3 is not in the database; name its file with --signing-key.\n",
    });
    const env = { LACRE_SIGNING_KEY: key.path, LACRE_SIGNING_KEY_VERSION: "3" };
    const rotate = await lacre(["signer", "rotate", "--db", db], { env });
    expect(rotate).toMatchObject({ code: EXITS.refused.code, stderr: expect.stringContaining("host program signs") });
    expect(await signer("rotate", "--db", db)).toMatchObject({ key_version: 4, host_signs: false });
  });

  test.each([
    ["without its version", async (path: string) => ["--signing-key", path], "must be given together", "usage"],
    ["without the file", async () => ["--signing-key-version", "2"], "must be given together", "usage"],
    [
      "under a version that another key has",
      async (path: string) => ["--signing-key", path, "--signing-key-version", "1"],
      "Signing key version 1 is already known with another public key.",
      "refused",
    ],
    [
      "of the wrong size",
      async () => ["--signing-key", (await aKeyFile(aPrivateKey(2048))).path, "--signing-key-version", "2"],
      "key.pem: The signing key must be RSA of 1024 bits.",
      "refused",
    ],
  ] as const)("%s does not serve", async (_, flags, message, exit) => {
    const { db } = await makeDatabase();
    const { path } = await aKeyFile();
    const { code, stdout, stderr } = await lacre(["serve", "--port", "0", "--db", db, ...(await flags(path))]);
    expect([code, stdout, stderr]).toEqual([EXITS[exit].code, "", expect.stringContaining(message)]);
    expect(stderr.split("\n")).toHaveLength(2);
  });
});

describe("logo and footer", () => {
  const PNG = pngOf({ width: 40, height: 30 });

  test("are details of a company from init on, and an empty text removes them", async () => {
    const directory = temporaryDirectory();
    const [db, logo] = [join(directory, "lacre.db"), join(directory, "logo.png")];
    await writeFile(logo, PNG);
    const details = ["--footer-text", "Obrigado!", "--logo", logo, "--default-exemption-code", "M07"];
    const { company } = await lacreJson<Made>("init", ...COMPANY, ...details, "--db", db);
    expect(company).toMatchObject({ footer_text: "Obrigado!", default_exemption_code: "M07" });
    using connection = new DatabaseSync(db);
    const logos = () => connection.prepare("select picture from company_logos").all();
    expect(logos()).toEqual([{ picture: new Uint8Array(PNG) }]);
    const cleared = ["--footer-text", "", "--logo", "", "--default-exemption-code", ""];
    expect(await lacreJson("company", "set", ...cleared, "--db", db)).toMatchObject({
      footer_text: null,
      default_exemption_code: null,
    });
    expect(logos()).toEqual([]);
    const other = [
      "company",
      "create",
      "--name",
      "Talho",
      "--tax-id",
      "509442013",
      "--logo",
      logo,
      "--footer-text",
      "x",
    ];
    expect(await lacreJson(...other, "--db", db)).toMatchObject({ name: "Talho", footer_text: "x" });
    expect(logos()).toHaveLength(1);
  });

  test("a logo that is not a picture changes nothing", async () => {
    const { db, company, directory } = await makeDatabase();
    const text = join(directory, "logo.svg");
    await writeFile(text, "<svg/>");
    const { code, stderr } = await lacre(["company", "set", "--city", "Braga", "--logo", text, "--db", db]);
    expect([code, stderr]).toEqual([
      EXITS.refused.code,
      "lacre: --logo: must be an intact PNG (up to a million pixels) or JPEG of at most 512 KB\n",
    ]);
    expect(await lacreJson("company", "show", "--db", db)).toEqual(company);
    const missing = await lacre(["company", "set", "--logo", join(directory, "none.png"), "--db", db]);
    expect(missing).toMatchObject({ code: EXITS.refused.code, stderr: expect.stringContaining("none.png") });
  });
});

test("a certified server whose key is in the database says so at every start, and not with the key in a file", async () => {
  const { db } = await makeDatabase();
  await lacreJson("signer", "set", "--certificate-number", "9999", "--db", db);
  const events = async (...flags: string[]) => {
    const server = await startServer(["serve", "--no-backup-because", "it is a trial", "--db", db, ...flags]);
    await server.stop();
    return server.lines.map((line) => JSON.parse(line).event);
  };
  expect(await events()).toContain("key_in_database");
  expect(await events()).toContain("key_in_database");
  const { path } = await aKeyFile();
  const keyed = await events("--signing-key", path, "--signing-key-version", "2");
  expect(keyed).not.toContain("key_in_database");
});
