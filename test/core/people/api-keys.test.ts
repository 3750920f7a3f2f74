/**
 * API keys: made, recognised and revoked. Who is let in over HTTP is tested in test/http/contract/keys.test.ts; where a
 * secret could leak, in test/http/security/keys.slow.test.ts.
 */
import { createHash } from "node:crypto";
import { KEY_PATTERN, PERMISSIONS } from "lacre";
import { TEST_API_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { COMPANY_OPERATIONS, INSTALLATION_OPERATIONS } from "../../../src/core/operations.ts";
import { createCustomer, listCustomers } from "../../../src/core/records/customers.ts";
import { type AnyPermission, type Needs, scopeOf } from "../../../src/core/runtime/permissions.ts";
import { randomSecret } from "../../../src/core/runtime/ports.ts";
import { checksumOf, unknownKey } from "../../support/api-keys.ts";
import { DATABASES, isPostgres } from "../../support/databases.ts";
import { type Driver, NOW, UNKNOWN_ID } from "../../support/drivers.ts";
import { faultyDialect } from "../../support/faulty.ts";
import { anInstance } from "../../support/instance.ts";
import { expectRefusal, refusalOf } from "../../support/refusals.ts";

/** What every key may do. */
const FOR_ALL: readonly Needs[] = ["any_key", "visitor"];

/** A key with a valid checksum that does not exist. */
const FORGED = unknownKey();

describe.each(DATABASES)("API keys over $name", (driver) => {
  const keyed = async (options: object = {}) => {
    const instance = await anInstance(driver, { newSecret: randomSecret, ...options });
    const create = (fields: object = {}) =>
      instance.lacre.keys.create({
        company_id: instance.company_id,
        name: "loja",
        scopes: ["customers:read"],
        ...fields,
      } as never);
    return { ...instance, create };
  };

  test("a new key has the published form and gives access to its company with its scopes, in their fixed order", async () => {
    const { lacre, company_id, create } = await keyed();
    const scopes = ["payments:write", "customers:read", "customers:read"];
    const created = await create({ scopes });
    const { api_key, ...shown } = created;
    expect(api_key).toMatch(KEY_PATTERN);
    expect(api_key).toMatch(/^lacre_live_[0-9A-Za-z]{49}$/);
    expect(api_key.slice(-6)).toBe(checksumOf(api_key.slice(0, -6)));
    expect(shown).toEqual({
      id: expect.any(String),
      name: "loja",
      scopes: ["customers:read", "payments:write"],
      last_four: api_key.slice(-4),
      created_at: NOW,
      revoked_at: null,
    });
    expect(await lacre.authenticate(api_key)).toEqual({
      company_id,
      actor: { id: created.id, kind: "key", code: "K2", name: shown.name },
      scopes: shown.scopes,
    });
    expect((await create({ kind: "test" })).api_key).toMatch(/^lacre_test_/);
    expect((await lacre.keys.list({ company_id }))[1]).toEqual(shown);
  });

  test("a key made without a kind is of the installation's: a test key where all is thrown away", async () => {
    const { create } = await keyed({ keyKind: "test" });
    expect((await create({})).api_key).toMatch(/^lacre_test_/);
    expect((await create({ kind: "live" })).api_key).toMatch(/^lacre_live_/);
  });

  test("the key of every test instance is fixed", async () => {
    const { api_key, lacre, company_id } = await anInstance(driver);
    expect(api_key).toBe(TEST_API_KEY);
    expect(TEST_API_KEY).toMatch(/^lacre_test_0{43}[0-9A-Za-z]{6}$/);
    expect(await lacre.authenticate(TEST_API_KEY)).toMatchObject({ company_id, scopes: PERMISSIONS });
  });

  test("a revoked key is refused from then on; the others still work", async () => {
    const { lacre, company_id, create } = await keyed();
    const [one, two] = [await create(), await create()];
    expect(await lacre.keys.revoke({ id: one.id })).toMatchObject({ id: one.id, revoked_at: NOW });
    await expectRefusal(lacre.authenticate(one.api_key), "unauthorized");
    expect((await lacre.authenticate(two.api_key)).actor.id).toBe(two.id);
    await expectRefusal(lacre.keys.revoke({ id: one.id }), "invalid_state");
    await expectRefusal(lacre.keys.revoke({ id: UNKNOWN_ID }), "not_found");
    const listed = await lacre.keys.list({ company_id });
    expect(listed.map(({ id }) => id).slice(0, 2)).toEqual([two.id, one.id]);
    expect(JSON.stringify(listed)).not.toContain(one.api_key.slice(11, 40));
  });

  test("every invalid key is refused with the same message", async () => {
    const { lacre, create } = await keyed();
    const { api_key, id } = await create();
    const revoked = await create();
    await lacre.keys.revoke({ id: revoked.id });
    const wrong = [
      "",
      "lacre_live_",
      "x",
      ` ${api_key}`,
      `${api_key} `,
      `${api_key}\n`,
      `${api_key}0`,
      api_key.slice(0, -1),
      api_key.slice(0, -1) + (api_key.endsWith("0") ? "1" : "0"),
      api_key.toLowerCase() === api_key ? api_key.toUpperCase() : api_key.toLowerCase(),
      api_key.replace("live", "test"),
      FORGED,
      revoked.api_key,
      id,
      createHash("sha256").update(api_key).digest("hex"),
      `${api_key.slice(0, 20)}${api_key[20] === "0" ? "1" : "0"}${api_key.slice(21)}`,
      api_key.replace(/[a-z](?=[^_]*$)/, (letter) => letter.toUpperCase()),
      "lacre_live_".padEnd(1_000_000, "A"),
      "🔑".repeat(60),
    ];
    const refusals = await Promise.all(wrong.map((given) => refusalOf(lacre.authenticate(given))));
    const alike = refusals.map(({ code, message, retry_after_s }) => [code, message, retry_after_s]);
    expect(new Set(alike.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(refusals[0]).toMatchObject({ code: "unauthorized" });
    expect(await lacre.authenticate(api_key)).toMatchObject({ actor: { id } });
  });

  test.skipIf(isPostgres(driver))("a wrong checksum is refused without a query; a right one is looked up", async () => {
    let statements = 0;
    const dialect = faultyDialect(driver as Driver, ":memory:", { before: () => void statements++ });
    const { lacre } = await anInstance(driver, { dialect });
    statements = 0;
    for (let i = 0; i < 1_000; i++) {
      const body = `lacre_live_${randomSecret().toString("hex").slice(0, 43)}`;
      const right = checksumOf(body);
      const checksum = right.slice(0, 5) + (right.endsWith("z") ? "y" : "z");
      await expectRefusal(lacre.authenticate(body + checksum), "unauthorized");
    }
    expect(statements).toBe(0);
    await expectRefusal(lacre.authenticate(FORGED), "unauthorized");
    expect(statements).toBe(1);
  });

  test("1,000 keys are all different and all valid", async () => {
    const { lacre, create } = await keyed();
    const keys = new Set<string>();
    for (let i = 0; i < 1_000; i++) keys.add((await create()).api_key);
    expect(keys.size).toBe(1_000);
    for (const key of keys) {
      expect(key).toMatch(KEY_PATTERN);
      expect(key.slice(-6)).toBe(checksumOf(key.slice(0, -6)));
    }
    const [some] = keys;
    expect((await lacre.authenticate(some ?? "")).scopes).toEqual(["customers:read"]);
  });

  test.each<[string, object, string]>([
    ["no scope", { scopes: [] }, "scopes: must name at least one scope"],
    ["an unknown scope", { scopes: ["customers:read", "admin"] }, "scopes[1]: must be one of customers:read"],
    ["no name", { name: "" }, "name: must not be empty"],
    ["a secret of one's own", { api_key: FORGED }, "api_key: is not a known field"],
  ])("%s is refused", async (_, fields, message) => {
    const { create } = await keyed();
    await expectRefusal(create(fields), "invalid_request", message);
    await expectRefusal(create({ company_id: UNKNOWN_ID }), "not_found");
  });

  test("the host program has every permission, a key only its own", async () => {
    const { lacre, company, create } = await keyed();
    await company.customers.create({ name: "Ana" });
    const caller = await lacre.authenticate((await create()).api_key);
    expect((await lacre.run(caller, listCustomers, {})).value.pagination.total).toBe(1);
    await expectRefusal(lacre.run(caller, createCustomer, { name: "Rui" }), "forbidden", "customers:write");
    await expectRefusal(lacre.run(caller, createCustomer, { name: 7 }), "forbidden");
  });

  test("each operation requires exactly the scope it names", async () => {
    const { lacre, company_id } = await keyed();
    const operations = Object.values(COMPANY_OPERATIONS).flatMap((group) => Object.values(group));
    for (const operation of operations) {
      for (const scope of PERMISSIONS) {
        const caller = {
          company_id,
          actor: { id: UNKNOWN_ID, kind: "key", code: "K9", name: "x" } as const,
          scopes: [scope],
        };
        const call = lacre.run(caller, operation as typeof createCustomer, { nonsense: true });
        const needs = [operation.needs, ...(operation.alsoNeeds?.({ nonsense: true }) ?? [])];
        const allowed = needs.every((one) => FOR_ALL.includes(one) || scopeOf(one as AnyPermission) === scope);
        await expectRefusal(call, allowed ? "invalid_request" : "forbidden");
      }
    }
    const all = {
      company_id,
      actor: { id: UNKNOWN_ID, kind: "key", code: "K9", name: "x" } as const,
      scopes: PERMISSIONS,
    };
    for (const operation of Object.values(INSTALLATION_OPERATIONS).flatMap((group) => Object.values(group))) {
      await expectRefusal(lacre.run(all, operation as never, {}), "forbidden", "host program");
    }
  });
});
