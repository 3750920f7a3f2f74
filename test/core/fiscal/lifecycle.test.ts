import { expect, test } from "vitest";
import { allows, STATUSES, type Status, VERBS, type Verb } from "../../../src/core/fiscal/lifecycle.ts";

const verbs = Object.keys(VERBS) as Verb[];
const every = verbs.flatMap((verb) => STATUSES.map((status): [Verb, Status] => [verb, status]));

test("a document passes from draft to issued to cancelled", () => {
  expect(STATUSES).toEqual(["draft", "issued", "cancelled"]);
});

test("drafts are changed, discarded and issued; issued ones are cancelled, paid, credited, refunded, printed and sent; nothing else", () => {
  expect(every.filter(([verb, status]) => allows(verb, status))).toEqual([
    ["change", "draft"],
    ["discard", "draft"],
    ["issue", "draft"],
    ["cancel", "issued"],
    ["pay", "issued"],
    ["credit", "issued"],
    ["refund", "issued"],
    ["print", "issued"],
    ["print", "cancelled"],
    ["send", "issued"],
  ]);
});
