/** `lacre archive`: writes the whole database into one file, for moving it to another database, on any engine. */
import { statSync } from "node:fs";
import * as z from "zod";
import { archiveLacre } from "../core/index.ts";
import { command } from "./command.ts";
import { FLAGS, operand } from "./config.ts";
import { findDatabase, lookInto, withDialect } from "./database/open.ts";
import { STANDARD_OUTPUT, writeResult } from "./files.ts";
import { showBeside } from "./output.ts";
import { mustBeWhole, verifyAll } from "./verify.ts";

export const archiveCommand = command({
  name: "archive",
  input: z.strictObject({ file: operand("FILE"), db: FLAGS.db, json: FLAGS.json }),
  async run({ file, db, json }, terminal) {
    const database = findDatabase(db);
    const place = { out: file, overwrite: false, db: database.file };
    // The instance stays open, because whoever closes a file last cleans up beside it, which a reader cannot.
    const archived = (write: (piece: Uint8Array) => Promise<void>) =>
      lookInto(database, async (lacre, looked) => {
        const report = await verifyAll(lacre);
        mustBeWhole(report);
        await withDialect(looked, async (dialect) => {
          for await (const piece of archiveLacre({ dialect })) await write(piece);
        });
        return report;
      });
    const { documents } = await writeResult(place, terminal, archived);
    const bytes = file === STANDARD_OUTPUT ? null : statSync(file).size;
    const said = terminal.texts.archive.done({ file, count: documents });
    showBeside(file, terminal, json, { file, documents, bytes, whole: true }, [said]);
  },
});
