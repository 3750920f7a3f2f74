import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, writeFileSync, writeSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { until } from "../support/until.ts";
import {
  call,
  documentsIn,
  invoice,
  lacre,
  lacreJson,
  makeCustomer,
  makeDatabase,
  type Running,
  seriesOf,
  setUpLinkOf,
  startServer,
  temporaryDirectory,
} from "./program.ts";

/** Root may write anywhere unless it lacks this capability. */
const WITHOUT_ROOTS_RIGHTS =
  process.getuid?.() === 0
    ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
    : [];

describe("serve refuses to start, with one line and without changing anything,", () => {
  /** Each prepares something wrong at `db` and returns what the line must contain. */
  const WRONG: Record<string, (db: string) => Promise<string>> = {
    "without a database": async (db) =>
      `if it is elsewhere, name it (--db PATH); to make one: lacre serve --db '${db}' --new, or lacre init --db '${db}'`,
    "on a directory": async (db) => {
      await mkdir(db);
      return "is not a file";
    },
    "on an empty file": async (db) => {
      await writeFile(db, "");
      return "is not a database";
    },
    "on a file that is no database": async (db) => {
      await writeFile(db, "SQLite is what this is not.".repeat(100));
      return "is not a database";
    },
    "on somebody else's database": async (db) => {
      using other = new DatabaseSync(db);
      other.exec("create table migrations (id text)");
      return "is not a Lacre database";
    },
    "on somebody else's database in WAL mode": async (db) => {
      using other = new DatabaseSync(db);
      other.exec("pragma journal_mode = wal; create table notes (id text)");
      return "is not a Lacre database";
    },
    "on a file with a damaged page": async (db) => {
      await copyFile((await makeDatabase()).db, db);
      using file = new DatabaseSync(db);
      const [page_size, root] = ["pragma page_size", "select rootpage from sqlite_schema where name = 'customers'"].map(
        (sql) => Number(Object.values(file.prepare(sql).get() ?? {})[0]),
      ) as [number, number];
      const pages = await readFile(db);
      await writeFile(db, pages.fill(0, (root - 1) * page_size, root * page_size));
      return `There is damage in ${db} (`;
    },
    "on a file that was cut short": async (db) => {
      await writeFile(db, (await readFile((await makeDatabase()).db)).subarray(0, 100_000));
      return `There is damage in ${db}, or its disk fails`;
    },
    "on a newer schema": async (db) => {
      await copyFile((await makeDatabase()).db, db);
      using later = new DatabaseSync(db);
      later.exec("insert into migrations values ('9999-later', 'digest', '2030-01-01T00:00:00.000Z')");
      return "written by a newer Lacre";
    },
    "on a read-only file": async (db) => {
      await copyFile((await makeDatabase()).db, db);
      await chmod(db, 0o400);
      return "is read-only";
    },
    "in a read-only directory": async (db) => {
      await copyFile((await makeDatabase()).db, db);
      await chmod(join(db, ".."), 0o500);
      return "is read-only";
    },
  };

  test.each(Object.entries(WRONG))("%s", async (_, spoil) => {
    const directory = temporaryDirectory();
    const db = join(directory, "lacre.db");
    const line = await spoil(db);
    const before = await contents(directory);
    const { code, stdout, stderr } = await lacre(["serve", "--db", db, "--port", "0"], {
      through: WITHOUT_ROOTS_RIGHTS,
    });
    expect({ code, stdout }).toEqual({ code: EXITS.unusable.code, stdout: "" });
    expect(stderr).toMatch(/^lacre: [^\n]+\n$/);
    expect(stderr).toContain(line);
    expect(await contents(directory)).toEqual(before);
    await chmod(directory, 0o700);
  });

  test("in a directory that does not exist", async () => {
    const { code, stderr } = await lacre(["serve", "--db", join(temporaryDirectory(), "nowhere", "lacre.db")]);
    expect([code, stderr]).toEqual([EXITS.unusable.code, expect.stringMatching(/^lacre: There is no database .*\n$/)]);
  });

  test("on a port that is taken", async () => {
    const made = await makeDatabase();
    const first = await startServer(["serve", "--db", made.db]);
    const port = new URL(first.url).port;
    const other = await makeDatabase();
    const { code, stdout, stderr } = await lacre(["serve", "--db", other.db, "--port", port]);
    expect({ code, stdout }).toEqual({ code: EXITS.no_address.code, stdout: "" });
    expect(stderr).toBe(`lacre: 127.0.0.1:${port} is already in use; choose another port with --port.\n`);
    expect(await readdir(other.directory)).toEqual(["lacre.db"]);
  });
});

