/** A new document of any type, written like at a till: by keyboard, in seconds, never twice. */

import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Company, DocumentSummary, Series } from "../../core/face.ts";
import type { Day } from "../../core/fiscal/civil-time.ts";
import { type DocType, salesSign } from "../../core/fiscal/document-types.ts";
import { fromCents } from "../../core/fiscal/money.ts";
import type { Totals } from "../../core/fiscal/totals.ts";
import { Button } from "../button.tsx";
import { today } from "../clock.ts";
import { FormDialog, openDialog } from "../dialog.tsx";
import { CustomerField, takeTypedCustomer } from "../document/customer-field.tsx";
import { Details } from "../document/details.tsx";
import { rememberType, TypeChoice, typeAfter, typeToBegin } from "../document/doc-type.tsx";
import { addReference, copy, customerOf, fill } from "../document/filling.ts";
import { focusCustomer, focusFirstProblem, focusNext } from "../document/focus.ts";
import { type GoesInto, mayTrain, toTraining, useGoesInto, useReloadedSeries } from "../document/goes-into.ts";
import { otherRefusals, showRefusal } from "../document/input.ts";
import { IssueDialog } from "../document/issue-dialog.tsx";
import { Issued } from "../document/issued.tsx";
import { forgetWriting, keepWriting, keptAs, snapshotOf, takeUpWriting } from "../document/kept.ts";
import { LineTable } from "../document/line-table.tsx";
import { Sums } from "../document/lines.tsx";
import { ProductField } from "../document/product-field.tsx";
import { rememberReasons } from "../document/reasons.ts";
import { isAboutOthers, References } from "../document/references.tsx";
import { noAnswer, type Sending, useSending } from "../document/sending.ts";
import { forget, isFinal, pendingSubmission, type Submission, type Submitted, submit } from "../document/submission.ts";
import { type Handed, NOTHING_HANDED } from "../document/till.ts";
import { isUnderCashVat } from "../document/usable-series.ts";
import {
  changeType,
  discountOf,
  newWriting,
  problemWith,
  totalsOfWriting,
  type Writing,
  writesReceipt,
} from "../document/writing.ts";
import { Check } from "../fields/form.tsx";
import { announce, whisper } from "../notice.tsx";
import { Keys, Page } from "../page.tsx";
import { pricesWithVat } from "../prices.ts";
import { lacre, Refusal } from "../reading/api.ts";
import { useOwnCompany } from "../reading/own-company.ts";
import { Loaded, Loading, sentenceOf, Trouble, whenRead } from "../reading/resource.tsx";
import { holdsWork, href, part, search, setSearch, useLeaveQuestion, visits } from "../router.ts";
import { can } from "../session.ts";
import { day, money } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { typeName } from "../words/type-names.ts";

const t = texts({
  title: ["Novo documento", "New document"],
  draft: ["Rascunho", "Draft"],
  prices_with_vat: ["Preços com IVA", "Prices with VAT"],
  totals: ["Totais", "Totals"],
  to_pay: ["Total", "Total"],
  issue: ["Emitir", "Issue"],
  save: ["Guardar rascunho", "Save draft"],
  saved: ["Rascunho guardado.", "Draft saved."],
  leave: [
    "Este documento ainda não foi guardado. Sair e perder o que escreveu?",
    "This document is not saved. Leave and lose what you wrote?",
  ],
  not_added: ["Prima ⏎ para juntar «{text}», ou apague.", "Press ⏎ to add “{text}”, or delete it."],
  no_series: ["Não há nenhuma série aberta para {name}.", "No series is open for {name}."],
  no_cash_series: [
    "Não há nenhuma série aberta para {name} em IVA de caixa, e o documento referido está nesse regime.",
    "No series is open for {name} under cash VAT, and the document it refers to is under it.",
  ],
  cash_receipt: [
    "IVA de caixa: o recibo leva o IVA de cada taxa da fatura, na parte recebida.",
    "Cash VAT: the receipt states the VAT of each rate of the invoice, for the part received.",
  ],
  open_series: ["Abrir uma série", "Open a series"],
  to_series: ["Ver as séries", "See the series"],
  to_settings: ["Preencher os dados da empresa", "Fill in the company's data"],
  confirming: ["A confirmar o último documento…", "Asking about the last document…"],
  unfinished: ["Ficou um documento por confirmar", "One document is not confirmed"],
  unfinished_hint: [
    "{name} de {date}: envie outra vez; não sai em duplicado.",
    "{name} of {date}: send it again; it never comes out twice.",
  ],
  give_up: ["Não enviar", "Do not send"],
  may_be_issued: [
    "{name} de {date}: o documento pode já ter sido emitido. Procure-o primeiro na lista. Se lá não estiver, não foi emitido, e o que escreveu perde-se.",
    "{name} of {date}: the document may have been issued already. Look for it in the list first. If it is not there, it was not issued, and what you wrote is lost.",
  ],
  to_documents: ["Ver a lista", "See the list"],
  again: ["Enviar outra vez", "Send again"],
  invoice_again: ["Faturar outra vez?", "Invoice it again?"],
  invoiced_already: [
    "Este orçamento já foi faturado: {numbers}.",
    "This quotation has been invoiced already: {numbers}.",
  ],
  taken_up: ["Continua onde estava.", "You go on where you were."],
  is_no_draft: ["Este documento já não é um rascunho.", "This document is no draft any more."],
});

