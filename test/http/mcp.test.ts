/** Agents, by the official client of the protocol, and by hand where that client would not send it. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import fc from "fast-check";
import { PERMISSIONS, type Permission } from "lacre";
import { createHandler } from "lacre/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { toolList } from "../../src/http/tools.ts";
import { DATABASES } from "../support/databases.ts";
import { aCustomer, aDraft, aLine, anInvoice } from "../support/factories.ts";
import { anInstance, type Instance } from "../support/instance.ts";
import { everyRow } from "../support/previews.ts";
import { runsOf } from "../support/sampled.ts";

const TOOL_LIST = toolList();

const AGENTS: Permission[] = PERMISSIONS.filter((scope) => scope !== "documents:issue");

const URL_OF_AGENTS = "http://127.0.0.1/mcp";

async function keyWith({ lacre, company_id }: Instance, scopes: readonly Permission[]): Promise<string> {
  return (await lacre.keys.create({ company_id, name: "agent", scopes: [...scopes] })).api_key;
}

/** The official client, connected with a key. */
async function connected(instance: Instance, scopes: readonly Permission[] = AGENTS): Promise<Client> {
  const handler = createHandler(instance.lacre);
  const api_key = await keyWith(instance, scopes);
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(URL_OF_AGENTS), {
    fetch: (url, init) => handler(new Request(url, init)),
    requestInit: { headers: { authorization: `Bearer ${api_key}` } },
  });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  onTestFinished(() => client.close());
  return client;
}

/** What a tool answers: its JSON, or the refusal. */
async function called(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  return isError ? { refused: text } : { answer: JSON.parse(text) };
}

