/** The pictures of the README, made anew by `npm run pictures`: a bakery's page, on a desk and on a phone. */
import { mkdirSync } from "node:fs";
import { test } from "vitest";
import { type Look, visit } from "./support/browser.ts";
import type { ringUp } from "./support/hands.ts";
import { furnish, type Office, officeOf } from "./support/office.ts";
import { openShop } from "./support/shop.ts";

const FOLDER = "docs/pictures";

interface Made {
  readonly id: string;
}

/** A year of sales, growing and with a better summer; some are not paid yet. */
async function sellForAYear(office: Office): Promise<string> {
  await office.send("POST", "/v1/products", {
    name: "Bolo de anos",
    unit_price_gross: 24.5,
    tax_rate: 23,
    sku: "BOLO",
  });
  await office.send("POST", "/v1/products", {
    name: "Pastel de nata",
    unit_price_gross: 1.3,
    tax_rate: 13,
    sku: "NATA",
  });
  const names = ["Café Central", "Hotel Miramar, S.A.", "Escola da Ajuda"];
  const customers = await Promise.all(names.map((name) => office.send<Made>("POST", "/v1/customers", { name })));
  const { data } = await office.read<{ data: readonly (Made & { doc_type: string })[] }>("/v1/series?limit=200");
  const series_id = data.find(({ doc_type }) => doc_type === "FT")?.id;
  const now = new Date();
  let last = "";
  for (let month = 0; month <= now.getMonth(); month++) {
    const day = month === now.getMonth() ? "01" : "12";
    const issue_date = `${now.getFullYear()}-${String(month + 1).padStart(2, "0")}-${day}`;
    const summer = month >= 5 && month <= 8 ? 22 : 0;
    const lines = [
      { description: "Bolo de anos", qty: 4 + month + summer, unit_price_gross: 24.5, tax_rate: 23 },
      { description: "Pão de Mafra", qty: 160 + 9 * month, unit_price_gross: 1.15, tax_rate: 6 },
      { description: "Pastel de nata", qty: 90 + 5 * month + summer, unit_price_gross: 1.3, tax_rate: 13 },
    ];
    const customer_id = customers[month % customers.length]?.id;
    const invoice = { doc_type: "FT", series_id, customer_id, issue_date, lines, issue: true };
    const { id, total_gross } = await office.send<Made & { total_gross: number }>("POST", "/v1/documents", invoice);
    const payment = { amount: total_gross, method_code: "TB", payment_date: issue_date };
    if (month < now.getMonth() - 2) await office.send("POST", `/v1/documents/${id}/payments`, payment);
    last = id;
  }
  return last;
}

test.runIf(process.env.LACRE_PICTURES)("the pictures of the README", async () => {
  mkdirSync(FOLDER, { recursive: true });
  const shop = await openShop();
  const cookies = await furnish(shop);
  const document = await visit(shop.url, { cookies }, ({ context }) => sellForAYear(officeOf(context, shop.url)));
  const picture = (name: string, path: string, look: Look, before: (page: never) => Promise<void> = async () => {}) =>
    visit(shop.url, { cookies, language: "pt", height: 800, ...look }, async ({ page }) => {
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      await before(page as never);
      await page.waitForTimeout(400); // what has just appeared, fades in
      await page.screenshot({ path: `${FOLDER}/${name}.png` });
    });
  const write = async (page: Parameters<typeof ringUp>[0]) => {
    for (const typed of ["3*pão", "bolo", "6*pastel"]) {
      await page.getByLabel("Artigo", { exact: true }).fill(typed);
      await page.keyboard.press("Enter");
      await page
        .getByLabel(/^Quantidade, /)
        .nth(["3*pão", "bolo", "6*pastel"].indexOf(typed))
        .waitFor();
    }
  };
  await picture("new-document", "/area/new?type=FS", { width: 1280 }, write);
  await picture("home", "/area", { width: 1280 });
  await picture("document", `/area/documents/${document}`, { width: 1280 });
  await picture("phone", "/area/new?type=FS", { width: 390 }, write);
  await picture("dark", "/area", { width: 1280, scheme: "dark" });
  await shop.close();
});