/** The files of a directory with their bytes. */
async function contents(directory: string): Promise<[string, string][]> {
  const names = (await readdir(directory)).sort();
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => {
      const path = join(directory, name);
      return [name, (await stat(path)).isFile() ? (await readFile(path)).toString("base64") : ""];
    }),
  );
}

test("a file too large to check at each start is served, and the log says so", async () => {
  const { db } = await makeDatabase();
  const started = async () => {
    const server = await startServer(["serve", "--db", db]);
    await server.stop();
    return server.lines.join("\n");
  };
  expect(await started()).not.toContain("pages_not_checked"); // control
  await truncate(db, 513 * 1024 * 1024); // with a hole: it takes no room on the disk
  expect(await started()).toContain("pages_not_checked");
});

describe("one server per database:", () => {
  test("a second one is refused, even through a link, until the first has ended or is killed", async () => {
    const { directory, db } = await makeDatabase();
    const first = await startServer(["serve", "--db", db]);
    const alias = join(temporaryDirectory(), "alias.db");
    await symlink(db, alias);
    for (const name of [db, alias]) {
      const { code, stdout, stderr } = await lacre(["serve", "--db", name, "--port", "0"]);
      expect({ code, stdout }).toEqual({ code: EXITS.in_use.code, stdout: "" });
      expect(stderr).toMatch(/^lacre: .*lacre\.db is in use: a server runs on it.*\n$/);
    }
    await first.stop("SIGKILL");
    const third = await startServer(["serve", "--db", db]);
    expect(await third.stop()).toMatchObject({ code: 0 });
    expect(await readdir(directory)).toEqual(["lacre.db"]);
  });

  test("control: without the lock file a second one starts, and the first stops at once", async () => {
    const { db } = await makeDatabase();
    const first = await startServer(["serve", "--db", db]);
    await rm(`${db}.lock`);
    const second = await startServer(["serve", "--db", db]);
    expect(await first.ended).toMatchObject({ code: EXITS.halted.code, stderr: expect.stringContaining(".lock") });
    expect((await lacre(["serve", "--db", db, "--port", "0"])).code).toBe(EXITS.in_use.code);
    expect(second.child.exitCode).toBeNull();
  });
});

/** Waits until a server has told people something, which it looks up shortly after it listens. */
async function told({ lines }: Running, event: string): Promise<void> {
  await until(() => lines.some((line) => JSON.parse(line).event === event));
}

