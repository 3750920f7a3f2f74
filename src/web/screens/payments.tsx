/** Payments: the amount, the document, and who recorded it. */

import type { Payment } from "../../core/face.ts";
import { Button } from "../button.tsx";
import { openDialog } from "../dialog.tsx";
import { Chip, FindDocument } from "../fields/find-document.tsx";
import { announce } from "../notice.tsx";
import { Page } from "../page.tsx";
import { VoidPayment } from "../payment-dialogs.tsx";
import { useActorNames } from "../reading/actor-names.ts";
import { lacre } from "../reading/api.ts";
import { Day, DocumentLink } from "../reading/cells.tsx";
import { Export, type ExportColumn } from "../reading/export.tsx";
import { ClearFilters, filterShown, PeriodFields } from "../reading/filters.tsx";
import { type Asked, List, useList } from "../reading/list.tsx";
import { useResource } from "../reading/resource.tsx";
import { href, search, setSearch } from "../router.ts";
import { can } from "../session.ts";
import { day, moment, money } from "../words/decimals.ts";
import { meansName } from "../words/means.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["Pagamentos", "Payments"],
  find: ["Procurar pelo número do documento", "Find by the number of the document"],
  of: ["Documento: {number}", "Document: {number}"],
  document: ["Documento", "Document"],
  amount: ["Valor", "Amount"],
  means: ["Meio", "Means"],
  date: ["Recebido em", "Received on"],
  recorded: ["Registado por", "Recorded by"],
  actions: ["Ações", "Actions"],
  void: ["Anular", "Void"],
  void_named: ["o pagamento de {amount}, {number}", "the payment of {amount}, {number}"],
  voided: ["Pagamento anulado.", "Payment voided."],
  none: ["Ainda não há pagamentos.", "There are no payments yet."],
  none_hint: [
    "Registe-os na página do documento, em «Registar pagamento»; os que se recebem ao emitir ficam registados sozinhos.",
    "Record them on the page of a document; what is received while issuing is recorded by itself.",
  ],
  to_unpaid: ["Ver o que está por pagar", "See what is unpaid"],
  nothing: ["Nenhum pagamento corresponde aos filtros.", "No payment fits the filters."],
  recorded_at: ["Registado em", "Recorded on"],
  file: ["pagamentos", "payments"],
  exported: [
    "{count} {count|pagamento exportado|pagamentos exportados}.",
    "{count} {count|payment|payments} exported.",
  ],
  too_many: [
    "São {total} pagamentos; um ficheiro leva até {most}. Escolha um período mais curto.",
    "There are {total} payments; a file takes up to {most}. Choose a shorter period.",
  ],
});

/** The fields of the address that select payments, under the names of the API. */
const FILTERS = ["document_id", "from", "to"] as const;

/** Reads pages of the payments that the address selects now. */
function paymentsShown() {
  const filter = filterShown(FILTERS);
  return (page: Asked, signal: AbortSignal) => lacre.payments.list({ ...filter, ...page }, { signal });
}

export function Screen() {
  const nameOf = useActorNames();
  const isFiltered = FILTERS.some((name) => search.value.get(name));
  const payments = useList((page, signal) => paymentsShown()(page, signal));
  const voided = () => {
    announce(t.voided);
    payments.reload();
  };
  return (
    <Page
      title={t.title}
      actions={
        <Export
          from={payments}
          read={paymentsShown()}
          columns={columnsOfFile(nameOf)}
          keyOf={({ id }) => id}
          words={t}
        />
      }
    >
      <search class="document-filters">
        <FindDocument label={t.find} onDocument={(id) => setSearch({ document_id: id, offset: undefined })} />
        <div class="filters">
          <PeriodFields />
        </div>
        {isFiltered && <Chips />}
      </search>
      <List
        title={t.title}
        from={payments}
        none={t.none}
        nothing={isFiltered && t.nothing}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t.document,
            cell: ({ document_id, document_number }) => <DocumentLink id={document_id} number={document_number} />,
          },
          { title: t.date, cell: ({ payment_date }) => <Day of={payment_date} /> },
          { title: t.means, cell: ({ method_code }) => meansName(method_code) },
          {
            title: t.recorded,
            cell: ({ recorded_at, recorded_by }) => (
              <span>
                {nameOf(recorded_by)}
                {recorded_at && <small>{moment(recorded_at)}</small>}
              </span>
            ),
          },
          { title: t.amount, kind: "number", cell: ({ amount }) => money(amount) },
          {
            title: t.actions,
            kind: "actions",
            cell: (payment) =>
              can("payments:void") && (
                <Button
                  label={t.void}
                  of={t.void_named({ amount: money(payment.amount), number: payment.document_number ?? "" })}
                  onClick={() => openDialog(<VoidPayment payment={payment} onDone={voided} />)}
                />
              ),
          },
        ]}
      >
        <p>{t.none_hint}</p>
        <a href={href("/documents?payment_status=unpaid")}>{t.to_unpaid}</a>
      </List>
    </Page>
  );
}

/** The document whose payments are listed, with a button that removes it; and one that removes all filters. */
function Chips() {
  const document = useResource((signal) => {
    const id = search.value.get("document_id");
    return id ? lacre.documents.get({ id }, { signal }) : Promise.resolve(undefined);
  });
  return (
    <div class="chips">
      {search.value.get("document_id") && (
        <Chip
          shown={t.of({ number: document.state.value.value?.number ?? "…" })}
          onRemove={() => setSearch({ document_id: undefined, offset: undefined })}
        />
      )}
      <ClearFilters names={FILTERS} />
    </div>
  );
}

const columnsOfFile = (nameOf: (code: string | null) => string | null): readonly ExportColumn<Payment>[] => [
  [t.document, ({ document_number }) => document_number],
  [t.date, ({ payment_date }) => day(payment_date)],
  [t.means, ({ method_code }) => meansName(method_code)],
  [t.amount, ({ amount }) => amount],
  [t.recorded, ({ recorded_by }) => nameOf(recorded_by)],
  [t.recorded_at, ({ recorded_at }) => recorded_at && moment(recorded_at)],
];
