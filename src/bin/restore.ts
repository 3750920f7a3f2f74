/** `lacre restore`: puts a backup in place, locked for issuing until the operator has said what was issued since. */
import { copyFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Lacre } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { mustBeSound } from "./backup.ts";
import { command } from "./command.ts";
import { FLAGS, operand } from "./config.ts";
import { Failure } from "./exit.ts";
import { exists, makeWhole, moveAside, trueName } from "./files.ts";
import { driver, findDatabase, mustBeOurs, mustBeSqlite, withCompany, withLacre } from "./open-database.ts";
import { counted, show } from "./output.ts";
import { takeServerLock } from "./server-lock.ts";
import type { Shell } from "./terminal.ts";
import { examine, mustBeWhole } from "./verify.ts";

const CONFIRM = "lacre restore --confirm-head 'FT 2026A/17'";

export const restoreCommand = command({
  name: "restore",
  summary: "puts a backup in place, locked for issuing until you confirm each series",
  details: `The backup is verified first; a database that is there already is moved aside. Not beside a running server.

Documents issued after the backup are on paper somewhere: their numbers must not be given twice. So issuing is locked
until you have said, for each series, the last number you gave out (with 0 for one you never used):
  ${CONFIRM}
If it is the last one in the file the series goes on; if not it is closed, and you open a new one (lacre series create).
Confirming works beside a running server, too.`,
  input: z.strictObject({
    file: operand("FILE").optional(),
    confirm_head: z
      .array(z.string())
      .optional()
      .meta({ takes: "NUMBER", many: true, description: "the last number given out in a series; may be repeated" }),
    company: FLAGS.company,
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ file, confirm_head, company, db, json }, shell) {
    if ((file === undefined) === (confirm_head === undefined)) {
      throw new Failure("usage", "either FILE or --confirm-head NUMBER is required");
    }
    if (file !== undefined) await restore(file, db, json, shell);
    else if (confirm_head !== undefined) await confirmHeads(confirm_head, { company, db }, json, shell);
  },
});

async function restore(backup: string, db: string, json: boolean, shell: Shell): Promise<void> {
  const source = mustBeSqlite(backup, `There is no backup at ${backup}.`);
  if ((statSync(`${source}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new Failure("refused", `${backup} is a database in use, not a backup. Take one: lacre backup FILE`);
  }
  const target = trueName(db);
  if (trueName(backup) === target) {
    throw new Failure("refused", `${backup} is the database itself; name a backup.`);
  }
  driver(dirname(target)); // Settles the SQLite here, not in the passing directory the copy is proved in.
  const lock = takeServerLock(target);
  try {
    const aside = `${target}.before-restore-${systemClock().toISOString().replaceAll(/[-:.]/g, "")}`;
    let moved = false;
    const made = await makeWhole(
      target,
      async (draft) => prepare(source, draft, await restoresCountedIn(target)),
      () => {
        moved = moveAside(target, aside);
      },
    );
    const moved_aside = moved ? aside : null;
    show(shell, json, { database: target, restored_from: backup, moved_aside, ...made }, [
      `${db} is now what ${backup} holds: ${counted(made.documents, "document")}, whole. Restore number ${made.restores}.`,
      ...(moved ? [`The database that was there is ${aside}.`] : []),
      ...explained(made.locked),
    ]);
  } finally {
    lock.release();
  }
}

/** The restores that the database to be replaced has counted; 0 when there is none, or it is past reading. */
async function restoresCountedIn(target: string): Promise<number> {
  if (!exists(target)) return 0;
  try {
    return (await withLacre(findDatabase(target), (lacre) => lacre.installation.get())).restores;
  } catch {
    return 0;
  }
}

/** Copies the backup, proves the copy, and counts the restore in it. */
async function prepare(source: string, draft: string, earlier: number) {
  copyFileSync(source, draft);
  mustBeOurs(draft);
  mustBeSound(draft);
  const work = async (lacre: Lacre) => {
    const report = await examine(lacre);
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
  shell: Shell,
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
  show(shell, json, settled, [
    ...settled.confirmed.map(({ head, outcome }) =>
      outcome === "unlocked"
        ? `${head} is the last number of this file: the series goes on.`
        : `This file ends at ${head}: the series is closed. Open a new one: lacre series create`,
    ),
    ...explained(settled.still_locked),
  ]);
}

type Locked = Awaited<ReturnType<Lacre["installation"]["get"]>>["locked"];

/** What is still locked, and how to go on. */
function explained(locked: Locked): string[] {
  if (locked.length === 0) return ["No series waits to be confirmed."];
  return [
    "These series wait, each with the last number in this file:",
    ...locked.map(({ head, company_id }) => `  ${head}  (company ${company_id})`),
    "Those with documents keep all of their company from issuing, the others only themselves.",
    `Say the last number you gave out in each: ${CONFIRM}`,
  ];
}
