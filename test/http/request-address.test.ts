/** Where a request arrived: under its own names, below a path, behind a proxy. */
import { createHandler, type HandlerOptions } from "lacre/http";
import { openInMemory } from "lacre/testing";
import { expect, onTestFinished, test } from "vitest";
import { forwardedAddress, networks } from "../../src/http/addresses.ts";

const FILES = () => ({ shell: '<script src="{area}/assets/x.js"></script>', assets: {} });

/** A handler that trusts the proxy at 10.0.0.1, asked from there or from elsewhere. */
async function aHandler(options: HandlerOptions = {}) {
  const { lacre } = await openInMemory();
  onTestFinished(() => lacre.close());
  const handler = createHandler(lacre, { area: { files: FILES }, ...options });
  return async (target: string, headers: Record<string, string> = {}, peer = "203.0.113.7", secure = false) => {
    const all: Record<string, string> = { host: "127.0.0.1:8787", ...headers };
    const header = (name: string) => all[name] ?? null;
    const forwarded = forwardedAddress(peer, header, networks(["10.0.0.1"]));
    const request = { method: "GET", target, header, body: () => null };
    const answer = await handler.answer(request, { ...forwarded, remote_address: peer, secure });
    return { ...answer, body: String(answer.body) };
  };
}

test.each([
  ["127.0.0.1:8787", 200],
  ["localhost", 200],
  ["loja.localhost:80", 200],
  ["192.168.1.20:8787", 200],
  ["[fe80::1]:8787", 200],
  ["8.8.8.8", 200],
  ["caixa:8787", 200],
  ["caixa.local", 200],
  ["faturas.loja.pt", 200],
  ["FATURAS.loja.pt.:443", 200],
  ["a.rede.pt", 200],
  ["rede.pt", 200],
  ["evil.pt", 403],
  ["evil.pt:8787", 403],
  ["127.0.0.1.evil.pt", 403],
  ["localhost.evil.pt", 403],
  ["faturas.loja.pt.evil.pt", 403],
  ["xfaturas.loja.pt", 403],
  ["arede.pt", 403],
  ["127.0.0.1@evil.pt", 403],
])("a request for %s is answered with %i", async (host, status) => {
  const ask = await aHandler({ allowedHosts: ["faturas.loja.pt", ".rede.pt"] });
  const answer = await ask("/healthz", { host });
  expect(answer.status).toBe(status);
  if (status === 403) {
    expect(JSON.parse(answer.body).error).toEqual({
      code: "forbidden",
      message: expect.stringContaining("--allowed-host"),
    });
    // The control: a host program that says nothing of names is asked by any.
    expect((await (await aHandler())("/healthz", { host })).status).toBe(200);
  }
});

test("a page, the description and a key are refused alike, for a name that is not the server's", async () => {
  const ask = await aHandler({ allowedHosts: [] });
  for (const target of ["/area", "/openapi.json", "/v1/me", "/area/v1/start", "/nothing"]) {
    expect((await ask(target, { host: "evil.pt" })).status, target).toBe(403);
    expect((await ask(target)).status, target).not.toBe(403);
  }
});

test("the host that a trusted proxy names counts beside the one it was sent; another's claim does not", async () => {
  const ask = await aHandler({ allowedHosts: ["loja.pt"] });
  const named = (host: string, forwarded: string, peer: string) =>
    ask("/healthz", { host, "x-forwarded-host": forwarded }, peer).then(({ status }) => status);
  expect(await named("127.0.0.1", "loja.pt", "10.0.0.1")).toBe(200);
  expect(await named("127.0.0.1", "evil.pt", "10.0.0.1")).toBe(403);
  expect(await named("evil.pt", "loja.pt", "10.0.0.1")).toBe(403);
  expect(await named("127.0.0.1", "evil.pt", "10.0.0.9")).toBe(200);
  expect(await named("127.0.0.1", "evil.pt, loja.pt", "10.0.0.1")).toBe(200);
  // With no name of its own to compare, the server leaves the names to the proxy that it trusts.
  const free = await aHandler({ allowedHosts: [] });
  expect((await free("/healthz", { host: "loja.pt" }, "10.0.0.1")).status).toBe(200);
  expect((await free("/healthz", { host: "loja.pt" })).status).toBe(403);
});

