/** The texts of this room's refusals. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  must_be_public_key: ["não é uma chave pública em PEM", "is not a public key in PEM"],
  must_be_month: ["tem de ser um mês, AAAA-MM", "must be a month, YYYY-MM"],
  period_was_changed: [
    "{place} não está como foi emitido, e por isso este ficheiro não diz o que se emitiu. Veja o que mudou.",
    "{place} is not as it was issued, so this file does not tell what was. See what was changed.",
  ],
  must_be_on_or_after: ["não pode ser anterior a {date:day}", "must be {date:day} or later"],
  must_be_in_year: ["tem de ser de {year}: um ficheiro abrange um só ano", "must be in {year}: a file covers one year"],
  file_has_too_many_records: [
    "Este ficheiro tem mais de {records} {records|cliente ou produto|clientes e produtos}, ou mais de {characters} {characters|carácter|caracteres} neles. Importe-o no servidor.",
    "This file has more than {records} customers and products, or more than {characters} characters in them. Import it at the server.",
  ],
  file_is_not_saft: [
    "Este ficheiro não é um SAF-T (PT): a raiz é {root}, e não AuditFile de urn:OECD:StandardAuditFile-Tax:PT_1.04_01.",
    "This is not a SAF-T (PT) file: its root is {root}, not AuditFile of urn:OECD:StandardAuditFile-Tax:PT_1.04_01.",
  ],
  file_is_other_saft: [
    "Este ficheiro é SAF-T {version}; só é aceite PT_1.04_01.",
    "This file is SAF-T {version}; only PT_1.04_01 is supported.",
  ],
  file_not_readable: ["O ficheiro não se consegue ler: «{reason}»", "{reason}"],
});
