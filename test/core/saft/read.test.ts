/**
 * The reader refuses, in one sentence, files that are not XML in a declared encoding or that could exhaust a machine.
 */
import { checkSaft } from "lacre";
import { describe, expect, test } from "vitest";
import { check, opened, replaced, sampleText } from "./samples.ts";

const DEMO = sampleText("at-demo-2018-no-ledger.xml");
const ROOT = '<AuditFile xmlns="urn:OECD:StandardAuditFile-Tax:PT_1.04_01">';

const TEXT = "x".repeat(50_000);

/** Pieces that are each short enough, and make up one text or one record without end. */
const ENDLESS = [
  ["CDATA sections", `<![CDATA[${TEXT}]]>`],
  ["texts between comments", `${TEXT}<!-- - -->`],
  ["texts between processing instructions", `${TEXT}<?x?>`],
  ["texts in elements", `<a>${TEXT}</a>`],
  ["texts of entities", `${"&amp;&#65;".repeat(25_000)}<!---->`],
  ["attributes", `<a ${Array.from({ length: 5_000 }, (_, i) => `attribute${i}="x"`).join(" ")}/>`],
] as const;

/** The one XML error of a file that cannot be read to its end. */
async function xmlError(content: string | Buffer): Promise<string> {
  const { accepted, errors } = await check(content);
  const found = errors.filter(({ rule }) => rule === "xml");
  expect([accepted, found]).toEqual([false, [expect.objectContaining({ path: "", document: null })]]);
  return found[0]?.reason ?? "";
}

describe("a file that cannot be read is refused with a sentence", () => {
  test.each<[string, string | Buffer, RegExp]>([
    ["an empty file", "", /document must contain a root element/],
    ["no XML", "PK\u0003\u0004", /^Line 1, column \d+: The XML is not well-formed: /],
    ["a DOCTYPE", `<!DOCTYPE AuditFile>${ROOT}</AuditFile>`, /has a document type \(DOCTYPE\)/],
    [
      "a billion laughs",
      `<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${ROOT}&b;</AuditFile>`,
      /has a document type \(DOCTYPE\)/,
    ],
    ["an entity of its own", `${ROOT}&lol;</AuditFile>`, /undefined entity/],
    ["a file that ends too soon", DEMO.slice(0, DEMO.length - 5000), /unclosed tag/],
    ["tags that cross", replaced(DEMO, "</City>", "</Town>"), /^Line \d+, column \d+: .*unexpected close tag/],
    ["other XML", "<html/>", /its root is html, not AuditFile of urn:OECD/],
    ["an older version", ROOT.replace("4_01", "3_01"), /This file is SAF-T PT_1.03_01; only PT_1.04_01 is supported/],
    ["another encoding", replaced(DEMO, "Windows-1252", "UTF-16"), /The encoding UTF-16 is not supported/],
    [
      "an encoding named like a property of every object",
      replaced(DEMO, "Windows-1252", "constructor"),
      /constructor is not supported/,
    ],
    ["UTF-16 itself", Buffer.from(`\ufeff${ROOT}</AuditFile>`, "utf16le"), /The encoding UTF-16 is not supported/],
    ["too deep", ROOT + "<a>".repeat(40), /nested more than 32 deep/],
    ["an endless text", `${ROOT}<Header>${"x".repeat(3 << 20)}`, /longer than 1048576 characters/],
    ["an endless tag", `${ROOT}<Header a="${"x".repeat(3 << 20)}`, /longer than 1048576 characters/],
    ["an endless record", `${ROOT}<Header>${"<a/>".repeat(100_001)}`, /contains more than 100000 elements/],
    ...ENDLESS.map(([what, piece]): [string, string, RegExp] => [
      `an endless text of ${what}`,
      `${ROOT}<Header><City>${piece.repeat(Math.ceil((5 << 20) / TEXT.length))}`,
      /One record contains more than 4194304 characters/,
    ]),
    ["an endless name", `${ROOT}<${"x".repeat(1_001)}>`, /name is longer than 1000 characters/],
  ])("%s", async (_, content, reason) => {
    expect(await xmlError(content)).toMatch(reason);
  });
});

test("records without end are read, and long texts where keys and numbers belong are cut in the report", async () => {
  const long = "x".repeat(100_000);
  const invoice = `<Invoice><InvoiceNo>${long}</InvoiceNo><CustomerID>${long}</CustomerID></Invoice>\n`;
  const { error_count, errors } = await check(
    `${ROOT}<SourceDocuments><SalesInvoices>${invoice.repeat(200)}</SalesInvoices></SourceDocuments></AuditFile>`,
  );
  expect(errors.map(({ rule }) => rule)).not.toContain("xml");
  expect(error_count).toBeGreaterThan(400);
  expect(Math.max(...errors.map((finding) => JSON.stringify(finding).length))).toBeLessThan(2_000);
});

test("elements named like properties of every object are unknown elements like any other", async () => {
  const names = ["constructor", "__proto__", "toString", "hasOwnProperty"];
  const file = `${ROOT + names.map((name) => `<${name}><Line><${name}/></Line></${name}>`).join("")}</AuditFile>`;
  const { errors } = await check(file);
  for (const name of names) expect(errors.map(({ reason }) => reason)).toContain(`AuditFile may not contain ${name}.`);
});

describe("encodings", () => {
  const inUtf8 = Buffer.from(
    replaced(new TextDecoder("latin1").decode(Buffer.from(DEMO, "latin1")), "Windows-1252", "UTF-8"),
  );

  test("UTF-8 is read with or without its byte order mark", async () => {
    const mark = Buffer.from("\ufeff");
    for (const file of [inUtf8, Buffer.concat([mark, inUtf8])]) {
      expect(await check(file)).toMatchObject({ accepted: true, signatures_verified: 35 });
    }
  });

  test("Windows-1252 bytes in a file that declares UTF-8 are refused with their line", async () => {
    const line = DEMO.slice(0, DEMO.search(/[\x80-\xff]/)).split("\n").length;
    expect(await xmlError(replaced(DEMO, "Windows-1252", "UTF-8"))).toMatch(`Line ${line}, column`);
  });

  test("bytes that Windows-1252 does not define are refused with their line", async () => {
    const line = DEMO.slice(0, DEMO.indexOf("<City>")).split("\n").length;
    expect(await xmlError(replaced(DEMO, "<City>", "<City>\x81"))).toMatch(
      new RegExp(`^Line ${line}, .*not a character of Windows-1252`),
    );
  });

  test("a byte order mark of UTF-8 before a declaration of Windows-1252 is refused", async () => {
    expect(await xmlError(`\xef\xbb\xbf${DEMO}`)).toMatch(
      "declares Windows-1252, but begins with the byte order mark of UTF-8",
    );
  });

  test("bytes from 0x80 to 0x9f are read as the characters of Windows-1252", async () => {
    const euro = replaced(DEMO, "<City>Lisboa</City>", `<City>${"\x80".repeat(50)}</City>`);
    expect((await checkSaft(opened(euro))).accepted).toBe(true);
    const type = replaced(DEMO, "<InvoiceType>ND<", "<InvoiceType>\x80\x9c\x9f<");
    expect((await checkSaft(opened(type))).errors[0]?.reason).toContain('InvoiceType is "€œŸ"');
  });
});
