/** Finds a document by its number, or a customer by name, in one field; and the chip of what was chosen. */
import { useSignal } from "@preact/signals";
import type { Customer, DocumentSummary } from "../core/face.ts";
import { typedNumber } from "../core/fiscal/numbering.ts";
import { lacre } from "./api.ts";
import { Combobox } from "./combobox.tsx";
import { money } from "./decimals.ts";
import { texts } from "./texts.ts";

const t = texts({
  customer: ["Cliente", "Customer"],
  remove: ["Retirar filtro", "Remove filter"],
});

/** A document or a customer that was found. */
type Hit = readonly [document: DocumentSummary] | readonly [document: undefined, customer: Customer];

const FOUND = 8;

interface FindProps {
  readonly label: string;
  readonly onDocument: (id: string) => void;
  /** Left out where only documents are looked for. */
  readonly onCustomer?: ((id: string) => void) | false;
}

/** The field. What reads as a number finds documents; all else, and a tax number too, customers. */
export function FindDocument({ label, onDocument, onCustomer }: FindProps) {
  const text = useSignal("");
  const find = async (typed: string, signal: AbortSignal): Promise<readonly Hit[]> => {
    const wanted = typed.trim();
    const [documents, customers] = await Promise.all([
      typedNumber(wanted) && lacre.documents.list({ number: wanted, limit: FOUND }, { signal }),
      onCustomer && lacre.customers.list({ search: wanted, limit: FOUND }, { signal }),
    ]);
    return [
      ...(documents?.data ?? []).map((document): Hit => [document]),
      ...((customers || undefined)?.data ?? []).map((customer): Hit => [undefined, customer]),
    ];
  };
  return (
    <Combobox<Hit>
      label={label}
      placeholder={label}
      text={text.value}
      onText={(next) => {
        text.value = next;
      }}
      find={find}
      keyOf={([document, customer]) => document?.id ?? customer?.id ?? ""}
      show={([document, customer]) => (
        <>
          <span>
            {document?.number ?? customer?.name} <small>{document?.customer?.name}</small>
          </span>
          <small>{document ? money(document.total_gross) : (customer?.tax_id ?? t.customer)}</small>
        </>
      )}
      onChoose={([document, customer]) => {
        text.value = "";
        if (document) onDocument(document.id);
        else if (customer && onCustomer) onCustomer(customer.id);
      }}
    />
  );
}

/** A filter that is on, as a button that removes it. */
export function Chip({ shown, onRemove }: { readonly shown: string; readonly onRemove: () => void }) {
  return (
    <button type="button" onClick={onRemove}>
      <span>{shown}</span> <span aria-hidden="true">×</span>
      <span class="unseen">{t.remove}</span>
    </button>
  );
}
