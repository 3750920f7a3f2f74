/**
 * The one handler behind every route. A request to an operation is admitted, authenticated, counted, authorized, bound,
 * run and answered, in this order; each step can refuse it.
 */
import { Router, type RouterOptions } from "itty-router";
import type { Lacre } from "../core/open.ts";
import { COMPANY_OPERATIONS } from "../core/operations.ts";
import { LacreError, problem, refuse, refuseFor, refuseInput } from "../core/runtime/errors.ts";
import { type Caller, mustBeConfirmed, mustHave } from "../core/runtime/permissions.ts";
import type { RateLimitReading } from "../core/runtime/ports.ts";
import { common } from "../core/runtime/refusals.ts";
import { sourceOf } from "./addresses.ts";
import { type Answer, errorAnswer, HttpError, isBuffered, PROBLEMS } from "./answer.ts";
import { areaPages, readAreaFiles } from "./area-files.ts";
import { AREA_ROUTES } from "./area-routes.ts";
import { bind, mustHaveNoQuery } from "./bind.ts";
import { type AreaOptions, type Authenticate, createCredentials } from "./credentials.ts";
import { givenRequestId, idempotencyKeyOf, rateLimitHeaders, SECURITY_HEADERS } from "./headers.ts";
import { fromFetch, type IncomingRequest } from "./incoming-request.ts";
import { languageOf } from "./languages.ts";
import { answerAgent, mustBeAgent } from "./mcp.ts";
import { openApiDocument } from "./openapi.ts";
import { llmsText, type Manual, manualPage, readManual } from "./reading.ts";
import { t } from "./refusals.ts";
import { type CameBy, createAddresses, type OwnAddress, type RequestAddress } from "./request-address.ts";
import { answerInSpan } from "./request-span.ts";
import { paperAnswer, resultAnswer, toldIn } from "./result.ts";
import type { Method, OperationRoute, PageRoute, Route, Site } from "./route.ts";
import { ROUTES } from "./routes.ts";
import type { RunOperation } from "./tools.ts";
import { readViewer, type Viewer } from "./viewer.ts";

/** Where a request comes from; the Fetch API does not carry it. */
export interface RequestSource extends CameBy {
  /** The client's address, for the log. */
  readonly remote_address?: string | undefined;
  /** Called once the request's key or session proves valid. */
  readonly recognised?: (() => void) | undefined;
  /**
   * The second argument of `authenticate`. Default: the `Request`; `lacre/node` passes that of node:http, as Express
   * and others extended it.
   */
  readonly context?: unknown;
}

/** Turns a request into an answer. Never rejects: an error becomes a refusal. */
export interface Handler {
  (request: Request, source?: RequestSource): Promise<Response>;
  /**
   * The same without the Fetch types, whose copies and streams cost more than most answers. `lacre/node` calls this.
   */
  answer(request: IncomingRequest, source?: RequestSource): Promise<Answer>;
  /** An id from the installation's id source, for the refusal of an unreadable request. */
  newRequestId(): string;
}

/** Where a handler answers, its limits, and the pages it serves. */
export interface HandlerOptions extends OwnAddress {
  /**
   * Tells browsers, in answers to requests by HTTPS, never to ask this host by plain HTTP again, for a year. It applies
   * to everything that the host serves, at every port. Default: false.
   */
  readonly strictTransport?: boolean | undefined;
  /**
   * The documentation page, or `false` for none. Default: the one in this package; a bundle does not carry its files.
   */
  readonly viewer?: (() => Viewer) | false;
  /** The pages below `/docs` in Markdown. Default: those in this package; a bundle does not carry them. */
  readonly manual?: (() => Manual) | undefined;
  /**
   * Identifies the sender of a request by a session of the host program. Default: only keys and the company area count.
   */
  readonly authenticate?: Authenticate | undefined;
  /** The company area below `/area`, for people with a browser. Default: none, and cookies mean nothing. */
  readonly area?: AreaOptions | undefined;
  /** The largest body in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** The most requests under way at once; further ones are answered with 503. Default: 1,000. */
  readonly maxInFlight?: number;
}

