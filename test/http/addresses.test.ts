/** Who a request comes from: only a trusted proxy's word about it counts, and only the part that it wrote itself. */
import { describe, expect, test } from "vitest";
import { clientAddress, networks, plainAddress, sourceOf } from "../../src/http/addresses.ts";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::FFFF:c000:0207", "192.0.2.7"],
  ["0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"],
  ["2001:DB8:0:0:0:0:0:7", "2001:db8::7"],
  ["fe80::1%eth0", "fe80::1"],
  ["::1", "::1"],
  ["", undefined],
  ["localhost", undefined],
  ["192.0.2", undefined],
  ["192.0.2.256", undefined],
  ["010.0.0.1", undefined],
  ["192.0.2.7 ", undefined],
  ["[::1]", undefined],
  ["1:2:3", undefined],
])("%j is the address %j", (text, address) => expect(plainAddress(text)).toBe(address));

test("a network holds its addresses and no others, however they are spelled", () => {
  const within = networks(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "::1", "::ffff:172.16.0.0/108"]);
  const isWithin = (address: string) => within(plainAddress(address) as string);
  for (const inside of ["10.0.0.1", "10.255.255.255", "::ffff:10.1.2.3", "192.0.2.7", "2001:db8:ffff::1", "::1"]) {
    expect([inside, isWithin(inside)]).toEqual([inside, true]);
  }
  expect([isWithin("172.31.255.255"), isWithin("172.32.0.0")]).toEqual([true, false]);
  for (const outside of ["11.0.0.1", "9.255.255.255", "192.0.2.8", "2001:db9::1", "::2", "::a00:1"]) {
    expect([outside, isWithin(outside)]).toEqual([outside, false]);
  }
  expect(networks([])("127.0.0.1")).toBe(false);
});

test.each([
  "",
  "proxy",
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "10.0.0/8",
  "::1/129",
  "10.0.0.0/8,",
  "::ffff:10.0.0.0/95",
])("%j is no network", (text) =>
  expect(() => networks([text])).toThrow(
    new TypeError(`${text} is neither an address nor a network such as 10.0.0.0/8.`),
  ),
);

describe("behind the trusted proxies 10.0.0.0/8 and 2001:db8::/32", () => {
  const isTrusted = networks(["10.0.0.0/8", "2001:db8::/32"]);
  const client = (peer: string | undefined, headers: Readonly<Record<string, string>>) =>
    clientAddress(peer, (name) => headers[name] ?? null, isTrusted);

  test.each<[string, string, string | undefined]>([
    ["one hop", "203.0.113.9", "203.0.113.9"],
    ["a claim of the client's before it", "1.2.3.4, 203.0.113.9", "203.0.113.9"],
    ["many claims", `${"1.2.3.4,".repeat(500)} 203.0.113.9`, "203.0.113.9"],
    ["a client that claims to be a proxy", "10.0.0.1, 203.0.113.9", "203.0.113.9"],
    ["two proxies", "1.2.3.4, 203.0.113.9, 10.0.0.2", "203.0.113.9"],
    ["proxies alone", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["no spaces", "1.2.3.4,203.0.113.9", "203.0.113.9"],
    ["a port", "203.0.113.9:4711", "203.0.113.9"],
    ["IPv6", "2001:DB9::7", "2001:db9::7"],
    ["IPv6 in brackets", "[2001:db9::7]", "2001:db9::7"],
    ["IPv6 with a port", "[2001:db9::7]:4711", "2001:db9::7"],
    ["IPv4 as IPv6", "::ffff:203.0.113.9", "203.0.113.9"],
    ["IPv4 as IPv6 with a port", "[::ffff:203.0.113.9]:4711", "203.0.113.9"],
    ["a proxy as IPv6", "203.0.113.9, ::ffff:10.0.0.2", "203.0.113.9"],
    ["garbage before it", '<script>, ", 203.0.113.9', "203.0.113.9"],
    ["garbage", "203.0.113.9, unknown", undefined],
    ["a name", "evil.test", undefined],
    ["nothing", "", undefined],
    ["nothing at its end", "203.0.113.9, ", undefined],
    ["two addresses without a comma", "1.2.3.4 203.0.113.9", undefined],
    ["a port that is none", "203.0.113.9:port", undefined],
    ["an open bracket", "[2001:db9::7", undefined],
    ["garbage behind a proxy", "203.0.113.9, unknown, 10.0.0.2", undefined],
  ])("X-Forwarded-For with %s", (_, header, address) => {
    expect(client("10.0.0.1", { "x-forwarded-for": header })).toBe(address);
    expect(client("::ffff:10.0.0.1", { "x-forwarded-for": header })).toBe(address);
    expect(client("198.51.100.1", { "x-forwarded-for": header })).toBe("198.51.100.1"); // not from a proxy
  });

  test.each<[string, string, string | undefined]>([
    ["one hop", "for=203.0.113.9", "203.0.113.9"],
    ["more pairs", "by=10.0.0.1;For=203.0.113.9;proto=https;host=lacre.test", "203.0.113.9"],
    ["a quoted port", 'for="203.0.113.9:4711"', "203.0.113.9"],
    ["IPv6", 'for="[2001:db9::7]:4711"', "2001:db9::7"],
    ["a claim before it", "for=1.2.3.4, for=203.0.113.9", "203.0.113.9"],
    ["a claim that opens a quote", 'for="1.2.3.4, for=203.0.113.9', "203.0.113.9"],
    ["a claim that opens a quote before a quoted one", 'for="1.2.3.4, for="203.0.113.9"', "203.0.113.9"],
    ["two proxies", "for=203.0.113.9, for=10.0.0.2;by=10.0.0.1", "203.0.113.9"],
    ["an unknown client", "for=1.2.3.4, for=unknown", undefined],
    ["a hidden client", "for=_hidden", undefined],
    ["no client", "proto=https", undefined],
    ["garbage", "203.0.113.9", undefined],
    ["nothing", "", "10.0.0.1"],
  ])("Forwarded with %s", (_, forwarded, address) => {
    expect(client("10.0.0.1", { forwarded })).toBe(address);
    expect(client("198.51.100.1", { forwarded })).toBe("198.51.100.1");
  });

  test("X-Forwarded-For goes before Forwarded; without either the peer is the client; so is a socket without address", () => {
    const both = { "x-forwarded-for": "203.0.113.9", forwarded: "for=1.2.3.4" };
    expect(client("10.0.0.1", both)).toBe("203.0.113.9");
    expect(client("10.0.0.1", {})).toBe("10.0.0.1");
    expect(client("::ffff:203.0.113.9", {})).toBe("203.0.113.9");
    expect(client(undefined, both)).toBe(undefined);
  });
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::9", "2001:db8:1:2"],
  ["2001:db8::9", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["fe80::", "fe80:0:0:0"],
])("%s counts as %s", (address, source) => expect(sourceOf(address)).toBe(source));
