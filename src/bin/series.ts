/** `lacre series`: the document series of a company. */

import { z } from "zod";
import { type CompanyFace, DOC_TYPES, type Series } from "../core/index.ts";
import { command } from "./command.ts";
import { FLAGS, IN_COMPANY, integerText, operand, textFlag } from "./config.ts";
import { withCompany } from "./open-database.ts";
import { columns, show } from "./output.ts";
import { mustAgree } from "./terminal.ts";

/** What a new series asks of its owner; the first document fixes a series without a code for good. */
export const REGISTER_FIRST =
  "Communicate each series to AT and enter the code it gives (lacre series register ID CODE) before its first document.";

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
      ...(opened.length > 0 ? [REGISTER_FIRST] : []),
    ]);
  },
});

/** A closed series keeps its code for good, so that a person has to choose another. */
function nextAfterClosed({ doc_type, code }: Series): string {
  return `${doc_type} ${code} is closed, and its code is not used again: choose another (lacre series create --doc-type ${doc_type} --code CODE).`;
}

const registerCommand = command({
  name: "series register",
  summary: "sets the validation code AT assigned to a series, before its first document",
  input: z.strictObject({ id: operand("ID"), code: operand("CODE", "validation_code"), ...IN_COMPANY }),
  async run({ id, code, json, ...where }, terminal) {
    const change = { id, validation_code: code };
    const series = await withCompany(where, (lacre, company) => lacre.as(company).series.change(change));
    show(terminal, json, series, columns([cells(series)]));
  },
});

const closeCommand = command({
  name: "series close",
  summary: "closes a series for good",
  details:
    "Closing is final, and counts from the next document on. It asks first; where nobody can answer, give --yes.",
  input: z.strictObject({ id: operand("ID"), yes: FLAGS.yes, ...IN_COMPANY }),
  async run({ id, yes, json, ...where }, terminal) {
    const series = await withCompany(where, async (lacre, company) => {
      const all = lacre.as(company).series;
      const { doc_type, code, status } = await all.get({ id });
      const question = `Close the series ${doc_type} ${code} for good?`;
      if (status === "active") await mustAgree(terminal, question, "--yes", yes);
      return all.change({ id, status: "closed" });
    });
    show(terminal, json, series, columns([cells(series)]));
  },
});

export const seriesCommands = [listCommand, createCommand, openCommand, registerCommand, closeCommand];

function cells({ id, doc_type, code, status, next_number, validation_code, training }: Series): string[] {
  const registered = validation_code === null ? "not registered" : `registered ${validation_code}`;
  return [id, `${doc_type} ${code}`, status, `next ${next_number}`, registered + (training ? ", training" : "")];
}
