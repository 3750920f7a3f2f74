/**
 * User: a person of the installation, with a login and a password. In each company of which it is a member, the user
 * has a role and a separate actor (`U2`), which documents, payments and events name.
 */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import type { Soon } from "../database/executor.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { Id, Instant, PathId, says, text } from "../fields.ts";
import { composed } from "../fiscal/spelling.ts";
import { refuse } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { type Actor, ALL_PERMISSIONS, type Caller, ROLE_NAMES, ROLES, type Role } from "../runtime/permissions.ts";
import { common } from "../runtime/refusals.ts";
import { NO_COMPANY, type ReadScope, type WriteScope } from "../runtime/scope.ts";
import { createActor } from "./actors.ts";
import { t } from "./refusals.ts";
import { endSessions, isOpen } from "./sessions.ts";

/** What a user logs in with. */
export const Login = text(100)
  .refine((given) => z.regexes.email.test(given), says(common.must_be_email))
  .meta({
    format: "email",
    description: "An e-mail address; a test message that its user asks for is all that Lacre sends it.",
  });

export const RoleName = z.enum(ROLE_NAMES);

/** The languages of the company area. */
export const Language = z.enum(["pt", "en"]);

/** The normal form of a login: two users differ in more than case. */
export function foldedLogin(login: string): string {
  return composed(login.trim()).toLowerCase();
}

// ——— Users ———

/** A user with the name of its actor. */
export type UserRow = Row<"users"> & Pick<Row<"actors">, "name" | "created_at">;

function users(db: Reader) {
  return db
    .selectFrom("users")
    .innerJoin("actors", "actors.id", "users.id")
    .selectAll("users")
    .select(["name", "created_at"]);
}

/** The user of this login, disabled ones included. */
export async function findByLogin(db: Reader, login: string): Promise<UserRow | undefined> {
  return (await userByLogin(db, { login_folded: foldedLogin(login) }))[0];
}

const userByLogin = preparedSelect((db, { login_folded }: { login_folded: string }) =>
  users(db).where("login_folded", "=", login_folded),
);

/** The user of this id, or refuses with `not_found`. */
export async function mustFindUser(db: Reader, id: string): Promise<UserRow> {
  const user = await users(db).where("users.id", "=", id).executeTakeFirst();
  return user ?? refuse("not_found", t.no_such_user);
}

