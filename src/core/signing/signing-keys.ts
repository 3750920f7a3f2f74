/**
 * The keys that sign documents. The database keeps the public key of every version, so that a document verifies long
 * after its key was replaced. It has a private key only if the key is the installation's own.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { executorOf } from "../database/executor.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { refuse } from "../runtime/errors.ts";
import { inTime, type Signer, type Timer } from "../runtime/ports.ts";
import { NO_COMPANY, type ReadScope, type RecordScope } from "../runtime/scope.ts";
import type { Text } from "../texts/texts.ts";
import { mustBeProducers, PRODUCER, type Producer } from "./producer.ts";
import { t } from "./refusals.ts";

// ——— Keys and signers ———

/** RSA modulus length that AT's rules fix for the signature (Despacho 8632/2014, 4.1). */
const KEY_BITS = 1024;

const FIRST_VERSION = 1;

/** How long a host's signer may take, in milliseconds: all other changes wait for it. */
const SIGN_MS = 2_000;

/**
 * A signer with a private key as PEM (PKCS#1 or PKCS#8, no passphrase). Throws TypeError for any other text, and for a
 * key other than RSA of 1024 bits.
 */
export function pemSigner(private_key: string, key_version: number): Signer {
  const key = readPrivateKey(private_key);
  if ("in" in key) throw new TypeError(`The signing key ${key.in("en")}.`);
  return keySigner(key, key_version);
}

/** The private key in a PEM, or the sentence that refuses it, which never quotes the PEM. */
export function readPrivateKey(pem: string): KeyObject | Text {
  try {
    const key = createPrivateKey(pem);
    if (!isSigningKey(key)) return t.must_be_rsa_key({ bits: KEY_BITS });
    return isConsistent(key) ? key : t.is_damaged_key;
  } catch {
    return t.must_be_private_key;
  }
}

/** A new private key for signing documents. */
export function newPrivateKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: KEY_BITS }).privateKey;
}

/**
 * Wraps a host's signer: its public key in one form, its answer within the deadline. Throws TypeError unless the
 * version is a whole number from 1 and the public key RSA of 1024 bits.
 */
export function boundedSigner(given: Signer, timer: Timer): Signer {
  const { key_version } = given;
  if (!Number.isSafeInteger(key_version) || key_version < 1) {
    throw new TypeError("The signer's key_version must be a whole number from 1.");
  }
  return {
    key_version,
    public_key: publicPem(readPublicKey(given.public_key)),
    is_local: given.is_local ?? false,
    sign: (text) => inTime(() => given.sign(text), SIGN_MS, timer),
  };
}

function readPublicKey(pem: string): KeyObject {
  try {
    const key = createPublicKey(pem);
    if (isSigningKey(key)) return key;
  } catch {
    // Not a key at all: refused below.
  }
  throw new TypeError(`The signer's public_key must be an RSA public key of ${KEY_BITS} bits as PEM.`);
}

function isSigningKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === "rsa" && asymmetricKeyDetails?.modulusLength === KEY_BITS;
}

/** Tries a signature: reading a PEM does not show whether its numbers belong together. */
function isConsistent(key: KeyObject): boolean {
  const probe = Buffer.from("lacre", "utf8");
  return verify("RSA-SHA1", probe, createPublicKey(key), sign("RSA-SHA1", probe, key));
}

function keySigner(key: KeyObject, key_version: number): Signer {
  return {
    key_version,
    public_key: publicPem(key),
    is_local: true,
    sign: (text) => sign("RSA-SHA1", Buffer.from(text, "utf8"), key).toString("base64"),
  };
}

/** The public half of a key, private or public, as PEM (SPKI). */
export function publicPem(key: KeyObject): string {
  return (key.type === "private" ? createPublicKey(key) : key).export({ type: "spki", format: "pem" }).toString();
}

// ——— Who signs ———

/**
 * Makes the function that finds the signer within a transaction. A host's signer is used as it is, and its public key
 * recorded. Otherwise the newest key signs, and the first one is created. Refuses with `unavailable` if the newest key
 * is an absent host's, or in a producer's build not the producer's. Called for each document, as another process may
 * have changed the key, but looked up once in a transaction; a key is parsed once.
 */
export function signerSource(hostSigner: Signer | undefined): (scope: RecordScope) => Promise<Signer> {
  const parsed = new Map<string, Signer>();
  return async (scope) => {
    if (hostSigner) return onRecord(scope, hostSigner);
    const known = found.get(scope.db);
    if (known) return known;
    const newest = (await newestKey(scope.db)) ?? (await newestUnderLock(scope.db));
    if (!newest && PRODUCER) return refuseOther(PRODUCER);
    if (!newest) return addOwnKey(scope, newPrivateKey(), FIRST_VERSION, "signer.added");
    const { key_version, public_key, private_key } = mustBeHere(newest);
    const name = `${key_version} ${public_key}`;
    const signer = parsed.get(name) ?? pemSigner(private_key, key_version);
    parsed.set(name, signer);
    found.set(scope.db, signer);
    return signer;
  };
}

/** Refuses with `unavailable` if nobody can sign here; it adds no key and takes no signer. */
export async function mustHaveSigner({ db, hostSigner }: ReadScope): Promise<void> {
  const key = hostSigner ?? (await newestKey(db));
  if (!key && PRODUCER) refuseOther(PRODUCER);
  if (key && "private_key" in key) mustBeHere(key);
  else if (key) mustBeProducers(key);
}

