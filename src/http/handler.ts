/** The one handler behind every route: who asks, may they, bind, run, answer. Refusals come in one fixed order. */
import { Router } from "itty-router";
import type { Lacre } from "../core/open.ts";
import { LacreError, refuse } from "../core/runtime/errors.ts";
import { mustHave } from "../core/runtime/run.ts";
import type { KeyCaller } from "../core/runtime/scope.ts";
import { type Answer, errorAnswer, HttpError, isWhole } from "./answer.ts";
import { bind, refuseQuery } from "./bind.ts";
import { bearerOf, givenRequestId, idempotencyKeyOf, rateLimitHeaders, SECURITY_HEADERS } from "./headers.ts";
import { fromFetch, type IncomingRequest } from "./incoming-request.ts";
import { openApiDocument } from "./openapi.ts";
import { resultAnswer } from "./result.ts";
import type { OperationRoute, PageRoute, Site } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { readViewer, type Viewer } from "./viewer.ts";

/** Where a request comes from, for the log. The Fetch API does not say. */
export interface Connection {
  readonly remote_address?: string | undefined;
}

/** Turns a request into an answer; never rejects. */
export interface Handler {
  (request: Request, connection?: Connection): Promise<Response>;
  /** The same without the Fetch types, whose copies and streams cost more than most answers. `lacre/node` calls this. */
  answer(request: IncomingRequest, connection?: Connection): Promise<Answer>;
  /** An id from the installation's id source, for a refusal of what never became a request. */
  newRequestId(): string;
}

export interface HandlerOptions {
  /** The documentation page; the one in this package. */
  readonly viewer?: () => Viewer;
  /** Largest body in bytes; 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Requests under way at once, beyond which the answer is 503; 1,000. */
  readonly maxInFlight?: number;
}

/** One request on its way through. The router reads `method` and `url` and sets `params` and `route`. */
interface Call {
  readonly request: IncomingRequest;
  readonly connection: Connection;
  readonly request_id: string;
  readonly started_ms: number;
  /** GET for a HEAD: the two differ only in what is sent back. */
  readonly method: string;
  readonly url: string;
  params: Record<string, string>;
  route?: string;
  caller?: KeyCaller;
  /** What the key has left, as headers. */
  limits?: Readonly<Record<string, string>>;
}

/** The whole API as one function over the Fetch types. */
export function createHandler(lacre: Lacre, options: HandlerOptions = {}): Handler {
  const { viewer = readViewer, maxBodyBytes = 1024 * 1024, maxInFlight = 1_000 } = options;
  const { log, monotonic, newId } = lacre;
  let description: string | undefined;
  const site: Site = { lacre, viewer, description: () => (description ??= JSON.stringify(openApiDocument())) };
  let inFlight = 0;

  function admit({ request }: Call): void {
    inFlight++;
    if (inFlight > maxInFlight) refuse("unavailable", "Too many requests are under way.", 1);
    // The router would take a slash too many for none; one resource has one address.
    if (request.url.pathname.endsWith("/")) refuse("not_found");
  }

  async function runOperation(route: OperationRoute, call: Call): Promise<Answer> {
    const { request } = call;
    call.caller = await lacre.authenticate(bearerOf(request));
    const reading = await lacre.takeRequest(call.caller.actor.id);
    call.limits = rateLimitHeaders(reading, lacre.now());
    if (!reading.allowed) refuse("rate_limited", undefined, reading.reset_s);
    mustHave(call.caller, route.operation.needs);
    const input = await bind(route, call, maxBodyBytes);
    const idempotency_key = route.method === "POST" ? idempotencyKeyOf(request) : undefined;
    const { value, replayed } = await lacre.run(call.caller, route.operation, input, { idempotency_key });
    const answer = resultAnswer(route, value, replayed);
    return isWhole(answer.body) ? answer : { ...answer, body: watched(answer.body, call) };
  }

  /** What fails when the first bytes are gone can only break off; the log says why. */
  async function* watched(pieces: AsyncIterable<Uint8Array>, { request_id }: Call): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
    } catch (error) {
      const stack = error instanceof Error ? error.stack : String(error);
      log({ level: "error", event: "answer_broken_off", request_id, stack });
      throw error;
    }
  }

  function servePage({ page }: PageRoute, { request }: Call): Answer | Promise<Answer> {
    refuseQuery(request);
    return page.serve(site);
  }

  function refused(error: unknown, { request_id, connection }: Call): Answer {
    if (error instanceof LacreError && error.code === "unauthorized") {
      log({ level: "warn", event: "auth_refused", remote_address: connection.remote_address ?? null, request_id });
    }
    if (!(error instanceof LacreError || error instanceof HttpError)) {
      const stack = error instanceof Error ? error.stack : String(error);
      log({ level: "error", event: "internal_error", request_id, stack });
    }
    return errorAnswer(error);
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
      key_id: call.caller?.actor.id ?? null,
      company_id: call.caller?.company_id ?? null,
      remote_address: call.connection.remote_address ?? null,
    });
    return withCommonHeaders(answer, call);
  }

  const router = Router<Call, []>({ before: [admit], catch: refused, finally: [finish] });
  for (const route of ROUTES) {
    const serve = (call: Call) => ("page" in route ? servePage(route, call) : runOperation(route, call));
    router[route.method.toLowerCase() as Lowercase<typeof route.method>](route.path, serve);
  }
  for (const [path, allow] of allowedMethods()) router.all(path, (call) => otherMethod(call, allow));
  router.all("*", (call) => {
    delete call.route;
    refuse("not_found");
  });

  const answer = (request: IncomingRequest, connection: Connection = {}): Promise<Answer> =>
    router.fetch({
      request,
      connection,
      request_id: givenRequestId(request) ?? newId(),
      started_ms: monotonic(),
      method: request.method === "HEAD" ? "GET" : request.method,
      url: request.url.href,
      params: {},
    } satisfies Call);
  const handler = async (request: Request, connection?: Connection): Promise<Response> =>
    toResponse(await answer(fromFetch(request), connection), request);
  return Object.assign(handler, { answer, newRequestId: newId });
}

/** The methods each path takes, as the Allow header says them. */
function allowedMethods(): Map<string, string> {
  const byPath = Map.groupBy(ROUTES, ({ path }) => path);
  return new Map(
    [...byPath].map(([path, routes]) => {
      const methods = routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
      return [path, [...methods, "OPTIONS"].join(", ")];
    }),
  );
}

function otherMethod({ method }: Call, allow: string): Answer {
  if (method === "OPTIONS") return { status: 204, headers: { allow }, body: null };
  throw new HttpError("method_not_allowed", { allow });
}

/** Puts on the headers every answer has. */
function withCommonHeaders({ status, headers, body }: Answer, { request_id, limits }: Call): Answer {
  const length = isWhole(body) && body !== null && { "content-length": String(Buffer.byteLength(body)) };
  return {
    status,
    headers: { ...SECURITY_HEADERS, "x-request-id": request_id, ...limits, ...headers, ...length },
    body,
  };
}

/** An answer as the Fetch API has it, without its body for a HEAD. */
function toResponse({ status, headers, body }: Answer, { method }: Request): Response {
  if (method === "HEAD" || body === null) return new Response(null, { status, headers });
  const content = isWhole(body) ? (body as string | Uint8Array<ArrayBuffer>) : ReadableStream.from(body);
  return new Response(content, { status, headers });
}
