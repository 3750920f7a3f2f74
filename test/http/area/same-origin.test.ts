/**
 * What changes something with a session must come from a page of this very address. `SameSite=Strict` is not enough:
 * another port of the same host is the same site.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { AREA_ROUTES } from "../../../src/http/area-routes.ts";
import { ROUTES } from "../../../src/http/routes.ts";
import { anArea, type Browser, expectRefused, PASSWORD, tokenOf } from "../../support/area.ts";
import { TODAY, UNKNOWN_ID } from "../../support/drivers.ts";

const CHANGING = [...ROUTES, ...AREA_ROUTES].filter((route) => "operation" in route && route.method !== "GET");

/** What a browser sends along when a page of this origin makes it send something. */
const FORGED: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  "another site": { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  "another port of the same host": { "sec-fetch-site": "same-site", origin: "http://127.0.0.1:9999" },
  "a page without an origin": { "sec-fetch-site": null, origin: "null" },
  "nobody who says": { "sec-fetch-site": null, origin: null },
  "another site, without Sec-Fetch-Site": { "sec-fetch-site": null, origin: "https://evil.example" },
  "another port, without Sec-Fetch-Site": { "sec-fetch-site": null, origin: "http://127.0.0.1:9999" },
  "the address bar": { "sec-fetch-site": "none", origin: null },
  "another site that names this origin": { "sec-fetch-site": "cross-site", origin: "http://127.0.0.1:8787" },
  "another site that the browser takes for ours": { "sec-fetch-site": "same-origin", origin: "https://evil.example" },
  "another scheme": { "sec-fetch-site": "same-origin", origin: "https://127.0.0.1:8787" },
  "another scheme, without Sec-Fetch-Site": { "sec-fetch-site": null, origin: "https://127.0.0.1:8787" },
  "an origin with a path": { "sec-fetch-site": null, origin: "http://127.0.0.1:8787/area" },
  "an origin with a user": { "sec-fetch-site": null, origin: "http://a@127.0.0.1:8787" },
  "two headers": { "sec-fetch-site": "same-origin, cross-site", origin: "http://127.0.0.1:8787" },
};

const at = (path: string) => path.replace(/:\w+/g, UNKNOWN_ID);

describe.each(Object.entries(FORGED))("a request of %s", (_, headers) => {
  test("changes nothing, on any route, with a body or without", async () => {
    const area = await anArea();
    const owner = await area.owner();
    expect(CHANGING.length).toBeGreaterThan(25);
    for (const { method, path } of CHANGING) {
      for (const body of method === "DELETE" ? [undefined] : [undefined, {}]) {
        const reply = await owner.send(method, at(path), { headers, body });
        expectRefused(reply, 403, "forbidden", "came from a page of another address");
        // The control: the same request of our own page is refused for another reason, or not at all.
        if (path !== "/area/v1/session" || method !== "DELETE") {
          const own = await owner.send(method, at(path), { body });
          expect(own.text, `${method} ${path}`).not.toContain("came from a page of another");
        }
      }
    }
    expect((await owner.send("GET", "/area/v1/session")).status).toBe(200);
  });

  test("logs nobody in", async () => {
    const area = await anArea();
    await area.person("owner");
    const body = { login: "owner@loja.pt", password: PASSWORD };
    const browser = area.browser();
    expectRefused(await browser.send("POST", "/area/v1/session", { headers, body }), 403, "forbidden");
    const { link_path } = await area.lacre.users.invite();
    const accept = { token: tokenOf(link_path), name: "A", login: "a@loja.pt", password: PASSWORD };
    const reply = await browser.send("POST", "/area/v1/invitations/accept", { headers, body: accept });
    expectRefused(reply, 403, "forbidden");
    expect(browser.cookie).toBeUndefined();
  });
});

describe("a request of our own page", () => {
  test.each([
    ["http://127.0.0.1:8787", { "sec-fetch-site": "same-origin" }],
    ["http://127.0.0.1:8787", { "sec-fetch-site": null, origin: "http://127.0.0.1:8787" }],
    ["http://192.168.1.20", { "sec-fetch-site": null, origin: "http://192.168.1.20", host: "192.168.1.20:80" }],
    ["https://loja.pt", { "sec-fetch-site": null, origin: "https://loja.pt", host: "loja.pt:443" }],
  ])("is taken at %s with %j", async (origin, headers) => {
    const area = await anArea({ area: { plainHttp: true } });
    await area.person("owner");
    const body = { login: "owner@loja.pt", password: PASSWORD };
    const browser = area.browser({ origin });
    expect((await browser.send("POST", "/area/v1/session", { headers, body })).status).toBe(201);
    expect((await browser.send("POST", "/v1/customers", { headers, body: { name: "Ana" } })).status).toBe(201);
  });

  test("a read of another site is answered, which that site cannot see", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const reply = await owner.send("GET", "/v1/customers", { headers: FORGED["another site"] ?? {} });
    expect([reply.status, reply.headers.get("cross-origin-resource-policy")]).toEqual([200, "same-origin"]);
    expect(reply.headers.get("access-control-allow-origin")).toBeNull();
  });
});

/** Issues a draft by a bodyless request of another port; gives its status after that. */
async function forgedIssue(area: Awaited<ReturnType<typeof anArea>>, owner: Browser): Promise<[number, string]> {
  const { company, series } = area;
  const customer = await company.customers.create({ name: "Ana" });
  const lines = [{ description: "Pão", qty: 1, unit_price_net: 1, tax_rate: 23 }];
  const draft = { doc_type: "FT", series_id: series.FT, issue_date: TODAY, customer_id: customer.id, lines } as const;
  const { id } = await company.documents.create(draft);
  const headers = FORGED["another port of the same host"] ?? {};
  const { status } = await owner.send("POST", `/v1/documents/${id}/issue`, { headers });
  return [status, (await company.documents.get({ id })).status];
}

describe("the check", () => {
  afterEach(() => {
    vi.doUnmock("../../../src/http/same-origin.ts");
    vi.resetModules();
  });

  test("alone keeps another port from issuing a draft", async () => {
    const guarded = await anArea();
    expect(await forgedIssue(guarded, await guarded.person("owner"))).toEqual([403, "draft"]);

    vi.resetModules();
    vi.doMock("../../../src/http/same-origin.ts", () => ({ mustBeSameOrigin: () => {} }));
    const modules = { ...(await import("lacre/http")), ...(await import("lacre/testing")) };
    const open = await anArea({ modules });
    expect(await forgedIssue(open, await open.person("owner"))).toEqual([200, "issued"]);
  });
});
