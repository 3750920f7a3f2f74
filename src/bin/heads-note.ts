/**
 * The note of heads, `<db>.heads`: the last number and seal of every series and record of events, kept beside the
 * database while a server runs, and also in a directory elsewhere if one was named. It reveals an older copy that was
 * put back by hand, which would issue numbers a second time. Its random mark is also in the database: a database whose
 * mark differs from its note's is a copy.
 */
import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { seriesOfNumber } from "../core/fiscal/numbering.ts";
import { type Head, type HeadConflict, type Lacre, LacreError, type Log } from "../core/index.ts";
import { inTime, randomSecret, systemClock, systemTimer } from "../core/runtime/ports.ts";
import { Failure } from "./exit.ts";
import { explained, inWords } from "./explain.ts";
import { exists, readGiven, sync } from "./files.ts";
import type { Texts, Words } from "./texts/texts.ts";

/** The note beside a database. */
export function headsOf(database: string): string {
  return `${database}.heads`;
}

/**
 * The note of an installation in a directory elsewhere, which others may share. All copies of a database use the same
 * one, so that two running copies are noticed.
 */
export function headsIn(directory: string, created_at: string): string {
  return join(directory, `lacre-${hash("sha256", created_at).slice(0, 8)}.heads`);
}

/** A note as it is stored and printed. A later version has another number; this one may get more fields. */
export interface HeadsNote {
  readonly lacre_heads: 1;
  /** The mark of the note beside the database; a printed note has none. */
  readonly mark?: string | undefined;
  readonly noted_at: string;
  readonly heads: readonly Head[];
}

const Stored = z.object({
  lacre_heads: z.literal(1),
  mark: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  heads: z.array(
    z.object({
      company_id: z.string().nullable(),
      number: z.string().regex(/^(?:events|[A-Z]{2} [^ /]{1,20})\/\d{1,15}$/),
      seal: z.string(),
    }),
  ),
});

/** The content of a note in a file. */
type Noted = Pick<z.output<typeof Stored>, "mark" | "heads">;

const NOTHING: Noted = { heads: [] };

/** The note of a database's current heads. */
export async function noteOf(lacre: Lacre): Promise<HeadsNote> {
  return { lacre_heads: 1, noted_at: systemClock().toISOString(), heads: await lacre.installation.heads() };
}

/** The heads noted in a file; throws `Failure` if it is not such a note. */
export function readNote(path: string): Head[] {
  return parsed(path, readGiven(path).toString()).heads;
}

function parsed(path: string, text: string): Noted {
  try {
    return Stored.parse(JSON.parse(text));
  } catch (error) {
    throw new Failure("refused", (t) => t.heads.not_a_note({ path }), error);
  }
}

/** The note beside a database; empty if there is none. Throws `Failure` if it cannot be read. */
function readBeside(database: string): Noted {
  const path = headsOf(database);
  return exists(path) ? parsed(path, readGiven(path).toString()) : NOTHING;
}

/** The heads noted beside a database; none if there is no note or it cannot be read. */
export function notedBeside(database: string): Head[] {
  try {
    return readBeside(database).heads;
  } catch {
    return [];
  }
}

/** How long to wait for a directory elsewhere, perhaps on another machine. */
const ELSEWHERE_MS = 3_000;

/** The heads noted elsewhere; none if no directory was named. Throws `Failure` if they cannot be read. */
async function readElsewhere(lacre: Lacre): Promise<Head[]> {
  const path = await pathElsewhere(lacre);
  if (path === undefined) return [];
  const text = await inTime(() => readFile(path, "utf8"), ELSEWHERE_MS, systemTimer).catch((error) => {
    throw inWords(error, path);
  });
  return parsed(path, text).heads;
}

/** The path of the note elsewhere; undefined if no directory was named. */
export async function pathElsewhere(lacre: Lacre): Promise<string | undefined> {
  const { heads_directory, created_at } = await lacre.installation.get();
  return heads_directory === null ? undefined : headsIn(heads_directory, created_at);
}

/** All noted heads, beside a database and elsewhere, the latest of each series first. */
export async function allNoted(lacre: Lacre, file: string): Promise<Head[]> {
  return merged(notedBeside(file), await readElsewhere(lacre).catch(() => []));
}

function merged(...notes: readonly (readonly Head[])[]): Head[] {
  const byContent = new Map(notes.flat().map((head) => [JSON.stringify(headOnly(head)), head]));
  return [...byContent.values()].sort((a, b) => sequenceOf(b) - sequenceOf(a));
}

/** 17 of `FT 2026A/17`. */
export function sequenceOf({ number }: Pick<Head, "number">): number {
  return Number(number.slice(number.lastIndexOf("/") + 1));
}

