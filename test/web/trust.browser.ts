/** What the page says of money, and whom it lets do what: shown as it is, and asked before it cannot be undone. */
import { expect, test } from "vitest";
import { visit } from "./support/browser.ts";
import { openOffice } from "./support/office.ts";
import { openShop } from "./support/shop.ts";

test("in the set-up Enter leaves no series without its code: that is a button of its own, neither red nor first", async () => {
  const shop = await openShop();
  try {
    await visit(shop.url, {}, async ({ page, context }) => {
      const office = await openOffice(context, shop, { registers: false });
      await page.addInitScript(() => sessionStorage.setItem("lacre.setup", "series"));
      await page.goto("/area/setup");
      await page.getByLabel("Código de RG").waitFor();
      const { data } = await office.read<{ data: readonly object[] }>("/v1/series?current=true");
      expect(await page.getByLabel(/^Código de /).count()).toBe(data.length);

      await page.getByLabel("Código de FS").press("Enter");
      const later = page.getByRole("button", { name: "Deixar para depois" });
      expect(await later.getAttribute("class")).toBe("plain");
      expect(await page.getByRole("button", { name: "Continuar" }).isDisabled()).toBe(true);

      await page.getByLabel("Código de RG").fill("AAJFJ2VT54");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "O primeiro artigo" }).waitFor();
      await page.getByRole("button", { name: /clientes e artigos de outro programa/ }).click();
      await page.getByText("Escolher ficheiro SAF-T…").waitFor();
    });
  } finally {
    await shop.close();
  }
});
