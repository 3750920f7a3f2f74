/** The examples of the docs, run as a reader would: `sh` blocks in a shell, `ts` blocks as one program per page. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createHandler } from "lacre/http";
import { type NodeServer, serve } from "lacre/node";
import { openInMemory, type TestInstance } from "lacre/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { program } from "./bin/program.ts";

const run = promisify(execFile);

const docsPages = readdirSync("docs")
  .filter((name) => name.endsWith(".md"))
  .map((name) => join("docs", name));
const PAGES = ["README.md", "README.pt.md", ...docsPages];

/** The blocks of a page in a language, in their order. */
function blocks(page: string, language: "sh" | "ts"): string[] {
  const fences = readFileSync(page, "utf8").matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return Array.from(fences).flatMap(([, name, text]) => (name === language ? [text as string] : []));
}

const pagesWith = (language: "sh" | "ts") => PAGES.filter((page) => blocks(page, language).length > 0);

let scratch: string;

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "lacre-docs-"));
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** An empty directory for a page. */
function directoryOf(page: string): string {
  const directory = join(scratch, page.replace(/\W/g, "-"));
  mkdirSync(directory);
  return directory;
}

describe("the ts blocks of a page are one program", () => {
  /** Inside the package, so that `lacre` is this one. */
  const directory = "build/docs";
  const fileOf = (page: string) => join(directory, `${page.replace(/\W/g, "-")}.ts`);

  let instance: TestInstance;
  let server: NodeServer;

  beforeAll(async () => {
    instance = await openInMemory();
    server = await serve(createHandler(instance.lacre), { port: 0 });
    mkdirSync(directory, { recursive: true });
    for (const page of pagesWith("ts")) {
      // A free port, the Lacre that a client calls, and an end: a server would go on.
      const text = blocks(page, "ts")
        .join("\n")
        .replace("listen(8787)", "listen(0)")
        .replace("http://127.0.0.1:8787", server.url);
      writeFileSync(fileOf(page), `${text}\nprocess.exit(0);\n`);
    }
    const settings = { extends: "../../tsconfig.json", include: ["*.ts"], exclude: [] };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(settings));
  });

  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    await server.close();
    await instance.lacre.close();
  });

  test("with right types", async () => {
    const { stdout } = await run("node_modules/.bin/tsc", ["--project", directory, "--singleThreaded"]).catch(
      (error) => error,
    );
    expect(stdout).toBe("");
  });

  test.each(pagesWith("ts"))("%s: it runs to its end, and once more where it ran before", async (page) => {
    const file = join(process.cwd(), fileOf(page));
    const cwd = directoryOf(`${page} ts`);
    for (const _ of ["first", "second"]) {
      const args = ["--import", import.meta.resolve("./support/from-source.ts"), file];
      const env = { ...process.env, LACRE_KEY: instance.api_key };
      const { stdout } = await run(process.execPath, args, { cwd, env });
      expect(stdout).not.toBe("");
    }
  });
});

test.each(pagesWith("sh"))("the sh blocks of %s succeed, one after the other", async (page) => {
  const directory = directoryOf(`${page} sh`);
  const env = {
    ...process.env,
    SCRATCH: directory,
    REPOSITORY: process.cwd(),
    PROGRAM: program().join("\n"),
    NODE: process.execPath,
    TZ: "Europe/Lisbon",
  };
  const script = [readFileSync("test/support/docs-shell.sh", "utf8"), ...blocks(page, "sh").map(prepared)].join("\n");
  const { stderr } = await run("bash", ["-c", script], { env, cwd: directory });
  expect(stderr).toBe("");
});

/** A block in today's years, after what it takes for granted. */
function prepared(block: string): string {
  const year = new Date().getFullYear();
  const text = block
    .replaceAll("./lacre", "lacre")
    .replaceAll("lacre_live_…", "$LACRE_KEY")
    .replaceAll("$SERIES", "$(newest_series)")
    .replaceAll("2027", String(year + 1))
    .replaceAll("2026", String(year));
  const needs = [
    ...(/\bcurl\b/.test(text) ? ["need_server"] : []),
    ...["CUSTOMER", "INVOICE", "SALE", "CREDITED", "AGENT_KEY"]
      .filter((name) => text.includes(`$${name}`))
      .map((name) => `need_${name}`),
    ...(/\blacre pdf\b/.test(text) ? ["need_INVOICE"] : []),
  ];
  return [...needs, text].join("\n");
}
