/** Sessions over HTTP: opened, kept, confirmed, limited and ended. */
import { describe, expect, test } from "vitest";
import { anArea, expectRefused, HOUR, MINUTE, PASSWORD } from "../../support/area.ts";
import { UNKNOWN_ID } from "../../support/drivers.ts";

const SESSION = "/area/v1/session";

describe("logging in", () => {
  test("answers the session, and its secret in a cookie that no script reads and no other site sends", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const browser = area.browser();
    const reply = await browser.logIn("OWNER@loja.pt");
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: expect.any(String),
      user: { id: owner.user_id, name: "A owner", login: "owner@loja.pt", language: null },
      companies: [
        {
          id: area.company_id,
          name: "Padaria Central, Lda.",
          tax_id: "500000000",
          role: "owner",
          actor_code: "U1",
          permissions: expect.arrayContaining(["documents:issue", "keys:manage"]),
        },
      ],
      confirmed_until: null,
    });
    const [session, device] = reply.headers.getSetCookie();
    expect(session).toMatch(/^lacre_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(device).toMatch(/^lacre_device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000$/);
    expect(reply.headers.get("location")).toBeNull();
    const [, secret = ""] = browser.cookie?.split("=") ?? [];
    expect(reply.text).not.toContain(secret);
    expect((await browser.send("GET", SESSION)).body).toEqual(reply.body);
  });

  test("over HTTPS the cookie is Secure and has the name that no neighbour can set", async () => {
    const area = await anArea();
    await area.person("owner");
    const browser = area.browser({ origin: "https://loja.pt" });
    const [set, device] = (await browser.logIn("owner@loja.pt")).headers.getSetCookie();
    expect(device).toMatch(/^__Host-lacre_device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=\d+$/);
    expect(set).toMatch(/^__Host-lacre_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    const plain = browser.cookie?.replace("__Host-", "");
    browser.cookie = plain;
    expectRefused(await browser.send("GET", SESSION), 401, "unauthorized");
  });

  test("below a base path the cookie is for that path alone", async () => {
    const area = await anArea({ handler: { basePath: "/faturas" } });
    await area.person("owner");
    const secure = area.browser({ origin: "https://loja.pt" });
    const [set] = (await secure.logIn("owner@loja.pt")).headers.getSetCookie();
    expect(set).toMatch(/^lacre_session=[\w-]{43}; Path=\/faturas\/; HttpOnly; SameSite=Strict; Secure$/);
    expect((await secure.send("GET", SESSION)).status).toBe(200);
  });

  test("a wrong password, an unknown login and a disabled user get the same words", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const cashier = await area.person("cashier");
    await area.person("accountant");
    expect((await owner.send("POST", `/area/v1/users/${cashier.user_id}/disable`)).status).toBe(200);
    const browser = area.browser();
    const replies = [
      await browser.logIn("accountant@loja.pt", "another password"),
      await browser.logIn("nobody@loja.pt"),
      await browser.logIn("no e-mail at all"),
      await browser.logIn("cashier@loja.pt"),
    ];
    for (const reply of replies) expectRefused(reply, 401, "unauthorized", "The login or the password is wrong");
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(browser.cookie).toBeUndefined();
    const refused = area.log.filter(({ event }) => event === "auth_refused");
    expect(refused).toEqual(replies.map(() => expect.objectContaining({ remote_address: "203.0.113.7" })));
  });

  test("a page that asks without a session is not a refused login for fail2ban", async () => {
    const area = await anArea();
    expectRefused(await area.browser().send("GET", SESSION), 401, "unauthorized", "Log in");
    expect(area.log.filter(({ event }) => event === "auth_refused")).toEqual([]);
  });

  test("a password never appears in the log or in an event", async () => {
    const area = await anArea();
    const owner = await area.owner();
    await area.browser().logIn("owner@loja.pt", "a wrong but telling one");
    await owner.send("POST", `${SESSION}/password`, { body: { password: "outras quatro palavras" } });
    const { data } = await area.company.events.list();
    const told = JSON.stringify([area.log, data]);
    for (const secret of [PASSWORD, "telling", "outras", owner.cookie?.split("=")[1]])
      expect(told).not.toContain(secret);
  });

  test.each([
    ["a body that is too large for a visitor", { login: "x", password: "x".repeat(17_000) }, 413, "payload_too_large"],
    ["no password", { login: "x" }, 400, "invalid_request"],
    ["an address of one's own choice", { login: "x", password: "x", address: "10.0.0.1" }, 400, "invalid_request"],
  ])("%s is refused", async (_, body, status, code) => {
    const area = await anArea();
    expectRefused(await area.browser().send("POST", SESSION, { body }), status, code);
  });
});

