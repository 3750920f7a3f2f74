/** API keys that do not exist, computed here from their published form, independently of our own code. */
import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** So many random characters of an alphabet; of base 62 when left out. */
export const randomText = (length: number, alphabet = BASE62) =>
  Array.from(randomBytes(length), (byte) => alphabet.charAt(byte % alphabet.length)).join("");

/** What the last six characters of a key must be: the CRC-32 of what comes before, in base 62. */
export function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (; rest > 0; rest = Math.floor(rest / 62)) digits = BASE62.charAt(rest % 62) + digits;
  return digits.padStart(6, "0");
}

/** A key-shaped text of random characters; its checksum is right once in 2^32. */
export const keyLike = (kind = "live") => `lacre_${kind}_${randomText(49)}`;

/** A key that does not exist, with a valid checksum. */
export function unknownKey(kind = "live"): string {
  const body = `lacre_${kind}_${randomText(43)}`;
  return body + checksumOf(body);
}

/** The 32 bytes behind a key. */
export function secretBytesOf(key: string): Buffer {
  const digits = key.replace(/^lacre_[a-z]+_/, "").slice(0, 43);
  const value = [...digits].reduce((sum, digit) => sum * 62n + BigInt(BASE62.indexOf(digit)), 0n);
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex");
}