/** What a server found out about its database at its start. */
export interface Settled {
  /** The mark of the note beside the database, which may still have to be written. */
  readonly mark: string;
  /** Whether the database turned out to be a copy, or to have lost its note, and was locked for that. */
  readonly isCopy: boolean;
  /** Unsettled noted heads that conflict with the database. */
  readonly unsettled: readonly HeadConflict[];
}

/**
 * Called by the server of a database before it answers anything: compares the marks, then the heads. A database with
 * the mark of another note than the one beside it is locked like a restored backup. One without documents has no mark.
 */
export async function settleNote(lacre: Lacre, file: string, warn: (words: Words) => void): Promise<Settled> {
  const beside = orWarned(() => readBeside(file), headsOf(file), file, warn);
  const mark = beside?.mark ?? Buffer.from(randomSecret()).toString("hex");
  const own = await lacre.installation.place();
  let isCopy = false;
  if (own !== null && own.table !== mark) {
    // First the note: if the program is killed in between, the next start finds the same.
    if (beside?.mark === undefined) {
      const now = await noteOf(lacre);
      const heads = beside && beside.heads.length > 0 ? beside.heads : now.heads;
      // If it cannot be written now, `keepNoting` tries again.
      await writeNote(headsOf(file), { ...now, mark, heads }).catch((error) => warn(notWritten(error)));
    }
    isCopy = (await lacre.installation.lockIfCopied({ table: mark, timeline: "" })).locked;
  }
  return { mark, isCopy, unsettled: await compared(lacre, file, beside?.heads ?? [], warn) };
}

/**
 * Compares the database with the notes, beside it and elsewhere. If they prove that the file lacks documents, the file
 * is treated like a restored backup. Returns the unsettled conflicts. `warn` is called for a note that cannot be read,
 * which stops nothing.
 */
export async function checkNote(lacre: Lacre, file: string, warn: (words: Words) => void): Promise<HeadConflict[]> {
  const beside = orWarned(() => readBeside(file), headsOf(file), file, warn);
  return compared(lacre, file, beside?.heads ?? [], warn);
}

async function compared(
  lacre: Lacre,
  file: string,
  beside: readonly Head[],
  warn: (words: Words) => void,
): Promise<HeadConflict[]> {
  const elsewhere = await readElsewhere(lacre).catch(async (error) => {
    warn(unreadable(error, String(await pathElsewhere(lacre)), file));
    return [];
  });
  try {
    return await unsettledAmong(lacre, merged(beside, elsewhere));
  } catch (error) {
    if (!(error instanceof LacreError) || error.code !== "invalid_request") throw error;
    warn(unreadable(error, headsOf(file), file));
    return [];
  }
}

/** The noted heads that conflict with the database and are not settled; it is locked for them. */
export async function unsettledAmong(lacre: Lacre, noted: Head[]): Promise<HeadConflict[]> {
  if (noted.length === 0) return [];
  const unsettled = (await lacre.installation.compareHeads({ noted })).filter(({ closed }) => !closed);
  return unsettled.length === 0 ? [] : await lacre.installation.lockIfBehind({ noted });
}

function orWarned<T>(read: () => T, path: string, file: string, warn: (words: Words) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    warn(unreadable(error, path, file));
    return undefined;
  }
}

function unreadable(error: unknown, path: string, file: string): Words {
  const { words } = explained(error);
  return (t) => t.heads.unreadable({ note: path, reason: words(t), path: file });
}

function notWritten(error: unknown): Words {
  const { words } = explained(error);
  return (t) => words(t);
}

/** A conflict in words: the issued number, and the number in this file. */
export function conflictText({ number, head, problem, company_id }: HeadConflict, { heads: t }: Texts): string {
  const position = /^events\/(\d+)$/.exec(number)?.[1];
  if (position !== undefined) return t.event({ position, company: company_id });
  switch (problem) {
    case "behind":
      return t.behind({ number, head: String(head) });
    case "differs":
      return t.differs({ number });
    case "no_series":
      return t.no_series({ number });
    case "no_company":
      return t.no_company({ number, company: String(company_id) });
  }
}

/**
 * After a restore: notes the records of events again, as they continue from the backup's. The numbers stay noted, as
 * the series wait for confirmation, and so does the mark.
 */
export async function noteRestored(file: string, now: HeadsNote): Promise<void> {
  if (!exists(headsOf(file))) return;
  const beside =
    orWarned(
      () => readBeside(file),
      headsOf(file),
      file,
      () => {},
    ) ?? NOTHING;
  const numbers = beside.heads.filter((head) => !isOfEvents(head));
  const heads = [...numbers, ...now.heads.filter(isOfEvents)];
  await writeNote(headsOf(file), { ...now, mark: beside.mark, heads });
}

/** Whether a head is that of a record of events, not of a series. */
export function isOfEvents({ number }: Head): boolean {
  return number.startsWith("events/");
}

/** How often a server checks whether there is something to note. */
const NOTE_MS = 1_000;
/** A change this recent may have the same file time as one that came after the last check. */
const YOUNG_MS = 2_000;

