/** Opens databases on PostgreSQL servers, and explains why one cannot be used. */
import { type PostgresFacts, postgresFacts, whileMakingAlone } from "../core/database/postgres-facts.ts";
import { type Lacre, type LacreDialect, type LacreOptions, openLacre, StorageError } from "../core/index.ts";
import { type Exit, Failure } from "./exit.ts";
import { inWords } from "./explain.ts";
import type { PostgresAddress } from "./postgres-address.ts";
import type { Texts } from "./texts/texts.ts";

/** The dialect for an address. `pg` is loaded here and nowhere else: a start on SQLite does not pay for it. */
export async function postgresDialect({ url, schema, failover }: PostgresAddress): Promise<LacreDialect> {
  try {
    const { postgres } = await import("../core/database/postgres.ts");
    return postgres(url, { schema, failover });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure("unusable", (t) => t.postgres.no_package, error);
  }
}

/** The state of the database at an address. Throws `Failure` if the server cannot be used. */
export async function factsAt(address: PostgresAddress): Promise<PostgresFacts> {
  const dialect = await postgresDialect(address);
  return postgresFacts(dialect, address.schema).catch((error) => {
    throw postgresInWords(error, address);
  });
}

/** Throws `Failure` (unusable) unless Lacre has a database there, of any version. */
export async function mustBeThere(address: PostgresAddress): Promise<PostgresFacts> {
  const facts = await factsAt(address);
  const { shown, schema } = address;
  if (facts.state === "empty") throw new Failure("unusable", (t) => t.postgres.absent({ address: shown }));
  if (facts.state === "foreign") throw new Failure("unusable", (t) => t.postgres.foreign({ address: shown, schema }));
  return facts;
}

/**
 * Creates a database at an address, and lets `begin` fill it. Throws `Failure` if one exists already. With `goesOn`,
 * one without a company counts as not begun: `serve --new` made it, or a refused `init`.
 */
export async function makeOnPostgres<T>(
  address: PostgresAddress,
  begin: (lacre: Lacre) => Promise<T>,
  { goesOn, ...options }: Pick<LacreOptions, "signer"> & { readonly goesOn: boolean },
): Promise<T> {
  const { shown } = address;
  return makingAt(address, async ({ state, dialect }) => {
    const mayGoOn = goesOn && state === "current";
    if (state !== "empty" && !mayGoOn) throw new Failure("refused", (t) => t.postgres.exists({ address: shown }));
    const lacre = await openLacre({ dialect, ...options });
    try {
      const isBegun = mayGoOn && (await lacre.companies.list()).length > 0;
      if (isBegun) throw new Failure("refused", (t) => t.postgres.exists({ address: shown }));
      return await begin(lacre);
    } finally {
      await lacre.close();
    }
  });
}

/** The state of an address before a database is created there. */
interface Ground {
  readonly state: PostgresFacts["state"];
  readonly dialect: LacreDialect;
}

/** Creates a database at an address while no other program does. Throws `Failure` if the tables are another's. */
export async function makingAt<T>(address: PostgresAddress, make: (ground: Ground) => Promise<T>): Promise<T> {
  const { shown, schema } = address;
  const dialect = await postgresDialect(address);
  const making = async () => {
    const { state } = await factsAt(address);
    if (state === "foreign") throw new Failure("unusable", (t) => t.postgres.foreign({ address: shown, schema }));
    return make({ state, dialect });
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
export function postgresInWords(error: unknown, { shown }: PostgresAddress): unknown {
  const isStorage = error instanceof StorageError;
  if (isStorage && error.cause === undefined) return inWords(error); // a sentence of Lacre's own
  const cause = isStorage ? error.cause : error;
  const { code, syscall = "connect" } = (cause ?? {}) as NodeJS.ErrnoException;
  if (!["connect", "getaddrinfo", "read", "write"].includes(syscall)) return inWords(cause); // of a file
  const said = cause instanceof Error && cause.message !== "" ? cause.message : isStorage ? error.message : "";
  const found =
    SENTENCES.find(([pattern]) => code !== undefined && pattern.test(code)) ??
    BY_WORDS.find(([pattern]) => code === undefined && pattern.test(said));
  if (!found && !isStorage) return error;
  const [exit, sentence] = found ? [found[1], found[2]] : BY_TROUBLE[(error as StorageError).trouble];
  const reason = (said || String(code)).replace(/\.$/, "");
  return new Failure(exit, (t) => sentence(t)({ address: shown, reason }), cause);
}
