/** The page's calls without the page: what a test needs before it looks at a screen, and counts after. */
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { type Cookies, visit } from "./browser.ts";
import { OWNER } from "./hands.ts";
import { openShop, type Shop } from "./shop.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Somebody who is signed in. Each call throws if it is refused. */
export interface Office {
  read<Answer>(path: string): Promise<Answer>;
  /** `company_id` where the person has several companies. */
  send<Answer>(method: "POST" | "PATCH" | "DELETE", path: string, body?: Fields, company_id?: string): Promise<Answer>;
}

/** Calls with the cookies of a browser. */
export function officeOf(context: BrowserContext, url: string): Office {
  const call = async <Answer>(method: string, path: string, body?: Fields, company_id?: string) => {
    const headers = { origin: url, ...(company_id && { "lacre-company": company_id }) };
    const answer = await context.request.fetch(url + path, { method, headers, ...(body && { data: body }) });
    const text = await answer.text();
    if (!answer.ok()) throw new Error(`${method} ${path} answered ${answer.status()}: ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  };
  return { read: (path) => call("GET", path), send: call };
}

const COMPANY = {
  name: "Padaria Central, Lda.",
  tax_id: "500000000",
  address: "Rua da Prata 1",
  postal_code: "1100-413",
  city: "Lisboa",
};

/** Uses the set-up link: an owner who is signed in in this browser, a company, its series with codes or without. */
export async function openOffice(context: BrowserContext, shop: Shop, { registers = true } = {}): Promise<Office> {
  const office = officeOf(context, shop.url);
  const token = new URL(shop.setUpLink).hash.slice(1);
  await office.send("POST", "/area/v1/invitations/accept", { token, ...OWNER });
  await office.send("POST", "/area/v1/companies", COMPANY);
  const { data } = await office.read<{ data: readonly { id: string; doc_type: string }[] }>("/v1/series?limit=200");
  for (const { id, doc_type } of registers ? data : []) {
    await office.send("PATCH", `/v1/series/${id}`, { validation_code: `AAJ${doc_type}VT54Q` });
  }
  return office;
}

/** Opens a shop whose owner has an account, a company, series with codes, and bread to sell. */
export async function furnish(shop: Shop): Promise<Cookies> {
  return visit(shop.url, {}, async ({ context }) => {
    const office = await openOffice(context, shop);
    await office.send("POST", "/v1/products", { name: "Pão de Mafra", unit_price_gross: 1.15, tax_rate: 6 });
    return context.cookies();
  });
}

/** Types the owner's password again: keys and users may be changed for a while. */
export async function confirm(office: Office): Promise<void> {
  await office.send("POST", "/area/v1/session/confirm", { password: OWNER.password });
}

/** Another company of the owner, with nothing in it. Answers its id. */
export async function emptyCompany(office: Office): Promise<string> {
  const { id } = await office.send<{ id: string }>("POST", "/area/v1/companies", {
    name: "Tudo Por Estrear, Unipessoal, Lda.",
    tax_id: "509442013",
  });
  return id;
}

/** Lets the owner invite somebody, who accepts. */
export async function addUser(shop: Shop, owner: Cookies, role: "cashier" | "accountant"): Promise<Cookies> {
  const link_path = await visit(shop.url, { cookies: owner }, async ({ context }) => {
    const office = officeOf(context, shop.url);
    await confirm(office);
    const { companies } = await office.read<{ companies: readonly { id: string }[] }>("/area/v1/session");
    const invited = { login: `${role}@padaria.pt`, role };
    const path = "/area/v1/users/invitations";
    return (await office.send<{ link_path: string }>("POST", path, invited, companies[0]?.id)).link_path;
  });
  return visit(shop.url, {}, async ({ context }) => {
    const person = { name: role === "cashier" ? "Carla Neves" : "Duarte Pires", password: OWNER.password };
    const accepted = { token: link_path.split("#")[1], ...person };
    await officeOf(context, shop.url).send("POST", "/area/v1/invitations/accept", accepted);
    return context.cookies();
  });
}

/** A furnished shop for the tests of a file, and its owner's cookies: open before the first, closed after the last. */
export function useShop(): { readonly shop: Shop; readonly cookies: Cookies } {
  const own = {} as { shop: Shop; cookies: Cookies };
  beforeAll(async () => {
    own.shop = await openShop();
    own.cookies = await furnish(own.shop);
  });
  afterAll(() => own.shop.close());
  return own;
}