/**
 * Keeps the note beside a database, and elsewhere: at most once a second while something changes. The heads of
 * conflicts stay noted until their series are closed. The database gets the mark with its first document, once the note
 * has it. Returns a function that notes a last time and stops. A failed write is logged, once for each reason.
 */
export function keepNoting(
  lacre: Lacre,
  file: string,
  { mark, unsettled: first }: Settled,
  log: Log,
): () => Promise<void> {
  let unsettled: Head[] = first.map(headOnly);
  let written = "";
  let seen_ms = 0;
  let isMarked = false;
  let known: string | undefined;
  let isFirst = true;
  const complain = complaints(log);
  const elsewhere = writer(complaints(log));

  async function note(): Promise<void> {
    try {
      const path = await pathElsewhere(lacre);
      if (path !== known && path !== undefined && !isFirst) {
        // It was named just now: the heads already noted there must not be lost.
        const noted = await readElsewhere(lacre).catch(() => []);
        unsettled = merged(unsettled, (await unsettledAmong(lacre, noted)).map(headOnly));
      }
      [known, isFirst] = [path, false];
      if (unsettled.length > 0) {
        const conflicts = await lacre.installation.compareHeads({ noted: unsettled });
        unsettled = conflicts.filter(({ closed }) => !closed).map(headOnly);
      }
      const now = await noteOf(lacre);
      const kept = new Set(unsettled.map(seriesOf));
      const heads = [...now.heads.filter((head) => !kept.has(seriesOf(head))), ...unsettled];
      if (path !== undefined) elsewhere.write(path, { ...now, mark, heads });
      if (heads.every(isOfEvents) && !exists(headsOf(file))) return; // Nothing is noted before the first document.
      const content = JSON.stringify(heads);
      if (content !== written || !exists(headsOf(file))) await writeNote(headsOf(file), { ...now, mark, heads });
      written = content;
      if (!isMarked && !now.heads.every(isOfEvents)) {
        sync(dirname(file)); // The database must not have the mark of a note that a power cut destroys.
        await lacre.installation.lockIfCopied({ table: mark, timeline: "" });
        isMarked = true;
      }
      complain(undefined);
    } catch (error) {
      complain(error);
    }
  }

  let noting = note();
  const timer = setInterval(() => {
    const changed_ms = statSync(`${file}-wal`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const isQuiet = changed_ms === seen_ms && systemClock().getTime() - changed_ms > YOUNG_MS;
    if (isQuiet && !elsewhere.isBehind()) return;
    seen_ms = changed_ms;
    noting = noting.then(note);
  }, NOTE_MS);
  return async () => {
    clearInterval(timer);
    await noting.then(note);
    await inTime(() => elsewhere.settled(), ELSEWHERE_MS, systemTimer).catch(() => {});
  };
}

/** Logs why a note was not written, once for each reason. */
function complaints(log: Log): (error: unknown) => void {
  let complaint: string | undefined;
  return (error) => {
    const message = error === undefined ? undefined : error instanceof Error ? error.message : String(error);
    if (message !== undefined && message !== complaint) log({ level: "warn", event: "heads_not_noted", message });
    complaint = message;
  };
}

/**
 * Writes notes one at a time, to a place where a write may take long: the caller does not wait, and of several notes
 * meanwhile the latest is written.
 */
function writer(complain: (error: unknown) => void) {
  let next: { readonly path: string; readonly note: HeadsNote } | undefined;
  let written = "";
  let writing: Promise<void> | undefined;
  let isBehind = false;

  async function writeAll(): Promise<void> {
    for (let one = next; one !== undefined; one = next) {
      next = undefined;
      const content = JSON.stringify([one.path, one.note.heads]);
      try {
        if (content !== written) await writeNote(one.path, one.note);
        written = content;
        isBehind = false;
        complain(undefined);
      } catch (error) {
        isBehind = true;
        complain(error);
      }
    }
    writing = undefined;
  }

  return {
    write(path: string, note: HeadsNote): void {
      next = { path, note };
      writing ??= writeAll();
    },
    /** Whether the latest could not be written. */
    isBehind: () => isBehind,
    settled: async () => writing,
  };
}

/**
 * Writes a note and flushes it to the disk: losing it in a power cut would lock its database. Others may write to a
 * directory elsewhere: if they replaced the draft, for instance by a link to another file, nothing is written to that.
 */
export async function writeNote(path: string, note: HeadsNote): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  const file = await open(draft, "wx");
  try {
    await file.writeFile(`${JSON.stringify(note, null, 1)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

function headOnly({ company_id, number, seal }: Head): Head {
  return { company_id, number, seal };
}

/** The series of a head, with its company. */
function seriesOf({ company_id, number }: Head): string {
  return `${company_id} ${seriesOfNumber(number)}`;
}
