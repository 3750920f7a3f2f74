/** Home: sales, the VAT of the quarter, debtors, and what is to be done. */

import { useSignal } from "@preact/signals";
import type { Figures } from "../../core/face.ts";
import { fromCents, toCents } from "../../core/fiscal/money.ts";
import { Button, ButtonLink } from "../button.tsx";
import { Bars } from "../chart.tsx";
import { debtorColumns } from "../debtors.tsx";
import { Options } from "../fields/form.tsx";
import { Page, Section } from "../page.tsx";
import { lacre } from "../reading/api.ts";
import { DocumentLink } from "../reading/cells.tsx";
import { isFinalConsumer, named } from "../reading/customer-names.ts";
import { Empty, Loaded, useResource } from "../reading/resource.tsx";
import { Table } from "../reading/table.tsx";
import { href } from "../router.ts";
import { can, company, session } from "../session.ts";
import { Waits } from "../waiting.tsx";
import { money, month, percent } from "../words/decimals.ts";
import { StatusTags } from "../words/status.tsx";
import { texts } from "../words/texts.ts";
import { typeName } from "../words/type-names.ts";

const t = texts({
  title: ["Olá, {name}", "Hello, {name}"],
  new: ["Nova fatura", "New invoice"],
  sales: ["Vendas por mês, sem IVA", "Sales by month, without VAT"],
  none: ["Ainda não há faturas.", "There are no invoices yet."],
  none_hint: [
    "A primeira demora menos de um minuto: escolha o artigo, prima Ctrl+Enter e está feita.",
    "The first takes less than a minute: choose a product, press Ctrl+Enter, and it is done.",
  ],
  first: ["Emitir a primeira fatura", "Issue the first invoice"],
  this_month: ["Este mês", "This month"],
  documents: ["{count} {count|documento emitido|documentos emitidos}", "{count} {count|document|documents} issued"],
  vat: ["IVA do {quarter}.º trimestre", "VAT of quarter {quarter}"],
  vat_none: ["Nada faturado neste trimestre.", "Nothing invoiced in this quarter."],
  vat_cash: [
    "Regime de IVA de caixa: o imposto é devido quando recebe.",
    "Cash VAT: the tax is due when you are paid.",
  ],
  quarter: ["Trimestre", "Quarter"],
  rate: ["Taxa", "Rate"],
  base: ["Base", "Base"],
  tax: ["IVA", "VAT"],
  exempt: ["isento", "exempt"],
  vat_total: ["{sum} no total", "{sum} in all"],
  owed: ["Quem deve", "Who owes"],
  owed_none: ["Ninguém deve nada.", "Nobody owes anything."],
  owed_by_none: ["Nenhum cliente com nome deve nada.", "No customer with a name owes anything."],
  unnamed: [
    "Vendas a consumidor final por pagar: {sum}, em {count} {count|documento|documentos}",
    "Sold to final consumers and unpaid: {sum}, on {count} {count|document|documents}",
  ],
  unnamed_hint: [
    "Não se sabe quem deve. Se já recebeu, registe o pagamento; se não, anule.",
    "Who owes it is not known. If you were paid, record the payment; if not, cancel.",
  ],
  owed_total: ["{sum}, de {count} {count|cliente|clientes}", "{sum}, of {count} {count|customer|customers}"],
  customer: ["Cliente", "Customer"],
  owed_all: ["Ver todos", "See all"],
  favoured: ["A favor de clientes", "In customers' favour"],
  favoured_total: ["{sum}, em {count} {count|documento|documentos}", "{sum}, on {count} {count|document|documents}"],
  favoured_hint: [
    "Creditado depois de pago. O que já devolveu em mão ainda não se regista aqui.",
    "Credited after it was paid. What you gave back by hand is not recorded here yet.",
  ],
  document: ["Documento", "Document"],
  latest: ["Últimos documentos", "Latest documents"],
  draft: ["Rascunho", "Draft"],
  state: ["Estado", "State"],
  amount: ["Valor", "Amount"],
});

