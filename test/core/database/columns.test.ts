import { describe, expect, test } from "vitest";
import { coverage, integer, newestOf, text } from "../../../src/core/database/columns.ts";
import { versionOf } from "../../../src/core/fiscal/chain.ts";

const named = (columns: object) => Object.entries(columns).map(([name, { since }]) => ({ name, since }));

describe("a form of three columns, to which a second version added one", () => {
  const COLUMNS = named({ name: text, id: text, total: integer, mobile: text.orNull.from(2) });
  const covered = coverage(COLUMNS);
  const row = { id: "a", name: null, total: 1, mobile: null };

  test("has two versions", () => expect(newestOf(COLUMNS)).toBe(2));

  test("covers the first three by its first version, also where one is null", () => {
    expect(covered(1, row)).toEqual(["id", "name", "total"]);
  });

  test("covers all four by its second", () => {
    expect(covered(2, row)).toEqual(["id", "mobile", "name", "total"]);
  });

  test("covers with its first version a later column that is not null, so that nobody adds it unseen", () => {
    expect(covered(1, { ...row, mobile: "912 345 678" })).toEqual(["id", "mobile", "name", "total"]);
  });

  test("covers with no version a column that is not null", () => {
    expect(covered(Number.NaN, row)).toEqual(["id", "total"]);
  });
});

test.each([
  ["1:abc", 1],
  ["12:abc", 12],
  ["abc", Number.NaN],
  [":abc", Number.NaN],
  ["", Number.NaN],
  [null, Number.NaN],
])("the version in %j is %s", (digest, version) => expect(versionOf(digest)).toBe(version));
