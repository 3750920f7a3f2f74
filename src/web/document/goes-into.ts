/** The series of the document: what is known about them, and which of them can take it. */
import { type Signal, useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lacre } from "../reading/api.ts";
import { sentenceOf, useResource } from "../reading/resource.tsx";
import { can } from "../session.ts";
import type { Sending } from "./sending.ts";
import { type KnownSeries, usableSeries } from "./usable-series.ts";
import type { Writing } from "./writing.ts";

/** Reads the series, and those that are usual in the year of the document. */
export function useGoesInto(writing: Writing) {
  const year = useComputed(() => writing.issue_date.value.slice(0, 4));
  const known = useResource<KnownSeries>(async (signal) => {
    const date = /^\d{4}$/.test(year.value) ? `${year.value}-12-31` : undefined;
    const [all, current] = await Promise.all([
      lacre.series.list({ limit: 200 }, { signal }),
      lacre.series.list({ current: true, ...(date && { date }), limit: 200 }, { signal }),
    ]);
    return { all: all.data, current: current.data };
  });
  const usable = () => {
    const { value } = known.state.value;
    return value && usableSeries(value, writing);
  };
  return {
    known,
    /** The usable series, the usual one first; undefined until they are read. */
    usable,
    /** The chosen series. */
    chosen: () => usable()?.find(({ id }) => id === writing.series_id.value) ?? usable()?.[0],
    /** A training series that can take it. */
    training: () => usable()?.find(({ training }) => training),
  };
}

/** The series that can take the document. */
export type GoesInto = Readonly<ReturnType<typeof useGoesInto>>;

/** Whether a training series can take it: there is one, or the person may open one. */
export const mayTrain = ({ training }: GoesInto): boolean => can("series:write") || training() !== undefined;

/** Continues in a training series, which is opened if there is none. */
export async function toTraining(writing: Writing, { known, training }: GoesInto, problem: Sending["problem"]) {
  const { doc_type, issue_date, series_id } = writing;
  try {
    const found =
      training() ??
      (await lacre.series.create({
        doc_type: doc_type.value,
        code: `FORM${issue_date.value.slice(0, 4)}`,
        training: true,
      }));
    const { value } = known.state.value;
    if (value && !training()) known.set({ ...value, all: [...value.all, found] });
    series_id.value = found.id;
    problem.value = undefined;
  } catch (error) {
    problem.value = sentenceOf(error);
  }
}

/** Reads the series again when the window regains the focus: the code is entered in another one. */
export function useReloadedSeries({ known }: GoesInto, isOpen: Signal<boolean>): void {
  useEffect(() => {
    const back = () => {
      if (isOpen.peek()) known.reload();
    };
    addEventListener("focus", back);
    return () => removeEventListener("focus", back);
  }, []);
}
