/** Lacre inside a fetch-style server: anything that turns a Request into a Response can hold it. */
import { openLacre } from "lacre";
import { createHandler } from "lacre/http";
import { sqlite } from "lacre/sqlite";

const lacre = await openLacre({ dialect: sqlite(":memory:") });
const company = await lacre.companies.create({ name: "Loja", tax_id: "500000000" });
const { api_key } = await lacre.keys.create({ company_id: company.id, name: "web", scopes: ["customers:read"] });

const invoices = createHandler(lacre);

/** The shape that Hono, Bun, Deno and service workers share. */
const shop = {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    return pathname.startsWith("/v1/") ? invoices(request) : new Response("Bread, and invoices under /v1.\n");
  },
};

const authorization = `Bearer ${api_key}`;
const page = await shop.fetch(new Request("http://shop.example/"));
const me = await shop.fetch(new Request("http://shop.example/v1/me", { headers: { authorization } }));
console.log(await page.text(), await me.json());
await lacre.close();
