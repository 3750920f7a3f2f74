/** Connections that are lost, or refuse, before Lacre works with them. */
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClients, listeningOn } from "../../../src/core/database/postgres-client.ts";
import { aWireTo } from "../../support/cut-wire.ts";
import { HAS_SERVER, POSTGRES_URL } from "../../support/databases.ts";

/** A pool of the host program's over a wire, and what of it a test looks at. */
async function aPool() {
  const wire = await aWireTo(POSTGRES_URL);
  const pool = new pg.Pool({ connectionString: wire.url, max: 2 });
  pool.on("error", () => {});
  onTestFinished(() => pool.end());
  return { wire, pool };
}

/** A connection of its own in a transaction that failed: it refuses every statement, and lives. */
async function aRefusing() {
  const client = new pg.Client(POSTGRES_URL);
  await client.connect();
  await client.query("begin");
  await client.query("select 1 / 0").catch(() => {});
  return client;
}

describe.runIf(HAS_SERVER)("the check of a connection", () => {
  test("ends no program when the connection is lost, and leaves the pool whole", async () => {
    const { wire, pool } = await aPool();
    const clients = createClients(false);
    wire.cutAt("server_version_num");
    await expect(clients.over(await pool.connect(), true)).rejects.toThrow("Connection terminated");
    expect(wire.cuts()).toBe(1);
    await expect.poll(() => pool.totalCount).toBe(0);
    const both = [await pool.connect(), await pool.connect()]; // neither place is occupied
    for (const client of both) client.release();
  });

  test("leaves no listener on a connection of the host program's", async () => {
    const { pool } = await aPool();
    const clients = createClients(false);
    const client = await pool.connect();
    const before = client.listenerCount("error");
    client.release();
    for (let time = 0; time < 3; time++) {
      const mine = await pool.connect();
      expect(mine).toBe(client);
      const checked = await clients.over(mine, true);
      expect(client.listenerCount("error")).toBe(before + 1); // the control: it listens while it has it
      checked.release(false);
    }
    expect(client.listenerCount("error")).toBe(before + 1); // the pool's, for a connection that is free
    await pool.connect();
    expect(client.listenerCount("error")).toBe(before);
    client.release();
  });
});

describe.runIf(HAS_SERVER)("a connection to listen on", () => {
  test("is ended when it refuses to tell its process: an error is no pooler", async () => {
    const client = await aRefusing();
    let ends = 0;
    const ending = listeningOn(client, () => {
      ends++;
      return client.end();
    });
    await expect(ending).rejects.toThrow("current transaction is aborted");
    expect(ends).toBe(1);
  });

  test("is kept when it does, until it is ended", async () => {
    const client = new pg.Client(POSTGRES_URL);
    await client.connect();
    let ends = 0;
    const listening = await listeningOn(client, () => {
      ends++;
      return client.end();
    });
    expect(ends).toBe(0);
    await listening?.end();
    expect(ends).toBe(1);
  });
});
