/** The field that adds to the document: a product found while typing, a new one, or a line without product. */

import { useSignal } from "@preact/signals";
import type { Product } from "../../core/face.ts";
import { fromBps } from "../../core/fiscal/money.ts";
import { vatRatesOn } from "../../core/fiscal/vat-rates.ts";
import { Dialog, openDialog } from "../dialog.tsx";
import { Combobox } from "../fields/combobox.tsx";
import { FieldError } from "../fields/form.tsx";
import { ProductForm } from "../fields/product-form.tsx";
import { whisper } from "../notice.tsx";
import { shownPrice } from "../prices.ts";
import { lacre } from "../reading/api.ts";
import { sentenceOf } from "../reading/resource.tsx";
import { can } from "../session.ts";
import { money, number, parseDecimal } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { byFit, readEntry } from "./entry.ts";
import { focusProducts, focusQuantity, keepInSight, PRODUCT_FIELD } from "./focus.ts";
import { addFreeLine, addProduct, taxPlaceOf, type Writing } from "./writing.ts";

const t = texts({
  product: ["Artigo", "Product"],
  hint: ["Nome ou código · 3*pão põe três", "Name or code · 3*bread adds three"],
  make: ["Criar o artigo «{name}»", "Make the product “{name}”"],
  new: ["Novo artigo", "New product"],
  free: ["Linha livre", "Line without product"],
  free_named: ["Linha livre: «{name}»", "Line without product: “{name}”"],
  counted: ["{name}: {qty}", "{name}: {qty}"],
  no_quantity: [
    "A quantidade tem de ser mais do que 0. Para devolver, faça uma nota de crédito.",
    "The quantity must be more than 0. To take goods back, make a credit note.",
  ],
  not_found: ["Nada encontrado para «{text}».", "Nothing found for “{text}”."],
});

/** The most products that one search reads, and shows. */
const READ = 50;
const SHOWN = 8;

/** The matching products, first the one with exactly this code or name. */
async function findProducts(text: string, signal?: AbortSignal): Promise<readonly Product[]> {
  const { qty, wanted } = readEntry(text);
  if (wanted === "" || qty === undefined) return [];
  const { data } = await lacre.products.list({ search: wanted, limit: READ }, { signal });
  return byFit(data, wanted).slice(0, SHOWN);
}

function add(writing: Writing, product: Product, typed: string): void {
  const line = addProduct(writing, product, readEntry(typed).qty ?? 1);
  whisper(t.counted({ name: product.name, qty: number(parseDecimal(line.qty.value) ?? 0) }));
  keepInSight();
}

/** Adds a line without product, and focuses what it still lacks. */
function addFree(writing: Writing, qty: number, wanted: string): void {
  const { region, date } = taxPlaceOf(writing);
  const line = addFreeLine(writing, wanted, fromBps(vatRatesOn(region, date).NOR));
  if (qty !== 1) line.qty.value = number(qty);
  requestAnimationFrame(() => {
    const row = document.getElementById(`line-${line.key}`);
    row?.querySelector<HTMLElement>(wanted ? "td.price input" : "textarea")?.focus();
  });
}

/** Creates a product in place. */
function make(name: string, onMade: (product: Product) => void): void {
  const close = openDialog(
    <Dialog title={t.new} class="broad" keeps>
      <ProductForm
        name={name}
        onCancel={() => close()}
        onSaved={(product) => {
          onMade(product);
          close(focusProducts);
        }}
      />
    </Dialog>,
  );
}

/** What the field does with typed text. */
function useAdding(writing: Writing) {
  const text = writing.entry;
  const problem = useSignal("");
  const take = (product: Product, typed: string) => {
    text.value = "";
    add(writing, product, typed);
  };
  const find = async (typed: string) => {
    try {
      const [product] = await findProducts(typed);
      if (product) add(writing, product, typed);
      else problem.value = readEntry(typed).qty === undefined ? t.no_quantity : t.not_found({ text: typed });
      return product !== undefined;
    } catch (error) {
      problem.value = sentenceOf(error);
      return false;
    }
  };
  const free = (typed: string) => {
    const { qty, wanted } = readEntry(typed);
    if (qty === undefined) {
      problem.value = t.no_quantity;
      return;
    }
    text.value = "";
    addFree(writing, qty, wanted);
  };
  return {
    text,
    problem,
    take,
    free,
    check: (typed: string) => {
      const { qty, wanted } = readEntry(typed);
      // A quantity alone may become another one.
      problem.value = qty === undefined && wanted !== "" ? t.no_quantity : "";
    },
    ahead: (typed: string) => {
      const added = writing.pending.products.then(() => find(typed));
      writing.pending.products = added;
      return added;
    },
    offer: (typed: string) =>
      can("products:write") ? make(readEntry(typed).wanted, (product) => take(product, typed)) : free(typed),
  };
}

/** The offer if nothing matches: to create such a product, or a line without one. */
function offered(typed: string): string | undefined {
  const { qty, wanted: name } = readEntry(typed);
  if (name === "" || qty === undefined) return undefined;
  return can("products:write") ? t.make({ name }) : t.free_named({ name });
}

/** The field. */
export function ProductField({ writing }: { readonly writing: Writing }) {
  const { text, problem, check, ...adding } = useAdding(writing);
  return (
    <div class="product-field">
      <label for={PRODUCT_FIELD}>{t.product}</label>
      <Combobox
        id={PRODUCT_FIELD}
        label={t.product}
        text={text}
        onTyped={check}
        find={findProducts}
        onAhead={adding.ahead}
        keyOf={({ id }) => id}
        show={(product) => (
          <>
            <span>
              {product.name} {product.sku && <small>{product.sku}</small>}
            </span>
            <span>{money(shownPrice(product.unit_price_net, product.tax_rate))}</span>
          </>
        )}
        onChoose={(product) => adding.take(product, text.value)}
        offer={offered}
        onOffer={adding.offer}
        onUp={() => focusQuantity(writing.lines.value.length - 1)}
        placeholder={t.hint}
        describedBy={problem.value ? `${PRODUCT_FIELD}-problem` : undefined}
        invalid={problem.value !== ""}
      />
      <button type="button" class="plain" onClick={() => adding.free(text.value)}>
        + {t.free}
      </button>
      <FieldError id={`${PRODUCT_FIELD}-problem`} text={problem.value} alert />
    </div>
  );
}
