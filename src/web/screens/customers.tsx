/** Customers: found, made, changed, archived. */

import type { Customer } from "../../core/face.ts";
import { lacre } from "../api.ts";
import { countryName } from "../countries.ts";
import { CustomerForm } from "../customer-form.tsx";
import { money } from "../decimals.ts";
import { List, SearchField, searched, useList } from "../list.tsx";
import { Page } from "../page.tsx";
import { editRecord } from "../record-dialogs.tsx";
import { useResource } from "../resource.tsx";
import { href } from "../router.ts";
import { can } from "../session.ts";
import { RowButton } from "../table.tsx";
import { texts } from "../texts.ts";

const t = texts({
  title: ["Clientes", "Customers"],
  new: ["Novo cliente", "New customer"],
  change: ["Alterar cliente", "Change customer"],
  edit: ["Alterar", "Change"],
  search: ["Procurar por nome, NIF, e-mail ou telefone", "Find by name, tax number, e-mail or phone"],
  name: ["Nome", "Name"],
  tax_id: ["NIF {number}", "Tax number {number}"],
  contact: ["Contacto", "Contact"],
  city: ["Localidade", "City"],
  owes: ["Em dívida", "Owes"],
  documents: ["Documentos", "Documents"],
  actions: ["Ações", "Actions"],
  none: ["Ainda não há clientes.", "There are no customers yet."],
  none_hint: [
    "Não é preciso criá-los antes: ao emitir uma fatura, escreva o nome e o cliente fica criado.",
    "They need not be made first: type a name on an invoice, and the customer is made there.",
  ],
  nothing: ["Nenhum cliente corresponde à procura.", "No customer fits."],
  saved: ["Cliente guardado.", "Customer saved."],
  archive: ["Arquivar", "Archive"],
  archive_question: [
    "Arquivar {name}? Deixa de aparecer nas listas; os documentos já emitidos ficam como estão.",
    "Archive {name}? Lists no longer show the customer; documents stay as they are.",
  ],
  archived: ["Cliente arquivado.", "Customer archived."],
});

const owedBy = (eur: number | undefined) => (eur === undefined ? undefined : money(eur));

export function Screen() {
  const customers = useList((page, signal) => lacre.customers.list({ search: searched(), ...page }, { signal }));
  // Who owes is told of the largest debtors alone: shown where these are all.
  const owed = useResource(async (signal) => {
    if (!can("documents:read")) return undefined;
    const { customers, largest } = (await lacre.figures.get({}, { signal })).owed;
    if (customers === 0 || customers > largest.length) return undefined;
    return new Map(largest.map(({ customer_id, outstanding }) => [customer_id, outstanding]));
  });
  const debts = owed.state.value.value;
  const mayWrite = can("customers:write");
  const edit = (customer?: Customer) =>
    editRecord(customer, {
      words: t,
      class: "broad",
      form: (customer, ways) => <CustomerForm customer={customer} {...ways} />,
      archive: lacre.customers.archive,
      onChanged: customers.reload,
    });
  return (
    <Page
      title={t.title}
      actions={
        mayWrite && (
          <button type="button" class="main" onClick={() => edit()}>
            {t.new}
          </button>
        )
      }
    >
      <search class="filters">
        <SearchField label={t.search} />
      </search>
      <List
        title={t.title}
        from={customers}
        none={t.none}
        nothing={searched() && t.nothing}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t.name,
            cell: ({ name, tax_id }) => (
              <>
                {name}
                {tax_id && <small>{t.tax_id({ number: tax_id })}</small>}
              </>
            ),
          },
          {
            title: t.contact,
            cell: ({ email, phone }) =>
              (email ?? phone) && <span class={email ? "contact" : "whole"}>{email ?? phone}</span>,
          },
          {
            title: t.city,
            cell: ({ city, country }) =>
              [city, country && country !== "PT" && countryName(country)].filter(Boolean).join(", "),
          },
          ...(debts
            ? [{ title: t.owes, kind: "number" as const, cell: ({ id }: Customer) => owedBy(debts.get(id)) }]
            : []),
          {
            title: t.actions,
            kind: "actions",
            cell: (customer) => (
              <>
                <a class="button" href={href(`/documents?customer_id=${customer.id}`)}>
                  {t.documents}
                  <span class="unseen"> {customer.name}</span>
                </a>{" "}
                {mayWrite && <RowButton label={t.edit} of={customer.name} onClick={() => edit(customer)} />}
              </>
            ),
          },
        ]}
      >
        <p>{t.none_hint}</p>
      </List>
    </Page>
  );
}
