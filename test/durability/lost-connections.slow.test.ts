/**
 * Connections to PostgreSQL that end, and a server that crashes, in the middle of the work of three programs: what was
 * acknowledged is there, nothing is there twice, and the programs go on. Left out where PostgreSQL is not installed, as
 * the server is the test's own.
 */
import { type Lacre, PERMISSIONS } from "lacre";
import { createHandler } from "lacre/http";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Chance, chanceOf } from "../support/chance.ts";
import { aCluster, CAN_START } from "../support/cluster.ts";
import { aCustomer } from "../support/factories.ts";
import { aCompany } from "../support/instance.ts";
import { openPrograms, type Programs } from "../support/postgres.ts";
import { newStory, readAll, runClients, type Send, settle, toHandler } from "./deeds.ts";
import { anomaliesIn, lostAnswers } from "./history.ts";
import { atScale, figuresOf, MEMORY, SEED } from "./scale.ts";

const PROGRAMS = 3;
const CLIENTS = 32;
/** Requests between two disturbances: the least, and how many more at most. */
const CALM = [40, 80] as const;
/** Requests that are still begun after one. */
const AFTER = 60;
/** Most milliseconds from a request to the disturbance, which may fall at any point of it. */
const DELAY_MS = 20;

interface Counted extends Record<string, number> {
  disturbances: number;
  answers: number;
  documents: number;
  /** Requests that were refused with `unavailable`, and sent again. */
  unavailable: number;
  /** Of these, those that had been done. */
  replays: number;
  lost: number;
  anomalies: number;
}

function counting(name: string): Counted {
  const counted = { disturbances: 0, answers: 0, documents: 0, unavailable: 0, replays: 0, lost: 0, anomalies: 0 };
  figuresOf(name, counted);
  return counted;
}

/** Disturbs programs at work again and again. Returns what is lost or unexplained, and answers that break the rules. */
async function disturbOften(
  options: Programs,
  rounds: number,
  counted: Counted,
  disturb: (chance: Chance) => Promise<unknown>,
): Promise<string[]> {
  const programs = await openPrograms("disturbed", PROGRAMS, options);
  const [first] = programs as [Lacre];
  const home = await aCompany(first);
  const { company_id, series } = home;
  const scopes = [...PERMISSIONS];
  const { api_key } = await first.keys.create({ company_id, name: "clients", kind: "test", scopes });
  const sends = programs.map((lacre) => toHandler(createHandler(lacre), api_key));
  const chance = chanceOf(SEED);
  const customer_id = (await aCustomer(home)).id;
  const day = new Date().toISOString().slice(0, 10);
  const story = newStory(chance, { series_id: series.FT, customer_id, day });
  const problems: string[] = [];
  const send: Send = async (asked) => {
    const answer = await chance.oneOf(sends)(asked);
    if (answer && answer.status >= 500) {
      counted.unavailable++;
      const isRefusal = answer.status === 503 && answer.text.includes('"unavailable"');
      if (!isRefusal) problems.push(`${asked.key} was answered ${answer.status}: ${answer.text}`);
    }
    return answer;
  };
  let judged = 0;

  for (; counted.disturbances < rounds; counted.disturbances++) {
    let left = CALM[0] + chance.below(CALM[1]);
    const disturbed = Promise.withResolvers<unknown>();
    const counting: Send = (asked) => {
      if (--left === 0) setTimeout(() => disturbed.resolve(disturb(chance)), chance.below(DELAY_MS));
      return send(asked);
    };
    // Clients whose request was refused wait until the disturbance is over; the others go on.
    while (left > -AFTER) await runClients(story, counting, CLIENTS, () => left <= -AFTER);
    await disturbed.promise;
    counted.replays += await settle(story, send);
    problems.push(...(await lostAnswers(story.deeds.slice(judged), send)));
    judged = story.deeds.length;
  }
  problems.push(...(await lostAnswers(story.deeds, send)));
  counted.lost = problems.length;
  for (const each of sends) await readAll(story, each);
  const { whole, documents: issued } = await home.company.series.verify();
  const { total } = (await home.company.documents.list()).pagination;
  problems.push(...anomaliesIn(story, { whole, issued, documents: total }));
  counted.anomalies = problems.length;
  counted.answers = story.deeds.filter(({ answer }) => answer).length;
  counted.documents = story.documents.length;
  for (const lacre of programs) expect(await lacre.isReady()).toBe(true);
  return problems;
}

describe.skipIf(!CAN_START)("three programs on PostgreSQL with 32 clients", () => {
  test("whose connections are ended one by one lose nothing and do nothing twice", async () => {
    const counted = counting("ended connections");
    const { url } = await aCluster(MEMORY);
    const killer = new pg.Client(url);
    await killer.connect();
    onTestFinished(() => killer.end());
    let killed = 0;
    const disturb = async (chance: Chance) => {
      const { rows } = await killer.query<{ pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() order by pid",
      );
      for (const { pid } of rows.filter(() => chance.below(2) === 0)) {
        killed += (await killer.query("select 1 where pg_terminate_backend($1)", [pid])).rowCount ?? 0;
      }
    };
    expect(await disturbOften({ url }, atScale(6, 300), counted, disturb)).toEqual([]);
    counted.killed = killed;
    expect(counted.unavailable).toBeGreaterThan(0);
  });

  test("whose server crashes lose nothing and do nothing twice", async () => {
    const counted = counting("crashed server");
    const { url, crash } = await aCluster(MEMORY);
    expect(await disturbOften({ url }, atScale(3, 100), counted, crash)).toEqual([]);
    expect(counted.unavailable).toBeGreaterThan(0);
  });
});
