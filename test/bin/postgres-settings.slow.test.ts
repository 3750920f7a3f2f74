/** A server that could lose what was acknowledged is refused at the start, in words. */
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { aCluster, CAN_START } from "../support/cluster.ts";
import { onServer } from "../support/schemas.ts";
import { lacre, lacreJson, startServer } from "./program.ts";

const REFUSED = [
  ["fsync", "fsync or full_page_writes is off: a power cut would damage the database"],
  ["full_page_writes", "fsync or full_page_writes is off: a power cut would damage the database"],
  ["synchronous_commit", "synchronous_commit is off: a crash would lose acknowledged documents"],
] as const;

describe.skipIf(!CAN_START)("a PostgreSQL server with a setting that loses documents", () => {
  test("is refused by init and serve, and accepted once the setting is back", async () => {
    const { url } = await aCluster(tmpdir());
    const set = async (sql: string) => {
      await onServer(`alter system ${sql}`, url);
      await onServer("select pg_reload_conf()", url);
      const isOff = sql.endsWith(" off");
      const [, name] = sql.split(" ");
      await expect.poll(async () => (await onServer(`show ${name}`, url))[0]?.[name ?? ""]).toBe(isOff ? "off" : "on");
    };
    const init = ["init", "--name", "Loja", "--tax-id", "500000000", "--db", `${url}?schema=first`];
    await lacreJson(...init);
    for (const [setting, reason] of REFUSED) {
      await set(`set ${setting} = off`);
      for (const command of [
        ["serve", "--port", "0", "--db", `${url}?schema=first`],
        [...init.slice(0, -1), `${url}?schema=${setting}`],
      ]) {
        const { code, stderr } = await lacre(command);
        expect([code, stderr], `${command[0]} with ${setting} off`).toEqual([
          EXITS.unusable.code,
          expect.stringContaining(reason),
        ]);
      }
      await set(`reset ${setting}`);
      const server = await startServer(["serve", "--db", `${url}?schema=first`]);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      await server.stop();
    }
  });
});
