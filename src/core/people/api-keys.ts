/**
 * ApiKey: an actor with a secret. Only the secret's hash is stored; the key itself is shown once, when it is created.
 */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { Id, Instant, PathId, says, text } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { type KeyCaller, PERMISSIONS, type Permission } from "../runtime/permissions.ts";
import type { KeyKind } from "../runtime/ports.ts";
import type { WriteScope } from "../runtime/scope.ts";
import { createActor } from "./actors.ts";
import { t } from "./refusals.ts";

const KEY_KINDS = ["live", "test"] as const satisfies KeyKind[];

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/** The shape of a key, for secret scanners: prefix, 43 base62 characters of secret, 6 of CRC32. */
export const KEY_PATTERN = /^lacre_(?:live|test)_[0-9A-Za-z]{49}$/;

const keyFields = {
  id: Id,
  name: text(200),
  scopes: z.array(z.enum(PERMISSIONS)),
  last_four: z.string().describe("The last four characters of the key, to tell keys apart."),
  created_at: Instant,
  revoked_at: Instant.nullable(),
};

export const ApiKey = z
  .strictObject(keyFields)
  .meta({ id: "ApiKey", description: "An API key as it is listed: never its value." });
export type ApiKey = z.infer<typeof ApiKey>;

/** A key to create in the company of the call. */
export const NewOwnApiKey = z.strictObject({
  name: text(200),
  scopes: z
    .array(z.enum(PERMISSIONS))
    .max(PERMISSIONS.length)
    .refine(({ length }) => length > 0, says(t.must_name_a_scope)),
  kind: z.enum(KEY_KINDS).optional(),
});

export const NewApiKey = NewOwnApiKey.extend({ company_id: Id }).describe("An API key to create.");
export type NewApiKey = z.input<typeof NewApiKey>;

export const CreatedApiKey = z
  .strictObject({ ...keyFields, api_key: z.string() })
  .describe("An API key right after it was created: the only time `api_key` can be read.");
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const createApiKey = command(
  {
    id: "createApiKey",
    summary: "Create an API key; its value is shown this once",
    needs: "operator",
    input: NewApiKey,
    output: CreatedApiKey,
    fails: ["not_found"],
  },
  async (scope, { company_id, ...input }) => {
    const inside = { ...scope, company_id };
    await mustFindCompany(inside);
    return makeKey(inside, input);
  },
);

export const createOwnApiKey = command(
  {
    id: "createOwnApiKey",
    summary: "Create an API key of the company; its value is shown this once",
    needs: "keys:manage",
    confirmed: true,
    unkeyed: true,
    input: NewOwnApiKey,
    output: CreatedApiKey,
    fails: ["password_required"],
  },
  makeKey,
);

/** Makes a key of the call's company. */
async function makeKey(
  inside: WriteScope,
  { name, scopes, kind = inside.keyKind }: z.output<typeof NewOwnApiKey>,
): Promise<z.infer<typeof CreatedApiKey>> {
  const api_key = keyFrom(kind, inside.newSecret());
  const actor = await createActor(inside, "key", name);
  const key: Row<"api_keys"> = {
    id: actor.id,
    scopes: PERMISSIONS.filter((permission) => scopes.includes(permission)).join(" "),
    digest: digestOf(api_key),
    last_four: api_key.slice(-4),
    revoked_at: null,
  };
  await inside.db.insertInto("api_keys").values(key).execute();
  await recordEvent(inside, "key.created", key.id, { name, scopes: key.scopes });
  return { ...toApiKey({ ...actor, ...key }), api_key };
}

export const listApiKeys = query(
  {
    id: "listApiKeys",
    summary: "List a company's keys, newest first, revoked ones included",
    needs: "operator",
    input: z.strictObject({ company_id: Id }),
    output: z.array(ApiKey),
    fails: [],
  },
  ({ db }, { company_id }) => keysOf(db, company_id),
);

export const listOwnApiKeys = query(
  {
    id: "listOwnApiKeys",
    summary: "List the company's keys, newest first, revoked ones included",
    needs: "keys:manage",
    input: z.strictObject({}),
    output: z.strictObject({ data: z.array(ApiKey) }),
    fails: [],
  },
  async ({ db, company_id }) => ({ data: await keysOf(db, company_id) }),
);

