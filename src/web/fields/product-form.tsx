/** The form of a product: on its own screen, and in place where a document needs one. */
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Company, Product } from "../../core/face.ts";
import { toBps } from "../../core/fiscal/money.ts";
import { PRODUCT_TYPES, type ProductType } from "../../core/fiscal/product-types.ts";
import { lawfulRates } from "../../core/fiscal/taxation.ts";
import { Button } from "../button.tsx";
import { today } from "../clock.ts";
import { otherPrice, pricesWithVat, shownPrice } from "../prices.ts";
import { lacre } from "../reading/api.ts";
import { useOwnCompany } from "../reading/own-company.ts";
import { Loaded } from "../reading/resource.tsx";
import { isSameName, useTwin } from "../reading/twins.ts";
import { exemptionName, exemptionOptions, rateOptions } from "../taxes.ts";
import { parseDecimal, signedDecimal, typedMoney, typedNumber, unitPrice } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { Check, Form, SelectField, TextField, useForm } from "./form.tsx";

const t = texts({
  name: ["Nome", "Name"],
  price_with_vat: ["Preço com IVA", "Price with VAT"],
  price_without_vat: ["Preço sem IVA", "Price without VAT"],
  with_vat: ["Os preços que escrevo incluem IVA", "The prices I type include VAT"],
  is_without: ["{eur} sem IVA", "{eur} without VAT"],
  is_with: ["{eur} com IVA", "{eur} with VAT"],
  price_problem: ["Escreva o preço em euros, como 1,15.", "Type the price in euros, as 1.15."],
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
  rate_problem: ["Já não é uma taxa de IVA: escolha a de hoje.", "It is no longer a rate of VAT: choose today's."],
  number_problem: ["Escreva um número, como 12 ou 1,5.", "Type a number, as 12 or 1.5."],
  save: ["Guardar", "Save"],
  archive: ["Arquivar", "Archive"],
  taken: ["Já existe um artigo com este nome: {price}.", "There is a product of this name already: {price}."],
});

/** The most products that are compared. */
const MAX_FOUND = 50;

interface ProductFormProps {
  /** The product to change; a new one when left out. */
  readonly product?: Product | undefined;
  /** The name a new one begins with. */
  readonly name?: string;
  readonly onSaved: (product: Product) => void;
  readonly onCancel: () => void;
  /** What the button says that leaves the form. */
  readonly cancel?: string;
  readonly onArchive?: (product: Product) => void;
  /** It was said already whether prices include VAT. */
  readonly vatSaid?: boolean;
}

/** Makes or changes a product. A price that nobody touched keeps its stored net exactly. */
export function ProductForm(props: ProductFormProps) {
  return <Loaded from={useOwnCompany()}>{(company) => <Fields {...props} company={company} />}</Loaded>;
}

function Fields({
  product,
  name = "",
  company,
  onSaved,
  onCancel,
  cancel,
  onArchive,
  vatSaid,
}: ProductFormProps & { company: Company }) {
  const place = { region: company.tax_region, date: today(company.time_zone) };
  const rates = rateOptions(place, ...(product ? [product.tax_rate] : []));
  const first = {
    name: product?.name ?? name,
    tax_rate: String(product?.tax_rate ?? rates[0]?.[0]),
    exemption_code: product?.exemption_code ?? "",
    unit: product?.unit ?? "",
    sku: product?.sku ?? "",
    type: product?.type ?? "P",
    stock: product?.stock == null ? "" : typedNumber(product.stock),
  };
  const form = useForm(first, "products.create");
  const { values } = form;
  const shown = useComputed(() => product && typedMoney(shownPrice(product.unit_price_net, product.tax_rate)));
  const price = useSignal(shown.peek() ?? "");
  const shownBefore = useRef(shown.peek());
  useSignalEffect(() => {
    if (shown.value !== undefined && price.peek() === shownBefore.current) price.value = shown.value;
    shownBefore.current = shown.value;
  });
  const withVat = pricesWithVat.value;
  const pricePath = withVat ? "unit_price_gross" : "unit_price_net";
  const tax_rate = Number(values.tax_rate.value);
  const isLawful = lawfulRates(place).includes(toBps(tax_rate));
  const amount = parseDecimal(price.value);
  // With VAT in the prices, another rate leaves the price on the shelf as it is, and changes the net.
  const keepsNet = price.value === shown.value && !(withVat && product?.tax_rate !== tax_rate);

  const save = () => {
    const stock = values.stock.value.trim() === "" ? null : signedDecimal(values.stock.value);
    const problems = {
      ...(amount === undefined && { [pricePath]: t.price_problem }),
      ...(stock === undefined && { stock: t.number_problem }),
      ...(!isLawful && { tax_rate: t.rate_problem }),
    };
    form.errors.value = problems;
    if (amount === undefined || stock === undefined || !isLawful) return;
    const given = {
      name: values.name.value.trim(),
      tax_rate,
      exemption_code: (tax_rate === 0 && values.exemption_code.value) || null,
      unit: values.unit.value.trim() || "un",
      sku: values.sku.value.trim() || null,
      type: values.type.value as ProductType,
      stock,
    };
    return form.send(async () => {
      const price = withVat ? { unit_price_gross: amount } : { unit_price_net: amount };
      onSaved(
        product
          ? await lacre.products.change({ id: product.id, ...given, ...(!keepsNet && price) })
          : await lacre.products.create({ ...given, ...price }),
      );
    });
  };

  const twin = useTwin(
    () => values.name.value,
    async (search, signal) => {
      const { data } = await lacre.products.list({ search, limit: MAX_FOUND }, { signal });
      return data.find((one) => one.id !== product?.id && isSameName(one.name, search));
    },
  ).value;
  const other = amount === undefined ? undefined : otherPrice(amount, tax_rate);
  const unnamed = company.default_exemption_code
    ? t.company_reason({ reason: exemptionName(company.default_exemption_code) })
    : t.no_reason;
  const kinds = PRODUCT_TYPES.map((type) => [type, t[type]] as const);
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
        <TextField label={t.name} form={form} path="name" wide autofocus={!name} />
        <TextField
          label={withVat ? t.price_with_vat : t.price_without_vat}
          value={price}
          form={form}
          path={pricePath}
          required
          autofocus={Boolean(name)}
          inputmode="decimal"
          class="number"
          hint={other === undefined ? undefined : (withVat ? t.is_without : t.is_with)({ eur: unitPrice(other) })}
        />
        <SelectField label={t.tax_rate} form={form} path="tax_rate" options={rates} />
        {!vatSaid && (
          <div class="wide">
            <Check label={t.with_vat} value={pricesWithVat} />
          </div>
        )}
        {tax_rate === 0 && (
          <SelectField
            label={t.exemption}
            form={form}
            path="exemption_code"
            options={[["", unnamed], ...exemptionOptions(place.date, product?.exemption_code)]}
            hint={t.exemption_hint}
            wide
          />
        )}
        <TextField label={t.unit} form={form} path="unit" hint={t.unit_hint} />
        <SelectField label={t.type} form={form} path="type" options={kinds} />
        <TextField label={t.sku} form={form} path="sku" hint={t.sku_hint} />
        <TextField label={t.stock} form={form} path="stock" inputmode="decimal" class="number" hint={t.stock_hint} />
      </div>
      {twin && (
        <p class="for-good warn" role="status">
          {t.taken({ price: unitPrice(shownPrice(twin.unit_price_net, twin.tax_rate)) })}
        </p>
      )}
    </Form>
  );
}
