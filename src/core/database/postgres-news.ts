/** Programs on one server tell each other of their commits, by NOTIFY and LISTEN. */
import { hash } from "node:crypto";
import type { News } from "./executor.ts";

/** A connection that only listens. */
export interface Listening {
  readonly client: ListeningClient;
  /** Ends it, or gives it back. */
  end(): Promise<void>;
}

/** A client of `pg`, as far as listening needs one. */
export interface ListeningClient {
  query(query: object): Promise<unknown>;
  on(event: "notification", heard: (message: Told) => void): unknown;
  on(event: "error" | "end", lost: () => void): unknown;
  removeListener(event: "notification", heard: (message: Told) => void): unknown;
  removeListener(event: "error" | "end", lost: () => void): unknown;
}

interface Told {
  readonly payload?: string | undefined;
}

/** Taken when this module loads, as in runtime/ports.ts: a test's fake timers must not stop it. */
const { setTimeout } = globalThis;

/** How long, in milliseconds, until it listens again after its connection was lost: at first, and at most. */
const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * The news of the programs that use a schema on a server. `connect` gives a connection that only listens, undefined
 * where there is none; `run` runs a statement on any.
 */
export function newsOn(
  schema: string,
  connect: () => Promise<Listening | undefined>,
  run: (text: string, values: readonly string[]) => Promise<void>,
): News {
  const channel = `lacre_${hash("sha256", schema).slice(0, 32)}`;
  let current: Ear | undefined;
  let isClosed = false;
  let wait_ms = FIRST_MS;

  async function listen(me: string, heard: () => void): Promise<void> {
    const again = () => {
      if (isClosed) return;
      setTimeout(() => void listen(me, heard), wait_ms).unref();
      wait_ms = Math.min(wait_ms * 2, LONGEST_MS);
    };
    const listening = await connect().catch(again);
    if (!listening) return; // it failed, and is tried again; or nothing can be heard here
    if (isClosed) return listening.end();
    const ear = earAt(listening, ({ payload }) => payload !== me && heard(), again);
    current = ear;
    await listening.client.query({ text: `listen ${channel}` }).then(
      () => {
        wait_ms = FIRST_MS;
        heard(); // something may have been told before
      },
      ear.lose, // a standby refuses, until it has taken over
    );
  }

  return {
    listen: (me, heard) => void listen(me, heard),
    tell: (me) => run("select pg_notify($1, $2)", [channel, me]),
    async close() {
      isClosed = true;
      await current?.end();
    },
  };
}

/** A connection that is listened to. */
interface Ear {
  /** Ends it, and has it made again later. */
  lose(): void;
  end(): Promise<void>;
}

/** Listens to a connection. `lost` is called once if it is lost. */
function earAt({ client, end }: Listening, heard: (message: Told) => void, lost: () => void): Ear {
  let isOver = false;
  const ear: Ear = {
    lose() {
      if (isOver) return;
      void ear.end();
      lost();
    },
    async end() {
      if (isOver) return;
      isOver = true;
      client.removeListener("notification", heard);
      client.removeListener("error", ear.lose);
      client.removeListener("end", ear.lose);
      await end();
    },
  };
  client.on("notification", heard);
  client.on("error", ear.lose);
  client.on("end", ear.lose);
  return ear;
}
