/** The Portuguese of texts that core has in English alone, by core's code or name. */
import type { STORAGE_SENTENCES } from "../../core/database/storage-error.ts";
import type { SaftExportReport, SaftImport } from "../../core/index.ts";

type ImportNote = SaftImport["notes"][number];
type SaftWarningCode = SaftExportReport["warnings"][number]["code"];

/** Faults that Lacre itself finds in a database. */
export const STORAGE: typeof STORAGE_SENTENCES = {
  schema_is_empty: () => "A base de dados está vazia.",
  schema_is_older: () =>
    "A base de dados tem um esquema mais antigo; o lacre serve atualiza-a, e antes faz cópia de segurança de um ficheiro.",
  schema_is_newer: () => "A base de dados foi escrita por um Lacre mais recente; este é demasiado antigo para a abrir.",
  schema_is_other: () =>
    "A base de dados foi criada por outra compilação do Lacre, com outro esquema; abra-a com essa.",
  schema_is_foreign: (tables, more) =>
    `A base de dados tem tabelas que não são do Lacre: ${tables}${more > 0 ? ` e mais ${more}` : ""}. Dê ao Lacre um ` +
    "ficheiro só dele.",
  sqlite_is_old: (version, needed) => `O SQLite ${version} pode perder o que gravou; é preciso o ${needed}.`,
  setting_is_refused: (name, value) => `A base de dados recusa ${name}: está em ${value}.`,
  server_is_old: () => "O servidor não serve: é preciso o PostgreSQL 13 ou mais recente.",
  server_loses_commits: () =>
    "O servidor não serve: synchronous_commit está desligado, e uma falha perderia documentos já confirmados.",
  server_loses_pages: () =>
    "O servidor não serve: fsync ou full_page_writes está desligado, e um corte de energia danificaria a base de " +
    "dados.",
  server_encodes: (encoding) => `O servidor não serve: a base de dados está codificada em ${encoding}, não em UTF8.`,
};

/** A note of an import. */
export function importNote(note: ImportNote): string {
  const record = note.record.replace("Customer", "Cliente").replace("Product", "Artigo");
  return `${record.replace("without code", "sem código")} (linha ${note.line}): ${IMPORT_NOTES[note.code](note)}.`;
}

const percent = (rate: string | null) => `${String(rate).replace(".", ",")} %`;

const IMPORT_NOTES: Readonly<Record<ImportNote["code"], (note: ImportNote) => string>> = {
  no_name: () => "não tem nome; não importado",
  final_consumer: () => "é o consumidor final; não importado",
  no_description: () => "não tem descrição; não importado",
  tax_id_invalid: ({ given }) => `«${given}» não é um NIF português válido; importado sem ele`,
  type_changed: ({ given }) => `o tipo «${given}» é importado como P`,
  price_rounded: () => "o preço foi arredondado a 6 casas decimais",
  price_unknown: () => "nenhum documento do ficheiro mostra o preço; importado a 0",
  rate_unknown: () => "nenhum documento do ficheiro mostra a taxa de IVA; importado à taxa normal da região da empresa",
  rate_replaced: ({ given, became }) =>
    `a taxa de ${percent(given)} já não é nenhuma das de hoje; importado a ${percent(became)}, a taxa de hoje da mesma classe`,
  rate_kept: ({ given }) => `a taxa de ${percent(given)} não é nenhuma das de hoje; importado como está: escolha outra`,
  not_accepted: ({ field, given }) => `${field} «${given}» não é aceite aqui; ficou de fora`,
  cut: ({ field, given, max }) => `${field} foi cortado a ${max} caracteres: «${given}»`,
};

/** The sentences of the warnings of a tax file. */
export const SAFT_WARNINGS: Readonly<Record<SaftWarningCode, string>> = {
  not_certified:
    "Documentos de um programa sem número de certificado: a lei obriga quem fatura por programa a usar um certificado.",
  without_atcud: "Documentos de séries sem código de validação da AT; o ATCUD é 0.",
  exemption_by_default: "Documentos com linhas a 0 % e o código de isenção M99, por não ter sido indicado motivo.",
  receipt_without_origin: "Recibos que não referem nenhum documento; o OriginatingON é Desconhecido.",
  correction_without_reference: "Notas de crédito ou de débito que não referem o documento que corrigem.",
  correction_without_line:
    "Notas de crédito com linhas que não indicam linha nem artigo do que corrigem: nenhuma quantidade foi comparada.",
  dated_before_series: "Documentos com data anterior ao dia em que a série foi comunicada ou, sem código, aberta.",
  series_of_earlier_year: "Documentos numa série de um ano anterior ao deles.",
  backdated: "Documentos com data anterior ao dia em que foram registados.",
  issued_late:
    "Faturas emitidas depois do quinto dia útil após a operação, ou depois do dia 15 do mês seguinte nos serviços a " +
    "sujeitos passivos de outros Estados da UE (CIVA, artigo 36.º, n.º 1).",
  exemption_unlike_customer:
    "Documentos com um código de isenção que não serve ao cliente: M16 e M41 pedem um número de IVA de outro Estado da " +
    "UE, M40 um número estrangeiro, M30 a M35, M42 e M43 um NIF, M05 quase sempre um cliente de fora da UE.",
  means_incomplete: "FR cujos pagamentos não perfazem o total; o ficheiro mostra o resto sem meio de pagamento.",
  cash_above_limit:
    "Documentos com 3 000 € ou mais pagos em numerário, o que a lei proíbe (LGT, artigo 63.º-E; 10 000 € para " +
    "particulares não residentes).",
  changed_outside:
    "Documentos alterados por fora do Lacre, pelos quais alguém respondeu: o ficheiro mostra-os como estão agora, " +
    "não como foram emitidos.",
  paid_before_supply: "Recibos com um pagamento anterior à operação ou à fatura que liquidam.",
  withholding_as_line: "Documentos com linhas que começam como uma retenção, que se indica depois do total.",
  country_unknown: "Clientes e locais cujo país não é um código ISO; o ficheiro tem Desconhecido em vez dele.",
  rate_not_lawful: "Documentos com linhas a uma taxa de IVA que não era nenhuma das da região nesse dia.",
  tax_differs: "Documentos cujo imposto difere em mais de 0,01 da soma dos impostos das linhas.",
  text_replaced:
    "Textos com caracteres que o Windows-1252 não tem; o ficheiro tem letras parecidas, ou ?, em vez deles.",
};
