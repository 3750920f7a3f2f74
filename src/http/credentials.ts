/**
 * Who sends a request: an API key in `Authorization`, a person by the cookie of a session, or somebody whom the host
 * program identifies by a session of its own. Browsers send cookies by themselves, so a request that changes something
 * must also prove that it comes from a page of this very address.
 */
import type { Lacre } from "../core/open.ts";
import { LacreError, refuse } from "../core/runtime/errors.ts";
import type { Caller, CameFrom, HostMember, UserCaller } from "../core/runtime/permissions.ts";
import type { RateLimitReading } from "../core/runtime/ports.ts";
import { common } from "../core/runtime/refusals.ts";
import { sourceOf } from "./addresses.ts";
import type { AreaFiles } from "./area-files.ts";
import { bearerOf } from "./headers.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { t } from "./refusals.ts";
import { hostnameOf, type RequestAddress } from "./request-address.ts";
import type { OperationRoute } from "./route.ts";
import { mustBeSameOrigin } from "./same-origin.ts";

/** The company area: the pages a person works with, and their sessions. */
export interface AreaOptions {
  /** Its files. Default: those in this package; a bundle does not carry them. */
  readonly files?: () => AreaFiles;
  /**
   * Lets people log in over plain HTTP from other machines, where others on the network can read it. Default: false.
   */
  readonly plainHttp?: boolean;
  /** Tells the page that nothing here is real. Default: false. */
  readonly demo?: boolean;
}

/** The sender of a request, by a session of the host program. */
export type HostSession = HostMember & {
  /**
   * The host program knows that no page of another site made the browser send this request: it checked a token, say, or
   * its sessions do not travel by cookie. Without it, a request that changes something must come from a page of this
   * address.
   */
  readonly csrfSafe?: boolean;
};

/**
 * Tells who sends a request, or nothing where the host program has no session for it: then Lacre's own credentials
 * count. It is not asked about a request with an API key of Lacre. `context` is the request as the host's framework has
 * it (`RequestSource.context`). What it throws is answered with 500 and logged.
 */
export type Authenticate = (
  request: IncomingRequest,
  context: unknown,
) => HostSession | null | undefined | Promise<HostSession | null | undefined>;

/** What credentials need about a request beside the request itself. */
interface Arrival {
  readonly remote_address?: string | undefined;
  readonly context?: unknown;
  readonly address: RequestAddress;
}

// ——— The cookie ———

const SESSION = "lacre_session";
/** The cookie of a browser where somebody logged in: it opens nothing, and outlives the session. */
const DEVICE = "lacre_device";
/** Seconds: 400 days, the longest that browsers keep a cookie. */
const DEVICE_KEPT_S = 400 * 24 * 60 * 60;

/**
 * The name of a cookie below a base path. Browsers accept one with the prefix only by HTTPS, for this host and every
 * path, so that no neighbour can set it.
 */
function cookieNameAndPath(plain: string, basePath: string, secure: boolean): { name: string; path: string } {
  const path = `${basePath}/`;
  return { name: secure && path === "/" ? `__Host-${plain}` : plain, path };
}

function cookie(plain: string, value: string, basePath: string, secure: boolean): string {
  const { name, path } = cookieNameAndPath(plain, basePath, secure);
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}

/** `Set-Cookie` for the secret of a session, or with null to forget it. */
export function sessionCookie(secret: string | null, basePath: string, secure = false): string {
  return cookie(SESSION, secret ?? "", basePath, secure) + (secret === null ? "; Max-Age=0" : "");
}

/** `Set-Cookie` for the secret of a browser where somebody logged in. */
export function deviceCookie(secret: string, basePath: string, secure = false): string {
  return `${cookie(DEVICE, secret, basePath, secure)}; Max-Age=${DEVICE_KEPT_S}`;
}

/**
 * The secret in the cookie; undefined without one. If two have the name, a neighbour (another path, another port) set
 * one to impersonate the user: both are ignored, and the secret opens nothing.
 */
export function secretOf(request: IncomingRequest, basePath: string, secure = false): string | undefined {
  return cookieOf(request, SESSION, basePath, secure);
}

function cookieOf(request: IncomingRequest, plain: string, basePath: string, secure: boolean): string | undefined {
  const { name } = cookieNameAndPath(plain, basePath, secure);
  const given = (request.header("cookie") ?? "").split(/[;,]/).flatMap((pair) => {
    const [key, ...value] = pair.trim().split("=");
    return key === name ? [value.join("=")] : [];
  });
  return given.length > 1 ? "" : given[0];
}

// ——— Transport ———

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether a password may be sent over this connection: by HTTPS, within the machine (the browser uses a loopback
 * address, also through a tunnel), or if the operator allowed plain HTTP.
 */
export function mayCarryPasswords(
  { host, secure }: Pick<RequestAddress, "host" | "secure">,
  plainHttp: boolean,
): boolean {
  return secure || plainHttp || (host !== null && LOOPBACK.test(hostnameOf(host)));
}

// ——— The caller ———

