/** Series: a run of numbers for one document type, opened, registered with the tax authority, closed for good. */
import { z } from "zod";
import { mustFindCompany } from "../companies.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { NewRow, Reader, Row } from "../database/tables.ts";
import { recordEvent } from "../events.ts";
import { Id, Instant, PathId, says, text } from "../fields.ts";
import { civilDate } from "../fiscal/civil-time.ts";
import { atType, DOC_TYPES, type DocType } from "../fiscal/document-types.ts";
import { SERIES_CODE, VALIDATION_CODE } from "../fiscal/numbering.ts";
import { refuse } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { countRows, PageInput, pageAs, pageOf, preparedPage } from "../runtime/page.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";

export const DocTypeField = z.enum(DOC_TYPES).meta({ id: "DocType", description: "Fiscal document type." });

const code = text(20)
  .refine((given) => SERIES_CODE.test(given), says("must_be_series_code"))
  .meta({ example: "2026A", pattern: SERIES_CODE.source });
const validation_code = z
  .string()
  .refine((given) => VALIDATION_CODE.test(given), says("must_be_validation_code"))
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
  })
  .meta({ id: "SeriesInput" });

export const SeriesChanges = z
  .strictObject({
    validation_code: validation_code.optional(),
    status: z.literal("closed").optional().describe("Closing is final."),
  })
  .meta({ id: "SeriesChanges" });

export const listSeries = query(
  {
    id: "listSeries",
    summary: "List series, newest first",
    needs: "series:read",
    input: z.strictObject({ ...PageInput }),
    output: pageOf(Series),
    fails: [],
  },
  async ({ db, company_id }, input) => {
    const total = await countRows(seriesOf(db, { company_id }));
    return pageAs(await pageOfSeries(db, { company_id }, input, total), toSeries);
  },
);

function seriesOf(db: Reader, { company_id }: { company_id: string }) {
  return db.selectFrom("series").where("company_id", "=", company_id);
}

const pageOfSeries = preparedPage(seriesOf);

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
    const { cash_vat } = await mustFindCompany(scope);
    return toSeries(await openSeries(scope, input, cash_vat === 1));
  },
);

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
    input: z.strictObject({ id: PathId, ...SeriesChanges.shape }),
    output: Series,
    fails: ["not_found", "series_closed", "invalid_state"],
  },
  async (scope, { id, validation_code, status }) => {
    const before = await mustFindSeries(scope, id);
    const newCode = validation_code !== undefined && validation_code !== before.validation_code;
    if (newCode && before.closed_at !== null) refuse("series_closed");
    if (newCode && before.next_number > 1) refuse("invalid_state", "validation_code_is_fixed");
    const closing = status === "closed" && before.closed_at === null;
    if (!newCode && !closing) return toSeries(before);
    const saved = await scope.db
      .updateTable("series")
      .set({
        ...(newCode && { validation_code }),
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
  return (await findSeries(scope, id)) ?? refuse("not_found", "no_such_series");
}

/** Every series of the company, oldest first. */
export async function allSeries({ db, company_id }: ReadScope): Promise<Row<"series">[]> {
  return db.selectFrom("series").selectAll().where("company_id", "=", company_id).orderBy("id").execute();
}

/** Opens one series per document type for the year of `now` in the company's time zone: `FT 2026A`, `FS 2026A`, … */
export async function openYearSeries(scope: WriteScope, company: Row<"companies">): Promise<void> {
  const year = civilDate(scope.now, company.time_zone).slice(0, 4);
  for (const doc_type of DOC_TYPES) await openSeries(scope, { doc_type, code: `${year}A` }, company.cash_vat === 1);
}

/** Opens a series. Refuses with `conflict` when there is one of this type and code, closed ones included. */
export async function openSeries(
  scope: WriteScope,
  input: z.infer<typeof NewSeries>,
  cash_vat: boolean,
): Promise<Row<"series">> {
  const { doc_type, code } = input;
  if (await seriesLike(scope, doc_type, code)) refuse("conflict", "series_exists", { doc_type, code });
  const row: NewRow<"series"> = {
    id: scope.newId(),
    company_id: scope.company_id,
    doc_type,
    code,
    code_folded: code.toLowerCase(),
    at_type: atType(doc_type, cash_vat),
    validation_code: input.validation_code ?? null,
    training: input.training ? 1 : 0,
    created_at: scope.now.toISOString(),
  };
  const [created] = (await insertSeries(scope.db, row)) as [Row<"series">];
  await recordEvent(scope, "series.opened", created.id, { doc_type: created.doc_type, code: created.code });
  return created;
}

/** The one series of this type and code, in capital or small letters, closed ones included. */
export async function seriesLike(
  { db, company_id }: ReadScope,
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
    created_at: row.created_at,
  };
}
