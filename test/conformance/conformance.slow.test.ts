import { expect, test } from "vitest";
import { civilDate } from "../../src/core/fiscal/civil-time.ts";
import { OPERATIONS_BEFORE, problemsBefore } from "../support/description-before.ts";
import { clientDoor, type Door, handlerDoor, libraryDoor, processDoor } from "./doors.ts";
import { tell } from "./story.ts";

const DOORS: Record<string, () => Promise<Door>> = {
  "the library": libraryDoor,
  "the handler": () => handlerDoor(),
  "the client": clientDoor,
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

test("every answer of the story, refusals too, is as it was described before", async () => {
  const problems: string[] = [];
  const seen = new Set<string>();
  const door = await handlerDoor(async ({ method, url }, response) => {
    const { pathname, search } = new URL(url);
    const { status, headers } = response;
    problems.push(...problemsBefore({ method, path: pathname + search, status, headers, text: await response.text() }));
    seen.add(`${method} ${pathname.replace(/[\da-f-]{36}/, "{id}")}`);
  });
  try {
    await tell(door, civilDate(new Date(), "Europe/Lisbon"));
  } finally {
    await door.close();
  }
  expect(problems).toEqual([]);
  expect(Array.from(seen).filter((way) => OPERATIONS_BEFORE.has(way)).length).toBeGreaterThan(12);
});
