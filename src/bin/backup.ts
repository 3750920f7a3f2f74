/** `lacre backup`: a copy that was proved before it is called a backup, taken while the server goes on. */
import { z } from "zod";
import { command } from "./command.ts";
import { FLAGS, operand } from "./config.ts";
import { Failure } from "./exit.ts";
import { exists, makeResult } from "./files.ts";
import { driver, findDatabase, withLacre } from "./open-database.ts";
import { counted, show } from "./output.ts";
import { examine, mustBeWhole, type Report } from "./verify.ts";

export const backupCommand = command({
  name: "backup",
  summary: "takes a verified backup, also while the server runs",
  details: `The file gets its name only when the copy has been proved whole and is on the disk. It holds the signing key:
keep it where only you can read it. Wherever it is opened, it starts locked for issuing (lacre restore --help).`,
  input: z.strictObject({ file: operand("FILE"), db: FLAGS.db, json: FLAGS.json }),
  async run({ file, db, json }, shell) {
    const source = findDatabase(db);
    const { documents } = await makeResult({ out: file, overwrite: false, db }, (draft) => takeBackup(source, draft));
    show(shell, json, { file, documents, whole: true }, [`${file}: ${counted(documents, "document")}, whole.`]);
  },
});

async function takeBackup(source: string, draft: string): Promise<Report> {
  await copy(source, draft);
  const report = await withLacre(draft, async (lacre) => {
    await lacre.installation.markBackup();
    return examine(lacre);
  });
  mustBeSound(draft);
  mustBeWhole(report);
  return report;
}

/** Copies a database others are writing to, as it is at this moment. */
async function copy(source: string, draft: string): Promise<void> {
  const connection = driver().connect(source);
  try {
    // Without a snapshot to hold on to, every commit of the server would make the copy start over.
    connection.exec("begin");
    connection.prepare("select count(*) from sqlite_schema").all([]);
    await connection.backup(draft);
    connection.exec("commit");
  } finally {
    connection.close();
  }
}

/** Throws `Failure` (not_whole) unless every page of the file is sound and nothing of it is in another file. */
export function mustBeSound(file: string): void {
  const connection = driver().connect(file);
  try {
    const rows = connection.prepare("pragma integrity_check").all([]) as { integrity_check: string }[];
    const complaint = rows.find(({ integrity_check }) => integrity_check !== "ok");
    if (complaint) throw new Failure("not_whole", `The file is damaged: ${complaint.integrity_check}`);
  } finally {
    connection.close();
  }
  if (exists(`${file}-wal`)) throw new Error(`${file}-wal was left open.`);
}
