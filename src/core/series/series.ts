/** Series: a run of numbers for one document type. Its row is the head of the chain and the only thing an issue locks. */
import type { Kysely } from "kysely";
import { z } from "zod";
import { mustFindCompany } from "../companies.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { NewRow, Row, Tables } from "../database/tables.ts";
import { recordEvent } from "../events.ts";
import { Id, Instant, PathId, text } from "../fields.ts";
import { civilDate, entryTime } from "../fiscal/civil-time.ts";
import { atType, DOC_TYPES, type DocType } from "../fiscal/document-types.ts";
import { numberOf, SERIES_CODE, VALIDATION_CODE } from "../fiscal/numbering.ts";
import { refuse } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { countRows, PageInput, pageAs, pageOf, preparedPage } from "../runtime/page.ts";
import { NO_COMPANY, type ReadScope, type WriteScope } from "../runtime/scope.ts";

export const DocTypeField = z.enum(DOC_TYPES).meta({ id: "DocType", description: "Fiscal document type." });

const code = text(20)
  .refine(
    (given) => SERIES_CODE.test(given),
    "must be 1 to 20 letters and digits, single . _ - between them, not beginning with AT",
  )
  .meta({ example: "2026A", pattern: SERIES_CODE.source });
const validation_code = z
  .string()
  .refine((given) => VALIDATION_CODE.test(given), "must be the 8 or more characters 0-9 A-Z that AT gave")
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

function seriesOf(db: ReadScope["db"], { company_id }: { company_id: string }) {
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
    if (newCode && before.next_number > 1) {
      refuse("invalid_state", "The validation code is fixed once the series has documents.");
    }
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
  return (await findSeries(scope, id)) ?? refuse("not_found", "There is no such series.");
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

/** What `takeNumber` hands to the document that is being issued. */
export interface TakenNumber {
  readonly sequence: number;
  readonly number: string;
  readonly validation_code: string | null;
  /** Europe/Lisbon wall time to the second: the later of now and the series' last. */
  readonly system_entry_date: string;
  readonly issued_at: string;
  readonly previous_hash: string | null;
  readonly previous_seal: string | null;
}

/**
 * Takes the next number of a series for a document of this date. One guarded update is lock, check and counter:
 * whoever commits second sees the first one's number. Never `max()`, never a retry into another number. The first
 * document decides under which certificate the series lives; a certified one needs its validation code, but for training.
 */
export async function takeNumber(
  scope: WriteScope,
  { id }: Row<"series">,
  issue_date: string,
  certificate_number: number,
): Promise<TakenNumber> {
  const entry = entryTime(scope.now);
  const instant = scope.now.toISOString();
  const { company_id } = scope;
  const take = certificate_number > 0 ? takeRegistered : takeFree;
  const [taken] = await take(scope.db, { id, company_id, issue_date, certificate_number, entry, instant });
  if (!taken) return refuseNumber(scope, id, issue_date, certificate_number);
  const sequence = taken.next_number - 1;
  return {
    sequence,
    number: numberOf(taken.at_type, taken.code, sequence),
    validation_code: taken.validation_code,
    system_entry_date: taken.last_entry_date ?? entry,
    issued_at: taken.last_issued_at ?? instant,
    previous_hash: taken.last_hash,
    previous_seal: taken.last_seal,
  };
}

interface Taking {
  readonly id: string;
  readonly company_id: string;
  readonly issue_date: string;
  readonly certificate_number: number;
  readonly entry: string;
  readonly instant: string;
}

/** Moves the series on by one, if it may take a document of this date under this certificate. */
function nextNumber(db: Kysely<Tables>, { id, company_id, issue_date, certificate_number, entry, instant }: Taking) {
  return db
    .updateTable("series")
    .set((eb) => ({
      next_number: eb("next_number", "+", 1),
      certificate_number,
      last_issue_date: issue_date,
      last_entry_date: eb.case().when("last_entry_date", ">", entry).then(eb.ref("last_entry_date")).else(entry).end(),
      last_issued_at: eb.case().when("last_issued_at", ">", instant).then(eb.ref("last_issued_at")).else(instant).end(),
    }))
    .where("id", "=", id)
    .where("company_id", "=", company_id)
    .where("closed_at", "is", null)
    .where((eb) => eb.or([eb("certificate_number", "is", null), eb("certificate_number", "=", certificate_number)]))
    .where((eb) => eb.or([eb("last_issue_date", "is", null), eb("last_issue_date", "<=", issue_date)]))
    .where("restore_locked_at", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("series as locked")
            .select("locked.id")
            .where("locked.company_id", "=", company_id)
            .where("locked.restore_locked_at", "is not", null)
            .where("locked.next_number", ">", 1),
        ),
      ),
    )
    .returningAll();
}

