/** Whatever clients do at once and whatever breaks, some order of the requests explains every answer. */
import { copyFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { openLacre, pemSigner } from "lacre";
import { createHandler } from "lacre/http";
import { TEST_API_KEY, TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { type Chance, chanceOf } from "../support/chance.ts";
import { DRIVERS, type Driver, NOW, TODAY } from "../support/drivers.ts";
import { aCustomer } from "../support/factories.ts";
import { type Faults, faultyDialect, sqliteError } from "../support/faulty.ts";
import { aFile, openInstance } from "../support/instance.ts";
import { type Deed, newStory, readAll, runClients, type Send, type Story, settle, toHandler } from "./deeds.ts";
import { anomaliesIn, type Holdings, isDone, lostAnswers } from "./history.ts";
import { atScale, figuresOf, MEMORY, SEED } from "./scale.ts";

const CLIENTS = 16;
/** Requests before the restart, and after it. */
const DEEDS = 60;
/** Of this many commits one fails; waiting commands share them. */
const COMMITS = 8;

/** A database with a company that is copied for each story. */
interface Template {
  readonly driver: Driver;
  readonly file: string;
  readonly company_id: string;
  readonly series_id: string;
  readonly customer_id: string;
}

async function aTemplate(driver: Driver): Promise<Template> {
  const file = aFile(MEMORY);
  const instance = await openInstance(driver, { file });
  const { id: customer_id } = await aCustomer(instance);
  await instance.lacre.close();
  return { driver, file, company_id: instance.company_id, series_id: instance.series.FT, customer_id };
}

/** A commit that fails: before it did anything, or after it did everything. No caller can tell which. */
function aFailingCommit({ driver }: Template, chance: Chance) {
  let left = Number.POSITIVE_INFINITY;
  const fail = (sql: string) => {
    if (sql === "commit" && --left === 0) throw sqliteError(driver, "SQLITE_IOERR_FSYNC");
  };
  /** Commits since. */
  const since = () => Math.max(0, -left);
  const faults: Faults = chance.below(2) === 0 ? { before: fail } : { after: fail };
  const arm = () => {
    left = 1 + chance.below(COMMITS);
  };
  return { faults, arm, since };
}

/** Opens the file behind a handler; the signer is slow, so that requests overlap. */
async function open({ driver, company_id }: Template, file: string, chance: Chance, faults: Faults) {
  const signer = pemSigner(TEST_SIGNING_KEY, 1);
  const sign = async (text: string) => {
    for (let turns = chance.below(4); turns > 0; turns--) await setImmediate();
    return signer.sign(text);
  };
  const lacre = await openLacre({
    dialect: faultyDialect(driver, file, faults),
    now: () => new Date(NOW),
    // Half the time a signing command has its own transaction, half the time it shares one.
    signer: { ...signer, is_local: chance.below(2) === 0, sign },
    rateLimit: { limit: Number.MAX_SAFE_INTEGER, window_s: 60 },
    checkContracts: true,
  });
  return { lacre, company: lacre.as(company_id), send: toHandler(createHandler(lacre), TEST_API_KEY) };
}

interface Told {
  readonly story: Story;
  readonly holdings: Holdings;
  readonly lost: readonly string[];
  /** Commits after the one that failed, and before the restart. */
  readonly carried_on: number;
  /** Answers to retries that were marked as given before the failure. */
  readonly replays: number;
}

/** A story of two halves with a failure and a restart between them. `through` may spoil the requests. */
async function tell(template: Template, seed: number, through = (send: Send): Send => send): Promise<Told> {
  const chance = chanceOf(seed);
  const file = aFile(MEMORY);
  copyFileSync(template.file, file);
  const story = newStory(chance, { ...template, day: TODAY });

  const failure = aFailingCommit(template, chance);
  const first = await open(template, file, chance, failure.faults);
  failure.arm();
  await runClients(story, through(first.send), CLIENTS, () => story.deeds.length >= DEEDS);
  await first.lacre.close();

  const second = await open(template, file, chance, {});
  const send = through(second.send);
  const replays = await settle(story, send);
  await runClients(story, send, CLIENTS, () => story.deeds.length >= 2 * DEEDS);
  await readAll(story, send);
  const { pagination } = await second.company.documents.list({ limit: 1 });
  const { documents: issued, whole } = await second.company.series.verify();
  const lost = await lostAnswers(story.deeds, send);
  await second.lacre.close();
  return {
    story,
    holdings: { documents: pagination.total, issued, whole },
    lost,
    replays,
    carried_on: failure.since(),
  };
}

describe.each(DRIVERS)("over $name", (driver) => {
  test("the answers to 16 clients are linearizable, through a failed commit and a restart", async () => {
    const counted = { stories: 0, answers: 0, replays: 0, anomalies: 0 };
    figuresOf("one order", counted);
    const template = await aTemplate(driver);
    for (let seed = SEED; seed < SEED + atScale(8, 2_500); seed++) {
      const { story, holdings, lost, replays, carried_on } = await tell(template, seed);
      const anomalies = [...anomaliesIn(story, holdings), ...lost];
      counted.stories++;
      counted.answers += story.deeds.filter(({ answer }) => answer).length;
      counted.replays += replays;
      counted.anomalies += anomalies.length;
      expect({ anomalies, carried_on }, `seed ${seed}`).toEqual({ anomalies: [], carried_on: 0 });
    }
  });
});

describe("control: the check finds", () => {
  const [driver] = DRIVERS as [Driver, ...Driver[]];

  test("an idempotency key that is not kept: unanswered work is done twice", async () => {
    const template = await aTemplate(driver);
    let fresh = 0;
    const forgetful = (send: Send): Send => {
      return (asked) => send({ ...asked, key: `fresh-key-${fresh++}` });
    };
    const seen: string[] = [];
    // Not every story has a commit whose answer is lost.
    for (let seed = 0; seed < 60 && seen.length === 0; seed++) {
      const { story, holdings } = await tell(template, seed, forgetful);
      seen.push(...anomaliesIn(story, holdings));
    }
    expect(seen).not.toEqual([]);
  });

  test("a read that answers with an old state", async () => {
    const template = await aTemplate(driver);
    const stale = (send: Send): Send => {
      const known = new Map<string, ReturnType<Send>>();
      return (asked) => {
        if (asked.method === "POST") return send(asked);
        const answer = known.get(asked.path) ?? send(asked);
        known.set(asked.path, answer);
        return answer;
      };
    };
    const { story, holdings } = await tell(template, 1, stale);
    expect(anomaliesIn(story, holdings).join("\n")).toMatch(/No order explains/);
  });

  /** Faults of storage or network in a sound story. */
  const SPOILED: Record<string, (told: Told) => { deeds: Deed[]; holdings: Holdings }> = {
    "a payment that is kept and was never asked for": ({ story, holdings }) => {
      const paid = story.deeds.find((deed) => deed.what === "pay" && isDone(deed));
      return { deeds: story.deeds.filter((deed) => deed !== paid), holdings };
    },
    "a document that is kept and was never asked for": ({ story, holdings }) => ({
      deeds: story.deeds,
      holdings: { ...holdings, documents: holdings.documents + 1 },
    }),
    "a document that is gone": ({ story, holdings }) => ({
      deeds: story.deeds,
      holdings: { ...holdings, issued: holdings.issued - 1 },
    }),
    "a number that was passed over": ({ story, holdings }) => ({
      deeds: story.deeds.filter((deed) => !isDone(deed) || !deed.answer?.text.includes("FT 2026A/3")),
      holdings,
    }),
    "a number given twice": ({ story, holdings }) => ({
      deeds: story.deeds.map((deed) => withText(deed, (text) => text.replaceAll('FT 2026A/3"', 'FT 2026A/2"'))),
      holdings,
    }),
    "numbers out of the order of time": ({ story, holdings }) => {
      const last = `FT 2026A/${holdings.issued}"`;
      const swap = (text: string) =>
        text.replaceAll('FT 2026A/1"', "?").replaceAll(last, 'FT 2026A/1"').replaceAll("?", last);
      return { deeds: story.deeds.map((deed) => withText(deed, swap)), holdings };
    },
    "a refusal without a reason": ({ story, holdings }) => {
      const paid = story.deeds.find((deed) => deed.what === "pay" && isDone(deed));
      const refused = { status: 409, text: '{"error":{"code":"payment_exceeds_balance"}}', replayed: false };
      return { deeds: story.deeds.map((deed) => (deed === paid ? { ...deed, answer: refused } : deed)), holdings };
    },
    "a chain that is broken": ({ story, holdings }) => ({
      deeds: story.deeds,
      holdings: { ...holdings, whole: false },
    }),
  };

  test.each(Object.entries(SPOILED))("%s", async (_, spoil) => {
    const told = await tell(await aTemplate(driver), 2);
    expect(anomaliesIn(told.story, told.holdings)).toEqual([]);
    const { deeds, holdings } = spoil(told);
    expect(anomaliesIn({ deeds }, holdings)).not.toEqual([]);
  });
});

function withText(deed: Deed, change: (text: string) => string): Deed {
  return deed.answer ? { ...deed, answer: { ...deed.answer, text: change(deed.answer.text) } } : deed;
}
