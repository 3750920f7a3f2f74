/** What one kind of database does in its own way. All other code is the same for each. */
import type { DialectAdapter, QueryCompiler } from "kysely";

/** An engine: `sqlite-dialect.ts` has SQLite's. */
export interface Engine {
  readonly name: "sqlite";
  /** Writes statements as the engine takes them. */
  readonly compiler: QueryCompiler;
  /** What Kysely asks about the engine. */
  readonly adapter: DialectAdapter;
}
