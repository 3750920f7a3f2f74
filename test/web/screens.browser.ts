/**
 * Every screen in every state: nothing that axe finds, nothing too wide, no value cut off, no focus that is not seen.
 * Each screen and state is looked at once, in one of the languages, schemes and widths; with --all in each of them.
 */
import { mkdirSync } from "node:fs";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibility, coveredFocus, overflow } from "./support/audit.ts";
import { type Bakery, fillBakery } from "./support/bakery.ts";
import { type Cookies, type Look, type Visitor, visit } from "./support/browser.ts";
import { addUser, confirm, emptyCompany, openOffice } from "./support/office.ts";
import { openShop, type Shop } from "./support/shop.ts";

const ALL = process.env.LACRE_ALL !== undefined;

/** A folder for a picture of each; none are taken without it. */
const PICTURES = process.env.LACRE_PICTURES;

const WIDTHS = [1280, 390, 1920, 320] as const;

const LOOKS = [
  { language: "pt", scheme: "light" },
  { language: "en", scheme: "dark" },
  { language: "pt", scheme: "dark" },
  { language: "en", scheme: "light" },
] as const satisfies readonly Look[];

const STATES = ["full", "empty", "loading", "error", "offline", "forbidden"] as const;
type State = (typeof STATES)[number];

interface Screen {
  readonly name: string;
  readonly path: (bakery: Bakery) => string;
  /** What is done there before it is looked at: a dialog is opened. */
  readonly act?: (page: Page) => Promise<void>;
  /** The role that may not see it. */
  readonly forbidden?: "cashier" | "accountant";
  /** Seen by nobody who is signed in. */
  readonly signedOut?: boolean;
}

