import { describe, expect, test } from "vitest";
import * as z from "zod";
import { text } from "../../src/core/fields.ts";
import { composed, decomposed, UNITS_PER_CHARACTER } from "../../src/core/fiscal/spelling.ts";
import { GivenPassword, NewPassword } from "../../src/core/people/passwords.ts";
import { createCustomer } from "../../src/core/records/customers.ts";
import { parseInput } from "../../src/core/runtime/operation.ts";
import { chanceOf } from "../support/chance.ts";
import { DATABASES } from "../support/databases.ts";
import { aDraft, aLine } from "../support/factories.ts";
import { anInstance } from "../support/instance.ts";
import { expectRefusal } from "../support/refusals.ts";
import { costlyTextsIn, TEXT_FIELDS, type TextField } from "../support/text-fields.ts";

const SEED = Number(process.env.LACRE_SEED);
const LIMIT = 200;

/** The most CPU milliseconds that a text of a megabyte may take: what looks into it takes a hundred times as long. */
const MOMENT_MS = 50;

/** The CPU time of some work in milliseconds, the least of three. */
function cpuOf(work: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

describe.each(DATABASES)("a text over $name", (driver) => {
  test.each([
    ["decomposed Hangul", "한".normalize("NFD"), "한"],
    ["decomposed Vietnamese", "ộ".normalize("NFD"), "ộ"],
    ["decomposed Greek, of four units", "ᾂ".normalize("NFD"), "ᾂ"],
    ["decomposed Gurung Khema, of four units", "\u{16100}\u{16126}".normalize("NFD"), "\u{16100}\u{16126}"],
    ["decomposed Kirat Rai, of six units", "\u{16d6a}".normalize("NFD"), "\u{16d6a}"],
  ])("may be %s up to its limit", async (_, spelled, character) => {
    const home = await anInstance(driver);
    const times = LIMIT / Array.from(character).length;
    const name = spelled.repeat(times);
    expect(await home.company.customers.create({ name })).toMatchObject({ name: character.repeat(times) });
    await expectRefusal(home.company.customers.create({ name: name + spelled }), "invalid_request", "characters");
    const { lines } = await aDraft(home, { lines: [aLine({ description: spelled.repeat(times) })] });
    expect(lines).toMatchObject([{ description: character.repeat(times) }]);
  });

  test("is stripped of surrounding white space before it is measured", async () => {
    const { company } = await anInstance(driver);
    const space = " ".repeat(5_000);
    expect(await company.customers.create({ name: `${space}Ana\u3000${space}` })).toMatchObject({ name: "Ana" });
    const found = await company.customers.list({ search: `${space}ana${space}` });
    expect(found.data).toHaveLength(1);
  });
});

test("no character of Unicode is spelled with more units than are measured, and some with as many", () => {
  let most = 0;
  for (let code = 0; code < 0x110000; code++) {
    const isHalf = code >= 0xd800 && code < 0xe000;
    if (isHalf) continue;
    const spelled = String.fromCodePoint(code).normalize("NFD");
    most = Math.max(most, spelled.length / Array.from(spelled.normalize("NFC")).length);
  }
  expect(most).toBe(UNITS_PER_CHARACTER);
});

test(`a text normalised before it was measured is accepted unchanged (seed ${SEED})`, () => {
  const chance = chanceOf(SEED);
  const parts = [..."aé ộ한ᾂ\u3000\u0301\u0323\u1161\u11a8\ufdfa😀", "\u{16126}", "\u{1d160}", "\u2000", "  "];
  const field = text(20, { empty: true });
  const asBefore = (given: string) => given.normalize("NFC").trim();
  for (let round = 0; round < 3_000; round++) {
    const form = chance.oneOf(["NFC", "NFD"] as const);
    const given = Array.from({ length: chance.below(30) }, () => chance.oneOf(parts))
      .join("")
      .normalize(form);
    const expected = asBefore(given);
    const parsed = field.safeParse(given);
    expect(parsed.success, JSON.stringify(given)).toBe(Array.from(expected).length <= 20);
    if (parsed.success) expect(parsed.data).toBe(expected);
  }
});

test.each([
  ["a field", text(LIMIT)],
  ["a field of several lines", text(1_000, { multiline: true })],
  ["a new password", NewPassword],
  ["a password to be checked", GivenPassword],
])("a megabyte of marks takes %s but a moment, and so does a megabyte of letters", (_, schema: z.ZodType) => {
  for (const given of ["\u0301\u0323", "a", " a", "\ufdfa"]) {
    const long = given.repeat(1_000_000 / given.length);
    expect(schema.safeParse(long).success).toBe(false);
    expect(cpuOf(() => schema.safeParse(long))).toBeLessThan(MOMENT_MS);
  }
});

test("normalising takes only a moment, however many marks are stacked", () => {
  const stack = `a${"\u0301\u0323".repeat(250_000)}`;
  expect(cpuOf(() => composed(stack))).toBeLessThan(MOMENT_MS * 4);
  expect(cpuOf(() => decomposed(stack))).toBeLessThan(MOMENT_MS * 4);
  // The control: what is not held back takes time that grows with the square of its length.
  const short = stack.slice(0, 20_001);
  expect(cpuOf(() => short.normalize("NFC"))).toBeGreaterThan(5 * cpuOf(() => composed(short)));
});

test("a refusal of a long text names its limit and nothing else about it", () => {
  const given = { name: "\u0000".repeat(10_000) };
  expect(() => parseInput(createCustomer.input, given)).toThrow(/^name: must have at most 200 characters$/);
});

test("every operation's texts are found by their schemas", () => {
  const found = TEXT_FIELDS.map(({ operation, path }) => `${operation.id} ${path}`);
  for (const one of [
    "createCustomer metadata{name}",
    "createDocument lines[].description",
    "createDocument transport.from.city",
    "openSession password",
    "importSigner private_key",
    "getCustomer id",
  ]) {
    expect(found).toContain(one);
  }
});

const chance = chanceOf(SEED);
const SOME = Array.from({ length: 3 }, () => chance.oneOf(TEXT_FIELDS));

test.each(SOME.map((field) => ({ field, name: `${field.operation.id} ${field.path}` })))(
  `the worst text costs at most five times as many letters in $name (seed ${SEED}, all in texts.slow)`,
  ({ field }) => {
    expect(costlyTextsIn(field)).toEqual([]);
  },
);

test("the control: a field that looks at a text before it is measured is found", () => {
  const [field] = TEXT_FIELDS as [TextField, ...TextField[]];
  const input = z.string().transform((given) => given.split(" ").map((word) => `${word}.`));
  const operation = { ...field.operation, id: "control", input };
  expect(costlyTextsIn({ operation, path: "text", inputWith: (text) => text })).toContain("control text: spaces");
});