const takeFree = preparedWrite(nextNumber);
/** A certified program's series is registered with the tax authority, but for training. */
const takeRegistered = preparedWrite((db, taking: Taking) =>
  nextNumber(db, taking).where((eb) => eb.or([eb("validation_code", "is not", null), eb("training", "=", 1)])),
);

/** Says why the guarded update of `takeNumber` matched nothing. */
async function refuseNumber(
  scope: WriteScope,
  series_id: string,
  issue_date: string,
  certificate_number: number,
): Promise<never> {
  const series = await findSeries(scope, series_id);
  if (!series) throw new Error(`The series ${series_id} of a draft is gone.`);
  if (series.closed_at !== null) return refuse("series_closed", `The series ${series.code} is closed.`);
  if (series.certificate_number !== null && series.certificate_number !== certificate_number) {
    const began = `The series ${series.code} began under certificate number ${series.certificate_number}`;
    return refuse("series_closed", `${began}, the installation's is now ${certificate_number}; open a new series.`);
  }
  if (certificate_number > 0 && series.validation_code === null && series.training === 0) {
    return refuse("series_not_registered", `The series ${series.code} has no validation code; AT gives one.`);
  }
  if (series.last_issue_date !== null && series.last_issue_date > issue_date) {
    return refuse("date_out_of_order", `The series already has a document dated ${series.last_issue_date}.`);
  }
  const waiting = (await lockedHeads(scope)).map(({ head }) => head).join(", ");
  return refuse(
    "unavailable",
    `This is a restored backup: issuing waits until these last numbers are confirmed: ${waiting}.`,
  );
}

/** Makes the document just issued the head of its series. */
export async function saveHead(
  scope: WriteScope,
  series_id: string,
  head: { hash: string; seal: string },
): Promise<void> {
  await moveHead(scope.db, { id: series_id, ...head });
}

const moveHead = preparedWrite((db, { id, hash, seal }: { id: string; hash: string; seal: string }) =>
  db.updateTable("series").set({ last_hash: hash, last_seal: seal }).where("id", "=", id),
);

/** The instant of the company's latest document, or null. The clock guard asks (clock.ts). */
export async function latestIssuedAt({ db, company_id }: ReadScope): Promise<string | null> {
  return (await latestOf(db, { company_id }))[0]?.latest ?? null;
}

const latestOf = preparedSelect((db, { company_id }: { company_id: string }) =>
  db
    .selectFrom("series")
    .select((eb) => eb.fn.max("last_issued_at").as("latest"))
    .where("company_id", "=", company_id),
);

async function openSeries(
  scope: WriteScope,
  input: z.infer<typeof NewSeries>,
  cash_vat: boolean,
): Promise<Row<"series">> {
  const code_folded = input.code.toLowerCase();
  const { company_id } = scope;
  const same = await seriesLike(scope.db, { company_id, doc_type: input.doc_type, code_folded });
  if (same.length > 0)
    refuse("conflict", `There is already a ${input.doc_type} series ${input.code}; closed ones count too.`);
  const row: NewRow<"series"> = {
    id: scope.newId(),
    company_id,
    doc_type: input.doc_type,
    code: input.code,
    code_folded,
    at_type: atType(input.doc_type, cash_vat),
    validation_code: input.validation_code ?? null,
    training: input.training ? 1 : 0,
    certificate_number: null,
    last_issue_date: null,
    last_entry_date: null,
    last_issued_at: null,
    last_hash: null,
    last_seal: null,
    closed_at: null,
    restore_locked_at: null,
    created_at: scope.now.toISOString(),
  };
  const [created] = (await insertSeries(scope.db, row)) as [Row<"series">];
  await recordEvent(scope, "series.opened", created.id, { doc_type: created.doc_type, code: created.code });
  return created;
}

