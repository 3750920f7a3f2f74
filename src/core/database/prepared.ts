/** Statements that are built once: building one costs Kysely several times what running it costs SQLite. */
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "./tables.ts";

/** What a query's scope can do. */
type Reader = Pick<Kysely<Tables>, "selectFrom">;

interface Compilable<Result> {
  compile(): CompiledQuery<Result>;
}

/** A statement with gaps where its values go. */
interface Built {
  readonly query: CompiledQuery;
  /** For each parameter the name of its value, or undefined where it always has the value in the statement. */
  readonly names: readonly (string | undefined)[];
}

/** Stands for the value of a name while a statement is built. */
interface Gap {
  readonly name: string;
}

/**
 * A select that is built at its first use and then only given its values. `build` is an ordinary query over values it
 * may place but not look at; it may ask whether one is there, as each set of values that are is a statement of its own.
 *
 *     const byId = preparedSelect((db, { id }: { id: string }) => db.selectFrom("series").selectAll().where("id", "=", id));
 *     const [row] = await byId(scope.db, { id });
 */
export function preparedSelect<Values extends object, Result>(
  build: (db: Reader, values: Values) => Compilable<Result>,
): (db: Reader, values: Values) => Promise<Result[]> {
  const run = prepared(build);
  return (db, values) => run(db as Kysely<Tables>, values);
}

/** An insert, update or delete in the same way. */
export function preparedWrite<Values extends object, Result>(
  build: (db: Kysely<Tables>, values: Values) => Compilable<Result>,
): (db: Kysely<Tables>, values: Values) => Promise<Result[]> {
  return prepared(build);
}

function prepared<Values extends object, Result>(
  build: (db: Kysely<Tables>, values: Values) => Compilable<Result>,
): (db: Kysely<Tables>, values: Values) => Promise<Result[]> {
  // For each database that is open, as each has its dialect, the statements by the values there are.
  const statements = new WeakMap<object, Map<string, Built>>();
  return async (db, values) => {
    const shape = shapeOf(values);
    const statement = statements.get(db.getExecutor().adapter)?.get(shape) ?? builtFor(db, shape, values);
    return (await db.executeQuery<Result>(filled(statement, values))).rows;
  };

  function builtFor(db: Kysely<Tables>, shape: string, values: Values): Built {
    const { adapter } = db.getExecutor();
    const statement = built(build(db, gapsOf(values)).compile());
    statements.set(adapter, (statements.get(adapter) ?? new Map()).set(shape, statement));
    return statement;
  }
}

function filled<Values extends object, Result>({ query, names }: Built, values: Values): CompiledQuery<Result> {
  const { sql: text, queryId, query: node } = query;
  const parameters = query.parameters.map((always, i) => {
    const name = names[i];
    return name === undefined ? always : values[name as keyof Values];
  });
  return { sql: text, queryId, query: node, parameters };
}

/** Tells sets of values apart by the names of those that are there; undefined is as good as left out. */
function shapeOf(values: object): string {
  let shape = "";
  for (const name in values) if (values[name as keyof typeof values] !== undefined) shape += `${name} `;
  return shape;
}

function gapsOf<Values extends object>(values: Values): Values {
  const there = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there.map(([name]) => [name, Object.freeze<Gap>({ name })])) as Values;
}

function built(query: CompiledQuery): Built {
  return { query, names: query.parameters.map((value) => (isGap(value) ? value.name : undefined)) };
}

function isGap(value: unknown): value is Gap {
  return typeof value === "object" && value !== null && "name" in value;
}

/** Any number of values as the one value of a gap. */
export type List = string & { readonly list: never };

/** Values to choose rows by, for `amongst`. */
export function listOf(values: Iterable<string>): List {
  return JSON.stringify([...values]) as List;
}

/** The values of a list, to stand to the right of an `in`. */
export function amongst(list: List): RawBuilder<string> {
  return sql`(select value from json_each(${list}))`;
}
