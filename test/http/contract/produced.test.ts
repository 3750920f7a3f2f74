/** The description promises no refusal that no scenario produces. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { describedRefusals } from "../../support/description.ts";
import { ELSEWHERE, missingFrom, PRODUCED_BY, uncovered } from "./produced.ts";

const FILES = Object.keys(PRODUCED_BY) as (keyof typeof PRODUCED_BY)[];
const PATTERNS = [...Object.values(PRODUCED_BY).flat(), ...ELSEWHERE.map(({ refusal }) => refusal)];
const FOLDER = fileURLToPath(new URL(".", import.meta.url));

describe("every refusal that the description promises is produced", () => {
  test("the table has each of them", () => {
    expect(describedRefusals().length).toBeGreaterThan(200);
    expect(uncovered(describedRefusals(), PATTERNS)).toEqual([]);
  });

  test("each pattern of the table covers at least one", () => {
    const idle = PATTERNS.filter((pattern) => !describedRefusals().some((refusal) => pattern.test(refusal)));
    expect(idle).toEqual([]);
  });

  test("each file that the table names proves its part, and no other file claims to", () => {
    const claims = readdirSync(FOLDER)
      .filter((name) => name.endsWith(".test.ts"))
      .flatMap((name) => {
        const text = readFileSync(`${FOLDER}/${name}`, "utf8");
        return Array.from(text.matchAll(/^producesItsRefusals\("([\w-]+)"\);$/gm), ([, file]) => [name, file]);
      });
    expect(claims.sort()).toEqual(FILES.map((file) => [`${file}.test.ts`, file]).sort());
  });

  test("control: a promised refusal that the table lacks is found", () => {
    const promised = [...describedRefusals(), "createCustomer 418 teapot"];
    expect(uncovered(promised, PATTERNS)).toEqual(["createCustomer 418 teapot"]);
  });

  test.each(FILES)("control: a %s that produces nothing is found", (file) => {
    expect(missingFrom(file, new Set())).not.toEqual([]);
  });
});
