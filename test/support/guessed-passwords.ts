/** Makes src/core/people/guessed-passwords.ts from the package that the passwords come from. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { deflateRawSync } from "node:zlib";

const NAME = "@zxcvbn-ts/language-common";

/** The most frequent of all, as ASVS 5.0 (6.2.4) counts them; others only where they are long enough to be chosen. */
const MOST_FREQUENT = 3_000;
const SHORTEST = 10;

const { resolve } = createRequire(import.meta.url);
const licence = readFileSync(new URL("../LICENSE.txt", `file://${resolve(NAME)}`), "utf8").trimEnd();
const { default: common } = (await import(NAME)) as {
  default: { dictionary: Readonly<Record<string, readonly string[]>> };
};

/** The passwords, from the most frequent to the least. */
export const FREQUENT: readonly string[] = common.dictionary["passwords-common"] ?? [];

/** Those that Lacre knows. */
export const KNOWN: readonly string[] = [
  ...new Set([...FREQUENT.slice(0, MOST_FREQUENT), ...FREQUENT.filter(({ length }) => length >= SHORTEST)]),
].sort();

/** The file's text. */
export function fileOfGuessedPasswords(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", `file://${resolve(NAME)}`), "utf8"));
  const packed = deflateRawSync(KNOWN.join("\n"), { level: 9 }).toString("base64");
  const comment = licence.replace(/^/gm, " * ").replace(/ +$/gm, "");
  return `/*!
 * The passwords that are guessed first, compressed: the ${MOST_FREQUENT} most frequent, and all of
 * ${SHORTEST} characters and more.
 * They come from ${NAME} ${version} under this licence; a test makes this file (-u).
 *
${comment}
 */
export const PACKED =
  "${packed}";
`;
}
