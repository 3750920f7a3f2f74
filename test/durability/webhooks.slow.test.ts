/**
 * A program that issues and delivers is killed between commit and delivery, again and again: every event is delivered
 * at least once, those of one document in order, and none that did not happen.
 */
import { type ChildProcess, fork } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type FeedEvent, openLacre } from "lacre";
import { webhookSender } from "lacre/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Chance, chanceOf } from "../support/chance.ts";
import { dropped, HAS_SERVER, POSTGRES, schemaOf } from "../support/databases.ts";
import { instant } from "../support/days.ts";
import { type Database, DRIVERS } from "../support/drivers.ts";
import { aFile } from "../support/instance.ts";
import { until } from "../support/until.ts";
import { atScale, figuresOf, SEED } from "./scale.ts";
import type { Orders } from "./webhooks-process.ts";

const PROGRAM = fileURLToPath(new URL("webhooks-process.ts", import.meta.url));
const FROM_SOURCE = import.meta.resolve("../support/from-source.ts");

/** Commits between two kills: the least, and how many more at most. */
const CALM = [3, 30] as const;
/** Most milliseconds from the last of them to the kill. */
const DELAY_MS = 15;
/** Most milliseconds until the receiver answers. */
const ANSWER_MS = 20;
/** Of so many messages it refuses one. */
const REFUSES = 15;
/** How far the clock moves from one life of the program to the next: past the half minute of what it had taken. */
const STEP_MS = 60_000;

/** A message as it came. */
interface Came {
  readonly id: string;
  readonly event: FeedEvent;
}

interface Counted extends Record<string, number> {
  kills: number;
  /** Kills while something committed had not been delivered. */
  between: number;
  events: number;
  messages: number;
}

/** What is wrong with the messages that came, in the order they came, beside the events that happened. */
function faultsOf(came: readonly Came[], events: readonly FeedEvent[]): string[] {
  const faults: string[] = [];
  const happened = new Map(events.map((event) => [event.position, JSON.stringify(event)]));
  const told = new Set<number>();
  const ids = new Map<number, string>();
  /** The last position that came, by document. */
  const last = new Map<unknown, number>();
  for (const { id, event } of came) {
    const { position, action, detail, resource_id } = event;
    if (happened.get(position) !== JSON.stringify(event)) faults.push(`${position} ${action} was invented`);
    const document = detail?.document_id ?? resource_id;
    if ((last.get(document) ?? 0) > position) faults.push(`${position} ${action} came after a later one`);
    if ((ids.get(position) ?? id) !== id) faults.push(`${position} ${action} came under two ids`);
    last.set(document, position);
    ids.set(position, id);
    told.add(position);
  }
  for (const { position, action } of events) {
    if (!told.has(position)) faults.push(`${position} ${action} was never delivered`);
  }
  return faults;
}