describe("plain HTTP", () => {
  const LAN = { origin: "http://192.168.1.20:8787" };

  test("in a network nobody logs in or uses a link, with words that name the way out", async () => {
    const area = await anArea();
    await area.person("owner");
    const browser = area.browser(LAN);
    expectRefused(await browser.logIn("owner@loja.pt"), 403, "forbidden", "--plain-http-lan");
    for (const path of ["look", "accept"]) {
      const reply = await browser.send("POST", `/area/v1/invitations/${path}`, { body: { token: "x" } });
      expectRefused(reply, 403, "forbidden", "--plain-http-lan");
    }
  });

  test("nobody with a session types a password either, over plain HTTP from elsewhere", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const lan = area.browser(LAN);
    lan.cookie = owner.cookie;
    expectRefused(await lan.confirm(), 403, "forbidden", "--plain-http-lan");
    const body = { password: "outras quatro palavras" };
    expectRefused(await lan.send("POST", `${SESSION}/password`, { body }), 403, "forbidden", "--plain-http-lan");
    expect((await lan.send("GET", SESSION)).status).toBe(200);
    expect((await owner.send("POST", `${SESSION}/password`, { body })).status).toBe(200); // the control
  });

  test("with the option, from the machine itself, and over HTTPS, they do", async () => {
    const asked = await anArea({ area: { plainHttp: true } });
    await asked.person("owner");
    // Such an address sends no Sec-Fetch-Site.
    const headers = { "sec-fetch-site": null };
    const body = { login: "owner@loja.pt", password: PASSWORD };
    expect((await asked.browser(LAN).send("POST", SESSION, { body, headers })).status).toBe(201);
    const area = await anArea();
    await area.person("owner");
    for (const origin of ["http://localhost:8787", "http://[::1]:8787", "http://127.0.0.1", "https://loja.pt"]) {
      expect((await area.browser({ origin }).logIn("owner@loja.pt")).status, origin).toBe(201);
    }
    for (const origin of ["http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://loja.pt"]) {
      expect((await area.browser({ origin }).logIn("owner@loja.pt")).status, origin).toBe(403);
    }
  });
});

