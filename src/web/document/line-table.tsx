/** The lines of the document that is being written, and the field that adds to them. */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { Product } from "../../core/face.ts";
import { fromBps, fromCents } from "../../core/fiscal/money.ts";
import { totalsOf } from "../../core/fiscal/totals.ts";
import { vatRatesOn } from "../../core/fiscal/vat-rates.ts";
import { Dialog, openDialog } from "../dialog.tsx";
import { Combobox } from "../fields/combobox.tsx";
import { limitsOf } from "../fields/form.tsx";
import { ProductForm } from "../fields/product-form.tsx";
import { whisper } from "../notice.tsx";
import { pricesWithVat, shownPrice } from "../prices.ts";
import { lacre } from "../reading/api.ts";
import { sentenceOf } from "../reading/resource.tsx";
import { can } from "../session.ts";
import { exemptionOptions, rateOptions } from "../taxes.ts";
import { money, number, parseDecimal, percent, signedDecimal, typedNumber } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { type Line, type LineField, pricesAtZero } from "./line.ts";
import { usualReasons } from "./reasons.ts";
import { addFreeLine, addProduct, isUnlawful, problemIn, taxPlaceOf, usualExemption, type Writing } from "./writing.ts";

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
  product: ["Artigo", "Product"],
  product_hint: ["Nome ou código · 3*pão põe três", "Name or code · 3*bread adds three"],
  make: ["Criar o artigo «{name}»", "Make the product “{name}”"],
  free: ["Linha livre", "Line without product"],
  free_named: ["Linha livre: «{name}»", "Line without product: “{name}”"],
  counted: ["{name}: {qty}", "{name}: {qty}"],
  no_quantity: [
    "A quantidade tem de ser mais do que 0. Para devolver, faça uma nota de crédito.",
    "The quantity must be more than 0. To take goods back, make a credit note.",
  ],
  not_found: ["Nada encontrado para «{text}».", "Nothing found for “{text}”."],
  new_product: ["Novo artigo", "New product"],
});

/** The id of the field that finds products. */
export const PRODUCT_FIELD = "product-field";

/** The id of the field that finds documents to name. */
export const REFERENCE_FIELD = "reference-field";

/** Goes to the field that finds products. */
export function focusProducts(): void {
  document.getElementById(PRODUCT_FIELD)?.focus();
  keepInSight();
}

/** Goes to what comes after the customer: products, or on a receipt the documents it is for. */
export function focusNext(): void {
  if (document.getElementById(PRODUCT_FIELD)) focusProducts();
  else document.getElementById(REFERENCE_FIELD)?.focus();
}

/** Goes to the quantity of a line; below the last line, to the field that adds to them. */
function focusQuantity(index: number): void {
  const fields = document.querySelectorAll<HTMLInputElement>("table.lines td.quantity input");
  if (index >= fields.length) focusProducts();
  else fields[Math.max(index, 0)]?.focus();
}

/** Keeps the field in sight, for who is in it, once the lines above it are drawn. */
function keepInSight(): void {
  requestAnimationFrame(() => {
    const field = document.getElementById(PRODUCT_FIELD);
    if (field === document.activeElement) field?.scrollIntoView({ block: "nearest" });
  });
}

/** From so many lines on, those out of sight are not laid out. */
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

