/** The host program as an actor: its changes are recorded under its name. */
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { problem, refuseInput } from "../runtime/errors.ts";
import { parseInput } from "../runtime/operation.ts";
import { allowedBy, type Caller, type HostMember, PERMISSIONS, ROLE_NAMES, ROLES } from "../runtime/permissions.ts";
import { common } from "../runtime/refusals.ts";
import { type ActorScope, NO_COMPANY } from "../runtime/scope.ts";
import { ActorName, createActor } from "./actors.ts";

/** The host program's name when it gives none. */
export const HOST_PROGRAM = "Lacre";

/** The id of the host program's actor with this name in a company, or above companies; undefined before its first. */
export async function findHostActor(db: Reader, company_id: string, name: string): Promise<string | undefined> {
  const [known] = await hostByName(db, { company_id: company_id === NO_COMPANY ? undefined : company_id, name });
  return known?.id;
}

/** Creates that actor, and returns its id. */
export async function createHostActor(scope: ActorScope, name: string): Promise<string> {
  const { id } = await createActor(scope, "host", name);
  await recordEvent({ ...scope, actor_id: id }, "actor.created", id, { name });
  return id;
}

const hostByName = preparedSelect((db, { company_id, name }: { company_id: string | undefined; name: string }) => {
  const hosts = db.selectFrom("actors").select("id").where("kind", "=", "host").where("name", "=", name);
  return company_id === undefined ? hosts.where("company_id", "is", null) : hosts.where("company_id", "=", company_id);
});

const Member = z.object({
  company: z.union([z.string(), z.object({ id: z.string() })]),
  actor: ActorName,
  role: z.enum(ROLE_NAMES).optional(),
  scopes: z.array(z.enum(PERMISSIONS)).optional(),
});

/**
 * Makes the function that turns the host program's description of its user into a caller. It refuses invalid ones, and
 * a company that `mustFind` refuses; a company once found is cached, as it is never deleted.
 */
export function hostMembers(
  mustFind: (company_id: string) => Promise<unknown>,
): (member: HostMember) => Promise<Caller> {
  const found = new Set<string>();
  return async (member) => {
    const { company, actor: name, role, scopes } = parseInput(Member, member);
    const company_id = typeof company === "string" ? company : company.id;
    if (role && scopes) refuseInput([problem("scopes", common.excludes_field({ field: "role" }))]);
    if (!found.has(company_id)) {
      await mustFind(company_id);
      found.add(company_id);
    }
    const may = role ? ROLES[role] : allowedBy(scopes ?? refuseInput([problem("role", common.is_required)]));
    return { company_id, actor: { kind: "host", name }, scopes: may };
  };
}
