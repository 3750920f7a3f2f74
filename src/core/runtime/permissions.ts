/** Who calls, and what they may do. Each operation names what it needs; `mustHave` decides. */
import { refuse } from "./errors.ts";

/** Every permission a key can carry, in the order they are shown. */
export const PERMISSIONS = [
  "customers:read",
  "customers:write",
  "products:read",
  "products:write",
  "documents:read",
  "documents:write",
  "documents:issue",
  "payments:read",
  "payments:write",
  "series:read",
  "series:write",
  "saft:read",
] as const;

/** One thing a key may do. */
export type Permission = (typeof PERMISSIONS)[number];

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

/** Who is calling, in which company (`NO_COMPANY` above companies), and what it may do there. */
export interface Caller {
  readonly company_id: string;
  readonly actor: Actor | HostActor;
  readonly scopes: readonly Permission[];
}

/** The caller behind an API key. */
export interface KeyCaller extends Caller {
  readonly actor: Actor;
}

/**
 * Who may call: an actor with a permission, any actor (`any_key`), or the host program alone (`operator`: library and
 * command line, never routed over HTTP).
 */
export type Needs = Permission | "any_key" | "operator";

/**
 * Refuses with `forbidden` a caller that lacks what an operation needs. `run` calls it; the HTTP layer calls it before
 * reading a body, with what every input needs, so that 403 comes before 400.
 */
export function mustHave(caller: Caller, needs: Needs): void {
  if (needs === "operator") {
    if (caller.actor.kind !== "host") refuse("forbidden", "host_program_only");
  } else if (needs !== "any_key" && !caller.scopes.includes(needs))
    refuse("forbidden", "lacks_scope", { scope: needs });
}
