/** The texts of the help, the command line and questions. */
import { DOC_TYPES, PERMISSIONS } from "../../core/index.ts";
import { texts } from "../../core/texts/texts.ts";

export const HELP = texts({
  // ——— The help ———
  help: {
    title: ["Lacre: faturação para Portugal.", "Lacre: invoicing for Portugal."],
    every_command: ["Todos os comandos têm --help.", "Every command has --help."],
    flags: ["[opções]", "[flags]"],
    this_text: ["este texto", "this text"],
    language: [
      "a língua dos textos: pt ou en; sem ela, a de LC_ALL, LC_MESSAGES ou LANG",
      "the language of texts: pt or en; by default that of LC_ALL, LC_MESSAGES or LANG",
    ],
    required: ["obrigatório", "required"],
    fallback: ["por omissão {value}", "default {value}"],
    exit_codes: ["Códigos de saída:", "Exit codes:"],
  },

  exits: {
    done: ["feito", "done"],
    failed: [
      "um erro do Lacre ou uma falha da máquina, como um disco cheio",
      "a bug in Lacre, or a failure of the machine, such as a full disk",
    ],
    usage: ["a linha de comandos ou uma variável LACRE_ está errada", "the command line or a LACRE_ variable is wrong"],
    refused: ["recusado; a linha no erro padrão diz porquê", "refused; the line on standard error tells why"],
    not_whole: [
      "uma série ou um ficheiro está danificado, alterado ou incompleto",
      "a series or file is damaged, changed or incomplete",
    ],
    unusable: [
      "a base de dados não existe, está danificada, não é do Lacre, é de uma versão mais recente ou só permite leitura, ou não se pode usar o servidor dela",
      "the database is missing, damaged, not Lacre's, newer than this program, read-only, or its server not to be used",
    ],
    in_use: [
      "a base de dados está ocupada, ou há um servidor a usá-la",
      "the database is busy, or a server is using it",
    ],
    no_address: ["não é possível usar o endereço e a porta", "the host and port cannot be used"],
    halted: [
      "o servidor parou por uma falha do disco; volte a iniciá-lo para recuperar",
      "the server stopped after a storage failure; start it again to recover",
    ],
    waiting: ["há alguma coisa à sua espera (status --check)", "something waits for you (status --check)"],
  },

  /** The text of each flag in the help. */
  flags: {
    db: [
      "a base de dados: um ficheiro num disco local, ou um endereço em PostgreSQL (postgres://lacre@db.local/loja)",
      "the database: a file on a local disk, or an address on PostgreSQL (postgres://lacre@db.local/shop)",
    ],
    company: ["qual empresa, se a base de dados tiver várias", "which company, if the database holds several"],
    json: [
      () => "escreve JSON, erros incluídos: {error: {code, message}}; sempre em inglês",
      () => "print JSON, errors too: {error: {code, message}}; always in English",
    ],
    yes: ["não pergunta", "do not ask"],
    out: ["onde escrever; - é a saída padrão", "where to write it; - for standard output"],
    written_to: ["onde escrever", "where to write it"],
    overwrite: ["substitui o ficheiro se existir", "replace the file if it exists"],
    port: ["a porta em que escuta; 0 escolhe uma livre", "the port to listen on; 0 picks a free one"],
    host: ["o endereço em que escuta", "the address to listen on"],
    trusted_proxy: [
      "acredita nos proxies destes endereços (10.0.0.0/8) sobre quem é o cliente",
      "believe the proxies at these addresses (10.0.0.0/8) about who the client is",
    ],
    new: ["cria a base de dados e começa a numeração em 1", "make the database, and begin numbering at 1"],
    area: [
      "a área da empresa em /area; --no-area deixa-a de fora",
      "the company area at /area; --no-area leaves it out",
    ],
    plain_http_lan: [
      "deixa entrar de outras máquinas sem HTTPS, numa rede em que se pode espreitar",
      "let people sign in from other machines without HTTPS, where the network can read along",
    ],
    webhooks: [
      "envia o que espera pelos webhooks; --no-webhooks deixa-o à espera",
      "send what waits for webhooks; --no-webhooks lets it wait",
    ],
    smtp: [
      "servidor por onde seguem os e-mails: smtp://utilizador@servidor:587 (STARTTLS) ou smtps://utilizador@servidor",
      "server that e-mails go through: smtp://user@host:587 (STARTTLS) or smtps://user@host",
    ],
    smtp_from: [
      "endereço de onde seguem os e-mails; sem ele, o do utilizador",
      "address that e-mails are sent from; the user's when left out",
    ],
    smtp_password_file: [
      "ficheiro com a palavra-passe; sem ele, a de LACRE_SMTP_PASSWORD",
      "file with the password; that of LACRE_SMTP_PASSWORD when left out",
    ],
    smtp_plain: [
      "não exige TLS, para um servidor nesta máquina; só sem palavra-passe",
      "does without TLS, for a server on this machine; only without a password",
    ],
    mail_key: [
      "ficheiro com a chave que sela as palavras-passe dos servidores de e-mail das empresas; é criado se faltar",
      "file with the key that seals the passwords of companies' own mail servers; made if missing",
    ],
    webhooks_to_private_networks: [
      "deixa os webhooks ir também para redes privadas, e por HTTP simples",
      "let webhooks go to private networks too, and by plain HTTP",
    ],
    rate_limit: ["pedidos permitidos por chave em cada 60 segundos", "requests allowed per key in any 60 seconds"],
    signing_key: [
      "assina com a chave privada (PEM) deste ficheiro, que fica onde está",
      "sign with the private key (PEM) in this file; it stays there",
    ],
    signing_key_version: ["a versão com que a AT conhece essa chave", "the version under which AT knows that key"],
    name: ["a denominação da empresa", "the company's legal name"],
    tax_id: ["o NIF da empresa", "its Portuguese tax number"],
    address: ["rua e número", "street and number"],
    postal_code: ["como 1000-001", "as in 1000-001"],
    city: ["localidade", "town"],
    country: ["ISO 3166 de duas letras; sem esta opção, PT", "ISO 3166 alpha-2; PT unless given"],
    tax_region: ["PT, PT-AC, PT-MA: Continente, Açores, Madeira", "PT, PT-AC, PT-MA: mainland, Azores, Madeira"],
    time_zone: [
      "decide em que dia se está; sem esta opção, Europe/Lisbon",
      "decides which day it is; Europe/Lisbon unless given",
    ],
    cash_vat: [
      "no regime de IVA de caixa; --no-cash-vat retira a empresa dele",
      "in the cash-VAT scheme; --no-cash-vat takes it out",
    ],
    cash_vat_series: ["para documentos do regime de IVA de caixa", "for documents of the cash-VAT scheme"],
    default_exemption_code: [
      "motivo de isenção das linhas a 0 % que não o indiquem",
      "exemption reason for lines at 0 % that give none",
    ],
    simplified_limit: [
      "a maior FS: 1000 (por omissão), 100 ou none; lacre company set --help",
      "the largest FS: 1000 (the default), 100 or none; lacre company set --help",
    ],
    footer_text: ["impresso no rodapé de cada documento", "printed at the foot of every document"],
    iban: ["a conta onde os clientes pagam", "the account that customers pay to"],
    accent_color: ["a cor dos documentos impressos, como #0b5d3b", "the colour of printed documents, such as #0b5d3b"],
    prices_with_vat: [
      "quem regista escreve preços com IVA; --no-prices-with-vat, sem IVA",
      "people enter prices with VAT; --no-prices-with-vat: without",
    ],
    paper_language: [
      "a língua do que se imprime a quem não tenha outra na ficha: pt, en ou none",
      "the language of papers for a customer who has none: pt, en or none",
    ],
    due_days: [
      "em quantos dias paga um cliente sem prazo próprio, ou none",
      "days in which a customer without such a term pays, or none",
    ],
    logo: ["PNG ou JPEG impresso no topo de cada documento", "a PNG or JPEG, printed at the top of every document"],
    scope: [
      () => `pode repetir-se: ${PERMISSIONS.join(", ")}; ou all`,
      () => `may be repeated: ${PERMISSIONS.join(", ")}; or all`,
    ],
    key_name: ["para que serve a chave", "what the key is for"],
    role: ["owner, accountant, cashier: proprietário, contabilista, caixa", "owner, accountant, cashier"],
    login: ["o endereço de e-mail com que a pessoa entra", "the person's e-mail address, with which they sign in"],
    public_url: [
      "o endereço por que os outros chegam ao servidor, como https://loja.pt/faturas",
      "the address at which others reach the server, such as https://loja.pt/faturas",
    ],
    allowed_host: [
      "responde também por este nome; .loja.pt vale ainda para os que acabam assim",
      "answer to this name too; .loja.pt means those below it as well",
    ],
    doc_type: [() => DOC_TYPES.join(", "), () => DOC_TYPES.join(", ")],
    series_code: ["como 2027A: letras e algarismos", "as in 2027A: letters and digits"],
    validation_code: [
      "o código que a AT deu; pode ser registado depois",
      "the code AT assigned; it can be registered later",
    ],
    training_series: ["só para formação, nunca para documentos reais", "for training only, never real documents"],
    open_year: ["este ano ou o próximo", "this year or the next"],
    certificate_number: ["9999 ensaia o modo estrito; 0 para nenhum", "9999 rehearses strict mode; 0 for none"],
    producer_name: ["a denominação do produtor do programa", "the legal name of the program's producer"],
    producer_tax_id: ["o NIF do produtor", "the producer's Portuguese tax number"],
    key_version: [
      "a versão com que a AT conhece a chave; sem esta opção, a seguinte",
      "the version under which AT knows the key; the next one unless given",
    ],
    print_language: [
      "a língua do documento: pt (por omissão) ou en",
      "the document's language: pt (the default) or en",
    ],
    paper: [
      "A4 (por omissão) ou 80mm, o rolo de uma impressora de talões",
      "A4 (the default) or 80mm, the roll of a receipt printer",
    ],
    copies: ["de 1 a 4 vias: do original ao quadruplicado", "1 to 4 sets: original to quadruplicate"],
    copy: ["marca-o como 2.ª via", "mark it as a second print (2.ª via)"],
    year: ["como 2026", "as in 2026"],
    month: ["de 1 a 12, no ano de --year", "1 to 12, in the year of --year"],
    from: ["o primeiro dia, como 2026-01-01", "the first day, as in 2026-01-01"],
    to: ["o último dia, do mesmo ano", "the last day, of the same year"],
    training: ["só os documentos de séries de formação", "only the documents of training series"],
    saft: [
      "um ficheiro SAF-T (PT) a conferir em vez da base de dados",
      "a SAF-T (PT) file to check instead of the database",
    ],
    public_key: [
      "com --saft: o PEM da chave que confere as assinaturas",
      "with --saft: the PEM of the key that verifies its signatures",
    ],
    answer: [
      "responde por tudo o que foi alterado, para se voltar a emitir: o que aconteceu, e quem o diz",
      "answer for all that was changed, so that issuing goes on: what happened, and who says so",
    ],
    heads_to: [
      "guarda-a também nesta pasta, se possível noutro computador",
      "keep it in this directory, too, best on another machine",
    ],
    heads_stop: ["guarda-a só ao lado da base de dados", "keep it beside the database alone"],
    heads: [
      'compara com números anotados fora: uma cópia de lacre.db.heads, ou "heads" de --json',
      'compare with heads noted outside: a copy of lacre.db.heads, or "heads" of --json',
    ],
    dry_run: [
      "mostra numa tabela o que seria importado e não escreve nada",
      "show what would be imported as a table, and write nothing",
    ],
    every: [
      "de quanto em quanto tempo as faz, como 24h; para um temporizador",
      "how often you take them, as in 24h; for a timer",
    ],
    backup_to: [
      "faz cópias de segurança verificadas nesta pasta, de preferência noutro disco",
      "take verified backups into this directory, best on another disk",
    ],
    backup_every: [
      "de quanto em quanto tempo, como 6h ou 1d; sem esta opção, 24h",
      "how often, as in 6h or 1d; 24h unless given",
    ],
    keep: ["quantas cópias guarda; sem esta opção, 30", "how many of them to keep; 30 unless given"],
    no_backup_because: [
      "servir sem --backup-to, e registar porquê; com número de certificado é preciso um dos dois",
      "serve without --backup-to, and record why; one of them is needed under a certificate number",
    ],
    confirm_head: [
      "o último número emitido numa série; pode repetir-se",
      "the last number issued in a series; may be repeated",
    ],
    lost: [
      "com --confirm-head: as séries que faltam a este ficheiro foram abertas depois da cópia; fecha-as de vez",
      "with --confirm-head: series that this file lacks were opened after the backup; close them for good",
    ],
    remote_url: ["o endereço da instalação", "the address of the installation"],
    key_file: [
      "ficheiro com uma chave da API; sem ele, a de LACRE_KEY",
      "file with an API key; that of LACRE_KEY when left out",
    ],
    forward_to: [
      "para onde seguem os eventos, nesta máquina ou numa rede privada, como http://localhost:3000/lacre",
      "where events are sent, on this machine or in a private network, such as http://localhost:3000/lacre",
    ],
    status_check: ["acabar com 9 enquanto houver alguma coisa à espera", "end with 9 while something waits"],
    restore_status: ["mostra o que falta confirmar", "show what still waits to be confirmed"],
  },

  placeholders: {
    ADDRESS: ["ENDEREÇO", "ADDRESS"],
    CODE: ["CÓDIGO", "CODE"],
    COLOR: ["COR", "COLOR"],
    DATE: ["DATA", "DATE"],
    DIR: ["PASTA", "DIR"],
    DOCUMENT: ["DOCUMENTO", "DOCUMENT"],
    EMAIL: ["EMAIL", "EMAIL"],
    EUR: ["EUR", "EUR"],
    EVENT: ["EVENTO", "EVENT"],
    FILE: ["FICHEIRO", "FILE"],
    IBAN: ["IBAN", "IBAN"],
    ID: ["ID", "ID"],
    LANG: ["LÍNGUA", "LANG"],
    N: ["N", "N"],
    NAME: ["NOME", "NAME"],
    NETWORK: ["REDE", "NETWORK"],
    NIF: ["NIF", "NIF"],
    NUMBER: ["NÚMERO", "NUMBER"],
    PAPER: ["PAPEL", "PAPER"],
    PATH: ["CAMINHO", "PATH"],
    WHY: ["PORQUÊ", "WHY"],
    PEM: ["PEM", "PEM"],
    REGION: ["REGIÃO", "REGION"],
    ROLE: ["PERFIL", "ROLE"],
    S: ["P", "S"],
    SERIES: ["SÉRIE", "SERIES"],
    TEXT: ["TEXTO", "TEXT"],
    TIME: ["TEMPO", "TIME"],
    TYPE: ["TIPO", "TYPE"],
    URL: ["URL", "URL"],
    YEAR: ["ANO", "YEAR"],
  },

  // ——— The command line ———
  usage: {
    no_command: ["não há nenhum comando {name}; veja lacre --help", "there is no command {name}; see lacre --help"],
    needs_verb: ["{name} precisa de um destes: {verbs:list}", "{name} needs one of: {verbs:list}"],
    see_help: ["veja lacre {command} --help", "see lacre {command} --help"],
    too_many: [
      "{value} é um argumento a mais: o que tem espaços precisa de aspas; veja lacre {command} --help",
      "{value} is one argument too many: what has spaces needs quotes; see lacre {command} --help",
    ],
    no_flag: [
      "não há nenhuma opção {flag}; veja lacre {command} --help",
      "there is no flag {flag}; see lacre {command} --help",
    ],
    twice: ["{flag} aparece duas vezes; indique-a uma só", "{flag} is given twice; give it once"],
    takes_no_value: ["{flag} não leva valor; retire ={value}", "{flag} takes no value; leave out ={value}"],
    needs_value: ["{flag} precisa de um valor: {takes}", "{flag} needs a value: {takes}"],
    is_required: ["é obrigatório", "is required"],
    must_be_integer: [
      "tem de ser um número inteiro de {min:plain} a {max:plain}",
      "must be a whole number from {min:plain} to {max:plain}",
    ],
    must_be_time: [
      "tem de ser um tempo de 1m a 24d, como 30m, 24h ou 7d",
      "must be a time from 1m to 24d, as in 30m, 24h or 7d",
    ],
    must_be_one_of: ["tem de ser um destes: {choices:list}", "must be one of {choices:list}"],
    must_be_language: ["tem de ser pt ou en", "must be pt or en"],
    must_be_names: ["tem de indicar nomes de máquinas, como loja.pt", "must be names of hosts, such as loja.pt"],
    must_be_public_url: [
      "tem de ser um endereço como https://loja.pt/faturas",
      "must be an address such as https://loja.pt/faturas",
    ],
    must_be_networks: [
      "tem de indicar endereços ou redes, como 10.0.0.0/8",
      "must be addresses or networks, such as 10.0.0.0/8",
    ],
    must_name_file: ["tem de indicar um ficheiro", "must name a file"],
    must_be_address: [
      "tem de ser um ficheiro, ou o endereço de uma base de dados PostgreSQL como postgres://lacre@db.local/loja, com sinais como # e / da palavra-passe escritos %23 e %2F",
      "must be a file, or the address of a PostgreSQL database such as postgres://lacre@db.local/shop, with signs like # and / in a password written %23 and %2F",
    ],
    unknown_parameter: [
      "tem um parâmetro {name} que o Lacre não conhece; conhece {known:list}",
      "has a parameter {name} that Lacre does not know; it knows {known:list}",
    ],
    must_be_schema: [
      "tem de indicar o esquema em letras minúsculas, algarismos e _, como schema=lacre_loja",
      "must name its schema in small letters, digits and _, such as schema=lacre_shop",
    ],
    must_be_failover: [
      "tem de ter synchronous como failover, ou não ter failover",
      "must have synchronous as failover, or no failover",
    ],
    must_be_ssl_mode: [
      "tem de ter um destes como sslmode: {modes:list}",
      "must have one of these as sslmode: {modes:list}",
    ],
    must_name_address: ["tem de indicar um endereço", "must name an address"],
  },

  // ——— Answers ———
  answers: {
    hint: ["[s/N]", "[y/N]"],
    yes: ["s|sim", "y|yes"],
    nothing_changed: ["Nada foi alterado.", "Nothing was changed."],
    to_go_ahead: [
      "{question} Nada foi alterado; para avançar, acrescente {flag}.",
      "{question} Nothing was changed; to go ahead, add {flag}.",
    ],
  },
});
