/** `lacre/totals` in a page: small, without Node, and nothing at all where nothing of it is used. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import * as totals from "lacre/totals";
import { expect, test } from "vitest";
import vectors from "./vectors/discounts.json" with { type: "json" };

const MAX_BYTES = 5_000;

/** A page's script that imports it, bundled as a page does it. */
async function bundled(contents: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: "." },
    alias: { "lacre/totals": "./src/core/totals.ts" },
    ...{ bundle: true, minify: true, write: false, metafile: true },
    ...{ format: "esm", platform: "browser", target: "es2022", logLevel: "silent" },
  });
  return { text: outputFiles[0]?.text ?? "", inputs: Object.keys(metafile.inputs) };
}

test(`everything of it has at most ${MAX_BYTES} bytes, compressed`, async () => {
  const { text, inputs } = await bundled('export * from "lacre/totals";');
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(MAX_BYTES);
  expect(inputs.filter((file) => !/^(<stdin>|src\/core\/(fiscal\/[a-z-]+|totals)\.ts)$/.test(file))).toEqual([]);
});

test("a bundle computes what the library computes, with nothing of Node", async () => {
  const { text } = await bundled('export * from "lacre/totals";');
  const alone = (await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`)) as typeof totals;
  expect(Object.keys(alone).sort()).toEqual(Object.keys(totals).sort());
  for (const { expected, expected_lines, name, ...given } of vectors.vectors) {
    expect(alone.computeTotals(given as totals.PricedDocument), name).toEqual(expected);
    expect(alone.computeLines(given as totals.PricedDocument), name).toEqual(expected_lines);
  }
  expect(alone.nifOf("PT501442600")).toBe("501442600");
  expect(alone.netOfGross(1.15, 23)).toBe(0.934959);
});

test("importing it alone leaves nothing in a bundle, and using one function not all of it", async () => {
  expect((await bundled('import "lacre/totals";')).text).toBe("");
  const { text } = await bundled('import { nifOf } from "lacre/totals"; console.log(nifOf("501442600"));');
  expect(text.length).toBeLessThan(500);
});

test("control: what needs Node does not bundle for a page", async () => {
  await expect(
    bundled('export * from "lacre/totals"; export { openLacre } from "./src/core/open.ts";'),
  ).rejects.toThrow("node:");
});
