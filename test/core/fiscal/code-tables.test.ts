import { describe, expect, test } from "vitest";
import { isCivilDate } from "../../../src/core/fiscal/civil-time.ts";
import { EXEMPTIONS, isExemptionCode } from "../../../src/core/fiscal/exemptions.ts";
import { PAYMENT_CODES, PAYMENT_MEANS } from "../../../src/core/fiscal/payment-means.ts";

describe("payment means", () => {
  test("every code has one row, in order, with both names", () => {
    expect(PAYMENT_MEANS.map(({ code }) => code).join(" ")).toBe("CC CD CH CI CO CS DE LC MB NU OU PR TB TR");
    for (const { pt, en } of PAYMENT_MEANS) expect(pt && en).not.toBe("");
  });

  test("the codes are those of the official schema", () => {
    expect(PAYMENT_CODES.join(" ")).toBe("CC CD CH CI CO CS DE LC MB NU OU PR TB TR");
  });
});

describe("exemption reasons", () => {
  test("the 33 codes of the table are there, each once, in order", () => {
    const codes = EXEMPTIONS.map(({ code }) => code);
    expect(codes).toHaveLength(33);
    expect(codes).toEqual([...new Set(codes)].sort());
  });

  test("every row is well formed", () => {
    for (const { code, mention, valid_from, valid_to } of EXEMPTIONS) {
      expect(code).toMatch(/^M\d\d$/);
      expect(mention.length).toBeGreaterThanOrEqual(6);
      expect(isCivilDate(valid_from)).toBe(true);
      if (valid_to !== null) expect(isCivilDate(valid_to) && valid_from < valid_to).toBe(true);
    }
  });

  test("only M15's text is longer than the 60 characters of the tax file", () => {
    expect(EXEMPTIONS.filter(({ mention }) => mention.length > 60).map(({ code }) => code)).toEqual(["M15"]);
  });

  test("only M99 is not subject to tax, and only M26 has expired", () => {
    expect(EXEMPTIONS.filter(({ tax_code }) => tax_code === "NS").map(({ code }) => code)).toEqual(["M99"]);
    expect(EXEMPTIONS.filter(({ valid_to }) => valid_to !== null).map(({ code }) => code)).toEqual(["M26"]);
  });

  test.each(["M01", "M26", "M99"])("%s is a code", (code) => expect(isExemptionCode(code)).toBe(true));

  test.each(["", "M03", "M08", "m01", "M1", "M01 ", "constructor"])("%j is not a code", (code) => {
    expect(isExemptionCode(code)).toBe(false);
  });
});
