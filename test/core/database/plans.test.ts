import type { SqliteFile } from "lacre/sqlite";
import { TEST_API_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { sqliteDialect } from "../../../src/core/database/sqlite-dialect.ts";
import { DRIVERS, type Driver, TODAY } from "../../support/drivers.ts";
import { aCreditNote, aCustomer, aDraft, aLine, anInvoice, aPayment, aProduct } from "../../support/factories.ts";
import { anInstance, type Instance, type InstanceOptions, over } from "../../support/instance.ts";
import { aMailbox } from "../../support/mail.ts";
import { expectRefusal } from "../../support/refusals.ts";
import { anInvoiceDue, inDays, morning, sendAll } from "../../support/reminders.ts";
import { sampleOf } from "../../support/sampled.ts";

/** An instance in memory that records every statement it sends. */
interface Watched {
  readonly instance: Instance;
  readonly raw: SqliteFile;
  /** Each statement that `work` sends and that reads, once. */
  sentBy(work: () => Promise<unknown>): Promise<string[]>;
}

async function aWatchedInstance(driver: Driver, options: InstanceOptions = {}): Promise<Watched> {
  const raw = driver.open(":memory:");
  const sent = new Set<string>();
  const watched: SqliteFile = {
    exec: (sql) => raw.exec(sql),
    backup: (destination) => raw.backup(destination),
    close: () => raw.close(),
    prepare: (sql) => {
      const statement = raw.prepare(sql);
      const noted = <Args extends unknown[], T>(run: (...given: Args) => T) => {
        return (...given: Args): T => {
          sent.add(sql);
          return run(...given);
        };
      };
      return {
        reader: statement.reader,
        all: noted((parameters) => statement.all(parameters)),
        run: noted((parameters) => statement.run(parameters)),
        iterate: noted((parameters) => statement.iterate(parameters)),
      };
    },
  };
  const instance = await anInstance(driver, { ...options, dialect: sqliteDialect(over(driver, watched), ":memory:") });
  return {
    instance,
    raw,
    async sentBy(work) {
      sent.clear();
      await work();
      return [...sent].filter((sql) => /^(select|update|delete)\b/.test(sql));
    },
  };
}

/** The steps of SQLite's plan for a statement. */
function planOf(raw: SqliteFile, sql: string): string[] {
  const parameters = Array.from(sql.matchAll(/\?/g), () => null);
  const steps = raw.prepare(`explain query plan ${sql}`).all(parameters) as { detail: string }[];
  return steps.map(({ detail }) => detail);
}

/** Full scans of tables that stay short. */
const SHORT = [
  "SCAN found", // sums of a few years, eleven months and thirty-one days at most, for each document type
  "SCAN installation", // one row
  "SCAN migrations USING COVERING INDEX sqlite_autoindex_migrations_1", // one row for each step of the schema
  "SCAN webhooks", // at most twenty of a company
  "SCAN some", // at most two hundred matches of a search piece
];

/** The steps whose cost grows with a table: reading it from end to end, and sorting rows. */
const growing = (plan: readonly string[]) =>
  plan.filter(
    (step) => (/^SCAN (?!.* VIRTUAL TABLE INDEX)/.test(step) && !SHORT.includes(step)) || /TEMP B-TREE/.test(step),
  );

/** The terms an index is searched by: `company_id=? AND issue_date>?`. */
const constraintsOn = (table: string, plan: readonly string[]) =>
  plan.flatMap((step) => new RegExp(`^SEARCH ${table} USING .*\\((.*)\\)$`).exec(step)?.[1] ?? []);

/** Every subset of an object's members, from none to all. */
function subsetsOf<T extends object>(all: T): Partial<T>[] {
  let subsets: Partial<T>[] = [{}];
  for (const [name, value] of Object.entries(all)) {
    subsets = subsets.concat(subsets.map((subset) => ({ ...subset, [name]: value })));
  }
  return subsets;
}

describe.each(DRIVERS)("over $name", (driver) => {
  /**
   * How the list of documents is read under combinations of filters but the number, in either order: in a sampled run
   * under every `nth`.
   */
  async function* documentPlans({ instance, raw, sentBy }: Watched, nth: number) {
    const { company, series } = instance;
    const { id: customer_id } = await aCustomer(instance);
    const order = { customer_id, external_id: "order-1001" };
    for (let i = 0; i < 4; i++) await anInvoice(instance, order);
    for (let i = 0; i < 4; i++) await aDraft(instance, order);
    for (let i = 0; i < 4; i++) await company.documents.cancel({ id: (await anInvoice(instance, order)).id });
    const others = { doc_type: "FT", from: "2026-01-01", to: TODAY, ...order, series_id: series.FT } as const;
    const all = [
      ...subsetsOf({ ...others, status: "issued", payment_status: "unpaid" } as const),
      ...subsetsOf(others).map((filter) => ({ ...filter, status: "draft" as const })),
      ...subsetsOf(others).map((filter) => ({ ...filter, status: "cancelled" as const })),
    ];
    expect(all).toHaveLength(2 ** 8 + 2 * 2 ** 6);
    for (const filter of sampleOf("filters on documents", nth, all)) {
      const { total } = (await company.documents.list({ ...filter, limit: 1 })).pagination;
      for (const offset of [0, total - 1]) {
        const statements = await sentBy(() => company.documents.list({ ...filter, limit: 1, offset }));
        const order = offset === 0 ? "desc" : "asc";
        const page = statements.filter((sql) => sql.includes(`order by "issue_date" ${order}, "`));
        expect(page).toHaveLength(1);
        yield { filter, statements, plan: planOf(raw, page[0] as string), ...wantedFor(filter) };
      }
    }
  }

  /**
   * The table whose index finds a page, and what it is searched by: the filter that finds fewest rows, and the dates.
   */
  function wantedFor(filter: Partial<Record<string, string>>) {
    const isFew = filter.status === "draft" || filter.status === "cancelled";
    const names = ["external_id", "customer_id", "payment_status", ...(isFew ? ["status"] : ["series_id", "doc_type"])];
    const [narrowest] = names.filter((name) => filter[name]);
    const columns = [
      "company_id=?",
      ...(narrowest ? [`${narrowest}=?`] : []),
      ...(filter.from ? ["issue_date>?"] : []),
      ...(filter.to ? ["issue_date<?"] : []),
    ];
    return { table: narrowest === "payment_status" ? "balances" : "documents", wanted: columns.join(" AND ") };
  }

  test("each combination of filters on documents has an index that finds its rows in order", async () => {
    const watched = await aWatchedInstance(driver);
    for await (const { filter, statements, table, plan, wanted } of documentPlans(watched, 7)) {
      expect(constraintsOn(table, plan), JSON.stringify(filter)).toEqual([wanted]);
      for (const sql of statements) expect(growing(planOf(watched.raw, sql)), sql).toEqual([]);
    }
  });

  test.each([
    "documents_by_date",
    "documents_by_type",
    "documents_by_customer",
    "documents_by_external_id",
    "documents_by_series",
    "documents_unissued",
    "balances_by_status",
  ])("the control: without %s some combination has none", async (index) => {
    const watched = await aWatchedInstance(driver);
    watched.raw.exec(`drop index ${index}`);
    for await (const { table, plan, wanted } of documentPlans(watched, 1)) {
      if (constraintsOn(table, plan)[0] !== wanted) return;
    }
    expect.unreachable();
  });

  test("a number leads to its one document, whatever the other filters", async () => {
    const watched = await aWatchedInstance(driver);
    const { number, customer_id } = await anInvoice(watched.instance);
    for (const [typed, series] of [
      [number as string, /doc_type=\? AND code_folded=\?/],
      ["1", /^company_id=\?$/],
    ] as const) {
      const list = { number: typed, customer_id, payment_status: "unpaid", from: TODAY } as const;
      const statements = await watched.sentBy(() => watched.instance.company.documents.list(list));
      const plans = statements.map((sql) => planOf(watched.raw, sql));
      expect(plans.flatMap((plan) => constraintsOn("documents", plan))).toEqual(["series_id=? AND sequence=?"]);
      expect(plans.flatMap((plan) => constraintsOn("series", plan))).toEqual([expect.stringMatching(series)]);
      expect(plans.flatMap(growing)).toEqual([]);
    }
  });

  test("the documents that reference one, and its history, are found by its id and then sorted", async () => {
    const { instance, raw, sentBy } = await aWatchedInstance(driver);
    const { company } = instance;
    const { id } = await anInvoice(instance);
    const referring = await sentBy(() => company.documents.list({ reference_id: id }));
    expect(referring.flatMap((sql) => constraintsOn("documents", planOf(raw, sql)))).toEqual(["id=?"]);
    const history = (await sentBy(() => company.events.list({ resource_id: id }))).filter((sql) =>
      /"events"/.test(sql),
    );
    expect(history).toHaveLength(2);
    for (const sql of history) {
      expect(constraintsOn("events", planOf(raw, sql))).toEqual(Array(5).fill("resource_id=?"));
    }
  });

  test("what became of quotations is one statement for a page, by the index of references, and none without them", async () => {
    const { instance, raw, sentBy } = await aWatchedInstance(driver);
    const { company } = instance;
    const invoicing = (statements: readonly string[]) => statements.filter((sql) => sql.includes('as "invoice"'));
    const lists = [{}, { doc_type: "OR" }, { status: "issued", doc_type: "OR" }] as const;
    await anInvoice(instance);
    await aDraft(instance, { doc_type: "OR" });
    for (const filter of lists) expect(invoicing(await sentBy(() => company.documents.list(filter)))).toEqual([]);
    const { id } = await anInvoice(instance);
    expect(invoicing(await sentBy(() => company.documents.get({ id })))).toEqual([]);
    for (let i = 0; i < 3; i++) {
      const { id: document_id, customer_id } = await anInvoice(instance, { doc_type: "OR" });
      await anInvoice(instance, { customer_id, references: [{ document_id }] });
    }
    for (const filter of lists) {
      const found = invoicing(await sentBy(() => company.documents.list(filter)));
      expect(found).toHaveLength(1);
      const plan = planOf(raw, found[0] as string);
      expect(constraintsOn("reference", plan)).toEqual(["referenced_id=?"]);
      expect(constraintsOn("invoice", plan)).toEqual(["id=?"]);
      expect(growing(plan)).toEqual([]);
    }
  });

  test("a total is the sum of years, months and days, never a count of rows, unless of one customer or external id", async () => {
    const watched = await aWatchedInstance(driver);
    for await (const { filter, statements } of documentPlans(watched, 7)) {
      const counting = statements.filter((sql) => /\b(?:sum|count)\(/.test(sql));
      expect(counting.length).toBeGreaterThan(0);
      for (const plan of counting.map((sql) => planOf(watched.raw, sql))) {
        if (filter.external_id) {
          // The customer of each document is looked up.
          const index = filter.customer_id ? "INDEX" : "COVERING INDEX";
          expect(plan[0]).toMatch(`SEARCH documents USING ${index} documents_by_external_id `);
        } else if (filter.customer_id) {
          expect(plan[0]).toMatch(/^SEARCH documents USING COVERING INDEX documents_by_customer /);
        } else {
          const constraints = constraintsOn("document_counts", plan);
          for (const constraint of constraints) expect(constraint).toMatch(/^company_id=\? AND grain=\?/);
          expect(constraints.length).toBeGreaterThan(0);
        }
      }
    }
  });

  test("whether a customer has documents is looked up in the index by customer", async () => {
    const watched = await aWatchedInstance(driver);
    const { company, lacre } = watched.instance;
    const { customer_id } = await anInvoice(watched.instance);
    await company.customers.change({ id: customer_id, tax_id: "123456789" });
    await lacre.signer.setCertificate({ certificate_number: 9999 });
    const statements = await watched.sentBy(() =>
      company.customers.change({ id: customer_id, tax_id: "999999990" }).catch(() => undefined),
    );
    const constraints = statements.flatMap((sql) => constraintsOn("documents", planOf(watched.raw, sql)));
    expect(constraints).toEqual(["company_id=? AND customer_id=?"]);
  });
});

describe.each(DRIVERS)("lists of records over $name", (driver) => {
  /** How each statement on a table that a list sends is searched. */
  const searchesOf = async ({ raw, sentBy }: Watched, table: string, work: () => Promise<unknown>) =>
    (await sentBy(work))
      .filter((sql) => sql.includes(`from "${table}"`))
      .map((sql) => {
        const plan = planOf(raw, sql).filter((step) => !step.includes("AUTOMATIC")); // an index made for one statement
        return constraintsOn(table, plan).join();
      });

  const VALUES = [
    ["customers", "external_id", "ana"],
    ["customers", "tax_id", "501964843"],
    ["products", "external_id", "pao"],
    ["products", "sku", "PAO"],
    ["products", "till_number", 17],
  ] as const;

  async function aWatchedShop(): Promise<Watched> {
    const watched = await aWatchedInstance(driver);
    const { instance } = watched;
    for (let i = 0; i < 3; i++) await aCustomer(instance, { external_id: "ana", tax_id: "501964843" });
    for (let i = 0; i < 3; i++) await aProduct(instance, { external_id: "pao", sku: "PAO", till_number: 17 });
    return watched;
  }

  const listing = (watched: Watched, [table, column, value]: readonly [...(typeof VALUES)[number]]) =>
    searchesOf(watched, table, () => watched.instance.company[table].list({ [column]: value, search: "a" }));

  test.each(VALUES)("%s are found by their %s, and so are those that have it already", async (table, column, value) => {
    const [watched, control] = [await aWatchedShop(), await aWatchedShop()];
    const by = [table, column, value] as (typeof VALUES)[number];
    const wanted = `company_id=? AND ${column}=?`;
    expect(await listing(watched, by)).toEqual([wanted, wanted]);
    const { id } = (await watched.instance.company[table].list()).data[0] ?? { id: "" };
    const change = () => watched.instance.company[table].change({ id, [column]: value });
    expect(await searchesOf(watched, table, change)).toContain(wanted);
    control.raw.exec(`drop index ${table}_by_${column}`);
    expect(await listing(control, by)).not.toContain(wanted);
  });

  test.each(["customers", "products"] as const)(
    "of %s few that changed are found by when, most in order",
    async (table) => {
      const [watched, control] = [await aWatchedShop(), await aWatchedShop()];
      const since = (shop: Watched, limit: number) => {
        const { [table]: group } = shop.instance.company;
        return searchesOf(shop, table, () => group.list({ updated_since: "2026-01-01T00:00:00Z", limit }));
      };
      const byChange = "company_id=? AND updated_at>?";
      expect(await since(watched, 200)).toEqual([byChange, byChange]);
      expect(await since(watched, 1)).toEqual([byChange, "company_id=?"]);
      control.raw.exec(`drop index ${table}_by_update`);
      expect(await since(control, 200)).not.toContain(byChange);
    },
  );

  test("a cursor is a place in the index", async () => {
    const watched = await aWatchedShop();
    const { company } = watched.instance;
    for (let i = 0; i < 3; i++) await aPayment(watched.instance, await anInvoice(watched.instance), 1);
    const today = { from: TODAY, to: TODAY };
    for (const [table, filter, wanted] of [
      ["customers", {}, "company_id=? AND id<?"],
      ["products", {}, "company_id=? AND id<?"],
      ["documents", {}, "company_id=? AND (issue_date,id)<(?,?)"],
      ["documents", { status: "issued", doc_type: "FT" }, "company_id=? AND doc_type=? AND (issue_date,id)<(?,?)"],
      ["payments", {}, "company_id=? AND id<?"],
      ["payments", today, "company_id=? AND payment_date>? AND payment_date<?"],
    ] as const) {
      const list = company[table].list as (input: object) => Promise<{ pagination: { next_cursor: string | null } }>;
      const { next_cursor: cursor } = (await list({ ...filter, limit: 1 })).pagination;
      const statements = await watched.sentBy(() => list({ ...filter, limit: 1, cursor }));
      const plans = statements.map((sql) => planOf(watched.raw, sql));
      expect(
        plans
          .flat()
          .filter((step) => step.startsWith(`SEARCH ${table} `))
          .join(),
      ).toContain(`(${wanted})`);
      expect(plans.flatMap(growing)).toEqual([]);
    }
  });

  test("ids are looked up one by one, and the lines of documents by theirs", async () => {
    const watched = await aWatchedShop();
    const { company } = watched.instance;
    const { id } = await anInvoice(watched.instance);
    for (const table of ["customers", "products", "documents"] as const) {
      expect(await searchesOf(watched, table, () => company[table].list({ ids: [id] }))).toEqual(["id=?"]);
    }
    const lines = await searchesOf(watched, "document_lines", () => company.documents.list({ expand: "lines" }));
    expect(lines).toEqual(["document_id=?", "document_id=?"]);
  });
});

/** Every operation a shop uses in a day. */
async function aDay({ instance }: Watched): Promise<void> {
  const { company, lacre } = instance;
  await lacre.authenticate(TEST_API_KEY);
  const { id: webhook } = await company.webhooks.create({ url: "https://example.com/" });
  const { id: product_id } = await aProduct(instance, { sku: "P1" });
  const customer = await aCustomer(instance);
  const draft = await aDraft(instance, { customer_id: customer.id, lines: [aLine({ product_id })] });
  await company.documents.change({ id: draft.id, lines: [aLine({ product_id }), aLine()] });
  const invoice = await company.documents.issue({ id: draft.id }, { idempotency_key: "one" });
  await company.documents.issue({ id: draft.id }, { idempotency_key: "one" });
  const paid = await anInvoice(instance, { payments: [{ amount: 1, method_code: "NU", payment_date: TODAY }] });
  const payment = await aPayment(instance, invoice, 1);
  await company.payments.list({ document_id: invoice.id });
  await company.payments.list();
  await company.payments.list({ from: TODAY, to: TODAY });
  await company.payments.void({ id: payment.id });
  const credit = await aCreditNote(instance, paid, { lines: [aLine({ qty: 0.1 })] });
  const { customer_id } = invoice;
  await anInvoice(instance, { doc_type: "RC", customer_id, references: [{ document_id: invoice.id }] });
  await company.documents.cancel({ id: credit.id });
  const spare = await aDraft(instance);
  await company.documents.discard({ id: spare.id });
  await company.documents.get({ id: invoice.id });
  await company.documents.list();
  await company.documents.list({ expand: "lines" });
  await company.customers.get({ id: customer.id });
  await company.customers.change({ id: customer.id, name: "Outra" });
  await company.customers.list();
  await company.customers.list({ external_id: "ana" });
  await company.customers.list({ sort: "name" });
  await company.figures.debts();
  await company.figures.debts({ offset: 1 });
  await lacre.signer.setCertificate({ certificate_number: 9999 });
  await expectRefusal(company.customers.change({ id: customer.id, name: "Ana" }), "invalid_state");
  await expectRefusal(company.products.change({ id: product_id, name: "Broa" }), "invalid_state");
  await lacre.signer.setCertificate({ certificate_number: 0 });
  await expectRefusal(lacre.companies.change({ id: instance.company_id, tax_id: "501964843" }), "invalid_state");
  await company.customers.archive({ id: customer.id });
  await company.products.get({ id: product_id });
  await company.products.change({ id: product_id, name: "Broa" });
  await company.products.list();
  await company.products.list({ sort: "name" });
  await company.products.archive({ id: product_id });
  await company.series.list();
  await company.series.get({ id: instance.series.FT });
  await company.events.list();
  await company.events.read({ after: 3 });
  await company.webhooks.list();
  await company.webhooks.change({ id: webhook, description: "Loja" });
  await lacre.webhooks.due();
  for (const { delivery_id, attempt } of await company.webhooks.take({ id: webhook, most: 3 })) {
    const settled = { id: webhook, delivery_id, attempt, error: null, duration_ms: 1 };
    await company.webhooks.settle({ ...settled, outcome: "delivered", status: 204 });
    await company.webhooks.redeliver({ id: delivery_id });
  }
  for (const status of [undefined, "waiting", "delivered"] as const) {
    await company.webhooks.listDeliveries({ id: webhook, ...(status && { status }) });
  }
  await company.webhooks.test({ id: webhook });
  await company.webhooks.delete({ id: webhook });
  await company.figures.get();
  await company.saft.markCommunicated({ month: TODAY.slice(0, 7) });
  await company.saft.listCommunications();
  await company.me.get();
}

describe.each(DRIVERS)("over $name", (driver) => {
  const slowSteps = async (watched: Watched): Promise<string[]> => {
    const statements = await watched.sentBy(() => aDay(watched));
    expect(statements.length).toBeGreaterThan(50);
    return statements.flatMap((sql) => growing(planOf(watched.raw, sql)).map((step) => `${step}: ${sql}`));
  };

  test("no everyday statement scans a table or sorts rows", async () => {
    expect(await slowSteps(await aWatchedInstance(driver))).toEqual([]);
  });

  test.each([
    "customers_by_company",
    "customers_by_name",
    "products_by_company",
    "products_by_name",
    "series_by_company",
    "documents_by_date",
    "document_lines_by_product",
    "document_references_by_referenced",
    "document_lines_by_reference",
    "payments_by_document",
    "payments_by_company",
    "payments_by_date",
    "events_by_company",
    "idempotency_keys_by_expiry",
    "balances_open",
    "balances_in_favour",
    "customer_debts_by_size",
    "communications_by_company",
    "deliveries_due",
    "deliveries_ended",
  ])("the control: without %s, some statement does", async (index) => {
    const watched = await aWatchedInstance(driver);
    watched.raw.exec(`drop index ${index}`);
    expect(await slowSteps(watched)).not.toEqual([]);
  });

  /** How the statements of a morning's reminders are read. */
  async function reminding(watched: Watched) {
    const { instance, raw, sentBy } = watched;
    await instance.company.mail.change({ reminders: { days: [3, 10] } });
    for (const days of [1, 2, 3]) await anInvoiceDue(instance, days);
    await morning(instance, 4);
    instance.travel(`${inDays(5)}T09:00:00.000Z`);
    const statements = await sentBy(() => sendAll(instance));
    const found = statements.filter((sql) => sql.includes(`order by "documents"."due_date"`));
    expect(found).toHaveLength(1);
    const plans = statements.map((sql) => planOf(raw, sql));
    return { first: planOf(raw, String(found[0]))[0], slow: plans.flatMap(growing) };
  }

  test("what fell due is found by its day, and nothing grows with the documents of a company", async () => {
    const watched = await aWatchedInstance(driver, { mailSender: aMailbox() });
    const first = "SEARCH documents USING INDEX documents_due (company_id=? AND (due_date,id)>(?,?) AND due_date<?)";
    // a row for each company
    expect(await reminding(watched)).toEqual({ first, slow: ["SCAN company_mail"] });
  });

  test("the control: without the index by day, all documents of a company are read", async () => {
    const watched = await aWatchedInstance(driver, { mailSender: aMailbox() });
    watched.raw.exec("drop index documents_due");
    expect((await reminding(watched)).slow).not.toEqual(["SCAN company_mail"]);
  });

  test("the payments of a document are found by its id", async () => {
    const watched = await aWatchedInstance(driver);
    const { company } = watched.instance;
    const { id } = await anInvoice(watched.instance, {
      payments: [{ amount: 1, method_code: "NU", payment_date: TODAY }],
    });
    const statements = await watched.sentBy(() => company.payments.list({ document_id: id }));
    const constraints = statements.flatMap((sql) => constraintsOn("payments", planOf(watched.raw, sql)));
    expect(constraints).toEqual(Array(2).fill("document_id=? AND company_id=?"));
  });

  test.each([
    [{ from: TODAY }, "payment_date>?"],
    [{ to: TODAY }, "payment_date<?"],
    [{ from: TODAY, to: TODAY }, "payment_date>? AND payment_date<?"],
  ])("the payments of %o are found, counted and ordered by the day, from either end", async (period, range) => {
    const { instance, raw, sentBy } = await aWatchedInstance(driver);
    const { company } = instance;
    const invoice = await anInvoice(instance);
    for (let amount = 1; amount <= 4; amount++) await aPayment(instance, invoice, amount);
    for (const offset of [0, 3]) {
      const statements = await sentBy(() => company.payments.list({ ...period, limit: 1, offset }));
      const constraints = statements.flatMap((sql) => constraintsOn("payments", planOf(raw, sql)));
      expect(constraints).toEqual(Array(2).fill(`company_id=? AND ${range}`));
      const [counting = ""] = statements.filter((sql) => /\bcount\(/.test(sql));
      expect(planOf(raw, counting)[0]).toMatch(/^SEARCH payments USING COVERING INDEX payments_by_date /);
      expect(statements.flatMap((sql) => growing(planOf(raw, sql)))).toEqual([]);
    }
  });

  test("the payments of a document in a period are found by its id and then sorted", async () => {
    const { instance, raw, sentBy } = await aWatchedInstance(driver);
    const invoice = await anInvoice(instance);
    await aPayment(instance, invoice, 1);
    for (const period of [{ from: TODAY }, { to: TODAY }, { from: TODAY, to: TODAY }]) {
      const statements = await sentBy(() => instance.company.payments.list({ document_id: invoice.id, ...period }));
      const constraints = statements.flatMap((sql) => constraintsOn("payments", planOf(raw, sql)));
      expect(constraints).toEqual(Array(2).fill("document_id=?"));
    }
  });

  /** How the customers of an external id are counted and read, from either end. */
  async function plansOfExternalId({ instance, raw, sentBy }: Watched): Promise<string[][]> {
    const { company } = instance;
    for (let i = 0; i < 4; i++) await aCustomer(instance, { external_id: "shop-7" });
    const plans = [];
    for (const filter of [{}, { search: "a" }]) {
      for (const offset of [0, 3]) {
        const list = { ...filter, external_id: "shop-7", limit: 1, offset };
        for (const sql of await sentBy(() => company.customers.list(list))) plans.push(planOf(raw, sql));
      }
    }
    return plans;
  }

  test("the customers of an external id are found, counted and ordered by it, from either end", async () => {
    const plans = await plansOfExternalId(await aWatchedInstance(driver));
    const found = plans.flatMap((plan) => constraintsOn("customers", plan));
    expect(found).toEqual(Array(8).fill("company_id=? AND external_id=?"));
    expect(plans.flatMap(growing)).toEqual([]);
  });

  test("the control: without customers_by_external_id they are not", async () => {
    const watched = await aWatchedInstance(driver);
    watched.raw.exec("drop index customers_by_external_id");
    const plans = await plansOfExternalId(watched);
    expect(plans.flatMap((plan) => constraintsOn("customers", plan))).toEqual(Array(8).fill("company_id=?"));
  });

  test("customers of an external id that are listed by name are found by it, and then sorted", async () => {
    const { instance, raw, sentBy } = await aWatchedInstance(driver);
    await aCustomer(instance, { external_id: "shop-7" });
    const list = { external_id: "shop-7", sort: "name" } as const;
    const statements = await sentBy(() => instance.company.customers.list(list));
    const found = statements.flatMap((sql) => constraintsOn("customers", planOf(raw, sql)));
    expect(found).toEqual(Array(2).fill("company_id=? AND external_id=?"));
  });

  test("documents of a total are found in the index by date, and those of a product by it, the newest first", async () => {
    const { instance, raw, sentBy } = await aWatchedInstance(driver);
    const { company } = instance;
    const { id: product_id } = await aProduct(instance, { name: "Café" });
    await anInvoice(instance, { lines: [aLine({ product_id })] });
    for (const [search, filter, index] of [
      ["123,00", {}, /^SEARCH documents USING COVERING INDEX documents_by_date \(company_id=\?\)$/],
      [
        "123,00",
        { from: TODAY, to: TODAY },
        /^SEARCH documents USING COVERING INDEX documents_by_date \(.*>\? AND .*<\?\)$/,
      ],
      ["café", {}, /^SEARCH document_lines USING COVERING INDEX document_lines_by_product \(product_id=\?\)$/],
    ] as const) {
      const statements = await sentBy(() => company.documents.search({ search, ...filter }));
      const plans = statements.map((sql) => planOf(raw, sql));
      expect(plans.filter(([first = ""]) => index.test(first))).toHaveLength(1);
      for (const plan of plans.filter(([first = ""]) => index.test(first))) expect(growing(plan)).toEqual([]);
    }
  });

  test("a customer's debts and last payments are found by the customer, and then sorted", async () => {
    const { instance, raw, sentBy } = await aWatchedInstance(driver);
    const invoice = await anInvoice(instance);
    await aPayment(instance, invoice, 1);
    const statements = await sentBy(() => instance.company.figures.customer({ id: invoice.customer_id }));
    const constraints = (table: string) => statements.flatMap((sql) => constraintsOn(table, planOf(raw, sql)));
    expect(constraints("customer_debts")).toEqual(["company_id=? AND customer_id=?"]);
    expect(constraints("balances")).toContain("customer_id=?");
    expect(constraints("payments")).toEqual(["document_id=?"]);
    expect(constraints("documents")).toContain("company_id=? AND customer_id=?");
    const inFavour = statements.find((sql) => /outstanding_cents" < 0|< 0/.test(sql)) ?? "";
    expect(planOf(raw, inFavour)).toEqual(["SEARCH balances USING COVERING INDEX balances_in_favour (company_id=?)"]);
  });

  test("a customer's statement reads that customer's documents and what was paid on them", async () => {
    const { instance, raw, sentBy } = await aWatchedInstance(driver);
    const invoice = await anInvoice(instance);
    await aPayment(instance, invoice, 1);
    const asked = { id: invoice.customer_id, from: TODAY, to: TODAY };
    const sent = () => sentBy(() => instance.company.customers.statement(asked));
    const statements = await sent();
    const constraints = (table: string) => statements.flatMap((sql) => constraintsOn(table, planOf(raw, sql)));
    const scans = (sql: string) => planOf(raw, sql).filter((step) => /^SCAN/.test(step));
    expect(statements.flatMap(scans)).toEqual([]);
    expect(constraints("documents").length).toBeGreaterThanOrEqual(6);
    for (const terms of constraints("documents")) expect(terms).toMatch(/^company_id=\? AND customer_id=\?/);
    for (const terms of constraints("payments")) expect(terms).toMatch(/^document_id=\?/);
    const used = /^SEARCH documents USING (?:COVERING )?INDEX (\w+) /;
    const indexes = statements.flatMap((sql) => planOf(raw, sql).flatMap((step) => used.exec(step)?.[1] ?? []));
    expect(new Set(indexes)).toEqual(new Set(["documents_by_customer"]));
  });

  test("the takings of a day read that day's payments", async () => {
    const { instance, raw, sentBy } = await aWatchedInstance(driver);
    await anInvoice(instance, { payments: [{ amount: 1, method_code: "NU", payment_date: TODAY }] });
    const statements = await sentBy(() => instance.company.payments.takings());
    const constraints = (table: string) => statements.flatMap((sql) => constraintsOn(table, planOf(raw, sql)));
    expect(constraints("payments").filter((terms) => terms !== "document_id=?")).toEqual(
      Array(2).fill("company_id=? AND payment_date=?"),
    );
    expect(constraints("documents")).toHaveLength(1);
    expect(constraints("documents")[0]).toMatch(/issue_date=\?/);
  });

  test("a search with few matches reads and sorts only those rows", async () => {
    const watched = await aWatchedInstance(driver);
    const { company } = watched.instance;
    for (let i = 0; i < 40; i++) await aCustomer(watched.instance, { name: `Cliente ${i}` });
    for (const search of ["7", "17", "te 17", "cliente 17"]) {
      const statements = await watched.sentBy(() => company.customers.list({ search, limit: 1 }));
      const read = statements.map((sql) => planOf(watched.raw, sql)).filter((plan) => /customer/.test(plan.join()));
      expect(read.length).toBeGreaterThanOrEqual(2);
      for (const plan of read) expect(plan.join()).toMatch(/SCAN customer_search VIRTUAL TABLE INDEX 0:M/);
      expect(read.at(-1)?.[1]).toMatch(/^SEARCH customers USING INTEGER PRIMARY KEY \(rowid=\?\)$/);
    }
  });
});
