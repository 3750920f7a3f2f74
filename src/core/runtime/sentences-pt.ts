/**
 * The sentences of refusals in Portuguese. Numbers and dates are as on the printed page: `85,65 €`, `23 %`,
 * `22-11-2026`. The names of fields in `lines[2].qty` stay as they are: they are those of the API.
 */
import { civilDate, type Day, type Instant } from "../fiscal/civil-time.ts";
import type { Status, Verb } from "../fiscal/lifecycle.ts";
import type { Demand } from "../fiscal/tax-id.ts";
import { amount, date, number, percentage, quantity } from "../texts/format.ts";
import type { AddressField, Sentences, ValueType } from "./sentences.ts";

export const PORTUGUESE: Sentences = {
  // ——— The default sentence of each code ———
  invalid_request: "O pedido não é válido.",
  unauthorized: "A chave da API falta, não é válida ou foi revogada.",
  forbidden: "A chave da API não tem a permissão necessária.",
  password_required: "Para isto, escreva de novo a sua palavra-passe.",
  not_found: "Aqui não há nada.",
  invalid_state: "O estado atual não permite esta operação.",
  series_closed: "A série está fechada.",
  series_not_registered: "A série não tem código de validação.",
  date_out_of_order: "A série já tem um documento com data posterior.",
  document_settled: "Há pagamentos ou outros documentos que dependem deste documento.",
  payment_exceeds_balance: "O pagamento é superior ao valor em dívida.",
  credit_exceeds_original: "O crédito é superior ao que corrige.",
  receipt_exceeds_documents: "O recibo é superior aos documentos que liquida.",
  conflict: "Já existe um registo com a mesma identificação.",
  precondition_failed: "Já não está como foi lido, alguém o alterou entretanto: leia de novo.",
  idempotency_in_progress: "Um pedido com esta Idempotency-Key ainda está a ser processado.",
  idempotency_key_reused: "Esta Idempotency-Key já foi usada noutro pedido.",
  rate_limited: "Demasiados pedidos com esta chave da API.",
  unavailable: "De momento, o Lacre não consegue fazer isto.",
  internal_error: "Ocorreu um erro do nosso lado.",
  method_not_allowed: "Este caminho não aceita esse método.",
  request_timeout: "O pedido não chegou a tempo.",
  payload_too_large: "O corpo do pedido é demasiado grande.",
  unsupported_media_type: "O corpo do pedido tem de ser application/json em UTF-8, sem Content-Encoding.",

  // ——— A field of any kind ———
  is_required: "é obrigatório",
  is_unknown_field: "não é um campo conhecido",
  is_repeated: "está repetido",
  excludes_field: ({ field }) => `não pode ser enviado em conjunto com ${field}`,
  needs_field: ({ field }) => `só é aceite em conjunto com ${field}`,
  is_not_valid: "não é válido",
  and_more: ({ count }) => `e mais ${number(count, "pt")}`,
  must_be_of_type: ({ type }) => `tem de ser ${TYPES[type]}`,
  must_be_one_of: ({ values }) => `tem de ser ${values.length > 1 ? "um destes: " : ""}${values.join(", ")}`,
  must_not_be_empty: "não pode estar vazio",
  has_too_many_items: ({ max }) => `não pode ter mais de ${plural(max, "elemento", "elementos")}`,
  has_too_many_names: ({ max }) => `não pode ter mais de ${plural(max, "nome", "nomes")}`,

  // ——— Text ———
  has_too_many_characters: ({ max }) => `não pode ter mais de ${plural(max, "carácter", "caracteres")}`,
  must_have_something_to_see: "tem de ter algo visível: estes caracteres não deixam marca",
  reads_like_certificate_line:
    "não pode ser lido como a menção do certificado (… por programa certificado n.º 1234/AT), que só o Lacre imprime",
  has_too_many_lines: ({ max }) => `não pode ter mais de ${plural(max, "linha", "linhas")}`,
  has_stacked_marks: "não pode ter mais de 30 sinais sobre uma letra",
  has_lone_surrogates: "não pode conter metades soltas de um par UTF-16",
  has_control_characters: "não pode conter caracteres de controlo",
  has_bidi_overrides: "não pode conter caracteres que trocam o sentido da escrita",
  must_be_uuid: "tem de ser um UUID",
  must_be_email: "tem de ser um endereço de e-mail",
  must_be_nif: "não é um NIF português válido",
  is_tax_id: "é um número de contribuinte e não um nome: indique-o em tax_id",
  must_be_country: "tem de ser um código de país ISO 3166 de duas letras, como PT",
  must_be_time_zone: "não é um fuso horário conhecido",
  must_be_exemption_code: "não é um código de isenção",
  must_be_if_match: 'tem de ser * ou ETags tal como foram respondidas, como "AbC", separadas por vírgulas',
  must_be_idempotency_key: "tem de ter de 1 a 255 caracteres ASCII visíveis",
  must_be_metadata_name: "não é um nome de 1 a 40 letras sem acentos, algarismos e _ . -",
  must_be_series_code:
    "tem de ter de 1 a 20 letras e algarismos, com . _ - isolados pelo meio, e não pode começar por AT",
  must_be_validation_code: "tem de ser o código da AT: 8 ou mais caracteres 0-9 A-Z",

  // ——— Numbers ———
  must_be_at_least: ({ min }) => `não pode ser menor do que ${number(min, "pt")}`,
  must_be_more_than: ({ above }) => `tem de ser maior do que ${number(above, "pt")}`,
  must_be_at_most: ({ max }) => `não pode ser maior do que ${number(max, "pt")}`,
  must_be_whole_number: ({ min, max }) => `tem de ser um número inteiro de ${number(min, "pt")} a ${number(max, "pt")}`,
  has_too_many_digits: ({ max, decimals }) =>
    `não pode ter mais de ${plural(max, "algarismo significativo", "algarismos significativos")}: arredonde o que foi calculado, no máximo a ${plural(decimals, "casa decimal", "casas decimais")}`,
  has_too_many_decimals: ({ max }) => `não pode ter mais de ${plural(max, "casa decimal", "casas decimais")}`,

  // ——— Dates ———
  must_be_date: "tem de ser uma data, AAAA-MM-DD",
  must_be_month: "tem de ser um mês, AAAA-MM",
  must_be_document_number: "tem de ser o número de um documento: FT 2026A/17",
  must_be_instant: "tem de ser data e hora com fuso: 2026-11-21T10:30:00Z",
  must_be_on_or_after: ({ date }) => `não pode ser anterior a ${day(date)}`,
  must_be_in_year: ({ year }) => `tem de ser de ${year}: um ficheiro abrange um só ano`,

  // ——— Files and keys ———
  must_be_bytes_of_picture: "tem de ser os bytes de uma imagem, ou Base64",
  must_be_printable_picture: "tem de ser um PNG (até um milhão de píxeis) ou um JPEG intacto, com 512 KB no máximo",
  must_be_public_key: "não é uma chave pública em PEM",
  must_be_private_key: "tem de ser uma chave privada em PEM (PKCS#1 ou PKCS#8), sem palavra-passe",
  must_be_rsa_key: ({ bits }) => `tem de ser RSA de ${bits} bits`,
  is_damaged_key: "está danificada: as assinaturas que faz não conferem",
  file_is_not_saft: ({ root }) =>
    `Este ficheiro não é um SAF-T (PT): a raiz é ${root}, e não AuditFile de ` +
    "urn:OECD:StandardAuditFile-Tax:PT_1.04_01.",
  file_is_other_saft: ({ version }) => `Este ficheiro é SAF-T ${version}; só é aceite PT_1.04_01.`,
  file_has_too_many_records: ({ records, characters }) =>
    `Este ficheiro tem mais de ${plural(records, "cliente ou produto", "clientes e produtos")}, ou mais de ` +
    `${plural(characters, "carácter", "caracteres")} neles: importe-o no servidor, com lacre import-saft.`,
  file_not_readable: ({ reason }) => `O ficheiro não se consegue ler: «${reason}»`,

  // ——— Unknown ids ———
  no_such_invitation: "Esse convite não existe ou já não está em aberto.",
  no_such_session: "Essa sessão não existe.",
  no_such_user: "Esse utilizador não existe.",
  no_such_api_key: "Essa chave da API não existe.",
  no_such_company: "Essa empresa não existe.",
  no_such_customer: "Esse cliente não existe.",
  no_such_document: "Esse documento não existe.",
  no_such_payment: "Esse pagamento não existe.",
  no_such_product: "Esse artigo não existe.",
  no_such_series: "Essa série não existe.",
  no_current_series: ({ doc_type, year, codes }) =>
    `Nenhuma série aceita ${doc_type} de ${year}; ` +
    `${codes.length > 0 ? `estão ativas ${codes.join(", ")}` : "não há nenhuma ativa"}. Abra uma (lacre series open).`,

  // ——— Fields fixed by issued documents ———
  company_tax_id_is_fixed: ({ tax_id }) =>
    `O NIF ${tax_id} já tem documentos emitidos e não muda. Outro contribuinte é outra empresa.`,
  customer_tax_id_is_fixed:
    "O cliente tem documentos: o NIF já não muda (Despacho 8632/2014, 3.3.3). Crie outro cliente.",
  customer_name_is_fixed:
    "O cliente tem documentos e não tem NIF: enquanto não o tiver, o nome não muda (Despacho 8632/2014, 3.3.4).",
  product_name_is_fixed: "O artigo tem documentos: o nome já não muda (Despacho 8632/2014, 3.3.5). Crie outro artigo.",

  // ——— Who may call ———
  lacks_scope: ({ scope }) => `A chave da API não tem a permissão ${scope}.`,
  host_program_only: "Só o programa anfitrião pode fazer isto.",
  takes_no_if_match: ({ operation_id }) => `${operation_id} não aceita If-Match.`,
  takes_no_idempotency_key: ({ operation_id }) => `${operation_id} não aceita Idempotency-Key.`,
  must_name_a_scope: "tem de indicar pelo menos uma permissão",
  key_already_revoked: "A chave da API já foi revogada.",

  // ——— Utilizadores ———
  no_session: "Inicie sessão: não há sessão, ou já terminou.",
  login_refused: "O utilizador ou a palavra-passe não estão certos, ou o utilizador está desativado.",
  password_is_wrong: "A palavra-passe não está certa.",
  password_too_short: ({ min }) => `tem de ter pelo menos ${min} caracteres`,
  password_is_theirs: "não pode ser o seu e-mail nem o seu nome",
  password_is_guessed: "adivinha-se à primeira: escolha outra, por exemplo quatro palavras sem relação entre si",
  too_many_tries: "Demasiadas palavras-passe erradas: espere antes de tentar de novo.",
  too_many_passwords: "Há demasiadas pessoas a iniciar sessão neste momento: tente de novo.",
  role_lacks_permission: ({ permission }) => `O seu perfil não permite isto (${permission}).`,
  link_is_spent: "Esta ligação já foi usada, foi retirada ou expirou. Peça outra.",
  must_be_invited_login: ({ login }) => `tem de ser ${login}, a quem a ligação se destina`,
  login_is_taken: ({ login }) => `O utilizador ${login} foi alterado neste momento: abra a ligação de novo.`,
  is_no_member: "Já não está nesta empresa.",
  user_is_member: "Este utilizador já está na empresa.",
  user_is_disabled: "O utilizador está desativado.",
  user_is_elsewhere:
    "O utilizador está ou esteve noutras empresas, que uma palavra-passe nova abriria: peça-a a quem gere o Lacre " +
    "(lacre user reset).",
  is_last_owner: "É o último proprietário de uma empresa: nomeie primeiro outro.",
  company_exists: ({ tax_id }) =>
    `Já existe uma empresa com o NIF ${tax_id}; uma segunda loja emite nessa empresa, em séries próprias.`,
  owns_most_companies: ({ max }) =>
    `Um proprietário cria aqui, no máximo, ${max} empresas; quem gere o servidor pode criar mais.`,
  only_owners_make_companies: "Só um proprietário de uma empresa pode criar outra.",
  which_company: "Está em várias empresas, ou em nenhuma: indique uma pelo seu id no cabeçalho Lacre-Company.",

  // ——— Drafts ———
  must_have_a_line: "tem de ter pelo menos uma linha",
  is_unknown: "é desconhecido",
  names_other_series_type: ({ series_type, doc_type }) => `é uma série de ${series_type}, não de ${doc_type}`,
  names_no_own_reference: "não é uma das referências do documento",
  must_be_sent_alone: "tem de ser enviado sozinho",
  takes_no_payment_at_issue: ({ doc_type }) => `um documento do tipo ${doc_type} não é pago na emissão`,
  is_due_before_issue: "não pode ser anterior a issue_date",
  takes_no_supply_date: ({ doc_type }) => `um documento do tipo ${doc_type} não tem data da operação`,
  must_be_products_type: ({ type }) => `tem de ser ${type}, o tipo do artigo`,
  total_is_too_large: ({ max_cents }) => `o total não pode passar de ${euros(max_cents)}`,
  draft_is_referenced: "Outro rascunho refere este; altere ou elimine primeiro esse.",
  status_forbids: ({ verb, status }) => `${SUBJECTS[status]} não pode ser ${PARTICIPLES[verb]}.`,

  // ——— Issuing ———
  is_after_today: ({ today }) => `é posterior a hoje, ${day(today)}`,
  is_before_series: ({ code, began }) =>
    `a série ${code} foi comunicada em ${day(began)}: nenhum documento tem data anterior (Decreto-Lei 28/2019, 35.º)`,
  is_before_what_it_pays: ({ date }) =>
    `é anterior a ${day(date)}, o dia do que se paga: um adiantamento tem fatura própria`,
  is_out_of_time: ({ issue_date }) =>
    `é mais de quatro anos anterior a ${day(issue_date)}: já não se liquida imposto sobre o que então se prestou ` +
    "(LGT, artigo 45.º)",
  must_come_to_total: ({ doc_type, paid_cents, gross_cents }) =>
    `têm de perfazer o total da ${doc_type}, ${euros(gross_cents)}: somam ${euros(paid_cents)}`,
  come_to_nothing: "as linhas têm preço e somam 0,00: indique quantidades ou preços maiores",
  reads_like_withholding:
    "não pode começar como uma retenção, que não é uma linha: indica-se depois do total (Despacho 8632/2014, 2.2.7)",
  is_required_on_type: ({ doc_type }) =>
    `é obrigatório em ${doc_type}: indique em document_id cada documento a que se refere`,
  total_exceeds_type: ({ doc_type, max_cents, gross_cents }) =>
    `um documento do tipo ${doc_type} vai até ${euros(max_cents)}; este é de ${euros(gross_cents)}`,
  company_lacks_address: ({ fields }) =>
    `Falta à empresa ${listed(fields)}, que os documentos têm de mostrar (CIVA, artigo 36.º, n.º 5). Indique com ` +
    `lacre company set ${fields.map((field) => FLAGS[field]).join(" ")}.`,
  customer_lacks_address: ({ fields, doc_type, above_cents }) =>
    `Falta ao cliente ${listed(fields)}, que um documento do tipo ${doc_type} acima de ${euros(above_cents)} tem de ` +
    "mostrar (CIVA, artigo 36.º, n.º 5). Complete a ficha do cliente (PATCH /v1/customers/{id}) ou fature a um " +
    "cliente " +
    "de nome Consumidor final.",
  customer_is_missing: "O cliente não existe.",
  customer_is_archived: "O cliente está arquivado.",
  payments_exceed_total: ({ paid_cents, gross_cents }) =>
    `Os pagamentos somam ${euros(paid_cents)}; o total do documento é ${euros(gross_cents)}.`,
  clock_is_behind: ({ latest }) =>
    `O relógio está atrasado em relação ao último documento (${instant(latest)}): até lá, nada se emite. Acerte o ` +
    "relógio; se estiver certo, confirme-o (lacre clock confirm).",
  clock_is_unconfirmed: ({ now, since }) =>
    `Segundo este relógio (${instant(now)}), há mais de 60 dias que não se emite nada (desde ${instant(since)}). Se ` +
    "estiver errado, acerte-o; se estiver certo, confirme-o na área da empresa ou com lacre clock confirm.",
  signing_failed: "Não foi possível assinar o documento.",

  // ——— Tax ———
  takes_no_exemption: ({ rate_bps }) => `não pode ser indicado a ${percentage(rate_bps, "pt")}`,
  exemption_not_in_force: ({ code, date }) => `${code} não está em vigor em ${day(date)}`,
  exemption_demands: ({ code, demand }) => `${code} não serve a este cliente, que precisa ${DEMANDED[demand]}`,
  needs_exemption: "é obrigatório a 0\u00a0%; o artigo e a empresa também podem ter um",
  must_be_lawful_rate: ({ rates_bps, region, date }) => `tem de ser ${either(rates_bps)} (${region}, ${day(date)})`,

  // ——— Printing ———
  is_for_cash: "só se indica num documento que foi pago em numerário ao ser emitido",

  // ——— Transport ———
  takes_no_transport: ({ doc_type }) => `um documento do tipo ${doc_type} não tem transporte`,
  arrives_before_leaving: "não pode ser anterior à saída da mercadoria",
  leaves_before_issue: "não pode ser anterior à emissão do documento",
  needs_place: "precisa de uma morada ou de uma localidade: nem as tem nem as tem quem as daria",
  takes_no_transport_code: ({ doc_type }) => `Um documento do tipo ${doc_type} não tem código de transporte.`,
  carries_no_transport: "O documento foi emitido sem transporte, por isso não tem código de transporte.",
  transport_code_needs_issue: "Só um documento emitido recebe o código de transporte.",
  has_transport_code: ({ at_doc_code }) => `O documento já tem o código de transporte ${at_doc_code}.`,
  transport_has_begun: ({ start_at }) =>
    `O transporte começou em ${instant(start_at)}; com código de transporte, o documento já não pode ser anulado.`,

  // ——— References ———
  names_no_document_of_company: "não é um documento desta empresa",
  references_nothing: ({ doc_type }) => `um documento do tipo ${doc_type} não tem referências`,
  may_not_reference: ({ doc_type, referenced, allowed }) =>
    `é do tipo ${referenced}; ${doc_type} só pode referir ${allowed.join(", ")}`,
  is_dated_later: "tem data posterior à deste documento",
  is_of_other_customer: "é de outro cliente",
  differs_in_training: ({ training }) =>
    training ? "é um documento de formação e este não" : "é um documento real e este é de formação",
  is_required_with_several: "é obrigatório quando há várias referências",
  names_no_corrected_line: "não é o número de uma linha do documento que corrige",
  names_line_of_other_product: "é uma linha de outro artigo",
  must_be_corrected_rate: ({ rates_bps }) => `tem de ser a da linha que corrige, ${either(rates_bps)}`,
  needs_corrected_line: ({ number }) =>
    `é obrigatório: a linha não indica nenhum artigo de ${number}; indique o número da linha que corrige, a ` +
    "partir de 1",
  name_too_many_lines: ({ max }) =>
    `os documentos têm mais de ${plural(max, "linha", "linhas")} no total: refira menos num só documento`,
  amounts_differ_from_total: ({ amounts_cents, gross_cents }) =>
    `os valores somam ${euros(amounts_cents)}; o total do documento é ${euros(gross_cents)}`,
  is_under_cash_vat: "refere um documento em IVA de caixa: continue numa série desse regime",
  is_not_under_cash_vat: "refere um documento fora do IVA de caixa: continue numa série fora desse regime",
  is_credited_under_cash_vat:
    "refere uma nota de crédito: em IVA de caixa, o crédito já está descontado no documento; refira só este",
  is_received_already: "não refere nada que falte receber",
  company_left_cash_vat: "é do regime de IVA de caixa, que a empresa deixou: já só leva recibos e correções",
  company_is_not_in_cash_vat: "é para empresas no regime de IVA de caixa",
  is_for_types: ({ doc_type, allowed }) => `é para ${allowed.join(", ")}, não para ${doc_type}`,
  must_be_taxable_person:
    "tem de ter um número de contribuinte que não o da própria empresa: o IVA de caixa é para vendas a sujeitos " +
    "passivos (DL 71/2013, artigo 1.º, n.º 2)",
  is_outside_cash_vat: ({ code }) =>
    `refere uma operação que o IVA de caixa não abrange (${code}): emita-a numa série fora desse regime`,
  must_be_date_of_receipt: ({ date }) =>
    `tem de ser a data do recibo, ${day(date)}: em IVA de caixa são do mesmo dia (DL 71/2013, artigo 6.º, n.º 4)`,
  must_be_split_as_invoiced: ({ number, shares }) =>
    `tem de indicar, de ${number}, o que cabe a cada taxa: ` +
    `${shares.map(({ rate_bps, cents }) => `${euros(cents)} a ${percentage(rate_bps, "pt")}`).join(", ")}`,
  must_be_what_lines_come_to: ({ gross_cents }) => `tem de ser a soma das suas linhas, ${euros(gross_cents)}`,
  reference_must_be_issued: ({ number, status }) =>
    `Um documento referido tem de estar emitido; ${number ?? "este"} ${STATES[status]}.`,

  // ——— Cancelling, credit and receipts ———
  is_referenced_by: ({ number }) => `${number} refere este documento; anule primeiro esse.`,
  has_payments: "O documento tem pagamentos; anule-os primeiro.",
  room_for_credit: ({ room_cents, number }) => `De ${number} só falta creditar ${euros(room_cents)}.`,
  room_for_receipt: ({ room_cents, number }) => `De ${number} só falta liquidar ${euros(room_cents)}.`,
  credits_have_too_many_lines: ({ max }) =>
    `As notas de crédito destes documentos têm mais de ${plural(max, "linha", "linhas")} no total, demasiadas para ` +
    "comparar: refira menos documentos de cada vez.",
  room_for_credit_at_rate: ({ room_cents, number, credited_cents, rate_bps, names }) =>
    `De ${number} só falta creditar ${euros(room_cents)} à taxa de ${percentage(rate_bps, "pt")}; esta nota tem ` +
    `${euros(credited_cents)} a essa taxa: ${names.join(", ")}.`,
  room_for_quantity: ({ number, name, room_micros, credited_micros }) =>
    `De ${name}, em ${number}, só falta creditar ${quantity(room_micros, "pt")}; esta nota tem ` +
    `${quantity(credited_micros, "pt")}.`,
  room_for_value: ({ number, name, room_cents, credited_cents }) =>
    `De ${name}, em ${number}, só falta creditar ${euros(room_cents)} sem IVA; esta nota tem ${euros(credited_cents)}.`,

  // ——— Payments ———
  takes_no_payments: ({ doc_type }) => `Um documento do tipo ${doc_type} não recebe pagamentos.`,
  training_takes_no_payments: "Um documento de formação não recebe pagamentos.",
  room_for_payment: ({ room_cents }) => `Só falta pagar ${euros(room_cents)}.`,

  // ——— Webhooks ———
  no_such_webhook: "Esse webhook não existe.",
  no_such_delivery: "Essa entrega não existe; as que terminaram guardam-se 30 dias.",
  must_be_action: "tem de ser *, document.*, document.issued ou outra ação dos eventos, ou um grupo delas",
  must_be_web_address: "tem de ser o endereço de um servidor web, sem credenciais e sem #",
  must_be_https: "tem de começar por https://",
  must_be_public_address: "tem de ser um endereço público: os webhooks não se enviam para redes privadas",
  webhook_exists: "Já há um webhook para este endereço; altere esse.",
  too_many_webhooks: ({ max }) => `Uma empresa tem no máximo ${max} webhooks; elimine um primeiro.`,
  webhook_is_disabled: "O webhook está desativado; ative-o primeiro.",
  earlier_delivery_waits: "Primeiro tem de ser entregue um evento anterior do mesmo recurso.",

  // ——— Events ———
  no_such_event: ({ position, last }) =>
    `Ainda não há um evento ${position}: o último é o ${last}. Se já o leu, esta base de dados é uma cópia mais antiga.`,

  // ——— Series ———
  series_exists: ({ doc_type, code }) => `Já existe uma série ${doc_type} ${code}; as fechadas também contam.`,
  validation_code_is_taken: ({ validation_code, doc_type, code }) =>
    `O código ${validation_code} da AT é o da série ${doc_type} ${code}; cada série tem o seu, e as fechadas ` +
    "também contam.",
  validation_code_is_fixed: "Depois de a série ter documentos, o código de validação não muda.",
  series_is_closed: ({ code }) => `A série ${code} está fechada.`,
  series_of_other_certificate: ({ code, began_under, certificate_number }) =>
    `A série ${code} tem o certificado n.º ${began_under}, mas a instalação tem agora o n.º ${certificate_number}; ` +
    "abra uma série nova.",
  series_lacks_validation_code: ({ doc_type, code }) =>
    `A série ${code} não tem código de validação. Registe o que a AT lhe deu: PATCH /v1/series/{id}, ou ` +
    `lacre series register "${doc_type} ${code}" CÓDIGO.`,
  series_is_at_date: ({ date }) => `A série já tem um documento com a data ${day(date)}.`,
  series_is_ahead: ({ doc_type, code, date }) =>
    `A série ${code} tem um documento com a data ${day(date)}, posterior a hoje: abra uma nova (lacre series create ` +
    `--doc-type ${doc_type} --code CÓDIGO) e emita nela.`,

  // ——— An archive ———
  archive_is_none: "Isto não é um arquivo do Lacre.",
  archive_is_cut_off: "Este arquivo está cortado: falta-lhe o fim. Copie-o de novo ou tire outro.",
  archive_is_damaged: "Este arquivo está danificado. Copie-o de novo ou tire outro.",
  archive_was_changed:
    "Este arquivo foi alterado depois de tirado: o seu SHA-256 é de outro conteúdo. Tire outro arquivo.",
  archive_is_bloated: "Isto não é um arquivo escrito pelo Lacre: descomprimido, é muito maior do que poderia ser.",
  archive_is_newer: ({ lacre }) =>
    `Este arquivo foi tirado por um Lacre mais recente (${lacre}); este é antigo de mais para o ler.`,
  archive_is_of_other_build: ({ lacre }) =>
    `Este arquivo foi tirado por outra compilação do Lacre (${lacre}), com outro esquema; use essa para o repor.`,
  archive_row_does_not_fit: ({ reason }) => `Este arquivo tem uma linha que não foi o Lacre a guardar («${reason}»).`,
  archive_lacks_rows: ({ table, stated, found }) => `Este arquivo declara ${stated} linhas de ${table} e tem ${found}.`,
  archive_ends_otherwise: ({ number }) =>
    `Este arquivo declara ${number} como o último da sua série e tem outra coisa.`,
  archive_is_not_whole: ({ place, reason }) => `O que este arquivo contém não está íntegro (${place}: «${reason}»).`,
  database_is_not_empty: "A base de dados não está vazia: um arquivo lê-se para uma nova.",

  // ——— A restored backup ———
  restored_numbers_unconfirmed: ({ numbers }) =>
    "Isto é uma cópia de segurança restaurada: nada se emite antes de confirmar o último número dado em cada " +
    "série, que " +
    `pode já ir além dos deste ficheiro, ${numbers.join(", ")}. Comece por lacre restore --status.`,
  nothing_to_confirm: "Isto não é uma cópia de segurança restaurada: não há nada a confirmar.",
  is_no_document_number: ({ number }) => `${number} não é um número de documento.`,
  series_is_spelled: ({ number, head }) =>
    `Não há nenhuma série de ${number}, só a de ${head}: escreva o número tal como está impresso.`,
  series_are_unknown: ({ numbers }) =>
    `Este ficheiro não tem nenhuma série de ${numbers.join(", ")}: se foi aberta depois da cópia, confirme-a como ` +
    "perdida.",
  number_is_not_last: ({ number, last }) => `${number} não é o último número: já foi dado ${last}.`,
  series_is_confirmed: ({ number }) => `A série de ${number} não está bloqueada.`,

  nothing_can_be_issued: ({ database_changed, numbers_unconfirmed, clock_behind }) => {
    const reasons = [
      ...(database_changed > 0 ? ["a base de dados foi alterada por algo que não o Lacre (lacre verify)"] : []),
      ...(numbers_unconfirmed > 0 ? ["há números por confirmar depois de um restauro (lacre restore --status)"] : []),
      ...(clock_behind > 0 ? ["o relógio está atrasado em relação ao último documento (lacre clock confirm)"] : []),
    ];
    return `Nada se pode emitir: ${reasons.join(" e ")}. Consultar continua a ser possível.`;
  },

  // ——— The signing key and the certificate ———
  producer_is_incomplete: "é obrigatório: um produtor tem nome e NIF",
  build_has_producer: ({ producer }) =>
    `Esta edição é de ${producer}: o número de certificado, o produtor e a chave vêm com ela e não mudam.`,
  database_was_changed: ({ place }) =>
    `A base de dados foi alterada por algo que não o Lacre: ${place} não está como ficou. Não se emite nada até alguém ` +
    "responder por isso: lacre verify.",
  period_was_changed: ({ place }) =>
    `${place} não está como foi emitido, e por isso este ficheiro não diz o que se emitiu: veja lacre verify.`,
  nothing_to_answer_for: "A base de dados está como o Lacre a deixou: não há nada por que responder.",
  must_be_rehearsal_number:
    "tem de ser 0, ou 9999 para ensaiar: qualquer outro número vem com a edição do seu produtor",
  certificate_is_not_of_build: ({ certificate_number }) =>
    `O certificado n.º ${certificate_number} é da edição de um produtor, e esta não é essa edição: abra a base de dados ` +
    "com ela.",
  key_is_not_producers: ({ producer }) =>
    `Esta edição só assina com a chave de ${producer}: abra o Lacre com ela (--signing-key, ou um signer) ou ` +
    "importe-a.",
  host_signs: "Quem assina é o programa anfitrião: mude a chave aí e não na base de dados.",
  key_is_known: ({ key_version }) => `A chave de assinatura já é conhecida, com a versão ${key_version}.`,
  key_version_is_past: ({ next }) => `As versões da chave só aumentam: a próxima é a ${next}.`,
  key_is_elsewhere: ({ key_version }) =>
    `A versão ${key_version} da chave de assinatura não está na base de dados: abra o Lacre com ela ou crie outra.`,
  key_version_is_taken: ({ key_version }) =>
    `A versão ${key_version} da chave de assinatura já é conhecida com outra chave pública.`,

  // ——— The storage ———
  writing_stopped: "A escrita parou por um erro do disco. Reinicie o servidor: isso recupera o ficheiro.",
  is_closed: "O Lacre foi encerrado.",
  storage_busy: "A base de dados está ocupada.",
  held_by_host: ({ pid, program, seconds }) =>
    `Uma transação ${program === "lacre" ? "de outro programa Lacre" : "do programa anfitrião"} retém esta empresa há ` +
    `${seconds} s${pid === null ? "" : `, pid ${pid}${program && ` (${program})`}`}; esta alteração não foi feita. Uma ` +
    "chamada feita fora da sua própria transação ficaria à espera de si mesma.",
  held_by_another: ({ seconds }) =>
    "Outra transação, do programa anfitrião ou de outro, retém aquilo de que esta alteração precisa há " +
    `${seconds} s; não foi feita. Uma chamada feita fora da sua própria transação ficaria à espera de si mesma.`,
  host_took_too_long: ({ seconds }) =>
    `A transação do programa anfitrião foi anulada: ao fim de ${seconds} s não tinha terminado, e entretanto mais ninguém podia escrever.`,
  host_transaction_lost:
    "A base de dados terminou a transação do programa anfitrião, porque esta e outra se estorvavam: nada dela ficou gravado. " +
    "Anule-a e faça tudo de novo.",
  host_transaction_failed:
    "Uma instrução anterior da transação do programa anfitrião falhou, por isso a base de dados não aceita mais nenhuma. " +
    "Anule-a e faça tudo de novo.",
  storage_full: "O disco está cheio; nada foi escrito. Liberte espaço e tente de novo.",
  storage_broken:
    "O disco falhou; não se sabe se a alteração ficou escrita. Repita o pedido com a mesma Idempotency-Key.",
  storage_lost:
    "A ligação à base de dados perdeu-se; não se sabe se a alteração ficou gravada. Repita com a mesma Idempotency-Key.",
  storage_unusable: "Não é possível usar a base de dados.",
  where_commands_are_typed: "Os comandos escrevem-se no computador do Lacre, com o --db que ele serve.",
  storage_newer: "Um Lacre mais recente atualizou a base de dados, e é ele que a tem de servir agora.",
  storage_not_ready: "A base de dados ainda não está pronta.",
  too_many_waiting:
    "Há demasiadas alterações à espera; esta não foi feita. Repita o pedido com a mesma Idempotency-Key.",
  too_many_prints: "Há demasiados documentos desta empresa à espera de impressão.",
  too_many_imports: "Há demasiados ficheiros desta empresa à espera de importação.",
  too_many_exports: "Há demasiados ficheiros SAF-T desta empresa à espera.",
  too_many_files: "Há demasiados ficheiros desta empresa a ser lidos; leia primeiro esses até ao fim.",
  too_many_under_way: "Há demasiados pedidos em curso.",

  // ——— HTTP only ———
  not_same_origin: "O pedido não veio de uma página deste endereço, por isso não foi feito.",
  host_not_known:
    "O servidor não responde por este nome. Quem o gere pode aceitá-lo com --allowed-host NOME, ou indicar o endereço " +
    "público com --public-url.",
  plain_http_refused:
    "Este endereço é HTTP simples: qualquer pessoa na rede podia ler a palavra-passe. Use HTTPS (um proxy com TLS, " +
    "indicado com --trusted-proxy), abra a página na própria máquina, ou arranque com --plain-http-lan.",
  query_not_utf8: "Os parâmetros do endereço não são UTF-8 codificado em percentagem.",
  takes_no_body: ({ method }) => `Um ${method} não leva corpo.`,
  body_must_have_changes: "O corpo tem de ser um objeto JSON com os campos a alterar.",
  body_must_be_object: "O corpo tem de ser um objeto JSON.",
  body_cut_off: "O corpo chegou cortado.",
  body_read_before:
    "O programa à volta do Lacre leu o corpo e não o passou; tem de o deixar por ler, ou deixá-lo em req.body.",
  body_not_utf8: "O corpo não é UTF-8.",
  body_not_json: ({ reason }) => `O corpo não é JSON: «${reason}»`,
  body_has_byte_order_mark: "O corpo começa por uma marca de ordem de bytes (BOM).",
  body_too_deep: ({ max }) => `O corpo tem mais de ${plural(max, "nível", "níveis")} uns dentro dos outros.`,
  body_has_too_many_members: ({ max }) => `O corpo tem mais de ${plural(max, "membro", "membros")}.`,
  viewer_not_there: "Faltam os ficheiros desta página: indique-os na opção viewer.",
  area_not_there: "Faltam os ficheiros da área da empresa: indique-os na opção area.files.",
  not_well_formed_http: "O pedido não é HTTP bem formado.",
  headers_too_large: "Os cabeçalhos passam de 16 KiB.",
  expects_something_else: "Expect só pode ser 100-continue.",
  not_a_proxy: "Isto não é um proxy.",
  target_must_be_path: "O destino tem de ser um caminho: isto não é um proxy.",
  coding_not_supported: "Transfer-Encoding só pode ser chunked, em HTTP/1.1.",
  version_not_supported: "A versão tem de ser HTTP/1.1 ou HTTP/1.0.",
  host_must_be_one: "Tem de haver um e um só cabeçalho Host.",
  host_malformed: "O cabeçalho Host está mal formado.",
};

