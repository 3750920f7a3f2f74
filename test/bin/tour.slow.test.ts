/** Every command that the help of the executable names, run once with what it is for; and every flag, by some test. */
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aPrivateKey } from "../support/keys.ts";
import { until } from "../support/until.ts";
import {
  call,
  type Ended,
  invoice,
  keyOfDemo,
  lacre,
  lacreJson,
  type Made,
  makeCustomer,
  startServer,
  temporaryDirectory,
} from "./program.ts";

/** What the tour has made so far. */
interface Tour extends Made {
  /** Names its database. */
  readonly at: readonly string[];
  /** Names another database, whose key is in a file. */
  readonly withKey: readonly string[];
  readonly file: (name: string) => string;
  number: string;
  key: string;
}

const YEAR = new Date().getFullYear();
const LOGIN = "rosa@example.pt";
const NAMES = ["--name", "Padaria Central, Lda.", "--tax-id", "500000000"];

type Json = Record<string, unknown>;

const DETAILS = [
  ...["--country", "PT", "--default-exemption-code", "M07", "--simplified-limit", "100", "--footer-text", "Obrigado"],
  ...["--logo", "docs/pictures/phone.png", "--iban", "PT50 0002 0123 1234 5678 9015 4", "--accent-color", "#0B5D3B"],
  ...["--prices-with-vat", "--language", "en", "--due-days", "30"],
];
const DETAILED = {
  ...{ country: "PT", default_exemption_code: "M07", simplified_limit: 100, footer_text: "Obrigado" },
  ...{ iban: "PT50000201231234567890154", accent_color: "#0b5d3b" },
  ...{ prices_with_vat: true, language: "en", due_days: 30 },
};
const URL_OF = "https://padaria.example";

/** The secret of a link that leads to `URL_OF`. */
function linkIn({ stdout }: Ended): string {
  const [, token] = /https:\/\/padaria\.example\/area\/\w+#([\w-]{43})\b/.exec(stdout) ?? [];
  if (token === undefined) throw new Error(`There is no link in: ${stdout}`);
  return token;
}

