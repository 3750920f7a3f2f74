/** The lines of a document as they were written, and their totals. */
import type { Document, DocumentLine } from "../../core/face.ts";
import { isReceipt } from "../../core/fiscal/document-types.ts";
import { exemptionOf } from "../../core/fiscal/exemptions.ts";
import { fromBps, fromCents, toBps, toCents, toMicros } from "../../core/fiscal/money.ts";
import {
  type AmountLine,
  groupKey,
  lineNet,
  netInCents,
  sharedDiscount,
  type Totals,
  totalsOf,
} from "../../core/fiscal/totals.ts";
import { Table } from "../reading/table.tsx";
import { exemptionName } from "../taxes.ts";
import { day, money, number, percent, unitPrice } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  lines: ["Linhas", "Lines"],
  description: ["Descrição", "Description"],
  qty: ["Qtd.", "Qty"],
  price: ["Preço sem IVA", "Price without VAT"],
  with_vat: ["{price} com IVA", "{price} with VAT"],
  discount: ["menos {off}", "less {off}"],
  tax: ["IVA", "VAT"],
  net: ["Valor sem IVA", "Amount without VAT"],
  amount: ["Valor", "Amount"],
  supplied: ["Operação de {date}", "Supplied on {date}"],
  of_lines: ["Soma das linhas", "Sum of the lines"],
  off: ["Desconto de {discount}", "Discount of {discount}"],
  total_net: ["Total sem IVA", "Total without VAT"],
  tax_of: ["IVA a {rate} de {base}", "VAT at {rate} of {base}"],
  total_tax: ["Total de IVA", "Total VAT"],
  global_amount: [
    "Ao total das linhas foi ainda tirado o desconto de {discount}, repartido por elas.",
    "The discount of {discount} was taken off the total of the lines, and split over them.",
  ],
  global: [
    "Todas as linhas têm ainda o desconto global de {discount}.",
    "Every line bears the discount of {discount} on everything, too.",
  ],
});

/** A line as totals are computed from it. Lines at 0 % are distinguished by their reason, as in the tax file. */
function amountLine(line: DocumentLine): AmountLine {
  return {
    qty_micros: toMicros(line.qty),
    unit_price_micros: toMicros(line.unit_price_net),
    unit_price_gross_micros: line.unit_price_gross === null ? null : toMicros(line.unit_price_gross),
    discount_bps: toBps(line.discount_pct),
    discount_cents: line.discount_amount === null ? null : toCents(line.discount_amount),
    tax_rate_bps: toBps(line.tax_rate),
    tax_code: (line.exemption_code && exemptionOf(line.exemption_code)?.tax_code) || null,
  };
}

/** Whether it has rates of tax to show: a receipt has them under cash VAT. */
export const showsTax = (document: Document): boolean =>
  !isReceipt(document) || document.lines.some(({ tax_rate }) => tax_rate > 0);

/** The payments that a receipt states: without prices and rates, which are those of the invoices. */
export function PaidLines({ document: { lines } }: { readonly document: Document }) {
  return (
    <Table
      title={t.lines}
      class="written"
      keyOf={({ id }) => id}
      rows={lines.map((line, index) => ({ line, id: String(index) }))}
      columns={[
        { title: t.description, cell: ({ line }) => <span class="as-typed">{line.description}</span> },
        {
          title: t.amount,
          kind: "number",
          cell: ({ line }) => money(fromCents(netInCents(lineNet(amountLine(line), 0)))),
        },
      ]}
    />
  );
}

/** Its lines as totals are computed from them, each with its share of an amount off all of them. */
const sharedLines = ({ lines, global_discount_amount }: Document): readonly AmountLine[] =>
  sharedDiscount(lines.map(amountLine), global_discount_amount === null ? null : toCents(global_discount_amount));

/** A discount as people write it: a percentage or an amount; undefined for none. */
const offOf = (pct: number, amount: number | null): string | undefined =>
  amount === null ? (pct > 0 ? percent(pct) : undefined) : money(amount);

export function Lines({ document }: { readonly document: Document }) {
  const { global_discount_pct, global_discount_amount } = document;
  const global_bps = toBps(global_discount_pct);
  const amounts = sharedLines(document);
  const rows = document.lines.map((line, index) => {
    const net = lineNet(amounts[index] as AmountLine, global_bps);
    return { line, id: String(index), net, off: offOf(line.discount_pct, line.discount_amount) };
  });
  const off = offOf(global_discount_pct, global_discount_amount);
  return (
    <>
      <Table
        title={t.lines}
        class="written"
        keyOf={({ id }) => id}
        rows={rows}
        columns={[
          {
            title: t.description,
            cell: ({ line: { description, exemption_code, supply_date } }) => (
              <>
                <span class="as-typed">{description}</span>
                {exemption_code && <small>{exemptionName(exemption_code)}</small>}
                {supply_date && <small>{t.supplied({ date: day(supply_date) })}</small>}
              </>
            ),
          },
          { title: t.qty, kind: "number", cell: ({ line: { qty, unit } }) => `${number(qty)} ${unit}` },
          {
            title: t.price,
            kind: "number",
            cell: ({ line: { unit_price_net, unit_price_gross }, off }) => (
              <span>
                {unitPrice(unit_price_net)}
                {unit_price_gross !== null && <small>{t.with_vat({ price: unitPrice(unit_price_gross) })}</small>}
                {off && <small>{t.discount({ off })}</small>}
              </span>
            ),
          },
          { title: t.tax, kind: "number", cell: ({ line: { tax_rate } }) => percent(tax_rate) },
          {
            title: t.net,
            kind: "number",
            cell: ({ net }) => money(fromCents(netInCents(net))),
          },
        ]}
      />
      {off && <p class="hint">{(global_discount_amount === null ? t.global : t.global_amount)({ discount: off })}</p>}
    </>
  );
}

/** The totals of an issued document's or a draft's lines. */
export const totalsOfDocument = (document: Document): Totals =>
  totalsOf(sharedLines(document), toBps(document.global_discount_pct));

interface SumsProps {
  readonly totals: Totals;
  /** The sum before the discount on everything, and that discount. */
  readonly discount?: { readonly lines_cents: number; readonly off_cents: number; readonly name: string } | undefined;
}

/** The parts of a total: the net, and the tax of each rate with its base. */
export function Sums({ totals: { total_net_cents, total_tax_cents, groups }, discount }: SumsProps) {
  return (
    <dl class="sums">
      {discount && (
        <>
          <Sum name={t.of_lines} cents={discount.lines_cents} />
          <Sum name={t.off({ discount: discount.name })} cents={-discount.off_cents} />
        </>
      )}
      <Sum name={t.total_net} cents={total_net_cents} />
      {groups
        .toSorted((a, b) => a.tax_rate_bps - b.tax_rate_bps)
        .map((group) => (
          <Sum
            key={groupKey(group)}
            name={t.tax_of({ rate: percent(fromBps(group.tax_rate_bps)), base: money(fromCents(group.net_cents)) })}
            cents={group.tax_cents}
          />
        ))}
      {groups.length > 1 && <Sum name={t.total_tax} cents={total_tax_cents} />}
    </dl>
  );
}

function Sum({ name, cents }: { readonly name: string; readonly cents: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{money(fromCents(cents))}</dd>
    </div>
  );
}
