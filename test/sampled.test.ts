/** Samples: each sentence once, over one engine, and another seed takes others. */
import { expect, test } from "vitest";
import { oneOfEachSentence } from "./support/sampled.ts";

const SENTENCES = Array.from({ length: 40 }, (_, i) => `drafts over … > sentence ${i}`);
const ENGINES = ["better-sqlite3", "PostgreSQL"];
const NAMES = SENTENCES.flatMap((sentence) => ENGINES.map((engine) => sentence.replace("…", engine)));

test("a sample has each sentence once, and over each engine some", () => {
  const chosen = Array.from(oneOfEachSentence(NAMES, "1"));
  expect(chosen.map((name) => name.replace(/over \S+/, "over …"))).toEqual(SENTENCES);
  for (const engine of ENGINES) expect(chosen.some((name) => name.includes(engine))).toBe(true);
});

test("a seed gives the same sample again, another seed another one", () => {
  expect(oneOfEachSentence(NAMES, "1")).toEqual(oneOfEachSentence(NAMES, "1"));
  expect(oneOfEachSentence(NAMES, "2")).not.toEqual(oneOfEachSentence(NAMES, "1"));
});

test("a test without variants is always there, and so are tests of the same name", () => {
  const names = ["a list has pages", "a column is text on PostgreSQL", "a list has pages"];
  for (const seed of ["1", "2", "3"]) expect(oneOfEachSentence(names, seed)).toEqual(new Set(names));
});
