/**
 * Lacre checks its database itself and stores the result (Despacho 8632/2014, 3.1.3): one stored check for each
 * company. Derived counts are left to `verify`, as they can be recounted. A finding stops issuing in its company until
 * somebody answers for it, which is an event (Decreto-Lei 28/2019, article 11, 2 c).
 */
import * as z from "zod";
import { INSTALLATION } from "../database/row-states.ts";
import type { Row } from "../database/tables.ts";
import { headOfEvents, recordEvent } from "../events/events.ts";
import { Instant, text } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { command, commandAfter, query } from "../runtime/operation.ts";
import { yieldToOthers } from "../runtime/ports.ts";
import { NO_COMPANY, type ReadScope, type WriteScope } from "../runtime/scope.ts";
import { allSeries } from "../series/series.ts";
import { walkEvents } from "./events.ts";
import { answersOf, Finding, findCheck, type Judge, judgeBy, markOf, storedFinding } from "./finding.ts";
import { t } from "./refusals.ts";
import { findingIn } from "./series.ts";
import { findingsOf, type Looking, verifiedCompany, verifiedInstallation } from "./verify.ts";

/** The result of a company's check. */
const Checked = z.strictObject({
  whole: z.boolean().describe("Everything was looked at, not what is new alone."),
  event_position: z.int(),
  event_seal: z.string().nullable(),
  sequences: z.record(z.string(), z.int()),
  answered: z.array(z.string()),
  finding: Finding.nullable(),
  documents: z.int().describe("Documents that are new since the last check, or all of them."),
});

const Breathe = z
  .custom<() => Promise<void>>((given) => typeof given === "function")
  .meta({ signature: "() => Promise<void>" });

/** Checks the call's company: all of it, or the documents and events since the stored check. */
export const checkCompany = query(
  {
    id: "checkCompany",
    summary: "Check a company, or what is new in it",
    needs: "operator",
    input: z.strictObject({ whole: z.boolean(), breathe: Breathe }),
    output: Checked,
    fails: ["not_found"],
  },
  (scope, { whole, breathe }) => (whole ? checkedWhole(scope, breathe) : checkedNew(scope, breathe)),
  { isLong: true },
);

async function checkedWhole(scope: ReadScope, breathe: () => Promise<void>): Promise<z.infer<typeof Checked>> {
  const { event_position, event_seal, sequences } = await headsOf(scope); // read before the walk, which may go further
  let answered: readonly string[] = [];
  const judge = (found: ReadonlySet<string>): Judge => {
    answered = [...found];
    return judgeBy(found);
  };
  const report = await verifiedCompany(scope, { breathe, judge, withoutCounts: true });
  const finding = findingsOf(report).map(named)[0] ?? null;
  return {
    ...{ whole: true, event_position, event_seal, sequences },
    ...{ answered: [...answered], finding, documents: report.documents },
  };
}

async function checkedNew(scope: ReadScope, breathe: () => Promise<void>): Promise<z.infer<typeof Checked>> {
  const check = await findCheck(scope);
  const { series, ...heads } = await headsOf(scope);
  const from = { event_position: check?.event_position ?? 0, event_seal: check?.event_seal ?? null };
  const events = await walkEvents(scope.db, scope.company_id, { ...heads, last_position: 0 }, breathe, from);
  const known = new Set([...answersOf(check), ...events.answered]);
  const counts = judgeBy(known);
  const before = sequencesOf(check);
  let finding =
    events.fault !== null && counts("events", events.fault) ? named({ place: "events", reason: events.fault }) : null;
  let documents = 0;
  for (const row of series) {
    const first = (before[row.id] ?? 0) + 1;
    documents += Math.max(0, row.next_number - first);
    if (finding) continue;
    const found = await findingIn(scope, { series: row, from: first, end: row.next_number }, { counts, breathe });
    if (found) finding = { place: found.number ?? `${row.doc_type} ${row.code}`, reason: found.reason };
  }
  return { whole: false, ...heads, answered: [...known], finding, documents };
}