test("standard output has a JSON line for the start, each request, each refused key and the end", async () => {
  const { db, api_key } = await makeDatabase();
  const server = await startServer(["serve", "--db", db, "--rate-limit", "2"]);
  await told(server, "waiting");
  expect((await call(server, api_key, "GET", "/v1/me")).status).toBe(200);
  expect((await call(server, `${api_key.slice(0, -1)}!`, "GET", "/v1/me")).status).toBe(401);
  expect((await call(server, api_key, "GET", "/v1/me")).status).toBe(200);
  expect((await call(server, api_key, "GET", "/v1/me")).status).toBe(429);
  expect(await server.stop()).toEqual({ code: 0, signal: null, stderr: "" });

  const entries = server.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const { time } of entries) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(entries.map(({ event, status }) => [event, status])).toEqual([
    ["listening", undefined],
    ["set_up", undefined],
    ["not_certified", undefined],
    ["duties", undefined],
    ["waiting", undefined],
    ["request", 200],
    ["auth_refused", undefined],
    ["request", 401],
    ["request", 200],
    ["request", 429],
    ["stopping", undefined],
    ["stopped", undefined],
  ]);
  expect(entries[0]).toMatchObject({
    url: server.url,
    database: db,
    rate_limit: 2,
    driver: "better-sqlite3",
    sqlite: expect.stringMatching(/^3\.\d+\.\d+$/),
    journal_mode: "wal",
    synchronous: 2,
  });
  // The filter for fail2ban that docs/operating.md shows.
  const refused = /^\{.*"event":"auth_refused".*"remote_address":"(.*?)".*\}$/;
  expect(server.lines.map((line) => refused.exec(line)?.[1]).filter(Boolean)).toEqual(["127.0.0.1"]);
  expect(server.lines.join("\n")).not.toContain(api_key.slice(11, -6));
});

test("behind a trusted proxy the log names the client; from anywhere else no claim about it counts", async () => {
  const { db } = await makeDatabase();
  const named = async (...flags: string[]) => {
    const server = await startServer(["serve", "--db", db, ...flags]);
    for (const forwarded of ["203.0.113.9", "192.0.2.1, 203.0.113.9, 127.0.0.1", "unknown"]) {
      await fetch(`${server.url}/v1/me`, { headers: { "x-forwarded-for": forwarded } });
    }
    await server.stop();
    const entries = server.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const of = (wanted: string) => entries.filter(({ event }) => event === wanted).map((one) => one.remote_address);
    expect(of("request")).toEqual(of("auth_refused"));
    return of("auth_refused");
  };
  expect(await named("--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "::1,127.0.0.1")).toEqual([
    "203.0.113.9",
    "203.0.113.9",
    null,
  ]);
  expect(await named("--trusted-proxy", "10.0.0.0/8")).toEqual(Array(3).fill("127.0.0.1"));
  expect(await named()).toEqual(Array(3).fill("127.0.0.1"));
});

