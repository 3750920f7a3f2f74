import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { areaPages } from "../../src/http/area-files.ts";
import type { IncomingRequest } from "../../src/http/incoming-request.ts";

test.each([
  ["compressed", "gzip", gzipSync("let x;").toString("base64")],
  ["for clients that take none", null, Buffer.from("let x;").toString("base64")],
])("an asset is made once, however often it is asked for: %s", (_, encoding, expected) => {
  const assets = { "a.js": { type: "text/javascript", gzip: gzipSync("let x;").toString("base64") } };
  const pages = areaPages(() => ({ shell: "", assets }));
  const request: IncomingRequest = { method: "GET", target: "/", header: () => encoding, body: () => null };
  const [first, again] = [pages.asset("a.js", request), pages.asset("a.js", request)];
  expect(Buffer.from(first.body as Uint8Array).toString("base64")).toBe(expected);
  expect(again.body).toBe(first.body);
});
