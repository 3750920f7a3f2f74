/** Companies that a host program's transactions hold while the program serves them: who waits, and who does not. */
import { type Lacre, type NewDocument, openLacre } from "lacre";
import { postgres } from "lacre/postgres";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { POSTGRES_URL } from "../support/databases.ts";
import { homeOf } from "../support/instance.ts";
import { aNif } from "../support/nif.ts";
import { aSchema, describeOnPostgres } from "../support/schemas.ts";
import { call, invoice, lacreJson, type Made, makeCustomer, startServer } from "./program.ts";

/** A company of the database, and a key of it. */
async function aShop(host: Lacre): Promise<Pick<Made, "api_key" | "series"> & { readonly company_id: string }> {
  const tax_id = aNif();
  const { id: company_id } = await host.companies.create({ name: `Loja ${tax_id}`, tax_id });
  const { company } = await homeOf(host, company_id);
  const { data } = await company.series.list();
  const scopes = ["customers:write", "documents:write", "documents:issue"] as const;
  const { api_key } = await host.keys.create({ company_id, name: "till", scopes: [...scopes] });
  return { company_id, api_key, series: data };
}

/** Holds a company in a transaction of the host's that is not ended, and tells its process on the server. */
async function hold(host: Lacre, company_id: string): Promise<{ readonly client: pg.Client; readonly pid: number }> {
  const client = new pg.Client({ connectionString: POSTGRES_URL, application_name: "shop-web" });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin");
  await host.within(client).as(company_id).customers.create({ name: "Rui" });
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return { client, pid: rows[0]?.pid as number };
}

describeOnPostgres("beside the transactions of a host program", () => {
  test("the seventh company issues while six are held, and each held call is refused with its holder named", async () => {
    const { schema, db } = aSchema();
    await lacreJson("init", "--name", "Loja", "--tax-id", "500000000", "--db", db);
    const host = await openLacre({ dialect: postgres(POSTGRES_URL, { schema }) });
    onTestFinished(() => host.close());
    const shops: Awaited<ReturnType<typeof aShop>>[] = [];
    for (let i = 0; i < 7; i++) shops.push(await aShop(host));
    const [seventh, ...held] = shops as [(typeof shops)[number], ...typeof shops];
    const server = await startServer(["serve", "--db", db]);
    const order = invoice(seventh, await makeCustomer(server, seventh)) as NewDocument;
    const issue = () => call(server, seventh.api_key, "POST", "/v1/documents", order);

    const holders = await Promise.all(held.map(({ company_id }) => hold(host, company_id)));
    const waiting = held.map(({ api_key }) => call(server, api_key, "POST", "/v1/customers", { name: "Eva" }));
    for (let i = 0; i < 10; i++) {
      expect((await issue()).status).toBe(201);
      expect((await host.as(seventh.company_id).documents.create(order)).status).toBe("issued");
    }
    for (const [i, { status, body }] of (await Promise.all(waiting)).entries()) {
      expect([status, JSON.stringify(body)]).toEqual([
        503,
        expect.stringContaining(`pid ${holders[i]?.pid} (shop-web); this change was not made`),
      ]);
    }
    for (const { client } of holders) await client.query("rollback");
    for (const { api_key } of held) {
      expect((await call(server, api_key, "POST", "/v1/customers", { name: "Eva" })).status).toBe(201); // the control
    }
  });
});