function Row({ line, writing }: RowProps) {
  const name = line.description.value.split("\n", 1)[0] || t.free;
  const problems = (
    ["description", "qty", "unit", "price", "discount_pct", "tax_rate", "exemption_code"] as const
  ).flatMap((field) => problemIn(writing, line, field) ?? []);
  const id = useId();
  const field = (path: LineField, label: string) => ({
    "aria-label": `${label}, ${name}`,
    "aria-invalid": problemIn(writing, line, path) !== undefined,
    "aria-describedby": problems.length > 0 ? id : undefined,
    autocomplete: "off" as const,
  });
  const change = (path: LineField, set: () => void) => {
    if (line.refused.value[path]) line.refused.value = { ...line.refused.value, [path]: undefined };
    set();
  };
  const place = taxPlaceOf(writing);
  const isZero = line.rate.value === 0;
  const ownRate = isUnlawful(writing, line) ? [] : [line.rate.value];
  const atZero = pricesAtZero(line);
  const usual = isZero ? usualExemption(writing, line) : undefined;
  const remove = () => {
    const at = writing.lines.value.indexOf(line);
    writing.lines.value = writing.lines.value.filter((one) => one !== line);
    whisper(t.removed({ name }));
    const next = writing.lines.value[Math.min(at, writing.lines.value.length - 1)];
    // The focus was on a button that is gone.
    if (next) document.getElementById(`line-${next.key}`)?.querySelector<HTMLElement>("button")?.focus();
    else focusProducts();
  };
  /** `+` and `-` count, Delete on all of it takes the line out, arrows go to the lines beside, Enter goes on. */
  const countByKeys = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }) => {
    const { key, currentTarget: field } = event;
    const at = writing.lines.value.indexOf(line);
    const qty = parseDecimal(line.qty.value) ?? 0;
    const isAll = field.selectionStart === 0 && field.selectionEnd === field.value.length;
    const count = (by: number) =>
      change("qty", () => {
        if (qty + by <= 0) return;
        line.qty.value = typedNumber(qty + by);
        field.value = line.qty.value; // Now, so that the next key replaces it.
        field.select();
      });
    const acts: Readonly<Record<string, (() => void) | undefined>> = {
      "+": () => count(1),
      "-": () => count(-1),
      Delete: isAll ? remove : undefined,
      ArrowUp: () => focusQuantity(at - 1),
      ArrowDown: () => focusQuantity(at + 1),
      Enter: focusProducts,
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <tr id={`line-${line.key}`}>
      <td class="what">
        <textarea
          {...field("description", t.description)}
          class="description"
          rows={1}
          maxlength={500}
          value={line.description.value}
          onInput={(event) => {
            const { value } = event.currentTarget;
            change("description", () => {
              line.description.value = value;
            });
          }}
        />
        <div class="more">
          {line.start.sku && <span class="sku">{line.start.sku}</span>}
          <input
            {...field("unit", t.unit)}
            class="unit"
            maxlength={limitsOf("products.create", "unit").maxlength}
            placeholder="un"
            value={line.unit.value}
            onInput={(event) => {
              const { value } = event.currentTarget;
              change("unit", () => {
                line.unit.value = value;
              });
            }}
          />
        </div>
      </td>
      <td class="number quantity" data-label={t.quantity_short}>
        <input
          {...field("qty", t.quantity)}
          inputmode="decimal"
          onKeyDown={countByKeys}
          onFocus={selectAll}
          value={line.qty.value}
          onInput={(event) => {
            const { value } = event.currentTarget;
            change("qty", () => {
              line.qty.value = value;
            });
          }}
        />
      </td>
      <td class="number price" data-label={pricesWithVat.value ? t.price_with_vat_short : t.price_without_vat_short}>
        <input
          {...field("price", pricesWithVat.value ? t.price_with_vat : t.price_without_vat)}
          inputmode="decimal"
          onFocus={selectAll}
          value={line.price.value}
          onInput={(event) => {
            const { value } = event.currentTarget;
            change("price", () => {
              line.atZero.value = undefined;
              line.typedPrice.value = { text: value, withVat: pricesWithVat.value, rate: line.rate.value };
            });
          }}
        />
      </td>
      <td class="number discount" data-label={t.discount_short}>
        <input
          {...field("discount_pct", t.discount)}
          inputmode="decimal"
          onFocus={selectAll}
          value={line.discount.value}
          onInput={(event) => {
            const { value } = event.currentTarget;
            change("discount_pct", () => {
              line.discount.value = value;
            });
          }}
        />
      </td>
      <td class="rate" data-label={t.rate_short}>
        <select
          {...field("tax_rate", t.rate)}
          value={String(line.rate.value)}
          onChange={(event) => {
            const { value } = event.currentTarget;
            change("tax_rate", () => {
              line.rate.value = Number(value);
            });
          }}
        >
          {isUnlawful(writing, line) && (
            <option value={String(line.rate.value)} disabled>
              {percent(line.rate.value)}
            </option>
          )}
          {rateOptions(place, ...ownRate).map(([rate]) => (
            <option key={rate} value={rate}>
              {percent(Number(rate))}
            </option>
          ))}
        </select>
      </td>
      <td class="number total" data-label={t.total}>
        <LineTotal line={line} />
      </td>
      <td class="remove">
        <button type="button" class="plain icon" onClick={remove}>
          <span aria-hidden="true">×</span>
          <span class="unseen">
            {t.remove} {name}
          </span>
        </button>
      </td>
      {(isZero || problems.length > 0) && (
        <td class="below">
          {isZero && (
            <select
              {...field("exemption_code", t.reason)}
              class="reason"
              value={line.exemption.value}
              onChange={(event) => {
                const { value } = event.currentTarget;
                change("exemption_code", () => {
                  line.exemption.value = value;
                });
              }}
            >
              <option value="">{usual ? t.usual_reason({ code: usual }) : t.no_reason}</option>
              <Reasons writing={writing} line={line} />
            </select>
          )}
          {atZero && (
            // biome-ignore lint/a11y/useSemanticElements: two buttons in a cell, not fields of a form.
            <div role="group" class="at-zero" aria-label={t.at_zero({ price: money(atZero.keep) })}>
              <span>{t.at_zero({ price: money(atZero.keep) })}</span>
              {(["strip", "keep"] as const).map((choice) => (
                <button
                  key={choice}
                  type="button"
                  aria-pressed={atZero.chosen === choice}
                  onClick={() => {
                    line.atZero.value = choice;
                  }}
                >
                  {t[choice]({ price: money(atZero[choice]) })}
                </button>
              ))}
            </div>
          )}
          {problems.length > 0 && (
            <p class="error" id={id}>
              {problems.join(" ")}
            </p>
          )}
        </td>
      )}
    </tr>
  );
}

