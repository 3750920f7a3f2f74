/** JSON that `JSON.parse` accepts and that must never become an invoice. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, bodyFor, DAY, openStreet, refusalOf, type Street } from "../../support/attack.ts";

let street: Street;

beforeEach(async () => {
  street = await openStreet();
});

afterEach(() => street.lacre.close());

const post = (path: string, body: string | Uint8Array) =>
  ask(street.handler, { method: "POST", path, api_key: street.own.api_key, body });

/** Expects each body to be refused with 400, and nothing to be stored. */
async function refuseAll(bodies: Readonly<Record<string, string | Uint8Array>>, path = "/v1/customers"): Promise<void> {
  const before = await street.rows();
  for (const [what, body] of Object.entries(bodies)) {
    const answer = await post(path, body);
    expect([what, answer.status, answer.text.slice(0, 300)]).toEqual([what, 400, expect.any(String)]);
    expect([what, refusalOf(answer)]).toEqual([what, "invalid_request"]);
  }
  expect(await street.rows()).toBe(before);
}

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

test("nesting is refused from 33 levels to as many as fit in a body", async () => {
  const bodies: Record<string, string> = {
    "half a million lists": nested(500_000, "[", "]"),
    "a million lists, never closed": "[".repeat(1_000_000),
    "a million lists, never opened": "]".repeat(1_000_000),
    "objects, never closed": '{"a":'.repeat(200_000),
  };
  for (const depth of [33, 34, 100, 1_000, 10_000, 100_000]) {
    bodies[`${depth} lists`] = nested(depth, "[", "]");
    bodies[`a name ${depth} deep in lists`] = `{"name":${nested(depth, "[", "]")}}`;
    bodies[`${depth} objects`] = `${'{"name":'.repeat(depth)}1${"}".repeat(depth)}`;
    bodies[`an unknown field ${depth} deep`] = `{"name":"Ana","x":${nested(depth, "[", "]")}}`;
  }
  await refuseAll(bodies);
});

test("any number of brackets inside strings is plain text", async () => {
  const notes = "[[[[{{{{]]]]}}}}".repeat(6);
  const { status, text } = await post("/v1/customers", JSON.stringify({ name: notes, city: '\\"[[[[' }));
  expect([status, JSON.parse(text).name, JSON.parse(text).city]).toEqual([201, notes, '\\"[[[[']);
});

