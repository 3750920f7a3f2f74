/** Databases on PostgreSQL servers, and why one cannot be used, in words. */
import { type PostgresFacts, postgresFacts, whileMakingAlone } from "../../core/database/postgres-facts.ts";
import { type LacreDialect, StorageError } from "../../core/index.ts";
import { systemClock } from "../../core/runtime/ports.ts";
import { type Exit, Failure } from "../exit.ts";
import { inWords } from "../explain.ts";
import type { Texts, Words } from "../texts/texts.ts";
import type { PostgresAddress } from "./address.ts";
import type { Database, Named } from "./database.ts";

/** The database that an address names. */
export function onServer(address: PostgresAddress): Named {
  const { shown, pasted } = address;
  return {
    name: shown,
    fullName: pasted,
    file: undefined,
    find: () => databaseAt(address),
    isFree: async () => (await factsAt(address)).state === "empty",
    make: (fill, mayGoOn = false) => makeAt(address, () => fill(databaseAt(address)), mayGoOn),
  };
}

function databaseAt(address: PostgresAddress, dialect = () => dialectOf(address)): Database {
  return {
    name: address.shown,
    file: undefined,
    ground: async () => ({ dialect: await dialect() }),
    async whileCopied(work) {
      const { whileCopied } = await import("../../core/database/postgres-copy.ts"); // a start on SQLite does not pay for it
      const original = await dialect();
      return whileCopied(original, address.schema, systemClock(), (copy) =>
        work(databaseAt(address, async () => copy)),
      );
    },
    async facts() {
      const { bytes, state: _, ...versions } = await factsAt(address);
      return { bytes, versions: { driver: "pg", ...versions } };
    },
    inWords: (error) => postgresInWords(error, address),
  };
}

/** The dialect for an address. `pg` is loaded here and nowhere else. */
export async function dialectOf({ url, schema, failover }: PostgresAddress): Promise<LacreDialect> {
  try {
    const { postgres } = await import("../../core/database/postgres.ts");
    return postgres(url, { schema, failover });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure("unusable", (t) => t.postgres.no_package, error);
  }
}

/** The state of the database at an address. Throws `Failure` if the server cannot be used. */
export async function factsAt(address: PostgresAddress): Promise<PostgresFacts> {
  const dialect = await dialectOf(address);
  return postgresFacts(dialect, address.schema).catch((error) => {
    throw postgresInWords(error, address);
  });
}

/** Says that Lacre has no database at an address. */
export function noneThere(state: "empty" | "foreign", { shown, schema }: PostgresAddress): Failure {
  const address = shown;
  const words: Words = ({ postgres: t }) =>
    state === "empty" ? t.absent({ address }) : t.foreign({ address, schema });
  return new Failure("unusable", words);
}

/** Creates a database at an address while no other program does; with `mayGoOn` it may exist already. */
async function makeAt<T>(address: PostgresAddress, make: () => Promise<T>, mayGoOn: boolean): Promise<T> {
  const { shown, schema } = address;
  const dialect = await dialectOf(address);
  const making = async () => {
    const { state } = await factsAt(address);
    if (state === "foreign") throw noneThere(state, address);
    if (state !== "empty" && !(mayGoOn && state === "current"))
      throw new Failure("refused", (t) => t.postgres.exists({ address: shown }));
    return make();
  };
  const done = await whileMakingAlone(dialect, schema, making).catch((error) => {
    throw postgresInWords(error, address);
  });
  if (!done) throw new Failure("in_use", (t) => t.postgres.being_made({ address: shown }));
  return done.made;
}

type Sentence = (t: Texts) => (values: { address: string; reason: string }) => string;

/** By the first characters of the server's or system's code: the exit and the sentence. */
const SENTENCES: readonly (readonly [code: RegExp, exit: Exit, sentence: Sentence])[] = [
  [/^28/, "unusable", (t) => t.postgres.refused],
  [/^3D000/, "unusable", (t) => t.postgres.no_database],
  [/^42501/, "unusable", (t) => t.postgres.no_rights],
  [/^25006/, "unusable", (t) => t.postgres.standby],
  [/^42P05|^26000/, "unusable", (t) => t.postgres.pooler],
  [/^53100/, "failed", (t) => t.postgres.full],
  [/^53/, "in_use", (t) => t.postgres.no_connection],
  [/^57P03/, "in_use", (t) => t.postgres.starting],
  [/^(?:ECONN|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|ENOENT|EACCES)/, "unusable", (t) => t.postgres.unreachable],
  [/CERT|^(?:ERR_)?(?:SSL|TLS)|^EPROTO|^UNABLE_TO/, "unusable", (t) => t.postgres.certificate],
];

/** Messages of `pg` that have no code. */
const BY_WORDS: typeof SENTENCES = [
  [/^SASL/, "unusable", (t) => t.postgres.refused],
  [/^The server does not support SSL/, "unusable", (t) => t.postgres.no_ssl],
  [/^timeout expired|^timeout exceeded|^Connection terminated/, "unusable", (t) => t.postgres.unreachable],
];

/** By the storage trouble, if no code says it better. */
const BY_TROUBLE: Record<StorageError["trouble"], readonly [Exit, Sentence]> = {
  busy: ["in_use", (t) => t.postgres.busy],
  held: ["in_use", (t) => t.postgres.busy],
  deadlock: ["in_use", (t) => t.postgres.busy],
  aborted: ["in_use", (t) => t.postgres.busy],
  full: ["failed", (t) => t.postgres.full],
  lost: [
    "failed",
    (t) =>
      ({ address: path, reason }) =>
        t.errors.lost({ path, reason }),
  ],
  broken: ["unusable", (t) => t.postgres.unusable],
  unusable: ["unusable", (t) => t.postgres.unusable],
};

/** An error of a server, or of the connection to it, as a `Failure`; any other error unchanged. */
export function postgresInWords(error: unknown, address: PostgresAddress): unknown {
  if (!(error instanceof StorageError)) return saidBy(error, error, address.shown) ?? error;
  if (error.cause !== undefined) return saidBy(error, error.cause, address.shown);
  const { schema } = error;
  return schema === "empty" || schema === "foreign" ? noneThere(schema, address) : inWords(error);
}

/** The server's or system's error as a `Failure`; undefined if it comes from neither, nor from the storage. */
function saidBy(error: unknown, cause: unknown, shown: string): unknown {
  const { code, syscall = "connect" } = (cause ?? {}) as NodeJS.ErrnoException;
  if (!["connect", "getaddrinfo", "read", "write"].includes(syscall)) return inWords(cause); // of a file
  const trouble = error instanceof StorageError ? error : undefined;
  const said = (cause instanceof Error && cause.message) || (trouble?.message ?? "");
  const known = code === undefined ? BY_WORDS : SENTENCES;
  const found = known.find(([pattern]) => pattern.test(code ?? said));
  const spoken = found ? ([found[1], found[2]] as const) : trouble && BY_TROUBLE[trouble.trouble];
  if (!spoken) return undefined;
  const [exit, sentence] = spoken;
  const reason = (said || String(code)).replace(/\.$/, "");
  return new Failure(exit, (t) => sentence(t)({ address: shown, reason }), cause);
}
