/**
 * `lacre status`: what waits, the last backup, certification, versions, and where everything is. It changes nothing.
 */
import { statSync } from "node:fs";
import * as z from "zod";
import { LATEST } from "../core/database/schema-facts.ts";
import type { Instant } from "../core/fiscal/civil-time.ts";
import { REHEARSAL_NUMBER } from "../core/fiscal/numbering.ts";
import type { Lacre } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { VERSION } from "../core/version.ts";
import { command } from "./command.ts";
import { about, FLAGS, SIGNING_KEY } from "./config.ts";
import { type Database, findDatabase, lookInto } from "./database/open.ts";
import { Failure } from "./exit.ts";
import { freeBytesAt } from "./files.ts";
import { pathElsewhere } from "./heads-note.ts";
import { columns, show, sizeText } from "./output.ts";
import type { Terminal } from "./terminal.ts";
import type { Texts, Words } from "./texts/texts.ts";
import { exposureOf, sentenceOf } from "./waiting.ts";

export const statusCommand = command({
  name: "status",
  input: z.strictObject({
    check: z.boolean().default(false).meta(about("status_check")),
    signing_key: SIGNING_KEY.signing_key,
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ check, db, json, signing_key }, terminal) {
    const database = findDatabase(db);
    const facts = await lookInto(database, (lacre) => factsOf(lacre, database, signing_key));
    const things = thingsIn(facts, terminal);
    show(terminal, json, facts, linesOf(facts, things, terminal.texts));
    if (check && things.length > 0)
      throw new Failure("waiting", (t) => t.status.so_many_wait({ count: things.length }));
  },
});

type Facts = Awaited<ReturnType<typeof factsOf>>;

async function factsOf(lacre: Lacre, database: Database, signing_key: string | undefined) {
  const { certificate_number, producer, key_version, host_signs } = await lacre.signer.get();
  const { last_backup, no_backups, restores, created_at, backup_taken_at } = await lacre.installation.get();
  const companies = await lacre.companies.list();
  const { bytes, versions } = await database.facts();
  const place = placeOf(database, bytes);
  const holdsKey = "file" in place ? { file: place.file, mode: place.mode } : { file: place.address, mode: null };
  return {
    waiting: await lacre.installation.waiting(),
    checks: await lacre.installation.checks(),
    companies: companies.map(({ id, name, tax_id }) => ({ id, name, tax_id })),
    certificate_number,
    producer,
    heads_elsewhere: (await pathElsewhere(lacre)) ?? null,
    no_backups,
    last_backup: last_backup && { ...last_backup, age_s: ageOf(last_backup.taken_at) },
    database: { ...place, created_at, backup_taken_at, restores },
    signing_key: {
      version: key_version,
      ...(host_signs
        ? { file: signing_key ?? null, mode: signing_key === undefined ? null : modeOf(signing_key) }
        : holdsKey),
    },
    versions: { lacre: VERSION, node: process.version, ...versions },
  };
}

function placeOf({ file, name }: Database, bytes: number): Place {
  if (file === undefined) return { address: name, bytes };
  return { file, mode: modeOf(file), bytes, free_bytes: freeBytesAt(file) };
}

/** The place and size of the database. */
type Place =
  | { readonly file: string; readonly mode: string; readonly bytes: number; readonly free_bytes: number }
  | { readonly address: string; readonly bytes: number };

/** Everything that waits, and files that others can read. */
function thingsIn({ waiting, companies, database, signing_key, versions }: Facts, terminal: Terminal): Words[] {
  const { schema } = versions;
  const file = "file" in database ? database.file : undefined;
  const key_file = signing_key.file === nameOf(database) ? null : signing_key.file;
  return [
    ...waiting.map((one) => sentenceOf(one, companies.length > 1, terminal)),
    schema === LATEST ? undefined : (t: Texts) => t.status.upgrade({ from: String(schema), to: LATEST }),
    file === undefined ? undefined : exposureOf(file, "keys"),
    key_file === null ? undefined : exposureOf(key_file, "key"),
  ].filter((words) => words !== undefined);
}

/** The file of the database, or its address. */
function nameOf(database: Facts["database"]): string {
  return "file" in database ? database.file : database.address;
}

