/** Schemas that tests use one after the other: to make one takes a quarter of a second, to empty it milliseconds. */
import { randomUUID } from "node:crypto";
import type { LacreDialect } from "lacre";
import type { Connections } from "../../src/core/database/executor.ts";
import { type PostgresServer, postgresDialect } from "../../src/core/database/postgres-dialect.ts";
import { TABLE_NAMES } from "../../src/core/database/tables.ts";
import { asIfAbsent } from "./made-tables.ts";

/** Of the run that vitest began: whoever finds its schemas later knows whether they are in use (leftovers.ts). */
const RUN = process.env.LACRE_RUN ?? "alone";

/** The name of something on a server that belongs to this run. */
export const ofThisRun = (kind: "t" | "b" | "r", name: string): string => `${kind}_${RUN}_${name}`;

/** Schemas of one server, which tests take and leave. */
export interface Spares {
  /** A dialect over a schema where nothing is. Who is the last to close it leaves it to the next. */
  dialect(): { readonly dialect: LacreDialect; readonly schema: string };
  /** Has a schema dropped when it is left, since something but rows was changed there. */
  spoil(schema: string): void;
}

/** Spare schemas of a server, over connections that are never closed. */
export function spareSchemas(connect: () => PostgresServer): Spares {
  const left: string[] = [];
  const spoilt = new Set<string>();
  let connected: PostgresServer | undefined;
  const server: PostgresServer = {
    get writers() {
      connected ??= connect();
      return connected.writers;
    },
    get isOne() {
      connected ??= connect();
      return connected.isOne ?? false;
    },
    client(purpose) {
      connected ??= connect();
      return connected.client(purpose);
    },
    async close() {}, // the next test has them
  };

  async function order(sql: string): Promise<void> {
    const client = await server.client("write");
    try {
      await client.query(sql, [], undefined);
      client.release(false);
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async function leave(schema: string): Promise<void> {
    const isKept =
      !spoilt.delete(schema) &&
      (await order(emptying(schema)).then(
        () => true,
        () => false, // nothing was made there, or a transaction still holds it
      ));
    if (isKept) left.push(schema);
    else await order(`do $$ begin ${PATIENCE} drop schema if exists ${schema} cascade; end $$`).catch(() => {});
  }

  return {
    spoil: (schema) => void spoilt.add(schema),
    dialect() {
      const spare = left.pop();
      const schema = spare ?? ofThisRun("t", randomUUID().replaceAll("-", ""));
      const dialect = postgresDialect(() => server, { schema });
      let programs = 0;
      let isLeft = false;
      const open = (): Connections => {
        if (isLeft) throw new Error("A database in memory is gone once it is closed.");
        const connections = dialect.connect();
        programs++;
        return {
          ...connections,
          async close() {
            await connections.close();
            if (--programs > 0 || isLeft) return;
            isLeft = true;
            await leave(schema);
          },
        };
      };
      const engine = spare === undefined ? dialect.engine : asIfAbsent(dialect.engine);
      return { schema, dialect: { ...dialect, engine, connect: open } };
    },
  };
}

/** What a transaction still holds is not waited for. */
const PATIENCE = "perform set_config('lock_timeout', '5s', true);";

/** The columns that a table numbers by itself. */
const NUMBERS = [
  "signing_keys_key_version",
  "customers_position",
  "products_position",
  "lists_number",
  "installation_id",
];

/**
 * Deletes every row past all guards, and numbers anew. It fails where Lacre has no tables. These are named here: to
 * look for them among those of all schemas takes longer than to empty them.
 */
const emptying = (schema: string) => `do $$
begin
  ${PATIENCE}
  perform set_config('session_replication_role', 'replica', true);
  ${Array.from(TABLE_NAMES, (table) => `delete from ${schema}.${table};`).join("\n  ")}
  ${NUMBERS.map((numbers) => `perform setval('${schema}.${numbers}_seq', 1, false);`).join("\n  ")}
end $$`;
