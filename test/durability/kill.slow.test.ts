/** A server that is killed in the middle of its work has kept all acknowledged work, and nothing twice. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { holdingsOf, makeCustomer, makeDatabase, seriesOf, startServer, today } from "../bin/program.ts";
import { chanceOf } from "../support/chance.ts";
import { newStory, overHttp, readAll, runClients, type Send, settle } from "./deeds.ts";
import { anomaliesIn, lostAnswers } from "./history.ts";
import { atScale, figuresOf, SEED } from "./scale.ts";

const CLIENTS = 32;
/** Requests between two kills: the least, and how many more at most. */
const CALM = [40, 120] as const;
/** Most milliseconds from the last of them to the kill, which may fall at any point of a request. */
const DELAY_MS = 20;

const BROKEN_DRIVER = fileURLToPath(new URL("broken-driver.ts", import.meta.url));

interface Counted extends Record<string, number> {
  kills: number;
  answers: number;
  documents: number;
  /** Retries answered with the result from before the kill. */
  replays: number;
  lost: number;
  anomalies: number;
}

/** Kills a server again and again under its clients. Returns what is lost or unexplained. */
async function killOften(kills: number, seed: number, counted: Counted, options: Parameters<typeof startServer>[1]) {
  const made = await makeDatabase();
  const start = async () => {
    const server = await startServer(["serve", "--db", made.db, "--rate-limit", "1000000"], options);
    return { server, send: overHttp(server.url, made.api_key) };
  };
  let { server, send } = await start();
  const customer_id = await makeCustomer(server, made);
  const chance = chanceOf(seed);
  const story = newStory(chance, { series_id: seriesOf(made), customer_id, day: today() });
  const problems: string[] = [];
  let judged = 0;

  for (; counted.kills < kills; counted.kills++) {
    let left = CALM[0] + chance.below(CALM[1]);
    const { child } = server;
    const counting: Send = (asked) => {
      if (--left === 0) setTimeout(() => child.kill("SIGKILL"), chance.below(DELAY_MS));
      return send(asked);
    };
    await runClients(story, counting, CLIENTS, () => child.killed);
    await server.ended;
    ({ server, send } = await start());
    counted.replays += await settle(story, send);
    problems.push(...(await lostAnswers(story.deeds.slice(judged), send)));
    judged = story.deeds.length;
  }
  problems.push(...(await lostAnswers(story.deeds, send)));
  counted.lost = new Set(problems).size;
  await readAll(story, send);
  await server.stop();
  problems.push(...anomaliesIn(story, await holdingsOf(made)));
  counted.anomalies = problems.length;
  counted.answers = story.deeds.filter(({ answer }) => answer).length;
  counted.documents = story.documents.length;
  return problems;
}

function nothingYet(): Counted {
  return { kills: 0, answers: 0, documents: 0, replays: 0, lost: 0, anomalies: 0 };
}

describe("kill -9 of a server with 32 clients", () => {
  test("loses no acknowledged work, leaves no gap, does nothing twice", async () => {
    const counted = nothingYet();
    figuresOf("kill -9", counted);
    expect(await killOften(atScale(3, 200), SEED, counted, {})).toEqual([]);
  });

  test("control: a driver that answers before it commits loses acknowledged work", async () => {
    const counted = nothingYet();
    figuresOf("kill -9, control: answers first", counted);
    const options = { node: ["--import", BROKEN_DRIVER], env: { LACRE_TEST_BREAKS: "commit" } };
    const problems = await killOften(2, SEED, counted, options);
    expect(problems.join("\n")).toMatch(/is lost/);
  });
});
