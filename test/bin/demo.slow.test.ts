import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { call, lacre, lacreJson, type Made, startServer, temporaryDirectory } from "./program.ts";

const run = promisify(execFile);

test("the demo issues an invoice through its own server, and its four curl lines work when pasted", async () => {
  const demo = await startServer(["demo"]);
  await expect.poll(() => demo.lines.filter((line) => line.startsWith("curl "))).toHaveLength(4);
  const output = demo.lines.join("\n");
  expect(output).toMatch(/^│ Fatura FT \d{4}A\/1 · \d{4}-\d\d-\d\d +│$/m);
  expect(output).toMatch(/^│ Total +85,65 € +│$/m);
  expect(output).toMatch(/^│ Código QR +A:500000000\*B:123456789\*.* │$/m);
  expect(output).toMatch(/^│ Assinatura +[\w+/]{58}… +│$/m);
  const frame = demo.lines.filter((line) => /^[┌│└]/.test(line));
  expect(new Set(frame.map((line) => line.length))).toEqual(new Set([76]));
  const [key = ""] = /^export LACRE_KEY=lacre_test_[0-9A-Za-z]{49}$/m.exec(output) ?? [];

  const cwd = temporaryDirectory();
  const answers = [];
  for (const line of demo.lines.filter((line) => line.startsWith("curl "))) {
    const { stdout } = await run("bash", ["-c", `${key}\n${line}`], { cwd });
    answers.push(stdout === "" ? undefined : JSON.parse(stdout));
  }
  const [, list, customer, invoice] = answers;
  expect((await readFile(join(cwd, "invoice.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
  expect(list).toMatchObject({ data: [{ status: "issued", total_gross: 85.65 }], pagination: { total: 1 } });
  expect(customer).toMatchObject({ id: expect.any(String), name: "Rui Tavares" });
  expect(invoice).toMatchObject({
    status: "issued",
    number: expect.stringMatching(/^FT \d{4}A\/2$/),
    total_gross: 68.33,
  });

  expect(await demo.stop("SIGINT")).toEqual({ code: 0, signal: null, stderr: "" });
});

test("a second demo on the same port is refused in one line", async () => {
  const { url } = await startServer(["demo"]);
  const { port } = new URL(url);
  expect(await lacre(["demo", "--port", port])).toEqual({
    code: EXITS.no_address.code,
    stdout: "",
    stderr: `lacre: 127.0.0.1:${port} is already in use; choose another port with --port.\n`,
  });
});

test("a Ctrl+C that npm forwards a second time is one key press", async () => {
  const demo = await startServer(["demo"]);
  demo.child.kill("SIGINT");
  expect(await demo.stop("SIGINT")).toEqual({ code: 0, signal: null, stderr: "" });
});

test("its clock is moved over HTTP by whoever has the key, and documents follow it; serve has no such route", async () => {
  const demo = await startServer(["demo"]);
  await expect.poll(() => demo.lines.some((line) => line.startsWith("export LACRE_KEY="))).toBe(true);
  const [, key = ""] = /^export LACRE_KEY=(\S+)$/m.exec(demo.lines.join("\n")) ?? [];
  const ask = async (url: string, method: string, api_key: string, body?: object) => {
    const headers = { authorization: `Bearer ${api_key}`, "content-type": "application/json" };
    const answer = await fetch(`${url}/demo/clock`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: (await answer.json()) as { now?: string; error?: { code: string } } };
  };
  const before = Date.parse((await ask(demo.url, "GET", key)).body.now ?? "");
  const day = 24 * 60 * 60;
  const moved = await ask(demo.url, "POST", key, { advance_s: 90 * day }); // further than the guard lets pass unconfirmed
  expect(Date.parse(moved.body.now ?? "") - before).toBeGreaterThanOrEqual(90 * day * 1_000);
  const customer = { name: "Rui" };
  const made = await call(demo, key, "POST", "/v1/customers", customer);
  expect(Date.parse(String(made.body.created_at)) - before).toBeGreaterThanOrEqual(90 * day * 1_000);
  const to = new Date(before + 200 * day * 1_000).toISOString();
  expect((await ask(demo.url, "POST", key, { to })).body.now?.slice(0, 16)).toBe(to.slice(0, 16));
  for (const wrong of [
    {},
    { to, advance_s: 1 },
    { to: new Date(before).toISOString() },
    { advance_s: -1 },
    { to: "x" },
  ])
    expect(await ask(demo.url, "POST", key, wrong)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request" } },
    });
  expect((await ask(demo.url, "POST", "lacre_test_wrong", { advance_s: 1 })).status).toBe(401);
  expect((await ask(demo.url, "DELETE", key)).status).toBe(405);

  const db = join(temporaryDirectory(), "shop.db");
  const { api_key } = await lacreJson<Made>("init", "--name", "Loja, Lda.", "--tax-id", "500000000", "--db", db);
  const served = await startServer(["serve", "--db", db]);
  for (const method of ["GET", "POST"])
    expect((await ask(served.url, method, api_key, method === "POST" ? { advance_s: 1 } : undefined)).status).toBe(404);
});
