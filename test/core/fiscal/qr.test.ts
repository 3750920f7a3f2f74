import { describe, expect, test } from "vitest";
import { hashCharacters } from "../../../src/core/fiscal/chain.ts";
import { toCents } from "../../../src/core/fiscal/money.ts";
import { type QrFacts, qrText } from "../../../src/core/fiscal/qr.ts";
import type { TaxGroup } from "../../../src/core/fiscal/totals.ts";
import { day } from "../../support/days.ts";
import vectors from "../../vectors/qr.json" with { type: "json" };

/** A group with these amounts in EUR and cents. */
const group = (tax_region: string, tax_code: string, net: number, tax = 0, tax_rate_bps = 0): TaxGroup => ({
  tax_region,
  tax_code,
  tax_rate_bps,
  net_cents: toCents(net),
  tax_cents: toCents(tax),
});

/** A hash with these as characters 1, 11, 21 and 31. */
const hashWith = (characters: string) => Array.from(characters, (one) => one.padEnd(10, "-")).join("");

type Vector = (typeof vectors.documents)[number];

function factsOf({ facts, groups }: Pick<Vector, "facts" | "groups">): QrFacts {
  const { hash_characters, total_tax, total_gross, ...rest } = facts;
  return {
    ...rest,
    issue_date: day(rest.issue_date),
    groups: groups.map(({ tax_region, tax_code, net, tax }) => group(tax_region, tax_code, net, tax)),
    hash: hashWith(hash_characters),
    total_tax_cents: toCents(total_tax),
    total_gross_cents: toCents(total_gross),
  };
}

/** The fields of a text: key, value, and the field as written. */
const fieldsOf = (text: string) =>
  text.split("*").map((field) => {
    const colon = field.indexOf(":");
    return { key: field.slice(0, colon), value: field.slice(colon + 1), field };
  });

describe("the authority's own examples", () => {
  test.each(vectors.documents)("$name has the length it states", ({ text, length }) => {
    expect(text).toHaveLength(length);
  });

  test.each(vectors.documents)("$name is what Lacre writes for the same document", ({ text, not_ours, ...of }) => {
    const theirs: readonly string[] = not_ours;
    const ours = fieldsOf(text).filter(({ key }) => !theirs.includes(key));
    expect(qrText(factsOf(of))).toBe(ours.map(({ field }) => field).join("*"));
  });

  test.each(vectors.documents)("$name has the sums of its fields as tax and total", ({ text }) => {
    const sum = (fields: readonly string[]) =>
      fieldsOf(text).reduce((cents, { key, value }) => cents + (fields.includes(key) ? toCents(Number(value)) : 0), 0);
    const each = (...numbers: number[]) => ["I", "J", "K"].flatMap((letter) => numbers.map((n) => `${letter}${n}`));
    expect(sum(["N"])).toBe(sum([...each(4, 6, 8), "M"]));
    expect(sum(["O"])).toBe(sum([...each(2, 3, 5, 7), "L", "N"]));
  });

  test.each(vectors.documents)("$name changes when any fact changes", (vector) => {
    const facts = factsOf(vector);
    const others: Partial<QrFacts>[] = [
      { issuer_tax_id: "509442013" },
      { customer_tax_id: "509442013" },
      { customer_country: "ES" },
      { at_type: "ND" },
      { issue_date: day("2019-01-01") },
      { number: "FT 1/1" },
      { atcud: "CSDF7T5H-1" },
      { groups: [group("PT", "RED", 1, 0.06)] },
      { total_tax_cents: 1 },
      { total_gross_cents: 1 },
      { hash: hashWith("abcd") },
      { certificate_number: 1 },
    ];
    const texts = others.map((other) => qrText({ ...facts, ...other }));
    expect(new Set([...texts, qrText(facts)]).size).toBe(others.length + 1);
  });
});

describe("the characters of a hash", () => {
  test.each(vectors.hash_characters)("$hash gives $characters", ({ hash, characters }) => {
    expect(hashCharacters(hash)).toBe(characters);
  });
});

describe("the QR text", () => {
  const [invoice] = vectors.documents as [Vector];
  const textOf = (facts: Partial<QrFacts>) => qrText({ ...factsOf(invoice), ...facts });
  /** The fields between the ATCUD and the totals. */
  const taxesOf = (...groups: TaxGroup[]) => /\*H:[^*]*\*(.*)\*N:/.exec(textOf({ groups }))?.[1];

  test.each(["PT", "PT-AC", "PT-MA"])("of a document of %s alone has its amounts in field I", (region) => {
    expect(taxesOf(group(region, "NOR", 10, 2.2))).toBe(`I1:${region}*I7:10.00*I8:2.20`);
  });

  test("of both islands has them in I and J, in whatever order they come", () => {
    const madeira = group("PT-MA", "RED", 10, 0.4);
    const azores = group("PT-AC", "INT", 10, 0.9);
    const text = "I1:PT-AC*I5:10.00*I6:0.90*J1:PT-MA*J3:10.00*J4:0.40";
    expect(taxesOf(madeira, azores)).toBe(text);
    expect(taxesOf(azores, madeira)).toBe(text);
  });

  test("adds up two rates of one code, as in a correction of documents from before and after a change", () => {
    expect(taxesOf(group("PT-AC", "NOR", 10, 1.6, 1600), group("PT-AC", "NOR", 5, 0.9, 1800))).toBe(
      "I1:PT-AC*I7:15.00*I8:2.50",
    );
  });

  test("names the region even when no amount in it has a field: not subject, another rate, zero", () => {
    expect(taxesOf(group("PT-AC", "OUT", 10, 1.7))).toBe("I1:PT-AC");
    expect(taxesOf(group("PT-AC", "NS", 10))).toBe("I1:PT-AC*L:10.00");
    expect(taxesOf(group("PT-AC", "NOR", 0, 0))).toBe("I1:PT-AC");
  });

  test("has one field for everything not subject to tax, of all regions", () => {
    expect(taxesOf(group("PT", "NS", 10), group("PT-AC", "NS", 5), group("PT-MA", "NS", 0))).toBe(
      "I1:PT*J1:PT-AC*K1:PT-MA*L:15.00",
    );
    expect(taxesOf(group("PT", "NS", 0))).toBe("I1:PT");
  });

  test("leaves out a rate whose base and tax are zero, but keeps a base without tax and a tax without base", () => {
    expect(taxesOf(group("PT", "RED", 0), group("PT", "INT", 0.01), group("PT", "NOR", 0, 0.01))).toBe(
      "I1:PT*I5:0.01*I6:0.00*I7:0.00*I8:0.01",
    );
    expect(taxesOf(group("PT", "ISE", 0))).toBe("I1:PT");
  });

  test("has I1:0 without any taxed group", () => {
    expect(taxesOf()).toBe("I1:0");
    expect(taxesOf(group("", "", 30))).toBe("I1:0");
  });

  test("has 0 for a missing code, hash or certificate", () => {
    expect(textOf({ atcud: null })).toContain("*H:0*I1:");
    expect(textOf({ hash: null, certificate_number: 0 }).endsWith("*Q:0*R:0")).toBe(true);
  });

  test("has the customer's tax number and country, without any asterisk", () => {
    expect(textOf({ customer_tax_id: "DE*123*4", customer_country: "de" })).toContain("*B:1234*C:DE*D:");
    expect(textOf({ customer_tax_id: null, customer_country: null })).toContain("*B:999999990*C:PT*D:");
    expect(textOf({ customer_country: "Mar*te" })).toContain("*C:Desconhecido*D:");
  });
});