/** A path of names between single slashes, with nothing to resolve or decode; then perhaps a query. */
const PLAIN = /^((?:\/(?!\.)[\w.-]+)+)(?:\?[^#]*)?$/;

/** What the addresses of links to documents begin with; a token follows. */
const LINKS = "/d/";

/** The route of every link: logs and spans name it in place of the token. */
const LINK_ROUTE = `${LINKS}*`;

/**
 * The path of a target; `/%`, which no route has, if it is not plain. The router would resolve
 * `/healthz/%2e%2e/v1/me` to `/v1/me`, past the rules of a proxy in front. Two pages may end in a slash, as people
 * type it. A link that was copied with more than its token stays one, which opens nothing.
 */
function plainPath(target = ""): string {
  if (target === "/" || target === "/area/") return target;
  return PLAIN.exec(target)?.[1] ?? (target.startsWith(LINKS) ? `${LINKS}%` : "/%");
}

/** Stands for the server in the description, which is built once: a proxy may name another path with each request. */
const SERVER = "lacre:server";

/** The largest body from somebody who has not logged in. */
const MAX_OF_VISITOR = 16 * 1024;

/** One request under way. The router reads `method` and `url`, and sets `params` and `route`. */
interface Call {
  readonly request: IncomingRequest;
  readonly source: RequestSource;
  readonly address: RequestAddress;
  readonly request_id: string;
  readonly started_ms: number;
  /** GET for a HEAD: the two differ only in whether the body is sent. */
  readonly method: string;
  readonly url: string;
  params: Record<string, string>;
  route?: string;
  caller?: Caller;
  /** Aborts when the client leaves; only watched for answers that take long. */
  gone?: AbortSignal | undefined;
  /** The code it was refused with. */
  refusal?: string;
  /** The rate limit headers of its key. */
  limits?: Readonly<Record<string, string>>;
}

/**
 * The whole API as one function from `Request` to `Response`. Throws TypeError for a `basePath` that is not a plain
 * path, and a `publicUrl` that is not an address.
 */
export function createHandler(lacre: Lacre, options: HandlerOptions = {}): Handler {
  const { viewer = readViewer, manual = readManual, area, maxBodyBytes = 1024 * 1024, maxInFlight = 1_000 } = options;
  const publicUrl = options.publicUrl?.replace(/\/$/, "") ?? lacre.publicUrl;
  const { base, addressOf, mustBeOwnHost } = createAddresses({ ...options, publicUrl });
  const { log, monotonic, newId, tracing } = lacre;
  let description: string | undefined;
  const credentials = createCredentials(lacre, options);
  const routes: readonly Route[] = area ? [...ROUTES, ...AREA_ROUTES] : ROUTES;
  const site: Site = {
    lacre,
    demo: area?.demo ?? false,
    viewer: viewer || (() => refuse("not_found")),
    public_url: publicUrl ?? null,
    description(below) {
      description ??= JSON.stringify(openApiDocument({ server: SERVER, rateLimit: lacre.rateLimit }));
      return description.replace(SERVER, (publicUrl ?? below) || "/");
    },
  };
  let inFlight = 0;

  function answer(request: IncomingRequest, source: RequestSource = {}): Promise<Answer> {
    const address = addressOf(request, source);
    const path = plainPath(address.target);
    const call: Call = {
      request,
      source,
      address,
      request_id: givenRequestId(request) ?? newId(),
      started_ms: monotonic(),
      method: request.method === "HEAD" ? "GET" : request.method,
      url: `http://lacre${path}`,
      params: {},
    };
    return tracing ? answerInSpan(tracing, call, base, () => route(path, call)) : route(path, call);
  }

  function admit({ request, source }: Call): void {
    inFlight++;
    if (inFlight > maxInFlight) refuseFor(1, "unavailable", t.too_many_under_way);
    mustBeOwnHost(request, source);
  }

  /** Notes the rest of the caller's limit. Refuses with `rate_limited` beyond it. */
  function count(reading: RateLimitReading, call: Call): void {
    call.source.recognised?.();
    call.limits = rateLimitHeaders(reading, lacre.now());
    if (!reading.allowed) refuseFor(reading.reset_s, "rate_limited");
  }

  async function runOperation(route: OperationRoute, call: Call): Promise<Answer> {
    const { request, source, address } = call;
    const { operation, method } = route;
    const { remote_address, context } = source;
    const { caller, reading } = await credentials.recognise(route, request, { remote_address, context, address });
    call.caller = caller;
    if (reading) count(reading, call);
    call.caller = await credentials.enter(caller, route, request);
    mustHave(call.caller, operation.needs);
    if (operation.confirmed === true) mustBeConfirmed(call.caller, lacre.now());
    const input = await bind(route, call, reading ? maxBodyBytes : Math.min(maxBodyBytes, MAX_OF_VISITOR));
    const idempotency_key = method === "POST" ? idempotencyKeyOf(request) : undefined;
    if (route.file) call.gone = request.gone?.();
    const lang = languageOf(request.header("accept-language"));
    const options = { idempotency_key, if_match: request.header("if-match") ?? undefined, lang, signal: call.gone };
    const ran = await lacre.run(call.caller, operation, input, options);
    const answered = resultAnswer(route, ran, address, lang);
    return isBuffered(answered.body) ? answered : { ...answered, body: watched(answered.body, call) };
  }

  /** Answers the message of an agent, whose key may not issue. */
  async function serveAgent(call: Call): Promise<Answer> {
    const { request, address } = call;
    mustHaveNoQuery(request);
    const { caller, reading } = await credentials.recogniseKey(request);
    call.caller = caller;
    if (reading) count(reading, call);
    mustBeAgent(caller, request.header("origin"), address.isOwnOrigin);
    const lang = languageOf(request.header("accept-language"));
    const run: RunOperation = async (operation, input) =>
      toldIn((await lacre.run(caller, operation, input, { lang })).value, lang);
    return answerAgent(request, { lang, maxBytes: maxBodyBytes, run });
  }

  /** Opens a document for whoever has a link to it. What a messenger appends to an address as a query is ignored. */
  async function serveLink(call: Call): Promise<Answer> {
    const { request, source, url } = call;
    if (source.remote_address !== undefined) {
      const { allowed, reset_s } = lacre.takeLinkRequest(sourceOf(source.remote_address));
      if (!allowed) refuseFor(reset_s, "rate_limited");
    }
    const token = new URL(url).pathname.slice(LINKS.length);
    call.caller = await lacre.linkHolder(token);
    call.gone = request.gone?.();
    const { open } = COMPANY_OPERATIONS.links;
    return paperAnswer((await lacre.run(call.caller, open, { token }, { signal: call.gone })).value);
  }

  /** Logs a failure after the first bytes were sent: then the answer can only be cut off. */
  async function* watched(pieces: AsyncIterable<Uint8Array>, { request_id }: Call): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
    } catch (error) {
      const stack = error instanceof Error ? error.stack : String(error);
      log({ level: "error", event: "answer_cut_off", request_id, stack });
      throw error;
    }
  }

  function servePage({ page }: PageRoute, { request, address }: Call): Answer | Promise<Answer> {
    mustHaveNoQuery(request);
    if (request.header("if-match") !== null) {
      refuseInput([problem("If-Match", common.is_not_taken({ operation_id: page.id }))]);
    }
    return page.serve(site, request, address);
  }

  function refused(error: unknown, call: Call): Answer {
    const { request, gone } = call;
    const lang = languageOf(request.header("accept-language"));
    call.refusal = error instanceof LacreError || error instanceof HttpError ? error.code : "internal_error";
    if (gone?.aborted) return errorAnswer(new LacreError("unavailable"), lang); // nobody reads it
    logRefusal(error, call);
    return errorAnswer(error, lang, formFor(call));
  }

  /** Logs a login that was refused, and a failure of ours. */
  function logRefusal(error: unknown, { request_id, source, refusal }: Call): void {
    if (error instanceof LacreError && isRefusedLogin(error)) {
      log({ level: "warn", event: "auth_refused", remote_address: source.remote_address ?? null, request_id });
    }
    if (refusal !== "internal_error") return;
    const stack = error instanceof Error ? error.stack : String(error);
    log({ level: "error", event: "internal_error", request_id, stack });
  }

  function finish(answer: Answer, call: Call): Answer {
    inFlight--;
    log({
      level: "info",
      event: "request",
      method: call.request.method,
      route: call.route ?? null,
      status: answer.status,
      ms: Math.round((monotonic() - call.started_ms) * 10) / 10,
      request_id: call.request_id,
      ...whoIs(call.caller),
      company_id: call.caller?.company_id || null,
      remote_address: call.source.remote_address ?? null,
    });
    return withCommonHeaders(answer, call, options.strictTransport === true);
  }

  const table: Entry[] = [];
  for (const { path, routes: same, allow } of routesByPath(routes)) {
    for (const route of same) {
      const serve = (call: Call) => ("page" in route ? servePage(route, call) : runOperation(route, call));
      table.push([route.method.toLowerCase() as Entry[0], path, serve]);
    }
    table.push(["all", path, (call) => otherMethod(call, allow)]);
  }
  table.push(
    ["get", LINK_ROUTE, serveLink],
    ["all", LINK_ROUTE, (call) => otherMethod(call, "GET, HEAD, OPTIONS")],
    ["post", "/mcp", serveAgent],
    ["all", "/mcp", (call) => otherMethod(call, "POST, OPTIONS")],
    ["get", "/llms.txt", ({ address }) => llmsText(manual(), address.base)],
    ["get", "/docs/*", ({ url }) => manualPage(manual(), new URL(url).pathname.slice("/docs/".length))],
  );
  if (area) {
    const pages = areaPages(area.files ?? readAreaFiles);
    table.push(
      ["all", "/area/v1/*", nothingThere],
      ["get", "/area/assets/:name", ({ params, request }) => pages.asset(params.name ?? "", request)],
      ["get", "/area", ({ url }) => pages.page(new URL(url).pathname)],
      ["get", "/area/*", ({ url }) => pages.page(new URL(url).pathname)],
      ["get", "/", ({ address }) => ({ status: 302, headers: { location: `${address.base}/area` }, body: null })],
    );
  }
  table.push(["all", "*", nothingThere]);
  const route = routerOf(table, { before: [admit], catch: refused, finally: [finish] });

  const handler = async (request: Request, source?: RequestSource): Promise<Response> =>
    toResponse(await answer(fromFetch(request), { secure: isHttps(request), context: request, ...source }), request);
  return Object.assign(handler, { answer, newRequestId: newId });
}

