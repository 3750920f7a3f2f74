/** Compares what a PostgreSQL server says of Lacre's schema with the statements that make it. */
import { sql } from "kysely";
import { asText, preparedSelect } from "./prepared.ts";
import type { Reader } from "./tables.ts";

/** An object of the schema: its name, and all that is compared of it. */
type Described = ReadonlyMap<string, string>;

/**
 * The first object that is missing or changed, or a trigger on a table of Lacre's that is not Lacre's. Compared are the
 * columns and the constraints of tables by kind, indexes by what they are on, triggers, and the text of functions.
 */
export async function faultOfCatalog(db: Reader, schema: string, due: readonly string[]): Promise<string | null> {
  const made = new Map(due.flatMap(describedIn));
  const found = await describedBy(db, schema);
  for (const [name, text] of made) {
    if (found.get(name) === undefined) return `${name} is missing.`;
    if (found.get(name) !== text) return `${name} is not as this program makes it.`;
  }
  for (const name of found.keys()) if (name.startsWith("trigger") && !made.has(name)) return `${name} is not Lacre's.`;
  return null;
}

/** What a statement makes. Each is of a fixed form: `postgres-schema.ts` writes them. */
function describedIn(statement: string): [string, string][] {
  const [first = ""] = statement.split("\n");
  const name = /\b(?:table|function) "[^"]+"\.(\w+)/.exec(first)?.[1] ?? "";
  const on = / on "[^"]+"\.(\w+)/.exec(statement)?.[1];
  const named = (kind: string) => `${kind} ${first.slice(first.indexOf(kind)).split(" ")[1]}`;
  if (/^create (?:unlogged )?table/.test(first)) return tableIn(name, statement);
  if (first.startsWith("create function")) return [[`function ${name}`, statement.split("$$")[1] as string]];
  if (first.startsWith("create trigger")) return [[named("trigger"), `${on} O`]];
  return [[named("index"), `${on} ${first.startsWith("create unique") ? "unique" : ""}`]];
}

const COLUMN = /^ {2}(\w+) (bigint\[\]|bigint|bytea|tsvector|text)(?= |,|$)/;
const KEY = "  primary key (";

function tableIn(name: string, statement: string): [string, string][] {
  const lines = statement.split("\n").map((line) => line.split(" --")[0] as string);
  const key = lines.find((line) => line.startsWith(KEY))?.slice(KEY.length, -1) ?? "";
  const columns = lines.flatMap((line): [string, string][] => {
    const [, column = "", type] = COLUMN.exec(line) ?? [];
    if (!type) return [];
    const isFilled = line.includes("not null") || line.includes("primary key") || key.split(", ").includes(column);
    return [[`column ${name}.${column}`, `${type} ${isFilled ? "not null" : ""}`]];
  });
  const count = (word: string) => lines.join("\n").split(word).length - 1;
  const constraints = [count("check ("), count(" references "), count("primary key"), count("unique")];
  return [[`table ${name}`, constraints.join(" ")], ...columns];
}

async function describedBy(db: Reader, schema: string): Promise<Described> {
  return new Map((await catalogOf(db, { schema })).map(({ name, text }) => [name, text]));
}

const catalogOf = preparedSelect((db, { schema }: { schema: string }) =>
  asText(
    db,
    sql<{ name: string; text: string }>`
      with own as (
        select oid, relname from pg_class where relnamespace = to_regnamespace(${schema}) and relkind = 'r'
      ), constraints as (
        select conrelid, count(*) filter (where contype = 'c') as c, count(*) filter (where contype = 'f') as f,
          count(*) filter (where contype = 'p') as p, count(*) filter (where contype = 'u') as u
        from pg_constraint where convalidated group by conrelid
      )
      select 'table ' || relname as name,
        concat_ws(' ', coalesce(c, 0), coalesce(f, 0), coalesce(p, 0), coalesce(u, 0)) as text
      from own left join constraints on conrelid = own.oid
      union all
      select 'column ' || relname || '.' || attname,
        format_type(atttypid, atttypmod) || ' ' || case when attnotnull then 'not null' else '' end
      from own join pg_attribute on attrelid = own.oid where attnum > 0 and not attisdropped
      union all
      select 'index ' || entry.relname, own.relname || ' ' || case when indisunique then 'unique' else '' end
      from own join pg_index on indrelid = own.oid join pg_class as entry on entry.oid = indexrelid where indisvalid
      union all
      select 'trigger ' || tgname, relname || ' ' || tgenabled::text
      from own join pg_trigger on tgrelid = own.oid where not tgisinternal
      union all
      select 'function ' || proname, prosrc from pg_proc where pronamespace = to_regnamespace(${schema})`,
  ),
);
