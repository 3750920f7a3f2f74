/** The texts of this room's refusals. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  must_be_web_address: [
    "tem de ser o endereço de um servidor web, sem credenciais e sem #",
    "must be the address of a web server, without login and without #",
  ],
  must_be_https: ["tem de começar por https://", "must begin with https://"],
  must_be_public_address: [
    "tem de ser um endereço público: os webhooks não se enviam para redes privadas",
    "must be a public address: webhooks are not sent to private networks",
  ],
  no_such_delivery: [
    "Essa entrega não existe; as que terminaram guardam-se 30 dias.",
    "There is no such delivery; ended ones are kept for 30 days.",
  ],
  webhook_is_disabled: ["O webhook está desativado; ative-o primeiro.", "The webhook is disabled; enable it first."],
  earlier_delivery_waits: [
    "Primeiro tem de ser entregue um evento anterior do mesmo recurso.",
    "An earlier event of the same resource is to be delivered first.",
  ],
  no_such_webhook: ["Esse webhook não existe.", "There is no such webhook."],
  must_be_action: [
    "tem de ser *, document.*, document.issued ou outra ação dos eventos, ou um grupo delas",
    "must be *, document.*, document.issued or the like: an action of the events, or a kind of them",
  ],
  webhook_exists: [
    "Já há um webhook para este endereço; altere esse.",
    "There is already a webhook to this address; change that one.",
  ],
  too_many_webhooks: [
    "Uma empresa tem no máximo {max} webhooks; elimine um primeiro.",
    "A company has at most {max} webhooks; delete one first.",
  ],
});
