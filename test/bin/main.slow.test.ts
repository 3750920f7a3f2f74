import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { call, lacre, lacreJson, makeDatabase, seriesOf, startServer, temporaryDirectory } from "./program.ts";

describe("an error of a command", () => {
  test("names flags and operands, not the fields they feed", async () => {
    const { db, series } = await makeDatabase();
    const told = async (...args: string[]) => (await lacre([...args, "--db", db])).stderr;
    expect(await told("company", "set", "--tax-id", "123")).toBe(
      "lacre: --tax-id: is not a valid Portuguese tax number (NIF)\n",
    );
    expect(await told("signer", "set", "--producer-name", "Oficina")).toMatch(/^lacre: --producer-tax-id: is required/);
    expect(await told("signer", "import", "package.json")).toMatch(/^lacre: FILE: must be a private key/);
    expect(await told("series", "register", seriesOf({ series }), "abc")).toMatch(/^lacre: CODE: must be AT's code/);
  });

  test("is JSON with --json: the core's code, or the exit's name", async () => {
    const { db } = await makeDatabase();
    const errorOf = async (...args: string[]) => {
      const { stdout, stderr } = await lacre([...args, "--json"]);
      expect([stdout, stderr]).toEqual(["", expect.stringMatching(/^[^\n]+\n$/)]);
      return JSON.parse(stderr);
    };
    expect(await errorOf("company", "set", "--tax-id", "1", "--db", db)).toEqual({
      error: { code: "invalid_request", message: "--tax-id: is not a valid Portuguese tax number (NIF)" },
    });
    expect(await errorOf("key", "revoke", "nobody", "--db", db)).toMatchObject({ error: { code: "not_found" } });
    expect(await errorOf("key", "list", "--db", "nowhere.db")).toMatchObject({ error: { code: "unusable" } });
    expect(await errorOf("serve", "--port", "x")).toMatchObject({ error: { code: "usage" } });
  });

  test("is one sentence without a stack trace, whatever is named", async () => {
    const { db, directory } = await makeDatabase();
    const at = ["--db", db];
    mkdirSync(join(directory, "folder"));
    const folder = join(directory, "folder");
    const tried = [
      ["company", "set", "--logo", "/nope.png", ...at],
      ["company", "set", "--logo", folder, ...at],
      ["company", "set", "--logo", "/dev/zero", ...at],
      ["signer", "show", "--signing-key", "nope.pem", "--signing-key-version", "1", ...at],
      ["saft", "--out", "/dev/stdout", ...at],
      ["saft", "--out", folder, ...at],
      ["saft", "--out", join(folder, "x".repeat(300)), ...at],
      ["backup", join(directory, "lacre.db", "x"), ...at],
      ["verify", "--saft", folder],
      ["import-saft", "/nope.xml", ...at],
      ["restore", "/dev/null", ...at],
      ["key", "list", "--db", "/dev/null"],
      ["init", "--name", "A", "--tax-id", "500000000", "--db", "/proc/x.db"],
    ];
    for (const args of tried) {
      const { code, stdout, stderr } = await lacre(args);
      expect([EXITS.refused.code, EXITS.unusable.code], args.join(" ")).toContain(code);
      expect([stdout, stderr], args.join(" ")).toEqual(["", expect.stringMatching(/^lacre: [^\n]+;[^\n]+\.\n$/)]);
      expect(stderr).not.toMatch(/\bE[A-Z]{4,}\b|syscall/);
    }
  });
});

test("results that cannot be written are a failure", async () => {
  const full = { through: ["bash", "-c", '"$@" > /dev/full', "-"] };
  const { code, stderr } = await lacre(["version"], full);
  expect([code, stderr]).toEqual([EXITS.failed.code, expect.stringMatching(/no room for standard output;/)]);
});

test("--out - writes to standard output, and the report to standard error", async () => {
  const { db } = await makeDatabase();
  const saft = await lacre(["saft", "--out", "-", "--db", db, "--json"]);
  expect(saft).toMatchObject({ code: 0, stdout: expect.stringMatching(/^<\?xml [\s\S]*<\/AuditFile>\s*$/) });
  expect(JSON.parse(saft.stderr)).toMatchObject({ file: "-", customers: 0 });
  const file = join(temporaryDirectory(), "openapi.json");
  const [printed, written] = [await lacre(["openapi"]), await lacre(["openapi", "--out", file])];
  expect(written).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(readFileSync(file, "utf8")).toBe(printed.stdout);
});

test("version, -v and --version print the version, as JSON too", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const word of ["version", "-v", "--version"]) expect((await lacre([word])).stdout).toBe(`${version}\n`);
  expect(await lacreJson("version")).toEqual({ version });
});

