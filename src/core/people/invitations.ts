/**
 * Invitation: a link that makes a user, or lets one choose a new password. Nobody ever sets another's password: whoever
 * has the link chooses it. The secret stands after `#`, where no server and no log sees it. A link works once; only the
 * hash of its secret is stored.
 */
import * as z from "zod";
import { allCompanies, mustFindCompany } from "../company/companies.ts";
import type { Reader, Row } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { Id, Instant, PathId, text } from "../fields.ts";
import { problem, refuse, refuseInput } from "../runtime/errors.ts";
import { command, commandAfter, parseInput, query } from "../runtime/operation.ts";
import type { Role } from "../runtime/permissions.ts";
import { common } from "../runtime/refusals.ts";
import { NO_COMPANY, type ReadScope, type WriteScope } from "../runtime/scope.ts";
import { mustBeRightPassword, OpenedSession, openedSession } from "./login.ts";
import { GivenPassword, mustNotBeGuessed, NewPassword } from "./passwords.ts";
import { t } from "./refusals.ts";
import { digestOfGiven, endSessions, newSecret } from "./sessions.ts";
import {
  createUser,
  enableUser,
  findByLogin,
  foldedLogin,
  hasUsers,
  joinCompany,
  Language,
  Login,
  Member,
  mayEnter,
  membershipsOf,
  membersOf,
  mustFindLiveMember,
  mustFindUser,
  mustOwnCompaniesOf,
  RoleName,
  savePassword,
  type UserRow,
} from "./users.ts";

const MINUTE_MS = 60_000;

/** How long a link works, and where it leads. */
const KINDS = {
  setup: { lives_ms: 30 * MINUTE_MS, path: "/area/setup" },
  invitation: { lives_ms: 7 * 24 * 60 * MINUTE_MS, path: "/area/invitation" },
  reset: { lives_ms: 30 * MINUTE_MS, path: "/area/reset" },
} as const;
type Kind = keyof typeof KINDS;

/** A link when it was just made: the only time it can be read. */
export const Link = z.strictObject({
  id: Id,
  link_path: z
    .string()
    .describe("To be put behind the server's address; the secret after # is shown this once.")
    .meta({ example: "/area/invitation#…" }),
  expires_at: Instant,
});
type Link = z.infer<typeof Link>;

/** An invitation that nobody has used yet. */
export const Invitation = z.strictObject({
  id: Id,
  login: z.string(),
  role: RoleName,
  created_at: Instant,
  expires_at: Instant,
});

// ——— Making links ———

type ForWhom = Pick<Row<"invitations">, "role" | "login" | "user_id">;

/**
 * Makes a link in the call's company, or in the installation. Earlier links to the same person stop working; a new
 * set-up link ends all others.
 */
async function makeLink(scope: WriteScope, kind: Kind, whom: ForWhom): Promise<Link> {
  const { db, now } = scope;
  const company_id = scope.company_id === NO_COMPANY ? null : scope.company_id;
  if (kind === "setup") await withdrawSetUp(scope);
  else await withdrawLinks(scope, company_id, kind, whom);
  const { secret, digest } = newSecret(scope);
  const { lives_ms, path } = KINDS[kind];
  const link: Row<"invitations"> = {
    id: scope.newId(),
    company_id,
    kind,
    digest,
    ...whom,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + lives_ms).toISOString(),
    used_at: null,
    withdrawn_at: null,
  };
  await db.insertInto("invitations").values(link).execute();
  await recordEvent(scope, "invitation.made", link.id, { kind, role: whom.role });
  return { id: link.id, link_path: `${path}#${secret}`, expires_at: link.expires_at };
}

/** Withdraws the open links of a kind to the same person. */
async function withdrawLinks(
  scope: WriteScope,
  company_id: string | null,
  kind: Kind,
  { login, user_id }: ForWhom,
): Promise<void> {
  const open = await openLinks(scope.db, scope.now)
    .where("company_id", "is not distinct from", company_id)
    .where("kind", "=", kind)
    .execute();
  for (const link of open) {
    const isSame =
      user_id === null ? foldedLogin(link.login ?? "") === foldedLogin(login ?? "") : link.user_id === user_id;
    if (isSame) await withdraw(scope, link.id);
  }
}