test("too many members are refused", async () => {
  const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`;
  await refuseAll({
    "eighty thousand members": members(80_000),
    "the same member often": `{${'"name":"a",'.repeat(80_000)}"name":"b"}`,
  });
  expect(refusalOf(await post("/v1/customers", members(1_000_000)))).toBe("payload_too_large");
});

test("a message names the first 20 problems and says how many more, and shows no name whole that is very long", async () => {
  const messageOf = async (body: object, path = "/v1/customers"): Promise<string> =>
    JSON.parse((await post(path, JSON.stringify(body))).text).error.message;
  const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
  const named = Array.from({ length: 20 }, (_, i) => `k${i}: is not a known field`).join("; ");
  expect(await messageOf({ name: "Ana", ...unknown(20) })).toBe(named);
  expect(await messageOf({ name: "Ana", ...unknown(19_000) })).toBe(`${named}; and 18,980 more`);
  expect(await messageOf({ name: "Ana", [`\u{1f36a}${"\u{1f36a}".repeat(200_000)}`]: 1 })).toBe(
    `${"\u{1f36a}".repeat(100)}…: is not a known field`,
  );
  const lines = Array.from({ length: 1_000 }, () => ({ description: "", qty: 0, unit_price_net: -1, tax_rate: 6 }));
  expect(await messageOf({ lines }, "/v1/documents")).toMatch(/^(?:[^;]+; ){20}and \d,\d{3} more$/);
});

test("a repeated member is refused, at any depth and however it is escaped", async () => {
  await refuseAll({
    "at the top": '{"name":"Ana","name":"Rui"}',
    "equal values": '{"name":"Ana","name":"Ana"}',
    "with an escape": '{"name":"Ana","n\\u0061me":"Rui"}',
    "in an unknown field": '{"name":"Ana","x":{"a":1,"a":2}}',
    "the empty name": '{"name":"Ana","":1,"":2}',
  });
  const line = '{"description":"Pão","qty":1,"unit_price_net":10,"tax_rate":23,"discount_pct":0,"discount_pct":100}';
  const { series, customer, issued } = street.own.owned;
  const head = `"doc_type":"FT","series_id":"${series}","issue_date":"${DAY}","customer_id":"${customer}"`;
  await refuseAll(
    {
      "in a line": `{${head},"lines":[${line}]}`,
      "in a reference": `{${head},"lines":[${line.replace(',"discount_pct":100', "")}],"references":[{"document_id":"${issued}","document_id":"${issued}"}]}`,
      "the lines": `{${head},"lines":[],"lines":[${line.replace(',"discount_pct":100', "")}]}`,
      issue: `{${head},"lines":[${line.replace(',"discount_pct":100', "")}],"issue":false,"issue":true}`,
    },
    "/v1/documents",
  );
  const once = await post("/v1/documents", `{${head},"lines":[${line.replace(',"discount_pct":100', "")}]}`);
  expect(once.status).toBe(201);
});

test("members with a meaning in JavaScript are refused and pollute no prototype", async () => {
  const evil = '{"polluted":true,"name":"x"}';
  const bodies: Record<string, string> = {};
  for (const name of [
    "__proto__",
    "constructor",
    "prototype",
    "__defineGetter__",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "then",
    "toJSON",
  ]) {
    bodies[`${name} as an object`] = `{"name":"Ana","${name}":${evil}}`;
    bodies[`${name} as null`] = `{"name":"Ana","${name}":null}`;
    bodies[`${name} deep`] = `{"name":"Ana","x":[{"y":{"${name}":${evil}}}]}`;
    bodies[`${name} instead of the fields`] = `{"${name}":{"name":"Ana"}}`;
  }
  bodies["__proto__ escaped"] = `{"name":"Ana","\\u005f_proto__":${evil}}`;
  bodies["constructor.prototype"] = `{"name":"Ana","constructor":{"prototype":${evil}}}`;
  await refuseAll(bodies);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(Object.hasOwn(Object.prototype, "name")).toBe(false);
});

test("numbers that no exact decimal can hold are refused, with the name of the field", async () => {
  const before = await street.rows();
  const numbers = [
    ..."1e400 -1e400 1e999999 9007199254740993 123456789012345678 0.1234567 1e-7 5e-324 2.2250738585072011e-308".split(
      " ",
    ),
    ..."1e10 -1 -0.01 1e22 1.7976931348623157e308 4.9e-324 999999999.9999999 1000000000.000001 1e15".split(" "),
  ];
  for (const number of numbers) {
    const answer = await post("/v1/products", `{"name":"Pão","tax_rate":23,"unit_price_net":${number}}`);
    expect([number, answer.status, answer.text]).toEqual([number, 400, expect.stringContaining("unit_price_net: ")]);
  }
  const strange =
    "NaN Infinity -Infinity +1 01 1. .5 0x10 1_000 1,5 - 1e 1e+ '1' \"1\" true null [] {} [1] 1n 0b1 ∞ １".split(" ");
  for (const number of strange) {
    const answer = await post("/v1/products", `{"name":"Pão","tax_rate":23,"unit_price_net":${number}}`);
    expect([number, answer.status, refusalOf(answer)]).toEqual([number, 400, "invalid_request"]);
  }
  for (const amount of ["0", "-0", "-1", "0.001", "0.009", "1e-400", "1000000000000.01", "1e13", "1e400"]) {
    const path = `/v1/documents/${street.own.owned.issued}/payments`;
    const answer = await post(path, `{"method_code":"TB","payment_date":"${DAY}","amount":${amount}}`);
    expect([amount, answer.status, answer.text]).toEqual([amount, 400, expect.stringContaining("amount: ")]);
  }
  expect(await street.rows()).toBe(before);
});

test("an accepted number is returned as it was sent", async () => {
  const numbers = [
    "0",
    "0.1",
    "0.000001",
    "999999999.999999",
    "1e2",
    "1E+2",
    "100.00",
    "1.5e-3",
    "33.333333",
    "1000000000",
    "123456789.012345",
  ];
  for (const number of numbers) {
    const { status, text } = await post("/v1/products", `{"name":"Pão","tax_rate":23,"unit_price_net":${number}}`);
    expect([number, status, text]).toEqual([
      number,
      201,
      expect.stringContaining(`"unit_price_net":${Number(number)},`),
    ]);
  }
});

test("malformed and deceptive text is refused", async () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));
  const named = (text: string) => `{"name":"Ana ${text}"}`;
  await refuseAll({
    "a lone high surrogate": named("\\ud83d"),
    "a lone low surrogate": named("\\ude00"),
    "surrogates the wrong way round": named("\\ude00\\ud83d"),
    "NUL escaped": named("\\u0000"),
    "NUL itself": bytes('{"name":"Ana', [0], '"}'),
    "a line break itself": '{"name":"Ana\nRui"}',
    "a line break escaped": named("\\nRui"),
    "a C1 control": named("\\u0085x"),
    "a line separator": named("\\u2028x"),
    "right-to-left override": named("\\u202ecod.exe"),
    "left-to-right override": named("\\u202dx"),
    "an isolate": named("\\u2066x"),
    "bad UTF-8: a stray byte": bytes('{"name":"Ana', [0xff], '"}'),
    "bad UTF-8: overlong": bytes('{"name":"', [0xc0, 0xaf], '"}'),
    "bad UTF-8: a surrogate": bytes('{"name":"', [0xed, 0xa0, 0x80], '"}'),
    "bad UTF-8: cut short": bytes('{"name":"', [0xf0, 0x9f, 0x98], '"}'),
    "bad UTF-8 outside a string": bytes('{"name":"Ana"}', [0x80]),
    "Latin-1": bytes('{"name":"Jo', [0xe3], 'o"}'),
    "UTF-16": Buffer.from('{"name":"Ana"}', "utf16le"),
    "a bad escape": named("\\x41"),
    "a cut escape": named("\\u00"),
    "a comment": '{"name":"Ana"/* */}',
    "a comma too many": '{"name":"Ana",}',
    "single quotes": "{'name':'Ana'}",
    "two values": '{"name":"Ana"}{"name":"Rui"}',
    "something behind": '{"name":"Ana"} x',
  });
});

test("a body that is not an object is refused", async () => {
  const bodies = [
    "null",
    "true",
    "1",
    '"name"',
    "[]",
    '[{"name":"Ana"}]',
    "{",
    "}",
    " ",
    "\n",
    "undefined",
    "name=Ana",
    "<a/>",
  ];
  await refuseAll(Object.fromEntries(bodies.map((body) => [JSON.stringify(body), body])));
});

test("control: a valid body from the same sender is accepted", async () => {
  expect((await post("/v1/customers", JSON.stringify(bodyFor("createCustomer", street.own)))).status).toBe(201);
});
