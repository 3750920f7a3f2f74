/** `lacre series`: the document series of a company. */

import { z } from "zod";
import { type CompanyFace, DOC_TYPES, type Series } from "../core/index.ts";
import { command } from "./command.ts";
import { IN_COMPANY, operand, textFlag } from "./config.ts";
import { withCompany } from "./open-database.ts";
import { columns, show } from "./output.ts";

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

const registerCommand = command({
  name: "series register",
  summary: "sets the validation code AT assigned to a series, before its first document",
  input: z.strictObject({ id: operand("ID"), code: operand("CODE"), ...IN_COMPANY }),
  async run({ id, code, json, ...where }, terminal) {
    const change = { id, validation_code: code };
    const series = await withCompany(where, (lacre, company) => lacre.as(company).series.change(change));
    show(terminal, json, series, columns([cells(series)]));
  },
});

const closeCommand = command({
  name: "series close",
  summary: "closes a series for good",
  input: z.strictObject({ id: operand("ID"), ...IN_COMPANY }),
  async run({ id, json, ...where }, terminal) {
    const change = { id, status: "closed" } as const;
    const series = await withCompany(where, (lacre, company) => lacre.as(company).series.change(change));
    show(terminal, json, series, columns([cells(series)]));
  },
});

export const seriesCommands = [listCommand, createCommand, registerCommand, closeCommand];

function cells({ id, doc_type, code, status, next_number, validation_code, training }: Series): string[] {
  const registered = validation_code === null ? "not registered" : `registered ${validation_code}`;
  return [id, `${doc_type} ${code}`, status, `next ${next_number}`, registered + (training ? ", training" : "")];
}
