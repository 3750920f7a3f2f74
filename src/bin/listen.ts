/** Starts the HTTP server of `serve` and `demo`. */
import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import type { Lacre, Log } from "../core/index.ts";
import { type DemoClock, withClock } from "../http/demo-clock.ts";
import { type AreaOptions, createHandler, readAreaFiles, readManual, readViewer } from "../http/index.ts";
import { type NodeServer, serve } from "../http/node.ts";
import { Failure } from "./exit.ts";
import type { Texts } from "./texts/texts.ts";
import { areaFromExecutable, manualFromExecutable, viewerFromExecutable } from "./viewer.ts";

export interface Address {
  readonly port: number;
  readonly host: string;
  /** The networks of the proxies in front. */
  readonly trusted_proxy?: readonly string[] | undefined;
  /** The address at which others reach it, without a slash at the end, if it differs. */
  readonly public_url?: string | undefined;
  /** Host names that it accepts, beside that of the public address. */
  readonly allowed_host?: readonly string[] | undefined;
  /** The company area; none when left out. */
  readonly area?: Pick<AreaOptions, "plainHttp" | "demo"> | undefined;
  /** A clock that requests may move; none when left out. */
  readonly clock?: DemoClock | undefined;
}

/** Why an address cannot be used and what to do, by the system's error code. */
const ADDRESS_TROUBLE: Readonly<Record<string, (t: Texts) => (values: { address: string; reason: string }) => string>> =
  {
    EADDRINUSE: (t) => t.listen.in_use,
    EACCES: (t) => t.listen.forbidden,
    EADDRNOTAVAIL: (t) => t.listen.not_ours,
    ENOTFOUND: (t) => t.listen.unknown_host,
    EAI_AGAIN: (t) => t.listen.not_looked_up,
  };

/** Serves this Lacre over HTTP. Throws `Failure` (no_address) if the address cannot be used. */
export async function listen(lacre: Lacre, address: Address, log: Log): Promise<NodeServer> {
  const { port, host, trusted_proxy = [], allowed_host = [], area, clock } = address;
  try {
    const handler = createHandler(lacre, {
      strictTransport: true,
      allowedHosts: allowed_host,
      viewer: () => viewerFromExecutable() ?? readViewer(),
      manual: () => manualFromExecutable() ?? readManual(),
      area: area && { files: () => areaFromExecutable() ?? readAreaFiles(), ...area },
    });
    return await serve(clock ? withClock(handler, lacre, clock) : handler, {
      port,
      host,
      log,
      trustedProxies: trusted_proxy,
    });
  } catch (error) {
    throw inWords(error, address);
  }
}

/** Throws `Failure` (no_address) if a server could not listen at this address now. */
export async function mustBeFree(address: Address): Promise<void> {
  const probe = createServer().listen(address.port, address.host);
  try {
    await once(probe, "listening");
  } catch (error) {
    throw inWords(error, address);
  }
  probe.close();
  await once(probe, "close");
}

/** Why a server cannot listen at an address, as a `Failure`; any other error as it is. */
function inWords(error: unknown, { host, port }: Address): unknown {
  const { code = "", message, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const trouble = ADDRESS_TROUBLE[code] ?? ((t: Texts) => t.listen.other);
  return new Failure("no_address", (t) => trouble(t)({ address: `${host}:${port}`, reason: message }), error);
}

/** All addresses of a machine: of IPv4 alone, or of both. */
const EVERY_ADDRESS = /^(?:0\.0\.0\.0|::)$/;

/** The address of a server for a browser: the public one, else one of this machine. */
export function reachedAt({ url, host, port }: NodeServer, { public_url }: Address): string {
  if (public_url !== undefined) return public_url;
  if (!EVERY_ADDRESS.test(host)) return url;
  return `http://${host === "::" ? "[::1]" : "127.0.0.1"}:${port}`;
}

/** The addresses at which other machines reach a server that listens on every address of this one. */
export function lanAddresses({ host, port }: NodeServer): string[] {
  if (!EVERY_ADDRESS.test(host)) return [];
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return all
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map((one) => `http://${one.address}:${port}`);
}
