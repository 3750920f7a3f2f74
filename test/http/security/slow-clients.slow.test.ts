/** Clients that never finish a request lose their connection, without effect on others. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { nodeListener, serve } from "lacre/node";
import { expect, test } from "vitest";
import { openStreet, refusalOf, type Wire, wireTo } from "../../support/attack.ts";

/** The number of slow clients: half send slow headers, half a slow body. */
const SLOW = 400;

/** Begins a request and continues so slowly that it never ends, until the connection is closed. */
function dawdle(port: number, api_key: string, i: number): Wire {
  const wire = wireTo(port);
  const head = `POST /v1/customers HTTP/1.1\r\nHost: lacre.test\r\nAuthorization: Bearer ${api_key}\r\n`;
  if (i % 2 === 0) wire.send(head);
  else wire.send(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":"`);
  const drip = setInterval(() => wire.send(i % 2 === 0 ? "X-A: b\r\n" : "a"), 700);
  wire.socket.once("end", () => clearInterval(drip));
  wire.socket.once("close", () => clearInterval(drip));
  return wire;
}

test("slow headers and slow bodies get 408 and a closed connection while others are served; control: Node's defaults close none", async () => {
  const { lacre, handler, own } = await openStreet();
  const server = await serve(handler, { port: 0 });
  const lenient = createServer(nodeListener(handler)).listen(0, "127.0.0.1");
  await new Promise((resolve) => lenient.once("listening", resolve));
  const lenientPort = (lenient.address() as AddressInfo).port;

  const slow = Array.from({ length: SLOW }, (_, i) => dawdle(server.port, own.api_key, i));
  const spared = Array.from({ length: 4 }, (_, i) => dawdle(lenientPort, own.api_key, i));
  let sparedClosed = 0;
  for (const wire of spared) wire.socket.once("end", () => sparedClosed++);

  let busy = true;
  let served = 0;
  const healthy = (async () => {
    while (busy) {
      const answer = await fetch(`${server.url}/v1/me`, { headers: { authorization: `Bearer ${own.api_key}` } });
      expect(answer.status).toBe(200);
      await answer.text();
      served++;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();

  const before = (await lacre.as(own.company_id).customers.list()).pagination.total;
  const codes = await Promise.all(
    slow.map(async (wire) => {
      const answer = await wire.answer();
      await wire.closed();
      return answer && [refusalOf(answer), answer.headers.get("connection")].join();
    }),
  );
  expect(codes).toEqual(Array(SLOW).fill("request_timeout,close"));
  expect(sparedClosed).toBe(0);

  busy = false;
  await healthy;
  expect(served).toBeGreaterThan(20);
  expect((await lacre.as(own.company_id).customers.list()).pagination.total).toBe(before);
  for (const wire of spared) wire.socket.destroy();
  lenient.closeAllConnections();
  await new Promise((resolve) => lenient.close(resolve));
  await server.close();
  await lacre.close();
});