const seriesLike = preparedSelect((db, like: Pick<Row<"series">, "company_id" | "doc_type" | "code_folded">) =>
  db
    .selectFrom("series")
    .select("id")
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

/** A series that waits for its head to be confirmed after a restore. */
export interface LockedHead {
  readonly company_id: string;
  readonly doc_type: DocType;
  /** The last number in this file; with sequence 0 when it has none. */
  readonly head: string;
}

/**
 * Locks every open series until its head is confirmed: a stale backup must not give a number twice. That goes for
 * series without documents too, as they may have been used after the backup was taken.
 */
export async function lockSeriesUntilConfirmed(scope: WriteScope): Promise<void> {
  await scope.db
    .updateTable("series")
    .set({ restore_locked_at: scope.now.toISOString() })
    .where("closed_at", "is", null)
    .execute();
}

/** The series that are still locked: of the call's company, or of all when it names none. Those with documents first. */
export async function lockedHeads({ db, company_id }: ReadScope): Promise<LockedHead[]> {
  let locked = db.selectFrom("series").selectAll().where("restore_locked_at", "is not", null);
  if (company_id !== NO_COMPANY) locked = locked.where("company_id", "=", company_id);
  const rows = await locked.orderBy("next_number", "desc").orderBy("id").execute();
  return rows.map((row) => ({ company_id: row.company_id, doc_type: row.doc_type, head: headOf(row) }));
}

/**
 * Unlocks the series of this number when it is the head of the file, closes it when it is not. A series this file does
 * not know was opened after the backup: it is put on record as closed, so that none of its numbers is given again.
 */
export async function confirmSeriesHead(
  scope: WriteScope,
  number: string,
): Promise<{ head: string; outcome: "unlocked" | "closed" } | "unknown" | "not_locked"> {
  const given = partsOfNumber(number);
  if (!given) return "unknown";
  const { at_type, code, sequence } = given;
  const series = (await allSeries(scope)).find((row) => row.at_type === at_type && row.code === code);
  if (!series) return (await recordLostSeries(scope, at_type, code)) ? { head: number, outcome: "closed" } : "unknown";
  if (series.restore_locked_at === null) return "not_locked";
  const head = headOf(series);
  const outcome = sequence === series.next_number - 1 ? "unlocked" : "closed";
  await scope.db
    .updateTable("series")
    .set({ restore_locked_at: null, ...(outcome === "closed" && { closed_at: scope.now.toISOString() }) })
    .where("id", "=", series.id)
    .execute();
  await recordEvent(scope, outcome === "closed" ? "series.closed" : "series.head_confirmed", series.id, {
    number,
    head,
  });
  return { head, outcome };
}

/** Records a series of the lost time as closed; false when the number names no type of document. */
async function recordLostSeries(scope: WriteScope, at_type: string, code: string): Promise<boolean> {
  const doc_type = DOC_TYPES.find((type) => [false, true].some((cash_vat) => atType(type, cash_vat) === at_type));
  if (!doc_type || !SERIES_CODE.test(code)) return false;
  const { id } = await openSeries(scope, { doc_type, code }, at_type === "RC");
  await scope.db.updateTable("series").set({ closed_at: scope.now.toISOString() }).where("id", "=", id).execute();
  await recordEvent(scope, "series.closed", id, { number: `${at_type} ${code}` });
  return true;
}

/** A printed number taken apart: `FT 2026A/17`; undefined when it is none. */
function partsOfNumber(number: string): { at_type: string; code: string; sequence: number } | undefined {
  const [, at_type, code, sequence] = /^([A-Z]{2}) ([^ /]{1,20})\/([0-9]{1,15})$/.exec(number) ?? [];
  return at_type && code && sequence ? { at_type, code, sequence: Number(sequence) } : undefined;
}

function headOf(row: Row<"series">): string {
  return numberOf(row.at_type, row.code, row.next_number - 1);
}
