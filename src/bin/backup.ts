/**
 * `lacre backup`: copies the database, also while the server runs, and verifies the copy before it gets the name of a
 * backup.
 */
import { statSync } from "node:fs";
import * as z from "zod";
import type { Lacre } from "../core/index.ts";
import { command } from "./command.ts";
import { about, FLAGS, intervalText, operand } from "./config.ts";
import { copyDatabase } from "./database/driver.ts";
import { inFile } from "./database/file.ts";
import { findDatabase, lookInto, mustBePath, withLacre } from "./database/open.ts";
import { explained } from "./explain.ts";
import { makeResult, realPath } from "./files.ts";
import { show } from "./output.ts";
import { mustBeSound, mustBeUndamaged } from "./page-check.ts";
import { mustBeWhole, type Report, verifyAll } from "./verify.ts";

export const backupCommand = command({
  name: "backup",
  input: z.strictObject({
    file: operand("FILE"),
    every: intervalText()
      .optional()
      .meta(about("every", { takes: "TIME" })),
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ file, every, db, json }, terminal) {
    const { texts: t } = terminal;
    const source = findDatabase(mustBePath(db, (t) => t.postgres.no_backup));
    const { documents } = await takeBackup(source.name, file);
    const interval = every !== undefined && { every_s: every / 1000 };
    const taken = { file: realPath(file), documents, bytes: statSync(file).size, ...interval };
    await withLacre(source, (lacre) => lacre.installation.recordBackup(taken)).catch((error) => {
      terminal.printError(`lacre: ${t.backup.not_recorded({ reason: explained(error).words(t) })}`);
    });
    show(terminal, json, { file, documents, whole: true }, [t.backup.done({ file, count: documents })]);
  },
});

/**
 * Copies the database at this real path to a new file, also while a server runs on it, including this one. The copy
 * gets its name once it is verified and `accept` has not refused it. Throws `Failure`, and leaves nothing behind, if
 * the name is taken or the copy fails verification.
 */
export function takeBackup(
  source: string,
  out: string,
  accept: (copy: Lacre) => Promise<void> = async () => {},
): Promise<Report> {
  return makeResult({ out, overwrite: false, db: source }, (draft) => copyVerified(source, draft, accept));
}

async function copyVerified(source: string, draft: string, accept: (copy: Lacre) => Promise<void>): Promise<Report> {
  try {
    await copyDatabase(source, draft);
    const copy = inFile(draft);
    const report = await lookInto(copy, async (lacre, looked) => {
      if (looked === copy) await lacre.installation.markBackup(); // an older one stays as its program left it
      await accept(lacre);
      return verifyAll(lacre);
    });
    mustBeSound(draft);
    mustBeWhole(report);
    return report;
  } catch (error) {
    const { exit } = explained(error);
    if (exit === "unusable" || exit === "not_whole") mustBeUndamaged(source); // a copy has the damage of its source
    throw error;
  }
}
