/** `lacre user`: the people who work in the company area. Nobody's password is set here: each chooses it by a link. */
import * as z from "zod";
import { civilDate, type Instant } from "../core/fiscal/civil-time.ts";
import type { Lacre } from "../core/index.ts";
import { command } from "./command.ts";
import { about, FLAGS, operand, textFlag } from "./config.ts";
import { findDatabase, withCompany, withLacre } from "./database/open.ts";
import { Failure } from "./exit.ts";
import { columns, show } from "./output.ts";
import { notedAddress } from "./server-notes.ts";
import type { Terminal } from "./terminal.ts";

const ROLES = ["owner", "accountant", "cashier"] as const;

const { db, json, public_url } = FLAGS;

/** A link that was just made. */
interface Link {
  readonly link_path: string;
  readonly expires_at: Instant;
}

/** Where `serve` listens by default. */
const BY_DEFAULT = "http://127.0.0.1:8787";

/** How links are shown. */
interface Shown {
  readonly db: string;
  readonly json: boolean;
  /** The address that was given. */
  readonly public_url?: string | undefined;
}

/**
 * Shows a complete link, whose it is, and until when it can be used. It leads to the given address, else to that of the
 * database's server.
 */
function showLink(terminal: Terminal, link: Link, login: string | undefined, { db, json, public_url }: Shown): void {
  const { user: t } = terminal.texts;
  const { file } = findDatabase(db);
  const address = public_url ?? (file === undefined ? undefined : notedAddress(file));
  show(terminal, json, link, [
    login === undefined ? t.link_for_owner : t.link_for({ login }),
    `  ${address ?? BY_DEFAULT}${link.link_path}`,
    t.once_until({ until: link.expires_at }),
    ...(address === undefined ? [t.address_unknown] : []),
  ]);
}

const inviteCommand = command({
  name: "user invite",
  input: z.strictObject({
    role: z.enum(ROLES).meta(about("role", { takes: "ROLE" })),
    login: textFlag("EMAIL", "login").optional(),
    company: FLAGS.company,
    public_url,
    db,
    json,
  }),
  async run({ role, login, company, ...shown }, terminal) {
    const { db } = shown;
    const invite = async (): Promise<Link> => {
      if (role === "owner") return withLacre(findDatabase(db), (lacre) => lacre.users.invite({ login }));
      if (login === undefined) throw new Failure("usage", (t) => t.user.needs_login({ role }));
      return withCompany({ db, company }, (lacre, { id }) => lacre.as(id).users.invite({ login, role }));
    };
    showLink(terminal, await invite(), login, shown);
  },
});

/** People are of no company, so of no time zone of one. */
const inLisbon = (at: Instant) => civilDate(at, "Europe/Lisbon");

const listCommand = command({
  name: "user list",
  input: z.strictObject({ db, json }),
  async run({ db, json }, terminal) {
    const t = terminal.texts.user;
    const users = await withLacre(findDatabase(db), (lacre) => lacre.users.list());
    const rows = users.map(({ login, name, created_at, disabled_at, companies }) => [
      login,
      name,
      disabled_at === null ? t.since({ date: inLisbon(created_at) }) : t.disabled_on({ date: inLisbon(disabled_at) }),
      companies.map(({ role, name }) => t.role_of({ role: t.roles[role], company: name })).join(", "),
    ]);
    show(terminal, json, users, users.length > 0 ? columns(rows) : [t.none]);
  },
});

const resetCommand = command({
  name: "user reset",
  input: z.strictObject({ login: operand("EMAIL"), public_url, db, json }),
  async run({ login, ...shown }, terminal) {
    const link = await withLacre(findDatabase(shown.db), async (lacre) =>
      lacre.users.reset({ id: await idOf(lacre, login) }),
    );
    showLink(terminal, link, login, shown);
  },
});

const disableCommand = command({
  name: "user disable",
  input: z.strictObject({ login: operand("EMAIL"), db, json }),
  async run({ login, db, json }, terminal) {
    const user = await withLacre(findDatabase(db), async (lacre) =>
      lacre.users.disable({ id: await idOf(lacre, login) }),
    );
    show(terminal, json, user, [terminal.texts.user.disabled({ name: user.name, login: user.login })]);
  },
});

async function idOf(lacre: Lacre, login: string): Promise<string> {
  const users = await lacre.users.list();
  const user = users.find((one) => one.login === login.toLowerCase());
  if (!user) throw new Failure("refused", (t) => t.user.unknown({ login }));
  return user.id;
}

export const userCommands = [inviteCommand, listCommand, resetCommand, disableCommand];
