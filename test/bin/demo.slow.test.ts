import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { lacre, startServer, temporaryDirectory } from "./program.ts";

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
