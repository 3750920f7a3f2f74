/** E-mail as a process sends it: `serve` through a server of the operator's, and `mail test`. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { anSmtp } from "../support/smtp.ts";
import { until } from "../support/until.ts";
import { call, invoice, lacre, lacreJson, makeCustomer, makeDatabase, startServer } from "./program.ts";

const FROM = ["--smtp-from", "faturas@padaria.example"];

test("serve sends what is issued with `email`, and says so in its answers", async () => {
  const smtp = await anSmtp();
  const made = await makeDatabase();
  const url = `smtp://127.0.0.1:${smtp.server.port}`;
  const key = join(made.directory, "mail-key");
  const server = await startServer([
    "serve",
    "--db",
    made.db,
    "--smtp",
    url,
    ...FROM,
    "--smtp-plain",
    "--mail-key",
    key,
  ]);
  const body = { ...invoice(made, await makeCustomer(server, made)), issue: true, email: { to: ["ana@example.com"] } };
  expect(await call(server, made.api_key, "POST", "/v1/documents", body)).toMatchObject({ status: 201 });
  await until(() => smtp.taken.length === 1);
  expect(smtp.taken[0]).toContain("To: ana@example.com");
  expect(statSync(key).mode & 0o077).toBe(0);
  expect(Buffer.from(readFileSync(key, "latin1"), "base64")).toHaveLength(32);
});

test("mail test tells what the server answered", async () => {
  const smtp = await anSmtp();
  const url = `smtp://127.0.0.1:${smtp.server.port}`;
  const told = await lacreJson("mail", "test", "ana@example.com", "--smtp", url, ...FROM, "--smtp-plain");
  expect(told).toMatchObject({ to: "ana@example.com", outcome: "delivered", status: 250 });
  smtp.deed = () => "refuse";
  const refused = await lacre(["mail", "test", "ana@example.com", "--smtp", url, ...FROM, "--smtp-plain"]);
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("550 no such user") });
});

test("a server without sender, password or TLS is refused, and no password is told", async () => {
  const made = await makeDatabase();
  const file = join(made.directory, "password");
  writeFileSync(file, "s3cr3t-word\n");
  const withPassword = ["--smtp", "smtp://ana@127.0.0.1:1", ...FROM, "--smtp-password-file", file];
  for (const args of [
    [],
    ["--smtp", "smtp://127.0.0.1:1"],
    ["--smtp", "smtp://ana:pw@127.0.0.1"],
    ["--smtp", "smtp://ana@127.0.0.1", ...FROM],
    ["--smtp", "smtp://50%@127.0.0.1", ...FROM],
    [...withPassword, "--smtp-plain"],
  ]) {
    expect([args, (await lacre(["mail", "test", "ana@example.com", ...args])).code]).toEqual([args, 2]);
  }
  const gone = await lacre(["mail", "test", "ana@example.com", ...withPassword]);
  expect(gone).toMatchObject({ code: 3, stderr: expect.stringContaining("ECONNREFUSED") });
  expect(gone.stderr + gone.stdout).not.toContain("s3cr3t");
});
