/**
 * The address of a request: the base path in the browser's eyes, the requested host, whether it came by HTTPS, and
 * which of that is the server's own.
 */
import { refuse } from "../core/runtime/errors.ts";
import { isBasePath, publicAddress } from "../core/runtime/public-url.ts";
import { plainAddress } from "./addresses.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { t } from "./refusals.ts";

/** A handler's options about its own address. */
export interface OwnAddress {
  /** The path below which everything is served: with `/billing`, `/billing/v1/me`. Default: none. */
  readonly basePath?: string | undefined;
  /**
   * The address at which others reach it, such as `https://loja.pt/faturas`, if a proxy in front has another than this
   * server; that of `openLacre` when left out. Its path replaces `basePath`, whether or not the proxy removes it before
   * it passes a request on.
   */
  readonly publicUrl?: string | undefined;
  /**
   * The host names that are accepted, beside that of `publicUrl`; `.loja.pt` includes those below it. A request for
   * another is refused with 403, so that no page can point a name of its own here. Addresses, `localhost`, names
   * without a dot and those below `.local`, which no page can have, are always accepted. Default: any name.
   */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** How a request came, which the Fetch API does not fully tell. */
export interface CameBy {
  /** Whether it came by HTTPS. Default: as in the URL of a `Request`. */
  readonly secure?: boolean | undefined;
  /** It came through a trusted proxy, which knows its own host names. Default: false. */
  readonly proxied?: boolean | undefined;
  /** The host that this proxy was asked for. Default: that of the request. */
  readonly host?: string | undefined;
  /** The path that this proxy removed, such as `/billing`: addresses in answers begin with it. Default: none. */
  readonly prefix?: string | undefined;
}

/** The address of a request. */
export interface RequestAddress {
  /** The base path in the browser's eyes; empty at the root of the host. */
  readonly base: string;
  /** Path and query below it; undefined where they are not below it. */
  readonly target: string | undefined;
  /** The requested host, with its port, as a trusted proxy in front reports it. */
  readonly host: string | null;
  /** Whether it came by HTTPS, also if only to a trusted proxy in front. */
  readonly secure: boolean;
  /**
   * Whether an origin, as a browser writes it, is that of this address. `eitherScheme`: HTTP or HTTPS, as a proxy that
   * this server does not know may have taken HTTPS off.
   */
  isOwnOrigin(origin: string | null, eitherScheme?: boolean): boolean;
}

/** Makes the function that finds the address of a request. Throws TypeError for an invalid option. */
export function createAddresses({ basePath = "", publicUrl, allowedHosts }: OwnAddress) {
  if (!isBasePath(basePath)) throw new TypeError(`basePath must be a path such as /billing, not ${basePath}.`);
  const known = publicUrl === undefined ? undefined : publicAddress(publicUrl);
  if (known && basePath !== "") throw new TypeError("basePath is the path of publicUrl: give one of the two.");
  const names = allowedHosts && [...allowedHosts, ...(known ? [hostnameOf(known.host)] : [])].map(folded);
  const isHttps = known?.origin.startsWith("https:") ?? false;

  const baseOf = (target: string, isPublic: boolean, prefix: string | undefined) => {
    if (prefix !== undefined && isBasePath(prefix)) return prefix;
    if (!known) return basePath;
    return isPublic || below(target, known.path) !== undefined ? known.path : "";
  };

  return {
    /** The base path of requests that name none. */
    base: known?.path ?? basePath,

    addressOf({ target, header }: IncomingRequest, source: CameBy): RequestAddress {
      const host = source.host ?? header("host");
      const isPublic = known !== undefined && (source.proxied === true || sameHost(host, known));
      const secure = source.secure === true || (isHttps && sameHost(host, known));
      const base = baseOf(target, isPublic, source.prefix);
      const inside = below(target, base);
      // A proxy may have removed the path.
      const rest = inside ?? (known || base === source.prefix ? target : undefined);
      return {
        base,
        target: rest,
        host,
        secure,
        isOwnOrigin(origin, eitherScheme = false) {
          if (origin === null) return false;
          if (origin === known?.origin) return true;
          const schemes = eitherScheme ? (["https", "http"] as const) : ([secure ? "https" : "http"] as const);
          return schemes.some((scheme) => origin === originOf(scheme, host));
        },
      };
    },

    /**
     * Refuses with `forbidden` a request for a host that is not this server's: a page that points its name here would
     * otherwise read what only this network may. Both the host that the proxy reports and the one it sent must pass.
     */
    mustBeOwnHost({ header }: IncomingRequest, { host, proxied }: CameBy): void {
      // Without names of its own, it leaves the judgement to a trusted proxy.
      if (!names || (proxied && names.length === 0)) return;
      for (const asked of [header("host"), host ?? null]) {
        if (asked !== null && !isOwnName(hostnameOf(asked), names)) refuse("forbidden", t.host_not_known);
      }
    },
  };
}

/** The rest of a target below a path; undefined if it is not below. */
function below(target: string, path: string): string | undefined {
  if (!target.startsWith(path)) return undefined;
  const rest = target.slice(path.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : undefined;
}

function sameHost(host: string | null, known: { readonly origin: string } | undefined): boolean {
  const scheme = known?.origin.startsWith("https:") ? "https" : "http";
  return known !== undefined && originOf(scheme, host) === known.origin;
}

/** The origin of a scheme and a host, as browsers write it; undefined for an invalid host. */
function originOf(scheme: "http" | "https", host: string | null): string | undefined {
  const address = `${scheme}://${host ?? ""}`;
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

/** The name or the address in a host, without the port. */
export function hostnameOf(host: string): string {
  return URL.canParse(`http://${host}`) ? folded(new URL(`http://${host}`).hostname) : "";
}

function folded(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function isOwnName(name: string, names: readonly string[]): boolean {
  if (plainAddress(name.replace(/^\[(.*)\]$/, "$1")) !== undefined) return true;
  if (!name.includes(".") || /\.local(?:host)?$/.test(name)) return name !== "";
  return names.some((own) => (own.startsWith(".") ? name.endsWith(own) || name === own.slice(1) : name === own));
}