/** The status of a request that asks for a host, and where the page at `/` leads. */
async function asked({ url }: Running, host: string, path = "/healthz") {
  const sent = request(url + path, { headers: { host } }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return [answer.resume().statusCode, answer.headers.location];
}

describe("the names of a server:", () => {
  test("it answers to addresses, names of the network and configured names, and to no others", async () => {
    const { db } = await makeDatabase();
    const plain = await startServer(["serve", "--db", db]);
    for (const host of ["192.0.2.7:8787", "localhost", "till", "till.local"]) {
      expect(await asked(plain, host)).toEqual([200, undefined]);
    }
    for (const host of ["loja.pt", "evil.example"]) expect(await asked(plain, host)).toEqual([403, undefined]);
    await plain.stop();
    const flags = ["--allowed-host", "loja.pt", "--allowed-host=.padaria.pt"];
    const named = await startServer(["serve", "--db", db, ...flags]);
    for (const host of ["loja.pt", "www.padaria.pt"]) expect(await asked(named, host)).toEqual([200, undefined]);
    expect(await asked(named, "evil.example")).toEqual([403, undefined]);
  });

  test("with --public-url links lead to that address, below its path, also in other commands", async () => {
    const { db } = await makeDatabase();
    const server = await startServer(["serve", "--db", db], {
      env: { LACRE_PUBLIC_URL: "https://loja.pt/faturas/", LACRE_ALLOWED_HOST: "till.loja.pt, .lan.loja.pt" },
    });
    expect(await setUpLinkOf(db)).toMatch(/^https:\/\/loja\.pt\/faturas\/area\/setup#/);
    const { stdout } = await lacre(["user", "invite", "--role", "owner", "--db", db]);
    expect(stdout).toMatch(/^ {2}https:\/\/loja\.pt\/faturas\/area\/setup#/m);
    expect(await asked(server, "loja.pt", "/faturas/")).toEqual([302, "/faturas/area"]);
    expect(await asked(server, "a.lan.loja.pt")).toEqual([200, undefined]);
    expect(await asked(server, "evil.example", "/faturas/")).toEqual([403, undefined]);
    const description = await (await fetch(`${server.url}/openapi.json`)).json();
    expect(description).toMatchObject({ servers: [{ url: "https://loja.pt/faturas" }] });
  });

  test.each([
    ["--public-url", "loja.pt", "must be an address such as"],
    ["--public-url", "https://loja.pt/?a", "must be an address such as"],
    ["--allowed-host", "http://loja.pt", "must be names of hosts"],
  ])("%s %s is refused", async (flag, value, says) => {
    const { code, stderr } = await lacre(["serve", flag, value]);
    expect([code, stderr]).toEqual([EXITS.usage.code, expect.stringContaining(`${flag} ${says}`)]);
  });

  test("on every address, it says how other computers reach it, and who may sign in from there", async () => {
    const { db } = await makeDatabase();
    const lan = async (...flags: string[]) => {
      const server = await startServer(["serve", "--db", db, "--host", "0.0.0.0", ...flags]);
      await told(server, "waiting");
      expect(await setUpLinkOf(db)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/area/);
      await server.stop();
      return server.lines.map((line) => JSON.parse(line)).find(({ event }) => event === "lan");
    };
    const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
    const other = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
    if (other === undefined) return expect(await lan()).toBeUndefined();
    const url = expect.stringMatching(new RegExp(`http://${other.address}:\\d+/area`));
    expect(await lan()).toMatchObject({ urls: url, message: expect.stringContaining("cannot sign in") });
    expect(await lan("--plain-http-lan")).toMatchObject({ urls: url, message: expect.not.stringContaining("cannot") });
  });
});

test("other commands work beside a server and take effect from its next request on", async () => {
  const made = await makeDatabase();
  const { db, api_key, company } = made;
  const server = await startServer(["serve", "--db", db]);
  const customer_id = await makeCustomer(server, made);
  const status = async (key: string, method: string, path: string, body?: object) =>
    (await call(server, key, method, path, body)).status;

  const till = ["key", "create", "--name", "till", "--scope", "all", "--db", db];
  const key = await lacreJson<{ id: string; api_key: string }>(...till);
  expect(await status(key.api_key, "POST", "/v1/documents", invoice(made, customer_id))).toBe(201);
  await lacreJson("key", "revoke", key.id, "--db", db);
  expect(await status(key.api_key, "GET", "/v1/me")).toBe(401);
  expect(await status(api_key, "GET", "/v1/me")).toBe(200);

  await lacreJson("company", "set", "--name", "Padaria Nova", "--db", db);
  expect((await call(server, api_key, "GET", "/v1/me")).body.company).toMatchObject({ name: "Padaria Nova" });

  expect(await status(api_key, "POST", "/v1/documents", invoice(made, customer_id, "FS"))).toBe(201);
  await lacreJson("series", "close", seriesOf(made, "FS"), "--yes", "--db", db);
  const refused = await call(server, api_key, "POST", "/v1/documents", invoice(made, customer_id, "FS"));
  expect(refused).toMatchObject({ status: 409, body: { error: { code: "series_closed" } } });

  const opened = ["series", "create", "--doc-type", "FS", "--code", "B", "--validation-code", "CSDF7T5H", "--db", db];
  const next = await lacreJson<{ id: string; doc_type: string; code: string }>(...opened);
  const issued = await call(server, api_key, "POST", "/v1/documents", invoice({ series: [next] }, customer_id, "FS"));
  expect(issued).toMatchObject({ status: 201, body: { number: "FS B/1", atcud: "CSDF7T5H-1" } });

  expect(await lacreJson("verify", "--db", db)).toMatchObject({ whole: true, documents: 3 });
  expect(await lacreJson("company", "show", "--db", db)).toMatchObject({ id: company.id });
  expect(await server.stop()).toMatchObject({ code: 0 });
});

/** A request whose head has reached the server but whose body has not. */
async function halfSent({ url }: Running, api_key: string, body: object) {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding("utf8");
  const payload = Buffer.from(JSON.stringify(body));
  socket.write(
    [
      "POST /v1/documents HTTP/1.1",
      `Host: ${host}`,
      `Authorization: Bearer ${api_key}`,
      "Content-Type: application/json",
      `Content-Length: ${payload.length}`,
      "Expect: 100-continue",
      "\r\n",
    ].join("\r\n"),
  );
  expect((await once(socket, "data"))[0]).toMatch(/^HTTP\/1\.1 100 /);
  let answer = "";
  socket.on("data", (text) => {
    answer += text;
  });
  const closed = new Promise<string>((resolve) => {
    socket.on("error", () => {}); // A request may also end with its connection cut.
    socket.once("close", () => resolve(answer));
  });
  return {
    /** Sends the body and returns everything received until the connection closed. */
    finish(): Promise<string> {
      socket.write(payload);
      return closed;
    },
    closed,
  };
}

async function untilRefused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const refused = await new Promise((resolve) => {
      socket.once("connect", () => resolve(false));
      socket.once("error", () => resolve(true));
    });
    socket.destroy();
    if (refused) return;
  }
}

describe("SIGTERM:", () => {
  test("32 running requests get their answers, new ones are refused, the log is checkpointed, exit 0", async () => {
    const made = await makeDatabase();
    const server = await startServer(["serve", "--db", made.db]);
    const customer_id = await makeCustomer(server, made);
    const requests = await Promise.all(
      Array.from({ length: 32 }, () => halfSent(server, made.api_key, invoice(made, customer_id))),
    );
    server.child.kill("SIGTERM");
    await untilRefused(server.url);
    const answers = await Promise.all(requests.map(({ finish }) => finish()));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 201 Created\r\n.*"status":"issued"/s);
    expect(await server.ended).toEqual({ code: 0, signal: null, stderr: "" });
    expect(await readdir(made.directory)).toEqual(["lacre.db", "lacre.db.heads"]);
    expect(await documentsIn(made.db, made.company)).toBe(32);
  });

  test("control: a second one ends the server at once, and a running request is lost", async () => {
    const made = await makeDatabase();
    const server = await startServer(["serve", "--db", made.db]);
    const request = await halfSent(server, made.api_key, invoice(made, await makeCustomer(server, made)));
    server.child.kill("SIGTERM");
    await untilRefused(server.url);
    expect(await server.stop("SIGTERM")).toEqual({ code: 143, signal: null, stderr: "" });
    expect(await request.closed).toBe("");
  });

  test("while 32 clients are busy, every created document was answered", async () => {
    const made = await makeDatabase();
    let answered = 0;
    for (let round = 0; round < 3; round++) {
      const server = await startServer(["serve", "--db", made.db, "--rate-limit", "1000000"]);
      const customer_id = await makeCustomer(server, made);
      const half = Promise.withResolvers<void>();
      const client = async () => {
        for (;;) {
          const issued = await call(server, made.api_key, "POST", "/v1/documents", invoice(made, customer_id)).catch(
            () => undefined,
          );
          if (!issued) return;
          expect(issued.status).toBe(201);
          if (++answered >= 100 * (round + 1)) half.resolve();
        }
      };
      const clients = Promise.all(Array.from({ length: 32 }, client));
      await half.promise;
      expect(await server.stop()).toMatchObject({ code: 0 });
      await clients;
      expect(await readdir(made.directory)).toEqual(["lacre.db", "lacre.db.heads"]);
      expect(await documentsIn(made.db, made.company)).toBe(answered);
    }
    expect(await lacreJson("verify", "--db", made.db)).toMatchObject({ whole: true, documents: answered });
  });
});

