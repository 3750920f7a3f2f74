/** Existing records with the typed value, so that nobody is entered twice by mistake. */
import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";

/** How long typing must pause before the server is asked, in milliseconds. */
const REST_MS = 250;

/** The record that `find` returns for a text, once typing pauses; nothing is asked for an empty text. */
export function useTwin<Row>(
  typed: () => string,
  find: (text: string, signal: AbortSignal) => Promise<Row | undefined>,
): ReadonlySignal<Row | undefined> {
  const twin = useSignal<Row | undefined>(undefined);
  useSignalEffect(() => {
    const text = typed().trim();
    twin.value = undefined;
    if (text === "") return;
    const ends = new AbortController();
    const timer = setTimeout(() => {
      find(text, ends.signal).then(
        (found) => {
          if (!ends.signal.aborted) twin.value = found;
        },
        () => {}, // It is only a warning: without an answer there is none.
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      ends.abort();
    };
  });
  return twin;
}

/** Whether two names are the same to a reader. */
export const isSameName = (a: string, b: string): boolean =>
  a.trim().localeCompare(b.trim(), undefined, { sensitivity: "base" }) === 0;
