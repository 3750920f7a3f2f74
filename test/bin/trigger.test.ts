/** Every event that `lacre trigger` makes is one of its kind, and its help names them. */
import { createClient } from "lacre/client";
import { createHandler } from "lacre/http";
import { openInMemory } from "lacre/testing";
import { expect, onTestFinished, test } from "vitest";
import { TEXTS } from "../../src/bin/texts/texts.ts";
import { MAKERS } from "../../src/bin/trigger.ts";

test.each(Object.entries(MAKERS))("%s is the last event, of what was made", async (action, make) => {
  const { lacre, api_key } = await openInMemory();
  onTestFinished(() => lacre.close());
  const handler = createHandler(lacre);
  const fetch = (url: string, init: RequestInit) => handler(new Request(url, init));
  const shop = createClient({ url: "http://lacre.test", key: api_key, fetch });
  const { id } = await make(shop);
  const { data } = await shop.events.read({ limit: 200 });
  expect(data.findLast((event) => event.action === action)).toMatchObject({ resource_id: id });
  await make(shop); // and again
  for (const { commands } of Object.values(TEXTS)) expect(commands.trigger.details).toContain(action);
});
