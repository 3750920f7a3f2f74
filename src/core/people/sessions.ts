/**
 * Session: a user at one browser, from login on. Only the hash of its cookie's secret is stored. It ends when it is
 * closed or revoked, when the user is disabled or the password changes, after twelve hours without a request, and in
 * any case after thirty days: a page that polls must not keep one for ever (ASVS 5.0, 7.3.2).
 */
import { hash } from "node:crypto";
import type { ExpressionBuilder } from "kysely";
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row, Tables } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { Id, Instant, PathId } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import type { Caller, CameFrom, SessionOfCaller, UserCaller } from "../runtime/permissions.ts";
import { common } from "../runtime/refusals.ts";
import { NO_COMPANY, type WriteScope } from "../runtime/scope.ts";
import { t } from "./refusals.ts";

const MINUTE_MS = 60_000;
/** How long a session lives without a request. */
const IDLE_MS = 12 * 60 * MINUTE_MS;
/** The longest life of a session: NIST SP 800-63B-4, 2.2.3, for accounts with only a password. */
const LONGEST_MS = 30 * 24 * 60 * MINUTE_MS;
/** How old `last_seen_at` may be: a read must not cost a write each time. */
const SEEN_MS = MINUTE_MS;
/** How long a confirmed password counts. */
const CONFIRMED_MS = 5 * MINUTE_MS;
/** The most characters kept of a browser's description of itself. */
const MAX_OF_AGENT = 300;

/** A secret in a cookie or a link: 32 bytes in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Makes a secret; only its digest is to be stored. */
export function newSecret(scope: Pick<WriteScope, "newSecret">): { readonly secret: string; readonly digest: string } {
  const secret = scope.newSecret().toString("base64url");
  return { secret, digest: digestOf(secret) };
}

/** The digest of a secret, to be stored. SHA-256 suffices, as a secret has 256 random bits. */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** The digest to look a secret up by; undefined for a text that cannot be one. */
export function digestOfGiven(secret: string): string | undefined {
  return SECRET.test(secret) ? digestOf(secret) : undefined;
}

// ——— Rows ———

/** Opens a session for a user who has just proved who they are, and deletes ended ones. */
export async function beginSession(
  scope: WriteScope,
  user_id: string,
): Promise<{ readonly id: string; readonly secret: string }> {
  const { db, now, caller } = scope;
  const hasEnded = (eb: ExpressionBuilder<Tables, "sessions">) =>
    eb.or([eb("last_seen_at", "<=", idleSince(now)), eb("sessions.created_at", "<=", oldestBegun(now))]);
  await db.deleteFrom("sessions").where(hasEnded).execute();
  const { secret, digest } = newSecret(scope);
  const at = now.toISOString();
  const session: Row<"sessions"> = {
    digest,
    id: scope.newId(),
    user_id,
    created_at: at,
    last_seen_at: at,
    confirmed_until: null,
    address: caller.from?.address ?? null,
    user_agent: caller.from?.user_agent?.slice(0, MAX_OF_AGENT).toWellFormed() ?? null,
  };
  await db.insertInto("sessions").values(session).execute();
  await recordEvent({ ...scope, company_id: NO_COMPANY, actor_id: user_id }, "session.opened", session.id);
  return { id: session.id, secret };
}

/** How many browsers of a user are remembered: the least recently used is forgotten. */
const MAX_DEVICES = 20;

/** The digest of the call's browser, if this user has logged in there before; else null. */
export async function knownDevice(db: Reader, user_id: string, { from }: Caller): Promise<string | null> {
  const digest = digestOfGiven(from?.device ?? "");
  if (digest === undefined) return null;
  const known = db.selectFrom("devices").select("digest").where("digest", "=", digest).where("user_id", "=", user_id);
  return (await known.executeTakeFirst())?.digest ?? null;
}

/**
 * Remembers the call's browser as one of this user's; returns the secret for its cookie. A browser where others have
 * logged in keeps its secret; a secret that was not made here is replaced.
 */
export async function rememberDevice(scope: WriteScope, user_id: string): Promise<string> {
  const { db, now, caller } = scope;
  const given = caller.from?.device ?? "";
  const known = digestOfGiven(given);
  const isOurs =
    known !== undefined &&
    (await db.selectFrom("devices").select("digest").where("digest", "=", known).limit(1).executeTakeFirst());
  const { secret, digest } = isOurs ? { secret: given, digest: known } : newSecret(scope);
  const last_used_at = now.toISOString();
  await db
    .insertInto("devices")
    .values({ digest, user_id, last_used_at })
    .onConflict((conflict) => conflict.columns(["digest", "user_id"]).doUpdateSet({ last_used_at }))
    .execute();
  const own = db.selectFrom("devices").select("last_used_at").where("user_id", "=", user_id);
  const beyond = await own.orderBy("last_used_at", "desc").limit(1).offset(MAX_DEVICES).executeTakeFirst();
  if (beyond) {
    const oldest = db.deleteFrom("devices").where("user_id", "=", user_id);
    await oldest.where("last_used_at", "<=", beyond.last_used_at).execute();
  }
  return secret;
}

/** Ends the sessions of a user, except one if it is named; forgets that user's browsers. */
export async function endSessions({ db }: WriteScope, user_id: string, but = ""): Promise<void> {
  await db.deleteFrom("devices").where("user_id", "=", user_id).execute();
  await db.deleteFrom("sessions").where("user_id", "=", user_id).where("id", "<>", but).execute();
}

/** Ends every session: a backup holds none. */
export async function endAllSessions({ db }: WriteScope): Promise<void> {
  await db.deleteFrom("sessions").execute();
}

