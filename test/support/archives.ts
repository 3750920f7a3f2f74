/** Archives of test databases: taken, opened, changed and read. */
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { archiveLacre, type Lacre, type LacreDialect, unarchiveLacre } from "lacre";
import { bytesOf } from "./saft.ts";

/** The archive of a database. */
export function archiveOf(dialect: LacreDialect, now?: () => Date): Promise<Buffer> {
  return bytesOf(archiveLacre({ dialect, ...(now && { now }) }));
}

/** Reads bytes as an archive, in pieces of a size. */
export function readArchive(bytes: Uint8Array, dialect: LacreDialect, now?: () => Date, size = 10_000) {
  return unarchiveLacre(piecesOf(bytes, size), { dialect, ...(now && { now }) });
}

/** Bytes in pieces of a size. */
export async function* piecesOf(bytes: Uint8Array, size = 10_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The lines of an archive, without that of its hash. */
export function linesOf(archive: Uint8Array): string[] {
  return gunzipSync(archive).toString().trimEnd().split("\n").slice(0, -1);
}

/** The same for other lines, with the hash of these, as somebody who knows the format would write it. */
export function archiveWith(lines: readonly string[]): Buffer {
  const content = `${lines.join("\n")}\n`;
  const sha256 = createHash("sha256").update(content).digest("hex");
  return gzipSync(`${content}{"sha256":"${sha256}"}\n`);
}

/** The rows of an archive by table, as text. */
export function rowsOf(archive: Uint8Array): Record<string, Record<string, unknown>[]> {
  const tables: Record<string, Record<string, unknown>[]> = {};
  for (const line of linesOf(archive).slice(1)) {
    const [[name, row] = ["", {}]] = Object.entries(JSON.parse(line) as Record<string, Record<string, unknown>>);
    tables[name] ??= [];
    tables[name].push(row);
  }
  return tables;
}

/** What verifying says of everything, without the positions that a restore moves. */
export async function verifiedOf(lacre: Lacre) {
  const companies = await lacre.companies.list();
  const reports = [];
  for (const { id } of companies) {
    const { events: _, ...report } = await lacre.as(id).series.verify();
    reports.push({ id, ...report });
  }
  const { events: _, ...installation } = await lacre.installation.verify();
  return { installation, reports };
}

/** Every company's tax file of each of these months, training too, as bytes. */
export async function taxFilesOf(lacre: Lacre, months: readonly string[]): Promise<Record<string, Buffer>> {
  const files: Record<string, Buffer> = {};
  for (const { id } of await lacre.companies.list()) {
    for (const month of months) {
      for (const training of [false, true]) {
        const { file } = await lacre.as(id).saft.export({ from: `${month}-01`, to: `${month}-28`, training });
        files[`${id} ${month} ${training}`] = await bytesOf(file);
      }
    }
  }
  return files;
}
