/** Chromium, and a visitor who notes everything the page should not do. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

/** Debian's; another may be named. */
const CHROMIUM = process.env.LACRE_CHROMIUM ?? "/usr/bin/chromium";

/** `loja.pt` is a proxy of a test's own. Whatever else leaves the machine goes to no host, fails, and is noted. */
const ONLY_THIS_HOST = "MAP loja.pt 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";

/** How long a step is waited for, on a machine that has other things to do. */
const PATIENCE_MS = Number(process.env.LACRE_PATIENCE_MS ?? 120_000);

let running: Promise<Browser> | undefined;

/** The one browser of this process. */
export function browser(): Promise<Browser> {
  running ??= chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=${ONLY_THIS_HOST}`,
    ],
  });
  return running;
}

export interface Look {
  readonly language?: "pt" | "en";
  readonly scheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  /** The cookies of somebody who is signed in. */
  readonly cookies?: Cookies;
}

export type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;

/** Someone at a browser of their own, without cookies at first. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page should not do: ask another host, fail, breach the policy, be refused. */
  readonly faults: string[];
  /** Every address that was asked for. */
  readonly asked: string[];
  /** Says that answers with a status are wanted, everywhere or at a path: `"500"`, `"401 /area/v1/session"`. */
  allow(...answers: readonly string[]): void;
}

/** Lets someone visit a site; fails if the page did anything it should not. */
export async function visit<Value>(
  url: string,
  { language = "pt", scheme = "light", width = 1280, height = 900, cookies = [] }: Look,
  stay: (visitor: Visitor) => Promise<Value>,
): Promise<Value> {
  const context = await (await browser()).newContext({
    baseURL: url,
    ignoreHTTPSErrors: url.startsWith("https:"), // Certificates of a test's own.
    locale: language === "pt" ? "pt-PT" : "en-GB",
    timezoneId: "Europe/Lisbon",
    colorScheme: scheme,
    viewport: { width, height },
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addCookies(cookies);
  const visitor: Visitor = {
    context,
    page: await context.newPage(),
    faults: [],
    asked: [],
    allow(...answers) {
      for (const answer of answers) allowed.add(answer);
    },
  };
  // Not signed in, the page is told so when it asks who is.
  const allowed = new Set([`401 ${new URL(`${url}/area/v1/session`).pathname}`]);
  watch(context, url, visitor, allowed);
  try {
    const value = await stay(visitor);
    expect(visitor.faults).toEqual([]);
    return value;
  } catch (error) {
    // What was on the screen tells more than the error; it is named in the output.
    const picture = join(tmpdir(), `lacre-web-failed-${Date.now()}.png`);
    await visitor.page.screenshot({ path: picture }).then(
      () => console.error(`The screen when it failed: ${picture}`, visitor.faults),
      () => {},
    );
    throw error;
  } finally {
    await context.close();
  }
}

function watch(context: BrowserContext, url: string, { faults, asked, page }: Visitor, allowed: ReadonlySet<string>) {
  context.on("request", (request) => {
    asked.push(request.url());
    if (!isOwn(request.url(), url)) faults.push(`a request to ${request.url()}`);
  });
  context.on("response", (answer) => {
    const { pathname } = new URL(answer.url());
    const status = String(answer.status());
    if (answer.status() >= 400 && !allowed.has(status) && !allowed.has(`${status} ${pathname}`)) {
      faults.push(`${answer.request().method()} ${pathname} answered ${answer.status()}`);
    }
  });
  const heed = (one: Page) => {
    one.on("pageerror", (error) => faults.push(`an error: ${error.stack ?? error}`));
    one.on("console", (message) => {
      // What failed to load is known from its answer.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        faults.push(`the console: ${message.text()}`);
      }
    });
  };
  heed(page);
  context.on("page", heed);
}

/** Whether an address lies in the site, in the memory of the page, or in the browser (its reader of PDF). */
const isOwn = (address: string, url: string) =>
  address.startsWith(`${url}/`) || /^(data|blob|about|chrome|chrome-extension):/.test(address);

/** Follows the keyboard: presses Tab until the focus is on what bears this name. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (name.test(await focusName(page))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never came to ${name}; it is on "${await focusName(page)}".`);
}

/** What a reader would call the element that has the focus. */
export function focusName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const at = document.activeElement;
    if (!at || at === document.body) return "";
    const labels = at instanceof HTMLInputElement || at instanceof HTMLSelectElement ? [...(at.labels ?? [])] : [];
    const named = at.getAttribute("aria-label") ?? labels.map((label) => label.textContent).join(" ");
    return (named || at.textContent || "").trim();
  });
}
