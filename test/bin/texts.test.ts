/** What the program says in both languages, and which of them it chooses. */
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/bin/commands.ts";
import { readSettings } from "../../src/bin/config.ts";
import { Failure } from "../../src/bin/exit.ts";
import { helpOf, helpOfAll } from "../../src/bin/help.ts";
import { localeOf, spokenIn } from "../../src/bin/language.ts";
import { TEXTS, type Texts } from "../../src/bin/texts/texts.ts";
import { NOTE_CODES } from "../../src/core/saft/import/records.ts";
import { importedRecord } from "../../src/core/texts/imported-record.ts";
import { importNote } from "../../src/core/texts/saft.ts";
import { ENGLISH_WORDS } from "../support/english.ts";

describe("the language of the locale", () => {
  test.each([
    [{ LANG: "pt_PT.UTF-8" }, "pt"],
    [{ LANG: "pt" }, "pt"],
    [{ LANG: "pt_BR" }, "pt"],
    [{ LANG: "PT-PT" }, "pt"],
    [{ LANG: "pt@euro" }, "pt"],
    [{ LC_MESSAGES: "pt_PT.UTF-8", LANG: "en_US.UTF-8" }, "pt"],
    [{ LC_ALL: "C", LC_MESSAGES: "pt_PT", LANG: "pt_PT" }, "en"],
    [{ LC_ALL: "", LC_MESSAGES: "", LANG: "pt_PT" }, "pt"],
    [{ LANG: "C" }, "en"],
    [{ LANG: "ptx" }, "en"],
    [{ LANG: "fr_FR" }, "en"],
    [{}, "en"],
  ] as const)("%j is %s", (env, lang) => expect(localeOf(env, "en-US")).toBe(lang));

  test("is the system's own if no variable names one", () => {
    expect(localeOf({}, "pt-PT")).toBe("pt");
    expect(localeOf({ LANG: "C" }, "pt-PT")).toBe("en");
  });
});

describe("--lang", () => {
  const spoken = (...args: string[]) => spokenIn(args, "en", ["pdf"]);

  test("may come before the command or after it, and is removed", () => {
    const args = ["status", "--json"];
    expect(spoken("--lang", "pt", "status", "--json")).toEqual({ lang: "pt", args });
    expect(spoken("status", "--lang", "pt", "--json")).toEqual({ lang: "pt", args });
    expect(spoken("status", "--json", "--lang=pt")).toEqual({ lang: "pt", args });
    expect(spoken("status", "--json")).toEqual({ lang: "en", args });
    expect(spokenIn(["--lang", "en", "status"], "pt", [])).toEqual({ lang: "en", args: ["status"] });
  });

  test("of pdf is also that of the document, unless both are given", () => {
    expect(spoken("pdf", "FT 2026A/1", "--lang", "pt")).toEqual({
      lang: "pt",
      args: ["pdf", "FT 2026A/1", "--lang", "pt"],
    });
    expect(spoken("--lang=pt", "pdf", "--lang=en")).toEqual({ lang: "pt", args: ["pdf", "--lang=en"] });
    expect(spoken("key", "create", "--name", "pdf", "--lang", "pt").args).toEqual(["key", "create", "--name", "pdf"]);
  });

  test("is left alone after --", () => {
    expect(spoken("backup", "--", "--lang")).toEqual({ lang: "en", args: ["backup", "--", "--lang"] });
  });

  test.each([
    [["--lang", "fr", "status"], "--lang must be pt or en", "--lang tem de ser pt ou en"],
    [["--lang"], "--lang needs a value: --lang LANG", "--lang precisa de um valor: --lang LÍNGUA"],
    [["--lang", "--json"], "--lang needs a value: --lang LANG", "--lang precisa de um valor: --lang LÍNGUA"],
    [["status", "--lang="], "--lang must be pt or en", "--lang tem de ser pt ou en"],
    [
      ["--lang=pt", "status", "--lang=pt"],
      "--lang is given twice; give it once",
      "--lang aparece duas vezes; indique-a uma só",
    ],
  ])("is refused: %j", (args, english, portuguese) => {
    const failure = failureOf(() => spoken(...args));
    expect([failure.exit, failure.message, failure.words(TEXTS.pt)]).toEqual(["usage", english, portuguese]);
  });
});

function failureOf(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error("It did not fail.");
}

// ——— The help ———

/** Names that are the same in both languages, and would look like English. */
const withoutNames = (text: string) =>
  text
    .replace(/\{error: \{code, message\}\}|LACRE_\w+|--[\w-]+|lacre [a-z-]+(?: [a-z]+)?|"waiting"|[\w-]+\.pdf/g, "")
    .replace(/[a-z]+:[a-z]+/g, "");

