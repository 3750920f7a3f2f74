/** Customers: found, made, changed, archived. */

import type { Customer } from "../../core/face.ts";
import { lacre } from "../api.ts";
import { countryName } from "../countries.ts";
import { CustomerForm } from "../customer-form.tsx";
import { money } from "../decimals.ts";
import { isFinalConsumer } from "../document/writing.ts";
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
  in_favour: ["{eur} a favor", "{eur} in favour"],
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

/** What a customer owes, and what is theirs. */
interface Balance {
  readonly owes: number;
  readonly in_favour: number;
}

/**
 * The balances of customers; undefined where nobody has one. The answer names the largest debtors and the latest
 * documents in a customer's favour alone: each is shown where these are all.
 */
async function readBalances(signal: AbortSignal): Promise<ReadonlyMap<string, Balance> | undefined> {
  if (!can("figures:read")) return undefined;
  const { owed, in_favour } = await lacre.figures.get({}, { signal });
  const found = new Map<string, Balance>();
  const add = (id: string, { owes = 0, in_favour = 0 }: Partial<Balance>) => {
    const before = found.get(id) ?? { owes: 0, in_favour: 0 };
    found.set(id, { owes: before.owes + owes, in_favour: before.in_favour + in_favour });
  };
  if (owed.customers <= owed.largest.length) {
    for (const { customer_id, outstanding } of owed.largest) add(customer_id, { owes: outstanding });
  }
  if (in_favour.documents <= in_favour.latest.length) {
    for (const { customer_id, amount } of in_favour.latest) add(customer_id, { in_favour: amount });
  }
  return found.size === 0 ? undefined : found;
}

function BalanceCell({ balance }: { readonly balance: Balance | undefined }) {
  if (!balance) return null;
  const { owes, in_favour } = balance;
  return (
    <span>
      {owes > 0 && money(owes)}
      {in_favour > 0 && <small>{t.in_favour({ eur: money(in_favour) })}</small>}
    </span>
  );
}

export function Screen() {
  const customers = useList((page, signal) => lacre.customers.list({ search: searched(), ...page }, { signal }));
  const balances = useResource(readBalances).state.value.value;
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
          ...(balances
            ? [
                {
                  title: t.owes,
                  kind: "number" as const,
                  cell: ({ id }: Customer) => <BalanceCell balance={balances.get(id)} />,
                },
              ]
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
                {mayWrite && !isFinalConsumer(customer) && (
                  <RowButton label={t.edit} of={customer.name} onClick={() => edit(customer)} />
                )}
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