/** The handlers of a path, by method. */
type Entry = readonly [
  method: Lowercase<Method> | "all",
  path: string,
  serve: (call: Call) => Answer | Promise<Answer>,
];

/**
 * Makes the function that finds the route of a call and runs it. The router tries its routes one after the other, so
 * each section of the site has its own router, with the section's routes and the wildcards, made at its first call.
 */
function routerOf(table: readonly Entry[], steps: RouterOptions<Call, []>) {
  const ofSection = (section: string) => {
    const router = Router<Call, []>(steps);
    for (const [method, path, serve] of table) {
      if (path.includes("*") || sectionOf(path) === section) router[method](path, serve);
    }
    return router;
  };
  const sections = new Set(table.map(([, path]) => sectionOf(path)));
  const routers = new Map<string, ReturnType<typeof ofSection>>();
  return (path: string, call: Call): Promise<Answer> => {
    const section = sections.has(sectionOf(path)) ? sectionOf(path) : ELSEWHERE;
    const router = routers.get(section) ?? ofSection(section);
    routers.set(section, router);
    return router.fetch(call);
  };
}

/** The section of all paths without a route. */
const ELSEWHERE = "";

/** The first two names of a path: `/v1/customers`. */
function sectionOf(path: string): string {
  const second = path.indexOf("/", 1);
  const third = second === -1 ? -1 : path.indexOf("/", second + 1);
  return third === -1 ? path : path.slice(0, third);
}