describe("a session", () => {
  test("that a neighbour planted before login is not the one that login returns", async () => {
    const area = await anArea();
    const planted = await area.person("cashier");
    const victim = area.browser();
    victim.cookie = planted.cookie;
    await area.person("owner");
    expect((await victim.logIn("owner@loja.pt")).status).toBe(201);
    expect(victim.cookie).not.toBe(planted.cookie);
    expect((await planted.send<{ user: { login: string } }>("GET", SESSION)).body.user.login).toBe("cashier@loja.pt");
    const random = area.browser();
    random.cookie = `lacre_session=${"A".repeat(43)}`;
    await random.logIn("owner@loja.pt");
    const thief = area.browser();
    thief.cookie = `lacre_session=${"A".repeat(43)}`;
    expectRefused(await thief.send("GET", SESSION), 401, "unauthorized");
  });

  test("is refused if two cookies have its name, whichever comes first", async () => {
    const area = await anArea();
    const [owner, attacker] = [await area.person("owner"), await area.person("cashier")];
    const own = owner.cookie;
    for (const both of [`${own}; ${attacker.cookie}`, `${attacker.cookie}; ${own}`, `${own}, ${attacker.cookie}`]) {
      owner.cookie = both;
      expectRefused(await owner.send("GET", SESSION), 401, "unauthorized");
    }
    owner.cookie = `other=1; ${own}; x_lacre_session=2`;
    expect((await owner.send("GET", SESSION)).status).toBe(200);
  });

  test("stolen from a browser opens nothing once that browser logged out", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const thief = area.browser();
    thief.cookie = owner.cookie;
    expect((await thief.send("GET", SESSION)).status).toBe(200);
    const out = await owner.send("DELETE", SESSION);
    expect([out.status, out.headers.get("set-cookie")]).toEqual([
      204,
      "lacre_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
    ]);
    for (const path of [SESSION, "/v1/customers", "/area/v1/company"]) {
      expectRefused(await thief.send("GET", path), 401, "unauthorized");
    }
  });

  test("ends after twelve hours without a request, and lives on with one", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    for (let day = 0; day < 3; day++) {
      area.wait(11 * HOUR);
      expect((await owner.send("GET", SESSION)).status).toBe(200);
    }
    area.wait(12 * HOUR);
    expectRefused(await owner.send("GET", SESSION), 401, "unauthorized");
  });

  test("ends after thirty days, however often its page asks", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    for (let asked = 0; asked < 60; asked++) {
      expect((await owner.send("GET", SESSION)).status).toBe(200);
      expect((await owner.send<{ data: unknown[] }>("GET", "/area/v1/sessions")).body.data).toHaveLength(1);
      area.wait(12 * HOUR - 1);
    }
    expect((await owner.send("GET", SESSION)).status).toBe(200); // a minute of milliseconds is left
    area.wait(60);
    expectRefused(await owner.send("GET", SESSION), 401, "unauthorized");
    const again = area.browser();
    await again.logIn("owner@loja.pt");
    expect((await again.send<{ data: unknown[] }>("GET", "/area/v1/sessions")).body.data).toHaveLength(1);
  });

  test("is noted as used at most once a minute", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const seen = async () =>
      (await owner.send<{ data: { last_seen_at: string }[] }>("GET", "/area/v1/sessions")).body.data[0]?.last_seen_at;
    const first = await seen();
    area.wait(MINUTE - 1);
    expect(await seen()).toBe(first);
    area.wait(1);
    expect(await seen()).toBe(area.now.toISOString());
  });

  test("is listed with its origin, and revoked; another user's is not found", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const phone = area.browser({ address: "2001:db8::7", agent: "Safari".repeat(100) });
    await phone.logIn("owner@loja.pt");
    const cashier = await area.person("cashier");
    const { data } = (await owner.send<{ data: { id: string }[] }>("GET", "/area/v1/sessions")).body;
    expect(data).toMatchObject([
      { address: "2001:db8::7", user_agent: "Safari".repeat(50), current: false },
      { address: "203.0.113.7", user_agent: "Firefox", current: true },
    ]);
    const path = `/area/v1/sessions/${data[0]?.id}`;
    expectRefused(await cashier.send("DELETE", path), 404, "not_found");
    expect((await owner.send("DELETE", path)).status).toBe(204);
    expectRefused(await owner.send("DELETE", path), 404, "not_found");
    expectRefused(await phone.send("GET", SESSION), 401, "unauthorized");
    expect((await owner.send("GET", SESSION)).status).toBe(200);
  });

  test("of a disabled user ends at once, in the company and in the installation", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const cashier = await area.person("cashier");
    const accountant = await area.person("accountant");
    await owner.send("POST", `/area/v1/users/${cashier.user_id}/disable`);
    await area.lacre.users.disable({ id: accountant.user_id });
    for (const gone of [cashier, accountant]) expectRefused(await gone.send("GET", "/v1/me"), 401, "unauthorized");
  });

  test("is one of many: a new password ends all others, and the old password opens none", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const other = area.browser();
    await other.logIn("owner@loja.pt");
    const changed = await owner.send("POST", `${SESSION}/password`, { body: { password: "outras quatro palavras" } });
    expect(changed.status, changed.text).toBe(200);
    expect((await owner.send("GET", SESSION)).status).toBe(200);
    expectRefused(await other.send("GET", SESSION), 401, "unauthorized");
    expectRefused(await other.logIn("owner@loja.pt"), 401, "unauthorized");
    expect((await other.logIn("owner@loja.pt", "outras quatro palavras")).status).toBe(201);
  });

  test("has a limit of its own, far above that of a key, and says how much is left", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const first = await owner.send("GET", "/v1/me");
    expect(first.headers.get("ratelimit-policy")).toBe('"default";q=1200;w=60');
    let last = first;
    for (let sent = 1; sent < 1_201; sent++) last = await owner.send("GET", "/v1/me");
    expectRefused(last, 429, "rate_limited");
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    const other = await area.person("cashier");
    expect((await other.send("GET", "/v1/me")).status).toBe(200);
  });

  test("keeps the language that its user chose", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    expect((await owner.send("PATCH", SESSION, { body: { language: "pt" } })).body).toMatchObject({
      user: { language: "pt" },
    });
    const again = area.browser();
    expect((await again.logIn("owner@loja.pt")).body).toMatchObject({ user: { language: "pt" } });
    expectRefused(await owner.send("PATCH", SESSION, { body: { language: "fr" } }), 400, "invalid_request");
  });
});

