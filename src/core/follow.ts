/** Following events: those after a position, then each as it is committed. */
import type { EventFeed, FeedEvent, FollowOptions } from "./face.ts";
import type { Bell } from "./runtime/bell.ts";
import type { Closing } from "./runtime/closing.ts";

/** How often, in milliseconds, events are looked for that another process committed. */
const POLL_MS = 1_000;

/** Events read at once. */
const AT_ONCE = 200;

type ReadEvents = (input: { after: number; limit: number }) => Promise<{ data: FeedEvent[] }>;

/** Makes `events.follow` over `events.read` of a company. */
export function followerOf(read: ReadEvents, bell: Bell, { isOpen }: Closing): EventFeed["events"]["follow"] {
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
      if (data.length === 0 && !isOver()) await bell.next(rings, POLL_MS, signal);
    }
  };
}
