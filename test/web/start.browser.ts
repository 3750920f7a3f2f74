/** How the page starts, and what it does when its texts, its server or its session are away. */
import type { Route } from "playwright-core";
import { expect, test } from "vitest";
import { visit } from "./support/browser.ts";
import { officeOf, useShop } from "./support/office.ts";

const home = useShop();

/** Lets an answer through after some time. */
const after = (ms: number) => async (route: Route) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  await route.continue();
};

test("texts that come after the session, in another language than the browser's, are waited for", async () => {
  await visit(home.shop.url, { cookies: home.cookies, language: "pt" }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    await office.send("PATCH", "/area/v1/session", { language: "en" });
    await page.route(/texts-pt/, after(300));
    await page.route(/texts-en/, after(900));
    await page.goto("/area");
    await page.getByRole("heading", { level: 1, name: /^Hello/ }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    await office.send("PATCH", "/area/v1/session", { language: "pt" });
  });
});

test("texts that do not come are asked for again, and the page says so meanwhile", async () => {
  await visit(home.shop.url, { cookies: home.cookies, language: "pt" }, async ({ page, allow }) => {
    allow("500");
    let tries = 0;
    await page.route(/texts-pt/, (route) => {
      tries += 1;
      return tries > 2 ? route.continue() : route.fulfill({ status: 500, json: { error: { code: "internal_error" } } });
    });
    await page.goto("/area");
    await page.getByText("Sem ligação ao servidor; continuamos a tentar.").waitFor();
    await page.getByRole("heading", { level: 1, name: /^Olá/ }).waitFor();
    expect(tries).toBe(3);
  });
});

test("a language whose texts do not come is not chosen, and the page stays readable", async () => {
  await visit(home.shop.url, { cookies: home.cookies, language: "pt" }, async ({ page, allow }) => {
    allow("404");
    await page.route(/texts-en/, (route) => route.fulfill({ status: 404, json: { error: { code: "not_found" } } }));
    await page.goto("/area");
    await page.getByRole("button", { name: "English" }).click();
    await page.getByText("Sem ligação ao servidor.").waitFor();
    expect(await page.evaluate(() => localStorage.getItem("lacre.language"))).not.toBe("en");
    await page.getByRole("heading", { level: 1, name: /^Olá/ }).waitFor();
  });
});

test("a dialog goes with the session that opened it", async () => {
  await visit(home.shop.url, { cookies: home.cookies, language: "pt" }, async ({ page, context, allow }) => {
    allow("401 /v1/customers");
    await page.goto("/area/customers");
    await page.getByRole("button", { name: "Novo cliente" }).click();
    const compared = page.waitForResponse(/\/v1\/customers\?search=Ana/);
    await page.getByRole("dialog").getByLabel("Nome").fill("Ana");
    await compared; // Whether there is one of this name already.
    await context.clearCookies();
    await page.getByRole("button", { name: "Guardar" }).click();
    await page.getByRole("heading", { level: 1, name: "Entrar" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});

test("an answer that comes late closes the dialog that asked, and no other", async () => {
  await visit(home.shop.url, { cookies: home.cookies, language: "pt" }, async ({ page }) => {
    await page.route(/\/v1\/products$/, (route) =>
      route.request().method() === "POST" ? after(1_500)(route) : route.continue(),
    );
    await page.goto("/area/products");
    await page.getByRole("button", { name: "Novo artigo" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Nome").fill("Broa");
    await dialog.getByLabel(/^Preço/).fill("2");
    const saved = page.waitForResponse((answer) => answer.request().method() === "POST");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Clientes" }).click();
    await page.getByRole("button", { name: "Novo cliente" }).click();
    await dialog.getByLabel("Nome").fill("Rui");
    await saved;
    await page.getByText("Artigo guardado.").waitFor();
    expect(await dialog.getByLabel("Nome").inputValue()).toBe("Rui");
  });
});
