/** PgBouncer between Lacre and PostgreSQL. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLacre } from "lacre";
import { postgres } from "lacre/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { serverAt } from "../../src/core/database/postgres-server.ts";
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

/** The address without what Lacre alone reads in it. */
const shortened = (db: string) => db.split("?")[0] as string;

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

  test.each(["session", "transaction"] as const)(
    "by %s nothing is listened to, which the server itself lets",
    async (mode) => {
      const pooled = serverAt(shortened(await pooledBy(mode)), 2);
      const direct = serverAt(POSTGRES_URL, 2);
      onTestFinished(async () => void (await Promise.all([pooled.close(), direct.close()])));
      expect(await pooled.listener?.()).toBeUndefined();
      const listening = await direct.listener?.(); // the control
      expect(listening).toBeDefined();
      await listening?.end();
    },
  );

  test("another program's commits are found within a second all the same", async () => {
    const db = await pooledBy("session");
    const schema = new URL(db).searchParams.get("schema") as string;
    const open = () => openLacre({ dialect: postgres(shortened(db), { schema, connections: 2 }) });
    const [here, there] = [await open(), await open()];
    onTestFinished(async () => void (await Promise.all([here.close(), there.close()])));
    const { id } = await here.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
    const { pagination } = await here.as(id).events.list();
    const feed = here.events.follow({ after: { [id]: pagination.total } })[Symbol.asyncIterator]();
    const next = feed.next();
    await there.as(id).customers.create({ name: "Ana" });
    expect((await next).value).toMatchObject({ company_id: id, action: "actor.created" });
    await feed.return?.();
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
