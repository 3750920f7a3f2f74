/** Who calls, and what they may do. Each operation names what it needs; `mustHave` decides. */
import type { Instant } from "../fiscal/civil-time.ts";
import { refuse } from "./errors.ts";
import { common } from "./refusals.ts";

/** Every permission a key can carry, in the order they are shown. */
export const PERMISSIONS = [
  "customers:read",
  "customers:write",
  "products:read",
  "products:write",
  "documents:read",
  "documents:write",
  "documents:issue",
  "documents:send",
  "payments:read",
  "payments:write",
  "payments:refund",
  "series:read",
  "series:write",
  "saft:read",
  "events:read",
  "webhooks:read",
  "webhooks:write",
] as const;

/** One thing a key may do. */
export type Permission = (typeof PERMISSIONS)[number];

/**
 * What a person may do and a key may not: a key is a program's, and must not make keys, users or settings of its own.
 */
export const SESSION_PERMISSIONS = ["company:write", "keys:manage", "users:manage", "installation:read"] as const;

/** One thing a person may do and a key may not. */
export type SessionPermission = (typeof SESSION_PERMISSIONS)[number];

/** Permissions that roles tell apart and scopes of keys do not: a key has each with the scope named here. */
const WITHIN_SCOPES = {
  "documents:cancel": "documents:issue",
  "payments:void": "payments:write",
  "figures:read": "documents:read",
} as const satisfies Readonly<Record<string, Permission>>;

/** One thing that a role may leave out and a key has within a scope. */
export type RolePermission = keyof typeof WITHIN_SCOPES;

const ROLE_PERMISSIONS = Object.keys(WITHIN_SCOPES) as readonly RolePermission[];

/** One thing that a person or the host program may do. */
export type AnyPermission = Permission | RolePermission | SessionPermission;

/** Every permission. */
export const ALL_PERMISSIONS: readonly AnyPermission[] = [...PERMISSIONS, ...ROLE_PERMISSIONS, ...SESSION_PERMISSIONS];

/** The scope by which a key has a permission; a permission of persons stands for itself. */
export function scopeOf(permission: AnyPermission): Permission | SessionPermission {
  return isOfRoles(permission) ? WITHIN_SCOPES[permission] : permission;
}

/** All that whoever has these scopes may do. */
export function allowedBy(scopes: readonly Permission[]): AnyPermission[] {
  return [...scopes, ...ROLE_PERMISSIONS.filter((permission) => scopes.includes(WITHIN_SCOPES[permission]))];
}

/** The roles of a person in a company, and what each allows. */
export const ROLES = {
  /** Everything. */
  owner: ALL_PERMISSIONS,
  /** Reads everything, and the tax file. */
  accountant: allowedBy(PERMISSIONS.filter((permission) => permission.endsWith(":read"))),
  /** Sells and takes payments; undoes neither, gives no money back, and sees no figures of the company. */
  cashier: [
    "customers:read",
    "customers:write",
    "products:read",
    "documents:read",
    "documents:write",
    "documents:issue",
    "documents:send",
    "payments:read",
    "payments:write",
    "series:read",
  ],
} as const satisfies Readonly<Record<string, readonly AnyPermission[]>>;

/** The role of a person in a company. */
export type Role = keyof typeof ROLES;

/** The roles, the widest first. */
export const ROLE_NAMES = Object.keys(ROLES) as [Role, ...Role[]];

/** Who did something: an API key, a person, or the host program (a program that embeds Lacre, or the command line). */
export interface Actor {
  /** A UUID. */
  readonly id: string;
  readonly kind: "key" | "user" | "host";
  /** Its SourceID in the tax file: `K3`, `U2`, `H1`. */
  readonly code: string;
  readonly name: string;
}

/** The host program under a name; its first change makes an `Actor` of it. */
export interface HostActor {
  readonly kind: "host";
  readonly name: string;
}

/**
 * Somebody in a company, as the host program's own session identifies them: with the permissions of a role, or with
 * some.
 */
