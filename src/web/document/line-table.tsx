/** The lines of the document being written. */

import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { fromCents } from "../../core/fiscal/money.ts";
import { totalsOf } from "../../core/fiscal/totals.ts";
import { RemoveButton } from "../button.tsx";
import { FieldError, limitsOf, Options } from "../fields/form.tsx";
import { whisper } from "../notice.tsx";
import { pricesWithVat } from "../prices.ts";
import { exemptionOptions, rateOptions } from "../taxes.ts";
import { money, parseDecimal, percent, typedNumber } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { focusProducts, focusQuantity } from "./focus.ts";
import { amountOff, type Line, type LineField, pricesAtZero } from "./line.ts";
import { usualReasons } from "./reasons.ts";
import { isUnlawful, problemIn, taxPlaceOf, usualExemption, type Writing } from "./writing.ts";

const t = texts({
  lines: ["Linhas", "Lines"],
  description: ["Descrição", "Description"],
  quantity: ["Quantidade", "Quantity"],
  quantity_short: ["Qtd.", "Qty"],
  unit: ["Unidade", "Unit"],
  price_with_vat: ["Preço com IVA", "Price with VAT"],
  price_without_vat: ["Preço sem IVA", "Price without VAT"],
  price_with_vat_short: ["Preço c/ IVA", "Price + VAT"],
  price_without_vat_short: ["Preço s/ IVA", "Net price"],
  discount: ["Desconto em %", "Discount in %"],
  discount_short: ["Desc. %", "Disc. %"],
  less: ["menos {amount}", "less {amount}"],
  rate: ["Taxa de IVA", "VAT rate"],
  rate_short: ["IVA", "VAT"],
  total: ["Total", "Total"],
  reason: ["Motivo da isenção", "Reason for no VAT"],
  usual_reason: ["O habitual: {code}", "The usual one: {code}"],
  no_reason: ["Escolha o motivo da isenção", "Choose the reason for no VAT"],
  usual_reasons: ["Mais usados", "Used most"],
  other_reasons: ["Outros motivos", "Other reasons"],
  at_zero: ["Os {price} incluíam IVA. Quanto cobra sem IVA?", "The {price} included VAT. What is charged without?"],
  strip: ["{price}: retirar o IVA", "{price}: take VAT off"],
  keep: ["{price}: manter o preço", "{price}: keep the price"],
  remove: ["Retirar", "Remove"],
  removed: ["{name}: linha retirada.", "{name}: line removed."],
  free: ["Linha livre", "Line without product"],
});

/** From this many lines on, those out of sight are not laid out. */
const MANY = 50;

