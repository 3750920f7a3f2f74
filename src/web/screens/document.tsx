/** One document: what it says, what became of it, and what can be done with it now. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { DocumentSummary, DocumentWithPayments } from "../../core/face.ts";
import { DOCUMENT_TYPES, isReceipt } from "../../core/fiscal/document-types.ts";
import { Button } from "../button.tsx";
import { FormDialog, openDialog } from "../dialog.tsx";
import { History } from "../document/history.tsx";
import { Lines, PaidLines, Sums, showsTax, totalsOfDocument } from "../document/lines.tsx";
import { invoicedOf, isReceipted, referringTo } from "../document/standing.ts";
import { Problem, TextField, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Keys, Page } from "../page.tsx";
import { RecordPayment, VoidPayment } from "../payment-dialogs.tsx";
import { useActorNames } from "../reading/actor-names.ts";
import { lacre, newIdempotencyKey, wrongField } from "../reading/api.ts";
import { DocumentLink } from "../reading/cells.tsx";
import { customerName } from "../reading/customer-names.ts";
import { Facts } from "../reading/facts.tsx";
import { openFile, printFile, saveFile, usePrintKey } from "../reading/files.ts";
import { Loaded, sentenceOf, useResource } from "../reading/resource.tsx";
import { go, href } from "../router.ts";
import { can } from "../session.ts";
import { day, moment, money, month as monthName } from "../words/decimals.ts";
import { language } from "../words/language.ts";
import { meansName } from "../words/means.ts";
import { isInFavour, StatusTags } from "../words/status.tsx";
import { texts } from "../words/texts.ts";
import { typeName } from "../words/type-names.ts";

const t = texts({
  document: ["Documento", "Document"],
  draft: ["{type}, rascunho", "{type}, draft"],
  draft_hint: ["Ainda não tem número nem valor fiscal.", "It has no number yet and no fiscal value."],
  cancelled: ["Anulado em {when}", "Cancelled on {when}"],
  training: ["Documento de formação, sem valor fiscal.", "For training, without fiscal value."],
  // ——— What can be done ———
  record: ["Registar pagamento", "Record payment"],
  state_means: ["Indicar meio de pagamento", "State the means of payment"],
  print: ["Imprimir", "Print"],
  print_roll: ["Talão", "Till receipt"],
  print_three: ["Imprimir em triplicado", "Print in triplicate"],
  save: ["Guardar PDF", "Save PDF"],
  view: ["Ver PDF", "View PDF"],
  go_on: ["Continuar", "Continue writing"],
  discard: ["Apagar rascunho", "Delete draft"],
  invoice: ["Faturar", "Invoice"],
  credit: ["Nota de crédito", "Credit note"],
  debit: ["Nota de débito", "Debit note"],
  receipt: ["Recibo", "Receipt"],
  give_back: ["Nota de devolução", "Return note"],
  copy: ["Copiar para novo", "Copy as new"],
  cancel: ["Anular", "Cancel document"],
  register: ["Registar código da AT", "Record AT's code"],
  next: ["O que pode fazer", "What you can do"],
  // ——— Facts ———
  facts: ["Dados do documento", "Facts"],
  atcud: ["ATCUD", "ATCUD"],
  no_atcud: ["Série por registar na AT", "Series not registered with AT"],
  issue_date: ["Data", "Date"],
  due_date: ["Vencimento", "Due"],
  supply_date: ["Data da operação", "Date of supply"],
  issued_at: ["Emitido em", "Issued at"],
  at_doc_code: ["Código da AT", "AT's code"],
  leaves: ["Início do transporte", "Leaves at"],
  arrives: ["Fim do transporte", "Arrives at"],
  from: ["Carga", "Loaded at"],
  to: ["Descarga", "Unloaded at"],
  vehicle: ["Viatura", "Vehicle"],
  customer: ["Cliente", "Customer"],
  tax_id: ["NIF", "Tax number"],
  others: ["Outros documentos deste cliente", "Other documents of this customer"],
  notes: ["Observações", "Notes"],
  // ——— Money ———
  total: ["Total", "Total"],
  outstanding: ["Falta pagar", "Left to pay"],
  in_favour: ["A favor do cliente", "In the customer's favour"],
  in_favour_hint: [
    "Foi creditado depois de pago: este valor é do cliente, a menos que já lho tenha devolvido.",
    "It was credited after it was paid: this money is the customer's, unless you gave it back already.",
  ],
  payments: ["Pagamentos", "Payments"],
  stated: ["Meios de pagamento", "Means of payment"],
  no_payments: ["Ainda não há pagamentos.", "No payments yet."],
  no_means: ["Está paga; não se indicou por que meio.", "It is paid; by which means was not said."],
  recorded: ["registado por {name}", "recorded by {name}"],
  void: ["Anular", "Void"],
  void_named: ["o pagamento de {amount}", "the payment of {amount}"],
  // ——— References ———
  corrects: ["Corrige", "Corrects"],
  settles: ["Liquida", "Acknowledges"],
  returns: ["Devolve", "Returns"],
  follows: ["Vem de", "Comes from"],
  referred: ["Referido por", "Referred to by"],
  unknown_document: ["documento", "document"],
  more: ["e mais {count}", "and {count} more"],
  // ——— Dialogs ———
  cancel_title: ["Anular {number}", "Cancel {number}"],
  cancel_law: [
    "Anular não apaga: o documento fica com o seu número, marcado como anulado, e segue assim no ficheiro SAF-T. Não tem volta.",
    "Cancelling deletes nothing: the document keeps its number, marked as cancelled, and goes so into the tax file. It cannot be taken back.",
  ],
  cancel_when: [
    "Anula-se o que foi emitido por engano e o cliente ainda não usou. Se já o recebeu e aceitou, emita antes uma nota de crédito. Com pagamentos ou com documentos que o referem, não é possível anular.",
    "Cancel what was issued by mistake and the customer has not used. If the customer has accepted it, issue a credit note instead. With payments, or documents that refer to it, it cannot be cancelled.",
  ],
  cancel_sent: [
    "O ficheiro de {month} já foi comunicado à AT: depois de anular, comunique-o outra vez.",
    "The file of {month} was sent to the tax authority already: after cancelling, send it again.",
  ],
  cancel_receipt: [
    "Anula-se um recibo emitido por engano, ou de um valor que afinal não entrou.",
    "Cancel a receipt issued by mistake, or for money that did not come in after all.",
  ],
  payments_stay: [
    "O recibo só prova o pagamento: anulá-lo não anula o pagamento registado na fatura. Se o dinheiro não entrou, anule depois o pagamento, na página da fatura:",
    "A receipt only proves a payment: cancelling it does not void the payment recorded on the invoice. If the money did not come in, void the payment afterwards, on the page of the invoice:",
  ],
  payments_left: [
    "Estes pagamentos continuam registados. Se o dinheiro não entrou, anule-os na página da fatura:",
    "These payments stay recorded. If the money did not come in, void them on the page of the invoice:",
  ],
  reason: ["Motivo", "Reason"],
  no_reason: ["Escreva porque o anula.", "Say why you cancel it."],
  reason_hint: ["Fica no documento e no ficheiro SAF-T.", "It stays on the document and in the tax file."],
  was_cancelled: ["Documento anulado.", "Document cancelled."],
  receipt_was_cancelled: ["Recibo anulado.", "Receipt cancelled."],
  was_recorded: ["Pagamento registado.", "Payment recorded."],
  was_voided: ["Pagamento anulado.", "Payment voided."],
  was_discarded: ["Rascunho apagado.", "Draft deleted."],
  was_registered: ["Código da AT registado.", "AT's code recorded."],
  discard_question: [
    "O rascunho desaparece de vez. Como não tem número, não fica nenhum buraco na numeração.",
    "The draft is gone for good. It has no number, so none is missing afterwards.",
  ],
  register_hint: [
    "O código que a AT deu ao comunicar o transporte. Grava-se uma vez e não muda.",
    "The code that AT gave when the transport was communicated. It is recorded once and does not change.",
  ],
  code: ["Código", "Code"],
});

/** Documents that this one names, read one by one: the page shows at most so many. */
const MAX_REFERENCES = 50;