export function Screen() {
  return can("figures:read") ? <Home /> : <Till />;
}

/** The home of a user who sells and sees no figures: the way to sell, and the latest sales. */
function Till() {
  const latest = useResource(async (signal) =>
    named((await lacre.documents.list({ limit: LATEST }, { signal })).data, signal),
  );
  return (
    <Page
      title={t.title({ name: session.value?.user.name.split(" ")[0] ?? "" })}
      about={company.value?.name}
      actions={<NewInvoice />}
    >
      <Loaded from={latest}>
        {(rows) =>
          rows.length === 0 ? (
            <NoInvoice />
          ) : (
            <Section title={t.latest}>
              <Table
                title={t.latest}
                keyOf={({ document }) => document.id}
                rows={rows}
                columns={[
                  {
                    title: t.document,
                    cell: ({ document: { id, number, doc_type } }) => (
                      <>
                        <a href={href(`/documents/${id}`)}>{number ?? t.draft}</a>
                        <small>{typeName(doc_type)}</small>
                      </>
                    ),
                  },
                  { title: t.customer, cell: ({ customer }) => customer },
                  { title: t.state, cell: ({ document }) => <StatusTags document={document} /> },
                  { title: t.amount, kind: "number", cell: ({ document }) => money(document.total_gross) },
                ]}
              />
            </Section>
          )
        }
      </Loaded>
    </Page>
  );
}

/** How many documents the home of a till shows. */
const LATEST = 10;

const NewInvoice = () => (can("documents:issue") ? <ButtonLink label={t.new} to="/new" main /> : null);

function NoInvoice() {
  return (
    <Empty title={t.none}>
      <p>{t.none_hint}</p>
      {can("documents:issue") && <ButtonLink label={t.first} to="/new?type=FS" main />}
    </Empty>
  );
}

