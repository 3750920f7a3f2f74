/** The references of the document being written: found by number, or among its customer's documents. */

import { useSignal } from "@preact/signals";
import type { DocumentSummary } from "../../core/face.ts";
import { signOnReceipt } from "../../core/fiscal/document-types.ts";
import { RemoveButton } from "../button.tsx";
import { Combobox } from "../fields/combobox.tsx";
import { bound, FieldError } from "../fields/form.tsx";
import { whisper } from "../notice.tsx";
import { lacre } from "../reading/api.ts";
import { sentenceOf } from "../reading/resource.tsx";
import { day, money } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { addReference, removeReference } from "./filling.ts";
import { REFERENCE_FIELD } from "./focus.ts";
import { amountProblem, type Reference, storedOf, type Writing, writesReceipt } from "./writing.ts";

const t = texts({
  corrects: ["Documento a corrigir", "Document to correct"],
  acknowledges: ["Documentos a liquidar", "Documents to settle"],
  follows: ["Vem de outro documento", "Comes from another document"],
  number: ["Número do documento", "Number of the document"],
  number_hint: ["Número, como FT 2026A/17", "Number, as FT 2026A/17"],
  amount: ["Valor recebido", "Amount received"],
  reason: ["Motivo", "Reason"],
  reason_hint: ["Retificação", "Retificação"], // What the document says if nobody gives a reason.
  owed: ["por pagar {eur}", "{eur} owed"],
  added: ["{number}: adicionado.", "{number}: added."],
});

const SHOWN = 10;

/** Issued documents that it may reference: by number, or its customer's. */
async function findDocuments(writing: Writing, text: string, signal: AbortSignal): Promise<readonly DocumentSummary[]> {
  const { type, customer, references } = writing;
  const number = text.trim();
  const chosen = storedOf(customer.value);
  const filter =
    number !== ""
      ? { number }
      : chosen
        ? { customer_id: chosen.id, ...(writesReceipt(writing) && { status: "issued" as const }) }
        : undefined;
  if (!filter) return [];
  const { data } = await lacre.documents.list({ ...filter, limit: 100 }, { signal });
  const named = new Set(references.value.map(({ document }) => document.id));
  return data
    .filter(
      (found) => found.status === "issued" && type.value.may_reference.includes(found.doc_type) && !named.has(found.id),
    )
    .slice(0, SHOWN);
}

/** Whether the type is about other documents, so that they come first. */
export const isAboutOthers = ({ type, references }: Writing): boolean =>
  type.value.cap !== null || type.value.must_reference || references.value.length > 0;

/** The references, and the field that adds one. Nothing for types without references. */
export function References({ writing }: { readonly writing: Writing }) {
  const text = useSignal("");
  const problem = useSignal("");
  const { type, references } = writing;
  if (type.value.may_reference.length === 0) return null;
  const title = writesReceipt(writing) ? t.acknowledges : type.value.corrects ? t.corrects : t.follows;
  const refused = Object.entries(writing.refused.value)
    .filter(([path]) => path.startsWith("references"))
    .map(([, sentence]) => sentence);
  const choose = async (document: DocumentSummary) => {
    text.value = "";
    problem.value = "";
    try {
      await addReference(writing, document);
      whisper(t.added({ number: document.number ?? "" }));
    } catch (error) {
      problem.value = sentenceOf(error);
    }
  };
  return (
    <section class="references">
      <h2>{title}</h2>
      {references.value.length > 0 && (
        <ul>
          {references.value.map((reference) => (
            <ReferenceRow key={reference.document.id} reference={reference} writing={writing} />
          ))}
        </ul>
      )}
      <label class="unseen" for={REFERENCE_FIELD}>
        {`${title}: ${t.number}`}
      </label>
      <Combobox
        id={REFERENCE_FIELD}
        label={`${title}: ${t.number}`}
        text={text}
        onTyped={() => {
          problem.value = "";
        }}
        find={(wanted, signal) => findDocuments(writing, wanted, signal)}
        opensEmpty
        keyOf={({ id }) => id}
        show={(document) => (
          <>
            <span>
              {document.number} <small>{document.customer?.name}</small>
            </span>
            <span>
              <small>{day(document.issue_date)}</small> {money(document.total_gross)}
              {document.outstanding ? <small> {t.owed({ eur: money(document.outstanding) })}</small> : null}
            </span>
          </>
        )}
        onChoose={choose}
        placeholder={t.number_hint}
      />
      <FieldError alert text={[problem.value, ...refused].filter(Boolean).join(" ")} />
    </section>
  );
}

function ReferenceRow({ reference, writing }: { readonly reference: Reference; readonly writing: Writing }) {
  const { document, amount, reason } = reference;
  const { corrects } = writing.type.value;
  const isAcknowledged = writesReceipt(writing);
  const problem = isAcknowledged ? amountProblem(reference) : undefined;
  const takesOff = isAcknowledged && signOnReceipt(document.doc_type) < 0;
  return (
    <li>
      <div class="named">
        <strong>{document.number}</strong>{" "}
        <small>
          {day(document.issue_date)} · {document.customer?.name} · {money(document.total_gross)}
          {document.outstanding ? ` · ${t.owed({ eur: money(document.outstanding) })}` : ""}
        </small>
      </div>
      {isAcknowledged && (
        <label>
          <span>{takesOff ? `${t.amount} (−)` : t.amount}</span>
          <input
            class="number"
            inputmode="decimal"
            aria-label={`${t.amount}, ${document.number}`}
            aria-invalid={problem !== undefined}
            {...bound(amount)}
          />
        </label>
      )}
      {corrects && (
        <label>
          <span>{t.reason}</span>
          <input
            maxlength={50}
            aria-label={`${t.reason}, ${document.number}`}
            placeholder={t.reason_hint}
            {...bound(reason)}
          />
        </label>
      )}
      <RemoveButton of={document.number ?? ""} onClick={() => removeReference(writing, reference)} />
      <FieldError text={problem} />
    </li>
  );
}
