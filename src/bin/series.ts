/** `lacre series`: the document series of a company. */

import { z } from "zod";
import { nameOfSeries } from "../core/fiscal/numbering.ts";
import { type CompanyFace, DOC_TYPES, type Series } from "../core/index.ts";
import { command } from "./command.ts";
import { FLAGS, IN_COMPANY, integerText, isId, operand, textFlag } from "./config.ts";
import { Failure } from "./exit.ts";
import { withCompany } from "./open-database.ts";
import { columns, listed, show } from "./output.ts";
import { mustAgree } from "./terminal.ts";

/**
 * What new series, the first of them named, ask of their owner: the first document fixes one without a code for good.
 */
export function registerFirst(name: string): string {
  return `Communicate each series to AT, and before its first document enter the code AT gives: lacre series register "${name}" CODE`;
}

/** Series read per call. */
const PAGE = 200;

/** Every series of a company, oldest first. */
export async function everySeries(company: CompanyFace): Promise<Series[]> {
  const all: Series[] = [];
  for (;;) {
    const { data, pagination } = await company.series.list({ limit: PAGE, offset: all.length });
    all.push(...data);
    if (data.length === 0 || all.length >= pagination.total) return all.reverse();
  }
}

/**
 * The series of a company that was named as it is listed, `FT 2026A`, or by its id. Throws `Failure` if there is none.
 */
async function seriesNamed(given: string, company: CompanyFace): Promise<Series> {
  if (isId(given)) return company.series.get({ id: given });
  const all = await everySeries(company);
  const found = all.find((one) => nameOfSeries(one) === given);
  if (found) return found;
  const active = all.filter(({ status }) => status === "active").map(nameOfSeries);
  throw new Failure("refused", `There is no series ${given}; active ones are ${listed(active) || "none"}.`);
}

const SERIES = operand("SERIES");
const NAMING = 'SERIES is its name as in lacre series list, in quotes ("FT 2026A"), or its id.';

const listCommand = command({
  name: "series list",
  summary: "lists a company's series, oldest first",
  input: z.strictObject(IN_COMPANY),
  async run({ json, ...where }, terminal) {
    const series = await withCompany(where, (lacre, company) => everySeries(lacre.as(company)));
    show(terminal, json, series, columns(series.map(cells)));
  },
});

const createCommand = command({
  name: "series create",
  summary: "opens a series",
  input: z.strictObject({
    doc_type: z
      .enum(DOC_TYPES, `must be one of ${DOC_TYPES.join(", ")}`)
      .meta({ takes: "TYPE", description: DOC_TYPES.join(", ") }),
    code: textFlag("CODE", "as in 2027A: letters and digits"),
    validation_code: textFlag("CODE", "the code AT assigned; it can be registered later").optional(),
    training: z.boolean().default(false).meta({ description: "for training only, never real documents" }),
    ...IN_COMPANY,
  }),
  async run({ json, db, company, ...series }, terminal) {
    const created = await withCompany({ db, company }, (lacre, { id }) => lacre.as(id).series.create(series));
    show(terminal, json, created, columns([cells(created)]));
  },
});

const openCommand = command({
  name: "series open",
  summary: "opens the series of a year, 2027A after 2026A, for every type in use",
  details: `A type is in use when an active series of an earlier year has documents or a validation code; while none is in use,
every type is opened. What is there already is named and left as it is. A code is of a year when it names one, from 2022
on, with no digit beside it: 2026A, LOJA2-2026. A series of no year goes on and needs no other.`,
  input: z.strictObject({
    year: integerText(2000, 9999).meta({ takes: "YEAR", description: "this year or the next" }),
    ...IN_COMPANY,
  }),
  async run({ year, json, ...where }, terminal) {
    const made = await withCompany(where, (lacre, company) => lacre.as(company).series.openYear({ year }));
    const { opened, existing } = made;
    show(terminal, json, made, [
      ...columns([
        ...opened.map((row) => ["opened", ...cells(row)]),
        ...existing.map((row) => ["exists", ...cells(row)]),
      ]),
      ...(opened.length + existing.length === 0
        ? [`Nothing to open: no active series is of a year before ${year}.`]
        : []),
      ...existing.filter(({ status }) => status === "closed").map(nextAfterClosed),
      ...opened.slice(0, 1).map((first) => registerFirst(nameOfSeries(first))),
    ]);
  },
});

/** A closed series keeps its code for good, so that a person has to choose another. */
function nextAfterClosed(series: Series): string {
  return `${nameOfSeries(series)} is closed, and its code is not used again; choose another: lacre series create --doc-type ${series.doc_type} --code CODE`;
}

const registerCommand = command({
  name: "series register",
  summary: "sets the validation code AT assigned to a series, before its first document",
  details: NAMING,
  input: z.strictObject({ series: SERIES, code: operand("CODE", "validation_code"), ...IN_COMPANY }),
  async run({ series, code, json, ...where }, terminal) {
    const registered = await withCompany(where, async (lacre, { id }) => {
      const company = lacre.as(id);
      return company.series.change({ id: (await seriesNamed(series, company)).id, validation_code: code });
    });
    show(terminal, json, registered, columns([cells(registered)]));
  },
});

const closeCommand = command({
  name: "series close",
  summary: "closes a series for good",
  details: `${NAMING}
Closing is final, and counts from the next document on. It asks first; where nobody can answer, give --yes.`,
  input: z.strictObject({ series: SERIES, yes: FLAGS.yes, ...IN_COMPANY }),
  async run({ series, yes, json, ...where }, terminal) {
    const closed = await withCompany(where, async (lacre, { id }) => {
      const company = lacre.as(id);
      const found = await seriesNamed(series, company);
      const question = `Close the series ${nameOfSeries(found)} for good?`;
      if (found.status === "active") await mustAgree(terminal, question, "--yes", yes);
      return company.series.change({ id: found.id, status: "closed" });
    });
    show(terminal, json, closed, columns([cells(closed)]));
  },
});

export const seriesCommands = [listCommand, createCommand, openCommand, registerCommand, closeCommand];

function cells(series: Series): string[] {
  const { id, status, next_number, validation_code, training } = series;
  const registered = validation_code === null ? "not registered" : `registered ${validation_code}`;
  return [id, nameOfSeries(series), status, `next ${next_number}`, registered + (training ? ", training" : "")];
}