async function keysOf(db: Reader, company_id: string): Promise<ApiKey[]> {
  const rows = await keys(db).where("company_id", "=", company_id).orderBy("api_keys.id", "desc").execute();
  return rows.map(toApiKey);
}

export const revokeApiKey = command(
  {
    id: "revokeApiKey",
    summary: "Revoke a key; it is refused from the next request on",
    needs: "operator",
    input: z.strictObject({ id: PathId }),
    output: ApiKey,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id }) => {
    const key = await keys(scope.db).where("api_keys.id", "=", id).executeTakeFirst();
    if (key?.company_id == null) return refuse("not_found", t.no_such_api_key);
    return revoke({ ...scope, company_id: key.company_id }, key);
  },
);

export const revokeOwnApiKey = command(
  {
    id: "revokeOwnApiKey",
    summary: "Revoke a key of the company; it is refused from the next request on",
    needs: "keys:manage",
    confirmed: true,
    input: z.strictObject({ id: PathId }),
    output: ApiKey,
    fails: ["not_found", "invalid_state", "password_required"],
  },
  async (scope, { id }) => {
    const own = keys(scope.db).where("api_keys.id", "=", id).where("company_id", "=", scope.company_id);
    return revoke(scope, (await own.executeTakeFirst()) ?? refuse("not_found", t.no_such_api_key));
  },
);

async function revoke(inside: WriteScope, key: KeyRow): Promise<ApiKey> {
  if (key.revoked_at !== null) refuse("invalid_state", t.key_already_revoked);
  const revoked_at = inside.now.toISOString();
  await inside.db.updateTable("api_keys").set({ revoked_at }).where("id", "=", key.id).execute();
  await recordEvent(inside, "key.revoked", key.id);
  return toApiKey({ ...key, revoked_at });
}

type KeyRow = Row<"api_keys"> & Row<"actors">;

/** Keys, each with its actor. */
function keys(db: Reader) {
  return db.selectFrom("api_keys").innerJoin("actors", "actors.id", "api_keys.id").selectAll();
}

/**
 * The caller behind a key. Refuses with `unauthorized`, always the same message, when the key is malformed,
 * unknown or revoked; a wrong checksum is refused without touching the database.
 */
export async function authenticate(db: Reader, api_key: string): Promise<KeyCaller> {
  if (!hasRightChecksum(api_key)) return refuse("unauthorized");
  // The look-up compares digests only: an attacker who could choose a digest could invert SHA-256.
  const [row] = await keyByDigest(db, { digest: digestOf(api_key) });
  if (!row || row.revoked_at !== null) return refuse("unauthorized");
  const { company_id, scopes, id, kind, code, name } = row;
  return {
    company_id: company_id as string,
    actor: { id, kind, code, name },
    scopes: scopes.split(" ") as Permission[],
  };
}

const keyByDigest = preparedSelect((db, { digest }: { digest: string }) =>
  db
    .selectFrom("api_keys")
    .innerJoin("actors", "actors.id", "api_keys.id")
    .select(["actors.id", "company_id", "kind", "code", "name", "scopes", "revoked_at"])
    .where("digest", "=", digest),
);

/**
 * Formats a key: prefix, secret, checksum. It has only letters, digits and _, so that a double click selects all of it.
 */
export function keyFrom(kind: KeyKind, secret: Buffer): string {
  const body = `lacre_${kind}_${base62(BigInt(`0x${secret.toString("hex")}`), SECRET_LENGTH)}`;
  return body + base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function hasRightChecksum(api_key: string): boolean {
  if (!KEY_PATTERN.test(api_key)) return false;
  return fromBase62(api_key.slice(-CHECKSUM_LENGTH)) === crc32(api_key.slice(0, -CHECKSUM_LENGTH));
}

function fromBase62(digits: string): number {
  let value = 0;
  for (const digit of digits) value = value * 62 + BASE62.indexOf(digit);
  return value;
}

/** SHA-256 suffices, as a key carries 256 random bits: a slow hash protects only what can be guessed. */
function digestOf(api_key: string): string {
  return hash("sha256", api_key, "hex");
}

function base62(value: bigint, length: number): string {
  let digits = "";
  for (let rest = value; rest > 0n; rest /= 62n) digits = BASE62.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(length, "0");
}

function toApiKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes.split(" ") as Permission[],
    last_four: row.last_four,
    created_at: row.created_at,
    revoked_at: row.revoked_at,
  };
}
