/**
 * The connections of a server. A client that does not read, or has shown no key, must not crowd out others: such a
 * connection is *unproven*, and only a limited number of them is kept.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../core/runtime/ports.ts";
import { sourceOf } from "./addresses.ts";

// Taken when this module loads, as in ports.ts.
const { setInterval, clearInterval } = globalThis;

/** How many connections are kept, and for how long one that does not read. */
export interface ConnectionLimits {
  /** The most connections at once. Default: 2,000. */
  readonly maxConnections?: number;
  /**
   * The most connections of one address (of IPv6, 64 bits of it) that do not read their answers, or have sent no valid
   * key; older ones are cut, also beyond half of `maxConnections` in all. Those of a trusted proxy never count.
   * Default: 64.
   */
  readonly maxUnprovenPerAddress?: number;
  /** The most requests under way on one connection; it is cut when there is one more. Default: 16. */
  readonly maxPipelined?: number;
  /** Milliseconds after which a connection is cut if its client has read nothing more of an answer. Default: 15,000. */
  readonly unreadTimeoutMs?: number;
}

/** How often all connections are checked. */
const SWEEP_MS = 1_000;
/** The sweeps that a connection has for its first request with a valid key before it counts as unproven. */
const SWEEPS_TO_PROVE = 5;

/** One connection. */
export interface ClientConnection {
  readonly socket: Socket;
  /** Its peer, as the log names it. */
  readonly address: string;
  /** Its latest answer; undefined before its first request. */
  latest: ServerResponse | undefined;
  /** The functions that start its requests not yet fully answered; the first is under way. */
  readonly requests: (() => void)[];
  /** It sent a valid key, or is a trusted proxy. */
  isProven: boolean;
  readonly isProxy: boolean;
  /** The sweeps it has seen. They are counted, not timed: it is not the client's fault if the process stood still. */
  sweeps: number;
  /** Bytes of answers that it had read at the last sweep. */
  taken: number;
  /** The consecutive sweeps at which it had read nothing more although data was waiting. */
  unread: number;
}

/** Why a connection was cut. */
type Reason = "answer_not_read" | "too_many_connections" | "too_many_pipelined";

export interface ClientConnections {
  /** The connections, the oldest first. */
  readonly open: ReadonlyMap<unknown, ClientConnection>;
  /**
   * Adds a connection. If that makes too many, cuts the oldest one without a valid key of the source that has most of
   * those, or the new one if no other source has more.
   */
  add(socket: Socket, address: string, isProxy: boolean): void;
  /** Starts a request once the earlier ones on its connection are answered; never, if the connection was cut. */
  request(socket: Socket, outgoing: ServerResponse, start: (connection: ClientConnection) => void): void;
  /** Notes that a connection sent a valid key. */
  recognise(connection: ClientConnection): void;
}

