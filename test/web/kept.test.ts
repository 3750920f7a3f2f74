/** What of a document that is written would be lost: compared with what was saved, and kept over a reload. */
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { Company, Customer } from "../../src/core/face.ts";
import type * as Kept from "../../src/web/document/kept.ts";
import type * as Lines from "../../src/web/document/line.ts";
import type * as Writings from "../../src/web/document/writing.ts";
import type * as Prices from "../../src/web/prices.ts";
import { day } from "../support/days.ts";
import { ownStore } from "./support/store.ts";

let kept: typeof Kept;
let lines: typeof Lines;
let writings: typeof Writings;
let prices: typeof Prices;
let writing: Writings.Writing;

beforeAll(async () => {
  ownStore();
  kept = await import("../../src/web/document/kept.ts");
  lines = await import("../../src/web/document/line.ts");
  writings = await import("../../src/web/document/writing.ts");
  prices = await import("../../src/web/prices.ts");
});

const company = { address: "Rua da Prata 1", postal_code: "1100-052", city: "Lisboa" } as Company;
const begin = () => writings.newWriting(company, "GT", day("2026-11-21"));

beforeEach(() => {
  writing = begin();
  const start = { description: "Mesa", qty: 1, price: { value: 250, withVat: false }, tax_rate: 23 };
  writing.lines.value = [lines.newLine(start)];
});

const CHANGES: Readonly<Record<string, (writing: Writings.Writing) => void>> = {
  "the date": ({ issue_date }) => {
    issue_date.value = "2026-11-20";
  },
  "the due date": ({ due_date }) => {
    due_date.value = "2026-12-20";
  },
  "the last day of a quotation": ({ valid_until }) => {
    valid_until.value = "2026-12-20";
  },
  "the series": ({ series_id }) => {
    series_id.value = "another";
  },
  "the payments": ({ payments }) => {
    payments.value = [{ method_code: "NU", amount: 1 }];
  },
  "whether goods travel": ({ transport }) => {
    transport.travels.value = true;
  },
  "the licence plate": ({ transport }) => {
    transport.vehicle.value = "AA-11-BB";
  },
  "a place": ({ transport }) => {
    transport.to.city.value = "Faro";
  },
  "a price": ({
    lines: {
      value: [line],
    },
  }) => {
    if (line) line.typedPrice.value = { text: "9", withVat: true, rate: 23 };
  },
};

test.each(Object.entries(CHANGES))("who changed only %s has something to lose, and finds it again", (_, change) => {
  const before = kept.snapshotOf(writing);
  change(writing);
  const after = kept.snapshotOf(writing);
  expect(after).not.toBe(before);
  kept.keepWriting(kept.keptAs(), "type=GT", writing);
  const again = begin();
  expect(kept.takeUpWriting(again, "type=GT")).toBe(true);
  expect(kept.snapshotOf(again)).toBe(after);
});

test("what the page does by itself is nothing to lose: prices shown the other way, places filled from the parties", () => {
  const before = kept.snapshotOf(writing);
  prices.pricesWithVat.value = !prices.pricesWithVat.value;
  writings.fillPlaces(writing);
  expect(writing.transport.from.city.value).toBe("Lisboa");
  expect(kept.snapshotOf(writing)).toBe(before);
});

test("a customer whose record was corrected is still the same customer of the document", () => {
  writing.customer.value = { id: "c", name: "Ana" } as Customer;
  const before = kept.snapshotOf(writing);
  writing.customer.value = { id: "c", name: "Ana Sá" } as Customer;
  expect(kept.snapshotOf(writing)).toBe(before);
});
