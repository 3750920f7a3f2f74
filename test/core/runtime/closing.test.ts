/** `close()` waits for calls under way; later ones are refused in words, never with an error of the database's. */
import { LacreError } from "lacre";
import { describe, expect, test } from "vitest";
import { createClosing } from "../../../src/core/runtime/closing.ts";
import { DATABASES } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { anInvoice, invoiceInput } from "../../support/factories.ts";
import { anInstallation, anInstanceOnFile, openInstance } from "../../support/instance.ts";
import { aPrivateKey, publicHalfOf } from "../../support/keys.ts";

/** What came of a call: done, or the code of its refusal; any other error is shown whole. */
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "done",
    (error) => (error instanceof LacreError ? error.code : String(error)),
  );

describe.each(DATABASES)("closing over $name", (driver) => {
  test("calls under way end as usual, and later ones are refused", async () => {
    const instance = await anInstanceOnFile(driver);
    const { lacre, company, api_key } = instance;
    const input = await invoiceInput(instance, { issue: true });
    const underWay = [
      ...Array.from({ length: 20 }, () => company.documents.create(input)),
      ...Array.from({ length: 20 }, () => company.customers.list()),
      lacre.authenticate(api_key),
    ].map(outcome);
    const closed = lacre.close();
    const late = [
      company.customers.create({ name: "Ana" }),
      company.customers.list(),
      lacre.as(instance.company_id).me.get(),
      lacre.companies.list(),
      lacre.authenticate(api_key),
    ].map(outcome);
    expect(new Set(await Promise.all(late))).toEqual(new Set(["unavailable"]));
    await closed;
    expect(new Set(await Promise.all(underWay))).toEqual(new Set(["done"]));
    expect(await outcome(company.customers.list())).toBe("unavailable");
    expect(await lacre.isReady()).toBe(false);
    await lacre.close(); // again
  });

  test("a call that takes too long is given up: it issues nothing, and is refused in words", async () => {
    const { promise: signature, resolve: sign } = Promise.withResolvers<string>();
    const signer = { key_version: 1, public_key: publicHalfOf(aPrivateKey()), sign: () => signature };
    const instance = await anInstanceOnFile(driver, { signer, timer: () => () => {} });
    const waiting = outcome(anInvoice(instance));
    await instance.company.series.list();
    await instance.lacre.close({ timeoutMs: 50 });
    sign("too late");
    expect(await waiting).toBe("unavailable");
    const again = (await anInstallation(driver, { file: instance.file, signer })).as(instance.company_id);
    expect((await again.documents.list({ status: "issued" })).pagination.total).toBe(0);
  });

  test("a file that is being read ends with a refusal", async () => {
    const instance = await anInstanceOnFile(driver);
    await anInvoice(instance);
    const { file } = await instance.company.saft.export({ from: TODAY, to: TODAY });
    const reading = file[Symbol.asyncIterator]();
    expect((await reading.next()).done).toBe(false);
    await instance.lacre.close();
    const rest = async () => {
      while (!(await reading.next()).done);
    };
    expect(await outcome(rest())).toBe("unavailable");
    expect(await outcome(file[Symbol.asyncIterator]().next())).toBe("unavailable");
  });

  test("`await using` closes it", async () => {
    const { lacre } = await openInstance(driver);
    await lacre[Symbol.asyncDispose]();
    expect(await outcome(lacre.companies.list())).toBe("unavailable");
  });
});

test("an error of the closed connection becomes a refusal; an earlier error, and the call's own refusal, stay as they are", async () => {
  const closing = createClosing();
  const { promise, reject } = Promise.withResolvers<never>();
  const failing = outcome(closing.during(() => promise));
  expect(await outcome(closing.during(() => Promise.reject(new TypeError("a bug"))))).toBe("TypeError: a bug");
  await closing.begin(10);
  reject(new TypeError("The database connection is not open"));
  expect(await failing).toBe("unavailable");
});
