/** A document issued just now: its number, the change, and the next steps. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Document } from "../../core/face.ts";
import { DOCUMENT_TYPES } from "../../core/fiscal/document-types.ts";
import { fromCents } from "../../core/fiscal/money.ts";
import { Button, ButtonLink } from "../button.tsx";
import { Problem } from "../fields/form.tsx";
import { Keys } from "../page.tsx";
import { lacre } from "../reading/api.ts";
import { printFile, usePrintKey } from "../reading/files.ts";
import { sentenceOf } from "../reading/resource.tsx";
import { money } from "../words/decimals.ts";
import { language } from "../words/language.ts";
import { texts } from "../words/texts.ts";
import { typeName } from "../words/type-names.ts";
import type { Handed } from "./till.ts";

const t = texts({
  issued: ["Emitido", "Issued"],
  total: ["Total", "Total"],
  change: ["Troco", "Change"],
  next: ["Novo documento", "New document"],
  print: ["Imprimir", "Print"],
  print_three: ["Imprimir em triplicado", "Print in triplicate"],
  print_receipt: ["Imprimir talão", "Print receipt"],
  print_a4: ["Imprimir em A4", "Print on A4"],
  unsettled: [
    "O recibo foi emitido, mas o pagamento não ficou registado: {sentence}",
    "The receipt was issued, but the payment was not recorded: {sentence}",
  ],
  view: ["Ver documento", "View document"],
});

interface IssuedProps {
  readonly document: Document;
  readonly handed: Handed;
  /** Why the payments on a receipt's documents could not be recorded. */
  readonly unsettled?: string | undefined;
  readonly onNext: () => void;
}

export function Issued({ document: issued, handed, unsettled, onNext }: IssuedProps) {
  const next = useRef<HTMLButtonElement>(null);
  const problem = useSignal(unsettled ? t.unsettled({ sentence: unsettled }) : "");
  useEffect(() => next.current?.focus(), []);
  const { is_simplified } = DOCUMENT_TYPES[issued.doc_type];
  const { given_cents, change_cents } = handed;
  const travels = issued.transport !== null;
  const cash = change_cents > 0 ? { cash_given: fromCents(given_cents) } : {};
  const print = async (paper: "A4" | "80mm") => {
    problem.value = "";
    try {
      const asked = { id: issued.id, lang: language.value, paper, copies: travels ? 3 : 1, ...cash };
      await printFile(() => lacre.documents.print(asked));
    } catch (error) {
      problem.value = sentenceOf(error);
    }
  };
  const printUsual = () => print(is_simplified ? "80mm" : "A4");
  usePrintKey(printUsual);
  return (
    <section class="sheet issued">
      <p class="tag good">{t.issued}</p>
      <h2>
        {typeName(issued.doc_type)} <span>{issued.number}</span>
      </h2>
      <p class="about">{issued.customer?.name}</p>
      <dl>
        <div>
          <dt>{t.total}</dt>
          <dd>{money(issued.total_gross)}</dd>
        </div>
        {change_cents > 0 && (
          <div class="change">
            <dt>{t.change}</dt>
            <dd>{money(fromCents(change_cents))}</dd>
          </div>
        )}
      </dl>
      <Problem>{problem.value}</Problem>
      <div class="actions">
        <button type="button" class="main" ref={next} onClick={onNext}>
          {t.next} <Keys>⏎</Keys>
        </button>
        <button type="button" aria-keyshortcuts="Control+P" onClick={printUsual}>
          {is_simplified ? t.print_receipt : travels ? t.print_three : t.print} <Keys>Ctrl P</Keys>
        </button>
        {is_simplified && <Button label={t.print_a4} onClick={() => print("A4")} />}
        <ButtonLink label={t.view} to={`/documents/${issued.id}`} />
      </div>
    </section>
  );
}
