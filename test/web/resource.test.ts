/** What the page says of an error. */
import { beforeAll, expect, test } from "vitest";
import type { language as Language } from "../../src/web/words/language.ts";
import { ownStore } from "./support/store.ts";

let sentenceOf: (error: unknown) => string;
let language: typeof Language;

beforeAll(async () => {
  ownStore();
  ({ sentenceOf } = await import("../../src/web/reading/resource.tsx"));
  ({ language } = await import("../../src/web/words/language.ts"));
});

test("a request that was waited for in vain is told in the language of the page, not in the browser's", async () => {
  const signal = AbortSignal.timeout(0);
  await new Promise((done) => signal.addEventListener("abort", done));
  language.value = "pt";
  expect(sentenceOf(signal.reason)).toBe("O servidor não respondeu a tempo. Tente outra vez.");
  language.value = "en";
  expect(sentenceOf(signal.reason)).toBe("The server did not answer in time. Try again.");
});
