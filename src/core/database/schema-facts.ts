/** What a program asks about the schema of a database before it opens it. */

import { databaseOf, inTransaction, type LacreDialect } from "./executor.ts";
import { schemaState } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import type { SchemaState } from "./storage-error.ts";

/** The last migration of this program. */
export const LATEST = MIGRATIONS.at(-1)?.id as string;

/** How the schema of a database compares with that of this program. Throws `StorageError` if it cannot be read. */
export async function schemaAt(dialect: LacreDialect): Promise<SchemaState> {
  const database = databaseOf(dialect);
  try {
    return await inTransaction(database, "snapshot", schemaState);
  } finally {
    await database.connections.close();
  }
}
