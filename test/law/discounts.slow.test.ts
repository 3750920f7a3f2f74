/**
 * Baskets with discounts of an amount: totals and lines are those of a program written from the rule alone in another
 * language, no cent is lost of what is taken off, and checkers that were not written with Lacre are silent.
 */
import { execFileSync } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { checkSaft } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { expect, test } from "vitest";
import { computeLines, computeTotals } from "../../src/core/fiscal/computed-totals.ts";
import { aBasket, type Basket, cents } from "../support/baskets.ts";
import { chanceOf } from "../support/chance.ts";
import { DATABASE } from "../support/databases.ts";
import { aCustomer, anInvoice } from "../support/factories.ts";
import { openInstance } from "../support/instance.ts";
import { bytesOf, mustBeValid } from "../support/saft.ts";
import { certify } from "../support/strict-month.ts";

/** `npm run test:long` issues all of them. */
const SALES = 200 * Number(process.env.LACRE_LONG ?? 1);
const BASKETS = 20_000;
const RATES = [23, 23, 13, 6, 0];

/** Debian's Python: its packages are of fixed versions. */
const PYTHON = "/usr/bin/python3";
const run = (script: string, given: readonly string[], input = "") =>
  execFileSync(PYTHON, [`test/law/checkers/${script}`, ...given], { encoding: "utf8", input, maxBuffer: 2 ** 30 });

const chance = chanceOf(Number(process.env.LACRE_SEED ?? Date.now()) % 2 ** 32);

const isGiven = (module: string) => {
  try {
    execFileSync(PYTHON, ["-c", `import ${module}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** A document as the program in the other language computes it. */
interface Told {
  readonly totals: readonly [net: number, tax: number, gross: number];
  readonly groups: readonly (readonly [rate: number, net: number, tax: number])[];
  readonly lines: readonly (readonly number[])[];
}

const told = (baskets: readonly Basket[]): Told[] =>
  JSON.parse(run("discounts.py", [], JSON.stringify(baskets.map(({ basket }) => basket)))) as Told[];

/** The same from the library. */
function ours({ basket }: Basket): Told {
  const { total_net, total_tax, total_gross, groups } = computeTotals(basket);
  const micros = (eur: number) => Math.round(eur * 1e6);
  return {
    totals: [cents(total_net), cents(total_tax), cents(total_gross)],
    groups: groups.map(({ tax_rate, net, tax }) => [tax_rate, cents(net), cents(tax)]),
    lines: computeLines(basket).map(({ amount, net, discount, global_share }) =>
      [amount, net, discount, global_share].map(micros),
    ),
  };
}

test(`${BASKETS} baskets come to what the rule says in another language (seed ${chance.seed})`, () => {
  const baskets = Array.from({ length: BASKETS }, () => aBasket(chance, RATES, 6));
  for (const [i, theirs] of told(baskets).entries()) {
    const basket = baskets[i] as Basket;
    expect(ours(basket), `basket ${i} of seed ${chance.seed}: ${JSON.stringify(basket.basket)}`).toEqual(theirs);
  }
});

test(`control: a cent less off one basket is found`, () => {
  const lines = [{ qty: 2, unit_price_net: 10, tax_rate: 23 }];
  const less = (global_discount_amount: number): Basket => ({
    ...{ basket: { lines, global_discount_amount }, before: { lines }, off_cents: 500, isGross: false },
  });
  expect(ours(less(5))).toEqual(told([less(5)])[0]);
  expect(ours(less(5))).not.toEqual(told([less(4.99)])[0]);
});

test(`${SALES} sales lose no cent, and the checkers of their file find nothing (seed ${chance.seed})`, async () => {
  const directory = mkdtempSync(join(tmpdir(), "lacre-discounts-"));
  const path = (name: string) => join(directory, name);
  const home = await openInstance(DATABASE, { at: "2026-11-21T08:00:00Z" });
  try {
    await certify(home);
    const customer_id = (await aCustomer(home, { address: "Rua Direita, 1", city: "Lisboa", postal_code: "1100-148" }))
      .id;
    for (let at = 0; at < SALES; at++) {
      const { basket, before, off_cents, isGross } = aBasket(chance, RATES, 8);
      const lines = basket.lines.map((line) => ({
        ...{ description: "Pão", ...line, ...(line.tax_rate === 0 && { exemption_code: "M07" }) },
      }));
      if (computeTotals(basket).total_gross === 0) continue; // Only what is free may come to nothing.
      const sale = await anInvoice(home, { customer_id, ...basket, lines });
      const full = computeTotals(before);
      const off = isGross
        ? cents(full.total_gross) - cents(sale.total_gross)
        : cents(full.total_net) - cents(sale.total_net);
      expect(off, `sale ${at} of seed ${chance.seed}: ${JSON.stringify(basket)}`).toBe(off_cents);
    }
    const { file } = await home.company.saft.export({ from: "2026-11-01", to: "2026-11-30" });
    const bytes = await bytesOf(file);
    mustBeValid(bytes);
    const public_key = createPublicKey(TEST_SIGNING_KEY).export({ type: "spki", format: "pem" }).toString();
    const open = async function* () {
      yield bytes;
    };
    expect(await checkSaft(open, { public_key })).toMatchObject({ errors: [], warnings: [] });
    writeFileSync(path("file.xml"), bytes);
    writeFileSync(path("key.pem"), public_key);
    expect(run("cold.py", [path("file.xml"), path("key.pem")])).toMatch(/^\d+\n$/);
    if (isGiven("xmlschema")) {
      writeFileSync(path("schema.xsd"), gunzipSync(readFileSync("test/core/saft/samples/SAFTPT1.04_01.xsd.gz")));
      expect(run("schema11.py", [path("schema.xsd"), path("file.xml")])).toBe("");
    }
    expect(await home.company.series.verify()).toMatchObject({ whole: true });
  } finally {
    await home.lacre.close();
    rmSync(directory, { recursive: true });
  }
});
