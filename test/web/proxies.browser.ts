/** The area behind the proxies of docs/operating.md, each set up by the page's own recipe: below a path and without. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { lacreJson, type Running, setUpLinkOf, startServer, temporaryDirectory } from "../bin/program.ts";
import { certify } from "../support/certificates.ts";
import { aFreePort } from "../support/cluster.ts";
import { CADDY, type Changes, type Front, NGINX, serveBehind } from "../support/proxies.ts";
import { until } from "../support/until.ts";
import { type Visitor, visit } from "./support/browser.ts";
import { OWNER, sell, setUp } from "./support/hands.ts";

/** A server behind a proxy. */
interface Site {
  /** `https://loja.pt:…` */
  readonly origin: string;
  /** The path below which everything is; empty without one. */
  readonly path: string;
  readonly server: Running;
  readonly db: string;
  readonly setUpLink: string;
  /** Asks the proxy from 127.0.0.2, where no trusted proxy is, and reads its certificate. */
  ask(target: string, options?: Asking): Promise<Answered>;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** What was sent as JSON; null where it is none. */
  readonly json: Record<string, unknown> | null;
}

/** Puts a proxy before a new server, by the page's words but for `changes` of the recipe. */
async function behind(proxy: Front, path: string, changes: Changes = {}): Promise<Site> {
  const directory = temporaryDirectory();
  certify(directory, "loja.pt", "loja.pt", { for: "DNS:loja.pt" });
  const ca = readFileSync(join(directory, "loja.pt.crt"));
  const port = await aFreePort();
  const origin = `https://loja.pt:${port}`;
  const db = join(directory, "lacre.db");
  const server = await startServer([...serveBehind(origin + path), "--new", "--db", db]);
  await proxy.start({ directory, port, behind: new URL(server.url).host }, changes);
  return {
    ...{ origin, path, server, db, setUpLink: await setUpLinkOf(db) },
    async ask(target, { method = "GET", headers, body } = {}) {
      const proxied = { host: "127.0.0.1", port, servername: "loja.pt", ca, localAddress: "127.0.0.2", agent: false };
      const named = { host: `loja.pt:${port}`, "content-type": "application/json", ...headers };
      const sent = request({ ...proxied, path: target, method, headers: named }).end(body && JSON.stringify(body));
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      const isJson = answer.headers["content-type"]?.startsWith("application/json");
      const said = await text(answer);
      return { status: answer.statusCode, headers: answer.headers, json: isJson ? JSON.parse(said) : null };
    },
  };
}

/** The headers of a client who claims to be another, at another place. */
const CLAIMS = {
  "x-forwarded-for": "203.0.113.9",
  "x-forwarded-proto": "http",
  "x-forwarded-host": "evil.example",
  "x-forwarded-prefix": "/evil",
  forwarded: "for=203.0.113.9;host=evil.example;proto=http",
};

/** What a client is told that has not logged in, and what the log says of it. */
async function found({ ask, origin, path, server }: Site) {
  const led = await ask(path || "/");
  const { pathname = "" } = led.headers.location ? new URL(led.headers.location, origin) : {};
  const next = path ? await ask(pathname, { headers: CLAIMS }) : led;
  const claimed = await ask(`${path}/area/v1/start`, { headers: CLAIMS });
  const id = claimed.headers["x-request-id"];
  const logged = id && JSON.parse(await until(() => server.lines.find((line) => line.includes(String(id)))));
  const { json: description } = await ask(`${path}/openapi.json`);
  const [served] = (description?.servers ?? []) as readonly { readonly url: string }[];
  const other = await ask(`${path}/area`, { headers: { host: "evil.example" } });
  return {
    led_to: next.headers.location,
    area: (await ask(`${path}/area`)).status,
    claimed: [claimed.status, claimed.json?.public_url, claimed.headers["strict-transport-security"]],
    client: logged?.remote_address,
    served: served?.url,
    other: other.status,
  };
}

/** What is right. */
const right = ({ origin, path }: Site): Awaited<ReturnType<typeof found>> => ({
  led_to: `${path}/area`,
  area: 200,
  claimed: [200, origin + path, "max-age=31536000"],
  client: "127.0.0.2",
  served: origin + path,
  other: 403,
});

/** A first owner's way from the set-up link to a PDF, out, in again, to the docs. Answers the cookies on it. */
async function firstDay({ page, context }: Visitor, site: Site) {
  await setUp(page, site);
  const number = await sell(page, "3*pão");
  const cookies = await context.cookies();
  await page.getByRole("link", { name: "Documentos" }).click();
  await page.getByRole("link", { name: number }).click();
  const title = page.getByRole("heading", { level: 1, name: number });
  await title.waitFor();

  await page.reload();
  await title.waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Guardar PDF" }).click();
  expect(readFileSync(await (await saved).path(), "latin1")).toMatch(/^%PDF-/);

  await page.getByRole("button", { name: "Terminar sessão" }).click();
  await page.getByRole("heading", { level: 1, name: "Entrar" }).waitFor();
  await page.reload();
  await page.getByLabel("E-mail").fill(OWNER.login);
  await page.getByLabel("Palavra-passe").fill(OWNER.password);
  await page.keyboard.press("Enter");
  await title.waitFor();

  await page.goto(`${site.origin}${site.path}/docs`);
  await page.locator(".opblock").first().waitFor();
  return cookies;
}