function Home() {
  const year = useSignal<number | undefined>(undefined);
  const figures = useResource((signal) => lacre.figures.get({ year: year.value }, { signal }));
  return (
    <Page
      title={t.title({ name: session.value?.user.name.split(" ")[0] ?? "" })}
      about={company.value?.name}
      actions={<NewInvoice />}
    >
      {can("saft:read") && <Waits />}
      <Loaded from={figures}>
        {(found) =>
          isEmpty(found) ? (
            <NoInvoice />
          ) : (
            <div class="home">
              <Sales figures={found} onYear={(wanted) => (year.value = wanted)} />
              <Vat figures={found} />
              <Owed owed={found.owed} />
              <InFavour in_favour={found.in_favour} />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

/** A company without sales: no empty charts. */
const isEmpty = ({ sales, sales_of_year_before, this_month, owed }: Figures): boolean =>
  [...sales, ...sales_of_year_before].every(({ gross }) => gross === 0) &&
  this_month.documents === 0 &&
  owed.total === 0;

function Sales({ figures, onYear }: { readonly figures: Figures; readonly onYear: (year: number) => void }) {
  const { year, sales, sales_of_year_before, this_month } = figures;
  const own = sales.find(({ month }) => month === this_month.month);
  const latest = Number(this_month.month.slice(0, 4));
  return (
    <section class="sheet sales">
      <header>
        <h2>{t.sales}</h2>
        <div class="choices">
          {[year - 1, year, year + 1]
            .filter((one) => one <= latest)
            .map((one) => (
              <Button label={one} key={one} aria-pressed={one === year} onClick={() => onYear(one)} />
            ))}
        </div>
      </header>
      {own && (
        <p class="figure">
          <strong>{money(own.net)}</strong> <span>{t.this_month}</span> · {t.documents({ count: this_month.documents })}
        </p>
      )}
      <Bars
        title={t.sales}
        bars={sales.map(({ month: named, net }, index) => ({
          label: month(named, "short"),
          value: net,
          before: sales_of_year_before[index]?.net ?? 0,
        }))}
        legend={[String(year), String(year - 1)]}
      />
    </section>
  );
}

function Vat({ figures: { year, vat, cash_vat, this_month } }: { readonly figures: Figures }) {
  const [yearNow = "", monthNow = "1"] = this_month.month.split("-");
  const chosen = useSignal(String(year) === yearNow ? Math.ceil(Number(monthNow) / 3) : 4);
  const rates = vat.find(({ quarter }) => quarter === chosen.value)?.rates ?? [];
  return (
    <section class="sheet">
      <header>
        <h2>{t.vat({ quarter: chosen.value })}</h2>
        <select
          aria-label={t.quarter}
          value={chosen.value}
          onChange={(event) => {
            chosen.value = Number(event.currentTarget.value);
          }}
        >
          <Options of={vat.map(({ quarter }) => [String(quarter), `${quarter}.º · ${year}`])} />
        </select>
      </header>
      {cash_vat && <p class="about">{t.vat_cash}</p>}
      {rates.length === 0 ? (
        <p class="about">{t.vat_none}</p>
      ) : (
        <>
          <p class="figure">
            {t.vat_total({ sum: money(fromCents(rates.reduce((cents, { tax }) => cents + toCents(tax), 0))) })}
          </p>
          <Table
            title={t.vat({ quarter: chosen.value })}
            keyOf={({ tax_region, tax_code, tax_rate }) => `${tax_region} ${tax_code} ${tax_rate}`}
            rows={rates}
            columns={[
              {
                title: t.rate,
                cell: ({ tax_region, tax_rate }) => (
                  <>
                    {tax_rate > 0 ? percent(tax_rate) : t.exempt}
                    {tax_region !== "PT" && <small>{tax_region}</small>}
                  </>
                ),
              },
              { title: t.base, kind: "number", cell: ({ net }) => money(net) },
              { title: t.tax, kind: "number", cell: ({ tax }) => money(tax) },
            ]}
          />
        </>
      )}
    </section>
  );
}

/** Outstanding amounts by customer; separately, those whom the shop cannot ask for payment. */
function Owed({ owed: { total, customers, largest } }: { readonly owed: Figures["owed"] }) {
  const unnamed = largest.filter(isFinalConsumer);
  const debtors = largest.filter((one) => !isFinalConsumer(one));
  const sum = fromCents(unnamed.reduce((cents, { outstanding }) => cents - toCents(outstanding), toCents(total)));
  return (
    <Section title={t.owed}>
      {debtors.length === 0 ? (
        <p class="about">{unnamed.length > 0 ? t.owed_by_none : t.owed_none}</p>
      ) : (
        <>
          <p class="figure">{t.owed_total({ sum: money(sum), count: customers - unnamed.length })}</p>
          <Table title={t.owed} keyOf={({ customer_id }) => customer_id} rows={debtors} columns={debtorColumns()} />
          {customers > largest.length && (
            <p class="others-link">
              <a href={href("/customers?sort=owing")}>{t.owed_all}</a>
            </p>
          )}
        </>
      )}
      {unnamed.map(({ customer_id, outstanding, documents }) => (
        <p key={customer_id} class="hint">
          <a href={href(`/documents?customer_id=${customer_id}&payment_status=unpaid`)}>
            {t.unnamed({ sum: money(outstanding), count: documents })}
          </a>
          . {t.unnamed_hint}
        </p>
      ))}
    </Section>
  );
}

/** Credits after payment; nothing without any. */
function InFavour({ in_favour: { total, documents, latest } }: Pick<Figures, "in_favour">) {
  if (documents === 0) return null;
  return (
    <Section title={t.favoured}>
      <p class="figure">{t.favoured_total({ sum: money(total), count: documents })}</p>
      <p class="hint">{t.favoured_hint}</p>
      <Table
        title={t.favoured}
        keyOf={({ document_id }) => document_id}
        rows={latest}
        columns={[
          { title: t.customer, cell: ({ name }) => name },
          {
            title: t.document,
            cell: ({ document_id, number }) => <DocumentLink id={document_id} number={number} />,
          },
          { title: t.amount, kind: "number", cell: ({ amount }) => money(amount) },
        ]}
      />
    </Section>
  );
}
