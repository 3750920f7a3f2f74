/** The feed of events for programs: GET /v1/events?after=… */
import type { FeedEvent } from "lacre";
import { expect } from "vitest";
import { apiTest, expectRefusal, nothing, scenarios } from "../../support/http.ts";
import { producesItsRefusals } from "./produced.ts";

interface Fed {
  readonly data: readonly FeedEvent[];
  readonly last_position: number;
}

apiTest("a program reads what happened after the last position it read", async (api) => {
  const start = (await api.call<Fed>("GET", "/v1/events?limit=200")).body;
  expect(start.data[0]).toMatchObject({ position: 1, action: "company.created" });
  const issued = await api.issued();
  const { body } = await api.call<Fed>("GET", `/v1/events?after=${start.last_position}`);
  expect(body.data.map(({ position }) => position)).toEqual(body.data.map((_, i) => start.last_position + 1 + i));
  expect(body.data.at(-1)).toEqual({
    position: body.last_position,
    at: expect.any(String),
    action: "document.issued",
    resource_id: issued.id,
    subject_id: issued.id,
    actor: "K1",
    detail: { number: issued.number },
  });
  const none = await api.call<Fed>("GET", `/v1/events?after=${body.last_position}`);
  expect(none.body).toEqual({ data: [], last_position: body.last_position });
});

apiTest("it needs the scope events:read, and no other opens it", async (api) => {
  const reader = await api.keyWith("events:read");
  expect((await api.call("GET", "/v1/events", { key: reader })).status).toBe(200);
  const others = await api.keyWith("documents:read", "saft:read");
  expectRefusal(await api.call("GET", "/v1/events", { key: others }), "forbidden", "events:read");
  expectRefusal(await api.call("GET", "/v1/documents", { key: reader }), "forbidden", "documents:read");
});

apiTest("a position that is not there yet is 409, and says where the events end", async (api) => {
  const { last_position } = (await api.call<Fed>("GET", "/v1/events?limit=200")).body;
  const path = `/v1/events?after=${last_position + 1}`;
  expectRefusal(await api.call("GET", path), "invalid_state", `the last is ${last_position}`);
});

scenarios("GET /v1/events", nothing, [
  ...[
    "after=-1",
    "after=x",
    "after=1.5",
    "after=",
    "limit=0",
    "limit=201",
    "after=1&after=2",
    "offset=1",
    "before=9",
  ].map((query) => ({
    name: `refuses ${query}`,
    request: `GET /v1/events?${query}`,
    status: 400,
    code: "invalid_request",
    says: query.split("=")[0] as string,
  })),
  { name: "takes the largest page", request: "GET /v1/events?limit=200&after=0", status: 200 },
]);

producesItsRefusals("events");