/** A caller, and the rate limit of the key or the session; a visitor has none. */
interface Recognised {
  readonly caller: Caller;
  readonly reading: RateLimitReading | undefined;
}

/** Finds out who calls. */
export interface Credentials {
  /**
   * The caller of a route, counted against the limit. Refuses with `unauthorized`, and with `forbidden` a request that
   * a foreign page may have made the browser send. A person is in no company yet.
   */
  recognise(route: OperationRoute, request: IncomingRequest, arrival: Arrival): Promise<Recognised>;
  /** The caller of a key alone, where people and sessions of the host program have no place. */
  recogniseKey(request: IncomingRequest): Promise<Recognised>;
  /** The same caller in the company that `Lacre-Company` names, if the route needs one. */
  enter(caller: Caller, route: OperationRoute, request: IncomingRequest): Promise<Caller>;
}

/** An API key of Lacre, well formed or not. */
const OWN_KEY = /^bearer +lacre_/i;

interface Sources {
  readonly area?: AreaOptions | undefined;
  readonly authenticate?: Authenticate | undefined;
}

/** Makes the only function that identifies callers. Without an area, cookies mean nothing to Lacre. */
export function createCredentials(lacre: Lacre, { area, authenticate }: Sources): Credentials {
  /** The caller whom the host program identifies; undefined if it knows none, or is not asked. */
  async function hostCaller(
    authenticate: Authenticate,
    request: IncomingRequest,
    { context, address }: Arrival,
  ): Promise<Recognised | undefined> {
    if (OWN_KEY.test(request.header("authorization") ?? "")) return undefined;
    const said = await memberSaid(authenticate, request, context);
    if (!said) return undefined;
    const { caller, csrfSafe } = said;
    if (!csrfSafe && changesSomething(request))
      mustBeSameOrigin(request, (origin) => address.isOwnOrigin(origin, true));
    return { caller, reading: await lacre.takeSessionRequest(`${caller.company_id} ${caller.actor.name}`) };
  }

  /** Asks the host program. A failure there is its fault and never the client's. */
  async function memberSaid(authenticate: Authenticate, request: IncomingRequest, context: unknown) {
    try {
      const session = await authenticate(request, context);
      return session && { caller: await lacre.hostMember(session), csrfSafe: session.csrfSafe === true };
    } catch (error) {
      if (!(error instanceof LacreError) || error.code === "unavailable") throw error;
      throw new Error(`authenticate failed with ${error.code}: ${error.message}`, { cause: error });
    }
  }

  async function keyCaller(request: IncomingRequest): Promise<Recognised> {
    const caller = await lacre.authenticate(bearerOf(request));
    return { caller, reading: await lacre.takeRequest(caller.actor.id) };
  }

  /** The caller whom the host program knows, or whose key it is; undefined where a session of the area decides. */
  async function callerOutsideArea(
    request: IncomingRequest,
    arrival: Arrival,
    hasSession: boolean,
  ): Promise<Recognised | undefined> {
    const known = authenticate && (await hostCaller(authenticate, request, arrival));
    if (known) return known;
    const hasAuthorization = request.header("authorization") !== null;
    // A session of the host that has ended is nobody's attempt at a key.
    if (authenticate && !hasSession && !hasAuthorization) refuse("unauthorized", common.no_session);
    return hasSession && !hasAuthorization ? undefined : keyCaller(request);
  }

  return {
    async recognise({ path, operation }, request, arrival) {
      const { address } = arrival;
      const secret = area && secretOf(request, address.base, address.secure);
      if (!path.startsWith("/area/")) {
        const known = await callerOutsideArea(request, arrival, secret !== undefined);
        if (known) return known;
      }
      if (changesSomething(request)) mustBeSameOrigin(request, address.isOwnOrigin);
      if (operation.carriesSecret && !mayCarryPasswords(address, area?.plainHttp ?? false)) {
        refuse("forbidden", t.plain_http_refused);
      }
      const from = cameFrom(request, arrival);
      if (operation.needs === "visitor") return { caller: lacre.visitor(from), reading: undefined };
      const caller = await lacre.authenticateSession(secret ?? "", from);
      return { caller, reading: await lacre.takeSessionRequest(caller.session.id) };
    },

    recogniseKey: keyCaller,

    async enter(caller, { operation: { needs } }, request) {
      if (!isPerson(caller) || needs === "person" || needs === "visitor") return caller;
      return lacre.enterCompany(caller, request.header("lacre-company") ?? undefined);
    },
  };
}

function cameFrom(request: IncomingRequest, { remote_address, address }: Arrival): CameFrom {
  return {
    address: remote_address ?? null,
    network: remote_address === undefined ? null : sourceOf(remote_address),
    user_agent: request.header("user-agent"),
    device: cookieOf(request, DEVICE, address.base, address.secure) ?? null,
  };
}

function changesSomething({ method }: IncomingRequest): boolean {
  return method !== "GET" && method !== "HEAD";
}

function isPerson(caller: Caller): caller is UserCaller {
  return caller.session !== undefined;
}
