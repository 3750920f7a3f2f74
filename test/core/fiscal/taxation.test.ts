import { describe, expect, test } from "vitest";
import { EXEMPTIONS, exemptionOf, isInForce } from "../../../src/core/fiscal/exemptions.ts";
import { lawfulRates, reasonInForce, taxationOf } from "../../../src/core/fiscal/taxation.ts";
import { day } from "../../support/days.ts";

const LISBON = { region: "PT", date: day("2026-11-21") } as const;

describe("a line above 0 %", () => {
  test.each([
    [600, "RED"],
    [1300, "INT"],
    [2300, "NOR"],
    [1, "OUT"],
    [1700, "OUT"],
  ])("of %i basis points is %s and has no reason, even when one is given", (rate, tax_code) => {
    expect(taxationOf(rate, "M07", LISBON)).toEqual({ tax_region: "PT", tax_code, exemption_code: null });
  });

  test("has the code of the region and day it is taxed in", () => {
    expect(taxationOf(1800, undefined, { region: "PT-AC", date: day("2021-06-30") }).tax_code).toBe("NOR");
    expect(taxationOf(1800, undefined, { region: "PT-AC", date: day("2021-07-01") }).tax_code).toBe("OUT");
    expect(taxationOf(1800, undefined, { region: "PT-MA", date: day("2021-06-30") })).toMatchObject({
      tax_region: "PT-MA",
      tax_code: "OUT",
    });
  });
});

describe("a line at 0 %", () => {
  test("is exempt for its reason, not subject with M99, and has M99 without a reason", () => {
    const of = (reason?: string) => taxationOf(0, reason, LISBON);
    expect(of("M07")).toEqual({ tax_region: "PT", tax_code: "ISE", exemption_code: "M07" });
    expect(of("M99")).toEqual({ tax_region: "PT", tax_code: "NS", exemption_code: "M99" });
    expect(of()).toEqual(of("M99"));
  });

  test("has the region it is taxed in", () => {
    expect(taxationOf(0, "M07", { ...LISBON, region: "PT-AC" }).tax_region).toBe("PT-AC");
  });
});

describe("of several reasons", () => {
  test("the first counts", () => {
    expect(reasonInForce([null, undefined, "M07", "M16"], LISBON.date)).toBe("M07");
    expect(reasonInForce(["M16", "M07"], LISBON.date)).toBe("M16");
  });

  test("the next counts if one is not in force or not in the table", () => {
    expect(reasonInForce(["M26", "M07"], LISBON.date)).toBe("M07");
    expect(reasonInForce(["M03", "M07"], LISBON.date)).toBe("M07");
    expect(reasonInForce(["M26", "M07"], day("2023-06-01"))).toBe("M26");
  });

  test("none counts if none is in force", () => {
    expect(reasonInForce([], LISBON.date)).toBeUndefined();
    expect(reasonInForce([null, "M26"], LISBON.date)).toBeUndefined();
  });
});

describe("an exemption reason is in force", () => {
  test.each([
    ["M26", "2023-04-17", false],
    ["M26", "2023-04-18", true],
    ["M26", "2024-01-04", true],
    ["M26", "2024-01-05", false],
    ["M34", "2023-04-13", false],
    ["M34", "2023-04-14", true],
    ["M44", "2025-08-13", false],
    ["M44", "2025-08-14", true],
    ["M45", "2025-08-13", false],
    ["M46", "2025-08-14", true],
    ["M35", "2026-06-30", false],
    ["M35", "2026-07-01", true],
  ])("%s on %s: %s", (code, date, expected) => {
    const exemption = exemptionOf(code);
    expect(exemption && isInForce(exemption, day(date))).toBe(expected);
  });

  test("before the table was published, if the table had it from the first day", () => {
    const first = EXEMPTIONS.filter(({ valid_from }) => valid_from === "2022-07-01");
    expect(first).toHaveLength(27);
    for (const exemption of first) expect(isInForce(exemption, day("2015-01-01")), exemption.code).toBe(true);
  });

  test("never, if the table no longer has it", () => {
    for (const code of ["M03", "M08"]) expect(exemptionOf(code)).toBeUndefined();
  });
});

test("the lawful rates are those of the region on the day", () => {
  expect(lawfulRates(LISBON)).toEqual([0, 600, 1300, 2300]);
  expect(lawfulRates({ region: "PT-MA", date: day("2024-09-30") })).toEqual([0, 500, 1200, 2200]);
});