describe.each(COMMANDS.map((command) => [command.name, command] as const))("the help of %s", (_, command) => {
  const [english, portuguese] = [helpOf(command, TEXTS.en), helpOf(command, TEXTS.pt)];

  test("has no English in Portuguese", () => {
    expect(withoutNames(portuguese)).not.toMatch(ENGLISH_WORDS);
    expect(withoutNames(english)).toMatch(ENGLISH_WORDS);
  });

  test("has the same flags, commands and numbers in both", () => {
    const namedIn = (text: string) => [...new Set(text.match(/--[a-z][\w-]*|LACRE_[A-Z_]+|lacre [a-z-]+/g))].sort();
    expect(namedIn(portuguese)).toEqual(namedIn(english));
  });

  test("fits 120 characters if it is wrapped by hand", () => {
    for (const { commands } of [TEXTS.en, TEXTS.pt]) {
      for (const line of commands[command.name].details.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
    }
  });
});

test("the help of the program is in both languages", () => {
  expect(helpOfAll(COMMANDS, TEXTS.en)).toContain("Exit codes:\n  0  done\n");
  const portuguese = helpOfAll(COMMANDS, TEXTS.pt);
  expect(portuguese).toContain("Códigos de saída:\n  0  feito\n");
  expect(portuguese).toMatch(/lacre init --name TEXTO --tax-id NIF +cria a base de dados/);
  expect(withoutNames(portuguese)).not.toMatch(ENGLISH_WORDS);
  expect(Object.keys(TEXTS.en.commands).sort()).toEqual(COMMANDS.map(({ name }) => name).sort());
});

// ——— Every text ———

type Leaf = readonly [path: string, text: unknown];

function leavesOf(value: unknown, path = ""): Leaf[] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, path ? `${path}.${key}` : key));
}

/** Values by whatever name: each is an instant, a list and a name at once, and is told from others by its year. */
function samples(): object {
  const years = new Map<string, number>();
  const sample = (name: string) => {
    const year = years.get(name) ?? 2010 + years.size;
    years.set(name, year);
    const instant = `${year}-11-01T10:31:07.482Z`;
    return Object.assign(new String(instant), { in: () => instant, map: () => [String(year)] });
  };
  return new Proxy({}, { get: (_, name) => sample(String(name)) });
}

/** One thing of each, for what is counted. */
const ONE = new Proxy({}, { get: () => 1 });

const rendered = (text: unknown, values: object) => (typeof text === "function" ? String(text(values)) : String(text));

const PAIRS = leavesOf(TEXTS.en)
  .map(([path, english], i) => ({ path, english, portuguese: leavesOf(TEXTS.pt)[i]?.[1] }))
  .filter(({ path }) => path !== "lang");

/** The same in both: formats, names of things, and words that both languages have. */
const SAME =
  /^(?:placeholders\.(?:EMAIL|EUR|IBAN|ID|N|NIF|PEM|URL)|flags\.doc_type|decimal|listed|import_saft\.(?:price|rate)|status\.(?:company_of|on_server)|pdf\.written|database\.unusable_key|errors\.other)$/;

