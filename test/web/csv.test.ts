import { beforeAll, describe, expect, test } from "vitest";
import type * as Csv from "../../src/web/reading/csv.ts";
import type * as Language from "../../src/web/words/language.ts";
import { ownStore } from "./support/store.ts";

describe("a table as a file for a spreadsheet", () => {
  let csv: typeof Csv;
  let language: typeof Language;
  beforeAll(async () => {
    ownStore();
    csv = await import("../../src/web/reading/csv.ts");
    language = await import("../../src/web/words/language.ts");
  });

  const written = async (...row: (string | number | null)[]) => {
    const bytes = new Uint8Array(await csv.csvOf([row]).arrayBuffer());
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    return new TextDecoder().decode(bytes.slice(3));
  };

  test("amounts are written as the language has them", async () => {
    language.language.value = "pt";
    expect(await written("FS 2026A/1", 1234.5, 999999999999.99, 0, null, -3.1)).toBe(
      "FS 2026A/1;1234,50;999999999999,99;0,00;;-3,10\r\n",
    );
    language.language.value = "en";
    expect(await written(1234.5)).toBe("1234.50\r\n");
  });

  test("a cell may contain separators", async () => {
    expect(await written('Ana; "a boa"\nLisboa', "ç")).toBe('"Ana; ""a boa""\nLisboa";ç\r\n');
  });

  test.each(["=1+1", "+351 912", "-2", "@SUM(A1)", "\t=1", "\r=1"])(
    "words like %j run as no formula",
    async (words) => {
      const cell = await written(words);
      expect(cell.replace(/^"/, "").startsWith(`'${words}`)).toBe(true);
    },
  );

  test("the control: other words stay unchanged", async () => {
    expect(await written("FT 2026A/1 = -2", "a@b.pt")).toBe("FT 2026A/1 = -2;a@b.pt\r\n");
  });
});
