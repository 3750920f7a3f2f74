/** A year of documents for tests: what it holds, and that it is the same for the same seed. */
import { archiveLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { fixtures, openInMemory } from "lacre/testing";
import { expect, onTestFinished, test } from "vitest";
import { aFile } from "../support/instance.ts";

async function aYear(seed: number) {
  const file = aFile();
  const clock = fixtures.clock("2026-01-01T09:00:00Z");
  const dialect = sqlite(file);
  let secret = 0;
  const newSecret = () => Buffer.alloc(32, secret++);
  const test = await openInMemory({ dialect, now: clock.now, newId: fixtures.ids(seed), newSecret });
  onTestFinished(() => test.lacre.close());
  return { ...test, file, made: await fixtures.year(test.company, { seed, clock }) };
}

type Made = Awaited<ReturnType<typeof aYear>>;

async function saft({ company }: Made): Promise<string> {
  const { file } = await company.saft.export({ from: "2026-01-01", to: "2026-12-31" });
  const pieces = [];
  for await (const piece of file) pieces.push(piece);
  return Buffer.concat(pieces).toString("latin1");
}

const everything = async (pieces: AsyncIterable<Uint8Array>) => {
  const read = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read);
};

test("the same seed gives the same tax file and the same rows to the byte, another one others", async () => {
  const years = [await aYear(7), await aYear(7), await aYear(8)] as const;
  const [one, again, other] = await Promise.all(years.map(saft));
  expect(one).toBe(again);
  expect(one).not.toBe(other);
  const documents = await Promise.all(
    years.map(async ({ company }) => JSON.stringify((await company.documents.list({ limit: 200 })).data)),
  );
  expect(documents[0]).toBe(documents[1]);
  expect(documents[0]).not.toBe(documents[2]);
  const now = () => new Date("2027-01-01T00:00:00Z");
  const [first, second] = await Promise.all(
    years.slice(0, 2).map(async ({ lacre, file }) => {
      await lacre.close();
      return everything(await archiveLacre({ dialect: sqlite(file), now }));
    }),
  );
  expect(first?.equals(second as Buffer)).toBe(true);
});

test("it has every type, payments, receipts, refunds, cancelled and unpaid documents, and verifies", async () => {
  const { company, made } = await aYear(1);
  const { documents, cancelled } = made;
  for (const [type, ids] of Object.entries(documents)) expect([type, ids.length > 1]).toEqual([type, true]);
  expect(cancelled).toHaveLength(4);
  expect((await company.payments.list({ kind: "refund" })).pagination.total).toBe(12);
  expect((await company.payments.list()).pagination.total).toBe(28);
  const { data } = await company.documents.list({ doc_type: "FT", limit: 200 });
  expect(new Set(data.map(({ payment_status }) => payment_status))).toEqual(
    new Set(["paid", "partial", "unpaid", null]),
  );
  expect(await company.series.verify()).toMatchObject({ whole: true });
  const { report } = await company.saft.export({ from: "2026-01-01", to: "2026-12-31" });
  expect(report.sales_invoices).toMatchObject({ documents: expect.any(Number), cancelled: 4 });
});
