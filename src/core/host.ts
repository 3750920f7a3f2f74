/** The host program as an actor: what it changes is recorded under its name. */
import { createActor } from "./actors.ts";
import { preparedSelect } from "./database/prepared.ts";
import { recordEvent } from "./events.ts";
import { type ActorScope, NO_COMPANY } from "./runtime/scope.ts";

/** The host program's name when it gives none. */
export const HOST_PROGRAM = "Lacre";

/** The id of the host program's actor with this name; its first change creates it. */
export async function hostActorId(scope: ActorScope, name: string): Promise<string> {
  const company_id = scope.company_id === NO_COMPANY ? undefined : scope.company_id;
  const [known] = await hostByName(scope.db, { company_id, name });
  if (known) return known.id;
  const { id } = await createActor(scope, "host", name);
  await recordEvent({ ...scope, actor_id: id }, "actor.created", id, { name });
  return id;
}

const hostByName = preparedSelect((db, { company_id, name }: { company_id: string | undefined; name: string }) => {
  const hosts = db.selectFrom("actors").select("id").where("kind", "=", "host").where("name", "=", name);
  return company_id === undefined ? hosts.where("company_id", "is", null) : hosts.where("company_id", "=", company_id);
});
