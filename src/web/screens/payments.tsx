/** Payments: what was received, for which document, and by whom it was recorded. */
import { useActorNames } from "../actor-names.ts";
import { lacre } from "../api.ts";
import { day, moment, money } from "../decimals.ts";
import { openDialog } from "../dialog.tsx";
import { Chip, FindDocument } from "../find-document.tsx";
import { List, useList } from "../list.tsx";
import { meansName } from "../means.ts";
import { announce } from "../notice.tsx";
import { Page } from "../page.tsx";
import { VoidPayment } from "../payment-dialogs.tsx";
import { useResource } from "../resource.tsx";
import { href, search, setSearch } from "../router.ts";
import { can } from "../session.ts";
import { RowButton } from "../table.tsx";
import { texts } from "../texts.ts";

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
  nothing: ["Este documento não tem pagamentos.", "This document has no payments."],
});

export function Screen() {
  const nameOf = useActorNames();
  const document_id = search.value.get("document_id") ?? undefined;
  const payments = useList((page, signal) => {
    const document_id = search.value.get("document_id") ?? undefined;
    return lacre.payments.list({ document_id, ...page }, { signal });
  });
  const voided = () => {
    announce(t.voided);
    payments.reload();
  };
  return (
    <Page title={t.title}>
      <search class="document-filters">
        <FindDocument label={t.find} onDocument={(id) => setSearch({ document_id: id, offset: undefined })} />
        {document_id && <OfDocument />}
      </search>
      <List
        title={t.title}
        from={payments}
        none={t.none}
        nothing={document_id && t.nothing}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t.document,
            cell: ({ document_id, document_number }) => (
              <a href={href(`/documents/${document_id}`)}>{document_number}</a>
            ),
          },
          { title: t.date, cell: ({ payment_date }) => <span class="whole">{day(payment_date)}</span> },
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
              can("payments:write") && (
                <RowButton
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

/** The document whose payments are listed. */
function OfDocument() {
  const document = useResource((signal) => {
    const id = search.value.get("document_id");
    return id ? lacre.documents.get({ id }, { signal }) : Promise.resolve(undefined);
  });
  return (
    <div class="chips">
      <Chip
        shown={t.of({ number: document.state.value.value?.number ?? "…" })}
        onRemove={() => setSearch({ document_id: undefined, offset: undefined })}
      />
    </div>
  );
}
