/** Every text field of every operation under the worst texts; one of each operation, but for long runs. */
import { expect, test } from "vitest";
import { chanceOf } from "../support/chance.ts";
import { costlyTextsIn, TEXT_FIELDS } from "../support/text-fields.ts";

const SEED = Number(process.env.LACRE_SEED);
const chance = chanceOf(SEED);
const byOperation = Map.groupBy(TEXT_FIELDS, ({ operation }) => operation.id);
const tried = Array.from(byOperation, ([name, fields]) => ({
  name,
  fields: process.env.LACRE_LONG ? fields : [chance.oneOf(fields)],
}));

test.each(tried)(
  `in no field of $name does the worst text cost more than five times as many letters (seed ${SEED})`,
  ({ fields }) => {
    expect(fields.flatMap(costlyTextsIn)).toEqual([]);
  },
);
