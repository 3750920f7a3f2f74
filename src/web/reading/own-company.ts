/** The current company, with every field: read when a screen first needs it, and kept. */
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Company, Series } from "../../core/face.ts";
import { atType } from "../../core/fiscal/document-types.ts";
import { company } from "../session.ts";
import { lacre } from "./api.ts";
import type { Reading, Resource } from "./resource.tsx";

const known = signal<Reading<Company>>({ isLoading: true });
let asked: string | undefined;

function read(): void {
  const id = company.value?.id;
  asked = id;
  known.value = { isLoading: true };
  lacre.company.get().then(
    (value) => {
      if (asked === id) known.value = { value, isLoading: false };
    },
    (error: unknown) => {
      if (asked !== id) return;
      asked = undefined;
      known.value = { error, isLoading: false };
    },
  );
}

const OWN: Resource<Company> = {
  state: computed(() =>
    known.value.value && known.value.value.id !== company.value?.id ? { isLoading: true } : known.value,
  ),
  reload: read,
  set: (value) => {
    known.value = { value, isLoading: false };
  },
};

/** The current company. Set it when an answer brings a changed one. */
export function useOwnCompany(): Resource<Company> {
  useEffect(() => {
    if (asked !== company.value?.id) read();
  }, [company.value?.id]);
  return OWN;
}

/** A series by the beginning of its numbers, and with AT's type: `RG 2026A`, of `RC 2026A` outside cash VAT. */
export const seriesName = ({ doc_type, code, cash_vat }: Series): string => `${atType(doc_type, cash_vat)} ${code}`;