/** Whether there is any user at all. */
export async function hasUsers(db: Reader): Promise<boolean> {
  return (await db.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Whether a user may log in: not disabled, and a member of some company; or of none, after a set-up link, until there
 * is a company.
 */
export async function mayEnter(db: Reader, { id, disabled_at }: Row<"users">): Promise<boolean> {
  const memberships = await membershipsOf(db, id);
  return disabled_at === null && (memberships.length === 0 || memberships.some(isLive));
}

/** Stores a new user; `password` is its hash. */
export async function createUser(
  scope: WriteScope,
  { name, login, password, language }: { name: string; login: string; password: string; language: string | null },
): Promise<UserRow> {
  const above = { ...scope, company_id: NO_COMPANY };
  const { id, created_at } = await createActor(above, "user", name);
  const user = { id, login, login_folded: foldedLogin(login), password, language, disabled_at: null };
  await scope.db.insertInto("users").values(user).execute();
  await recordEvent({ ...above, actor_id: id }, "user.created", id);
  return { ...user, name, created_at };
}

/** Stores the hash of a new password. The caller ends sessions, if necessary. */
export async function savePassword(scope: WriteScope, id: string, password: string): Promise<void> {
  await scope.db.updateTable("users").set({ password }).where("id", "=", id).execute();
  await recordEvent({ ...scope, company_id: NO_COMPANY, actor_id: id }, "user.password_changed", id);
}

/** Lets a disabled user in again. */
export async function enableUser(scope: WriteScope, id: string): Promise<void> {
  await scope.db.updateTable("users").set({ disabled_at: null }).where("id", "=", id).execute();
  await recordEvent({ ...scope, company_id: NO_COMPANY, actor_id: id }, "user.enabled", id);
}

/** Stores the language of the user's pages. It is not an event: nothing that counts depends on it. */
export async function saveLanguage({ db }: WriteScope, id: string, language: string | null): Promise<void> {
  await db.updateTable("users").set({ language }).where("id", "=", id).execute();
}

// ——— Memberships ———

/** A membership with the code of its actor. */
export type Membership = Row<"memberships"> & Pick<Row<"actors">, "code">;

const isLive = ({ disabled_at }: Pick<Row<"memberships">, "disabled_at">) => disabled_at === null;

/** The memberships of a user, oldest first, ended ones included. */
export function membershipsOf(db: Reader, user_id: string): Soon<Membership[]> {
  return membershipsByUser(db, { user_id });
}

const membershipsByUser = preparedSelect((db, { user_id }: { user_id: string }) =>
  db
    .selectFrom("memberships")
    .innerJoin("actors", "actors.id", "memberships.id")
    .selectAll("memberships")
    .select("code")
    .where("user_id", "=", user_id)
    .orderBy("memberships.id"),
);

/** The live memberships of a user, oldest first. */
export async function liveMembershipsOf(db: Reader, user_id: string): Promise<Membership[]> {
  return (await membershipsOf(db, user_id)).filter(isLive);
}

/** The membership of a user in the call's company. Refuses with `not_found`. */
async function mustFindMembership({ db, company_id }: ReadScope | WriteScope, user_id: string): Promise<Membership> {
  const found = (await membershipsOf(db, user_id)).find((one) => one.company_id === company_id);
  return found ?? refuse("not_found", t.no_such_user);
}

/** The actor and the permissions of a user in a company; undefined if the user is not a member any more. */
export async function memberIn(
  db: Reader,
  user_id: string,
  company_id: string,
): Promise<{ readonly actor: Actor; readonly role: Role } | undefined> {
  const [row] = await memberById(db, { user_id, company_id });
  if (!row) return undefined;
  const { id, kind, code, name, role } = row;
  return { actor: { id, kind, code, name }, role };
}

const memberById = preparedSelect((db, { user_id, company_id }: { user_id: string; company_id: string }) =>
  db
    .selectFrom("memberships")
    .innerJoin("actors", "actors.id", "memberships.id")
    .select(["actors.id", "kind", "code", "name", "role"])
    .where("user_id", "=", user_id)
    .where("memberships.company_id", "=", company_id)
    .where("disabled_at", "is", null),
);

/**
 * The same caller as of now: a command may have waited, and its session may have ended or its role have changed since.
 * Refuses with `unauthorized` without a session, with `forbidden` without a membership.
 */
export async function stillThere(db: Reader, caller: Caller): Promise<Caller> {
  const { session, company_id } = caller;
  if (!session) return caller;
  if (!(await isOpen(db, session.id))) refuse("unauthorized", common.no_session);
  if (company_id === NO_COMPANY) return caller;
  const member = await memberIn(db, session.user_id, company_id);
  return member ? { ...caller, scopes: ROLES[member.role] } : refuse("forbidden", t.is_no_member);
}

/** Makes a user a member of the call's company in this role: for the first time, again, or in another role than now. */
export async function joinCompany(scope: WriteScope, user: UserRow, role: Role): Promise<void> {
  const { db, company_id } = scope;
  const known = (await membershipsOf(db, user.id)).find((one) => one.company_id === company_id);
  if (!known) {
    const { id } = await createActor(scope, "user", user.name);
    const membership = { id, user_id: user.id, company_id, role, disabled_at: null };
    await db.insertInto("memberships").values(membership).execute();
    return recordEvent({ ...scope, actor_id: id }, "user.joined", id, { role });
  }
  if (isLive(known) && known.role === role) return;
  await db.updateTable("memberships").set({ role, disabled_at: null }).where("id", "=", known.id).execute();
  const action = isLive(known) ? "user.role_changed" : "user.enabled";
  await recordEvent({ ...scope, actor_id: known.id }, action, known.id, { role });
}

/** Makes the users of set-up links that came before any company owners of the call's company, which is new. */
export async function joinWaitingOwners(scope: WriteScope): Promise<void> {
  const waiting = await users(scope.db)
    .leftJoin("memberships", "user_id", "users.id")
    .where("memberships.id", "is", null)
    .where("users.disabled_at", "is", null)
    .execute();
  for (const user of waiting) await joinCompany(scope, user, "owner");
}

/** Refuses with `invalid_state` a change that would leave a membership's company without an owner. */
async function mustNotBeLastOwner(db: Reader, { company_id, role, user_id, ...own }: Membership): Promise<void> {
  if (role !== "owner" || !isLive(own)) return;
  const other = await db
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "user_id")
    .select("memberships.id")
    .where("company_id", "=", company_id)
    .where("role", "=", "owner")
    .where("memberships.disabled_at", "is", null)
    .where("users.disabled_at", "is", null)
    .where("user_id", "<>", user_id)
    .executeTakeFirst();
  if (!other) refuse("invalid_state", t.is_last_owner);
}

/**
 * Refuses with `invalid_state` to make a password link for a user who is or ever was in other companies, unless the
 * caller is an owner of each: the link would open those, now or when they take the user back.
 */
export async function mustOwnCompaniesOf({ db, caller }: WriteScope, user_id: string): Promise<void> {
  if (!caller.session) return;
  const own = await liveMembershipsOf(db, caller.session.user_id);
  const owned = new Set(own.filter(({ role }) => role === "owner").map(({ company_id }) => company_id));
  const all = await membershipsOf(db, user_id);
  if (all.some(({ company_id }) => !owned.has(company_id)))
    refuse("invalid_state", t.user_is_elsewhere, { to: "reset_user" });
}

/** The member of the call's company with this user id, for a password link. */
export async function mustFindLiveMember(scope: WriteScope, user_id: string): Promise<UserRow> {
  if (!isLive(await mustFindMembership(scope, user_id))) refuse("invalid_state", t.user_is_disabled);
  const user = await mustFindUser(scope.db, user_id);
  return user.disabled_at === null ? user : refuse("invalid_state", t.user_is_disabled);
}

// ——— What the session shows ———

/** A company as the session of a member shows it. */
export const CompanyOfSession = z.strictObject({
  id: Id,
  name: z.string(),
  tax_id: z.string(),
  role: RoleName,
  actor_code: z.string().meta({ description: "Who the user is on documents there.", example: "U2" }),
  permissions: z.array(z.enum(ALL_PERMISSIONS)),
});

/** The companies a user is in now, by the age of the memberships. */
export async function companiesOf(db: Reader, user_id: string): Promise<z.infer<typeof CompanyOfSession>[]> {
  const shown = [];
  for (const { company_id, role, code } of await liveMembershipsOf(db, user_id)) {
    const { id, name, tax_id } = await mustFindCompany({ db, company_id });
    shown.push({ id, name, tax_id, role, actor_code: code, permissions: [...ROLES[role]] });
  }
  return shown;
}

// ——— Operations in a company ———

/** A user as the owners of a company see them. */
export const Member = z.strictObject({
  id: Id.describe("Of the user, the same in every company."),
  name: z.string(),
  login: z.string(),
  role: RoleName,
  actor_id: Id.describe("Whom events and documents of the company name."),
  actor_code: z.string().meta({ example: "U2" }),
  created_at: Instant.describe("When the user joined the company."),
  disabled_at: Instant.nullable(),
});
type Member = z.infer<typeof Member>;

/** The members of the call's company, oldest first, disabled ones included. */
export async function membersOf({ db, company_id }: ReadScope): Promise<Member[]> {
  return (await members(db).where("memberships.company_id", "=", company_id).execute()).map(toMember);
}

async function memberShown({ db, company_id }: WriteScope, user_id: string): Promise<Member> {
  const mine = members(db).where("memberships.company_id", "=", company_id).where("user_id", "=", user_id);
  return toMember(await mine.executeTakeFirstOrThrow());
}

function members(db: Reader) {
  return db
    .selectFrom("memberships")
    .innerJoin("actors", "actors.id", "memberships.id")
    .innerJoin("users", "users.id", "user_id")
    .select(["memberships.id as actor_id", "user_id as id", "actors.name", "login", "role", "code as actor_code"])
    .select(["actors.created_at", "memberships.disabled_at as left_at", "users.disabled_at"])
    .orderBy("memberships.id");
}

function toMember({
  left_at,
  disabled_at,
  ...row
}: Awaited<ReturnType<ReturnType<typeof members>["execute"]>>[number]) {
  return { ...row, disabled_at: left_at ?? disabled_at };
}

export const changeRole = command(
  {
    id: "changeRole",
    summary: "Give a user of the company another role",
    needs: "users:manage",
    confirmed: true,
    input: z.strictObject({ id: PathId, role: RoleName }),
    output: Member,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id, role }) => {
    const membership = await mustFindMembership(scope, id);
    if (!isLive(membership)) refuse("invalid_state", t.user_is_disabled);
    if (membership.role !== role) {
      await mustNotBeLastOwner(scope.db, membership);
      await scope.db.updateTable("memberships").set({ role }).where("id", "=", membership.id).execute();
      await recordEvent(scope, "user.role_changed", membership.id, { role });
    }
    return memberShown(scope, id);
  },
);

