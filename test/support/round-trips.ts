/** Counts the round trips to a server: what is sent before anybody waits for an answer travels together. */
import type { PostgresAnswer, PostgresClient, PostgresServer } from "../../src/core/database/postgres-dialect.ts";

/** The trips of a server's clients so far. */
export interface Trips {
  readonly server: PostgresServer;
  /** The statements of each trip. */
  readonly trips: string[][];
}

/** A server whose clients send all that arrives in one turn of the event loop together. */
export function countedTrips(inner: PostgresServer): Trips {
  const trips: string[][] = [];
  const { listener: _, ...server } = inner; // nobody waits for what other programs are told
  return {
    trips,
    server: { ...server, client: async (purpose) => counted(await inner.client(purpose), trips) },
  };
}

function counted(client: PostgresClient, trips: string[][]): PostgresClient {
  let waiting: (() => Promise<unknown>)[] = [];
  let under_way: Promise<unknown> = Promise.resolve();

  async function travel(): Promise<void> {
    await under_way; // the answers of the trip before have come
    await new Promise((resolve) => setImmediate(resolve)); // and whoever waited for them has sent what follows
    const together = waiting;
    waiting = [];
    under_way = Promise.allSettled(together.map((send) => send()));
    await under_way;
  }

  return {
    query(text, values, name) {
      const answer = Promise.withResolvers<PostgresAnswer>();
      if (waiting.length === 0) {
        trips.push([]);
        void travel();
      }
      trips.at(-1)?.push(text);
      waiting.push(() => client.query(text, values, name).then(answer.resolve, answer.reject));
      return answer.promise;
    },
    release: (broken) => client.release(broken),
  };
}
