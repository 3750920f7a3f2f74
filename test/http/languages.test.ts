/** Refusals in the language that a request asks for. */
import { randomInt } from "node:crypto";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { createHandler } from "lacre/http";
import { serve } from "lacre/node";
import { describe, expect, test } from "vitest";
import { languageOf } from "../../src/http/languages.ts";
import { chanceOf } from "../support/chance.ts";
import { apiTest, openApi, UNKNOWN_ID } from "../support/http.ts";

describe("the language of Accept-Language", () => {
  test.each([
    ["pt", "pt"],
    ["pt-PT", "pt"],
    ["PT-br", "pt"],
    ["pt-PT,pt;q=0.9,en;q=0.8", "pt"],
    ["en-GB,en;q=0.9,pt;q=0.8", "en"],
    ["en;q=0.3, pt;q=0.5", "pt"],
    ["pt;q=0.3, en;q=0.5", "en"],
    ["fr, pt;q=0.2", "pt"],
    ["pt, en", "pt"],
    ["en, pt", "en"],
    ["pt-BR;q=0.1, en;q=0.5, pt;q=0.9", "pt"],
    ["pt ; q=1.000", "pt"],
    ["pt;Q=0.5", "pt"],
    ["\tpt\t,", "pt"],
    ["pt-Latn-PT-x-casa", "pt"],
    // What is no preference for Portuguese
    [null, "en"],
    [undefined, "en"],
    ["", "en"],
    ["*", "en"],
    ["fr", "en"],
    ["de-DE, fr;q=0.9", "en"],
    ["pt;q=0", "en"],
    ["pt;q=0.0", "en"],
    ["*, pt", "en"],
    ["pt, *", "pt"],
    ["pt;q=0.5, *;q=0.8", "en"],
    ["*;q=0.1, pt;q=0.5", "pt"],
    ["en;q=0, *", "pt"], // English is refused, and anything else is welcome
    ["en;q=0", "en"],
    // Malformed ranges are passed over
    ["pt;q=2", "en"],
    ["pt;q=0.1234", "en"],
    ["pt;q=", "en"],
    ["pt;q=-1", "en"],
    ["pt;x=1", "en"],
    ["pt q=1", "en"],
    ["portuguese", "en"],
    ["pt_PT", "en"],
    [";;;,,pt;q=x,en-,pt;q=0.5", "pt"],
    ["\u0000pt", "en"],
  ] as const)("%j is %s", (header, lang) => expect(languageOf(header)).toBe(lang));

  test("of a long header only the beginning is read", () => {
    expect(languageOf(`${"fr,".repeat(49)}pt`)).toBe("pt");
    expect(languageOf(`${"fr,".repeat(50)}pt`)).toBe("en");
    expect(languageOf(`${" ".repeat(2_000)}pt`)).toBe("en");
  });

  test("random headers give a language in bounded time", () => {
    const chance = chanceOf(Number(process.env.LACRE_SEED ?? randomInt(2 ** 31)));
    const parts = [
      "pt",
      "en",
      "*",
      "-",
      "PT",
      ";q=",
      "0.5",
      "1",
      ",",
      " ",
      "\t",
      "a",
      "0",
      ";",
      "é",
      "\u0000",
      "=",
      ".",
    ];
    for (let i = 0; i < 20_000; i++) {
      const header = Array.from({ length: chance.below(40) }, () => chance.oneOf(parts)).join("");
      expect(["pt", "en"], `LACRE_SEED=${chance.seed} ${JSON.stringify(header)}`).toContain(languageOf(header));
    }
    for (const part of [...parts, "pt;q=0.", "a-".repeat(8), "pt-a", " pt ;", "pt;q=1,"]) {
      const header = part.repeat(1_000_000 / part.length);
      const begun = process.threadCpuUsage().user;
      for (let i = 0; i < 100; i++) languageOf(header);
      expect((process.threadCpuUsage().user - begun) / 1_000, `100 × ${JSON.stringify(part)}`).toBeLessThan(500);
    }
  });
});

apiTest("a refusal says its language, and caches are told what it depends on", async (api) => {
  const refusal = async (language?: string) => {
    const headers = language === undefined ? {} : { "accept-language": language };
    const { status, text, headers: answered } = await api.call("GET", `/v1/customers/${UNKNOWN_ID}`, { headers });
    return { status, text, language: answered.get("content-language"), vary: answered.get("vary") };
  };
  const english = {
    status: 404,
    text: '{"error":{"code":"not_found","message":"There is no such customer."}}',
    language: "en",
    vary: "Accept-Language",
  };
  expect(await refusal()).toEqual(english);
  expect(await refusal("*")).toEqual(english);
  expect(await refusal("fr-FR, en;q=0.5")).toEqual(english);
  expect(await refusal("pt-BR, en;q=0.5")).toEqual({
    ...english,
    text: '{"error":{"code":"not_found","message":"Esse cliente não existe."}}',
    language: "pt",
  });
});

apiTest("what is no refusal has no language", async (api) => {
  const { status, headers } = await api.call("GET", "/v1/customers", { headers: { "accept-language": "pt" } });
  expect([status, headers.get("content-language"), headers.get("vary")]).toEqual([200, null, null]);
});

