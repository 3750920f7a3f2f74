/** One document: its content, its history, and what can be done with it now. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { DocumentSummary, DocumentWithPayments } from "../../core/face.ts";
import { DOCUMENT_TYPES, isReceipt } from "../../core/fiscal/document-types.ts";
import { Button, ButtonLink } from "../button.tsx";
import { openDialog } from "../dialog.tsx";
import {
  CancelDialog,
  type Changed,
  DiscardDialog,
  PaymentsLeft,
  RegisterDialog,
  type WithReferenced,
} from "../document/document-dialogs.tsx";
import { History } from "../document/history.tsx";
import { Lines, PaidLines, Sums, showsTax, totalsOfDocument } from "../document/lines.tsx";
import { type Following, following, takesPayment } from "../document/next-steps.ts";
import { referringTo } from "../document/standing.ts";
import { Problem } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Keys, Page, Section } from "../page.tsx";
import { RecordPayment, VoidPayment } from "../payment-dialogs.tsx";
import { useActorNames } from "../reading/actor-names.ts";
import { lacre } from "../reading/api.ts";
import { DocumentLink } from "../reading/cells.tsx";
import { customerName } from "../reading/customer-names.ts";
import { Facts } from "../reading/facts.tsx";
import { openFile, printFile, saveFile, usePrintKey } from "../reading/files.ts";
import { Loaded, sentenceOf, useResource } from "../reading/resource.tsx";
import { go, href } from "../router.ts";
import { can } from "../session.ts";
import { day, moment, money } from "../words/decimals.ts";
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
  // ——— Actions ———
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
  valid_until: ["Válido até", "Valid until"],
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
  refunds: ["Devoluções", "Refunds"],
  refunded: ["registada por {name}", "recorded by {name}"],
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
  was_recorded: ["Pagamento registado.", "Payment recorded."],
  was_voided: ["Pagamento anulado.", "Payment voided."],
});

/** References are read one by one: the page shows at most this many. */
const MAX_REFERENCES = 50;

/** Everything that the page shows of a document, except its history. */
interface Shown extends WithReferenced {
  readonly customer: string;
  readonly referring: readonly DocumentSummary[];
}

async function read(id: string, signal: AbortSignal): Promise<Shown> {
  const asked = referringTo(id, signal);
  asked.catch(() => {}); // The first answer already reports a missing document.
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
  const changed: Changed = (said) => {
    if (said) announce(said);
    found.reload();
    round.value++;
  };
  return (
    <Page
      class="document"
      title={shown ? titleOf(shown.document) : t.document}
      about={
        shown && (
          <>
            <StatusTags document={shown.document} /> <span>{shown.customer}</span>
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
                <Refunds document={value.document} />
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

// ——— Actions ———

interface ActionsProps {
  readonly document: DocumentWithPayments;
  readonly changed: Changed;
}

const isPaidByNature = ({ doc_type }: DocumentSummary): boolean => DOCUMENT_TYPES[doc_type].paid_by_nature;

const MainActions = (props: ActionsProps) =>
  props.document.status === "draft" ? <DraftActions id={props.document.id} /> : <IssuedActions {...props} />;

function DraftActions({ id }: { readonly id: string }) {
  if (!can("documents:write")) return null;
  const discarded = () => go("/documents?status=draft", { replace: true });
  return (
    <>
      <ButtonLink label={t.go_on} to={`/new?draft=${id}`} main />
      <Button label={t.discard} onClick={() => openDialog(<DiscardDialog id={id} onDone={discarded} />)} />
    </>
  );
}

function IssuedActions({ document, changed }: ActionsProps) {
  const problem = useSignal("");
  const { id, doc_type } = document;
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
  usePrintKey(can("documents:issue") ? print(usual) : undefined);
  const pay = () =>
    openDialog(<RecordPayment document={document} onDone={() => changed(t.was_recorded)} onLeft={changed} />);
  const printButton = (paper: "A4" | "80mm", label: string) => (
    <button type="button" aria-keyshortcuts={paper === usual ? "Control+P" : undefined} onClick={print(paper)}>
      {label} {paper === usual && <Keys>Ctrl P</Keys>}
    </button>
  );
  return (
    <>
      {takesPayment(document) && can("payments:write") && (
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

/** The label for writing each kind of following document. */
const FOLLOW: Readonly<Record<Following, () => string>> = {
  FT: () => t.invoice,
  RC: () => t.receipt,
  NC: () => t.credit,
  ND: () => t.debit,
  NDV: () => t.give_back,
  GT: () => typeName("GT"),
};

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
        ...following(document, referring).map((type) => [`/new?type=${type}&from=${id}`, FOLLOW[type]()] as const),
        ...(isReceipt(document) ? [] : [[`/new?type=${doc_type}&copy=${id}`, t.copy] as const]),
      ]
    : [];
  const mayCancel = status === "issued" && can("documents:cancel");
  const mayRegister = status === "issued" && mayWrite && transport !== null && at_doc_code === null;
  if (links.length === 0 && !mayCancel && !mayRegister) return null;
  return (
    <Section title={t.next} class="others">
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
            <ButtonLink label={label} to={to} />
          </li>
        ))}
        {mayCancel && (
          <li>
            <Button label={t.cancel} onClick={() => openDialog(<CancelDialog shown={shown} changed={changed} />)} />
          </li>
        )}
      </ul>
    </Section>
  );
}

// ——— Content ———

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
    <Section title={isStated ? t.stated : t.payments}>
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
    </Section>
  );
}

/** The money given back; on a credit note, with it. */
function Refunds({ document: { refunds } }: Pick<ActionsProps, "document">) {
  const nameOf = useActorNames();
  if (refunds.length === 0) return null;
  return (
    <Section title={t.refunds}>
      <ul class="entries">
        {refunds.map(({ id, amount, payment_date, method_code, recorded_by }) => (
          <li key={id}>
            <div>
              <strong>{money(amount)}</strong>
              <small>
                {day(payment_date)} · {meansName(method_code)}
                {recorded_by && `, ${t.refunded({ name: nameOf(recorded_by) ?? "" })}`}
              </small>
            </div>
          </li>
        ))}
      </ul>
    </Section>
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

/** Another document, and which part of it is meant. */
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
  const { atcud, status, issue_date, due_date, valid_until, supply_date, issued_at, transport, at_doc_code } = document;
  const frozen = document.customer;
  const town = [frozen?.postal_code, frozen?.city].filter(Boolean).join(" ");
  const rows: readonly (readonly [label: string, value: ComponentChildren])[] = [
    [t.atcud, status === "draft" ? null : (atcud ?? <span class="soft">{t.no_atcud}</span>)],
    [t.issue_date, day(issue_date)],
    [t.due_date, due_date && day(due_date)],
    [t.valid_until, valid_until && day(valid_until)],
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
    <Section title={t.customer}>
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
    </Section>
  );
}

function placeText(place: NonNullable<DocumentSummary["transport"]>["from"] | undefined): ComponentChildren {
  const town = [place?.postal_code, place?.city].filter(Boolean).join(" ");
  const text = [place?.address, town, place?.country].filter(Boolean).join("\n");
  return text && <span class="as-typed">{text}</span>;
}
