/**
 * Keys under attack: guessing one tells nothing, and only its owner ever has a key in full. Who is let in is tested in
 * test/http/contract/keys.test.ts.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHandler } from "lacre/http";
import { sqlite } from "lacre/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keyLike, randomText, secretBytesOf, unknownKey } from "../../support/api-keys.ts";
import { type Answered, ask, bodyFor, comparable, openStreet, refusalOf, type Street } from "../../support/attack.ts";
import { OPERATIONS } from "../../support/description.ts";

let street: Street;

beforeEach(async () => {
  street = await openStreet();
});

afterEach(() => street.lacre.close());

/** Sends GET /v1/me with this Authorization header, or without one. */
function me(authorization?: string): Promise<Answered> {
  return ask(street.handler, {
    method: "GET",
    path: "/v1/me",
    ...(authorization !== undefined && { headers: { authorization } }),
  });
}

test("ten thousand keys that do not exist get the same 401", async () => {
  const answers = new Set<string>();
  for (let i = 0; i < 10_000; i++) {
    const key = [keyLike(), unknownKey(), keyLike("test"), randomText(1 + (i % 90), "\x21\x23abcXYZ_-.~+/=")][i % 4];
    answers.add(comparable(await me(`Bearer ${key}`)));
  }
  answers.add(comparable(await me()));
  expect([...answers]).toHaveLength(1);
  const refused = await me();
  expect(refusalOf(refused)).toBe("unauthorized");
  expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  for (const [name] of refused.headers) expect(name).not.toMatch(/ratelimit/);
});

test("every operation checks the key before anything else", async () => {
  const guarded = OPERATIONS.filter(({ template }) => template.startsWith("/v1/"));
  expect(guarded.length).toBeGreaterThan(20);
  const refused = comparable(await me());
  const before = await street.rows();
  for (const { id, method, template } of guarded) {
    const path = template.replace("{id}", street.own.owned.draft);
    for (const api_key of [keyLike(), unknownKey()]) {
      const answer = await ask(street.handler, { method, path, api_key, body: bodyFor(id, street.own) });
      expect([id, comparable(answer)]).toEqual([id, refused]);
    }
  }
  expect(await street.rows()).toBe(before);
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

test("no issued secret is on disk, in an event, in the log or in an answer; control: its digest is on disk", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lacre-keys-"));
  try {
    const city = await openStreet(sqlite(join(directory, "keys.db")));
    const { lacre, own, log } = city;
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
    shown.push(JSON.stringify(await lacre.as(own.company_id).events.list({ limit: 200 })));
    const stored = () => readdirSync(directory).map((name) => readFileSync(join(directory, name)).toString("latin1"));
    expect(readdirSync(directory)).toContain("keys.db-wal");
    const whileOpen = stored();
    await lacre.close();
    const everything = [...whileOpen, ...stored(), ...shown, ...log.map((entry) => JSON.stringify(entry))];
    for (const api_key of created) {
      const bytes = secretBytesOf(api_key);
      const forms = [
        ...[api_key.slice(11, 54), api_key.slice(11, 25), api_key.slice(40, 54)],
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
