/** Checkers that were not written with Lacre find no error in a strict month, and find the one put into a copy. */
import { execFileSync } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { checkSaft } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chanceOf } from "../support/chance.ts";
import { bytesOf, mustBeValid } from "../support/saft.ts";
import { aStrictMonth } from "../support/strict-month.ts";

const PUBLIC_KEY = createPublicKey(TEST_SIGNING_KEY).export({ type: "spki", format: "pem" }).toString();

const directory = mkdtempSync(join(tmpdir(), "lacre-checkers-"));
const path = (name: string) => join(directory, name);
afterAll(() => rmSync(directory, { recursive: true }));

/** Debian's Python: its packages are of fixed versions. */
const PYTHON = "/usr/bin/python3";

const run = (script: string, ...given: string[]) =>
  execFileSync(PYTHON, [`test/law/checkers/${script}`, ...given], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "");

const has = (module: string) => {
  try {
    execFileSync(PYTHON, ["-c", `import ${module}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

function written(content: Buffer | string): string {
  writeFileSync(path("file.xml"), content, "latin1");
  return path("file.xml");
}

let month: Buffer;
let signed: number;

beforeAll(async () => {
  const chance = chanceOf(Number(process.env.LACRE_SEED ?? Date.now()) % 2 ** 32);
  console.log(`LACRE_SEED=${chance.seed}`);
  const { home, documents } = await aStrictMonth(chance);
  const { report, file } = await home.company.saft.export({ from: "2026-11-01", to: "2026-11-30" });
  // Rounding once for each of three rates may come to more than a cent.
  expect(report.warnings.filter(({ code }) => code !== "tax_differs")).toEqual([]);
  month = await bytesOf(file);
  await home.lacre.close();
  expect(new Set(documents.map(({ doc_type }) => doc_type)).size).toBe(10);
  signed = documents.filter(({ doc_type }) => doc_type !== "RC").length;
  const schema = readFileSync("test/core/saft/samples/SAFTPT1.04_01.xsd.gz");
  writeFileSync(path("schema.xsd"), gunzipSync(schema));
  writeFileSync(path("key.pem"), PUBLIC_KEY);
});

/** A change of the month, which each checker that can see such things must find. */
const broken = (what: RegExp, by: string) => {
  const text = month.toString("latin1");
  const changed = text.replace(what, by);
  expect(changed).not.toBe(text);
  return written(changed);
};

test("Lacre's own check finds neither error nor warning, and every signature valid", async () => {
  const open = async function* () {
    yield month;
  };
  const report = await checkSaft(open, { public_key: PUBLIC_KEY });
  expect(report).toMatchObject({ errors: [], warnings: [], signatures_verified: signed, signatures_unverifiable: 0 });
});

test("libxml2 finds the month valid by the schema without its asserts", () => mustBeValid(month));

describe.skipIf(!has("xmlschema"))("xmlschema 1.10.0, with AT's schema as it is (XSD 1.1, asserts and keys)", () => {
  test("finds the month valid", () => expect(run("schema11.py", path("schema.xsd"), written(month))).toEqual([]));

  test("finds an assert that does not hold", () => {
    const file = broken(/<TaxExemptionReason>[^<]*<\/TaxExemptionReason>/, "");
    expect(run("schema11.py", path("schema.xsd"), file).join()).toContain("assert");
  });
});

describe("a checker written from the texts alone, in another language", () => {
  const findings = (file: string) => run("cold.py", file, path("key.pem"));

  test("finds nothing in the month, and every signature valid from the file alone", () => {
    expect(findings(written(month))).toEqual([String(signed)]);
  });

  test.each<[string, RegExp, string]>([
    ["totals", /<NetTotal>(\d)/, "<NetTotal>1$1"],
    ["signatures", /<SystemEntryDate>2026-11-02T09:0/, "<SystemEntryDate>2026-11-02T08:0"],
    ["atcud", /<ATCUD>/, "<ATCUD>X"],
    ["numbers", /<InvoiceNo>FT 2026A\/2</, "<InvoiceNo>FT 2026A/3<"],
    ["taxes", /(<Line>[\s\S]*?)<TaxCode>RED</, "$1<TaxCode>INT<"],
    ["products", /<ProductType>P</, "<ProductType>S<"],
    ["customers", /<CustomerTaxID>B12345678</, "<CustomerTaxID>ES12345678<"],
    ["masters", /<CustomerID>C1</, "<CustomerID>C99<"],
    ["control", /<TotalCredit>/, "<TotalCredit>1"],
    ["references", /<OriginatingON>FT 2026A\/2</, "<OriginatingON>FT 2026A/9999<"],
    ["means", /<PaymentAmount>[0-9.]+</, "<PaymentAmount>1000000.01<"],
    ["states", /<MovementStatus>F</, "<MovementStatus>N<"],
  ])("finds a breach of %s", (rule, what, by) => {
    expect(findings(broken(what, by)).map((line) => line.split(":")[0])).toContain(rule);
  });
});