/** The lines. Each row draws itself when one of its own values changes, and no other row with it. */
export function LineTable({ writing }: { readonly writing: Writing }) {
  const lines = writing.lines.value;
  if (lines.length === 0) return null;
  return (
    <table class={lines.length > MANY ? "lines many" : "lines"}>
      <caption class="unseen">{t.lines}</caption>
      <thead>
        <tr>
          <th scope="col">{t.description}</th>
          <th scope="col" class="number quantity">
            {t.quantity_short}
          </th>
          <th scope="col" class="number price">
            {pricesWithVat.value ? t.price_with_vat_short : t.price_without_vat_short}
          </th>
          <th scope="col" class="number discount">
            {t.discount_short}
          </th>
          <th scope="col" class="rate">
            {t.rate_short}
          </th>
          <th scope="col" class="number total">
            {t.total}
          </th>
          <th scope="col" class="remove">
            <span class="unseen">{t.remove}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Row key={line.key} line={line} writing={writing} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly line: Line;
  readonly writing: Writing;
}

const FIELDS = ["description", "qty", "unit", "price", "discount_pct", "tax_rate", "exemption_code"] as const;

const nameOf = ({ description }: Line): string => description.value.split("\n", 1)[0] || t.free;

function Row({ line, writing }: RowProps) {
  const id = useId();
  const problems = FIELDS.flatMap((field) => problemIn(writing, line, field) ?? []);
  const { typed, control } = controlsOf({ line, writing }, problems.length > 0 ? id : undefined);
  const withVat = pricesWithVat.value;
  return (
    <tr id={`line-${line.key}`}>
      <td class="what">
        <textarea
          {...typed("description", t.description, line.description)}
          class="description"
          rows={1}
          maxlength={500}
        />
        <div class="more">
          {line.start.sku && <span>{line.start.sku}</span>}
          <input
            {...typed("unit", t.unit, line.unit)}
            class="unit"
            maxlength={limitsOf("products.create", "unit").maxlength}
            placeholder="un"
          />
        </div>
      </td>
      <td class="number quantity" data-label={t.quantity_short}>
        <input
          {...typed("qty", t.quantity, line.qty)}
          {...NUMBER}
          onKeyDown={(event) => countByKeys(event, { line, writing })}
        />
      </td>
      <td class="number price" data-label={withVat ? t.price_with_vat_short : t.price_without_vat_short}>
        <input
          {...control("price", withVat ? t.price_with_vat : t.price_without_vat, line.price.value, (text) => {
            line.atZero.value = undefined;
            line.typedPrice.value = { text, withVat, rate: line.rate.value };
          })}
          {...NUMBER}
        />
      </td>
      <td class="number discount" data-label={t.discount_short}>
        <input {...typed("discount_pct", t.discount, line.discount)} {...NUMBER} />
        <AmountOff line={line} />
      </td>
      <td class="rate" data-label={t.rate_short}>
        <select
          {...control("tax_rate", t.rate, String(line.rate.value), (rate) => {
            line.rate.value = Number(rate);
          })}
        >
          <Rates line={line} writing={writing} />
        </select>
      </td>
      <td class="number total" data-label={t.total}>
        <LineTotal line={line} />
      </td>
      <td class="remove">
        <RemoveButton of={nameOf(line)} onClick={() => removeLine(writing, line)} />
      </td>
      {(line.rate.value === 0 || problems.length > 0) && (
        <td class="below">
          {line.rate.value === 0 && (
            <select {...typed("exemption_code", t.reason, line.exemption)}>
              <Reasons line={line} writing={writing} />
            </select>
          )}
          <AtZero line={line} />
          <FieldError id={id} text={problems.join(" ")} />
        </td>
      )}
    </tr>
  );
}

/** The controls of a line: name, error, value, and what typing does. */
function controlsOf({ line, writing }: RowProps, described: string | undefined) {
  const control = (field: LineField, label: string, value: string, put: (value: string) => void) => ({
    "aria-label": `${label}, ${nameOf(line)}`,
    "aria-invalid": problemIn(writing, line, field) !== undefined,
    "aria-describedby": described,
    autocomplete: "off" as const,
    value,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => {
      acceptAgain(line, field);
      put(event.currentTarget.value);
    },
  });
  return {
    control,
    typed: (field: LineField, label: string, text: Signal<string>) =>
      control(field, label, text.value, (value) => {
        text.value = value;
      }),
  };
}

/** The server's refusal of a field no longer counts once the field changes. */
function acceptAgain({ refused }: Line, field: LineField): void {
  if (refused.value[field]) refused.value = { ...refused.value, [field]: undefined };
}

/** Typing replaces the present number. */
const NUMBER = {
  inputmode: "decimal",
  onFocus: (event: { readonly currentTarget: HTMLInputElement }): void => event.currentTarget.select(),
} as const;

/** Removes a line, and focuses the one that takes its place. */
function removeLine({ lines }: Writing, line: Line): void {
  const at = lines.value.indexOf(line);
  lines.value = lines.value.filter((one) => one !== line);
  whisper(t.removed({ name: nameOf(line) }));
  const next = lines.value[Math.min(at, lines.value.length - 1)];
  // The focus was on a button that disappeared.
  if (next) document.getElementById(`line-${next.key}`)?.querySelector<HTMLElement>("button")?.focus();
  else focusProducts();
}

/**
 * `+` and `-` count, Delete with everything selected removes the line, arrows go to the next lines, Enter continues.
 */
function countByKeys(
  event: KeyboardEvent & { readonly currentTarget: HTMLInputElement },
  { line, writing }: RowProps,
): void {
  const { key, currentTarget: field } = event;
  const at = writing.lines.value.indexOf(line);
  const isAll = field.selectionStart === 0 && field.selectionEnd === field.value.length;
  const count = (by: number) => {
    acceptAgain(line, "qty");
    const qty = (parseDecimal(line.qty.value) ?? 0) + by;
    if (qty <= 0) return;
    line.qty.value = typedNumber(qty);
    field.value = line.qty.value; // At once, so that the next key replaces it.
    field.select();
  };
  const acts: Readonly<Record<string, (() => void) | undefined>> = {
    "+": () => count(1),
    "-": () => count(-1),
    Delete: isAll ? () => removeLine(writing, line) : undefined,
    ArrowUp: () => focusQuantity(at - 1),
    ArrowDown: () => focusQuantity(at + 1),
    Enter: focusProducts,
  };
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[key];
  if (!act) return;
  event.preventDefault();
  act();
}

/** The available rates, and the line's own even if it is no longer in force. */
function Rates({ line, writing }: RowProps) {
  const own = line.rate.value;
  const isLawful = !isUnlawful(writing, line);
  const rates = rateOptions(taxPlaceOf(writing), ...(isLawful ? [own] : []));
  return (
    <>
      {!isLawful && (
        <option value={String(own)} disabled>
          {percent(own)}
        </option>
      )}
      <Options of={rates.map(([rate]) => [rate, percent(Number(rate))])} />
    </>
  );
}

/** For a price with VAT on a line that no longer bears it: whether to keep the price, or take the VAT off. */
function AtZero({ line }: { readonly line: Line }) {
  const prices = pricesAtZero(line);
  if (!prices) return null;
  const question = t.at_zero({ price: money(prices.keep) });
  return (
    // biome-ignore lint/a11y/useSemanticElements: two buttons in a cell, not fields of a form.
    <div role="group" class="at-zero" aria-label={question}>
      <span>{question}</span>
      {(["strip", "keep"] as const).map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={prices.chosen === choice}
          onClick={() => {
            line.atZero.value = choice;
          }}
        >
          {t[choice]({ price: money(prices[choice]) })}
        </button>
      ))}
    </div>
  );
}

