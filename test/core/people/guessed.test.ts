import { describe, expect, test } from "vitest";
import { isGuessed } from "../../../src/core/people/guessed.ts";
import { FREQUENT, fileOfGuessedPasswords, KNOWN } from "../../support/guessed-passwords.ts";

test("the list is that of the package", async () => {
  await expect(fileOfGuessedPasswords()).toMatchFileSnapshot("../../../src/core/people/guessed-passwords.ts");
  expect(KNOWN.length).toBeGreaterThan(4_000);
});

test("every frequent password that is long enough is guessed", () => {
  const long = FREQUENT.filter(({ length }) => length >= 10);
  expect(long.length).toBeGreaterThan(1_500);
  expect(long.filter((password) => !isGuessed(password))).toEqual([]);
  expect(long.filter((password) => !isGuessed(password.toUpperCase()))).toEqual([]);
});

describe("a password is guessed that is", () => {
  test.each([
    ["a frequent one and a sequence", "qwerty123456"],
    ["a frequent one and a year", "Benfica1904"],
    ["a frequent one and a sign", "palavrapasse!"],
    ["a frequent one, a year and a sign", "benfica2026!"],
    ["a frequent one between a year and signs", "2026password!!"],
    ["a frequent one between digits", "12password34"],
    ["a frequent one with digits for letters", "p4ssw0rd2026"],
    ["a frequent one with signs for letters", "P@$$w0rd123"],
    ["a frequent one with separators", "palavra-passe"],
    ["a frequent one twice", "benficabenfica"],
    ["a frequent one spelled with a one", "adm1n1strador"],
    ["the alphabet", "abcdefghijkl"],
    ["a row of the keyboard and the next", "qwertyuiopasdf"],
    ["a row backwards", "0987654321"],
    ["columns of the keyboard", "1q2w3e4r5t6y"],
    ["groups of the same", "aaabbbcccddd"],
    ["few different characters", "abababababab"],
    ["the program's name and a year", "lacre-2026-"],
  ])("%s: %s", (_, password) => expect(isGuessed(password)).toBe(true));
});

describe("a password is not guessed that is", () => {
  test.each([
    ["four words", "cavalo pilha agrafo certo"],
    ["four words without spaces", "cavalopilhaagrafocerto"],
    ["a sentence", "o pão de Mafra sai às sete"],
    ["random", "x7Kp2vQm9z"],
    ["random digits", "739154062817"],
    ["a frequent one among others", "o meu benfica em casa"],
    ["a frequent one and a long rest", "benfica73915406"],
    ["a frequent one, a year and a rest", "benfica2026x7Kp2"],
    ["foreign letters", "παλαμάρια στο λιμάνι"],
  ])("%s: %s", (_, password) => expect(isGuessed(password)).toBe(false));
});

describe("of Conceição Lobo with the login c.lobo@padaria.pt, a password is", () => {
  const theirs = ["Conceição Lobo", "c.lobo@padaria.pt"];

  test.each(["conceição2026!", "Conceicao1974", "Lobo123456", "c-lobo-2026", "padaria2026!", "conceicaolobo"])(
    "guessed that is little more than a word of theirs: %s",
    (password) => {
      expect(isGuessed(password, theirs)).toBe(true);
      expect(isGuessed(password)).toBe(false);
    },
  );

  test.each(["lobo mau na floresta", "padaria73915406"])("not guessed that is far more: %s", (password) =>
    expect(isGuessed(password, theirs)).toBe(false),
  );
});

test("the longest password is checked in a moment", () => {
  const before = process.cpuUsage();
  for (const password of [`${"1".repeat(99)}a${"2".repeat(100)}`, "73915406".repeat(25), "a4".repeat(100)])
    isGuessed(password);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(200);
});