/** Withdraws every open set-up link, each of which makes an owner of all companies: there is one at a time. */
async function withdrawSetUp(scope: WriteScope): Promise<void> {
  const open = await openLinks(scope.db, scope.now).where("kind", "=", "setup").execute();
  for (const { id } of open) await withdraw({ ...scope, company_id: NO_COMPANY }, id);
}

async function withdraw(scope: WriteScope, id: string): Promise<void> {
  const withdrawn_at = scope.now.toISOString();
  await scope.db.updateTable("invitations").set({ withdrawn_at }).where("id", "=", id).execute();
  await recordEvent(scope, "invitation.withdrawn", id);
}

/**
 * Withdraws the links by which owners let a user choose a new password: whoever has one would also enter the companies
 * that the user has joined since.
 */
export async function withdrawResets(scope: WriteScope, user_id: string): Promise<void> {
  const open = openLinks(scope.db, scope.now).where("user_id", "=", user_id).where("company_id", "is not", null);
  for (const { id, company_id } of await open.execute()) {
    await withdraw({ ...scope, company_id: company_id as string }, id);
  }
}

/** Links that still work. */
function openLinks(db: Reader, now: Date) {
  return db
    .selectFrom("invitations")
    .selectAll()
    .where("used_at", "is", null)
    .where("withdrawn_at", "is", null)
    .where("expires_at", ">", now.toISOString());
}

export const listMembers = query(
  {
    id: "listMembers",
    summary: "List the users of the company, oldest first, and the open invitations",
    needs: "users:manage",
    input: z.strictObject({}),
    output: z.strictObject({ data: z.array(Member), invitations: z.array(Invitation) }),
    fails: [],
  },
  async (scope) => {
    const { db, now, company_id } = scope;
    const open = await openLinks(db, now)
      .where("company_id", "=", company_id)
      .where("kind", "=", "invitation")
      .orderBy("id")
      .execute();
    const invitations = open.map(({ id, login, role, created_at, expires_at }) => {
      return { id, login: login as string, role: role as Role, created_at, expires_at };
    });
    return { data: await membersOf(scope), invitations };
  },
);

export const inviteMember = command(
  {
    id: "inviteMember",
    summary: "Make a link by which a person joins the company; it is shown this once",
    needs: "users:manage",
    confirmed: true,
    unkeyed: true,
    input: z.strictObject({ login: Login, role: RoleName }),
    output: Link,
    fails: ["conflict", "password_required"],
  },
  async (scope, { login, role }) => {
    const isIn = (member: z.infer<typeof Member>) =>
      member.disabled_at === null && foldedLogin(member.login) === foldedLogin(login);
    if ((await membersOf(scope)).some(isIn)) refuse("conflict", t.user_is_member);
    return makeLink(scope, "invitation", { login, role, user_id: null });
  },
);

export const withdrawInvitation = command(
  {
    id: "withdrawInvitation",
    summary: "Withdraw an open invitation; its link no longer works",
    needs: "users:manage",
    input: z.strictObject({ id: PathId }),
    output: z.void(),
    fails: ["not_found"],
  },
  async (scope, { id }) => {
    const open = openLinks(scope.db, scope.now).where("company_id", "=", scope.company_id).where("id", "=", id);
    if (!(await open.executeTakeFirst())) refuse("not_found", t.no_such_invitation);
    await withdraw(scope, id);
  },
);

export const resetMember = command(
  {
    id: "resetMember",
    summary: "Make a link by which a user of the company chooses a new password; it is shown this once",
    needs: "users:manage",
    confirmed: true,
    unkeyed: true,
    input: z.strictObject({ id: PathId }),
    output: Link,
    fails: ["not_found", "invalid_state", "password_required"],
  },
  async (scope, { id }) => {
    const user = await mustFindLiveMember(scope, id);
    await mustOwnCompaniesOf(scope, user.id);
    return makeLink(scope, "reset", { role: null, login: null, user_id: user.id });
  },
);

