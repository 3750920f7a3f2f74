/** Statements that are compiled once: compiling one costs Kysely several times what running it costs SQLite. */
import type { CompiledQuery, Kysely, RawBuilder } from "kysely";
import type { Engine } from "./engine.ts";
import { type ExecutorDb, executorOf, type Soon } from "./executor.ts";
import type { Reader, Tables } from "./tables.ts";

interface Compilable<Result> {
  compile(): CompiledQuery<Result>;
}

/** A compiled statement with placeholders for its values. */
interface Statement {
  readonly query: CompiledQuery;
  /** The names of the present values, in their order. */
  readonly present: readonly string[];
  /** For each parameter the name of its value; undefined if its value never changes. */
  readonly names: readonly (string | undefined)[];
  readonly gives_rows: boolean;
}

/** Stands for a value while its statement is compiled. */
interface Placeholder {
  readonly name: string;
}

/**
 * A select that is compiled at its first use; later calls only fill in values. `build` is an ordinary query that may
 * place its values but not read them. It may test whether one is present: each combination of present values gets its
 * own statement.
 *
 *     const byId = preparedSelect((db, { id }: { id: string }) =>
 *       db.selectFrom("series").selectAll().where("id", "=", id));
 *     const [row] = await byId(scope.db, { id });
 */
export function preparedSelect<Values extends object, Result>(
  build: (db: Reader, values: Values) => Compilable<Result>,
): (db: Reader, values: Values) => Soon<Result[]> {
  return prepared(build);
}

/** A select written as text, for `preparedSelect`. */
export function asText<Result>(db: Reader, statement: RawBuilder<Result>): Compilable<Result> {
  return { compile: () => statement.compile(db as Kysely<Tables>) };
}

/** The same for an insert, update or delete. Without `returning`, the next statement may throw its error. */
export function preparedWrite<Values extends object, Result>(
  build: (db: Kysely<Tables>, values: Values) => Compilable<Result>,
): (db: Kysely<Tables>, values: Values) => Soon<Result[]> {
  return prepared(build);
}

function prepared<Values extends object, Result>(
  build: (db: Kysely<Tables>, values: Values) => Compilable<Result>,
): (db: Reader, values: Values) => Soon<Result[]> {
  // By engine; one statement for each combination of present values, which is mostly one.
  const statements = new WeakMap<Engine, Statement[]>();
  return (db, values) => {
    const own = executorOf(db);
    const known = statements.get(own.engine);
    const statement = known?.find((one) => isFor(one, values)) ?? compiledFor(own, values);
    const query = filled<Values, Result>(statement, values);
    if (!statement.gives_rows) {
      const sent = own.executor.send(query);
      return sent instanceof Promise ? sent.then(() => []) : [];
    }
    const result = own.executor.run(query);
    return result instanceof Promise ? result.then(({ rows }) => rows) : result.rows;
  };

  function compiledFor(db: ExecutorDb, values: Values): Statement {
    const statement = statementOf(build(db, placeholdersFor(values)).compile(), presentIn(values));
    statements.set(db.engine, [...(statements.get(db.engine) ?? []), statement]);
    return statement;
  }
}

function filled<Values extends object, Result>({ query, names }: Statement, values: Values): CompiledQuery<Result> {
  const { sql: text, queryId, query: node } = query;
  const parameters = query.parameters.slice();
  for (let i = 0; i < parameters.length; i++) {
    const name = names[i];
    if (name !== undefined) parameters[i] = values[name as keyof Values];
  }
  return { sql: text, queryId, query: node, parameters };
}

/** The names of the present values; undefined counts as absent. */
function presentIn(values: object): string[] {
  return Object.keys(values).filter((name) => values[name as keyof typeof values] !== undefined);
}

/** Whether a statement was compiled for these present values. */
function isFor({ present }: Statement, values: object): boolean {
  let count = 0;
  for (const name in values) {
    if (values[name as keyof typeof values] !== undefined && present[count++] !== name) return false;
  }
  return count === present.length;
}

function placeholdersFor<Values extends object>(values: Values): Values {
  return Object.fromEntries(presentIn(values).map((name) => [name, Object.freeze<Placeholder>({ name })])) as Values;
}

function statementOf(query: CompiledQuery, present: readonly string[]): Statement {
  const names = query.parameters.map((value) => (isPlaceholder(value) ? value.name : undefined));
  return { query, present, names, gives_rows: givesRows(query.query) };
}

/** Whether a statement is a select, or a change that returns rows. */
function givesRows(node: CompiledQuery["query"]): boolean {
  return !("kind" in node && /^(Insert|Update|Delete)QueryNode$/.test(node.kind)) || "returning" in node;
}

function isPlaceholder(value: unknown): value is Placeholder {
  return typeof value === "object" && value !== null && "name" in value;
}
