/** The texts of each command's results. */
import { pair, texts } from "../../core/texts/texts.ts";

export const RESULTS = texts({
  /** A number with a point, as the language writes it. */
  decimal: pair<{ text: string }>(
    ({ text }) => text.replace(".", ","),
    ({ text }) => text,
  ),
  // ——— Words in many places ———
  listed: pair<{ names: string; more: number }>(
    ({ names, more }) => (more > 0 ? `${names} e mais ${more}` : names),
    ({ names, more }) => (more > 0 ? `${names} and ${more} more` : names),
  ),

  none: ["nenhuma", "none"],

  // ——— The commands ———
  backup: {
    done: [
      "{file}: cópia íntegra, {count} {count|documento|documentos}.",
      "{file}: {count} {count|document|documents}, whole.",
    ],
    not_recorded: [
      "a cópia está íntegra, mas não ficou registada: {reason}",
      "the backup is whole, but could not be recorded: {reason}",
    ],
  },

  archive: {
    done: [
      "{file}: arquivo íntegro, {count} {count|documento|documentos}.",
      "{file}: {count} {count|document|documents}, whole.",
    ],
  },

  unarchive: {
    done: [
      "{db} foi lida de {file}, tirado a {taken_at:instant}: com {count} {count|documento|documentos}, tudo íntegro. Restauro n.º {restores:plain}.",
      "{db} is read from {file}, taken {taken_at}: {count} {count|document|documents}, whole. Restore {restores:plain}.",
    ],
  },

  clock: {
    now: [
      "São {now:instant}; o último documento: {latest:instant}.",
      "It is {now:instant}; the latest document: {latest:instant}.",
    ],
    now_first: [
      "São {now:instant}; o último documento: ainda nenhum.",
      "It is {now:instant}; the latest document: none yet.",
    ],
    confirmed: [
      "O relógio está confirmado. Uma série com um documento de data posterior a hoje não aceita nenhum até esse dia: abra outra (lacre series create).",
      "The clock is confirmed. A series with a document dated later than today takes none until that day: open another (lacre series create).",
    ],
  },

  demo: {
    runs: [
      "O Lacre corre em {url} até Ctrl+C; nada fica guardado.",
      "Lacre runs on {url} until Ctrl+C; nothing is kept.",
    ],
    paste: [
      "Leia sobre a API em {url}/docs, ou cole estas linhas noutro terminal, a da chave primeiro:",
      "Read about the API at {url}/docs, or paste these lines into another terminal, the key first:",
    ],
    in_browser: [
      "Trabalhe no navegador; a ligação faz de si o proprietário, uma vez:",
      "Work with it in the browser; the link makes you its owner, once:",
    ],
    save: ["Guardar a fatura em PDF, com o código QR:", "Save the invoice as PDF, with its QR code:"],
    list: ["Listar os documentos:", "List the documents:"],
    customer: ["Criar um cliente:", "Create a customer:"],
    issue: ["Emitir outra fatura:", "Issue another invoice:"],
    file: ["fatura.pdf", "invoice.pdf"],
  },

  forward: {
    listens: [
      "Cada evento novo de {company}, em {url}, segue para {to}, até Ctrl+C.",
      "Each new event of {company} at {url} is sent to {to}, until Ctrl+C.",
    ],
    signed: ["O segredo que os assina: {secret}", "The secret that signs them: {secret}"],
    again: [
      "sem resposta ({reason}); nova tentativa dentro de {seconds} s",
      "no answer ({reason}); tried again in {seconds} s",
    ],
    given_up: [
      "sem resposta ({reason}); fica por enviar, e segue-se o próximo",
      "no answer ({reason}); given up, and the next follows",
    ],
    no_answer_of: [
      "Sem resposta de {url} ({reason}); continua a tentar.",
      "No answer of {url} ({reason}); it goes on trying.",
    ],
    answers_again: ["{url} voltou a responder.", "{url} answers again."],
    is_public: [
      "{to} está na Internet, e este comando só envia para esta máquina e para redes privadas. Para um endereço público crie um webhook: POST /v1/webhooks",
      "{to} is on the internet, and this command sends to this machine and to private networks alone. For a public address make a webhook: POST /v1/webhooks",
    ],
  },

  remote: {
    must_be_address: [
      "tem de ser um endereço como http://localhost:3000/lacre",
      "must be an address such as http://localhost:3000/lacre",
    ],
    needs_key: [
      "falta a chave da API (lacre_…), em LACRE_KEY ou num ficheiro (--key-file)",
      "the API key (lacre_…) is missing, in LACRE_KEY or in a file (--key-file)",
    ],
    no_answer: [
      "Nada responde em {url} ({reason}); verifique o endereço (--url), e se o servidor está a correr.",
      "Nothing answers at {url} ({reason}); check the address (--url), and that the server runs.",
    ],
  },

  trigger: {
    not_a_test: [
      "Esta chave não é de teste, e pode ser de uma instalação onde cada documento conta; indique uma que comece por lacre_test_, como a que lacre demo mostra.",
      "This is no test key, and may be of an installation where every document counts; give one that begins lacre_test_, such as the one that lacre demo prints.",
    ],
  },

  import_saft: {
    note: ["{record} (linha {line:plain}): {note}.", "{record} (line {line:plain}): {note}."],
    customers: [
      "{count} {count|cliente criado|clientes criados}, {existing} {existing|já existia|já existiam}, {unusable} sem condições de importar.",
      "{count} {count|customer|customers} created, {existing} existed already, {unusable} not usable.",
    ],
    products: [
      "{count} {count|artigo criado|artigos criados}, {existing} {existing|já existia|já existiam}, {unusable} sem condições de importar.",
      "{count} {count|product|products} created, {existing} existed already, {unusable} not usable.",
    ],
    customers_in_file: [
      "{count} {count|cliente|clientes} a criar, {existing} {existing|já existia|já existiam}, {unusable} sem condições de importar.",
      "{count} {count|customer|customers} to create, {existing} existed already, {unusable} not usable.",
    ],
    products_in_file: [
      "{count} {count|artigo|artigos} a criar, {existing} {existing|já existia|já existiam}, {unusable} sem condições de importar.",
      "{count} {count|product|products} to create, {existing} existed already, {unusable} not usable.",
    ],
    nothing_written: ["Nada foi escrito.", "Nothing was written."],
    customers_to_create: ["Clientes a criar:", "Customers to create:"],
    products_to_create: ["Produtos a criar:", "Products to create:"],
    price: ["{eur}", "{eur}"],
    rate: ["{percent} %", "{percent} %"],
    more: ["e mais {count}", "and {count} more"],
    more_notes: ["E mais {count} {count|nota|notas}.", "And {count} more {count|note|notes}."],
  },

  init: {
    ready: ["{db} está pronta para {name}, NIF {tax_id}.", "{db} is ready for {name}, NIF {tax_id}."],
    api_key: ["A chave da API, mostrada só desta vez:", "The API key, shown only once:"],
    next: ["A seguir: lacre serve", "Next: lacre serve"],
  },

  key: {
    created: ["Chave {id} ({name}): {scopes}", "Key {id} ({name}): {scopes}"],
    value: ["O valor, mostrado só desta vez:", "Its value, shown only once:"],
    since: ["desde {date:day}", "since {date}"],
    revoked_on: ["revogada em {date:day}", "revoked {date}"],
    revoked: ["A chave {id} ({name}) está revogada.", "Key {id} ({name}) is revoked."],
  },

  user: {
    link_for: ["A ligação para {login}:", "The link for {login}:"],
    link_for_owner: ["A ligação para um novo proprietário:", "The link for a new owner:"],
    once_until: ["Funciona uma só vez, até {until:instant}.", "It works once, until {until}."],
    address_unknown: [
      "Não se conhece aqui nenhum servidor a correr nesta base de dados, por isso a ligação começa pelo endereço habitual; se for outro, indique-o com --public-url.",
      "No server that runs on this database is known here, so the link begins with the usual address; where that is another, give it with --public-url.",
    ],
    needs_login: ["--role {role} precisa de --login EMAIL", "--role {role} needs --login EMAIL"],
    since: ["desde {date:day}", "since {date}"],
    disabled_on: ["desativado em {date:day}", "disabled {date}"],
    roles: {
      owner: ["proprietário", "owner"],
      accountant: ["contabilista", "accountant"],
      cashier: ["caixa", "cashier"],
    },
    role_of: ["{role} de {company}", "{role} of {company}"],
    none: ["Não há utilizadores: lacre user invite --role owner", "There are no users: lacre user invite --role owner"],
    disabled: ["{name} ({login}) está desativado.", "{name} ({login}) is disabled."],
    unknown: [
      "Não há nenhum utilizador {login}; veja lacre user list",
      "There is no user {login}; see lacre user list",
    ],
  },

  listen: {
    in_use: [
      "{address} já está em uso; escolha outra porta com --port.",
      "{address} is already in use; choose another port with --port.",
    ],
    forbidden: [
      "Este utilizador não pode usar {address}; escolha uma porta acima de 1023 com --port.",
      "{address} may not be used by this user; choose a port above 1023 with --port.",
    ],
    not_ours: [
      "{address} não é um endereço desta máquina; escolha outro com --host.",
      "{address} is not an address of this machine; choose another with --host.",
    ],
    unknown_host: [
      "{address} não é uma máquina conhecida; escolha outra com --host.",
      "{address} is not a known host; choose another with --host.",
    ],
    not_looked_up: [
      "De momento não é possível encontrar {address}; indique um endereço com --host.",
      "{address} cannot be looked up now; name an address with --host.",
    ],
    other: [
      "Não é possível usar {address} ({reason}); escolha outro com --host e --port.",
      "{address} cannot be used ({reason}); choose another with --host and --port.",
    ],
  },

  mail: {
    must_be_address: ["tem de ser um endereço de e-mail", "must be an e-mail address"],
    must_be_server: [
      "tem de ser smtp://utilizador@servidor:587 ou smtps://utilizador@servidor, sem palavra-passe",
      "must be smtp://user@host:587 or smtps://user@host, without a password",
    ],
    must_be_to: ["{address} não é um endereço de e-mail", "{address} is not an e-mail address"],
    needs_from: ["indique --smtp-from EMAIL", "give --smtp-from EMAIL"],
    needs_password: [
      "falta a palavra-passe: --smtp-password-file FICHEIRO, ou LACRE_SMTP_PASSWORD",
      "the password is missing: --smtp-password-file FILE, or LACRE_SMTP_PASSWORD",
    ],
    password_in_clear: [
      "com --smtp-plain a palavra-passe ia à vista de todos",
      "with --smtp-plain everybody on the way could read the password",
    ],
    not_a_key: ["{path} não tem uma chave de 32 bytes em Base64", "{path} holds no key of 32 bytes in Base64"],
    no_server: ["indique o servidor: --smtp URL", "name the server: --smtp URL"],
    not_taken: [
      "{host}:{port:plain} não aceitou a mensagem: {error}",
      "{host}:{port:plain} did not take the message: {error}",
    ],
    taken: [
      "{host}:{port:plain} aceitou uma mensagem para {address}.",
      "{host}:{port:plain} took a message to {address}.",
    ],
    test_subject: ["Experiência do Lacre", "A test of Lacre"],
    test_message: [
      "Se lê isto, o Lacre consegue enviar e-mails por este servidor.",
      "If you read this, Lacre can send e-mails through this server.",
    ],
  },

  pdf: {
    written: ["{file}: {name}, {bytes:plain} bytes.", "{file}: {name}, {bytes:plain} bytes."],
    unknown: [
      "Não há nenhum documento {number} de {company}; {known}.",
      "There is no document {number} of {company}; {known}.",
    ],
    last_of_series: ["o último da série é {number}", "the last of its series is {number}"],
    last_of_each: ["o último de cada série: {numbers}", "the last of each series: {numbers}"],
  },

  restore: {
    one_of: [
      "indique só um destes: FICHEIRO, --confirm-head NÚMERO ou --status",
      "give one of FILE, --confirm-head NUMBER and --status",
    ],
    no_backup: [
      "Não há nenhuma cópia de segurança em {path}; verifique o nome.",
      "There is no backup at {path}; check its name.",
    ],
    in_use: [
      "{path} é uma base de dados em uso e não uma cópia de segurança; faça uma: lacre backup FICHEIRO",
      "{path} is a database in use, not a backup; take one: lacre backup FILE",
    ],
    is_the_database: [
      "{path} é a própria base de dados; indique uma cópia de segurança.",
      "{path} is the database itself; name a backup.",
    ],
    open_elsewhere: [
      "Outro programa tem {path} aberta; pare-o primeiro.",
      "Another program has {path} open; stop that first.",
    ],
    done: [
      "{db} foi restaurada de {backup}: com {count} {count|documento|documentos}, tudo íntegro. Restauro n.º {restores:plain}.",
      "{db} is restored from {backup}: {count} {count|document|documents}, whole. Restore {restores:plain}.",
    ],
    aside: ["A base de dados que ela substitui é agora {path}.", "The database it replaces is now {path}."],
    ask_lost: [
      "Este ficheiro não tem nenhuma série de {numbers}. Foi aberta depois da cópia? Fica fechada de vez.",
      "This file has no series of {numbers}. Was it opened after the backup? It will be closed for good.",
    ],
    goes_on: [
      "{head} é o último número deste ficheiro: a série continua.",
      "{head} is the last number in this file: the series continues.",
    ],
    is_closed: [
      "Este ficheiro acaba em {head}: a série fica fechada. Abra uma nova (lacre series create --doc-type TIPO --code CÓDIGO) e comunique-a.",
      "This file ends at {head}: the series is closed. Open a new one (lacre series create --doc-type TYPE --code CODE) and register it.",
    ],
    none_locked: ["Nenhuma série está bloqueada.", "No series is locked."],
    locked: [
      "Estas séries estão bloqueadas; aqui está o último número deste ficheiro:",
      "These series are locked, shown with the last number in this file:",
    ],
    of_company: ["{head}  (empresa {company})", "{head}  (company {company})"],
    how_locked: [
      "Enquanto estiver bloqueada uma série com documentos, a empresa não emite nada; uma vazia só se bloqueia a si.",
      "While one with documents is locked, its company cannot issue at all; an empty one blocks only itself.",
    ],
    how_to_confirm: [
      "Procure números posteriores, em papel e junto dos clientes, e confirme o último de cada série. Se não houver:",
      "Look for later numbers, on paper and with your customers, and confirm the last of each series. If you find none:",
    ],
  },

  saft: {
    month_needs_year: ["--month precisa de --year", "--month needs --year"],
    period_given_twice: ["indique --year, ou --from e --to, não ambos", "give --year, or --from and --to, not both"],
    head: [
      "{file}: de {from:day} a {to:day}{training}. Valores em euros.",
      "{file}: {from:day} to {to:day}{training}. Amounts in EUR.",
    ],
    of_training: [", formação", ", training"],
    no_documents: ["Nenhum documento.", "No documents."],
    type_headings: ["documentos|anulados|linhas|sem IVA|IVA|total", "documents|cancelled|lines|net|VAT|gross"],
    vat_headings: ["  região|código|taxa|base|IVA", "  region|code|rate|base|VAT"],
    vat: ["IVA das faturas, menos o das notas de crédito", "VAT of invoices, less credit notes"],
    vat_received: ["IVA recebido em regime de caixa", "VAT received under cash VAT"],
    contents: [
      "{customers} {customers|cliente|clientes}, {products} {products|artigo|artigos}, {tax_rates} {tax_rates|taxa|taxas} de imposto.",
      "{customers} {customers|customer|customers}, {products} {products|product|products}, {tax_rates} {tax_rates|tax rate|tax rates}.",
    ],
    look: pair<{ count: number; message: string; examples: string; more: number }>(
      ({ count, message, examples, more }) =>
        `A ver (${count}): ${message} ${examples}${more > 0 ? ` e mais ${more}` : ""}`,
      ({ count, message, examples, more }) =>
        `Look at this (${count}): ${message} ${examples}${more > 0 ? ` and ${more} more` : ""}`,
    ),
    not_over: [
      "O período ainda não acabou: o que for emitido até {to:day} não está neste ficheiro. Volte a exportá-lo então.",
      "The period is not over: what is issued from now until {to} is not in this file. Export it again then.",
    ],
  },

  backups: {
    not_both: [
      "indique --backup-to ou --no-backup-because, não os dois",
      "give --backup-to or --no-backup-because, not both",
    ],
    need_policy: [
      "Com número de certificado a lei pede cópias de segurança periódicas (Despacho 8632/2014, 3.1.2): indique --backup-to PASTA, ou diga porque não: --no-backup-because TEXTO",
      "Under a certificate number the law asks for backups at intervals (Despacho 8632/2014, 3.1.2): give --backup-to DIR, or say why not: --no-backup-because TEXT",
    ],
    need_directory: [
      "--backup-every e --keep precisam de --backup-to PASTA",
      "--backup-every and --keep need --backup-to DIR",
    ],
    no_directory: [
      "Não há nenhuma pasta {path}; crie-a, só para cópias de segurança.",
      "There is no directory {path}; create it, for backups alone.",
    ],
    read_only: [
      "{path} só permite leitura; permita a escrita, ou indique outra em --backup-to.",
      "{path} is read-only; make it writable, or name another for --backup-to.",
    ],
  },

  series: {
    unknown: [
      "Não há nenhuma série {given}; ativas: {active}.",
      "There is no series {given}; active ones are {active}.",
    ],
    nothing_to_open: [
      "Nada a abrir: nenhuma série ativa é de um ano anterior a {year:plain}.",
      "Nothing to open: no active series is of a year before {year:plain}.",
    ],
    opened: ["aberta", "opened"],
    exists: ["já existe", "exists"],
    code_not_again: [
      "{series} está fechada, e o código não volta a usar-se; escolha outro: lacre series create --doc-type {doc_type} --code CÓDIGO",
      "{series} is closed, and its code is not used again; choose another: lacre series create --doc-type {doc_type} --code CODE",
    ],
    ask_close: ["Fechar de vez a série {series}?", "Close the series {series} for good?"],
    status: {
      active: ["ativa", "active"],
      closed: ["fechada", "closed"],
    },
    next: ["próximo {number:plain}", "next {number:plain}"],
    not_registered: ["por comunicar", "not registered"],
    registered: ["comunicada {code}", "registered {code}"],
    training: [", formação", ", training"],
  },

  serve: {
    made: ["A base de dados {path} foi criada.", "{path} was made."],
    ask_new: [
      "Não há nenhuma base de dados em {path}. Criar uma nova, que começa a numeração em 1?",
      "There is no database at {path}. Make a new one, which begins numbering at 1?",
    ],
    set_up: [
      "Abra esta ligação para configurar o Lacre, uma só vez, até {until:instant}: {url}",
      "Open this link to set up Lacre, once, until {until}: {url}",
    ],
    set_up_in: [
      "Ainda ninguém pode entrar. A ligação para o primeiro proprietário está em {file}, até {until:instant}; lacre user invite --role owner cria outra.",
      "Nobody can log in yet. The link that makes the first owner is in {file}, until {until}; lacre user invite --role owner makes another.",
    ],
    set_up_by_command: [
      "Ainda ninguém pode entrar: lacre user invite --role owner cria uma ligação para o primeiro proprietário.",
      "Nobody can log in yet: lacre user invite --role owner makes a link for the first owner.",
    ],
    area: ["A área da empresa: {url}", "The company area: {url}"],
    answers_at: ["O Lacre responde em {url}", "Lacre answers at {url}"],
    lan: ["Nos outros computadores desta rede: {urls}", "From other computers of this network: {urls}"],
    lan_closed: [
      "Nos outros computadores desta rede: {urls}, mas aí ninguém pode entrar com palavra-passe: isso pede HTTPS ou, numa rede em que confie, --plain-http-lan.",
      "From other computers of this network: {urls}, where people cannot sign in: that needs HTTPS, or --plain-http-lan on a network that you trust.",
    ],
    restore_undone: [
      "Uma reposição tinha ficado a meio e foi desfeita: a base de dados está como antes.",
      "A restore had been cut short, and was undone: the database is as it was before.",
    ],
    log_removed: [
      "{path}-wal desapareceu, e com ele o que foi escrito por último: volte a pô-lo no sítio, ou confirme os últimos números (lacre restore --status)",
      "{path}-wal is gone, and with it what was written last: put it back, or confirm the last numbers (lacre restore --status)",
    ],
    copied: [
      "{path} é uma cópia, ou falta-lhe a nota {path}.heads: o original pode ter dado números posteriores. Conta como cópia de segurança restaurada, que não emite nada até confirmar os últimos números: lacre restore --status",
      "{path} is a copy, or its note {path}.heads is gone: the original may have given later numbers. This one counts as a restored backup, which issues nothing until you confirm the last numbers: lacre restore --status",
    ],
    upgrading: [
      "A base de dados está a ser atualizada, de {from} para {to}. Como estava, verificada, ficou em {backup}: o lacre restore do programa anterior repõe-na, sem o que vier depois.",
      "The database is being upgraded, from {from} to {to}. As it was, verified, it is in {backup}: lacre restore of the program before takes it back, without what comes after.",
    ],
    storage_failed: [
      "O armazenamento falhou: {reason}; volte a iniciar o servidor para recuperar.",
      "The storage failed: {reason}; start the server again to recover.",
    ],
    older_copy: [
      "Este não é o {path} mais recente: {first}{others} Volte a pôr o mais recente no sítio. Se já não existir, este conta como cópia de segurança restaurada, que não emite nada até confirmar os últimos números: lacre restore --status",
      "This is not the latest {path}: {first}{others} Put the latest one back. If there is none, this one counts as a restored backup, which issues nothing until you confirm the last numbers: lacre restore --status",
    ],
    others_older: [" E mais {count} {count|série|séries} na mesma situação.", " And {count} other series likewise."],
    debugged: [
      "O depurador do Node está aberto e entregaria a chave de assinatura; inicie o servidor sem --inspect, também em NODE_OPTIONS (para depurar: lacre demo).",
      "Node's debugger is open and would give away the signing key; start the server without --inspect, also in NODE_OPTIONS (to debug: lacre demo).",
    ],
    key_is_elsewhere: [
      "A versão {version:plain} da chave de assinatura não está na base de dados; indique o ficheiro em --signing-key.",
      "Signing key version {version:plain} is not in the database; name its file with --signing-key.",
    ],
  },

  signer: {
    not_certified: ["Sem certificado.", "Not certified."],
    certificate: ["Certificado n.º {number:plain}.", "Certificate number {number:plain}."],
    rehearsal: [
      "Ensaio do modo estrito, com o n.º 9999. O programa não é certificado: os documentos dizem-no em cada página.",
      "Rehearsal of strict mode, under number 9999. The program is not certified: its documents say so on every page.",
    ],
    producer: ["Produtor: {name}, NIF {tax_id}.", "Producer: {name}, NIF {tax_id}."],
    signed_under: [
      "Os documentos são assinados com a versão {version:plain} da chave.",
      "Documents are signed under key version {version:plain}.",
    ],
    signed_by_file: [
      "Os documentos são assinados com a versão {version:plain} da chave, que está num ficheiro próprio.",
      "Documents are signed under key version {version:plain}, by the key in its file.",
    ],
  },

  status: {
    company: ["empresa", "company"],
    companies: ["{count} empresas", "{count} companies"],
    company_of: ["{name}, NIF {tax_id}", "{name}, NIF {tax_id}"],
    certificate: ["certificado", "certificate"],
    rehearsal: ["ensaio, com o n.º 9999", "rehearsal, under number 9999"],
    certificate_of: ["n.º {number:plain}, de {producer}", "number {number:plain}, of {producer}"],
    certificate_number: ["n.º {number:plain}", "number {number:plain}"],
    checked: ["última verificação", "last check"],
    checked_ago: ["há {age} ({at})", "{age} ago ({at})"],
    heads: ["últimos números", "note of heads"],
    heads_beside: ["anotados só ao lado da base de dados", "beside the database alone"],
    last_backup: ["última cópia", "last backup"],
    backup_of: [
      "há {age} ({taken_at:instant}), {count} {count|documento|documentos}, {file}",
      "{age} ago ({taken_at}), {count} {count|document|documents}, {file}",
    ],
    backups_of_server: [
      "as do próprio servidor; em PostgreSQL o Lacre não faz nenhuma (docs/operating.md, On PostgreSQL)",
      "the server's own; Lacre takes none on PostgreSQL (docs/operating.md, On PostgreSQL)",
    ],
    from_backup: [
      "há {age} ({taken_at:instant}), a que deu origem a este ficheiro",
      "{age} ago ({taken_at}), the one this file is from",
    ],
    database: ["base de dados", "database"],
    file: ["{file} ({mode}), {size}; {free} livres", "{file} ({mode}), {size}; {free} free"],
    on_server: ["{address}, {size}", "{address}, {size}"],
    signing_key: ["chave de assinatura", "signing key"],
    key: ["versão {version:plain}, {place}", "version {version:plain}, {place}"],
    key_unseen: [
      "fora da base de dados; indique o ficheiro em --signing-key para o ver aqui",
      "kept outside the database; name its file with --signing-key to see it here",
    ],
    key_in_database: ["na base de dados", "in the database"],
    key_in: ["em {file} ({mode})", "in {file} ({mode})"],
    no_backups: ["sem cópias", "no backups"],
    no_backups_because: ["{because} (desde {since:instant})", "{because} (since {since})"],
    restores: ["restauros", "restores"],
    versions: ["versões", "versions"],
    schema: ["esquema {number}", "schema {number}"],
    upgrade: [
      "A base de dados tem o esquema {from}: o lacre serve atualiza-a para {to}, depois de fazer cópia de segurança.",
      "The database has the schema {from}: lacre serve upgrades it to {to}, and backs it up before.",
    ],
    waits: ["À espera de si:", "Waiting for you:"],
    nothing_waits: ["Nada espera por si.", "Nothing waits for you."],
    so_many_wait: [
      "{count} {count|coisa espera|coisas esperam} por si",
      "{count} {count|thing waits|things wait} for you",
    ],
    seconds: ["{count} {count|segundo|segundos}", "{count} {count|second|seconds}"],
    minutes: ["{count} {count|minuto|minutos}", "{count} {count|minute|minutes}"],
    hours: ["{count} {count|hora|horas}", "{count} {count|hour|hours}"],
    days: ["{count} {count|dia|dias}", "{count} {count|day|days}"],
  },

  verify: {
    key_needs_file: ["--public-key precisa de --saft", "--public-key needs --saft"],
    put_back: [
      "{conflict} Volte a pôr no sítio o ficheiro mais recente, ou reponha uma cópia posterior.",
      "{conflict} Put the latest file back, or restore a later backup.",
    ],
    restore_earlier: ["{finding} Reponha uma cópia de segurança anterior.", "{finding} Restore an earlier backup."],
    of_company: [
      "{name}: {count} {count|documento|documentos} em {series} {series|série|séries}, tudo íntegro.",
      "{name}: {count} {count|document|documents} in {series} series, whole.",
    ],
    damaged_company: [
      "{name}: {count} {count|documento|documentos} em {series} {series|série|séries}, NÃO está íntegra:",
      "{name}: {count} {count|document|documents} in {series} series, NOT whole:",
    ],
    of_installation: [
      "Instalação: esquema, chaves de assinatura e registo de eventos, tudo íntegro.",
      "Installation: schema, signing keys and record of events, whole.",
    ],
    damaged_installation: ["Instalação, NÃO está íntegra:", "Installation, NOT whole:"],
    others: [
      "Tabelas e vistas que não são do Lacre, e não se verificam: {names}.",
      "Tables and views that are not Lacre's, and are not verified: {names}.",
    ],
    sequence: ["{series}, sequência {sequence:plain}", "{series}, sequence {sequence:plain}"],
    finding: ["«{reason}»", "{reason}"],
    nothing_to_answer_for: [
      "A base de dados está como o Lacre a deixou: não há nada por que responder.",
      "The database is as Lacre left it: there is nothing to answer for.",
    ],
    answered: [
      "Foi registada a resposta por {count} {count|alteração|alterações}; o que mudar a partir de agora volta a parar a emissão.",
      "{count} {count|finding was|findings were} answered for, and recorded; what changes from now on stops issuing again.",
    ],
    file: [
      "{file}: {count} {count|documento|documentos}, {signatures} {signatures|assinatura conferida|assinaturas conferidas}.",
      "{file}: {count} {count|document|documents}, {signatures} {signatures|signature|signatures} verified.",
    ],
    unverifiable: [
      "{count} {count|assinatura não se pode|assinaturas não se podem} conferir sem o documento anterior ou a chave.",
      "{count} {count|signature|signatures} cannot be verified without the previous document or key.",
    ],
    error: ["Erro", "Error"],
    warning: ["Aviso", "Warning"],
    line: ["linha {line:plain}", "line {line:plain}"],
    more: ["… e mais {count}.", "… and {count} more."],
    accepted: ["Aceite.", "Accepted."],
    not_accepted: ["NÃO aceite: {errors} {errors|erro|erros}.", "NOT accepted: {errors} {errors|error|errors}."],
  },
});
