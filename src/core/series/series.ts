/**
 * Series: a run of numbers for one document type; it is opened, registered with the tax authority, and closed for good.
 */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { NewRow, Reader, Row } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { Day, formed, Id, Instant, PathId, says, text } from "../fields.ts";
import { civilDate, yearOf } from "../fiscal/civil-time.ts";
import { atType, DOC_TYPES, type DocType } from "../fiscal/document-types.ts";
import { SERIES_CODE, VALIDATION_CODE, yearOfCode } from "../fiscal/numbering.ts";
import { type Problem, problem, refuse, refuseInput } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { countRows, PageInput, pageAs, pageBounds, pageOf, preparedPage } from "../runtime/page.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { certificationOf } from "../signing/certification.ts";
import { t } from "./refusals.ts";

export const DocTypeField = z.enum(DOC_TYPES).meta({ id: "DocType", description: "Fiscal document type." });

const code = text(20)
  .refine((given) => SERIES_CODE.test(given), says(t.must_be_series_code))
  .meta({ example: "2026A", pattern: SERIES_CODE.source });
const validation_code = formed(53, (given) => VALIDATION_CODE.test(given), t.must_be_validation_code)
  .nullable()
  .meta({
    description: "The code AT gave for the series; null until it is registered.",
    example: "CSDF7T5H",
    pattern: VALIDATION_CODE.source,
  });

export const Series = z
  .strictObject({
    id: Id,
    doc_type: DocTypeField,
    code,
    validation_code,
    next_number: z.int().describe("The sequence the next document takes."),
    status: z.enum(["active", "closed"]),
    training: z.boolean().describe("For training only; never real documents."),
    cash_vat: z.boolean().describe("For documents of the cash-VAT scheme."),
    registered_at: Instant.nullable().describe("When the validation code was set."),
    created_at: Instant,
  })
  .meta({ id: "Series", description: "A run of numbers for one document type." });
export type Series = z.infer<typeof Series>;

export const NewSeries = z
  .strictObject({
    doc_type: DocTypeField,
    code,
    validation_code: validation_code.optional(),
    training: z.boolean().optional().describe("For training only; false when left out."),
    cash_vat: z
      .boolean()
      .optional()
      .describe(
        "For FT, FS, FR, NC, ND or RC of the cash-VAT scheme, while the company is in it; false when left out.",
      ),
  })
  .meta({ id: "SeriesInput", description: "A series to open." });
export type NewSeries = z.input<typeof NewSeries>;

export const SeriesChanges = z
  .strictObject({
    validation_code: validation_code.optional(),
    status: z.literal("closed").optional().describe("Closing is final."),
  })
  .meta({ id: "SeriesChanges", description: "The changes to a series: registering it and closing it." });
export type SeriesChanges = z.input<typeof SeriesChanges>;

export const listSeries = query(
  {
    id: "listSeries",
    summary: "List series, newest first",
    needs: "series:read",
    input: z.strictObject({
      doc_type: DocTypeField.optional(),
      current: z.boolean().optional().describe("Only the one of each type that a new document goes into."),
      date: Day.optional().describe("With `current`: the day of that document; today when left out."),
      ...PageInput,
    }),
    output: pageOf(Series),
    fails: [],
  },
  async (scope, { doc_type, current, date, ...page }) => {
    if (date !== undefined && !current) refuseInput([problem("date", t.needs_field({ field: "current" }))]);
    if (current) {
      const series = await currentSeries(scope, await yearAsked(scope, date));
      const found = series.filter((row) => doc_type === undefined || row.doc_type === doc_type);
      const { pagination, size } = pageBounds(page, found.length);
      const { offset } = pagination;
      return {
        data: found
          .reverse()
          .slice(offset, offset + size)
          .map(toSeries),
        pagination,
      };
    }
    const { db, company_id } = scope;
    const total = await countRows(seriesOf(db, { company_id, doc_type }));
    return pageAs(await pageOfSeries(db, { company_id, doc_type }, page, total), toSeries);
  },
);

interface OfType {
  readonly company_id: string;
  readonly doc_type: DocType | undefined;
}

function seriesOf(db: Reader, { company_id, doc_type }: OfType) {
  const found = db.selectFrom("series").where("company_id", "=", company_id);
  return doc_type ? found.where("doc_type", "=", doc_type) : found;
}

const pageOfSeries = preparedPage(seriesOf);

export const getCurrentSeries = query(
  {
    id: "getCurrentSeries",
    summary: "Get the series that a new document of a type goes into",
    needs: "operator",
    input: z.strictObject({
      doc_type: DocTypeField,
      date: Day.optional().describe("The day of the document; today when left out."),
    }),
    output: Series,
    fails: ["not_found"],
  },
  async (scope, { doc_type, date }) => {
    const year = await yearAsked(scope, date);
    const found = await currentSeriesOf(scope, doc_type, year);
    if (found) return toSeries(found);
    const { text, remedy } = await problemWithoutSeries(scope, doc_type, year);
    return refuse("not_found", text, remedy);
  },
);

