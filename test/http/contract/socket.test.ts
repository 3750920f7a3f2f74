/** A few scenarios over a real socket, whose transport could change an answer. */
import { createHandler } from "lacre/http";
import { serve } from "lacre/node";
import { describe, expect, test } from "vitest";
import { type Answer, type Api, expectRefusal, LINE, readAnswer, TODAY, withApi } from "../../support/http.ts";

type Send = (method: string, path: string, init?: RequestInit & { key?: string | null }) => Promise<Answer<never>>;

/** An instance behind a listening server. */
async function withServer(work: (send: Send, api: Api) => Promise<void>): Promise<void> {
  await withApi(async (api) => {
    const server = await serve(createHandler(api.lacre), { port: 0 });
    try {
      await work(async (method, path, { key = api.api_key, ...init } = {}) => {
        const headers = { ...(key && { authorization: `Bearer ${key}` }), ...init.headers };
        const response = await fetch(`${server.url}${path}`, { ...init, method, headers });
        return readAnswer(method, path, undefined, response, key !== null);
      }, api);
    } finally {
      await server.close();
    }
  });
}

const json = (body: unknown): RequestInit => ({
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

describe("over a socket", () => {
  test("an invoice is created, issued, paid and read", async () => {
    await withServer(async (send, { series }) => {
      const customer = (await send("POST", "/v1/customers", json({ name: "Ana Conceição 👩‍🍳" }))).body as {
        id: string;
      };
      const draft = await send(
        "POST",
        "/v1/documents",
        json({ doc_type: "FT", series_id: series.FT, issue_date: TODAY, customer_id: customer.id, lines: [LINE] }),
      );
      const { id } = draft.body as { id: string };
      expect((await send("POST", `/v1/documents/${id}/issue`)).body).toMatchObject({ number: "FT 2026A/1" });
      const payment = { amount: 123, method_code: "MB", payment_date: TODAY };
      expect((await send("POST", `/v1/documents/${id}/payments`, json(payment))).status).toBe(201);
      const read = await send("GET", `/v1/documents/${id}`);
      expect(read.body).toMatchObject({ payment_status: "paid", customer: { name: "Ana Conceição 👩‍🍳" } });
      const head = await send("HEAD", `/v1/documents/${id}`);
      expect([head.status, head.text, Number(head.headers.get("content-length"))]).toEqual([
        200,
        "",
        Buffer.byteLength(read.text),
      ]);
    });
  });

  test("204 has no body", async () => {
    await withServer(async (send, api) => {
      const { id } = await api.customer();
      const { status, text, headers } = await send("DELETE", `/v1/customers/${id}`);
      expect([status, text, headers.get("content-type")]).toEqual([204, "", null]);
    });
  });

  for (const [size, bytes] of [
    ["a byte", 1],
    ["1 MiB", 1024 * 1024],
    ["7 MiB", 7 * 1024 * 1024],
  ] as const) {
    test(`a body of ${size} over 1 MiB: gets its 413, even without a Content-Length`, async () => {
      await withServer(async (send) => {
        const raw = Buffer.from(JSON.stringify({ name: "Ana" }).padEnd(1024 * 1024 + bytes));
        const type = { "content-type": "application/json" };
        const known = await send("POST", "/v1/customers", { body: raw, headers: type });
        expect(known.status).toBe(413);
        expectRefusal(known, "payload_too_large");
        const stream = new Blob([raw]).stream();
        const chunked = { body: stream, duplex: "half", headers: type } as RequestInit;
        const unknown = await send("POST", "/v1/customers", chunked);
        expect(unknown.status).toBe(413);
        expectRefusal(unknown, "payload_too_large");
        expect((await send("GET", "/v1/customers")).body).toMatchObject({ pagination: { total: 0 } });
      });
    });
  }

  test("without a key the answer is 401", async () => {
    await withServer(async (send) => {
      const answer = await send("GET", "/v1/documents", { key: null });
      expect(answer.status).toBe(401);
      expectRefusal(answer, "unauthorized");
    });
  });
});
