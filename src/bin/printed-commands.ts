/** Commands inside texts, with the flags that they need to work as they are printed. */
import { resolve } from "node:path";
import { COMMANDS } from "./commands.ts";
import { DEFAULT_DB } from "./config.ts";
import { addressIn } from "./find-database.ts";

/** What was given to the command whose texts are printed. */
export interface Given {
  readonly db?: string | undefined;
  readonly company?: string | undefined;
}

/** A command in a text, but for one whose help is named. */
const PRINTED = new RegExp(`\\blacre (${COMMANDS.map(({ name }) => name).join("|")})(?![\\w-])(?! --help)`, "g");

/**
 * The text with `--db`, unless that is the default, and `--company` where one is given, after each command that takes
 * them: `lacre backup --db '/srv/shop.db' FILE`. A line that names a flag after a command keeps it as it is.
 */
export function withFlags(text: string, { db, company }: Given): string {
  const flags = {
    ...(db !== undefined && db !== DEFAULT_DB && { db: quoted(addressIn(db)?.shown ?? resolve(db)) }),
    ...(company !== undefined && { company }),
  };
  return text.replaceAll(PRINTED, (command, name, at: number) => {
    const takes = COMMANDS.find((one) => one.name === name)?.input.shape ?? {};
    const [line = ""] = text.slice(at).split("\n", 1);
    const lacking = Object.entries(flags).filter(([flag]) => flag in takes && !line.includes(` --${flag} `));
    return command + lacking.map(([flag, value]) => ` --${flag} ${value}`).join("");
  });
}

/** A text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
