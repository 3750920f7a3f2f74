/**
 * Lacre inside Express, Fastify and a Fetch-style server, as docs/embedding.md shows it, and with bodies already read.
 */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import fastify from "fastify";
import type { LogEntry } from "lacre";
import { createHandler, type HandlerOptions, readViewer } from "lacre/http";
import { nodeListener } from "lacre/node";
import { openInMemory } from "lacre/testing";
import { expect, onTestFinished, test } from "vitest";

async function open(options: HandlerOptions = {}) {
  const log: LogEntry[] = [];
  const instance = await openInMemory({ log: (entry) => log.push(entry) });
  onTestFinished(() => instance.lacre.close());
  const handler = createHandler(instance.lacre, options);
  return { ...instance, log, handler, listener: nodeListener(handler) };
}

type Instance = Awaited<ReturnType<typeof open>>;

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Asks with the instance's key; the status and what was answered. */
async function ask({ api_key }: Instance, url: string, method = "GET", body?: object | string) {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${api_key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const { error, ...rest } = answer.headers.get("content-type")?.includes("json")
    ? JSON.parse(text)
    : { error: undefined };
  return { status: answer.status, error, headers: answer.headers, body: rest };
}

/** Issues an invoice and cancels it over HTTP; the answer to the cancelling, and the reason that was kept. */
async function cancelled(instance: Instance, url: string, body: object | string = { reason: "Engano" }) {
  const { company, series } = instance;
  const { id: customer_id } = await company.customers.create({ name: "Ana" });
  const { id } = await company.documents.create({
    doc_type: "FT",
    series_id: series.FT,
    issue_date: new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Lisbon" }),
    customer_id,
    lines: [{ description: "Pão", qty: 1, unit_price_net: 1, tax_rate: 6 }],
    issue: true,
  });
  const answer = await ask(instance, `${url}/v1/documents/${id}/cancel`, "POST", body);
  const { status, cancel_reason } = await company.documents.get({ id });
  return { answered: answer.status, error: answer.error, status, cancel_reason };
}

const kept = { answered: 200, error: undefined, status: "cancelled", cancel_reason: "Engano" };

test("Express: mounted on its paths, beside pages of the host", async () => {
  const instance = await open();
  const app = express();
  app.use(["/v1", "/docs", "/openapi.json"], instance.listener);
  app.get("/", (_, answer) => void answer.send("Pão"));
  const url = await listening(createServer(app));
  expect((await ask(instance, `${url}/v1/me`)).status).toBe(200);
  expect((await ask(instance, `${url}/docs`)).status).toBe(200);
  expect(await (await fetch(url)).text()).toBe("Pão");
  expect(await cancelled(instance, url)).toEqual(kept);
});

test("Express: mounted below a path of its own, with addresses below it", async () => {
  const instance = await open({ basePath: "/billing" });
  const app = express().use("/billing", instance.listener);
  const url = `${await listening(createServer(app))}/billing`;
  const made = await ask(instance, `${url}/v1/customers`, "POST", { name: "Ana" });
  expect([made.status, made.headers.get("location")]).toEqual([201, `/billing/v1/customers/${made.body.id}`]);
  expect(await cancelled(instance, url)).toEqual(kept);
});

test.each<[string, express.RequestHandler]>([
  ["express.json()", express.json()],
  ["express.text()", express.text({ type: "*/*" })],
  ["express.raw()", express.raw({ type: "*/*" })],
  [
    "a parser that keeps the bytes in rawBody",
    express.json({ verify: (request, _, bytes) => void Object.assign(request, { rawBody: bytes }) }),
  ],
])("after %s the body is taken from where it was put", async (_, parser) => {
  const instance = await open();
  const url = await listening(createServer(express().use(parser, instance.listener)));
  expect(await cancelled(instance, url)).toEqual(kept);
  expect(await cancelled(instance, url, { reason: 7 })).toMatchObject({ answered: 400, status: "issued" });
  const bare = await ask(instance, `${url}/v1/customers`, "POST");
  expect([bare.status, bare.error.message]).toEqual([400, "name: is required"]);
});

test("what a parser keeps as bytes or text is read as strictly as ever", async () => {
  const instance = await open();
  const twice = '{"reason":"Engano","reason":"Outro"}';
  for (const parser of [express.text({ type: "*/*" }), express.raw({ type: "*/*" })]) {
    const url = await listening(createServer(express().use(parser, instance.listener)));
    expect(await cancelled(instance, url, twice)).toMatchObject({ answered: 400, status: "issued" });
  }
});

test("a body that was read and left nowhere is refused by name, and nothing happens; so is one of a Request", async () => {
  const instance = await open();
  const reading: RequestListener = async (request, response) => {
    for await (const _ of request);
    instance.listener(request, response);
  };
  const url = await listening(createServer(reading));
  const message =
    "The program around Lacre read the body and did not pass it on; it must leave it unread, or in req.body.";
  const refused = { answered: 500, error: { code: "internal_error", message }, status: "issued" };
  expect(await cancelled(instance, url)).toMatchObject(refused);
  expect(instance.log.filter(({ event }) => event === "internal_error")).toMatchObject([
    { stack: expect.stringContaining(message) },
  ]);
  expect((await ask(instance, `${url}/v1/me`)).status).toBe(200); // the control: there was nothing to read

  const request = new Request("http://lacre.test/v1/customers", {
    method: "POST",
    headers: { authorization: `Bearer ${instance.api_key}`, "content-type": "application/json" },
    body: '{"name":"Ana"}',
  });
  await request.json();
  expect(await (await instance.handler(request)).json()).toEqual({ error: { code: "internal_error", message } });
});

test("Fastify: with its own parsers switched off for Lacre's paths; with them a body is refused by name", async () => {
  const instance = await open();
  const app = fastify();
  onTestFinished(() => app.close());
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    for (const path of ["/v1/*", "/docs", "/docs/*", "/openapi.json"]) {
      scope.all(path, (request, reply) => {
        reply.hijack();
        instance.listener(request.raw, reply.raw);
      });
    }
  });
  app.all("/parsed/*", (request, reply) => {
    reply.hijack();
    instance.listener(Object.assign(request.raw, { url: request.url.replace("/parsed", "") }), reply.raw);
  });
  app.get("/", async () => "Pão");
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  expect((await ask(instance, `${url}/v1/me`)).status).toBe(200);
  expect((await ask(instance, `${url}/docs/viewer.css`)).status).toBe(200);
  expect(await (await fetch(url)).text()).toBe("Pão");
  expect(await cancelled(instance, url)).toEqual(kept);
  expect(await cancelled(instance, `${url}/parsed`)).toMatchObject({ answered: 500, status: "issued" });
});

