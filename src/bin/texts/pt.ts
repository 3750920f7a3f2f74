/** What the program says in Portuguese. Names of commands, flags and files stay. */
import { DOC_TYPES, PERMISSIONS } from "../../core/index.ts";
import type { ImportNote, SaftWarningCode, Texts } from "./en.ts";

/** `1 documento`, `2 documentos`. */
const counted = (count: number, noun: string, several = `${noun}s`) => `${count} ${count === 1 ? noun : several}`;
const documents = (count: number) => counted(count, "documento");

/** `22-11-2026 às 10:31:07 UTC` of an instant. */
const instant = (at: string) => `${day(at)} às ${at.slice(11, 19)} UTC`;
/** `22-11-2026` of a date. */
const day = (date: string) => date.slice(0, 10).split("-").reverse().join("-");

/** `2 clientes criados, 1 já existia, 0 sem condições de importar.` */
function taken(noun: string, count: number, dry_run: boolean, existing: number, unusable: number): string {
  const made = dry_run ? "a criar" : count === 1 ? "criado" : "criados";
  const there = existing === 1 ? "já existia" : "já existiam";
  return `${counted(count, noun)} ${made}, ${existing} ${there}, ${unusable} sem condições de importar.`;
}

/** `10/2026` of `2026-10`. */
const monthYear = (month: string) => `${month.slice(5, 7)}/${month.slice(0, 4)}`;
/** How the tax file of a month is delivered. */
const deliver = (month: string) =>
  `Escreva-o (lacre saft --year ${month.slice(0, 4)} --month ${Number(month.slice(5, 7))}), entregue-o no site da AT e ` +
  "marque o mês na área da empresa";

