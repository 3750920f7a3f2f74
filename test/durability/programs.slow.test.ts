/** Real processes on one PostgreSQL schema: numbers without gap, and clocks that disagree. */
import { type Lacre, openLacre } from "lacre";
import { describe, expect, onTestFinished, test } from "vitest";
import { HAS_SERVER, POSTGRES } from "../support/databases.ts";
import { aCustomer } from "../support/factories.ts";
import { fault } from "../support/history.ts";
import { aCompany, type Home } from "../support/instance.ts";
import { aPlace, aPlainConnection, openPrograms } from "../support/postgres.ts";
import type { CrowdReport } from "../support/process.ts";
import { inProcesses, type Workplace } from "../support/processes.ts";
import { atScale, figuresOf, SEED } from "./scale.ts";

const PROCESSES = 3;
/** Of each process; 33 in all. */
const CLIENTS = 11;

/** Also how often a command was refused, by code. */
interface Counted extends Record<string, number> {
  documents: number;
  gaps: number;
  duplicates: number;
}

/** A company with three series of invoices. */
async function aWorkplace(home: Home): Promise<Workplace> {
  const { company, company_id, series } = home;
  const more = ["B", "C"].map(async (code) => (await company.series.create({ doc_type: "FT", code })).id);
  const customer_id = (await aCustomer(home)).id;
  return { company_id, series_ids: [series.FT, ...(await Promise.all(more))], customer_id };
}

describe.skipIf(!HAS_SERVER)("three processes on one PostgreSQL schema", () => {
  test("33 clients, a fifth of whose requests fail, leave no gap and no number twice", async () => {
    const place = aPlace();
    const [lacre] = (await openPrograms(place, 1)) as [Lacre];
    const homes = [await aCompany(lacre), await aCompany(lacre)];
    const workplaces = await Promise.all(homes.map(aWorkplace));
    const counted: Counted = { documents: 0, gaps: 0, duplicates: 0 };
    figuresOf("crowd on PostgreSQL", counted);
    const task = {
      driver: POSTGRES.name,
      file: place,
      task: "crowd",
      homes: workplaces,
      clients: CLIENTS,
      count: atScale(20, 1_000),
      seed: SEED,
    } as const;
    const reports = (await inProcesses(PROCESSES, task)) as CrowdReport[];

    for (const { refused } of reports) {
      for (const [code, times] of Object.entries(refused)) counted[code] = (counted[code] ?? 0) + times;
    }
    for (const [i, { company }] of homes.entries()) {
      for (const id of workplaces[i]?.series_ids ?? []) {
        const taken = reports.flatMap(({ numbers }) => numbers[id] ?? []);
        const distinct = new Set(taken);
        const { next_number } = await company.series.get({ id });
        const due = Array.from({ length: next_number - 1 }, (_, n) => n + 1);
        counted.documents += taken.length;
        counted.duplicates += taken.length - distinct.size;
        counted.gaps += due.filter((number) => !distinct.has(number)).length;
      }
    }
    expect(counted).toMatchObject({ gaps: 0, duplicates: 0 });
    // Some failed at their signature, when they had a number, and some paid more than they came to.
    expect(Object.keys(counted).sort()).toEqual(
      ["documents", "duplicates", "gaps", "payment_exceeds_balance", "unavailable"].sort(),
    );
    let issued = 0;
    for (const home of homes) {
      expect(await fault(home)).toBe(null);
      issued += (await home.company.series.verify()).documents;
    }
    expect(issued).toBe(counted.documents);
  });

  describe("whose clocks are 20 seconds apart", () => {
    const OFF_MS = [-10_000, 10_000];

    async function issueByBoth(gives_clock: boolean) {
      const place = aPlace();
      const lacre = await openLacre({ dialect: POSTGRES.dialect(place) });
      onTestFinished(() => lacre.close());
      const home = await aCompany(lacre);
      const customer_id = (await aCustomer(home)).id;
      const task = { driver: POSTGRES.name, file: place, task: "issue", company_id: home.company_id } as const;
      const count = 4 * atScale(5, 125);
      const both = { ...task, series_id: home.series.FT, customer_id, count, gives_clock };
      const reports = (await inProcesses(2, both, OFF_MS)) as { numbers: string[]; refused: string[] }[];
      return { place, home, count, refused: reports.flatMap(({ refused }) => refused) };
    }

    test("both issue, as the server's clock counts", async () => {
      const { place, home, count, refused } = await issueByBoth(false);
      expect(refused).toEqual([]);
      expect(await fault(home)).toBe(null);
      const plain = await aPlainConnection(place);
      const { rows } = await plain.query<{ sequence: string; issued_at: string }>(
        "select sequence, issued_at from documents where status = 'issued' order by sequence",
      );
      const instants = rows.map(({ issued_at }) => issued_at);
      expect(instants).toHaveLength(2 * (count / 2) + count / 2);
      expect(instants).toEqual(instants.toSorted());
      // No document is of another clock than the server's: none is from before the company, none from after now.
      const [first] = (await plain.query<{ created_at: string }>("select created_at from series order by id limit 1"))
        .rows;
      const [now] = (await plain.query<{ now: Date }>("select clock_timestamp() as now")).rows;
      expect([first?.created_at, ...instants, now?.now.toISOString()]).toEqual(
        [first?.created_at, ...instants, now?.now.toISOString()].toSorted(),
      );
    });

    test("control: if the host gives its own, the one behind is refused", async () => {
      const { refused } = await issueByBoth(true);
      expect(refused.join("\n")).toMatch(/unavailable: .*clock/);
    });
  });
});
