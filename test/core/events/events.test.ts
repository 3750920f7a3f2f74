import type { Permission } from "lacre";
import { describe, expect, test } from "vitest";
import { cancelDocument } from "../../../src/core/documents/cancel.ts";
import { issueDocument } from "../../../src/core/documents/issue.ts";
import { listEvents } from "../../../src/core/events/events.ts";
import { DATABASES } from "../../support/databases.ts";
import { NOW, TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCustomer, aDraft, anInvoice, aPayment, aProduct, aSeries } from "../../support/factories.ts";
import { aCompany, anInstallation, anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

describe.each(DATABASES)("the record of events over $name", (driver) => {
  test("lists each action and its resource, newest first", async () => {
    const instance = await anInstance(driver);
    const { company, lacre, company_id } = instance;
    const before = (await company.events.list({ limit: 200 })).pagination.total;
    const customer = await aCustomer(instance);
    await company.customers.change({ id: customer.id, city: "Porto" });
    const product = await aProduct(instance);
    await company.products.change({ id: product.id, stock: 1 });
    await company.products.archive({ id: product.id });
    const series = await aSeries(instance);
    await company.series.change({ id: series.id, validation_code: "ABCD1234" });
    const draft = await aDraft(instance, { customer_id: customer.id });
    await company.documents.change({ id: draft.id, notes: "x" });
    await company.documents.issue({ id: draft.id });
    const payment = await aPayment(instance, draft, 1);
    await company.payments.void({ id: payment.id });
    await company.documents.cancel({ id: draft.id, reason: "engano" });
    const other = await aDraft(instance, { customer_id: customer.id });
    await company.documents.discard({ id: other.id });
    await company.series.change({ id: series.id, status: "closed" });
    await company.customers.archive({ id: customer.id });
    await lacre.companies.change({ id: company_id, city: "Lisboa" });
    const { data, pagination } = await company.events.list({ limit: 200 });
    const told = data.slice(0, pagination.total - before).map(({ action, resource_id }) => [action, resource_id]);
    expect(told.reverse()).toEqual([
      ["actor.created", expect.any(String)],
      ["customer.created", customer.id],
      ["customer.changed", customer.id],
      ["product.created", product.id],
      ["product.changed", product.id],
      ["product.archived", product.id],
      ["series.opened", series.id],
      ["series.registered", series.id],
      ["document.drafted", draft.id],
      ["document.changed", draft.id],
      ["document.issued", draft.id],
      ["payment.recorded", payment.id],
      ["payment.voided", payment.id],
      ["document.cancelled", draft.id],
      ["document.drafted", other.id],
      ["document.discarded", other.id],
      ["series.closed", series.id],
      ["customer.archived", customer.id],
      ["company.changed", company_id],
    ]);
    expect(data.find(({ action }) => action === "document.cancelled")?.detail).toEqual({
      number: "FT 2026A/1",
      reason: "engano",
    });
    expect(data.find(({ action }) => action === "document.issued")?.detail).toEqual({ number: "FT 2026A/1" });
    expect(data.find(({ action }) => action === "customer.changed")?.detail).toEqual({ fields: ["city"] });
  });

  test("an event has its time and its actor: the key, or the host program", async () => {
    const instance = await anInstance(driver);
    const { company, lacre, api_key } = instance;
    const caller = await lacre.authenticate(api_key);
    const { id } = await aDraft(instance);
    instance.wait(1_000);
    await lacre.run(caller, issueDocument, { id });
    instance.wait(1_000);
    await lacre.run(caller, cancelDocument, { id });
    const { data } = await company.events.list({ limit: 4 });
    const host = { id: expect.any(String), kind: "host", code: "H1", name: "Lacre" };
    expect(data.map(({ action, actor, at }) => [action, actor, at])).toEqual([
      ["document.cancelled", caller.actor, "2026-11-21T10:31:09.482Z"],
      ["document.issued", caller.actor, "2026-11-21T10:31:08.482Z"],
      ["document.drafted", host, NOW],
      ["customer.created", host, NOW],
    ]);
  });

  test("of one resource: a document's history holds its payments, voided ones too", async () => {
    const instance = await anInstance(driver);
    const { company, lacre } = instance;
    const [invoice, other] = [await anInvoice(instance), await anInvoice(instance)];
    const payment = await aPayment(instance, invoice, 1);
    await aPayment(instance, other, 1);
    await company.payments.void({ id: payment.id });
    const { data, pagination } = await company.events.list({ resource_id: invoice.id });
    expect(data.map(({ action, resource_id }) => [action, resource_id])).toEqual([
      ["payment.voided", payment.id],
      ["payment.recorded", payment.id],
      ["document.issued", invoice.id],
    ]);
    expect(pagination.total).toBe(3);
    const page = await company.events.list({ resource_id: invoice.id, limit: 1, offset: 1 });
    expect(page.data.map(({ action }) => action)).toEqual(["payment.recorded"]);
    const stranger = await aCompany(lacre);
    expect((await stranger.company.events.list({ resource_id: invoice.id })).pagination.total).toBe(0);
  });

  test("begins with the company, its series and its keys", async () => {
    const { company } = await anInstance(driver);
    const { data } = await company.events.list({ limit: 200 });
    expect(data.at(-1)?.action).toBe("company.created");
    expect(data.filter(({ action }) => action === "series.opened")).toHaveLength(10);
    expect(data[0]).toMatchObject({ action: "key.created", detail: { name: "test" } });
  });

  test("leaves out refusals, replays and reads", async () => {
    const instance = await anInstance(driver);
    const { company, series } = instance;
    const { id } = await anInvoice(instance);
    const options = { idempotency_key: "a" };
    await company.customers.create({ name: "Ana" }, options);
    const before = await company.events.list();
    await company.customers.create({ name: "Ana" }, options);
    await expectRefusal(company.documents.issue({ id }), "invalid_state");
    await expectRefusal(anInvoice(instance, { customer_id: id, issue_date: TODAY }), "invalid_request");
    await company.series.change({ id: series.FT });
    await company.documents.list();
    await company.series.verify();
    expect(await company.events.list()).toEqual(before);
  });

  test("is separate for each company", async () => {
    const lacre = await anInstallation(driver);
    const [one, two] = [await aCompany(lacre), await aCompany(lacre)];
    const before = await two.company.events.list({ limit: 200 });
    await anInvoice(one);
    expect(await two.company.events.list({ limit: 200 })).toEqual(before);
  });

  test("is open to whoever reads events; a document's history is open to whoever reads documents, and nothing else is", async () => {
    const instance = await anInstance(driver);
    const { lacre, company, company_id } = instance;
    const draft = await aDraft(instance);
    await aPayment(instance, await anInvoice(instance), 1);
    const { data } = await company.events.list({ limit: 200 });
    const run = async (scopes: Permission[], input: object = {}) => {
      const { api_key } = await lacre.keys.create({ company_id, name: "k", scopes });
      return (await lacre.run(await lacre.authenticate(api_key), listEvents, input)).value.data;
    };
    expect((await run(["documents:read", "events:read"])).length).toBeGreaterThan(0);
    await expectRefusal(run(["payments:read"]), "forbidden", "documents:read");
    await expectRefusal(run(["documents:read"]), "forbidden", "events:read");
    for (const resource_id of new Set([...data.map((event) => event.resource_id), draft.id, UNKNOWN_ID])) {
      const of = data.filter((event) => event.resource_id === resource_id);
      const reading = run(["documents:read"], { resource_id });
      if (of.some(({ action }) => action.startsWith("document."))) expect((await reading).length).toBeGreaterThan(0);
      else await expectRefusal(reading, "forbidden", "events:read");
    }
  });
});