describe("the company of a call", () => {
  test("is the only one, or the one that is named; another company looks like an unknown one", async () => {
    const area = await anArea();
    const cashier = await area.person("cashier");
    const { id: other } = await area.lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
    const name = async (company?: string) => {
      const reply = await cashier.send<{ company?: { name: string } }>("GET", "/v1/me", company ? { company } : {});
      return [reply.status, reply.body.company?.name];
    };
    expect(await name()).toEqual([200, "Padaria Central, Lda."]);
    expect(await name(area.company_id.toUpperCase())).toEqual([200, "Padaria Central, Lda."]);
    const unknown = await cashier.send("GET", "/v1/me", { company: UNKNOWN_ID });
    const foreign = await cashier.send("GET", "/v1/me", { company: other });
    expectRefused(foreign, 404, "not_found");
    expect(foreign.text).toBe(unknown.text);

    const { link_path } = await area.lacre.as(other).users.invite({ login: "cashier@loja.pt", role: "accountant" });
    const token = link_path.split("#")[1];
    const joined = await cashier.send("POST", "/area/v1/invitations/accept", { body: { token, password: PASSWORD } });
    expect(joined.body).toMatchObject({ companies: [{ role: "cashier" }, { role: "accountant", actor_code: "U1" }] });
    expectRefused(await cashier.send("GET", "/v1/me"), 400, "invalid_request", "Lacre-Company");
    expect(await name(other)).toEqual([200, "Outra, S.A."]);
    const customer = { company: other, body: { name: "Ana" } };
    expectRefused(await cashier.send("POST", "/v1/customers", customer), 403, "forbidden", "customers:write");
  });

  test("keeps the rows of other companies out of sight", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const { id: other } = await area.lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
    const theirs = area.lacre.as(other);
    const key = await theirs.keys.create({ name: "k", scopes: ["saft:read"] });
    const customer = await theirs.customers.create({ name: "Ana" });
    const invitation = await theirs.users.invite({ login: "x@loja.pt", role: "owner" });
    const stranger = await area.person("owner", "stranger@loja.pt", other);
    for (const [method, path, body] of [
      ["GET", `/v1/customers/${customer.id}`],
      ["DELETE", `/area/v1/keys/${key.id}`],
      ["DELETE", `/area/v1/users/invitations/${invitation.id}`],
      ["PATCH", `/area/v1/users/${stranger.user_id}`, { role: "cashier" }],
      ["POST", `/area/v1/users/${stranger.user_id}/disable`],
      ["POST", `/area/v1/users/${stranger.user_id}/reset`],
    ] as const) {
      expectRefused(await owner.send(method, path, { body }), 404, "not_found");
    }
  });
});

