/**
 * Holds the floor against Lacre: the same answers, headers and log lines to the byte, and an event for each write in a
 * chain that Lacre's own seals prove. What every request makes anew (ids, times, signatures) need only look alike.
 */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import Database from "better-sqlite3";
import type { Row } from "../../src/core/database/tables.ts";
import { sealOfEvent } from "../../src/core/events/events.ts";
import type { Asked } from "./load.ts";
import type { Scenario } from "./scenarios.ts";
import type { Seeded } from "./seed.ts";
import type { Server } from "./servers.ts";

/** The members of an answer or a log line that a request makes anew. */
const MADE_ANEW = "id|hash|created_at|issued_at|system_entry_date|recorded_at|time|ms|request_id";
/** What differs from one second, or one request, to the next in the head of an answer; a tag covers such members. */
const OF_THE_MOMENT = /^(date: |x-request-id: |x-ratelimit-reset: |ratelimit: .*t=|location: .*\/|etag: ).*/gim;

/**
 * Asks each side the same, and throws where they do not answer, log or record the same. Gives what the first one said.
 */
export async function mustAgree(
  scenarios: readonly Scenario[],
  sides: readonly Server[],
  seeded: Seeded,
): Promise<string[]> {
  const asked = scenarios.map(({ requests }) => requests(seeded)[0] as Asked);
  const reads = asked.filter(({ method }) => method === "GET");
  const writes = asked.filter(({ method }) => method === "POST");
  const said = await Promise.all(
    sides.map(async (server) => {
      const answers: string[] = [];
      for (const asked of reads) answers.push(await wholeAnswer(server, seeded, asked));
      for (const asked of [...writes, ...reads]) answers.push(alike(await wholeAnswer(server, seeded, asked)));
      return [...answers, ...(await logged(server, answers.length)), ...recorded(server, writes.length)];
    }),
  );
  const [ours, ...others] = said as [string[], ...string[][]];
  for (const theirs of others) {
    const difference = differenceBetween(ours, theirs);
    if (difference) throw new Error(`The floor says something else.\n${difference}`);
  }
  return ours;
}

/** The first two texts that are not the same; undefined where all are. */
export function differenceBetween(ours: readonly string[], theirs: readonly string[]): string | undefined {
  const at = ours.findIndex((text, i) => text !== theirs[i]);
  if (at === -1) return ours.length === theirs.length ? undefined : `${ours.length} texts, and ${theirs.length}.`;
  return `${ours[at]}\n${theirs[at]}`;
}

/** Status, headers in their order, and body. */
function wholeAnswer({ url }: Server, { api_key }: Seeded, { method, path, body }: Asked): Promise<string> {
  const headers = { authorization: `Bearer ${api_key}`, ...(body !== undefined && { "content-type": JSON_TYPE }) };
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers }, async (answer) => {
      const head = answer.rawHeaders.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\n`)).join("");
      const text = Buffer.concat(await answer.toArray()).toString("utf8");
      if ((answer.statusCode ?? 500) >= 400) return reject(new Error(`${method} ${url}${path}: ${text}`));
      resolve(`${answer.statusCode} ${method} ${path}\n${head.replace(OF_THE_MOMENT, "$1…")}${text}`);
    });
    sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const JSON_TYPE = "application/json";

/** A text with the length of whatever was made anew in its place. */
function alike(text: string): string {
  const members = new RegExp(`"(${MADE_ANEW})":(?:"([^"]*)"|[\\d.]+)`, "g");
  return text.replace(members, (_, name, value) => `"${name}":${value === undefined ? "a number" : value.length}`);
}

/** The lines that requests with a key left in the log. They are written after the answer, so this waits for them. */
async function logged(server: Server, count: number): Promise<string[]> {
  for (;;) {
    const lines = readFileSync(server.log, "utf8").split("\n");
    const ofKeys = lines.filter((line) => line.includes('"event":"request"') && !line.includes('"key_id":null'));
    if (ofKeys.length >= count) return ofKeys.map(alike);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

type Event = Row<"events">;

/** The latest events of the company. Throws where their seals are not a chain up to the head that is kept. */
function recorded({ name, database }: Server, count: number): string[] {
  const db = new Database(database, { readonly: true });
  const latest = db.prepare("select * from events where company_id is not null order by position desc limit ?");
  const [before, ...events] = (latest.all(count + 1) as Event[]).reverse() as [Event, ...Event[]];
  const head = db.prepare("select event_position as position, event_seal as seal from companies").get() as Event;
  db.close();
  let { seal } = before;
  for (const { seal: kept, ...event } of events) {
    seal = sealOfEvent(event, seal);
    if (kept !== seal) throw new Error(`${name}: the seal of event ${event.position} is broken.`);
  }
  const last = events.at(-1) as Event;
  if (head.position !== last.position || head.seal !== seal) throw new Error(`${name}: the chain has another head.`);
  return events.map(({ action, actor_id, company_id, detail, position, state }) =>
    JSON.stringify({ action, actor_id, company_id, detail, position, state: state?.length }),
  );
}
