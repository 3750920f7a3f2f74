/** `lacre verify`: proves every series of every company whole, or names the first bad document. */

import { z } from "zod";
import type { Lacre } from "../core/index.ts";
import { command } from "./command.ts";
import { FLAGS } from "./config.ts";
import { Failure } from "./exit.ts";
import { findDatabase, withLacre } from "./open-database.ts";
import { counted, show } from "./output.ts";

export const verifyCommand = command({
  name: "verify",
  summary: "walks every series and proves it whole, or names the first bad document",
  details: `Numbers without gaps, dates and entry times in order, signatures, seals, totals, and the head of each series.
Works beside a running server.`,
  input: z.strictObject({ db: FLAGS.db, json: FLAGS.json }),
  async run({ db, json }, shell) {
    const report = await withLacre(findDatabase(db), examine);
    show(shell, json, report, report.companies.flatMap(linesOf));
    mustBeWhole(report);
  },
});

type Verified = Awaited<ReturnType<ReturnType<Lacre["as"]>["series"]["verify"]>>;

interface CompanyReport extends Verified {
  readonly company_id: string;
  readonly name: string;
}

/** What `examine` found in all companies. */
export interface Report {
  readonly whole: boolean;
  readonly documents: number;
  readonly companies: readonly CompanyReport[];
}

/** Walks every series of every company. */
export async function examine(lacre: Lacre): Promise<Report> {
  const companies: CompanyReport[] = [];
  for (const { id, name } of await lacre.companies.list()) {
    companies.push({ company_id: id, name, ...(await lacre.as(id).series.verify()) });
  }
  return {
    whole: companies.every(({ whole }) => whole),
    documents: companies.reduce((sum, { documents }) => sum + documents, 0),
    companies,
  };
}

/** Throws `Failure` (not_whole) naming the first bad document. */
export function mustBeWhole({ companies }: Report): void {
  const [first] = companies.flatMap(findingsOf);
  if (first) throw new Failure("not_whole", first);
}

function linesOf(company: CompanyReport): string[] {
  const { name, documents, series, whole } = company;
  const walked = `${name}: ${counted(documents, "document")} in ${series.length} series`;
  return whole ? [`${walked}, whole.`] : [`${walked}, NOT whole:`, ...findingsOf(company).map((line) => `  ${line}`)];
}

function findingsOf({ name, series }: CompanyReport): string[] {
  return series.flatMap(({ doc_type, code, finding }) => {
    if (!finding) return [];
    const where = finding.number ?? `${doc_type} ${code}, sequence ${finding.sequence}`;
    return [`${where} (${name}): ${finding.reason}`];
  });
}
