/** The series that can take the document being written. */
import type { Series } from "../../core/face.ts";
import type { Writing } from "./writing.ts";

/** The series of every type, and which of them are usual on the day of the document. */
export interface KnownSeries {
  readonly all: readonly Series[];
  readonly current: readonly Series[];
}

/** The series that can take the document, the usual one first. */
export function usableSeries({ all, current }: KnownSeries, writing: Writing): readonly Series[] {
  const cash_vat = isUnderCashVat(all, writing);
  const isFitting = (series: Series) =>
    series.doc_type === writing.doc_type.value && (cash_vat === undefined || series.cash_vat === cash_vat);
  const usual = current.filter(isFitting);
  const others = all.filter(
    (series) => isFitting(series) && series.status === "active" && !usual.some(({ id }) => id === series.id),
  );
  return [...usual, ...others.filter(({ training }) => !training), ...others.filter(({ training }) => training)];
}

/** The series by id, to choose from: the usual one stands for whatever names no other. */
export function seriesToChoose(usable: readonly Series[], chosen: string): readonly (readonly [string, Series])[] {
  const usual = usable.slice(1).some(({ id }) => id === chosen) ? "" : chosen;
  return usable.map((series, index) => [index === 0 ? usual : series.id, series]);
}

/** Whether it concerns documents under cash VAT, and must itself be under it; undefined if it may be either. */
export function isUnderCashVat(all: readonly Series[], { type, references }: Writing): boolean | undefined {
  const [named] = references.value;
  if (!named || !(type.value.corrects || type.value.cap)) return undefined;
  return all.find(({ id }) => id === named.document.series_id)?.cash_vat;
}