describe("every text", () => {
  test("is checked", () => expect(PAIRS.length).toBeGreaterThan(300));

  test.each(PAIRS)("$path has no English in Portuguese, and shows the same values", ({ path, english, portuguese }) => {
    const values = samples();
    const [en, pt] = [rendered(english, values), rendered(portuguese, values)];
    const years = (text: string) =>
      new Set(text.match(/20[1-4]\d(?!-)|20[1-4]\d-11-01|01-11-20[1-4]\d/g)?.map((at) => /20\d\d/.exec(at)?.[0]));
    expect(years(pt)).toEqual(years(en));
    expect(withoutNames(pt)).not.toMatch(ENGLISH_WORDS);
    expect(withoutNames(pt)).not.toMatch(/null|NaN|undefined|\[object|\{\w+[:|}]/);
    if (en !== "" && !SAME.test(path)) expect(pt).not.toBe(en);
    if (typeof portuguese === "function" && path !== "decimal") {
      try {
        expect(withoutNames(rendered(portuguese, ONE))).not.toMatch(ENGLISH_WORDS);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // It takes no numbers.
      }
    }
  });
});

test("plural forms", () => {
  const said = (t: Texts) => [
    t.status.seconds({ count: 1 }),
    t.status.minutes({ count: 2 }),
    t.status.hours({ count: 1 }),
    t.status.days({ count: 12 }),
    t.import_saft.customers({ count: 1, existing: 0, unusable: 2 }),
    t.import_saft.customers_in_file({ count: 2, existing: 1, unusable: 0 }),
    t.import_saft.products({ count: 3, existing: 0, unusable: 0 }),
    t.verify.not_accepted({ errors: 1 }),
    t.verify.not_accepted({ errors: 2 }),
    t.verify.unverifiable({ count: 1 }),
    t.verify.unverifiable({ count: 2 }),
    t.verify.of_company({ name: "Padaria", count: 1, series: 1 }),
    t.verify.damaged_company({ name: "Padaria", count: 3, series: 10 }),
    t.saft.contents({ customers: 1, products: 2, tax_rates: 1 }),
    t.saft.contents({ customers: 2, products: 1, tax_rates: 3 }),
    t.serve
      .older_copy({ path: "lacre.db", first: "FT 2026A/3 foi dado.", others: t.serve.others_older({ count: 1 }) })
      .slice(0, 90),
    t.serve
      .older_copy({ path: "lacre.db", first: "FT 2026A/3 foi dado.", others: t.serve.others_older({ count: 2 }) })
      .slice(0, 90),
    t.waiting.more({ count: 1 }),
    t.waiting.more({ count: 2 }),
    t.backup.done({ file: "b.db", count: 1 }),
    t.listed({ names: "FT 2026A", more: 1 }),
    t.listed({ names: "FT 2026A", more: 0 }),
  ];
  expect({ en: said(TEXTS.en), pt: said(TEXTS.pt) }).toMatchInlineSnapshot(`
    {
      "en": [
        "1 second",
        "2 minutes",
        "1 hour",
        "12 days",
        "1 customer created, 0 existed already, 2 not usable.",
        "2 customers to create, 1 existed already, 0 not usable.",
        "3 products created, 0 existed already, 0 not usable.",
        "NOT accepted: 1 error.",
        "NOT accepted: 2 errors.",
        "1 signature cannot be verified without the previous document or key.",
        "2 signatures cannot be verified without the previous document or key.",
        "Padaria: 1 document in 1 series, whole.",
        "Padaria: 3 documents in 10 series, NOT whole:",
        "1 customer, 2 products, 1 tax rate.",
        "2 customers, 1 product, 3 tax rates.",
        "This is not the latest lacre.db: FT 2026A/3 foi dado. And 1 other series likewise. Put the",
        "This is not the latest lacre.db: FT 2026A/3 foi dado. And 2 other series likewise. Put the",
        "1 more thing waits: lacre status",
        "2 more things wait: lacre status",
        "b.db: 1 document, whole.",
        "FT 2026A and 1 more",
        "FT 2026A",
      ],
      "pt": [
        "1 segundo",
        "2 minutos",
        "1 hora",
        "12 dias",
        "1 cliente criado, 0 já existiam, 2 sem condições de importar.",
        "2 clientes a criar, 1 já existia, 0 sem condições de importar.",
        "3 artigos criados, 0 já existiam, 0 sem condições de importar.",
        "NÃO aceite: 1 erro.",
        "NÃO aceite: 2 erros.",
        "1 assinatura não se pode conferir sem o documento anterior ou a chave.",
        "2 assinaturas não se podem conferir sem o documento anterior ou a chave.",
        "Padaria: 1 documento em 1 série, tudo íntegro.",
        "Padaria: 3 documentos em 10 séries, NÃO está íntegra:",
        "1 cliente, 2 artigos, 1 taxa de imposto.",
        "2 clientes, 1 artigo, 3 taxas de imposto.",
        "Este não é o lacre.db mais recente: FT 2026A/3 foi dado. E mais 1 série na mesma situação.",
        "Este não é o lacre.db mais recente: FT 2026A/3 foi dado. E mais 2 séries na mesma situação",
        "À espera há mais 1 coisa: lacre status",
        "À espera há mais 2 coisas: lacre status",
        "b.db: cópia íntegra, 1 documento.",
        "FT 2026A e mais 1",
        "FT 2026A",
      ],
    }
  `);
});

test("checks of the command line speak the language", () => {
  const [serve] = COMMANDS.filter(({ name }) => name === "serve");
  if (!serve) throw new Error("There is no serve.");
  const failure = failureOf(() => readSettings(serve, ["--port", "99999", "--trusted-proxy", "x"], {}));
  expect(failure.message).toBe(
    "--port must be a whole number from 0 to 65535; --trusted-proxy must be addresses or networks, such as 10.0.0.0/8",
  );
  expect(failure.words(TEXTS.pt)).toBe(
    "--port tem de ser um número inteiro de 0 a 65535; --trusted-proxy tem de indicar endereços ou redes, como 10.0.0.0/8",
  );
  const [backup] = COMMANDS.filter(({ name }) => name === "backup");
  if (!backup) throw new Error("There is no backup.");
  expect(failureOf(() => readSettings(backup, [], {})).words(TEXTS.pt)).toBe(
    "FICHEIRO é obrigatório; veja lacre backup --help",
  );
});

test("the notes of an import, by their codes", () => {
  const about = {
    record: "Customer without code",
    line: 7,
    field: "Email",
    given: "x@",
    max: 100,
    became: null,
    note: "no",
  };
  const told = NOTE_CODES.map((code) => importNote({ ...about, code }).in("pt"));
  for (const text of told) {
    expect(text).not.toMatch(ENGLISH_WORDS);
  }
  expect(told).toContain("Email «x@» não é aceite aqui; ficou de fora");
  expect(importNote({ ...about, code: "cut" }).in("en")).toBe('Email is cut to 100 characters: "x@"');
  expect(importedRecord({ record: "Customer without code" }).in("pt")).toBe("Cliente sem código");
  expect(importedRecord({ record: "Product Customer1" }).in("pt")).toBe("Artigo Customer1");
});
