/** The last step: the total, how it is paid, and that it cannot be undone. */
import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Series } from "../../core/face.ts";
import { DOCUMENT_TYPES, isReceipt } from "../../core/fiscal/document-types.ts";
import { fromCents } from "../../core/fiscal/money.ts";
import { PAYMENT_MEANS, type PaymentCode } from "../../core/fiscal/payment-means.ts";
import { Button, RemoveButton } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { bound, Check, Options, Problem } from "../fields/form.tsx";
import { Keys } from "../page.tsx";
import { seriesName } from "../reading/own-company.ts";
import { href } from "../router.ts";
import { can } from "../session.ts";
import { money, typedMoney } from "../words/decimals.ts";
import { meansName } from "../words/means.ts";
import { texts } from "../words/texts.ts";
import { typeName } from "../words/type-names.ts";
import {
  type Choice,
  type Due,
  firstChoice,
  type Handed,
  lacksCode,
  type Payment,
  type Share,
  sharedFrom,
  type Till,
  takesPayments,
  tillOf,
  withAmount,
  withAnother,
  withMeans,
  withoutShare,
} from "./till.ts";
import { type Chosen, nameOf, taxIdOf, type Writing, writesReceipt } from "./writing.ts";

const t = texts({
  title: ["Emitir {name}", "Issue {name}"],
  tax_id: ["NIF {tax_id}", "tax number {tax_id}"],
  paid_with: ["Pago com", "Paid with"],
  NU: ["Numerário", "Cash"],
  CD: ["Cartão", "Card"],
  MB: ["Referência Multibanco", "Multibanco reference"],
  TB: ["Transferência", "Transfer"],
  to_be_paid: ["Por pagar", "To be paid"],
  not_said: ["Sem indicar", "Not said"],
  several: ["Vários meios", "Several means"],
  other: ["Outro meio…", "Other means…"],
  received: ["Recebido", "Received"],
  change: ["Troco", "Change"],
  missing: ["Falta", "Missing"],
  means: ["Meio de pagamento", "Means of payment"],
  amount: ["Valor", "Amount"],
  add: ["Juntar outro meio", "Add another means"],
  left: ["Fica por pagar: {eur}", "Left to be paid: {eur}"],
  too_little: ["Faltam {eur} para o total.", "{eur} less than the total."],
  too_much: ["São {eur} a mais do que o total.", "{eur} more than the total."],
  wrong_amount: ["Escreva cada valor em euros, como 12,50.", "Type each amount in euros, as 12.50."],
  settle: ["Registar também o pagamento", "Record the payment too"],
  settle_hint: [
    "As faturas deixam de estar por pagar. O recibo, só por si, não as salda.",
    "The invoices are no longer owed. A receipt alone does not settle them.",
  ],
  warning: [
    "Depois de emitido, o documento já não pode ser alterado nem apagado, só anulado.",
    "Once issued, the document can no longer be changed or deleted, only cancelled.",
  ],
  no_code: [
    "A série {name} não tem o código da AT, que a lei pede antes do primeiro documento: sem ele, a série fica sem ATCUD para sempre.",
    "The series {name} has no code from AT, which the law asks for before the first document: without it, the series is left without ATCUD for good.",
  ],
  to_series: ["Pôr o código da AT", "Enter AT's code"],
  see_series: ["Ver séries", "See the series"],
  is_training: ["É formação", "This is training"],
  without_code: ["Emitir sem ATCUD, sei o que faço", "Issue without ATCUD, I know what I do"],
  training: [
    "Série de formação: o documento não tem valor fiscal.",
    "A training series: the document has no fiscal value.",
  ],
  back: ["Voltar", "Back"],
  issue: ["Emitir", "Issue"],
  issuing: ["A emitir…", "Issuing…"],
  again: ["Enviar outra vez", "Send again"],
});

/** The keys of the means, which no amount contains, so that they also work while one is typed. */
const keys = texts({
  NU: ["N", "C"],
  CD: ["C", "D"],
  MB: ["M", "M"],
  TB: ["T", "T"],
  later: ["P", "P"],
  several: ["V", "S"],
});

/** The means that have a button. */
const USUAL = ["NU", "CD", "MB", "TB"] as const;
const isUsual = (code: PaymentCode): code is (typeof USUAL)[number] => USUAL.some((one) => one === code);

