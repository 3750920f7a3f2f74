/** Parses values from the wire. Lacre's columns hold texts, bytes and integers that fit a number. */

/** By the id of a type (https://www.postgresql.org/docs/current/catalog-pg-type.html), as text on the wire. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === "t"], // boolean
  [17, bytesFrom], // bytea
  [20, Number], // bigint
  [21, Number], // smallint
  [23, Number], // integer
  [1700, Number], // numeric, as sums are
]);

/** A connection of the host program's may write bytes as `escape` does (`bytea_output`). */
function bytesFrom(text: string): Buffer {
  if (text.startsWith("\\x")) return Buffer.from(text.slice(2), "hex");
  const plain = text.replace(/\\(\\|[0-7]{3})/g, (_, code) =>
    code === "\\" ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(plain, "latin1");
}

/** The parser of each type, as a query of `pg` takes it. */
export const TYPES = {
  getTypeParser: (oid: number) => PARSERS.get(oid) ?? String,
};
