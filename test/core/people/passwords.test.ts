import { scryptSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createPasswords, DEFAULT_PASSWORD_COST } from "../../../src/core/people/passwords.ts";
import { refusalOf } from "../../support/refusals.ts";

const CHEAP = { ln: 4, r: 8, p: 1 };
const trial = (of: string) => ({ of, network: null, own: null });
/** Tries without a limit, which the tests of the area have. */
const FREE = { take: async () => {}, giveBack: async () => {} };

describe("a hash", () => {
  test("is scrypt at the published figures, as a PHC string with a salt of its own", async () => {
    const passwords = createPasswords(DEFAULT_PASSWORD_COST, FREE);
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

  test("with another cost is checked by its own, and known to be old", async () => {
    const old = await createPasswords(CHEAP, FREE).hash("quatro palavras");
    const passwords = createPasswords({ ...CHEAP, p: 2 }, FREE);
    expect(await passwords.isRight("quatro palavras", old, trial("a"))).toBe(true);
    expect([passwords.isCurrent(old), passwords.isCurrent(await passwords.hash("x"))]).toEqual([false, true]);
  });

  test.each([null, "", "$scrypt$", "plain text", "$scrypt$ln=4,r=8,p=1$AA$"])(
    "that is %j fits nothing",
    async (phc) => {
      const passwords = createPasswords(CHEAP, FREE);
      for (const password of ["", "x", "plain text"])
        expect(await passwords.isRight(password, phc, trial("a"))).toBe(false);
    },
  );
});

describe("many at once", () => {
  test("two run and a few wait; one more is refused before it is hashed, and does not count", async () => {
    const counted: string[] = [];
    const tries = {
      take: async ({ of }: { of: string }) => void counted.push(of),
      giveBack: async ({ of }: { of: string }) => void counted.splice(counted.indexOf(of), 1),
    };
    const passwords = createPasswords(CHEAP, tries);
    const others = Array.from({ length: 40 }, (_, i) => passwords.isRight("x", null, trial(`b${i}`)).catch((e) => e));
    const busy = (await Promise.all(others)).map((outcome) => outcome.code ?? outcome);
    expect(busy.filter((code) => code === false)).toHaveLength(26);
    expect(busy.filter((code) => code === "unavailable")).toHaveLength(14);
    expect(counted).toEqual(Array.from({ length: 26 }, (_, i) => `b${i}`));
    expect(await passwords.isRight("x", null, trial("b39"))).toBe(false);
  });

  test("a refused one says when to try again", async () => {
    const passwords = createPasswords(CHEAP, FREE);
    const waiting = Array.from({ length: 26 }, () => passwords.hash("x"));
    expect(await refusalOf(passwords.hash("x"))).toMatchObject({ code: "unavailable", retry_after_s: 5 });
    await Promise.all(waiting);
    expect(await passwords.hash("x")).toMatch(/^\$scrypt/);
  });
});