interface DialogProps {
  readonly writing: Writing;
  /** Where the document goes. */
  readonly series: Series | undefined;
  readonly total_cents: number;
  readonly isSending: boolean;
  /** What went wrong at the last submission. */
  readonly problem: string | undefined;
  /** Whether the outcome is unknown: only repeating the request can tell if it was issued. */
  readonly isUnknown: boolean;
  readonly onIssue: (payments: readonly Payment[], handed: Handed, settlesToo: boolean) => void;
  /** Continues in a training series; undefined if there is none, and the person may not open one. */
  readonly onTraining: (() => void) | undefined;
  readonly onClose: () => void;
}

/** The dialog that issues. Enter issues, except into a series that lacks its code. */
export function IssueDialog(props: DialogProps) {
  const { writing, series, total_cents, isSending, problem, isUnknown, onIssue, onTraining, onClose } = props;
  const { customer, doc_type } = writing;
  const form = useRef<HTMLFormElement>(null);
  const paying = usePaying({ doc_type: doc_type.value, total_cents }, writing.payments.value);
  const { till } = paying;
  const settlesToo = useSignal(true);
  const canSettle = maySettle(writing);
  const isUncoded = lacksCode(series, isUnknown);
  useEffect(() => {
    // The focused element disappeared with the question.
    if (!form.current?.contains(document.activeElement)) focusSubmit(form);
  }, [isUncoded]);
  const issue = () => {
    if (!isSending && !till.isBlocked) onIssue(till.payments, till.handed, canSettle && settlesToo.value);
  };
  const submit = () => {
    if (!isUncoded) issue();
  };
  const close = () => {
    if (!isSending) onClose();
  };
  return (
    <Dialog title={t.title({ name: typeName(doc_type.value).toLowerCase() })} onClose={close}>
      <form
        ref={form}
        class="issue"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        onKeyDown={(event) => pressed(event, form, paying, submit)}
        noValidate
        aria-busy={isSending}
      >
        <Grand total_cents={total_cents} customer={customer.value} />
        <Means paying={paying} form={form} />
        <Shares paying={paying} />
        <Wrong till={till} />
        <Cash paying={paying} isFirst={!isUncoded} />
        {canSettle && till.isSaid && <Check label={t.settle} hint={t.settle_hint} value={settlesToo} />}
        {series && isUncoded ? (
          <Uncoded series={series} isSending={isSending} onTraining={onTraining} onIssue={issue} />
        ) : (
          <p class={series?.training ? "for-good warn" : "for-good"}>{series?.training ? t.training : t.warning}</p>
        )}
        <Problem>{problem}</Problem>
        <div class="actions">
          <Button label={t.back} disabled={isSending} onClick={onClose} />
          {isUncoded && !isSending ? <ToSeries /> : <Submit till={till} isSending={isSending} isUnknown={isUnknown} />}
        </div>
      </form>
    </Dialog>
  );
}

/** Whether a receipt can record the payments on its documents: something is still owed. */
const maySettle = (writing: Writing): boolean =>
  writesReceipt(writing) &&
  can("payments:write") &&
  writing.references.value.some(({ document }) => (document.outstanding ?? 0) > 0);

// ——— Choices and typing ———

/** How the document is paid, while somebody chooses and types. */
interface Paying {
  readonly due: Due;
  readonly choice: Signal<Choice>;
  /** The cash handed over, as it is typed. */
  readonly received: Signal<string>;
  /** The result of all this. */
  readonly till: Till;
}

function usePaying(due: Due, before: readonly Payment[]): Paying {
  const choice = useSignal(firstChoice(due, before));
  const received = useSignal("");
  return { due, choice, received, till: tillOf(due, choice.value, received.value) };
}

/** Pays everything by one means, or later. */
function choose({ choice }: Paying, means: PaymentCode | undefined): void {
  choice.value = { means, shares: undefined };
}

/** Pays by several means. */
function split({ due, choice }: Paying): void {
  const { means, shares } = choice.value;
  choice.value = { means, shares: shares ?? sharedFrom(due.total_cents, means) };
}

// ——— Keys and the focus ———

type FormRef = RefObject<HTMLFormElement | null>;

/** Focuses the amount of a choice, once it is drawn. */
const focusAmount = (form: FormRef) =>
  requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(".share input, .cash input")?.focus());

const focusSubmit = (form: FormRef) => form.current?.querySelector<HTMLElement>(".actions .main")?.focus();

interface Shortcut {
  readonly key: string;
  readonly act: () => void;
}

