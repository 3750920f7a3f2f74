/** Addresses of clients, also of those behind a trusted proxy. */
import { BlockList, isIP, SocketAddress } from "node:net";

/** Whether an address, as `plainAddress` returns it, is within the networks. */
export type Within = (address: string) => boolean;

/**
 * The normal form of an address, IPv4 where IPv6 maps it (`::ffff:192.0.2.7`), without a zone; undefined for any other
 * text.
 */
export function plainAddress(text: string): string | undefined {
  const [bare = ""] = text.split("%");
  const family = isIP(bare);
  if (family !== 6) return family === 4 ? bare : undefined;
  const { address } = new SocketAddress({ address: bare, family: "ipv6" });
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  return mapped ?? address;
}

/**
 * A test for networks such as `10.0.0.0/8`, `2001:db8::/32` or a single address. Throws TypeError for any other text.
 */
export function networks(texts: readonly string[]): Within {
  if (texts.length === 0) return () => false;
  const list = new BlockList();
  for (const text of texts) {
    const { address, prefix } = networkIn(text);
    list.addSubnet(address, prefix, familyOf(address));
  }
  return (address) => list.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIP(address) === 4 ? "ipv4" : "ipv6");

/** A network as its first address and the length of its prefix in bits. */
function networkIn(text: string): { readonly address: string; readonly prefix: number } {
  const [given = "", bits, ...more] = text.split("/");
  const address = plainAddress(given) ?? "";
  const width = familyOf(address) === "ipv4" ? 32 : 128;
  const mapped = isIP(given) === 6 && width === 32 ? 96 : 0;
  const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) - mapped : -1;
  if (!address || more.length > 0 || prefix < 0 || prefix > width) {
    throw new TypeError(`${text} is neither an address nor a network such as 10.0.0.0/8.`);
  }
  return { address, prefix };
}

/**
 * The client of a request that arrived from `peer`. Behind trusted proxies it is the last address in `X-Forwarded-For`,
 * else in `Forwarded` (RFC 7239), that is not a trusted proxy itself: each proxy appends the address it saw, and
 * anything before that is the client's own claim. Undefined if the proxy's part of the header names no address.
 */
export function clientAddress(
  peer: string | undefined,
  header: (name: string) => string | null,
  isTrusted: Within,
): string | undefined {
  let client = peer && (plainAddress(peer) ?? peer);
  if (client === undefined || !isTrusted(client)) return client;
  for (const hop of hopsOf(header)) {
    client = addressOfHop(hop);
    if (client === undefined || !isTrusted(client)) return client;
  }
  return client;
}

/**
 * Whether a request that arrived from `peer` came to the first proxy by HTTPS: a trusted proxy says so at the end of
 * `X-Forwarded-Proto`, else of `Forwarded` (RFC 7239). Any other client's claim is ignored.
 */
export function cameByHttps(
  peer: string | undefined,
  header: (name: string) => string | null,
  isTrusted: Within,
): boolean {
  const proxy = peer && (plainAddress(peer) ?? peer);
  if (!proxy || !isTrusted(proxy)) return false;
  const given = header("x-forwarded-proto");
  if (given !== null) return given.split(",").at(-1)?.trim().toLowerCase() === "https";
  const [nearest = ""] = (header("forwarded") ?? "").split(",").reverse();
  return /(?:^|;)\s*proto="?https"?\s*(?:;|$)/i.test(nearest.trim());
}

/** What a trusted proxy reports about the address that was requested; empty if the peer is not one. */
export interface Forwarded {
  /** The request came through a trusted proxy. */
  readonly proxied: boolean;
  /** The host it was asked for: the last of `X-Forwarded-Host`, else of `host` in `Forwarded`. */
  readonly host?: string | undefined;
  /** The path that it removed: the last of `X-Forwarded-Prefix`, without a slash at its end. */
  readonly prefix?: string | undefined;
}

/** Reads what a trusted proxy reports about the requested address. Any other client's claim is ignored. */
export function forwardedAddress(
  peer: string | undefined,
  header: (name: string) => string | null,
  isTrusted: Within,
): Forwarded {
  const proxy = peer && (plainAddress(peer) ?? peer);
  if (!proxy || !isTrusted(proxy)) return { proxied: false };
  const last = (text: string | null) => text?.split(",").at(-1)?.trim();
  const pairs = (last(header("forwarded")) ?? "").split(";").map((pair) => pair.trim());
  const named = pairs
    .find((pair) => /^host=/i.test(pair))
    ?.slice("host=".length)
    .replaceAll('"', "");
  return {
    proxied: true,
    host: last(header("x-forwarded-host")) || named || undefined,
    prefix: last(header("x-forwarded-prefix"))?.replace(/\/$/, ""),
  };
}

/** The addresses that the proxies report, the nearest first. */
function hopsOf(header: (name: string) => string | null): string[] {
  const given = header("x-forwarded-for");
  if (given !== null) return given.split(",").reverse();
  // A comma within quotes cannot be recognised from the right, where only the proxy's own part is trusted.
  return (header("forwarded") ?? "").split(",").reverse().flatMap(forOf);
}

function forOf(element: string): string[] {
  if (element.trim() === "") return [];
  const pairs = element.split(";").map((pair) => pair.trim());
  const named = pairs.find((pair) => pair.slice(0, 4).toLowerCase() === "for=") ?? "";
  return [named.slice(4).replace(/^"(.*)"$/, "$1")];
}

/** The address in `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::7`, `[2001:db8::7]` or `[2001:db8::7]:4711`. */
function addressOfHop(hop: string): string | undefined {
  const text = hop.trim();
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(text) ?? [];
  return plainAddress(bracketed ?? withPort ?? text);
}

/** The part of an address that identifies a client: of IPv6 the first 64 bits, within which it can take any address. */
export function sourceOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [front = "", back] = address.split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const zeros = back === undefined ? 0 : 8 - groups(front).length - groups(back).length;
  return [...groups(front), ...Array(zeros).fill("0"), ...groups(back)].slice(0, 4).join(":");
}
