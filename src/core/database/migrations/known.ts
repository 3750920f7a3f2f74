/** Whether this program still knows a schema. */
import { STORAGE, unusable } from "../storage-error.ts";
import { MIGRATIONS } from "./index.ts";

/**
 * Throws `StorageError` if more migrations are applied than this program has: a newer one has upgraded the database
 * under it, and it would write rows without the columns that it does not know.
 */
export function mustKnow(applied: number): void {
  if (applied > MIGRATIONS.length) throw unusable(STORAGE.schema_is_newer, "newer");
}
