/** What waits for somebody, and the note of heads. */
import { pair, texts } from "../../core/texts/texts.ts";

export const WAITING = texts({
  // ——— What waits ———
  waiting: {
    not_certified: [
      "Este programa não está certificado: quem tem de faturar com software certificado não o pode usar tal como vem.",
      "This program is not certified: whoever must invoice with certified software may not use it as it comes.",
    ],
    duties: [
      "Antes da primeira fatura, a empresa comunica à AT, no Portal das Finanças, os estabelecimentos, os equipamentos e o programa (Decreto-Lei 28/2019, artigo 34.º). Guarda os documentos dez anos (19.º, n.º 1): faça cópias de segurança. Uma sociedade imprime o tipo, a sede, a conservatória, o número e o capital (CSC, artigo 171.º): lacre company set --footer-text TEXTO",
      "Before its first invoice the business tells AT, on AT's site, of its establishments, equipment and program (Decreto-Lei 28/2019, article 34). It keeps its documents for ten years (19/1): take backups. A company prints its form, seat, registry, number and capital (CSC 171): lacre company set --footer-text TEXT",
    ],
    key_in_database: [
      "A chave privada que assina está na base de dados, e quem a conseguir ler pode assinar; guarde-a num ficheiro (--signing-key), ou no produtor (docs/law.md).",
      "The private key that signs is in the database, so whoever can read that can sign; keep it in a file (--signing-key), or with the producer (docs/law.md).",
    ],
    exposed: pair<{ path: string; holds: "keys" | "key" }>(
      ({ path, holds }) =>
        `Outros utilizadores podem ler ou alterar ${path}, que contém ${holds === "keys" ? "chaves e clientes" : "a chave de assinatura"}: chmod 600 '${path}'`,
      ({ path, holds }) =>
        `Other users can read or change ${path}, which holds ${holds === "keys" ? "keys and customers" : "the signing key"}: chmod 600 '${path}'`,
    ),
    numbers_unconfirmed: [
      "Depois de um restauro nada se emite até confirmar o último número que deu em cada série, que pode já ir além dos deste ficheiro ({numbers}): lacre restore --status",
      "Nothing is issued after a restore until you confirm the last number you gave out in each series, which may be past this file's ({numbers}): lacre restore --status",
    ],
    database_changed: [
      "{place} não está como o Lacre o deixou: outra coisa alterou a base de dados, e não se emite nada até alguém responder por isso. Tudo o que está mal: lacre verify. Reponha uma cópia de segurança, ou: lacre verify --answer PORQUÊ",
      "{place} is not as Lacre left it: something else changed the database, and nothing is issued until somebody answers for it. All that is wrong: lacre verify. Restore a backup, or: lacre verify --answer WHY",
    ],
    clock_behind: [
      "Nada se emite enquanto o relógio estiver atrasado em relação ao último documento ({latest:instant}). Acerte o relógio; se estiver certo: lacre clock confirm",
      "Nothing is issued while the clock is behind the latest document ({latest}). Set the clock; if it is right: lacre clock confirm",
    ],
    clock_unconfirmed: [
      "Segundo este relógio ({now:instant}), não se emite nada desde {since:instant}, nem se emite até o relógio ser confirmado. Se estiver errado, acerte-o; se estiver certo: lacre clock confirm",
      "By this clock ({now}), nothing was issued since {since}, and nothing is until the clock is confirmed. If it is wrong, set it; if it is right: lacre clock confirm",
    ],
    disk_low: [
      "O disco da base de dados só tem {free} livres: liberte espaço. Quando ficar cheio, nada se emite.",
      "The disk of the database has {free} left: make room on it. Once it is full, nothing is issued.",
    ],
    backup_overdue: [
      "A última cópia de segurança é de {taken_at:instant}, e foram emitidos documentos desde então. Faça uma, se possível noutro disco: lacre backup FICHEIRO",
      "The last backup is of {taken_at:instant}, and documents were issued since. Take one, best to another disk: lacre backup FILE",
    ],
    no_backup_yet: [
      "Ainda não há nenhuma cópia de segurança, e foram emitidos documentos desde então. Faça uma, se possível noutro disco: lacre backup FICHEIRO",
      "No backup was taken yet, and documents were issued since. Take one, best to another disk: lacre backup FILE",
    ],
    heads_not_elsewhere: [
      "Os últimos números só estão anotados ao lado da base de dados, e perdem-se com ela; guarde a nota também noutro disco ou computador: lacre heads --to PASTA",
      "The last numbers are noted beside the database alone, and are lost with it; keep the note on another disk or machine, too: lacre heads --to DIR",
    ],
    tax_file_due: [
      "O ficheiro SAF-T de {period:month} tem de ser comunicado à AT até {due:day}. Escreva-o (lacre saft --year {year:plain} --month {month:plain}), entregue-o no site da AT e marque o mês na área da empresa",
      "The tax file of {period:month} must be communicated to AT by {due:day}. Write it (lacre saft --year {year:plain} --month {month:plain}), deliver it on AT's site, then mark the month in the company area",
    ],
    tax_file_changed: [
      "Foram emitidos ou anulados documentos de {period:month} depois de comunicado o ficheiro SAF-T. Escreva-o (lacre saft --year {year:plain} --month {month:plain}), entregue-o no site da AT e marque o mês na área da empresa",
      "Documents of {period:month} were issued or cancelled after its tax file was communicated to AT. Write it (lacre saft --year {year:plain} --month {month:plain}), deliver it on AT's site, then mark the month in the company area",
    ],
    year_not_open: [
      "Ainda não há séries de {year:plain} para {types}: lacre series open --year {year:plain}",
      "No series of {year:plain} yet for {types}: lacre series open --year {year:plain}",
    ],
    series_unregistered: ["Por comunicar à AT: {series}.", "Not registered with AT: {series}."],
    register_first: [
      'Comunique cada série à AT e, antes do primeiro documento, registe o código que a AT lhe der: lacre series register "{series}" CÓDIGO',
      'Communicate each series to AT, and before its first document enter the code AT gives: lacre series register "{series}" CODE',
    ],
    series_without_code: [
      'Há documentos sem ATCUD, em séries que já não podem ser comunicadas: {series}. Abra uma nova (lacre series create --doc-type {type} --code CÓDIGO), comunique-a e feche depois a antiga: lacre series close "{first}"',
      'Documents without ATCUD, in series that can no longer be registered: {series}. Open a new one (lacre series create --doc-type {type} --code CODE), register it, then close the old one: lacre series close "{first}"',
    ],
    webhook_failing: [
      "O webhook para {url} falha desde {since:instant}: veja as entregas (GET /v1/webhooks) e corrija quem o recebe.",
      "The webhook to {url} fails since {since}: see its deliveries (GET /v1/webhooks) and mend its receiver.",
    ],
    webhook_disabled: [
      "O webhook para {url} já não recebe nada: deixou de existir, ou falha desde {since:instant}. Volte a ativá-lo (PATCH /v1/webhooks) ou elimine-o.",
      "The webhook to {url} gets nothing any more: it is gone, or has failed since {since}. Enable it again (PATCH /v1/webhooks) or delete it.",
    ],
    emails_not_sent: [
      "E-mails que não seguiram nos últimos 7 dias: {failed}; que talvez tenham chegado: {unknown}. Veja-os (GET /v1/emails) e envie de novo os documentos a quem faltam.",
      "E-mails of the last 7 days that were not sent: {failed}; that may have arrived: {unknown}. See them (GET /v1/emails), and send the documents again to whoever lacks them.",
    ],
    emails_failing: [
      "O envio de e-mails falha desde {since:instant}; experimente o servidor: lacre mail test EMAIL",
      "Sending e-mail fails since {since}; try the server: lacre mail test EMAIL",
    ],
    emails_unsent: [
      "Há e-mails à espera desde {since:instant} e nenhum programa os envia: corra lacre serve com --smtp, ou lacre.emails.deliver no seu programa.",
      "E-mails wait since {since}, and no program sends them: run lacre serve with --smtp, or lacre.emails.deliver in your program.",
    ],
    webhooks_unsent: [
      "Há mensagens de webhooks à espera desde {since:instant} e nenhum programa as envia: corra lacre serve sem --no-webhooks, ou lacre.webhooks.deliver no seu programa.",
      "Messages to webhooks wait since {since}, and no program sends them: run lacre serve without --no-webhooks, or lacre.webhooks.deliver in your program.",
    ],
    more: [
      "À espera há mais {count} {count|coisa|coisas}: lacre status",
      "{count} {count|more thing waits|more things wait}: lacre status",
    ],
  },

  // ——— The note of heads ———
  heads: {
    to_or_stop: ["indique só uma de --to PASTA e --stop", "give one of --to DIR and --stop"],
    no_directory: [
      "Não há nenhuma pasta {path}; crie-a, ou ligue o disco onde está.",
      "There is no directory {path}; create it, or mount its disk.",
    ],
    read_only: [
      "{path} só permite leitura; permita a escrita, ou indique outra em --to.",
      "{path} is read-only; make it writable, or name another for --to.",
    ],
    beside_alone: [
      "A nota dos últimos números é só {note}, que se perde com a base de dados; guarde-a também noutro sítio: lacre heads --to PASTA",
      "The note of heads is {note} alone, which is lost with the database; keep it elsewhere, too: lacre heads --to DIR",
    ],
    elsewhere: [
      "A nota dos últimos números é {note}, e noutro sítio {elsewhere}.",
      "The note of heads is {note}, and elsewhere {elsewhere}.",
    ],
    on_one_disk: [
      "Estão as duas no mesmo disco: se ele avariar, perdem-se ambas. Indique uma pasta noutro, se possível noutro computador.",
      "Both are on one disk: if it fails, both are lost. Name a directory on another, best on another machine.",
    ],
    locked: [
      "Este ficheiro conta como cópia de segurança restaurada, até confirmar os últimos números: lacre restore --status",
      "This file counts as a restored backup, until you confirm the last numbers: lacre restore --status",
    ],
    not_a_note: [
      "{path} não é uma nota de últimos números, ou é de uma versão mais recente.",
      "{path} is not a note of heads, or one of a later version.",
    ],
    unreadable: [
      "Não é possível ler {note} ({reason}): fica sem se saber se este é o {path} mais recente.",
      "{note} cannot be read ({reason}): it cannot tell whether this is the latest {path}.",
    ],
    event: pair<{ position: string; company: string | null }>(
      ({ position, company }) =>
        `O evento ${position} da ${company === null ? "instalação" : `empresa ${company}`} foi registado, mas falta a este ficheiro, ou está lá outro em vez dele.`,
      ({ position, company }) =>
        `Event ${position} of ${company === null ? "the installation" : `company ${company}`} was recorded, but this file lacks it, or has another in its place.`,
    ),
    behind: [
      "{number} foi dado, mas este ficheiro acaba em {head}.",
      "{number} was given, but this file ends at {head}.",
    ],
    differs: [
      "{number} foi dado a um documento que não é o deste ficheiro.",
      "{number} was given for another document than the one in this file.",
    ],
    no_series: [
      "{number} foi dado, mas este ficheiro não tem essa série.",
      "{number} was given, but this file has no such series.",
    ],
    no_company: [
      "{number} foi dado, mas este ficheiro não tem a empresa {company}.",
      "{number} was given, but this file has no company {company}.",
    ],
    missing: ["{note} anota o que falta a este ficheiro:", "{note} notes what this file lacks:"],
  },
});