export type HostMember = {
  /** The company, or its id. */
  readonly company: string | { readonly id: string };
  /** The name that documents and events record, 1 to 200 characters: `"Maria, till 2"`. */
  readonly actor: string;
} & (
  | { readonly role: Role; readonly scopes?: undefined }
  | { readonly scopes: readonly Permission[]; readonly role?: undefined }
);

/** A person without a session, who has a link or a password. */
export interface Visitor {
  readonly kind: "visitor";
  /** The name of the actor under which changes are recorded until there is a user. */
  readonly name: string;
}

/** Where a person's request comes from. */
export interface CameFrom {
  /** The client's address; null if unknown. */
  readonly address: string | null;
  /** The part of it by which wrong passwords are counted: of IPv6 the first 64 bits. */
  readonly network: string | null;
  /** The browser's description of itself. */
  readonly user_agent: string | null;
  /** The secret in its cookie from an earlier login, which gives it a count of its own of wrong passwords. */
  readonly device?: string | null | undefined;
}

/** Who is calling, in which company (`NO_COMPANY` above companies), and what it may do there. */
export interface Caller {
  readonly company_id: string;
  readonly actor: Actor | HostActor | Visitor;
  readonly scopes: readonly AnyPermission[];
  /** The session with which a person calls. */
  readonly session?: SessionOfCaller;
  /** Where a person calls from. */
  readonly from?: CameFrom;
}

/** The session with which a person calls. */
export interface SessionOfCaller {
  readonly id: string;
  readonly user_id: string;
  /** Until when commands that need the password run without it; null if it was not typed again. */
  readonly confirmed_until: Instant | null;
}

/** The caller behind an API key. */
export interface KeyCaller extends Caller {
  readonly actor: Actor;
  readonly scopes: readonly Permission[];
}

/** The person behind a session: in a company with the permissions of a role there, or above companies with none. */
export interface UserCaller extends Caller {
  readonly actor: Actor;
  readonly session: SessionOfCaller;
  readonly from: CameFrom;
}

/**
 * Who may call: an actor with a permission, any actor of a company (`any_key`), a person's session in any company or in
 * none (`person`), anybody (`visitor`), or the host program alone (`operator`: library and command line, never routed
 * over HTTP).
 */
export type Needs = AnyPermission | "any_key" | "person" | "visitor" | "operator";

/**
 * Refuses with `forbidden` a caller that lacks what an operation needs. `run` calls it; the HTTP layer calls it before
 * reading a body, with what every input needs, so that 403 comes before 400.
 */
export function mustHave(caller: Caller, needs: Needs): void {
  switch (needs) {
    case "visitor":
      return;
    case "any_key":
      if (caller.actor.kind === "visitor") refuse("unauthorized", common.no_session);
      return;
    case "person":
      if (!caller.session) refuse("unauthorized", common.no_session);
      return;
    case "operator":
      if (caller.actor.kind !== "host") refuse("forbidden", common.host_program_only);
      return;
    default:
      if (caller.actor.kind === "key" ? isWithin(caller, needs) : caller.scopes.includes(needs)) return;
      if (caller.session || caller.actor.kind === "host")
        refuse("forbidden", common.role_lacks_permission({ permission: needs }));
      refuse("forbidden", common.lacks_scope({ scope: scopeOf(needs) }));
  }
}

function isOfRoles(permission: AnyPermission): permission is RolePermission {
  return Object.hasOwn(WITHIN_SCOPES, permission);
}

/** A row of api_keys that somebody wrote by hand gives a key nothing that only persons may do. */
function isWithin({ scopes }: Caller, needs: AnyPermission): boolean {
  return scopes.includes(scopeOf(needs)) && !isForPersons(needs);
}

function isForPersons(needs: AnyPermission): needs is SessionPermission {
  return (SESSION_PERMISSIONS as readonly string[]).includes(needs);
}

/**
 * Refuses with `password_required` a person who did not type the password within the last five minutes: nobody may make
 * keys or users in a browser that was left open. Programs and the host have no password to type.
 */
export function mustBeConfirmed({ session }: Caller, now: Date): void {
  if (session && !((session.confirmed_until ?? "") > now.toISOString())) refuse("password_required");
}