/** The choices that have a key, in the order of the buttons. */
function shortcutsOf(paying: Paying): readonly Shortcut[] {
  if (!takesPayments(paying.due)) return [];
  const { paid_by_nature } = DOCUMENT_TYPES[paying.due.doc_type];
  return [
    ...USUAL.map((code) => ({ key: keys[code], act: () => choose(paying, code) })),
    ...(paid_by_nature ? [] : [{ key: keys.later, act: () => choose(paying, undefined) }]),
    { key: keys.several, act: () => split(paying) },
  ];
}

/** The pressed shortcut: its letter everywhere, its digit only outside fields. */
function shortcutOf(
  { key, target, ctrlKey, metaKey, altKey }: KeyboardEvent,
  shortcuts: readonly Shortcut[],
): Shortcut | undefined {
  if (ctrlKey || metaKey || altKey || target instanceof HTMLSelectElement) return undefined;
  const isField = target instanceof HTMLInputElement && target.type !== "checkbox";
  return shortcuts.find((one) => one.key === key.toUpperCase()) ?? (isField ? undefined : shortcuts[Number(key) - 1]);
}

/** Enter issues wherever the focus is among the means; other keys choose one. */
function pressed(event: KeyboardEvent, form: FormRef, paying: Paying, submit: () => void): void {
  const at = event.target as HTMLElement;
  if (event.key === "Enter" && at.closest(".choices, .share select, .share input, .cash, .check")) {
    event.preventDefault();
    submit();
  }
  const shortcut = shortcutOf(event, shortcutsOf(paying));
  if (!shortcut) return;
  event.preventDefault();
  focusSubmit(form); // At once: the next key is Enter, and a disappearing field would take the focus with it.
  shortcut.act();
  focusAmount(form);
}

// ——— Drawing ———

function Grand({ total_cents, customer }: { readonly total_cents: number; readonly customer: Chosen | undefined }) {
  const tax_id = taxIdOf(customer);
  return (
    <p class="grand">
      <strong>{money(fromCents(total_cents))}</strong>
      <span>{[nameOf(customer), tax_id && t.tax_id({ tax_id })].filter(Boolean).join(" · ")}</span>
    </p>
  );
}

/** The choice of the means. */
function Means({ paying, form }: { readonly paying: Paying; readonly form: FormRef }) {
  const { due, choice } = paying;
  if (!takesPayments(due)) return null;
  const { means, shares } = choice.value;
  const button = (code: PaymentCode | undefined, label: string, key: string) => (
    <button
      key={label}
      type="button"
      aria-pressed={shares === undefined && means === code}
      aria-keyshortcuts={key}
      onClick={() => choose(paying, code)}
    >
      {label} <Keys>{key}</Keys>
    </button>
  );
  return (
    <fieldset>
      <legend>{t.paid_with}</legend>
      <div class="choices">
        {USUAL.map((code) => button(code, t[code], keys[code]))}
        {!DOCUMENT_TYPES[due.doc_type].paid_by_nature &&
          button(undefined, isReceipt(due) ? t.not_said : t.to_be_paid, keys.later)}
        <OtherMeans paying={paying} />
        <button
          type="button"
          aria-pressed={shares !== undefined}
          aria-keyshortcuts={keys.several}
          onClick={() => {
            split(paying);
            focusAmount(form);
          }}
        >
          {t.several} <Keys>{keys.several}</Keys>
        </button>
      </div>
    </fieldset>
  );
}

/** The means without a button. */
function OtherMeans({ paying }: { readonly paying: Paying }) {
  const { means, shares } = paying.choice.value;
  const isOther = means !== undefined && !isUsual(means);
  return (
    <select
      aria-label={t.other}
      class={isOther ? "chosen" : ""}
      value={shares === undefined && isOther ? means : ""}
      onChange={(event) => choose(paying, event.currentTarget.value as PaymentCode)}
    >
      <option value="" disabled>
        {t.other}
      </option>
      <Options of={PAYMENT_MEANS.filter(({ code }) => !isUsual(code)).map(({ code }) => [code, meansName(code)])} />
    </select>
  );
}

/** What is wrong with the amounts, or else what remains. */
function Wrong({ till: { isUnreadable, over_cents, left_cents, isUnderpaid } }: { readonly till: Till }) {
  const isWrong = isUnreadable || over_cents > 0 || isUnderpaid;
  if (!isWrong && left_cents === 0) return null;
  const left = (isUnderpaid ? t.too_little : t.left)({ eur: money(fromCents(left_cents)) });
  const sums = over_cents > 0 ? t.too_much({ eur: money(fromCents(over_cents)) }) : left;
  return (
    <p key={isWrong ? "error" : "left"} class={isWrong ? "error" : "hint"} role={isWrong ? "alert" : undefined}>
      {isUnreadable ? t.wrong_amount : sums}
    </p>
  );
}

