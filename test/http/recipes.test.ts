/** The recipes of docs/embedding.md for frameworks: each is run as it stands there, and short. */
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import type { NestExpressApplication } from "@nestjs/platform-express";
import type { Express } from "express";
import type { FastifyInstance } from "fastify";
import type { Hono } from "hono";
import { createHandler, type HandlerOptions } from "lacre/http";
import { nodeListener } from "lacre/node";
import { openInMemory } from "lacre/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

const DIRECTORY = "build/recipes";
beforeAll(() => mkdirSync(DIRECTORY, { recursive: true }));
afterAll(() => rmSync(DIRECTORY, { recursive: true, force: true }));

/** The first `ts` block below a heading of docs/embedding.md. */
function recipeOf(heading: string): string {
  const [, section = ""] = readFileSync("docs/embedding.md", "utf8").split(`\n#### ${heading}\n`);
  return /^```ts\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? "";
}

interface Page {
  /** What the recipe calls its program. */
  readonly exports: string;
  /** Adds a page and a form of the host, after the recipe, and gives a listener for all of it. */
  serve(program: never): RequestListener | Promise<RequestListener>;
}

const FRAMEWORKS: Readonly<Record<string, Page>> = {
  Express: {
    exports: "expressApp",
    serve: (app: Express) => app.get("/", (_, response) => void response.send("Pão")),
  },
  Fastify: {
    exports: "fastifyApp",
    async serve(app: FastifyInstance) {
      onTestFinished(() => app.close());
      app.get("/", async () => "Pão");
      app.post("/echo", async ({ body }) => body);
      await app.ready();
      return (request, response) => app.routing(request, response);
    },
  },
  Hono: {
    exports: "honoApp",
    serve: (app: Hono) => getRequestListener(app.get("/", (c) => c.text("Pão")).fetch),
  },
  "Next.js": {
    exports: "{ GET: route, POST: route }",
    // Next itself weighs 340 MB: of it stands here only that it calls a route's functions with a Request.
    serve(route: Readonly<Record<string, (request: Request, more: object) => Promise<Response>>>) {
      return getRequestListener(async (request) => {
        if (new URL(request.url).pathname === "/") return new Response("Pão");
        return (await route[request.method]?.(request, { params: Promise.resolve({}) })) ?? Response.error();
      });
    },
  },
  NestJS: {
    exports: "nestApp",
    async serve(app: NestExpressApplication) {
      onTestFinished(() => app.close());
      await app.init();
      return app.getHttpAdapter().getInstance() as Express;
    },
  },
};

/** Runs a recipe over an instance of its own, in the place of the page's `billing`. */
async function served(heading: string, options: HandlerOptions = {}) {
  const instance = await openInMemory();
  onTestFinished(() => instance.lacre.close());
  const billing = createHandler(instance.lacre, { basePath: "/billing", ...options });
  const page = FRAMEWORKS[heading] as Page;
  const file = join(process.cwd(), DIRECTORY, `${heading.replace(/\W/g, "-")}.ts`);
  Object.assign(globalThis, { given: { billing, billingListener: nodeListener(billing) } });
  const given = "const { billing, billingListener } = (globalThis as any).given;";
  writeFileSync(file, `${given}\n${recipeOf(heading)}\nexport const program = ${page.exports};\n`);
  const { program } = await import(/* @vite-ignore */ file);
  const server = createServer(await page.serve(program as never));
  onTestFinished(() => void server.close().closeAllConnections());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { ...instance, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe.each(Object.keys(FRAMEWORKS))("%s", (heading) => {
  test("takes fewer than ten lines", () => {
    const lines = recipeOf(heading)
      .split("\n")
      .filter((line) => line.trim() !== "");
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThan(10);
  });

  test("serves the API, its pages and files below the path, beside pages of the host", async () => {
    const { url, api_key, company, series } = await served(heading);
    const authorization = `Bearer ${api_key}`;
    const get = (path: string) => fetch(`${url}${path}`, { headers: { authorization } });
    const post = (path: string, body: string) =>
      fetch(`${url}${path}`, { method: "POST", headers: { authorization, "content-type": "application/json" }, body });

    expect((await get("/billing/v1/me")).status).toBe(200);
    expect((await fetch(`${url}/billing/v1/me`)).status).toBe(401);
    expect((await get("/billing/docs")).status).toBe(200);
    const made = await post("/billing/v1/customers", '{"name":"Ana Conceição"}');
    const { id } = (await made.json()) as { id: string };
    expect([made.status, made.headers.get("location")]).toEqual([201, `/billing/v1/customers/${id}`]);
    expect((await company.customers.get({ id })).name).toBe("Ana Conceição");

    const { id: invoice_id } = await company.documents.create({
      doc_type: "FT",
      series_id: series.FT,
      issue_date: new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Lisbon" }),
      customer_id: id,
      lines: [{ description: "Pão", qty: 1, unit_price_net: 1, tax_rate: 6 }],
      issue: true,
    });
    const pdf = await get(`/billing/v1/documents/${invoice_id}/pdf`);
    expect(
      Buffer.from(await pdf.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe("%PDF-");
    const cancelled = await post(`/billing/v1/documents/${invoice_id}/cancel`, '{"reason":"Engano"}');
    expect(await cancelled.json()).toMatchObject({ status: "cancelled", cancel_reason: "Engano" });

    const twice = await post("/billing/v1/customers", '{"name":"Ana","name":"Rui"}');
    expect(twice.status).toBe(400);
    const nothing = await get("/billing/v1/none");
    expect([nothing.status, await nothing.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
    const own = await (await fetch(url)).text();
    if (heading === "NestJS")
      expect(JSON.parse(own)).toMatchObject({ message: "Cannot GET /" }); // its module is empty
    else expect(own).toBe("Pão");
    if (heading === "Fastify") expect(await (await post("/echo", '{"a":1}')).json()).toEqual({ a: 1 });
  });
});
