/** The address of a database on a PostgreSQL server, which `--db` takes instead of a file. */
import { resolve } from "node:path";
import { Failure } from "../exit.ts";
import type { Words } from "../texts/texts.ts";

/** A database on a server, as `--db` names it. */
export interface PostgresAddress {
  /** For `pg`. It may hold a password: it is never shown. */
  readonly url: string;
  /** The schema that Lacre's tables are in. */
  readonly schema: string;
  /** Whether a standby that takes over has every acknowledged document. */
  readonly failover: "synchronous" | undefined;
  /** What tells it from others, without password, for texts and the log. */
  readonly shown: string;
  /** As it was given but for the password, for any working directory: for commands that a person pastes. */
  readonly pasted: string;
}

/** The schema if the address names none. */
const SCHEMA = "lacre";

/** Those that name a file. */
const FILES = ["sslrootcert", "sslcert", "sslkey"] as const;

/** The parameters of an address after `?`. A mistyped name would otherwise lead to another database. */
const PARAMETERS = ["schema", "failover", "host", "sslmode", ...FILES] as const;

/** Encryption with a checked certificate, by two names; unchecked; none. */
const SSL_MODES = ["verify-full", "require", "no-verify", "disable"] as const;

/** Whether `--db` names an address, not a file. */
export function isAddress(db: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:\/\/|postgres(?:ql)?:)/i.test(db);
}

/** The address in `--db`; undefined if it names a file. */
export function addressIn(db: string): PostgresAddress | undefined {
  if (!isAddress(db)) return undefined;
  const address = readAddress(db);
  if (typeof address === "function") throw new Failure("usage", (t) => `--db ${address(t)}`);
  return address;
}

/** Reads an address; if it cannot be used, returns why, without any part of a password. */
export function readAddress(given: string): PostgresAddress | Words {
  if (!/^postgres(?:ql)?:\/\//i.test(given) || !URL.canParse(given)) return (t) => t.usage.must_be_address;
  const url = new URL(given);
  const name = url.pathname.slice(1);
  // A part of an unencoded password may stand to the left of these signs.
  if (/[/@]/.test(name) || url.hash !== "") return (t) => t.usage.must_be_address;
  const known: readonly string[] = PARAMETERS;
  const unknown = Array.from(url.searchParams.keys()).find((parameter) => !known.includes(parameter));
  if (unknown !== undefined) {
    return (t) =>
      /^\w{1,30}$/.test(unknown) ? t.usage.unknown_parameter({ name: unknown, known }) : t.usage.must_be_address;
  }
  const { schema = SCHEMA, failover, host, sslmode } = Object.fromEntries(url.searchParams);
  if (!/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(schema)) return (t) => t.usage.must_be_schema;
  if (sslmode !== undefined && !(SSL_MODES as readonly string[]).includes(sslmode)) {
    return (t) => t.usage.must_be_ssl_mode({ modes: SSL_MODES });
  }
  if (failover !== undefined && failover !== "synchronous") return (t) => t.usage.must_be_failover;
  const shown = new URL(url);
  shown.password = "";
  const pasted = withFullPaths(shown);
  shown.search = new URLSearchParams({ ...(host && { host }), ...(schema !== SCHEMA && { schema }) }).toString();
  for (const own of ["schema", "failover"]) url.searchParams.delete(own);
  if (sslmode === "require") url.searchParams.set("sslmode", "verify-full"); // the same to `pg`, which warns about the first
  return { url: url.href, schema, failover, shown: shown.href, pasted: pasted.href };
}

/** The address with the names of its files for any working directory. */
function withFullPaths(address: URL): URL {
  const full = new URL(address);
  for (const name of FILES) {
    const path = full.searchParams.get(name);
    if (path !== null) full.searchParams.set(name, resolve(path));
  }
  return full;
}