/** Whether somebody tried a wrong key or password. An ended session is not an attempt: its page asks again. */
function isRefusedLogin({ code, problems }: LacreError): boolean {
  return code === "unauthorized" && problems[0]?.text !== common.no_session;
}

/** The key or the user of a call, for the log. */
function whoIs(caller: Caller | undefined): { key_id: string | null; user_id: string | null } {
  const key_id = caller?.actor.kind === "key" && "id" in caller.actor ? caller.actor.id : null;
  return { key_id, user_id: caller?.session?.user_id ?? null };
}

function isHttps({ url }: Request): boolean {
  return url.startsWith("https:");
}

/** The routes of each path, and its methods as the `Allow` header lists them. A path without parameters is first. */
function routesByPath(routes: readonly Route[]) {
  const all = Array.from(
    Map.groupBy(routes, ({ path }) => path),
    ([path, same]) => {
      const methods = same.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
      return { path, routes: same, allow: [...methods, "OPTIONS"].join(", ") };
    },
  );
  return all.toSorted((a, b) => Number(a.path.includes(":")) - Number(b.path.includes(":")));
}

/** The form of a refusal: a program that calls with a key gets the one shape of the contract, whatever it accepts. */
function formFor({ request, route }: Call): "message" | "problems" | "page" {
  const accepted = request.header("authorization") === null ? (request.header("accept") ?? "") : "";
  if (route === LINK_ROUTE) return accepted.includes("text/html") ? "page" : "message";
  return accepted.includes(PROBLEMS) ? "problems" : "message";
}

