/** `lacre/node`: a handler on node:http. It also answers requests Node would answer itself or wrongly let through. */
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Log, neverThrowing, silentLog } from "../core/runtime/ports.ts";
import { ENGLISH, type PlainName } from "../core/runtime/sentences.ts";
import { type Answer, type AnswerCode, isBuffered, refusalAnswer } from "./answer.ts";
import type { Handler } from "./handler.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/** Where `serve` listens, and its limits. */
export interface ServeOptions {
  /** 0 takes any free port. Default: 8787. */
  readonly port?: number;
  /** The address to listen on. Default: 127.0.0.1; to serve other machines, put a proxy with TLS in front. */
  readonly host?: string;
  /** Receives an entry for each request that could not be parsed. Default: none. */
  readonly log?: Log;
  /** The most connections at once; Node drops any more. Default: 2,000. */
  readonly maxConnections?: number;
  /** Milliseconds that `close` waits for requests under way. Default: 8,000. */
  readonly closeTimeoutMs?: number;
}

/** A server that is listening. */
export interface NodeServer {
  /** `http://127.0.0.1:8787`, with the port that was bound. */
  readonly url: string;
  /** The address that was bound. */
  readonly host: string;
  readonly port: number;
  /** Accepts no more connections, waits for the requests under way, and cuts off those left after the timeout. */
  close(): Promise<void>;
}

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false, // Node's own refusal has no body; `problemWithHead` refuses in the usual form.
} as const;

/** Milliseconds a refused connection stays open: closing at once could destroy the answer before the client reads it. */
const LINGER_MS = 500;

/** The part of a handler that needs no Fetch types. */
type NodeHandler = Pick<Handler, "answer" | "newRequestId">;

/**
 * A request listener for a server of your own, which can serve other pages beside it. That server keeps its own timeouts
 * and its own answers to requests it cannot parse.
 */
export function nodeListener(handler: NodeHandler): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) =>
    void answerTo(incoming, handler)
      .then((answer) => send(answer, outgoing))
      // Your server may have answered already, or the answer may carry an invalid header.
      .catch(() => outgoing.destroy());
}

async function answerTo(incoming: IncomingMessage, handler: NodeHandler): Promise<Answer> {
  const problem = problemWithHead(incoming);
  if (problem !== undefined) return closingRefusal(handler, "invalid_request", problem);
  try {
    return await handler.answer(fromNode(incoming), { remote_address: incoming.socket.remoteAddress });
  } catch {
    return closingRefusal(handler, "internal_error");
  }
}

/** Reads a request of node:http. Node discards a body that is never read. */
function fromNode(incoming: IncomingMessage): IncomingRequest {
  return {
    method: incoming.method as string,
    url: new URL(`http://localhost${incoming.url}`),
    // `headers` would silently drop some repeated headers.
    header: (name) => incoming.headersDistinct[name]?.join(", ") ?? null,
    get body() {
      return incoming.iterator({ destroyOnReturn: false });
    },
  };
}

