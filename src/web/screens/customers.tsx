/** Customers: found, sorted, created; and at an address of its own, one of them. */

import type { Customer } from "../../core/face.ts";
import { Button } from "../button.tsx";
import { debtorColumns } from "../debtors.tsx";
import { editCustomer } from "../fields/customer-form.tsx";
import { type Choices, Options } from "../fields/form.tsx";
import { Page } from "../page.tsx";
import { lacre } from "../reading/api.ts";
import { type Asked, List, SearchField, searched, useList } from "../reading/list.tsx";
import { useResource } from "../reading/resource.tsx";
import { go, href, part, path, search, setSearch } from "../router.ts";
import { can } from "../session.ts";
import { countryName } from "../words/countries.ts";
import { money } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { CustomerScreen } from "./customer.tsx";

const t = texts({
  title: ["Clientes", "Customers"],
  new: ["Novo cliente", "New customer"],
  search: ["Procurar por nome, NIF, e-mail ou telefone", "Find by name, tax number, e-mail or phone"],
  sort: ["Ordenar", "Sort"],
  by_name: ["Por nome", "By name"],
  newest: ["Mais recentes primeiro", "Newest first"],
  owing: ["Quem deve, do maior para o menor", "Who owes, the most first"],
  name: ["Nome", "Name"],
  tax_id: ["NIF {number}", "Tax number {number}"],
  contact: ["Contacto", "Contact"],
  city: ["Localidade", "City"],
  owes: ["Em dívida", "Owes"],
  in_favour: ["{eur} a favor", "{eur} in favour"],
  none: ["Ainda não há clientes.", "There are no customers yet."],
  none_hint: [
    "Não é preciso criá-los antes: ao emitir uma fatura, escreva o nome e o cliente fica criado.",
    "They need not be made first: type a name on an invoice, and the customer is made there.",
  ],
  nothing: ["Nenhum cliente corresponde à procura.", "No customer fits."],
  nobody_owes: ["Ninguém deve nada.", "Nobody owes anything."],
});

/** A customer's debt, and the amount in their favour. */
interface Balance {
  readonly owes: number;
  readonly in_favour: number;
}

/** The list shows at most this many balances of debtors. */
const MAX_OWING = 200;

/**
 * The balances of customers; undefined if nobody has one. Debtors are read up to a number, and of documents in a
 * customer's favour the latest: each is shown only if these are all.
 */
async function readBalances(signal: AbortSignal): Promise<ReadonlyMap<string, Balance> | undefined> {
  if (!can("figures:read")) return undefined;
  const [{ in_favour }, { data, pagination }] = await Promise.all([
    lacre.figures.get({}, { signal }),
    lacre.figures.debts({ limit: MAX_OWING }, { signal }),
  ]);
  const found = new Map<string, Balance>();
  const add = (id: string, { owes = 0, in_favour = 0 }: Partial<Balance>) => {
    const before = found.get(id) ?? { owes: 0, in_favour: 0 };
    found.set(id, { owes: before.owes + owes, in_favour: before.in_favour + in_favour });
  };
  if (pagination.total <= data.length) {
    for (const { customer_id, outstanding } of data) add(customer_id, { owes: outstanding });
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

const second = part(1);

export function Screen() {
  const id = second.value;
  return id ? <CustomerScreen key={id} id={id} /> : <Customers />;
}

/** The orders of the list: the first if the address names none. Search results are not sorted by debt. */
const sorts = (): Choices => [
  ["", t.by_name],
  ["newest", t.newest],
  ...(can("figures:read") ? [["owing", t.owing] as const] : []),
];

function Customers() {
  const order = search.value.get("sort") ?? "";
  const isOwing = order === "owing" && !searched() && can("figures:read");
  return (
    <Page
      title={t.title}
      actions={
        can("customers:write") && (
          <Button
            label={t.new}
            class="main"
            onClick={() => editCustomer(undefined, { onSaved: showSaved, onArchived: () => {} })}
          />
        )
      }
    >
      <search class="filters">
        <SearchField label={t.search} />
        <label class="labelled">
          {t.sort}
          <select
            value={order}
            onChange={({ currentTarget: { value } }) =>
              setSearch({ sort: value, offset: undefined, ...(value === "owing" && { search: undefined }) })
            }
          >
            <Options of={sorts()} />
          </select>
        </label>
      </search>
      {isOwing ? <Debtors /> : <Everybody />}
    </Page>
  );
}

/** Shows a new customer, unless the answer came after the list was left. */
const showSaved = ({ id }: Customer) => {
  if (path.peek() === "/customers") go(`/customers/${id}`);
};

function Debtors() {
  const debtors = useList((page, signal) => lacre.figures.debts({ ...page }, { signal }));
  return (
    <List
      title={t.title}
      from={debtors}
      none={t.nobody_owes}
      keyOf={({ customer_id }) => customer_id}
      columns={debtorColumns()}
    />
  );
}

/** Reads a page of the customers that the address selects. */
const customersShown = (page: Asked, signal: AbortSignal) =>
  lacre.customers.list(
    { search: searched(), ...(search.value.get("sort") !== "newest" && { sort: "name" as const }), ...page },
    { signal },
  );

function Everybody() {
  const customers = useList(customersShown);
  const balances = useResource(readBalances).state.value.value;
  return (
    <List
      title={t.title}
      from={customers}
      none={t.none}
      nothing={searched() && t.nothing}
      keyOf={({ id }) => id}
      columns={[
        {
          title: t.name,
          cell: ({ id, name, tax_id }) => (
            <>
              <a class="whole-row" href={href(`/customers/${id}`)}>
                {name}
              </a>
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
      ]}
    >
      <p>{t.none_hint}</p>
    </List>
  );
}
