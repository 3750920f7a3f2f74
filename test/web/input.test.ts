/** A document as it is sent, and what is told of a refusal of it. */
import { beforeAll, expect, test } from "vitest";
import type { Company } from "../../src/core/face.ts";
import { DOC_TYPES, type DocType } from "../../src/core/fiscal/document-types.ts";
import type * as Inputs from "../../src/web/document/input.ts";
import type * as Writings from "../../src/web/document/writing.ts";
import { day } from "../support/days.ts";
import { ownStore } from "./support/store.ts";

let inputs: typeof Inputs;
let writings: typeof Writings;

beforeAll(async () => {
  ownStore();
  inputs = await import("../../src/web/document/input.ts");
  writings = await import("../../src/web/document/writing.ts");
});

const writing = (doc_type: DocType) => writings.newWriting({} as Company, doc_type, day("2026-11-21"));

test("a due date is sent where it can be seen: it was typed before the type was changed", () => {
  const sent = DOC_TYPES.filter((doc_type) => {
    const one = writing("FT");
    one.due_date.value = "2026-12-21";
    writings.changeType(one, doc_type);
    return inputs.inputOf(one, { id: "s", cash_vat: false }, "c").due_date !== null;
  });
  expect(sent).toEqual(["FT", "ND"]);
});
