/** Disk calls that fail, one after another; and a disk that is full for a while. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import {
  holdingsOf,
  type Made,
  makeCustomer,
  makeDatabase,
  type Running,
  seriesOf,
  startServer,
  temporaryDirectory,
  today,
} from "../bin/program.ts";
import { chanceOf } from "../support/chance.ts";
import { type Asked, newStory, overHttp, readAll, runClients, type Story, settle } from "./deeds.ts";
import { anomaliesIn, lostAnswers } from "./history.ts";
import { canTrace } from "./recording.ts";
import { atScale, figuresOf, SEED } from "./scale.ts";

const BROKEN_DRIVER = fileURLToPath(new URL("broken-driver.ts", import.meta.url));

const CLIENTS = 4;
const DEEDS = 60;

/** The calls that can fail, and how many of each a run makes at least. */
const FAULTS = [
  { calls: "fsync,fdatasync", error: "EIO", made: 16 },
  { calls: "pwrite64", error: "EIO", made: 300 },
  { calls: "pwrite64", error: "ENOSPC", made: 300 },
] as const;

/** Each fault at as many points of a run as there is time for: once, and from there on. */
const SWEEP = FAULTS.flatMap(({ calls, error, made }) => {
  const places = atScale(1, 40);
  return Array.from({ length: places }, (_, i) => Math.ceil(((i + 0.5) * made) / places)).flatMap((nth) =>
    [`${nth}`, `${nth}+`].map((when) => `${calls}:error=${error}:when=${when}`),
  );
});

function failing(fault: string): string[] {
  const [calls] = fault.split(":");
  return ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", `trace=${calls}`, "-e", `inject=${fault}`];
}

interface Template extends Made {
  readonly customer_id: string;
}

async function aTemplate(): Promise<Template> {
  const made = await makeDatabase();
  const server = await startServer(["serve", "--db", made.db]);
  const customer_id = await makeCustomer(server, made);
  await server.stop();
  return { ...made, customer_id };
}

/** A copy of a database, in a new directory or in the given one. */
function copyOf(template: Template, directory = temporaryDirectory()): Template {
  const db = join(directory, "lacre.db");
  copyFileSync(template.db, db);
  return { ...template, directory, db };
}

function storyIn(made: Template, seed: number): Story {
  return newStory(chanceOf(seed), { series_id: seriesOf(made), customer_id: made.customer_id, day: today() });
}

function serve({ db }: Made, options: Parameters<typeof startServer>[1] = {}): Promise<Running> {
  return startServer(["serve", "--db", db, "--rate-limit", "1000000"], options);
}

interface Counted extends Record<string, number> {
  faults: number;
  /** Runs that the fault ended; the others went on or did not start. */
  halts: number;
  refused_starts: number;
  answers: number;
  anomalies: number;
}

/** Runs clients while the fault strikes, restarts without it, and returns what is lost or unexplained. */
async function strike(template: Template, seed: number, options: Parameters<typeof startServer>[1], counted: Counted) {
  const made = copyOf(template);
  const story = storyIn(made, seed);
  const struck = await serve(made, options).catch((error: Error) => error);
  if (struck instanceof Error) counted.refused_starts++;
  else {
    await runClients(story, overHttp(struck.url, made.api_key), CLIENTS, () => story.deeds.length >= DEEDS);
    const { code } = await struck.stop();
    if (code === EXITS.halted.code) counted.halts++;
  }
  const server = await serve(made);
  const send = overHttp(server.url, made.api_key);
  await settle(story, send);
  await runClients(story, send, CLIENTS, () => story.deeds.length >= DEEDS + CLIENTS);
  await readAll(story, send);
  const lost = await lostAnswers(story.deeds, send);
  await server.stop();
  const problems = [...lost, ...anomaliesIn(story, await holdingsOf(made))];
  counted.faults++;
  counted.answers += story.deeds.filter(({ answer }) => answer).length;
  counted.anomalies += problems.length;
  return problems;
}

