/** `lacre user`: the people who work in the company area. Nobody's password is set here: each chooses it by a link. */
import { z } from "zod";
import type { Lacre } from "../core/index.ts";
import { command } from "./command.ts";
import { FLAGS, operand, REQUIRED, textFlag } from "./config.ts";
import { Failure } from "./exit.ts";
import { findDatabase } from "./find-database.ts";
import { withCompany, withLacre } from "./open-database.ts";
import { columns, show } from "./output.ts";

const ROLES = ["owner", "accountant", "cashier"] as const;

const url = textFlag("URL", "where the server is reached").default("http://127.0.0.1:8787");

/** A link that was just made. */
interface Link {
  readonly link_path: string;
  readonly expires_at: string;
}

/** A link in whole, and until when it can be used. */
function linkText(address: string, { link_path, expires_at }: Link): string[] {
  return [`  ${address.replace(/\/$/, "")}${link_path}`, `It works once, until ${expires_at}.`];
}

const inviteCommand = command({
  name: "user invite",
  summary: "makes a link by which a person becomes a user; it is shown only once",
  details: `--role owner makes an owner of every company, with or without --login. The other roles are in one company and need
--login, the e-mail address of the person. Whoever has the link can use it: give it to that person alone.`,
  input: z.strictObject({
    role: z
      .enum(ROLES, { error: ({ input }) => (input === undefined ? REQUIRED : `must be ${ROLES.join(", ")}`) })
      .meta({
        takes: "ROLE",
        description: ROLES.join(", "),
      }),
    login: textFlag("EMAIL", "the person's e-mail address, with which they sign in").optional(),
    company: FLAGS.company,
    url,
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ role, login, company, url, db, json }, terminal) {
    const invite = async (): Promise<Link> => {
      if (role === "owner") return withLacre(findDatabase(db), (lacre) => lacre.users.invite({ login }));
      if (login === undefined) throw new Failure("usage", `--role ${role} needs --login EMAIL`);
      return withCompany({ db, company }, (lacre, { id }) => lacre.as(id).users.invite({ login, role }));
    };
    const link = await invite();
    show(terminal, json, link, [`The link for ${login ?? "a new owner"}:`, ...linkText(url, link)]);
  },
});

const listCommand = command({
  name: "user list",
  summary: "lists the users with their companies and roles, oldest first, including disabled ones",
  input: z.strictObject({ db: FLAGS.db, json: FLAGS.json }),
  async run({ db, json }, terminal) {
    const users = await withLacre(findDatabase(db), (lacre) => lacre.users.list());
    const rows = users.map(({ login, name, created_at, disabled_at, companies }) => [
      login,
      name,
      disabled_at === null ? `since ${created_at.slice(0, 10)}` : `disabled ${disabled_at.slice(0, 10)}`,
      companies.map((one) => `${one.role} of ${one.name}`).join(", "),
    ]);
    show(
      terminal,
      json,
      users,
      users.length > 0 ? columns(rows) : ["There are no users: lacre user invite --role owner"],
    );
  },
});

const resetCommand = command({
  name: "user reset",
  summary: "makes a link by which a user chooses a new password, and enables a disabled one",
  input: z.strictObject({ login: operand("EMAIL"), url, db: FLAGS.db, json: FLAGS.json }),
  async run({ login, url, db, json }, terminal) {
    const link = await withLacre(findDatabase(db), async (lacre) =>
      lacre.users.reset({ id: await idOf(lacre, login) }),
    );
    show(terminal, json, link, [`The link for ${login}:`, ...linkText(url, link)]);
  },
});

const disableCommand = command({
  name: "user disable",
  summary: "disables a user; the sessions of that person end at once",
  input: z.strictObject({ login: operand("EMAIL"), db: FLAGS.db, json: FLAGS.json }),
  async run({ login, db, json }, terminal) {
    const user = await withLacre(findDatabase(db), async (lacre) =>
      lacre.users.disable({ id: await idOf(lacre, login) }),
    );
    show(terminal, json, user, [`${user.name} (${user.login}) is disabled.`]);
  },
});

async function idOf(lacre: Lacre, login: string): Promise<string> {
  const users = await lacre.users.list();
  const user = users.find((one) => one.login === login.toLowerCase());
  if (!user) throw new Failure("refused", `There is no user ${login}; see lacre user list`);
  return user.id;
}

export const userCommands = [inviteCommand, listCommand, resetCommand, disableCommand];
