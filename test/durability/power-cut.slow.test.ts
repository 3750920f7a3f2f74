/** When the power fails, at any moment, all acknowledged work is on the disk, and nothing is there in part. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLacre } from "lacre";
import { openSqlite, sqlite } from "lacre/sqlite";
import { describe, expect, test } from "vitest";
import { unpacked } from "../../src/core/runtime/idempotency.ts";
import {
  type Made,
  makeCustomer,
  makeDatabase,
  seriesOf,
  startServer,
  temporaryDirectory,
  today,
} from "../bin/program.ts";
import { chanceOf } from "../support/chance.ts";
import { type Deed, idIn, newStory, overHttp, runClients, type Story } from "./deeds.ts";
import { diskWith, type Remains } from "./disk.ts";
import { isDone } from "./history.ts";
import { canTrace, type Event, readRecording, tracedInto } from "./recording.ts";
import { atScale, figuresOf, MEMORY, SEED } from "./scale.ts";

const CLIENTS = 8;
/** Enough for several checkpoints of the log. */
const DEEDS = 300;
/** The database and its log. SQLite rebuilds the other files. */
const FILES = ["lacre.db", "lacre.db-wal", "lacre.db-journal"];

const BROKEN_DRIVER = fileURLToPath(new URL("broken-driver.ts", import.meta.url));

/** A server's whole life on its disk. */
interface Recording {
  readonly made: Made;
  readonly story: Story;
  /** The disk before. */
  readonly files: Remains;
  readonly events: readonly Event[];
}

async function record(seed: number, options: Parameters<typeof startServer>[1] = {}): Promise<Recording> {
  const made = await makeDatabase();
  const files = new Map([[made.db, readFileSync(made.db)]]);
  const trace = join(temporaryDirectory(), "trace");
  const serve = ["serve", "--db", made.db, "--rate-limit", "1000000"];
  const server = await startServer(serve, { ...options, through: tracedInto(trace) });
  const customer_id = await makeCustomer(server, made);
  const story = newStory(chanceOf(seed), { series_id: seriesOf(made), customer_id, day: today() });
  await runClients(story, overHttp(server.url, made.api_key), CLIENTS, () => story.deeds.length >= DEEDS);
  await server.stop();
  const events = await readRecording(trace, server.child.pid as number, { directory: made.directory, names: FILES });
  return { made, story, files, events };
}

interface Counted extends Record<string, number> {
  cuts: number;
  /** Answers given before the cuts, in total. */
  acknowledged: number;
  lost: number;
  unusable: number;
  other: number;
}

/** Cuts the power of the recorded disk at random moments, and checks the files left each time. */
async function cutOften(recording: Recording, cuts: number, seed: number, counted: Counted, isHonest = true) {
  const { events, files, story } = recording;
  const chance = chanceOf(seed);
  const moments = Array.from({ length: cuts }, () => chance.below(events.length + 1)).sort((a, b) => a - b);
  const byKey = new Map(story.deeds.map((deed) => [deed.asked.key, deed]));
  const disk = diskWith(files, { isHonest });
  const acknowledged: Deed[] = [];
  const problems: string[] = [];
  let now = 0;
  for (const moment of moments) {
    for (; now < moment; now++) {
      const event = events[now] as Event;
      disk.apply(event);
      const deed = event.event === "answer" && byKey.get(event.key);
      if (deed && deed.what !== "read" && isDone(deed)) acknowledged.push(deed);
    }
    const found = await problemsWith(disk.cut(chance), recording, acknowledged, counted);
    problems.push(...found.map((problem) => `cut at ${moment} of ${events.length}, seed ${seed}: ${problem}`));
    counted.cuts++;
    counted.acknowledged += acknowledged.length;
  }
  return problems;
}