/** The status of a wrong login by plain HTTP under the name of another machine. */
async function loginAcross(url: string): Promise<number | undefined> {
  const headers = { host: "192.0.2.7", "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const sent = request(`${url}/area/v1/session`, { method: "POST", headers });
  sent.end(JSON.stringify({ login: "nobody@example.pt", password: "nothing of the kind" }));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return answer.resume().statusCode;
}

/** The status of a request that asks for a host. */
async function statusAt(url: string, host: string): Promise<number | undefined> {
  const [answer] = (await once(request(`${url}/healthz`, { headers: { host } }).end(), "response")) as [
    IncomingMessage,
  ];
  return answer.resume().statusCode;
}

/** Each command, in an order in which each finds what it needs. */
const STOPS: Readonly<Record<string, (tour: Tour) => Promise<void>>> = {
  version: async () => expect(await lacreJson("version")).toEqual({ version: expect.stringMatching(/^\d+\.\d+/) }),
  async demo() {
    const named = ["--public-url", URL_OF, "--allowed-host", "till.example"];
    const demo = await startServer(["demo", "--host", "127.0.0.2", ...named]);
    expect(demo.url).toContain("127.0.0.2");
    await until(() => demo.lines.some((line) => line.startsWith(`${URL_OF}/area/setup#`)));
    expect((await call(demo, "", "GET", "/healthz")).status).toBe(200);
    expect(await statusAt(demo.url, "till.example")).toBe(200);
    expect(await statusAt(demo.url, "evil.example")).toBe(403);
    expect((await demo.stop("SIGINT")).code).toBe(0);
  },
  async openapi({ file }) {
    writeFileSync(file("openapi.json"), "{}");
    expect((await lacre(["openapi", "--out", file("openapi.json"), "--overwrite"])).code).toBe(0);
    expect(JSON.parse(readFileSync(file("openapi.json"), "utf8"))).toMatchObject({ openapi: "3.1.0" });
  },
  async init(tour) {
    const { file, at } = tour;
    writeFileSync(file("key.pem"), aPrivateKey());
    const elsewhere = await lacreJson("init", ...NAMES, ...DETAILS, ...tour.withKey);
    expect(elsewhere.company).toMatchObject(DETAILED);
    Object.assign(tour, await lacreJson("init", ...NAMES, ...at));
  },
  async "signer rotate"({ at }) {
    expect(await lacreJson("signer", "rotate", ...at)).toMatchObject({ key_version: 2 });
  },
  async "signer import"({ at, file }) {
    const imported = await lacreJson("signer", "import", file("key.pem"), "--key-version", "7", ...at);
    expect(imported).toMatchObject({ key_version: 7 });
  },
  async "signer set"({ at }) {
    const set = ["--producer-name", "Oficina", "--producer-tax-id", "509442013"];
    expect(await lacreJson("signer", "set", ...set, ...at)).toMatchObject({ producer: { name: "Oficina" } });
  },
  async "signer show"({ at }) {
    expect(await lacreJson("signer", "show", ...at)).toMatchObject({ key_version: 7, producer: { name: "Oficina" } });
  },
  async "company set"({ at }) {
    expect(await lacreJson("company", "set", "--city", "Braga", ...DETAILS, ...at)).toMatchObject(DETAILED);
  },
  async "company show"({ at, company }) {
    expect(await lacreJson("company", "show", ...at)).toMatchObject({ id: company.id, city: "Braga" });
  },
  async "key create"(tour) {
    const { id, api_key } = await lacreJson("key", "create", "--name", "till", "--scope", "all", ...tour.at);
    Object.assign(tour, { key: id, api_key });
  },
  async "user invite"({ at }) {
    const token = linkIn(
      await lacre(["user", "invite", "--role", "accountant", "--login", LOGIN, "--public-url", URL_OF, ...at]),
    );
    const server = await startServer(["serve", ...at]);
    const answer = await fetch(`${server.url}/area/v1/invitations/accept`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ token, name: "Rosa", password: "pão quente às sete" }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([201, {}]);
    await server.stop();
  },
  async "user disable"({ at }) {
    expect(await lacreJson("user", "disable", LOGIN, ...at)).toMatchObject({ disabled_at: expect.any(String) });
  },
  async "user reset"({ at }) {
    linkIn(await lacre(["user", "reset", LOGIN, "--public-url", URL_OF, ...at]));
  },
  async "user list"({ at }) {
    expect(await lacreJson("user", "list", ...at)).toMatchObject([{ login: LOGIN }]);
  },
  async "series create"({ at }) {
    const opened = await lacreJson("series", "create", "--doc-type", "FT", "--code", "LOJA", ...at);
    expect(opened).toMatchObject({ code: "LOJA", status: "active" });
  },
  async "series register"({ at }) {
    const registered = await lacreJson("series", "register", "FT LOJA", "CSDF7T5H", ...at);
    expect(registered).toMatchObject({ validation_code: "CSDF7T5H" });
  },
  async "series open"({ at }) {
    await lacreJson("series", "open", "--year", String(YEAR + 1), ...at);
  },
  async "series close"({ at }) {
    expect(await lacreJson("series", "close", "FT LOJA", "--yes", ...at)).toMatchObject({ status: "closed" });
  },
  async "series list"({ at }) {
    const listed = await lacreJson<Json[]>("series", "list", ...at);
    expect(listed).toContainEqual(expect.objectContaining({ code: "LOJA", status: "closed" }));
    expect(listed).toContainEqual(expect.objectContaining({ code: `${YEAR + 1}A`, doc_type: "FT" }));
  },
  async serve(tour) {
    const server = await startServer(["serve", "--host", "127.0.0.2", ...tour.at]);
    expect([server.url, await loginAcross(server.url)]).toEqual([expect.stringContaining("127.0.0.2"), 403]);
    const order = invoice(tour, await makeCustomer(server, tour));
    const { status, body } = await call(server, tour.api_key, "POST", "/v1/documents", order);
    expect([status, body.status]).toEqual([201, "issued"]);
    tour.number = String(body.number);
    expect((await server.stop()).code).toBe(0);
    const open = await startServer(["serve", "--plain-http-lan", ...tour.at]);
    expect(await loginAcross(open.url)).toBe(401);
    await open.stop();
  },
  async "key revoke"({ at, key }) {
    expect(await lacreJson("key", "revoke", key, ...at)).toMatchObject({ revoked_at: expect.any(String) });
  },
  async "key list"({ at, key }) {
    const listed = await lacreJson<Json[]>("key", "list", ...at);
    expect(listed.find(({ id }) => id === key)).toMatchObject({ name: "till", revoked_at: expect.any(String) });
  },
  async pdf({ at, number, file }) {
    await lacreJson("pdf", number, "--out", file("invoice.pdf"), ...at);
    expect(readFileSync(file("invoice.pdf"), "latin1")).toMatch(/^%PDF-/);
  },
  async saft({ at, file }) {
    const exported = await lacreJson("saft", "--year", String(YEAR), "--out", file("saft.xml"), ...at);
    expect(exported).toMatchObject({ file: file("saft.xml"), customers: 1 });
  },
  async verify({ at, file }) {
    expect(await lacreJson("verify", ...at)).toMatchObject({ whole: true, documents: 1 });
    expect(await lacreJson("verify", "--saft", file("saft.xml"))).toMatchObject({ accepted: true, documents: 1 });
  },
  async "company create"({ withKey }) {
    const other = ["--name", "Talho Novo", "--tax-id", "509442013"];
    expect(await lacreJson("company", "create", ...other, ...DETAILS, ...withKey)).toMatchObject(DETAILED);
  },
  async "import-saft"({ file, company, at }) {
    const there = ["--company", company.id, ...at];
    expect(await lacreJson("import-saft", file("saft.xml"), "--dry-run", ...there)).toMatchObject({});
    expect((await lacre(["import-saft", file("saft.xml"), ...there])).code).toBe(0);
  },
  async "clock confirm"({ at, company }) {
    const confirmed = await lacreJson("clock", "confirm", "--company", company.id, ...at);
    expect(confirmed).toMatchObject({ latest_issued_at: expect.any(String) });
  },
  async "mail test"() {
    const there = ["--smtp", "smtp://127.0.0.1:1", "--smtp-from", "faturas@example.com", "--smtp-plain"];
    expect((await lacre(["mail", "test", "ana@example.com", ...there])).code).toBe(3);
  },
  async trigger({ file }) {
    const demo = await startServer(["demo", "--json"]);
    writeFileSync(file("key"), await keyOfDemo(demo));
    const there = ["--url", demo.url, "--key-file", file("key")];
    const made = await lacreJson("trigger", "document.issued", ...there);
    expect(made).toMatchObject({ event: "document.issued", number: `FT ${YEAR}A/2` });
    await demo.stop();
  },
  async listen({ file }) {
    const there = ["--to", "http://127.0.0.1:9/", "--url", "http://127.0.0.1:9/", "--key-file", file("key")];
    const refused = await lacre(["listen", ...there]); // listen.slow.test.ts has it at work
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Nothing answers at http://127.0.0.1:9"),
    });
  },
  async backup({ at, file }) {
    expect(await lacreJson("backup", file("monday.db"), ...at)).toMatchObject({ documents: 1 });
  },
  async heads({ at, file }) {
    mkdirSync(file("notes"));
    expect(await lacreJson("heads", "--to", file("notes"), ...at)).toMatchObject({
      elsewhere: expect.stringContaining(file("notes")),
    });
    expect(await lacreJson("heads", "--stop", ...at)).toMatchObject({ elsewhere: null });
  },
  async status({ at, file, withKey: [, key = "", , , , db = ""] }) {
    expect(await lacreJson("status", "--signing-key", key, "--db", db)).toMatchObject({ signing_key: { file: key } });
    expect(await lacreJson("status", ...at)).toMatchObject({ last_backup: { file: file("monday.db") } });
  },
  async restore({ at, file }) {
    expect(await lacreJson("restore", file("monday.db"), ...at)).toMatchObject({ documents: 1, restores: 1 });
    const settled = await lacreJson("restore", "--confirm-head", "FT NADA/1", "--lost", ...at);
    expect(settled.confirmed).toMatchObject([{ number: "FT NADA/1", outcome: "closed" }]);
  },
  async archive({ at, file }) {
    expect(await lacreJson("archive", file("shop.lacre"), ...at)).toMatchObject({ documents: 1, whole: true });
  },
  async unarchive({ file }) {
    const moved = await lacreJson("unarchive", file("shop.lacre"), "--db", file("moved.db"));
    expect(moved).toMatchObject({ documents: 1 });
  },
};

