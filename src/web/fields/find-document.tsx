/** Finds a document by its number, in one field; and the chip of the chosen one. */
import { useSignal } from "@preact/signals";
import type { DocumentSummary } from "../../core/face.ts";
import { typedNumber } from "../../core/fiscal/numbering.ts";
import { lacre } from "../reading/api.ts";
import { money } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { Combobox } from "./combobox.tsx";

const t = texts({ remove: ["Retirar filtro", "Remove filter"] });

const FOUND = 8;

interface FindProps {
  readonly label: string;
  readonly onDocument: (id: string) => void;
}

/** The field. */
export function FindDocument({ label, onDocument }: FindProps) {
  const text = useSignal("");
  return (
    <Combobox<DocumentSummary>
      label={label}
      placeholder={label}
      text={text}
      find={async (typed, signal) => {
        const number = typed.trim();
        return typedNumber(number) ? (await lacre.documents.list({ number, limit: FOUND }, { signal })).data : [];
      }}
      keyOf={({ id }) => id}
      show={({ number, customer, total_gross }) => (
        <>
          <span>
            {number} <small>{customer?.name}</small>
          </span>
          <small>{money(total_gross)}</small>
        </>
      )}
      onChoose={({ id }) => {
        text.value = "";
        onDocument(id);
      }}
    />
  );
}

/** An active filter, as a button that removes it. */
export function Chip({ shown, onRemove }: { readonly shown: string; readonly onRemove: () => void }) {
  return (
    <button type="button" onClick={onRemove}>
      <span>{shown}</span> <span aria-hidden="true">×</span>
      <span class="unseen">{t.remove}</span>
    </button>
  );
}
