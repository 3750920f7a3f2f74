/** Links that make users and let them choose passwords, over HTTP: used once, in time, by whom they are for. */
import { describe, expect, test } from "vitest";
import { type Area, anArea, type Browser, expectRefused, HOUR, MINUTE, PASSWORD, tokenOf } from "../../support/area.ts";
import { JPEG } from "../../support/pictures.ts";

const LOOK = "/area/v1/invitations/look";
const ACCEPT = "/area/v1/invitations/accept";

interface LinkShown {
  readonly id: string;
  readonly link_path: string;
  readonly expires_at: string;
}

async function invited(owner: Browser, login = "ana@loja.pt", role = "cashier"): Promise<LinkShown> {
  const reply = await owner.send<LinkShown>("POST", "/area/v1/users/invitations", { body: { login, role } });
  expect(reply.status, reply.text).toBe(201);
  return reply.body;
}

const accept = (area: Area, link_path: string, fields: object = {}, from = area.browser()) =>
  from.send("POST", ACCEPT, { body: { token: tokenOf(link_path), name: "Ana", password: PASSWORD, ...fields } });

describe("a set-up link", () => {
  test("makes the first user, who makes the first company", async () => {
    const area = await anArea();
    const { link_path, expires_at } = await area.lacre.users.invite();
    expect(link_path).toMatch(/^\/area\/setup#[\w-]{43}$/);
    expect(Date.parse(expires_at) - area.now.getTime()).toBe(30 * MINUTE);
    const browser = area.browser();
    const looked = await browser.send("POST", LOOK, { body: { token: tokenOf(link_path) } });
    const nobody = { login: null, name: null, known: false };
    expect(looked.body).toEqual({ kind: "setup", role: "owner", company_name: null, ...nobody });
    const reply = await accept(area, link_path, { login: "ana@loja.pt", language: "pt" }, browser);
    expect(reply.status, reply.text).toBe(201);
    expect(reply.body).toMatchObject({
      user: { name: "Ana", login: "ana@loja.pt", language: "pt" },
      companies: [{ role: "owner" }],
    });
    await browser.confirm();
    const logo = JPEG.toString("base64");
    const body = { name: "Outra, S.A.", tax_id: "501964843", logo };
    const made = await browser.send<{ id: string }>("POST", "/area/v1/companies", { body });
    expect(made.status, made.text).toBe(201);
    const shown = await browser.send("GET", "/area/v1/company", { company: made.body.id });
    expect(shown.body).toMatchObject({ name: "Outra, S.A." });
    const picture = await browser.send("GET", "/area/v1/company/logo", { company: made.body.id });
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    const none = await browser.send("GET", "/area/v1/company/logo", { company: area.company_id });
    expect([none.status, none.text]).toEqual([204, ""]);
  });

  test("makes a second owner too, with a link of their own", async () => {
    const area = await anArea();
    for (const login of ["ana@loja.pt", "rui@loja.pt"]) {
      const { link_path } = await area.lacre.users.invite({ login });
      expectRefused(await accept(area, link_path, { login: "eva@loja.pt" }), 400, "invalid_request", "login: must be");
      expect((await accept(area, link_path, { name: login })).status).toBe(201);
    }
    expect((await area.company.users.list()).data).toMatchObject([
      { name: "ana@loja.pt", role: "owner", actor_code: "U1" },
      { name: "rui@loja.pt", role: "owner", actor_code: "U2" },
    ]);
  });

  test("that two people use at the same moment makes one user", async () => {
    const area = await anArea();
    for (let round = 0; round < 10; round++) {
      const { link_path } = await area.lacre.users.invite();
      const both = ["a", "b", "c"].map((name) => accept(area, link_path, { login: `${name}${round}@loja.pt` }));
      const replies = await Promise.all(both);
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 404, 404]);
    }
    expect(await area.lacre.users.list()).toHaveLength(10);
  });

  test("ends every earlier one, and every other ends once one is used", async () => {
    const area = await anArea();
    const links = [await area.lacre.users.invite(), await area.lacre.users.invite({ login: "b@loja.pt" })];
    const last = await area.lacre.users.invite();
    for (const link of links) expectRefused(await accept(area, link.link_path), 404, "not_found");
    const { link_path } = await area.company.users.invite({ login: "a@loja.pt", role: "owner" });
    expect((await accept(area, link_path)).status).toBe(201); // the first owner, by another way
    expectRefused(await accept(area, last.link_path, { login: "c@loja.pt" }), 404, "not_found");
    // An owner that comes later, by a link of a company, ends no link of whoever runs Lacre.
    const next = await area.lacre.users.invite();
    const other = await area.company.users.invite({ login: "d@loja.pt", role: "owner" });
    expect((await accept(area, other.link_path)).status).toBe(201);
    expect((await accept(area, next.link_path, { login: "c@loja.pt" })).status).toBe(201);
  });

  test("users who join before there is a company become owners of the first one, whoever creates it", async () => {
    const area = await anArea();
    const { openLacre } = await import("lacre");
    const { sqlite } = await import("lacre/sqlite");
    await using lacre = await openLacre({ dialect: sqlite(":memory:"), passwordCost: { ln: 4, r: 8, p: 1 } });
    const { createHandler } = await import("lacre/http");
    const handler = createHandler(lacre, { area: {} });
    const cookies: string[] = [];
    const send = async (path: string, body: object, cookie = "") => {
      const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin", cookie };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return handler(new Request(`http://127.0.0.1${path}`, init));
    };
    for (const login of ["ana@loja.pt", "rui@loja.pt"]) {
      const token = tokenOf((await lacre.users.invite()).link_path);
      const reply = await send(ACCEPT, { token, name: login, login, password: PASSWORD });
      expect(await reply.json()).toMatchObject({ companies: [] });
      cookies.push(reply.headers.get("set-cookie")?.split(";")[0] as string);
      expect((await send("/area/v1/session", { login, password: PASSWORD })).status).toBe(201);
    }
    const made = await send("/area/v1/companies", { name: "Loja", tax_id: "500000000" }, cookies[0]);
    expect(made.status).toBe(201);
    const { data } = await lacre.as((await lacre.companies.list())[0]?.id ?? "").users.list();
    expect(data.map(({ login, role }) => [login, role])).toEqual([
      ["ana@loja.pt", "owner"],
      ["rui@loja.pt", "owner"],
    ]);
    expect(area.log).toBeDefined();
  });
});

