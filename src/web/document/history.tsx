/** What happened to a document, its payments, refunds, e-mails and links: when, and by whom. */
import { useSignal } from "@preact/signals";
import type { DocumentSummary, Event } from "../../core/face.ts";
import { actorName } from "../reading/actor-names.ts";
import { lacre } from "../reading/api.ts";
import { Loaded, useResource } from "../reading/resource.tsx";
import { Pager } from "../reading/table.tsx";
import { moment, money } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["Histórico", "History"],
  drafted: ["Rascunho criado", "Draft made"],
  changed: ["Rascunho alterado", "Draft changed"],
  discarded: ["Rascunho apagado", "Draft deleted"],
  issued: ["Emitido", "Issued"],
  cancelled: ["Anulado: {reason}", "Cancelled: {reason}"],
  printed: ["Original impresso", "Original printed"],
  transport_registered: ["Código da AT registado: {code}", "AT's code recorded: {code}"],
  payment_recorded: ["Pagamento registado: {amount}", "Payment recorded: {amount}"],
  payment_voided: ["Pagamento anulado{amount}", "Payment voided{amount}"],
  refund_recorded: ["Devolução registada: {amount}", "Refund recorded: {amount}"],
  refund_voided: ["Devolução anulada{amount}", "Refund voided{amount}"],
  email: ["E-mail", "E-mail"],
  reminder: ["Lembrete de pagamento", "Payment reminder"],
  queued: ["{what} à espera de ser enviado", "{what} waiting to be sent"],
  sent: ["{what} enviado", "{what} sent"],
  failed: ["{what} não enviado", "{what} not sent"],
  unknown: ["{what}: não se sabe se chegou", "{what}: nobody knows whether it arrived"],
  withdrawn: ["{what} retirado: já não se justificava", "{what} withdrawn: it was no longer right"],
  link_created: ["Ligação criada", "Link made"],
  link_revoked: ["Ligação anulada", "Link revoked"],
});

const LIMIT = 50;

/** An event in words. The amount of a voided payment or refund is in the event that recorded it. */
function words({ action, detail, resource_id }: Event, all: readonly Event[]): string {
  const told = (name: string) => String(detail?.[name] ?? "");
  const amountBefore = (recorder: string) => {
    const recorded = all.find((one) => one.action === recorder && one.resource_id === resource_id);
    return recorded ? `: ${money(Number(recorded.detail?.amount))}` : "";
  };
  const what = detail?.reminder ? t.reminder : t.email;
  switch (action) {
    case "document.drafted":
      return t.drafted;
    case "document.changed":
      return t.changed;
    case "document.discarded":
      return t.discarded;
    case "document.issued":
      return t.issued;
    case "document.cancelled":
      return t.cancelled({ reason: told("reason") });
    case "document.printed":
      return t.printed;
    case "document.transport_registered":
      return t.transport_registered({ code: told("at_doc_code") });
    case "payment.recorded":
      return t.payment_recorded({ amount: money(Number(detail?.amount)) });
    case "payment.voided":
      return t.payment_voided({ amount: amountBefore("payment.recorded") });
    case "refund.recorded":
      return t.refund_recorded({ amount: money(Number(detail?.amount)) });
    case "refund.voided":
      return t.refund_voided({ amount: amountBefore("refund.recorded") });
    case "email.queued":
      return t.queued({ what });
    case "email.sent":
      return t.sent({ what });
    case "email.failed":
      return t.failed({ what });
    case "email.unknown":
      return t.unknown({ what });
    case "email.withdrawn":
      return t.withdrawn({ what });
    case "link.created":
      return t.link_created;
    case "link.revoked":
      return t.link_revoked;
    default:
      return action;
  }
}

export function History({ document: { id } }: { readonly document: Pick<DocumentSummary, "id"> }) {
  const offset = useSignal(0);
  const events = useResource((signal) =>
    lacre.events.list({ resource_id: id, limit: LIMIT, offset: offset.value }, { signal }),
  );
  return (
    <>
      <h2>{t.title}</h2>
      <Loaded from={events}>
        {({ data, pagination }) => (
          <>
            <ol class="entries">
              {data.map((event) => (
                <li key={event.position}>
                  <div>
                    {words(event, data)}
                    <small>
                      {moment(event.at)} · {actorName(event.actor)}
                    </small>
                  </div>
                </li>
              ))}
            </ol>
            <Pager
              pagination={pagination}
              onMove={(next) => {
                offset.value = next;
              }}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
