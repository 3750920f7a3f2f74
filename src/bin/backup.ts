/** `lacre backup`: copies the database, also while the server runs, and verifies the copy before naming it a backup. */
import { z } from "zod";
import { command } from "./command.ts";
import { FLAGS, operand } from "./config.ts";
import { Failure } from "./exit.ts";
import { exists, makeResult } from "./files.ts";
import { driver, findDatabase, withLacre } from "./open-database.ts";
import { counted, show } from "./output.ts";
import { mustBeWhole, type Report, verifyAll } from "./verify.ts";

export const backupCommand = command({
  name: "backup",
  summary: "takes a verified backup, also while the server runs",
  details: `The file gets its name only once the copy has been verified and is on the disk. It contains the signing key:
keep it where only you can read it. Wherever it is opened, issuing is locked at first (lacre restore --help).`,
  input: z.strictObject({ file: operand("FILE"), db: FLAGS.db, json: FLAGS.json }),
  async run({ file, db, json }, terminal) {
    const source = findDatabase(db);
    const { documents } = await makeResult({ out: file, overwrite: false, db }, (draft) => takeBackup(source, draft));
    show(terminal, json, { file, documents, whole: true }, [`${file}: ${counted(documents, "document")}, whole.`]);
  },
});

async function takeBackup(source: string, draft: string): Promise<Report> {
  await copy(source, draft);
  const report = await withLacre(draft, async (lacre) => {
    await lacre.installation.markBackup();
    return verifyAll(lacre);
  });
  mustBeSound(draft);
  mustBeWhole(report);
  return report;
}

/** Copies a database as it is at this moment, even while others write to it. */
async function copy(source: string, draft: string): Promise<void> {
  const connection = driver().connect(source);
  try {
    // Inside a read transaction; otherwise each commit of the server would restart the copy.
    connection.exec("begin");
    connection.prepare("select count(*) from sqlite_schema").all([]);
    await connection.backup(draft);
    connection.exec("commit");
  } finally {
    connection.close();
  }
}

/** Throws `Failure` (not_whole) if a page of the file is damaged; it must not have a write-ahead log beside it. */
export function mustBeSound(file: string): void {
  const connection = driver().connect(file);
  try {
    const rows = connection.prepare("pragma integrity_check").all([]) as { integrity_check: string }[];
    const damage = rows.find(({ integrity_check }) => integrity_check !== "ok")?.integrity_check;
    if (damage) throw new Failure("not_whole", `The database is damaged (${damage}); restore an earlier backup.`);
  } finally {
    connection.close();
  }
  if (exists(`${file}-wal`)) throw new Error(`${file}-wal was left open.`);
}
