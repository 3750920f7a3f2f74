/**
 * The system's clock jumps under the real program. test/core/documents/dates.test.ts has the rules, on a clock the test
 * moves.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, holdingsOf, invoice, lacre, makeCustomer, makeDatabase, startServer } from "../../bin/program.ts";
import { refusalOf, wireTo } from "../../support/attack.ts";
import { FAKER } from "../../support/faketime.ts";

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
/** Requests the key may make in a minute: just as many as the test makes. */
const LIMIT = 20;

interface Issued {
  readonly number: string;
  readonly issued_at: string;
  readonly system_entry_date: string;
}

test.skipIf(!FAKER)(
  "when the clock of a running server jumps, no date goes back, no rate limit is lifted and no timer hangs",
  async () => {
    const made = await makeDatabase();
    const file = join(made.directory, "clock");
    // From noon tomorrow, so that an hour more or less is the same day.
    const noon = new Date(Date.now() + DAY_S * 1_000).setUTCHours(12, 0, 0, 0);
    const base_s = Math.round((noon - Date.now()) / 1_000);
    const jumpTo = (seconds: number) => {
      const offset = base_s + seconds;
      writeFileSync(file, `${offset < 0 ? "" : "+"}${offset}s\n`);
    };
    const dayAt = (seconds: number) => new Date(noon + seconds * 1_000).toISOString().slice(0, 10);

    jumpTo(0);
    const server = await startServer(["serve", "--db", made.db, "--rate-limit", String(LIMIT)], {
      // Without the last Node ends on an assertion: its timers go by the monotonic clock.
      env: {
        LD_PRELOAD: FAKER,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      },
    });
    const slow = wireTo(Number(new URL(server.url).port));
    slow.send("GET /v1/me HTTP/1.1\r\nHost: lacre.test\r\n");

    let requests = 0;
    const ask = (method: string, path: string, body?: object) => {
      requests++;
      return call(server, made.api_key, method, path, body);
    };
    const customer_id = await makeCustomer(server, made);
    requests++;
    const issue = (day: string) => ask("POST", "/v1/documents", { ...invoice(made, customer_id), issue_date: day });
    const issuedOn = async (day: string): Promise<Issued> => {
      const { status, body } = await issue(day);
      expect([status, body]).toMatchObject([201, {}]);
      return body as unknown as Issued;
    };
    const mustWait = async (day: string) => {
      expect(await issue(day)).toMatchObject({
        status: 503,
        body: { error: { code: "unavailable", message: expect.stringContaining("clock") } },
      });
      expect((await ask("GET", "/v1/documents")).status).toBe(200);
    };

    const issued = [await issuedOn(dayAt(0))];
    jumpTo(-1);
    issued.push(await issuedOn(dayAt(0)));
    jumpTo(-HOUR_S);
    await mustWait(dayAt(0));
    jumpTo(-DAY_S);
    await mustWait(dayAt(-DAY_S));
    jumpTo(0);
    issued.push(await issuedOn(dayAt(0)));
    jumpTo(DAY_S);
    issued.push(await issuedOn(dayAt(DAY_S)));
    jumpTo(0);
    await mustWait(dayAt(0));

    expect(issued.map(({ number }) => number)).toEqual(issued.map((_, i) => expect.stringMatching(`/${i + 1}$`)));
    for (const field of ["issued_at", "system_entry_date"] as const) {
      const times = issued.map((document) => document[field]);
      expect(times).toEqual(times.toSorted());
    }
    // The control: the program's clock did jump.
    const jumped = Date.parse(issued[3]?.issued_at as string) - Date.parse(issued[2]?.issued_at as string);
    expect(jumped).toBeGreaterThan((DAY_S - HOUR_S) * 1_000);

    // A limit that went by this clock would have forgotten all requests before the jump by a day.
    while (requests < LIMIT) expect((await ask("GET", "/v1/me")).status).toBe(200);
    expect((await ask("GET", "/v1/me")).status).toBe(429);

    const late = await slow.answer();
    expect(late && refusalOf(late)).toBe("request_timeout");
    await slow.closed();
    expect(await server.stop()).toMatchObject({ code: 0 });
    expect(await holdingsOf(made)).toEqual({ documents: 4, issued: 4, whole: true });
  },
);

test.skipIf(!FAKER)(
  "a clock a year ahead issues nothing, until it is set or whoever controls the machine confirms it",
  async () => {
    const made = await makeDatabase();
    const yearAhead = { env: { LD_PRELOAD: String(FAKER), FAKETIME: "+400d", FAKETIME_DONT_FAKE_MONOTONIC: "1" } };
    const served = async (options: { env?: Record<string, string> }) => {
      const server = await startServer(["serve", "--db", made.db], options);
      const issue = async (ahead_s: number) => {
        const issue_date = new Date(Date.now() + ahead_s * 1_000).toISOString().slice(0, 10);
        return call(server, made.api_key, "POST", "/v1/documents", { ...invoice(made, customer_id), issue_date });
      };
      return { server, issue };
    };
    const waitingIn = async (options: { env?: Record<string, string> }) => {
      const { stdout } = await lacre(["status", "--json", "--db", made.db], options);
      return (JSON.parse(stdout) as { waiting: { kind: string }[] }).waiting.map(({ kind }) => kind);
    };

    const { server, issue } = await served({});
    const customer_id = await makeCustomer(server, made);
    expect((await issue(0)).status).toBe(201);
    await server.stop();
    expect(await waitingIn({})).not.toContain("clock_unconfirmed");

    const ahead = await served(yearAhead);
    const refused = await ahead.issue(400 * DAY_S);
    expect(refused).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } });
    expect((refused.body as { error: { message: string } }).error.message).toContain("lacre clock confirm");
    expect(await waitingIn(yearAhead)).toContain("clock_unconfirmed");
    await ahead.server.stop();

    const again = await served({});
    expect((await again.issue(0)).status).toBe(201);
    await again.server.stop();

    const wanted = await served(yearAhead);
    expect((await wanted.issue(400 * DAY_S)).status).toBe(503);
    const confirmed = await lacre(["clock", "confirm", "--db", made.db], yearAhead);
    expect([confirmed.code, confirmed.stdout]).toEqual([0, expect.stringContaining("The clock is confirmed.")]);
    expect((await wanted.issue(400 * DAY_S)).status).toBe(201);
    await wanted.server.stop();
  },
);
