/**
 * Clients at work while things break: they create documents, issue, pay, cancel and read, and record when each request
 * was sent, when its answer came, and what it was. A request without an answer stays open, and is sent again with its
 * Idempotency-Key.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { NewDocument } from "lacre";
import type { Chance } from "../support/chance.ts";

/** One request. */
export interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body: object | undefined;
  /** Its Idempotency-Key and its X-Request-Id. */
  readonly key: string;
}

/** The parts of an answer that are compared. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  /** Whether it was marked as a replay. */
  readonly replayed: boolean;
}

/** Sends a request; undefined when no answer came. */
export type Send = (asked: Asked) => Promise<Answered | undefined>;

/** One request and its place in time. Times are counts of events, on one clock for all clients. */
export interface Deed {
  readonly what: "create" | "issue" | "pay" | "cancel" | "read";
  readonly asked: Asked;
  /** The document it is about; undefined until that exists. */
  readonly document: string | undefined;
  /** create: whether to issue at once. */
  readonly issue: boolean;
  /** pay: how much. */
  readonly cents: number;
  readonly sent: number;
  answered: number;
  answer: Answered | undefined;
}

/** Everything that happened, and the state needed to go on. */
export interface Story {
  readonly chance: Chance;
  readonly invoice: (issue: boolean) => NewDocument;
  readonly payment: (cents: number) => object;
  readonly deeds: Deed[];
  /** Documents known to exist, in the order in which that became known. */
  readonly documents: string[];
  time: number;
}

/** Gross of every invoice, in cents. */
export const TOTAL_CENTS = 10_000;
/** Payments of few sizes, so that some settle a document and some exceed it. */
const PAYMENTS_CENTS = [2_500, 4_000, 6_000, 10_000];
/** Clients work on this many documents at a time. */
const IN_DISPUTE = 6;

/** A new story in a company. */
export function newStory(
  chance: Chance,
  { series_id, customer_id, day }: { readonly series_id: string; readonly customer_id: string; readonly day: string },
): Story {
  const line = { description: "Pão", qty: 1, unit_price_net: TOTAL_CENTS / 100, tax_rate: 0 };
  return {
    chance,
    invoice: (issue) => ({ doc_type: "FT", series_id, customer_id, issue_date: day, lines: [line], issue }),
    payment: (cents) => ({ amount: cents / 100, method_code: "TB", payment_date: day }),
    deeds: [],
    documents: [],
    time: 0,
  };
}

/** Runs this many clients until each has done its share, or the server is gone. */
export async function runClients(story: Story, send: Send, count: number, isOver: () => boolean): Promise<void> {
  const client = async () => {
    while (!isOver()) if (!(await perform(story, plan(story), send))) return;
  };
  await Promise.all(Array.from({ length: count }, client));
}

/** The pause before asking again an installation that is starting or has no room. */
const RETRY_MS = 20;

/** Resends open requests until each has its answer; reads are dropped. Returns how many answers were replays. */
export async function settle(story: Story, send: Send): Promise<number> {
  let replays = 0;
  for (const deed of story.deeds.filter(({ answer, what }) => !answer && what !== "read")) {
    while (!(await perform(story, deed, send))) await pause(RETRY_MS);
    if (deed.answer?.replayed) replays++;
  }
  return replays;
}

/** Reads every document once. */
export async function readAll(story: Story, send: Send): Promise<void> {
  for (const id of story.documents) await perform(story, reading(story, id), send);
}

/** Sends once. False when no answer came, or one that asks to try again. */
async function perform(story: Story, deed: Deed, send: Send): Promise<boolean> {
  const answer = await send(deed.asked);
  if (!answer || answer.status === 503 || answer.text.includes('"idempotency_in_progress"')) return false;
  deed.answered = ++story.time;
  deed.answer = answer;
  if (deed.what === "create" && answer.status === 201) story.documents.push(idIn(answer));
  return true;
}

/** The id of the resource that an answer shows. */
export function idIn({ text }: Pick<Answered, "text">): string {
  return (JSON.parse(text) as { id: string }).id;
}

function plan(story: Story): Deed {
  const { chance, documents } = story;
  const id = documents.at(-1 - chance.below(IN_DISPUTE));
  const dice = chance.below(20);
  if (id === undefined || dice < 8) {
    const issue = dice % 2 === 0;
    return begin(story, { what: "create", path: "", body: story.invoice(issue), issue });
  }
  if (dice < 12) return begin(story, { what: "issue", document: id, path: `/${id}/issue`, body: {} });
  if (dice < 15) {
    const cents = chance.oneOf(PAYMENTS_CENTS);
    return begin(story, { what: "pay", document: id, path: `/${id}/payments`, body: story.payment(cents), cents });
  }
  if (dice < 16) return begin(story, { what: "cancel", document: id, path: `/${id}/cancel`, body: {} });
  return reading(story, id);
}

function reading(story: Story, id: string): Deed {
  return begin(story, { what: "read", document: id, path: `/${id}`, body: undefined });
}

interface Plan extends Partial<Pick<Deed, "document" | "issue" | "cents">>, Pick<Deed, "what"> {
  /** After `/v1/documents`. */
  readonly path: string;
  readonly body: object | undefined;
}

function begin(story: Story, { what, path, body, document, issue = false, cents = 0 }: Plan): Deed {
  const { deeds, chance } = story;
  const method = what === "read" ? "GET" : "POST";
  const asked = { method, path: `/v1/documents${path}`, body, key: `deed-${chance.seed}-${deeds.length}` } as const;
  const sent = ++story.time;
  const deed: Deed = {
    what,
    asked,
    document,
    issue,
    cents,
    sent,
    answered: Number.POSITIVE_INFINITY,
    answer: undefined,
  };
  deeds.push(deed);
  return deed;
}

/** Sends by HTTP. A broken connection counts as no answer. */
export function overHttp(url: string, api_key: string): Send {
  return async (asked) => {
    try {
      return await answerOf(await fetch(url + asked.path, requestInit(asked, api_key)));
    } catch {
      return undefined;
    }
  };
}

/** Sends to a handler in this process. */
export function toHandler(handler: (request: Request) => Promise<Response>, api_key: string): Send {
  return async (asked) =>
    answerOf(await handler(new Request(`http://lacre.test${asked.path}`, requestInit(asked, api_key))));
}

function requestInit({ method, body, key }: Asked, api_key: string): RequestInit {
  const headers = {
    authorization: `Bearer ${api_key}`,
    "x-request-id": key,
    ...(body && { "content-type": "application/json", "idempotency-key": key }),
  };
  return { method, headers, ...(body && { body: JSON.stringify(body) }) };
}

async function answerOf(response: Response): Promise<Answered> {
  const replayed = response.headers.has("idempotent-replayed");
  return { status: response.status, text: await response.text(), replayed };
}
