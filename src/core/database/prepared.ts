/** Statements that are built once: building one costs Kysely several times what running it costs SQLite. */
import type { CompiledQuery, Kysely } from "kysely";
import type { Tables } from "./tables.ts";

/** What a query's scope can do. */
type Reader = Pick<Kysely<Tables>, "selectFrom">;

interface Compilable<Result> {
  compile(): CompiledQuery<Result>;
}

/** A statement with gaps where its values go. */
interface Built {
  readonly query: CompiledQuery;
  /** For each parameter the name of its value, or the one value it always has. */
  readonly parameters: readonly (Gap | { readonly always: unknown })[];
}

/** Stands for the value of a name while a statement is built. */
interface Gap {
  readonly name: string;
}

/**
 * A select that is built at its first use and then only given its values. `build` is an ordinary query over values it
 * may place but not look at:
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

/** An insert, update or delete in the same way. Every use names the same columns as the first. */
export function preparedWrite<Values extends object, Result>(
  build: (db: Kysely<Tables>, values: Values) => Compilable<Result>,
): (db: Kysely<Tables>, values: Values) => Promise<Result[]> {
  return prepared(build);
}

function prepared<Values extends object, Result>(
  build: (db: Kysely<Tables>, values: Values) => Compilable<Result>,
): (db: Kysely<Tables>, values: Values) => Promise<Result[]> {
  // One for each database that is open: each has its dialect.
  const statements = new WeakMap<object, Built>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    const known = statements.get(adapter);
    const { query, parameters } = known ?? built(build(db, gapsOf(values)).compile());
    if (!known) statements.set(adapter, { query, parameters });
    const given = parameters.map((parameter) =>
      "name" in parameter ? values[parameter.name as keyof Values] : parameter.always,
    );
    return (await db.executeQuery<Result>({ ...query, parameters: given } as CompiledQuery<Result>)).rows;
  };
}

function gapsOf<Values extends object>(values: Values): Values {
  return Object.fromEntries(Object.keys(values).map((name) => [name, Object.freeze<Gap>({ name })])) as Values;
}

function built(query: CompiledQuery): Built {
  return { query, parameters: query.parameters.map((value) => (isGap(value) ? value : { always: value })) };
}

function isGap(value: unknown): value is Gap {
  return typeof value === "object" && value !== null && "name" in value;
}