/** What `lacre --help` of the executable names. */
async function commandsInHelp(): Promise<string[]> {
  const { stdout } = await lacre(["--help"]);
  return Array.from(stdout.matchAll(/^ {2}lacre ([a-z-]+(?: [a-z]+)?)(?=\s)/gm), ([, name]) => name as string);
}

test("every command of the help does its job", async () => {
  const directory = temporaryDirectory();
  const file = (name: string) => join(directory, name);
  const db = file("lacre.db");
  const withKey = ["--signing-key", file("key.pem"), "--signing-key-version", "3", "--db", file("kept.db")];
  const tour = { directory, db, at: ["--db", db], withKey, file } as unknown as Tour;
  expect(Object.keys(STOPS).sort()).toEqual((await commandsInHelp()).sort());
  const failed: string[] = [];
  for (const [name, stop] of Object.entries(STOPS)) {
    await stop(tour).catch((error: unknown) => failed.push(`lacre ${name}: ${error}`));
  }
  expect(failed).toEqual([]);
});

describe("every flag of the help is given by a test that runs its command", async () => {
  const texts = readdirSync("test/bin")
    .filter((name) => name.endsWith(".slow.test.ts"))
    .map((name) => readFileSync(join("test/bin", name), "utf8"));
  const isGiven = (command: string, flag: string) => {
    const words = command.split(" ").map((word) => `"${word}"`);
    return texts.some(
      (text) => text.includes(words.join(", ")) && new RegExp(`"${flag}[" =]|"--no-${flag.slice(2)}"`).test(text),
    );
  };

  test.each(Object.keys(STOPS))("%s", async (command) => {
    const { stdout } = await lacre([...command.split(" "), "--help"]);
    const flags = Array.from(stdout.matchAll(/^ {2}(--[a-z-]+)/gm), ([, flag]) => flag as string);
    expect(flags).toContain("--help");
    // What all commands share is said once, for all of them.
    const shared = ["--help", "--json", "--lang", "--db"];
    expect(flags.filter((flag) => !shared.includes(flag) && !isGiven(command, flag))).toEqual([]);
    for (const flag of shared)
      expect(
        texts.some((text) => text.includes(`"${flag}"`)),
        flag,
      ).toBe(true);
  });

  test("control: a flag that no test uses is found", () => {
    expect(isGiven("serve", ["--no", "where"].join(""))).toBe(false);
  });
});
