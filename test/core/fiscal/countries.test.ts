import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { countryCode, UNKNOWN_COUNTRY } from "../../../src/core/fiscal/countries.ts";

const SCHEMA = new URL("../saft/samples/SAFTPT1.04_01.xsd10.xsd.gz", import.meta.url);

/** The countries a customer may have, as the official schema lists them. */
function listed(): string[] {
  const schema = gunzipSync(readFileSync(SCHEMA)).toString("latin1");
  const pattern = /name="CustomerCountry">[\s\S]*?value="([^"]*)"/.exec(schema)?.[1] ?? "";
  return pattern.split("|").filter((code) => code !== UNKNOWN_COUNTRY);
}

test("exactly the countries of the official schema are accepted, of all pairs of letters", () => {
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i));
  const known = letters.flatMap((a) => letters.map((b) => a + b)).filter((code) => countryCode(code) === code);
  expect(known).toEqual(listed().sort());
  expect(known.length).toBeGreaterThan(240);
});

describe("the code of a country", () => {
  test.each([
    [null, "PT"],
    ["PT", "PT"],
    ["pt", "PT"],
    [" fr ", "FR"],
    ["XK", "XK"],
    ["", UNKNOWN_COUNTRY],
    ["Portugal", UNKNOWN_COUNTRY],
    ["PRT", UNKNOWN_COUNTRY],
    ["UK", UNKNOWN_COUNTRY],
    ["Desconhecido", UNKNOWN_COUNTRY],
  ])("%j is %s", (given, code) => expect(countryCode(given)).toBe(code));
});
