/** `lacre/node`: a handler on node:http. What Node would answer by itself, or let through, is answered here. */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { getRequestListener, RequestError } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Log, neverThrowing, silentLog, systemClock, uuidv7Source } from "../core/ports.ts";
import { type AnswerCode, refusalAnswer } from "./answer.ts";
import { type Handler, wholeBodyOf } from "./handler.ts";
import { SECURITY_HEADERS } from "./headers.ts";

export interface ServeOptions {
  /** 8787; 0 takes any free port. */
  readonly port?: number;
  /** 127.0.0.1: whoever serves others puts TLS in front. */
  readonly host?: string;
  /** Where requests that no handler saw are logged; nowhere. */
  readonly log?: Log;
  /** Connections at once, beyond which new ones are dropped; 2,000. */
  readonly maxConnections?: number;
  /** Milliseconds `close` waits for requests under way; 8,000. */
  readonly closeTimeoutMs?: number;
}

export interface NodeServer {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Takes no more connections, lets the requests under way end, and cuts off what is left after the timeout. */
  close(): Promise<void>;
}

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false, // Node's own answer has no body; nodeListener's has.
} as const;

/** Milliseconds a refused connection may go on sending: cutting it off at once could take the answer from the client. */
const LINGER_MS = 500;

/**
 * A request listener for a server of your own, beside its other pages. That server keeps its own timeouts, and its own
 * answers to what it cannot parse.
 */
export function nodeListener(handler: Handler): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const listener = getRequestListener(
    async (request, node) => {
      const { incoming, outgoing } = node as { incoming: IncomingMessage; outgoing: ServerResponse };
      await send(await handler(request, { remote_address: incoming.socket.remoteAddress }), outgoing);
      return RESPONSE_ALREADY_SENT;
    },
    { hostname: "localhost", overrideGlobalObjects: false, errorHandler: toRefusal },
  );
  return (incoming, outgoing) => {
    const problem = problemWithHead(incoming);
    if (problem === undefined) void listener(incoming, outgoing);
    else void send(refusal("invalid_request", problem), outgoing);
  };
}

/** Serves a handler over HTTP/1.1. Rejects when the address cannot be listened on. */
export async function serve(handler: Handler, options: ServeOptions = {}): Promise<NodeServer> {
  const { port = 8787, host = "127.0.0.1", maxConnections = 2_000, closeTimeoutMs = 8_000 } = options;
  const log = neverThrowing(options.log ?? silentLog);
  const listener = nodeListener(handler);
  const latest = new Map<Duplex, ServerResponse | undefined>();
  let closing: Promise<void> | undefined;

  const server = createServer(LIMITS, (incoming, outgoing) => {
    latest.set(incoming.socket, outgoing);
    if (closing) outgoing.shouldKeepAlive = false;
    listener(incoming, outgoing);
  });
  server.maxConnections = maxConnections;
  server.maxHeadersCount = 0; // Their size is limited; past a count Node would leave some out in silence.
  server.on("connection", (socket) => {
    latest.set(socket, undefined);
    socket.once("close", () => latest.delete(socket));
  });
  server.on("checkExpectation", (_, outgoing) => {
    void send(refusal("invalid_request", "Expect can only be 100-continue."), outgoing);
  });
  server.on("connect", (_, socket) => void hangUp(socket, refusal("invalid_request", "This is not a proxy.")));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const refused = parserRefusal(error.code);
    if (!socket.writable || !refused) return void socket.destroy();
    log({
      level: "warn",
      event: "request_unreadable",
      reason: error.code,
      status: refused.status,
      request_id: refused.headers.get("x-request-id"),
      remote_address: (socket as Socket).remoteAddress ?? null,
    });
    afterAnswer(latest.get(socket), () => hangUp(socket, refused));
  });
  await listening(server, port, host);

  function close(): Promise<void> {
    closing ??= new Promise((resolve) => {
      const cutOff = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
      server.close(() => {
        clearTimeout(cutOff);
        resolve();
      });
      for (const [socket, outgoing] of latest) {
        if (outgoing) outgoing.shouldKeepAlive = false;
        else if ((socket as Socket).bytesRead === 0) socket.destroy();
      }
    });
    return closing;
  }

  const { address, family, port: bound } = server.address() as AddressInfo;
  return { url: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`, host: address, port: bound, close };
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** What Node lets through and a handler cannot see; undefined when all is well. */
function problemWithHead({ url = "", rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "The version must be HTTP/1.1 or HTTP/1.0.";
  if (!url.startsWith("/")) return "The target must be a path: this is not a proxy.";
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host").length;
  // Node keeps the first of two; who stands in front may have kept the other.
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0") ? undefined : "There must be exactly one Host header.";
}

const newId = uuidv7Source();

/** A refusal made before there is a request to hand to a handler. What follows on the connection cannot be trusted. */
function refusal(code: AnswerCode, message?: string): Response {
  const { status, headers, body } = refusalAnswer(code, message, {
    ...SECURITY_HEADERS,
    "x-request-id": newId(systemClock()),
    connection: "close",
  });
  return new Response(body as string, {
    status,
    headers: { ...headers, "content-length": String(Buffer.byteLength(body as string)) },
  });
}

/** The answer to what the adapter or a handler of somebody else's throws. */
function toRefusal(error: unknown): Response {
  return error instanceof RequestError
    ? refusal("invalid_request", "The address is malformed.")
    : refusal("internal_error");
}

/** The answer to what the parser gave up on; undefined when nobody is there to read it. */
function parserRefusal(reason: string | undefined): Response | undefined {
  switch (reason) {
    case "ECONNRESET":
    case "EPIPE":
      return undefined;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refusal("request_timeout");
    case "HPE_HEADER_OVERFLOW":
      return refusal("invalid_request", "The headers are larger than 16 KiB.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return refusal("payload_too_large");
    default:
      return refusal("invalid_request", "The request is not well-formed HTTP.");
  }
}

/** Sends whole what says its length, and the rest piece by piece, no faster than it is taken. */
async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status;
  outgoing.setHeaders(response.headers);
  const whole = wholeBodyOf(response);
  if (whole) outgoing.end(whole);
  else if (!response.body) outgoing.end();
  else if (response.headers.has("content-length")) outgoing.end(new Uint8Array(await response.arrayBuffer()));
  // Who goes away in the middle, and what breaks off, ends the connection; the handler has logged it.
  else await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing).catch(() => {});
}

/**
 * Runs now, or after the answer under way where that belongs to the request before the unreadable one. An unreadable
 * body's own answer never comes: its handler is still reading.
 */
function afterAnswer(outgoing: ServerResponse | undefined, work: () => unknown): void {
  if (outgoing && !outgoing.writableFinished && outgoing.req.complete) outgoing.once("finish", work);
  else if (outgoing?.headersSent && !outgoing.writableFinished) outgoing.destroy();
  else work();
}

/** Answers on the bare connection, and ends it. */
async function hangUp(socket: Duplex, response: Response): Promise<void> {
  const body = await response.text();
  const headers = [...response.headers];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.on("error", () => {}); // The client may be gone.
  socket.end(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${lines}\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
