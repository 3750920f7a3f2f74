/** One customer: its details, debts, documents, and latest payments. */

import type { Customer, CustomerFigures } from "../../core/face.ts";
import { Button, ButtonLink } from "../button.tsx";
import { Since } from "../debtors.tsx";
import { editCustomer } from "../fields/customer-form.tsx";
import { Page, Section } from "../page.tsx";
import { lacre } from "../reading/api.ts";
import { Day, DocumentLink, Total } from "../reading/cells.tsx";
import { isFinalConsumer } from "../reading/customer-names.ts";
import { Facts } from "../reading/facts.tsx";
import { Loaded, type Resource, useResource } from "../reading/resource.tsx";
import { Table } from "../reading/table.tsx";
import { go, href } from "../router.ts";
import { can } from "../session.ts";
import { countryName } from "../words/countries.ts";
import { money } from "../words/decimals.ts";
import { meansName } from "../words/means.ts";
import { StatusTags } from "../words/status.tsx";
import { texts } from "../words/texts.ts";
import { typeName } from "../words/type-names.ts";

const t = texts({
  title: ["Cliente", "Customer"],
  new: ["Novo documento", "New document"],
  edit: ["Alterar", "Change"],
  tax_id: ["NIF {number}", "Tax number {number}"],
  no_tax_id: ["Sem NIF", "No tax number"],
  contact: ["Contacto", "Contact"],
  email: ["E-mail", "E-mail"],
  phone: ["Telefone", "Phone"],
  address: ["Morada", "Address"],
  reminders: ["Lembretes", "Reminders"],
  no_reminders: ["Não recebe lembretes de pagamento.", "Gets no payment reminders."],
  account: ["Conta", "Account"],
  owes: [
    "Deve {eur}, em {count} {count|documento|documentos}, desde",
    "Owes {eur} on {count} {count|document|documents} since",
  ],
  owes_nothing: ["Não deve nada.", "Owes nothing."],
  in_favour: ["Tem a favor {eur}, creditados depois de pagos.", "Has {eur} in favour, credited after it was paid."],
  documents: ["Documentos", "Documents"],
  none: ["Ainda não tem documentos.", "No documents yet."],
  all: ["Ver na lista de documentos", "See in the list of documents"],
  payments: ["Últimos pagamentos", "Latest payments"],
  number: ["Número", "Number"],
  draft: ["Rascunho", "Draft"],
  date: ["Data", "Date"],
  status: ["Estado", "State"],
  total: ["Total", "Total"],
  document: ["Documento", "Document"],
  received: ["Recebido em", "Received on"],
  means: ["Meio", "Means"],
  amount: ["Valor", "Amount"],
});

/** How many documents are shown here; the list has all. */
const SHOWN = 10;

export function CustomerScreen({ id }: { readonly id: string }) {
  const customer = useResource((signal) => lacre.customers.get({ id }, { signal }));
  const figures = useResource((signal) =>
    can("figures:read") ? lacre.figures.customer({ id }, { signal }) : Promise.resolve(undefined),
  );
  const { value } = customer.state.value;
  const { payments = [] } = figures.state.value.value ?? {};
  return (
    <Page title={value?.name ?? t.title} about={value && about(value)} actions={value && <Acts customer={customer} />}>
      <Loaded from={customer}>
        {(shown) => (
          <div class="one-customer">
            {can("figures:read") && (
              <Section title={t.account}>
                <Loaded from={figures}>{(found) => found && <Account {...found} />}</Loaded>
              </Section>
            )}
            <Contact customer={shown} />
            <Documents id={id} />
            {payments.length > 0 && <Payments payments={payments} />}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const about = ({ tax_id }: Customer) => (tax_id ? t.tax_id({ number: tax_id }) : t.no_tax_id);

function Acts({ customer }: { readonly customer: Resource<Customer> }) {
  const { value } = customer.state.value;
  if (!value) return null;
  return (
    <>
      {can("customers:write") && !isFinalConsumer(value) && (
        <Button
          label={t.edit}
          onClick={() => editCustomer(value, { onSaved: customer.set, onArchived: () => go("/customers") })}
        />
      )}
      {can("documents:write") && <ButtonLink label={t.new} to={`/new?customer=${value.id}`} main />}
    </>
  );
}

function Contact({ customer }: { readonly customer: Customer }) {
  const { email, phone, address, postal_code, city, country, reminders } = customer;
  const place = [
    address,
    [postal_code, city].filter(Boolean).join(" "),
    country && country !== "PT" && countryName(country),
  ]
    .filter(Boolean)
    .join("\n");
  if (!email && !phone && !place && reminders) return null;
  return (
    <Section title={t.contact}>
      <Facts
        rows={[
          [
            t.email,
            email && (
              <a class="contact" href={`mailto:${email}`}>
                {email}
              </a>
            ),
          ],
          [
            t.phone,
            phone && (
              <a class="whole" href={`tel:${phone.replaceAll(/[^+\d]/g, "")}`}>
                {phone}
              </a>
            ),
          ],
          [t.address, place && <span class="as-typed">{place}</span>],
          [t.reminders, !reminders && t.no_reminders],
        ]}
      />
    </Section>
  );
}

function Account({ owed, in_favour }: CustomerFigures) {
  return (
    <>
      {owed ? (
        <p>
          {t.owes({ eur: money(owed.outstanding), count: owed.documents })} <Since oldest={owed.oldest} />
        </p>
      ) : (
        <p class="about">{t.owes_nothing}</p>
      )}
      {in_favour.total > 0 && <p>{t.in_favour({ eur: money(in_favour.total) })}</p>}
    </>
  );
}

function Payments({ payments }: Pick<CustomerFigures, "payments">) {
  return (
    <Section title={t.payments} class="across">
      <Table
        title={t.payments}
        keyOf={({ id }) => id}
        rows={payments}
        columns={[
          {
            title: t.document,
            cell: ({ document_id, document_number }) => <DocumentLink id={document_id} number={document_number} />,
          },
          { title: t.received, cell: ({ payment_date }) => <Day of={payment_date} /> },
          { title: t.means, cell: ({ method_code }) => meansName(method_code) },
          { title: t.amount, kind: "number", cell: ({ amount }) => money(amount) },
        ]}
      />
    </Section>
  );
}

function Documents({ id }: { readonly id: string }) {
  const documents = useResource((signal) => lacre.documents.list({ customer_id: id, limit: SHOWN }, { signal }));
  return (
    <Section title={t.documents} class="across">
      <Loaded from={documents}>
        {({ data, pagination: { total } }) =>
          total === 0 ? (
            <p class="about">{t.none}</p>
          ) : (
            <>
              <Table
                title={t.documents}
                keyOf={(document) => document.id}
                rows={data}
                columns={[
                  {
                    title: t.number,
                    cell: (document) => (
                      <>
                        <DocumentLink id={document.id} number={document.number ?? t.draft} />
                        <small>{typeName(document.doc_type)}</small>
                      </>
                    ),
                  },
                  { title: t.date, cell: ({ issue_date }) => <Day of={issue_date} /> },
                  { title: t.status, cell: (document) => <StatusTags document={document} /> },
                  {
                    title: t.total,
                    kind: "number",
                    cell: (document) => (
                      <span>
                        <Total of={document} />
                      </span>
                    ),
                  },
                ]}
              />
              <p class="others-link">
                <a href={href(`/documents?customer_id=${id}`)}>{t.all}</a>
              </p>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