test("below a base path nothing else is found, and the pages and the description lead there", async () => {
  const { lacre, handler, api_key } = await open({ basePath: "/a/billing" });
  const get = (path: string) =>
    handler(new Request(`http://lacre.test${path}`, { headers: { authorization: `Bearer ${api_key}` } }));
  expect((await get("/a/billing/v1/me")).status).toBe(200);
  for (const path of ["/v1/me", "/a/v1/me", "/a/billingv1/me", "/a/billing", "/a/billing//v1/me", "/b/billing/v1/me"]) {
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  }
  const page = await (await get("/a/billing/docs")).text();
  const links = Array.from(page.matchAll(/(?:href|src)="([^"]*)"/g), ([, link]) => link as string);
  for (const link of links.filter((one) => !one.startsWith("data:"))) {
    const { pathname } = new URL(link, "http://lacre.test/a/billing/docs");
    expect([pathname, (await get(pathname)).status]).toEqual([pathname, 200]);
  }
  const script = await (await get("/a/billing/docs/viewer.js")).text();
  expect(script).toContain('url: "openapi.json"');
  const description = (await (await get("/a/billing/openapi.json")).json()) as { servers: unknown };
  expect(description.servers).toEqual([{ url: "/a/billing", description: "The server of this document." }]);
  for (const basePath of ["/", "billing", "/billing/", "/../x", "/a//b", "/a%20b", "http://x/y", "/a?b"]) {
    expect(() => createHandler(lacre, { basePath })).toThrow(TypeError);
  }
});

test("the description tells the limit that holds, or that there is one", async () => {
  const take = () => ({ allowed: true, limit: 7, remaining: 6, window_s: 1, reset_s: 1 });
  for (const [rateLimit, said] of [
    [{ limit: 7, window_s: 3 }, "at most 7 requests in any 3 seconds,"],
    [{ take }, "A key may make a limited number of requests,"],
  ] as const) {
    const { lacre } = await openInMemory({ rateLimit });
    const answer = await createHandler(lacre)(new Request("http://lacre.test/openapi.json"));
    expect(((await answer.json()) as { info: { description: string } }).info.description).toContain(said);
    await lacre.close();
  }
});

test("the documentation page can be left out, and where its files are missing the answer says so", async () => {
  const page = async (options: HandlerOptions) => {
    const { handler } = await open(options);
    const answers = ["/docs", "/docs/viewer.js", "/docs/viewer.css", "/openapi.json"].map(async (path) => {
      const answer = await handler(new Request(`http://lacre.test${path}`));
      return [answer.status, answer.ok || ((await answer.json()) as { error: { message: string } }).error.message];
    });
    return Promise.all(answers);
  };
  const missing = [404, "The files of this page are not there: name them with the option viewer."];
  const none = [404, "There is nothing here."];
  const served = [200, true];
  expect(await page({ viewer: false })).toEqual([none, none, none, served]);
  expect(await page({ viewer: () => readViewer("/nowhere") })).toEqual([missing, missing, missing, served]);
  expect(await page({ viewer: () => readViewer("build/viewer") })).toEqual(Array(4).fill(served));
  expect(await page({ viewer: () => readViewer(new URL(`file://${process.cwd()}/build/viewer`)) })).toEqual(
    Array(4).fill(served),
  );
  expect(await page({})).toEqual(Array(4).fill(served));
});
