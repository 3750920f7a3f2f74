/**
 * Overload of the real program: floods of requests, each over its own connection. A thousand at once are all served;
 * beyond that, requests past the bound are refused at once, and memory does not grow.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { call, holdingsOf, invoice, makeCustomer, makeDatabase, type Running, startServer } from "../bin/program.ts";
import { type Answered, refusalOf } from "../support/attack.ts";
import { crowdAt, posting } from "../support/crowd.ts";
import { atScale, figuresOf } from "./scale.ts";

/** Requests in progress at once that are not yet an overload. */
const BOUND = 1_000;
/** More than that, and fewer connections than a server takes. */
const FLOOD = 1_900;
/** Memory after some ten floods is 440 MiB here, and stays there however many follow. */
const MAX_MIB = 640;

test("floods of requests are answered or refused, and leave memory bounded", async () => {
  const rounds = atScale(2, 100);
  const counted = { served: 0, refused: 0, mib: 0 };
  figuresOf("overload", counted);
  const made = await makeDatabase();
  const server = await startServer(["serve", "--db", made.db, "--rate-limit", "1000000"]);
  const request = posting("/v1/documents", made.api_key, invoice(made, await makeCustomer(server, made)));
  const flood = async (count: number) => {
    const answers = await answersTo(server, request, count);
    const refused = answers.filter(({ status }) => status !== 201);
    counted.served += count - refused.length;
    counted.refused += refused.length;
    return refused;
  };

  for (let round = 1; round <= rounds; round++) {
    expect(await flood(BOUND)).toEqual([]);
    const refused = await flood(FLOOD);
    expect(refused.length).toBeLessThanOrEqual(FLOOD - BOUND);
    for (const answer of refused) {
      expect(refusalOf(answer)).toBe("unavailable");
      expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d?$/);
    }
    expect((await call(server, made.api_key, "GET", "/v1/me")).status).toBe(200);
    counted.mib = mebibytes(server);
    expect(counted.mib).toBeLessThan(MAX_MIB);
  }
  expect(counted.refused).toBeGreaterThan(0);
  expect(await server.stop()).toMatchObject({ code: 0 });
  expect(await holdingsOf(made)).toEqual({ documents: counted.served, issued: counted.served, whole: true });
});

/** Sends the same from a crowd at once; a connection that breaks without an answer fails the test. */
async function answersTo(server: Running, request: string, count: number): Promise<Answered[]> {
  const crowd = await crowdAt(Number(new URL(server.url).port), count);
  for (const wire of crowd) wire.send(request);
  return Promise.all(
    crowd.map(async (wire, i) => {
      const answer = await wire.answer();
      if (!answer) throw new Error(`Client ${i} of ${count} got no answer.`);
      await wire.closed();
      return answer;
    }),
  );
}

/** Resident memory of the process. */
function mebibytes({ child }: Running): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kibibytes) / 1024);
}
