/** Documents: searched, filtered, exported; and at an address of its own, one of them. */

import { useSignal } from "@preact/signals";
import type { DocumentFilter, DocumentSummary } from "../../core/face.ts";
import { salesSign } from "../../core/fiscal/document-types.ts";
import { PAYMENT_STATUSES, STATUSES } from "../../core/fiscal/lifecycle.ts";
import { typedNumber } from "../../core/fiscal/numbering.ts";
import type { Page as PageOf } from "../../core/runtime/page.ts";
import { Button, ButtonLink } from "../button.tsx";
import { openDialog } from "../dialog.tsx";
import { DiscardDialog } from "../document/document-dialogs.tsx";
import { Chip } from "../fields/find-document.tsx";
import { type Choices, Options } from "../fields/form.tsx";
import { Page } from "../page.tsx";
import { lacre } from "../reading/api.ts";
import { Day, Total } from "../reading/cells.tsx";
import { customerName, type Named, named } from "../reading/customer-names.ts";
import { Export, type ExportColumn } from "../reading/export.tsx";
import { ClearFilters, filterShown, PeriodFields } from "../reading/filters.tsx";
import { type Asked, List, SearchField, searched, useList } from "../reading/list.tsx";
import { type Resource, useResource, whenRead } from "../reading/resource.tsx";
import { go, href, part, search, setSearch } from "../router.ts";
import { can } from "../session.ts";
import { day, money } from "../words/decimals.ts";
import { isInFavour, StatusTags, statusName } from "../words/status.tsx";
import { texts } from "../words/texts.ts";
import { typeName, typeOptions } from "../words/type-names.ts";
import { DocumentScreen } from "./document.tsx";

const t = texts({
  title: ["Documentos", "Documents"],
  new: ["Novo documento", "New document"],
  find: [
    "Procurar por número, cliente, NIF, valor ou artigo",
    "Find by number, customer, tax number, amount or product",
  ],
  type: ["Tipo", "Type"],
  status: ["Estado", "State"],
  payment_status: ["Pagamento", "Payment"],
  all: ["Todos", "All"],
  filters: ["Filtros", "Filters"],
  of_customer: ["Cliente: {name}", "Customer: {name}"],
  of_number: ["Número: {typed}", "Number: {typed}"],
  other: ["Outro filtro", "Another filter"],
  number: ["Número", "Number"],
  draft: ["Rascunho", "Draft"],
  customer: ["Cliente", "Customer"],
  date: ["Data", "Date"],
  due: ["Vencimento", "Due"],
  total: ["Total", "Total"],
  in_favour: ["{eur} a favor do cliente", "{eur} in the customer's favour"],
  discard: ["Apagar", "Delete"],
  discard_of: ["o rascunho para {name}", "the draft for {name}"],
  none: ["Ainda não há documentos.", "There are no documents yet."],
  none_hint: ["O primeiro fica pronto em menos de um minuto.", "The first one takes less than a minute."],
  nothing: ["Nenhum documento corresponde aos filtros.", "No document fits the filters."],
  nothing_found: ["Nenhum documento corresponde à procura.", "No document fits."],
  more: [
    "Há mais documentos assim; estes são dos mais recentes. Escreva mais, ou escolha um período.",
    "There are more such documents; these are some of the newest. Type more, or choose a period.",
  ],
  exported: [
    "{count} {count|documento exportado|documentos exportados}.",
    "{count} {count|document|documents} exported.",
  ],
  too_many: [
    "São {total} documentos; um ficheiro leva até {most}. Escolha um período mais curto.",
    "There are {total} documents; a file takes up to {most}. Choose a shorter period.",
  ],
  file: ["documentos", "documents"],
  training: ["formação", "training"],
  tax_id: ["NIF", "Tax number"],
  net: ["Total sem IVA", "Total without VAT"],
  tax: ["IVA", "VAT"],
  outstanding: ["Por pagar (EUR)", "Outstanding (EUR)"],
  reason: ["Motivo da anulação", "Reason for cancelling"],
});

