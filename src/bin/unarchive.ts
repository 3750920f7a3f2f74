/** `lacre unarchive`: reads an archive into a new database, locked for issuing as a restored backup is. */
import * as z from "zod";
import { LacreError, type OpenBytes, type Remedy, type Unarchived, unarchiveLacre } from "../core/index.ts";
import { textWithCommands } from "../http/remedies.ts";
import { command } from "./command.ts";
import { FLAGS, operand } from "./config.ts";
import { type Database, named, withDialect } from "./database/open.ts";
import { Failure } from "./exit.ts";
import { openBytes } from "./files.ts";
import { show } from "./output.ts";
import { mustBeSound } from "./page-check.ts";
import { lockedLines } from "./restore.ts";

export const unarchiveCommand = command({
  name: "unarchive",
  input: z.strictObject({ file: operand("FILE"), db: FLAGS.db, json: FLAGS.json }),
  async run({ file, db, json }, terminal) {
    const open = openBytes(file);
    const place = named(db);
    const { taken_at, ...made } = await place.make(async (empty) => {
      const made = await readInto(empty, open);
      if (empty.file !== undefined) mustBeSound(empty.file);
      return made;
    });
    const database = place.name;
    const { documents, restores, locked } = made;
    show(terminal, json, { database, unarchived_from: file, taken_at, ...made }, [
      terminal.texts.unarchive.done({ db: database, file, count: documents, taken_at, restores }),
      ...lockedLines(locked, [], terminal.texts),
    ]);
  },
});

/** Why this version cannot read an archive; every other refusal is a fault in the archive. */
const UNREADABLE: readonly (Remedy["to"] | undefined)[] = ["take_other_file", "use_other_build"];

function readInto(empty: Database, open: OpenBytes): Promise<Unarchived> {
  return withDialect(empty, (dialect) => unarchiveLacre(open(), { dialect })).catch((error) => {
    if (!(error instanceof LacreError) || error.code !== "invalid_request") throw error;
    const isUnreadable = error.problems.some(({ remedy }) => UNREADABLE.includes(remedy?.to));
    throw new Failure(isUnreadable ? "unusable" : "not_whole", (t) => textWithCommands(error, t.lang), error);
  });
}