describe("the password again", () => {
  test("is asked for before keys, users and a new password; it counts for five minutes", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const make = () => owner.send("POST", "/area/v1/keys", { body: { name: "loja", scopes: ["saft:read"] } });
    expectRefused(await make(), 403, "password_required");
    expectRefused(await owner.confirm("wrong"), 403, "password_required", "The password is wrong.");
    expectRefused(await make(), 403, "password_required");
    const confirmed = await owner.confirm();
    expect(confirmed.body).toMatchObject({ confirmed_until: new Date(area.now.getTime() + 5 * MINUTE).toISOString() });
    expect((await make()).status).toBe(201);
    area.wait(5 * MINUTE - 1);
    expect((await make()).status).toBe(201);
    area.wait(1);
    expectRefused(await make(), 403, "password_required");
  });

  test("is asked of a person who closes a series or changes the company, and of no key", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const series = `/v1/series/${area.series.FT}`;
    const close = { body: { status: "closed" } };
    const name = { body: { name: "Outra, Lda." } };
    expectRefused(await owner.send("PATCH", series, close), 403, "password_required");
    expectRefused(await owner.send("PATCH", "/area/v1/company", name), 403, "password_required");
    expect((await owner.send("PATCH", series, { body: { validation_code: "ABCD2345" } })).status).toBe(200);
    await owner.confirm();
    expect((await owner.send("PATCH", series, close)).status).toBe(200);
    expect((await owner.send("PATCH", "/area/v1/company", name)).status).toBe(200);
    const headers = { authorization: `Bearer ${area.api_key}` };
    const byKey = await area.browser().send("PATCH", `/v1/series/${area.series.FR}`, { ...close, headers });
    expect(byKey.status, byKey.text).toBe(200);
  });

  test("counts for the session it was typed in, and for no other of the same user", async () => {
    const area = await anArea();
    await area.owner();
    const other = area.browser();
    await other.logIn("owner@loja.pt");
    const made = await other.send("POST", "/area/v1/keys", { body: { name: "loja", scopes: ["saft:read"] } });
    expectRefused(made, 403, "password_required");
  });

  test("is asked before the body is read, and after the role", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    expectRefused(await owner.send("POST", "/area/v1/keys", { body: "{" }), 403, "password_required");
    const cashier = await area.person("cashier");
    expectRefused(await cashier.send("POST", "/area/v1/keys", { body: "{" }), 403, "forbidden", "keys:manage");
  });

  test("may be wrong ten times, which keeps nobody from logging in", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    for (let tries = 0; tries < 10; tries++) expectRefused(await owner.confirm("wrong"), 403, "password_required");
    expectRefused(await owner.confirm(), 429, "rate_limited", "Too many wrong passwords");
    expect((await area.browser().logIn("owner@loja.pt")).status).toBe(201);
    area.wait(15 * MINUTE);
    expect((await owner.confirm()).status).toBe(200);
  });
});

