import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { KEY_PATTERN, textOfError } from "lacre";
import { describe, expect, test } from "vitest";
import { t as company } from "../../../src/core/company/refusals.ts";
import { t as documents } from "../../../src/core/documents/refusals.ts";
import { STATUSES, VERBS, type Verb } from "../../../src/core/fiscal/lifecycle.ts";
import { refuse, SENTENCES } from "../../../src/core/runtime/errors.ts";
import { common } from "../../../src/core/runtime/refusals.ts";
import { t as series } from "../../../src/core/series/refusals.ts";
import type { Text } from "../../../src/core/texts/texts.ts";
import { DATABASES } from "../../support/databases.ts";
import { day, instant } from "../../support/days.ts";
import { UNKNOWN_ID } from "../../support/drivers.ts";
import { ENGLISH_WORDS } from "../../support/english.ts";
import { anInvoice } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";
import { refusalOf } from "../../support/refusals.ts";

const SRC = fileURLToPath(new URL("../../../src", import.meta.url));

/** Every file that refuses, and those of them with a table of what is said. */
const FILES = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
const TABLES = FILES.filter((path) => path.endsWith("/refusals.ts"));

/** A value for each place of a text, by its name; places of one name take one kind of value. */
const VALUES = {
  ...{ room_cents: 8565, credited_cents: 9900, paid_cents: 100, gross_cents: 12_345, max_cents: 10_000, cents: 6150 },
  ...{
    above_cents: 100_000,
    amounts_cents: 7500,
    rate_bps: 2300,
    rates: [6, 23],
    room_micros: 5e5,
    credited_micros: 2e6,
  },
  ...{
    max: 20,
    min: 1,
    above: 0,
    decimals: 6,
    count: 7,
    bits: 1024,
    records: 20_000,
    characters: 3_000_000,
    seconds: 41,
  },
  ...{ position: 9, last: 7, next: 3, key_version: 2, certificate_number: 9999, began_under: 0, year: 2027, stated: 3 },
  ...{
    date: "2026-11-21",
    today: "2026-11-21",
    began: "2026-11-21",
    issue_date: "2026-11-21",
    found: 2,
    values: ["P", "S"],
  },
  ...{ latest: "2026-11-21T10:31:07Z", now: "2027-11-21T10:00:00Z", since: "2026-11-21T10:31:07Z" },
  ...{
    start_at: "2026-11-21T10:31:07Z",
    numbers: ["FT A/7", "NC A/2"],
    codes: ["A", "B"],
    names: ["Mel"],
    allowed: ["FT"],
  },
  ...{
    number: "FT A/17",
    head: "FT A/7",
    code: "A",
    validation_code: "AAJFF7VR5M",
    at_doc_code: "123",
    series_type: "NC",
  },
  ...{
    doc_type: "FT",
    referenced: "GT",
    type: "P",
    name: "Mel",
    login: "ana@loja.pt",
    tax_id: "501964843",
    root: "html",
  },
  ...{
    producer: "Oficina, Lda.",
    operation_id: "getMe",
    permission: "read",
    scope: "read",
    method: "GET",
    region: "PT",
  },
  ...{
    version: "PT_1.03_01",
    lacre: "0.9.0",
    table: "customers",
    place: "FT A/3",
    bytes: 120_000,
    versions: ["2025-11-25"],
    rooms: ["85.65 EUR on FT A/3"],
    reason: "«it fails»",
    process: ", pid 4",
  },
  ...{ what: SENTENCES.conflict, done: SENTENCES.conflict, state: SENTENCES.conflict, who: SENTENCES.conflict },
  ...{ active: SENTENCES.conflict, field: "role", fields: [SENTENCES.conflict], shares: [SENTENCES.conflict] },
  reasons: [SENTENCES.conflict],
  ...{ email: "ana@loja", places: ["number"] },
};

interface Named {
  readonly name: string;
  readonly text: Text;
}

/** The texts of a table by name, with those of the tables in it. */
function textsOf(table: object, above = ""): Named[] {
  return Object.entries(table).flatMap(([name, entry]) => {
    if (typeof entry === "function") return [{ name: above + name, text: entry(VALUES) }];
    return "in" in entry ? [{ name: above + name, text: entry }] : textsOf(entry, `${name}.`);
  });
}

const tables = await Promise.all(
  TABLES.map(async (path) => ({ path, texts: textsOf(Object.values(await import(join(SRC, path)))[0] as object) })),
);
const ALL: readonly (Named & { readonly path: string })[] = [
  ...tables.flatMap(({ path, texts }) => texts.map((one) => ({ path, ...one }))),
  ...Object.entries(SENTENCES).map(([name, text]) => ({ path: "core/runtime/errors.ts", name, text })),
];