export const PT: Texts = {
  lang: "pt",

  // ——— The help ———
  help: {
    title: "Lacre: faturação para Portugal.",
    every_command: "Todos os comandos têm --help.",
    flags: "[opções]",
    this_text: "este texto",
    language: "a língua dos textos: pt ou en; sem ela, a de LC_ALL, LC_MESSAGES ou LANG",
    required: "obrigatório",
    fallback: (value) => `por omissão ${value}`,
    exit_codes: "Códigos de saída:",
  },

  exits: {
    done: "feito",
    failed: "um erro do Lacre ou uma falha da máquina, como um disco cheio",
    usage: "a linha de comandos ou uma variável LACRE_ está errada",
    refused: "recusado; a linha no erro padrão diz porquê",
    not_whole: "uma série ou um ficheiro está danificado, alterado ou incompleto",
    unusable:
      "a base de dados não existe, está danificada, não é do Lacre, é de uma versão mais recente ou só permite " +
      "leitura, ou não se pode usar o servidor dela",
    in_use: "a base de dados está ocupada, ou há um servidor a usá-la",
    no_address: "não é possível usar o endereço e a porta",
    halted: "o servidor parou por uma falha do disco; volte a iniciá-lo para recuperar",
    waiting: "há alguma coisa à sua espera (status --check)",
  },

  commands: {
    demo: {
      summary: "emite uma fatura em memória, mostra-a com uma chave e comandos para experimentar; fica a servir",
      details: `\
Nada fica guardado: os documentos desaparecem quando a demonstração acaba. Ctrl+C termina-a.
Com --json: um objeto com o endereço, a chave da API, a empresa e a fatura.`,
    },
    init: {
      summary: "cria a base de dados, a empresa, as suas séries e a primeira chave",
      details: `\
A chave da API tem todas as permissões e só é mostrada uma vez. Uma base de dados que exista nunca é substituída. A
chave de assinatura é criada e guardada na base de dados, salvo se --signing-key indicar um ficheiro que a tenha.`,
    },
    serve: {
      summary: "serve a API; escreve o registo, em linhas JSON, na saída padrão",
      details: `\
Responde à API e, em /area, às páginas em que as pessoas trabalham. Enquanto não houver utilizadores, cria uma ligação
para o primeiro proprietário: num terminal mostra-a; fora dele deixa-a num ficheiro ao lado da base de dados, que só o
seu dono pode ler, e o registo diz que ficheiro é. Com --new cria antes a base de dados, ainda sem empresa: uma pessoa
configura-a no navegador. --new serve só para o primeiro arranque e é recusado onde já houver uma base de dados. Cada
pedido escreve uma linha no registo. Com SIGTERM, SIGINT ou, de um terminal que se fecha, SIGHUP os pedidos em curso
acabam, a base de dados é fechada e o servidor sai com 0 em menos de 10 s; um segundo SIGTERM ou SIGINT termina-o logo
(saída 143 ou 130). O registo é JSON com e sem --json, que põe também em JSON a última linha do erro padrão. Todos os
outros comandos, menos restore, funcionam enquanto ele corre. Num terminal não há registo: diz só o que interessa a quem
lá está.
Se houver à frente um proxy com HTTPS, indique --public-url: as ligações, as páginas e os cookies seguem-no. É recusado
um pedido por um nome que não seja esse, nem um endereço, nem um nome da rede sem ponto ou acabado em .local, nem um
indicado com --allowed-host; assim nenhuma página de fora chega ao servidor pelo navegador de alguém cá dentro.
Com --backup-to faz cópias de segurança verificadas num processo à parte, a primeira logo no início se a última for
mais antiga do que o intervalo. Só apaga cópias que fez desta base de dados, e nunca a mais recente. Com número de
certificado precisa disso, ou de --no-backup-because: o motivo fica registado, e lacre status mostra-o.`,
    },
    status: {
      summary: "mostra o que espera por si, a última cópia de segurança, o certificado, as versões e onde está tudo",
      details: `\
Funciona com e sem servidor a correr e não altera nada. Com --json, para programas: "waiting" está vazio quando não há
nada à espera. Com --check, para um temporizador: acaba com 9 enquanto houver alguma coisa à espera.`,
    },
    "company create": {
      summary: "acrescenta uma empresa, com uma série por tipo de documento",
      details: "Precisa de uma chave própria: lacre key create --company ID.",
    },
    "company show": { summary: "mostra os dados de uma empresa", details: "" },
    "company set": {
      summary: "altera os dados de uma empresa",
      details: `\
Só mudam os dados indicados. Um texto vazio apaga a morada, o código postal, a localidade, o código de isenção, o
rodapé ou o logótipo. Os documentos emitidos mantêm os dados com que foram emitidos, mas são impressos com o rodapé e
o logótipo atuais. O NIF deixa de poder mudar com o primeiro documento que não seja de formação: outro contribuinte é
outra empresa.`,
    },
    "key create": { summary: "cria uma chave da API; o valor só é mostrado uma vez", details: "" },
    "key list": { summary: "lista as chaves de uma empresa, as mais recentes primeiro, com as revogadas", details: "" },
    "key revoke": {
      summary: "revoga uma chave de vez; um servidor a correr recusa-a a partir do pedido seguinte",
      details: "",
    },
    "user invite": {
      summary: "cria uma ligação com que uma pessoa passa a ser utilizadora; só é mostrada uma vez",
      details: `\
--role owner cria um proprietário de todas as empresas, com ou sem --login. Os outros perfis são numa só empresa e
precisam de --login, o e-mail da pessoa. Quem tiver a ligação pode usá-la: dê-a só a essa pessoa.`,
    },
    "user list": {
      summary: "lista os utilizadores, com as empresas e os perfis, os mais antigos primeiro, com os desativados",
      details: "",
    },
    "user reset": {
      summary: "cria uma ligação com que um utilizador escolhe outra palavra-passe, e reativa um desativado",
      details: "",
    },
    "user disable": { summary: "desativa um utilizador; as sessões dessa pessoa acabam logo", details: "" },
    "series list": { summary: "lista as séries de uma empresa, as mais antigas primeiro", details: "" },
    "series create": { summary: "abre uma série", details: "" },
    "series open": {
      summary: "abre as séries de um ano, 2027A a seguir a 2026A, para cada tipo em uso",
      details: `\
Um tipo está em uso quando uma série ativa de um ano anterior tem documentos ou código de validação; enquanto não
houver nenhum, abrem-se todos. O que já existe é indicado e fica como está. Um código é de um ano quando o indica, a
partir de 2022, sem outro algarismo ao lado: 2026A, LOJA2-2026. Uma série sem ano continua e não precisa de outra.`,
    },
    "series register": {
      summary: "regista o código de validação que a AT deu a uma série, antes do primeiro documento",
      details: 'SÉRIE é o nome que lacre series list mostra, entre aspas ("FT 2026A"), ou o id.',
    },
    "series close": {
      summary: "fecha uma série de vez",
      details: `\
SÉRIE é o nome que lacre series list mostra, entre aspas ("FT 2026A"), ou o id.
O fecho é definitivo e vale a partir do documento seguinte. O comando pergunta antes; onde ninguém possa responder,
indique --yes.`,
    },
    "signer show": {
      summary: "mostra em JSON o número de certificado, a versão da chave, a chave pública e o produtor",
      details: `\
O produtor do programa entrega esta chave pública à Autoridade Tributária (AT), com esta versão. A chave privada nunca
é mostrada.`,
    },
    "signer set": {
      summary: "liga ou desliga o ensaio do modo estrito, e indica o produtor",
      details: `\
A AT certifica um programa e dá o número ao produtor: o número vem com a edição do Lacre desse produtor e de nenhuma
outra forma. Esta edição não tem número próprio. Com 9999 ensaia: um documento a que falte algo que a lei exige é
recusado, e cada página diz que é um ensaio. 0 acaba com o ensaio. Uma série com documentos de outro número não aceita
mais; abra uma nova (lacre series create). Os documentos emitidos ficam como estão.
Só mudam os dados indicados. Textos vazios nas duas opções do produtor retiram o produtor.`,
    },
    "signer rotate": {
      summary: "cria uma chave nova com a versão seguinte; um servidor a correr usa-a a partir do documento seguinte",
      details: `\
Os documentos já assinados mantêm a versão da sua chave e continuam a conferir. Com número de certificado, entregue a
nova chave pública à AT antes do documento seguinte (lacre signer show mostra-a).`,
    },
    "signer import": {
      summary: "guarda uma chave privada na base de dados; um servidor a correr usa-a a partir do documento seguinte",
      details: `\
A chave é RSA de 1024 bits em PEM (PKCS#1 ou PKCS#8), sem palavra-passe. As cópias de segurança também a vão ter; para
a manter num ficheiro próprio, inicie serve com --signing-key.`,
    },
    pdf: {
      summary: "escreve um documento emitido em PDF",
      details: `\
DOCUMENTO é o número impresso, entre aspas, ou o id: lacre pdf "FT 2026A/12" --out fatura.pdf
O primeiro PDF é o original e fica registado; os seguintes, e os feitos com --copy, são marcados como segunda via e
têm o conteúdo do primeiro. Funciona com o servidor a correr.`,
    },
    saft: {
      summary: "escreve o ficheiro SAF-T (PT) de um ano, de um mês ou de quaisquer dias de um ano",
      details: `\
Sem período: este ano até hoje. O ficheiro só recebe o nome quando está completo; o relatório diz o que ele tem e o
que deve ver. Funciona com o servidor a correr. Para conferir um ficheiro: lacre verify --saft FICHEIRO`,
    },
    verify: {
      summary: "verifica toda a base de dados e diz o que está errado, ou confere um ficheiro SAF-T",
      details: `\
Verifica que a numeração não tem falhas, que as datas e horas estão em ordem, que as assinaturas, os selos, os totais
e o último número de cada série estão certos, que nenhum evento falta ou foi alterado, que cada registo está como o
último evento o deixou, que o esquema é o do Lacre e que nenhuma página do ficheiro está danificada. Funciona com o
servidor a correr, que, salvo as páginas, verifica o mesmo sozinho: ao arrancar, ao parar e uma vez por dia. Se
encontrar algo, a empresa não emite nada até se repor uma cópia de segurança ou alguém responder por isso: lacre verify
--answer PORQUÊ. Fica registado; o que mudar depois volta a parar a emissão.

Com --saft: confere o ficheiro SAF-T (PT) 1.04_01 de qualquer programa e dispensa a base de dados. Falhas de
estrutura, chaves, números, datas, assinaturas e somas são erros; totais de controlo, preços e meios de pagamento
errados são avisos. Sem --public-key, a chave do produtor do programa, só se confere a forma das assinaturas.`,
    },
    heads: {
      summary: "guarda também noutro sítio a nota dos últimos números, ou diz onde está",
      details: `\
Um servidor a correr passa a escrevê-la lá, no máximo uma vez por segundo. Ao arrancar compara a base de dados com as
duas notas: um ficheiro a que falte o que está anotado fica bloqueado como uma cópia de segurança restaurada.`,
    },
    "import-saft": {
      summary: "importa clientes e artigos, não documentos, do ficheiro SAF-T de qualquer programa",
      details: `\
Importa tudo ou, se algo falhar, nada. O que já existe (um cliente com o mesmo NIF e nome, um artigo com o mesmo
código) fica como está, e por isso pode repetir. Os preços, as unidades e as taxas vêm da última linha que vendeu o
artigo. O relatório diz o que ficou de fora, foi encurtado ou foi suposto.`,
    },
    backup: {
      summary: "faz uma cópia de segurança verificada, mesmo com o servidor a correr",
      details: `\
O ficheiro só recebe o nome depois de a cópia estar verificada e no disco. Contém a chave de assinatura: guarde-o onde
só você o possa ler. Onde quer que seja aberto, a emissão começa bloqueada (lacre restore --help).
Com --every, lacre status avisa quando faltarem duas; sem ela, quando passar uma semana.`,
    },
    restore: {
      summary: "repõe uma cópia de segurança, com a emissão bloqueada até confirmar cada série",
      details: `\
A cópia é verificada antes; a base de dados que lá estiver é posta de lado. Pare primeiro o servidor.

Os clientes têm documentos emitidos depois da cópia, e os números deles não se podem repetir. Por isso a emissão fica
bloqueada até confirmar, para cada série, o último número que emitiu (0 se nunca usou a série):
  lacre restore --confirm-head 'FT 2026A/17'
Se for o último número do ficheiro, a série continua. Se não for, a série é fechada e abre uma nova
(lacre series create). Números dados em conjunto confirmam-se todos ou nenhum, com o tipo como está impresso (RG, GD)
ou como a série se chama (RC, NDV). Pode confirmar com um servidor a correr.`,
    },
    archive: {
      summary:
        "escreve toda a base de dados num ficheiro, em que se muda: de um ficheiro para o PostgreSQL, ou de volta",
      details: `\
A base de dados é verificada antes, e um servidor pode continuar entretanto: o arquivo tem tudo como num só momento.
Contém a chave de assinatura: guarde-o onde só você o possa ler. Para se mudar, pare o que serve a base de dados, para
que nada se emita depois do arquivo, leia-o no novo lugar (lacre unarchive) e deixe de usar a antiga.`,
    },
    unarchive: {
      summary: "lê um arquivo para uma base de dados nova, com a emissão bloqueada até confirmar cada série",
      details: `\
A base de dados ainda não pode existir. Antes de existir, tudo é conferido e verificado; se algo falhar, não fica nada.

Como a base de dados de que se tirou o arquivo pode continuar em uso, a emissão fica bloqueada até confirmar, para cada
série, o último número que emitiu, como depois de lacre restore:
  lacre restore --confirm-head 'FT 2026A/17'`,
    },
    "clock confirm": {
      summary: "confirma que o relógio está certo: há documentos com hora posterior, ou há muito que nada se emite",
      details: `\
Enquanto o relógio estiver atrasado em relação ao último documento, nada se emite até lá, salvo se o confirmar. O mesmo
acontece quando, segundo o relógio, a empresa não emite nada há mais de 60 dias, como quando ele salta para a frente; o
proprietário também o pode confirmar na área da empresa.`,
    },
    openapi: {
      summary: "mostra o documento OpenAPI ou escreve-o num ficheiro",
      details: "O documento é JSON com e sem --json, que põe também os erros em JSON.",
    },
    version: { summary: "mostra a versão, tal como --version e -v", details: "" },
  },

  flags: {
    db: "a base de dados: um ficheiro num disco local, ou um endereço em PostgreSQL (postgres://lacre@db.local/loja)",
    company: "qual empresa, se a base de dados tiver várias",
    json: "escreve JSON, erros incluídos: {error: {code, message}}; sempre em inglês",
    yes: "não pergunta",
    out: "onde escrever; - é a saída padrão",
    written_to: "onde escrever",
    overwrite: "substitui o ficheiro se existir",
    port: "a porta em que escuta; 0 escolhe uma livre",
    host: "o endereço em que escuta",
    trusted_proxy: "acredita nos proxies destes endereços (10.0.0.0/8) sobre quem é o cliente",
    new: "cria a base de dados e começa a numeração em 1",
    area: "a área da empresa em /area; --no-area deixa-a de fora",
    plain_http_lan: "deixa entrar de outras máquinas sem HTTPS, numa rede em que se pode espreitar",
    webhooks: "envia o que espera pelos webhooks; --no-webhooks deixa-o à espera",
    webhooks_to_private_networks: "deixa os webhooks ir também para redes privadas, e por HTTP simples",
    rate_limit: "pedidos permitidos por chave em cada 60 segundos",
    signing_key: "assina com a chave privada (PEM) deste ficheiro, que fica onde está",
    signing_key_version: "a versão com que a AT conhece essa chave",
    name: "a denominação da empresa",
    tax_id: "o NIF da empresa",
    address: "rua e número",
    postal_code: "como 1000-001",
    city: "localidade",
    country: "ISO 3166 de duas letras; sem esta opção, PT",
    tax_region: "PT, PT-AC, PT-MA: Continente, Açores, Madeira",
    time_zone: "decide em que dia se está; sem esta opção, Europe/Lisbon",
    cash_vat: "no regime de IVA de caixa; --no-cash-vat retira a empresa dele",
    cash_vat_series: "para documentos do regime de IVA de caixa",
    default_exemption_code: "motivo de isenção das linhas a 0 % que não o indiquem",
    simplified_limit: "a maior FS: 1000 (por omissão), 100 ou none; lacre company set --help",
    footer_text: "impresso no rodapé de cada documento",
    logo: "PNG ou JPEG impresso no topo de cada documento",
    scope: `pode repetir-se: ${PERMISSIONS.join(", ")}; ou all`,
    key_name: "para que serve a chave",
    role: "owner, accountant, cashier: proprietário, contabilista, caixa",
    login: "o endereço de e-mail com que a pessoa entra",
    public_url: "o endereço por que os outros chegam ao servidor, como https://loja.pt/faturas",
    allowed_host: "responde também por este nome; .loja.pt vale ainda para os que acabam assim",
    doc_type: DOC_TYPES.join(", "),
    series_code: "como 2027A: letras e algarismos",
    validation_code: "o código que a AT deu; pode ser registado depois",
    training_series: "só para formação, nunca para documentos reais",
    open_year: "este ano ou o próximo",
    certificate_number: "9999 ensaia o modo estrito; 0 para nenhum",
    producer_name: "a denominação do produtor do programa",
    producer_tax_id: "o NIF do produtor",
    key_version: "a versão com que a AT conhece a chave; sem esta opção, a seguinte",
    print_language: "a língua do documento: pt (por omissão) ou en",
    paper: "A4 (por omissão) ou 80mm, o rolo de uma impressora de talões",
    copies: "de 1 a 4 vias: do original ao quadruplicado",
    copy: "marca-o como 2.ª via",
    year: "como 2026",
    month: "de 1 a 12, no ano de --year",
    from: "o primeiro dia, como 2026-01-01",
    to: "o último dia, do mesmo ano",
    training: "só os documentos de séries de formação",
    saft: "um ficheiro SAF-T (PT) a conferir em vez da base de dados",
    public_key: "com --saft: o PEM da chave que confere as assinaturas",
    answer: "responde por tudo o que foi alterado, para se voltar a emitir: o que aconteceu, e quem o diz",
    heads_to: "guarda-a também nesta pasta, se possível noutro computador",
    heads_stop: "guarda-a só ao lado da base de dados",
    heads: 'compara com números anotados fora: uma cópia de lacre.db.heads, ou "heads" de --json',
    dry_run: "mostra numa tabela o que seria importado e não escreve nada",
    every: "de quanto em quanto tempo as faz, como 24h; para um temporizador",
    backup_to: "faz cópias de segurança verificadas nesta pasta, de preferência noutro disco",
    backup_every: "de quanto em quanto tempo, como 6h ou 1d; sem esta opção, 24h",
    keep: "quantas cópias guarda; sem esta opção, 30",
    no_backup_because: "servir sem --backup-to, e registar porquê; com número de certificado é preciso um dos dois",
    confirm_head: "o último número emitido numa série; pode repetir-se",
    lost: "com --confirm-head: as séries que faltam a este ficheiro foram abertas depois da cópia; fecha-as de vez",
    status_check: "acabar com 9 enquanto houver alguma coisa à espera",
    restore_status: "mostra o que falta confirmar",
  },

  placeholders: {
    ADDRESS: "ENDEREÇO",
    CODE: "CÓDIGO",
    DATE: "DATA",
    DIR: "PASTA",
    DOCUMENT: "DOCUMENTO",
    EMAIL: "EMAIL",
    EUR: "EUR",
    FILE: "FICHEIRO",
    ID: "ID",
    LANG: "LÍNGUA",
    N: "N",
    NAME: "NOME",
    NETWORK: "REDE",
    NIF: "NIF",
    NUMBER: "NÚMERO",
    PAPER: "PAPEL",
    PATH: "CAMINHO",
    WHY: "PORQUÊ",
    PEM: "PEM",
    REGION: "REGIÃO",
    ROLE: "PERFIL",
    S: "P",
    SERIES: "SÉRIE",
    TEXT: "TEXTO",
    TIME: "TEMPO",
    TYPE: "TIPO",
    URL: "URL",
    YEAR: "ANO",
  },

  // ——— The command line ———
  usage: {
    no_command: (name) => `não há nenhum comando ${name}; veja lacre --help`,
    needs_verb: (name, verbs) => `${name} precisa de um destes: ${verbs.join(", ")}`,
    see_help: (command) => `veja lacre ${command} --help`,
    too_many: (value, command) =>
      `${value} é um argumento a mais: o que tem espaços precisa de aspas; veja lacre ${command} --help`,
    no_flag: (flag, command) => `não há nenhuma opção ${flag}; veja lacre ${command} --help`,
    twice: (flag) => `${flag} aparece duas vezes; indique-a uma só`,
    takes_no_value: (flag, value) => `${flag} não leva valor; retire =${value}`,
    needs_value: (flag, takes) => `${flag} precisa de um valor: ${takes}`,
    is_required: "é obrigatório",
    must_be_integer: (min, max) => `tem de ser um número inteiro de ${min} a ${max}`,
    must_be_time: "tem de ser um tempo de 1m a 24d, como 30m, 24h ou 7d",
    must_be_one_of: (choices) => `tem de ser um destes: ${choices.join(", ")}`,
    must_be_language: "tem de ser pt ou en",
    must_be_paper: "tem de ser A4 ou 80mm",
    must_be_limit: "tem de ser 1000, 100 ou none",
    must_be_scope: (scopes) => `tem de ser all ou um destes: ${scopes.join(", ")}`,
    must_be_names: "tem de indicar nomes de máquinas, como loja.pt",
    must_be_public_url: "tem de ser um endereço como https://loja.pt/faturas",
    must_be_networks: "tem de indicar endereços ou redes, como 10.0.0.0/8",
    must_name_file: "tem de indicar um ficheiro",
    must_be_address:
      "tem de ser um ficheiro, ou o endereço de uma base de dados PostgreSQL como postgres://lacre@db.local/loja, com " +
      "sinais como # e / da palavra-passe escritos %23 e %2F",
    unknown_parameter: (name, known) => `tem um parâmetro ${name} que o Lacre não conhece; conhece ${known.join(", ")}`,
    must_be_schema: "tem de indicar o esquema em letras minúsculas, algarismos e _, como schema=lacre_loja",
    must_be_failover: "tem de ter synchronous como failover, ou não ter failover",
    must_be_ssl_mode: (modes) => `tem de ter um destes como sslmode: ${modes.join(", ")}`,
    must_name_address: "tem de indicar um endereço",
  },

  // ——— Answers ———
  answers: {
    hint: "[s/N]",
    yes: /^\s*s(?:im)?\s*$/i,
    nothing_changed: "Nada foi alterado.",
    to_go_ahead: (question, flag) => `${question} Nada foi alterado; para avançar, acrescente ${flag}.`,
  },

  // ——— Words in many places ———
  listed: (names, more) => (more > 0 ? `${names} e mais ${more}` : names),
  none: "nenhuma",
  documents,

  // ——— Errors of the system and of the storage ———
  errors: {
    standard_output: "a saída padrão",
    the_database: "a base de dados",
    the_file: "o ficheiro",
    busy: (path) => `Outro programa está a escrever em ${path}; tente de novo.`,
    no_room_to_write: (path) =>
      `O disco não tem espaço para ${path}: nada foi escrito; liberte espaço e tente de novo.`,
    lost: (path, reason) =>
      `A ligação a ${path} perdeu-se: ${reason}. Não se sabe se a última alteração ficou gravada.`,
    broken: (path, reason) =>
      `${path} está danificado, ou o disco falha (${reason}); verifique o disco e reponha uma cópia de segurança: ` +
      "lacre restore FICHEIRO",
    unusable: (path, reason) => `O Lacre não consegue usar ${path} (${reason}); verifique as permissões e o disco.`,
    nowhere:
      "A pasta onde isto foi iniciado já não existe; mude para outra, ou indique a base de dados por inteiro (--db " +
      "/CAMINHO).",
    no_file: (path) => `Não há nenhum ficheiro ${path}; verifique o nome.`,
    not_a_directory: (path) => `Uma parte de ${path} é um ficheiro e não uma pasta; verifique o nome.`,
    is_a_directory: (path) => `${path} é uma pasta; indique um ficheiro.`,
    exists: (path) => `${path} já existe e não é substituído; indique outro.`,
    name_too_long: (path) => `O nome ${path} é demasiado comprido; escolha um mais curto.`,
    circle: (path) => `${path} é um atalho para si próprio; indique o ficheiro.`,
    forbidden: (path) =>
      `Este utilizador não pode usar ${path}; mude as permissões dele ou da pasta, ou indique outro.`,
    read_only: (path) => `${path} está num disco só de leitura; escolha outro sítio.`,
    in_use: (path) => `${path} está a ser usado pelo sistema; escolha outro.`,
    running: (path) => `${path} é um programa que está a correr; indique outro ficheiro.`,
    device: (path) => `${path} é um dispositivo ou um socket; indique um ficheiro.`,
    no_room: (path) => `O disco não tem espaço para ${path}; liberte espaço e tente de novo.`,
    too_large: (path) => `${path} seria maior do que este disco permite; escolha outro disco.`,
    disk_fails: (path) => `O disco de ${path} falha; verifique-o e escolha outro.`,
    too_many_open: (path) =>
      `Não é possível abrir ${path}: há demasiados ficheiros abertos; aumente o limite (ulimit -n) ou termine ` +
      "outros programas.",
    other: (path, reason) => `${path}: ${reason}.`,
  },

  // ——— Files ———
  storage: {
    schema_is_empty: () => "A base de dados está vazia.",
    schema_is_older: () =>
      "A base de dados tem um esquema mais antigo; o lacre serve atualiza-a, e antes faz cópia de segurança de um ficheiro.",
    schema_is_newer: () =>
      "A base de dados foi escrita por um Lacre mais recente; este é demasiado antigo para a abrir.",
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
  },

  files: {
    no_directory: (path) => `Não há nenhuma pasta ${path}; crie-a primeiro.`,
    too_large: (path) => `${path} é um dispositivo, ou tem mais de 16 MB; indique um ficheiro menor.`,
    not_a_file: (path) => `${path} não é um ficheiro; indique um ficheiro.`,
    out_not_a_file: (path) => `${path} não é um ficheiro; indique um ficheiro (ou, para a saída padrão, - em --out).`,
    is_the_database: (path) => `${path} é a própria base de dados; indique outro ficheiro.`,
    of_the_database: (path) => `${path} pertence à base de dados; indique outro ficheiro.`,
  },

  // ——— Finding and opening a database ———
  database: {
    absent: (path) =>
      `Não há nenhuma base de dados em ${path}; se estiver noutro sítio, indique-a (--db CAMINHO); para criar uma: ` +
      "lacre serve --new, ou lacre init",
    absent_but_left: (path, left) =>
      `Não há nenhuma base de dados em ${path}, mas ${left} ficou de uma: volte a pô-la no sítio, ou reponha uma ` +
      "cópia de " +
      "segurança: lacre restore FICHEIRO",
    left_of_earlier: (left) =>
      `${left} ficou de uma base de dados anterior, cujos números uma nova voltaria a dar: reponha uma cópia de ` +
      "segurança " +
      `(lacre restore FICHEIRO), ou tire ${left} daí.`,
    read_only: (path) => `${path} só permite leitura; permita a escrita.`,
    several_names: (path, names) =>
      `${path} tem ${names} nomes (ligações físicas), e cada um teria um diário próprio, o que daria números ` +
      "repetidos; " +
      `apague os outros: find PASTA -samefile ${path}`,
    mounted_alone: (path) =>
      `${path} está montado sozinho, o diário ficaria noutro sítio e os números poderiam repetir-se; monte antes a ` +
      "pasta.",
    log_missing: (path) =>
      `${path} está a ser usado por init ou restore, ou por um servidor cujo diário ${path}-wal falta; espere que ` +
      "acabe.",
    not_a_file: (path) => `${path} não é um ficheiro; indique o ficheiro de uma base de dados.`,
    unreadable: (path) => `Não é possível ler ${path}; permita a leitura.`,
    not_a_database: (path) => `${path} não é uma base de dados; indique outro ficheiro.`,
    not_ours: (path) => `${path} não é uma base de dados do Lacre; indique outro ficheiro.`,
    not_a_lock: (path) => `${path} não é do Lacre e não serve para o bloqueio. Veja o que é e remova-o.`,
    in_use: (path) => `${path} está em uso: há um servidor a correr, ou init ou restore; pare-o primeiro.`,
    damaged: (damage) => `A base de dados está danificada (${damage}); reponha uma cópia de segurança anterior.`,
    damaged_file: (path, damage) =>
      `${path} está danificado (${damage}); verifique o disco e reponha uma cópia de segurança: lacre restore ` +
      "FICHEIRO. " +
      "O ficheiro danificado é guardado, com o que veio depois da cópia.",
    damaged_search: (path, damage) =>
      `Em ${path} só está danificado o índice de pesquisa (${damage}), que se faz a partir de outras tabelas; essas ` +
      "estão íntegras. Verifique o disco e faça o ficheiro de novo, sem perder nada:\n" +
      "  lacre archive FICHEIRO\n" +
      "  lacre unarchive FICHEIRO --db NOVO.db",
    cannot_be_checked: "não pode ser verificado",
    key_and_version: "--signing-key e --signing-key-version têm de vir juntas",
    unusable_key: (path, reason) => `${path}: ${reason}`,
    no_company: "A base de dados não tem nenhuma empresa; crie uma: lacre company create",
    several_companies: (choices) => `falta --company, porque a base de dados tem várias: ${choices}`,
    half_restored: (path, log, aside, suffix) =>
      `O restauro de ${path} foi interrompido, e entretanto outro programa abriu-a: ${log} pertence a ${aside}, e ` +
      `${path + suffix} não. Tire daí ${path} e o seu ${suffix} e volte a restaurar.`,
  },

  // ——— PostgreSQL ———
  postgres: {
    no_package: "Para usar PostgreSQL falta o pacote pg: npm install pg",
    unreachable: (address, reason) =>
      `Nenhum servidor PostgreSQL responde em ${address} (${reason}); verifique o endereço, e se o servidor está a ` +
      "correr e se chega lá daqui.",
    refused: (address, reason) =>
      `O servidor em ${address} não deixa entrar com este nome (${reason}); verifique o utilizador e a palavra-passe, ` +
      "que vem de PGPASSWORD ou do endereço, e o pg_hba.conf do servidor.",
    no_database: (address, reason) =>
      `O servidor não tem a base de dados de ${address} (${reason}); verifique o nome, ou crie-a lá: createdb NOME`,
    no_rights: (address, reason) =>
      `Falta uma permissão ao utilizador em ${address} (${reason}); dê-lha (docs/operating.md, On PostgreSQL).`,
    standby: (address, reason) =>
      `O servidor em ${address} só permite leitura (${reason}); indique aquele onde se escreve.`,
    pooler: (address, reason) =>
      `O que responde em ${address} muda de ligação entre transações (${reason}); use um pool por sessão, ou que conheça ` +
      "as instruções preparadas (PgBouncer 1.21: max_prepared_statements).",
    full: (address, reason) =>
      `O servidor em ${address} não tem espaço (${reason}): nada foi escrito; liberte espaço e tente de novo.`,
    no_connection: (address, reason) =>
      `O servidor em ${address} não aceita mais ligações (${reason}); tente de novo, ou aumente o limite.`,
    starting: (address, reason) => `O servidor em ${address} está a arrancar ou a parar (${reason}); tente de novo.`,
    certificate: (address, reason) =>
      `O certificado do servidor em ${address} não é de confiança (${reason}); indique no endereço o de quem o emitiu: ` +
      "sslrootcert=FICHEIRO",
    no_ssl: (address, reason) =>
      `O servidor em ${address} não tem ligações cifradas (${reason}); ative-as lá, ou retire sslmode.`,
    busy: (address, reason) => `O servidor em ${address} está ocupado (${reason}); tente de novo.`,
    unusable: (address, reason) => `O Lacre não consegue usar ${address} (${reason}); veja os registos do servidor.`,
    absent: (address) =>
      `Não há nenhuma base de dados do Lacre em ${address}; se estiver noutro sítio, indique-a (--db); para criar uma: ` +
      "lacre serve --new, ou lacre init",
    foreign: (address, schema) =>
      `O esquema ${schema} em ${address} tem tabelas que não são do Lacre; indique outro: ?schema=NOME`,
    exists: (address) =>
      `Já há uma base de dados do Lacre em ${address}; indique outro esquema (?schema=NOME), ou crie mais uma empresa: ` +
      "lacre company create",
    being_made: (address) => `Outro programa está a criar uma base de dados em ${address}; espere que acabe.`,
    no_backup: (address) =>
      `${address} não é um ficheiro que se copie. Guarde-o com pg_dump, ou com o arquivo do servidor ` +
      "(docs/operating.md, On PostgreSQL).",
    upgrading: (address, from, to) =>
      `${address} está a ser atualizada, de ${from} para ${to}. Só volta atrás quem tiver uma cópia de antes: pg_dump, o ` +
      "arquivo do servidor, ou lacre archive FICHEIRO do programa anterior.",
    no_restore: (address) =>
      `${address} não é um ficheiro que se reponha. Use pg_restore, ou o arquivo do servidor ` +
      "(docs/operating.md, On PostgreSQL).",
    no_heads: (address) =>
      `A nota dos últimos números é de um ficheiro, não de um servidor. Anote os últimos números de ${address} com lacre verify --json, e ` +
      "compare com lacre verify --heads.",
    no_scheduled_backups: (address) =>
      `--backup-to, --backup-every, --keep e --no-backup-because são para um ficheiro; de ${address} faz-se cópia com pg_dump, ou com o ` +
      "arquivo do servidor",
  },

  // ——— The note of heads ———
  heads: {
    to_or_stop: "indique só uma de --to PASTA e --stop",
    no_directory: (path) => `Não há nenhuma pasta ${path}; crie-a, ou ligue o disco onde está.`,
    read_only: (path) => `${path} só permite leitura; permita a escrita, ou indique outra em --to.`,
    beside_alone: (note) =>
      `A nota dos últimos números é só ${note}, que se perde com a base de dados; guarde-a também noutro sítio: lacre ` +
      "heads --to PASTA",
    elsewhere: (note, elsewhere) => `A nota dos últimos números é ${note}, e noutro sítio ${elsewhere}.`,
    on_one_disk:
      "Estão as duas no mesmo disco: se ele avariar, perdem-se ambas. Indique uma pasta noutro, se possível noutro " +
      "computador.",
    locked:
      "Este ficheiro conta como cópia de segurança restaurada, até confirmar os últimos números: lacre restore --status",
    not_a_note: (path) => `${path} não é uma nota de últimos números, ou é de uma versão mais recente.`,
    unreadable: (note, reason, path) =>
      `Não é possível ler ${note} (${reason}): fica sem se saber se este é o ${path} mais recente.`,
    event: (position, company) =>
      `O evento ${position} da ${company === null ? "instalação" : `empresa ${company}`} foi registado, mas falta ` +
      "a este " +
      "ficheiro, ou está lá outro em vez dele.",
    behind: (number, head) => `${number} foi dado, mas este ficheiro acaba em ${head}.`,
    differs: (number) => `${number} foi dado a um documento que não é o deste ficheiro.`,
    no_series: (number) => `${number} foi dado, mas este ficheiro não tem essa série.`,
    no_company: (number, company) => `${number} foi dado, mas este ficheiro não tem a empresa ${company}.`,
    missing: (note) => `${note} anota o que falta a este ficheiro:`,
  },

  // ——— What waits ———
  waiting: {
    not_certified:
      "Este programa não está certificado: quem tem de faturar com software certificado não o pode usar tal como vem.",
    duties:
      "Antes da primeira fatura, a empresa comunica à AT, no Portal das Finanças, os estabelecimentos, os equipamentos " +
      "e o programa (Decreto-Lei 28/2019, artigo 34.º). Guarda os documentos dez anos (19.º, n.º 1): faça cópias de " +
      "segurança. Uma sociedade imprime o tipo, a sede, a conservatória, o número e o capital (CSC, artigo 171.º): " +
      "lacre company set --footer-text TEXTO",
    key_in_database:
      "A chave privada que assina está na base de dados, e quem a conseguir ler pode assinar; guarde-a num ficheiro " +
      "(--signing-key), ou no produtor (docs/law.md).",
    exposed: (path, holds) =>
      `Outros utilizadores podem ler ou alterar ${path}, que contém ` +
      `${holds === "keys" ? "chaves e clientes" : "a chave de assinatura"}: ` +
      `chmod 600 '${path}'`,
    numbers_unconfirmed: (numbers) =>
      "Depois de um restauro nada se emite até confirmar o último número que deu em cada série, que pode já ir " +
      "além dos " +
      `deste ficheiro (${numbers}): lacre restore --status`,
    database_changed: (place) =>
      `${place} não está como o Lacre o deixou: outra coisa alterou a base de dados, e não se emite nada até alguém ` +
      "responder por isso. Tudo o que está mal: lacre verify. Reponha uma cópia de segurança, ou: lacre verify " +
      "--answer PORQUÊ",
    clock_behind: (latest) =>
      `Nada se emite enquanto o relógio estiver atrasado em relação ao último documento (${instant(latest)}). ` +
      "Acerte o " +
      "relógio; se estiver certo: lacre clock confirm",
    clock_unconfirmed: (now, since) =>
      `Segundo este relógio (${instant(now)}), não se emite nada desde ${instant(since)}, nem se emite até o relógio ` +
      "ser confirmado. Se estiver errado, acerte-o; se estiver certo: lacre clock confirm",
    disk_low: (free) =>
      `O disco da base de dados só tem ${free} livres: liberte espaço. Quando ficar cheio, nada se emite.`,
    backup_overdue: (taken_at) => {
      const none = "Ainda não há nenhuma cópia de segurança";
      const last = taken_at === null ? none : `A última cópia de segurança é de ${instant(taken_at)}`;
      return `${last}, e foram emitidos documentos desde então. Faça uma, se possível noutro disco: lacre backup FICHEIRO`;
    },
    heads_not_elsewhere:
      "Os últimos números só estão anotados ao lado da base de dados, e perdem-se com ela; guarde a nota também noutro " +
      "disco ou computador: lacre heads --to PASTA",
    tax_file_due: (month, due) =>
      `O ficheiro SAF-T de ${monthYear(month)} tem de ser comunicado à AT até ${day(due)}. ${deliver(month)}`,
    tax_file_changed: (month) =>
      `Foram emitidos ou anulados documentos de ${monthYear(month)} depois de comunicado o ficheiro SAF-T. ${deliver(month)}`,
    year_not_open: (year, types) => `Ainda não há séries de ${year} para ${types}: lacre series open --year ${year}`,
    series_unregistered: (series) => `Por comunicar à AT: ${series}.`,
    register_first: (series) =>
      "Comunique cada série à AT e, antes do primeiro documento, registe o código que a AT lhe der: lacre series " +
      `register "${series}" CÓDIGO`,
    series_without_code: (series, type, first) =>
      `Há documentos sem ATCUD, em séries que já não podem ser comunicadas: ${series}. Abra uma nova (lacre series ` +
      "create " +
      `--doc-type ${type} --code CÓDIGO), comunique-a e feche depois a antiga: lacre series close "${first}"`,
    webhook_failing: (url, since) =>
      `O webhook para ${url} falha desde ${instant(since)}: veja as entregas (GET /v1/webhooks) e corrija quem o recebe.`,
    webhook_disabled: (url, since) =>
      `O webhook para ${url} já não recebe nada: deixou de existir, ou falha desde ${instant(since)}. Volte a ativá-lo ` +
      "(PATCH /v1/webhooks) ou elimine-o.",
    webhooks_unsent: (since) =>
      `Há mensagens de webhooks à espera desde ${instant(since)} e nenhum programa as envia: corra lacre serve sem ` +
      "--no-webhooks, ou lacre.webhooks.deliver no seu programa.",
    more: (count) => `À espera há mais ${counted(count, "coisa")}: lacre status`,
  },

  // ——— The commands ———
  backup: {
    done: (file, count) => `${file}: cópia íntegra, ${documents(count)}.`,
    not_recorded: (reason) => `a cópia está íntegra, mas não ficou registada: ${reason}`,
  },

  archive: {
    done: (file, count) => `${file}: arquivo íntegro, ${documents(count)}.`,
  },

  unarchive: {
    done: (db, file, count, taken_at, restores) =>
      `${db} foi lida de ${file}, tirado a ${instant(taken_at)}: com ${documents(count)}, tudo íntegro. Restauro n.º ` +
      `${restores}.`,
  },

  clock: {
    now: (now, latest) =>
      `São ${instant(now)}; o último documento: ${latest === null ? "ainda nenhum" : instant(latest)}.`,
    confirmed:
      "O relógio está confirmado. Uma série com um documento de data posterior a hoje não aceita nenhum até esse " +
      "dia: abra " +
      "outra (lacre series create).",
  },

  demo: {
    runs: (url) => `O Lacre corre em ${url} até Ctrl+C; nada fica guardado.`,
    paste: (url) => `Leia sobre a API em ${url}/docs, ou cole estas linhas noutro terminal, a da chave primeiro:`,
    in_browser: "Trabalhe no navegador; a ligação faz de si o proprietário, uma vez:",
    save: "Guardar a fatura em PDF, com o código QR:",
    list: "Listar os documentos:",
    customer: "Criar um cliente:",
    issue: "Emitir outra fatura:",
    file: "fatura.pdf",
  },

  import_saft: {
    note: (note) => {
      const record = note.record.replace("Customer", "Cliente").replace("Product", "Artigo");
      return `${record.replace("without code", "sem código")} (linha ${note.line}): ${IMPORT_NOTES[note.code](note)}.`;
    },
    customers: (...imported) => taken("cliente", ...imported),
    products: (...imported) => taken("artigo", ...imported),
    nothing_written: "Nada foi escrito.",
    customers_to_create: "Clientes a criar:",
    products_to_create: "Produtos a criar:",
    price: (eur) => String(eur).replace(".", ","),
    rate: (percent) => `${String(percent).replace(".", ",")} %`,
    more: (count) => `e mais ${count}`,
    more_notes: (count) => (count === 1 ? "E mais uma nota." : `E mais ${count} notas.`),
  },

  init: {
    ready: (db, name, tax_id) => `${db} está pronta para ${name}, NIF ${tax_id}.`,
    api_key: "A chave da API, mostrada só desta vez:",
    next: "A seguir: lacre serve",
  },

  key: {
    created: (id, name, scopes) => `Chave ${id} (${name}): ${scopes}`,
    value: "O valor, mostrado só desta vez:",
    since: (date) => `desde ${day(date)}`,
    revoked_on: (date) => `revogada em ${day(date)}`,
    revoked: (id, name) => `A chave ${id} (${name}) está revogada.`,
  },

  user: {
    link_for: (login) => `A ligação para ${login ?? "um novo proprietário"}:`,
    once_until: (until) => `Funciona uma só vez, até ${instant(until)}.`,
    address_unknown:
      "Não se conhece aqui nenhum servidor a correr nesta base de dados, por isso a ligação começa pelo endereço " +
      "habitual; se for outro, indique-o com --public-url.",
    needs_login: (role) => `--role ${role} precisa de --login EMAIL`,
    since: (date) => `desde ${day(date)}`,
    disabled_on: (date) => `desativado em ${day(date)}`,
    roles: { owner: "proprietário", accountant: "contabilista", cashier: "caixa" },
    role_of: (role, company) => `${role} de ${company}`,
    none: "Não há utilizadores: lacre user invite --role owner",
    disabled: (name, login) => `${name} (${login}) está desativado.`,
    unknown: (login) => `Não há nenhum utilizador ${login}; veja lacre user list`,
  },

  listen: {
    in_use: (address) => `${address} já está em uso; escolha outra porta com --port.`,
    forbidden: (address) => `Este utilizador não pode usar ${address}; escolha uma porta acima de 1023 com --port.`,
    not_ours: (address) => `${address} não é um endereço desta máquina; escolha outro com --host.`,
    unknown_host: (address) => `${address} não é uma máquina conhecida; escolha outra com --host.`,
    not_looked_up: (address) => `De momento não é possível encontrar ${address}; indique um endereço com --host.`,
    other: (address, reason) => `Não é possível usar ${address} (${reason}); escolha outro com --host e --port.`,
  },

  pdf: {
    written: (file, name, bytes) => `${file}: ${name}, ${bytes} bytes.`,
    unknown: (number, company, known) => `Não há nenhum documento ${number} de ${company}; ${known}.`,
    last_of_series: (number) => `o último da série é ${number}`,
    last_of_each: (numbers) => `o último de cada série: ${numbers || "nenhum"}`,
  },

  restore: {
    one_of: "indique só um destes: FICHEIRO, --confirm-head NÚMERO ou --status",
    no_backup: (path) => `Não há nenhuma cópia de segurança em ${path}; verifique o nome.`,
    in_use: (path) =>
      `${path} é uma base de dados em uso e não uma cópia de segurança; faça uma: lacre backup FICHEIRO`,
    is_the_database: (path) => `${path} é a própria base de dados; indique uma cópia de segurança.`,
    open_elsewhere: (path) => `Outro programa tem ${path} aberta; pare-o primeiro.`,
    done: (db, backup, count, restores) =>
      `${db} foi restaurada de ${backup}: com ${documents(count)}, tudo íntegro. Restauro n.º ${restores}.`,
    aside: (path) => `A base de dados que ela substitui é agora ${path}.`,
    ask_lost: (numbers) =>
      `Este ficheiro não tem nenhuma série de ${numbers}. Foi aberta depois da cópia, e é para fechar de vez?`,
    goes_on: (head) => `${head} é o último número deste ficheiro: a série continua.`,
    is_closed: (head) =>
      `Este ficheiro acaba em ${head}: a série fica fechada. Abra uma nova (lacre series create --doc-type TIPO ` +
      "--code CÓDIGO) e comunique-a.",
    none_locked: "Nenhuma série está bloqueada.",
    locked: "Estas séries estão bloqueadas; aqui está o último número deste ficheiro:",
    of_company: (head, company) => `${head}  (empresa ${company})`,
    how_locked:
      "Enquanto estiver bloqueada uma série com documentos, a empresa não emite nada; uma vazia só se bloqueia a si.",
    how_to_confirm:
      "Procure números posteriores, em papel e junto dos clientes, e confirme o último de cada série. Se não houver:",
  },

  saft: {
    month_needs_year: "--month precisa de --year",
    period_given_twice: "indique --year, ou --from e --to, não ambos",
    head: (file, from, to, training) =>
      `${file}: de ${day(from)} a ${day(to)}${training ? ", formação" : ""}. Valores em euros.`,
    no_documents: "Nenhum documento.",
    type_headings: ["", "documentos", "anulados", "linhas", "sem IVA", "IVA", "total"],
    vat_headings: ["  região", "código", "taxa", "base", "IVA"],
    vat: "IVA das faturas, menos o das notas de crédito",
    vat_received: "IVA recebido em regime de caixa",
    decimal: (text) => text.replace(".", ","),
    contents: (customers, products, tax_rates) =>
      `${counted(customers, "cliente")}, ${counted(products, "artigo")}, ${counted(tax_rates, "taxa")} de imposto.`,
    look: (count, message, examples, more) =>
      `A ver (${count}): ${message} ${examples}${more > 0 ? ` e mais ${more}` : ""}`,
    not_over: (to) =>
      `O período ainda não acabou: o que for emitido até ${day(to)} não está neste ficheiro. Volte a exportá-lo então.`,
    warning: (code) => SAFT_WARNINGS[code],
  },

  backups: {
    not_both: "indique --backup-to ou --no-backup-because, não os dois",
    need_policy:
      "Com número de certificado a lei pede cópias de segurança periódicas (Despacho 8632/2014, 3.1.2): indique " +
      "--backup-to PASTA, ou diga porque não: --no-backup-because TEXTO",
    need_directory: "--backup-every e --keep precisam de --backup-to PASTA",
    no_directory: (path) => `Não há nenhuma pasta ${path}; crie-a, só para cópias de segurança.`,
    read_only: (path) => `${path} só permite leitura; permita a escrita, ou indique outra em --backup-to.`,
  },

  series: {
    unknown: (given, active) => `Não há nenhuma série ${given}; ativas: ${active || "nenhuma"}.`,
    nothing_to_open: (year) => `Nada a abrir: nenhuma série ativa é de um ano anterior a ${year}.`,
    opened: "aberta",
    exists: "já existe",
    code_not_again: (series, doc_type) =>
      `${series} está fechada, e o código não volta a usar-se; escolha outro: lacre series create --doc-type ` +
      `${doc_type} --code CÓDIGO`,
    ask_close: (series) => `Fechar de vez a série ${series}?`,
    status: { active: "ativa", closed: "fechada" },
    next: (number) => `próximo ${number}`,
    not_registered: "por comunicar",
    registered: (code) => `comunicada ${code}`,
    training: ", formação",
  },

  serve: {
    made: (path) => `A base de dados ${path} foi criada.`,
    ask_new: (path) => `Não há nenhuma base de dados em ${path}. Criar uma nova, que começa a numeração em 1?`,
    set_up: (url, until) => `Abra esta ligação para configurar o Lacre, uma só vez, até ${instant(until)}: ${url}`,
    set_up_in: (file, until) =>
      `Ainda ninguém pode entrar. A ligação para o primeiro proprietário está em ${file}, até ${instant(until)}; ` +
      "lacre user invite --role owner cria outra.",
    set_up_by_command:
      "Ainda ninguém pode entrar: lacre user invite --role owner cria uma ligação para o primeiro proprietário.",
    area: (url) => `A área da empresa: ${url}`,
    answers_at: (url) => `O Lacre responde em ${url}`,
    lan: (urls) => `Nos outros computadores desta rede: ${urls}`,
    lan_closed: (urls) =>
      `Nos outros computadores desta rede: ${urls}, mas aí ninguém pode entrar com palavra-passe: isso pede HTTPS ou, ` +
      "numa rede em que confie, --plain-http-lan.",
    restore_undone: "Uma reposição tinha ficado a meio e foi desfeita: a base de dados está como antes.",
    log_removed: (path) =>
      `${path}-wal desapareceu, e com ele o que foi escrito por último: volte a pô-lo no sítio, ou confirme os ` +
      "últimos números (lacre restore --status)",
    copied: (path) =>
      `${path} é uma cópia, ou falta-lhe a nota ${path}.heads: o original pode ter dado números posteriores. Conta como ` +
      "cópia de segurança restaurada, que não emite nada até confirmar os últimos números: lacre restore --status",
    upgrading: (from, to, backup) =>
      `A base de dados está a ser atualizada, de ${from} para ${to}. Como estava, verificada, ficou em ${backup}: o lacre ` +
      "restore do programa anterior repõe-na, sem o que vier depois.",
    storage_failed: (reason) => `O disco falhou: ${reason}; volte a iniciar o servidor para recuperar.`,
    older_copy: (path, first, others) =>
      `Este não é o ${path} mais recente: ` +
      `${first}${others > 0 ? ` E mais ${counted(others, "série")} na mesma situação.` : ""} ` +
      "Volte a pôr o mais recente no sítio. Se já não existir, este conta como cópia de segurança restaurada, que " +
      "não emite " +
      "nada até confirmar os últimos números: lacre restore --status",
    debugged:
      "O depurador do Node está aberto e entregaria a chave de assinatura; inicie o servidor sem --inspect, também " +
      "em " +
      "NODE_OPTIONS (para depurar: lacre demo).",
    key_is_elsewhere: (version) =>
      `A versão ${version} da chave de assinatura não está na base de dados; indique o ficheiro em --signing-key.`,
  },

  signer: {
    not_certified: "Sem certificado.",
    certificate: (number) => `Certificado n.º ${number}.`,
    rehearsal:
      "Ensaio do modo estrito, com o n.º 9999. O programa não é certificado: os documentos dizem-no em cada página.",
    producer: (name, tax_id) => `Produtor: ${name}, NIF ${tax_id}.`,
    signed_under: (version, in_file) =>
      `Os documentos são assinados com a versão ${version} da ` +
      `chave${in_file ? ", que está num ficheiro próprio" : ""}.`,
  },

  status: {
    company: "empresa",
    companies: (count) => `${count} empresas`,
    company_of: (name, tax_id) => `${name}, NIF ${tax_id}`,
    certificate: "certificado",
    rehearsal: "ensaio, com o n.º 9999",
    certificate_of: (number, producer) => `n.º ${number}${producer === undefined ? "" : `, de ${producer}`}`,
    checked: "última verificação",
    checked_ago: (age, at) => `há ${age} (${at})`,
    heads: "últimos números",
    heads_beside: "anotados só ao lado da base de dados",
    last_backup: "última cópia",
    backup_of: (age, taken_at, count, file) => `há ${age} (${instant(taken_at)}), ${documents(count)}, ${file}`,
    backups_of_server:
      "as do próprio servidor; em PostgreSQL o Lacre não faz nenhuma (docs/operating.md, On PostgreSQL)",
    from_backup: (age, taken_at) => `há ${age} (${instant(taken_at)}), a que deu origem a este ficheiro`,
    database: "base de dados",
    file: (file, mode, size, free) => `${file} (${mode}), ${size}; ${free} livres`,
    on_server: (address, size) => `${address}, ${size}`,
    signing_key: "chave de assinatura",
    key: (version, place) => `versão ${version}, ${place}`,
    key_unseen: "fora da base de dados; indique o ficheiro em --signing-key para o ver aqui",
    key_in_database: "na base de dados",
    key_in: (file, mode) => `em ${file} (${mode})`,
    no_backups: "sem cópias",
    no_backups_because: (because, since) => `${because} (desde ${instant(since)})`,
    restores: "restauros",
    versions: "versões",
    schema: (number) => `esquema ${number}`,
    upgrade: (from, to) =>
      `A base de dados tem o esquema ${from}: o lacre serve atualiza-a para ${to}, depois de fazer cópia de segurança.`,
    waits: "À espera de si:",
    nothing_waits: "Nada espera por si.",
    so_many_wait: (count) => `${counted(count, "coisa espera", "coisas esperam")} por si`,
    seconds: (count) => counted(count, "segundo"),
    minutes: (count) => counted(count, "minuto"),
    hours: (count) => counted(count, "hora"),
    days: (count) => counted(count, "dia"),
    decimal: (text) => text.replace(".", ","),
  },

  verify: {
    key_needs_file: "--public-key precisa de --saft",
    put_back: (conflict) => `${conflict} Volte a pôr no sítio o ficheiro mais recente, ou reponha uma cópia posterior.`,
    restore_earlier: (finding) => `${finding} Reponha uma cópia de segurança anterior.`,
    of_company: (name, count, series, whole) =>
      `${name}: ${documents(count)} em ${counted(series, "série")}, ${whole ? "tudo íntegro." : "NÃO está íntegra:"}`,
    of_installation: (whole) =>
      whole
        ? "Instalação: esquema, chaves de assinatura e registo de eventos, tudo íntegro."
        : "Instalação, NÃO está íntegra:",
    others: (names) => `Tabelas e vistas que não são do Lacre, e não se verificam: ${names}.`,
    sequence: (series, sequence) => `${series}, sequência ${sequence}`,
    finding: (reason) => `«${reason}»`,
    nothing_to_answer_for: "A base de dados está como o Lacre a deixou: não há nada por que responder.",
    answered: (count) =>
      `${count === 1 ? "Respondeu-se por 1 alteração" : `Respondeu-se por ${count} alterações`}, e ficou registado; o que ` +
      "mudar a partir de agora volta a parar a emissão.",
    file: (file, count, signatures) =>
      `${file}: ${documents(count)}, ${counted(signatures, "assinatura conferida", "assinaturas conferidas")}.`,
    unverifiable: (count) =>
      `${counted(count, "assinatura não se pode", "assinaturas não se podem")} conferir sem o documento anterior ` +
      "ou a chave.",
    error: "Erro",
    warning: "Aviso",
    line: (line) => `linha ${line}`,
    more: (count) => `… e mais ${count}.`,
    accepted: "Aceite.",
    not_accepted: (errors) => `NÃO aceite: ${counted(errors, "erro")}.`,
  },
};

const percent = (rate: string | null) => `${String(rate).replace(".", ",")} %`;

/** The notes of an import. */
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
const SAFT_WARNINGS: Readonly<Record<SaftWarningCode, string>> = {
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
