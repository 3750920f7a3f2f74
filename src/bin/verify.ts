/** `lacre verify`: verifies every series of every company, or checks any program's SAF-T (PT) file. */
import { z } from "zod";
import { checkSaft, type Lacre, type SaftCheckReport, type SaftFinding } from "../core/index.ts";
import { command } from "./command.ts";
import { FLAGS, textFlag } from "./config.ts";
import { Failure } from "./exit.ts";
import { openBytes, readGiven } from "./files.ts";
import { findDatabase, withLacre } from "./open-database.ts";
import { counted, show } from "./output.ts";
import type { Terminal } from "./terminal.ts";

export const verifyCommand = command({
  name: "verify",
  summary: "verifies every series and names the first bad document, or checks a SAF-T file",
  details: `Checks that numbers have no gaps, that dates and entry times are in order, and that signatures, seals, totals and
the last number of each series are right. Works beside a running server.

With --saft: checks the SAF-T (PT) 1.04_01 file of any program and needs no database. Faults in structure, keys,
numbers, dates, signatures and sums are errors; wrong control totals of a section are warnings. Without --public-key,
the key of the program's producer, only the form of signatures is checked.`,
  input: z.strictObject({
    saft: textFlag("FILE", "a SAF-T (PT) file to check instead of the database").optional(),
    public_key: textFlag("PEM", "with --saft: the PEM of the key that verifies its signatures").optional(),
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ saft, public_key, db, json }, terminal) {
    if (saft !== undefined) return verifyFile(saft, public_key, json, terminal);
    if (public_key !== undefined) throw new Failure("usage", "--public-key needs --saft");
    const report = await withLacre(findDatabase(db), verifyAll);
    show(terminal, json, report, report.companies.flatMap(linesOf));
    mustBeWhole(report);
  },
});

// ——— A SAF-T file ———

async function verifyFile(file: string, pem: string | undefined, json: boolean, terminal: Terminal): Promise<void> {
  const public_key = pem === undefined ? undefined : readGiven(pem).toString("latin1");
  const report = await checkSaft(openBytes(file), { public_key });
  show(terminal, json, report, linesOfFile(file, report));
  const [first] = report.errors;
  if (first) throw new Failure("not_whole", `${file}: ${first.reason}`);
}

function linesOfFile(file: string, report: SaftCheckReport): string[] {
  const { documents, signatures_verified, signatures_unverifiable, errors, error_count, warnings, warning_count } =
    report;
  return [
    `${file}: ${counted(documents, "document")}, ${counted(signatures_verified, "signature")} verified.`,
    ...(signatures_unverifiable > 0
      ? [`${counted(signatures_unverifiable, "signature")} cannot be verified without the previous document or key.`]
      : []),
    ...findingLines("Error", errors, error_count),
    ...findingLines("Warning", warnings, warning_count),
    report.accepted ? "Accepted." : `NOT accepted: ${counted(error_count, "error")}.`,
  ];
}

function findingLines(severity: string, findings: readonly SaftFinding[], count: number): string[] {
  const more = count - findings.length;
  return [
    ...findings.map(({ line, path, document, reason }) => {
      const place = [`line ${line}`, ...(document === null ? [] : [document]), ...(path === "" ? [] : [path])];
      return `${severity}: ${reason} (${place.join(", ")})`;
    }),
    ...(more > 0 ? [`… and ${more} more.`] : []),
  ];
}

// ——— The database ———

type Verified = Awaited<ReturnType<ReturnType<Lacre["as"]>["series"]["verify"]>>;

interface CompanyReport extends Verified {
  readonly company_id: string;
  readonly name: string;
}

/** The findings of `verifyAll` in all companies. */
export interface Report {
  readonly whole: boolean;
  readonly documents: number;
  readonly companies: readonly CompanyReport[];
}

/** Verifies every series of every company. */
export async function verifyAll(lacre: Lacre): Promise<Report> {
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
  if (first) throw new Failure("not_whole", `${first} Restore an earlier backup.`);
}

function linesOf(company: CompanyReport): string[] {
  const { name, documents, series, whole } = company;
  const counts = `${name}: ${counted(documents, "document")} in ${series.length} series`;
  return whole ? [`${counts}, whole.`] : [`${counts}, NOT whole:`, ...findingsOf(company).map((line) => `  ${line}`)];
}

function findingsOf({ name, series }: CompanyReport): string[] {
  return series.flatMap(({ doc_type, code, finding }) => {
    if (!finding) return [];
    const where = finding.number ?? `${doc_type} ${code}, sequence ${finding.sequence}`;
    return [`${where} (${name}): ${finding.reason}`];
  });
}
