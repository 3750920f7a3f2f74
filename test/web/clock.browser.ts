/** A shop opens after a quiet winter: its owner says in the page that the clock is right, and sells. */
import { expect, test } from "vitest";
import { FAKER } from "../support/faketime.ts";
import { visit } from "./support/browser.ts";
import { OWNER } from "./support/hands.ts";
import { officeOf, openOffice } from "./support/office.ts";
import { openShop } from "./support/shop.ts";

const WINTER_DAYS = 61;

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

test.skipIf(!FAKER)(
  "after 61 days without a document the owner confirms the clock in the page, and sells",
  async () => {
    const autumn = { LD_PRELOAD: FAKER, FAKETIME: `-${WINTER_DAYS}d`, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
    const shop = await openShop([], autumn);
    try {
      const sale = await visit(shop.url, {}, async ({ context }) => {
        const office = await openOffice(context, shop);
        const { data } = await office.read<{ data: readonly { id: string; doc_type: string }[] }>(
          "/v1/series?limit=200",
        );
        const customer = await office.send<{ id: string }>("POST", "/v1/customers", { name: "Consumidor final" });
        const lines = [{ description: "Gelado", qty: 1, unit_price_gross: 2.5, tax_rate: 23 }];
        const series_id = data.find(({ doc_type }) => doc_type === "FS")?.id;
        const sale = { doc_type: "FS", series_id, customer_id: customer.id, lines, issue: true };
        await office.send("POST", "/v1/documents", { ...sale, issue_date: dayBefore(WINTER_DAYS) });
        return sale;
      });
      await shop.kill();
      await shop.start();

      await visit(shop.url, {}, async ({ page, context }) => {
        const office = officeOf(context, shop.url);
        await office.send("POST", "/area/v1/session", { login: OWNER.login, password: OWNER.password });
        const sell = () =>
          office.send<{ status: string }>("POST", "/v1/documents", { ...sale, issue_date: dayBefore(0) });
        await expect(sell()).rejects.toThrow("confirm it: in the company area");

        await page.goto("/area");
        const waits = page.getByText(/^Desde .* que não se emite nada\./);
        await waits.waitFor();
        await page.getByRole("button", { name: "Confirmar o relógio" }).click();
        const dialog = page.getByRole("dialog", { name: "O relógio do computador do Lacre está certo?" });
        await dialog.getByText(new RegExp(`marca .*, \\d+ de .* de ${new Date().getFullYear()}`)).waitFor();
        await dialog.getByRole("button", { name: "Está certo" }).click();
        await page.getByText("Relógio confirmado: já se pode emitir.").waitFor();
        await waits.waitFor({ state: "detached" });
        expect((await sell()).status).toBe("issued");
      });
    } finally {
      await shop.close();
    }
  },
);