/** The series that a new document of a type goes into, if there is one for the year. */
export async function currentSeriesOf(
  scope: ReadScope,
  doc_type: DocType,
  year: number,
  kind: SeriesKind = REAL,
): Promise<Row<"series"> | undefined> {
  return (await currentSeries(scope, year, kind)).find((row) => row.doc_type === doc_type);
}

/** Whether a series is for training, and whether it is of the cash-VAT scheme. */
type SeriesKind = Pick<Row<"series">, "training" | "cash_vat">;
const REAL: SeriesKind = { training: 0, cash_vat: 0 };

/** The problem, of the field `series`, that there is none. */
export async function problemWithoutSeries(scope: ReadScope, doc_type: DocType, year: number): Promise<Problem> {
  const others = (await allSeries(scope)).filter((row) => row.doc_type === doc_type && isReal(row));
  const active = others.length > 0 ? t.active({ codes: others.map(({ code }) => code) }) : t.none_active;
  const text = t.no_current_series({ doc_type, year, active });
  return { path: "series", text, remedy: { to: "open_series" } };
}

/** The year of a day, or of today in the company's time zone. */
async function yearAsked(scope: ReadScope, date: Day | undefined): Promise<number> {
  return yearOf(date ?? civilDate(scope.now, (await mustFindCompany(scope)).time_zone));
}

/**
 * At most one series for each type, that for documents of this year: the newest of the year or, if there is none, the
 * newest without a year (`yearOfCode`). It is active, not for training, usable under the present certificate number,
 * and not for cash VAT, which a caller chooses; or it is of another kind that is asked for. Oldest first.
 */
