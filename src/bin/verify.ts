/** `lacre verify`: verifies every series of every company, or checks any program's SAF-T (PT) file. */
import { z } from "zod";
import { checkSaft, type Lacre, type SaftCheckReport, type SaftFinding } from "../core/index.ts";
import { command } from "./command.ts";
import { FLAGS, textFlag } from "./config.ts";
import { Failure } from "./exit.ts";
import { openBytes, readGiven } from "./files.ts";
import { findDatabase } from "./find-database.ts";
import { conflictText, headsOf, notedBeside, noteOf, readNote } from "./heads-note.ts";
import { withLacre } from "./open-database.ts";
import { counted, show } from "./output.ts";
import type { Terminal } from "./terminal.ts";

export const verifyCommand = command({
  name: "verify",
  summary: "verifies the whole database and names what is wrong, or checks a SAF-T file",
  details: `Checks that numbers have no gaps, that dates and entry times are in order, that signatures, seals, totals and
the last number of each series are right, that no event is missing or changed, that every row is as its last event left
it, and that the schema is Lacre's. Works beside a running server.

With --saft: checks the SAF-T (PT) 1.04_01 file of any program and needs no database. Faults in structure, keys,
numbers, dates, signatures and sums are errors; wrong control totals of a section, prices and means of payment are
warnings. Without --public-key, the key of the program's producer, only the form of signatures is checked.`,
  input: z.strictObject({
    saft: textFlag("FILE", "a SAF-T (PT) file to check instead of the database").optional(),
    public_key: textFlag("PEM", "with --saft: the PEM of the key that verifies its signatures").optional(),
    heads: textFlag(
      "FILE",
      'compare with heads noted outside: a copy of lacre.db.heads, or "heads" of --json',
    ).optional(),
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ saft, public_key, heads, db, json }, terminal) {
    if (saft !== undefined) return verifyFile(saft, public_key, json, terminal);
    if (public_key !== undefined) throw new Failure("usage", "--public-key needs --saft");
    const file = findDatabase(db);
    const noted = heads === undefined ? notedBeside(file) : readNote(heads);
    const { report, conflicts, note } = await withLacre(file, async (lacre) => ({
      report: await verifyAll(lacre),
      conflicts: await lacre.installation.compareHeads({ noted }),
      note: await noteOf(lacre),
    }));
    // The note beside the file keeps a loss until it is settled; one from outside tells of it ever after.
    const missing = conflicts.filter(({ closed }) => heads !== undefined || !closed);
    const whole = report.whole && missing.length === 0;
    show(terminal, json, { ...report, whole, missing, heads: note }, [
      ...report.companies.flatMap(linesOf),
      ...linesOfInstallation(report.installation),
      ...(missing.length > 0 ? [`${heads ?? headsOf(file)} notes what this file lacks:`] : []),
      ...missing.map((conflict) => `  ${conflictText(conflict)}`),
    ]);
    mustBeWhole(report);
    const [first] = missing.map(conflictText);
    if (first) throw new Failure("not_whole", `${first} Put the latest file back, or restore a later backup.`);
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

/** The findings of `verifyAll` in the installation and in all companies. */
export interface Report {
  readonly whole: boolean;
  readonly documents: number;
  readonly installation: Awaited<ReturnType<Lacre["installation"]["verify"]>>;
  readonly companies: readonly CompanyReport[];
}

/** Verifies the installation and every company. */
export async function verifyAll(lacre: Lacre): Promise<Report> {
  const installation = await lacre.installation.verify();
  const companies: CompanyReport[] = [];
  for (const { id, name } of await lacre.companies.list()) {
    companies.push({ company_id: id, name, ...(await lacre.as(id).series.verify()) });
  }
  return {
    whole: installation.whole && companies.every(({ whole }) => whole),
    documents: companies.reduce((sum, { documents }) => sum + documents, 0),
    installation,
    companies,
  };
}

/** Throws `Failure` (not_whole) naming the first fault. */
export function mustBeWhole({ installation, companies }: Report): void {
  const [first] = [...companies.flatMap(findingsOf), ...findingsOfInstallation(installation)];
  if (first) throw new Failure("not_whole", `${first} Restore an earlier backup.`);
}

function linesOf(company: CompanyReport): string[] {
  const { name, documents, series, whole } = company;
  const counts = `${name}: ${counted(documents, "document")} in ${series.length} series`;
  return whole ? [`${counts}, whole.`] : [`${counts}, NOT whole:`, ...findingsOf(company).map((line) => `  ${line}`)];
}

function linesOfInstallation({ whole, ...rest }: Report["installation"]): string[] {
  if (whole) return ["Installation: schema, signing keys and record of events, whole."];
  return ["Installation, NOT whole:", ...findingsOfInstallation(rest).map((line) => `  ${line}`)];
}

function findingsOf({ name, series, findings }: CompanyReport): string[] {
  const inSeries = series.flatMap(({ doc_type, code, finding }) => {
    if (!finding) return [];
    const where = finding.number ?? `${doc_type} ${code}, sequence ${finding.sequence}`;
    return [`${where} (${name}): ${finding.reason}`];
  });
  return [...inSeries, ...findings.map(({ place, reason }) => `${place} (${name}): ${reason}`)];
}

function findingsOfInstallation({ findings }: Pick<Report["installation"], "findings">): string[] {
  return findings.map(({ place, reason }) => `${place}: ${reason}`);
}
