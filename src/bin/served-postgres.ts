/** Serves a database on a PostgreSQL server. Any number of servers may do so: none owns anything here. */
import { LATEST } from "../core/database/schema-facts.ts";
import { Failure } from "./exit.ts";
import type { PostgresAddress } from "./postgres-address.ts";
import { mustBeThere, postgresDialect } from "./postgres-database.ts";
import type { BackupFlags } from "./scheduled-backups.ts";
import type { Served } from "./served.ts";

/** Finds the database at an address. Throws `Failure` if it cannot be served. */
export async function servedPostgres(address: PostgresAddress, flags: BackupFlags): Promise<Served> {
  const { shown, schema: schema_name } = address;
  const isAsked = Object.values(flags).some((value) => value !== undefined);
  if (isAsked) throw new Failure("usage", (t) => t.postgres.no_scheduled_backups({ address: shown }));
  const { postgres, schema, state, synchronous_commit } = await mustBeThere(address);
  const dialect = await postgresDialect(address);
  return {
    name: shown,
    file: undefined,
    ground: () => ({ dialect }),
    beforeUpgrade: async () => (state === "older" ? { from: String(schema), to: LATEST } : undefined),
    takesBackups: false,
    check: async () => [],
    facts: () => ({ driver: "pg", postgres, schema: LATEST, schema_name, synchronous_commit }),
    attend: () => ({ unwatch: () => {}, stopBackups: async () => {}, stopNoting: async () => {} }),
    isSavedByClosing: () => false,
    release: () => {},
  };
}
