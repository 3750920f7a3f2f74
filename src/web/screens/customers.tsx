/** Customers: found, made, changed, archived. */
import { useSignal } from "@preact/signals";
import type { Customer } from "../../core/face.ts";
import { lacre } from "../api.ts";
import { countryName } from "../countries.ts";
import { CustomerForm } from "../customer-form.tsx";
import { money } from "../decimals.ts";
import { ConfirmDialog, Dialog } from "../dialog.tsx";
import { texts } from "../language.ts";
import { announce } from "../notice.tsx";
import { Page } from "../page.tsx";
import { Empty, Loaded, useResource } from "../resource.tsx";
import { href, search, setSearch } from "../router.ts";
import { can } from "../session.ts";
import { Pager, Table } from "../table.tsx";

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

const LIMIT = 50;

const owedBy = (eur: number | undefined) => (eur === undefined ? undefined : money(eur));

export function Screen() {
  const editing = useSignal<Customer | "new" | undefined>(undefined);
  const archiving = useSignal<Customer | undefined>(undefined);
  const customers = useResource((signal) => {
    const wanted = search.value.get("search") ?? undefined;
    const offset = Number(search.value.get("offset") ?? 0);
    return lacre.customers.list({ search: wanted, limit: LIMIT, offset }, { signal });
  });
  // Who owes is told of the largest debtors alone: shown where these are all.
  const owed = useResource(async (signal) => {
    if (!can("documents:read")) return undefined;
    const { customers, largest } = (await lacre.figures.get({}, { signal })).owed;
    if (customers === 0 || customers > largest.length) return undefined;
    return new Map(largest.map(({ customer_id, outstanding }) => [customer_id, outstanding]));
  });
  const debts = owed.state.value.value;
  const close = () => {
    editing.value = undefined;
  };
  const archive = async () => {
    if (archiving.value) await lacre.customers.archive({ id: archiving.value.id });
  };
  const mayWrite = can("customers:write");
  const openNew = () => {
    editing.value = "new";
  };
  return (
    <Page
      title={t.title}
      actions={
        mayWrite && (
          <button type="button" class="main" onClick={openNew}>
            {t.new}
          </button>
        )
      }
    >
      <search class="filters">
        <input
          type="search"
          aria-label={t.search}
          placeholder={t.search}
          value={search.value.get("search") ?? ""}
          onInput={(event) => setSearch({ search: event.currentTarget.value, offset: undefined })}
        />
      </search>
      <Loaded from={customers}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            search.value.get("search") ? (
              <Empty title={t.nothing} />
            ) : (
              <Empty title={t.none}>
                <p>{t.none_hint}</p>
              </Empty>
            )
          ) : (
            <div class="sheet">
              <Table
                caption={t.title}
                keyOf={({ id }) => id}
                rows={data}
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
                  { title: t.contact, cell: ({ email, phone }) => email ?? phone },
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
                        {mayWrite && (
                          <button
                            type="button"
                            onClick={() => {
                              editing.value = customer;
                            }}
                          >
                            {t.edit}
                            <span class="unseen"> {customer.name}</span>
                          </button>
                        )}
                      </>
                    ),
                  },
                ]}
              />
              <Pager pagination={pagination} onMove={(offset) => setSearch({ offset: String(offset || "") })} />
            </div>
          )
        }
      </Loaded>
      {editing.value && (
        <Dialog title={editing.value === "new" ? t.new : t.change} onClose={close} class="broad">
          <CustomerForm
            customer={editing.value === "new" ? undefined : editing.value}
            onSaved={() => {
              close();
              announce(t.saved);
              customers.reload();
            }}
            onCancel={close}
            onArchive={(customer) => {
              close();
              archiving.value = customer;
            }}
          />
        </Dialog>
      )}
      {archiving.value && (
        <ConfirmDialog
          title={t.archive}
          confirm={t.archive}
          change={archive}
          onClose={() => {
            archiving.value = undefined;
          }}
          onDone={() => {
            archiving.value = undefined;
            announce(t.archived);
            customers.reload();
          }}
        >
          <p>{t.archive_question({ name: archiving.value.name })}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