/** Watches a server's connections. `dismiss` ends one too many, which has nothing left to send. */
export function createConnections(
  limits: ConnectionLimits,
  log: Log,
  dismiss: (connection: ClientConnection) => void,
): ClientConnections {
  const { maxConnections = 2_000, maxUnprovenPerAddress = 64, maxPipelined = 16, unreadTimeoutMs = 15_000 } = limits;
  const open = new Map<unknown, ClientConnection>();
  const keyless = keylessConnections();
  const cuts = cutsToLog(log);
  let sweeping: NodeJS.Timeout | undefined;

  function cut(connection: ClientConnection, reason: Reason): void {
    cuts.add(connection, reason);
    leave(connection);
    if (reason === "too_many_connections" && connection.socket.writableLength === 0) dismiss(connection);
    else connection.socket.destroy();
  }

  function leave(connection: ClientConnection): void {
    open.delete(connection.socket);
    keyless.delete(connection);
  }

  /** Cuts connections that do not read, and of the unproven ones the oldest beyond the limits. */
  function sweep(): void {
    const kept = new Map<string, number>();
    let room = maxConnections / 2;
    const hasRoom = ({ address }: ClientConnection) => {
      const source = sourceOf(address);
      const count = (kept.get(source) ?? 0) + 1;
      if (count > maxUnprovenPerAddress || --room < 0) return false;
      kept.set(source, count);
      return true;
    };
    for (const connection of [...open.values()].reverse()) {
      measure(connection);
      if (connection.unread * SWEEP_MS >= unreadTimeoutMs) cut(connection, "answer_not_read");
      else if (isUnproven(connection) && !hasRoom(connection)) cut(connection, "too_many_connections");
    }
    cuts.log();
    if (open.size > 0) return;
    clearInterval(sweeping);
    sweeping = undefined;
  }

  return {
    open,
    add(socket, address, isProxy) {
      const begun = { latest: undefined, requests: [], sweeps: 0, taken: 0, unread: 0 };
      const connection: ClientConnection = { socket, address, isProxy, isProven: isProxy, ...begun };
      open.set(socket, connection);
      socket.once("close", () => leave(connection));
      if (open.size > maxConnections) cut(keyless.oldestOfMost(address) ?? connection, "too_many_connections");
      if (!connection.isProven && open.has(socket)) keyless.add(connection);
      sweeping ??= setInterval(sweep, SWEEP_MS).unref();
    },
    request(socket, outgoing, start) {
      const connection = open.get(socket);
      // A request after an answer that closes the connection would run, and its answer be lost.
      if (!connection || !socket.writable) return;
      const { requests } = connection;
      connection.latest = outgoing;
      if (requests.push(() => start(connection)) > maxPipelined) return cut(connection, "too_many_pipelined");
      outgoing.once("close", () => {
        requests.shift();
        if (open.has(socket) && socket.writable) requests[0]?.();
      });
      if (requests.length === 1) start(connection);
    },
    recognise(connection) {
      if (connection.isProven) return;
      connection.isProven = true;
      keyless.delete(connection);
    },
  };
}

/** The connections cut since the last sweep: how many for each reason and address. */
function cutsToLog(log: Log) {
  const cuts = new Map<string, { reason: Reason; remote_address: string; count: number }>();
  return {
    add({ address }: ClientConnection, reason: Reason): void {
      const entry = `${reason} ${address}`;
      const { count } = cuts.get(entry) ?? { count: 0 };
      cuts.set(entry, { reason, remote_address: address, count: count + 1 });
    },
    log(): void {
      for (const entry of cuts.values()) log({ level: "warn", event: "connections_cut", ...entry });
      cuts.clear();
    },
  };
}

/** Connections that sent no valid key yet, by source, the oldest first. */
function keylessConnections() {
  const bySource = new Map<string, Set<ClientConnection>>();
  return {
    add(connection: ClientConnection): void {
      const source = sourceOf(connection.address);
      bySource.set(source, (bySource.get(source) ?? new Set()).add(connection));
    },
    delete(connection: ClientConnection): void {
      const source = sourceOf(connection.address);
      const known = bySource.get(source);
      known?.delete(connection);
      if (known?.size === 0) bySource.delete(source);
    },
    /** The oldest of the source that has the most; undefined if that of the address has as many. */
    oldestOfMost(address: string): ClientConnection | undefined {
      let most = bySource.get(sourceOf(address)) ?? new Set();
      const own = most;
      for (const known of bySource.values()) if (known.size > most.size) most = known;
      const [oldest] = most === own ? [] : most;
      return oldest;
    },
  };
}

/** Notes at a sweep how much a connection has read. */
function measure(connection: ClientConnection): void {
  const { bytesWritten, writableLength } = connection.socket;
  const taken = bytesWritten - writableLength; // bytes that the system accepted; a client that reads makes room for more
  connection.unread = writableLength > 0 && taken === connection.taken ? connection.unread + 1 : 0;
  connection.taken = taken;
  connection.sweeps++;
}

/** Whether a connection has not read for a second, or has sent no valid key in the allowed time. */
function isUnproven({ isProxy, isProven, unread, sweeps }: ClientConnection): boolean {
  return !isProxy && (unread > 1 || (!isProven && sweeps > SWEEPS_TO_PROVE));
}