/** Serves a handler over HTTP/1.1. Rejects with the system's error when it cannot listen on the address. */
export async function serve(handler: NodeHandler, options: ServeOptions = {}): Promise<NodeServer> {
  const { port = 8787, host = "127.0.0.1", maxConnections = 2_000, closeTimeoutMs = 8_000 } = options;
  const log = neverThrowing(options.log ?? silentLog);
  const listener = nodeListener(handler);
  // The latest answer on each connection; undefined before its first request.
  const latest = new Map<Duplex, ServerResponse | undefined>();
  let closing: Promise<void> | undefined;

  const server = createServer(LIMITS, (incoming, outgoing) => {
    latest.set(incoming.socket, outgoing);
    if (closing) outgoing.shouldKeepAlive = false;
    listener(incoming, outgoing);
  });
  server.maxConnections = maxConnections;
  server.maxHeadersCount = 0; // Their size is limited; beyond a count Node would silently leave some out.
  server.on("connection", (socket) => {
    latest.set(socket, undefined);
    socket.once("close", () => latest.delete(socket));
  });
  server.on("checkExpectation", (_, outgoing) => {
    void send(closingRefusal(handler, "invalid_request", "expects_something_else"), outgoing);
  });
  server.on("connect", (_, socket) => hangUp(socket, closingRefusal(handler, "invalid_request", "not_a_proxy")));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const refused = parserRefusal(handler, error.code);
    if (!socket.writable || !refused) return void socket.destroy();
    log({
      level: "warn",
      event: "request_unreadable",
      reason: error.code,
      status: refused.status,
      request_id: refused.headers["x-request-id"] as string,
      remote_address: (socket as Socket).remoteAddress ?? null,
    });
    afterAnswer(latest.get(socket), () => hangUp(socket, refused));
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(port, host, resolve);
  await listening;
  server.off("error", reject);

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

/** A fault that Node lets through and a handler cannot see, as a message; undefined when there is none. */
function problemWithHead({ url = "", headersDistinct, httpVersion }: IncomingMessage): PlainName | undefined {
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "version_not_supported";
  if (!url.startsWith("/")) return "target_must_be_path";
  const { host: [host, ...more] = [] } = headersDistinct;
  // Node keeps the first of two; a proxy in front may have used the other.
  if (more.length > 0 || (host === undefined && httpVersion !== "1.0")) return "host_must_be_one";
  return host === undefined || isHost(host) ? undefined : "host_malformed";
}

/** Whether the text is a name or an address, with or without a port. */
function isHost(text: string): boolean {
  return !/[/?#@\\]/.test(text) && URL.canParse(`http://${text}`);
}

/** A refusal made without `handler.answer`. It closes the connection: the bytes that follow cannot be trusted. */
function closingRefusal(handler: NodeHandler, code: AnswerCode, name: PlainName = code): Answer {
  const { status, headers, body } = refusalAnswer(code, ENGLISH[name], {
    ...SECURITY_HEADERS,
    "x-request-id": handler.newRequestId(),
    connection: "close",
  });
  return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(body as string)) }, body };
}

/** The answer to a request that Node could not parse, by the code of its error; undefined when the client has gone. */
function parserRefusal(handler: NodeHandler, reason: string | undefined): Answer | undefined {
  switch (reason) {
    case "ECONNRESET":
    case "EPIPE":
      return undefined;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return closingRefusal(handler, "request_timeout");
    case "HPE_HEADER_OVERFLOW":
      return closingRefusal(handler, "invalid_request", "headers_too_large");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return closingRefusal(handler, "payload_too_large");
    default:
      return closingRefusal(handler, "invalid_request", "not_well_formed_http");
  }
}

/** Sends a whole body at once, and a stream piece by piece, no faster than the client reads. */
async function send({ status, headers, body }: Answer, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(status, headers);
  if (isBuffered(body)) outgoing.end(body);
  else if (outgoing.req.method === "HEAD") outgoing.end();
  // The connection ends when the client leaves or the stream fails; the handler logs a failing stream.
  else await pipeline(Readable.from(body), outgoing).catch(() => {});
}

/**
 * Runs `work` now, or after the answer under way if that one belongs to an earlier request. If it belongs to the
 * unreadable request itself, it never comes: the handler is still waiting for the body.
 */
function afterAnswer(outgoing: ServerResponse | undefined, work: () => unknown): void {
  if (outgoing && !outgoing.writableFinished && outgoing.req.complete) outgoing.once("finish", work);
  else if (outgoing?.headersSent && !outgoing.writableFinished) outgoing.destroy();
  else work();
}

/** Writes an answer directly to the socket and ends the connection. */
function hangUp(socket: Duplex, { status, headers, body }: Answer): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on("error", () => {}); // The client may be gone.
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