export const disableMember = command(
  {
    id: "disableMember",
    summary: "Take a user out of the company; the user's sessions end at once",
    needs: "users:manage",
    confirmed: true,
    input: z.strictObject({ id: PathId }),
    output: Member,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id }) => {
    const membership = await mustFindMembership(scope, id);
    if (!isLive(membership)) refuse("invalid_state", t.user_is_disabled);
    await mustNotBeLastOwner(scope.db, membership);
    const disabled_at = scope.now.toISOString();
    await scope.db.updateTable("memberships").set({ disabled_at }).where("id", "=", membership.id).execute();
    await endSessions(scope, id);
    await recordEvent(scope, "user.disabled", membership.id);
    return memberShown(scope, id);
  },
);

// ——— Operations of the host program ———

/** A user as the host program sees them. */
export const User = z.strictObject({
  id: Id,
  name: z.string(),
  login: z.string(),
  created_at: Instant,
  disabled_at: Instant.nullable(),
  companies: z.array(z.strictObject({ id: Id, name: z.string(), role: RoleName })),
});

export const listUsers = query(
  {
    id: "listUsers",
    summary: "List the users of the installation, oldest first, disabled ones included",
    needs: "operator",
    input: z.strictObject({}),
    output: z.array(User),
    fails: [],
  },
  async ({ db }) => {
    const rows = await users(db).orderBy("users.id").execute();
    return Promise.all(rows.map((row) => toUser(db, row)));
  },
);

export const disableUser = command(
  {
    id: "disableUser",
    summary: "Disable a user in every company; the user's sessions end at once",
    needs: "operator",
    input: z.strictObject({ id: PathId }),
    output: User,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id }) => {
    const user = await mustFindUser(scope.db, id);
    if (user.disabled_at !== null) refuse("invalid_state", t.user_is_disabled);
    for (const membership of await membershipsOf(scope.db, id)) await mustNotBeLastOwner(scope.db, membership);
    const disabled_at = scope.now.toISOString();
    await scope.db.updateTable("users").set({ disabled_at }).where("id", "=", id).execute();
    await endSessions(scope, id);
    await recordEvent(scope, "user.disabled", id);
    return toUser(scope.db, { ...user, disabled_at });
  },
);

async function toUser(
  db: Reader,
  { id, name, login, created_at, disabled_at }: UserRow,
): Promise<z.infer<typeof User>> {
  const companies = (await companiesOf(db, id)).map(({ id, name, role }) => ({ id, name, role }));
  return { id, name, login, created_at, disabled_at, companies };
}