function nothingYet(): Counted {
  return { faults: 0, halts: 0, refused_starts: 0, answers: 0, anomalies: 0 };
}

describe.skipIf(!canTrace)("a disk call that fails", () => {
  test("loses no acknowledged work, whichever call it is; retries settle the rest", async () => {
    const counted = nothingYet();
    figuresOf("disk calls", counted);
    const template = await aTemplate();
    for (const [i, fault] of SWEEP.entries()) {
      expect(await strike(template, SEED + i, { through: failing(fault) }, counted), fault).toEqual([]);
    }
    expect(counted.halts).toBeGreaterThan(0);
  });

  test("control: a driver that swallows the error of a commit loses acknowledged work", async () => {
    const counted = nothingYet();
    figuresOf("disk calls, control: swallows errors", counted);
    const options = {
      through: failing("fsync,fdatasync:error=EIO:when=4..20"),
      node: ["--import", BROKEN_DRIVER],
      env: { LACRE_TEST_BREAKS: "errors" },
    };
    expect((await strike(await aTemplate(), SEED, options, counted)).join("\n")).toMatch(/is lost/);
  });
});

/** Issues until the disk is full, makes room, and goes on with the same server. */
async function fillAndGoOn(server: Running, made: Template, makeRoom: () => void, name: string): Promise<void> {
  const counted = { issued_before: 0, refused: 0, issued_after: 0 };
  figuresOf(name, counted);
  const send = overHttp(server.url, made.api_key);
  const story = storyIn(made, SEED);
  const issue = (i: number) =>
    send({ method: "POST", path: "/v1/documents", body: story.invoice(true), key: `invoice-${i}` });
  const get = (path: string) => send({ method: "GET", path, body: undefined, key: "get-it-now" } satisfies Asked);

  let full = await issue(1);
  while (full?.status === 201) full = await issue(++counted.issued_before + 1);
  expect(full).toMatchObject({ status: 503, text: expect.stringContaining("disk is full; nothing was written") });
  expect((await get("/readyz"))?.status).toBe(503);
  expect((await get("/v1/documents?limit=1"))?.text).toContain(`"total":${counted.issued_before}`);

  makeRoom();
  for (let i = counted.issued_before + 1; counted.issued_after < 30; ) {
    const answer = await issue(i);
    if (answer?.status === 503) counted.refused++;
    else {
      expect(answer).toMatchObject({ status: 201, text: expect.stringContaining(`/${i}","atcud"`) });
      counted.issued_after++;
      i++;
    }
  }
  expect((await get("/readyz"))?.status).toBe(200);
  expect(await server.stop()).toMatchObject({ code: 0 });
  const documents = counted.issued_before + counted.issued_after;
  expect(await holdingsOf(made)).toEqual({ documents, issued: documents, whole: true });
}

/** A disk of a few megabytes, where the machine allows one. */
function smallDisk(): string {
  const directory = temporaryDirectory();
  onTestFinished(() => void spawnSync("umount", ["--lazy", directory]));
  return spawnSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", directory]).status === 0 ? directory : "";
}

describe("on a full disk writes are refused, reads are answered, and writes succeed once there is room", () => {
  test.skipIf(!canTrace)("when calls fail for a while", async () => {
    const made = copyOf(await aTemplate());
    const server = await serve(made, { through: failing("pwrite64:error=ENOSPC:when=700..720") });
    await fillAndGoOn(server, made, () => {}, "full disk, by calls");
  });

  test("when the disk really is full", async ({ skip }) => {
    const disk = smallDisk();
    if (disk === "") return skip("a file system can be mounted by root alone");
    const template = await aTemplate();
    const ballast = join(disk, "ballast");
    writeFileSync(ballast, Buffer.alloc(1024 * 1024));
    const directory = join(disk, "lacre");
    mkdirSync(directory);
    const made = copyOf(template, directory);
    await fillAndGoOn(await serve(made), made, () => rmSync(ballast), "full disk, by tmpfs");
  });
});
