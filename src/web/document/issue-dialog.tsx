/** The last step: what it comes to, how it is paid, and that it cannot be undone. */
import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { NewDocumentPayment, Series } from "../../core/face.ts";
import { isReceipt } from "../../core/fiscal/document-types.ts";
import { fromCents } from "../../core/fiscal/money.ts";
import { PAYMENT_MEANS, type PaymentCode } from "../../core/fiscal/payment-means.ts";
import { money, typedMoney } from "../decimals.ts";
import { Dialog } from "../dialog.tsx";
import { Check, Problem } from "../form.tsx";
import { meansName } from "../means.ts";
import { seriesName } from "../own-company.ts";
import { Keys } from "../page.tsx";
import { href } from "../router.ts";
import { can } from "../session.ts";
import { texts } from "../texts.ts";
import { typeName } from "../type-names.ts";
import { readNumber } from "./line.ts";
import { nameOf, type Payment, taxIdOf, type Writing } from "./writing.ts";

const t = texts({
  title: ["Emitir {name}", "Issue {name}"],
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
  remove: ["Retirar", "Remove"],
  left: ["Fica por pagar: {eur}", "Left to be paid: {eur}"],
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
  again: ["Perguntar outra vez", "Ask again"],
});

/** The keys of the means, which no amount has: they choose while one is typed, too. */
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
const CASH = "NU";

interface Share {
  readonly code: Signal<PaymentCode>;
  readonly amount: Signal<string>;
  /** Whether a person typed the amount; the only one that nobody typed is what is left. */
  readonly isTyped: Signal<boolean>;
}

/** What was handed over in cash, and the change: of this moment alone, so that no document keeps it. */
export interface Handed {
  readonly given_cents: number;
  readonly change_cents: number;
}

export const NOTHING_HANDED: Handed = { given_cents: 0, change_cents: 0 };

interface DialogProps {
  readonly writing: Writing;
  /** Where the document goes. */
  readonly series: Series | undefined;
  readonly total_cents: number;
  readonly isSending: boolean;
  /** What went wrong at the last try. */
  readonly problem: string | undefined;
  /** Whether only another try can tell if it was issued. */
  readonly isUnknown: boolean;
  readonly onIssue: (payments: readonly Payment[], handed: Handed, settlesToo: boolean) => void;
  /** Goes to a training series instead; undefined where there is none, and the person may open none. */
  readonly onTraining: (() => void) | undefined;
  readonly onClose: () => void;
}

