/** `lacre/node`: a handler on node:http. It also answers requests Node would answer itself or wrongly let through. */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Log, neverThrowing, nextTurn, silentLog } from "../core/runtime/ports.ts";
import type { Lang } from "../core/texts/languages.ts";
import type { Text } from "../core/texts/texts.ts";
import { cameByHttps, clientAddress, forwardedAddress, networks, plainAddress, type Within } from "./addresses.ts";
import { type Answer, type AnswerCode, isBuffered, refusalAnswer } from "./answer.ts";
import { type ConnectionLimits, createConnections } from "./connections.ts";
import type { Handler } from "./handler.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { languageOf } from "./languages.ts";
import { t } from "./refusals.ts";

export { type WebhookSenderOptions, webhookSender } from "./webhook-sender.ts";

// Taken when this module loads, as in ports.ts.
const { setTimeout, clearTimeout } = globalThis;

/** Where `serve` listens, and its limits. */
export interface ServeOptions extends ConnectionLimits {
  /** 0 takes any free port. Default: 8787. */
  readonly port?: number;
  /** The address to listen on. Default: 127.0.0.1; to serve other machines, put a proxy with TLS in front. */
  readonly host?: string;
  /** Receives an entry for each request that could not be parsed. Default: none. */
  readonly log?: Log;
  /**
   * Proxies in front, as addresses or networks (`10.0.0.0/8`), which are trusted about the client's address and HTTPS.
   */
  readonly trustedProxies?: readonly string[];
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
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false, // Node's own refusal has no body; `problemWithHead` refuses in the usual form.
} as const;

/**
 * Connections that wait to be accepted; the system drops further ones, and a client tries again only after a second.
 */
const BACKLOG = 2_048;

/**
 * Milliseconds a refused connection stays open: closing at once could destroy the answer before the client reads it.
 */
const LINGER_MS = 500;

/** The part of a handler that needs no Fetch types. */
type NodeHandler = Pick<Handler, "answer" | "newRequestId">;

/**
 * A request listener for a server of your own, which can also serve other pages. That server keeps its own timeouts and
 * its own answers to requests it cannot parse.
 */
export function nodeListener(
  handler: NodeHandler,
  { trustedProxies = [] }: Pick<ServeOptions, "trustedProxies"> = {},
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const answer = answerer(handler, networks(trustedProxies));
  return (incoming, outgoing) => void answer(incoming, outgoing);
}

/** Answers a request; `recognised` is called once its key proves valid. */
type Answerer = (incoming: IncomingMessage, outgoing: ServerResponse, recognised?: () => void) => Promise<void>;

function answerer(handler: NodeHandler, isTrusted: Within): Answerer {
  return async (incoming, outgoing, recognised) => {
    try {
      const answer = await answerTo(incoming, outgoing, recognised);
      // Answers of one turn are written one after the other: each write wakes the client, unless it is still awake.
      await nextTurn();
      await send(answer, outgoing);
    } catch {
      // Your server may have answered already, the answer may carry an invalid header, or its stream failed halfway.
      outgoing.destroy();
    }
  };

  async function answerTo(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    recognised?: () => void,
  ): Promise<Answer> {
    const problem = problemWithHead(incoming);
    const lang = languageIn(incoming);
    if (problem !== undefined) return closingRefusal(handler, lang, "invalid_request", problem);
    try {
      const request = fromNode(incoming, outgoing);
      const peer = incoming.socket.remoteAddress;
      const remote_address = clientAddress(peer, request.header, isTrusted);
      const secure = isEncrypted(incoming.socket) || cameByHttps(peer, request.header, isTrusted);
      const forwarded = forwardedAddress(peer, request.header, isTrusted);
      return await handler.answer(request, { ...forwarded, remote_address, secure, recognised, context: incoming });
    } catch {
      return closingRefusal(handler, lang, "internal_error");
    }
  }
}

/** Whether a socket of your server is TLS. */
function isEncrypted(socket: Socket): boolean {
  return (socket as { encrypted?: boolean }).encrypted === true;
}

/** A request as frameworks extend it: the target before they removed a mount point, and the body. */
type Extended = IncomingMessage & {
  readonly originalUrl?: string;
  readonly rawBody?: unknown;
  readonly body?: unknown;
};

