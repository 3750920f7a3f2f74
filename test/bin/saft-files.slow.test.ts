/** The commands that read SAF-T files: `verify --saft` and `import-saft`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { sample } from "../core/saft/samples.ts";
import { lacre, lacreJson, makeDatabase, temporaryDirectory } from "./program.ts";

const KEY = "test/core/saft/samples/at-demo-2018-public-key.pem";

function aFile(name: string): string {
  const file = join(temporaryDirectory(), name);
  writeFileSync(file, sample(name));
  return file;
}

test("verify --saft accepts the demonstration file and needs no database", async () => {
  const file = aFile("at-demo-2018-full.xml");
  const env = { LACRE_DB: "/nowhere/lacre.db" };
  const { code, stdout, stderr } = await lacre(["verify", "--saft", file, "--public-key", KEY], { env });
  expect([code, stderr]).toEqual([EXITS.done.code, ""]);
  expect(stdout.split("\n")).toEqual([
    `${file}: 37 documents, 35 signatures verified.`,
    expect.stringMatching(
      /^Warning: TotalCredit of WorkingDocuments is 1475.85; its entries add up to 1655.85. \(line 5630, Audit/,
    ),
    "Accepted.",
    "",
  ]);
});

test("verify --saft names each fault and place, and exits with its own code", async () => {
  const file = aFile("bad-missing-customer.xml");
  const { code, stdout, stderr } = await lacre(["verify", `--saft=${file}`]);
  expect(code).toBe(EXITS.not_whole.code);
  const reason = "CustomerID is CB23999, but no Customer has this CustomerID.";
  expect(stdout).toContain(`Error: ${reason} (line 1926, 1IECTR EC/5, AuditFile/SourceDocuments/SalesInvoices/`);
  expect(stdout).toContain("NOT accepted: 1 error.");
  expect(stderr).toBe(`lacre: ${file}: ${reason}\n`);
  const json = await lacre(["verify", `--saft=${file}`, "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    accepted: false,
    error_count: 1,
    errors: [{ rule: "key", line: 1926 }],
  });
});

test.each([
  [["--saft", "nowhere.xml"], EXITS.refused.code, "There is no file nowhere.xml; check its name."],
  [["--public-key", KEY], EXITS.usage.code, "--public-key needs --saft"],
  [["--saft", KEY, "--public-key", "package.json"], EXITS.refused.code, "--public-key: is not a public key in PEM"],
  [["--saft", KEY], EXITS.not_whole.code, /Line \d+, column \d+: The XML is not well-formed/],
])("verify %j ends with one line", async (args, exit, line) => {
  const { code, stderr } = await lacre(["verify", ...args]);
  expect([code, stderr]).toEqual([exit, expect.stringMatching(line)]);
});

test("import-saft reports in a dry run, imports, and can be run again", async () => {
  const { db } = await makeDatabase();
  const file = aFile("at-demo-2018-full.xml");
  const dry = await lacre(["import-saft", file, "--dry-run", "--db", db]);
  expect([dry.code, dry.stderr]).toEqual([0, ""]);
  expect(dry.stdout).toContain("Customer CA1 (line 1279): is the final consumer; not imported.");
  expect(dry.stdout).toMatch(
    /10 customers to create, 0 existed already, 1 not usable.\n12 products to create.*\nNothing was/,
  );
  expect(dry.stdout).toMatch(/^Customers to create:\n(?:.+\n){10}\nProducts to create:\n(?:.+\n){12}\n/);
  expect(dry.stdout).toMatch(/^Gomes & Gomes, Lda\. +508650704$/m);
  const done = await lacreJson("import-saft", file, "--db", db);
  expect(done).toMatchObject({ dry_run: false, customers: { created: 10 }, products: { created: 12 } });
  const again = await lacre(["import-saft", file, "--db", db]);
  expect(again.stdout).toContain("0 customers created, 10 existed already, 1 not usable.");
});

test("import-saft refuses a file that is not SAF-T", async () => {
  const { db } = await makeDatabase();
  const { code, stderr } = await lacre(["import-saft", KEY, "--db", db]);
  expect([code, stderr]).toEqual([EXITS.refused.code, expect.stringContaining("The XML is not well-formed")]);
});
