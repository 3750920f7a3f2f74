/**
 * `npm run bench:web`: how long the company area takes, in a real browser on a seeded database. It measures and never
 * judges; docs/benchmarks.md says how to read it.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname } from "node:path";
import { parseArgs } from "node:util";
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import type { CDPSession, Page } from "playwright-core";
import { machine } from "../bench/machine.ts";
import { median } from "../bench/measure.ts";
import { linesOf, type Seeded, seeded } from "../bench/seed.ts";
import { startLacre } from "../bench/servers.ts";
import { browser, type Cookies, visit } from "./support/browser.ts";
import { OWNER } from "./support/hands.ts";
import { officeOf } from "./support/office.ts";

const HELP = `npm run bench:web -- [flags]
  --documents N  documents and customers in the database; 20000. The long run: 1000000
  --runs N       visits of each screen; 9
  --keys N       keys typed into each field; 40
  --only TEXT    only the parts whose name holds this: paint, keys, home
  --data DIR     where databases are kept between runs; a directory under the system's own for temporary files
`;

const { values: flags } = parseArgs({
  options: {
    documents: { type: "string", default: "20000" },
    runs: { type: "string", default: "9" },
    keys: { type: "string", default: "40" },
    only: { type: "string", default: "" },
    data: { type: "string", default: `${tmpdir()}/lacre-bench` },
    help: { type: "boolean", default: false },
  },
});

/** A weak machine on a slow mobile network. The latency is that of each answer; connecting costs nothing more. */
const SLOW = { cpu: 4, latency_ms: 150, bytes_per_second: 1_600_000 / 8 };

/** What is there once a screen can be used. */
const LOGIN = ".alone input[autocomplete=username]";
const HOME_HEADING = "#content h1";
const HOME_DRAWN = "#content .home";
const LINE = "table.lines tbody tr";

/** The most lines that a document may have. */
const LINES = 1_000;

/** From key to key, in milliseconds: a quick typist, and every key in the product field finds the last one's list. */
const BETWEEN_KEYS_MS = 250;

/** A served database, and who looks at it. */
interface Served {
  readonly url: string;
  readonly seed: Seeded;
  readonly cookies: Cookies;
}

const PARTS = { paint: firstPaint, keys, home };

if (flags.help) process.stdout.write(HELP);
else await bench();

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function bench(): Promise<void> {
  const parts = Object.entries(PARTS).filter(([name]) => name.includes(flags.only));
  if (parts.length === 0) throw new Error(`No part is named so; there are: ${Object.keys(PARTS).join(", ")}.`);
  mkdirSync(flags.data, { recursive: true });
  const seed = await seeded(flags.data, Number(flags.documents));
  const copy = `${seed.file}.web`;
  removeAll(copy);
  copyFileSync(seed.file, copy);
  const token = await invitation(copy);
  const server = await startLacre(copy);
  try {
    const cookies = await owner(server.url, token);
    say(`${machine()}\nChromium ${(await browser()).version()}`);
    for (const [, part] of parts) await part({ url: server.url, seed, cookies });
    say(`\nAt the end: ${machine()}`);
  } finally {
    await (await browser()).close();
    await server.stop();
    removeAll(copy);
  }
}

function removeAll(copy: string): void {
  const directory = dirname(copy);
  for (const name of readdirSync(directory)) if (name.startsWith(basename(copy))) rmSync(`${directory}/${name}`);
}

/** A token by which somebody becomes an owner. */
async function invitation(file: string): Promise<string> {
  const lacre = await openLacre({ dialect: sqlite(file) });
  const { link_path } = await lacre.users.invite();
  await lacre.close();
  return link_path.split("#")[1] as string;
}

async function owner(url: string, token: string): Promise<Cookies> {
  return visit(url, {}, async ({ context }) => {
    await officeOf(context, url).send("POST", "/area/v1/invitations/accept", { token, ...OWNER });
    return context.cookies();
  });
}

// ——— First paint ———

/** Milliseconds since the visit began. */
interface Arrival {
  readonly paint: number;
  readonly contentful: number;
  readonly usable: number;
}

