/** How the page starts, and what it does when its scripts, its server or its session are away. */
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

/** The script of a screen, as the build names it. */
const scriptOf = (screen: string) => new RegExp(`/assets/${screen}-\\w+\\.js$`);

test("the page speaks the user's language, whatever the browser's is", async () => {
  await visit(home.shop.url, { cookies: home.cookies, language: "pt" }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    await office.send("PATCH", "/area/v1/session", { language: "en" });
    await page.goto("/area");
    await page.getByRole("heading", { level: 1, name: /^Hello/ }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    await office.send("PATCH", "/area/v1/session", { language: "pt" });
  });
});

test("a screen whose script does not come says so, and a button starts the page again", async () => {
  await visit(home.shop.url, { cookies: home.cookies, language: "pt" }, async ({ page, allow }) => {
    allow("404");
    let isThere = false;
    await page.route(scriptOf("home"), (route) =>
      isThere ? route.continue() : route.fulfill({ status: 404, json: { error: { code: "not_found" } } }),
    );
    await page.goto("/area");
    await page.getByText("Sem ligação ao servidor.").waitFor();
    await page.getByRole("link", { name: "Documentos", exact: true }).waitFor(); // The menu stays.
    isThere = true;
    await page.getByRole("button", { name: "Tentar outra vez" }).click();
    await page.getByRole("heading", { level: 1, name: /^Olá/ }).waitFor();
  });
});

test("the scripts of other screens come after the first, so that they open without a network", async () => {
  await visit(home.shop.url, { cookies: home.cookies, language: "pt" }, async ({ page, context, allow }) => {
    allow("net::ERR_INTERNET_DISCONNECTED");
    const last = page.waitForResponse(scriptOf("account"));
    await page.goto("/area");
    await (await last).finished();
    await context.setOffline(true);
    await page.getByRole("link", { name: "Séries" }).click();
    await page.getByRole("heading", { level: 1, name: "Séries" }).waitFor();
    await context.setOffline(false);
  });
});

test("a language is chosen without the server", async () => {
  await visit(home.shop.url, { cookies: home.cookies, language: "pt" }, async ({ page, context, allow }) => {
    allow("net::ERR_INTERNET_DISCONNECTED");
    await page.goto("/area");
    await page.getByRole("heading", { level: 1, name: /^Olá/ }).waitFor();
    await context.setOffline(true);
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { level: 1, name: /^Hello/ }).waitFor();
    await context.setOffline(false);
    await page.getByRole("button", { name: "Português" }).click();
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
