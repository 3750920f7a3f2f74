/** Compares our table of the schema with the schema itself, as libxml2 reads it. */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { checkSaft } from "lacre";
import { expect, onTestFinished, test } from "vitest";
import { rulesByKind, slotsByKind } from "../../../../src/core/saft/check/schema.ts";
import { runsOf } from "../../../support/sampled.ts";
import { opened, sampleText } from "../samples.ts";
import { mutations, mutator } from "./mutations.ts";

const SCHEMA = gunzipSync(readFileSync("test/core/saft/samples/SAFTPT1.04_01.xsd10.xsd.gz"));

/** How many damaged files are compared. */
const RUNS = runsOf(300);

/** The verdict of libxml2 on each file. */
function xmllint(schema: string, files: readonly string[]): Map<string, boolean> {
  const { stderr } = spawnSync("xmllint", ["--noout", "--schema", schema, ...files], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const verdicts = new Map<string, boolean>();
  for (const [, file, verdict] of stderr.matchAll(/^(\S+) (validates|fails to validate)$/gm)) {
    verdicts.set(file as string, verdict === "validates");
  }
  return verdicts;
}

/** Our findings on what an XSD 1.0 schema can express: structure and keys. */
async function ours(xml: string): Promise<string[]> {
  const { errors } = await checkSaft(opened(xml, 1 << 16));
  return errors.filter(({ rule }) => ["xml", "structure", "key"].includes(rule)).map(({ reason }) => reason);
}

/** The demonstration file without comments, with only the first few of the elements that repeat. */
function smallDemo(): string {
  let xml = sampleText("at-demo-2018-full.xml")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/>\s+</g, ">\n<");
  xml = keepFirst(xml, "Transaction", 4, /<\/Journal>/);
  xml = keepFirst(xml, "Invoice", 7, /<\/SalesInvoices>/);
  const entries = xml.slice(xml.indexOf("<GeneralLedgerEntries>"));
  const used = Array.from(entries.matchAll(/<AccountID>(.*?)</g), ([, id = ""]) => id);
  // An account's id begins with the id of its group: 1111 is in 111, and that in 11.
  return xml.replace(/<Account>\s*<AccountID>(.*?)<[\s\S]*?<\/Account>\s*/g, (account, id: string) =>
    used.some((one) => one.startsWith(id)) ? account : "",
  );
}

/** Keeps the first records of a name, and removes the others up to the end of their parent. */
function keepFirst(xml: string, name: string, count: number, until: RegExp): string {
  let at = 0;
  for (let i = 0; i < count; i++) at = xml.indexOf(`</${name}>`, at) + name.length + 3;
  const rest = xml.slice(at);
  return xml.slice(0, at) + rest.slice(rest.search(until));
}

test("libxml2 and Lacre agree on damaged files", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lacre-saft-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const schema = join(folder, "schema.xsd");
  writeFileSync(schema, SCHEMA);

  const seed = Number(process.env.LACRE_SEED ?? randomInt(2 ** 31));
  const demo = smallDemo();
  const damage = mutator(demo);
  const damaged = fc
    .sample(mutations, { numRuns: RUNS, seed })
    .map((mutation) => ({ mutation, xml: damage(mutation) }));
  const names = ["whole.xml", ...damaged.map((_, index) => `${index}.xml`)].map((name) => join(folder, name));
  for (const [index, xml] of [demo, ...damaged.map((one) => one.xml)].entries()) {
    writeFileSync(names[index] as string, xml, "latin1");
  }
  const theirs = xmllint(schema, names);
  expect(theirs.size).toBe(RUNS + 1);
  expect([theirs.get(names[0] as string), await ours(demo)]).toEqual([true, []]);

  const apart: unknown[] = [];
  for (const [index, { mutation, xml }] of damaged.entries()) {
    const reasons = await ours(xml);
    const valid = theirs.get(names[index + 1] as string);
    if (valid !== (reasons.length === 0)) apart.push({ mutation, xmllint: valid, reasons });
  }
  expect(apart, `seed ${seed}`).toEqual([]);
  // Control: both verdicts must occur, or the comparison proves nothing.
  const valid = [...theirs.values()].filter(Boolean).length;
  expect(valid, `seed ${seed}`).toBeGreaterThan(RUNS / 20);
  expect(valid, `seed ${seed}`).toBeLessThan(RUNS / 2);
});

test("the table has every element of the schema and no other", () => {
  const [slots, rules] = [slotsByKind(), rulesByKind()];
  const declared = new Set(
    Array.from(SCHEMA.toString("latin1").matchAll(/<xs:element (?:name|ref)="(\w+)"/g), ([, name]) => name),
  );
  const known = new Set(["AuditFile", ...[...slots.values()].flat().flatMap(({ kinds }) => [...kinds.keys()])]);
  // Declared, but not used anywhere.
  for (const idle of ["TaxVerificationDate"]) declared.delete(idle);
  expect([...known].sort()).toEqual([...declared].sort());
  const kinds = [...slots.values()].flat().flatMap((slot) => [...slot.kinds.values()]);
  expect(kinds.filter((kind) => slots.has(kind) === rules.has(kind))).toEqual([]);
});
