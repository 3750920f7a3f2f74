/** The machine, so that figures are never read without it; and what it does by itself, to hold figures against. */
import { generateKeyPairSync, sign, verify } from "node:crypto";
import { rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import Database from "better-sqlite3";

/** One line about the machine and what runs on it now. */
export function machine(): string {
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(" ");
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  const sqlite = new Database(":memory:").prepare("select sqlite_version()").pluck().get();
  return `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${memory} GiB, Linux ${release()}, Node ${process.versions.node}, SQLite ${sqlite}; load ${load}`;
}

/** Commits of one small row per second, WAL with `synchronous=FULL`, one after another: what the disk allows. */
export function bareCommitsPerSecond(directory: string): number {
  const file = `${directory}/bare.db`;
  const db = new Database(file);
  db.pragma("journal_mode = wal");
  db.pragma("synchronous = full");
  db.exec("create table if not exists rows (value integer)");
  const insert = db.prepare("insert into rows values (1)");
  const rate = perSecond(() => insert.run());
  db.close();
  for (const ending of ["", "-wal", "-shm"]) rmSync(file + ending, { force: true });
  return rate;
}

/** RSA-SHA1 with 1024 bits over a text of the usual length, one after another on one core. */
export function bareSignatures(): { readonly signed_per_second: number; readonly verified_per_second: number } {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const text = Buffer.alloc(230, "a");
  const signature = sign("RSA-SHA1", text, privateKey);
  return {
    signed_per_second: perSecond(() => sign("RSA-SHA1", text, privateKey)),
    verified_per_second: perSecond(() => verify("RSA-SHA1", text, publicKey, signature)),
  };
}

/** How often this can be done in a second, tried for one. */
function perSecond(work: () => unknown): number {
  const began = performance.now();
  let times = 0;
  while (performance.now() - began < 1_000) {
    work();
    times++;
  }
  return (times * 1_000) / (performance.now() - began);
}
