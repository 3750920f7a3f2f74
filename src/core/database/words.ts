/** Words of SQL that each engine writes in its own way; `textFor` picks the engine's as a statement is compiled. */
import { type Expression, type OperationNode, type RawBuilder, type RawNode, type SqlBool, sql } from "kysely";
import type { EngineName } from "./engine.ts";
import type { Tables } from "./tables.ts";

/** A word as each engine writes it. */
type ByEngine = Readonly<Record<EngineName, Expression<unknown>>>;

function word<T>(by: ByEngine): Expression<T> {
  const node = { kind: "RawNode", sqlFragments: [], parameters: [], by } satisfies RawNode & { by: ByEngine };
  return {
    get expressionType() {
      return undefined;
    },
    toOperationNode: () => node as OperationNode,
  } as Expression<T>;
}

/** The text of a node for an engine: a word's own, or that of any other node. */
export function textFor(engine: EngineName, node: RawNode): RawNode {
  const { by } = node as RawNode & { readonly by?: ByEngine };
  return by ? (by[engine].toOperationNode() as RawNode) : node;
}

/** Any number of values in one parameter. */
export type List = string & { readonly list: never };

/** Packs values for `valuesOf`. */
export function listOf(values: Iterable<string>): List {
  return JSON.stringify([...values]) as List;
}

/** The values of a list, for the right side of an `in`. */
export function valuesOf(list: List): Expression<string> {
  return word({
    sqlite: sql`(select value from json_each(${list}))`,
    postgres: sql`(select value from jsonb_array_elements_text(${list}::jsonb) as each (value))`,
  });
}

/** Whether a column differs from this value, which is written into the statement: a partial index requires that. */
export function isNot(column: string, value: string): Expression<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} <> ${sql.lit(value)}`;
}

/** Whether a column has this value, written into the statement as above. */
export function isJust(column: string, value: string): Expression<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} = ${sql.lit(value)}`;
}

/** Whether a column is more than 0, which is written into the statement: a partial index requires that. */
export function isAboveZero(column: string): Expression<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} > 0`;
}

/** Whether a column is less than 0, written into the statement as above. */
export function isBelowZero(column: string): Expression<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} < 0`;
}

/**
 * Whether a column has this value, in rows that another condition finds: it never selects an index. SQLite would
 * otherwise walk a whole company in the order of a list rather than sort the few rows found.
 */
export function alsoHas(column: string, value: unknown): Expression<SqlBool> {
  return word({
    sqlite: sql`+${sql.ref(column)} = ${value}`,
    postgres: sql`${sql.ref(column)} = ${value}`,
  });
}

/** Whether the values of columns come before these, compared in turn. */
export function isBefore(columns: readonly string[], values: readonly unknown[]): Expression<SqlBool> {
  return sql<SqlBool>`(${sql.join(columns.map((column) => sql.ref(column)))}) < (${sql.join(values)})`;
}

/** Whether the values of columns come after these, compared in turn. */
export function isAfter(columns: readonly string[], values: readonly unknown[]): Expression<SqlBool> {
  return sql<SqlBool>`(${sql.join(columns.map((column) => sql.ref(column)))}) > (${sql.join(values)})`;
}

/** Whether a column is at least this value, in rows that another condition finds, as `alsoHas` says. */
export function isAlsoFrom(column: string, value: unknown): Expression<SqlBool> {
  return word({
    sqlite: sql`+${sql.ref(column)} >= ${value}`,
    postgres: sql`${sql.ref(column)} >= ${value}`,
  });
}

/**
 * Whether a column has a value that few rows share. Among several indexes SQLite then takes the one by this column;
 * otherwise it prefers one by more columns.
 */
export function hasRarely(column: string, value: unknown): Expression<SqlBool> {
  return word({
    sqlite: sql`unlikely(${sql.ref(column)} = ${value})`,
    postgres: sql`${sql.ref(column)} = ${value}`,
  });
}

/** A condition by which SQLite should not choose an index. */
export function likely(condition: Expression<unknown>): Expression<SqlBool> {
  return word({ sqlite: sql`likely(${condition})`, postgres: sql`(${condition})` });
}

/** Whether a column contains a text. */
export function contains(column: string, text: string): Expression<SqlBool> {
  return word({
    sqlite: sql`instr(${sql.ref(column)}, ${text}) > 0`,
    postgres: sql`strpos(${sql.ref(column)}, ${text}) > 0`,
  });
}

/** The beginning of a text, as the indexes by name store it: an index entry has a maximum size. */
export function beginningOf(column: string): Expression<string> {
  return sql<string>`substr(${sql.ref(column)}, 1, 60)`;
}

/** A text, or this one where there is none, which is written into the statement: an index stores it so. */
export function orElse(column: string, value: string): Expression<string> {
  return sql<string>`coalesce(${sql.ref(column)}, ${sql.lit(value)})`;
}

/** The larger of two numbers, neither of them null. */
export function larger(one: Expression<unknown>, other: Expression<unknown>): Expression<number> {
  return word({ sqlite: sql`max(${one}, ${other})`, postgres: sql`greatest(${one}, ${other})` });
}

/** At the end of a select: locks its rows against other transactions. On SQLite no other one can write. */
export function untilCommit(): Expression<unknown> {
  return word({ sqlite: sql``, postgres: sql`for no key update` });
}

/** Two columns of one row as one text, with a space between. */
export function inOneText(one: string, other: string): RawBuilder<string> {
  return sql<string>`${sql.ref(one)} || ' ' || ${sql.ref(other)}`;
}

/** Columns of many rows as one JSON text: an array of objects. */
export function jsonOf(columns: Readonly<Record<string, Expression<unknown>>>): Expression<string> {
  const members = sql.join(Object.entries(columns).flatMap(([name, value]) => [sql.lit(name), value]));
  return word({
    sqlite: sql`json_group_array(json_object(${members}))`,
    postgres: sql`coalesce(json_agg(json_build_object(${members})), '[]')::text`,
  });
}

/** A piece of text to look for in a search index, whole or as the beginning of a word. */
export interface SoughtPiece {
  readonly piece: string;
  readonly is_beginning: boolean;
}

/** Whether a row of a search index has all of these pieces. */
export function hasPieces(index: string, sought: readonly SoughtPiece[]): Expression<SqlBool> {
  const match = sought.map(({ piece, is_beginning }) => `"${piece.replaceAll('"', '""')}"${is_beginning ? "*" : ""}`);
  const query = sought.map(
    ({ piece, is_beginning }) => `'${piece.replaceAll("\\", "\\\\").replaceAll("'", "''")}'${is_beginning ? ":*" : ""}`,
  );
  return word({
    sqlite: sql`${sql.table(index)} match ${match.join(" AND ")}`,
    postgres: sql`${sql.ref(`${index}.pieces`)} @@ ${query.join(" & ")}::tsquery`,
  });
}

/** Pieces as a search index stores them. */
export function storedPieces(pieces: readonly string[]): Expression<string> {
  const text = pieces.join("\n");
  return word({ sqlite: sql`${text}`, postgres: sql`array_to_tsvector(string_to_array(${text}, chr(10)))` });
}

/** A table in a statement written as text, which names its columns by the bare name of the table. */
export function tableAs(name: keyof Tables): Expression<unknown> {
  return sql`${sql.table(name)} as ${sql.id(name)}`;
}