describe("the limits of logging in", () => {
  test("ten wrong passwords of a login lock it to the network they come from, for a quarter of an hour", async () => {
    const area = await anArea();
    const known = await area.person("owner");
    const from = area.browser();
    for (let tries = 0; tries < 10; tries++) {
      expectRefused(await from.logIn(tries % 2 ? "owner@loja.pt" : " OWNER@loja.pt", "wrong"), 401, "unauthorized");
      area.wait(30_000);
    }
    const locked = await from.logIn("owner@loja.pt");
    expectRefused(locked, 429, "rate_limited");
    expect(Number(locked.headers.get("retry-after"))).toBe(10 * 60);
    expect((await from.logIn("nobody@loja.pt")).status).toBe(401); // another login
    // The browser that was let in before is not a stranger, in the same network too.
    expect((await known.logIn("owner@loja.pt")).status).toBe(201);
    area.wait(10 * MINUTE - 1);
    expectRefused(await from.logIn("owner@loja.pt"), 429, "rate_limited");
    area.wait(1 + 30_000);
    expect((await from.logIn("owner@loja.pt")).status).toBe(201);
  });

  test("wrong passwords from everywhere slow a login down, and keep out nobody who waits", async () => {
    const area = await anArea();
    const known = await area.person("owner");
    const waits: number[] = [];
    for (let network = 0; network < 20; network++) {
      const from = area.browser({ address: `198.51.100.${network}` });
      let reply = await from.logIn("owner@loja.pt", "wrong");
      const wait_s = Number(reply.headers.get("retry-after"));
      waits.push(wait_s);
      if (wait_s > 0) {
        expectRefused(reply, 429, "rate_limited");
        // Asking again begins no new wait, and a try in time is made.
        area.wait(wait_s * 1_000 - 1);
        expectRefused(await from.logIn("owner@loja.pt", "wrong"), 429, "rate_limited");
        area.wait(1);
        reply = await from.logIn("owner@loja.pt", "wrong");
      }
      expectRefused(reply, 401, "unauthorized");
    }
    expect(waits).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, ...Array(10).fill(30)]);
    // While somebody goes on, from new networks all the time, a clean one waits its own half a minute and is let in.
    const clean = area.browser({ address: "203.0.113.99" });
    expect(Number((await clean.logIn("owner@loja.pt")).headers.get("retry-after"))).toBe(30);
    for (let network = 30; network < 90; network++) {
      await area.browser({ address: `198.51.100.${network}` }).logIn("owner@loja.pt", "wrong");
      area.wait(500);
    }
    expect((await clean.logIn("owner@loja.pt")).status).toBe(201);
    // Where the user has logged in before, nothing waits.
    expect((await known.logIn("owner@loja.pt")).status).toBe(201);
  });

  test("a browser that logged in before has ten tries of its own, of the users who logged in there", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const cashier = await area.person("cashier");
    expect(cashier.device).not.toBe(owner.device);
    for (let tries = 0; tries < 10; tries++) {
      expectRefused(await owner.logIn("owner@loja.pt", "wrong"), 401, "unauthorized");
    }
    expectRefused(await owner.logIn("owner@loja.pt"), 429, "rate_limited");
    expect((await area.browser().logIn("owner@loja.pt")).status).toBe(201); // not counted for others
    const secret = owner.device;
    expect((await owner.logIn("cashier@loja.pt")).status).toBe(201);
    expect(owner.device).toBe(secret); // two users of one till
    // A secret that was not made here, and one of another's browser, count for nothing.
    const [made, other] = [area.browser(), area.browser()];
    made.device = `lacre_device=${"A".repeat(43)}`;
    other.device = cashier.device;
    for (const from of [made, other]) {
      for (let tries = 0; tries < 5; tries++) await from.logIn("owner@loja.pt", "wrong");
    }
    expectRefused(await other.logIn("owner@loja.pt"), 429, "rate_limited");
    await made.logIn("nobody@loja.pt");
    area.wait(30_000);
    expect((await made.logIn("cashier@loja.pt")).status).toBe(201);
    expect(made.device).not.toContain("AAAA");
  });

  test("a new password makes every browser a stranger", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const other = area.browser();
    await other.logIn("owner@loja.pt");
    await owner.send("POST", `${SESSION}/password`, { body: { password: "outras quatro palavras" } });
    for (let tries = 0; tries < 10; tries++) {
      await area.browser({ address: `198.51.100.${tries}` }).logIn("owner@loja.pt", "wrong");
    }
    expectRefused(await other.logIn("owner@loja.pt", "outras quatro palavras"), 429, "rate_limited");
  });

  test("thirty wrong ones lock an address, of IPv6 its network, and no other", async () => {
    const area = await anArea();
    await area.person("owner");
    for (let tries = 0; tries < 30; tries++) {
      const from = area.browser({ address: `2001:db8:0:1::${tries + 1}` });
      expectRefused(await from.logIn(`nobody${tries}@loja.pt`), 401, "unauthorized");
    }
    const same = area.browser({ address: "2001:db8:0:1:ffff::9" });
    expectRefused(await same.logIn("owner@loja.pt"), 429, "rate_limited");
    const other = area.browser({ address: "2001:db8:0:2::1" });
    expect((await other.logIn("owner@loja.pt")).status).toBe(201);
  });

  test("right ones do not count", async () => {
    const area = await anArea();
    await area.person("owner");
    for (let tries = 0; tries < 40; tries++) expect((await area.browser().logIn("owner@loja.pt")).status).toBe(201);
  });
});