/** The cash handed over, and the change. */
function Cash({ paying: { received, till }, isFirst }: { readonly paying: Paying; readonly isFirst: boolean }) {
  const { cash_cents, change_cents, isShort } = till;
  if (cash_cents === 0) return null;
  return (
    <div class="cash">
      <label>
        {t.received}
        <input
          class="number"
          inputmode="decimal"
          autocomplete="off"
          // The till's next key is the amount that the customer gave; Enter alone means the exact sum.
          autofocus={isFirst}
          aria-invalid={isShort}
          placeholder={typedMoney(fromCents(cash_cents))}
          {...bound(received)}
        />
      </label>
      <output class="change">
        {change_cents < 0 ? t.missing : t.change} <strong>{money(fromCents(Math.abs(change_cents)))}</strong>
      </output>
    </div>
  );
}

interface UncodedProps extends Pick<DialogProps, "isSending" | "onTraining"> {
  readonly series: Series;
  readonly onIssue: () => void;
}

/** What is lost in a series without its code, and what can be done. */
function Uncoded({ series, isSending, onTraining, onIssue }: UncodedProps) {
  return (
    <div class="for-good warn">
      <p>{t.no_code({ name: seriesName(series) })}</p>
      <div class="actions">
        {onTraining && <Button label={t.is_training} class="plain" disabled={isSending} onClick={onTraining} />}
        <Button label={t.without_code} class="plain" disabled={isSending} onClick={onIssue} />
      </div>
    </div>
  );
}

/** The link to the screen for the code, in a window of its own: the document stays here. */
const ToSeries = () => (
  <a class="button main" href={href("/series")} target="_blank" rel="noopener" autofocus>
    {can("series:write") ? t.to_series : t.see_series}
  </a>
);

type SubmitProps = Pick<DialogProps, "isSending" | "isUnknown"> & { readonly till: Till };

/** The button that issues. */
function Submit({ till: { cash_cents, isBlocked }, isSending, isUnknown }: SubmitProps) {
  const label = isUnknown ? t.again : t.issue;
  return (
    <button type="submit" class="main" autofocus={cash_cents === 0} aria-disabled={isSending || isBlocked}>
      {isSending ? t.issuing : label} <Keys>⏎</Keys>
    </button>
  );
}

/** Several means, each with its amount. */
function Shares({ paying: { due, choice } }: { readonly paying: Paying }) {
  const { shares } = choice.value;
  if (!shares) return null;
  const { total_cents } = due;
  const change = (next: readonly Share[]) => {
    choice.value = { ...choice.value, shares: next };
  };
  return (
    <div class="shares">
      {shares.map((share, index) => (
        <ShareRow
          key={index}
          share={share}
          position={index + 1}
          isOnly={shares.length < 2}
          onMeans={(code) => change(withMeans(shares, index, code))}
          onAmount={(amount) => change(withAmount(total_cents, shares, index, amount))}
          onRemove={() => change(withoutShare(total_cents, shares, index))}
        />
      ))}
      <button type="button" class="plain" onClick={() => change(withAnother(total_cents, shares))}>
        + {t.add}
      </button>
    </div>
  );
}

interface ShareProps {
  readonly share: Share;
  /** Its position among the shares, from 1. */
  readonly position: number;
  readonly isOnly: boolean;
  readonly onMeans: (code: PaymentCode) => void;
  readonly onAmount: (amount: string) => void;
  readonly onRemove: () => void;
}

function ShareRow({ share: { code, amount }, position, isOnly, onMeans, onAmount, onRemove }: ShareProps) {
  return (
    <div class="share">
      <select
        aria-label={`${t.means} ${position}`}
        value={code}
        onChange={(event) => onMeans(event.currentTarget.value as PaymentCode)}
      >
        <Options of={PAYMENT_MEANS.map((row) => [row.code, isUsual(row.code) ? t[row.code] : meansName(row.code)])} />
      </select>
      <input
        class="number"
        inputmode="decimal"
        autocomplete="off"
        aria-label={`${t.amount}, ${meansName(code)}`}
        value={amount}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => onAmount(event.currentTarget.value)}
      />
      <RemoveButton of={meansName(code)} disabled={isOnly} onClick={onRemove} />
    </div>
  );
}
