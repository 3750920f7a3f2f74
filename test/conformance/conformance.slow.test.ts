import { expect, test } from "vitest";
import { civilDate } from "../../src/core/fiscal/civil-time.ts";
import { type Door, handlerDoor, libraryDoor, processDoor } from "./doors.ts";
import { tell } from "./story.ts";

const DOORS: Record<string, () => Promise<Door>> = {
  "the library": libraryDoor,
  "the handler": handlerDoor,
  "the executable": () => processDoor(),
  "the sources, run by Node": () => processDoor([]),
};

test.each(Object.entries(DOORS))("%s answers the story like all others", async (_, open) => {
  const door = await open();
  try {
    const steps = await tell(door, civilDate(new Date(), "Europe/Lisbon"));
    await expect(`${JSON.stringify(steps, null, 2)}\n`).toMatchFileSnapshot("story.json");
  } finally {
    await door.close();
  }
});
