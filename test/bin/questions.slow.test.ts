/** Whom the program asks, and what each answer does: a person at a terminal of its own. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { call, lacre, lacreJson, makeDatabase, startServer, temporaryDirectory } from "./program.ts";

describe("serve without a database", () => {
  test.each([
    ["y\n", "C", /Make a new one, which begins numbering at 1\? \[y\/N\]/],
    ["s\n", "pt_PT.UTF-8", /Criar uma nova, que começa a numeração em 1\? \[s\/N\]/],
  ])("makes one where the answer is %j in %s, and serves it", async (answer, LC_ALL, says) => {
    const cwd = temporaryDirectory();
    const server = await startServer(["serve"], { answers: [answer], cwd, env: { LC_ALL } });
    expect(server.lines.join("\n")).toMatch(says);
    expect((await call(server, "", "GET", "/healthz")).status).toBe(200);
    server.child.stdin?.write("\u0003"); // Ctrl+C
    expect((await server.ended).code).toBe(0);
    expect(await lacreJson("verify", "--db", join(cwd, "lacre.db"))).toMatchObject({ whole: true });
  });

  test.each(["n\n", "\n", "\u0004"])("makes none where the answer is %j", async (answer) => {
    const cwd = temporaryDirectory();
    const { code, stdout } = await lacre(["serve", "--port", "0"], { answers: [answer], cwd });
    expect([code, stdout]).toEqual([
      EXITS.unusable.code,
      expect.stringMatching(/\[y\/N\] [\s\S]*lacre: There is no database/),
    ]);
    expect(existsSync(join(cwd, "lacre.db"))).toBe(false);
  });
});

test("restore asks whether series that the backup lacks were lost, and closes them then", async () => {
  const made = await makeDatabase();
  const backup = join(temporaryDirectory(), "monday.db");
  await lacreJson("backup", backup, "--db", made.db);
  await lacreJson("series", "create", "--doc-type", "FT", "--code", "LOJA", "--db", made.db);
  await lacreJson("restore", backup, "--db", made.db);
  const confirm = (...answers: string[]) =>
    lacre(["restore", "--confirm-head", "FT LOJA/1", "--db", made.db], { answers });
  const refused = await confirm("n\n");
  expect([refused.code, refused.stdout]).toEqual([EXITS.refused.code, expect.stringContaining("Nothing was changed")]);
  const agreed = await confirm("y\n");
  expect([agreed.code, agreed.stdout]).toEqual([0, expect.stringContaining("FT LOJA")]);
  const listed = await lacreJson<{ code: string; status: string }[]>("series", "list", "--db", made.db);
  expect(listed.find(({ code }) => code === "LOJA")).toMatchObject({ status: "closed" });
});
