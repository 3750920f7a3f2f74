/** `lacre restore`: installs a backup, locked for issuing until the last number of each series is confirmed. */
import { copyFileSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { seriesOfNumber } from "../core/fiscal/numbering.ts";
import { type Head, type Lacre, LacreError } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { command } from "./command.ts";
import { about, IN_COMPANY, operand } from "./config.ts";
import { driver } from "./database/driver.ts";
import { inFile, isInWalMode, mustBeOurs, mustBeSqlite, mustHaveOneName, undoHalfRestore } from "./database/file.ts";
import { takeServerLock } from "./database/lock.ts";
import { findDatabase, mustBePath, named, withCompany, withLacre } from "./database/open.ts";
import { replaceDatabase } from "./database/replace.ts";
import { Failure } from "./exit.ts";
import { exists, makeAtomically, realPath } from "./files.ts";
import {
  allNoted,
  checkNote,
  conflictText,
  headsOf,
  notedBeside,
  noteOf,
  noteRestored,
  sequenceOf,
} from "./heads-note.ts";
import { forgetRemovedLog, noteRemovedLog } from "./log-removed.ts";
import { show } from "./output.ts";
import { mustBeSound } from "./page-check.ts";
import { mustAgree, type Terminal } from "./terminal.ts";
import type { Texts, Words } from "./texts/texts.ts";
import { mustBeWhole, verifyAll } from "./verify.ts";

export const restoreCommand = command({
  name: "restore",
  input: z.strictObject({
    file: operand("FILE").optional(),
    confirm_head: z
      .array(z.string())
      .optional()
      .meta(about("confirm_head", { takes: "NUMBER", many: true, feeds: "numbers" })),
    lost: z.boolean().default(false).meta(about("lost")),
    status: z.boolean().default(false).meta(about("restore_status")),
    ...IN_COMPANY,
  }),
  async run({ file, confirm_head, lost, status, company, db, json }, terminal) {
    if ([file !== undefined, confirm_head !== undefined, status].filter(Boolean).length !== 1) {
      throw new Failure("usage", (t) => t.restore.one_of);
    }
    if (file !== undefined) await restore(file, db, json, terminal);
    else if (confirm_head === undefined) await showStatus(db, json, terminal);
    else await confirmHeads({ numbers: confirm_head, lost }, { company, db }, json, terminal);
  },
});

async function restore(backup: string, db: string, json: boolean, terminal: Terminal): Promise<void> {
  const path = mustBePath(db, (t) => t.postgres.no_restore);
  const source = mustBeSqlite(backup, () => (t) => t.restore.no_backup({ path: backup }));
  if ((statSync(`${source}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new Failure("refused", (t) => t.restore.in_use({ path: backup }));
  }
  const target = realPath(path);
  if (realPath(backup) === target) {
    throw new Failure("refused", (t) => t.restore.is_the_database({ path: backup }));
  }
  driver(dirname(target)); // Puts the SQLite library here, not into the temporary directory.
  if (isOpenByAnotherName(source)) throw new Failure("refused", (t) => t.restore.in_use({ path: backup }));
  undoHalfRestore(target);
  const release = takeServerLock(target);
  try {
    if (exists(target)) mustHaveOneName(target);
    let moved_aside: string | null = null;
    const { note, ...made } = await makeAtomically(
      target,
      async (draft) => restoreInto(source, draft, restoresCountedIn(target)),
      (draft) => {
        mustBeClosed(target);
        moved_aside = replaceDatabase(target, draft, systemClock());
      },
    );
    forgetRemovedLog(target);
    await noteRestored(target, note);
    const { restore: t } = terminal.texts;
    show(terminal, json, { database: target, restored_from: backup, moved_aside, ...made }, [
      t.done({ db, backup, count: made.documents, restores: made.restores }),
      ...(moved_aside === null ? [] : [t.aside({ path: moved_aside })]),
      ...lockedLines(made.locked, notedBeside(target), terminal.texts),
    ]);
  } finally {
    release();
  }
}

/**
 * Whether a file with several names (hard links) is a database that a program has open under another of them, where its
 * log is. Whoever closes a database last removes the log that it made, and is not the last while another has it open.
 */
function isOpenByAnotherName(source: string): boolean {
  if (statSync(source).nlink < 2 || !isInWalMode(source)) return false;
  const made = LOG.map((suffix) => source + suffix).filter((path) => !exists(path));
  try {
    driver().connect(source).close();
    return made.some(exists);
  } catch {
    return false; // It cannot be written to: no program has it open here.
  } finally {
    for (const path of made) rmSync(path, { force: true });
  }
}

/** The suffixes of SQLite's files beside an open database. */
const LOG = ["-wal", "-shm"] as const;

/**
 * The number of restores counted in the database to replace, whichever program made its schema; 0 if there is none or
 * it cannot be read.
 */
function restoresCountedIn(target: string): number {
  if (!exists(target) || !isInWalMode(target)) return 0; // SQLite deletes the log of a file that is cut to nothing.
  noteRemovedLog(target); // should this restore fail, the next program to open it still learns of it
  try {
    const connection = driver().connect(target);
    try {
      const [counted] = connection.prepare("select restores from installation").all([]) as [{ restores: number }];
      return counted.restores;
    } finally {
      connection.close();
    }
  } catch {
    return 0;
  }
}

/**
 * Throws `Failure` (in_use) while another program has the database open: it would continue to write to a file that
 * nobody reads.
 */
function mustBeClosed(target: string): void {
  if (!exists(target) || !isInWalMode(target)) return;
  try {
    driver().connect(target).close(); // Closing a database last also moves the log into it and removes the log.
  } catch {
    return; // It cannot be read: its log is kept beside it.
  }
  // If the log stays after we close, another program has the file open.
  if (exists(`${target}-wal`)) throw new Failure("in_use", (t) => t.restore.open_elsewhere({ path: target }));
}

/** Copies the backup, verifies the copy and counts the restore in it. */
async function restoreInto(source: string, draft: string, earlier: number) {
  copyFileSync(source, draft);
  mustBeOurs(draft);
  mustBeSound(draft);
  const work = async (lacre: Lacre) => {
    const report = await verifyAll(lacre);
    mustBeWhole(report);
    await lacre.installation.countRestore({ earlier });
    const { restores, locked } = await lacre.installation.get();
    return { documents: report.documents, restores, locked, note: await noteOf(lacre) };
  };
  return withLacre(inFile(draft), work, { migrate: true });
}

async function confirmHeads(
  { numbers, lost }: { readonly numbers: string[]; readonly lost: boolean },
  where: { company: string | undefined; db: string },
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const { noted, ...settled } = await withCompany(where, async (lacre, company) => {
    const noted = await notedFor(lacre, where.db);
    const confirm = async (lost: boolean) => ({
      ...(await lacre.as(company).series.confirmHeads({ numbers, lost, noted })),
      noted,
    });
    try {
      return await confirm(lost);
    } catch (error) {
      const [problem] = error instanceof LacreError ? error.problems : [];
      if (problem?.remedy?.to !== "confirm_lost") throw error;
      const unknown = problem.remedy.numbers.join(", ");
      await mustAgree(terminal, (t) => t.restore.ask_lost({ numbers: unknown }), "--lost", false);
      return confirm(true);
    }
  });
  const { restore: t } = terminal.texts;
  show(terminal, json, settled, [
    ...settled.confirmed.map(({ head, outcome }) =>
      outcome === "unlocked" ? t.goes_on({ head }) : t.is_closed({ head }),
    ),
    ...lockedLines(settled.still_locked, noted, terminal.texts),
  ]);
}

/** The noted heads of a file; a server has none. */
async function notedFor(lacre: Lacre, db: string): Promise<Head[]> {
  const { file } = named(db);
  return file === undefined ? [] : allNoted(lacre, realPath(file));
}

async function showStatus(db: string, json: boolean, terminal: Terminal): Promise<void> {
  const { texts: t } = terminal;
  const database = findDatabase(db);
  const { file } = database;
  const status = await withLacre(database, async (lacre) => {
    const warn = (words: Words) => terminal.printError(words(t));
    const missing = file === undefined ? [] : await checkNote(lacre, file, warn);
    const { backup_taken_at, restores, locked } = await lacre.installation.get();
    return { backup_taken_at, restores, locked, missing, noted: await notedFor(lacre, db) };
  });
  const { noted, ...shown } = status;
  show(terminal, json, shown, [
    ...(status.missing.length > 0 ? [t.heads.missing({ note: headsOf(database.name) })] : []),
    ...status.missing.map((conflict) => `  ${conflictText(conflict, t)}`),
    ...lockedLines(status.locked, noted, t),
  ]);
}

type Locked = Awaited<ReturnType<Lacre["installation"]["get"]>>["locked"];

/** The series still locked, and how to unlock them: with the numbers noted beside the file, if those are later. */
export function lockedLines(locked: Locked, noted: readonly Head[], { restore: t }: Texts): string[] {
  if (locked.length === 0) return [t.none_locked];
  const companies = new Set(locked.map(({ company_id }) => company_id));
  return [
    t.locked,
    ...locked.map(
      ({ head, company_id }) => `  ${companies.size > 1 ? t.of_company({ head, company: company_id }) : head}`,
    ),
    t.how_locked,
    t.how_to_confirm,
    ...Array.from(companies, (company) => {
      const heads = locked.filter(({ company_id }) => company_id === company);
      const flags = heads.map((head) => ` --confirm-head '${latestOf(head, noted)}'`);
      return `  lacre restore${flags.join("")}${companies.size > 1 ? ` --company ${company}` : ""}`;
    }),
  ];
}

/** The last number of a locked series: that in this file, or a later noted one. */
function latestOf({ head, company_id }: Locked[number], noted: readonly Head[]): string {
  const series = seriesOfNumber(head);
  const later = noted.find(
    (one) =>
      one.company_id === company_id &&
      seriesOfNumber(one.number) === series &&
      sequenceOf(one) > sequenceOf({ number: head }),
  );
  return later?.number ?? head;
}
