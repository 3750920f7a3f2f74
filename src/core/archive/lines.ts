/**
 * The lines of an archive. Each is a JSON object with one name, the kind of the line. The first describes the archive;
 * the last is the SHA-256 of all bytes before it. docs/archive.md describes them for readers.
 */
import { createHash } from "node:crypto";
import * as z from "zod";
import type { StoredRow, StoredValue } from "../database/stored-rows.ts";
import { Instant, text } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { Head } from "../series/heads.ts";
import { t } from "./refusals.ts";

/** The format that this program writes, and the only one it reads. */
export const FORMAT = 1;

/** The first line. More members may come in this format. */
export const Header = z.object({
  lacre_archive: z.literal(FORMAT),
  lacre: text(40).describe("The version of Lacre that wrote it."),
  taken_at: Instant,
  engine: z.enum(["sqlite", "postgres"]),
  migrations: z.array(z.object({ id: text(100), digest: z.string() })).min(1),
});

/** The lines after the rows: a head of each series and record of events, then the number of rows of each table. */
export const HeadLine = z.strictObject({ head: Head });
export const RowsLine = z.strictObject({ rows: z.record(z.string(), z.int().min(0)) });

const HASH = '{"sha256":"';

/** Lines are passed on together once they are this long. */
const TOGETHER = 64 * 1024;

/** Lines as bytes, with the line of their hash at the end. */
export async function* sealed(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const sha256 = createHash("sha256");
  let held = "";
  for await (const line of lines) {
    held += `${line}\n`;
    if (held.length < TOGETHER) continue;
    const bytes = Buffer.from(held);
    sha256.update(bytes);
    yield bytes;
    held = "";
  }
  const rest = Buffer.from(held);
  yield rest;
  yield Buffer.from(`${HASH}${sha256.update(rest).digest("hex")}"}\n`);
}

/** Longer than any row: a line must fit in memory. */
const LONGEST = 32 * 1024 * 1024;

/** The lines within pieces, in groups, without the last, the hash. Refuses if it is missing or wrong. */
export async function* opened(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const sha256 = createHash("sha256");
  let begun: Uint8Array[] = [];
  let begun_bytes = 0;
  let stated: string | undefined;
  for await (const piece of pieces) {
    if (stated !== undefined) damaged();
    const end = piece.lastIndexOf(NEW_LINE) + 1;
    if (end > 0) {
      const { lines, hash } = withoutHash(Buffer.concat([...begun, piece.subarray(0, end)]));
      stated = hash;
      sha256.update(lines);
      if (lines.length > 0) yield decoded(lines).split("\n").slice(0, -1);
      begun = [];
      begun_bytes = 0;
    }
    const rest = piece.subarray(end);
    if (rest.length > 0) begun.push(rest);
    begun_bytes += rest.length;
    if (begun_bytes > LONGEST) refuse("invalid_request", t.archive_is_bloated);
  }
  if (stated === undefined) return refuse("invalid_request", t.archive_is_cut_off);
  if (begun_bytes > 0) damaged();
  if (stated !== sha256.digest("hex")) refuse("invalid_request", t.archive_was_changed);
}

const NEW_LINE = 0x0a;

/** Whole lines, and the hash that the last one states, if it is that of the hash. */
function withoutHash(block: Buffer): { readonly lines: Buffer; readonly hash: string | undefined } {
  const start = block.subarray(0, -1).lastIndexOf(NEW_LINE) + 1;
  const last = block.subarray(start);
  if (last.toString("latin1", 0, HASH.length) !== HASH) return { lines: block, hash: undefined };
  return { lines: block.subarray(0, start), hash: last.toString("latin1").slice(HASH.length, -'"}\n'.length) };
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return damaged();
  }
}

/** Refuses a damaged archive. */
export function damaged(): never {
  return refuse("invalid_request", t.archive_is_damaged);
}

/** Parses a line, which must be an object. */
export function objectIn(line: string): object {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    return damaged();
  }
  return typeof given === "object" && given !== null && !Array.isArray(given) ? given : damaged();
}

/** The line of a row. Bytes become `{"base64":"…"}`. */
export function lineOfRow(table: string, row: StoredRow): string {
  return `{"${table}":${JSON.stringify(hasBytes(row) ? withoutBytes(row) : row)}}`;
}

function hasBytes(row: StoredRow): boolean {
  for (const name in row) if (row[name] instanceof Uint8Array) return true;
  return false;
}

function withoutBytes(row: StoredRow): object {
  const encoded = (value: StoredValue) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, encoded(value)]));
}

/** Reads a row of a table with these columns from its line. */
export function rowIn(given: unknown, columns: readonly string[]): StoredRow {
  if (typeof given !== "object" || given === null || Object.keys(given).length !== columns.length) return damaged();
  const row = given as Record<string, unknown>;
  for (const name of columns) if (!isStorable(row[name])) row[name] = bytesIn(row[name]);
  return row as StoredRow;
}

/** SQLite would cut a text at a zero in some places, and PostgreSQL takes none; half a surrogate pair has no bytes. */
function isStorable(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === "string" ? value.isWellFormed() && !value.includes("\0") : Number.isSafeInteger(value);
}

function bytesIn(value: unknown): Uint8Array {
  const { base64 } = (value ?? {}) as { readonly base64?: unknown };
  return typeof base64 === "string" ? Buffer.from(base64, "base64") : damaged();
}
