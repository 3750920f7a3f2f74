import { randomUUID } from "node:crypto";
import { CompiledQuery, sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { databaseOf, inTransaction } from "../../../src/core/database/executor.ts";
import { postgresDialect } from "../../../src/core/database/postgres-dialect.ts";
import { SERVER } from "../../support/databases.ts";
import { aDraft, invoiceInput } from "../../support/factories.ts";
import { openInstance } from "../../support/instance.ts";
import { countedTrips } from "../../support/round-trips.ts";

/** An instance on PostgreSQL whose round trips are counted. */
async function aCountedInstance() {
  const schema = `trips_${randomUUID().slice(0, 8)}`;
  const { server, trips } = countedTrips(SERVER());
  const dialect = postgresDialect(() => server, { schema });
  const instance = await openInstance({ name: "PostgreSQL", dialect: () => dialect });
  onTestFinished(async () => {
    await instance.lacre.close();
    const database = databaseOf(postgresDialect(SERVER, { schema }));
    await inTransaction(database, "write", (db) => sql`drop schema ${sql.id(schema)} cascade`.execute(db));
    await database.connections.close();
  });
  return {
    ...instance,
    /** The round trips of some work, each as the statements that travelled together. */
    async tripsOf(work: () => Promise<unknown>): Promise<string[][]> {
      trips.length = 0;
      await work();
      return [...trips];
    },
  };
}

test("issuing takes at most five round trips, with an Idempotency-Key too", async () => {
  const instance = await aCountedInstance();
  const { company, tripsOf } = instance;
  const input = await invoiceInput(instance, { issue: true });
  await company.documents.create(input); // the series, its sums and the actor have their rows now
  const draft = await aDraft(instance);
  const at_once = await tripsOf(() => company.documents.create(input));
  const keyed = await tripsOf(() => company.documents.create(input, { idempotency_key: "order-1" }));
  const drafted = await tripsOf(() => company.documents.issue({ id: draft.id }));
  expect([at_once.length, keyed.length, drafted.length]).toEqual([4, 4, 5]);
  // The control: one by one, each of these statements would be a trip of its own.
  expect(at_once.flat().length).toBeGreaterThan(12);
  expect(at_once.at(-1)?.at(-1)).toBe("commit");
});

test("statements sent without waiting are refused with the error of the first that failed", async () => {
  const database = databaseOf(postgresDialect(SERVER, {}));
  onTestFinished(() => database.connections.close());
  const failing = inTransaction(database, "write", ({ executor }) => {
    executor.send(CompiledQuery.raw("select 1 / 0"));
    executor.send(CompiledQuery.raw("select 2"));
  });
  await expect(failing).rejects.toThrow("division by zero");
});