test("a storage failure is answered with 503 and ends the server with its own exit code", async () => {
  const { db, api_key } = await makeDatabase();
  const server = await startServer(["serve", "--db", db]);
  await told(server, "set_up");
  expect((await call(server, api_key, "GET", "/v1/me")).status).toBe(200);
  spoil(db);
  const refused = await call(server, api_key, "POST", "/v1/customers", { name: "Ana" });
  expect(refused).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } });
  const { code, stderr } = await server.ended;
  expect(code).toBe(EXITS.halted.code);
  expect(stderr).toMatch(/^lacre: The storage failed: [^\n]+[^.\n]; start the server again to recover\.\n$/);
  expect(server.lines.map((line) => JSON.parse(line).event)).toContain("halted");
});

test("a deleted database file halts the server, with the reason in one sentence", async () => {
  const { db, api_key } = await makeDatabase();
  const server = await startServer(["serve", "--db", db]);
  await told(server, "set_up");
  await rm(db);
  expect((await call(server, api_key, "POST", "/v1/customers", { name: "Ana" })).status).toBe(503);
  const reason = `${db} is gone`;
  expect(await server.ended).toMatchObject({
    code: EXITS.halted.code,
    stderr: `lacre: The storage failed: ${reason}; start the server again to recover.\n`,
  });
});