describe("beside API keys", () => {
  test("a key opens nothing below /area/v1", async () => {
    const area = await anArea();
    const authorization = `Bearer ${area.api_key}`;
    for (const path of [SESSION, "/area/v1/company", "/area/v1/keys", "/area/v1/sessions", "/area/v1/users"]) {
      expectRefused(await area.browser().send("GET", path, { headers: { authorization } }), 401, "unauthorized");
    }
  });

  test("on /v1 a header with a key decides, whatever cookie is there", async () => {
    const area = await anArea();
    const cashier = await area.person("cashier");
    const headers = { authorization: `Bearer ${area.api_key}`, "sec-fetch-site": "cross-site" };
    expect((await cashier.send("POST", "/v1/customers", { headers, body: { name: "Ana" } })).status).toBe(201);
    const wrong = { authorization: "Bearer x" };
    expectRefused(await cashier.send("GET", "/v1/me", { headers: wrong }), 401, "unauthorized", "API key");
  });

  test("without the area there is nothing below /area, and a cookie means nothing", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const { createHandler } = await import("lacre/http");
    const handler = createHandler(area.lacre);
    const headers = { cookie: owner.cookie as string, "sec-fetch-site": "same-origin" };
    const status = async (path: string) => (await handler(new Request(`http://127.0.0.1${path}`, { headers }))).status;
    expect([await status("/v1/me"), await status("/area/v1/session"), await status("/area")]).toEqual([401, 404, 404]);
    expect((await owner.send("GET", "/v1/me")).status).toBe(200); // the control
  });

  test("below /area/v1 an unknown path is not found, and the page is not served instead", async () => {
    const area = await anArea();
    for (const path of ["/area/v1/nothing", "/area/v1/users/invitations/x/y"]) {
      expectRefused(await area.browser().send("GET", path), 404, "not_found");
    }
    const wrong = await area.browser().send("PUT", SESSION);
    expectRefused(wrong, 405, "method_not_allowed");
    expect(wrong.headers.get("allow")).toBe("POST, GET, HEAD, PATCH, DELETE, OPTIONS");
    expectRefused(await area.browser().send("GET", "/area/v1/invitations/look"), 405, "method_not_allowed");
  });
});

test("before anybody has logged in the page learns the version, and whether there is any user", async () => {
  const area = await anArea({ area: { demo: true } });
  const start = () => area.browser().send("GET", "/area/v1/start");
  const [version, public_url] = [expect.any(String), null];
  expect((await start()).body).toEqual({ version, needs_setup: true, demo: true, public_url });
  await area.person("cashier");
  expect((await start()).body).toEqual({ version, needs_setup: false, demo: true, public_url });
});