/** The name of this screen in the address. */
const SCREEN = "new";

/** The fields of the address that say what a document starts from. */
const NOTHING = { type: undefined, draft: undefined, from: undefined, copy: undefined, customer: undefined };

export function Screen() {
  const company = useOwnCompany();
  const { value } = company.state.value;
  if (value) return <InCompany company={value} />;
  return (
    <Page title={t.title}>
      <Loaded from={company}>{() => null}</Loaded>
    </Page>
  );
}

/** What is shown: the document being written, or the issued one. */
function InCompany({ company }: { readonly company: Company }) {
  const round = useSignal(0);
  const issued = useSignal<(Submitted & { readonly handed: Handed }) | undefined>(undefined);
  /** The address's fields that this screen set itself; others start another document. */
  const known = useRef(search.value.toString());
  const begin = () => {
    issued.value = undefined;
    round.value++;
  };
  const setOwn = (fields: Readonly<Record<string, string | undefined>>) => {
    setSearch(fields);
    known.current = search.value.toString();
  };
  const visit = useRef(visits.peek());
  useSignalEffect(() => {
    const asked = search.value.toString();
    const isAgain = visits.value !== visit.current && part(0).peek() === SCREEN;
    visit.current = visits.peek();
    if (asked === known.current && !isAgain) return;
    known.current = asked;
    begin();
  });
  if (issued.value) {
    return (
      <Page title={t.title} keepFocus>
        <Issued
          {...issued.value}
          onNext={() => {
            setOwn(NOTHING);
            begin();
          }}
        />
      </Page>
    );
  }
  return (
    <Begin
      key={round.value}
      company={company}
      setOwn={setOwn}
      onIssued={(made, handed) => {
        issued.value = { ...made, handed };
      }}
    />
  );
}

/** What happens before writing can begin. */
type Beginning = "loading" | "asking" | "unfinished" | { readonly error: unknown };

interface BeginProps {
  readonly company: Company;
  readonly setOwn: (fields: Readonly<Record<string, string | undefined>>) => void;
  readonly onIssued: (made: Submitted, handed: Handed) => void;
}

/** Prepares the document: empty, from a draft, from another document, or from a submission in doubt. */
function Begin({ company, setOwn, onIssued }: BeginProps) {
  const writing = useMemo(
    () => newWriting(company, typeToBegin(company, search.value.get("type")), today(company.time_zone)),
    [],
  );
  const state = useSignal<Beginning | "ready">("loading");
  const problem = useSignal("");

  const resume = async (submission: Submission) => {
    state.value = "asking";
    try {
      const made = await submit(submission);
      if (made.document.status !== "draft") return onIssued(made, NOTHING_HANDED);
      setOwn({ ...NOTHING, draft: made.document.id });
      await load();
    } catch (error) {
      const [body] = submission.bodies;
      if (!isFinal(error) || !body) {
        problem.value = error instanceof Refusal ? sentenceOf(error) : noAnswer();
        state.value = "unfinished";
        return;
      }
      await fill(writing, body).catch(() => {});
      writing.draft_id.value = submission.draft_id;
      showRefusal(writing, error.byField);
      state.value = "ready";
    }
  };
  const openDraft = async (id: string) => {
    const draft = await lacre.documents.get({ id });
    if (draft.status !== "draft") throw new Error(t.is_no_draft);
    await fill(writing, draft);
    writing.draft_id.value = id;
    writing.saved.value = snapshotOf(writing);
    setOwn({ ...NOTHING, draft: id });
    state.value = "ready";
  };
  const load = async () => {
    state.value = "loading";
    const isTakenUp = takeUpWriting(writing, search.peek().toString());
    const submission = pendingSubmission();
    if (submission) {
      // If it is of another day, it may no longer be wanted: it is only sent on request.
      if (submission.bodies[0]?.issue_date === today(company.time_zone)) return resume(submission);
      state.value = "unfinished";
      return;
    }
    if (isTakenUp) {
      announce(t.taken_up);
      state.value = "ready";
      return;
    }
    try {
      const draft = search.peek().get("draft");
      if (draft) return await openDraft(draft);
      await fillFromAddress(writing);
      state.value = "ready";
    } catch (error) {
      state.value = { error };
    }
  };
  useEffect(() => {
    void load();
  }, []);

  if (state.value === "ready") return <Editor writing={writing} setOwn={setOwn} onIssued={onIssued} />;
  return (
    <Page title={t.title}>
      <NotReady company={company} state={state.value} problem={problem.value} again={load} resume={resume} />
    </Page>
  );
}