const press = (key: string) => async (page: Page) => page.keyboard.press(key);
const click = (name: RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();

const writeLines =
  (...lines: readonly string[]) =>
  async (page: Page) => {
    await page.waitForFunction(() => document.activeElement?.id === "product-field");
    for (const typed of lines) {
      await page.keyboard.type(typed);
      await press("Enter")(page);
    }
    await page
      .locator("table tbody tr")
      .nth(lines.length - 1)
      .waitFor();
  };

const SCREENS: readonly Screen[] = [
  { name: "home", path: () => "/" },
  { name: "new", path: () => "/new?type=FS", forbidden: "accountant" },
  { name: "new, with lines", path: () => "/new?type=FT", act: writeLines("3*PAO", "MEL-NOZ-500", "1250*BOLO") },
  {
    name: "new, issuing",
    path: () => "/new?type=FS",
    async act(page) {
      await writeLines("3*PAO", "12*NATA")(page);
      await press("Control+Enter")(page);
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "new, from a draft", path: ({ draft_id }) => `/new?draft=${draft_id}` },
  { name: "new, a credit note", path: ({ invoice_id }) => `/new?type=NC&from=${invoice_id}` },
  { name: "new, transport", path: () => "/new?type=GT" },
  { name: "documents", path: () => "/documents" },
  { name: "document", path: ({ invoice_id }) => `/documents/${invoice_id}` },
  { name: "draft", path: ({ draft_id }) => `/documents/${draft_id}` },
  { name: "payments", path: () => "/payments" },
  { name: "customers", path: () => "/customers" },
  { name: "customer", path: ({ customer_id }) => `/customers/${customer_id}` },
  { name: "customer, new", path: () => "/customers", act: click(/^(Novo cliente|New customer)/) },
  { name: "products", path: () => "/products" },
  { name: "product, new", path: () => "/products", act: click(/^(Novo artigo|New product)/) },
  { name: "series", path: () => "/series" },
  { name: "tax file", path: () => "/saft", forbidden: "cashier" },
  { name: "settings", path: () => "/settings", forbidden: "cashier" },
  { name: "e-mail", path: () => "/mail", forbidden: "accountant" },
  { name: "import", path: () => "/import", forbidden: "cashier" },
  { name: "users", path: () => "/users", forbidden: "accountant" },
  { name: "user, invited", path: () => "/users", act: click(/^(Convidar|Invite)/) },
  { name: "keys", path: () => "/keys", forbidden: "accountant" },
  { name: "key, new", path: () => "/keys", act: click(/^(Nova chave|New key)/) },
  { name: "state", path: () => "/state", forbidden: "cashier" },
  { name: "account", path: () => "/account" },
  { name: "sign-in", path: () => "/", signedOut: true },
  { name: "a link that ended", path: () => "/invitation#gone", signedOut: true },
];

let shop: Shop;
let bakery: Bakery;
let empty_id: string;
const cookies: Partial<Record<"owner" | "cashier" | "accountant", Cookies>> = {};

beforeAll(async () => {
  shop = await openShop();
  cookies.owner = await visit(shop.url, {}, async ({ context }) => {
    const office = await openOffice(context, shop);
    bakery = await fillBakery(office, { hasLarge: true });
    await confirm(office);
    await office.send("POST", "/area/v1/keys", { name: "Loja online", scopes: ["documents:read", "documents:write"] });
    await office.send("POST", "/area/v1/users/invitations", { login: "novo.colaborador@padaria.pt", role: "cashier" });
    empty_id = await emptyCompany(office);
    return context.cookies();
  });
  for (const role of ["cashier", "accountant"] as const) cookies[role] = await addUser(shop, cookies.owner, role);
});
afterAll(() => shop.close());

/** What is looked at: a screen in a state. */
interface Cell {
  readonly screen: Screen;
  readonly state: State;
}

/** States that a screen can be in. */
function statesOf({ act, forbidden, signedOut }: Screen): readonly State[] {
  if (signedOut) return ["full"];
  if (act) return ["full"];
  return STATES.filter((state) => state !== "forbidden" || forbidden !== undefined);
}

const CELLS: readonly Cell[] = SCREENS.flatMap((screen) => statesOf(screen).map((state) => ({ screen, state })));

const isData = (url: URL) => /^\/(area\/)?v1\//.test(url.pathname) && url.pathname !== "/area/v1/session";

const FAILED = {
  error: { code: "internal_error", message: "Algo correu mal; tente outra vez. (Something went wrong.)" },
};

const ACCIDENTS: Partial<Record<State, (route: Route) => Promise<unknown>>> = {
  loading: async () => {},
  error: (route) => route.fulfill({ status: 500, json: FAILED }),
  offline: (route) => route.abort("internetdisconnected"),
};

/** Brings the page to a screen in a state. */
async function bring({ page }: Visitor, { screen, state }: Cell): Promise<void> {
  const accident = ACCIDENTS[state];
  if (accident) await page.route(isData, accident);
  await page.goto(`/area${screen.path(bakery)}`);
  await page.locator("main h1, main .notice").first().waitFor();
  if (state === "loading") return;
  await page.waitForFunction(() => !document.querySelector("main [aria-busy=true], main .loading"));
  await screen.act?.(page);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}

/** What is wrong there, in each of these widths. */
async function look(visitor: Visitor, cell: Cell, name: string, widths: readonly number[]): Promise<string[]> {
  const { page } = visitor;
  const problems: string[] = [];
  try {
    await bring(visitor, cell);
  } catch (error) {
    problems.push(`${name}: ${error}`);
  }
  for (const width of widths) {
    await page.setViewportSize({ width, height: width < 600 ? 800 : 900 });
    const found = [...(await overflow(page)), ...(await accessibility(page))];
    if (cell.state === "full") found.push(...(await coveredFocus(page)));
    problems.push(...found.map((problem) => `${name}, ${width} px: ${problem}`));
    if (PICTURES) {
      const path = `${PICTURES}/${name.replaceAll(/[^\p{L}]+/gu, "-")}-${width}.png`;
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({ path, fullPage: !cell.screen.act });
    }
  }
  await page.unrouteAll({ behavior: "ignoreErrors" });
  return problems;
}

/** Whose browser, and which company, shows a cell. */
const seatOf = ({ screen, state }: Cell) =>
  screen.signedOut ? "nobody" : state === "forbidden" ? (screen.forbidden ?? "owner") : "owner";

test.each(LOOKS.map((one, index) => ({ ...one, index })))(
  "every screen and state in $language, $scheme",
  async ({ language, scheme, index }) => {
    if (PICTURES) mkdirSync(PICTURES, { recursive: true });
    const mine = CELLS.map((cell, at) => ({ ...cell, at })).filter(({ at }) => ALL || at % LOOKS.length === index);
    const problems: string[] = [];
    for (const seat of ["owner", "cashier", "accountant", "nobody"] as const) {
      for (const isEmpty of [false, true]) {
        const cells = mine.filter((cell) => seatOf(cell) === seat && (cell.state === "empty") === isEmpty);
        if (cells.length === 0) continue;
        await visit(
          shop.url,
          { language, scheme, cookies: seat === "nobody" ? [] : (cookies[seat] ?? []) },
          async (visitor) => {
            visitor.allow("500", "404 /area/v1/invitations/look");
            if (isEmpty) {
              await visitor.context.addInitScript((id) => localStorage.setItem("lacre.company", id), empty_id);
              visitor.allow("404");
            }
            for (const cell of cells) {
              const widths = ALL ? WIDTHS : [WIDTHS[(cell.at >> 2) % WIDTHS.length] as number];
              const name = [cell.screen.name, cell.state, language, scheme].join(", ");
              problems.push(...(await look(visitor, cell, name, widths)));
            }
          },
        );
      }
    }
    expect(problems).toEqual([]);
  },
);

/** A page on which everything is wrong that is looked for. */
const BAD = `<html lang="pt"><title>Mau</title><main><h1>Mau</h1>
  <p style="color:#bbb;background:#fff">Quase não se lê</p>
  <input aria-label="Valor" value="1 234 567,89" style="width:3rem">
  <div style="width:3000px;height:1px"></div>
  <button style="margin-top:2rem">Emitir</button>
  <div style="position:fixed;inset:auto 0 0;height:95vh;background:#fff">Uma barra</div></main>`;

test("the searched faults would be found", async () => {
  await visit(shop.url, {}, async ({ page }) => {
    await page.setContent(BAD);
    expect(await accessibility(page)).toEqual([expect.stringMatching(/^color-contrast/)]);
    expect(await overflow(page)).toEqual([
      expect.stringMatching(/^the page is 30\d\d wide on 1280/),
      expect.stringMatching(/^clipped .* input "1 234 567,89"/),
    ]);
    expect(await coveredFocus(page)).toContainEqual(expect.stringMatching(/^covered focus: <button/));
  });
});
