/**
 * The keys documents are signed with. Every version's public half stays in the database, so a document verifies
 * long after its key was replaced; the private half is here only when the installation made the key itself.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import type { Kysely } from "kysely";
import type { Tables } from "./database/tables.ts";
import type { Signer } from "./ports.ts";

export interface SigningKeysTable {
  key_version: number;
  public_key: string;
  private_key: string | null;
  created_at: string;
}

/** RSA modulus length that AT's rules fix for the signature (Despacho 8632/2014, 4.1). */
const KEY_BITS = 1024;

/** A signer over a private key as PEM (PKCS#1 or PKCS#8). Throws when the key is not RSA of 1024 bits. */
export function pemSigner(private_key: string, key_version: number): Signer {
  const key = createPrivateKey(private_key);
  if (key.asymmetricKeyType !== "rsa" || key.asymmetricKeyDetails?.modulusLength !== KEY_BITS) {
    throw new TypeError(`The signing key must be RSA of ${KEY_BITS} bits.`);
  }
  const public_key = createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
  return {
    key_version,
    public_key,
    sign: (text) => sign("RSA-SHA1", Buffer.from(text, "utf8"), key).toString("base64"),
  };
}

/** A new key pair of the kind documents are signed with; the private half as PEM. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: KEY_BITS });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/**
 * The signer of this installation. An embedder's signer is taken as it is and its public half is noted; otherwise
 * the newest own key is used, and made when there is none yet. Runs inside the calling transaction.
 */
export async function takeSigner(
  db: Pick<Kysely<Tables>, "selectFrom" | "insertInto">,
  given: Signer | undefined,
  now: Date,
): Promise<Signer> {
  if (given) {
    await noteKey(db, given, null, now);
    return given;
  }
  const newest = await db
    .selectFrom("signing_keys")
    .selectAll()
    .where("private_key", "is not", null)
    .orderBy("key_version", "desc")
    .limit(1)
    .executeTakeFirst();
  if (newest?.private_key) return pemSigner(newest.private_key, newest.key_version);
  const private_key = newPrivateKey();
  const own = pemSigner(private_key, (await lastVersion(db)) + 1);
  await noteKey(db, own, private_key, now);
  return own;
}

/** The public half of every key version, for verifying. */
export async function publicKeys(db: Pick<Kysely<Tables>, "selectFrom">): Promise<ReadonlyMap<number, string>> {
  const rows = await db.selectFrom("signing_keys").select(["key_version", "public_key"]).execute();
  return new Map(rows.map((row) => [row.key_version, row.public_key]));
}

async function noteKey(
  db: Pick<Kysely<Tables>, "selectFrom" | "insertInto">,
  { key_version, public_key }: Signer,
  private_key: string | null,
  now: Date,
): Promise<void> {
  const known = await db
    .selectFrom("signing_keys")
    .select("public_key")
    .where("key_version", "=", key_version)
    .executeTakeFirst();
  if (known?.public_key === public_key) return;
  if (known) throw new TypeError(`Signing key version ${key_version} is already known with another public key.`);
  await db
    .insertInto("signing_keys")
    .values({ key_version, public_key, private_key, created_at: now.toISOString() })
    .execute();
}

async function lastVersion(db: Pick<Kysely<Tables>, "selectFrom">): Promise<number> {
  const row = await db
    .selectFrom("signing_keys")
    .select((eb) => eb.fn.max("key_version").as("last"))
    .executeTakeFirst();
  return row?.last ?? 0;
}
