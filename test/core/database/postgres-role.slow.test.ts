/** The role of docs/operating.md that serves and cannot rewrite, with the very rights that the text gives. */
import { readdirSync, readFileSync } from "node:fs";
import { type Lacre, type LogEntry, openLacre } from "lacre";
import { postgres } from "lacre/postgres";
import { openInMemory } from "lacre/testing";
import { expect, onTestFinished, test } from "vitest";
import { chanceOf } from "../../support/chance.ts";
import { POSTGRES_URL } from "../../support/databases.ts";
import { NOW } from "../../support/drivers.ts";
import { aCustomer, aDraft, anInvoice, aPayment, aProduct } from "../../support/factories.ts";
import { aHistory } from "../../support/history.ts";
import { homeOf, type Instance } from "../../support/instance.ts";
import { addressWith, aRole, aSchema, describeOnPostgres, onServer } from "../../support/schemas.ts";

const ROOT = new URL("../../../", import.meta.url);
const OPERATING = readFileSync(new URL("docs/operating.md", ROOT), "utf8");

/** The text of the core's files. */
function coreTexts(): string[] {
  const folder = new URL("src/core/", ROOT);
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  return paths.map((path) => readFileSync(new URL(path, folder), "utf8"));
}

/** The statements of the text, for another schema and a role that is there already. */
function rightsFor(schema: string, role: string): string {
  const [, sql = ""] = /```sql\ncreate role [^\n]*\n([\s\S]*?)```/.exec(OPERATING) ?? [];
  return sql
    .replaceAll("lacre_app", role)
    .replaceAll("schema lacre ", `schema ${schema} `)
    .replaceAll("lacre.", `${schema}.`);
}

/** An installation with a company that the owner made, opened by a role with the rights of the text. */
async function aServingRole() {
  const { schema } = aSchema();
  const now = () => new Date(NOW);
  const owner = await openInMemory({ dialect: postgres(POSTGRES_URL, { schema, connections: 2 }), now });
  await owner.lacre.close();
  const { role, password } = await aRole();
  await onServer(rightsFor(schema, role));
  const entries: LogEntry[] = [];
  const url = addressWith({}, role, password);
  const lacre: Lacre = await openLacre({
    dialect: postgres(url, { schema, connections: 4 }),
    now,
    log: (entry) => entries.push(entry),
  });
  onTestFinished(() => lacre.close());
  await lacre.signer.rotate(); // the owner's was the signer of tests
  const home = { ...owner, ...(await homeOf(lacre, owner.company_id)), lacre } as unknown as Instance;
  const refused = (sql: string) =>
    onServer(sql.replaceAll("lacre.", `${schema}.`), url).then(
      () => "done",
      (error: Error) => error.message,
    );
  return { home, lacre, schema, role, entries, refused };
}