async function firstPaint({ url, cookies }: Served): Promise<void> {
  const { cpu, latency_ms, bytes_per_second } = SLOW;
  const network = `${latency_ms} ms to each answer, ${(bytes_per_second * 8) / 1e6} Mbit/s down`;
  say(`\n## First paint: cold cache, CPU ${cpu} times slower, ${network}\n`);
  say("| ms: median (worst) | first paint | first contentful paint | can be used |\n|---|---:|---:|---:|");
  for (const [name, wanted, signedIn] of [
    ["signed out: login", LOGIN, false],
    ["signed in: home, its heading", HOME_HEADING, true],
    ["signed in: home, its figures", HOME_DRAWN, true],
  ] as const) {
    const arrivals = await visits(() => arrive(url, wanted, signedIn ? cookies : [], true));
    const cells = (["paint", "contentful", "usable"] as const).map((one) => spread(arrivals.map((of) => of[one])));
    say(`| ${[name, ...cells].join(" | ")} |`);
  }
}

/** One visit that is not counted, for the server to be warm, and then those that are. */
async function visits<Value>(one: () => Promise<Value>): Promise<Value[]> {
  await one();
  const all: Value[] = [];
  while (all.length < Number(flags.runs)) all.push(await one());
  return all;
}

/** Visits the area with a browser that knows nothing of it yet, until something wanted is on the screen. */
function arrive(url: string, wanted: string, cookies: Cookies, isSlow: boolean): Promise<Arrival> {
  return visit(url, { cookies }, async ({ context, page }) => {
    if (isSlow) await slowDown(await context.newCDPSession(page));
    await page.addInitScript(markArrival, wanted);
    await page.goto("/area/");
    await page.waitForFunction(() => performance.getEntriesByName("arrived").length > 0);
    return page.evaluate(() => {
      const at = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN;
      return { paint: at("first-paint"), contentful: at("first-contentful-paint"), usable: at("arrived") };
    });
  });
}

async function slowDown(session: CDPSession): Promise<void> {
  const { cpu, latency_ms, bytes_per_second } = SLOW;
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: latency_ms,
    downloadThroughput: bytes_per_second,
    uploadThroughput: bytes_per_second,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: cpu });
}

/** Runs in the page before its own scripts: marks the frame after the one in which something is there. */
function markArrival(wanted: string): void {
  const watch = new MutationObserver(() => {
    if (!document.querySelector(wanted)) return;
    watch.disconnect();
    requestAnimationFrame(() => {
      const drawn = new MessageChannel(); // Its message comes after the frame.
      drawn.port1.onmessage = () => performance.mark("arrived");
      drawn.port2.postMessage(undefined);
    });
  });
  watch.observe(document, { childList: true, subtree: true });
}

// ——— Keys ———

async function keys({ url, seed, cookies }: Served): Promise<void> {
  say(`\n## A key in a draft of ${LINES} lines\n`);
  say("| ms, each key | to its paint: median | p95 | worst | script | style and layout | main thread |");
  say("|---|---:|---:|---:|---:|---:|---:|");
  await visit(url, { cookies }, async ({ context, page }) => {
    const office = officeOf(context, url);
    for (let n = 0; n < 20; n++) {
      await office.send("POST", "/v1/products", { name: `Pão ${n}`, unit_price_net: 1.15, tax_rate: 6 });
    }
    const { id } = await office.send<{ id: string }>("POST", "/v1/documents", draftOf(seed));
    await page.goto(`/area/new?draft=${id}`);
    await page
      .locator(LINE)
      .nth(LINES - 1)
      .waitFor({ state: "attached" });
    await page.evaluate(markKeys);
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    for (const rate of [1, SLOW.cpu]) {
      await session.send("Emulation.setCPUThrottlingRate", { rate });
      const slowly = rate > 1 ? `, CPU ${rate} times slower` : "";
      for (const [name, field] of [
        ["quantity, line 1", `${LINE}:nth-child(1) .quantity input`],
        [`quantity, line ${LINES / 2}`, `${LINE}:nth-child(${LINES / 2}) .quantity input`],
        [`price, line ${LINES}`, `${LINE}:nth-child(${LINES}) .price input`],
        ["product", "#product-field"],
      ] as const) {
        await page.locator(field).focus();
        await page.keyboard.press(name === "product" ? "p" : "3");
        const typed = await typing(page, session, name === "product" ? "a" : "7");
        say(`| ${name}${slowly} | ${typed.map((ms) => decimal(ms)).join(" | ")} |`);
        if (name === "product") await page.locator(field).fill("");
      }
    }
  });
}

/** A draft with the most lines there may be. */
function draftOf({ series_id, customer_ids }: Seeded) {
  const lines = Array.from({ length: LINES }, (_, n) => linesOf(n)[0]);
  const issue_date = new Date().toISOString().slice(0, 10);
  return { doc_type: "FT", series_id, issue_date, customer_id: customer_ids[0], lines, issue: false };
}