/** Opens the files a cut left, as a restart would, and compares them with the answers given. */
async function problemsWith(
  remains: Remains,
  { made, story }: Recording,
  acknowledged: readonly Deed[],
  counted: Counted,
) {
  const directory = mkdtempSync(join(MEMORY, "lacre-cut-"));
  for (const [path, bytes] of remains) writeFileSync(join(directory, basename(path)), bytes);
  const file = join(directory, basename(made.db));
  try {
    const lacre = await openLacre({ dialect: sqlite(file), migrate: false });
    try {
      const kept = keptIn(file);
      const lost = acknowledged.filter(({ asked, answer }) => kept.answers.get(asked.key) !== answer?.text);
      counted.lost += lost.length;
      const company = lacre.as(made.company.id);
      const { whole, documents } = await company.series.verify();
      const customer = await company.customers.create({ name: "Rui" });
      const next = await company.documents.create({ ...story.invoice(true), customer_id: customer.id });
      const other = [
        ...(whole ? [] : ["the chain is not whole"]),
        ...(kept.check === "ok" ? [] : [`the file is damaged: ${kept.check}`]),
        ...(kept.documents === kept.made ? [] : [`${kept.documents} documents, ${kept.made} with an answer`]),
        ...(next.number?.endsWith(`/${documents + 1}`) ? [] : [`${next.number} comes after ${documents}`]),
      ];
      counted.other += other.length;
      return [...lost.map(({ asked, what }) => `${asked.key} (${what}) is lost`), ...other];
    } finally {
      await lacre.close();
    }
  } catch (error) {
    counted.unusable++;
    return [`unusable: ${(error as Error).message}`];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The rows themselves. A document and its remembered answer are there together or not at all. */
function keptIn(file: string) {
  const connection = openSqlite(file);
  const all = <T>(sql: string) => connection.prepare(sql).all([]) as T[];
  try {
    const rows = all<{ key: string; answer: Uint8Array }>("select key, answer from idempotency_keys").map(
      ({ key, answer }) => ({ key, answer: unpacked(answer).json }),
    );
    const ids = new Set(all<{ id: string }>("select id from documents").map(({ id }) => id));
    const [{ integrity_check: check }] = all<{ integrity_check: string }>("pragma integrity_check") as [
      { integrity_check: string },
    ];
    const made = new Set(rows.map(({ answer }) => idIn({ text: answer })).filter((id) => ids.has(id)));
    return {
      answers: new Map(rows.map(({ key, answer }) => [key, answer])),
      documents: ids.size,
      made: made.size,
      check,
    };
  } finally {
    connection.close();
  }
}

function nothingYet(): Counted {
  return { cuts: 0, acknowledged: 0, lost: 0, unusable: 0, other: 0 };
}

describe.skipIf(!canTrace)("a power cut", () => {
  test("loses no acknowledged work; control: on a disk that only reports its flushes, it does", async () => {
    const counted = nothingYet();
    figuresOf("power cut", counted);
    const recordings = atScale(1, 10);
    for (let seed = SEED; seed < SEED + recordings; seed++) {
      const recording = await record(seed);
      const answers = recording.events.filter(({ event }) => event === "answer");
      expect(answers.length).toBeGreaterThanOrEqual(DEEDS);
      const problems = await cutOften(recording, atScale(120, 50_000) / recordings, seed, counted);
      expect(problems).toEqual([]);

      const dishonest = nothingYet();
      await cutOften(recording, 20, seed, dishonest, false);
      expect(dishonest.lost + dishonest.unusable).toBeGreaterThan(0);
    }
  });

  test("control: a driver that leaves out the flush at each commit loses acknowledged work", async () => {
    const counted = nothingYet();
    figuresOf("power cut, control: no flush", counted);
    const options = { node: ["--import", BROKEN_DRIVER], env: { LACRE_TEST_BREAKS: "flush" } };
    const recording = await record(SEED, options);
    await cutOften(recording, 40, SEED, counted);
    expect(counted.lost).toBeGreaterThan(0);
  });
});
