/** Statements of a PostgreSQL session that fail. */
import { CompiledQuery } from "kysely";
import { postgres } from "lacre/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { postgresTrouble } from "../../../src/core/database/postgres-errors.ts";
import { HAS_SERVER, POSTGRES_URL } from "../../support/databases.ts";

async function aConnection() {
  const connections = postgres(POSTGRES_URL).connect();
  const connection = await connections.writer();
  onTestFinished(async () => {
    connection.release();
    await connections.close();
  });
  await connection.begin("write");
  return connection;
}

const FAILING = CompiledQuery.raw("select 1 / 0");
const WORKING = CompiledQuery.raw("select 1 as one");

describe.skipIf(!HAS_SERVER)("a statement that fails while nobody waits for it", () => {
  test("fails the next statement with its error", async () => {
    const connection = await aConnection();
    await connection.send(FAILING);
    await expect(connection.run(WORKING)).rejects.toThrow("division by zero");
  });

  test("fails the commit, even if nothing else was run", async () => {
    const connection = await aConnection();
    await connection.send(FAILING);
    await expect(connection.commit()).rejects.toThrow("division by zero");
  });

  test("is undone with its savepoint, even if its error arrives after that was requested", async () => {
    const connection = await aConnection();
    await connection.savepoint("begin");
    await connection.send(FAILING);
    await connection.savepoint("undo");
    await connection.savepoint("keep");
    expect((await connection.run(WORKING)).rows).toEqual([{ one: 1 }]);
    await connection.commit();
  });

  test("gives its error to all later statements, whoever waits for which", async () => {
    const connection = await aConnection();
    const sent = [connection.run(FAILING), connection.run(WORKING), connection.run(WORKING)];
    for (const outcome of await Promise.allSettled(sent)) {
      expect(outcome).toMatchObject({ reason: { message: "division by zero" } });
    }
    await connection.rollback();
  });
});

test.each(["42P05", "26000"])("a pooler that loses prepared statements is told of in words: %s", (code) => {
  const error = Object.assign(new Error('prepared statement "lacre_1" already exists'), { code });
  const trouble = postgresTrouble(error, "running");
  expect(trouble?.trouble).toBe("unusable");
  expect(trouble?.message).toContain("pool by session");
});
