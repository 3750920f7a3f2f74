/** docs/law.md says of each rule how it is kept: in one shape, in a few words, by files and tests that exist. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const STATES = ["kept", "in part", "not yet", "not applicable"];

/** Where a path that a row names may begin. */
const ROOTS = ["", "src/", "src/core/"];

interface Rule {
  readonly section: string;
  readonly cells: readonly string[];
}

/** The rules of the page: the rows of its tables of four columns, each with the heading above it. */
function rulesOf(page: string): Rule[] {
  return page.split(/^## /m).flatMap((text) => {
    const [section = "", ...lines] = text.split("\n");
    const start = lines.indexOf(HEAD);
    if (start < 0) return [];
    const rows = lines.slice(start + 2);
    const end = rows.findIndex((line) => !line.startsWith("|"));
    return rows.slice(0, end).map((line) => ({ section, cells: line.slice(2, -2).split(" | ") }));
  });
}

const HEAD = "| number | what it asks | state | how |";

const fileOf = (path: string) => ROOTS.map((root) => root + path).find((file) => existsSync(file));
const isFile = (path: string) => /\.(?:ts|sql|md)$|\/$/.test(path);

/** What is wrong with a rule. */
function faultsOf({ cells: [number = "", asks = "", state = "", how = ""], cells: { length } }: Rule): string[] {
  const faults = length === 4 && number && asks && how ? [] : ["its cells are not four, or empty"];
  if (!STATES.includes(state)) faults.push(`${state} is no state`);
  const named = Array.from(how.matchAll(/`([^`]+)`/g), ([, path = ""]) => path).filter(isFile);
  faults.push(...named.filter((path) => fileOf(path) === undefined).map((path) => `${path} does not exist`));
  const isShown =
    named.length > 0 || /\]\(#?[\w.-]+/.test(how) || /the business chooses/.test(how) || /, as \w+/.test(how);
  if (["kept", "in part"].includes(state) && !isShown) faults.push("names neither a file nor a place that says how");
  if (state === "in part" && !/Not yet|not yet/.test(how)) faults.push("does not say what is missing");
  if (state !== "in part" && /Not yet/.test(how)) faults.push(`${state}, and not yet`);
  for (const [, path = "", title = ""] of how.matchAll(/`([^`]+\.test\.ts)`: \*([^*]+)\*/g)) {
    if (!readFileSync(path, "utf8").includes(title)) faults.push(`${path} has no test called ${title}`);
  }
  return faults;
}

const faultsIn = (page: string) =>
  rulesOf(page).flatMap((rule) => faultsOf(rule).map((fault) => `${rule.section}, ${rule.cells[0]}: ${fault}`));

/** The rules that stand twice. */
function repeated(page: string): string[] {
  const names = rulesOf(page).map(({ section, cells }) => `${section}, ${cells[0]}`);
  return names.filter((name, i) => names.indexOf(name) < i);
}

const PAGE = readFileSync("docs/law.md", "utf8");

describe("the law, rule by rule", () => {
  test("has a table in each of its chapters", () => {
    const sections = new Set(rulesOf(PAGE).map(({ section }) => section));
    expect([...sections]).toEqual([
      ...["Despacho 8632/2014", "Portaria 363/2010", "Portaria 195/2020", "Portaria 302/2016"],
      ...["Decreto-Lei 28/2019", "Decreto-Lei 198/2012", "CIVA", "Decreto-Lei 147/2003", "Decreto-Lei 71/2013"],
      "Other laws",
    ]);
    expect(PAGE.match(/^\| number \|.*$/gm)?.every((head) => head === HEAD)).toBe(true);
  });

  test("gives each rule a state, and shows by files and tests that exist how it is kept", () => {
    expect(faultsIn(PAGE)).toEqual([]);
  });

  test("has no rule twice", () => expect(repeated(PAGE)).toEqual([]));

  test.each([
    ["| 1 | asks | kept |", "its cells are not four"],
    ["| 1 | asks | perhaps | `verify/verify.ts` |", "perhaps is no state"],
    ["| 1 | asks | kept | somehow |", "names neither a file"],
    ["| 1 | asks | kept | `verify/nothing.ts` |", "verify/nothing.ts does not exist"],
    ["| 1 | asks | kept | `test/docs.test.ts`: *has no rule thrice* |", "has no test called has no rule thrice"],
    ["| 1 | asks | in part | `verify/verify.ts` |", "does not say what is missing"],
    ["| 1 | asks | kept | `verify/verify.ts`. Not yet: the rest |", "kept, and not yet"],
  ])("finds what is wrong with %s", (row, fault) => {
    const broken = `## A law\n\n${HEAD}\n| --- | --- | --- | --- |\n${row}\n\n`;
    expect(faultsIn(broken).join()).toContain(fault);
  });

  test("finds a rule that stands twice", () => {
    const row = "| 1 | asks | kept | `verify/verify.ts` |";
    expect(repeated(`## A law\n\n${HEAD}\n| --- | --- | --- | --- |\n${row}\n${row}\n\n`)).toEqual(["A law, 1"]);
  });
});
