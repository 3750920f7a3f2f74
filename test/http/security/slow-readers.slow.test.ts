/** Clients that ask and never read take no place from others, and lose their own. */
import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { LogEntry } from "lacre";
import { createHandler } from "lacre/http";
import { nodeListener, type ServeOptions, serve } from "lacre/node";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { openStreet, type Street } from "../../support/attack.ts";
import { until } from "../../support/until.ts";

/** As many as there are places. */
const SLOW = 2_000;
const ASKED = "GET /docs/viewer.js HTTP/1.1\r\nHost: lacre.test\r\n\r\n".repeat(8);

let street: Street;

beforeAll(async () => {
  street = await openStreet();
});

afterAll(() => street.lacre.close());

/** Tests run at once, as they wait for timeouts more than they work: what one began is ended by its own context. */
type Own = Pick<TestContext, "onTestFinished">;

/** A server with its log of cut connections. */
async function aServer({ onTestFinished }: Own, options: ServeOptions = {}) {
  const cuts: LogEntry[] = [];
  const log = (entry: LogEntry) => void (entry.event === "connections_cut" && cuts.push(entry));
  const server = await serve(createHandler(street.lacre), {
    port: 0,
    host: "0.0.0.0",
    closeTimeoutMs: 0,
    log,
    ...options,
  });
  onTestFinished(() => server.close());
  return { port: server.port, cuts, cut: () => cuts.reduce((sum, { count }) => sum + Number(count), 0) };
}

/** Connections that send these bytes and read nothing. */
function unread(
  { onTestFinished }: Own,
  port: number,
  count: number,
  address: (i: number) => string,
  bytes = ASKED,
): Socket[] {
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

/** A crowd of slow readers comes to a server. */
async function expectAllCut(own: Own, address: (i: number) => string): Promise<void> {
  const { port, cuts, cut } = await aServer(own);
  unread(own, port, SLOW, address);
  const answers = await askWhile(port, () => cut() < SLOW);
  expect(answers.length).toBeGreaterThan(20);
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(cut()).toBe(SLOW);
  expect(new Set(cuts.map(({ remote_address }) => remote_address))).not.toContain("127.0.0.2");
}

test("two thousand slow readers from as many addresses are all cut, and others are served all the while", (own) =>
  expectAllCut(own, (i) => `127.1.${i >> 8}.${i & 255}`));

test.concurrent("two thousand slow readers from one address are all cut, and others are served all the while", (own) =>
  expectAllCut(own, () => "127.0.0.1"));

test.concurrent("the control: a server of Node's own keeps them all, and when all places are taken others are reset", async (own) => {
  const server = createServer(nodeListener(createHandler(street.lacre))).listen(0, "127.0.0.1");
  server.maxConnections = 100;
  await once(server, "listening");
  own.onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  unread(own, port, 100, () => "127.0.0.1");
  while ((await ask(port)) === 200);
  await pause(18_000);
  expect(await ask(port)).toBe("ECONNRESET");
});

test.concurrent("without the limits nothing is cut, and a newcomer takes the place of one among many from one address", async (own) => {
  const none = Number.POSITIVE_INFINITY;
  const { port, cut } = await aServer(own, {
    maxUnprovenPerAddress: none,
    unreadTimeoutMs: none,
    maxConnections: 200,
  });
  unread(own, port, 90, () => "127.0.0.1");
  await pause(18_000);
  expect(cut()).toBe(0);
  unread(own, port, 110, () => "127.0.0.3");
  while (cut() === 0) expect(await ask(port)).toBe(200);
  expect(await ask(port)).toBe(200);
});

test.concurrent("connections with a valid key are not counted, nor a trusted proxy's; without either they are cut to the limit", async (own) => {
  const limits = { maxUnprovenPerAddress: 3 };
  const servers = [
    await aServer(own, limits),
    await aServer(own, limits),
    await aServer(own, { ...limits, trustedProxies: ["127.0.0.0/8"] }),
  ];
  const head = "Host: lacre.test\r\n";
  const asks = [
    `GET /v1/me HTTP/1.1\r\n${head}Authorization: Bearer ${street.own.api_key}\r\n\r\n`,
    ...Array(2).fill(`GET /healthz HTTP/1.1\r\n${head}\r\n`),
  ];
  const crowds = servers.map(({ port }, i) =>
    unread(own, port, 10, () => "127.0.0.1", asks[i]).map((socket) => socket.resume()),
  );
  for (let second = 0; second < 9; second++) {
    await pause(1_000);
    for (const [i, crowd] of crowds.entries())
      for (const socket of crowd) if (!socket.destroyed) socket.write(asks[i] as string);
  }
  expect(servers.map(({ cut }) => cut())).toEqual([0, 7, 0]);
});

test.concurrent("sixteen requests at once on a connection are answered in order; with one more it is cut", async (own) => {
  const { port, cuts } = await aServer(own);
  const target = (i: number) => `GET /nothing HTTP/1.1\r\nHost: lacre.test\r\nX-Request-Id: request-${i}\r\n\r\n`;
  const received = async (count: number) => {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    let text = "";
    socket.on("data", (chunk) => (text += chunk)).on("error", () => {});
    const answered = () => Array.from(text.matchAll(/x-request-id: request-(\d+)/g), ([, i]) => Number(i));
    socket.write(Array.from({ length: count }, (_, i) => target(i)).join(""));
    await until(() => answered().length === count || socket.closed);
    socket.destroy();
    return answered();
  };
  expect(await received(16)).toEqual(Array.from({ length: 16 }, (_, i) => i));
  expect(await received(17)).toEqual([]);
  await until(() => cuts.length > 0);
  expect(cuts).toMatchObject([{ reason: "too_many_pipelined", remote_address: "127.0.0.1", count: 1 }]);
});