/** The fields of the address that select documents, under the names of the API. */
const FILTERS = [
  "doc_type",
  "status",
  "payment_status",
  "from",
  "to",
  "customer_id",
  "series_id",
  "number",
  "reference_id",
] as const;

/** Fields of the address that name one document, and so end with a search. */
const SINGLE = ["number", "reference_id"] as const;

/** Reads pages of the documents that the address selects now, with the names of their customers. */
function documentsShown() {
  const filter = filterShown(FILTERS) as DocumentFilter;
  const sought = searched()?.trim();
  return async (page: Asked, signal: AbortSignal): Promise<Found> => {
    const { data, pagination, complete } = sought
      ? await documentsFound({ ...filter, search: sought, limit: page.limit }, signal)
      : { ...(await lacre.documents.list({ ...filter, ...page }, { signal })), complete: true };
    return { data: await named(data, signal), pagination, complete };
  };
}

/** Search results fit on one page. */
async function documentsFound(sought: Parameters<typeof lacre.documents.search>[0], signal: AbortSignal) {
  const { data, complete } = await lacre.documents.search(sought, { signal });
  return { data, complete, pagination: { limit: data.length, offset: 0, total: data.length } };
}

/** A page of the list; not `complete` if more documents match the search than were found. */
interface Found extends PageOf<Named> {
  readonly complete: boolean;
}

const second = part(1);

export function Screen() {
  const id = second.value;
  return id ? <DocumentScreen key={id} id={id} /> : <Documents />;
}

function Documents() {
  const documents = useList((page, signal) => documentsShown()(page, signal));
  const isFiltered = FILTERS.some((name) => search.value.get(name));
  const { value } = documents.state.value;
  const mayWrite = can("documents:write");
  const discard = ({ id }: DocumentSummary) => openDialog(<DiscardDialog id={id} onDone={documents.reload} />);
  return (
    <Page
      title={t.title}
      actions={
        <>
          {(!searched() || value?.complete) && (
            <Export
              from={documents}
              read={documentsShown()}
              columns={columns()}
              keyOf={({ document }) => document.id}
              words={t}
            />
          )}
          {can("documents:write") && <ButtonLink label={t.new} to="/new" main />}
        </>
      }
    >
      <Filters isFiltered={isFiltered} onEnter={() => openFound(documents)} />
      {searched() && value?.complete === false && <p class="hint">{t.more}</p>}
      <List
        title={t.title}
        class="documents"
        from={documents}
        none={t.none}
        nothing={searched() ? t.nothing_found : isFiltered && t.nothing}
        keyOf={({ document }) => document.id}
        columns={[
          {
            title: t.number,
            cell: ({ document }) => (
              <>
                <a class="whole-row" href={href(addressOf(document))}>
                  {document.number ?? t.draft}
                </a>
                <small>{typeName(document.doc_type)}</small>
              </>
            ),
          },
          { title: t.customer, cell: ({ customer }) => <span class="name">{customer}</span> },
          { title: t.date, cell: ({ document }) => <Day of={document.issue_date} /> },
          {
            title: t.status,
            cell: ({ document, customer }) => (
              <>
                <StatusTags document={document} />
                {document.status === "draft" && mayWrite && (
                  <Button
                    label={t.discard}
                    of={t.discard_of({ name: customer })}
                    class="plain"
                    onClick={() => discard(document)}
                  />
                )}
              </>
            ),
          },
          {
            title: t.total,
            kind: "number",
            cell: ({ document }) => (
              <span>
                <Total of={document} />
                {isInFavour(document) && <small>{t.in_favour({ eur: money(-(document.outstanding ?? 0)) })}</small>}
              </span>
            ),
          },
        ]}
      >
        <p>{t.none_hint}</p>
      </List>
    </Page>
  );
}

/** Opens the only document found, or the one with the typed number. */
async function openFound(documents: Resource<Found>): Promise<void> {
  const found = (await whenRead(documents)).value?.data ?? [];
  const sequence = typedNumber(searched() ?? "")?.sequence;
  const numbered = found.filter(({ document }) => document.number?.endsWith(`/${sequence}`));
  const [one] = numbered.length === 1 ? numbered : found.length === 1 ? found : [];
  if (one) go(addressOf(one.document));
}