describeOnPostgres("a role that cannot rewrite", () => {
  test("serves all that a shop does, and leaves it whole", async () => {
    const { home, lacre, schema, role, entries } = await aServingRole();
    const { company } = home;
    await aHistory(home, chanceOf(7), { acts: 80 });
    const customer = await aCustomer(home);
    await company.customers.change({ id: customer.id, city: "Lisboa" });
    await company.customers.archive({ id: customer.id });
    const product = await aProduct(home);
    await company.products.change({ id: product.id, name: "Pão de Rio Maior" });
    await company.products.archive({ id: product.id });
    const draft = await aDraft(home);
    await company.documents.change({ id: draft.id, notes: "Obrigado" });
    await company.documents.discard({ id: draft.id });
    const invoice = await anInvoice(home);
    const payment = await aPayment(home, invoice, 10);
    await company.payments.void({ id: payment.id });
    await company.documents.print({ id: invoice.id });
    await lacre.companies.change({ id: home.company_id, footer_text: "Obrigado" });
    const key = await lacre.keys.create({ company_id: home.company_id, name: "k", scopes: ["documents:read"] });
    await lacre.keys.revoke({ id: key.id });
    await lacre.users.invite({ login: "ana@example.com" });
    await lacre.users.invite({ login: "ana@example.com" });
    const webhook = await company.webhooks.create({ url: "https://example.com/lacre" });
    await company.webhooks.delete({ id: webhook.id });
    await company.series.openYear({ year: 2027 });
    await company.clock.confirm();
    await lacre.installation.markBackup();
    for (let i = 0; i < 3; i++) await lacre.takeRequest(key.id);
    const report = await company.series.verify();
    expect([report.whole, (await lacre.installation.verify()).whole]).toEqual([true, true]);
    expect(report.documents).toBeGreaterThan(10);
    const troubles = () => entries.filter(({ event }) => event === "storage_error");
    expect(troubles()).toEqual([]);

    // With one right less it would show.
    await onServer(`revoke update on ${schema}.lists from ${role}`);
    await expect(aCustomer(home)).rejects.toMatchObject({ code: "unavailable" });
    expect(troubles()).toMatchObject([{ message: "permission denied for table lists" }]);
  });

  test("is refused by the server if nothing may be rewritten, as the owner is by the triggers", async () => {
    const { home, schema, refused } = await aServingRole();
    const { id } = await anInvoice(home);
    const denied = expect.stringMatching(/^permission denied/);
    for (const table of ["events", "actors", "signing_keys", "communications", "migrations", "document_lines"]) {
      const [column] = await onServer(
        `select column_name from information_schema.columns where table_schema = '${schema}' and table_name = '${table}'`,
      );
      const name = String(column?.column_name);
      expect([table, await refused(`update lacre.${table} set ${name} = ${name}`)]).toEqual([table, denied]);
    }
    for (const table of ["events", "actors", "signing_keys", "companies", "series", "customers", "payments", "users"]) {
      expect([table, await refused(`delete from lacre.${table}`)]).toEqual([table, denied]);
    }
    expect(await refused("truncate lacre.events")).toEqual(denied);
    expect(await refused("alter table lacre.events disable trigger all")).toMatch(/must be owner/);
    expect(await refused("drop table lacre.events")).toMatch(/must be owner/);
    expect(await refused("insert into lacre.migrations select * from lacre.migrations")).toEqual(denied);

    // What it may touch, the triggers guard; they hold for the owner, too.
    const rewritten = `update lacre.documents set total_gross_cents = 1 where id = '${id}'`;
    const removed = `delete from lacre.documents where id = '${id}'`;
    for (const run of [refused, (sql: string) => onServer(sql.replaceAll("lacre.", `${schema}.`)).catch(String)]) {
      expect(await run(rewritten)).toMatch(/the document is issued/);
      expect(await run(removed)).toMatch(/the document is issued/);
    }
    expect((await home.company.series.verify()).whole).toBe(true);
  });

  test("may update and delete what the core's statements name, except events", () => {
    const rights = rightsFor("lacre", "lacre_app");
    const granted = (right: string) => {
      const [, tables = ""] = new RegExp(`grant ${right} on (lacre\\.[^;]*) to`).exec(rights) ?? [];
      return tables.split(/,\s+/).map((name) => name.replace("lacre.", ""));
    };
    const texts = coreTexts();
    const named = (pattern: RegExp) => [
      ...new Set(texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, table]) => table as string))),
    ];
    const updated = named(/(?:\.updateTable\(\s*"|\bupdate (?=\w+ set\b))(\w+)/g);
    const deleted = named(/(?:\.deleteFrom\(\s*"|\bdelete from )(\w+)/g);
    expect(updated.filter((table) => !granted("update").includes(table))).toEqual([]);
    expect(deleted.filter((table) => !granted("delete").includes(table))).toEqual([]);
    expect(updated.length).toBeGreaterThan(8);
    expect(granted("update")).not.toContain("events");
  });
});
