/** Discounts of an amount: where they are allowed, and the most that they take off. */
import type * as z from "zod";
import type { Row } from "../database/tables.ts";
import { isReceipt } from "../fiscal/document-types.ts";
import { toCents } from "../fiscal/money.ts";
import { type AmountLine, arePricedAlike, mostOff, mostOffLine } from "../fiscal/totals.ts";
import { type Problem, problem } from "../runtime/errors.ts";
import { common } from "../runtime/refusals.ts";
import type { NewDocument } from "./document.ts";
import { t } from "./refusals.ts";

type Input = Pick<
  z.output<typeof NewDocument>,
  "doc_type" | "lines" | "global_discount_pct" | "global_discount_amount"
>;

/** A stored draft's input with changes: the percentage and the amount off all lines take each other's place. */
export function withOneGlobalDiscount<Draft extends Input>(draft: Draft, changes: Partial<Draft>): Draft {
  const { global_discount_pct, global_discount_amount } = changes;
  return {
    ...draft,
    ...(global_discount_pct && { global_discount_amount: null }),
    ...(global_discount_amount != null && { global_discount_pct: 0 }),
    ...changes,
  };
}

/** The problems with the discounts of an amount of an input, whose lines are given as they will be taxed, too. */
export function problemsWithDiscounts(input: Input, taxed: readonly AmountLine[]): Problem[] {
  const { doc_type, lines, global_discount_pct, global_discount_amount } = input;
  const given = lines.flatMap(({ discount_pct, discount_amount }, i) =>
    discount_amount == null ? [] : [{ path: `lines[${i}].discount_amount`, discount_pct, discount_amount, i }],
  );
  const all = global_discount_amount == null ? [] : ["global_discount_amount"];
  if (isReceipt({ doc_type })) {
    return [...given.map(({ path }) => path), ...all].map((path) =>
      problem(path, t.takes_no_discount_amount({ doc_type })),
    );
  }
  const problems = given.flatMap(({ path, discount_pct, discount_amount, i }) => {
    if (discount_pct) return [problem(path, common.excludes_field({ field: "discount_pct" }))];
    const max_cents = mostOffLine(taxed[i] as AmountLine);
    return toCents(discount_amount) <= max_cents ? [] : [problem(path, t.discount_exceeds_line({ max_cents }))];
  });
  if (global_discount_amount == null) return problems;
  if (global_discount_pct) {
    problems.push(problem("global_discount_amount", common.excludes_field({ field: "global_discount_pct" })));
  }
  // What wrong discounts of lines would leave says nothing.
  if (problems.length > 0) return problems;
  return problemsWithGlobalDiscount({ global_discount_cents: toCents(global_discount_amount) }, () => taxed);
}

/** Asked again at issue: the groups that lines are taxed in, and so their total in cents, depend on the day. */
export function problemsWithGlobalDiscount(
  { global_discount_cents }: Pick<Row<"documents">, "global_discount_cents">,
  taxedLines: () => readonly AmountLine[],
): Problem[] {
  if (global_discount_cents === null) return [];
  const lines = taxedLines();
  if (!arePricedAlike(lines)) return [problem("global_discount_amount", t.needs_lines_priced_alike)];
  const max_cents = mostOff(lines);
  if (global_discount_cents <= max_cents) return [];
  return [problem("global_discount_amount", t.discount_exceeds_lines({ max_cents }))];
}
