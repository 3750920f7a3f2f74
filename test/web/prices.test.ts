/** How prices are shown, and where that is remembered. */
import { beforeAll, expect, test } from "vitest";
import { ownStore } from "./support/store.ts";

beforeAll(() => {
  ownStore();
});

test("whether prices are shown with VAT is remembered for each company, and for none before one signs in", async () => {
  const { pricesWithVat } = await import("../../src/web/prices.ts");
  const { companyId } = await import("../../src/web/reading/api.ts");
  expect(Object.keys(localStorage)).toEqual([]);
  companyId.value = "a";
  pricesWithVat.value = false;
  companyId.value = "b";
  expect(pricesWithVat.value).toBe(true);
  companyId.value = "a";
  expect(pricesWithVat.value).toBe(false);
});
