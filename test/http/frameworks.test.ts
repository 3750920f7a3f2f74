/**
 * Lacre inside Express, Fastify and a Fetch-style server, as docs/embedding.md shows it, and with bodies already read.
 */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { NestFactory } from "@nestjs/core";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import type { LogEntry } from "lacre";
import { type Authenticate, createHandler, type HandlerOptions, readViewer } from "lacre/http";
import { nodeListener } from "lacre/node";
import { openInMemory } from "lacre/testing";
import pino from "pino";
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

test("a body that a parser keeps as bytes or text is read as strictly as always", async () => {
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

/** The user of a request, as a middleware of the host finds it by a cookie. */
const userIn = (cookie: string | null | undefined) => (cookie === "sid=7f3a" ? { name: "Maria" } : undefined);

interface WithUser {
  readonly user?: { readonly name: string };
}

/** Mounts Lacre behind a middleware that finds the user; `userOf` reads it from what the framework gives Lacre. */
interface Middleware {
  readonly userOf: (context: unknown) => WithUser["user"];
  mount(handler: Instance["handler"], listener: RequestListener): RequestListener | Promise<RequestListener>;
}

const SESSIONS: Readonly<Record<string, Middleware>> = {
  Express: {
    userOf: (context) => (context as WithUser).user,
    mount: (_, listener) => {
      const app = express();
      app.use((request, _, next) => {
        Object.assign(request, { user: userIn(request.headers.cookie) });
        next();
      });
      return app.use(listener);
    },
  },
  Fastify: {
    userOf: (context) => (context as WithUser).user,
    async mount(_, listener) {
      const app = fastify();
      app.decorateRequest("user");
      app.addHook("onRequest", async (request) => request.setDecorator("user", userIn(request.headers.cookie)));
      app.removeAllContentTypeParsers();
      app.addContentTypeParser("*", (_request, _payload, done) => done(null));
      app.all("/v1/*", (request, reply) => {
        const user = request.getDecorator("user");
        listener(Object.assign(request.raw, { user }), reply.hijack().raw);
      });
      await app.ready();
      onTestFinished(() => app.close());
      return (request, response) => app.routing(request, response);
    },
  },
  Hono: {
    userOf: (context) => (context as { get(name: "user"): WithUser["user"] }).get("user"),
    mount: (handler) => {
      const app = new Hono<{ Variables: WithUser }>();
      app.use(async (c, next) => {
        const user = userIn(c.req.header("cookie"));
        if (user) c.set("user", user);
        await next();
      });
      app.all("/v1/*", (c) => handler(c.req.raw, { context: c }));
      return getRequestListener(app.fetch);
    },
  },
  NestJS: {
    userOf: (context) => (context as WithUser).user,
    async mount(_, listener) {
      const app = await NestFactory.create(class {}, { logger: false });
      onTestFinished(() => app.close());
      app.use((request: object, _: unknown, next: () => void) => {
        Object.assign(request, { user: userIn((request as { headers: { cookie?: string } }).headers.cookie) });
        next();
      });
      app.use(listener);
      await app.init();
      return app.getHttpAdapter().getInstance();
    },
  },
};

test.each(Object.entries(SESSIONS))("%s: the host's session, as its middleware left it, acts", async (_, host) => {
  const authenticate: Authenticate = (_, context) => {
    const user = host.userOf(context);
    return user && { company: instance.company_id, actor: user.name, role: "cashier" };
  };
  const instance = await open({ authenticate });
  const url = await listening(createServer(await host.mount(instance.handler, instance.listener)));
  const create = async (headers: Record<string, string>) => {
    const sent = { "content-type": "application/json", "sec-fetch-site": "same-origin", ...headers };
    const answer = await fetch(`${url}/v1/customers`, { method: "POST", headers: sent, body: '{"name":"Ana"}' });
    return answer.status;
  };
  expect(await create({ cookie: "sid=7f3a" })).toBe(201);
  expect(await create({ cookie: "sid=7f3a", "sec-fetch-site": "cross-site" })).toBe(403);
  expect(await create({ cookie: "sid=ended" })).toBe(401);
  expect(await create({ authorization: `Bearer ${instance.api_key}` })).toBe(201);
  const { data } = await instance.company.events.list();
  const makers = data.filter(({ action }) => action === "customer.created").map(({ actor }) => actor.kind);
  expect(makers).toEqual(["key", "host"]);
});

test("pino takes each entry with its level, its event as the message, and its fields", async () => {
  const lines: { level: number; msg: string }[] = [];
  const logger = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const { lacre } = await openInMemory({ log: ({ level, event, ...fields }) => logger[level](fields, event) });
  onTestFinished(() => lacre.close());
  await createHandler(lacre)(new Request("http://lacre.test/v1/me", { headers: { authorization: "Bearer wrong" } }));
  expect(lines).toMatchObject([
    { level: 40, msg: "auth_refused" },
    { level: 30, msg: "request", method: "GET", route: "/v1/me", status: 401 },
  ]);
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
  const missing = [
    404,
    "The files of the documentation page are missing: give the server's option viewer the folder that has them.",
  ];
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
