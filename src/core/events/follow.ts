/** Following events: those after a position, then new ones as they are committed. */
import { t as company } from "../company/refusals.ts";
import type { Bell } from "../runtime/bell.ts";
import type { Closing } from "../runtime/closing.ts";
import { refuse } from "../runtime/errors.ts";
import { PAGE_MAX } from "../runtime/page.ts";
import type { FeedEvent } from "./events.ts";

/** How often to look for events that nobody told of, in milliseconds: of a host's transaction, or past a pooler. */
const POLL_MS = 1_000;

/** Where to begin following events, and a signal that ends it. */
export interface FollowOptions {
  /** The last position that you have read; 0 when left out. */
  readonly after?: number;
  /** Ends the events when it aborts. */
  readonly signal?: AbortSignal;
}

/** The events of a company, as they come. */
export interface EventFeed {
  readonly events: {
    /**
     * Yields the events after a position, oldest first, then new ones as they are committed: at once those of this
     * process, and on PostgreSQL those of others; within a second the rest. It ends, without an error, with `signal` or
     * `lacre.close()`. Store the position of the last event you handled, and continue from there after a restart.
     * Throws `LacreError` with `invalid_state` for a position that this database does not have yet, and with
     * `unavailable` when the storage is in trouble.
     */
    follow(options?: FollowOptions): AsyncIterable<FeedEvent>;
  };
}

type ReadEvents = (input: { after: number; limit: number }) => Promise<{ data: FeedEvent[] }>;

/** The events of all companies, as they come. */
export interface InstallationFeed {
  /**
   * Yields the events of every company after its position, oldest first within a company, then new ones as they are
   * committed, as the feed of one company does; companies made meanwhile join in. Store the position of the last event
   * that you handled of each company, and continue from there. It ends and throws like the feed of one company, and
   * throws `not_found` for a position of an unknown company.
   */
  follow(options?: FollowAllOptions): AsyncIterable<CompanyEvent>;
}

/** Where to begin following all companies, and a signal that ends it. */
export interface FollowAllOptions {
  /** The last position that you have read, by the id of a company; 0 for those left out. */
  readonly after?: Readonly<Record<string, number>>;
  /** Ends the events when it aborts. */
  readonly signal?: AbortSignal;
}

/** An event, with its company. */
export type CompanyEvent = FeedEvent & { readonly company_id: string };

/** The last position of each company. */
export type Positions = ReadonlyMap<string, number>;

/** Looks for new events of all followed companies together. */
export interface Lookout {
  /** Resolves once there is news, the positions cannot be read, or the signal aborts. */
  news(wanted: Wanted, rings: number, signal: AbortSignal | undefined): Promise<void>;
}

/** What a follower waits for. */
interface Wanted {
  /** The company whose position it needs; undefined for those of all. */
  readonly company_id?: string;
  isNews(last: Positions): boolean;
}

interface Follower extends Wanted {
  /** Ends its waiting. */
  readonly wake: () => void;
}

/**
 * Makes the lookout of a process: one query a second, and one after each ring, however many companies are followed.
 * `positions` returns the last event of each of these companies, or of all.
 */
export function createLookout(
  positions: (company_ids: readonly string[] | undefined) => Promise<Positions>,
  bell: Bell,
): Lookout {
  const followers = new Set<Follower>();
  let known = 0;
  let resting = new AbortController();
  let isLooking = false;

  async function look(): Promise<void> {
    const asked = [...followers];
    const ids = [...new Set(asked.map(({ company_id }) => company_id))];
    const named = ids.filter((id) => id !== undefined);
    // Whoever wakes meets the same trouble, and reports it.
    const last = await positions(named.length < ids.length ? undefined : named).catch(() => undefined);
    for (const { isNews, wake } of asked) if (!last || isNews(last)) wake();
  }

  async function keepLooking(): Promise<void> {
    isLooking = true;
    while (followers.size > 0) {
      resting = new AbortController();
      await bell.next(known, POLL_MS, resting.signal);
      if (followers.size === 0) break;
      known = bell.rings();
      await look();
    }
    isLooking = false;
  }

  return {
    async news(wanted, rings, signal) {
      if (signal?.aborted) return;
      const woken = Promise.withResolvers<void>();
      const wake = () => woken.resolve();
      const follower = { ...wanted, wake };
      followers.add(follower);
      signal?.addEventListener("abort", wake);
      if (!isLooking) {
        known = rings;
        void keepLooking();
      } else if (rings < known) {
        known = rings; // a commit that the last look may have missed
        resting.abort();
      }
      await woken.promise;
      signal?.removeEventListener("abort", wake);
      followers.delete(follower);
      if (followers.size === 0) resting.abort();
    },
  };
}

/** Makes `events.follow` over `events.read` of a company. */
export function followerOf(
  company_id: string,
  read: ReadEvents,
  bell: Bell,
  lookout: Lookout,
  { isOpen }: Closing,
): EventFeed["events"]["follow"] {
  return async function* follow({ after = 0, signal }: FollowOptions = {}) {
    const isOver = () => signal?.aborted === true || !isOpen();
    for (let last = after; !isOver(); ) {
      const rings = bell.rings();
      const { data } = await read({ after: last, limit: PAGE_MAX });
      for (const event of data) {
        if (isOver()) return;
        yield event;
        last = event.position;
      }
      if (data.length > 0 || isOver()) continue;
      const isNews = (positions: Positions) => (positions.get(company_id) ?? Number.POSITIVE_INFINITY) > last;
      await lookout.news({ company_id, isNews }, rings, signal);
    }
  };
}

/** Makes the feed of all companies over `events.read` of each. `positions` returns the last event of each. */
export function followerOfAll(
  positions: () => Promise<Positions>,
  readIn: (company_id: string) => ReadEvents,
  bell: Bell,
  lookout: Lookout,
  { isOpen }: Closing,
): InstallationFeed["follow"] {
  return async function* follow({ after = {}, signal }: FollowAllOptions = {}) {
    const isOver = () => signal?.aborted === true || !isOpen();
    const read = new Map(Object.entries(after));
    const behind = (last: Positions) => [...last].filter(([id, position]) => position !== (read.get(id) ?? 0));

    /** The next events of a company. A position that this database does not have yet is refused here. */
    async function* nextIn(company_id: string) {
      const { data } = await readIn(company_id)({ after: read.get(company_id) ?? 0, limit: PAGE_MAX });
      for (const event of data) {
        if (isOver()) return;
        yield { company_id, ...event };
        read.set(company_id, event.position);
      }
    }

    while (!isOver()) {
      const rings = bell.rings();
      const last = await positions();
      mustKnow(read, last);
      const companies = behind(last);
      for (const [company_id] of companies) yield* nextIn(company_id);
      if (companies.length > 0 || isOver()) continue;
      await lookout.news({ isNews: (now) => behind(now).length > 0 }, rings, signal);
    }
  };
}

/** Refuses a position in a company that this database does not have. */
function mustKnow(read: Positions, last: Positions): void {
  for (const id of read.keys()) if (!last.has(id)) refuse("not_found", company.no_such_company);
}
