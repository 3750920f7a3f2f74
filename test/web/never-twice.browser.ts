/** One sale is one document, whatever happens between the page and the server. */
import { setTimeout } from "node:timers/promises";
import type { Page, Request, Route } from "playwright-core";
import { expect, test } from "vitest";
import { chanceOf } from "../support/chance.ts";
import { type Visitor, visit } from "./support/browser.ts";
import { issuedNumber, ringUp } from "./support/hands.ts";
import { type Office, officeOf, useShop } from "./support/office.ts";

/** How often each of the four accidents happens. */
const TIMES = process.env.LACRE_ALL ? 100 : 25;

/** A session may send 1,200 requests a minute: after so many sales, which send some 500, there is a pause. */
const MAX_AT_ONCE = 25;
const PAUSE_MS = 30_000;

const chance = chanceOf(Number(process.env.LACRE_SEED ?? Date.now() % 1_000_000_000));

const home = useShop();

const isIssue = (request: Request | URL) =>
  request instanceof URL ? request.pathname === "/v1/documents" : request.method() === "POST";

/** What happens to the request that issues, once; the same request later goes its way. */
async function once(page: Page, accident: (route: Route) => Promise<unknown>): Promise<void> {
  let isOver = false;
  await page.route(isIssue, (route) => {
    if (isOver || !isIssue(route.request())) return route.continue();
    isOver = true;
    return accident(route);
  });
}

/** Sells again and again; after each sale, whatever happened to it, there must be one document more. */
async function sales(times: number, sale: (visitor: Visitor, index: number) => Promise<void>): Promise<void> {
  await visit(home.shop.url, { cookies: home.cookies }, async (visitor) => {
    const { page, context } = visitor;
    const office = officeOf(context, home.shop.url);
    const before = await count(office);
    for (let index = 0; index < times; index++) {
      if (index > 0 && index % MAX_AT_ONCE === 0) await setTimeout(PAUSE_MS);
      await page.goto("/area/new?type=FS");
      await ringUp(page, "pão");
      await sale(visitor, index);
      const issued = page.locator("section.issued");
      expect(await count(office), `sale ${index + 1}, seed ${chance.seed}`).toBe(before + index + 1);
      if (await issued.isVisible()) expect(await issuedNumber(page)).toMatch(new RegExp(`/${before + index + 1}$`));
      await page.unrouteAll({ behavior: "ignoreErrors" });
    }
    expect(await count(office)).toBe(before + times);
  });
}

/** How many documents were issued; a draft would be one that was not. */
async function count(office: Office): Promise<number> {
  const [drafts = 0, issued = 0] = await Promise.all(
    ["draft", "issued"].map(async (status) => {
      const path = `/v1/documents?limit=1&status=${status}`;
      return (await office.read<{ pagination: { total: number } }>(path)).pagination.total;
    }),
  );
  expect(drafts).toBe(0);
  return issued;
}

/** Presses the button that asks again, once the page knows that it does not know. */
async function askAgain({ page }: Visitor): Promise<void> {
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Enviar outra vez/ })
    .waitFor();
  await page.keyboard.press("Enter");
  await page.locator("section.issued").waitFor();
}

/** Takes the protection away: requests go without their key. */
async function withoutKey(route: Route): Promise<void> {
  const { "idempotency-key": _, ...headers } = await route.request().allHeaders();
  await route.fetch({ headers });
  await route.abort("connectionreset");
}

test("a double click and two Enters issue once", async () => {
  await sales(TIMES, async ({ page }) => {
    const held = Promise.withResolvers<void>();
    await once(page, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Emitir/ })
      .dblclick();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    held.resolve();
    await page.locator("section.issued").waitFor();
  });
});

test("a reload in the middle of issuing issues once", async () => {
  await sales(TIMES, async ({ page }, index) => {
    const caught = Promise.withResolvers<void>();
    const accidents: readonly ((route: Route) => Promise<unknown>)[] = [
      async () => {}, // It never leaves the machine.
      (route) => route.continue(), // It is on its way.
      (route) => route.fetch(), // It was answered, and the answer was not read.
    ];
    await once(page, async (route) => {
      await accidents[index % accidents.length]?.(route);
      caught.resolve();
    });
    await page.keyboard.press("Enter");
    await caught.promise;
    await page.reload();
    // What was not heard of is asked again, until it is. What was shown before the reload is not shown again.
    await page.waitForFunction(() => !Object.keys(sessionStorage).some((key) => key.startsWith("lacre.submission")));
    if (index % accidents.length !== 1) await page.locator("section.issued").waitFor();
  });
});

test("who types faster than the server answers is waited for", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page }) => {
    const held = Promise.withResolvers<void>();
    await page.route(/\/v1\/(series|products)\?/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto("/area/new?type=FS");
    const rung = ringUp(page, "pão");
    await setTimeout(500);
    held.resolve();
    await rung;
  });
});

test("a connection that is lost issues once", async () => {
  await sales(TIMES, async (visitor, index) => {
    const { page, context } = visitor;
    if (index % 2 === 0) {
      await once(page, async (route) => {
        await route.fetch(); // The server issued, and nobody was told.
        await route.abort("connectionreset");
      });
      await page.keyboard.press("Enter");
      await askAgain(visitor);
    } else {
      await context.setOffline(true);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").getByRole("alert").waitFor();
      await context.setOffline(false);
      await page.keyboard.press("Enter");
      await page.locator("section.issued").waitFor();
    }
  });
});

test("a server that is killed while it issues has issued once when it is back", async () => {
  await sales(TIMES, async (visitor) => {
    const { page } = visitor;
    const sent = page.waitForRequest((request) => isIssue(new URL(request.url())) && isIssue(request));
    await page.keyboard.press("Enter");
    await sent;
    await setTimeout(chance.below(20));
    await home.shop.kill();
    await home.shop.start();
    // It may have answered just before.
    const again = page.getByRole("dialog").getByRole("button", { name: /^Enviar outra vez/ });
    await again.or(page.locator("section.issued")).waitFor();
    if (await again.isVisible()) await page.keyboard.press("Enter");
    await page.locator("section.issued").waitFor();
  });
});

test("what was sent on another day is sent by nobody unasked, and given up by who has read what may be issued", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const before = await count(office);
    await page.goto("/area/new?type=FS");
    await ringUp(page, "pão");
    await once(page, (route) => route.abort("connectionreset"));
    await page.keyboard.press("Enter");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Enviar outra vez/ })
      .waitFor();
    await page.evaluate(() => {
      const [name = ""] = Object.keys(sessionStorage).filter((key) => key.startsWith("lacre.submission"));
      const kept = sessionStorage.getItem(name) ?? "";
      sessionStorage.setItem(name, kept.replace(/"issue_date":"[^"]+"/, '"issue_date":"2026-01-02"'));
    });
    await page.goto("/area/new?type=FS");
    await page.getByText("Fatura simplificada de 02/01/2026: envie outra vez").waitFor();
    await page.getByRole("button", { name: "Não enviar" }).click();
    await page.getByRole("dialog").getByText("o documento pode já ter sido emitido").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Não enviar" }).click();
    await page.getByRole("combobox", { name: /^Artigo/ }).waitFor();
    await page.reload();
    await page.getByRole("combobox", { name: /^Artigo/ }).waitFor();
    expect(await count(office)).toBe(before);
  });
});

test("without its key, the same sale is issued twice", async () => {
  await expect(
    sales(1, async (visitor) => {
      await once(visitor.page, withoutKey);
      await visitor.page.keyboard.press("Enter");
      await askAgain(visitor);
    }),
  ).rejects.toThrow(/sale 1/);
});