/** Refuses a path without a route. */
function nothingThere(call: Call): never {
  delete call.route;
  return refuse("not_found");
}

/** Answers OPTIONS, and refuses any other method that the path does not have. */
function otherMethod({ method }: Call, allow: string): Answer {
  if (method === "OPTIONS") return { status: 204, headers: { allow }, body: null };
  throw new HttpError("method_not_allowed", { allow });
}

/** A year, the minimum that the lists of browsers ask for. */
const STRICT_TRANSPORT = { "strict-transport-security": "max-age=31536000" } as const;

/** No search engine lists what a link opens. */
const UNLISTED = { "x-robots-tag": "noindex, nofollow" } as const;

/** Adds the headers that every answer has. */
function withCommonHeaders(
  answer: Answer,
  { request_id, limits, address, route }: Call,
  strictTransport: boolean,
): Answer {
  const { headers, body } = answer;
  const unlisted = route === LINK_ROUTE && UNLISTED;
  const strict = strictTransport && address.secure && STRICT_TRANSPORT;
  const length = isBuffered(body) && body !== null && { "content-length": String(Buffer.byteLength(body)) };
  return {
    ...answer,
    headers: {
      ...SECURITY_HEADERS,
      "x-request-id": request_id,
      ...unlisted,
      ...strict,
      ...limits,
      ...headers,
      ...length,
    },
  };
}

/** Turns an answer into a `Response`, without the body for a HEAD. */
function toResponse({ status, headers, body }: Answer, { method }: Request): Response {
  const each = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  if (method === "HEAD" || body === null) return new Response(null, { status, headers: each });
  const content = isBuffered(body) ? (body as string | Uint8Array<ArrayBuffer>) : ReadableStream.from(body);
  return new Response(content, { status, headers: each });
}