describe("an invitation", () => {
  test("makes a user of the role, once, within seven days", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const link = await invited(owner);
    expect(link.link_path).toMatch(/^\/area\/invitation#[\w-]{43}$/);
    expect(Date.parse(link.expires_at) - area.now.getTime()).toBe(7 * 24 * HOUR);
    const listed = await owner.send<{ invitations: unknown[] }>("GET", "/area/v1/users");
    expect(listed.body.invitations).toEqual([
      {
        id: link.id,
        login: "ana@loja.pt",
        role: "cashier",
        created_at: area.now.toISOString(),
        expires_at: link.expires_at,
      },
    ]);
    expect(listed.text).not.toContain(tokenOf(link.link_path));
    const looked = await area.browser().send("POST", LOOK, { body: { token: tokenOf(link.link_path) } });
    expect(looked.body).toEqual({
      kind: "invitation",
      role: "cashier",
      company_name: "Padaria Central, Lda.",
      login: "ana@loja.pt",
      name: null,
      known: false,
    });
    expect((await accept(area, link.link_path)).status).toBe(201);
    const words = "This link was used or withdrawn, or has expired.";
    expectRefused(await accept(area, link.link_path), 404, "not_found", words);
    const again = await area.browser().send("POST", LOOK, { body: { token: tokenOf(link.link_path) } });
    expectRefused(again, 404, "not_found", words);
    expect((await owner.send("GET", "/area/v1/users")).body).toMatchObject({ invitations: [] });
  });

  test.each([
    ["setup", 30 * MINUTE],
    ["invitation", 7 * 24 * HOUR],
    ["reset", 30 * MINUTE],
  ])("a link of kind %s works until it expires", async (kind, lives) => {
    for (const [wait, status] of [
      [lives - 1, 201],
      [lives, 404],
    ] as const) {
      const area = await anArea();
      const owner = await area.person("owner");
      const links = {
        setup: () => area.lacre.users.invite({ login: "ana@loja.pt" }),
        invitation: () => area.company.users.invite({ login: "ana@loja.pt", role: "cashier" }),
        reset: () => area.lacre.users.reset({ id: owner.user_id }),
      };
      const { link_path } = await links[kind as keyof typeof links]();
      area.wait(wait);
      expect((await accept(area, link_path)).status).toBe(status);
    }
  });

  test("is withdrawn, and replaced by a later one to the same person", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const first = await invited(owner);
    const second = await invited(owner, "ANA@loja.pt", "accountant");
    expectRefused(await accept(area, first.link_path), 404, "not_found");
    const path = `/area/v1/users/invitations/${second.id}`;
    expect((await owner.send("DELETE", path)).status).toBe(204);
    expectRefused(await owner.send("DELETE", path), 404, "not_found");
    expectRefused(await accept(area, second.link_path), 404, "not_found");
  });

  test.each([
    ["a token that is none", "x"],
    ["a token of the right form", "A".repeat(43)],
    ["no text", ""],
  ])("%s is not found", async (_, token) => {
    const area = await anArea();
    expectRefused(await area.browser().send("POST", LOOK, { body: { token } }), 404, "not_found");
    const body = { token, name: "Ana", login: "ana@loja.pt", password: PASSWORD };
    expectRefused(await area.browser().send("POST", ACCEPT, { body }), 404, "not_found");
  });

  test.each([
    ["short", "a1b2c3d4e", "password: must have at least 10 characters"],
    ["the login", "ANA@loja.pt", "password: must not be your login or your name"],
    ["a common one", "Password123", "password: is guessed at once"],
    ["one letter", "aaaaaaaaaaaaaaaaaa", "password: is guessed at once"],
    ["a run", "23456789:;", "password: is guessed at once"],
    ["too long", "ab3".repeat(67), "password: must have at most 200 characters"],
  ])("a password that is %s is refused, and the link still works", async (_, password, message) => {
    const area = await anArea();
    const { link_path } = await area.company.users.invite({ login: "ana@loja.pt", role: "cashier" });
    expectRefused(await accept(area, link_path, { password }), 400, "invalid_request", message);
    expectRefused(await accept(area, link_path, { name: undefined }), 400, "invalid_request", "name: is required");
    expect((await accept(area, link_path)).status).toBe(201);
  });

  test("to somebody who is in another company asks for the password they have, and keeps it", async () => {
    const area = await anArea();
    const cashier = await area.person("cashier", "ana@loja.pt");
    const { id: other } = await area.lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
    const { link_path } = await area.lacre.as(other).users.invite({ login: "ana@loja.pt", role: "owner" });
    const looked = await area.browser().send("POST", LOOK, { body: { token: tokenOf(link_path) } });
    expect(looked.body).toMatchObject({ login: "ana@loja.pt", known: true, name: null });
    expectRefused(await accept(area, link_path, { password: "a password of mine" }), 401, "unauthorized");
    expect((await cashier.send("GET", "/area/v1/session")).status).toBe(200);
    expect((await accept(area, link_path)).body).toMatchObject({ companies: [{ role: "cashier" }, { role: "owner" }] });
    expect((await cashier.send("GET", "/area/v1/session")).status).toBe(200);
  });

  test("cannot be used to guess the password of somebody who is in another company", async () => {
    const area = await anArea();
    await area.person("cashier", "ana@loja.pt");
    const { id: other } = await area.lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
    const { link_path } = await area.lacre.as(other).users.invite({ login: "ana@loja.pt", role: "owner" });
    for (let tries = 0; tries < 10; tries++) await accept(area, link_path, { password: `wrong password ${tries}` });
    expectRefused(await accept(area, link_path), 429, "rate_limited");
  });

  test("lets a removed user in again, with a newly chosen password and the same actor", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const cashier = await area.person("cashier");
    await owner.send("POST", `/area/v1/users/${cashier.user_id}/disable`);
    expectRefused(await cashier.logIn("cashier@loja.pt"), 401, "unauthorized");
    const { link_path } = await invited(owner, "cashier@loja.pt", "accountant");
    expect((await accept(area, link_path, { password: "uma palavra-passe nova" })).body).toMatchObject({
      user: { id: cashier.user_id },
      companies: [{ role: "accountant", actor_code: "U2" }],
    });
    expectRefused(await cashier.logIn("cashier@loja.pt"), 401, "unauthorized");
  });

  test("of another company takes over nobody who was removed: the password is theirs", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const cashier = await area.person("cashier", "ana@loja.pt");
    const { id: other } = await area.lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
    const theirs = await area.lacre.as(other).users.invite({ login: "ana@loja.pt", role: "owner" });
    await owner.send("POST", `/area/v1/users/${cashier.user_id}/disable`);
    const looked = await area.browser().send("POST", LOOK, { body: { token: tokenOf(theirs.link_path) } });
    expect(looked.body).toMatchObject({ known: true });
    expectRefused(await accept(area, theirs.link_path, { password: "escolhida por outro" }), 401, "unauthorized");
    const { link_path } = await invited(owner, "ana@loja.pt");
    expect((await accept(area, link_path)).body).toMatchObject({ user: { id: cashier.user_id } });
  });

  test("lets somebody who was removed from two companies choose no password", async () => {
    const area = await anArea();
    const ana = await area.person("cashier", "ana@loja.pt");
    const other = area.lacre.as((await area.lacre.companies.create({ name: "Outra", tax_id: "501964843" })).id);
    await accept(area, (await other.users.invite({ login: "ana@loja.pt", role: "cashier" })).link_path);
    for (const company of [area.company, other]) await company.users.disable({ id: ana.user_id });
    const { link_path } = await other.users.invite({ login: "ana@loja.pt", role: "cashier" });
    expectRefused(await accept(area, link_path, { password: "escolhida por outro" }), 401, "unauthorized");
    expect((await accept(area, link_path)).status).toBe(201);
  });

  test("of an owner admits nobody whom the operator disabled; a link of the operator does", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const cashier = await area.person("cashier");
    await owner.send("POST", `/area/v1/users/${cashier.user_id}/disable`);
    await area.lacre.users.disable({ id: cashier.user_id });
    const { link_path } = await invited(owner, "cashier@loja.pt");
    expectRefused(await accept(area, link_path), 409, "invalid_state", "disabled");
    const reset = await area.lacre.users.reset({ id: cashier.user_id });
    expect((await accept(area, reset.link_path)).status).toBe(201);
    expect(await area.lacre.users.list()).toMatchObject([{}, { disabled_at: null }]);
  });

  test("to a member is refused", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const body = { login: "OWNER@loja.pt", role: "cashier" };
    expectRefused(await owner.send("POST", "/area/v1/users/invitations", { body }), 409, "conflict");
  });

  test("begins below the base path", async () => {
    const area = await anArea({ handler: { basePath: "/faturas" } });
    const owner = await area.owner();
    expect((await invited(owner)).link_path).toMatch(/^\/faturas\/area\/invitation#/);
  });
});

