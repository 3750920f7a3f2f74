/** Webhooks over real sockets: where they go, what counts as an answer, and that nothing inside is ever reached. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import type { WebhookMessage } from "lacre";
import { webhookSender } from "lacre/node";
import { expect, onTestFinished, test } from "vitest";
import { isPublicAddress } from "../../src/core/webhooks/address.ts";

/** A server on an address of this machine, and how often it was connected to. */
async function aServer(
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void = (_, outgoing) => outgoing.end(),
  host = "127.0.0.1",
) {
  const seen = { connections: 0, requests: [] as { headers: IncomingMessage["headers"]; body: string; url: string }[] };
  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = [];
    incoming.on("data", (piece) => pieces.push(piece));
    incoming.on("end", () => {
      const { headers, url = "" } = incoming;
      seen.requests.push({ headers, body: Buffer.concat(pieces).toString(), url });
      answer(incoming, outgoing);
    });
  });
  server.on("connection", () => seen.connections++);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(seen, { port: (server.address() as AddressInfo).port });
}

const message = (url: string, mayConnectTo: WebhookMessage["mayConnectTo"] = () => true): WebhookMessage => ({
  url,
  headers: { "webhook-id": "1", "webhook-timestamp": "2", "webhook-signature": "v1,x" },
  body: '{"type":"document.issued"}',
  mayConnectTo,
});

const answering = (status: number, headers: Record<string, string> = {}) =>
  aServer((_, outgoing) => outgoing.writeHead(status, headers).end("…"));

test("a message is a POST of its body as it is, with its headers", async () => {
  const server = await aServer();
  const send = webhookSender({ resolve: async () => ["127.0.0.1"] });
  const answer = await send(message(`http://shop.test:${server.port}/hook?x=1`));
  expect(answer).toEqual({ outcome: "delivered", status: 200, error: null });
  expect(server.requests).toMatchObject([
    {
      url: "/hook?x=1",
      body: '{"type":"document.issued"}',
      headers: {
        host: `shop.test:${server.port}`,
        "content-type": "application/json; charset=utf-8",
        "webhook-id": "1",
        "webhook-timestamp": "2",
        "webhook-signature": "v1,x",
        connection: "close",
      },
    },
  ]);
});

test.each([
  [200, "delivered"],
  [204, "delivered"],
  [299, "delivered"],
  [301, "failed"],
  [400, "failed"],
  [404, "failed"],
  [410, "gone"],
  [500, "failed"],
])("an answer of %i is %s", async (status, outcome) => {
  const { port } = await answering(status);
  expect(await webhookSender()(message(`http://127.0.0.1:${port}/`))).toEqual({ outcome, status, error: null });
});

test("a Retry-After in seconds is reported; any other value is not", async () => {
  const busy = await answering(429, { "retry-after": "120" });
  expect(await webhookSender()(message(`http://127.0.0.1:${busy.port}/`))).toMatchObject({ retry_after_s: 120 });
  for (const text of ["Wed, 21 Oct 2026 07:28:00 GMT", "-1", "1e9", "99999999", ""]) {
    const { port } = await answering(503, { "retry-after": text });
    expect(await webhookSender()(message(`http://127.0.0.1:${port}/`))).not.toHaveProperty("retry_after_s");
  }
});

test("a redirect is a failure, and is not followed", async () => {
  const inside = await aServer();
  for (const status of [301, 302, 303, 307, 308]) {
    const { port } = await answering(status, { location: `http://127.0.0.1:${inside.port}/` });
    expect(await webhookSender()(message(`http://127.0.0.1:${port}/`))).toMatchObject({ outcome: "failed", status });
  }
  expect(inside.connections).toBe(0);
});

/** Every way to write an address of this machine or beside it, as the host of a URL. */
const INSIDE = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0177.0.0.1",
  "0x7f.0.0.1",
  "0x7f000001",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "localhost",
  "10.0.0.1",
  "192.168.0.1",
  "172.16.0.1",
  "169.254.169.254",
  "[fe80::1]",
  "[fc00::1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
];

test("nothing inside is connected to, however its address is written", async () => {
  const server = await aServer();
  const everywhere = await aServer(undefined, "::").catch(() => server); // a machine may have no IPv6
  for (const host of INSIDE) {
    for (const { port } of [server, everywhere]) {
      const answer = await webhookSender()(message(`http://${host}:${port}/`, isPublicAddress));
      expect([host, answer]).toEqual([host, { outcome: "failed", status: null, error: "not_public" }]);
    }
  }
  expect([server.connections, everywhere.connections]).toEqual([0, 0]);
});

