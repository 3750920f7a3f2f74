/** `lacre verify`: verifies every series of every company, or checks any program's SAF-T (PT) file. */
import * as z from "zod";
import { checkSaft, type Lacre, type SaftCheckReport, type SaftFinding } from "../core/index.ts";
import { command } from "./command.ts";
import { FLAGS, textFlag } from "./config.ts";
import { findDatabase, lookInto, withLacre } from "./database/open.ts";
import { Failure } from "./exit.ts";
import { openBytes, readGiven } from "./files.ts";
import { allNoted, conflictText, headsOf, noteOf, readNote } from "./heads-note.ts";
import { listed, show } from "./output.ts";
import { damageIn, damageWords } from "./page-check.ts";
import type { Terminal } from "./terminal.ts";
import { TEXTS, type Texts } from "./texts/texts.ts";

export const verifyCommand = command({
  name: "verify",
  input: z.strictObject({
    saft: textFlag("FILE", "saft").optional(),
    public_key: textFlag("PEM", "public_key").optional(),
    heads: textFlag("FILE", "heads").optional(),
    answer: textFlag("WHY", "answer").optional(),
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ saft, public_key, heads, answer, db, json }, terminal) {
    if (answer !== undefined) return answerFor(answer, db, json, terminal);
    if (saft !== undefined) return verifyFile(saft, public_key, json, terminal);
    if (public_key !== undefined) throw new Failure("usage", (t) => t.verify.key_needs_file);
    const database = findDatabase(db);
    const { file } = database;
    const given = heads === undefined ? undefined : readNote(heads);
    const { report, conflicts, note } = await lookInto(database, async (lacre) => {
      const noted = given ?? (file === undefined ? [] : await allNoted(lacre, file));
      return {
        report: await verifyAll(lacre),
        conflicts: await lacre.installation.compareHeads({ noted }),
        note: await noteOf(lacre),
      };
    });
    // The note beside the file keeps a loss until it is settled; a note from outside reports it ever after.
    const missing = conflicts.filter(({ closed }) => heads !== undefined || !closed);
    const damage = file === undefined ? undefined : damageIn(file, "integrity_check");
    const whole = report.whole && missing.length === 0 && damage === undefined;
    const { texts: t } = terminal;
    show(terminal, json, { ...report, whole, missing, damage: damage?.reason(TEXTS.en) ?? null, heads: note }, [
      ...report.companies.flatMap((company) => linesOf(company, t)),
      ...linesOfInstallation(report.installation, t),
      ...(missing.length > 0 ? [t.heads.missing({ note: heads ?? headsOf(database.name) })] : []),
      ...missing.map((conflict) => `  ${conflictText(conflict, t)}`),
    ]);
    mustBeWhole(report);
    const [first] = missing;
    if (first) throw new Failure("not_whole", (t) => t.verify.put_back({ conflict: conflictText(first, t) }));
    if (file !== undefined && damage) throw new Failure("not_whole", damageWords(file, damage));
  },
});

// ——— Answering for changes ———

/** Answers for all findings, so that the companies issue again; each answer is an event. */
async function answerFor(why: string, db: string, json: boolean, terminal: Terminal): Promise<void> {
  const findings = await withLacre(findDatabase(db), async (lacre) => {
    const report = await verifyAll(lacre);
    const answers: { place: string; reason: string; company: string | null }[] = [];
    if (!report.installation.whole) {
      const { answered } = await lacre.installation.answer({ why });
      answers.push(...answered.map((one) => ({ ...one, company: null })));
    }
    for (const { company_id, name, whole } of report.companies) {
      if (whole) continue;
      const { answered } = await lacre.as(company_id).series.answer({ why });
      answers.push(...answered.map((one) => ({ ...one, company: name })));
    }
    return answers;
  });
  if (findings.length === 0) throw new Failure("refused", (t) => t.verify.nothing_to_answer_for);
  const { verify: t } = terminal.texts;
  show(terminal, json, { answered: findings }, [
    t.answered({ count: findings.length }),
    ...findings.map(
      ({ place, reason, company }) => `  ${place}${company ? ` (${company})` : ""}: ${t.finding({ reason })}`,
    ),
  ]);
}

// ——— A SAF-T file ———

async function verifyFile(file: string, pem: string | undefined, json: boolean, terminal: Terminal): Promise<void> {
  const public_key = pem === undefined ? undefined : readGiven(pem).toString("latin1");
  const report = await checkSaft(openBytes(file), { public_key });
  show(terminal, json, report, linesOfFile(file, report, terminal.texts));
  const [first] = report.errors;
  if (first) throw new Failure("not_whole", (t) => `${file}: ${t.verify.finding({ reason: first.reason })}`);
}

function linesOfFile(file: string, report: SaftCheckReport, { verify: t }: Texts): string[] {
  const { documents, signatures_verified, signatures_unverifiable, errors, error_count, warnings, warning_count } =
    report;
  return [
    t.file({ file, count: documents, signatures: signatures_verified }),
    ...(signatures_unverifiable > 0 ? [t.unverifiable({ count: signatures_unverifiable })] : []),
    ...findingLines(t.error, errors, error_count, t),
    ...findingLines(t.warning, warnings, warning_count, t),
    report.accepted ? t.accepted : t.not_accepted({ errors: error_count }),
  ];
}

function findingLines(severity: string, findings: readonly SaftFinding[], count: number, t: Texts["verify"]): string[] {
  const more = count - findings.length;
  return [
    ...findings.map(({ line, path, document, reason }) => {
      const place = [t.line({ line }), ...(document === null ? [] : [document]), ...(path === "" ? [] : [path])];
      return `${severity}: ${t.finding({ reason })} (${place.join(", ")})`;
    }),
    ...(more > 0 ? [t.more({ count: more })] : []),
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
  const findings = (t: Texts) => [
    ...companies.flatMap((company) => findingsOf(company, t)),
    ...findingsOfInstallation(installation, t),
  ];
  if (findings(TEXTS.en).length === 0) return;
  throw new Failure("not_whole", (t) => t.verify.restore_earlier({ finding: findings(t)[0] ?? "" }));
}

function linesOf(company: CompanyReport, t: Texts): string[] {
  const { name, documents, series, whole } = company;
  const said = whole ? t.verify.of_company : t.verify.damaged_company;
  const counts = said({ name, count: documents, series: series.length });
  return [counts, ...(whole ? [] : findingsOf(company, t).map((line) => `  ${line}`))];
}

function linesOfInstallation(installation: Report["installation"], t: Texts): string[] {
  const { whole, others } = installation;
  const findings = whole ? [] : findingsOfInstallation(installation, t);
  return [
    whole ? t.verify.of_installation : t.verify.damaged_installation,
    ...findings.map((line) => `  ${line}`),
    ...(others.length > 0 ? [t.verify.others({ names: listed(others, t) })] : []),
  ];
}

function findingsOf({ name, series, findings }: CompanyReport, { verify: t }: Texts): string[] {
  const inSeries = series.flatMap(({ doc_type, code, finding }) => {
    if (!finding) return [];
    const where = finding.number ?? t.sequence({ series: `${doc_type} ${code}`, sequence: finding.sequence });
    return [`${where} (${name}): ${t.finding({ reason: finding.reason })}`];
  });
  return [...inSeries, ...findings.map(({ place, reason }) => `${place} (${name}): ${t.finding({ reason })}`)];
}

function findingsOfInstallation({ findings }: Report["installation"], { verify: t }: Texts): string[] {
  return findings.map(({ place, reason }) => `${place}: ${t.finding({ reason })}`);
}
