/** What the refusals of this room say. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  no_such_company: ["Essa empresa não existe.", "There is no such company."],
  must_be_country: [
    "tem de ser um código de país ISO 3166 de duas letras, como PT",
    "must be an ISO 3166 alpha-2 code, such as PT",
  ],
  must_be_time_zone: ["não é um fuso horário conhecido", "is not a known time zone"],
  must_be_iban: ["não é um IBAN válido", "is not a valid IBAN"],
  must_be_color: ["tem de ser uma cor, como #0b5d3b", "must be a colour, such as #0b5d3b"],
  must_be_bytes_of_picture: [
    "tem de ser os bytes de uma imagem, ou Base64",
    "must be the bytes of a picture, or Base64",
  ],
  must_be_printable_picture: [
    "tem de ser um PNG (até um milhão de píxeis) ou um JPEG intacto, com 512 KB no máximo",
    "must be an intact PNG (up to a million pixels) or JPEG of at most 512 KB",
  ],
  company_tax_id_is_fixed: [
    "O NIF {tax_id} já tem documentos emitidos e não muda. Outro contribuinte é outra empresa.",
    "Documents were issued under the tax number {tax_id}: it is fixed. Another taxpayer is another company.",
  ],
  company_exists: [
    "Já existe uma empresa com o NIF {tax_id}; uma segunda loja emite nessa empresa, em séries próprias.",
    "There is a company with the NIF {tax_id} already; a second shop of it issues in series of its own there.",
  ],
  owns_most_companies: [
    "Um proprietário cria aqui, no máximo, {max} empresas; quem gere o servidor pode criar mais.",
    "An owner makes at most {max} companies here; the operator makes more.",
  ],
  only_owners_make_companies: [
    "Só um proprietário de uma empresa pode criar outra.",
    "Only an owner of a company may create another one.",
  ],
  which_company: [
    "Está em várias empresas, ou em nenhuma. Indique uma pelo seu id.",
    "You are in several companies, or in none. Name one by its id.",
  ],
});
