import { expect, test } from "vitest";
import { visit } from "./support/browser.ts";
import { printsOf, sell, setUp, watchPrints } from "./support/hands.ts";
import { openShop } from "./support/shop.ts";

test("a shop issues its first invoice by keyboard alone in a minute, and the second in ten seconds", async () => {
  const shop = await openShop();
  try {
    await visit(shop.url, { language: "pt" }, async ({ page, asked }) => {
      await watchPrints(page);
      const began = performance.now();
      await setUp(page, shop);
      expect(await sell(page, "3*pão")).toMatch(/^FS \w+\/1$/);
      expect(performance.now() - began).toBeLessThan(60_000);

      const printed = page.waitForResponse(/\/prints$/);
      await page.keyboard.press("Control+p");
      expect(await (await printed).headerValue("content-type")).toBe("application/pdf");
      await expect.poll(async () => (await printsOf(page)).length).toBe(1);

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
