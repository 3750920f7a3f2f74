/**
 * Verifying recomputes everything that can be recomputed, and compares everything else with the record of events, whose
 * seals protect it. One operation for each company, one for the installation.
 */
import * as z from "zod";
import { t } from "../company/refusals.ts";
import { countCompany, countInstallation, faultOfCounts, faultOfOwners } from "../database/kept-counts.ts";
import { faultOfSchema, otherTables } from "../database/migrate.ts";
import { salesRecount } from "../documents/sales.ts";
import { nameOfSeries } from "../fiscal/numbering.ts";
import { refuse } from "../runtime/errors.ts";
import { query } from "../runtime/operation.ts";
import { yieldToOthers } from "../runtime/ports.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { certificationOf } from "../signing/certification.ts";
import { faultOfRowCounts, walkEvents } from "./events.ts";
import { Finding, type Judge, judgeBy } from "./finding.ts";
import { faultOfRows } from "./rows.ts";
import { faultOfCertificate, SeriesReport, verifyEverySeries } from "./series.ts";

const Findings = z.array(Finding).describe("The first fault of each kind; empty when there is none.");

const CompanyReport = z.strictObject({
  whole: z.boolean(),
  documents: z.int(),
  events: z.int(),
  series: z.array(SeriesReport),
  findings: Findings.describe("Faults outside the series: the first of each kind."),
});

const InstallationReport = z.strictObject({
  whole: z.boolean(),
  events: z.int(),
  findings: Findings,
  others: z
    .array(z.string())
    .describe("Tables and views among Lacre's that are not Lacre's: named, not verified, and no fault."),
});

export const verifyCompany = query(
  {
    id: "verifyCompany",
    summary: "Verify every series, the record of events, and that every row is as the events left it",
    needs: "operator",
    input: z.strictObject({}),
    output: CompanyReport,
    fails: ["not_found"],
  },
  (scope) => verifiedCompany(scope),
  { isLong: true },
);

/** Verifies all of the call's company. */
export async function verifiedCompany(
  scope: ReadScope,
  looking: Looking = PLAINLY,
): Promise<z.infer<typeof CompanyReport>> {
  const verifying = verified(scope, looking);
  for (;;) {
    const step = await verifying.next();
    if (step.done) return step.value;
  }
}

/** Every finding of a report, those of series first, each with its place. */
export function findingsOf({ series, findings }: z.infer<typeof CompanyReport>): Finding[] {
  const ofSeries = series.flatMap(({ doc_type, code, finding }) =>
    finding ? [{ place: finding.number ?? nameOfSeries({ doc_type, code }), reason: finding.reason }] : [],
  );
  return [...ofSeries, ...findings];
}

/** The progress of verifying, in documents. */
interface Progress {
  readonly done: number;
  readonly total: number;
}

/** How to verify the whole of a company. */
export interface Looking {
  /** Gives way to others; called after every batch of rows. */
  readonly breathe: () => Promise<void>;
  /** Makes the judge of findings, once the answers are known. */
  readonly judge: (answered: ReadonlySet<string>) => Judge;
  /** Skips recounts in one statement, which would hold others up; counts can be recounted later. */
  readonly withoutCounts: boolean;
}

const PLAINLY: Looking = { breathe: yieldToOthers, judge: judgeBy, withoutCounts: false };

/** Verifies the call's company, and yields its progress. */
async function* verified(
  scope: ReadScope,
  { breathe, judge, withoutCounts }: Looking = PLAINLY,
): AsyncGenerator<Progress, z.infer<typeof CompanyReport>, void> {
  const { db, company_id } = scope;
  const counted = (await countCompany(db, company_id)) ?? refuse("not_found", t.no_such_company);
  const events = await walkEvents(db, company_id, counted, breathe);
  const counts = judge(events.answered);
  const sales = salesRecount(scope, counted.event_position);
  const walk = verifyEverySeries(scope, { counts, breathe });
  let step = await walk.next();
  for (let done = 0; !step.done; step = await walk.next()) {
    if (!withoutCounts) await sales.add(step.value);
    done += step.value.length;
    yield { done, total: counted.documents };
  }
  const series = step.value;
  // A series with a fault was not walked to its end, so its sales are not known.
  const isWalked = series.every(({ finding }) => finding === null);
  const findings = found(
    {
      events: events.fault,
      rows: events.fault === null ? faultOfRowCounts(events.actions, counted) : null,
      states: await faultOfRows(db, COMPANY_TABLES, company_id, counts, breathe),
      clock: counted.last_issued_at === counted.last_of_series ? null : LATEST_DIFFERS,
      counts: withoutCounts ? null : await faultOfCounts(db, company_id),
      sales: isWalked && !withoutCounts ? sales.faultOf(JSON.parse(counted.sales)) : null,
    },
    counts,
  );
  return {
    whole: findings.length === 0 && isWalked,
    documents: series.reduce((sum, { documents }) => sum + documents, 0),
    events: counted.event_position,
    series,
    findings,
  };
}

