/** A test of a host program that fakes the global timers must not stop Lacre. */

import { mock } from "node:test";
import { afterEach, expect, test, vi } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { anInvoice } from "../../support/factories.ts";
import { anInstanceOnFile } from "../../support/instance.ts";

afterEach(() => {
  vi.useRealTimers();
  mock.timers.reset();
});

const FAKES: Readonly<Record<string, () => void>> = {
  "vi.useFakeTimers()": () => void vi.useFakeTimers(),
  "mock.timers": () => mock.timers.enable(),
};

test.each(Object.entries(FAKES))("Lacre reads, writes, signs and closes under %s", async (_, fake) => {
  for (const driver of DATABASES) {
    const instance = await anInstanceOnFile(driver);
    fake();
    const started = new Promise((resolve) => setImmediate(resolve)); // the control: this one never comes
    const { number } = await anInvoice(instance);
    expect(number).toBe("FT 2026A/1");
    await Promise.all(Array.from({ length: 8 }, () => instance.company.customers.create({ name: "Ana" })));
    await instance.lacre.close();
    expect(await Promise.race([started.then(() => "came"), Promise.resolve("never")])).toBe("never");
    vi.useRealTimers();
    mock.timers.reset();
  }
});
