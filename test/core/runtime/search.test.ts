import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold, foldAll } from "../../../src/core/runtime/search.ts";
import { DATABASES } from "../../support/databases.ts";
import { DRIVERS } from "../../support/drivers.ts";
import { aCompany, anInstance, anInstanceInHand, type Home } from "../../support/instance.ts";
import { runsOf } from "../../support/sampled.ts";

/** Letters of several scripts, few of each so that rows share them, and characters special to a query language. */
const LETTERS = [
  ..."aàÁnNrç09 ",
  ..."σςΣί",
  ..."жЖй",
  ..."包子",
  ..."خبز",
  ..."ßﬁⅧİ",
  ..."\"'%_*^-+:(){}[]\\~`|;,.&@#/?!<>=$",
  ...["👩‍👩‍👧", "🥖", "\u0301", "AND", "OR", "NOT", "NEAR("],
];

const word = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 14 }).map((letters) => letters.join(""));
const name = word.map((text) => `x${text}x`);

/** A change of a list: a row is added, renamed or archived. Rows are given by their place, counted round. */
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant("create" as const), name, extra: fc.option(name) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("change" as const), at: fc.nat(), name }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("archive" as const), at: fc.nat() }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

interface Modelled {
  readonly id: string;
  readonly copy: string;
}

/** Both searchable lists under one interface: how a row is made, and its folded copy. */
const LISTS = {
  customers: {
    fields: (name: string, extra: string | null) => ({ name, phone: extra }),
    copy: (row: { name: string; phone?: string | null }) => foldAll([row.name, row.phone ?? null]),
  },
  products: {
    fields: (name: string, extra: string | null) => ({ name, sku: extra, unit_price_net: 1, tax_rate: 23 }),
    copy: (row: { name: string; sku?: string | null }) => foldAll([row.name, row.sku ?? null]),
  },
} as const;

interface Face {
  create(input: object): Promise<{ id: string; name: string }>;
  change(input: object): Promise<{ id: string; name: string }>;
  archive(input: { id: string }): Promise<void>;
  list(input: object): Promise<{ data: { id: string }[]; pagination: { total: number } }>;
}

async function perform(acts: readonly Act[], home: Home, list: keyof typeof LISTS): Promise<Modelled[]> {
  const face = home.company[list] as unknown as Face;
  const { fields, copy } = LISTS[list];
  const rows: Modelled[] = [];
  for (const given of acts) {
    if (given.act === "create") {
      const row = await face.create(fields(given.name, given.extra));
      rows.push({ id: row.id, copy: copy(row) });
      continue;
    }
    if (rows.length === 0) continue;
    const at = given.at % rows.length;
    const { id } = rows[at] as Modelled;
    if (given.act === "change") rows[at] = { id, copy: copy(await face.change({ id, name: given.name })) };
    else {
      await face.archive({ id });
      rows.splice(at, 1);
    }
  }
  return rows;
}

/** Terms to search for: pieces of the rows, in capitals too, and texts that may be in none. */
function termsFor(rows: readonly Modelled[], cuts: readonly [number, number][], others: readonly string[]): string[] {
  const lines = rows.flatMap(({ copy }) => copy.split("\n"));
  const stretches = cuts.flatMap(([from, length], i) => {
    const letters = [...(lines[from % Math.max(lines.length, 1)] ?? "")];
    const start = from % Math.max(letters.length, 1);
    const stretch = letters.slice(start, start + length).join("");
    return [i % 3 === 0 ? stretch.toUpperCase() : stretch];
  });
  return [...stretches, ...others, "x"]; // every row has an x: many matches are found another way than few
}

