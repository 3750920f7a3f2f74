/**
 * The connections of a server. A client that does not read, or has shown no key, must not take the place of others:
 * such a connection is *unproven*, and only so many of them are kept.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../core/runtime/ports.ts";
import { sourceOf } from "./addresses.ts";

// Taken when this module loads, as in ports.ts.
const { setInterval, clearInterval } = globalThis;

/** How many connections are kept, and how long one that does not read. */
export interface CrowdLimits {
  /** The most connections at once. Default: 2,000. */
  readonly maxConnections?: number;
  /**
   * The most connections of one address (of IPv6, 64 bits of it) that do not read their answers, or have sent no valid
   * key; older ones are cut, as they are beyond half of `maxConnections` in all. A trusted proxy's never count.
   * Default: 64.
   */
  readonly maxUnprovenPerAddress?: number;
  /** The most requests under way on one connection; it is cut when there is one more. Default: 16. */
  readonly maxPipelined?: number;
  /** Milliseconds after which a connection is cut if its client has read nothing more of an answer. Default: 15,000. */
  readonly unreadTimeoutMs?: number;
}

/** How often the crowd is looked through. */
const SWEEP_MS = 1_000;
/** The sweeps that a connection has for its first request with a valid key before it counts as unproven. */
const SWEEPS_TO_PROVE = 5;

/** One connection. */
export interface Guest {
  readonly socket: Socket;
  /** Its peer, as the log names it. */
  readonly address: string;
  /** Its latest answer; undefined before its first request. */
  latest: ServerResponse | undefined;
  /** Requests not answered to the end yet, the first of them under way: starting them is what they hold. */
  readonly requests: (() => void)[];
  /** It sent a valid key, or is a trusted proxy. */
  isProven: boolean;
  readonly isProxy: boolean;
  /** The sweeps it has seen. They are counted, not timed: it is not the client's fault when the process stood still. */
  sweeps: number;
  /** Bytes of answers that it had taken at the last sweep. */
  taken: number;
  /** The sweeps in a row at which it had taken nothing more of what lay ready. */
  unread: number;
}

/** Why a connection was cut. */
type Reason = "answer_not_read" | "too_many_connections" | "too_many_pipelined";

export interface Crowd {
  /** The connections, the oldest first. */
  readonly guests: ReadonlyMap<unknown, Guest>;
  /** Takes in a connection; where all places are taken, it or one of the source with the most unproven ones is cut. */
  enter(socket: Socket, address: string, isProxy: boolean): void;
  /** Starts a request once those before it on its connection are answered; never, where the connection was cut. */
  request(socket: Socket, outgoing: ServerResponse, start: (guest: Guest) => void): void;
  /** Notes that a connection sent a valid key. */
  prove(guest: Guest): void;
}

/** Watches over a server's connections. `dismiss` ends one that is too many; it has nothing left to send. */
export function createCrowd(limits: CrowdLimits, log: Log, dismiss: (guest: Guest) => void): Crowd {
  const { maxConnections = 2_000, maxUnprovenPerAddress = 64, maxPipelined = 16, unreadTimeoutMs = 15_000 } = limits;
  const guests = new Map<unknown, Guest>();
  // By source; who is not proven in them, the oldest first.
  const strangers = new Map<string, Set<Guest>>();
  // How many were cut since the last sweep, by the entry they will be logged with.
  const cuts = new Map<string, { reason: Reason; remote_address: string; count: number }>();
  let sweeping: NodeJS.Timeout | undefined;

  function cut(guest: Guest, reason: Reason): void {
    const entry = `${reason} ${guest.address}`;
    const { count } = cuts.get(entry) ?? { count: 0 };
    cuts.set(entry, { reason, remote_address: guest.address, count: count + 1 });
    leave(guest);
    if (reason === "too_many_connections" && guest.socket.writableLength === 0) dismiss(guest);
    else guest.socket.destroy();
  }

  function leave(guest: Guest): void {
    guests.delete(guest.socket);
    forget(guest);
  }

  function forget(guest: Guest): void {
    const source = sourceOf(guest.address);
    const known = strangers.get(source);
    known?.delete(guest);
    if (known?.size === 0) strangers.delete(source);
  }

  /**
   * Cuts what does not read, and of the unproven the oldest beyond the limits. Newer ones may still prove themselves.
   */
  function sweep(): void {
    const kept = new Map<string, number>();
    let room = maxConnections / 2;
    for (const guest of [...guests.values()].reverse()) {
      look(guest);
      if (guest.unread * SWEEP_MS >= unreadTimeoutMs) cut(guest, "answer_not_read");
      else if (isUnproven(guest)) {
        const source = sourceOf(guest.address);
        const count = (kept.get(source) ?? 0) + 1;
        if (count > maxUnprovenPerAddress || --room < 0) cut(guest, "too_many_connections");
        else kept.set(source, count);
      }
    }
    for (const entry of cuts.values()) log({ level: "warn", event: "connections_cut", ...entry });
    cuts.clear();
    if (guests.size > 0) return;
    clearInterval(sweeping);
    sweeping = undefined;
  }

  /** Makes room for one connection more: the source with the most strangers loses its oldest, or does not get in. */
  function makeRoom(newcomer: Guest): void {
    let most: Set<Guest> | undefined;
    for (const known of strangers.values()) if (known.size > (most?.size ?? 0)) most = known;
    const source = sourceOf(newcomer.address);
    const isFair = most !== undefined && most.size > (strangers.get(source)?.size ?? 0);
    const [oldest = newcomer] = isFair && most ? most : [];
    cut(oldest, "too_many_connections");
  }

  return {
    guests,
    enter(socket, address, isProxy) {
      const begun = { latest: undefined, requests: [], sweeps: 0, taken: 0, unread: 0 };
      const guest: Guest = { socket, address, isProxy, isProven: isProxy, ...begun };
      guests.set(socket, guest);
      socket.once("close", () => leave(guest));
      if (guests.size > maxConnections) makeRoom(guest);
      if (!guest.isProven && guests.has(socket)) {
        const source = sourceOf(address);
        const known = strangers.get(source) ?? new Set();
        strangers.set(source, known.add(guest));
      }
      sweeping ??= setInterval(sweep, SWEEP_MS).unref();
    },
    request(socket, outgoing, start) {
      const guest = guests.get(socket);
      // What comes after an answer that closes the connection would be done, and its answer lost.
      if (!guest || !socket.writable) return;
      const { requests } = guest;
      guest.latest = outgoing;
      if (requests.push(() => start(guest)) > maxPipelined) return cut(guest, "too_many_pipelined");
      outgoing.once("close", () => {
        requests.shift();
        if (guests.has(socket) && socket.writable) requests[0]?.();
      });
      if (requests.length === 1) start(guest);
    },
    prove(guest) {
      if (guest.isProven) return;
      guest.isProven = true;
      forget(guest);
    },
  };
}

/** Notes at a sweep how far a connection has come. */
function look(guest: Guest): void {
  const { bytesWritten, writableLength } = guest.socket;
  const taken = bytesWritten - writableLength; // what the system has taken over; a client that reads makes room for more
  guest.unread = writableLength > 0 && taken === guest.taken ? guest.unread + 1 : 0;
  guest.taken = taken;
  guest.sweeps++;
}

/** Whether a connection has not read for a second, or has had its time to send a valid key and has sent none. */
function isUnproven({ isProxy, isProven, unread, sweeps }: Guest): boolean {
  return !isProxy && (unread > 1 || (!isProven && sweeps > SWEEPS_TO_PROVE));
}
