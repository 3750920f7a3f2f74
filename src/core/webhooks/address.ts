/**
 * Where webhooks may be sent: to public addresses by HTTPS. Otherwise whoever holds a key of a company could have Lacre
 * call the machines beside it. A name is judged by itself when the webhook is created, and at each attempt by every
 * address that it then has.
 */
import { BlockList, isIP } from "node:net";
import type { Text } from "../texts/texts.ts";
import { t } from "./refusals.ts";

/** Networks of IPv4 that are not public (IANA's special-purpose registry, multicast, reserved). */
const PRIVATE_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** The one network of IPv6 with assigned addresses, and its parts that are not public or hold another address. */
const GIVEN_OUT_V6 = ["2000::/3"];
const PRIVATE_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const PRIVATE = listOf([...PRIVATE_V4, ...PRIVATE_V6]);
const GIVEN_OUT = listOf(GIVEN_OUT_V6);

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

/** Whether an IP address, as the system writes it, is on the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !PRIVATE.check(address, "ipv4");
    case 6:
      return GIVEN_OUT.check(address, "ipv6") && !PRIVATE.check(address, "ipv6");
    default:
      return false;
  }
}

/** Names that no public server has: those of one machine, and of networks inside. */
const INSIDE = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)\.?$/;

/**
 * What is wrong with a webhook's address, by its text alone; undefined if nothing is. Private networks, and plain HTTP,
 * are valid only if the operator allows them.
 */
export function faultOfAddress(url: string, toPrivateNetworks: boolean): Text | undefined {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password || parsed.hash) {
    return t.must_be_web_address;
  }
  if (toPrivateNetworks) return undefined;
  if (parsed.protocol !== "https:") return t.must_be_https;
  // URL writes every spelling of an IPv4 address, as decimal, octal or hexadecimal number too, with four dots.
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host)) return isPublicAddress(host) ? undefined : t.must_be_public_address;
  const isName = host.replace(/\.$/, "").includes(".") && !INSIDE.test(host);
  return isName ? undefined : t.must_be_public_address;
}
