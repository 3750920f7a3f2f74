/** A standby takes over from a server that did not wait for it: a number on paper is not given again. */
import { type Lacre, type LogEntry, openLacre } from "lacre";
import { postgres } from "lacre/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { CAN_START } from "../support/cluster.ts";
import { anInvoice } from "../support/factories.ts";
import { homeOf } from "../support/instance.ts";
import { aPrimaryWithStandby, aSwitch, partFrom } from "../support/postgres-cluster.ts";

const SKIPPED = !CAN_START;

/** Issues two invoices that the standby has and one that it lacks, and lets it take over. */
async function aFailover(failover?: "synchronous") {
  const { primary, standby } = await aPrimaryWithStandby();
  const address = await aSwitch(primary);
  const halts: string[] = [];
  const entries: LogEntry[] = [];
  const open = async (): Promise<Lacre> => {
    const lacre = await openLacre({
      dialect: postgres(address.url, { connections: 2, failover }),
      log: (entry) => entries.push(entry),
      onHalt: (reason) => halts.push(reason),
    });
    onTestFinished(() => lacre.close());
    return lacre;
  };
  const lacre = await open();
  const { id } = await lacre.companies.create({ name: "Loja", tax_id: "500000000" });
  const issue = async (by = lacre) => {
    const issue_date = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Lisbon" }).format(new Date());
    return (await anInvoice(await homeOf(by, id), { issue_date })).number;
  };
  const before = [await issue(), await issue()];
  await partFrom(primary, standby);
  const lacking = await issue();
  primary.kill();
  standby.promote();
  address.turnTo(standby);
  return { before, lacking, issue, open, halts, entries };
}

/** What calls answer, the first of which may find its connection lost. */
async function answersOf(issue: () => Promise<string | null>): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let i = 0; i < 4; i++) answers.push(await issue().catch(({ code }: { code: string }) => code));
  return answers;
}

describe.skipIf(SKIPPED)(SKIPPED ? "a failover (no PostgreSQL programs here)" : "a failover", () => {
  test("that may lose documents halts a running Lacre, and the next start is locked", async () => {
    const { before, lacking, issue, open, halts, entries } = await aFailover();
    expect([...before, lacking].map((number) => number?.split("/")[1])).toEqual(["1", "2", "3"]);
    expect(new Set(await answersOf(issue))).toEqual(new Set(["unavailable"]));
    expect(halts).toEqual(["another server has taken over, which may lack the latest documents"]);

    const again = await open();
    expect(entries).toContainEqual(expect.objectContaining({ event: "database_copied" }));
    await expect(issue(again)).rejects.toMatchObject({ code: "unavailable" });
    expect((await again.readiness()).nothing_can_be_issued).toBe(true);
  });

  test("control: declared to lose nothing, it continues, and issues the number a second time", async () => {
    const { lacking, issue, halts } = await aFailover("synchronous");
    expect(await answersOf(issue)).toContain(lacking);
    expect(halts).toEqual([]);
  });
});