// ——— Portuguese words for values ———

const TYPES: Readonly<Record<ValueType, string>> = {
  string: "texto",
  number: "um número",
  int: "um número inteiro",
  boolean: "true ou false",
  array: "uma lista",
  object: "um objeto",
  record: "um objeto",
};

const DEMANDED: Readonly<Record<Demand, string>> = {
  number_of_other_state: "do número de IVA de outro Estado da UE e do código ISO desse Estado como país",
  foreign_number: "do número de contribuinte de outro país e do código ISO desse país",
  portuguese_number: "de um NIF português",
  outside_union: "do código ISO de um país fora da UE",
};

const SUBJECTS: Readonly<Record<Status, string>> = {
  draft: "Um rascunho",
  issued: "Um documento emitido",
  cancelled: "Um documento anulado",
};

const STATES: Readonly<Record<Status, string>> = {
  draft: "é um rascunho",
  issued: "está emitido",
  cancelled: "está anulado",
};

const PARTICIPLES: Readonly<Record<Verb, string>> = {
  change: "alterado",
  discard: "eliminado",
  issue: "emitido",
  cancel: "anulado",
  pay: "pago",
  print: "impresso",
};

/** The words of an address, with their articles, and the flags of `lacre company set` for them. */
const ADDRESS: Readonly<Record<AddressField, string>> = {
  address: "a morada",
  postal_code: "o código postal",
  city: "a localidade",
};