/** The reasons to charge no VAT: those that this company gives, or that fit the customer, before the others. */
function Reasons({ writing, line }: RowProps) {
  const { date } = taxPlaceOf(writing);
  const options = exemptionOptions(date, line.exemption.value);
  const usual = usualReasons(writing);
  const group = (label: string, codes: readonly (readonly [string, string])[]) =>
    codes.length > 0 && (
      <optgroup label={label}>
        {codes.map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </optgroup>
    );
  return (
    <>
      {group(
        t.usual_reasons,
        usual.flatMap((code) => options.filter(([one]) => one === code)),
      )}
      {group(
        t.other_reasons,
        options.filter(([code]) => !usual.includes(code)),
      )}
    </>
  );
}

/** Typing replaces the number that a field holds. */
const selectAll = (event: { readonly currentTarget: HTMLInputElement }): void => event.currentTarget.select();

function LineTotal({ line }: { readonly line: Line }) {
  const { amounts } = line.checked.value;
  if (!amounts) return <span aria-hidden="true">–</span>;
  const { total_gross_cents, total_net_cents } = totalsOf([amounts]);
  return <>{money(fromCents(pricesWithVat.value ? total_gross_cents : total_net_cents))}</>;
}

/** What is typed before a star or a cross is how many: `3*pão`, `1,5*queijo`, `2x café`; undefined for none at all. */
function readEntry(text: string): { readonly qty: number | undefined; readonly wanted: string } {
  const [, count, wanted = ""] = /^\s*([-−]?[\d.,]+)(?:\s*\*\s*|\s*[x×]\s+)(.*)$/i.exec(text) ?? [];
  if (count === undefined) return { qty: 1, wanted: text.trim() };
  const qty = signedDecimal(count);
  return { qty: qty !== undefined && qty > 0 ? qty : undefined, wanted: wanted.trim() };
}

/** Whether nothing but a quantity was typed so far: it may become another one. */
const isOnlyCount = (text: string): boolean => readEntry(text).wanted === "";

/** The most products that one search reads, and shows. */
const READ = 50;
const SHOWN = 8;

/** The products that fit, the one of this code or name first. */
async function findProducts(text: string, signal?: AbortSignal): Promise<readonly Product[]> {
  const { qty, wanted } = readEntry(text);
  if (wanted === "" || qty === undefined) return [];
  const { data } = await lacre.products.list({ search: wanted, limit: READ }, { signal });
  const term = wanted.toLowerCase();
  const rank = ({ name, sku }: Product) => {
    const texts = [sku?.toLowerCase() ?? "", name.toLowerCase()];
    return texts.includes(term) ? 0 : texts.some((one) => one.startsWith(term)) ? 1 : 2;
  };
  return data
    .map((product) => ({ product, rank: rank(product) }))
    .sort((a, b) => a.rank - b.rank || a.product.name.length - b.product.name.length)
    .slice(0, SHOWN)
    .map(({ product }) => product);
}

/** The field that finds products and adds them. */
export function ProductField({ writing }: { readonly writing: Writing }) {
  const text = writing.entry;
  const problem = useSignal("");

  const add = (product: Product, typed: string) => {
    const line = addProduct(writing, product, readEntry(typed).qty ?? 1);
    whisper(t.counted({ name: product.name, qty: number(parseDecimal(line.qty.value) ?? 0) }));
    keepInSight();
  };
  const choose = (product: Product) => {
    const typed = text.value;
    text.value = "";
    add(product, typed);
  };
  const addAhead = (typed: string) => {
    const added = writing.pending.products.then(async () => {
      try {
        const [product] = await findProducts(typed);
        if (product) add(product, typed);
        else problem.value = readEntry(typed).qty === undefined ? t.no_quantity : t.not_found({ text: typed });
        return product !== undefined;
      } catch (error) {
        problem.value = sentenceOf(error);
        return false;
      }
    });
    writing.pending.products = added;
    return added;
  };
  const addFree = (typed: string) => {
    const { qty, wanted } = readEntry(typed);
    if (qty === undefined) {
      problem.value = t.no_quantity;
      return;
    }
    text.value = "";
    const line = addFreeLine(writing, wanted, normalRate(writing));
    if (qty !== 1) line.qty.value = number(qty);
    requestAnimationFrame(() => {
      const row = document.getElementById(`line-${line.key}`);
      row?.querySelector<HTMLElement>(wanted ? "td.price input" : "textarea")?.focus();
    });
  };
  const make = (typed: string) => {
    const close = openDialog(
      <Dialog title={t.new_product} class="broad" keeps>
        <ProductForm
          name={readEntry(typed).wanted}
          onCancel={() => close()}
          onSaved={(product) => {
            text.value = "";
            add(product, typed);
            close(focusProducts);
          }}
        />
      </Dialog>,
    );
  };
  const mayMake = can("products:write");
  return (
    <div class="product-field">
      <label for={PRODUCT_FIELD}>{t.product}</label>
      <Combobox
        id={PRODUCT_FIELD}
        label={t.product}
        text={text.value}
        onText={(typed) => {
          text.value = typed;
          problem.value = readEntry(typed).qty === undefined && !isOnlyCount(typed) ? t.no_quantity : "";
        }}
        find={findProducts}
        onAhead={addAhead}
        keyOf={({ id }) => id}
        show={(product) => (
          <>
            <span>
              {product.name} {product.sku && <small>{product.sku}</small>}
            </span>
            <span>{money(shownPrice(product.unit_price_net, product.tax_rate))}</span>
          </>
        )}
        onChoose={choose}
        offer={(typed) => {
          const { qty, wanted } = readEntry(typed);
          if (wanted === "" || qty === undefined) return undefined;
          return mayMake ? t.make({ name: wanted }) : t.free_named({ name: wanted });
        }}
        onOffer={(typed) => {
          if (mayMake) make(typed);
          else addFree(typed);
        }}
        onUp={() => focusQuantity(writing.lines.value.length - 1)}
        placeholder={t.product_hint}
        describedBy={problem.value ? `${PRODUCT_FIELD}-problem` : undefined}
        invalid={problem.value !== ""}
      />
      <button type="button" class="plain" onClick={() => addFree(text.value)}>
        + {t.free}
      </button>
      {problem.value && (
        <p class="error" id={`${PRODUCT_FIELD}-problem`} role="alert">
          {problem.value}
        </p>
      )}
    </div>
  );
}

/** The normal rate where the company is, in percent. */
function normalRate(writing: Writing): number {
  const { region, date } = taxPlaceOf(writing);
  return fromBps(vatRatesOn(region, date).NOR);
}