test("below a public address everything is found with the path and without, and named with it", async () => {
  const ask = await aHandler({ publicUrl: "https://loja.pt/faturas/", allowedHosts: [] });
  const host = "loja.pt";
  for (const path of ["/faturas/healthz", "/healthz"]) expect((await ask(path, { host })).status, path).toBe(200);
  for (const path of ["/faturas", "/faturas/", "/"]) {
    expect((await ask(path, { host })).headers.location, path).toBe("/faturas/area");
  }
  expect((await ask("/faturasx/healthz", { host })).status).toBe(404);
  const { servers } = JSON.parse((await ask("/faturas/openapi.json", { host })).body);
  expect(servers).toEqual([{ url: "https://loja.pt/faturas", description: "The server of this document." }]);
  const start = JSON.parse((await ask("/faturas/area/v1/start", { host })).body);
  expect(start.public_url).toBe("https://loja.pt/faturas");
  // On the machine itself it is found at the root, as before.
  expect((await ask("/")).headers.location).toBe("/area");
  expect((await ask("/faturas/")).headers.location).toBe("/faturas/area");
});

test("the page finds its assets from every screen, whatever a proxy has put before its path", async () => {
  const ask = await aHandler();
  for (const screen of ["/area", "/area/", "/area/documents", "/area/documents/1", "/area/documents/1/edit"]) {
    const [, src = ""] = /src="([^"]*)"/.exec((await ask(screen)).body) ?? [];
    expect(new URL(src, `https://loja.pt/faturas${screen}`).pathname, screen).toBe("/faturas/area/assets/x.js");
  }
});

test("a trusted proxy says in X-Forwarded-Prefix which path it took off; another's word does not count", async () => {
  const ask = await aHandler();
  const location = async (prefix: string, peer: string) =>
    (await ask("/", { "x-forwarded-prefix": prefix }, peer)).headers.location;
  expect(await location("/faturas/", "10.0.0.1")).toBe("/faturas/area");
  expect(await location("/x, /faturas", "10.0.0.1")).toBe("/faturas/area");
  expect(await location("/faturas", "203.0.113.7")).toBe("/area");
  for (const [prefix, url] of [
    ["/faturas", "/faturas"],
    ["", "/"],
  ] as const) {
    const { body } = await ask("/openapi.json", { "x-forwarded-prefix": prefix }, "10.0.0.1");
    expect(JSON.parse(body).servers).toEqual([{ url, description: "The server of this document." }]);
  }
  for (const hostile of ["//evil.pt", "https://evil.pt", "/../x", "/a b", `/${"x".repeat(300)}`]) {
    expect(await location(hostile, "10.0.0.1"), hostile).toBe("/area");
  }
});

test("a browser that came by HTTPS is told to stay there, and no other", async () => {
  const ask = await aHandler({ strictTransport: true, publicUrl: "https://loja.pt" });
  const told = async (...request: Parameters<typeof ask>) =>
    (await ask(...request)).headers["strict-transport-security"];
  expect(await told("/area", {}, "203.0.113.7", true)).toBe("max-age=31536000");
  expect(await told("/nothing", { host: "loja.pt" })).toBe("max-age=31536000");
  expect(await told("/area")).toBeUndefined();
  const embedded = await aHandler();
  expect((await embedded("/area", {}, "203.0.113.7", true)).headers["strict-transport-security"]).toBeUndefined();
});

test.each([
  "loja.pt",
  "ftp://loja.pt",
  "https://loja.pt/a b",
  "https://u:p@loja.pt",
  "https://loja.pt/?x",
  "https://loja.pt/#x",
  "",
])("%j is no public address", async (publicUrl) => {
  const { lacre } = await openInMemory();
  onTestFinished(() => lacre.close());
  expect(() => createHandler(lacre, { publicUrl })).toThrow(TypeError);
  expect(() => createHandler(lacre, { publicUrl: "https://loja.pt/a", basePath: "/a" })).toThrow(TypeError);
});