describe("a reset", () => {
  test("admits nobody who was removed after it was made", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const cashier = await area.person("cashier");
    const { link_path } = await area.company.users.reset({ id: cashier.user_id });
    await owner.send("POST", `/area/v1/users/${cashier.user_id}/disable`);
    expectRefused(await accept(area, link_path), 409, "invalid_state", "disabled");
  });

  test("by an owner is over once the user joins another company, or makes one", async () => {
    const area = await anArea();
    const ana = await area.person("cashier", "ana@loja.pt");
    const rui = await area.person("owner", "rui@loja.pt");
    const links = [
      await area.company.users.reset({ id: ana.user_id }),
      await area.company.users.reset({ id: rui.user_id }),
    ];
    const { id: other } = await area.lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
    const { link_path } = await area.lacre.as(other).users.invite({ login: "ana@loja.pt", role: "owner" });
    expect((await accept(area, link_path)).status).toBe(201);
    const body = { name: "Mais uma", tax_id: "509442013" };
    await rui.confirm();
    expect((await rui.send("POST", "/area/v1/companies", { body })).status).toBe(201);
    for (const link of links) expectRefused(await accept(area, link.link_path), 404, "not_found");
    for (const id of [area.company_id, other]) expect((await area.lacre.as(id).series.verify()).whole).toBe(true);
  });

  test("lets the user choose a password, ends every session, and sets nothing by itself", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const cashier = await area.person("cashier");
    const made = await owner.send<LinkShown>("POST", `/area/v1/users/${cashier.user_id}/reset`);
    expect([made.status, made.body.link_path]).toEqual([201, expect.stringMatching(/^\/area\/reset#/)]);
    expect((await cashier.send("GET", "/area/v1/session")).status).toBe(200);
    const looked = await area.browser().send("POST", LOOK, { body: { token: tokenOf(made.body.link_path) } });
    expect(looked.body).toMatchObject({ kind: "reset", role: null, login: "cashier@loja.pt", name: "A cashier" });
    const body = { token: tokenOf(made.body.link_path), password: "uma palavra-passe nova" };
    expect((await area.browser().send("POST", ACCEPT, { body })).status).toBe(201);
    expectRefused(await cashier.send("GET", "/area/v1/session"), 401, "unauthorized");
    expectRefused(await cashier.logIn("cashier@loja.pt"), 401, "unauthorized");
    expect((await cashier.logIn("cashier@loja.pt", "uma palavra-passe nova")).status).toBe(201);
    expectRefused(await area.browser().send("POST", ACCEPT, { body }), 404, "not_found");
  });

  test("by an owner opens no company but their own", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const cashier = await area.person("cashier", "ana@loja.pt");
    const { id: other } = await area.lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
    const { link_path } = await area.lacre.as(other).users.invite({ login: "ana@loja.pt", role: "owner" });
    await accept(area, link_path);
    const reset = () => owner.send("POST", `/area/v1/users/${cashier.user_id}/reset`);
    expectRefused(await reset(), 409, "invalid_state", "is or was in other companies");
    await area.lacre.as(other).users.invite({ login: "eva@loja.pt", role: "owner" });
    const eva = await area.person("owner", "eva@loja.pt", other);
    expect(eva.user_id).toBeDefined();
    await area.lacre.as(other).users.disable({ id: cashier.user_id });
    expectRefused(await reset(), 409, "invalid_state", "is or was in other companies");
    const both = await area.lacre.as(other).users.invite({ login: "owner@loja.pt", role: "owner" });
    await accept(area, both.link_path, {}, owner);
    await owner.confirm();
    const company = area.company_id;
    expect((await owner.send("POST", `/area/v1/users/${cashier.user_id}/reset`, { company })).status).toBe(201);
  });
});
