/** An installation that runs elsewhere, called over HTTP with a key of one of its companies. */
import * as z from "zod";
import { type Client, createClient } from "../client/client.ts";
import { LacreError } from "../client/error.ts";
import { about, FLAGS, says } from "./config.ts";
import { Failure } from "./exit.ts";
import { readGiven } from "./files.ts";
import type { Terminal } from "./terminal.ts";

/** Whether a text is an address of the web, without a name and a password inside. */
export function isWebAddress(given: string): boolean {
  const url = given.length <= 2_000 ? URL.parse(given) : null;
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash;
}

/** Flags that name an installation. Its key is in a file or in a variable: a list of processes shows flags. */
export const REMOTE = {
  url: z
    .string()
    .refine(
      isWebAddress,
      says((t) => t.remote.must_be_address),
    )
    .default("http://127.0.0.1:8787")
    .meta(about("remote_url", { takes: "URL", env: "LACRE_URL" })),
  key_file: z
    .string()
    .optional()
    .meta(about("key_file", { takes: "FILE", env: "LACRE_KEY_FILE" })),
  json: FLAGS.json,
} as const;

interface Remote {
  readonly url: string;
  readonly key_file?: string | undefined;
  readonly json: boolean;
}

/** The key that the settings name; a file is read once, as it may be a pipe. Throws `Failure` (usage) for none. */
export function keyOf({ key_file }: Remote): string {
  const key = key_file === undefined ? process.env.LACRE_KEY : readGiven(key_file).toString("latin1").trim();
  if (!/^lacre_(?:live|test)_\w{1,100}$/.test(key ?? "")) throw new Failure("usage", (t) => t.remote.needs_key);
  return key as string;
}

/**
 * Calls the installation with a key, and speaks of its refusals in the language of the person, or in English with
 * `--json`.
 */
export function clientOf(
  { url, json }: Pick<Remote, "url" | "json">,
  key: string,
  { texts }: Terminal,
  retries?: number,
): Client {
  return createClient({ url, key, language: json ? "en" : texts.lang, retries });
}

/** The answer of a call. Throws `Failure` (refused) where the installation gives none. */
export async function answered<T>(url: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof LacreError) || error.status !== 0) throw error;
    throw new Failure("refused", (t) => t.remote.no_answer({ url, reason: reasonOf(error) }), error);
  }
}

/** Why no answer came: the system's code where there is one. */
export function reasonOf({ message, cause }: LacreError): string {
  const { cause: reason = cause } = cause as { readonly cause?: unknown }; // fetch of Node says why one level below
  if (!(reason instanceof Error)) return message;
  return (reason as NodeJS.ErrnoException).code ?? reason.message;
}