/** Fills it from the address: a customer, a document to copy, a reference. */
async function fillFromAddress(writing: Writing): Promise<void> {
  const customer = search.peek().get("customer");
  const copied = search.peek().get("copy");
  const from = search.peek().get("from");
  if (customer) writing.customer.value = await customerOf(customer);
  if (copied) await copy(writing, await lacre.documents.get({ id: copied }));
  if (from) await addReference(writing, await lacre.documents.get({ id: from }));
}

interface NotReadyProps extends Pick<BeginProps, "company"> {
  readonly state: Beginning;
  /** Why the outcome of the last submission is still unknown after asking. */
  readonly problem: string;
  readonly again: () => Promise<void>;
  readonly resume: (submission: Submission) => Promise<void>;
}

/** What is shown until the document is ready. */
function NotReady({ company, state, problem, again, resume }: NotReadyProps) {
  if (typeof state === "object") return <Trouble error={state.error} again={again} />;
  if (state === "loading") return <Loading />;
  if (state === "asking") {
    return (
      <p class="notice" role="status">
        {t.confirming}
      </p>
    );
  }
  const submission = pendingSubmission();
  const [body] = submission?.bodies ?? [];
  if (!submission || !body) return null;
  const { doc_type, issue_date } = body;
  const about = { name: typeName(doc_type), date: day(issue_date as Day) };
  const giveUp = () =>
    openDialog(
      <FormDialog title={t.give_up} change={async () => forget()} onDone={again}>
        <p>
          {t.may_be_issued(about)}{" "}
          <a href={href(`/documents?doc_type=${doc_type}&from=${issue_date}&to=${issue_date}`)}>{t.to_documents}</a>
        </p>
      </FormDialog>,
    );
  return (
    <div class="notice" role="alert">
      <h2>{t.unfinished}</h2>
      <p>{problem || t.unfinished_hint(about)}</p>
      <div class="actions">
        {issue_date !== today(company.time_zone) && <Button label={t.give_up} onClick={giveUp} />}
        <Button label={t.again} class="main" onClick={() => resume(submission)} />
      </div>
    </div>
  );
}