apiTest("fields, codes and every step before the operation speak the same language", async (api) => {
  const headers = { "accept-language": "pt-PT" };
  const refusals = [
    api.call("POST", "/v1/customers", { body: { name: "", nome: 1 }, headers }),
    api.call("GET", "/v1/nothing", { headers }),
    api.call("PUT", "/v1/customers", { headers }),
    api.call("GET", "/v1/me", { headers, key: null }),
    api.call("POST", "/v1/customers", { raw: "{", headers }),
    api.call("POST", "/v1/customers", { raw: "{}", headers: { ...headers, "content-type": "text/plain" } }),
    api.call("GET", "/v1/customers?limit=0", { headers }),
    api.call("GET", "/v1/me", { headers, key: await api.keyWith("customers:read") }),
    api.call("GET", "/v1/products", { headers, key: await api.keyWith("customers:read") }),
  ];
  const texts = (await Promise.all(refusals)).map(({ status, body }) => {
    const { error } = body as { error?: { code: string; message: string } };
    return [status, error?.code, error?.message];
  });
  expect(texts).toEqual([
    [400, "invalid_request", "name: não pode estar vazio; nome: não é um campo conhecido"],
    [404, "not_found", "Aqui não há nada."],
    [405, "method_not_allowed", "Este caminho não aceita esse método."],
    [401, "unauthorized", "A chave da API falta, não é válida ou foi revogada."],
    [400, "invalid_request", expect.stringMatching(/^O corpo não é JSON: «.*»$/)],
    [415, "unsupported_media_type", expect.stringMatching(/^O corpo do pedido tem de ser application\/json/)],
    [400, "invalid_request", "limit: tem de ser um número inteiro de 1 a 200"],
    [200, undefined, undefined],
    [403, "forbidden", "A chave da API não tem a permissão products:read."],
  ]);
});

apiTest("a request that was refused in one language is repeated in another", async (api) => {
  const draft = await api.draft();
  const refused = async (language: string) => {
    const headers = { "accept-language": language };
    const path = `/v1/documents/${draft.id}/cancel`;
    return await api.call("POST", path, { body: { reason: "Engano" }, headers, idempotency_key: "once" });
  };
  expect((await refused("pt")).text).toContain("Um rascunho não pode ser anulado.");
  expect((await refused("en")).text).toContain("A draft cannot be cancelled.");
});

describe("over a socket", () => {
  /** Sends these bytes, and no more, and returns the answer. */
  async function exchange(url: string, bytes: string): Promise<string> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(bytes);
    return text(socket);
  }

  const PT = "Accept-Language: pt\r\n";

  test.each([
    ["no host", `GET / HTTP/1.1\r\n${PT}\r\n`, "Tem de haver um e um só cabeçalho Host."],
    ["a target of a proxy", `GET http://a/ HTTP/1.1\r\nHost: a\r\n${PT}\r\n`, "O destino tem de ser um caminho"],
    ["CONNECT", `CONNECT a:443 HTTP/1.1\r\nHost: a\r\n${PT}\r\n`, "Isto não é um proxy."],
    [
      "an expectation",
      `POST / HTTP/1.1\r\nHost: a\r\n${PT}Expect: more\r\n\r\n`,
      "O cabeçalho Expect só pode ter 100-continue",
    ],
    [
      "a broken chunk after the headers",
      `POST /v1/customers HTTP/1.1\r\nHost: a\r\n${PT}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      "O pedido não é HTTP bem formado.",
    ],
    [
      "headers that cannot be read",
      `GET / HTTP/1.1\r\n${PT}Broken header\r\n\r\n`,
      "The request is not well-formed HTTP.",
    ],
    [
      "headers that cannot be read, after a request in Portuguese",
      `GET /healthz HTTP/1.1\r\nHost: a\r\n${PT}\r\nGARBAGE\r\n\r\n`,
      "The request is not well-formed HTTP.",
    ],
  ])("%s", async (_, bytes, message) => {
    const api = await openApi();
    const key = bytes.includes("/v1/") ? `Authorization: Bearer ${api.api_key}\r\n` : "";
    const server = await serve(createHandler(api.lacre), { port: 0 });
    try {
      const answer = await exchange(server.url, bytes.replace(PT, PT + key));
      expect(answer).toContain(message);
      expect(answer).toMatch(/vary: Accept-Language\r\n/i);
      const [, language] = /content-language: (\w+)\r\n/i.exec(answer) ?? [];
      expect(language).toBe(message.startsWith("The ") ? "en" : "pt");
    } finally {
      await server.close();
      await api.lacre.close();
    }
  });
});

apiTest("a notice is in the language of its request", async (api) => {
  await api.customer({ tax_id: "501964843" });
  for (const [language, says] of [
    ["pt-PT, en;q=0.5", "Há outro cliente com este número de contribuinte."],
    ["de", "Another customer has this tax number."],
  ] as const) {
    const body = { name: "Rui", tax_id: "501964843" };
    const made = await api.call("POST", "/v1/customers", { headers: { "accept-language": language }, body });
    expect(made).toMatchObject({ status: 201, body: { notices: [{ code: "tax_id_in_use", message: says }] } });
    const { id } = made.body as { id: string };
    expect((await api.call("GET", `/v1/customers/${id}`)).body).not.toHaveProperty("notices");
    expect((await api.call("DELETE", `/v1/customers/${id}`)).status).toBe(204);
  }
});