/** Reads a request of node:http. Node discards a body that is never read. */
function fromNode(incoming: Extended, outgoing: ServerResponse): IncomingRequest {
  return {
    method: incoming.method as string,
    target: targetOf(incoming),
    // `headers` would silently drop some repeated headers.
    header: (name) => incoming.headersDistinct[name]?.join(", ") ?? null,
    body: () => (incoming.readableDidRead ? bodyReadBefore(incoming) : incoming.iterator({ destroyOnReturn: false })),
    gone: () => {
      const left = new AbortController();
      outgoing.once("close", () => outgoing.writableFinished || left.abort());
      return left.signal;
    },
  };
}

/** The target as it was sent. */
function targetOf({ originalUrl, url = "" }: Extended): string {
  return originalUrl ?? url;
}

/** A body that the host program read before, from where frameworks put its bytes, its text or its value. */
function bodyReadBefore({ rawBody, body }: Extended): ReturnType<IncomingRequest["body"]> {
  const kept = rawBody ?? body ?? undefined;
  if (kept === undefined) return "lost";
  const bytes = kept instanceof Uint8Array ? kept : Buffer.from(typeof kept === "string" ? kept : JSON.stringify(kept));
  return ReadableStream.from([bytes]);
}

/** Serves a handler over HTTP/1.1. Rejects with the system's error when it cannot listen on the address. */
export async function serve(handler: NodeHandler, options: ServeOptions = {}): Promise<NodeServer> {
  const { port = 8787, host = "127.0.0.1", closeTimeoutMs = 8_000, trustedProxies = [] } = options;
  const log = neverThrowing(options.log ?? silentLog);
  const isTrusted = networks(trustedProxies);
  const answer = answerer(handler, isTrusted);
  const connections = createConnections(options, log, ({ socket, latest }) => {
    // A client that never finished its first request gets an answer that says so.
    if (latest || socket.bytesRead === 0) socket.destroy();
    else hangUp(socket, closingRefusal(handler, "en", "request_timeout"));
  });
  let closing: Promise<void> | undefined;

  const server = createServer(LIMITS, (incoming, outgoing) => {
    connections.request(incoming.socket, outgoing, (connection) => {
      if (closing) outgoing.shouldKeepAlive = false;
      void answer(incoming, outgoing, () => connections.recognise(connection));
    });
  });
  server.maxHeadersCount = 0; // Their size is limited; beyond a count Node would silently leave some out.
  server.on("connection", (socket) => {
    const address = plainAddress(socket.remoteAddress ?? "") ?? "";
    connections.add(socket, address, isTrusted(address));
  });
  server.on("checkExpectation", (incoming, outgoing) => {
    void send(closingRefusal(handler, languageIn(incoming), "invalid_request", t.expects_something_else), outgoing);
  });
  server.on("connect", (incoming, socket) => {
    hangUp(socket, closingRefusal(handler, languageIn(incoming), "invalid_request", t.not_a_proxy));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const latest = connections.open.get(socket)?.latest;
    const refused = parserRefusal(handler, languageUnderWay(latest), error.code);
    if (!socket.writable || !refused) return void socket.destroy();
    log({
      level: "warn",
      event: "request_unreadable",
      reason: error.code,
      status: refused.status,
      request_id: refused.headers["x-request-id"] as string,
      remote_address: (socket as Socket).remoteAddress ?? null,
    });
    afterAnswer(latest, () => hangUp(socket, refused));
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen({ port, host, backlog: BACKLOG }, resolve);
  await listening;
  server.off("error", reject);

  function close(): Promise<void> {
    closing ??= new Promise((resolve) => {
      const cutOff = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
      server.close(() => {
        clearTimeout(cutOff);
        resolve();
      });
      for (const { socket, latest } of connections.open.values()) {
        if (latest) latest.shouldKeepAlive = false;
        else if (socket.bytesRead === 0) socket.destroy();
      }
    });
    return closing;
  }

  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    host: address,
    port: bound,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A fault that Node lets through and a handler cannot see, as a message; undefined when there is none. */
function problemWithHead(incoming: Extended): Text | undefined {
  const { headersDistinct, httpVersion } = incoming;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return t.version_not_supported;
  if (!targetOf(incoming).startsWith("/")) return t.target_must_be_path;
  // Node decodes chunks and leaves any other coding in the body, which a proxy in front may interpret differently.
  const coding = headersDistinct["transfer-encoding"]?.join();
  if (coding !== undefined && (httpVersion === "1.0" || coding.toLowerCase() !== "chunked"))
    return t.coding_not_supported;
  const { host: [host, ...more] = [] } = headersDistinct;
  // Node keeps the first of two; a proxy in front may have used the other.
  if (more.length > 0 || (host === undefined && httpVersion !== "1.0")) return t.host_must_be_one;
  return host === undefined || isHost(host) ? undefined : t.host_malformed;
}

/** Whether the text is a name or an address, with or without a port. */
function isHost(text: string): boolean {
  return !/[/?#@\\]/.test(text) && URL.canParse(`http://${text}`);
}

/** The language that a request asks for. */
function languageIn({ headersDistinct }: IncomingMessage): Lang {
  return languageOf(headersDistinct["accept-language"]?.join());
}

/** The language of the request whose body is still arriving; English if its head was not read yet. */
function languageUnderWay(latest: ServerResponse | undefined): Lang {
  return latest && !latest.req.complete ? languageIn(latest.req) : "en";
}

/** A refusal made without `handler.answer`. It closes the connection: the bytes that follow cannot be trusted. */
function closingRefusal(handler: NodeHandler, lang: Lang, code: AnswerCode, text?: Text): Answer {
  const common = { ...SECURITY_HEADERS, "x-request-id": handler.newRequestId(), connection: "close" };
  const { status, headers, body } = refusalAnswer(code, lang, { text, headers: common });
  return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(body as string)) }, body };
}

/** The answer to a request that Node could not parse, by the code of its error; undefined when the client has gone. */
function parserRefusal(handler: NodeHandler, lang: Lang, reason: string | undefined): Answer | undefined {
  switch (reason) {
    case "ECONNRESET":
    case "EPIPE":
      return undefined;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return closingRefusal(handler, lang, "request_timeout");
    case "HPE_HEADER_OVERFLOW":
      return closingRefusal(handler, lang, "invalid_request", t.headers_too_large);
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return closingRefusal(handler, lang, "payload_too_large");
    default:
      return closingRefusal(handler, lang, "invalid_request", t.not_well_formed_http);
  }
}

/** Sends a short body at once, any other piece by piece, no faster than the client reads. */
async function send({ status, headers, body }: Answer, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(status, headers as OutgoingHttpHeaders);
  if (outgoing.req.method === "HEAD") outgoing.end();
  else if (!isBuffered(body)) await sendPieces(body, outgoing);
  else if (body === null || body.length <= AT_ONCE) outgoing.end(body);
  else await sendPieces(piecesOf(body), outgoing);
}

async function sendPieces(pieces: AsyncIterable<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  for await (const piece of pieces) {
    if (outgoing.destroyed) return; // the client has left
    if (!outgoing.write(piece)) await room(outgoing);
  }
  outgoing.end();
}

/** Resolves when the client has read what was written, or has left. */
function room(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      outgoing.off("drain", go).off("close", go);
      resolve();
    };
    outgoing.once("drain", go).once("close", go);
  });
}

/**
 * Bytes that are written at once of a longer body. Only between two writes can one see whether a client reads: it must
 * read as many before it is cut.
 */
const PIECE = 64 * 1024;

/** The longest body that is written at once, such as a page of a list: each piece costs a turn of the event loop. */
const AT_ONCE = 2 * PIECE;

async function* piecesOf(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  for (let at = 0; at < bytes.length; at += PIECE) {
    await admission();
    yield bytes.subarray(at, at + PIECE);
  }
}

const queue: (() => void)[] = [];

/**
 * Resolves when the next piece may be written, first come first served. Each turn of the event loop writes one:
 * thousands of clients with a long answer each must not fill it.
 */
function admission(): Promise<void> {
  return new Promise((resolve) => {
    if (queue.push(resolve) === 1) void nextTurn().then(admitOne);
  });
}

function admitOne(): void {
  queue.shift()?.();
  if (queue.length > 0) void nextTurn().then(admitOne);
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
