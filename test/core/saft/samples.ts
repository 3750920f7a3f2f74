/** The tax authority's demonstration file, its broken copies, and files made from them. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { checkSaft, type OpenBytes, type SaftCheckReport } from "lacre";

const FOLDER = "test/core/saft/samples";

/** The public key under which the demonstration file is signed. */
export const DEMO_KEY = readFileSync(`${FOLDER}/at-demo-2018-public-key.pem`, "utf8");

/** The bytes of a sample: `at-demo-2018-full.xml`. */
export function sample(name: string): Buffer {
  return gunzipSync(readFileSync(`${FOLDER}/${name}.gz`));
}

/** A sample as text with one character for each byte; samples are in Windows-1252. */
export function sampleText(name: string): string {
  return sample(name).toString("latin1");
}

/** Opens bytes, or text as `sampleText` returns it, in chunks of an odd size. */
export function opened(content: Buffer | string, size = 4099): OpenBytes {
  const bytes = typeof content === "string" ? Buffer.from(content, "latin1") : content;
  return async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
}

/** Checks a file with the demonstration's key. */
export function check(content: Buffer | string): Promise<SaftCheckReport> {
  return checkSaft(opened(content), { public_key: DEMO_KEY });
}

/** A text with the first match replaced; throws when there is none. */
export function replaced(text: string, what: string | RegExp, by: string | ((found: string) => string)): string {
  const changed = typeof by === "string" ? text.replace(what, by) : text.replace(what, by);
  if (changed === text) throw new Error(`There is no ${what} to replace.`);
  return changed;
}