const FLAGS: Readonly<Record<AddressField, string>> = {
  address: "--address TEXTO",
  postal_code: "--postal-code TEXTO",
  city: "--city TEXTO",
};

const listed = (fields: readonly AddressField[]): string =>
  joined(
    fields.map((field) => ADDRESS[field]),
    "e",
  );

/** `1 linha`, `20 000 linhas`. */
const plural = (count: number, one: string, several: string): string =>
  `${number(count, "pt")} ${count === 1 ? one : several}`;

const euros = (cents: number): string => `${amount(cents, "pt")}\u00a0€`;

const day = (civil: Day): string => date(civil, "pt");

/** `21-11-2026 às 10:31:07 UTC`: a refusal does not know the company's time zone. */
const instant = (at: Instant): string => `${day(civilDate(at, "UTC"))} às ${at.slice(11, 19)} UTC`;

/** `0, 6, 13 ou 23 %`. */
function either(rates_bps: readonly number[]): string {
  const [last = 0, ...others] = rates_bps.toReversed();
  const before = others.toReversed().map((bps) => percentage(bps, "pt").slice(0, -2));
  return joined([...before, percentage(last, "pt")], "ou");
}

/** `a, b e c`. */
function joined(words: readonly string[], conjunction: "e" | "ou"): string {
  const [last = "", ...others] = words.toReversed();
  return others.length > 0 ? `${others.toReversed().join(", ")} ${conjunction} ${last}` : last;
}
