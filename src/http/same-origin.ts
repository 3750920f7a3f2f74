/** Whether a request comes from a page of this very address: cookies travel with requests of other pages too. */
import { refuse } from "../core/runtime/errors.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { t } from "./refusals.ts";

/**
 * Refuses with `forbidden` a request that a page of another address may have sent; `isOwn` knows our origins. Another
 * port of the same host is another address, but cookies do not distinguish ports. Browsers report the origin in
 * `Sec-Fetch-Site`, over HTTPS and on the machine itself; over plain HTTP in `Origin`. If both are present, both must
 * match, as no browser contradicts itself. A request with neither came from no browser that can be trusted with a
 * cookie.
 */
export function mustBeSameOrigin(request: IncomingRequest, isOwn: (origin: string) => boolean): void {
  const [site, origin] = [request.header("sec-fetch-site"), request.header("origin")];
  const isSame = (site ?? "same-origin") === "same-origin" && (origin === null ? site !== null : isOwn(origin));
  if (!isSame) refuse("forbidden", t.not_same_origin);
}
