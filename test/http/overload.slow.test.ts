/**
 * Under overload, Lacre answers at once with 503 and `Retry-After`, and still answers every request it accepted. Here
 * the signer waits until the test releases it, so that the number of requests under way is exact;
 * test/durability/overload.slow.test.ts floods the real program.
 */
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { type LogEntry, pemSigner } from "lacre";
import { createHandler, type HandlerOptions } from "lacre/http";
import { serve } from "lacre/node";
import { sqlite } from "lacre/sqlite";
import { openInMemory, TEST_SIGNING_KEY } from "lacre/testing";
import { expect, onTestFinished, test } from "vitest";
import { type Answered, refusalOf, type Wire } from "../support/attack.ts";
import { crowdAt, posting } from "../support/crowd.ts";
import { aFile } from "../support/instance.ts";

/** The most requests under way at once before Lacre refuses any. */
const BOUND = 1_000;

/** A server whose signer waits for `letGo`. */
async function aHeldServer(options: HandlerOptions = {}) {
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>();
  const local = pemSigner(TEST_SIGNING_KEY, 1);
  const log: LogEntry[] = [];
  const { lacre, company, series, api_key } = await openInMemory({
    dialect: sqlite(aFile()),
    signer: { ...local, is_local: false, sign: async (text) => free.then(() => local.sign(text)) },
    timer: () => () => {},
    monotonic: () => 0,
    rateLimit: { take: () => ({ allowed: true, limit: 120, remaining: 119, window_s: 60, reset_s: 60 }) },
    log: (entry) => log.push(entry),
  });
  const server = await serve(createHandler(lacre, options), { port: 0 });
  onTestFinished(async () => {
    letGo();
    await server.close();
    await lacre.close();
  });
  const { id: customer_id } = await company.customers.create({ name: "Ana" });
  const lines = [{ description: "Pão", qty: 1, unit_price_net: 1, tax_rate: 6 }];
  const input = { doc_type: "FT", series_id: series.FT, issue_date: "2026-11-21", customer_id, lines, issue: true };
  const request = posting("/v1/documents", api_key, input);
  return { server, company, log, letGo, request };
}

/** Sends the request on every connection, and collects the answers as they arrive. */
function flood(crowd: readonly Wire[], request: string) {
  const answers: (Answered | undefined)[] = [];
  const all = Promise.all(
    crowd.map(async (wire) => {
      wire.send(request);
      answers.push(await wire.answer());
    }),
  );
  return { answers, all };
}

/** The number of answers with each status. */
function statusesOf(answers: readonly (Answered | undefined)[]): Record<string, number> {
  const byStatus = Map.groupBy(answers, (answer) => answer?.status);
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, those.length]));
}

test("a thousand requests at once are served; any more are refused at once, and the thousand still answered", async () => {
  const { server, company, log, letGo, request } = await aHeldServer();
  const crowd = await crowdAt(server.port, 1_900);
  const { answers, all } = flood(crowd, request);
  while (answers.length < 1_900 - BOUND) await setImmediate();
  expect(statusesOf(answers)).toEqual({ 503: 1_900 - BOUND });
  for (const answer of answers as Answered[]) {
    expect(refusalOf(answer)).toBe("unavailable");
    expect(answer.headers.get("retry-after")).toBe("1");
  }
  letGo();
  await all;
  expect(statusesOf(answers)).toEqual({ 201: BOUND, 503: 1_900 - BOUND });
  expect(await company.series.verify()).toMatchObject({ whole: true, documents: BOUND });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(log.filter(({ level }) => level === "error")).toEqual([]);
});

test("the request of a client that leaves, while sending or waiting, is no longer counted", async () => {
  const { server, company, letGo, request } = await aHeldServer({ maxInFlight: 1 });
  const status = async () => (await fetch(`${server.url}/healthz`)).status;
  const until = async (wanted: number) => {
    while ((await status()) !== wanted) await setImmediate();
  };
  const gone = async ({ socket }: Wire) => {
    socket.destroy();
    await once(socket, "close");
  };

  const [sending, waiting] = (await crowdAt(server.port, 2)) as [Wire, Wire];
  sending.send(request.slice(0, -1));
  await until(503);
  await gone(sending);
  await until(200);

  waiting.send(request);
  await until(503);
  await gone(waiting);
  expect(await status()).toBe(503); // control: its invoice is still being issued
  letGo();
  await until(200);
  expect(await company.series.verify()).toMatchObject({ whole: true, documents: 1 });
});
