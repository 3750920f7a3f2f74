/** The program in Portuguese: what a person reads is translated, what a program reads is not. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { ENGLISH_WORDS } from "../support/english.ts";
import { call, invoice, lacre, lacreJson, makeCustomer, startServer, TERMINAL, temporaryDirectory } from "./program.ts";

const PORTUGUESE = { env: { LANG: "pt_PT.UTF-8" } };

/** The output without names that are the same in both languages. */
const withoutNames = (text: string) => text.replace(/lacre [a-z-]+(?: [a-z]+)?|--[\w-]+/g, "");

test("nothing is English, from the first command to the tax file", async () => {
  const directory = temporaryDirectory();
  const db = join(directory, "lacre.db");
  const said: string[] = [];
  async function say(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await lacre([...args, "--db", db], PORTUGUESE);
    expect([args[0], code, stderr]).toEqual([args[0], EXITS.done.code, ""]);
    said.push(stdout);
    return stdout;
  }

  expect(await say("init", "--name", "Padaria Central, Lda.", "--tax-id", "500000000")).toMatch(
    /está pronta para Padaria Central, Lda\., NIF 500000000\.\n[\s\S]*A chave da API, mostrada só desta vez:/,
  );
  const company = await lacreJson<{ id: string }>("company", "show", "--db", db);
  const { api_key } = await lacreJson<{ api_key: string }>(
    "key",
    "create",
    "--name",
    "t",
    "--scope",
    "all",
    "--db",
    db,
  );
  const series = await lacreJson<{ id: string; doc_type: string; code: string }[]>("series", "list", "--db", db);
  const made = { db, directory, api_key, company: { ...company, name: "" }, series };

  const server = await startServer(["serve", "--db", db], PORTUGUESE);
  const { body } = await call(
    server,
    api_key,
    "POST",
    "/v1/documents",
    invoice(made, await makeCustomer(server, made)),
  );
  const { number } = body as { number: string };
  const { code, stderr } = await server.stop();
  expect([code, stderr]).toEqual([EXITS.done.code, ""]);
  // The log is for programs.
  const waiting = server.lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "waiting");
  expect(waiting.map(({ message }) => message).join(" ")).toMatch(/Not registered with AT: .*\. Communicate each/);

  expect(await say("status")).toMatch(
    /^empresa +Padaria Central, Lda\., NIF 500000000\ncertificado +Este programa não/,
  );
  expect(await say("verify")).toContain("Padaria Central, Lda.: 1 documento em 10 séries, tudo íntegro.\nInstalação:");
  await say("series", "list");
  await say("series", "open", "--year", new Date().toISOString().slice(0, 4));
  await say("key", "list");
  await say("signer", "rotate");
  await say("clock", "confirm");
  expect(await say("backup", join(directory, "copia.db"))).toMatch(/copia\.db: cópia íntegra, 1 documento\.\n$/);
  expect(await say("pdf", number, "--out", join(directory, "fatura.pdf"))).toMatch(/fatura\.pdf: .* bytes\.\n$/);
  const saft = join(directory, "saft.xml");
  expect(await say("saft", "--out", saft)).toMatch(
    / {2}FT +1 +0 +1 +2,30 +0,14 +2,44\n[\s\S]*1 cliente, 1 artigo, 1 taxa/,
  );
  expect(await say("import-saft", saft, "--dry-run")).toContain("Nada foi escrito.");
  const archive = join(directory, "loja.lacre");
  expect(await say("archive", archive)).toMatch(/loja\.lacre: arquivo íntegro, 1 documento\.\n$/);
  const { stdout: moved } = await lacre(["unarchive", archive, "--db", join(directory, "nova.db")], PORTUGUESE);
  expect(moved).toMatch(
    /nova\.db foi lida de .*loja\.lacre, tirado a .*: com 1 documento, tudo íntegro\. Restauro n\.º 1\.\n/,
  );
  said.push(moved);
  await say("restore", "--status");
  for (const text of said) expect(withoutNames(text)).not.toMatch(ENGLISH_WORDS);
});

