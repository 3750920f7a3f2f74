/** Whether a schema is still one that this program knows. */
import { unusable } from "../storage-error.ts";
import { MIGRATIONS } from "./index.ts";

/**
 * Throws `StorageError` where more migrations are applied than there are: a newer program has upgraded the database
 * under this one, which would write rows without the columns that it does not know.
 */
export function mustKnow(applied: number): void {
  if (applied > MIGRATIONS.length) throw unusable("schema_is_newer");
}