/** The current heads of a company's events and series. */
async function headsOf(scope: ReadScope) {
  const { event_position, event_seal } = await headOfEvents(scope.db, scope.company_id);
  const series = await allSeries(scope);
  const sequences = Object.fromEntries(series.map(({ id, next_number }) => [id, next_number - 1]));
  return { event_position, event_seal, sequences, series };
}

/** Names the row that a finding is about. */
function named({ place, reason }: Finding): Finding {
  const end = reason.indexOf(": ");
  return place === "states" && end > 0
    ? { place: reason.slice(0, end), reason: reason.slice(end + 2) }
    : { place, reason };
}

const sequencesOf = (check: Row<"checks"> | undefined): Readonly<Record<string, number>> =>
  JSON.parse(check?.sequences ?? "{}");

/** Checks the installation above the companies: schema, keys, certificate, and its own record of events. */
export const checkInstallation = query(
  {
    id: "checkInstallation",
    summary: "Check what is above the companies",
    needs: "operator",
    input: z.strictObject({ breathe: Breathe }),
    output: z.strictObject({ finding: Finding.nullable() }),
    fails: [],
  },
  async (scope, { breathe }) => {
    const { findings } = await verifiedInstallation(scope, { breathe, judge: judgeBy, withoutCounts: true });
    return { finding: findings.map(named)[0] ?? null };
  },
  { isLong: true },
);

/** Stores the result of a check. Parts that it did not check again keep their finding. */
export const recordCheck = command(
  {
    id: "recordCheck",
    summary: "Store what a check came to",
    needs: "operator",
    input: Checked,
    output: z.strictObject({ finding: Finding.nullable(), isNew: z.boolean() }),
    fails: [],
  },
  async (scope, { whole, event_position, event_seal, sequences, answered, finding }) => {
    const before = await findCheck(scope);
    const now = scope.now.toISOString();
    const kept = whole ? null : storedFinding(before);
    const stands = finding ?? kept;
    const row: Row<"checks"> = {
      company_id: scope.company_id,
      checked_at: now,
      whole_at: whole ? now : (before?.whole_at ?? null),
      ...{ event_position, event_seal },
      sequences: JSON.stringify(sequences),
      finding_place: stands?.place ?? null,
      finding_reason: stands?.reason ?? null,
      answered: JSON.stringify(answered),
      claimed_until: null,
    };
    const { company_id: _, ...changes } = row;
    const upsert = scope.db.insertInto("checks").values(row);
    await upsert.onConflict((conflict) => conflict.column("company_id").doUpdateSet(changes)).execute();
    return { finding: stands, isNew: stands !== null && stands.place !== before?.finding_place };
  },
);

/** How long a server holds a company for a check, in milliseconds, unless it renews the claim. */
const CLAIM_MS = 60_000;

/** Claims the check of the call's company for one of several servers. */
export const claimCheck = command(
  {
    id: "claimCheck",
    summary: "Claim the check of a company for a minute, or for another one",
    needs: "operator",
    input: z.strictObject({ again: z.boolean() }),
    output: z.strictObject({ isClaimed: z.boolean() }),
    fails: [],
  },
  async (scope, { again }) => {
    const { db, company_id, now } = scope;
    const before = await findCheck(scope);
    const until = new Date(now.getTime() + CLAIM_MS).toISOString();
    if (!before) {
      const none = { event_position: 0, sequences: "{}", checked_at: now.toISOString() };
      await db
        .insertInto("checks")
        .values({ company_id, ...none, claimed_until: until, answered: "[]" })
        .execute();
      return { isClaimed: true };
    }
    if (!again && before.claimed_until !== null && before.claimed_until > now.toISOString())
      return { isClaimed: false };
    await db.updateTable("checks").set({ claimed_until: until }).where("company_id", "=", company_id).execute();
    return { isClaimed: true };
  },
);

export const CheckOfCompany = z.strictObject({
  company_id: z.string(),
  checked_at: Instant,
  whole_at: Instant.nullable().describe("When all of it was checked last."),
  finding: Finding.nullable().describe("While there is one that nobody answered for, the company issues nothing."),
});