export const inviteOwner = command(
  {
    id: "inviteOwner",
    summary: "Make a set-up link: whoever opens it becomes an owner of every company; it is shown this once",
    needs: "operator",
    input: z.strictObject({ login: Login.optional().describe("Whose login it must be; anybody's when left out.") }),
    output: Link,
    fails: [],
  },
  (scope, { login = null }) => makeLink(scope, "setup", { role: "owner", login, user_id: null }),
);

export const resetUser = command(
  {
    id: "resetUser",
    summary: "Make a link by which a user chooses a new password, and is no longer disabled; it is shown this once",
    needs: "operator",
    input: z.strictObject({ id: PathId }),
    output: Link,
    fails: ["not_found"],
  },
  async (scope, { id }) => {
    const user = await mustFindUser(scope.db, id);
    return makeLink(scope, "reset", { role: null, login: null, user_id: user.id });
  },
);

// ——— Using them ———

const token = z.string().max(200).describe("What stands after # in the link.");

/** The link of a token. Refuses with `not_found` if it was used or withdrawn, has expired, or never existed. */
async function mustFindOpen({ db, now }: Pick<ReadScope, "db" | "now">, token: string): Promise<Row<"invitations">> {
  const digest = digestOfGiven(token);
  const link = digest && (await openLinks(db, now).where("digest", "=", digest).executeTakeFirst());
  return link || refuse("not_found", t.link_is_spent);
}

/**
 * Whether the user of a link has a valid password, so that the link asks for it and sets none. A company's link lets a
 * user choose a new one who was only ever in that company and was removed; the host program's link does so for anybody
 * who may not log in.
 */
async function isKnown(db: Reader, { company_id }: Row<"invitations">, user: UserRow | undefined): Promise<boolean> {
  if (user === undefined || company_id === null) return user !== undefined && (await mayEnter(db, user));
  const memberships = await membershipsOf(db, user.id);
  const wasOnlyHere = memberships.every((one) => one.company_id === company_id && one.disabled_at !== null);
  return !wasOnlyHere || memberships.length === 0;
}

export const lookAtInvitation = query(
  {
    id: "lookAtInvitation",
    summary: "What a link is for",
    needs: "visitor",
    carriesSecret: true,
    input: z.strictObject({ token }),
    output: z.strictObject({
      kind: z.enum(Object.keys(KINDS) as [Kind, ...Kind[]]),
      role: RoleName.nullable(),
      company_name: z.string().nullable(),
      login: z.string().nullable().describe("Whose link it is; null where the user chooses a login."),
      name: z.string().nullable().describe("Of the user whose password is chosen anew."),
      known: z.boolean().describe("The login has a user already: the password is that user's, and no name is asked."),
    }),
    fails: ["not_found"],
  },
  async (scope, { token }) => {
    const { db } = scope;
    const link = await mustFindOpen(scope, token);
    const { kind, role, company_id, user_id, login } = link;
    const company_name = company_id === null ? null : (await mustFindCompany({ db, company_id })).name;
    if (user_id !== null) {
      const user = await mustFindUser(db, user_id);
      return { kind, role, company_name, login: user.login, name: user.name, known: false };
    }
    const known = login !== null && (await isKnown(db, link, await findByLogin(db, login)));
    return { kind, role, company_name, login, name: null, known };
  },
);

/** What was read about a link before its transaction. */
interface Prepared {
  readonly link: Row<"invitations">;
  readonly login: string;
  /** The user with that login before the transaction, which refuses if the password has changed since. */
  readonly user: UserRow | undefined;
  /** The hash of the chosen password; null if the user typed the existing one. */
  readonly chosen: string | null;
}

