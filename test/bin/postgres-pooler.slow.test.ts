/** PgBouncer between Lacre and PostgreSQL. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { aFreePort, OWNER } from "../support/cluster.ts";
import { HAS_SERVER, POSTGRES_URL } from "../support/databases.ts";
import { aSchema, onServer } from "../support/schemas.ts";
import {
  call,
  invoice,
  lacre,
  lacreJson,
  type Made,
  makeCustomer,
  startServer,
  temporaryDirectory,
} from "./program.ts";

const IS_INSTALLED = spawnSync("pgbouncer", ["--version"]).status === 0;

/** Starts PgBouncer before the tests' server, and returns the address of an empty schema behind it. */
async function pooledBy(mode: "session" | "transaction"): Promise<string> {
  const directory = temporaryDirectory();
  const { hostname, port: behind, username, pathname } = new URL(POSTGRES_URL);
  const database = pathname.slice(1);
  const port = await aFreePort();
  const settings = join(directory, "pgbouncer.ini");
  writeFileSync(
    settings,
    `[databases]
${database} = host=${hostname} port=${behind || 5432} dbname=${database} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 40
`,
  );
  if (OWNER?.uid !== undefined) chownSync(directory, OWNER.uid, OWNER.gid);
  const pooler = spawn("pgbouncer", ["-q", settings], { ...OWNER, cwd: directory, stdio: "ignore" });
  const ended = once(pooler, "exit");
  onTestFinished(async () => {
    pooler.kill("SIGINT");
    await ended;
  });
  const { schema } = aSchema();
  const address = `postgres://${username}@127.0.0.1:${port}/${database}`;
  await expect.poll(() => onServer("select 1", address).catch(() => [])).toHaveLength(1);
  return `${address}?schema=${schema}`;
}

const init = (db: string) => ["init", "--name", "Loja, Lda.", "--tax-id", "500000000", "--db", db];

describe.skipIf(!IS_INSTALLED || !HAS_SERVER || OWNER === undefined)("behind PgBouncer", () => {
  test("by session: two servers issue without gaps, and everything verifies", async () => {
    const db = await pooledBy("session");
    const made = await lacreJson<Pick<Made, "api_key" | "series">>(...init(db));
    const [one, other] = [await startServer(["serve", "--db", db]), await startServer(["serve", "--db", db])];
    const given = invoice(made, await makeCustomer(one, made));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => call(i % 2 ? one : other, made.api_key, "POST", "/v1/documents", given)),
    );
    const numbers = answers.map(({ body }) => Number(String(body.number).split("/")[1]));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(await lacreJson("verify", "--db", db)).toMatchObject({ whole: true, documents: 40 });
  });

  test("by transaction, without prepared statements, it is refused in words", async () => {
    const db = await pooledBy("transaction");
    let ended = await lacre(init(db));
    // The first connection of all has no statement prepared on it by another.
    for (let i = 0; i < 5 && ended.code === 0; i++) ended = await lacre(["verify", "--db", db]);
    expect([ended.code, ended.stderr]).toEqual([
      EXITS.unusable.code,
      expect.stringContaining("changes connections between transactions"),
    ]);
  });
});
