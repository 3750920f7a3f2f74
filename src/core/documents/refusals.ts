/** The texts of this room's refusals. */
import { orNone, texts } from "../texts/texts.ts";

export const t = texts({
  is_required_on_type: [
    "é obrigatório em {doc_type}: indique em document_id cada documento a que se refere",
    "is required on {doc_type}: name in document_id each document it is about",
  ],
  is_required_with_several: ["é obrigatório quando há várias referências", "is required with several references"],
  name_too_many_lines: [
    "os documentos têm mais de {max} {max|linha|linhas} no total: refira menos num só documento",
    "the documents have more than {max} lines in all: name fewer of them in one document",
  ],
  is_referenced_by: [
    "{number} refere este documento; anule primeiro esse.",
    "{number} references this document; cancel it first.",
  ],
  has_payments: ["O documento tem pagamentos; anule-os primeiro.", "The document has payments; void them first."],
  has_refunds: ["O documento tem devoluções; anule-as primeiro.", "The document has refunds; void them first."],
  receipt_has_payments: [
    "O recibo registou pagamentos: indique em payments se são anulados com ele (void) ou ficam (keep).",
    "The receipt recorded payments: say in payments whether they are voided with it (void) or stay (keep).",
  ],
  is_for_receipts_that_recorded: [
    "só se indica ao anular um recibo que registou pagamentos",
    "is only for cancelling a receipt that recorded payments",
  ],
  payments_exceed_total: [
    "Os pagamentos somam {paid_cents:euros}; o total do documento é {gross_cents:euros}.",
    "The payments sum to {paid_cents:euros}, the document's total is {gross_cents:euros}.",
  ],
  refunds_exceed_total: [
    "As devoluções somam {paid_cents:euros}; o total da nota de crédito é {gross_cents:euros}.",
    "The refunds sum to {paid_cents:euros}, the credit note's total is {gross_cents:euros}.",
  ],
  names_no_corrected_line: [
    "não é o número de uma linha do documento que corrige",
    "is not the number of a line of the document it corrects",
  ],
  names_line_of_other_product: ["é uma linha de outro artigo", "is a line of another product"],
  needs_corrected_line: [
    "é obrigatório: a linha não indica nenhum artigo de {number}; indique o número da linha que corrige, a partir de 1",
    "is required: the line names no product of {number}; give the number of the line it corrects there, from 1",
  ],
  room_for_credit: orNone(
    "room_cents",
    ["De {number} já não há nada a creditar.", "Nothing of {number} is left to credit."],
    ["De {number} só falta creditar {room_cents:euros}.", "Only {room_cents:euros} of {number} can still be credited."],
  ),
  room_for_receipt: orNone(
    "room_cents",
    ["De {number} já não há nada a liquidar.", "Nothing of {number} is left to acknowledge."],
    [
      "De {number} só falta liquidar {room_cents:euros}.",
      "Only {room_cents:euros} of {number} can still be acknowledged.",
    ],
  ),
  room_for_credit_at_rate: orNone(
    "room_cents",
    [
      "De {number} não há nada a creditar à taxa de {rate_bps:percent}; esta nota tem {credited_cents:euros} a essa taxa: {names:list}.",
      "Nothing of {number} at {rate_bps:percent} can be credited; this note has {credited_cents:euros} at that rate: {names:list}.",
    ],
    [
      "De {number} só falta creditar {room_cents:euros} à taxa de {rate_bps:percent}; esta nota tem {credited_cents:euros} a essa taxa: {names:list}.",
      "Only {room_cents:euros} of {number} at {rate_bps:percent} can still be credited; this note has {credited_cents:euros} at that rate: {names:list}.",
    ],
  ),
  room_for_quantity: orNone(
    "room_micros",
    [
      "De {name}, em {number}, já não há nada a creditar; esta nota tem {credited_micros:quantity}.",
      "Nothing of {name} on {number} is left to credit; this note has {credited_micros:quantity}.",
    ],
    [
      "De {name}, em {number}, só falta creditar {room_micros:quantity}; esta nota tem {credited_micros:quantity}.",
      "Only {room_micros:quantity} of {name} on {number} can still be credited; this note has {credited_micros:quantity}.",
    ],
  ),
  room_for_value: orNone(
    "room_cents",
    [
      "De {name}, em {number}, já não há nada a creditar; esta nota tem {credited_cents:euros} sem IVA.",
      "Nothing of {name} on {number} is left to credit; this note has {credited_cents:euros} without tax.",
    ],
    [
      "De {name}, em {number}, só falta creditar {room_cents:euros} sem IVA; esta nota tem {credited_cents:euros}.",
      "Only {room_cents:euros} without tax of {name} on {number} can still be credited; this note has {credited_cents:euros}.",
    ],
  ),
  must_be_corrected_rate: [
    "tem de ser a da linha que corrige, {rates:or}\u00a0%",
    "must be that of the line it corrects, {rates:or}%",
  ],
  is_under_cash_vat: [
    "refere um documento em IVA de caixa: continue numa série desse regime",
    "names a document under cash VAT: go on in a series of that scheme",
  ],
  is_not_under_cash_vat: [
    "refere um documento fora do IVA de caixa: continue numa série fora desse regime",
    "names a document that is not under cash VAT: go on in a series outside that scheme",
  ],
  is_credited_under_cash_vat: [
    "refere uma nota de crédito: em IVA de caixa, o crédito já está descontado no documento; refira só este",
    "names a credit note: under cash VAT the credit is already taken off its document, so name only the document",
  ],
  company_left_cash_vat: [
    "é do regime de IVA de caixa, que a empresa deixou: já só leva recibos e correções",
    "is of the cash-VAT scheme, which the company has left: receipts and corrections alone go on",
  ],
  must_be_taxable_person: [
    "tem de ter um número de contribuinte que não o da própria empresa: o IVA de caixa é para vendas a sujeitos passivos (DL 71/2013, artigo 1.º, n.º 2)",
    "must have a tax number that is not the company's own: cash VAT is for sales to taxable persons (DL 71/2013, 1/2)",
  ],
  is_outside_cash_vat: [
    "refere uma operação que o IVA de caixa não abrange ({code}): emita-a numa série fora desse regime",
    "names an operation that cash VAT leaves out ({code}): issue it in a series outside that scheme",
  ],
  must_be_date_of_receipt: [
    "tem de ser a data do recibo, {date:day}: em IVA de caixa são do mesmo dia (DL 71/2013, artigo 6.º, n.º 4)",
    "must be the date of the receipt, {date:day}: under cash VAT both are of one day (DL 71/2013, 6/4)",
  ],
  must_be_split_as_invoiced: [
    "tem de indicar, de {number}, o que cabe a cada taxa: {shares:list}",
    "must state of {number} what falls to each rate: {shares:list}",
  ],
  share: ["{cents:euros} a {rate_bps:percent}", "{cents:euros} at {rate_bps:percent}"],
  must_be_document_number: [
    "tem de ser o número de um documento: FT 2026A/17, ou 17 em qualquer série",
    "must be the number of a document: FT 2026A/17, or 17 in any series",
  ],
  must_have_a_line: ["tem de ter pelo menos uma linha", "must have at least one line"],
  is_unknown: ["é desconhecido", "is unknown"],
  names_several_products: [
    "é o de vários artigos: indique antes product_id",
    "is that of several products: send product_id instead",
  ],
  names_other_series_type: [
    "é uma série de {series_type}, não de {doc_type}",
    "is a series for {series_type}, not {doc_type}",
  ],
  names_no_own_reference: ["não é uma das referências do documento", "is not one of the document's references"],
  must_be_sent_alone: ["tem de ser enviado sozinho", "must be sent alone"],
  takes_no_payment_at_issue: [
    "um documento do tipo {doc_type} não é pago na emissão",
    "a document of type {doc_type} is not paid at issue",
  ],
  is_before_issue: ["não pode ser anterior a issue_date", "must not be before issue_date"],
  takes_no_valid_until: [
    "um documento do tipo {doc_type} não tem prazo de validade",
    "a document of type {doc_type} has no last day on which it holds",
  ],
  takes_no_supply_date: [
    "um documento do tipo {doc_type} não tem data da operação",
    "a document of type {doc_type} has no date of supply",
  ],
  must_be_products_type: ["tem de ser {type}, o tipo do artigo", "must be {type}, the product's type"],
  takes_no_discount_amount: [
    "um documento do tipo {doc_type} não leva descontos em valor",
    "a document of type {doc_type} takes no discount of an amount",
  ],
  discount_exceeds_line: [
    "não pode passar do valor da linha, {max_cents:euros}",
    "must be at most what the line comes to, {max_cents:euros}",
  ],
  discount_exceeds_lines: [
    "não pode passar do valor das linhas, {max_cents:euros}",
    "must be at most what the lines come to, {max_cents:euros}",
  ],
  needs_lines_priced_alike: [
    "pede que todas as linhas tenham o preço sem IVA, ou todas com IVA",
    "needs lines that are all priced net, or all with VAT",
  ],
  total_is_too_large: ["o total não pode passar de {max_cents:euros}", "the total must be at most {max_cents:euros}"],
  is_not_as_shown: [
    "O rascunho já não é o que foi mostrado: veja-o de novo antes de o emitir.",
    "The draft is no longer what was shown: look at it again before you issue it.",
  ],
  draft_is_referenced: [
    "Outro rascunho refere este; altere ou elimine primeiro esse.",
    "Another draft references this one; change or discard that one first.",
  ],
  is_received_already: ["não refere nada que falte receber", "names nothing that is left to be received"],
  is_before_series: [
    "a série {code} foi comunicada em {began:day}: nenhum documento tem data anterior (Decreto-Lei 28/2019, 35.º)",
    "the series {code} was registered on {began:day}: no document is dated before (Decreto-Lei 28/2019, 35)",
  ],
  is_before_what_it_pays: [
    "é anterior a {date:day}, o dia do que se paga: um adiantamento tem fatura própria",
    "is before {date:day}, the day of what it pays: money received in advance has an invoice of its own",
  ],
  is_out_of_time: [
    "é anterior em mais de quatro anos a {issue_date:day}: já não se liquida imposto sobre o que então se prestou (LGT, artigo 45.º)",
    "is more than four years before {issue_date:day}: no tax is assessed any more on what was supplied then (LGT, article 45)",
  ],
  must_come_to_total: [
    "têm de perfazer o total da {doc_type}, {gross_cents:euros}: somam {paid_cents:euros}",
    "must come to the total of the {doc_type}, {gross_cents:euros}: they come to {paid_cents:euros}",
  ],
  come_to_nothing: [
    "as linhas têm preço e somam 0,00: indique quantidades ou preços maiores",
    "the lines have prices and come to 0.00: give larger quantities or prices",
  ],
  reads_like_withholding: [
    "não pode começar como uma retenção, que não é uma linha: indica-se depois do total (Despacho 8632/2014, 2.2.7)",
    "must not begin like a withholding, which is no line: it is stated below the total (Despacho 8632/2014, 2.2.7)",
  ],
  total_exceeds_type: [
    "um documento do tipo {doc_type} vai até {max_cents:euros}; este é de {gross_cents:euros}",
    "a document of type {doc_type} is at most {max_cents:euros}, this one is {gross_cents:euros}",
  ],
  signing_failed: ["Não foi possível assinar o documento.", "The document could not be signed."],
  customer_is_archived: ["O cliente está arquivado.", "The customer is archived."],
  company_lacks_address: [
    "Falta à empresa {fields:and}, que os documentos têm de mostrar (CIVA, artigo 36.º, n.º 5). Complete os dados da empresa.",
    "The company has no {fields:and}: its documents show them (CIVA, article 36/5). Set them.",
  ],
  customer_lacks_address: [
    "Falta ao cliente {fields:and}, que um documento do tipo {doc_type} acima de {above_cents:euros} tem de mostrar (CIVA, artigo 36.º, n.º 5). Fature a um cliente de nome Consumidor final, ou complete a ficha deste.",
    "The customer has no {fields:and}: a document of type {doc_type} above {above_cents:euros} shows them (CIVA, article 36/5). Invoice a customer named Consumidor final, or set them.",
  ],
  field: {
    address: ["a morada", "address"],
    postal_code: ["o código postal", "postal_code"],
    city: ["a localidade", "city"],
  },
  ends_before_it_begins: ["não pode ser anterior ao primeiro dia", "must not be before the first day"],
  has_too_many_rows: [
    "o extrato teria mais de {max} linhas: escolha um período mais curto",
    "the statement would have more than {max} rows: choose a shorter period",
  ],
  no_such_payment: ["Esse pagamento não existe.", "There is no such payment."],
  takes_no_credit: [
    "Um documento do tipo {doc_type} não se corrige com uma nota de crédito.",
    "A document of type {doc_type} is not credited.",
  ],
  takes_no_payments: [
    "Um documento do tipo {doc_type} não recebe pagamentos.",
    "A document of type {doc_type} takes no payments.",
  ],
  training_takes_no_payments: [
    "Um documento de formação não recebe pagamentos.",
    "A training document takes no payments.",
  ],
  is_voided_with_receipt: [
    "O pagamento foi registado pelo recibo {number}: anule o recibo, e com ele o pagamento.",
    "The payment was recorded by the receipt {number}: cancel the receipt, and the payment with it.",
  ],
  takes_no_refunds: [
    "Num documento do tipo {doc_type} não se devolve dinheiro.",
    "A document of type {doc_type} takes no refunds.",
  ],
  training_takes_no_refunds: [
    "Num documento de formação não se devolve dinheiro.",
    "A training document takes no refunds.",
  ],
  credits_no_document: [
    "A nota de crédito não refere nenhum documento de que se possa devolver dinheiro.",
    "The credit note references no document whose money could be given back.",
  ],
  credits_several_documents: [
    "A nota de crédito refere vários documentos: registe a devolução em cada um deles.",
    "The credit note references several documents: record the refund on those.",
  ],
  room_for_refund: orNone(
    "room_cents",
    ["Não há nada a devolver.", "There is nothing to give back."],
    ["Só há {room_cents:euros} a devolver.", "Only {room_cents:euros} can be given back."],
  ),
  room_for_payments: [
    "Os pagamentos não cabem no que falta pagar, que é {rooms:list}.",
    "The payments exceed what can still be paid, which is {rooms:list}.",
  ],
  room_of: ["{cents:euros} de {number}", "{cents:euros} of {number}"],
  is_required_to_record: [
    "é obrigatório quando o recibo regista pagamentos: indique os documentos que são pagos",
    "is required when the receipt records payments: name the documents that are paid",
  ],
  comes_to_a_refund: [
    "dá um valor a devolver, que não se regista como pagamento",
    "comes to money to give back, which is not recorded as a payment",
  ],
  must_come_to_receipt: [
    "têm de perfazer o total do recibo que os regista, {gross_cents:euros}: somam {paid_cents:euros}",
    "must come to the total of the receipt that records them, {gross_cents:euros}: they come to {paid_cents:euros}",
  ],
  takes_no_refund_at_issue: [
    "só uma nota de crédito é emitida com uma devolução",
    "a refund is sent with a credit note alone",
  ],
  only_receipts_record: ["só se indica num recibo", "is for receipts alone"],
  room_for_payment: orNone(
    "room_cents",
    ["Já não há nada a pagar.", "Nothing is left to pay."],
    ["Só falta pagar {room_cents:euros}.", "Only {room_cents:euros} can still be paid."],
  ),
  is_for_cash: [
    "só se indica num documento que foi pago em numerário ao ser emitido",
    "is for a document that was paid in cash as it was issued",
  ],
  names_no_document_of_company: ["não é um documento desta empresa", "is no document of this company"],
  references_nothing: [
    "um documento do tipo {doc_type} não tem referências",
    "a document of type {doc_type} has no references",
  ],
  may_not_reference: [
    "é do tipo {referenced}; {doc_type} só pode referir {allowed:list}",
    "is of type {referenced}; {doc_type} may reference {allowed:list}",
  ],
  is_dated_later: ["tem data posterior à deste documento", "is dated later than this document"],
  is_of_other_customer: ["é de outro cliente", "is of another customer"],
  amounts_differ_from_total: [
    "os valores somam {amounts_cents:euros}; o total do documento é {gross_cents:euros}",
    "amounts sum to {amounts_cents:euros}, the document's total is {gross_cents:euros}",
  ],
  must_be_what_lines_come_to: [
    "tem de ser a soma das suas linhas, {gross_cents:euros}",
    "must be the sum of its lines, {gross_cents:euros}",
  ],
  credits_have_too_many_lines: [
    "As notas de crédito destes documentos têm mais de {max} {max|linha|linhas} no total, demasiadas para comparar: refira menos documentos de cada vez.",
    "The credit notes on these documents have more than {max} lines in all, too many to compare: name fewer documents at once.",
  ],
  is_training_document: ["é um documento de formação e este não", "is a training document, this one is not"],
  is_real_document: ["é um documento real e este é de formação", "is a real document, this one is not"],
  reference_must_be_issued: [
    "Um documento referido tem de estar emitido; {number} {state}.",
    "A referenced document must be issued; {number} {state}.",
  ],
  this_one: ["este", "this one"],
  state: {
    draft: ["é um rascunho", "is a draft"],
    issued: ["está emitido", "is issued"],
    cancelled: ["está anulado", "is cancelled"],
  },
  no_such_link: ["Essa ligação não existe.", "There is no such link."],
  link_already_revoked: ["A ligação já foi anulada.", "The link is already revoked."],
  link_opens_nothing: [
    "Esta ligação não abre nenhum documento: passou do prazo, foi anulada ou está incompleta. Peça outra a quem lha enviou.",
    "This link opens no document: it has expired, was revoked or is incomplete. Ask whoever sent it for another one.",
  ],
  no_public_url: [
    "Não se sabe em que endereço os outros chegam ao Lacre, e uma ligação começa por ele; quem opera o Lacre tem de o indicar.",
    "Nobody has named the address at which others reach Lacre, with which a link begins; whoever operates Lacre has to.",
  ],
  no_such_document: ["Esse documento não existe.", "There is no such document."],
  status_forbids: ["{what} não pode ser {done}.", "{what} cannot be {done}."],
  subject: {
    draft: ["Um rascunho", "A draft"],
    issued: ["Um documento emitido", "An issued document"],
    cancelled: ["Um documento anulado", "A cancelled document"],
  },
  done: {
    change: ["alterado", "changed"],
    discard: ["eliminado", "discarded"],
    issue: ["emitido", "issued"],
    cancel: ["anulado", "cancelled"],
    pay: ["pago", "paid"],
    credit: ["creditado", "credited"],
    refund: ["reembolsado", "refunded"],
    print: ["impresso", "printed"],
    send: ["enviado", "sent"],
  },
  is_sent_once_issued: [
    "só se envia um documento emitido: envie também issue: true",
    "only an issued document is sent: send issue: true, too",
  ],
  takes_no_exemption: ["não pode ser indicado a {rate_bps:percent}", "must not be set at {rate_bps:percent}"],
  exemption_not_in_force: ["{code} não está em vigor em {date:day}", "{code} is not in force on {date:day}"],
  needs_exemption: [
    "é obrigatório a 0\u00a0%; o artigo e a empresa também podem ter um",
    "is required at 0%; the product and the company can have one too",
  ],
  exemption_demands: {
    number_of_other_state: [
      "{code} não serve a este cliente, que precisa do número de IVA de outro Estado da UE e do código ISO desse Estado como país",
      "{code} needs a customer with the tax number of another EU state, and that state's ISO code as country",
    ],
    foreign_number: [
      "{code} não serve a este cliente, que precisa do número de contribuinte de outro país e do código ISO desse país",
      "{code} needs a customer with a tax number of another country, and its ISO code as country",
    ],
    portuguese_number: [
      "{code} não serve a este cliente, que precisa de um NIF português",
      "{code} needs a customer with a Portuguese tax number (NIF)",
    ],
    outside_union: [
      "{code} não serve a este cliente, que precisa do código ISO de um país fora da UE",
      "{code} needs a customer with the ISO code of a country outside the EU",
    ],
  },
  must_be_lawful_rate: [
    "tem de ser {rates:or}\u00a0% ({region}, {date:day})",
    "must be {rates:or}% ({region}, {date:day})",
  ],
  takes_no_transport: [
    "um documento do tipo {doc_type} não tem transporte",
    "a document of type {doc_type} has no transport",
  ],
  arrives_before_leaving: ["não pode ser anterior à saída da mercadoria", "must not be before the goods leave"],
  leaves_before_issue: ["não pode ser anterior à emissão do documento", "must not be before the document is issued"],
  needs_place: [
    "precisa de uma morada ou de uma localidade: não estão indicadas, nem na ficha de quem as devia dar",
    "needs an address or a city: neither it nor the party it would be taken from has one",
  ],
  takes_no_transport_code: [
    "Um documento do tipo {doc_type} não tem código de transporte.",
    "A document of type {doc_type} has no transport code.",
  ],
  carries_no_transport: [
    "O documento foi emitido sem transporte, por isso não tem código de transporte.",
    "The document was issued without a transport, and so has no transport code.",
  ],
  transport_code_needs_issue: [
    "Só um documento emitido recebe o código de transporte.",
    "Only an issued document takes a transport code.",
  ],
  has_transport_code: [
    "O documento já tem o código de transporte {at_doc_code}.",
    "The document already has the transport code {at_doc_code}.",
  ],
  transport_has_begun: [
    "O transporte começou em {start_at:instant}; com código de transporte, o documento já não pode ser anulado.",
    "The transport began at {start_at:instant}; with a transport code, the document can no longer be cancelled.",
  ],
});