/** Starts a program whose every flush to the disk fails. */
const ON_A_FAILING_DISK = "strace -D -f -qq -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:error=EIO";

const canFail = spawnSync("strace", ["-qq", "-e", "trace=none", "true"]).status === 0;

describe("a first start", () => {
  const db = () => join(temporaryDirectory(), "shop.db");

  const become = ({ url }: Running, link: string, login: string) =>
    fetch(`${url}/area/v1/invitations/accept`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ token: link.split("#")[1], name: "Rosa", login, password: "pão quente às sete" }),
    });
  const setUps = ({ lines }: Running) =>
    lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "set_up");

  test("makes the database with --new, and a link beside it that makes one owner", async () => {
    const file = db();
    const server = await startServer(["serve", "--new", "--db", file]);
    const link = await setUpLinkOf(file);
    await told(server, "set_up");
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/area\/setup#[\w-]{43}$/);
    expect(link.startsWith(`${server.url}/`)).toBe(true);
    expect((await stat(`${file}.set-up`)).mode & 0o777).toBe(0o600);
    expect(setUps(server)).toMatchObject([{ file: `${file}.set-up`, expires_at: expect.any(String) }]);
    expect((await become(server, link, "rosa@example.pt")).status).toBe(201);
    await until(() => !existsSync(`${file}.set-up`));
    expect((await become(server, link, "rosa@example.pt")).status).toBe(404);
    await server.stop();
    expect(server.lines.join("\n")).not.toContain(link.split("#")[1]);

    const again = await startServer(["serve", "--db", file]);
    const events = () => again.lines.map((line) => JSON.parse(line).event);
    await until(() => events().includes("area"));
    expect(events()).not.toContain("set_up");
    const users = await lacreJson("user", "list", "--db", file);
    expect(users).toMatchObject([{ login: "rosa@example.pt", disabled_at: null }]);
  });

  test("leaves a link beside the database until another is made, and none when the server has ended", async () => {
    const made = await makeDatabase();
    const killed = await startServer(["serve", "--db", made.db]);
    const first = await setUpLinkOf(made.db);
    await killed.stop("SIGKILL");
    expect(await setUpLinkOf(made.db)).toBe(first); // control: nobody took it away

    const server = await startServer(["serve", "--db", made.db]);
    await told(server, "set_up");
    const second = await setUpLinkOf(made.db);
    const { stdout } = await lacre(["user", "invite", "--role", "owner", "--db", made.db]);
    await until(() => !existsSync(`${made.db}.set-up`));
    const [third = ""] = /http:\S+/.exec(stdout) ?? [];
    expect(third.startsWith(`${server.url}/area/setup#`)).toBe(true);
    for (const link of [first, second]) expect((await become(server, link, "rui@example.pt")).status).toBe(404);
    expect((await become(server, third, "rui@example.pt")).status).toBe(201);
    await server.stop();

    const again = await startServer(["serve", "--db", made.db]);
    await until(() => existsSync(`${made.db}.address`));
    await again.stop();
    expect(await readdir(made.directory)).toEqual(["lacre.db"]);
    const elsewhere = await lacre(["user", "reset", "rui@example.pt", "--db", made.db]);
    expect(elsewhere.stdout).toMatch(/http:\/\/127\.0\.0\.1:8787\/area\/reset#[\s\S]*--public-url/);
  });

  test("with --new is refused if there is a database, which stays unchanged", async () => {
    const made = await makeDatabase();
    const { code, stderr } = await lacre(["serve", "--new", "--db", made.db]);
    expect([code, stderr]).toEqual([EXITS.refused.code, expect.stringContaining("exists already")]);
  });

  test("with --new is refused beside the remains of a database", async () => {
    const made = await makeDatabase();
    await writeFile(`${made.db}-wal`, "");
    await rm(made.db);
    const { code, stderr } = await lacre(["serve", "--new", "--db", made.db]);
    expect([code, stderr]).toEqual([EXITS.refused.code, expect.stringMatching(/-wal (exists already|is left of)/)]);
  });

  test("has no area, no link and no session with --no-area", async () => {
    const server = await startServer(["serve", "--new", "--no-area", "--db", db()]);
    expect(server.lines.join()).not.toMatch(/set_up|\/area/);
    expect((await fetch(`${server.url}/area`)).status).toBe(404);
    expect((await fetch(`${server.url}/area/v1/session`)).status).toBe(404);
  });
});

