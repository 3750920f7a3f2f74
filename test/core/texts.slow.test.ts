import { expect, test } from "vitest";
import { costlyTextsIn, TEXT_FIELDS } from "../support/text-fields.ts";

const byOperation = Map.groupBy(TEXT_FIELDS, ({ operation }) => operation.id);

test.each([...byOperation])(
  "in no field of %s does the worst text cost more than five times as many letters",
  (_, fields) => {
    expect(fields.flatMap(costlyTextsIn)).toEqual([]);
  },
);
