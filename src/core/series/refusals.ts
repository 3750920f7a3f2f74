/** What the refusals of this room say. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  clock_is_behind: [
    "Enquanto o relógio estiver atrasado em relação ao último documento ({latest:instant}), nada se emite. Acerte o relógio; se estiver certo, confirme-o.",
    "Nothing is issued while the clock is behind the latest document ({latest:instant}). Set the clock; if it is right, confirm it.",
  ],
  clock_is_unconfirmed: [
    "Segundo este relógio ({now:instant}), há mais de 60 dias que não se emite nada (desde {since:instant}). Se estiver errado, acerte-o; se estiver certo, confirme-o.",
    "By this clock ({now:instant}), nothing was issued for more than 60 days (since {since:instant}). If it is wrong, set it; if it is right, confirm it.",
  ],
  is_no_document_number: ["{number} não é um número de documento.", "{number} is not a document number."],
  series_is_closed: ["A série {code} está fechada.", "The series {code} is closed."],
  series_of_other_certificate: [
    "A série {code} tem o certificado n.º {began_under:plain}, mas a instalação tem agora o n.º {certificate_number:plain}; abra uma série nova.",
    "The series {code} has certificate number {began_under:plain}, but the installation now has {certificate_number:plain}; open a new series.",
  ],
  series_lacks_validation_code: [
    "A série {code} não tem código de validação. Registe o que a AT lhe deu.",
    "The series {code} has no validation code. Set the one AT gives.",
  ],
  series_is_at_date: [
    "A série já tem um documento com a data {date:day}.",
    "The series already has a document dated {date:day}.",
  ],
  series_is_ahead: [
    "A série {code} tem um documento com a data {date:day}, posterior a hoje. Emita noutra, que se abre agora.",
    "The series {code} has a document dated {date:day}, later than today. Issue in a new one.",
  ],
  restored_numbers_unconfirmed: [
    "Isto é uma cópia de segurança restaurada: nada se emite antes de confirmar o último número dado em cada série, que pode já ir além dos deste ficheiro, {numbers:list}. Veja quais faltam confirmar.",
    "This is a restored backup: nothing is issued until the last number given out in each series is confirmed, which may be past this file's, {numbers:list}. See which are to be confirmed.",
  ],
  series_is_spelled: [
    "Não há nenhuma série de {number}, só a de {head}: escreva o número tal como está impresso.",
    "There is no series of {number}, only that of {head}: give the number as printed.",
  ],
  number_is_not_last: [
    "{number} não é o último número: já foi dado {last}.",
    "{number} is not the last number: {last} was given.",
  ],
  series_is_confirmed: ["A série de {number} não está bloqueada.", "The series of {number} is not locked."],
  needs_field: ["só é aceite em conjunto com {field}", "is only taken together with {field}"],
  must_be_series_code: [
    "tem de ter de 1 a 20 letras e algarismos, com . _ - isolados pelo meio, e não pode começar por AT",
    "must be 1 to 20 letters and digits, single . _ - between them, not beginning with AT",
  ],
  must_be_validation_code: [
    "tem de ser o código da AT: 8 ou mais caracteres 0-9 A-Z",
    "must be AT's code: 8 or more characters 0-9 A-Z",
  ],
  no_such_series: ["Essa série não existe.", "There is no such series."],
  company_is_not_in_cash_vat: ["é para empresas no regime de IVA de caixa", "is for a company in the cash-VAT scheme"],
  is_for_types: ["é para {allowed:list}, não para {doc_type}", "is for {allowed:list}, not for {doc_type}"],
  series_exists: [
    "Já existe uma série {doc_type} {code}; as fechadas também contam.",
    "There is already a series {doc_type} {code}; closed ones count too.",
  ],
  validation_code_is_taken: [
    "O código {validation_code} da AT é o da série {doc_type} {code}; cada série tem o seu, e as fechadas também contam.",
    "AT's code {validation_code} is that of the series {doc_type} {code}; each series has its own, closed ones too.",
  ],
  validation_code_is_fixed: [
    "Depois de a série ter documentos, o código de validação não muda.",
    "The validation code is fixed once the series has documents.",
  ],
  no_current_series: [
    "Nenhuma série aceita {doc_type} de {year:plain}; {active}. Abra uma.",
    "No series takes {doc_type} of {year:plain}; {active}. Open one.",
  ],
  active: ["estão ativas {codes:list}", "active ones are {codes:list}"],
  none_active: ["não há nenhuma ativa", "none is active"],
});