/** A receiver that takes its time, and refuses a message now and then. */
async function aReceiver(chance: Chance) {
  const came: Came[] = [];
  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = [];
    incoming.on("data", (piece) => pieces.push(piece));
    incoming.on("error", () => {});
    incoming.on("end", async () => {
      await pause(chance.below(ANSWER_MS));
      const isRefused = chance.below(REFUSES) === 0;
      const { data } = JSON.parse(Buffer.concat(pieces).toString());
      if (!isRefused) came.push({ id: String(incoming.headers["webhook-id"]), event: data });
      outgoing.writeHead(isRefused ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { came, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Lets a program work for some commits, and kills it. Returns how many commits it told of. */
async function oneLife(orders: Orders, chance: Chance): Promise<number> {
  const child: ChildProcess = fork(PROGRAM, { execArgv: ["--import", FROM_SOURCE] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let commits = 0;
  const calm = CALM[0] + chance.below(CALM[1]);
  const calmed = new Promise<void>((resolve) => {
    child.on("message", () => ++commits === calm && resolve());
  });
  child.send(orders);
  const died = await Promise.race([calmed, ended.then(() => "died")]);
  if (died) throw new Error("The program ended by itself.");
  await pause(chance.below(DELAY_MS));
  child.kill("SIGKILL");
  await ended;
  return commits;
}

/** Kills a program again and again; then all that still waits is delivered. Returns what is wrong. */
async function killOften(database: Database, kills: number, counted: Counted, saysSoFirst: boolean): Promise<string[]> {
  const chance = chanceOf(SEED);
  const receiver = await aReceiver(chance);
  const file = aFile();
  if (database === POSTGRES) onTestFinished(() => dropped(schemaOf(file)));
  const began = new Date("2026-11-21T08:00:00Z").getTime();
  const open = (now: () => Date) =>
    openLacre({
      dialect: database.dialect(file),
      now,
      webhookSender: webhookSender(),
      webhooksToPrivateNetworks: true,
    });

  const first = await open(() => new Date(began));
  const { id: company_id } = await first.companies.create({ name: "Padaria", tax_id: "500000000" });
  const company = first.as(company_id);
  const customer = await company.customers.create({ name: "Ana" });
  const series = await company.series.current({ doc_type: "FT" });
  const actions = ["document.*", "payment.*"];
  const webhook = await company.webhooks.create({ url: receiver.url, actions });
  await first.close();

  let commits = 0;
  for (; counted.kills < kills; counted.kills++) {
    const orders: Orders = {
      driver: database.name,
      file,
      company_id,
      series_id: series.id,
      customer_id: customer.id,
      seed: SEED + counted.kills,
      at: new Date(began + (counted.kills + 1) * STEP_MS).toISOString(),
      saysSoFirst,
    };
    commits += await oneLife(orders, chance);
    if (new Set(receiver.came.map(({ id }) => id)).size < commits) counted.between++;
  }

  // Time flies, so that nobody waits for what was refused.
  const late = began + (kills + 1) * STEP_MS;
  const landed = Date.now();
  const last = await open(() => new Date(late + (Date.now() - landed) * 1_000));
  const delivering = last.webhooks.deliver();
  const { webhooks, events } = last.as(company_id);
  await until(async () => (await webhooks.listDeliveries({ id: webhook.id, status: "waiting" })).data.length === 0);
  const all: FeedEvent[] = [];
  for (let after = 0; ; ) {
    const { data, last_position } = await events.read({ after, limit: 200 });
    if (data.length === 0) break;
    all.push(...data.filter(({ action }) => /^(?:document|payment)\./.test(action)));
    after = last_position;
  }
  expect(all.length).toBeGreaterThanOrEqual(commits);
  expect(await last.as(company_id).series.verify()).toMatchObject({ whole: true });
  await last.close();
  await delivering;
  counted.events = all.length;
  counted.messages = receiver.came.length;
  return faultsOf(receiver.came, all);
}

const nothingYet = (): Counted => ({ kills: 0, between: 0, events: 0, messages: 0 });

/** One of each engine. */
const ENGINES: readonly Database[] = [...DRIVERS.slice(0, 1), ...(HAS_SERVER ? [POSTGRES] : [])];

describe.each(ENGINES)("kill -9 between commit and delivery, on $name", (database) => {
  test("delivers every event at least once, in order per document, and invents none", async () => {
    const counted = nothingYet();
    figuresOf(`kill -9, webhooks, ${database.name}`, counted);
    expect(await killOften(database, atScale(10, 50), counted, false)).toEqual([]);
    expect(counted.between).toBeGreaterThan(0);
  });

  test("control: a program that calls a message delivered before it is sent loses events", async () => {
    const counted = nothingYet();
    figuresOf(`kill -9, webhooks, ${database.name}, control: says so first`, counted);
    const faults = await killOften(database, 5, counted, true);
    expect(faults.join("\n")).toMatch(/was never delivered/);
  });
});

describe("the check of the received messages", () => {
  const event = (position: number, resource_id: string, detail: FeedEvent["detail"] = null): FeedEvent => ({
    position,
    at: instant("2026-11-21T08:00:00.000Z"),
    action: "document.issued",
    resource_id,
    subject_id: resource_id,
    actor: "H1",
    detail,
  });
  const [one, two, paid] = [event(1, "a"), event(2, "b"), event(3, "p", { document_id: "a" })];
  const happened = [one, two, paid];
  const came = (...events: FeedEvent[]) => events.map((event) => ({ id: `id ${event.position}`, event }));

  test("accepts repeats, and documents in any order among each other", () => {
    expect(faultsOf(came(two, one, one, paid, paid, two), happened)).toEqual([]);
  });

  test.each<[string, Came[]]>([
    ["was never delivered", came(one, two)],
    ["came after a later one", came(paid, one, two)],
    ["was invented", came(one, two, paid, event(4, "c"))],
    ["was invented", came(event(1, "b"), one, two, paid)],
    ["came under two ids", [...came(one, two, paid), { id: "other", event: paid }]],
  ])("finds what %s", (fault, messages) => {
    expect(faultsOf(messages, happened).join("\n")).toContain(fault);
  });
});
