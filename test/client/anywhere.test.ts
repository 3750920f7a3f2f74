/** The client as a bundle for the browser: how much it weighs, and that it needs no more than every platform has. */
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { createHandler } from "lacre/http";
import { openInMemory } from "lacre/testing";
import { expect, test } from "vitest";

const MAX_BYTES = 6 * 1024;

/** A program for the browser in one file. */
async function bundled(contents: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: "src/client", loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: "browser",
    format: "iife",
    globalName: "client",
  });
  const [file] = outputFiles;
  return { text: file?.text ?? "", inputs: Object.keys(metafile.inputs), bytes: gzipSync(file?.text ?? "").length };
}

test("it weighs at most 6 KB compressed, and holds nothing but itself", async () => {
  const { inputs, bytes } = await bundled('export * from "./index.ts";');
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  expect(inputs.filter((path) => path !== "<stdin>").every((path) => path.startsWith("src/client/"))).toBe(true);
});

/** What it may use of a platform: browsers, workers, Bun, Deno and Node have all of it. */
const PLATFORM = [
  "AbortController",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
  "atob",
  "btoa",
  "clearTimeout",
  "crypto",
  "setTimeout",
] as const;

const PROGRAM = `
import { createClient, etagOf, verifyWebhook } from "./index.ts";

export async function run(url: string, key: string) {
  const shop = createClient({ url, key });
  const { id } = await shop.customers.create({ name: "Ana" });
  const read = await shop.customers.get({ id });
  await shop.customers.change({ id, city: "Faro" }, { if_match: await etagOf(read) });
  const cities = [];
  for await (const { city } of shop.customers.each()) cities.push(city);
  const refused = await shop.documents.pdf({ id }).catch(({ code, status }) => code + " " + status);
  const { file } = await shop.saft.export({ from: "2026-11-01", to: "2026-11-30" });
  let bytes = 0;
  for await (const piece of file) bytes += piece.byteLength;
  const message = { secret: "whsec_a2V5", headers: { "webhook-signature": "v1," + "A".repeat(43) + "=" } };
  const forged = await verifyWebhook({ ...message, body: new Uint8Array(2) }).catch(({ status }) => status);
  return { cities, refused, hasFile: bytes > 100, forged };
}`;

/** Runs the program where only these globals are. */
async function ranWith(names: readonly string[]): Promise<unknown> {
  const { lacre, api_key } = await openInMemory({ now: () => new Date("2026-11-21T10:00:00Z") });
  const handler = createHandler(lacre);
  const globals = Object.fromEntries(names.map((name) => [name, globalThis[name as keyof typeof globalThis]]));
  const fetch = (url: string, init: RequestInit) => handler(new Request(url, init));
  const context = createContext({ ...globals, fetch });
  try {
    const { text } = await bundled(PROGRAM);
    const run = runInContext(`${text}; client.run`, context) as (url: string, key: string) => Promise<unknown>;
    return await run("http://lacre.test", api_key);
  } finally {
    await lacre.close();
  }
}

const RIGHT = { cities: ["Faro"], refused: "not_found 404", hasFile: true, forged: 401 };

/** The same object, made in this context. */
const brought = (value: unknown) => JSON.parse(JSON.stringify(value));

test("it runs where there is nothing of Node", async () => {
  expect(brought(await ranWith(PLATFORM))).toEqual(RIGHT);
});

test.each(PLATFORM)("the control: without %s it goes wrong", async (name) => {
  const result = await ranWith(PLATFORM.filter((other) => other !== name)).catch(String);
  expect(brought(result)).not.toEqual(RIGHT);
});
