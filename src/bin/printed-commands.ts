/** Commands inside texts, with the flags that make them work as printed. */
import { COMMANDS } from "./commands.ts";
import { DEFAULT_DB } from "./config.ts";
import { named } from "./database/open.ts";

/** The flags of the command whose texts are printed. */
export interface GivenFlags {
  readonly db?: string | undefined;
  readonly company?: string | undefined;
}

/** A possible command in a text: one word or two. */
const PRINTED = /\blacre ([a-z]+(?:-[a-z]+)?)(?: ([a-z]+))?(?![\w-])/g;

/**
 * The text with `--db`, unless that is the default, and `--company` if one is given, after each command that takes
 * them: `lacre backup --db '/srv/shop.db' FILE`. A line that names a flag after a command stays as it is.
 */
export function withFlags(text: string, { db, company }: GivenFlags): string {
  const flags = {
    ...(db !== undefined && db !== DEFAULT_DB && { db: quoted(named(db).fullName) }),
    ...(company !== undefined && { company }),
  };
  return text.replaceAll(PRINTED, (printed: string, first: string, second: string | undefined, at: number) => {
    const command = commandOf(`${first} ${second}`) ?? commandOf(first);
    const begins = `lacre ${command?.name}`;
    if (!command || text.startsWith(`${begins} --help`, at)) return printed;
    const [line = ""] = text.slice(at).split("\n", 1);
    const lacking = Object.entries(flags).filter(
      ([flag]) => flag in command.input.shape && !line.includes(` --${flag} `),
    );
    const added = lacking.map(([flag, value]) => ` --${flag} ${value}`).join("");
    return begins + added + printed.slice(begins.length);
  });
}

const commandOf = (name: string) => COMMANDS.find((one) => one.name === name);

/** A text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
