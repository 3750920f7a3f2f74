/** How a table is described: its columns as data, from which row types, states and seals are read. */
import type { Generated } from "kysely";
import type { Day, EntryTime, Instant } from "../fiscal/civil-time.ts";

/** A column. `Value` is what Kysely knows of it; nothing holds one. */
export interface Column<Value = unknown> {
  readonly type: "text" | "integer" | "blob";
  readonly isNullable: boolean;
  /** An insert may leave it out. */
  readonly isFilled: boolean;
  /** The first version of a state or a seal that covers it. */
  readonly since: number;
  readonly value?: Value;
}

/** A column that can be described further. */
export interface Described<Value> extends Column<Value> {
  /** A column with certain values alone. */
  as<Own extends Value>(): Described<Own>;
  readonly orNull: Described<Value | null>;
  /** One that the database fills where an insert leaves it out. */
  readonly filled: Described<Generated<Value>>;
  /**
   * A column that a later migration added: states and seals cover it from the version with that migration's number on.
   * It must be nullable: what was sealed before stays valid while it is null.
   */
  readonly from: null extends Value ? (version: number) => Described<Value> : never;
}

function described<Value>(column: Omit<Column, "value">): Described<Value> {
  return {
    ...column,
    as: <Own extends Value>() => described<Own>(column),
    get orNull() {
      return described<Value | null>({ ...column, isNullable: true });
    },
    get filled() {
      return described<Generated<Value>>({ ...column, isFilled: true });
    },
    from: ((since: number) => described<Value>({ ...column, since })) as Described<Value>["from"],
  };
}

const FIRST = { isNullable: false, isFilled: false, since: 1 } as const;

export const text = described<string>({ ...FIRST, type: "text" });
/** A whole number of 64 bits. */
export const integer = described<number>({ ...FIRST, type: "integer" });
export const day = text.as<Day>();
export const entryTime = text.as<EntryTime>();
export const instant = text.as<Instant>();
export const blob = described<Uint8Array>({ ...FIRST, type: "blob" });

/** The columns of a table by name. */
export type Columns = Readonly<Record<string, Column>>;

/** The type of a table's rows, as Kysely knows it. */
export type RowOf<Own extends Columns> = {
  -readonly [Name in keyof Own]: Own[Name] extends Column<infer Value> ? Value : never;
};

/** A column that a state or a seal covers: its name there, and the first version that has it. */
export interface Covered {
  readonly name: string;
  readonly since: number;
}

/** The newest version of a form that covers these columns. */
export function newestOf(columns: readonly Covered[]): number {
  return Math.max(1, ...columns.map(({ since }) => since));
}

/**
 * Makes a function that lists, by name and sorted, the columns that a version of a form covers: those that existed
 * then, and any later one that is not null in the row, so that a value nobody could have sealed does not pass as
 * sealed.
 */
export function coverage(columns: readonly Covered[]): (version: number, row: object) => readonly string[] {
  const sorted = columns.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const all = sorted.map(({ name }) => name);
  const newest = newestOf(columns);
  return (version, row) => {
    if (version >= newest) return all;
    const isCovered = ({ name, since }: Covered) => since <= version || row[name as keyof typeof row] !== null;
    return sorted.filter(isCovered).map(({ name }) => name);
  };
}
