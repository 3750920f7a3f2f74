/** A document that was issued just now: its number, the change, and what comes next. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Document } from "../../core/face.ts";
import { DOCUMENT_TYPES } from "../../core/fiscal/document-types.ts";
import { fromCents } from "../../core/fiscal/money.ts";
import { lacre } from "../api.ts";
import { money } from "../decimals.ts";
import { openFile } from "../files.ts";
import { language, texts } from "../language.ts";
import { Keys } from "../page.tsx";
import { sentenceOf } from "../resource.tsx";
import { href } from "../router.ts";

const t = texts({
  issued: ["Emitido", "Issued"],
  total: ["Total", "Total"],
  change: ["Troco", "Change"],
  next: ["Novo documento", "New document"],
  print: ["Imprimir", "Print"],
  view: ["Ver documento", "View document"],
});

interface IssuedProps {
  readonly document: Document;
  readonly change_cents: number;
  readonly onNext: () => void;
}

export function Issued({ document: issued, change_cents, onNext }: IssuedProps) {
  const next = useRef<HTMLButtonElement>(null);
  const problem = useSignal("");
  useEffect(() => next.current?.focus(), []);
  const print = async () => {
    problem.value = "";
    try {
      await openFile(() => lacre.documents.print({ id: issued.id, lang: language.value }));
    } catch (error) {
      problem.value = sentenceOf(error);
    }
  };
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "p") return;
      event.preventDefault();
      void print();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <section class="sheet issued">
      <p class="tag good">{t.issued}</p>
      <h2>
        {DOCUMENT_TYPES[issued.doc_type].name} <span>{issued.number}</span>
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
      {problem.value && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <div class="actions">
        <button type="button" class="main" ref={next} onClick={onNext}>
          {t.next} <Keys>⏎</Keys>
        </button>
        <button type="button" onClick={print}>
          {t.print} <Keys>Ctrl P</Keys>
        </button>
        <a class="button" href={href(`/documents/${issued.id}`)}>
          {t.view}
        </a>
      </div>
    </section>
  );
}
