import { readdirSync, readFileSync } from "node:fs";
import { createHandler } from "lacre/http";
import { expect, test } from "vitest";
import { BETTER } from "../support/drivers.ts";
import { anInstance } from "../support/instance.ts";

const asked = async (path: string, options: Parameters<typeof createHandler>[1] = {}) => {
  const { lacre } = await anInstance(BETTER);
  const answer = await createHandler(lacre, options)(new Request(`http://127.0.0.1${path}`));
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
};

test("/llms.txt tells what Lacre is, and each of its links answers", async () => {
  const { status, type, text } = await asked("/llms.txt", { basePath: "/shop" }).then((answer) =>
    answer.status === 404 ? asked("/shop/llms.txt", { basePath: "/shop" }) : answer,
  );
  expect([status, type]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(text).toMatch(/^# Lacre\n\n> Portuguese invoicing/);
  expect(text.length).toBeLessThan(3_000);
  const links = Array.from(text.matchAll(/\]\(\/shop(\/[^)#]+)/g), ([, path]) => path as string);
  expect(links.length).toBeGreaterThan(8);
  for (const link of new Set(links)) {
    expect((await asked(`/shop${link}`, { basePath: "/shop" })).status, link).toBe(200);
  }
});

test("/docs has each page of docs/ in Markdown, as it is, and nothing else", async () => {
  for (const name of readdirSync("docs").filter((one) => one.endsWith(".md"))) {
    const { status, type, text } = await asked(`/docs/${name}`);
    expect([status, type]).toEqual([200, "text/markdown; charset=utf-8"]);
    expect(text).toBe(readFileSync(`docs/${name}`, "utf8"));
  }
  for (const name of ["none.md", "constructor", "pictures", "package.json"]) {
    expect((await asked(`/docs/${name}`)).status, name).toBe(404);
  }
  expect((await asked("/docs/viewer.css")).type).toMatch(/^text\/css/);
});

test("a host program gives pages of its own, or none", async () => {
  const manual = () => ({ "shop.md": "# The shop\n" });
  expect((await asked("/docs/shop.md", { manual })).text).toBe("# The shop\n");
  expect((await asked("/llms.txt", { manual })).text).toContain("- [The shop](/docs/shop.md)");
  expect((await asked("/docs/api.md", { manual: () => ({}) })).status).toBe(404);
});
