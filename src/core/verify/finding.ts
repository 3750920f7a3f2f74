/**
 * Findings: rows that are not as Lacre left them. The stored check of each company keeps the first that nobody answered
 * for, which stops issuing there; those that somebody answered for are in the record of events.
 */
import { hash } from "node:crypto";
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { detailsAbout } from "../events/events.ts";
import { refuse } from "../runtime/errors.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { t } from "./refusals.ts";

/** One thing that is not as Lacre left it. */
export const Finding = z.strictObject({
  place: z.string().describe("The number of the document, or the table and the row."),
  reason: z.string(),
});
export type Finding = z.infer<typeof Finding>;

/**
 * Whether a finding counts. `content` is the data at its place: a finding that was answered for counts again once that
 * has changed again.
 */
export type Judge = (place: string, reason: string, content?: unknown) => boolean;

/** The mark of a finding in the event that answers for it. */
export function markOf(place: string, reason: string, content: unknown): string {
  return hash("sha256", JSON.stringify([place, reason, content ?? null]));
}

/** Counts every finding without an answer, by its mark. */
export function judgeBy(answered: ReadonlySet<string>): Judge {
  return (place, reason, content) => answered.size === 0 || !answered.has(markOf(place, reason, content));
}

/** The findings that an event answers for, each with its mark. */
export function findingsIn(detail: string | null): readonly (Finding & { readonly mark: string })[] {
  const { findings = [] } = JSON.parse(detail ?? "{}") as { findings?: readonly (Finding & { mark: string })[] };
  return findings;
}

/** Where in the call's company findings were ever answered for: numbers of documents, series, tables and rows. */
export async function placesAnsweredFor(scope: ReadScope): Promise<ReadonlySet<string>> {
  const answers = await detailsAbout(scope, scope.company_id, "company.findings_answered");
  return new Set(answers.flatMap((detail) => findingsIn(detail).map(({ place }) => place)));
}

const checkOf = preparedSelect((db, { company_id }: Pick<ReadScope, "company_id">) =>
  db.selectFrom("checks").selectAll().where("company_id", "=", company_id),
);

/** The stored check of the call's company; undefined before the first. */
export async function findCheck({ db, company_id }: Pick<ReadScope, "db" | "company_id">) {
  const [check] = await checkOf(db, { company_id });
  return check;
}

/**
 * Refuses with `unavailable` while a check has a finding that nobody answered for (Decreto-Lei 28/2019, article 11).
 */
export function mustBeAsLeft(check: Pick<Row<"checks">, "finding_place"> | undefined): void {
  const place = check?.finding_place ?? null;
  if (place !== null) refuse("unavailable", t.database_was_changed({ place }), { to: "answer_for_changes" });
}

/** The finding of a stored check; null if it has none, or somebody answered for it. */
export function storedFinding(check: Row<"checks"> | undefined): Finding | null {
  if (!check || check.finding_place === null) return null;
  return { place: check.finding_place, reason: check.finding_reason ?? "" };
}

/** The companies that issue nothing because of a finding. */
export async function companiesWithFinding({ db }: Pick<ReadScope, "db">): Promise<string[]> {
  return (await findings(db, {})).map(({ company_id }) => company_id);
}

const findings = preparedSelect((db, _: object) =>
  db.selectFrom("checks").select("company_id").where("finding_place", "is not", null),
);

/** The marks of the findings in the call's company that were answered for, as the last check stored them. */
export async function answeredIn(scope: Pick<ReadScope, "db" | "company_id">): Promise<readonly string[]> {
  return answersOf(await findCheck(scope));
}

/** The same, of a stored check. */
export const answersOf = (check: Row<"checks"> | undefined): readonly string[] => JSON.parse(check?.answered ?? "[]");
