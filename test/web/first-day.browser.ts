import { expect, test } from "vitest";
import { visit } from "./support/browser.ts";
import { sell, setUp } from "./support/hands.ts";
import { openShop } from "./support/shop.ts";

test("a shop issues its first invoice by keyboard alone in a minute, and the second in ten seconds", async () => {
  const shop = await openShop();
  try {
    await visit(shop.url, { language: "pt" }, async ({ page, context, asked }) => {
      const began = performance.now();
      await setUp(page, shop);
      expect(await sell(page, "3*pão")).toMatch(/^FS \w+\/1$/);
      expect(performance.now() - began).toBeLessThan(60_000);

      const opened = context.waitForEvent("page");
      const printed = page.waitForResponse(/\/prints$/);
      await page.keyboard.press("Control+p");
      expect(await (await printed).headerValue("content-type")).toBe("application/pdf");
      const paper = await opened;
      await paper.waitForURL(/^blob:/); // The browser's own view of it, from which it goes to paper.
      await paper.close();

      await page.keyboard.press("Enter");
      const again = performance.now();
      expect(await sell(page, "pão")).toMatch(/^FS \w+\/2$/);
      expect(performance.now() - again).toBeLessThan(10_000);
      expect(asked.length).toBeGreaterThan(10); // The watch for other hosts saw what was asked.
    });
  } finally {
    await shop.close();
  }
});