/** The greatest number of progress lines, roughly. */
const PROGRESS_LINES = 200;

export const verifyWithProgress = query(
  {
    id: "verifyWithProgress",
    summary: "Verify the company and the installation, and tell on the way how far it is",
    needs: "installation:read",
    input: z.strictObject({}),
    output: z.strictObject({
      file: z
        .custom<AsyncIterable<Uint8Array>>((given) => typeof given === "object" && given !== null)
        .meta({ signature: "AsyncIterable<Uint8Array>" })
        .describe(
          "Lines of JSON: { done, total } in documents, now and then; last { whole, documents, events, findings }, each finding with its place and reason.",
        ),
    }),
    fails: [],
  },
  async (scope) => ({ file: { [Symbol.asyncIterator]: () => progressOf(scope) } }),
  { isLong: true },
);

async function* progressOf(scope: ReadScope): AsyncGenerator<Uint8Array> {
  const lineOf = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`);
  const verifying = verified(scope);
  let told = 0;
  for (;;) {
    const step = await verifying.next();
    if (step.done) {
      const { whole, documents, events } = step.value;
      const above = await verifiedInstallation(scope);
      yield lineOf({
        whole: whole && above.whole,
        documents,
        events,
        findings: [...findingsOf(step.value), ...above.findings],
      });
      return;
    }
    const { done, total } = step.value;
    if (done < total && (done - told) * PROGRESS_LINES < total) continue;
    told = done;
    yield lineOf(step.value);
  }
}

const LATEST_DIFFERS = "The instant kept of the company's last document is not that of its series.";

const COMPANY_TABLES = [
  "companies",
  "actors",
  "customers",
  "products",
  "series",
  "payments",
  "invitations",
  "communications",
  "webhooks",
  "document_links",
  "emails",
] as const;
const INSTALLATION_TABLES = ["installation", "actors", "signing_keys", "sessions", "invitations"] as const;

export const verifyInstallation = query(
  {
    id: "verifyInstallation",
    summary: "Verify the schema, the signing keys, the certification, and the record of events above the companies",
    needs: "operator",
    input: z.strictObject({}),
    output: InstallationReport,
    fails: [],
  },
  (scope) => verifiedInstallation(scope),
  { isLong: true },
);

export async function verifiedInstallation(
  { db }: Pick<ReadScope, "db">,
  { breathe, judge }: Looking = PLAINLY,
): Promise<z.infer<typeof InstallationReport>> {
  const counted = await countInstallation(db);
  const others = await otherTables(db);
  if (!counted) {
    return { whole: false, events: 0, findings: found({ installation: "Its row is missing." }, () => true), others };
  }
  const events = await walkEvents(db, null, counted, breathe);
  const counts = judge(events.answered);
  const findings = found(
    {
      schema: await faultOfSchema(db),
      events: events.fault,
      rows: events.fault === null ? faultOfRowCounts(events.actions, counted) : null,
      states: await faultOfRows(db, INSTALLATION_TABLES, null, counts, breathe),
      owners: await faultOfOwners(db),
      certificate: faultOfCertificate((await certificationOf({ db })).certificate_number),
    },
    counts,
  );
  return { whole: findings.length === 0, events: counted.event_position, findings, others };
}

/** The faults that count, each with its place; those of rows were judged one by one. */
function found(faults: Readonly<Record<string, string | null>>, counts: Judge): z.infer<typeof Findings> {
  return Object.entries(faults).flatMap(([place, reason]) =>
    reason !== null && (place === "states" || counts(place, reason)) ? [{ place, reason }] : [],
  );
}
