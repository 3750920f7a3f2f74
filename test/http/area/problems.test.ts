/** Refusals as the page reads them: problems as data, for whoever calls with a session and asks for them. */
import { describe, expect, test } from "vitest";
import { anArea } from "../../support/area.ts";

const ASKED = { accept: "application/json, application/problem+json" };
const BROKEN = { name: 5, email: "no address" };

describe("a refusal to a session that asks for problems as data", () => {
  test("names each field apart from its problem, in the requested language", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const headers = { ...ASKED, "accept-language": "pt" };
    const { status, headers: answered, body } = await owner.send("POST", "/v1/customers", { body: BROKEN, headers });
    expect(status).toBe(400);
    expect(answered.get("content-type")).toBe("application/problem+json");
    expect(answered.get("content-language")).toBe("pt");
    expect(answered.get("vary")).toBe("Accept, Accept-Language");
    expect(body).toEqual({
      title: expect.stringContaining("email: "),
      status: 400,
      code: "invalid_request",
      errors: [
        { path: "name", detail: expect.not.stringContaining("name: ") },
        { path: "email", detail: expect.not.stringContaining("email: ") },
      ],
    });
  });

  test("is of the same kind without a wrong field, and without a session", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const nothing = await owner.send("GET", "/v1/nothing", { headers: ASKED });
    expect(nothing.body).toMatchObject({ status: 404, code: "not_found", errors: [{ path: "" }] });
    const nobody = await area.browser().send("GET", "/area/v1/session", { headers: ASKED });
    expect(nobody.body).toMatchObject({ status: 401, code: "unauthorized" });
  });

  test("has the two members of the contract for callers who do not ask, or call with a key", async () => {
    const area = await anArea();
    const owner = await area.owner();
    const plain = await owner.send("POST", "/v1/customers", { body: BROKEN });
    expect(Object.keys((plain.body as { error: object }).error)).toEqual(["code", "message"]);
    const { api_key } = await area.lacre.as(area.company_id).keys.create({ name: "Till", scopes: ["customers:write"] });
    const headers = { ...ASKED, authorization: `Bearer ${api_key}` };
    const keyed = await area.browser().send("POST", "/v1/customers", { body: BROKEN, headers });
    expect(keyed.headers.get("content-type")).toMatch(/^application\/json/);
    expect(Object.keys((keyed.body as { error: object }).error)).toEqual(["code", "message"]);
  });
});