// ——— The filters ———

/** Set by people; the others come with a link. */
const CHOSEN = ["doc_type", "status", "payment_status", "from", "to"] as const;

function Filters({ isFiltered, onEnter }: { readonly isFiltered: boolean; readonly onEnter: () => unknown }) {
  const chosen = CHOSEN.filter((name) => search.value.get(name)).length;
  const isOpen = useSignal(false);
  const choose = (name: (typeof CHOSEN)[number]) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setSearch({ [name]: event.currentTarget.value, offset: undefined });
  const select = (name: "doc_type" | "status" | "payment_status", label: string, options: Choices) => (
    <label class="labelled">
      {label}
      <select value={search.value.get(name) ?? ""} onChange={choose(name)}>
        <option value="">{t.all}</option>
        <Options of={options} />
      </select>
    </label>
  );
  return (
    <search class="document-filters">
      <SearchField label={t.find} instead={SINGLE} onEnter={onEnter} />
      <button
        type="button"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {t.filters}
        {chosen > 0 && ` (${chosen})`}
      </button>
      <div class={isOpen.value ? "filters" : "filters closed"}>
        {select("doc_type", t.type, typeOptions())}
        {select(
          "status",
          t.status,
          STATUSES.map((status) => [status, statusName(status)]),
        )}
        {select(
          "payment_status",
          t.payment_status,
          PAYMENT_STATUSES.map((status) => [status, statusName(status)]),
        )}
        <PeriodFields />
      </div>
      {isFiltered && <Chips />}
    </search>
  );
}

/** The filters without a field, each with a button that removes it; and one that removes all. */
function Chips() {
  const customer = useResource(async (signal) => {
    const id = search.value.get("customer_id");
    return id ? customerName(id, signal).catch(() => "…") : "";
  });
  const chips: readonly (readonly [name: (typeof FILTERS)[number], shown: string])[] = [
    ["customer_id", t.of_customer({ name: customer.state.value.value ?? "…" })],
    ["number", t.of_number({ typed: search.value.get("number") ?? "" })],
    ["series_id", t.other],
    ["reference_id", t.other],
  ];
  return (
    <div class="chips">
      {chips
        .filter(([name]) => search.value.get(name))
        .map(([name, shown]) => (
          <Chip key={name} shown={shown} onRemove={() => setSearch({ [name]: undefined, offset: undefined })} />
        ))}
      <ClearFilters names={FILTERS} />
    </div>
  );
}

// ——— The list ———

/** A user with permission continues writing drafts. */
const addressOf = ({ id, status }: DocumentSummary): string =>
  status === "draft" && can("documents:write") ? `/new?draft=${id}` : `/documents/${id}`;

// ——— The file ———

/**
 * An amount as a column adds it up among sales documents: a credit note subtracts, cancelled ones count nothing.
 * Receipts, guides and quotations keep their amounts.
 */
const counted = ({ doc_type, status }: DocumentSummary, eur: number): number =>
  status === "cancelled" ? 0 : salesSign(doc_type) < 0 ? -eur : eur;

const columns = (): readonly ExportColumn<Named>[] => [
  [t.number, ({ document }) => document.number ?? ""],
  [t.type, ({ document }) => typeName(document.doc_type)],
  [
    t.status,
    ({ document: { status, training } }) => (training ? `${statusName(status)} (${t.training})` : statusName(status)),
  ],
  [t.date, ({ document }) => day(document.issue_date)],
  [t.due, ({ document }) => document.due_date && day(document.due_date)],
  [t.customer, ({ customer }) => customer],
  [t.tax_id, ({ document }) => document.customer?.tax_id ?? null],
  [t.net, ({ document }) => counted(document, document.total_net)],
  [t.tax, ({ document }) => counted(document, document.total_tax)],
  [t.total, ({ document }) => counted(document, document.total_gross)],
  [t.payment_status, ({ document }) => document.payment_status && statusName(document.payment_status)],
  [t.outstanding, ({ document }) => document.outstanding],
  ["ATCUD", ({ document }) => document.atcud],
  [t.reason, ({ document }) => document.cancel_reason],
];
