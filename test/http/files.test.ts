import { gunzipSync } from "node:zlib";
import { createHandler } from "lacre/http";
import { openInMemory } from "lacre/testing";
import { expect, onTestFinished, test } from "vitest";

/** A viewer whose script is long and dull, and what asks for it. */
async function aViewer() {
  const { lacre } = await openInMemory();
  onTestFinished(() => lacre.close());
  const viewer = { page: "", script: Buffer.from("let x;\n".repeat(10_000)), style: Buffer.from("") };
  const handler = createHandler(lacre, { viewer: () => viewer });
  const ask = (headers: Record<string, string> = {}, method = "GET") =>
    handler(new Request("http://lacre.test/docs/viewer.js", { method, headers }));
  return { handler, script: viewer.script, ask };
}

test("a file is sent packed, once and for all, to whoever takes that, and plain to others", async () => {
  const { handler, script, ask } = await aViewer();
  const plain = await ask({ "accept-encoding": "br, gzip;q=0" });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(plain.headers.get("vary")).toBe("accept-encoding");
  expect(Buffer.from(await plain.arrayBuffer()).equals(script)).toBe(true);
  const packed = await ask({ "accept-encoding": "gzip, deflate, br" });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  const bytes = Buffer.from(await packed.arrayBuffer());
  expect(bytes.length).toBeLessThan(script.length / 10);
  expect(packed.headers.get("content-length")).toBe(String(bytes.length));
  expect(gunzipSync(bytes).equals(script)).toBe(true);
  const header = (name: string) => (name === "accept-encoding" ? "gzip" : null);
  const request = { method: "GET", target: "/docs/viewer.js", header, body: () => null };
  const [one, other] = [await handler.answer(request), await handler.answer(request)];
  expect(other.body).toBe(one.body);
});

test("a client that has a file gets 304, without the file", async () => {
  const { ask } = await aViewer();
  const etag = (await ask()).headers.get("etag") as string;
  expect((await ask({ "accept-encoding": "gzip" })).headers.get("etag")).toBe(etag);
  for (const method of ["GET", "HEAD"]) {
    const answer = await ask({ "if-none-match": `"other", ${etag}` }, method);
    expect([answer.status, await answer.text()]).toEqual([304, ""]);
    expect(answer.headers.get("etag")).toBe(etag);
    expect(answer.headers.get("cache-control")).toBe("no-cache");
  }
  expect((await ask({ "if-none-match": '"other"' })).status).toBe(200);
});