/** Sends a body by hand. */
function sender(instance: Instance, api_key: string | null) {
  const handler = createHandler(instance.lacre);
  return (
    body: unknown,
    { method = "POST", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
  ) =>
    handler(
      new Request(URL_OF_AGENTS, {
        method,
        headers: {
          "content-type": "application/json",
          ...(api_key !== null && { authorization: `Bearer ${api_key}` }),
          ...headers,
        },
        ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
}

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

describe.each(DATABASES)("an agent over $name", (driver) => {
  test("finds, drafts, changes and previews; a person then issues what was shown", async () => {
    const instance = await anInstance(driver);
    const client = await connected(instance);
    expect(client.getServerVersion()).toMatchObject({ name: "lacre" });
    await client.ping();
    expect((await client.listTools()).tools).toEqual(TOOL_LIST);
    await aCustomer(instance, { name: "Padaria Lopes, Lda.", tax_id: "501964843" });
    const found = await called(client, "listCustomers", { search: "lopes" });
    const [customer] = found.answer.data;
    const drafted = await called(client, "draft", {
      doc_type: "FT",
      series: "current",
      customer_id: customer.id,
      lines: [aLine()],
    });
    const { id } = drafted.answer;
    expect((await called(client, "draft", { id, lines: [aLine({ qty: 2 })] })).answer.total_gross).toBe(246);
    const { answer: shown } = await called(client, "previewDraft", { id });
    expect(shown).toMatchObject({ refusals: [], number: "FT 2026A/1", document: { total_gross: 246 } });
    const issued = await instance.company.documents.issue({ id, digest: shown.digest });
    expect(issued.number).toBe("FT 2026A/1");
    const { data } = await instance.company.events.list({});
    const [event] = data.filter(({ action }) => action === "document.issued");
    const [draft] = data.filter(({ action }) => action === "document.drafted");
    expect(event?.detail).toEqual({ number: issued.number, digest: shown.digest, drafted_by: draft?.actor.code });
    expect([draft?.actor.kind, event?.actor.kind]).toEqual(["key", "host"]);
  });

  test("reads a refusal, and is refused what its key lacks", async () => {
    const instance = await anInstance(driver);
    const client = await connected(instance, ["documents:read"]);
    expect(await called(client, "draft", { doc_type: "FT" })).toEqual({
      refused: expect.stringMatching(/^forbidden: .*documents:write/),
    });
    expect(await called(client, "getDocument", { id: "none" })).toEqual({
      refused: expect.stringMatching(/^not_found: /),
    });
    expect(await called(client, "listDocuments", { limit: 51 })).toEqual({
      refused: "invalid_request: limit: must be at most 50",
    });
  });

  test("its drafts are no more than drafts: issue and at_doc_code are unknown to it", async () => {
    const instance = await anInstance(driver);
    const client = await connected(instance);
    const { id } = await aDraft(instance);
    const lines = [aLine()];
    for (const args of [
      { id, issue: true },
      { doc_type: "FT", series: "current", lines, issue: false },
      { id, at_doc_code: "1" },
    ]) {
      expect(await called(client, "draft", args)).toEqual({ refused: expect.stringContaining("is not a known field") });
    }
  });

  test("an answer is bounded", async () => {
    const instance = await anInstance(driver);
    const lines = Array.from({ length: 600 }, () => aLine({ description: "x".repeat(200) }));
    const { id } = await aDraft(instance, { lines });
    const client = await connected(instance);
    expect((await called(client, "getDocument", { id })).refused).toMatch(
      /^invalid_request: The answer has [\d,]+ bytes/,
    );
  });
});

// ——— What no agent can do ———

/** Arguments for any tool: of the right names, with the ids of real records and some of nonsense. */
const anything = fc.record({
  tool: fc.constantFrom(...TOOL_LIST.map(({ name }) => name)),
  which: fc.nat(3),
  has: fc.uniqueArray(fc.constantFrom("id", "lines", "notes", "issue", "status", "number", "digest", "at_doc_code")),
  isNew: fc.boolean(),
});

interface Kept {
  readonly documents: object[];
  readonly series: object[];
}

/** Every document that is not a draft, with its status and number, and the next number of each series. */
async function keptIn(instance: Instance): Promise<Kept> {
  const documents = await instance.past<object>(
    "select id, status, number, hash, seal from documents where status <> 'draft' order by id",
  );
  return { documents, series: await instance.past<object>("select id, next_number from series order by id") };
}

describe.each(DATABASES)("no sequence of calls of any tool with any key over $name", (driver) => {
  test("changes a status or takes a number; a person's call does", async () => {
    const instance = await anInstance(driver);
    const issued = await anInvoice(instance);
    const drafts = [await aDraft(instance), await aDraft(instance, { doc_type: "GT" })];
    const ids = [issued.id, ...drafts.map(({ id }) => id), "none"];
    const invoice = { doc_type: "FT", series: "current", customer_id: issued.customer_id };
    const before = await keptIn(instance);
    const clients = new Map<string, Promise<Client>>();
    const runs = fc.asyncProperty(
      fc.subarray(AGENTS, { minLength: 1 }),
      fc.array(anything, { minLength: 1, maxLength: 8 }),
      async (scopes, calls) => {
        const known = clients.get(scopes.join()) ?? connected(instance, scopes);
        clients.set(scopes.join(), known);
        const client = await known;
        for (const { tool, which, has, isNew } of calls) {
          const all = {
            lines: [aLine()],
            notes: "x",
            issue: true,
            status: "issued",
            number: "FT 2026A/9",
            digest: "1:0",
          };
          const values: Record<string, unknown> = { ...all, at_doc_code: "1", id: ids[which] };
          await called(client, tool, {
            ...(isNew && invoice),
            ...Object.fromEntries(has.map((name) => [name, values[name]])),
          });
          instance.wait(1_000);
        }
        expect(await keptIn(instance)).toEqual(before);
      },
    );
    await fc.assert(runs, { numRuns: runsOf("open" in driver ? 120 : 30) });
    await instance.company.documents.issue({ id: drafts[0]?.id ?? "" });
    expect(await keptIn(instance)).not.toEqual(before);
  });

  test("every key with documents:issue is refused in words, before anything is read", async () => {
    const instance = await anInstance(driver);
    const before = await everyRow(instance);
    for (const scopes of [["documents:issue"], [...PERMISSIONS]] as Permission[][]) {
      const answer = await sender(instance, await keyWith(instance, scopes))("not even JSON");
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({
        error: { code: "forbidden", message: expect.stringContaining("lacre key create") },
      });
    }
    expect((await everyRow(instance)).documents).toEqual(before.documents);
  });
});

describe("the protocol, by hand", () => {
  const [driver] = DATABASES as [(typeof DATABASES)[number]];

  test("speaks the versions that it knows, and offers its newest for others", async () => {
    const instance = await anInstance(driver);
    const send = sender(instance, await keyWith(instance, AGENTS));
    const initialize = async (protocolVersion: unknown) =>
      (await send({ ...PING, method: "initialize", params: { protocolVersion, capabilities: {} } })).json();
    for (const [asked, answered] of [
      ["2025-06-18", "2025-06-18"],
      ["2025-11-25", "2025-11-25"],
      ["2024-11-05", "2025-11-25"],
      ["x", "2025-11-25"],
    ]) {
      expect(await initialize(asked)).toMatchObject({ id: 1, result: { protocolVersion: answered } });
    }
    expect(await initialize(1)).toMatchObject({ error: { code: -32602 } });
    expect((await send(PING, { headers: { "mcp-protocol-version": "2025-06-18" } })).status).toBe(200);
    const other = await send(PING, { headers: { "mcp-protocol-version": "2030-01-01" } });
    expect([other.status, await other.json()]).toMatchObject([400, { id: null, error: { code: -32600 } }]);
  });

  test("answers requests, accepts notifications, and refuses everything else", async () => {
    const instance = await anInstance(driver);
    const send = sender(instance, await keyWith(instance, AGENTS));
    const said = async (body: unknown) => {
      const answer = await send(body);
      const text = await answer.text();
      return [answer.status, text === "" ? null : JSON.parse(text)];
    };
    expect(await said(PING)).toEqual([200, { jsonrpc: "2.0", id: 1, result: {} }]);
    expect(await said({ ...PING, id: "a" })).toEqual([200, { jsonrpc: "2.0", id: "a", result: {} }]);
    expect(await said({ jsonrpc: "2.0", method: "notifications/initialized" })).toEqual([202, null]);
    expect(await said({ jsonrpc: "2.0", id: 1, result: {} })).toEqual([202, null]);
    expect(await said({ ...PING, method: "resources/list" })).toMatchObject([200, { id: 1, error: { code: -32601 } }]);
    expect(await said({ ...PING, method: "tools/call", params: { name: "issueDocument" } })).toMatchObject([
      200,
      { error: { code: -32602 } },
    ]);
    for (const body of [
      [PING],
      [],
      1,
      null,
      {},
      { ...PING, id: null },
      { ...PING, id: 1.5 },
      { ...PING, jsonrpc: "1.0" },
    ]) {
      expect(await said(body), JSON.stringify(body)).toMatchObject([400, { id: null, error: { code: -32600 } }]);
    }
    for (const body of ["", "{", '{"id":1,"id":2}']) {
      expect((await said(body))[0], body).toBe(400);
    }
    expect(await said("{")).toMatchObject([400, { error: { code: -32700 } }]);
  });

  test("is POST alone, asks for a key, and refuses pages of other addresses", async () => {
    const instance = await anInstance(driver);
    const send = sender(instance, await keyWith(instance, AGENTS));
    for (const method of ["GET", "DELETE", "PUT"]) expect((await send(undefined, { method })).status).toBe(405);
    expect((await sender(instance, null)(PING)).status).toBe(401);
    expect((await send(PING, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await send(PING, { headers: { origin: "http://127.0.0.1" } })).status).toBe(200);
    expect((await send(PING, { headers: { "content-type": "text/plain" } })).status).toBe(415);
  });
});

describe("the tools", () => {
  const [driver] = DATABASES as [(typeof DATABASES)[number]];

  test("a key's rate limit holds as for /v1", async () => {
    const instance = await anInstance(driver, { rateLimit: { limit: 2, window_s: 60 } });
    const send = sender(instance, await keyWith(instance, AGENTS));
    expect((await send(PING)).headers.get("x-ratelimit-remaining")).toBe("1");
    await send(PING);
    expect((await send(PING)).status).toBe(429);
  });

  test("a list without a cursor skips rows, and one with a cursor goes on by it", async () => {
    const client = await connected(await anInstance(driver));
    expect(await called(client, "listSeries", { offset: 1, limit: 1 })).toMatchObject({
      answer: { data: [expect.anything()], pagination: { offset: 1 } },
    });
    const refused = { refused: expect.stringContaining("is not a known field") };
    expect(await called(client, "listDocuments", { offset: 1 })).toEqual(refused);
  });

  test("are at most fifteen, in at most 16,000 bytes, with names that every client takes", () => {
    expect(TOOL_LIST.length).toBeLessThanOrEqual(15);
    expect(
      Buffer.byteLength(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: TOOL_LIST } })),
    ).toBeLessThanOrEqual(16_000);
    for (const { name, description, inputSchema } of TOOL_LIST) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(description).not.toBe("");
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
    expect(TOOL_LIST.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name)).toEqual(["draft"]);
  });
});
