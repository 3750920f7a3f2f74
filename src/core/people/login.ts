/** Login: a user proves who they are and gets a session. Also what people do with their own user. */
import * as z from "zod";
import type { Reader } from "../database/tables.ts";
import { Id, Instant } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { command, commandAfter, query } from "../runtime/operation.ts";
import type { SessionOfCaller } from "../runtime/permissions.ts";
import type { PrepareScope, WriteScope } from "../runtime/scope.ts";
import { VERSION } from "../version.ts";
import { GivenPassword, mustNotBeGuessed, NewPassword } from "./passwords.ts";
import { t } from "./refusals.ts";
import { beginSession, confirmSession, endSessions, knownDevice, rememberDevice, sessionOf } from "./sessions.ts";
import {
  CompanyOfSession,
  companiesOf,
  findByLogin,
  foldedLogin,
  hasUsers,
  Language,
  mayEnter,
  mustFindUser,
  saveLanguage,
  savePassword,
  type UserRow,
} from "./users.ts";

/** A session as its own page sees it. */
export const Session = z
  .strictObject({
    id: Id,
    user: z.strictObject({ id: Id, name: z.string(), login: z.string(), language: Language.nullable() }),
    companies: z.array(CompanyOfSession).describe("Empty after a set-up link, until the first company is made."),
    confirmed_until: Instant.nullable().describe("Until when what asks for the password again runs without it."),
  })
  .meta({ id: "Session" });
type Session = z.infer<typeof Session>;

/**
 * A session when it was just opened: the only time its secret, and that of its browser, can be read. The HTTP layer
 * puts them into cookies.
 */
export const OpenedSession = z.strictObject({ session: Session, secret: z.string(), device: z.string() });

/** Opens a session, at the browser of the call, for a user who has just proved who they are. */
export async function openedSession(scope: WriteScope, user_id: string): Promise<z.infer<typeof OpenedSession>> {
  const { id, secret } = await beginSession(scope, user_id);
  const session = await sessionShown(scope.db, { id, user_id, confirmed_until: null });
  return { session, secret, device: await rememberDevice(scope, user_id) };
}

/** A session as it is shown. */
export async function sessionShown(db: Reader, { id, user_id, confirmed_until }: SessionOfCaller): Promise<Session> {
  const { name, login, language } = await mustFindUser(db, user_id);
  const user = { id: user_id, name, login, language: language as Session["user"]["language"] };
  return { id, user, companies: await companiesOf(db, user_id), confirmed_until };
}

/** Refuses with `unauthorized`, always in the same words, a wrong password; without a user it takes as long. */
export async function mustBeRightPassword(
  { db, passwords, caller }: PrepareScope,
  user: UserRow | undefined,
  { login, password }: { readonly login: string; readonly password: string },
): Promise<void> {
  const own = user ? await knownDevice(db, user.id, caller) : null;
  const trial = { of: foldedLogin(login), network: caller.from?.network ?? null, own };
  const isRight = await passwords.isRight(password, user?.password ?? null, trial);
  if (!isRight) refuse("unauthorized", t.login_refused);
}

export const openSession = commandAfter(
  {
    id: "openSession",
    summary: "Log in",
    needs: "visitor",
    carriesSecret: true,
    unkeyed: true,
    input: z.strictObject({ login: z.string().max(1_000), password: GivenPassword }),
    output: OpenedSession,
    fails: ["unauthorized", "rate_limited"],
  },
  async (scope, input) => {
    const user = await findByLogin(scope.db, input.login);
    await mustBeRightPassword(scope, user, input);
    if (!user) return refuse("unauthorized", t.login_refused);
    const isCurrent = scope.passwords.isCurrent(user.password);
    return { user, rehashed: isCurrent ? null : await scope.passwords.hash(input.password) };
  },
  async (scope, { login }, { user, rehashed }) => {
    const now = await findByLogin(scope.db, login);
    if (now?.password !== user.password || !(await mayEnter(scope.db, now))) refuse("unauthorized", t.login_refused);
    if (rehashed !== null) await savePassword(scope, user.id, rehashed);
    return openedSession(scope, user.id);
  },
);

export const getSession = query(
  {
    id: "getSession",
    summary: "The user and their companies",
    needs: "person",
    input: z.strictObject({}),
    output: Session,
    fails: ["unauthorized"],
  },
  (scope) => sessionShown(scope.db, sessionOf(scope)),
);

export const changeLanguage = command(
  {
    id: "changeLanguage",
    summary: "Choose the language of the page",
    needs: "person",
    input: z.strictObject({ language: Language.nullable() }),
    output: Session,
    fails: ["unauthorized"],
  },
  async (scope, { language }) => {
    const session = sessionOf(scope);
    await saveLanguage(scope, session.user_id, language);
    return sessionShown(scope.db, session);
  },
);

export const confirmPassword = commandAfter(
  {
    id: "confirmPassword",
    summary: "Type the password again, for what asks for it",
    needs: "person",
    carriesSecret: true,
    input: z.strictObject({ password: GivenPassword }),
    output: Session,
    fails: ["unauthorized", "password_required", "rate_limited"],
  },
  async (scope, { password }) => {
    const { user_id } = sessionOf(scope);
    const user = await mustFindUser(scope.db, user_id);
    // Counted apart from logins: whoever slows a login from outside must not slow the user who is logged in.
    const trial = { of: user_id, network: null, own: "session" };
    if (!(await scope.passwords.isRight(password, user.password, trial))) {
      refuse("password_required", t.password_is_wrong);
    }
  },
  async (scope) => {
    const session = sessionOf(scope);
    const confirmed_until = await confirmSession(scope, session.id);
    return sessionShown(scope.db, { ...session, confirmed_until });
  },
);

export const changePassword = commandAfter(
  {
    id: "changePassword",
    summary: "Choose a new password; all other sessions of the user end",
    needs: "person",
    carriesSecret: true,
    confirmed: true,
    input: z.strictObject({ password: NewPassword }),
    output: Session,
    fails: ["unauthorized", "password_required"],
  },
  async (scope, { password }) => {
    const { login, name } = await mustFindUser(scope.db, sessionOf(scope).user_id);
    mustNotBeGuessed(password, [login, name]);
    return scope.passwords.hash(password);
  },
  async (scope, _, hash) => {
    const session = sessionOf(scope);
    await savePassword(scope, session.user_id, hash);
    await endSessions(scope, session.user_id, session.id);
    return sessionShown(scope.db, session);
  },
);

export const getStart = query(
  {
    id: "getStart",
    summary: "What the page shows before anybody logged in",
    needs: "visitor",
    input: z.strictObject({}),
    output: z.strictObject({
      version: z.string(),
      needs_setup: z.boolean().describe("There is no user yet: the link to make one is in the terminal."),
    }),
    fails: [],
  },
  async ({ db }) => ({ version: VERSION, needs_setup: !(await hasUsers(db)) }),
);
