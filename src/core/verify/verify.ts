/**
 * Verifying: everything that can be recomputed is, and everything else is compared with the record of events, whose
 * seals hold it. One operation for each company, one for the installation.
 */
import { z } from "zod";
import { countCompany, countInstallation, faultOfCounts, faultOfOwners } from "../database/kept-counts.ts";
import { faultOfSchema } from "../database/migrate.ts";
import { salesRecount } from "../documents/sales.ts";
import { refuse } from "../runtime/errors.ts";
import { query } from "../runtime/operation.ts";
import { faultOfRowCounts, walkEvents } from "./events.ts";
import { faultOfRows } from "./rows.ts";
import { SeriesReport, verifyEverySeries } from "./series.ts";

const Findings = z
  .array(z.strictObject({ place: z.string(), reason: z.string() }))
  .describe("The first fault of each kind; empty when there is none.");

export const verifyCompany = query(
  {
    id: "verifyCompany",
    summary: "Verify every series, the record of events, and that every row is as the events left it",
    needs: "operator",
    input: z.strictObject({}),
    output: z.strictObject({
      whole: z.boolean(),
      documents: z.int(),
      events: z.int(),
      series: z.array(SeriesReport),
      findings: Findings.describe("Faults outside the series: the first of each kind."),
    }),
    fails: ["not_found"],
  },
  async (scope) => {
    const { db, company_id } = scope;
    const counted = (await countCompany(db, company_id)) ?? refuse("not_found", "no_such_company");
    const events = await walkEvents(db, company_id, counted);
    const sales = salesRecount(scope, counted.event_position);
    const series = await verifyEverySeries(scope, sales.add);
    // A series with a fault was not walked to its end, so its sales are not known.
    const isWalked = series.every(({ finding }) => finding === null);
    const findings = found({
      events: events.fault,
      rows: events.fault === null ? faultOfRowCounts(events.actions, counted) : null,
      states: await faultOfRows(db, COMPANY_TABLES, company_id),
      counts: await faultOfCounts(db, company_id),
      sales: isWalked ? sales.faultOf(JSON.parse(counted.sales)) : null,
    });
    return {
      whole: findings.length === 0 && series.every(({ finding }) => finding === null),
      documents: series.reduce((sum, { documents }) => sum + documents, 0),
      events: counted.event_position,
      series,
      findings,
    };
  },
  { isLong: true },
);

const COMPANY_TABLES = [
  "companies",
  "actors",
  "customers",
  "products",
  "series",
  "payments",
  "invitations",
  "communications",
] as const;
const INSTALLATION_TABLES = ["installation", "actors", "signing_keys", "sessions", "invitations"] as const;

export const verifyInstallation = query(
  {
    id: "verifyInstallation",
    summary: "Verify the schema, the signing keys, the certification, and the record of events above the companies",
    needs: "operator",
    input: z.strictObject({}),
    output: z.strictObject({ whole: z.boolean(), events: z.int(), findings: Findings }),
    fails: [],
  },
  async ({ db }) => {
    const counted = await countInstallation(db);
    if (!counted) return { whole: false, events: 0, findings: found({ installation: "Its row is missing." }) };
    const events = await walkEvents(db, null, counted);
    const findings = found({
      schema: await faultOfSchema(db),
      events: events.fault,
      rows: events.fault === null ? faultOfRowCounts(events.actions, counted) : null,
      states: await faultOfRows(db, INSTALLATION_TABLES, null),
      owners: await faultOfOwners(db),
    });
    return { whole: findings.length === 0, events: counted.event_position, findings };
  },
  { isLong: true },
);

/** The faults that there are, each with its place. */
function found(faults: Readonly<Record<string, string | null>>): z.infer<typeof Findings> {
  return Object.entries(faults).flatMap(([place, reason]) => (reason === null ? [] : [{ place, reason }]));
}
