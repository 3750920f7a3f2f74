/** Verifies that each row is as its last event left it. */
import { type Witnessed, type WitnessedTable, witnessedRows } from "../database/row-states.ts";
import type { Reader } from "../database/tables.ts";
import { yieldToOthers } from "../runtime/ports.ts";

/** The rows of these tables, each as its last event left it; the first that is not, as a sentence. */
export async function faultOfRows(
  db: Reader,
  tables: readonly WitnessedTable[],
  company_id: string | null,
): Promise<string | null> {
  for (const table of tables) {
    for (let after = ""; ; ) {
      const rows = await witnessedRows(db, table, company_id, after);
      for (const row of rows) {
        const fault = faultOfState(row);
        if (fault) return `${table} ${row.resource_id}: ${fault}`;
      }
      const last = rows.at(-1);
      if (!last) break;
      after = last.resource_id;
      await yieldToOthers();
    }
  }
  return null;
}

/** What is wrong with a row's state; null where it is the one its last event left. */
export function faultOfState({
  state,
  last_event,
}: Pick<Witnessed, "last_event"> & { readonly state: string | null }): string | null {
  if (last_event === null) return "No event made this row.";
  const [action, left] = last_event.split(" ");
  return left === (state ?? "") ? null : `The row is not as its last event, ${action}, left it.`;
}
