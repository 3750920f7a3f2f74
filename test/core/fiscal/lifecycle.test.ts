import { expect, test } from "vitest";
import { refusal, STATUSES, type Status, VERBS, type Verb } from "../../../src/core/fiscal/lifecycle.ts";

const verbs = Object.keys(VERBS) as Verb[];
const every = verbs.flatMap((verb) => STATUSES.map((status): [Verb, Status] => [verb, status]));

test("a document passes from draft to issued to cancelled", () => {
  expect(STATUSES).toEqual(["draft", "issued", "cancelled"]);
});

test("drafts are changed, discarded and issued; what is issued is cancelled, paid and printed; nothing else happens", () => {
  expect(every.filter(([verb, status]) => refusal(verb, status) === undefined)).toEqual([
    ["change", "draft"],
    ["discard", "draft"],
    ["issue", "draft"],
    ["cancel", "issued"],
    ["pay", "issued"],
    ["print", "issued"],
    ["print", "cancelled"],
  ]);
});

test("every refusal is one sentence", () => {
  expect(every.map(([verb, status]) => refusal(verb, status)).filter((sentence) => sentence !== undefined)).toEqual([
    "An issued document cannot be changed.",
    "A cancelled document cannot be changed.",
    "An issued document cannot be discarded.",
    "A cancelled document cannot be discarded.",
    "An issued document cannot be issued.",
    "A cancelled document cannot be issued.",
    "A draft cannot be cancelled.",
    "A cancelled document cannot be cancelled.",
    "A draft cannot be paid.",
    "A cancelled document cannot be paid.",
    "A draft cannot be printed.",
  ]);
});