export const acceptInvitation = commandAfter(
  {
    id: "acceptInvitation",
    summary: "Use a link: join, or choose a new password; and log in",
    needs: "visitor",
    carriesSecret: true,
    inCompanies: true,
    unkeyed: true,
    input: z.strictObject({
      token,
      name: text(200).optional().describe("Of a new user."),
      login: Login.optional().describe("Of a set-up link that names none."),
      password: GivenPassword.describe("Chosen; or that of the user whom the login has already."),
      language: Language.nullable().optional(),
    }),
    output: OpenedSession,
    fails: ["not_found", "invalid_state", "conflict", "unauthorized", "rate_limited"],
  },
  async (scope, { token, name, password, ...input }): Promise<Prepared> => {
    const { db, passwords } = scope;
    const link = await mustFindOpen(scope, token);
    const user = link.user_id === null ? undefined : await mustFindUser(db, link.user_id);
    const login = loginFor(link, user, input.login);
    const found = user ?? (await findByLogin(db, login));
    const typesOwn = link.kind !== "reset" && (await isKnown(db, link, found));
    if (typesOwn) await mustBeRightPassword(scope, found, { login, password });
    // The host program's links let a disabled user in again, an owner's do not.
    if (found?.disabled_at != null && link.company_id !== null) refuse("invalid_state", t.user_is_disabled);
    if (typesOwn) return { link, login, user: found, chosen: null };
    if (!found && name === undefined) refuseInput([problem("name", common.is_required)]);
    parseInput(z.object({ password: NewPassword }), { password });
    mustNotBeGuessed(password, [login, found?.name ?? name]);
    return { link, login, user: found, chosen: await passwords.hash(password) };
  },
  async (scope, { name, language = null }, { link, login, user, chosen }) => {
    const inside: WriteScope = { ...scope, company_id: link.company_id ?? NO_COMPANY };
    await claim(inside, link);
    if (link.kind === "reset" && link.company_id !== null) await mustFindLiveMember(inside, link.user_id as string);
    const isFirst = !(await hasUsers(scope.db));
    const now = await findByLogin(scope.db, login);
    // Somebody else made this user or changed the password meanwhile.
    if (now?.password !== user?.password) refuse("conflict", t.login_is_taken({ login }));
    const known =
      now ?? (await createUser(scope, { name: name as string, login, password: chosen as string, language }));
    if (now && chosen !== null) await savePassword(scope, now.id, chosen);
    if (known.disabled_at !== null) await enableUser(scope, known.id);
    for (const company_id of await companiesOfLink(scope, link)) {
      await joinCompany({ ...scope, company_id }, known, link.role as Role);
    }
    if (link.kind !== "reset") await withdrawResets(scope, known.id);
    if (chosen !== null) await endSessions(scope, known.id);
    await recordEvent({ ...inside, actor_id: known.id }, "invitation.used", link.id);
    // All other such links were also for the first person.
    if (link.kind === "setup" || isFirst) await withdrawSetUp(scope);
    return openedSession(scope, known.id);
  },
);

/** The login that a link names, or that its visitor chose. */
function loginFor(link: Row<"invitations">, user: UserRow | undefined, given: string | undefined): string {
  const named = user?.login ?? link.login;
  if (named === null) return given ?? refuseInput([problem("login", common.is_required)]);
  if (given !== undefined && foldedLogin(given) !== foldedLogin(named)) {
    refuseInput([problem("login", t.must_be_invited_login({ login: named }))]);
  }
  return named;
}

/**
 * Marks a link as used, which only one of several simultaneous callers can; the others are refused with `not_found`.
 */
async function claim({ db, now }: WriteScope, { id }: Row<"invitations">): Promise<void> {
  const used_at = now.toISOString();
  const claimed = await db
    .updateTable("invitations")
    .set({ used_at })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .where("withdrawn_at", "is", null)
    .where("expires_at", ">", used_at)
    .executeTakeFirstOrThrow();
  if (claimed.numUpdatedRows === 0n) refuse("not_found", t.link_is_spent);
}

/** The companies that a link opens: its own, every one by a set-up link, none by a reset. */
async function companiesOfLink(scope: WriteScope, { kind, company_id }: Row<"invitations">): Promise<string[]> {
  if (kind === "setup") return (await allCompanies(scope)).map(({ id }) => id);
  return kind === "invitation" && company_id !== null ? [company_id] : [];
}
