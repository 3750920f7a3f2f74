/** `lacre user`: the people who work in the company area. Nobody's password is set here: each chooses it by a link. */
import * as z from "zod";
import type { Lacre } from "../core/index.ts";
import { command } from "./command.ts";
import { about, choiceFlag, FLAGS, operand, textFlag } from "./config.ts";
import { Failure } from "./exit.ts";
import { findDatabase } from "./find-database.ts";
import { withCompany, withLacre } from "./open-database.ts";
import { columns, show } from "./output.ts";
import type { Texts } from "./texts/texts.ts";

const ROLES = ["owner", "accountant", "cashier"] as const;

const url = textFlag("URL", "url").default("http://127.0.0.1:8787");

/** A link that was just made. */
interface Link {
  readonly link_path: string;
  readonly expires_at: string;
}

/** A link in whole, and until when it can be used. */
function linkText(address: string, { link_path, expires_at }: Link, { user: t }: Texts): string[] {
  return [`  ${address.replace(/\/$/, "")}${link_path}`, t.once_until(expires_at)];
}

const inviteCommand = command({
  name: "user invite",
  input: z.strictObject({
    role: choiceFlag(ROLES).meta(about("role", { takes: "ROLE" })),
    login: textFlag("EMAIL", "login").optional(),
    company: FLAGS.company,
    url,
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ role, login, company, url, db, json }, terminal) {
    const invite = async (): Promise<Link> => {
      if (role === "owner") return withLacre(findDatabase(db), (lacre) => lacre.users.invite({ login }));
      if (login === undefined) throw new Failure("usage", (t) => t.user.needs_login(role));
      return withCompany({ db, company }, (lacre, { id }) => lacre.as(id).users.invite({ login, role }));
    };
    const link = await invite();
    const { texts: t } = terminal;
    show(terminal, json, link, [t.user.link_for(login), ...linkText(url, link, t)]);
  },
});

const listCommand = command({
  name: "user list",
  input: z.strictObject({ db: FLAGS.db, json: FLAGS.json }),
  async run({ db, json }, terminal) {
    const t = terminal.texts.user;
    const users = await withLacre(findDatabase(db), (lacre) => lacre.users.list());
    const rows = users.map(({ login, name, created_at, disabled_at, companies }) => [
      login,
      name,
      disabled_at === null ? t.since(created_at.slice(0, 10)) : t.disabled_on(disabled_at.slice(0, 10)),
      companies.map(({ role, name }) => t.role_of(t.roles[role], name)).join(", "),
    ]);
    show(terminal, json, users, users.length > 0 ? columns(rows) : [t.none]);
  },
});

const resetCommand = command({
  name: "user reset",
  input: z.strictObject({ login: operand("EMAIL"), url, db: FLAGS.db, json: FLAGS.json }),
  async run({ login, url, db, json }, terminal) {
    const link = await withLacre(findDatabase(db), async (lacre) =>
      lacre.users.reset({ id: await idOf(lacre, login) }),
    );
    const { texts: t } = terminal;
    show(terminal, json, link, [t.user.link_for(login), ...linkText(url, link, t)]);
  },
});

const disableCommand = command({
  name: "user disable",
  input: z.strictObject({ login: operand("EMAIL"), db: FLAGS.db, json: FLAGS.json }),
  async run({ login, db, json }, terminal) {
    const user = await withLacre(findDatabase(db), async (lacre) =>
      lacre.users.disable({ id: await idOf(lacre, login) }),
    );
    show(terminal, json, user, [terminal.texts.user.disabled(user.name, user.login)]);
  },
});

async function idOf(lacre: Lacre, login: string): Promise<string> {
  const users = await lacre.users.list();
  const user = users.find((one) => one.login === login.toLowerCase());
  if (!user) throw new Failure("refused", (t) => t.user.unknown(login));
  return user.id;
}

export const userCommands = [inviteCommand, listCommand, resetCommand, disableCommand];
