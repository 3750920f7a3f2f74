/** `lacre listen`: sends each new event of an installation to an address on this machine, signed as a webhook is. */
import { lookup } from "node:dns/promises";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import type { Client } from "../client/client.ts";
import { LacreError } from "../client/error.ts";
import type { FeedEvent } from "../core/index.ts";
import { randomSecret, systemClock, systemMonotonicClock } from "../core/runtime/ports.ts";
import { isPublicAddress } from "../core/webhooks/address.ts";
import { messageId, secretFrom, signedMessage } from "../core/webhooks/signature.ts";
import { webhookSender } from "../http/node.ts";
import { command } from "./command.ts";
import { about, says } from "./config.ts";
import { Failure } from "./exit.ts";
import { answered, clientOf, isWebAddress, keyOf, REMOTE, reasonOf } from "./remote.ts";
import type { Terminal } from "./terminal.ts";

/** How often the feed is read: half of the requests that an installation allows a key, unless told otherwise. */
const POLL_MS = 1_000;
/** Events read at once. */
const AT_ONCE = 200;
/** Seconds before each further try at a target that does not answer. */
const AGAIN_AFTER_S = [1, 2, 4];

export const listenCommand = command({
  name: "listen",
  input: z.strictObject({
    to: z
      .string()
      .refine(
        isWebAddress,
        says((t) => t.remote.must_be_address),
      )
      .meta(about("forward_to", { takes: "URL" })),
    ...REMOTE,
  }),
  async run({ to, ...remote }, terminal) {
    await mustBePrivate(to);
    const { url, json } = remote;
    const key = keyOf(remote);
    const client = clientOf(remote, key, terminal);
    const { company } = await answered(url, client.me.get());
    const after = await answered(url, lastPosition(client));
    const secret = secretFrom(randomSecret());
    const stopped = terminal.stopRequested();
    const { forward: t } = terminal.texts;
    const began = { url, company: company.name, after, to, secret };
    tell(terminal, json, began, `${t.listens({ company: company.name, url, to })}\n${t.signed({ secret })}`);
    await Promise.race([
      forwardAll(clientOf(remote, key, terminal, 0), after, { to, secret, url, json, terminal }),
      stopped,
    ]);
  },
});

/** Where events go, and how it is told. */
interface Forwarding {
  readonly to: string;
  readonly secret: string;
  /** The address of the installation. */
  readonly url: string;
  readonly json: boolean;
  readonly terminal: Terminal;
}

/** Prints one thing: a line of JSON, or words. */
function tell({ print }: Terminal, json: boolean, data: object, words: string): void {
  print(json ? JSON.stringify(data) : words);
}

/**
 * Throws `Failure` (refused) for an address on the internet: that is what webhooks are for. A name that is not known
 * yet passes: each attempt looks it up again.
 */
async function mustBePrivate(to: string): Promise<void> {
  const host = new URL(to).hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = await lookup(host, { all: true }).catch(() => []);
  if (addresses.some(({ address }) => isPublicAddress(address))) throw isPublic(to);
}

function isPublic(to: string): Failure {
  return new Failure("refused", (t) => t.forward.is_public({ to }));
}

/** The position of the last event, in few requests: the feed refuses a position that is not there yet. */
async function lastPosition({ events }: Client): Promise<number> {
  const isThere = (position: number) =>
    events.read({ after: position, limit: 1 }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof LacreError && error.code === "invalid_state") return false;
        throw error;
      },
    );
  let step = 1;
  while (await isThere(step)) step *= 2;
  let last = step > 1 ? step / 2 : 0;
  for (let more = last / 2; more >= 1; more /= 2) if (await isThere(last + more)) last += more;
  return last;
}

/** Sends the events after a position, in their order, for ever. Throws where the installation refuses to be read. */
async function forwardAll(client: Client, after: number, forwarding: Forwarding): Promise<never> {
  for (let position = after; ; ) {
    const { data, last_position } = await nextPage(client, position, forwarding);
    for (const event of data) await forward(event, forwarding);
    position = last_position;
    if (data.length < AT_ONCE) await pause(POLL_MS);
  }
}

/** The events after a position. While the installation does not answer, it says so once, and asks again. */
async function nextPage({ events }: Client, after: number, { url, json, terminal }: Forwarding) {
  const { forward: t } = terminal.texts;
  for (let isSilent = false; ; ) {
    try {
      const page = await events.read({ after, limit: AT_ONCE });
      if (isSilent) tell(terminal, json, { answers: true }, t.answers_again({ url }));
      return page;
    } catch (error) {
      const { reason, retry_after_s } = passing(error);
      if (!isSilent) tell(terminal, json, { answers: false, reason }, t.no_answer_of({ url, reason }));
      isSilent = true;
      await pause(retry_after_s * 1_000);
    }
  }
}

/** Refusals that another try can change. Where nothing answers, the client says `unavailable`. */
const PASSING: readonly string[] = ["unavailable", "rate_limited", "internal_error"];

/** Why the installation could not be read just now, and when to try again. Throws the error where that cannot help. */
function passing(error: unknown): { readonly reason: string; readonly retry_after_s: number } {
  if (!(error instanceof LacreError && PASSING.includes(error.code))) throw error;
  const { status, message, retry_after_s = 1 } = error;
  return { reason: status === 0 ? reasonOf(error) : message, retry_after_s };
}

const send = webhookSender();

/** Sends one event, again where nothing answers, and prints a line for each attempt. */
async function forward(event: FeedEvent, { to, secret, json, terminal }: Forwarding): Promise<void> {
  const id = messageId(secret, String(event.position));
  for (const [i, again_s] of [...AGAIN_AFTER_S, undefined].entries()) {
    const began = systemMonotonicClock();
    const message = signedMessage({ id, at: systemClock(), event, secrets: [secret] });
    const answer = await send({ url: to, ...message, mayConnectTo: (address) => !isPublicAddress(address) });
    if (answer.error === "not_public") throw isPublic(to);
    const { status, error } = answer;
    const duration_ms = Math.round(systemMonotonicClock() - began);
    const { position, action } = event;
    const told = { position, action, webhook_id: id, attempt: i + 1, status, error, duration_ms };
    tell(terminal, json, told, `${nameOf(event)} → ${wordsOf(told, again_s, terminal)}`);
    if (status !== null || again_s === undefined) return;
    await pause(again_s * 1_000);
  }
}

interface Told {
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

function wordsOf({ status, error, duration_ms }: Told, again_s: number | undefined, { texts }: Terminal): string {
  const { forward: t } = texts;
  if (status !== null) return `${status} ${duration_ms} ms`;
  const reason = error ?? "";
  return again_s === undefined ? t.given_up({ reason }) : t.again({ reason, seconds: again_s });
}

/** An event and what it happened to: by its number where it has one, else by its id. */
function nameOf({ action, resource_id, detail }: FeedEvent): string {
  const named = typeof detail?.number === "string" ? detail.number : resource_id;
  return named === null ? action : `${action} ${named}`;
}
