import fc from "fast-check";
import { expect, test } from "vitest";
import { atScale, figuresOf, SEED } from "../../durability/scale.ts";
import { DATABASE } from "../../support/databases.ts";
import { agree, previewed } from "../../support/previews.ts";

/** The companies, each with up to 240 documents. */
const RUNS = atScale(30, 1_000);

/** Every code that a preview of these documents can name, and every type. */
const EXPECTED = [
  ...["no draft", "invalid_request", "invalid_state", "payment_exceeds_balance", "credit_exceeds_original"],
  ...["receipt_exceeds_documents", "series_closed", "series_not_registered", "date_out_of_order"],
  ...["issued FT", "issued FS", "issued FR", "issued NC", "issued ND", "issued RC"],
  ...["issued GT", "issued GR", "issued NDV", "issued OR"],
];

test("thousands of random documents: preview equals issue", async () => {
  const counts = new Map<string, number>();
  const runs = fc.asyncProperty(previewed(240), (given) => agree(DATABASE, given, { counts }));
  await fc.assert(runs, { numRuns: RUNS, seed: SEED });
  figuresOf("previews", Object.fromEntries(counts));
  expect(counts.get("documents")).toBeGreaterThan(80 * RUNS);
  for (const name of EXPECTED) expect(counts.get(name), name).toBeGreaterThan(0);
});
