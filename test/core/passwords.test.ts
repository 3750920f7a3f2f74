import { scryptSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createPasswords, DEFAULT_PASSWORD_COST } from "../../src/core/passwords.ts";
import { refusalOf } from "../support/refusals.ts";

const CHEAP = { ln: 4, r: 8, p: 1 };
const trial = (of: string, network: string | null = null) => ({ of, network });

describe("a hash", () => {
  test("is scrypt at the published figures, as a PHC string with a salt of its own", async () => {
    const passwords = createPasswords(DEFAULT_PASSWORD_COST, () => 0);
    const [one, two] = await Promise.all([passwords.hash("pão de Mafra"), passwords.hash("pão de Mafra")]);
    expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    const [, , , salt = "", hash = ""] = one.split("$");
    const known = { N: 32_768, r: 8, p: 3, maxmem: 2 ** 27 };
    const expected = scryptSync("pão de Mafra", Buffer.from(salt, "base64"), 32, known);
    expect(Buffer.from(hash, "base64")).toEqual(expected);
    expect(await passwords.isRight("pão de Mafra", one, trial("a"))).toBe(true);
    expect(await passwords.isRight("pao de Mafra", one, trial("a"))).toBe(false);
  });

  test("of other figures is checked by its own, and known to be old", async () => {
    const old = await createPasswords(CHEAP, () => 0).hash("quatro palavras");
    const passwords = createPasswords({ ...CHEAP, p: 2 }, () => 0);
    expect(await passwords.isRight("quatro palavras", old, trial("a"))).toBe(true);
    expect([passwords.isCurrent(old), passwords.isCurrent(await passwords.hash("x"))]).toEqual([false, true]);
  });

  test.each([null, "", "$scrypt$", "plain text", "$scrypt$ln=4,r=8,p=1$AA$"])(
    "that is %j fits nothing",
    async (phc) => {
      const passwords = createPasswords(CHEAP, () => 0);
      for (const password of ["", "x", "plain text"])
        expect(await passwords.isRight(password, phc, trial("a"))).toBe(false);
    },
  );
});

describe("many at once", () => {
  test("two run and a few wait; one more is refused before anything is counted or hashed", async () => {
    const passwords = createPasswords(CHEAP, () => 0);
    const all = Array.from({ length: 40 }, () => passwords.isRight("x", null, trial("a", "n")).catch((error) => error));
    const outcomes = await Promise.all(all);
    const codes = outcomes.map((outcome) => outcome.code ?? outcome);
    expect(codes.filter((code) => code === false)).toHaveLength(10);
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(30);
    const others = Array.from({ length: 40 }, (_, i) => passwords.isRight("x", null, trial(`b${i}`)).catch((e) => e));
    const busy = (await Promise.all(others)).map((outcome) => outcome.code ?? outcome);
    expect(busy.filter((code) => code === false)).toHaveLength(26);
    expect(busy.filter((code) => code === "unavailable")).toHaveLength(14);
    expect(await passwords.isRight("x", null, trial("b39"))).toBe(false); // it was not counted while it was refused
  });

  test("a refused one says when to try again", async () => {
    const passwords = createPasswords(CHEAP, () => 0);
    const waiting = Array.from({ length: 26 }, () => passwords.hash("x"));
    expect(await refusalOf(passwords.hash("x"))).toMatchObject({ code: "unavailable", retry_after_s: 5 });
    await Promise.all(waiting);
    expect(await passwords.hash("x")).toMatch(/^\$scrypt/);
  });
});

describe("tries", () => {
  test("of a login are ten in any quarter of an hour; a right one does not count", async () => {
    let now = 0;
    const passwords = createPasswords(CHEAP, () => now);
    const phc = await passwords.hash("right");
    for (let i = 0; i < 9; i++) await passwords.isRight("wrong", phc, trial("a"));
    for (let i = 0; i < 20; i++) expect(await passwords.isRight("right", phc, trial("a"))).toBe(true);
    await passwords.isRight("wrong", phc, trial("a"));
    expect(await refusalOf(passwords.isRight("right", phc, trial("a")))).toMatchObject({
      code: "rate_limited",
      retry_after_s: 900,
    });
    now = 899_999;
    expect((await refusalOf(passwords.isRight("right", phc, trial("a")))).code).toBe("rate_limited");
    now = 900_000;
    expect(await passwords.isRight("right", phc, trial("a"))).toBe(true);
  });

  test("of a network that has used up its own count for no login", async () => {
    const passwords = createPasswords(CHEAP, () => 0);
    for (let i = 0; i < 30; i++) await passwords.isRight("x", null, trial(`a${i}`, "n"));
    for (let i = 0; i < 20; i++) {
      expect((await refusalOf(passwords.isRight("x", null, trial("b", "n")))).code).toBe("rate_limited");
    }
    expect(await passwords.isRight("x", null, trial("b", "m"))).toBe(false);
  });
});
