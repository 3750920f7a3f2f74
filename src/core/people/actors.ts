/** Actor: who did something. Documents, payments, events and the tax file refer to actors, which never change. */
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { type List, listOf, valuesOf } from "../database/words.ts";
import { Id, text } from "../fields.ts";
import { query } from "../runtime/operation.ts";
import { countRows } from "../runtime/page.ts";
import type { Actor } from "../runtime/permissions.ts";
import { type ActorScope, NO_COMPANY, type ReadScope } from "../runtime/scope.ts";

/** The first letter of an actor's code, by its kind: `K3`, `U2`, `H1`. */
const LETTERS: Readonly<Record<Actor["kind"], string>> = { key: "K", user: "U", host: "H" };

export const ActorName = text(200);

/** An actor as an event shows it. */
export const ActorShown = z
  .strictObject({
    id: Id,
    kind: z.enum(["key", "user", "host"]).describe("An API key, a person, or the host program."),
    code: z.string().meta({ description: "SourceID of the tax file.", example: "K3" }),
    name: z.string(),
  })
  .meta({ id: "Actor", description: "Who did something." });

/** Creates an actor in the call's company, or in none. Codes count up per kind and are never reused. */
export async function createActor(scope: ActorScope, kind: Actor["kind"], name: string): Promise<Row<"actors">> {
  const { db } = scope;
  const company_id = scope.company_id === NO_COMPANY ? null : scope.company_id;
  const existing = await countRows(
    db.selectFrom("actors").where("company_id", "is not distinct from", company_id).where("kind", "=", kind),
  );
  const code = `${LETTERS[kind]}${existing + 1}`;
  const actor = { id: scope.newId(), company_id, kind, code, name, created_at: scope.now.toISOString() };
  await db.insertInto("actors").values(actor).execute();
  return actor;
}

/** The code of every actor of the company, by id: SourceID of the tax file. */
export async function actorCodes({ db, company_id }: ReadScope): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom("actors").select(["id", "code"]).where("company_id", "=", company_id).execute();
  return new Map(rows.map(({ id, code }) => [id, code]));
}

export const listActors = query(
  {
    id: "listActors",
    summary: "List who does things in the company: keys, people and host programs, oldest first",
    needs: "documents:read",
    input: z.strictObject({}),
    output: z.strictObject({ data: z.array(ActorShown) }),
    fails: [],
  },
  async ({ db, company_id }) => {
    const rows = await db
      .selectFrom("actors")
      .select(["id", "kind", "code", "name"])
      .where("company_id", "=", company_id)
      .orderBy("id")
      .execute();
    return { data: rows };
  },
);

/** The actors with these ids, by id. */
export async function findActors(
  { db }: ReadScope,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, z.infer<typeof ActorShown>>> {
  const rows = await actorsByIds(db, { ids: listOf(new Set(ids)) });
  return new Map(rows.map((row) => [row.id, row]));
}

const actorsByIds = preparedSelect((db, { ids }: { ids: List }) =>
  db.selectFrom("actors").select(["id", "kind", "code", "name"]).where("id", "in", valuesOf(ids)),
);
