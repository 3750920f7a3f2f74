/** The pages for people: every link works, every file they name exists, and the tree matches src. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const PAGES = ["README.md", "CHANGELOG.md", ...readdirSync("docs").map((name) => join("docs", name))];

/** Where a path that a page names may begin. */
const ROOTS = ["", "src", "src/core"];

const SOURCES = readdirSync("src", { recursive: true, encoding: "utf8" });
const BASENAMES = new Set(SOURCES.map((path) => path.slice(path.lastIndexOf("/") + 1)));

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
  return matches(text, /\]\(([^)]+)\)/g)
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

// ——— The law ———

test("each rule of the law says which file keeps it, why none must, or what is missing", () => {
  const rows = matches(read("docs/law.md"), /^\| (.*) \|$/gm).map((row) => row.split(" | "));
  const rules = rows.filter((row) => row.length === 3 && row[0] !== "---" && row[0] !== "number");
  expect(rules.length).toBeGreaterThan(80);
  expect(rules.filter(([, , kept = ""]) => !/`[\w./-]+`|\]\(|not applicable|\*\*not yet\*\*/.test(kept))).toEqual([]);
});
