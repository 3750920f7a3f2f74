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

const TABLE = /^create (?:unlogged )?table "[^"]+"\.(?<name>\w+) \(\n(?<body>[\s\S]+)\n\);$/;
const INDEX = /^create (?<unique>unique )?index (?<name>\w+) on "[^"]+"\.(?<table>\w+) /;
const FUNCTION = /^create function "[^"]+"\.(?<name>\w+)\(\) [\s\S]*?\$\$(?<body>[\s\S]*)\$\$;$/;
const TRIGGER = /^create trigger (?<name>\w+) [\s\S]+? on "[^"]+"\.(?<table>\w+) for each/;

/** What a statement makes. */
function describedIn(statement: string): [string, string][] {
  const groups = (pattern: RegExp) => pattern.exec(statement)?.groups as Record<string, string> | undefined;
  const table = groups(TABLE);
  if (table) return tableIn(table.name as string, table.body as string);
  const index = groups(INDEX);
  if (index) return [[`index ${index.name}`, `${index.table} ${index.unique ? "unique" : ""}`]];
  const body = groups(FUNCTION);
  if (body) return [[`function ${body.name}`, body.body as string]];
  const trigger = groups(TRIGGER);
  if (trigger) return [[`trigger ${trigger.name}`, `${trigger.table} O`]];
  throw new Error(`A statement makes nothing that is known: ${statement.slice(0, 60)}`);
}

function tableIn(name: string, commented: string): [string, string][] {
  const body = commented.replace(/ *--.*$/gm, "");
  const columns = Array.from(body.matchAll(/^ {2}(\w+) (bigint\[\]|bigint|bytea|tsvector|text)(?= |,|$)(.*)$/gm));
  const described = columns.map(([, column, type, rest]): [string, string] => [
    `column ${name}.${column}`,
    `${type} ${/not null|primary key/.test(rest as string) || isKey(body, column as string) ? "not null" : ""}`,
  ]);
  const count = (pattern: RegExp) => Array.from(body.matchAll(pattern)).length;
  const constraints = [count(/\bcheck \(/g), count(/\breferences\b/g), count(/\bprimary key\b/g), count(/\bunique\b/g)];
  return [[`table ${name}`, constraints.join(" ")], ...described];
}

/** Whether a column is part of a primary key that is told apart from its columns. */
function isKey(body: string, column: string): boolean {
  const [, columns = ""] = /^ {2}primary key \(([^)]+)\)/m.exec(body) ?? [];
  return columns.split(", ").includes(column);
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
