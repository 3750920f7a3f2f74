import { describe, expect, test } from "vitest";
import { orNone, texts, textsIn } from "../../../src/core/texts/texts.ts";
import { day, instant } from "../../support/days.ts";

const t = texts({
  title: ["Clientes", "Customers"],
  owed: ["Só falta pagar {room:euros}.", "Only {room:euros} is left to pay."],
  lines: ["{count} {count|linha|linhas}", "{count} {count|line|lines}"],
  year: ["O ano de {year:plain}, {name}.", "The year {year:plain}, {name}."],
  kinds: [
    "{qty:quantity} a {rate:percent}, {day:day}, {at:instant}: {all:list}; {all:and}; {all:or}",
    "{qty:quantity} at {rate:percent}, {day:day}, {at:instant}: {all:list}; {all:and}; {all:or}",
  ],
  training: [
    ({ training }: { training: boolean }) => (training ? "de formação" : "real"),
    ({ training }: { training: boolean }) => (training ? "for training" : "real"),
  ],
  left: orNone(
    "room",
    ["De {name} já não há nada.", "Nothing of {name} is left."],
    ["De {name} só há {room:euros}.", "Only {room:euros} of {name} is left."],
  ),
  braces: [() => "{id} fica", () => "{id} stays"],
  help: { usage: ["uso", "usage"], port: ["a porta {port:plain}", "the port {port:plain}"] },
});

const KINDS = {
  qty: 1_500_000,
  rate: 2300,
  day: day("2026-11-22"),
  at: instant("2026-11-22T10:31:07.123Z"),
  all: ["a", "b", "c"],
};

describe("a text", () => {
  test("exists in either language", () => {
    expect(t.title.in("pt")).toBe("Clientes");
    expect(t.title.in("en")).toBe("Customers");
  });

  test("has its values filled in, written as the language writes them", () => {
    expect(t.owed({ room: 123_456 }).in("pt")).toBe("Só falta pagar 1\u00a0234,56\u00a0€.");
    expect(t.owed({ room: 123_456 }).in("en")).toBe("Only 1,234.56 EUR is left to pay.");
    expect(t.kinds(KINDS).in("pt")).toBe(
      "1,5 a 23\u00a0%, 22-11-2026, 22-11-2026 às 10:31:07 UTC: a, b, c; a, b e c; a, b ou c",
    );
    expect(t.kinds(KINDS).in("en")).toBe(
      "1.5 at 23%, 2026-11-22, 2026-11-22T10:31:07.123Z: a, b, c; a, b and c; a, b or c",
    );
  });

  test("chooses the word for one or for several", () => {
    expect([0, 1, 20_000].map((count) => t.lines({ count }).in("pt"))).toEqual([
      "0 linhas",
      "1 linha",
      "20\u00a0000 linhas",
    ]);
  });

  test("leaves a plain number, and a value that looks like a placeholder, unchanged", () => {
    expect(t.year({ year: 2026, name: "{year}" }).in("en")).toBe("The year 2026, {year}.");
  });

  test("may say that nothing is left of a value in other words", () => {
    expect([0, 100].map((room) => t.left({ room, name: "FT 1" }).in("en"))).toEqual([
      "Nothing of FT 1 is left.",
      "Only 1.00 EUR of FT 1 is left.",
    ]);
    expect(t.left({ room: 0, name: "FT 1" }).in("pt")).toBe("De FT 1 já não há nada.");
  });

  test("may be a function of its values, or of none if it has braces of its own", () => {
    expect(t.training({ training: true }).in("pt")).toBe("de formação");
    expect(t.braces.in("en")).toBe("{id} stays");
  });
});

test("a table is read in a language that may change", () => {
  let lang: "pt" | "en" = "pt";
  const read = textsIn(t, () => lang);
  expect([read.title, read.owed({ room: 100 }), read.help.port({ port: 8787 })]).toEqual([
    "Clientes",
    "Só falta pagar 1,00\u00a0€.",
    "a porta 8787",
  ]);
  lang = "en";
  expect([read.title, read.braces, read.help.usage]).toEqual(["Customers", "{id} stays", "usage"]);
});

test("a table that lacks a language or a value does not compile", () => {
  // @ts-expect-error: no English
  texts({ title: ["Clientes"] });
  // @ts-expect-error: English lacks a value
  texts({ of: ["de {name}", "of it"] });
  // @ts-expect-error: English has a value more
  texts({ of: ["disto", "of {name}"] });
  // @ts-expect-error: a function of other values
  texts({ of: [({ a }: { a: string }) => a, ({ b }: { b: string }) => b] });
  // @ts-expect-error: a table within the table
  texts({ help: { of: ["de {name}", "of it"] } });
  // @ts-expect-error: a text with values is given them
  expect(() => t.owed({ rooms: 1 }).in("pt")).toThrow();
});
