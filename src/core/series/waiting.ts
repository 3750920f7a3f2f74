/**
 * What waits for a person: numbers or a clock to confirm, a disk that fills up, a backup, heads to note elsewhere, tax
 * files to communicate, series to open or register, webhooks that fail or that nobody sends. Changes nothing.
 */
import * as z from "zod";
import { allCompanies, mustFindCompany } from "../company/companies.ts";
import type { Row } from "../database/tables.ts";
import { emailTroubles } from "../emails/trouble.ts";
import { Day, Instant } from "../fields.ts";
import { civilDate, yearOf } from "../fiscal/civil-time.ts";
import { nameOfSeries } from "../fiscal/numbering.ts";
import { lastBackup, overdueBackup, wantsHeadsElsewhere } from "../installation/backups.ts";
import { lowSpace } from "../runtime/free-space.ts";
import { query } from "../runtime/operation.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { dueMonths } from "../saft/communications.ts";
import { findCheck, storedFinding } from "../verify/finding.ts";
import { unsentCompanies } from "../webhooks/outbox.ts";
import { webhooksInTrouble } from "../webhooks/webhooks.ts";
import { clockFault } from "./clock-guard.ts";
import { lockedHeads } from "./restore-lock.ts";
import { allSeries, DocTypeField, isReal } from "./series.ts";
import { seriesInUse, seriesOfYear } from "./year.ts";

const inCompany = { company_id: z.string(), company: z.string() };
const series = z.array(z.string()).describe("As `FT 2026A`.");
const numbered_as = z.array(z.string()).describe("The same as their numbers begin: `RG 2026A` of `RC 2026A`.");

/** One thing that waits. The first four stop issuing. */
export const Waiting = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("database_changed"),
      ...inCompany,
      place: z.string().describe("What is not as Lacre left it: the number of the document, or the table and the row."),
      reason: z.string(),
    }),
    z.strictObject({
      kind: z.literal("numbers_unconfirmed"),
      ...inCompany,
      numbers: z.array(z.string()).describe("The last numbers in a restored backup, to be confirmed."),
    }),
    z.strictObject({
      kind: z.literal("clock_behind"),
      ...inCompany,
      latest_issued_at: Instant.describe("The clock is behind this document."),
    }),
    z.strictObject({
      kind: z.literal("clock_unconfirmed"),
      ...inCompany,
      now: Instant.describe("What the clock shows."),
      since: Instant.describe("The latest document, or when the clock was confirmed after it: over 60 days ago."),
    }),
    z.strictObject({
      kind: z.literal("disk_low"),
      company_id: z.null(),
      company: z.null(),
      free_bytes: z.int().describe("What is left on the disk of the database. Once it is full nothing is issued."),
    }),
    z.strictObject({
      kind: z.literal("backup_overdue"),
      company_id: z.null(),
      company: z.null(),
      taken_at: Instant.nullable().describe("When the last backup was taken; null if none was."),
    }),
    z.strictObject({ kind: z.literal("heads_not_elsewhere"), company_id: z.null(), company: z.null() }),
    z.strictObject({
      kind: z.literal("tax_file_due"),
      ...inCompany,
      month: z.string().describe("As `2026-10`."),
      due: Day.describe("The last day to communicate it to the tax authority."),
      changed: z.boolean().describe("It was communicated, and documents were issued or cancelled in it since."),
    }),
    z.strictObject({ kind: z.literal("year_not_open"), ...inCompany, year: z.int(), doc_types: z.array(DocTypeField) }),
    z.strictObject({
      kind: z.literal("series_unregistered"),
      ...inCompany,
      series,
      numbered_as,
      any_registered: z.boolean().describe("Whether another series of the company has a validation code."),
    }),
    z.strictObject({ kind: z.literal("series_without_code"), ...inCompany, series, numbered_as }),
    z.strictObject({
      kind: z.literal("webhook_failing"),
      ...inCompany,
      webhook_id: z.string(),
      url: z.string().describe("Without its path."),
      since: Instant.describe("The first failure since its last success."),
      disabled: z.boolean().describe("It gets nothing any more."),
    }),
    z.strictObject({
      kind: z.literal("emails_not_sent"),
      ...inCompany,
      failed: z
        .int()
        .describe("E-mails of the last seven days that were not sent; their documents were not sent again."),
      unknown: z.int().describe("The same of those that may have arrived."),
    }),
    z.strictObject({
      kind: z.literal("emails_failing"),
      ...inCompany,
      since: Instant.describe("The first failure since an e-mail last got through."),
    }),
    z.strictObject({
      kind: z.literal("emails_unsent"),
      ...inCompany,
      since: Instant.describe("The e-mail that waits for longest was due; nobody takes them to send them."),
    }),
    z.strictObject({
      kind: z.literal("webhooks_unsent"),
      ...inCompany,
      since: Instant.describe("The message that waits for longest was due; nobody takes messages to send them."),
    }),
  ])
  .describe("One thing that waits for a person, as `lacre status` shows it.");
export type Waiting = z.infer<typeof Waiting>;