/** The reasons to charge no VAT: those that this company uses, or that fit the customer, come first. */
function Reasons({ writing, line }: RowProps) {
  const usual = usualReasons(writing);
  const options = exemptionOptions(taxPlaceOf(writing).date, line.exemption.value);
  const unsaid = usualExemption(writing, line);
  const first = usual.flatMap((code) => options.filter(([one]) => one === code));
  return (
    <>
      <option value="">{unsaid ? t.usual_reason({ code: unsaid }) : t.no_reason}</option>
      {first.length > 0 && (
        <optgroup label={t.usual_reasons}>
          <Options of={first} />
        </optgroup>
      )}
      <optgroup label={t.other_reasons}>
        <Options of={options.filter(([code]) => !usual.includes(code))} />
      </optgroup>
    </>
  );
}

/** The amount that a program took off; a percentage that is typed takes its place. */
function AmountOff({ line }: { readonly line: Line }) {
  const off = amountOff(line);
  return off === null ? null : <small>{t.less({ amount: money(off) })}</small>;
}

function LineTotal({ line }: { readonly line: Line }) {
  const { amounts } = line.checked.value;
  if (!amounts) return <span aria-hidden="true">–</span>;
  const { total_gross_cents, total_net_cents } = totalsOf([amounts]);
  return <>{money(fromCents(pricesWithVat.value ? total_gross_cents : total_net_cents))}</>;
}