test("control: the same hosts are reached if nothing forbids it", async () => {
  const server = await aServer();
  for (const host of ["127.0.0.1", "127.1", "2130706433", "0177.0.0.1", "0x7f000001"]) {
    expect(await webhookSender()(message(`http://${host}:${server.port}/`))).toMatchObject({ outcome: "delivered" });
  }
  expect(server.connections).toBe(5);
});

test.each([
  [["127.0.0.1"]],
  [["1.1.1.1", "127.0.0.1"]],
  [["127.0.0.1", "1.1.1.1"]],
  [["::ffff:127.0.0.1"]],
  [["2606:4700::1111", "::1"]],
  [["not an address"]],
])("a name with the addresses %j is not connected to", async (addresses) => {
  const server = await aServer();
  const send = webhookSender({ resolve: async () => addresses });
  const answer = await send(message(`http://shop.test:${server.port}/`, isPublicAddress));
  expect(answer).toEqual({ outcome: "failed", status: null, error: "not_public" });
  expect(server.connections).toBe(0);
});

test("DNS that changes its answer leads nowhere else: each attempt resolves once, and connects to that address", async () => {
  const allowed = await aServer(undefined, "127.0.0.2");
  const inside = await aServer(undefined, "127.0.0.1");
  const answers = [["127.0.0.2"], ["127.0.0.1"]];
  let asked = 0;
  const send = webhookSender({ resolve: async () => answers[asked++] ?? ["127.0.0.1"] });
  const mayConnectTo = (address: string) => address === "127.0.0.2";
  expect(await send(message(`http://shop.test:${allowed.port}/`, mayConnectTo))).toMatchObject({
    outcome: "delivered",
  });
  expect([asked, allowed.connections]).toEqual([1, 1]);
  expect(await send(message(`http://shop.test:${inside.port}/`, mayConnectTo))).toMatchObject({ error: "not_public" });
  expect([asked, inside.connections]).toEqual([2, 0]);
});

test("a receiver that does not answer in time, nor end its answer, is left", async () => {
  const silent = await aServer(() => {});
  const send = webhookSender({ timeoutMs: 100 });
  const nothing = await send(message(`http://127.0.0.1:${silent.port}/`));
  expect(nothing).toEqual({ outcome: "failed", status: null, error: "timed_out" });
  const slowName = webhookSender({ timeoutMs: 100, resolve: () => new Promise(() => {}) });
  expect(await slowName(message("http://shop.test/"))).toMatchObject({ error: "timed_out" });
});

test("the head of an answer ends the attempt, and a body that drips is left after a second", async () => {
  const left = Promise.withResolvers<void>();
  const dripping = await aServer((_, outgoing) => {
    outgoing.on("close", left.resolve).writeHead(200).write("x");
    const drip = setInterval(() => outgoing.write("x"), 100);
    outgoing.on("close", () => clearInterval(drip));
  });
  const send = webhookSender({ timeoutMs: 60_000 });
  const answer = await send(message(`http://127.0.0.1:${dripping.port}/`));
  expect(answer).toMatchObject({ outcome: "delivered", status: 200 });
  await left.promise;
});

test("of an answer without end a little is read, and the connection closed", async () => {
  let sent = 0;
  const closed = Promise.withResolvers<void>();
  const { port } = await aServer((_, outgoing) => {
    outgoing.on("close", closed.resolve);
    const pour = () => {
      while (!outgoing.destroyed && outgoing.write(Buffer.alloc(16_384))) sent += 16_384;
    };
    outgoing.on("drain", pour);
    pour();
  });
  expect(await webhookSender()(message(`http://127.0.0.1:${port}/`))).toMatchObject({ outcome: "delivered" });
  await closed.promise;
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

test("nobody there, an unknown name, and a server without TLS are failures with a word for each", async () => {
  const server = createTcpServer((socket) =>
    socket
      .on("error", () => {})
      .resume()
      .end("hello\r\n"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const plain = await webhookSender()(message(`https://127.0.0.1:${port}/`));
  expect(plain).toEqual({ outcome: "failed", status: null, error: expect.stringMatching(/^E/) });
  await new Promise((resolve) => server.close(resolve));
  const nobody = await webhookSender()(message(`http://127.0.0.1:${port}/`));
  expect(nobody).toEqual({ outcome: "failed", status: null, error: "ECONNREFUSED" });
  const unknown = webhookSender({
    resolve: async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
  });
  expect(await unknown(message("http://nowhere.test/"))).toMatchObject({ error: "ENOTFOUND" });
  expect(await webhookSender({ resolve: async () => [] })(message("http://x.test/"))).toMatchObject({
    error: "no_address",
  });
});
