/** Verifies that each row is as its last event left it. */
import { partsOfLast, type RecordedTable, recordedRows } from "../database/row-states.ts";
import type { Reader } from "../database/tables.ts";
import { versionOf } from "../fiscal/chain.ts";
import { yieldToOthers } from "../runtime/ports.ts";
import type { Judge } from "./finding.ts";

/**
 * Checks that the rows of these tables are as their last events left them; returns the first fault that counts, as a
 * sentence.
 */
export async function faultOfRows(
  db: Reader,
  tables: readonly RecordedTable[],
  company_id: string | null,
  counts: Judge,
  breathe: () => Promise<void> = yieldToOthers,
): Promise<string | null> {
  for (const table of tables) {
    for (let after = ""; ; ) {
      const rows = await recordedRows(db, table, company_id, after);
      for (const { last_event, resource_id, state } of rows) {
        const fault = faultOfState(last_event, () => state);
        const said = fault && `${table} ${resource_id}: ${fault}`;
        if (said && counts("states", said, state)) return said;
      }
      const last = rows.at(-1);
      if (!last) break;
      after = last.resource_id;
      await breathe();
    }
  }
  return null;
}

/** What is wrong with a row's state; null if it equals that of its last event, in that one's version. */
export function faultOfState(last_event: string | null, stateIn: (version: number) => string | null): string | null {
  if (last_event === null) return "No event made this row.";
  const [action, left] = partsOfLast(last_event);
  if (left === (stateIn(versionOf(left)) ?? "")) return null;
  return `The row is not as its last event, ${action}, left it.`;
}