/** The stored key, with its private part; refuses with `unavailable` where that is elsewhere. */
function mustBeHere(key: Row<"signing_keys">) {
  const { key_version, public_key, private_key } = mustBeProducers(key);
  if (private_key === null) return refuse("unavailable", t.key_is_elsewhere({ key_version }));
  return { key_version, public_key, private_key };
}

function refuseOther({ name }: Producer): never {
  return refuse("unavailable", t.key_is_not_producers({ producer: name }), { to: "open_with_key" });
}

/** The signer of each transaction under way, until one of its commands adds a key. */
const found = new WeakMap<object, Signer>();

/** The host's signer, once its key is recorded. */
async function onRecord(scope: RecordScope, signer: Signer): Promise<Signer> {
  mustBeProducers(signer);
  if (!(await isOnRecord(scope.db, signer))) await addHostKey(scope, signer);
  return signer;
}

/** Records the host's key, under the lock of the installation, which another company may have had meanwhile. */
async function addHostKey(scope: RecordScope, signer: Signer): Promise<void> {
  await executorOf(scope.db).engine.lock(scope.db, undefined);
  if (!(await isOnRecord(scope.db, signer))) await addKey(scope, signer, null, "signer.added");
}

/** The newest key, once no other company can be creating the first one. */
async function newestUnderLock(db: RecordScope["db"]): Promise<Row<"signing_keys"> | undefined> {
  await executorOf(db).engine.lock(db, undefined);
  return newestKey(db);
}

/** The key with the highest version, which signs unless the host brings a signer; undefined before the first. */
async function newestKey(db: Reader): Promise<Row<"signing_keys"> | undefined> {
  return (await keysByVersion(db, {}))[0];
}

const keysByVersion = preparedSelect((db, _: object) =>
  db.selectFrom("signing_keys").selectAll().orderBy("key_version", "desc").limit(1),
);

/** The public facts of the current signing key. */
export interface PublicHalf {
  readonly key_version: number;
  readonly public_key: string;
  /** The host program has the private key, not the database. */
  readonly host_signs: boolean;
}

/** The current signing key; undefined before the first. Refuses a host's key that could not sign. */
export async function publicHalf(db: Reader, hostSigner: Signer | undefined): Promise<PublicHalf | undefined> {
  if (hostSigner) await isOnRecord(db, hostSigner);
  const newest = hostSigner ? { ...hostSigner, private_key: null } : await newestKey(db);
  if (!newest) return undefined;
  const { key_version, public_key, private_key } = mustBeProducers(newest);
  return { key_version, public_key, host_signs: private_key === null };
}

/** Stores a key of the installation's own; it signs from the next document on. */
export async function addOwnKey(
  scope: RecordScope,
  key: KeyObject,
  key_version: number,
  action: SignerAction,
): Promise<Signer> {
  const signer = keySigner(key, key_version);
  await addKey(scope, signer, key.export({ type: "pkcs8", format: "pem" }).toString(), action);
  return signer;
}

type SignerAction = "signer.added" | "signer.rotated" | "signer.imported";

async function addKey(
  scope: RecordScope,
  { key_version, public_key }: Signer,
  private_key: string | null,
  action: SignerAction,
): Promise<void> {
  const created_at = scope.now.toISOString();
  found.delete(scope.db);
  await scope.db.insertInto("signing_keys").values({ key_version, public_key, private_key, created_at }).execute();
  const installation = { ...scope, company_id: NO_COMPANY };
  await recordEvent(installation, action, String(key_version), { key_version, public_key });
}

// ——— The record ———

/** The public key of every version, for verifying. */
export async function publicKeys(db: Reader): Promise<ReadonlyMap<number, string>> {
  const rows = await db.selectFrom("signing_keys").select(["key_version", "public_key"]).execute();
  return new Map(rows.map((row) => [row.key_version, row.public_key]));
}

/** The version of a key; undefined for a new one. */
export async function versionOf(db: Reader, key: KeyObject): Promise<number | undefined> {
  const public_key = publicPem(key);
  const row = await db
    .selectFrom("signing_keys")
    .select("key_version")
    .where("public_key", "=", public_key)
    .executeTakeFirst();
  return row?.key_version;
}

/** The version of the next key: versions only go up, as the highest one signs. */
export async function nextVersion(db: Reader): Promise<number> {
  const newest = await newestKey(db);
  return newest ? newest.key_version + 1 : FIRST_VERSION;
}

/**
 * Whether the host's key is recorded. Refuses with `unavailable` if its version or its key belongs to another record.
 */
async function isOnRecord(db: Reader, { key_version, public_key }: Signer): Promise<boolean> {
  const known = await db
    .selectFrom("signing_keys")
    .select(["key_version", "public_key"])
    .where((eb) => eb.or([eb("key_version", "=", key_version), eb("public_key", "=", public_key)]))
    .execute();
  for (const row of known) {
    if (row.public_key !== public_key) refuse("unavailable", t.key_version_is_taken({ key_version }));
    if (row.key_version !== key_version) refuse("unavailable", t.key_is_known({ key_version: row.key_version }));
  }
  return known.length > 0;
}