function linesOf(facts: Facts, things: readonly Words[], texts: Texts): string[] {
  const { checks, companies, certificate_number, producer, last_backup, no_backups, versions, database, signing_key } =
    facts;
  const { status: t } = texts;
  const { lacre, node, driver: binding, schema } = versions;
  const { sqlite, postgres } = versions;
  const engine = sqlite === undefined ? `PostgreSQL ${postgres}` : `SQLite ${sqlite}`;
  const [only, ...others] = companies;
  const one = only ? t.company_of({ name: only.name, tax_id: only.tax_id }) : texts.none;
  const size = sizeText(database.bytes, texts);
  const rows = [
    [t.company, others.length > 0 ? t.companies({ count: companies.length }) : one],
    [t.certificate, certificateText(certificate_number, producer?.name, texts)],
    [
      t.last_backup,
      "file" in database ? backupText(last_backup, database.backup_taken_at, texts) : t.backups_of_server,
    ],
    ...("file" in database ? [[t.heads, facts.heads_elsewhere ?? t.heads_beside]] : []),
    ...(no_backups
      ? [[t.no_backups, t.no_backups_because({ because: no_backups.because, since: no_backups.since })]]
      : []),
    [t.checked, checkText(checks, texts)],
    [
      t.database,
      "file" in database
        ? t.file({ file: database.file, mode: database.mode, size, free: sizeText(database.free_bytes, texts) })
        : t.on_server({ address: database.address, size }),
    ],
    [
      t.signing_key,
      t.key({ version: Number(signing_key.version), place: placeText(signing_key, nameOf(database), texts) }),
    ],
    ...(database.restores > 0 ? [[t.restores, String(database.restores)]] : []),
    [
      t.versions,
      `lacre ${lacre}, Node ${node.slice(1)}, ${engine} (${binding}), ${t.schema({ number: String(schema) })}`,
    ],
  ];
  return [
    ...columns(rows),
    "",
    ...(things.length > 0 ? [t.waits, ...things.map((words) => `- ${words(texts)}`)] : [t.nothing_waits]),
  ];
}

function certificateText(number: number, producer: string | undefined, { status: t, waiting }: Texts): string {
  if (number === 0) return waiting.not_certified;
  if (number === REHEARSAL_NUMBER) return t.rehearsal;
  return producer === undefined ? t.certificate_number({ number }) : t.certificate_of({ number, producer });
}

/** When all companies were checked: the oldest of their checks. Findings are among what waits. */
function checkText(checks: Facts["checks"], { status: t, none }: Texts): string {
  const [first] = checks.map(({ checked_at }) => checked_at).sort();
  return first === undefined ? none : t.checked_ago({ age: durationText(ageOf(first), t), at: first });
}

/** The last backup, or the one that this file is, if it knows of no later one. */
function backupText(last: Facts["last_backup"], backup_taken_at: Instant | null, { status: t, none }: Texts): string {
  if (backup_taken_at !== null && backup_taken_at > (last?.taken_at ?? "")) {
    return t.from_backup({ age: durationText(ageOf(backup_taken_at), t), taken_at: backup_taken_at });
  }
  if (last === null) return none;
  return t.backup_of({
    age: durationText(last.age_s, t),
    taken_at: last.taken_at,
    count: last.documents,
    file: last.file,
  });
}

function placeText({ file, mode }: Facts["signing_key"], database: string, { status: t }: Texts): string {
  if (file === null) return t.key_unseen;
  return file === database ? t.key_in_database : t.key_in({ file, mode: String(mode) });
}

/** The whole seconds since an instant; 0 if the clock is behind it. */
function ageOf(instant: Instant): number {
  return Math.max(0, Math.floor((systemClock().getTime() - Date.parse(instant)) / 1000));
}

/** `3 minutes`, `26 hours`, `12 days`. */
function durationText(seconds: number, t: Texts["status"]): string {
  if (seconds < 120) return t.seconds({ count: seconds });
  if (seconds < 7_200) return t.minutes({ count: Math.floor(seconds / 60) });
  if (seconds < 172_800) return t.hours({ count: Math.floor(seconds / 3_600) });
  return t.days({ count: Math.floor(seconds / 86_400) });
}

/** The permissions of a file as `ls` shows them: `rw-------`. */
function modeOf(file: string): string {
  const { mode } = statSync(file);
  return Array.from("rwxrwxrwx", (letter, i) => (mode & (0o400 >> i) ? letter : "-")).join("");
}
