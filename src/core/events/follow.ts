/** Following events: those after a position, then new ones as they are committed. */
import type { Bell } from "../runtime/bell.ts";
import type { Closing } from "../runtime/closing.ts";
import type { FeedEvent } from "./events.ts";

/** How often to look for events that another process committed, in milliseconds. */
const POLL_MS = 1_000;

/** Events read at once. */
const AT_ONCE = 200;

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
     * The events after a position, oldest first, then new ones: at once if this process commits them, within a second
     * if another does. It ends, without an error, with `signal` or `lacre.close()`. Store the position of the last
     * event you handled, and continue from there after a restart. Throws `LacreError` with `invalid_state` for a
     * position that this database does not have yet, and with `unavailable` when the storage is in trouble.
     */
    follow(options?: FollowOptions): AsyncIterable<FeedEvent>;
  };
}

type ReadEvents = (input: { after: number; limit: number }) => Promise<{ data: FeedEvent[] }>;

/** Looks for new events of all followed companies together. */
export interface Lookout {
  /** Resolves once a company has an event after this one, its position cannot be read, or the signal aborts. */
  news(company_id: string, after: number, rings: number, signal: AbortSignal | undefined): Promise<void>;
}

interface Follower {
  readonly company_id: string;
  readonly after: number;
  /** Ends its waiting. */
  readonly wake: () => void;
}

/**
 * Makes the lookout of a process: one query a second, and one after each commit, however many companies are followed.
 * `positions` returns the last event of each company; nobody waits for a company that it leaves out.
 */
export function createLookout(
  positions: (company_ids: readonly string[]) => Promise<ReadonlyMap<string, number>>,
  bell: Bell,
): Lookout {
  const followers = new Set<Follower>();
  let known = 0;
  let resting = new AbortController();
  let isLooking = false;

  async function look(): Promise<void> {
    const asked = [...followers];
    const ids = [...new Set(asked.map(({ company_id }) => company_id))];
    const last = await positions(ids).catch(() => undefined); // whoever wakes meets the same trouble, and reports it
    for (const { company_id, after, wake } of asked) {
      const position = last?.get(company_id);
      if (position === undefined || position > after) wake();
    }
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
    async news(company_id, after, rings, signal) {
      if (signal?.aborted) return;
      const woken = Promise.withResolvers<void>();
      const wake = () => woken.resolve();
      const follower = { company_id, after, wake };
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
      const { data } = await read({ after: last, limit: AT_ONCE });
      for (const event of data) {
        if (isOver()) return;
        yield event;
        last = event.position;
      }
      if (data.length === 0 && !isOver()) await lookout.news(company_id, last, rings, signal);
    }
  };
}
