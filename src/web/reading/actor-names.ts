/** The names behind the codes of actors. */
import type { Event } from "../../core/face.ts";
import { texts } from "../words/texts.ts";
import { lacre } from "./api.ts";
import { useResource } from "./resource.tsx";

type Actor = Event["actor"];

const t = texts({ key: ["Chave {name}", "Key {name}"] });

/** An actor's name; a key's is marked as one. */
export const actorName = ({ kind, name }: Actor): string => (kind === "key" ? t.key({ name }) : name);

/** Returns the name for a code, such as `U2`; the code itself until the names are there, and without them. */
export function useActorNames(): (code: string | null) => string | null {
  const actors = useResource(async (signal) => {
    const { data } = await lacre.actors.list({}, { signal });
    return new Map(data.map((actor) => [actor.code, actor]));
  });
  return (code) => {
    const actor = code === null ? undefined : actors.state.value.value?.get(code);
    return actor ? actorName(actor) : code;
  };
}
