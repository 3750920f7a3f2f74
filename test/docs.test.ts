/** The pages for people: every link works, every file they name exists, and the tree matches src. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const docsPages = readdirSync("docs")
  .filter((name) => name.endsWith(".md"))
  .map((name) => join("docs", name));
const PAGES = ["README.md", "README.pt.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", ...docsPages];

/** Where a path that a page names may begin. */
const ROOTS = ["", "src", "src/core"];

const filesBelow = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" });
const BASENAMES = new Set(["src", "tools", "test"].flatMap(filesBelow).map((path) => basename(path)));

const read = (page: string) => readFileSync(page, "utf8");

/** The text of a page without its fenced blocks. */
const prose = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "");

const matches = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found]) => found as string);

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(text: string): string[] {
  return matches(prose(text), /^#+ (.*)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The links of a page that lead nowhere. */
function brokenLinks(page: string, text: string): string[] {
  return matches(prose(text), /\]\(([^)]+)\)/g)
    .filter((link) => !/^https?:/.test(link))
    .filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : join(dirname(page), path);
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchorsOf(path === "" ? text : read(target)).includes(anchor);
    });
}

/** The paths in backticks that name no file; a bare name may be that of any source. */
function missingPaths(text: string): string[] {
  return matches(prose(text), /`([\w.-][\w./-]*(?:\.(?:ts|sql|json|sh|mjs|md|txt)|\/))`/g).filter(
    (path) => !ROOTS.some((root) => existsSync(join(root, path))) && (path.includes("/") || !BASENAMES.has(path)),
  );
}

describe.each(PAGES)("%s", (page) => {
  test("has no broken link", () => expect(brokenLinks(page, read(page))).toEqual([]));

  test("names existing files", () => expect(missingPaths(read(page))).toEqual([]));
});

test("a broken link and a missing file are found", () => {
  const text =
    "# A title\n[one](docs/none.md) [two](#no-title) [three](#a-title) `fiscal/none.ts` `none.ts` `money.ts`";
  expect(brokenLinks("README.md", text)).toEqual(["docs/none.md", "#no-title"]);
  expect(missingPaths(text)).toEqual(["fiscal/none.ts", "none.ts"]);
});

// ——— The tree of src ———

const ARCHITECTURE = read("docs/architecture.md");

/** The block that follows a heading. */
const blockAfter = (heading: string) =>
  ARCHITECTURE.split(`\n${heading}\n`)[1]
    ?.split(/^```.*$/m)[1]
    ?.split("\n") ?? [];

/** The paths of the tree, each line indented by two blanks below the folder it is in. */
function treePaths(): string[] {
  const folders: string[] = [];
  return blockAfter("## The tree").flatMap((line) => {
    const [, indent = "", name = ""] = /^( *)(\S+)/.exec(line) ?? [];
    if (name === "") return [];
    folders.length = indent.length / 2;
    const path = [...folders, name].join("");
    if (name.endsWith("/")) folders.push(name);
    return [path];
  });
}

/** Folders of which the tree names everything; house.test.ts holds it for the root of core. */
const WHOLE = [
  "src/",
  "src/core/documents/",
  "src/core/series/",
  "src/core/signing/",
  "src/core/runtime/",
  "src/core/fiscal/",
  "src/core/database/",
];

test("the tree matches src", () => {
  const paths = treePaths();
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  for (const folder of WHOLE) {
    const there = readdirSync(folder, { withFileTypes: true }).map(
      (entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`,
    );
    expect(there.filter((path) => !paths.includes(path))).toEqual([]);
  }
});

test("the tree and the diagram name existing files", () => {
  const lines = [...blockAfter("## The tree"), ...blockAfter("## The path of one issue")];
  const names = matches(lines.join("\n"), /(?<![\w.-])([\w-]+\.ts)\b/g);
  expect(names.length).toBeGreaterThan(80);
  expect(names.filter((name) => !BASENAMES.has(name))).toEqual([]);
});

// ——— The law; test/law/page.test.ts reads what its rows say ———

/** The numbers that each text is known to have for programs. A row may name several. */
const NUMBERS: Readonly<Record<string, string>> = {
  "Despacho 8632/2014":
    "1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 1.10 1.11 2.1.1 2.1.2 2.1.3 2.1.4 2.1.5 2.1.6 2.1.7 2.2.1 2.2.2 2.2.3 2.2.4 2.2.5 2.2.6 2.2.7 " +
    "2.2.8 2.2.10 2.2.11 2.2.12 2.2.13 2.2.14 2.2.15 2.3 2.4 2.4.6 2.5 2.6.1 2.6.2 2.6.3 2.6.4 2.6.5 2.6.7 3.1.1 3.1.2 3.1.3 3.1.4 3.2.1 3.2.2 " +
    "3.2.3 3.2.4 3.2.5 3.2.6 3.2.7 3.2.8 3.2.9 3.2.10 3.2.11 3.2.12 3.3.1 3.3.2 3.3.3 3.3.4 3.3.5 3.3.6 3.3.7 3.3.8 3.3.9 3.4.1 3.4.2 " +
    "3.4.3 4.1 4.2 4.3 4.4 4.10 6.2 7.1",
  "Portaria 363/2010": "3 6 7 9",
  "Portaria 195/2020": "2 3 4 5 6",
  "Portaria 302/2016":
    "1 2.1 2.2 2.2.3 2.3 2.4.1 2.5 4.1 4.1.4.3 4.1.4.19 4.1.4.20.6 4.2.3.12 4.3.4 4.4.4.6 4.4.4.10 4.4.4.14",
  "Decreto-Lei 198/2012": "3/1 3/3",
  CIVA: "18 29/7 36/1 36/5 36/6 36/11 36/13 40/1 40/2 78/5",
  "Decreto-Lei 147/2003": "2 4 5/12 6",
  "Decreto-Lei 28/2019": "4/1 4/4 5 6 7/2 7/3 7/4 7/5 7/6 8 11 12 13 19/1 20 27 34 35",
};

test.each(Object.entries(NUMBERS))("every known number of %s has its row", (name, numbers) => {
  const section = read("docs/law.md").split(`\n## ${name}\n`)[1]?.split("\n## ")[0] ?? "";
  const cells = matches(section, /^\| ([^|]+) \|/gm).join(" ");
  const there = new Set(cells.split(/[^\d./]+/));
  expect(numbers.split(" ").filter((number) => !there.has(number))).toEqual([]);
});
