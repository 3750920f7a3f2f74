/**
 * `lacre status`: what waits, the last backup, certification, versions, and where everything is. It changes nothing.
 */
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Lacre } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { VERSION } from "../core/version.ts";
import { command } from "./command.ts";
import { FLAGS, SIGNING_KEY } from "./config.ts";
import { connectionFacts, driver } from "./driver.ts";
import { findDatabase } from "./find-database.ts";
import { withLacre } from "./open-database.ts";
import { columns, counted, show } from "./output.ts";
import { exposureOf, NOT_CERTIFIED, sentenceOf } from "./waiting.ts";

export const statusCommand = command({
  name: "status",
  summary: "shows what waits for you, the last backup, certification, versions, and where everything is",
  details: `Works beside a running server and without one, and changes nothing. With --json for programs: "waiting" is empty when
nothing waits.`,
  input: z.strictObject({ signing_key: SIGNING_KEY.signing_key, db: FLAGS.db, json: FLAGS.json }),
  async run({ db, json, signing_key }, terminal) {
    const file = findDatabase(db);
    const facts = await withLacre(file, (lacre) => factsOf(lacre, file, signing_key));
    show(terminal, json, facts, linesOf(facts));
  },
});

type Facts = Awaited<ReturnType<typeof factsOf>>;

async function factsOf(lacre: Lacre, file: string, signing_key: string | undefined) {
  const { certificate_number, producer, key_version, host_signs } = await lacre.signer.get();
  const { last_backup, restores, created_at, backup_taken_at } = await lacre.installation.get();
  const companies = await lacre.companies.list();
  const { bavail, bsize } = statfsSync(dirname(file));
  return {
    waiting: await lacre.installation.waiting(),
    companies: companies.map(({ id, name, tax_id }) => ({ id, name, tax_id })),
    certificate_number,
    producer,
    last_backup: last_backup && { ...last_backup, age_s: ageOf(last_backup.taken_at) },
    database: {
      file,
      mode: modeOf(file),
      bytes: sizeOf(file) + sizeOf(`${file}-wal`),
      free_bytes: bavail * bsize,
      created_at,
      backup_taken_at,
      restores,
    },
    signing_key: {
      version: key_version,
      file: host_signs ? (signing_key ?? null) : file,
      mode: host_signs ? (signing_key === undefined ? null : modeOf(signing_key)) : modeOf(file),
    },
    versions: { lacre: VERSION, node: process.version, ...connectionFacts(driver(), file) },
  };
}

function linesOf({
  waiting,
  companies,
  certificate_number,
  producer,
  last_backup,
  versions,
  ...facts
}: Facts): string[] {
  const { database, signing_key } = facts;
  const { lacre, node, sqlite, driver: binding, schema } = versions;
  const [only, ...others] = companies;
  const rows = [
    [
      "company",
      others.length > 0 ? `${companies.length} companies` : only ? `${only.name}, NIF ${only.tax_id}` : "none",
    ],
    ["certificate", certificate_number === 0 ? NOT_CERTIFIED : certificateText(certificate_number, producer?.name)],
    ["last backup", backupText(last_backup, database.backup_taken_at)],
    [
      "database",
      `${database.file} (${database.mode}), ${sizeText(database.bytes)}; ${sizeText(database.free_bytes)} free`,
    ],
    ["signing key", `version ${signing_key.version}, ${placeText(signing_key, database.file)}`],
    ...(database.restores > 0 ? [["restores", String(database.restores)]] : []),
    ["versions", `lacre ${lacre}, Node ${node.slice(1)}, SQLite ${sqlite} (${binding}), schema ${schema}`],
  ];
  const key_file = signing_key.file === database.file ? null : signing_key.file;
  const things = [
    ...waiting.map((one) => sentenceOf(one, others.length > 0)),
    exposureOf(database.file, "keys and customers"),
    key_file === null ? undefined : exposureOf(key_file, "the signing key"),
  ].filter((line) => line !== undefined);
  return [
    ...columns(rows),
    "",
    ...(things.length > 0 ? ["Waiting for you:", ...things.map((line) => `- ${line}`)] : ["Nothing waits for you."]),
  ];
}

function certificateText(number: number, producer: string | undefined): string {
  return `number ${number}${producer === undefined ? "" : `, of ${producer}`}`;
}

/** The last backup, or the one that this file is, where it knows of no later one. */
function backupText(last: Facts["last_backup"], backup_taken_at: string | null): string {
  if (backup_taken_at !== null && backup_taken_at > (last?.taken_at ?? "")) {
    return `${durationText(ageOf(backup_taken_at))} ago (${backup_taken_at}), the one this file is from`;
  }
  if (last === null) return "none";
  return `${durationText(last.age_s)} ago (${last.taken_at}), ${counted(last.documents, "document")}, ${last.file}`;
}

function placeText({ file, mode }: Facts["signing_key"], database: string): string {
  if (file === null) return "kept outside the database; name its file with --signing-key to see it here";
  return file === database ? "in the database" : `in ${file} (${mode})`;
}

/** The whole seconds since an instant; 0 where the clock is behind it. */
function ageOf(instant: string): number {
  return Math.max(0, Math.floor((systemClock().getTime() - Date.parse(instant)) / 1000));
}

/** `3 minutes`, `26 hours`, `12 days`. */
function durationText(seconds: number): string {
  if (seconds < 120) return counted(seconds, "second");
  if (seconds < 7_200) return counted(Math.floor(seconds / 60), "minute");
  if (seconds < 172_800) return counted(Math.floor(seconds / 3_600), "hour");
  return counted(Math.floor(seconds / 86_400), "day");
}

/** `812 kB`, `4.1 MB`. */
function sizeText(bytes: number): string {
  const units = ["kB", "MB", "GB", "TB"];
  let size = bytes / 1000;
  while (size >= 1000 && units.length > 1) {
    size /= 1000;
    units.shift();
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[0]}`;
}

/** The permissions of a file as `ls` shows them: `rw-------`. */
function modeOf(file: string): string {
  const { mode } = statSync(file);
  return Array.from("rwxrwxrwx", (letter, i) => (mode & (0o400 >> i) ? letter : "-")).join("");
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
