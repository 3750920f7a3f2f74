import { expect, test } from "vitest";
import { costlyTextsIn, TEXT_FIELDS } from "../support/text-fields.ts";

test("in no field of no operation does the worst text cost more than five times as many letters", () => {
  expect(TEXT_FIELDS.flatMap(costlyTextsIn)).toEqual([]);
});
