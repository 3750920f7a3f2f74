/** The form of a product: on its own screen, and in place where a document needs one. */

import { type Signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Company, Product } from "../../core/face.ts";
import type { Day } from "../../core/fiscal/civil-time.ts";
import { fromBps } from "../../core/fiscal/money.ts";
import { PRODUCT_TYPES } from "../../core/fiscal/product-types.ts";
import { lawfulRates } from "../../core/fiscal/taxation.ts";
import { Button } from "../button.tsx";
import { today } from "../clock.ts";
import { otherPrice, pricesWithVat, shownPrice } from "../prices.ts";
import { lacre } from "../reading/api.ts";
import { useOwnCompany } from "../reading/own-company.ts";
import { Loaded } from "../reading/resource.tsx";
import { isSameName, useTwin } from "../reading/twins.ts";
import { exemptionName, exemptionOptions, rateOptions } from "../taxes.ts";
import { parseDecimal, typedMoney, typedNumber, unitPrice } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { Check, Form, type FormState, SelectField, TextField, typedIn, useForm } from "./form.tsx";
import { keepsPrice, pricePath, readProduct } from "./typed-product.ts";

const t = texts({
  name: ["Nome", "Name"],
  price_with_vat: ["Preço com IVA", "Price with VAT"],
  price_without_vat: ["Preço sem IVA", "Price without VAT"],
  with_vat: ["Os preços que escrevo incluem IVA", "The prices I type include VAT"],
  is_without: ["{eur} sem IVA", "{eur} without VAT"],
  is_with: ["{eur} com IVA", "{eur} with VAT"],
  tax_rate: ["Taxa de IVA", "VAT rate"],
  exemption: ["Motivo da isenção", "Reason for no VAT"],
  exemption_hint: [
    "A lei pede um motivo em cada linha a 0 %. Em dúvida, pergunte ao seu contabilista.",
    "The law asks for a reason on each line at 0%. In doubt, ask your accountant.",
  ],
  company_reason: ["O das definições da empresa: {reason}", "The one in the company's settings: {reason}"],
  no_reason: ["Sem motivo: não sujeito (M99)", "No reason: not taxed (M99)"],
  unit: ["Unidade", "Unit"],
  unit_hint: ["un, kg, h, m²…", "un, kg, h, m²…"],
  sku: ["Código ou referência", "Your code"],
  sku_hint: ["Vazio: os documentos mostram um código automático.", "Empty: documents show a code of ours."],
  type: ["Tipo", "Kind"],
  P: ["Produto", "Goods"],
  S: ["Serviço", "Service"],
  stock: ["Em stock", "In stock"],
  stock_hint: ["Só uma nota sua: vender não o altera.", "A note of your own: selling does not change it."],
  save: ["Guardar", "Save"],
  archive: ["Arquivar", "Archive"],
  taken: ["Já existe um artigo com este nome: {price}.", "There is a product of this name already: {price}."],
});

/** The most products that are compared. */
const MAX_FOUND = 50;

interface ProductFormProps {
  /** The product to change; a new one when left out. */
  readonly product?: Product | undefined;
  /** The initial name of a new one. */
  readonly name?: string;
  readonly onSaved: (product: Product) => void;
  readonly onCancel: () => void;
  /** The label of the button that leaves the form. */
  readonly cancel?: string;
  readonly onArchive?: (product: Product) => void;
  /** Whether the surroundings already say if prices include VAT. */
  readonly vatSaid?: boolean;
}

/** Creates or changes a product. An untouched price keeps its stored net exactly. */
export function ProductForm(props: ProductFormProps) {
  return <Loaded from={useOwnCompany()}>{(company) => <Fields {...props} company={company} />}</Loaded>;
}

/** The initial values of the form. */
const firstOf = (product: Product | undefined, name: string, rate: string | undefined) => ({
  name: product?.name ?? name,
  tax_rate: String(product?.tax_rate ?? rate),
  exemption_code: product?.exemption_code ?? "",
  unit: product?.unit ?? "",
  sku: product?.sku ?? "",
  type: product?.type ?? "P",
  stock: product?.stock == null ? "" : typedNumber(product.stock),
});

/** The price in its field: as it is stored, with VAT or without it, until somebody types another. */
function usePrice(product: Product | undefined) {
  const shown = useComputed(() => product && typedMoney(shownPrice(product.unit_price_net, product.tax_rate)));
  const price = useSignal(shown.peek() ?? "");
  const before = useRef(shown.peek());
  useSignalEffect(() => {
    if (shown.value !== undefined && price.peek() === before.current) price.value = shown.value;
    before.current = shown.value;
  });
  return { shown, price };
}

