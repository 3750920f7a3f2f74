/** `lacre series`: the document series of a company. */

import * as z from "zod";
import { nameOfSeries } from "../core/fiscal/numbering.ts";
import { type CompanyFace, DOC_TYPES, type Series } from "../core/index.ts";
import { command } from "./command.ts";
import { about, FLAGS, IN_COMPANY, integerText, isId, operand, textFlag } from "./config.ts";
import { withCompany } from "./database/open.ts";
import { Failure } from "./exit.ts";
import { columns, listed, show } from "./output.ts";
import { mustAgree } from "./terminal.ts";
import type { Texts, Words } from "./texts/texts.ts";

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

/** The series of a company, by its listed name, `FT 2026A`, or its id. Throws `Failure` if there is none. */
async function seriesNamed(given: string, company: CompanyFace): Promise<Series> {
  if (isId(given)) return company.series.get({ id: given });
  const all = await everySeries(company);
  const found = all.find((one) => nameOfSeries(one) === given);
  if (found) return found;
  const active = all.filter(({ status }) => status === "active").map(nameOfSeries);
  throw new Failure("refused", (t) => t.series.unknown({ given, active: listed(active, t) || t.none }));
}

const SERIES = operand("SERIES");

const listCommand = command({
  name: "series list",
  input: z.strictObject(IN_COMPANY),
  async run({ json, ...where }, terminal) {
    const series = await withCompany(where, (lacre, company) => everySeries(lacre.as(company)));
    show(terminal, json, series, columns(series.map((row) => cells(row, terminal.texts))));
  },
});

const createCommand = command({
  name: "series create",
  input: z.strictObject({
    doc_type: z.enum(DOC_TYPES).meta(about("doc_type", { takes: "TYPE" })),
    code: textFlag("CODE", "series_code"),
    validation_code: textFlag("CODE", "validation_code").optional(),
    training: z.boolean().default(false).meta(about("training_series")),
    cash_vat: z.boolean().default(false).meta(about("cash_vat_series")),
    ...IN_COMPANY,
  }),
  async run({ json, db, company, ...series }, terminal) {
    const created = await withCompany({ db, company }, (lacre, { id }) => lacre.as(id).series.create(series));
    show(terminal, json, created, columns([cells(created, terminal.texts)]));
  },
});

const openCommand = command({
  name: "series open",
  input: z.strictObject({
    year: integerText(2000, 9999).meta(about("open_year", { takes: "YEAR" })),
    ...IN_COMPANY,
  }),
  async run({ year, json, ...where }, terminal) {
    const made = await withCompany(where, (lacre, company) => lacre.as(company).series.openYear({ year }));
    const { opened, existing } = made;
    const { texts } = terminal;
    const { series: t, waiting } = texts;
    show(terminal, json, made, [
      ...columns([
        ...opened.map((row) => [t.opened, ...cells(row, texts)]),
        ...existing.map((row) => [t.exists, ...cells(row, texts)]),
      ]),
      ...(opened.length + existing.length === 0 ? [t.nothing_to_open({ year })] : []),
      // A closed series keeps its code for good, so that a person has to choose another.
      ...existing
        .filter(({ status }) => status === "closed")
        .map((row) => t.code_not_again({ series: nameOfSeries(row), doc_type: row.doc_type })),
      ...opened.slice(0, 1).map((first) => waiting.register_first({ series: nameOfSeries(first) })),
    ]);
  },
});

const registerCommand = command({
  name: "series register",
  input: z.strictObject({ series: SERIES, code: operand("CODE", "validation_code"), ...IN_COMPANY }),
  async run({ series, code, json, ...where }, terminal) {
    const registered = await withCompany(where, async (lacre, { id }) => {
      const company = lacre.as(id);
      return company.series.change({ id: (await seriesNamed(series, company)).id, validation_code: code });
    });
    show(terminal, json, registered, columns([cells(registered, terminal.texts)]));
  },
});

const closeCommand = command({
  name: "series close",
  input: z.strictObject({ series: SERIES, yes: FLAGS.yes, ...IN_COMPANY }),
  async run({ series, yes, json, ...where }, terminal) {
    const closed = await withCompany(where, async (lacre, { id }) => {
      const company = lacre.as(id);
      const found = await seriesNamed(series, company);
      const question: Words = (t) => t.series.ask_close({ series: nameOfSeries(found) });
      if (found.status === "active") await mustAgree(terminal, question, "--yes", yes);
      return company.series.change({ id: found.id, status: "closed" });
    });
    show(terminal, json, closed, columns([cells(closed, terminal.texts)]));
  },
});

export const seriesCommands = [listCommand, createCommand, openCommand, registerCommand, closeCommand];

function cells(series: Series, { series: t }: Texts): string[] {
  const { id, status, next_number, validation_code, training } = series;
  const registered = validation_code === null ? t.not_registered : t.registered({ code: validation_code });
  return [
    id,
    nameOfSeries(series),
    t.status[status],
    t.next({ number: next_number }),
    registered + (training ? t.training : ""),
  ];
}