async function currentSeries(
  scope: ReadScope,
  year: number,
  { training, cash_vat }: SeriesKind = REAL,
): Promise<Row<"series">[]> {
  const { certificate_number } = await certificationOf(scope);
  const open = (await allSeries(scope)).filter(
    (row) =>
      row.closed_at === null &&
      row.training === training &&
      row.cash_vat === cash_vat &&
      isUsable(row, certificate_number),
  );
  const found = Map.groupBy(open, ({ doc_type }) => doc_type);
  return [...found.values()]
    .flatMap((rows) => {
      const newestOf = (wanted: number | null) => rows.findLast(({ code }) => yearOfCode(code) === wanted);
      return newestOf(year) ?? newestOf(null) ?? [];
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Whether a series is active, and not for training. */
export function isReal({ closed_at, training }: Row<"series">): boolean {
  return closed_at === null && training === 0;
}

/** Whether a series takes documents under this certificate number, 0 for none; `checksOfSeries` refuses the others. */
function isUsable({ certificate_number, validation_code }: Row<"series">, current: number): boolean {
  return (certificate_number ?? current) === current && (current === 0 || validation_code !== null);
}

export const createSeries = command(
  {
    id: "createSeries",
    summary: "Open a series",
    needs: "series:write",
    input: NewSeries,
    output: Series,
    fails: ["conflict"],
  },
  async (scope, input) => {
    if (input.cash_vat) await mustBeForCashVat(scope, input);
    return toSeries(await openSeries(scope, input));
  },
);

/** Types that the cash-VAT scheme knows: invoices, their corrections and receipts. */
const CASH_VAT_TYPES: readonly DocType[] = ["FT", "FS", "FR", "NC", "ND", "RC"];

/** Refuses a series of the cash-VAT scheme for another type, and for a company outside the scheme. */
async function mustBeForCashVat(scope: WriteScope, { doc_type }: z.infer<typeof NewSeries>): Promise<void> {
  if (!CASH_VAT_TYPES.includes(doc_type)) {
    refuseInput([problem("cash_vat", t.is_for_types({ doc_type, allowed: CASH_VAT_TYPES }))]);
  }
  if ((await mustFindCompany(scope)).cash_vat === 0) refuseInput([problem("cash_vat", t.company_is_not_in_cash_vat)]);
}

export const getSeries = query(
  {
    id: "getSeries",
    summary: "Get a series",
    needs: "series:read",
    input: z.strictObject({ id: PathId }),
    output: Series,
    fails: ["not_found"],
  },
  async (scope, { id }) => toSeries(await mustFindSeries(scope, id)),
);

export const changeSeries = command(
  {
    id: "changeSeries",
    summary: "Set the validation code, or close the series for good",
    needs: "series:write",
    confirmed: (input) => (input as { readonly status?: unknown } | null)?.status === "closed",
    input: z.strictObject({ id: PathId, ...SeriesChanges.shape }),
    output: Series,
    fails: ["not_found", "series_closed", "invalid_state", "conflict", "password_required"],
  },
  async (scope, { id, validation_code, status }) => {
    const before = await mustFindSeries(scope, id);
    const newCode = validation_code !== undefined && validation_code !== before.validation_code;
    if (newCode && before.closed_at !== null) refuse("series_closed");
    if (newCode && before.next_number > 1) refuse("invalid_state", t.validation_code_is_fixed);
    if (newCode) await mustBeFreeCode(scope, validation_code);
    const closing = status === "closed" && before.closed_at === null;
    if (!newCode && !closing) return toSeries(before);
    const saved = await scope.db
      .updateTable("series")
      .set({
        ...(newCode && { validation_code, registered_at: validation_code === null ? null : scope.now.toISOString() }),
        ...(closing && { closed_at: scope.now.toISOString() }),
      })
      .where("id", "=", before.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (newCode) await recordEvent(scope, "series.registered", saved.id, { validation_code });
    if (closing) await recordEvent(scope, "series.closed", saved.id);
    return toSeries(saved);
  },
);

/** The series with this id, closed ones included. */
export async function findSeries({ db, company_id }: ReadScope, id: string): Promise<Row<"series"> | undefined> {
  return (await seriesById(db, { id, company_id }))[0];
}

const seriesById = preparedSelect((db, { id, company_id }: { id: string; company_id: string }) =>
  db.selectFrom("series").selectAll().where("id", "=", id).where("company_id", "=", company_id),
);

/** The series with this id, or refuses with `not_found`. */
async function mustFindSeries(scope: ReadScope, id: string): Promise<Row<"series">> {
  return (await findSeries(scope, id)) ?? refuse("not_found", t.no_such_series);
}

/** Every series of the company, oldest first. */
export async function allSeries({ db, company_id }: ReadScope): Promise<Row<"series">[]> {
  return db.selectFrom("series").selectAll().where("company_id", "=", company_id).orderBy("id").execute();
}

/** Opens one series per document type for the year of `now` in the company's time zone: `FT 2026A`, `FS 2026A`, … */
export async function openFirstSeries(scope: WriteScope, company: Row<"companies">): Promise<void> {
  const year = yearOf(civilDate(scope.now, company.time_zone));
  for (const doc_type of DOC_TYPES) await openSeries(scope, { doc_type, code: `${year}A` });
}

/** Opens a series. Refuses with `conflict` if one of this type and code exists, closed ones included. */
export async function openSeries(scope: WriteScope, input: z.infer<typeof NewSeries>): Promise<Row<"series">> {
  const { doc_type, code, cash_vat = false } = input;
  if (await seriesLike(scope, doc_type, code)) refuse("conflict", t.series_exists({ doc_type, code }));
  await mustBeFreeCode(scope, input.validation_code ?? null);
  const row: NewRow<"series"> = {
    id: scope.newId(),
    company_id: scope.company_id,
    doc_type,
    code,
    code_folded: code.toLowerCase(),
    at_type: atType(doc_type, cash_vat),
    validation_code: input.validation_code ?? null,
    registered_at: input.validation_code == null ? null : scope.now.toISOString(),
    training: input.training ? 1 : 0,
    cash_vat: cash_vat ? 1 : 0,
    created_at: scope.now.toISOString(),
  };
  const [created] = (await insertSeries(scope.db, row)) as [Row<"series">];
  await recordEvent(scope, "series.opened", created.id, { doc_type: created.doc_type, code: created.code });
  return created;
}

/**
 * Refuses with `conflict` AT's code of another series, closed ones included: each has its own (Portaria 195/2020, 3).
 */
async function mustBeFreeCode({ db, company_id }: ReadScope, validation_code: string | null): Promise<void> {
  if (validation_code === null) return;
  const holder = await db
    .selectFrom("series")
    .select(["doc_type", "code"])
    .where("company_id", "=", company_id)
    .where("validation_code", "=", validation_code)
    .executeTakeFirst();
  if (holder) refuse("conflict", t.validation_code_is_taken({ validation_code, ...holder }));
}

/** The one series of this type and code, in capital or small letters, closed ones included. */
export async function seriesLike(
  { db, company_id }: Pick<ReadScope, "db" | "company_id">,
  doc_type: DocType,
  code: string,
): Promise<Row<"series"> | undefined> {
  return (await seriesByCode(db, { company_id, doc_type, code_folded: code.toLowerCase() }))[0];
}

const seriesByCode = preparedSelect((db, like: Pick<Row<"series">, "company_id" | "doc_type" | "code_folded">) =>
  db
    .selectFrom("series")
    .selectAll()
    .where("company_id", "=", like.company_id)
    .where("doc_type", "=", like.doc_type)
    .where("code_folded", "=", like.code_folded),
);

const insertSeries = preparedWrite((db, row: NewRow<"series">) => db.insertInto("series").values(row).returningAll());

export function toSeries(row: Row<"series">): Series {
  return {
    id: row.id,
    doc_type: row.doc_type,
    code: row.code,
    validation_code: row.validation_code,
    next_number: row.next_number,
    status: row.closed_at === null ? "active" : "closed",
    training: row.training === 1,
    cash_vat: row.cash_vat === 1,
    registered_at: row.registered_at,
    created_at: row.created_at,
  };
}
