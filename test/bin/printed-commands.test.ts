/** Commands inside texts do what the command that prints them would do. */
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { withFlags } from "../../src/bin/printed-commands.ts";

const TEXT = "Confirm it: lacre restore --confirm-head 'FT 2026A/5'";
const asPrinted = (db: string) => `Confirm it: lacre restore --db '${db}' --confirm-head 'FT 2026A/5'`;

test("a printed command keeps every parameter of an address but the password", () => {
  for (const parameters of [
    "sslmode=verify-full",
    "sslmode=require",
    "sslmode=verify-full&sslrootcert=%2Fetc%2Fca.crt&sslcert=%2Fetc%2Fown.crt&sslkey=%2Fetc%2Fown.key",
    "schema=loja&failover=synchronous",
    "host=%2Frun%2Fpostgresql",
  ]) {
    const db = `postgres://lacre:secret@db.local/shop?${parameters}`;
    expect(withFlags(TEXT, { db })).toBe(asPrinted(`postgres://lacre@db.local/shop?${parameters}`));
  }
});

test("a file is printed for any working directory, the certificates of an address too", () => {
  expect(withFlags(TEXT, { db: "shop.db" })).toBe(asPrinted(resolve("shop.db")));
  const printed = withFlags(TEXT, { db: "postgres://lacre@db.local/shop?sslrootcert=ca.crt" });
  expect(printed).toBe(
    asPrinted(`postgres://lacre@db.local/shop?sslrootcert=${encodeURIComponent(resolve("ca.crt"))}`),
  );
});
