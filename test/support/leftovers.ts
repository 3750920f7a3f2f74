/** Before a run of vitest: a name for it, and what earlier runs that ended hard left on the server is dropped. */
import { randomBytes } from "node:crypto";
import pg from "pg";

/** Held, with one for its name, by each run. Any number does that no other program takes. */
const RUN_LOCK = 5_172_299;

const SCHEMAS = "select nspname as name from pg_namespace where nspname ~ '^[tb]_[0-9a-f]{8}_'";
const ROLES = "select rolname as name from pg_roles where rolname ~ '^r_[0-9a-f]{8}_'";

/** Names the run, and returns what ends it. The lock goes with its connection, however the run ends. */
export async function setup(): Promise<() => Promise<void>> {
  const run = randomBytes(4).toString("hex");
  process.env.LACRE_RUN = run;
  const url = process.env.LACRE_POSTGRES ?? "postgres://postgres@127.0.0.1:5432/test";
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  client.on("error", () => {});
  try {
    await client.connect();
  } catch {
    return async () => {}; // no server answers
  }
  const isEnded = async (other: string) => {
    const sql = "select pg_try_advisory_lock($1, hashtext($2)) as held";
    return (await client.query<{ held: boolean }>(sql, [RUN_LOCK, other])).rows[0]?.held === true;
  };
  await isEnded(run);
  await dropThose(client, async (other) => other !== run && (await isEnded(other)));
  return async () => {
    await dropThose(client, async (other) => other === run);
    await client.end();
  };
}

async function dropThose(client: pg.Client, isToGo: (run: string) => Promise<boolean>): Promise<void> {
  const gone = new Map<string, boolean>();
  const drop = async (list: string, how: (name: string) => string) => {
    for (const { name } of (await client.query<{ name: string }>(list)).rows) {
      const run = name.slice(2, 10);
      if (!gone.has(run)) gone.set(run, await isToGo(run));
      if (gone.get(run)) await client.query(how(name)).catch(() => {}); // another run may drop it, too
    }
  };
  await client.query("set lock_timeout = '10s'");
  await drop(SCHEMAS, (name) => `drop schema if exists ${name} cascade`);
  await drop(ROLES, (name) => `drop owned by ${name} cascade; drop role ${name}`);
}
