/** What guards a session in a real browser: the cookie, the policy, the way out, and who may send. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillBakery } from "./support/bakery.ts";
import { type Cookies, visit } from "./support/browser.ts";
import { OWNER } from "./support/hands.ts";
import { officeOf, openOffice } from "./support/office.ts";
import { openShop, type Shop } from "./support/shop.ts";

let shop: Shop;
let cookies: Cookies;
let draft_id: string;
beforeAll(async () => {
  shop = await openShop();
  cookies = await visit(shop.url, {}, async ({ context }) => {
    ({ draft_id } = await fillBakery(await openOffice(context, shop)));
    return context.cookies();
  });
});
afterAll(() => shop.close());

const titleOf = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

test("no script reads the session's cookie", async () => {
  await visit(shop.url, { cookies }, async ({ page, context }) => {
    await page.goto("/area/customers");
    await titleOf(page, "Clientes").waitFor(); // It is sent.
    expect((await context.cookies()).map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
      ["lacre_session", true, "Strict"],
      ["lacre_device", true, "Strict"],
    ]);
    expect(await page.evaluate(() => document.cookie)).toBe("");
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noDocumentCookie: the cookie that a script could read, for comparison.
      document.cookie = "seen=1";
    });
    expect(await page.evaluate(() => document.cookie)).toBe("seen=1");
  });
});

/** Puts a script into the page as somebody would who found a hole in it, and tells whether it ran. */
async function inject(page: Page, hasPolicy: boolean): Promise<boolean> {
  await page.route("**/area/customers", async (route) => {
    const answer = await route.fetch();
    const { "content-security-policy": policy = "", ...others } = answer.headers();
    const headers = hasPolicy ? { ...others, "content-security-policy": policy } : others;
    const body = (await answer.text()).replace("</body>", "<script>globalThis.injected = true</script></body>");
    await route.fulfill({ status: 200, headers, body });
  });
  await page.goto("/area/customers");
  await titleOf(page, "Clientes").waitFor();
  return page.evaluate(() => "injected" in globalThis);
}

test("a script that somebody put into the page does not run", async () => {
  await visit(shop.url, { cookies }, async ({ page, faults }) => {
    expect(await inject(page, true)).toBe(false);
    expect(faults.splice(0)).toEqual([expect.stringContaining("Content Security Policy")]);
  });
});

test("without the policy it runs", async () => {
  await visit(shop.url, { cookies }, async ({ page }) => {
    expect(await inject(page, false)).toBe(true);
  });
});

test("no text becomes an element", async () => {
  await visit(shop.url, { cookies }, async ({ page, faults }) => {
    const write = () =>
      page.evaluate(() => {
        document.body.innerHTML = "<p>x</p>";
      });
    await page.goto("/area/customers");
    await expect(write()).rejects.toThrow("TrustedHTML");
    expect(faults.splice(0)).toEqual([expect.stringContaining("TrustedHTML")]);
    await page.goto("about:blank");
    await write();
  });
});

/** What somebody sees who stole these cookies. */
const withStolen = (stolen: Cookies): Promise<string> =>
  visit(shop.url, { cookies: stolen }, async ({ context }) => {
    const read = officeOf(context, shop.url).read("/v1/customers");
    return read.then(
      () => "the customers",
      (error: Error) => error.message,
    );
  });

test("signing out ends the session, and going back shows nothing", async () => {
  await visit(shop.url, {}, async ({ page, context }) => {
    await page.goto("/area");
    await titleOf(page, "Entrar").waitFor();
    await page.keyboard.type(OWNER.login);
    await page.keyboard.press("Tab");
    await page.keyboard.type(OWNER.password);
    await page.keyboard.press("Enter");
    await titleOf(page, "Olá").waitFor();
    await page.getByRole("link", { name: "Clientes", exact: true }).click();
    await page.getByRole("rowheader", { name: "Rui Tavares" }).waitFor();
    await page.getByRole("link", { name: "Artigos", exact: true }).click();
    await titleOf(page, "Artigos").waitFor();
    const stolen = await context.cookies();
    expect(await withStolen(stolen)).toBe("the customers");

    await page.getByRole("button", { name: "Terminar sessão" }).click();
    await titleOf(page, "Entrar").waitFor();
    expect(await withStolen(stolen)).toMatch(/answered 401/);
    // What tells that this browser logged in before stays: it opens nothing.
    expect((await context.cookies()).map(({ name }) => name)).toEqual(["lacre_device"]);
    for (let steps = 0; steps < 2; steps++) {
      await page.goBack();
      await titleOf(page, "Entrar").waitFor();
      expect(await page.locator("body").textContent()).not.toContain("Rui Tavares");
    }
  });
});

/** Another program of the same machine, whose page sends the shop's own order to issue as soon as it is opened. */
async function openTrap(): Promise<{ readonly url: string; close(): void }> {
  const action = `${shop.url}/v1/documents/${draft_id}/issue`;
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<form method="post" action="${action}"></form><script>document.forms[0].submit()</script>`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Walks into the trap; answers the status of what it sent, and what became of the draft. */
async function walkIn(disguise?: (route: Route) => Promise<void>): Promise<readonly [number, string]> {
  const trap = await openTrap();
  try {
    return await visit(trap.url, { cookies }, async ({ page, context, faults }) => {
      if (disguise) await context.route(/\/issue$/, disguise);
      const answered = page.waitForResponse(/\/issue$/);
      await page.goto("/", { waitUntil: "commit" });
      const answer = await answered;
      expect(await answer.request().headerValue("cookie")).toContain("lacre_session"); // The same site, for a cookie.
      faults.splice(0); // It asks another host: that is the trap.
      const { status } = await officeOf(context, shop.url).read<{ status: string }>(`/v1/documents/${draft_id}`);
      return [answer.status(), status];
    });
  } finally {
    trap.close();
  }
}

test("the page of another port issues nothing", async () => {
  expect(await walkIn()).toEqual([403, "draft"]);
});

test("it would, if the browser said that it is ours", async () => {
  const disguise = async (route: Route) => {
    const headers = { ...route.request().headers(), "sec-fetch-site": "same-origin", origin: shop.url };
    await route.fulfill({ response: await route.fetch({ headers }) });
  };
  expect(await walkIn(disguise)).toEqual([200, "issued"]);
});
