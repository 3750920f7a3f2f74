/** What must hold of everything that is on the screen. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** What axe finds against WCAG 2.2 AA. */
export async function accessibility(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } };
    const { violations } = await axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
      resultTypes: ["violations"],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html} ${any[0]?.message ?? ""}`),
    );
  });
  return found;
}

/** What is wider than its place: the page itself, or a value that cannot be read whole. */
export function overflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) {
      const wide = [...document.body.querySelectorAll("*")].filter(
        (one) => one.getBoundingClientRect().right > clientWidth + 1 && !one.closest(".unseen"),
      );
      found.push(
        `the page is ${scrollWidth} wide on ${clientWidth}: ${wide.map((one) => one.outerHTML.slice(0, 90)).slice(0, 3)}`,
      );
    }
    for (const one of document.querySelectorAll<HTMLElement>(
      "input, select, button, td, th, dd, dt, h1, h2, output, strong, code",
    )) {
      if (one.closest(".unseen, [hidden]") || !one.checkVisibility()) continue;
      if (one.matches("input[type=checkbox], input[type=radio], input[type=file]")) continue;
      // A text longer than a field that is as wide as its form scrolls with the caret.
      if (one.matches("form .wide input") && one.clientWidth > (one.closest("form")?.clientWidth ?? 0) * 0.9) continue;
      if (one.clientWidth <= 1 || getComputedStyle(one).display === "inline") continue;
      if (one.scrollWidth > one.clientWidth + 1) {
        const value = one instanceof HTMLInputElement ? one.value : one.textContent;
        found.push(
          `clipped (${one.scrollWidth} in ${one.clientWidth}): ${one.tagName.toLowerCase()} "${value?.trim().slice(0, 60)}"`,
        );
      }
    }
    for (const sheet of document.querySelectorAll(".sheet, dialog[open]")) {
      const { right } = sheet.getBoundingClientRect();
      for (const one of sheet.querySelectorAll("td, th, button, .button, input, select, p, dd")) {
        if (one.closest(".unseen") || !one.checkVisibility() || one.getBoundingClientRect().width <= 1) continue;
        if (one.getBoundingClientRect().right > right + 1)
          found.push(`out of its sheet: ${one.outerHTML.slice(0, 90)}`);
      }
    }
    return found;
  });
}

/** What has the focus, but is not seen: the keyboard goes through everything once. */
export async function coveredFocus(page: Page, most = 60): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    scrollTo(0, 0);
  });
  let first: string | undefined;
  for (let presses = 0; presses < most; presses++) {
    await page.keyboard.press("Tab");
    const seen = await page.evaluate(() => {
      const at = document.activeElement;
      if (!at || at === document.body || at === document.documentElement) return undefined;
      const ids = globalThis as unknown as { seenIds?: Map<Element, number> };
      ids.seenIds ??= new Map();
      if (!ids.seenIds.has(at)) ids.seenIds.set(at, ids.seenIds.size);
      const { left, top, width, height } = at.getBoundingClientRect();
      const x = left + width / 2;
      const y = top + Math.min(height / 2, 20);
      const there = document.elementFromPoint(x, y);
      const label = there?.closest("label");
      const isSeen = there !== null && (at.contains(there) || there.contains(at) || label?.contains(at) === true);
      return {
        key: String(ids.seenIds.get(at)),
        hidden: isSeen
          ? undefined
          : `${at.outerHTML.slice(0, 120)} lies under ${there?.outerHTML.slice(0, 80) ?? "the edge"}`,
      };
    });
    if (!seen) continue;
    if (seen.key === first) break;
    first ??= seen.key;
    if (seen.hidden) found.push(`covered focus: ${seen.hidden}`);
  }
  return found;
}