describe.each(DATABASES)("search over $name", (driver) => {
  test.each(["customers", "products"] as const)(
    "%s: finds every row whose folded copy includes the term, newest first or by name, with the exact total, whatever the texts",
    async (list) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(act, { minLength: 1, maxLength: 40 }),
          fc.array(act, { maxLength: 5 }),
          fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 16 })), { minLength: 12, maxLength: 12 }),
          fc.array(word, { maxLength: 6 }),
          fc.nat({ max: 5 }),
          async (acts, neighbours, cuts, others, offset) => {
            const instance = await anInstance(driver, { checkContracts: false });
            const rows = await perform(acts, instance, list);
            await perform(neighbours, await aCompany(instance.lacre), list);
            const face = instance.company[list] as unknown as Face;
            // Both engines compare the bytes of UTF-8, as hexadecimal digits do.
            const place = new Map(
              rows.map(({ id, copy }) => [id, Buffer.from([...copy].slice(0, 60).join("")).toString("hex")]),
            );
            const placeOf = (id: string) => `${place.get(id)} ${id}`;
            for (const search of termsFor(rows, cuts, others)) {
              const term = fold(search.normalize("NFC").trim());
              const due = rows.filter(({ copy }) => copy.includes(term)).map(({ id }) => id);
              due.sort().reverse();
              const { data, pagination } = await face.list({ search, offset, limit: 7 });
              expect(pagination.total, JSON.stringify(search)).toBe(due.length);
              expect(data.map(({ id }) => id)).toEqual(due.slice(offset, offset + 7));
              const named = await face.list({ search, sort: "name", offset, limit: 7 });
              const byName = due.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
              expect(named.pagination.total).toBe(due.length);
              expect(named.data.map(({ id }) => id)).toEqual(byName.slice(offset, offset + 7));
            }
          },
        ),
        { numRuns: runsOf(25) },
      );
    },
  );

  test("the control: a row removed from the index by hand is not found", async () => {
    const { company, past } = await anInstance(driver);
    const total = async () => (await company.customers.list({ search: "ana" })).pagination.total;
    const { id } = await company.customers.create({ name: "Ana" });
    await company.customers.create({ name: "Mariana" });
    await company.customers.change({ id, name: "Joana" });
    expect(await total()).toBe(2);
    await past(`delete from customer_search where rowid = (select position from customers where id = '${id}')`);
    expect(await total()).toBe(1);
  });

  test("long terms are found although hundreds of rows share each of their parts", async () => {
    const { company } = await anInstance(driver, { checkContracts: false });
    const total = async (search: string) => (await company.customers.list({ search })).pagination.total;
    for (let i = 0; i < 220; i++) {
      await company.customers.create({ name: `Padaria Central ${i}`, phone: i % 100 === 7 ? "Central Padaria" : null });
    }
    expect(await total("padaria central")).toBe(220);
    expect(await total("central padaria")).toBe(3);
    expect(await total("padaria central 21")).toBe(11);
    expect(await total("padaria centrall")).toBe(0);
    const { data } = await company.customers.list({ search: "padaria central", limit: 2, offset: 217 });
    expect(data.map(({ name }) => name)).toEqual(["Padaria Central 2", "Padaria Central 1"]);
  });

  test.each(["list", "search"])("a list and a search over it do not share a statement, the %s first", async (first) => {
    const { company } = await anInstance(driver);
    for (const name of ["Ana", "Mariana", "Rui"]) await company.customers.create({ name });
    const names = async (search?: string) => {
      const { data, pagination } = await company.customers.list({ search, limit: 1 });
      return [...data.map(({ name }) => name), pagination.total];
    };
    const [listed, found] = first === "list" ? [await names(), await names("ana")] : [undefined, await names("ana")];
    expect(found).toEqual(["Mariana", 2]);
    expect(listed ?? (await names())).toEqual(["Rui", 3]);
    expect(await names("ana")).toEqual(["Mariana", 2]);
  });
});

test.each(DRIVERS)(
  "rows keep their place in the index after VACUUM, and it stays whole, over $name",
  async (driver) => {
    const { company, raw } = await anInstanceInHand(driver);
    const ids = [];
    for (const name of ["Ana", "Rui", "Mariana", "Sofia"]) ids.push((await company.customers.create({ name })).id);
    raw.exec(`delete from customers where id = '${ids[1]}'`);
    raw.exec("vacuum");
    expect(raw.prepare("pragma integrity_check").all([])).toEqual([{ integrity_check: "ok" }]);
    expect((await company.customers.list({ search: "ana" })).data.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    expect((await company.customers.list({ search: "sof" })).data.map(({ id }) => id)).toEqual([ids[3]]);
  },
);
