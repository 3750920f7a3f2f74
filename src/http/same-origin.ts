/** Whether a request comes from a page of this very address: a cookie travels with requests of other pages too. */
import { refuse } from "../core/runtime/errors.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/**
 * Refuses with `forbidden` a request that a page of another address may have sent. Another port of the same host is
 * another address, which no cookie knows. Browsers say so in `Sec-Fetch-Site`, over HTTPS and on the machine itself;
 * over plain HTTP in `Origin`. A request with neither came from no browser that can be trusted with a cookie.
 */
export function mustBeSameOrigin(request: IncomingRequest): void {
  const site = request.header("sec-fetch-site");
  if (site === null ? !isOriginOfHost(request) : site !== "same-origin") refuse("forbidden", "not_same_origin");
}

function isOriginOfHost(request: IncomingRequest): boolean {
  const [origin, host] = [request.header("origin"), request.header("host")];
  if (origin === null || host === null || !/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false;
  const { protocol, origin: canonical } = new URL(origin);
  return URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).origin === canonical;
}
