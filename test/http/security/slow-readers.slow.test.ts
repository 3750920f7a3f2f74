/** Clients that ask and never read take no place from others, and lose their own. */
import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { LogEntry } from "lacre";
import { nodeListener, type ServeOptions, serve } from "lacre/node";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openStreet, type Street } from "../../support/attack.ts";

/** As many as there are places. */
const SLOW = 2_000;
const ASKED = "GET /docs/viewer.js HTTP/1.1\r\nHost: lacre.test\r\n\r\n".repeat(8);

let street: Street;

beforeAll(async () => {
  street = await openStreet();
});

afterAll(() => street.lacre.close());

/** A server with its log of cut connections. */
async function aServer(options: ServeOptions = {}) {
  const cuts: LogEntry[] = [];
  const log = (entry: LogEntry) => void (entry.event === "connections_cut" && cuts.push(entry));
  const server = await serve(street.handler, { port: 0, host: "0.0.0.0", closeTimeoutMs: 0, log, ...options });
  onTestFinished(() => server.close());
  return { port: server.port, cuts, cut: () => cuts.reduce((sum, { count }) => sum + Number(count), 0) };
}

/** Connections that send these bytes and read nothing. */
function unread(port: number, count: number, address: (i: number) => string, bytes = ASKED): Socket[] {
  const sockets = Array.from({ length: count }, (_, i) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: address(i) });
    socket.on("error", () => {}); // it is cut
    socket.once("connect", () => socket.pause().write(bytes));
    return socket;
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

/** Asks once, over a connection of its own from 127.0.0.2: the status, or the error. */
async function ask(port: number): Promise<number | string> {
  const asked = request({ port, host: "127.0.0.1", localAddress: "127.0.0.2", path: "/healthz", agent: false }).end();
  try {
    const [answer] = await once(asked, "response");
    answer.resume();
    return answer.statusCode;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "?";
  }
}

/** Asks again and again while `busy`, and returns what it was answered. */
async function askWhile(port: number, busy: () => boolean): Promise<(number | string)[]> {
  const answers = [];
  while (busy()) {
    answers.push(await ask(port));
    await pause(20);
  }
  return answers;
}

test.each([
  ["one address", () => "127.0.0.1"],
  ["as many addresses", (i: number) => `127.1.${i >> 8}.${i & 255}`],
])("two thousand slow readers from %s are all cut, and others are served all the while", async (_, address) => {
  const { port, cuts, cut } = await aServer();
  unread(port, SLOW, address);
  const answers = await askWhile(port, () => cut() < SLOW);
  expect(answers.length).toBeGreaterThan(20);
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(cut()).toBe(SLOW);
  expect(new Set(cuts.map(({ remote_address }) => remote_address))).not.toContain("127.0.0.2");
});

test("the control: a server of Node's own keeps them all, and when all places are taken others are reset", async () => {
  const own = createServer(nodeListener(street.handler)).listen(0, "127.0.0.1");
  own.maxConnections = 100;
  await once(own, "listening");
  onTestFinished(() => void own.close().closeAllConnections());
  const { port } = own.address() as AddressInfo;
  unread(port, 100, () => "127.0.0.1");
  while ((await ask(port)) === 200);
  await pause(18_000);
  expect(await ask(port)).toBe("ECONNRESET");
});

test("without the limits nothing is cut, and a newcomer takes the place of one among many from one address", async () => {
  const none = Number.POSITIVE_INFINITY;
  const { port, cut } = await aServer({ maxUnprovenPerAddress: none, unreadTimeoutMs: none, maxConnections: 200 });
  unread(port, 90, () => "127.0.0.1");
  await pause(18_000);
  expect(cut()).toBe(0);
  unread(port, 110, () => "127.0.0.3");
  while (cut() === 0) expect(await ask(port)).toBe(200);
  expect(await ask(port)).toBe(200);
});

test("connections with a valid key are not counted, nor a trusted proxy's; without either they are cut to the limit", async () => {
  const limits = { maxUnprovenPerAddress: 3 };
  const servers = [
    await aServer(limits),
    await aServer(limits),
    await aServer({ ...limits, trustedProxies: ["127.0.0.0/8"] }),
  ];
  const head = "Host: lacre.test\r\n";
  const asks = [
    `GET /v1/me HTTP/1.1\r\n${head}Authorization: Bearer ${street.own.api_key}\r\n\r\n`,
    ...Array(2).fill(`GET /healthz HTTP/1.1\r\n${head}\r\n`),
  ];
  const crowds = servers.map(({ port }, i) =>
    unread(port, 10, () => "127.0.0.1", asks[i]).map((socket) => socket.resume()),
  );
  for (let second = 0; second < 9; second++) {
    await pause(1_000);
    for (const [i, crowd] of crowds.entries())
      for (const socket of crowd) if (!socket.destroyed) socket.write(asks[i] as string);
  }
  expect(servers.map(({ cut }) => cut())).toEqual([0, 7, 0]);
});

test("sixteen requests at once on a connection are answered in order; with one more it is cut", async () => {
  const { port, cuts } = await aServer();
  const target = (i: number) => `GET /nothing HTTP/1.1\r\nHost: lacre.test\r\nX-Request-Id: request-${i}\r\n\r\n`;
  const received = async (count: number) => {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    let text = "";
    socket.on("data", (chunk) => (text += chunk)).on("error", () => {});
    socket.write(Array.from({ length: count }, (_, i) => target(i)).join(""));
    await pause(500);
    socket.destroy();
    return Array.from(text.matchAll(/x-request-id: request-(\d+)/g), ([, i]) => Number(i));
  };
  expect(await received(16)).toEqual(Array.from({ length: 16 }, (_, i) => i));
  expect(await received(17)).toEqual([]);
  while (cuts.length === 0) await pause(100);
  expect(cuts).toMatchObject([{ reason: "too_many_pipelined", remote_address: "127.0.0.1", count: 1 }]);
});
