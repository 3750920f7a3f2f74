/** Master data: the part of storing, changing, archiving and importing that customers and products share. */
import type { Insertable, Updateable } from "kysely";
import type { Row, Tables } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { yieldToOthers } from "../runtime/ports.ts";
import type { WriteScope } from "../runtime/scope.ts";
import { indexRow, unindexRow } from "../runtime/search.ts";

/** The tables of master data, with the noun of their events. */
const NOUNS = { customers: "customer", products: "product" } as const;
type MasterData = keyof typeof NOUNS;

/** Stores a new row, indexed and recorded. */
export async function storeNew<Name extends MasterData>(
  scope: WriteScope,
  name: Name,
  row: Insertable<Tables[Name]>,
): Promise<Row<Name>> {
  const created = await scope.db
    .insertInto(name as "customers")
    .values(row as Insertable<Tables["customers"]>)
    .returningAll()
    .executeTakeFirstOrThrow();
  await indexRow(scope, name, created);
  await recordEvent(scope, `${NOUNS[name]}.created`, created.id);
  return created as Row<Name>;
}

/** Stores changed columns; the event names the fields that were sent. */
export async function storeChanged<Name extends MasterData>(
  scope: WriteScope,
  name: Name,
  before: Row<MasterData>,
  columns: Updateable<Tables[Name]>,
  fields: readonly string[],
): Promise<Row<Name>> {
  const saved = await scope.db
    .updateTable(name as "customers")
    .set({ ...(columns as Updateable<Tables["customers"]>), updated_at: scope.now.toISOString() })
    .where("id", "=", before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (saved.search !== before.search) {
    await unindexRow(scope, name, saved.position);
    await indexRow(scope, name, saved);
  }
  await recordEvent(scope, `${NOUNS[name]}.changed`, saved.id, { fields });
  return saved as Row<Name>;
}

/** Archives a row: no list, search or read finds it any more. */
export async function archive(scope: WriteScope, name: MasterData, { id, position }: Row<MasterData>): Promise<void> {
  const archived_at = scope.now.toISOString();
  await scope.db
    .updateTable(name as "customers")
    .set({ archived_at })
    .where("id", "=", id)
    .execute();
  await unindexRow(scope, name, position);
  await recordEvent(scope, `${NOUNS[name]}.archived`, id);
}

/** Returns a command's answer that equals the single read's, and notes it for the tag. */
export function shownAs<Shown extends object>(scope: WriteScope, shown: Shown): Shown {
  scope.noteState(shown);
  return shown;
}

/** The items of an import: new ones, and ones that exist already. */
export interface Sorted<Item> {
  readonly created: readonly Item[];
  readonly existing: readonly Item[];
}

/** How many items are stored in a row before reads and new connections get a turn, and how long that may be. */
const IN_A_ROW = 16;
const OTHERS_MS = 4;

/** Stores the items whose identity is neither stored nor earlier in the list, and returns which they are. */
export async function storeMissing<Item>(
  stored: readonly string[],
  items: readonly Item[],
  identityOf: (item: Item) => string,
  store: (item: Item) => Promise<unknown>,
): Promise<Sorted<Item>> {
  const known = new Set(stored);
  const [created, existing]: [Item[], Item[]] = [[], []];
  for (const item of items) {
    const identity = identityOf(item);
    if (known.has(identity)) {
      existing.push(item);
      continue;
    }
    known.add(identity);
    await store(item);
    if (created.push(item) % IN_A_ROW === 0) await yieldToOthers(OTHERS_MS);
  }
  return { created, existing };
}
