/** The migrations, in order. A released one is never edited; a change is a new file. */
import { initial } from "./0001-initial.ts";

interface Migration {
  readonly id: string;
  /** The script; see `script.ts` for how it is written. */
  readonly up: string;
}

export const MIGRATIONS: readonly Migration[] = [initial];

/** The table of the migrations themselves. */
export const MIGRATIONS_TABLE = `create table migrations (
  id text primary key,
  -- SHA-256 of the migration's text
  digest text not null,
  applied_at text not null
) strict;`;

/** The names of all tables. */
export const TABLES: ReadonlySet<string> = new Set(
  [MIGRATIONS_TABLE, ...MIGRATIONS.map(({ up }) => up)].flatMap((script) =>
    Array.from(script.matchAll(/^create (?:virtual |unlogged )?table (\w+)/gm), ([, name]) => name as string),
  ),
);