/** The dialog that issues. Enter issues, but into a series that lacks its code. */
export function IssueDialog(props: DialogProps) {
  const { writing, series, total_cents, isSending, problem, isUnknown, onIssue, onTraining, onClose } = props;
  const { type, customer, doc_type } = writing;
  const receipt = isReceipt({ doc_type: doc_type.value });
  const takesPayments = type.value.takes_payments_at_issue && total_cents > 0;
  const isPaidNow = type.value.is_simplified || type.value.paid_by_nature || receipt;
  const before = writing.payments.value;
  const means = useSignal<PaymentCode | undefined>(
    before.length > 0 ? before[0]?.method_code : takesPayments && isPaidNow ? CASH : undefined,
  );
  const shares = useSignal<readonly Share[] | undefined>(before.length > 1 ? before.map(shareOf) : undefined);
  const received = useSignal("");
  const form = useRef<HTMLFormElement>(null);
  const taxId = taxIdOf(customer.value);
  const settlesToo = useSignal(true);
  const canSettle =
    receipt &&
    can("payments:write") &&
    writing.references.value.some(({ document }) => (document.outstanding ?? 0) > 0);
  const split = shares.value?.map(({ code, amount }) => ({ code: code.value, ...readNumber(amount.value, SHARE) }));
  const isWrong = split?.some((share) => "problem" in share) ?? false;
  const paid = split
    ? split.map((share) => ({ code: share.code, cents: "scaled" in share ? share.scaled : 0 }))
    : takesPayments && means.value
      ? [{ code: means.value, cents: total_cents }]
      : [];
  const paid_cents = sum(paid);
  const cash_cents = sum(paid.filter(({ code }) => code === CASH));
  const given = received.value.trim() === "" ? undefined : readNumber(received.value, EURO);
  const given_cents = given && "scaled" in given ? given.scaled : undefined;
  const change_cents = given_cents === undefined ? 0 : given_cents - cash_cents;
  const wrong = isWrong
    ? t.wrong_amount
    : paid_cents > total_cents
      ? t.too_much({ eur: money(fromCents(paid_cents - total_cents)) })
      : undefined;
  const isBlocked =
    wrong !== undefined || (cash_cents > 0 && given !== undefined && (given_cents === undefined || change_cents < 0));
  const lacksCode = series !== undefined && missesCode(series) && !isUnknown;
  useEffect(() => {
    // What had the focus went with the question.
    if (!form.current?.contains(document.activeElement)) focusSubmit();
  }, [lacksCode]);
  /** The amount that comes with a choice, once it is drawn. */
  const focusAmount = () =>
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(".share input, .cash input")?.focus());
  const focusSubmit = () => form.current?.querySelector<HTMLElement>(".actions .main")?.focus();
  const issue = () => {
    if (isSending || isBlocked) return;
    const payments = paid
      .filter(({ cents }) => cents > 0)
      .map(({ code, cents }) => ({ method_code: code, amount: fromCents(cents) }));
    const isHanded = cash_cents > 0 && given_cents !== undefined;
    onIssue(payments, isHanded ? { given_cents, change_cents } : NOTHING_HANDED, canSettle && settlesToo.value);
  };
  const submit = () => {
    if (!lacksCode) issue();
  };
  const choose = (code: PaymentCode | undefined) => {
    shares.value = undefined;
    means.value = code;
  };
  const splitUp = () => {
    const first = means.value ?? CASH;
    shares.value ??= [newShare(first, ""), newShare(first === "CD" ? CASH : "CD", typedMoney(fromCents(total_cents)))];
  };
  const later = type.value.paid_by_nature ? [] : [{ key: keys.later, act: () => choose(undefined) }];
  const ways = takesPayments
    ? [
        ...USUAL.map((code) => ({ key: keys[code], act: () => choose(code) })),
        ...later,
        { key: keys.several, act: splitUp },
      ]
    : [];
  /** Enter issues wherever the focus is among the means; a letter chooses one, and so does a digit beside fields. */
  const pressed = (event: KeyboardEvent) => {
    const at = event.target as HTMLElement;
    if (event.key === "Enter" && at.closest(".choices, .share select, .share input, .cash, .check")) {
      event.preventDefault();
      submit();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || at instanceof HTMLSelectElement) return;
    const isField = at instanceof HTMLInputElement && at.type !== "checkbox";
    const way =
      ways.find(({ key }) => key === event.key.toUpperCase()) ?? (isField ? undefined : ways[Number(event.key) - 1]);
    if (!way) return;
    event.preventDefault();
    focusSubmit(); // At once: the next key is Enter, and a field that goes would take the focus with it.
    way.act();
    focusAmount();
  };
  const choice = (code: PaymentCode | undefined, label: string, key: string) => (
    <button
      key={label}
      type="button"
      aria-pressed={shares.value === undefined && means.value === code}
      aria-keyshortcuts={key}
      onClick={() => choose(code)}
    >
      {label} <Keys>{key}</Keys>
    </button>
  );
  const isOther = means.value !== undefined && !USUAL.some((code) => code === means.value);
  return (
    <Dialog
      title={t.title({ name: typeName(doc_type.value).toLowerCase() })}
      onClose={() => {
        if (!isSending) onClose();
      }}
    >
      <form
        ref={form}
        class="issue"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        onKeyDown={pressed}
        noValidate
        aria-busy={isSending}
      >
        <p class="grand">
          <strong>{money(fromCents(total_cents))}</strong>
          <span>{[nameOf(customer.value), taxId && `NIF ${taxId}`].filter(Boolean).join(" · ")}</span>
        </p>
        {takesPayments && (
          <fieldset>
            <legend>{t.paid_with}</legend>
            <div class="choices">
              {USUAL.map((code) => choice(code, t[code], keys[code]))}
              {!type.value.paid_by_nature && choice(undefined, receipt ? t.not_said : t.to_be_paid, keys.later)}
              <select
                aria-label={t.other}
                class={isOther ? "chosen" : ""}
                value={shares.value === undefined && isOther ? means.value : ""}
                onChange={(event) => choose(event.currentTarget.value as PaymentCode)}
              >
                <option value="" disabled>
                  {t.other}
                </option>
                {PAYMENT_MEANS.filter(({ code }) => !USUAL.some((one) => one === code)).map((row) => (
                  <option key={row.code} value={row.code}>
                    {meansName(row.code)}
                  </option>
                ))}
              </select>
              <button
                type="button"
                aria-pressed={shares.value !== undefined}
                aria-keyshortcuts={keys.several}
                onClick={() => {
                  splitUp();
                  focusAmount();
                }}
              >
                {t.several} <Keys>{keys.several}</Keys>
              </button>
            </div>
          </fieldset>
        )}
        {shares.value && <Shares shares={shares} total_cents={total_cents} />}
        {wrong && (
          <p class="error" role="alert">
            {wrong}
          </p>
        )}
        {takesPayments && !wrong && paid_cents < total_cents && (shares.value || !means.value) && !receipt && (
          <p class="hint">{t.left({ eur: money(fromCents(total_cents - paid_cents)) })}</p>
        )}
        {cash_cents > 0 && (
          <div class="cash">
            <label>
              {t.received}
              <input
                class="number"
                inputmode="decimal"
                autocomplete="off"
                // The till's next key is what the customer gave; Enter alone is the exact sum.
                autofocus={!lacksCode}
                aria-invalid={given !== undefined && (given_cents === undefined || change_cents < 0)}
                placeholder={typedMoney(fromCents(cash_cents))}
                value={received.value}
                onInput={(event) => {
                  received.value = event.currentTarget.value;
                }}
              />
            </label>
            <output class="change">
              {change_cents < 0 ? t.missing : t.change} <strong>{money(fromCents(Math.abs(change_cents)))}</strong>
            </output>
          </div>
        )}
        {canSettle && paid.length > 0 && <Check label={t.settle} hint={t.settle_hint} value={settlesToo} />}
        {lacksCode ? (
          <div class="for-good warn">
            <p>{t.no_code({ name: seriesName(series) })}</p>
            <div class="actions">
              {onTraining && (
                <button type="button" class="plain" disabled={isSending} onClick={onTraining}>
                  {t.is_training}
                </button>
              )}
              <button type="button" class="plain" disabled={isSending} onClick={issue}>
                {t.without_code}
              </button>
            </div>
          </div>
        ) : (
          <p class={series?.training ? "for-good warn" : "for-good"}>{series?.training ? t.training : t.warning}</p>
        )}
        <Problem>{problem}</Problem>
        <div class="actions">
          <button type="button" disabled={isSending} onClick={onClose}>
            {t.back}
          </button>
          {lacksCode && !isSending ? (
            // In a window of its own: what is written stays here.
            <a class="button main" href={href("/series")} target="_blank" rel="noopener" autofocus>
              {can("series:write") ? t.to_series : t.see_series}
            </a>
          ) : (
            <button type="submit" class="main" autofocus={cash_cents === 0} aria-disabled={isSending || isBlocked}>
              {isSending ? t.issuing : isUnknown ? t.again : t.issue} <Keys>⏎</Keys>
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/** Whether the first document would close the door on the code of a series. */
const missesCode = ({ training, validation_code, next_number }: Series) =>
  !training && validation_code === null && next_number === 1;

const EURO = { decimals: 2, max: 1_000_000_000_000 };
/** A share that is not filled in yet is none. */
const SHARE = { ...EURO, empty: 0 };

const sum = (paid: readonly { readonly cents: number }[]) => paid.reduce((all, { cents }) => all + cents, 0);

const newShare = (code: PaymentCode, amount: string, isTyped = false): Share => ({
  code: signal(code),
  amount: signal(amount),
  isTyped: signal(isTyped),
});

const shareOf = ({ method_code, amount }: Pick<NewDocumentPayment, "method_code" | "amount">): Share =>
  newShare(method_code, typedMoney(amount), true);

interface SharesProps {
  readonly shares: Signal<readonly Share[] | undefined>;
  readonly total_cents: number;
}

/** Several means, each with its amount. */
function Shares({ shares, total_cents }: SharesProps) {
  const rows = shares.value ?? [];
  const remaining = (of: readonly Share[] = rows) => {
    const known = of.map(({ amount }) => readNumber(amount.value, SHARE));
    const paid = known.reduce((all, read) => all + ("scaled" in read ? read.scaled : 0), 0);
    return typedMoney(fromCents(Math.max(total_cents - paid, 0)));
  };
  /** The one amount that nobody typed is what the others leave. */
  const fillRest = (of: readonly Share[]) => {
    const [rest, ...more] = of.filter(({ isTyped }) => !isTyped.value);
    if (rest && more.length === 0) rest.amount.value = remaining(of.filter((one) => one !== rest));
  };
  return (
    <div class="shares">
      {rows.map(({ code, amount, isTyped }, index) => (
        <div key={index} class="share">
          <select
            aria-label={`${t.means} ${index + 1}`}
            value={code.value}
            onChange={(event) => {
              code.value = event.currentTarget.value as PaymentCode;
            }}
          >
            {PAYMENT_MEANS.map((row) => (
              <option key={row.code} value={row.code}>
                {USUAL.some((one) => one === row.code) ? t[row.code as (typeof USUAL)[number]] : meansName(row.code)}
              </option>
            ))}
          </select>
          <input
            class="number"
            inputmode="decimal"
            autocomplete="off"
            aria-label={`${t.amount}, ${meansName(code.value)}`}
            value={amount.value}
            onFocus={(event) => event.currentTarget.select()}
            onInput={(event) => {
              amount.value = event.currentTarget.value;
              isTyped.value = true;
              fillRest(rows);
            }}
          />
          <button
            type="button"
            class="plain icon"
            disabled={rows.length < 2}
            onClick={() => {
              shares.value = rows.filter((_, at) => at !== index);
              fillRest(shares.value);
            }}
          >
            <span aria-hidden="true">×</span>
            <span class="unseen">
              {t.remove} {meansName(code.value)}
            </span>
          </button>
        </div>
      ))}
      <button
        type="button"
        class="plain"
        onClick={() => {
          shares.value = [...rows, newShare("CD", remaining())];
        }}
      >
        + {t.add}
      </button>
    </div>
  );
}
