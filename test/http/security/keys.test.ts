/** Anything but a valid key is refused in the same way, and only its owner ever has a key in full. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { createHandler } from "lacre/http";
import { sqlite } from "lacre/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Answered, ask, bodyFor, comparable, openStreet, refusalOf, type Street } from "../../support/attack.ts";
import { OPERATIONS } from "../../support/description.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

let street: Street;

beforeEach(async () => {
  street = await openStreet();
});

afterEach(() => street.lacre.close());

const pick = (alphabet: string, length: number) =>
  Array.from(randomBytes(length), (byte) => alphabet.charAt(byte % alphabet.length)).join("");

/** A key-shaped text of random characters; its checksum is right once in 2^32. */
const keyLike = (kind = "live") => `lacre_${kind}_${pick(BASE62, 49)}`;

/** A key that does not exist, with a valid checksum; computed here, independently of our own code. */
function unknownKey(kind = "live"): string {
  const body = `lacre_${kind}_${pick(BASE62, 43)}`;
  let rest = crc32(body);
  let checksum = "";
  for (; rest > 0; rest = Math.floor(rest / 62)) checksum = BASE62.charAt(rest % 62) + checksum;
  return body + checksum.padStart(6, "0");
}

/** Sends GET /v1/me with this Authorization header, or without one. */
function me(authorization?: string, path = "/v1/me"): Promise<Answered> {
  return ask(street.handler, {
    method: "GET",
    path,
    ...(authorization !== undefined && { headers: { authorization } }),
  });
}

test("ten thousand keys that do not exist get the same 401", async () => {
  const answers = new Set<string>();
  for (let i = 0; i < 10_000; i++) {
    const key = [keyLike(), unknownKey(), keyLike("test"), pick("\x21\x23abcXYZ_-.~+/=", 1 + (i % 90))][i % 4];
    answers.add(comparable(await me(`Bearer ${key}`)));
  }
  answers.add(comparable(await me()));
  expect([...answers]).toHaveLength(1);
  const refused = await me();
  expect(refusalOf(refused)).toBe("unauthorized");
  expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  for (const [name] of refused.headers) expect(name).not.toMatch(/ratelimit/);
});

