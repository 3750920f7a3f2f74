/** The warnings of a tax file and the notes of an import, by their codes. */
import { type Text, texts } from "./texts.ts";

export const SAFT_WARNINGS = texts({
  not_certified: [
    "Documentos de um programa sem número de certificado: a lei obriga quem fatura por programa a usar um certificado.",
    "Documents of a program without a certificate number: the law obliges whoever invoices by program to a certified one.",
  ],
  without_atcud: [
    "Documentos de séries sem código de validação da AT; o ATCUD é 0.",
    "Documents of series without a validation code of AT; their ATCUD is 0.",
  ],
  exemption_by_default: [
    "Documentos com linhas a 0 % e o código de isenção M99, por não ter sido indicado motivo.",
    "Documents with lines at 0 % and the exemption code M99, because no reason was given.",
  ],
  receipt_without_origin: [
    "Recibos que não referem nenhum documento; o OriginatingON é Desconhecido.",
    "Receipts that reference no document; their OriginatingON is Desconhecido.",
  ],
  correction_without_reference: [
    "Notas de crédito ou de débito que não referem o documento que corrigem.",
    "Credit or debit notes that do not reference the document they correct.",
  ],
  correction_without_line: [
    "Notas de crédito com linhas que não indicam linha nem artigo do que corrigem: nenhuma quantidade foi comparada.",
    "Credit notes with lines that name neither a line nor a product of what they correct: no quantity was compared.",
  ],
  dated_before_series: [
    "Documentos com data anterior ao dia em que a série foi comunicada ou, sem código, aberta.",
    "Documents dated before the day their series was registered or, without a code, opened.",
  ],
  series_of_earlier_year: [
    "Documentos numa série de um ano anterior ao deles.",
    "Documents in a series of an earlier year than their own.",
  ],
  backdated: [
    "Documentos com data anterior ao dia em que foram registados.",
    "Documents dated before the day on which they were entered.",
  ],
  issued_late: [
    "Faturas emitidas depois do quinto dia útil após a operação, ou depois do dia 15 do mês seguinte nos serviços a sujeitos passivos de outros Estados da UE (CIVA, artigo 36.º, n.º 1).",
    "Invoices issued after the fifth working day from the supply, or the 15th of the next month for services to taxable persons of other EU states (CIVA, article 36/1).",
  ],
  exemption_unlike_customer: [
    "Documentos com um código de isenção que não serve ao cliente: M16 e M41 pedem um número de IVA de outro Estado da UE, M40 um número estrangeiro, M30 a M35, M42 e M43 um NIF, M05 quase sempre um cliente de fora da UE.",
    "Documents with an exemption code that their customer does not fit: M16 and M41 want a tax number of another EU state, M40 one of abroad, M30 to M35, M42 and M43 a NIF, M05 mostly a customer outside the EU.",
  ],
  means_incomplete: [
    "FR cujos pagamentos não perfazem o total; o ficheiro mostra o resto sem meio de pagamento.",
    "FR whose payments do not come to their total; the file shows the rest without means of payment.",
  ],
  cash_above_limit: [
    "Documentos com 3 000 € ou mais pagos em numerário, o que a lei proíbe (LGT, artigo 63.º-E; 10 000 € para particulares não residentes).",
    "Documents with 3,000 EUR or more paid in cash, which the law forbids (LGT, article 63-E; 10,000 EUR for private persons who live abroad).",
  ],
  changed_outside: [
    "Documentos alterados por fora do Lacre, pelos quais alguém respondeu: o ficheiro mostra-os como estão agora, não como foram emitidos.",
    "Documents that something else than Lacre changed, for which somebody answered: the file shows them as they are now, not as they were issued.",
  ],
  paid_before_supply: [
    "Recibos com um pagamento anterior à operação ou à fatura que liquidam.",
    "Receipts with a payment dated before what they acknowledge was supplied or invoiced.",
  ],
  withholding_as_line: [
    "Documentos com linhas que começam como uma retenção, que se indica depois do total.",
    "Documents with lines that begin like a withholding, which is stated below the total instead.",
  ],
  country_unknown: [
    "Clientes e locais cujo país não é um código ISO; o ficheiro tem Desconhecido em vez dele.",
    "Customers and places whose country is not an ISO code; the file has Desconhecido instead.",
  ],
  rate_not_lawful: [
    "Documentos com linhas a uma taxa de IVA que não era nenhuma das da região nesse dia.",
    "Documents with lines at a rate of VAT that was none of their region's on that day.",
  ],
  tax_differs: [
    "Documentos cujo imposto difere em mais de 0,01 da soma dos impostos das linhas.",
    "Documents whose tax differs from the sum of the taxes of their lines by more than 0.01.",
  ],
  text_replaced: [
    "Textos com caracteres que o Windows-1252 não tem; o ficheiro tem letras parecidas, ou ?, em vez deles.",
    "Texts with characters that Windows-1252 lacks; the file has similar letters, or ?, instead.",
  ],
});

/** Each follows its record: `Customer C7 (line 7): has no name; not imported.` */
export const IMPORT_NOTES = texts({
  no_name: ["não tem nome; não importado", "has no name; not imported"],
  final_consumer: ["é o consumidor final; não importado", "is the final consumer; not imported"],
  no_description: ["não tem descrição; não importado", "has no description; not imported"],
  tax_id_invalid: [
    "«{given}» não é um NIF português válido; importado sem ele",
    'the tax id "{given}" is not a valid Portuguese tax number (NIF); imported without it',
  ],
  type_changed: ["o tipo «{given}» é importado como P", 'the type "{given}" is imported as P'],
  price_rounded: ["o preço foi arredondado a 6 casas decimais", "the price is rounded to 6 decimals"],
  price_unknown: [
    "nenhum documento do ficheiro mostra o preço; importado a 0",
    "no document in the file shows its price; imported at 0",
  ],
  rate_unknown: [
    "nenhum documento do ficheiro mostra a taxa de IVA; importado à taxa normal da região da empresa",
    "no document in the file shows its tax rate; imported at the normal rate of the company's region",
  ],
  rate_replaced: [
    "a taxa de {given} % já não é nenhuma das de hoje; importado a {became} %, a taxa de hoje da mesma classe",
    "the rate of {given} % is none of today's; imported at {became} %, today's rate of its class",
  ],
  rate_kept: [
    "a taxa de {given} % não é nenhuma das de hoje; importado como está: escolha outra",
    "the rate of {given} % is none of today's; imported as it is: choose another",
  ],
  not_accepted: [
    "{field} «{given}» não é aceite aqui; ficou de fora",
    '{field} "{given}" is not accepted here; left out',
  ],
  cut: ["{field} foi cortado a {max} caracteres: «{given}»", '{field} is cut to {max} characters: "{given}"'],
});

export type NoteCode = keyof typeof IMPORT_NOTES;

/** The subject of a note. */
export interface NoteSubject {
  /** The element of SAF-T: `Email`. */
  readonly field: string | null;
  /** What the file has, or what remains of it, shortened if long. */
  readonly given: string | null;
  /** The most characters that are kept. */
  readonly max: number | null;
  /** What is stored instead. */
  readonly became: string | null;
}

/** The text of a note. */
export function importNote({ code, field, given, max, became }: NoteSubject & { readonly code: NoteCode }): Text {
  const text = IMPORT_NOTES[code];
  if ("in" in text) return text;
  const isRate = code === "rate_replaced" || code === "rate_kept";
  return text({
    field: field ?? "",
    given: isRate ? Number(given) : (given ?? ""),
    max: max ?? 0,
    became: Number(became),
  });
}