/** Runs in the page: measures from a key to the end of the frame that shows it. */
function markKeys(): void {
  let pressed = 0;
  addEventListener("keydown", (event) => (pressed = event.timeStamp), true);
  addEventListener(
    "input",
    () => {
      const start = pressed;
      // The page's own work for the next frame is done in that frame, too.
      requestAnimationFrame(() => {
        const drawn = new MessageChannel();
        drawn.port1.onmessage = () => performance.measure("key", { start, end: performance.now() });
        drawn.port2.postMessage(undefined);
      });
    },
    true,
  );
}

/** Types a letter and takes it back, over and over. */
async function typing(page: Page, session: CDPSession, letter: string): Promise<number[]> {
  const rest = () => page.waitForTimeout(BETWEEN_KEYS_MS);
  await rest();
  await page.evaluate(() => performance.clearMeasures("key"));
  const before = await spent(session);
  const count = Number(flags.keys);
  for (let n = 0; n < count; n++) {
    await page.keyboard.press(n % 2 === 0 ? letter : "Backspace");
    await rest();
  }
  const after = await spent(session);
  const times = await page.evaluate(() => performance.getEntriesByName("key").map(({ duration }) => duration));
  if (times.length !== count) throw new Error(`Of ${count} keys ${times.length} were drawn.`);
  const each = after.map((ms, index) => (ms - (before[index] as number)) / count);
  return [median(times), quantile(times, 0.95), Math.max(...times), ...each];
}

/** What the main thread of the page did so far, in milliseconds: script; style and layout; all of it. */
async function spent(session: CDPSession): Promise<number[]> {
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (name: string) => (metrics.find((one) => one.name === name)?.value ?? Number.NaN) * 1_000;
  return [of("ScriptDuration"), of("RecalcStyleDuration") + of("LayoutDuration"), of("TaskDuration")];
}

// ——— Home ———

async function home({ url, seed, cookies }: Served): Promise<void> {
  say(`\n## Home at ${seed.documents.toLocaleString("en")} documents\n`);
  say("| ms | first | median | worst |\n|---|---:|---:|---:|");
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  for (const path of await askedByHome(url, cookies)) {
    const times: number[] = [];
    for (let n = 0; n <= Number(flags.runs) * 4; n++) {
      const began = performance.now();
      const answer = await fetch(url + path, { headers: { cookie } });
      await answer.arrayBuffer();
      times.push(performance.now() - began);
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}.`);
    }
    const [first, ...others] = times as [number, ...number[]];
    say(`| ${path}, answered | ${[first, median(others), Math.max(...others)].map(decimal).join(" | ")} |`);
  }
  const arrivals = await visits(() => arrive(url, HOME_DRAWN, cookies, false));
  for (const [name, times] of [
    ["drawn, from a cold cache", arrivals.map(({ usable }) => usable)],
    ["drawn, from another screen", await comingBack(url, cookies)],
  ] as const) {
    say(`| ${name} |  | ${decimal(median(times))} | ${decimal(Math.max(...times))} |`);
  }
}

/** How long home takes to be drawn with its figures for somebody who is in the area already. */
function comingBack(url: string, cookies: Cookies): Promise<number[]> {
  return visit(url, { cookies }, async ({ page }) => {
    await page.goto("/area/");
    await page.locator(HOME_DRAWN).waitFor();
    return visits(async () => {
      await page.locator(".person a").click();
      await page.locator(HOME_DRAWN).waitFor({ state: "detached" });
      await page.evaluate(markArrival, HOME_DRAWN);
      const began = await page.evaluate(() => {
        performance.clearMarks("arrived");
        const began = performance.now();
        document.querySelector<HTMLElement>(".brand a")?.click();
        return began;
      });
      await page.waitForFunction(() => performance.getEntriesByName("arrived").length > 0);
      return (await page.evaluate(() => performance.getEntriesByName("arrived")[0]?.startTime ?? Number.NaN)) - began;
    });
  });
}

/** The paths of the API that home asks. */
function askedByHome(url: string, cookies: Cookies): Promise<string[]> {
  return visit(url, { cookies }, async ({ page, asked }) => {
    await page.goto("/area/");
    await page.locator(HOME_DRAWN).waitFor();
    return asked.map((one) => one.slice(url.length)).filter((path) => path.includes("/v1/"));
  });
}

// ——— Figures ———

function spread(values: readonly number[]): string {
  return `${Math.round(median(values))} (${Math.round(Math.max(...values))})`;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] as number;
}

function decimal(value: number): string {
  return value.toFixed(1);
}