describe("a running server", () => {
  test("is called lacre, opens no debugger on SIGUSR1, and keeps serving after SIGHUP without a terminal", async () => {
    const { db, api_key } = await makeDatabase();
    const server = await startServer(["serve", "--db", db], { through: ["setsid"] });
    expect(readFileSync(`/proc/${server.child.pid}/comm`, "utf8")).toBe("lacre\n");
    server.child.kill("SIGUSR1");
    server.child.kill("SIGHUP");
    expect((await call(server, api_key, "GET", "/v1/me")).status).toBe(200);
    expect(await server.stop("SIGTERM")).toEqual({ code: 0, signal: null, stderr: "" });
    expect(JSON.parse(server.lines.at(-1) ?? "")).toMatchObject({ event: "stopped" });
  });

  test("control: another program of Node opens its debugger, and ends uncleanly on SIGHUP", async () => {
    const program = 'setInterval(() => {}, 1000); console.log("ready")';
    const child = spawn(process.execPath, ["--inspect-port=0", "-e", program], { stdio: ["ignore", "pipe", "pipe"] });
    await once(child.stdout, "data");
    child.kill("SIGUSR1");
    expect(String((await once(child.stderr, "data"))[0])).toContain("Debugger listening");
    child.kill("SIGHUP");
    expect(await once(child, "close")).toEqual([null, "SIGHUP"]);
  });

  test("takes no flag for Node from the environment, least of all a debugger's", async () => {
    const { db } = await makeDatabase();
    const server = await startServer(["serve", "--db", db], { env: { NODE_OPTIONS: "--inspect=127.0.0.1:0" } });
    expect((await server.stop()).stderr).toBe("");
  });

  test("does not start under a debugger, unlike the sources", async () => {
    const { db } = await makeDatabase();
    const { code, stderr } = await lacre(["serve", "--db", db], { node: ["--inspect=127.0.0.1:0"] });
    expect([code, stderr]).toEqual([EXITS.refused.code, expect.stringMatching(/^lacre: Node's debugger is open/m)]);
  });
});

describe("series close", () => {
  test("needs --yes if nobody can answer", async () => {
    const made = await makeDatabase();
    const { code, stderr } = await lacre(["series", "close", seriesOf(made), "--db", made.db]);
    expect(code).toBe(EXITS.refused.code);
    expect(stderr).toMatch(
      /^lacre: Close the series FT \d{4}A for good\? Nothing was changed; to go ahead, add --yes\.\n$/,
    );
    expect((await lacreJson<{ status: string }[]>("series", "list", "--db", made.db))[0]).toMatchObject({
      status: "active",
    });
  });

  test("takes the name of a series, as register does, and lists the existing names", async () => {
    const made = await makeDatabase();
    const name = `FS ${made.series[0]?.code}`;
    const run = (...args: string[]) => lacre(["series", ...args, "--db", made.db]);
    expect((await run("register", name, "CSDF7T5H")).stdout).toContain(`${name}  active  next 1  registered CSDF7T5H`);
    expect((await run("close", name, "--yes")).stdout).toContain(`${name}  closed`);
    const { code, stderr } = await run("close", "FS 1999", "--yes");
    expect([code, stderr]).toEqual([
      EXITS.refused.code,
      expect.stringMatching(/^lacre: There is no series FS 1999; active ones are FT \d{4}A, .* and 3 more\.\n$/),
    ]);
  });

  test.each([
    ["y\n", "closed", "C", /Close the series FT \d{4}A for good\? \[y\/N\]/],
    ["n\n", "active", "C", /Close the series FT \d{4}A for good\? \[y\/N\]/],
    ["\n", "active", "C", /Close the series FT \d{4}A for good\? \[y\/N\]/],
    ["sim\n", "closed", "pt_PT.UTF-8", /Fechar de vez a série FT \d{4}A\? \[s\/N\]/],
    ["y\n", "active", "pt_PT.UTF-8", /Fechar de vez a série FT \d{4}A\? \[s\/N\]/],
  ])("asks on a terminal: %j leaves it %s in %s", async (answer, status, LC_ALL, question) => {
    const made = await makeDatabase();
    const options = { answers: [answer], env: { LC_ALL } };
    const { stdout } = await lacre(["series", "close", seriesOf(made), "--db", made.db], options);
    expect(stdout).toMatch(question);
    const listed = await lacreJson<{ id: string; status: string }[]>("series", "list", "--db", made.db);
    expect(listed.find(({ id }) => id === seriesOf(made))).toMatchObject({ status });
  });
});