test.skipIf(!canFail)("a commit that was not flushed halts the server; the retry settles its outcome", async () => {
  const { db, api_key } = await makeDatabase();
  const server = await startServer(["serve", "--no-area", "--db", db], { through: ON_A_FAILING_DISK.split(" ") });
  const authorization = `Bearer ${api_key}`;
  const headers = { authorization, "content-type": "application/json", "idempotency-key": "ana" };
  const send = ({ url }: Running) => fetch(`${url}/v1/customers`, { method: "POST", headers, body: '{"name":"Ana"}' });
  const refused = await send(server);
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: "unavailable" } }]);
  expect((await server.ended).code).toBe(EXITS.halted.code);

  const again = await startServer(["serve", "--db", db]);
  expect((await send(again)).status).toBe(201);
  const { body } = await call(again, api_key, "GET", "/v1/customers");
  expect(body.pagination).toMatchObject({ total: 1 });
});

/** Overwrites forty pages of a database, from the second on. */
function spoil(db: string): void {
  const PAGE_BYTES = 4096;
  writeSync(openSync(db, "r+"), Buffer.alloc(64 * PAGE_BYTES, 1), 0, 40 * PAGE_BYTES, PAGE_BYTES);
}

test("an uncaught error is logged and ends the server", async () => {
  const { db, directory } = await makeDatabase();
  const preload = join(directory, "boom.mjs");
  writeFileSync(preload, `process.on("SIGUSR2", () => void Promise.reject(new Error("boom")));`);
  const server = await startServer(["serve", "--db", db], { node: ["--import", preload] });
  expect(await server.stop("SIGUSR2")).toEqual({ code: EXITS.failed.code, signal: null, stderr: "" });
  expect(JSON.parse(server.lines.at(-1) ?? "")).toMatchObject({
    level: "error",
    event: "crash",
    stack: expect.stringMatching(/^Error: boom\n/),
  });
});

test("a server continues when nobody reads its log any more", async () => {
  const { db, api_key } = await makeDatabase();
  const server = await startServer(["serve", "--db", db]);
  server.child.stdout?.destroy();
  for (let i = 0; i < 3; i++) expect((await call(server, api_key, "GET", "/v1/me")).status).toBe(200);
  expect(await server.stop()).toMatchObject({ code: 0 });
});