/** Lets what asks for the password again run for five minutes; gives until when. */
export async function confirmSession({ db, now }: WriteScope, id: string): Promise<Instant> {
  const confirmed_until = new Date(now.getTime() + CONFIRMED_MS).toISOString();
  await db.updateTable("sessions").set({ confirmed_until }).where("id", "=", id).execute();
  return confirmed_until;
}

function idleSince(now: Date): Instant {
  return new Date(now.getTime() - IDLE_MS).toISOString();
}

/** A session that began then, or before, has ended. */
function oldestBegun(now: Date): Instant {
  return new Date(now.getTime() - LONGEST_MS).toISOString();
}

// ——— Callers ———

/** Anybody without a session, who has a link or a password. */
export function visitorFrom(from: CameFrom): Caller {
  return { company_id: NO_COMPANY, actor: { kind: "visitor", name: VISITOR }, scopes: [], from };
}

/** The host program's actor, under which a visit is recorded until there is a user. */
const VISITOR = "Lacre";

/**
 * The person behind a session, in no company yet, and whether `last_seen_at` must be written. Refuses with
 * `unauthorized`, always in the same words, a secret that is malformed, unknown or ended.
 */
export async function authenticateSession(
  db: Reader,
  secret: string,
  from: CameFrom,
  now: Date,
): Promise<{ readonly person: UserCaller; readonly isSeen: boolean }> {
  const digest = digestOfGiven(secret);
  const [row] = digest === undefined ? [] : await sessionByDigest(db, { digest });
  if (!row || row.disabled_at !== null) refuse("unauthorized", common.no_session);
  if (row.last_seen_at <= idleSince(now) || row.begun_at <= oldestBegun(now)) refuse("unauthorized", common.no_session);
  const { session_id: id, user_id, confirmed_until, last_seen_at, kind, code, name } = row;
  return {
    person: {
      company_id: NO_COMPANY,
      actor: { id: user_id, kind, code, name },
      scopes: [],
      session: { id, user_id, confirmed_until },
      from,
    },
    isSeen: now.getTime() - Date.parse(last_seen_at) >= SEEN_MS,
  };
}

const sessionByDigest = preparedSelect((db, { digest }: { digest: string }) =>
  db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .innerJoin("actors", "actors.id", "sessions.user_id")
    .select(["sessions.id as session_id", "user_id", "confirmed_until", "last_seen_at", "disabled_at"])
    .select(["kind", "code", "name", "sessions.created_at as begun_at"])
    .where("digest", "=", digest),
);

/** Whether a session is open. */
export async function isOpen(db: Reader, id: string): Promise<boolean> {
  return (await openById(db, { id })).length > 0;
}

const openById = preparedSelect((db, { id }: { id: string }) =>
  db.selectFrom("sessions").select("id").where("id", "=", id),
);

/** The session of a caller who is a person. */
export function sessionOf({ caller }: Pick<WriteScope, "caller">): SessionOfCaller {
  return caller.session ?? refuse("unauthorized", common.no_session);
}

// ——— Operations ———

/** Notes that a session is in use; the HTTP layer asks for it at most once a minute. */
export const noteSession = command(
  {
    id: "noteSession",
    summary: "Note that the session is in use",
    needs: "person",
    input: z.strictObject({}),
    output: z.void(),
    fails: ["unauthorized"],
  },
  async (scope) => {
    const last_seen_at = scope.now.toISOString();
    const mine = scope.db.updateTable("sessions").set({ last_seen_at }).where("id", "=", sessionOf(scope).id);
    await mine.where("last_seen_at", "<", last_seen_at).execute();
  },
);

export const SessionShown = z.strictObject({
  id: Id,
  created_at: Instant,
  last_seen_at: Instant.describe("To the minute."),
  address: z.string().nullable(),
  user_agent: z.string().nullable(),
  current: z.boolean().describe("The session that asks."),
});

export const listSessions = query(
  {
    id: "listSessions",
    summary: "List one's own sessions, newest first",
    needs: "person",
    input: z.strictObject({}),
    output: z.strictObject({ data: z.array(SessionShown) }),
    fails: ["unauthorized"],
  },
  async ({ db, caller, now }) => {
    const own = sessionOf({ caller });
    const rows = await db
      .selectFrom("sessions")
      .select(["id", "created_at", "last_seen_at", "address", "user_agent"])
      .where("user_id", "=", own.user_id)
      .where("last_seen_at", ">", idleSince(now))
      .where("created_at", ">", oldestBegun(now))
      .orderBy("id", "desc")
      .execute();
    return { data: rows.map((row) => ({ ...row, current: row.id === own.id })) };
  },
);

export const revokeSession = command(
  {
    id: "revokeSession",
    summary: "End one of one's own sessions",
    needs: "person",
    input: z.strictObject({ id: PathId }),
    output: z.void(),
    fails: ["unauthorized", "not_found"],
  },
  async (scope, { id }) => {
    const mine = scope.db.deleteFrom("sessions").where("user_id", "=", sessionOf(scope).user_id).where("id", "=", id);
    const { numDeletedRows } = await mine.executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) refuse("not_found", t.no_such_session);
  },
);

export const closeSession = command(
  {
    id: "closeSession",
    summary: "Log out",
    needs: "person",
    input: z.strictObject({}),
    output: z.void(),
    fails: ["unauthorized"],
  },
  async (scope) => {
    await scope.db.deleteFrom("sessions").where("id", "=", sessionOf(scope).id).execute();
  },
);
