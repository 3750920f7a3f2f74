/** Encrypted connections to PostgreSQL: the server's certificate is checked, and the program shows one of its own. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { certify, HAS_OPENSSL } from "../support/certificates.ts";
import { aCluster, CAN_START } from "../support/cluster.ts";
import { onServer } from "../support/schemas.ts";
import {
  call,
  invoice,
  lacre,
  lacreJson,
  type Made,
  makeCustomer,
  startServer,
  temporaryDirectory,
} from "./program.ts";

/** A server that takes encrypted connections alone; `carded` must show a certificate of that name. */
async function aTlsServer(certifiedFor: string) {
  const directory = temporaryDirectory();
  certify(directory, "ca", "An authority");
  certify(directory, "other", "Another authority");
  certify(directory, "server", "A server", { by: "ca", for: certifiedFor });
  certify(directory, "carded", "carded", { by: "ca" });
  const text = (name: string) => readFileSync(join(directory, name), "utf8");
  const { url } = await aCluster(tmpdir(), {
    files: {
      "ca.crt": text("ca.crt"),
      "server.crt": text("server.crt"),
      "server.key": text("server.key"),
      "pg_hba.conf":
        "local all all trust\nhostssl all carded 127.0.0.1/32 cert\nhostssl all postgres 127.0.0.1/32 trust\n",
    },
    settings: ["ssl=on", "ssl_ca_file=ca.crt", "ssl_cert_file=server.crt", "ssl_key_file=server.key"],
  });
  const file = (name: string) => encodeURIComponent(join(directory, name));
  const as = (user: string, parameters: string) => `${url.replace("postgres@", `${user}@`)}?${parameters}`;
  return { file, as };
}

const init = (db: string) => ["init", "--name", "Loja, Lda.", "--tax-id", "500000000", "--db", db];

describe.skipIf(!HAS_OPENSSL || !CAN_START)("an encrypted connection", () => {
  test("is made, served, and verified", async () => {
    const { as, file } = await aTlsServer("IP:127.0.0.1");
    const db = as("postgres", `sslmode=require&sslrootcert=${file("ca.crt")}`);
    const made = await lacreJson<Pick<Made, "api_key" | "series">>(...init(db));
    const server = await startServer(["serve", "--db", db]);
    const given = invoice(made, await makeCustomer(server, made));
    expect(await call(server, made.api_key, "POST", "/v1/documents", given)).toMatchObject({ status: 201 });
    expect(await lacreJson("verify", "--db", db)).toMatchObject({ whole: true, documents: 1 });
    const plain = as("postgres", "sslmode=no-verify");
    const open =
      "select bool_and(ssl) as encrypted from pg_stat_ssl join pg_stat_activity using (pid) where client_port > 0";
    expect(await onServer(open, plain)).toEqual([{ encrypted: true }]);
  });

  test("is refused in words for another authority or another name; no-verify checks neither", async () => {
    const { as, file } = await aTlsServer("DNS:db.elsewhere");
    for (const parameters of [
      "sslmode=verify-full",
      `sslmode=verify-full&sslrootcert=${file("other.crt")}`,
      `sslmode=verify-full&sslrootcert=${file("ca.crt")}`,
    ]) {
      const { code, stderr } = await lacre(init(as("postgres", parameters)));
      expect([parameters, code, stderr]).toEqual([
        parameters,
        EXITS.unusable.code,
        expect.stringContaining("certificate"),
      ]);
    }
    expect((await lacre(init(as("postgres", "sslmode=no-verify")))).code).toBe(0);
  });

  test("is refused in words if the server requires one, or a client certificate", async () => {
    const { as, file } = await aTlsServer("IP:127.0.0.1");
    const own = `&sslcert=${file("carded.crt")}&sslkey=${file("carded.key")}`;
    await onServer("create role carded login superuser", as("postgres", "sslmode=no-verify"));
    for (const db of [as("postgres", "sslmode=disable"), as("carded", "sslmode=no-verify")]) {
      const { code, stderr } = await lacre(init(db));
      expect([db, code, stderr]).toEqual([
        db,
        EXITS.unusable.code,
        expect.stringContaining("lets nobody in under this name"),
      ]);
    }
    expect((await lacre(init(as("carded", `sslmode=verify-full&sslrootcert=${file("ca.crt")}${own}`)))).code).toBe(0);
  });
});
