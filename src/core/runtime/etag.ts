/** Tags of resources, as ETag and If-Match have them (RFC 9110): the digest of what the single read answers. */
import { hash } from "node:crypto";
import { problem, refuse, refuseInput } from "./errors.ts";
import { common } from "./refusals.ts";

/**
 * The tag of a customer, a product or a document, as its `get` returns it; it changes with any change to the resource.
 * Pass it to a change as `if_match`. The `notices` of a change's answer are no part of the resource.
 *
 * ```ts
 * import { etagOf } from "lacre";
 * import { openInMemory } from "lacre/testing";
 *
 * const { lacre, company } = await openInMemory();
 * const ana = await company.customers.create({ name: "Ana" });
 * await company.customers.change({ id: ana.id, city: "Faro" }, { if_match: etagOf(ana) });
 * const late = company.customers.change({ id: ana.id, city: "Beja" }, { if_match: etagOf(ana) });
 * await late.catch(({ code }) => code); // => "precondition_failed"
 * await lacre.close();
 * ```
 */
export function etagOf(resource: object): string {
  return etagOfJson(JSON.stringify("notices" in resource ? { ...resource, notices: undefined } : resource));
}

/** The tag of a resource, by the JSON of its answer. */
export function etagOfJson(json: string): string {
  return `"${hash("sha256", json, "base64url")}"`;
}

/** The most characters of an If-Match; a tag of ours has 45. */
const MAX_CHARACTERS = 1_000;
/** `*`, or tags with commas between them; a weak one is a tag that matches nothing. */
const IF_MATCH = /^(?:\*|(?:W\/)?"[!#-~]*"(?:[ \t]*,[ \t]*(?:W\/)?"[!#-~]*")*)$/;
const TAGS = /(?:W\/)?"[^"]*"/g;

/** Refuses with `invalid_request` a text that is no If-Match. */
export function mustBeIfMatch(text: string): void {
  if (text.length > MAX_CHARACTERS || !IF_MATCH.test(text))
    refuseInput([problem("options.if_match", common.must_be_if_match)]);
}

/** Refuses with `precondition_failed` unless one of these tags matches the resource; `*` matches any. */
export function mustMatch(if_match: string, resource: object): void {
  if (if_match !== "*" && !if_match.match(TAGS)?.includes(etagOf(resource))) refuse("precondition_failed");
}