/** What waits in the installation and in each company, the most urgent first. */
export async function allWaiting(scope: ReadScope): Promise<Waiting[]> {
  const waiting = await waitingAbove(scope);
  for (const company of await allCompanies(scope)) waiting.push(...(await waitingIn(scope, company, false)));
  return inOrder(waiting);
}

export const listWaiting = query(
  {
    id: "listWaiting",
    summary: "What waits for a person in this company, the most urgent first",
    needs: "series:read",
    input: z.strictObject({}),
    output: z.array(Waiting),
    fails: [],
  },
  async (scope) => {
    const above = scope.caller.scopes.includes("installation:read") ? await waitingAbove(scope) : [];
    // The page can show the mark that ends a reminder; a log or a monitor cannot.
    return inOrder([...above, ...(await waitingIn(scope, await mustFindCompany(scope), true))]);
  },
);

function inOrder(waiting: Waiting[]): Waiting[] {
  const order = Waiting.options.map(({ shape }) => shape.kind.value as Waiting["kind"]);
  return waiting.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

/** What waits in the installation itself. */
async function waitingAbove(scope: ReadScope): Promise<Waiting[]> {
  const where = { company_id: null, company: null };
  const overdue = await overdueBackup(scope, await lastBackup(scope));
  const alone = await wantsHeadsElsewhere(scope);
  const free_bytes = lowSpace(scope.freeBytes);
  return [
    ...(free_bytes === undefined ? [] : [{ kind: "disk_low" as const, ...where, free_bytes }]),
    ...(overdue ? [{ kind: "backup_overdue" as const, ...where, ...overdue }] : []),
    ...(alone ? [{ kind: "heads_not_elsewhere" as const, ...where }] : []),
  ];
}

/** How long a webhook or a mail server may fail before a person learns of it: most receivers recover by themselves. */
const PATIENCE_MS = 60 * 60 * 1_000;

/** What waits in a company. `reminds`: also of tax files, if no month was ever marked as communicated. */
async function waitingIn(outside: ReadScope, company: Row<"companies">, reminds: boolean): Promise<Waiting[]> {
  const scope: ReadScope = { ...outside, company_id: company.id };
  const where = { company_id: company.id, company: company.name };
  const changed = storedFinding(await findCheck(scope));
  const numbers = (await lockedHeads(scope)).map(({ head }) => head);
  const clock = clockFault(scope, company);
  const all = await allSeries(scope);
  const today = civilDate(scope.now, company.time_zone);
  const year = yearToOpen(today);
  const doc_types = typesWithout(all, year);
  const uncoded = all.filter((row) => isReal(row) && row.validation_code === null);
  const any_registered = all.some((row) => isReal(row) && row.validation_code !== null);
  const unused = uncoded.filter(({ next_number }) => next_number === 1);
  const patient_until = new Date(scope.now.getTime() - PATIENCE_MS).toISOString();
  const failing = await webhooksInTrouble(scope, patient_until);
  const unsent_since = (await unsentCompanies(scope, company.id)).get(company.id);
  const used = uncoded.filter(({ next_number }) => next_number > 1);
  return [
    ...(changed ? [{ kind: "database_changed" as const, ...where, ...changed }] : []),
    ...(numbers.length > 0 ? [{ kind: "numbers_unconfirmed" as const, ...where, numbers }] : []),
    ...(clock ? [{ ...where, ...clock }] : []),
    ...(await dueMonths(scope, today, reminds)).map((due) => ({ kind: "tax_file_due" as const, ...where, ...due })),
    ...(doc_types.length > 0 ? [{ kind: "year_not_open" as const, ...where, year, doc_types }] : []),
    ...(unused.length > 0
      ? [{ kind: "series_unregistered" as const, ...where, ...namesOf(unused), any_registered }]
      : []),
    ...(used.length > 0 ? [{ kind: "series_without_code" as const, ...where, ...namesOf(used) }] : []),
    ...failing.map((webhook) => ({ kind: "webhook_failing" as const, ...where, ...webhook })),
    ...(await emailTroubles(scope, patient_until)).map((trouble) => ({ ...where, ...trouble })),
    ...(unsent_since ? [{ kind: "webhooks_unsent" as const, ...where, since: unsent_since }] : []),
  ];
}

const namesOf = (rows: readonly Row<"series">[]) => ({
  series: rows.map(nameOfSeries),
  numbered_as: rows.map(({ at_type, code }) => nameOfSeries({ doc_type: at_type, code })),
});

/** The year whose series should be open on this day: the next one from 1 December on. */
function yearToOpen(today: Day): number {
  return yearOf(today) + (today.slice(5, 7) === "12" ? 1 : 0);
}

/** The types in use before this year that have no series of it. */
function typesWithout(all: readonly Row<"series">[], year: number): Row<"series">["doc_type"][] {
  const open = new Set(seriesOfYear(all, year).map(({ doc_type }) => doc_type));
  const used = new Set(seriesInUse(all, year).map(({ doc_type }) => doc_type));
  return [...used].filter((doc_type) => !open.has(doc_type));
}
