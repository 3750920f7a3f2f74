/**
 * The note of heads, `<db>.heads`: the last number and seal of every series and record of events, kept beside the
 * database while a server runs. It reveals an older copy that was put back by hand, which would give numbers a second
 * time. Without it nothing stops.
 */
import { renameSync, statSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { seriesOfNumber } from "../core/fiscal/numbering.ts";
import { type Head, type HeadConflict, type Lacre, LacreError, type Log } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { Failure } from "./exit.ts";
import { explained } from "./explain.ts";
import { exists, readGiven } from "./files.ts";
import type { Texts, Words } from "./texts/texts.ts";

/** The note beside a database. */
export function headsOf(database: string): string {
  return `${database}.heads`;
}

/**
 * A note as it is stored and printed. A note of a later version has another number; more fields may come in this one.
 */
export interface HeadsNote {
  readonly lacre_heads: 1;
  readonly noted_at: string;
  readonly heads: readonly Head[];
}

const Stored = z.object({
  lacre_heads: z.literal(1),
  heads: z.array(
    z.object({
      company_id: z.string().nullable(),
      number: z.string().regex(/^(?:events|[A-Z]{2} [^ /]{1,20})\/\d{1,15}$/),
      seal: z.string(),
    }),
  ),
});

/** The note of a database's heads as they are now. */
export async function noteOf(lacre: Lacre): Promise<HeadsNote> {
  return { lacre_heads: 1, noted_at: systemClock().toISOString(), heads: await lacre.installation.heads() };
}

/** The heads noted in a file; throws `Failure` if it is not such a note. */
export function readNote(path: string): Head[] {
  const text = readGiven(path).toString();
  try {
    return Stored.parse(JSON.parse(text)).heads;
  } catch (error) {
    throw new Failure("refused", (t) => t.heads.not_a_note(path), error);
  }
}

/** The heads noted beside a database; none where there is no note or it cannot be read. */
export function notedBeside(database: string): Head[] {
  try {
    return exists(headsOf(database)) ? readNote(headsOf(database)) : [];
  } catch {
    return [];
  }
}

/**
 * Compares the database with the note beside it. If that proves that the file lacks documents, the file is treated like
 * a restored backup. Returns what is not settled yet. `warn` hears of a note that cannot be read: it stops nothing.
 */
export async function checkNote(lacre: Lacre, file: string, warn: (words: Words) => void): Promise<HeadConflict[]> {
  if (!exists(headsOf(file))) return [];
  try {
    const noted = readNote(headsOf(file));
    const unsettled = (await lacre.installation.compareHeads({ noted })).filter(({ closed }) => !closed);
    return unsettled.length === 0 ? [] : await lacre.installation.lockIfBehind({ noted });
  } catch (error) {
    const isUnreadable = error instanceof Failure || (error instanceof LacreError && error.code === "invalid_request");
    if (!isUnreadable) throw error;
    const { words } = explained(error);
    warn((t) => t.heads.unreadable(headsOf(file), words(t), file));
    return [];
  }
}

/** A conflict in words: what was given, and what this file has. */
export function conflictText({ number, head, problem, company_id }: HeadConflict, { heads: t }: Texts): string {
  const position = /^events\/(\d+)$/.exec(number)?.[1];
  if (position !== undefined) return t.event(position, company_id);
  switch (problem) {
    case "behind":
      return t.behind(number, String(head));
    case "differs":
      return t.differs(number);
    case "no_series":
      return t.no_series(number);
    case "no_company":
      return t.no_company(number, String(company_id));
  }
}

/**
 * After a restore: notes the records of events anew, as they go on from the backup's. The numbers stay noted, as the
 * series wait for them to be confirmed.
 */
export function noteRestored(file: string, now: HeadsNote): void {
  if (!exists(headsOf(file))) return;
  const numbers = notedBeside(file).filter((head) => !isOfEvents(head));
  writeNote(file, { ...now, heads: [...numbers, ...now.heads.filter(isOfEvents)] });
}

/** Whether a head is that of a record of events, not of a series. */
export function isOfEvents({ number }: Head): boolean {
  return number.startsWith("events/");
}

/** How often a server looks whether there is something to note. */
const NOTE_MS = 1_000;
/** A change this young may share its time, as the file system keeps it, with one that came after the last look. */
const YOUNG_MS = 2_000;

/**
 * Keeps the note beside a database: at most once a second while something changes. The heads of `conflicts` stay noted
 * until their series are closed. Returns what notes a last time and stops. A note that cannot be written is logged,
 * once for each reason.
 */
export function keepNoting(
  lacre: Lacre,
  file: string,
  conflicts: readonly HeadConflict[],
  log: Log,
): () => Promise<void> {
  let unsettled: Head[] = conflicts.map(headOnly);
  let written = "";
  let seen_ms = 0;
  let complaint = "";

  async function note(): Promise<void> {
    try {
      if (unsettled.length > 0) {
        const conflicts = await lacre.installation.compareHeads({ noted: unsettled });
        unsettled = conflicts.filter(({ closed }) => !closed).map(headOnly);
      }
      const now = await noteOf(lacre);
      const kept = new Set(unsettled.map(seriesOf));
      const heads = [...now.heads.filter((head) => !kept.has(seriesOf(head))), ...unsettled];
      if (heads.every(isOfEvents) && !exists(headsOf(file))) return; // Nothing is noted before the first document.
      const content = JSON.stringify(heads);
      if (content !== written) writeNote(file, { ...now, heads });
      written = content;
      complaint = "";
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== complaint) log({ level: "warn", event: "heads_not_noted", message });
      complaint = message;
    }
  }

  let noting = note();
  const timer = setInterval(() => {
    const changed_ms = statSync(`${file}-wal`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changed_ms === seen_ms && systemClock().getTime() - changed_ms > YOUNG_MS) return;
    seen_ms = changed_ms;
    noting = noting.then(note);
  }, NOTE_MS);
  return async () => {
    clearInterval(timer);
    await noting.then(note);
  };
}

/** Not flushed to the disk: after a power cut a note that is missing or behind stops nothing. */
function writeNote(file: string, note: HeadsNote): void {
  const draft = `${headsOf(file)}.new`;
  writeFileSync(draft, `${JSON.stringify(note, null, 1)}\n`);
  renameSync(draft, headsOf(file));
}

function headOnly({ company_id, number, seal }: Head): Head {
  return { company_id, number, seal };
}

/** The series of a head, with its company. */
function seriesOf({ company_id, number }: Head): string {
  return `${company_id} ${seriesOfNumber(number)}`;
}