/** Words that a recipe has, in place of others, and what is found then. */
const BROKEN: Readonly<Record<string, readonly (readonly [to: string, from: string, wrong: object])[]>> = {
  nginx: [
    ["location /contas/", "location /faturas/", { area: 404 }],
    ["X-Forwarded-Prefix /contas;", 'X-Forwarded-Prefix "";', { area: 404 }],
    ["", 'proxy_set_header X-Forwarded-Prefix "";', { led_to: undefined }],
    ["$http_x_forwarded_for", "$proxy_add_x_forwarded_for", { client: "203.0.113.9" }],
  ],
  Caddy: [
    ["reverse_proxy /contas/*", "reverse_proxy /faturas/*", { served: undefined }],
    ["header_up X-Forwarded-Prefix /contas", "header_up -X-Forwarded-Prefix", { area: 404 }],
    ["", "header_up -X-Forwarded-Prefix", { led_to: undefined }],
    ["", "redir /faturas /faturas/", { led_to: undefined }],
  ],
};

for (const proxy of [NGINX, CADDY]) {
  describe.skipIf(!proxy.isInstalled)(`behind ${proxy.name}`, () => {
    test.each(["/faturas", ""])("a first owner works at https://loja.pt%s", async (path) => {
      const site = await behind(proxy, path, { ...(path === "" && proxy.withoutPath), ...proxy.forAnyName });
      const url = site.origin + path;
      expect(site.setUpLink.replace(/#.*/, "")).toBe(`${url}/area/setup`);
      expect(await found(site)).toEqual(right(site));

      const cookies = await visit(url, {}, (visitor) => firstDay(visitor, site));
      const all = { domain: "loja.pt", path: `${path}/`, secure: true, httpOnly: true, sameSite: "Strict" };
      const names = ["lacre_session", "lacre_device"].map((name) => (path === "" ? `__Host-${name}` : name));
      expect(cookies).toEqual(names.map((name) => expect.objectContaining({ name, ...all })));

      const key = ["key", "create", "--name", "loja", "--scope", "all", "--db", site.db];
      const { api_key } = await lacreJson<{ api_key: string }>(...key);
      const body = { url: "https://example.com/lacre", actions: ["document.*"] };
      const headers = { authorization: `Bearer ${api_key}` };
      const {
        status,
        json,
        headers: answered,
      } = await site.ask(`${path}/v1/webhooks`, { method: "POST", headers, body });
      expect([status, answered.location]).toEqual([201, `${path}/v1/webhooks/${json?.id}`]);
    });

    test("the proxy may as well take the path off", async () => {
      const site = await behind(proxy, "/faturas", { ...proxy.takingOff, ...proxy.forAnyName });
      expect(await found(site)).toEqual(right(site));
    });

    test("a path that the proxy takes off and names itself is that of the area and its cookies", async () => {
      const named = { ...proxy.takingOff, ...proxy.naming("/faturas"), ...proxy.forAnyName };
      const site = { ...(await behind(proxy, "", named)), path: "/faturas" };
      const { origin } = site;
      const claimed = [200, origin, "max-age=31536000"];
      expect(await found(site)).toEqual({ ...right(site), claimed, served: origin });
      const body = { ...OWNER, token: site.setUpLink.split("#")[1] };
      const sent = { method: "POST", headers: { origin }, body };
      const { status, headers } = await site.ask("/faturas/area/v1/invitations/accept", sent);
      const kept = expect.stringContaining("; Path=/faturas/; HttpOnly; SameSite=Strict; Secure");
      expect([status, headers["set-cookie"]]).toEqual([201, [kept, kept]]);
    });

    // The controls: what a recipe makes that is not the page's.
    test.each(BROKEN[proxy.name] ?? [])("with %j instead of %j nobody is served correctly", async (to, from, wrong) => {
      const site = await behind(proxy, "/faturas", { [from]: to, ...proxy.forAnyName });
      expect(right(site)).not.toMatchObject(wrong);
      expect(await found(site)).toMatchObject(wrong);
    });
  });
}

test.runIf(NGINX.isInstalled)(
  "behind a proxy that takes off another path than it names nobody is signed in",
  async () => {
    const site = await behind(NGINX, "/faturas", { ...NGINX.takingOff, ...NGINX.naming("/contas") });
    await visit(site.origin + site.path, {}, async ({ page, allow }) => {
      allow("401");
      const refused = page.getByText("Inicie sessão: não há sessão");
      await Promise.race([setUp(page, site), refused.waitFor()]);
      expect(await refused.count()).toBe(1);
    });
  },
);
