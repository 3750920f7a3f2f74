/** Schemas on a PostgreSQL server, for tests of the program. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, onTestFinished } from "vitest";
import { HAS_SERVER, POSTGRES_URL } from "./databases.ts";
import { ofThisRun } from "./spare-schemas.ts";

/** `describe`, where a server answers at `POSTGRES_URL`; elsewhere all is skipped, and the name says why. */
export function describeOnPostgres(name: string, tests: () => void): void {
  describe.skipIf(!HAS_SERVER)(HAS_SERVER ? name : `${name} (no server answers at ${POSTGRES_URL})`, tests);
}

/** A schema that does not exist yet; what a test puts there is dropped when it ends. */
export function aSchema(): { readonly schema: string; readonly db: string } {
  const schema = ofThisRun("b", randomUUID().replaceAll("-", ""));
  onTestFinished(() => onServer(`drop schema if exists ${schema} cascade`).then(() => {}));
  return { schema, db: addressWith({ schema }) };
}

/** The server's address with parameters, and perhaps another user. */
export function addressWith(parameters: Record<string, string>, user?: string, password = ""): string {
  const url = new URL(POSTGRES_URL);
  if (user !== undefined) Object.assign(url, { username: user, password });
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Runs statements as the owner of the server, and returns the rows of the last. */
export async function onServer(sql: string, url: string = POSTGRES_URL): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const answer = await client.query(sql);
    return [answer].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

/** A role that may log in, with a password; dropped, with its rights, when the test ends. */
export async function aRole(): Promise<{ readonly role: string; readonly password: string }> {
  const role = ofThisRun("r", randomUUID().replaceAll("-", ""));
  const password = "segredo#1";
  await onServer(`create role ${role} login password '${password}'`);
  onTestFinished(async () => {
    await onServer(`drop owned by ${role} cascade; drop role ${role}`);
  });
  return { role, password };
}