/** Another product with the typed name. */
const useProductTwin = (product: Product | undefined, name: Signal<string>) =>
  useTwin(
    () => name.value,
    async (search, signal) => {
      const { data } = await lacre.products.list({ search, limit: MAX_FOUND }, { signal });
      return data.find((one) => one.id !== product?.id && isSameName(one.name, search));
    },
  ).value;

function Fields(props: ProductFormProps & { readonly company: Company }) {
  const { product, name = "", company, onSaved, onCancel, cancel, onArchive } = props;
  const place = { region: company.tax_region, date: today(company.time_zone) };
  const rates = rateOptions(place, ...(product ? [product.tax_rate] : []));
  const form = useForm(firstOf(product, name, rates[0]?.[0]), "products.create");
  const { shown, price } = usePrice(product);
  const twin = useProductTwin(product, form.values.name);
  const save = () => {
    const withVat = pricesWithVat.value;
    const typed = { ...typedIn(form), price: price.value };
    const read = readProduct(typed, { withVat, rates: lawfulRates(place).map(fromBps) });
    form.errors.value = read.problems ?? {};
    if (!read.product) return;
    const given = { ...read.product, ...(!keepsPrice(typed, shown.value, product, withVat) && read.price) };
    return form.send(async () =>
      onSaved(
        product
          ? await lacre.products.change({ id: product.id, ...given })
          : await lacre.products.create({ ...read.product, ...read.price }),
      ),
    );
  };
  return (
    <Form
      state={form}
      onSubmit={save}
      submit={t.save}
      onBack={onCancel}
      back={cancel}
      also={["unit_price_net", "unit_price_gross"]}
      actions={product && onArchive && <Button label={t.archive} class="plain" onClick={() => onArchive(product)} />}
    >
      <div class="fields">
        <TextField label={t.name} path="name" wide autofocus={!name} />
        <PriceField form={form} price={price} autofocus={Boolean(name)} />
        <SelectField label={t.tax_rate} path="tax_rate" options={rates} />
        {!props.vatSaid && (
          <div class="wide">
            <Check label={t.with_vat} value={pricesWithVat} />
          </div>
        )}
        <ExemptionField form={form} company={company} product={product} date={place.date} />
        <TextField label={t.unit} path="unit" hint={t.unit_hint} />
        <SelectField label={t.type} path="type" options={PRODUCT_TYPES.map((type) => [type, t[type]])} />
        <TextField label={t.sku} path="sku" hint={t.sku_hint} />
        <TextField label={t.stock} path="stock" inputmode="decimal" class="number" hint={t.stock_hint} />
      </div>
      {twin && (
        <p class="for-good warn" role="status">
          {t.taken({ price: unitPrice(shownPrice(twin.unit_price_net, twin.tax_rate)) })}
        </p>
      )}
    </Form>
  );
}

interface PriceProps {
  readonly form: FormState<"tax_rate">;
  readonly price: Signal<string>;
  readonly autofocus: boolean;
}

/** The price, with its counterpart: without VAT, or with it. */
function PriceField({ form, price, autofocus }: PriceProps) {
  const withVat = pricesWithVat.value;
  const amount = parseDecimal(price.value);
  const other = amount === undefined ? undefined : otherPrice(amount, Number(form.values.tax_rate.value));
  return (
    <TextField
      label={withVat ? t.price_with_vat : t.price_without_vat}
      value={price}
      path={pricePath(withVat)}
      required
      autofocus={autofocus}
      inputmode="decimal"
      class="number"
      hint={other === undefined ? undefined : (withVat ? t.is_without : t.is_with)({ eur: unitPrice(other) })}
    />
  );
}

interface ExemptionProps {
  readonly form: FormState<"tax_rate">;
  readonly company: Company;
  readonly product: Product | undefined;
  readonly date: Day;
}

/** The reason to charge no VAT; nothing at any other rate. */
function ExemptionField({ form, company: { default_exemption_code: usual }, product, date }: ExemptionProps) {
  if (Number(form.values.tax_rate.value) !== 0) return null;
  const unnamed = usual ? t.company_reason({ reason: exemptionName(usual) }) : t.no_reason;
  return (
    <SelectField
      label={t.exemption}
      path="exemption_code"
      options={[["", unnamed], ...exemptionOptions(date, product?.exemption_code)]}
      hint={t.exemption_hint}
      wide
    />
  );
}
