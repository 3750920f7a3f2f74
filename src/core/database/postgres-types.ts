/** Parses values from the wire. Lacre's columns hold texts, bytes and integers that fit a number. */

/** By the id of a type (https://www.postgresql.org/docs/current/catalog-pg-type.html), as text on the wire. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === "t"], // boolean
  [17, (text) => Buffer.from(text.slice("\\x".length), "hex")], // bytea
  [20, Number], // bigint
  [21, Number], // smallint
  [23, Number], // integer
  [1700, Number], // numeric, as sums are
]);

/** The parser of each type, as a query of `pg` takes it. */
export const TYPES = {
  getTypeParser: (oid: number) => PARSERS.get(oid) ?? String,
};
