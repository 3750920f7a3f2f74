/** `lacre restore`: puts a backup in place, locked for issuing until the last number of each series is confirmed. */
import { copyFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Lacre } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { mustBeSound } from "./backup.ts";
import { command } from "./command.ts";
import { IN_COMPANY, operand } from "./config.ts";
import { Failure } from "./exit.ts";
import { exists, makeAtomically, moveAside, realPath } from "./files.ts";
import { driver, findDatabase, mustBeOurs, mustBeSqlite, withCompany, withLacre } from "./open-database.ts";
import { counted, show } from "./output.ts";
import { takeServerLock } from "./server-lock.ts";
import type { Terminal } from "./terminal.ts";
import { mustBeWhole, verifyAll } from "./verify.ts";

const CONFIRM = "lacre restore --confirm-head 'FT 2026A/17'";

export const restoreCommand = command({
  name: "restore",
  summary: "puts a backup in place, locked for issuing until you confirm each series",
  details: `The backup is verified first; an existing database is moved aside. Stop the server first.

Customers hold documents issued after the backup, and their numbers must never be used again. So issuing stays locked
until you confirm, for each series, the last number you issued (0 for a series you never used):
  ${CONFIRM}
If that is the last number in the file, the series continues. If not, it is closed and you open a new one
(lacre series create). You can confirm while a server runs.`,
  input: z.strictObject({
    file: operand("FILE").optional(),
    confirm_head: z
      .array(z.string())
      .optional()
      .meta({ takes: "NUMBER", many: true, description: "the last number issued in a series; may be repeated" }),
    ...IN_COMPANY,
  }),
  async run({ file, confirm_head, company, db, json }, terminal) {
    if ((file === undefined) === (confirm_head === undefined)) {
      throw new Failure("usage", "give either FILE or --confirm-head NUMBER");
    }
    if (file !== undefined) await restore(file, db, json, terminal);
    else if (confirm_head !== undefined) await confirmHeads(confirm_head, { company, db }, json, terminal);
  },
});

async function restore(backup: string, db: string, json: boolean, terminal: Terminal): Promise<void> {
  const source = mustBeSqlite(backup, `There is no backup at ${backup}; check its name.`);
  if ((statSync(`${source}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new Failure("refused", `${backup} is a database in use, not a backup; take one: lacre backup FILE`);
  }
  const target = realPath(db);
  if (realPath(backup) === target) {
    throw new Failure("refused", `${backup} is the database itself; name a backup.`);
  }
  driver(dirname(target)); // Puts the SQLite library here, not into the temporary directory.
  const release = takeServerLock(target);
  try {
    const aside = `${target}.before-restore-${systemClock().toISOString().replaceAll(/[-:.]/g, "")}`;
    let moved = false;
    const made = await makeAtomically(
      target,
      async (draft) => restoreInto(source, draft, await restoresCountedIn(target)),
      () => {
        moved = moveAside(target, aside);
      },
    );
    const moved_aside = moved ? aside : null;
    show(terminal, json, { database: target, restored_from: backup, moved_aside, ...made }, [
      `${db} is restored from ${backup}: ${counted(made.documents, "document")}, whole. Restore ${made.restores}.`,
      ...(moved ? [`The database it replaces is now ${aside}.`] : []),
      ...explained(made.locked),
    ]);
  } finally {
    release();
  }
}

/** The number of restores counted in the database to be replaced; 0 if there is none or it cannot be read. */
async function restoresCountedIn(target: string): Promise<number> {
  if (!exists(target)) return 0;
  try {
    return (await withLacre(findDatabase(target), (lacre) => lacre.installation.get())).restores;
  } catch {
    return 0;
  }
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
    return { documents: report.documents, restores, locked };
  };
  return withLacre(draft, work, { migrate: true });
}

async function confirmHeads(
  numbers: readonly string[],
  where: { company: string | undefined; db: string },
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const settled = await withCompany(where, async (lacre, company) => {
    const confirmed = [];
    let still_locked: Locked = [];
    for (const given of numbers) {
      const { number, head, outcome, ...rest } = await lacre.as(company).series.confirmHead({ number: given });
      confirmed.push({ number, head, outcome });
      still_locked = rest.still_locked;
    }
    return { confirmed, still_locked };
  });
  show(terminal, json, settled, [
    ...settled.confirmed.map(({ head, outcome }) =>
      outcome === "unlocked"
        ? `${head} is the last number in this file: the series continues.`
        : `This file ends at ${head}: the series is closed. Open a new one: lacre series create`,
    ),
    ...explained(settled.still_locked),
  ]);
}

type Locked = Awaited<ReturnType<Lacre["installation"]["get"]>>["locked"];

/** The series still locked, and how to unlock them. */
function explained(locked: Locked): string[] {
  if (locked.length === 0) return ["No series is locked any more."];
  return [
    "These series are locked, shown with the last number in this file:",
    ...locked.map(({ head, company_id }) => `  ${head}  (company ${company_id})`),
    "While one with documents is locked, its company cannot issue at all; an empty one blocks only itself.",
    `Confirm the last number you issued in each: ${CONFIRM}`,
  ];
}