function Editor({ writing, setOwn, onIssued }: Omit<BeginProps, "company"> & { readonly writing: Writing }) {
  const goesInto = useGoesInto(writing);
  const totals = useTotals(writing);
  const isOpen = useSignal(false);
  const sending = useSending(writing, {
    into: goesInto.chosen,
    onIssued: (made, handed) => {
      rememberType(writing);
      rememberReasons(writing);
      onIssued(made, handed);
    },
    onSaved: (id) => {
      setOwn({ ...NOTHING, draft: id });
      announce(t.saved);
    },
    onElsewhere: () => {
      isOpen.value = false;
    },
  });
  const { isSending, isUnknown, problem } = sending;
  useReloadedSeries(goesInto, isOpen);
  const openIssue = async () => {
    if (isSending.value || isOpen.value || (await isStopped(writing, goesInto, problem))) return;
    await askAgain(writing, () => {
      isOpen.value = true;
    });
  };
  const saveDraft = async () => {
    if (!(await isStopped(writing, goesInto, problem))) await sending.save();
  };
  const chooseType = (type: DocType) => {
    changeType(writing, type);
    setOwn({ type });
  };
  useKeys(writing, { openIssue, chooseType });
  useWorkKept(writing, sending);
  useFirstFocus(writing);

  const shownProblem = [problem.value, ...otherRefusals(writing, goesInto.usable()?.length ?? 0)]
    .filter(Boolean)
    .join(" ");
  return (
    <Page
      title={writing.draft_id.value ? t.draft : t.title}
      keepFocus
      class="new-document"
      actions={<TypeChoice writing={writing} choose={chooseType} />}
    >
      <div class="columns">
        <Sheet writing={writing} goesInto={goesInto} />
        <aside class="sheet" aria-label={t.totals}>
          <SoFar writing={writing} totals={totals} goesInto={goesInto} />
          {shownProblem && !isOpen.value && (
            <p class="problem" role="alert">
              {shownProblem} <Remedy writing={writing} />
            </p>
          )}
          <Send totals={totals} isUnknown={isUnknown.value} onIssue={openIssue} />
          <Button label={t.save} disabled={isSending.value} onClick={saveDraft} />
        </aside>
      </div>
      {isOpen.value && (
        <IssueDialog
          writing={writing}
          series={goesInto.chosen()}
          total_cents={totalsOfWriting(writing).total_gross_cents}
          isSending={isSending.value}
          problem={shownProblem || undefined}
          isUnknown={isUnknown.value}
          onTraining={mayTrain(goesInto) ? () => void toTraining(writing, goesInto, problem) : undefined}
          onIssue={sending.issue}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </Page>
  );
}

// ——— Before it is sent ———

/** Whether something prevents sending it; shows what. */
async function isStopped(writing: Writing, { known, chosen }: GoesInto, problem: Sending["problem"]): Promise<boolean> {
  takeTypedCustomer(writing);
  await Promise.all(Object.values(writing.pending));
  const { error } = await whenRead(known);
  if (error !== undefined) {
    known.reload();
    problem.value = sentenceOf(error);
    return true;
  }
  const typed = writing.entry.value.trim();
  problem.value = typed ? t.not_added({ text: typed }) : problemWith(writing, chosen() !== undefined);
  if (problem.value === undefined) return false;
  if (focusFirstProblem()) return true;
  if (writing.customer.value === undefined && writing.lines.value.length > 0) focusCustomer();
  else focusNext();
  return true;
}

/** Continues; if a referenced quotation was invoiced before, only once somebody confirms. */
async function askAgain(writing: Writing, goOn: () => void): Promise<void> {
  const again = await invoicedAlready(writing);
  if (again.length === 0) return goOn();
  const numbers = again.map(({ number, total_gross }) => `${number} (${money(total_gross)})`).join(", ");
  openDialog(
    <FormDialog title={t.invoice_again} change={async () => {}} onDone={goOn}>
      <p>{t.invoiced_already({ numbers })}</p>
    </FormDialog>,
  );
}

/** The earlier invoices of the quotations referenced here. */
async function invoicedAlready({ type, references, draft_id }: Writing): Promise<readonly DocumentSummary[]> {
  if (!type.value.takes_payments || type.value.corrects) return [];
  const quotations = references.value.filter(({ document }) => document.doc_type === "OR");
  // Without an answer nothing is asked: issuing needs the server, too.
  const found = await Promise.all(
    quotations.map(({ document }) =>
      lacre.documents.list({ reference_id: document.id, limit: 100 }).then(
        ({ data }) => data,
        () => [],
      ),
    ),
  );
  return found
    .flat()
    .filter(({ id, status, doc_type }) => status === "issued" && id !== draft_id.value && salesSign(doc_type) > 0);
}

// ——— Keys, the focus, and leaving ———

interface Acts {
  readonly openIssue: () => Promise<void>;
  readonly chooseType: (type: DocType) => void;
}

/** The keys of the whole screen. */
function useKeys(writing: Writing, { openIssue, chooseType }: Acts): void {
  const nextType = () => {
    chooseType(typeAfter(writing.doc_type.value));
    whisper(typeName(writing.doc_type.value));
  };
  const actOf = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    if (key === "Enter" && (ctrlKey || metaKey)) return openIssue;
    if (key === "F2") return focusCustomer;
    return key === "F4" && !altKey ? nextType : undefined;
  };
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const act = actOf(event);
      // Queried last: it walks over every line, and most keys are none of these.
      if (!act || document.querySelector("dialog[open]")) return;
      void act();
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

const holdsAny = ({ lines, references }: Writing): boolean => lines.value.length > 0 || references.value.length > 0;

/** Loses nothing that is written: asks before leaving, and keeps it if nobody can be asked. */
function useWorkKept(writing: Writing, { isSending, isUnknown }: Sending): void {
  // A submission under way is kept as such, and submitted again.
  const isUnsaved = () =>
    holdsAny(writing) && !isSending.value && !isUnknown.value && snapshotOf(writing) !== writing.saved.value;
  useLeaveQuestion(() => (isUnsaved() ? t.leave : undefined));
  useSignalEffect(() => {
    holdsWork.value = holdsAny(writing);
  });
  useEffect(() => {
    const name = keptAs();
    const keep = () => {
      if (holdsWork.peek() && isUnsaved()) keepWriting(name, search.peek().toString(), writing);
    };
    const shown = () => (document.visibilityState === "hidden" ? keep() : forgetWriting(name));
    const back = () => forgetWriting(name);
    addEventListener("pagehide", keep);
    addEventListener("pageshow", back);
    document.addEventListener("visibilitychange", shown);
    return () => {
      removeEventListener("pagehide", keep);
      removeEventListener("pageshow", back);
      document.removeEventListener("visibilitychange", shown);
      // Nobody was asked: the session ended, or the company is another.
      if (keptAs() !== name) keep();
      holdsWork.value = false;
    };
  }, []);
}

/** Starts at the customer of a receipt, else at the field that adds products. */
function useFirstFocus(writing: Writing): void {
  useEffect(() => {
    if (writing.customer.value === undefined && writesReceipt(writing)) focusCustomer();
    else focusNext();
  }, []);
}

// ——— Drawing ———

interface PartProps {
  readonly writing: Writing;
  readonly goesInto: GoesInto;
}

/** The document. */
function Sheet({ writing, goesInto }: PartProps) {
  const usable = goesInto.usable();
  return (
    <div class="sheet">
      {usable?.length === 0 && <NoSeries writing={writing} all={goesInto.known.state.value.value?.all ?? []} />}
      <CustomerField writing={writing} />
      {isAboutOthers(writing) && <References writing={writing} />}
      {!writesReceipt(writing) && (
        <>
          <LineTable writing={writing} />
          <ProductField writing={writing} />
        </>
      )}
      <Details writing={writing} series={usable ?? []} />
    </div>
  );
}

/** The totals so far, and how prices are shown. */
function SoFar({ writing, goesInto, totals }: PartProps & { readonly totals: Signal<Totals> }) {
  return (
    <>
      {!writesReceipt(writing) && <Check label={t.prices_with_vat} value={pricesWithVat} />}
      {totals.value.groups.length > 0 && <Sums totals={totals.value} discount={discountOf(writing, totals.value)} />}
      {writesReceipt(writing) && goesInto.chosen()?.cash_vat && <p class="hint">{t.cash_receipt}</p>}
    </>
  );
}

interface SendProps {
  readonly totals: Signal<Totals>;
  readonly isUnknown: boolean;
  readonly onIssue: () => Promise<void>;
}

/** The total, and the button that issues. */
function Send({ totals, isUnknown, onIssue }: SendProps) {
  return (
    <div class="send">
      <p class="grand">
        <span>{t.to_pay}</span> <strong>{money(fromCents(totals.value.total_gross_cents))}</strong>
      </p>
      {can("documents:issue") && (
        <button type="button" class="main" aria-keyshortcuts="Control+Enter" onClick={onIssue}>
          {isUnknown ? t.again : t.issue} <Keys>Ctrl ⏎</Keys>
        </button>
      )}
    </div>
  );
}

/** Where to fix a refusal, if that is on another screen. */
function Remedy({ writing: { company, refused } }: { readonly writing: Writing }) {
  const lacksAddress = [company.address, company.postal_code, company.city].includes(null);
  if (refused.value[""] === undefined || !lacksAddress || !can("company:write")) return null;
  return <a href={href("/settings")}>{t.to_settings}</a>;
}

function NoSeries({ writing, all }: { readonly writing: Writing; readonly all: readonly Series[] }) {
  const name = typeName(writing.doc_type.value).toLowerCase();
  return (
    <div class="problem" role="alert">
      {(isUnderCashVat(all, writing) ? t.no_cash_series : t.no_series)({ name })}{" "}
      <a href={href("/series")}>{can("series:write") ? t.open_series : t.to_series}</a>
    </div>
  );
}

/** The totals, computed once per frame however many keys arrive in it. */
function useTotals(writing: Writing): Signal<Totals> {
  const totals = useSignal(useMemo(() => totalsOfWriting(writing), []));
  const frame = useRef(0);
  useSignalEffect(() => {
    for (const { checked } of writing.lines.value) checked.value;
    for (const { amount } of writing.references.value) amount.value;
    writing.discount.value;
    writing.discount_amount.value;
    writing.doc_type.value;
    writing.issue_date.value;
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      totals.value = totalsOfWriting(writing);
    });
  });
  return totals;
}
