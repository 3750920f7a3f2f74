/** What the refusals of any room say. Of a field they follow its path: `lines[2].qty: must be more than 0`. */
import { texts } from "../texts/texts.ts";

export const common = texts({
  is_required: ["é obrigatório", "is required"],
  is_unknown_field: ["não é um campo conhecido", "is not a known field"],
  is_repeated: ["está repetido", "is repeated"],
  excludes_field: ["não pode ser enviado em conjunto com {field}", "must not be sent with {field}"],
  must_not_be_empty: ["não pode estar vazio", "must not be empty"],
  has_too_many_characters: [
    "não pode ter mais de {max} {max|carácter|caracteres}",
    "must have at most {max} characters",
  ],
  has_lone_surrogates: ["não pode conter metades soltas de um par UTF-16", "must not contain lone surrogates"],
  must_be_email: ["tem de ser um endereço de e-mail", "must be an e-mail address"],
  must_be_nif: ["não é um NIF português válido", "is not a valid Portuguese tax number (NIF)"],
  must_be_at_least: ["não pode ser menor do que {min}", "must be at least {min}"],
  must_be_at_most: ["não pode ser maior do que {max}", "must be at most {max}"],
  no_session: ["Inicie sessão: não há sessão, ou já terminou.", "Log in: there is no session, or it has ended."],
  is_after_today: ["é posterior a hoje, {today:day}", "is later than today, {today:day}"],
  storage_full: [
    "O disco está cheio; nada foi escrito. Liberte espaço e tente de novo.",
    "The disk is full; nothing was written. Make room on it and try again.",
  ],
  must_be_one_of: [
    ({ values }: { values: readonly unknown[] }) =>
      `tem de ser ${values.length > 1 ? "um destes: " : ""}${values.join(", ")}`,
    ({ values }: { values: readonly unknown[] }) => `must be ${values.length > 1 ? "one of " : ""}${values.join(", ")}`,
  ],
  must_have_something_to_see: [
    "tem de ter pelo menos um carácter que se veja",
    "must have at least one character that can be seen",
  ],
  reads_like_certificate_line: [
    "não pode ser lido como a menção do certificado (… por programa certificado n.º 1234/AT), que só o Lacre imprime",
    "must not read like the certificate line (… por programa certificado n.º 1234/AT), which only Lacre prints",
  ],
  has_too_many_lines: ["não pode ter mais de {max} {max|linha|linhas}", "must have at most {max} lines"],
  has_stacked_marks: [
    "não pode ter mais de 30 sinais sobre uma letra",
    "must not stack more than 30 marks on a letter",
  ],
  has_control_characters: ["não pode conter caracteres de controlo", "must not contain control characters"],
  has_bidi_overrides: [
    "não pode conter caracteres que trocam o sentido da escrita",
    "must not contain bidirectional overrides",
  ],
  must_be_exemption_code: ["não é um código de isenção", "is not an exemption code"],
  must_be_more_than: ["tem de ser maior do que {above}", "must be more than {above}"],
  must_be_whole_number: ["tem de ser um número inteiro de {min} a {max}", "must be a whole number from {min} to {max}"],
  has_too_many_digits: [
    "não pode ter mais de {max} {max|algarismo significativo|algarismos significativos}: arredonde o que foi calculado, no máximo a {decimals} {decimals|casa decimal|casas decimais}",
    "must have at most {max} significant digits: round what was computed to at most {decimals} decimals",
  ],
  has_too_many_decimals: [
    "não pode ter mais de {max} {max|casa decimal|casas decimais}",
    "must have at most {max} decimals",
  ],
  must_be_date: ["tem de ser uma data, AAAA-MM-DD", "must be a date, YYYY-MM-DD"],
  must_be_instant: [
    "tem de ser data e hora com fuso: 2026-11-21T10:30:00Z",
    "must be a timestamp with zone: 2026-11-21T10:30:00Z",
  ],
  is_closed: ["O Lacre foi encerrado.", "Lacre was closed."],
  must_be_cursor: [
    "não é um next_cursor desta lista com estes filtros",
    "is not a next_cursor of this list with these filters",
  ],
  must_be_if_match: [
    'tem de ser * ou ETags tal como foram respondidas, como "AbC", separadas por vírgulas',
    'must be * or ETags as they were answered, such as "AbC", with commas between them',
  ],
  must_be_idempotency_key: [
    "tem de ter de 1 a 255 caracteres ASCII visíveis",
    "must be 1 to 255 visible ASCII characters",
  ],
  is_not_valid: ["não é válido", "is not valid"],
  has_too_many_items: ["não pode ter mais de {max} {max|elemento|elementos}", "must have at most {max} items"],
  must_be_uuid: ["tem de ser um UUID", "must be a UUID"],
  must_be_of_type: {
    string: ["tem de ser texto", "must be a string"],
    number: ["tem de ser um número", "must be a number"],
    int: ["tem de ser um número inteiro", "must be a whole number"],
    boolean: ["tem de ser true ou false", "must be a boolean"],
    array: ["tem de ser uma lista", "must be a list"],
    object: ["tem de ser um objeto", "must be an object"],
    record: ["tem de ser um objeto", "must be an object"],
  },
  lacks_scope: ["A chave da API não tem a permissão {scope}.", "The API key lacks the scope {scope}."],
  host_program_only: ["Só o programa anfitrião pode fazer isto.", "Only the host program may do this."],
  role_lacks_permission: [
    "O seu perfil não permite isto ({permission}).",
    "Your role does not allow this ({permission}).",
  ],
  is_not_taken: ["não é aceite por {operation_id}", "is not taken by {operation_id}"],
  too_many_files: [
    "Há demasiados ficheiros desta empresa a ser lidos; leia primeiro esses até ao fim.",
    "Too many files of this company are being read; read them to their end first.",
  ],
  writing_stopped: [
    "A escrita parou por um erro do disco. Reinicie o servidor: isso recupera o ficheiro.",
    "Writing stopped after a storage error. Start the server again: that recovers the file.",
  ],
  storage_busy: ["A base de dados está ocupada.", "The database is busy."],
  host_transaction_lost: [
    "A base de dados terminou a transação do programa anfitrião, porque esta e outra se estorvavam: nada dela ficou gravado. Anule-a e faça tudo de novo.",
    "The database ended the host program's transaction, as it and another were in each other's way: nothing of it is kept. Roll it back, and do all of it again.",
  ],
  host_transaction_failed: [
    "Uma instrução anterior da transação do programa anfitrião falhou, por isso a base de dados não aceita mais nenhuma. Anule-a e faça tudo de novo.",
    "A statement of the host program's transaction failed before, so the database takes no more of it. Roll it back, and do all of it again.",
  ],
  storage_broken: [
    "O disco falhou; não se sabe se a alteração ficou escrita. Repita o pedido com a mesma chave de idempotência.",
    "The storage failed; whether a change was written is unknown. Retry with the same idempotency key.",
  ],
  storage_lost: [
    "A ligação à base de dados perdeu-se; não se sabe se a alteração ficou gravada. Repita com a mesma chave de idempotência.",
    "The connection to the database ended; whether a change was written is unknown. Retry with the same idempotency key.",
  ],
  storage_unusable: ["Não é possível usar a base de dados.", "The database cannot be used."],
  storage_newer: [
    "Um Lacre mais recente atualizou a base de dados, e é ele que a tem de servir agora.",
    "A newer Lacre has upgraded the database, and has to serve it now.",
  ],
  too_many_prints: [
    "Há demasiados documentos desta empresa à espera de impressão.",
    "Too many documents of this company are waiting to be printed.",
  ],
  too_many_imports: [
    "Há demasiados ficheiros desta empresa à espera de importação.",
    "Too many files of this company are waiting to be imported.",
  ],
  too_many_exports: [
    "Há demasiados ficheiros SAF-T desta empresa à espera.",
    "Too many tax files of this company are waiting to be made.",
  ],
  held_by_another: [
    "Outra transação, do programa anfitrião ou de outro, retém aquilo de que esta alteração precisa há {seconds} s; não foi feita. Uma chamada feita fora da sua própria transação ficaria à espera de si mesma.",
    "Another transaction, of the host program or of another one, has held what this change needs for {seconds} s; it was not made. A call outside its own transaction would wait for itself.",
  ],
  host_took_too_long: [
    "A transação do programa anfitrião foi anulada: ao fim de {seconds} s não tinha terminado, e entretanto mais ninguém podia escrever.",
    "The transaction of the host program was undone: it had not ended after {seconds} s, in which nobody else could write.",
  ],
  too_many_waiting: [
    "Há demasiadas alterações à espera; esta não foi feita. Repita o pedido com a mesma chave de idempotência.",
    "Too many changes are waiting; this one was not made. Retry with the same idempotency key.",
  ],
  held_by_host: [
    "Uma transação {who} retém esta empresa há {seconds} s{process}; esta alteração não foi feita. Uma chamada feita fora da sua própria transação ficaria à espera de si mesma.",
    "A transaction of {who} has held this company for {seconds} s{process}; this change was not made. A call outside its own transaction would wait for itself.",
  ],
  other_lacre: ["de outro programa Lacre", "another program of Lacre"],
  the_host: ["do programa anfitrião", "the host program"],
});
