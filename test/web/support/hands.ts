/** What a person's hands do at the keyboard. Nothing here touches a mouse. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { focusName, tabTo } from "./browser.ts";
import type { Shop } from "./shop.ts";

export const OWNER = { name: "Ana Conceição", login: "ana@padaria.pt", password: "quatro palavras sem nexo" };

/** Waits for a screen by its title, and until its first field has the focus. */
async function arrive(page: Page, title: string, field: RegExp): Promise<void> {
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  await expect.poll(() => focusName(page), { timeout: 60_000 }).toMatch(field);
}

/** From the link that the program prints to the first document's screen. */
export async function setUp(page: Page, { setUpLink }: Pick<Shop, "setUpLink">): Promise<void> {
  const { keyboard } = page;
  const type = async (...texts: readonly string[]) => {
    for (const [index, text] of texts.entries()) {
      if (index > 0) await keyboard.press("Tab");
      await keyboard.type(text);
    }
    await keyboard.press("Enter");
  };
  await page.goto(setUpLink);
  await arrive(page, "Boas-vindas ao Lacre", /O seu nome/);
  await type(OWNER.name, OWNER.login, OWNER.password);
  await arrive(page, "A sua empresa", /Nome ou firma/);
  const mainland = ""; // is chosen already
  await type("Padaria Central, Lda.", "500000000", mainland, "Rua da Prata 1", "1100-413", "Lisboa");
  await arrive(page, "As séries e a AT", /Código de FS/);
  await type("AAJFJ2VT54");
  await arrive(page, "O primeiro artigo", /Nome/);
  await keyboard.type("Pão de Mafra");
  await keyboard.press("Tab");
  await keyboard.type("1,15");
  await tabTo(page, /^Taxa de IVA/);
  await keyboard.type("6");
  await tabTo(page, /^Unidade/);
  await type("un");
}

/** Sells over the counter and returns the number of what was issued. */
export async function sell(page: Page, typed: string): Promise<string> {
  await ringUp(page, typed);
  await page.keyboard.press("Enter");
  return issuedNumber(page);
}

/** Writes a sale, up to the dialog whose Enter issues it. */
export async function ringUp(page: Page, typed: string): Promise<void> {
  await expect.poll(() => focusName(page), { timeout: 60_000 }).toMatch(/^Artigo/);
  await page.keyboard.type(typed);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("dialog").waitFor();
}

/** The number on the screen of what was just issued. */
export async function issuedNumber(page: Page): Promise<string> {
  const heading = page.locator("section.issued h2 span");
  await heading.waitFor();
  return (await heading.textContent()) ?? "";
}

/**
 * Notes in the page what would be printed, by its address: a browser without a window has no printer. `isBarred`: only
 * the page itself may be printed.
 */
export const watchPrints = (page: Page, { isBarred = false } = {}) =>
  page.addInitScript((barred) => {
    const prints: string[] = [];
    if (top === window) Object.assign(window, { prints });
    window.print = () => {
      if (barred && top !== window) throw new DOMException("cross-origin", "SecurityError");
      (top as unknown as { prints: string[] }).prints.push(location.href);
    };
  }, isBarred);

/** The addresses of what was printed. */
export const printsOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { prints: readonly string[] }).prints);
