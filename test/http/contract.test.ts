/**
 * The contract, from outside, over HTTP: every path, field, status, code, header and limit of the specification. One
 * file per subject; they run as one so that the last test can say what no scenario has produced.
 */
import { describe, expect, test } from "vitest";
import { describedRefusals, producedRefusals } from "../support/description.ts";
import "./contract/me.ts";
import "./contract/customers.ts";
import "./contract/products.ts";
import "./contract/lists.ts";
import "./contract/documents-create.ts";
import "./contract/documents-states.ts";
import "./contract/documents-drafts.ts";
import "./contract/references.ts";
import "./contract/law.ts";
import "./contract/files.ts";
import "./contract/payments.ts";
import "./contract/series.ts";
import "./contract/keys.ts";
import "./contract/refusals.ts";
import "./contract/retries.ts";
import "./contract/rate-limit.ts";
import "./contract/numbers.ts";
import "./contract/text.ts";
import "./contract/description.ts";
import "./contract/socket.ts";

/** Refusals that no scenario here produces, and why. */
const ELSEWHERE: readonly { readonly refusal: RegExp; readonly reason: string }[] = [
  { refusal: / 408 request_timeout$/, reason: "Takes a client that stalls for seconds: the server's own tests." },
  { refusal: /^get(Description|Health|Readiness) 500 /, reason: "They call nothing that could throw." },
];

describe("the description promises no refusal that was not seen", () => {
  test("every documented operation, status and code was produced by a scenario", () => {
    const produced = producedRefusals();
    const missing = describedRefusals().filter(
      (refusal) => !produced.has(refusal) && !ELSEWHERE.some((known) => known.refusal.test(refusal)),
    );
    expect(missing).toEqual([]);
  });
});