export const listChecks = query(
  {
    id: "listChecks",
    summary: "The stored check of each company",
    needs: "operator",
    input: z.strictObject({}),
    output: z.array(CheckOfCompany),
    fails: [],
  },
  async ({ db }) => {
    const rows = await db.selectFrom("checks").selectAll().orderBy("company_id").execute();
    return rows.map((row) => {
      const { company_id, checked_at, whole_at } = row;
      return { company_id, checked_at, whole_at, finding: storedFinding(row) };
    });
  },
);

// ——— Answering for findings ———

/** The most findings that one event answers for. */
const MAX_ANSWERED = 1_000;

const Answer = z.strictObject({ why: text(500).describe("What happened, and who says so.") });
const Answered = z.strictObject({
  answered: z.array(Finding),
  more: z.boolean().describe("There are more than one event answers for."),
});

interface Answering {
  readonly findings: readonly (Finding & { readonly mark: string })[];
  readonly more: boolean;
}

/** Finds everything that nobody has answered for yet. */
async function unanswered(
  find: (looking: Looking) => Promise<unknown>,
  breathe: () => Promise<void>,
): Promise<Answering> {
  const findings: (Finding & { mark: string })[] = [];
  let more = false;
  const judge =
    (answered: ReadonlySet<string>): Judge =>
    (place, reason, content) => {
      const mark = markOf(place, reason, content);
      if (answered.has(mark)) return false;
      if (findings.length < MAX_ANSWERED) findings.push({ ...named({ place, reason }), mark });
      else more = true;
      return false; // to go on to the next
    };
  await find({ breathe, judge, withoutCounts: false });
  return { findings, more };
}

const answeredWith = ({ findings, more }: Answering): z.infer<typeof Answered> => ({
  answered: findings.map(({ place, reason }) => ({ place, reason })),
  more,
});

/** Answers for all current findings in the company: it issues again, and later changes stop it again. */
export const answerFindings = commandAfter(
  {
    id: "answerFindings",
    summary: "Answer for what was changed in this company by anything but Lacre",
    needs: "operator",
    input: Answer,
    output: Answered,
    fails: ["not_found", "invalid_state"],
  },
  (scope) => unanswered((looking) => verifiedCompany(scope, looking), yieldToOthers),
  async (scope, { why }, found) => {
    if (found.findings.length === 0) refuse("invalid_state", t.nothing_to_answer_for);
    await recordEvent(scope, "company.findings_answered", scope.company_id, { why, findings: found.findings });
    await release(scope, found);
    return answeredWith(found);
  },
);

/** The same for the installation, above the companies. */
export const answerInstallation = commandAfter(
  {
    id: "answerInstallation",
    summary: "Answer for what was changed above the companies by anything but Lacre",
    needs: "operator",
    input: Answer,
    output: Answered,
    fails: ["invalid_state"],
  },
  (scope) => unanswered((looking) => verifiedInstallation(scope, looking), yieldToOthers),
  async (scope, { why }, found) => {
    if (found.findings.length === 0) refuse("invalid_state", t.nothing_to_answer_for);
    await recordEvent(scope, "installation.findings_answered", INSTALLATION, { why, findings: found.findings });
    await release(scope, found);
    return answeredWith(found);
  },
);

/** Lets a company issue again once its finding was answered for; above companies, each of them. */
async function release({ db, company_id }: WriteScope, { findings }: Answering): Promise<void> {
  const places = new Set(findings.map(({ place }) => place));
  for (const check of await db.selectFrom("checks").selectAll().execute()) {
    if (company_id !== NO_COMPANY && check.company_id !== company_id) continue;
    const answered = JSON.stringify([...new Set([...answersOf(check), ...findings.map(({ mark }) => mark)])]);
    const isAnswered = places.has(check.finding_place ?? "");
    const finding = isAnswered ? { finding_place: null, finding_reason: null } : {};
    await db
      .updateTable("checks")
      .set({ answered, ...finding })
      .where("company_id", "=", check.company_id)
      .execute();
  }
}
