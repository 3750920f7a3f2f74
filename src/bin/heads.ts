/** `lacre heads`: also keeps the note of heads in a directory elsewhere, or shows where that is. */
import { statSync } from "node:fs";
import * as z from "zod";
import type { HeadConflict, Lacre } from "../core/index.ts";
import { command } from "./command.ts";
import { about, FLAGS, textFlag } from "./config.ts";
import { findDatabase, mustBePath, withLacre } from "./database/open.ts";
import { Failure } from "./exit.ts";
import { inWords } from "./explain.ts";
import { exists, writableDirectory } from "./files.ts";
import {
  conflictText,
  headsIn,
  headsOf,
  noteOf,
  pathElsewhere,
  readNote,
  unsettledAmong,
  writeNote,
} from "./heads-note.ts";
import { show } from "./output.ts";

export const headsCommand = command({
  name: "heads",
  input: z.strictObject({
    to: textFlag("DIR", "heads_to").optional(),
    stop: z.boolean().default(false).meta(about("heads_stop")),
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ to, stop, db, json }, terminal) {
    const path = mustBePath(db, (t) => t.postgres.no_heads);
    if (to !== undefined && stop) throw new Failure("usage", (t) => t.heads.to_or_stop);
    const database = findDatabase(path);
    const file = database.name;
    const directory = to === undefined ? undefined : writableDirectory(to, (t) => t.heads);
    const { elsewhere, missing } = await withLacre(database, async (lacre) => {
      const missing = directory === undefined ? [] : await keepIn(directory, lacre);
      if (stop) await lacre.installation.keepHeads({ directory: null });
      return { elsewhere: (await pathElsewhere(lacre)) ?? null, missing };
    });
    const { heads: t } = terminal.texts;
    const isOnOneDisk = directory !== undefined && statSync(directory).dev === statSync(file).dev;
    show(terminal, json, { beside: headsOf(file), elsewhere, missing }, [
      elsewhere === null ? t.beside_alone({ note: headsOf(file) }) : t.elsewhere({ note: headsOf(file), elsewhere }),
      ...(isOnOneDisk ? [t.on_one_disk] : []),
      ...(missing.length > 0 ? [t.missing({ note: String(elsewhere) })] : []),
      ...missing.map((conflict) => `  ${conflictText(conflict, terminal.texts)}`),
      ...(missing.length > 0 ? [t.locked] : []),
    ]);
  },
});

/**
 * Writes the note into a directory, and records that. An existing note that has what the database lacks stays as it is:
 * the database is locked for it. Returns what the database lacks.
 */
async function keepIn(directory: string, lacre: Lacre): Promise<readonly HeadConflict[]> {
  const path = headsIn(directory, (await lacre.installation.get()).created_at);
  const missing = exists(path) ? await unsettledAmong(lacre, readNote(path)) : [];
  if (missing.length === 0) {
    const mark = (await lacre.installation.place())?.table;
    await writeNote(path, { ...(await noteOf(lacre)), mark }).catch((error) => {
      throw inWords(error, path);
    });
  }
  await lacre.installation.keepHeads({ directory });
  return missing;
}