/** All that the page shows of a document, its history aside. */
interface Shown {
  readonly document: DocumentWithPayments;
  readonly customer: string;
  /** What it names, in its order; undefined where that is not to be read. */
  readonly referenced: readonly (DocumentWithPayments | undefined)[];
  readonly referring: readonly DocumentSummary[];
}

async function read(id: string, signal: AbortSignal): Promise<Shown> {
  const asked = referringTo(id, signal);
  asked.catch(() => {}); // That there is no such document is said by the first answer.
  const document = await lacre.documents.get({ id }, { signal });
  const referring = await asked;
  const [customer, referenced] = await Promise.all([
    document.customer?.name ?? customerName(document.customer_id, signal),
    Promise.all(
      document.references
        .slice(0, MAX_REFERENCES)
        .map(({ document_id }) => lacre.documents.get({ id: document_id }, { signal }).catch(() => undefined)),
    ),
  ]);
  return { document, customer, referenced, referring };
}

export function DocumentScreen({ id }: { readonly id: string }) {
  const found = useResource((signal) => read(id, signal));
  const round = useSignal(0);
  const shown = found.state.value.value;
  const readAgain = () => {
    found.reload();
    round.value++;
  };
  const changed: Changed = (said) => {
    if (said) announce(said);
    readAgain();
  };
  return (
    <Page
      class="document"
      title={shown ? titleOf(shown.document) : t.document}
      about={
        shown && (
          <>
            <StatusTags document={shown.document} invoiced={invoicedOf(shown.document, shown.referring)} />{" "}
            <span>{shown.customer}</span>
          </>
        )
      }
      actions={shown && <MainActions document={shown.document} changed={changed} />}
    >
      <Loaded from={found}>
        {(value) => (
          <>
            <Banner shown={value} />
            <div class="one-document">
              <div class="rows">
                <section class="sheet scrolls">
                  {showsTax(value.document) ? (
                    <Lines document={value.document} />
                  ) : (
                    <PaidLines document={value.document} />
                  )}
                  {value.document.notes && (
                    <>
                      <h2>{t.notes}</h2>
                      <p class="as-typed">{value.document.notes}</p>
                    </>
                  )}
                </section>
                <section class="sheet history">
                  <History key={round.value} document={value.document} />
                </section>
              </div>
              <aside class="rows">
                <Totals document={value.document} />
                <Others shown={value} changed={changed} />
                <Payments document={value.document} changed={changed} />
                <References shown={value} />
                <FactsOf shown={value} />
              </aside>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const titleOf = ({ doc_type, number }: DocumentSummary): string =>
  number === null ? t.draft({ type: typeName(doc_type) }) : `${typeName(doc_type)} ${number.replace(" ", "\u00a0")}`;

// ——— What can be done ———

/** Reads the document again after an action that may have changed it. `said` announces a change that is certain. */
type Changed = (said?: string) => void;

interface ActionsProps {
  readonly document: DocumentWithPayments;
  readonly changed: Changed;
}

const isPaidByNature = ({ doc_type }: DocumentSummary): boolean => DOCUMENT_TYPES[doc_type].paid_by_nature;

/** Whether a payment can still be recorded on it. An FR may state by which means it was paid. */
function takesPayment({
  outstanding,
  doc_type,
  total_gross,
  payments,
  status,
  training,
}: DocumentWithPayments): boolean {
  if (status !== "issued" || training || !can("payments:write")) return false;
  const type = DOCUMENT_TYPES[doc_type];
  if (type.paid_by_nature) return total_gross > 0 && payments.length === 0;
  return type.takes_payments && (outstanding ?? 0) > 0;
}

function MainActions({ document, changed }: ActionsProps) {
  const problem = useSignal("");
  const { id, status, doc_type } = document;
  const run = (work: () => Promise<void>) => async () => {
    problem.value = "";
    try {
      await work();
    } catch (error) {
      problem.value = sentenceOf(error);
    }
  };
  const travels = document.transport !== null;
  const lang = language.value;
  const print = (paper: "A4" | "80mm") =>
    run(async () => {
      await printFile(() => lacre.documents.print({ id, lang, paper, copies: travels ? 3 : 1 }));
      changed();
    });
  const usual = DOCUMENT_TYPES[doc_type].is_simplified ? "80mm" : "A4";
  usePrintKey(status !== "draft" && can("documents:issue") ? print(usual) : undefined);
  if (status === "draft") {
    return can("documents:write") ? (
      <>
        <a class="button main" href={href(`/new?draft=${id}`)}>
          {t.go_on}
        </a>
        <Button
          label={t.discard}
          onClick={() =>
            openDialog(<DiscardDialog id={id} onDone={() => go("/documents?status=draft", { replace: true })} />)
          }
        />
      </>
    ) : null;
  }
  const pay = () =>
    openDialog(<RecordPayment document={document} onDone={() => changed(t.was_recorded)} onLeft={changed} />);
  const printButton = (paper: "A4" | "80mm", label: string) => (
    <button type="button" aria-keyshortcuts={paper === usual ? "Control+P" : undefined} onClick={print(paper)}>
      {label} {paper === usual && <Keys>Ctrl P</Keys>}
    </button>
  );
  return (
    <>
      {takesPayment(document) && (
        <Button
          label={isPaidByNature(document) ? t.state_means : t.record}
          class={isPaidByNature(document) ? "" : "main"}
          onClick={pay}
        />
      )}
      {can("documents:issue") ? (
        <>
          {printButton("A4", travels ? t.print_three : t.print)}
          {!travels && printButton("80mm", t.print_roll)}
        </>
      ) : (
        <Button label={t.view} onClick={run(() => openFile(() => lacre.documents.pdf({ id, lang })))} />
      )}
      <Button label={t.save} onClick={run(async () => saveFile(await lacre.documents.pdf({ id, lang })))} />
      <Problem>{problem.value}</Problem>
    </>
  );
}

/** The documents that may come after this one, as they are written: the type of each, and its words. */
function following({
  doc_type,
  status,
  training,
}: DocumentSummary): readonly (readonly [type: string, label: string])[] {
  if (status !== "issued" || training) return [];
  const all = [
    ["FT", t.invoice],
    ["RC", t.receipt],
    ["NC", t.credit],
    ["ND", t.debit],
    ["NDV", t.give_back],
    ["GT", typeName("GT")],
  ] as const;
  return all.filter(([type]) => DOCUMENT_TYPES[type].may_reference.includes(doc_type));
}

interface OthersProps {
  readonly shown: Shown;
  readonly changed: Changed;
}

function Others({ shown, changed }: OthersProps) {
  const { document, referring } = shown;
  const { id, doc_type, status, transport, at_doc_code } = document;
  const mayWrite = can("documents:write");
  const links = mayWrite
    ? [
        ...following(document)
          .filter(([type]) => type !== "RC" || !isReceipted(document, referring))
          .map(([type, label]) => [`/new?type=${type}&from=${id}`, label] as const),
        ...(isReceipt(document) ? [] : [[`/new?type=${doc_type}&copy=${id}`, t.copy] as const]),
      ]
    : [];
  const mayCancel = status === "issued" && can("documents:cancel");
  const mayRegister = status === "issued" && mayWrite && transport !== null && at_doc_code === null;
  if (links.length === 0 && !mayCancel && !mayRegister) return null;
  return (
    <section class="sheet others">
      <h2>{t.next}</h2>
      <ul>
        {mayRegister && (
          <li>
            <Button
              label={t.register}
              onClick={() => openDialog(<RegisterDialog document={document} changed={changed} />)}
            />
          </li>
        )}
        {links.map(([to, label]) => (
          <li key={to}>
            <a class="button" href={href(to)}>
              {label}
            </a>
          </li>
        ))}
        {mayCancel && (
          <li>
            <Button label={t.cancel} onClick={() => openDialog(<CancelDialog shown={shown} changed={changed} />)} />
          </li>
        )}
      </ul>
    </section>
  );
}

// ——— What it says ———

function Banner({ shown }: { readonly shown: Shown }) {
  const { status, cancelled_at, cancel_reason, training } = shown.document;
  return (
    <>
      {status === "cancelled" && (
        <p class="state bad">
          <strong>{t.cancelled({ when: cancelled_at ? moment(cancelled_at) : "" })}</strong> {cancel_reason}
        </p>
      )}
      {status === "cancelled" && <PaymentsLeft shown={shown} />}
      {status === "draft" && <p class="state">{t.draft_hint}</p>}
      {training && <p class="state warn">{t.training}</p>}
    </>
  );
}

/** The payments that stay recorded on what a receipt acknowledges, whatever becomes of it; nothing of other types. */
function PaymentsLeft({ shown: { document, referenced } }: { readonly shown: Shown }) {
  const paid = referenced.flatMap((one) => (one && one.payments.length > 0 ? [one] : []));
  if (!isReceipt(document) || paid.length === 0) return null;
  return (
    <div class="state warn">
      <p>{document.status === "cancelled" ? t.payments_left : t.payments_stay}</p>
      <ul>
        {paid.map(({ id, number, payments }) => (
          <li key={id}>
            <DocumentLink id={id} number={number} />:{" "}
            {payments
              .map((one) => `${money(one.amount)}, ${meansName(one.method_code)}, ${day(one.payment_date)}`)
              .join("; ")}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Totals({ document }: { readonly document: DocumentWithPayments }) {
  const { total_gross, outstanding, payment_status, status } = document;
  return (
    <section class="sheet totals">
      <p class="grand">
        <span>{t.total}</span>{" "}
        <strong>{status === "cancelled" ? <s>{money(total_gross)}</s> : money(total_gross)}</strong>
      </p>
      {payment_status !== null && payment_status !== "paid" && outstanding !== null && (
        <p class="grand left">
          <span>{t.outstanding}</span> <strong>{money(outstanding)}</strong>
        </p>
      )}
      {isInFavour(document) && (
        <>
          <p class="grand left">
            <span>{t.in_favour}</span> <strong>{money(-(outstanding ?? 0))}</strong>
          </p>
          <p class="hint">{t.in_favour_hint}</p>
        </>
      )}
      {showsTax(document) && <Sums totals={totalsOfDocument(document)} />}
    </section>
  );
}

function Payments({ document, changed }: ActionsProps) {
  const nameOf = useActorNames();
  const { doc_type, payments, status, training } = document;
  const { takes_payments, takes_payments_at_issue } = DOCUMENT_TYPES[doc_type];
  if (payments.length === 0 && (!takes_payments || status !== "issued" || training)) return null;
  const isStated = takes_payments_at_issue && (isReceipt(document) || status === "draft");
  return (
    <section class="sheet">
      <h2>{isStated ? t.stated : t.payments}</h2>
      {payments.length === 0 ? (
        <p class="soft">{isPaidByNature(document) ? t.no_means : t.no_payments}</p>
      ) : (
        <ul class="entries">
          {payments.map((payment) => (
            <li key={payment.id}>
              <div>
                <strong>{money(payment.amount)}</strong>
                <small>
                  {day(payment.payment_date)} · {meansName(payment.method_code)}
                  {payment.recorded_by && `, ${t.recorded({ name: nameOf(payment.recorded_by) ?? "" })}`}
                </small>
              </div>
              {!isStated && can("payments:void") && (
                <Button
                  label={t.void}
                  of={t.void_named({ amount: money(payment.amount) })}
                  class="plain"
                  onClick={() =>
                    openDialog(<VoidPayment payment={payment} onDone={() => changed(t.was_voided)} onLeft={changed} />)
                  }
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function References({ shown: { document, referenced, referring } }: { readonly shown: Shown }) {
  const { corrects, saft_table, brings_back } = DOCUMENT_TYPES[document.doc_type];
  const title = corrects ? t.corrects : saft_table === "Payments" ? t.settles : brings_back ? t.returns : t.follows;
  const left = document.references.length - referenced.length;
  if (document.references.length + referring.length === 0) return null;
  return (
    <section class="sheet">
      {document.references.length > 0 && (
        <>
          <h2>{title}</h2>
          <ul class="entries">
            {referenced.map((one, index) => {
              const { document_id = "", amount = null, reason = null } = document.references[index] ?? {};
              return (
                <Entry key={document_id} id={document_id} document={one} amount={amount}>
                  {reason}
                </Entry>
              );
            })}
            {left > 0 && <li>{t.more({ count: left })}</li>}
          </ul>
        </>
      )}
      {referring.length > 0 && (
        <>
          <h2>{t.referred}</h2>
          <ul class="entries">
            {referring.map((one) => {
              const { amount, reason } = one.references.find(({ document_id }) => document_id === document.id) ?? {};
              return (
                <Entry key={one.id} id={one.id} document={one} amount={amount ?? null}>
                  {reason}
                </Entry>
              );
            })}
          </ul>
        </>
      )}
    </section>
  );
}

interface EntryProps {
  readonly id: string;
  readonly document: DocumentSummary | undefined;
  readonly amount: number | null;
  readonly children: ComponentChildren;
}

/** Another document, with what of it is meant. */
function Entry({ id, document, amount, children }: EntryProps) {
  const name = document ? (document.number ?? t.draft({ type: typeName(document.doc_type) })) : t.unknown_document;
  return (
    <li>
      <div>
        <DocumentLink id={id} number={name} />{" "}
        {document && document.status !== "issued" && <StatusTags document={document} />}
        <small>
          {document && [day(document.issue_date), typeName(document.doc_type)].join(" · ")}
          {children && <>: {children}</>}
        </small>
      </div>
      {amount !== null && <span class="whole">{money(amount)}</span>}
    </li>
  );
}

function FactsOf({ shown: { document, customer } }: { readonly shown: Shown }) {
  const { atcud, status, issue_date, due_date, supply_date, issued_at, transport, at_doc_code } = document;
  const frozen = document.customer;
  const town = [frozen?.postal_code, frozen?.city].filter(Boolean).join(" ");
  const rows: readonly (readonly [label: string, value: ComponentChildren])[] = [
    [t.atcud, status === "draft" ? null : (atcud ?? <span class="soft">{t.no_atcud}</span>)],
    [t.issue_date, day(issue_date)],
    [t.due_date, due_date && day(due_date)],
    [t.supply_date, supply_date && day(supply_date)],
    [t.issued_at, issued_at && moment(issued_at)],
    [t.leaves, transport?.start_at && moment(transport.start_at)],
    [t.arrives, transport?.end_at && moment(transport.end_at)],
    [t.from, placeText(transport?.from)],
    [t.to, placeText(transport?.to)],
    [t.vehicle, transport?.vehicle],
    [t.at_doc_code, at_doc_code],
  ];
  return (
    <section class="sheet">
      <h2>{t.customer}</h2>
      <p>
        <strong>
          {can("customers:read") ? <a href={href(`/customers/${document.customer_id}`)}>{customer}</a> : customer}
        </strong>
      </p>
      {frozen?.tax_id && (
        <p>
          {t.tax_id} {frozen.tax_id}
        </p>
      )}
      <p class="as-typed">{[frozen?.address, town, frozen?.country].filter(Boolean).join("\n")}</p>
      {frozen?.email && <p>{frozen.email}</p>}
      {frozen?.phone && <p>{frozen.phone}</p>}
      <p class="others-link">
        <a href={href(`/documents?customer_id=${document.customer_id}`)}>{t.others}</a>
      </p>
      <h2>{t.facts}</h2>
      <Facts rows={rows} />
    </section>
  );
}

function placeText(place: NonNullable<DocumentSummary["transport"]>["from"] | undefined): ComponentChildren {
  const town = [place?.postal_code, place?.city].filter(Boolean).join(" ");
  const text = [place?.address, town, place?.country].filter(Boolean).join("\n");
  return text && <span class="as-typed">{text}</span>;
}

// ——— Dialogs ———

/** Asks whether a draft may go, and deletes it. */
export function DiscardDialog({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const discarded = () => {
    announce(t.was_discarded);
    onDone();
  };
  return (
    <FormDialog title={t.discard} change={() => lacre.documents.discard({ id })} onDone={discarded}>
      <p>{t.discard_question}</p>
    </FormDialog>
  );
}

function CancelDialog({ shown, changed }: OthersProps) {
  const { id, number, ...document } = shown.document;
  const form = useForm({ reason: "" }, "documents.cancel");
  const month = document.issue_date.slice(0, 7);
  const isSent = useResource(async (signal) => {
    if (!can("saft:read")) return false;
    const { data } = await lacre.saft.listCommunications({ limit: 200 }, { signal });
    return data.some((one) => one.month === month && one.communicated !== null);
  }).state.value.value;
  // The same reason is the same request: a repeat after a lost answer is told that it was done.
  const request = useRef({ reason: "", key: newIdempotencyKey() });
  const cancel = () => {
    const reason = form.values.reason.value.trim();
    if (request.current.reason !== reason) request.current = { reason, key: newIdempotencyKey() };
    if (reason === "") throw wrongField("reason", t.no_reason);
    return lacre.documents.cancel({ id, reason }, { idempotency_key: request.current.key });
  };
  return (
    <FormDialog
      title={t.cancel_title({ number: number ?? "" })}
      submit={t.cancel}
      change={cancel}
      onDone={() => changed(isReceipt(document) ? t.receipt_was_cancelled : t.was_cancelled)}
      onLeft={changed}
      form={form}
    >
      <div class="explained">
        <p>{t.cancel_law}</p>
        <p>{isReceipt(document) ? t.cancel_receipt : t.cancel_when}</p>
        <PaymentsLeft shown={shown} />
        {isSent && <p class="state warn">{t.cancel_sent({ month: monthName(month) })}</p>}
      </div>
      <TextField label={t.reason} hint={t.reason_hint} path="reason" required autofocus />
    </FormDialog>
  );
}

function RegisterDialog({ document: { id }, changed }: ActionsProps) {
  const form = useForm({ at_doc_code: "" }, "documents.change");
  const { at_doc_code } = form.values;
  return (
    <FormDialog
      title={t.register}
      change={() => lacre.documents.change({ id, at_doc_code: at_doc_code.value.trim() })}
      onDone={() => changed(t.was_registered)}
      onLeft={changed}
      form={form}
    >
      <div class="explained">
        <p>{t.register_hint}</p>
      </div>
      <TextField label={t.code} path="at_doc_code" required autofocus />
    </FormDialog>
  );
}