test("failures, refusals and usage are in Portuguese, and in English for programs", async () => {
  const db = join(temporaryDirectory(), "lacre.db");
  const failed = async (args: string[], options = PORTUGUESE) => {
    const { code, stdout, stderr } = await lacre([...args, "--db", db], options);
    expect(stdout).toBe("");
    return [code, stderr.replaceAll(db, "DB").trim()];
  };
  const absent =
    "lacre: Não há nenhuma base de dados em DB; se estiver noutro sítio, indique-a (--db CAMINHO); para criar uma: lacre serve --db 'DB' --new, ou lacre init --db 'DB'";
  expect(await failed(["status"])).toEqual([EXITS.unusable.code, absent]);
  expect(await failed(["status", "--lang", "pt"], { env: { LANG: "C" } })).toEqual([EXITS.unusable.code, absent]);
  expect((await failed(["--lang", "en", "status"]))[1]).toMatch(/^lacre: There is no database at DB;/);
  expect((await failed(["status", "--json"]))[1]).toMatch(/^\{"error":\{"code":"unusable","message":"There is no/);
  expect(await failed(["init", "--name", "Padaria", "--tax-id", "123"])).toEqual([
    EXITS.refused.code,
    "lacre: --tax-id: não é um NIF português válido",
  ]);
  expect(await failed(["frob"])).toEqual([EXITS.usage.code, "lacre: não há nenhum comando frob; veja lacre --help"]);
  expect(await failed(["backup"])).toEqual([
    EXITS.usage.code,
    "lacre: FICHEIRO é obrigatório; veja lacre backup --help",
  ]);
  expect(await failed(["status", "--lang", "fr"])).toEqual([EXITS.usage.code, "lacre: --lang tem de ser pt ou en"]);
});

test("the help is in the language of the locale, and --lang goes before it", async () => {
  const [portuguese, english, chosen] = await Promise.all([
    lacre(["--help"], PORTUGUESE),
    lacre(["--help"]),
    lacre(["--lang", "pt", "backup", "--help"]),
  ]);
  expect(portuguese.stdout).toMatch(/^Lacre: faturação para Portugal\.\n/);
  expect(english.stdout).toMatch(/^Lacre: invoicing for Portugal\.\n/);
  expect(chosen.stdout).toMatch(/^lacre backup FICHEIRO \[opções\]\n\nfaz uma cópia de segurança verificada/);
});

test("serve speaks Portuguese to a person at a terminal", async () => {
  const db = join(temporaryDirectory(), "lacre.db");
  const server = await startServer(["serve", "--new", "--db", db], { ...PORTUGUESE, through: TERMINAL });
  await expect.poll(() => server.lines).toHaveLength(4); // No line of the log is among them,
  const { status } = await fetch(`${server.url}/healthz`);
  const [made = "", link = "", certified = "", duties = "", ...others] = server.lines;
  expect([status, others]).toEqual([200, []]); // nor one for the request.
  expect(existsSync(`${db}.set-up`)).toBe(false);
  expect(made).toContain(`A base de dados ${db} foi criada.`);
  expect(link).toMatch(
    /^Abra esta ligação para configurar o Lacre, uma só vez, até \d\d-\d\d-\d{4} às .*\/area\/setup#/,
  );
  expect(certified).toContain("Este programa não está certificado");
  expect(duties).toContain("Antes da primeira fatura, a empresa comunica à AT");
});

test.each([
  ["of no migration", "delete from migrations", "outra compilação do Lacre"],
  ["newer", "insert into migrations values ('9999-later', '', '2030-01-01T00:00:00.000Z')", "Lacre mais recente"],
  ["another's", "update migrations set digest = 'x'", "outra compilação do Lacre"],
])("a schema that is %s is refused in the language of the person", async (_, change, said) => {
  const db = join(temporaryDirectory(), "lacre.db");
  await lacreJson("init", "--name", "Padaria", "--tax-id", "500000000", "--db", db);
  using file = new DatabaseSync(db);
  file.exec(change);
  file.close();
  const { code, stderr } = await lacre(["status", "--db", db], PORTUGUESE);
  expect([code, stderr]).toEqual([EXITS.unusable.code, expect.stringContaining(said)]);
  expect(withoutNames(stderr)).not.toMatch(ENGLISH_WORDS);
  const english = await lacre(["status", "--json", "--db", db], PORTUGUESE);
  expect(JSON.parse(english.stderr).error.message).toMatch(/^The database (?:has|was)/);
});
