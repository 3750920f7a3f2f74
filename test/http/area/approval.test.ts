/** Approving: a person issues what an agent drafted, as it was shown. */
import { createHandler } from "lacre/http";
import { expect, test } from "vitest";
import type { Document } from "../../../src/core/documents/document.ts";
import type { DocumentPreview } from "../../../src/core/documents/preview.ts";
import { anArea, expectRefused } from "../../support/area.ts";
import { aCustomer, aLine } from "../../support/factories.ts";

const drafted = async (area: Awaited<ReturnType<typeof anArea>>) => {
  const { id: customer_id } = await aCustomer(area);
  const scopes = ["documents:read", "documents:write"] as const;
  const { api_key } = await area.lacre.keys.create({ company_id: area.company_id, name: "agent", scopes: [...scopes] });
  const handler = createHandler(area.lacre);
  const call = async (name: string, args: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
    const headers = { authorization: `Bearer ${api_key}`, "content-type": "application/json" };
    const answer = await handler(new Request("http://127.0.0.1/mcp", { method: "POST", body, headers }));
    const { result } = (await answer.json()) as { result: { content: [{ text: string }] } };
    return JSON.parse(result.content[0].text);
  };
  const draft: Document = await call("draft", { doc_type: "FT", series: "current", customer_id, lines: [aLine()] });
  return { draft, call };
};

test("a person approves the digest of what was shown, and the event names both", async () => {
  const area = await anArea();
  const { draft } = await drafted(area);
  const cashier = await area.person("cashier");
  const shown = await cashier.send<DocumentPreview>("GET", `/v1/documents/${draft.id}/preview`);
  const { digest, number } = shown.body;
  const issued = await cashier.send<Document>("POST", `/v1/documents/${draft.id}/issue`, { body: { digest } });
  expect([issued.status, issued.body.number]).toEqual([200, number]);
  const { data } = await area.company.events.list({});
  const event = data.find(({ action }) => action === "document.issued");
  expect(event?.actor.kind).toBe("user");
  const key = data.find(({ action }) => action === "document.drafted")?.actor;
  expect(key?.kind).toBe("key");
  expect(event?.detail).toEqual({ number, digest, drafted_by: key?.code });
});

test("what the agent changed after it was shown is refused, and stays a draft", async () => {
  const area = await anArea();
  const { draft, call } = await drafted(area);
  const cashier = await area.person("cashier");
  const path = `/v1/documents/${draft.id}`;
  const { digest } = (await cashier.send<DocumentPreview>("GET", `${path}/preview`)).body;
  await call("draft", { id: draft.id, lines: [aLine({ qty: 2 })] });
  expectRefused(await cashier.send("POST", `${path}/issue`, { body: { digest } }), 409, "conflict");
  expect((await cashier.send("GET", path)).body.status).toBe("draft");
});

test("an accountant looks and does not approve", async () => {
  const area = await anArea();
  const { draft } = await drafted(area);
  const accountant = await area.person("accountant");
  const shown = await accountant.send<DocumentPreview>("GET", `/v1/documents/${draft.id}/preview`);
  const { digest } = shown.body;
  expectRefused(
    await accountant.send("POST", `/v1/documents/${draft.id}/issue`, { body: { digest } }),
    403,
    "forbidden",
  );
});

test("without a digest the event says what it always said", async () => {
  const area = await anArea();
  const { draft } = await drafted(area);
  const issued = await area.company.documents.issue({ id: draft.id });
  const event = (await area.company.events.list({})).data.find(({ action }) => action === "document.issued");
  expect(event?.detail).toEqual({ number: issued.number });
});