test("a key in any other form or place is refused with the same answer", async () => {
  const { lacre, own, handler } = street;
  const { api_key } = own;
  const id = (await lacre.keys.list({ company_id: own.company_id }))[0]?.id;
  const revoked = await lacre.keys.create({ company_id: own.company_id, name: "old", scopes: ["saft:read"] });
  expect((await me(`Bearer ${revoked.api_key}`)).status).toBe(200);
  await lacre.keys.revoke({ id: revoked.id });

  const swapped = api_key.replace(/[a-zA-Z](?=[^_]*$)/, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  const strangers = {
    "no header": undefined,
    "an empty header": "",
    "Bearer alone": "Bearer",
    "Bearer and a space": "Bearer ",
    "the key alone": api_key,
    "Basic with the key as user": `Basic ${Buffer.from(`${api_key}:`).toString("base64")}`,
    "Basic with the key as password": `Basic ${Buffer.from(`:${api_key}`).toString("base64")}`,
    "Basic with the bare key": `Basic ${api_key}`,
    "Token scheme": `Token ${api_key}`,
    "no space after the scheme": `Bearer${api_key}`,
    "a colon after the scheme": `Bearer: ${api_key}`,
    "upper case": `Bearer ${api_key.toUpperCase()}`,
    "lower case": `Bearer ${api_key.toLowerCase()}`,
    "one letter in the other case": `Bearer ${swapped}`,
    "a wrong last character": `Bearer ${api_key.slice(0, -1)}${api_key.endsWith("0") ? "1" : "0"}`,
    "a wrong middle character": `Bearer ${api_key.slice(0, 20)}${api_key[20] === "0" ? "1" : "0"}${api_key.slice(21)}`,
    "one character short": `Bearer ${api_key.slice(0, -1)}`,
    "one character long": `Bearer ${api_key}0`,
    "the other kind": `Bearer ${api_key.replace("_live_", "_test_")}`,
    "a space inside": `Bearer ${api_key.slice(0, 20)} ${api_key.slice(20)}`,
    "a no-break space behind": `Bearer ${api_key}\u00a0`,
    "an encoded space behind": `Bearer ${api_key}%20`,
    "an encoded NUL behind": `Bearer ${api_key}%00`,
    quotes: `Bearer "${api_key}"`,
    "a parameter behind": `Bearer ${api_key}, realm="x"`,
    "the key twice": `Bearer ${api_key}, Bearer ${api_key}`,
    "a good key after a bad one": `Bearer ${unknownKey()}, Bearer ${api_key}`,
    "the digest of a key": `Bearer ${createHash("sha256").update(api_key).digest("hex")}`,
    "the id of a key": `Bearer ${id}`,
    "a revoked key": `Bearer ${revoked.api_key}`,
    "an unknown key": `Bearer ${unknownKey()}`,
    "an unknown test key": `Bearer ${unknownKey("test")}`,
    "eight thousand characters": `Bearer ${"a".repeat(8_000)}`,
  };
  const refused = comparable(await me());
  for (const [what, authorization] of Object.entries(strangers)) {
    expect([what, comparable(await me(authorization))]).toEqual([what, refused]);
  }
  const elsewhere = ["api_key", "key", "token", "access_token", "authorization"].map(
    (name) => `/v1/me?${name}=${api_key}`,
  );
  for (const path of elsewhere) expect(comparable(await me(undefined, path))).toBe(refused);
  for (const name of ["x-api-key", "proxy-authorization", "cookie", "x-authorization"]) {
    const headers = { [name]: `Bearer ${api_key}` };
    expect(comparable(await ask(handler, { method: "GET", path: "/v1/me", headers }))).toBe(refused);
  }
  const twice = new Headers([
    ["authorization", `Bearer ${api_key}`],
    ["authorization", `Bearer ${api_key}`],
  ]);
  expect((await handler(new Request("http://lacre.test/v1/me", { headers: twice }))).status).toBe(401);
  expect((await me(`Bearer ${api_key}`)).status).toBe(200);
});

test("every operation checks the key before anything else", async () => {
  const guarded = OPERATIONS.filter(({ template }) => template.startsWith("/v1/"));
  expect(guarded.length).toBeGreaterThan(20);
  const refused = comparable(await me());
  const before = await street.rows();
  for (const { id, method, template } of guarded) {
    const path = template.replace("{id}", street.own.owned.draft);
    for (const api_key of [undefined, keyLike(), unknownKey()]) {
      const answer = await ask(street.handler, { method, path, api_key, body: bodyFor(id, street.own) });
      expect([id, comparable(answer)]).toEqual([id, refused]);
    }
  }
  expect(await street.rows()).toBe(before);
});

test("a wrong checksum costs no query; control: a right one costs one", async () => {
  const { tap } = street;
  const cost = async (key: string) => {
    const before = tap.queries.length;
    expect((await me(`Bearer ${key}`)).status).toBe(401);
    return tap.queries.length - before;
  };
  for (let i = 0; i < 100; i++) expect(await cost(keyLike())).toBe(0);
  expect(await cost(unknownKey())).toBeGreaterThan(0);
});

test("a revoked key is refused from the next request onwards", async () => {
  const { lacre, own } = street;
  const { id, api_key } = await lacre.keys.create({ company_id: own.company_id, name: "old", scopes: ["saft:read"] });
  expect((await me(`Bearer ${api_key}`)).status).toBe(200);
  await lacre.keys.revoke({ id });
  expect((await me(`Bearer ${api_key}`)).status).toBe(401);
});

test("every refused key is one log entry with the address, and no key is in any entry or answer", async () => {
  const { log, handler, own } = street;
  const keys = [keyLike(), unknownKey(), own.api_key.toLowerCase(), `${own.api_key}0`, own.api_key];
  const texts: string[] = [];
  log.length = 0;
  for (const key of keys) {
    for (const path of ["/v1/me", "/v1/customers", `/v1/me?key=${key}`, `/v1/customers/${key}`]) {
      const headers = { authorization: `Bearer ${key}`, "x-request-id": key.slice(0, 100) };
      const { status, text } = await ask(handler, { method: "GET", path, headers }, "192.0.2.99");
      texts.push(text);
      const refused = log.filter(({ event }) => event === "auth_refused");
      expect(refused).toHaveLength(status === 401 ? 1 : 0);
      for (const entry of refused) expect(entry).toMatchObject({ level: "warn", remote_address: "192.0.2.99" });
      // The client chose the request id, and gets it back: the only place where its own key may appear.
      for (const { request_id, ...entry } of log.splice(0)) texts.push(JSON.stringify(entry));
    }
  }
  for (const key of keys)
    expect(texts.filter((line) => line.toLowerCase().includes(key.slice(11, 40).toLowerCase()))).toEqual([]);
});

test("no issued secret is on disk, in the log or in an answer; control: its digest is on disk", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lacre-keys-"));
  try {
    const city = await openStreet(sqlite(join(directory, "keys.db")));
    const { lacre, own, log } = city;
    const secrets: Buffer[] = [];
    const shown: string[] = [];
    const created = [own.api_key, city.other.api_key];
    for (let i = 0; i < 20; i++) {
      created.push(
        (await lacre.keys.create({ company_id: own.company_id, name: `key ${i}`, scopes: ["customers:read"] })).api_key,
      );
    }
    const handler = createHandler(lacre);
    for (const api_key of created) {
      for (const { id, method, template } of OPERATIONS) {
        const path = template.replace("{id}", own.owned.issued);
        const answer = await ask(handler, {
          method,
          path,
          api_key,
          body: bodyFor(id, own),
          headers: { "idempotency-key": `try-${id}` },
        });
        shown.push(answer.text, JSON.stringify([...answer.headers]));
      }
    }
    const files = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
    expect(readdirSync(directory)).toContain("keys.db-wal");
    const everything = [
      ...files.map((bytes) => bytes.toString("latin1")),
      ...shown,
      ...log.map((entry) => JSON.stringify(entry)),
    ];
    for (const api_key of created) {
      const secret = api_key.slice(11, 54);
      const bytes = Buffer.from(base62Value(secret).toString(16).padStart(64, "0"), "hex");
      secrets.push(bytes);
      const forms = [
        secret,
        bytes.toString("latin1"),
        bytes.toString("hex"),
        bytes.toString("base64").slice(0, 40),
        Buffer.from(api_key).toString("base64").slice(0, 60),
        Buffer.from(api_key).toString("hex"),
      ];
      for (const form of forms) expect(everything.filter((text) => text.includes(form))).toEqual([]);
      const digest = createHash("sha256").update(api_key).digest("hex");
      expect(everything.some((text) => text.includes(digest))).toBe(true);
    }
    await lacre.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("creating a key with an Idempotency-Key stores no secret either, or is refused", async () => {
  const { lacre, own } = street;
  const input = { company_id: own.company_id, name: "web", scopes: ["customers:read" as const] };
  const made = await lacre.keys.create(input, { idempotency_key: "make-key-1" }).catch((error: unknown) => error);
  if (made instanceof Error) expect(made).toMatchObject({ name: "LacreError", code: "invalid_request" });
  else {
    const secret = (made as { api_key: string }).api_key.slice(11, 54);
    const tables = (await street.rows()).split("\n").filter((row) => row.includes(secret));
    expect(tables.map((row) => row.split(" ")[0])).toEqual([]);
  }
});

function base62Value(text: string): bigint {
  return [...text].reduce((value, digit) => value * 62n + BigInt(BASE62.indexOf(digit)), 0n);
}
