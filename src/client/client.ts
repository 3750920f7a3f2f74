/** The operations of a company as methods that call over HTTP. */
import type { CompanyMethods, FeedEvent } from "../core/face.ts";
import { type Call, type CallOptions, type ClientOptions, createCall, type KeyedOptions, type Route } from "./call.ts";
import { wait } from "./platform.ts";
import { ROUTES } from "./routes.ts";

type Table = typeof ROUTES;

/** What a route answers: as the library does, but that a file comes with its name alone. */
type Answer<Result, Via> = Via extends readonly [string, string, string, infer Field extends keyof Result]
  ? { readonly name: string } & { readonly [Key in Field]: Result[Key] }
  : Result;

type OptionsOf<Via> = Via extends readonly ["POST", string] | readonly ["POST", string, "bytes", string]
  ? KeyedOptions
  : CallOptions;

/** A method of the library, called over a route. */
type Over<Method, Via> = Method extends (input: infer Input, ...rest: never[]) => Promise<infer Result>
  ? undefined extends Input
    ? (input?: Input, options?: OptionsOf<Via>) => Promise<Answer<Result, Via>>
    : (input: Input, options?: OptionsOf<Via>) => Promise<Answer<Result, Via>>
  : never;

type OverRoutes<Methods, Routes> = {
  readonly [Verb in keyof Methods as Verb extends keyof Routes ? Verb : never]: Over<
    Methods[Verb],
    Verb extends keyof Routes ? Routes[Verb] : never
  >;
};

/** What a list takes but for its pages. */
type Filter<Input> = Omit<NonNullable<Input>, "limit" | "offset" | "cursor">;

/** A group with a list has its rows, too. */
type Rows<Methods> = Methods extends { list(input?: infer Input): Promise<{ data: (infer Row)[] }> }
  ? {
      /** Every row of the list, read in pages as they are asked for. */
      each(filter?: Filter<Input>, options?: Pick<CallOptions, "signal">): AsyncGenerator<Row, void, void>;
    }
  : unknown;

/** Where to begin following events, and a signal that ends it. */
interface FollowOptions extends Pick<CallOptions, "signal"> {
  /** The last position that you have read; 0 when left out. */
  readonly after?: number | undefined;
}

/** The feed of events. */
interface Feed {
  /**
   * Yields the events after a position, oldest first, then new ones: the feed is read once a second, and later where
   * `Retry-After` says so. It ends, without an error, with `signal`. Store the position of the last event you handled,
   * and continue from there after a restart. Throws what `read` throws.
   */
  follow(options?: FollowOptions): AsyncGenerator<FeedEvent, void, void>;
}

/** The operations of a company as they are over HTTP. What only the library has is absent. */
export type Client = {
  readonly [Group in keyof CompanyMethods as Group extends keyof Table ? Group : never]: OverRoutes<
    CompanyMethods[Group],
    Group extends keyof Table ? Table[Group] : never
  > &
    Rows<CompanyMethods[Group]> &
    (Group extends "events" ? Feed : unknown);
};

/**
 * The operations of the company that an API key belongs to, called over HTTP: the verbs, the inputs and the answers of
 * the library's `lacre.as(company)`, so that a program can move from one to the other. A call is tried again by itself
 * where that is safe: after a lost connection, at 429 and 503, when `Retry-After` says. Every POST has an
 * Idempotency-Key, so that nothing is issued twice. Throws TypeError for an address or a key that cannot be one.
 *
 * ```ts
 * import { createClient } from "lacre/client";
 * import { createHandler } from "lacre/http";
 * import { openInMemory } from "lacre/testing";
 *
 * const { lacre, api_key } = await openInMemory();
 * const handler = createHandler(lacre);
 * const fetch = (url: string, init: RequestInit) => handler(new Request(url, init)); // stands for the network
 * const shop = createClient({ url: "https://billing.example", key: api_key, fetch });
 * await shop.customers.create({ name: "Ana" });
 * const names: string[] = [];
 * for await (const { name } of shop.customers.each()) names.push(name);
 * names; // => ["Ana"]
 * await lacre.close();
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const call = createCall(options);
  const groups = Object.entries<Readonly<Record<string, Route>>>(ROUTES).map(([group, verbs]) => {
    const methods = Object.entries(verbs).map(([verb, route]) => {
      return [verb, (input?: object, given?: KeyedOptions) => call(route, input, given)] as const;
    });
    const { list } = verbs;
    const each = list && ((filter?: object, given?: CallOptions) => rowsOf(call, list, filter, given));
    const follow = group === "events" && ((given?: FollowOptions) => followed(call, given));
    return [group, { ...Object.fromEntries(methods), ...(each && { each }), ...(follow && { follow }) }] as const;
  });
  return Object.fromEntries(groups) as unknown as Client;
}

/** Lists answer at most so many rows at once, and with lines so many. */
const PAGE = 200;
const PAGE_WITH_LINES = 50;

/** A page of any list. */
interface AnyPage {
  readonly data: readonly unknown[];
  readonly pagination: { readonly total: number; readonly next_cursor?: string | null };
}

/** Every row of a list. A cursor continues where the page before ended; where there is none, rows are skipped. */
async function* rowsOf(call: Call, list: Route, filter: object = {}, options: CallOptions = {}) {
  const limit = "expand" in filter ? PAGE_WITH_LINES : PAGE;
  let offset = 0;
  let next: object | undefined = {};
  while (next) {
    const { data, pagination } = (await call(list, { ...filter, ...next, limit }, options)) as AnyPage;
    yield* data;
    offset += data.length;
    const cursor = pagination.next_cursor;
    if (cursor) next = { cursor };
    else next = !("cursor" in next) && data.length > 0 && offset < pagination.total ? { offset } : undefined;
  }
}

/** How often the feed is read, in milliseconds. */
const POLL_MS = 1_000;

async function* followed(call: Call, { after = 0, signal }: FollowOptions = {}): AsyncGenerator<FeedEvent, void, void> {
  try {
    for (let last = after; ; ) {
      const page = await call(ROUTES.events.read, { after: last, limit: PAGE }, { signal });
      const { data, last_position } = page as Awaited<ReturnType<CompanyMethods["events"]["read"]>>;
      for (const event of data) {
        if (signal?.aborted) return;
        yield event;
      }
      last = last_position;
      if (data.length < PAGE) await wait(POLL_MS, signal);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