/** What is quoted in Portuguese as it came, in English: words of the parsers of JSON and XML. */
const QUOTED = /«[^»]*»/g;

describe("what a refusal says", () => {
  test.each(ALL)("$name has no English in Portuguese, and no place without a value", ({ text }) => {
    const portuguese = text.in("pt").replace(QUOTED, "");
    expect(portuguese).not.toMatch(ENGLISH_WORDS);
    for (const lang of ["pt", "en"] as const) {
      expect(text.in(lang)).not.toMatch(/undefined|null|NaN|[{}]|\[object/);
      expect(text.in(lang).trim()).toBe(text.in(lang));
    }
    expect(portuguese).not.toBe(text.in("en"));
  });

  test("any English sentence would be found", () => {
    const sentences = ALL.filter(({ text }) => text.in("en").includes(" ") && /\.$|^(?:is|must) /.test(text.in("en")));
    expect(sentences.length).toBeGreaterThan(200);
    expect(sentences.filter(({ text }) => !ENGLISH_WORDS.test(text.in("en"))).map(({ name }) => name)).toEqual([]);
  });

  test("a sentence ends with a full stop in both languages, and what follows a path in neither", () => {
    const ends = (text: string) => text.replace(QUOTED, "").trim().endsWith(".");
    const other = ALL.filter(({ text }) => ends(text.in("en")) !== ends(text.in("pt"))).map(({ name }) => name);
    expect(other).toEqual(["archive_is_not_whole"]); // In English it ends with the sentence of a finding.
  });

  test("names no command, flag, header or request in core: whoever shows it adds them", () => {
    const OF_DOORS = /\blacre [a-z]|--[a-z]|\/v1\b|\b(?:Idempotency-Key|If-Match|Lacre-Company)\b/;
    const found = (one: { readonly path: string; readonly text: Text }) =>
      one.path.startsWith("core/") && OF_DOORS.test(one.text.in("pt") + one.text.in("en"));
    expect(ALL.filter(found).map(({ name }) => name)).toEqual([]);
    expect(found({ path: "core/x.ts", text: { in: () => "Open one: lacre series open." } })).toBe(true);
  });

  test("is said somewhere, every sentence of it", () => {
    const code = new Map(FILES.map((path) => [path, readFileSync(join(SRC, path), "utf8")]));
    const unsaid = tables.flatMap(({ path, texts }) => {
      const readers = [...code].filter(([file, text]) => importsOf(file, text).includes(path)).map(([, text]) => text);
      const isSaid = (name: string) =>
        readers.some((text) => text.includes(`.${name.split(".")[0]}`)) || name.startsWith("storage_");
      return texts.filter(({ name }) => !isSaid(name)).map(({ name }) => `${path}: ${name}`);
    });
    expect(unsaid).toEqual([]);
  });
});

test("each forbidden step of a document has its text", () => {
  const forbidden = (Object.keys(VERBS) as Verb[]).flatMap((verb) =>
    STATUSES.filter((status) => !(VERBS[verb] as readonly string[]).includes(status)).map((status) =>
      documents.status_forbids({ what: documents.subject[status], done: documents.done[verb] }),
    ),
  );
  expect(forbidden.map((text) => text.in("en"))).toEqual([
    "An issued document cannot be changed.",
    "A cancelled document cannot be changed.",
    "An issued document cannot be discarded.",
    "A cancelled document cannot be discarded.",
    "An issued document cannot be issued.",
    "A cancelled document cannot be issued.",
    "A draft cannot be cancelled.",
    "A cancelled document cannot be cancelled.",
    "A draft cannot be paid.",
    "A cancelled document cannot be paid.",
    "A draft cannot be credited.",
    "A cancelled document cannot be credited.",
    "A draft cannot be refunded.",
    "A cancelled document cannot be refunded.",
    "A draft cannot be printed.",
    "A draft cannot be sent.",
    "A cancelled document cannot be sent.",
  ]);
  expect(forbidden.map((text) => text.in("pt"))).toContain("Um rascunho não pode ser pago.");
});

test.each<[Text, pt: string, en: string]>([
  [
    documents.room_for_payment({ room_cents: 8565 }),
    "Só falta pagar 85,65\u00a0€.",
    "Only 85.65 EUR can still be paid.",
  ],
  [documents.room_for_payment({ room_cents: 0 }), "Já não há nada a pagar.", "Nothing is left to pay."],
  [documents.takes_no_exemption({ rate_bps: 650 }), "não pode ser indicado a 6,5\u00a0%", "must not be set at 6.5%"],
  [
    documents.must_be_lawful_rate({ rates: [0, 6, 13, 23], region: "PT", date: day("2026-11-21") }),
    "tem de ser 0, 6, 13 ou 23\u00a0% (PT, 21-11-2026)",
    "must be 0, 6, 13 or 23% (PT, 2026-11-21)",
  ],
  [
    documents.must_be_split_as_invoiced({
      number: "FT A/1",
      shares: [documents.share({ cents: 6150, rate_bps: 2300 })],
    }),
    "tem de indicar, de FT A/1, o que cabe a cada taxa: 61,50\u00a0€ a 23\u00a0%",
    "must state of FT A/1 what falls to each rate: 61.50 EUR at 23%",
  ],
  [common.must_be_at_least({ min: -1.5 }), "não pode ser menor do que -1,5", "must be at least -1.5"],
  [common.has_too_many_items({ max: 1 }), "não pode ter mais de 1 elemento", "must have at most 1 items"],
  [common.must_be_one_of({ values: ["P"] }), "tem de ser P", "must be P"],
  [common.must_be_one_of({ values: ["P", "S"] }), "tem de ser um destes: P, S", "must be one of P, S"],
  [
    documents.company_lacks_address({ fields: Object.values(documents.field) }),
    "Falta à empresa a morada, o código postal e a localidade, que os documentos têm de mostrar (CIVA, artigo 36.º, " +
      "n.º 5). Complete os dados da empresa.",
    "The company has no address, postal_code and city: its documents show them (CIVA, article 36/5). Set them.",
  ],
  [
    series.no_current_series({ doc_type: "FT", year: 2027, active: series.none_active }),
    "Nenhuma série aceita FT de 2027; não há nenhuma ativa. Abra uma.",
    "No series takes FT of 2027; none is active. Open one.",
  ],
  [
    series.clock_is_behind({ latest: instant("2026-11-21T10:31:07.482Z") }),
    "Enquanto o relógio estiver atrasado em relação ao último documento (21-11-2026 às 10:31:07 UTC), nada se emite. Acerte o " +
      "relógio; se estiver certo, confirme-o.",
    "Nothing is issued while the clock is behind the latest document (2026-11-21T10:31:07.482Z). Set the clock; if it is " +
      "right, confirm it.",
  ],
  [company.no_such_company, "Essa empresa não existe.", "There is no such company."],
])("a text has numbers, money, dates and lists as the language writes them: %#", (text, pt, en) => {
  expect([text.in("pt"), text.in("en")]).toEqual([pt, en]);
});

test("a refusal says a text of a table, with its values", () => {
  const calls = [
    // @ts-expect-error a refusal has words in both languages
    () => refuse("not_found", "There is no such thing."),
    // @ts-expect-error with their values
    () => refuse("invalid_state", documents.takes_no_payments),
    // @ts-expect-error of their types
    () => refuse("payment_exceeds_balance", documents.room_for_payment({ room_cents: "57.09" })),
  ];
  expect(calls).toHaveLength(3);
});

/** The files that a file imports, by their paths below src. */
function importsOf(file: string, text: string): string[] {
  return Array.from(text.matchAll(/ from "(\.[^"]+)"/g), ([, path]) => join(dirname(file), path as string));
}

describe.each(DATABASES)("a refusal over $name", (driver) => {
  test("is English in its message, and says the same in Portuguese", async () => {
    const { lacre, company } = await anInstance(driver);
    const none = await refusalOf(company.customers.get({ id: UNKNOWN_ID }));
    expect(none.message).toBe("There is no such customer.");
    expect(textOfError(none, "en")).toBe(none.message);
    expect(textOfError(none, "pt")).toBe("Esse cliente não existe.");
    const nobody = await refusalOf(lacre.authenticate("not a key"));
    expect(KEY_PATTERN.test("not a key")).toBe(false);
    expect(textOfError(nobody, "pt")).toBe("A chave da API falta, não é válida ou foi revogada.");
  });

  test("writes its values as each language does", async () => {
    const instance = await anInstance(driver);
    const { id } = await anInvoice(instance);
    const payment = { id, amount: 1000, method_code: "TB", payment_date: "2026-11-21" } as const;
    const { outstanding } = await instance.company.documents.get({ id });
    const refusal = await refusalOf(instance.company.payments.record(payment));
    const room = (outstanding as number).toFixed(2);
    expect(refusal.message).toBe(`Only ${room} EUR can still be paid.`);
    expect(textOfError(refusal, "pt")).toBe(`Só falta pagar ${room.replace(".", ",")}\u00a0€.`);
  });

  test("of an input keeps the names of fields in every language", async () => {
    const { company } = await anInstance(driver);
    const wrong = { name: "x".repeat(201), nome: "Ana", email: "a@example.com" };
    const refusal = await refusalOf(company.customers.create(wrong as never));
    expect(refusal.message).toBe("name: must have at most 200 characters; nome: is not a known field");
    expect(textOfError(refusal, "pt")).toBe(
      "name: não pode ter mais de 200 caracteres; nome: não é um campo conhecido",
    );
  });
});
