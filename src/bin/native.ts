/** Finds the SQLite library of the single executable, which must be written to a file before it can be loaded. */
import { hash } from "node:crypto";
import { closeSync, openSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { getRawAsset, isSea } from "node:sea";
import { privateDirectory, userCache } from "./private-directory.ts";

export type NativeSqlite =
  /** Not the executable: better-sqlite3 finds its own library in node_modules. */
  | { readonly kind: "installed" }
  /** The library inside the executable, now loaded; pass `binding` as better-sqlite3's `nativeBinding`. */
  | { readonly kind: "carried"; readonly binding: object; readonly path: string }
  /** No directory allows writing and loading it (`noexec`, read-only): use node:sqlite. `tried` says why. */
  | { readonly kind: "refused"; readonly tried: readonly string[] };

const LIBRARY = "better_sqlite3.node";

/**
 * The SQLite library to open databases with. The executable writes it once, to the first directory that allows it:
 * `LACRE_NATIVE_DIR`, beside the executable, the data directory, the user's cache. Does not throw if none does.
 */
export function nativeSqlite(dataDirectory?: string): NativeSqlite {
  if (!isSea()) return { kind: "installed" };
  const library = new Uint8Array(getRawAsset(LIBRARY));
  const tried: string[] = [];
  for (const place of places(dataDirectory)) {
    try {
      const path = install(library, place);
      const module: { exports: object } = { exports: {} };
      process.dlopen(module, path);
      return { kind: "carried", binding: module.exports, path };
    } catch (error) {
      tried.push(`${place}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return { kind: "refused", tried };
}

function places(dataDirectory: string | undefined): string[] {
  const { LACRE_NATIVE_DIR } = process.env;
  const places = [join(dirname(process.execPath), ".lacre")];
  if (LACRE_NATIVE_DIR) places.unshift(LACRE_NATIVE_DIR);
  if (dataDirectory) places.push(join(dataDirectory, ".lacre"));
  const cache = userCache();
  if (cache !== undefined) places.push(cache);
  return places;
}

/** The library's path under `place`. Writes it unless it is there already, complete and unchanged. */
function install(library: Uint8Array, place: string): string {
  const path = join(privateDirectory(place, hash("sha256", library)), LIBRARY);
  if (!holds(path, library)) {
    const draft = `${path}.${process.pid}`;
    rmSync(draft, { force: true });
    writeFileSync(draft, library, { mode: 0o500, flag: "wx" });
    renameSync(draft, path); // Two programs starting at once both get a complete file.
  }
  return path;
}

/** Compared in pieces: holding all of it in memory costs a start more than reading it. */
function holds(path: string, library: Uint8Array): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    return false;
  }
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (let at = 0; ; ) {
      const read = readSync(descriptor, piece);
      if (read === 0) return at === library.length;
      if (!piece.subarray(0, read).equals(library.subarray(at, at + read))) return false;
      at += read;
    }
  } finally {
    closeSync(descriptor);
  }
}

const PIECE_BYTES = 64 * 1024;
