/** Each command: a sentence, and more text for its `--help`, wrapped by hand at 120 characters. */
import { texts } from "../../core/texts/texts.ts";

export const COMMANDS = texts({
  /** Each command: a sentence, and more text for its `--help`, wrapped by hand at 120 characters. */
  commands: {
    demo: {
      summary: [
        "emite uma fatura em memória, mostra-a com uma chave e comandos para experimentar; fica a servir",
        "issues an invoice in memory, shows it, a key and commands to try; keeps serving",
      ],
      details: [
        `\
Nada fica guardado: os documentos desaparecem quando a demonstração acaba. Ctrl+C termina-a.
O relógio anda para a frente com um pedido a /demo/clock: ver docs/operating.md.
Com --json: um objeto com o endereço, a chave da API, a empresa e a fatura.`,
        `\
Nothing is kept: the documents are gone when the demo ends. Ctrl+C ends it.
Its clock goes ahead by a request to /demo/clock: see docs/operating.md.
With --json: one object with the url, the API key, the company and the invoice.`,
      ],
    },
    init: {
      summary: [
        "cria a base de dados, a empresa, as suas séries e a primeira chave",
        "creates the database, the company, its series and the first key",
      ],
      details: [
        `\
A chave da API tem todas as permissões e só é mostrada uma vez. Uma base de dados que exista nunca é substituída. A
chave de assinatura é criada e guardada na base de dados, salvo se --signing-key indicar um ficheiro que a tenha.`,
        `\
The API key has every scope and is shown only once. An existing database is never overwritten.
The signing key is made and kept in the database, unless --signing-key names a file that holds one.`,
      ],
    },
    serve: {
      summary: [
        "serve a API; escreve o registo, em linhas JSON, na saída padrão",
        "serves the API; logs JSON lines to standard output",
      ],
      details: [
        `\
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
        `\
It answers the API, and at /area the pages that people work with. While there is no user it makes a link by which the
first owner comes in: at a terminal it shows the link, elsewhere it leaves it in a file beside the database that only
its user can read, and logs the name of that file. With --new it makes the database first, which then has no company
yet: a person sets it up in the browser. --new is for the first start alone and is refused where there is a database.
Each request logs one line.
On SIGTERM, SIGINT or, from a terminal that closes, SIGHUP running requests finish, the database is closed, and the
server exits with 0 within 10 s; a second SIGTERM or SIGINT ends it at once (exit 143 or 130). The log is JSON with and
without --json, which makes the last line on standard error JSON too. All other commands except restore work while it
runs. At a terminal it logs nothing, and says what a person should know.
Where a proxy with HTTPS is in front, give --public-url: links, pages and cookies follow it. A request by a name that is
neither that one, nor an address, nor one of the network without a dot or below .local, nor given with --allowed-host,
is refused, so that no page elsewhere can reach the server through the browser of somebody here.
With --backup-to it takes verified backups in a process of its own, the first at once if the last is older than the
interval. It deletes only backups that it took of this database, and never the latest. Under a certificate number it
needs that, or --no-backup-because: the reason is recorded, and lacre status shows it.
It sends events to the webhooks of each company. On a copy of a database give --no-webhooks, or it sends what the copy
still has to send.`,
      ],
    },
    status: {
      summary: [
        "mostra o que espera por si, a última cópia de segurança, o certificado, as versões e onde está tudo",
        "shows what waits for you, the last backup, certification, versions, and where everything is",
      ],
      details: [
        `\
Funciona com e sem servidor a correr e não altera nada. Com --json, para programas: "waiting" está vazio quando não há
nada à espera. Com --check, para um temporizador: acaba com 9 enquanto houver alguma coisa à espera.`,
        `\
Works beside a running server and without one, and changes nothing. With --json for programs: "waiting" is empty when
nothing waits. With --check, for a timer: it ends with 9 while something waits.`,
      ],
    },
    "company create": {
      summary: [
        "acrescenta uma empresa, com uma série por tipo de documento",
        "adds a company with one series per document type",
      ],
      details: [
        "Precisa de uma chave própria: lacre key create --company ID.",
        "It needs a key of its own: lacre key create --company ID.",
      ],
    },
    "company show": {
      summary: ["mostra os dados de uma empresa", "shows a company's details"],
      details: ["", ""],
    },
    "company set": {
      summary: ["altera os dados de uma empresa", "changes a company's details"],
      details: [
        `\
Só mudam os dados indicados. Um texto vazio apaga a morada, o código postal, a localidade, o código de isenção, o
rodapé ou o logótipo. Os documentos emitidos mantêm os dados com que foram emitidos, mas são impressos com o rodapé e
o logótipo atuais. O NIF deixa de poder mudar com o primeiro documento que não seja de formação: outro contribuinte é
outra empresa.`,
        `\
Only the flags given change anything. An empty text clears address, postal code, city, exemption code, footer or
logo. Issued documents keep the details they were issued with, but are printed with the current footer and logo. The tax
number is fixed once a document that is not for training was issued: another taxpayer is another company.`,
      ],
    },
    "key create": {
      summary: [
        "cria uma chave da API; o valor só é mostrado uma vez",
        "creates an API key; its value is shown only once",
      ],
      details: ["", ""],
    },
    "key list": {
      summary: [
        "lista as chaves de uma empresa, as mais recentes primeiro, com as revogadas",
        "lists a company's keys, newest first, including revoked ones",
      ],
      details: ["", ""],
    },
    "key revoke": {
      summary: [
        "revoga uma chave de vez; um servidor a correr recusa-a a partir do pedido seguinte",
        "revokes a key for good; a running server refuses it from the next request on",
      ],
      details: ["", ""],
    },
    "user invite": {
      summary: [
        "cria uma ligação com que uma pessoa passa a ser utilizadora; só é mostrada uma vez",
        "makes a link by which a person becomes a user; it is shown only once",
      ],
      details: [
        `\
--role owner cria um proprietário de todas as empresas, com ou sem --login. Os outros perfis são numa só empresa e
precisam de --login, o e-mail da pessoa. Quem tiver a ligação pode usá-la: dê-a só a essa pessoa.`,
        `\
--role owner makes an owner of every company, with or without --login. The other roles are in one company and need
--login, the e-mail address of the person. Whoever has the link can use it: give it to that person alone.`,
      ],
    },
    "user list": {
      summary: [
        "lista os utilizadores, com as empresas e os perfis, os mais antigos primeiro, com os desativados",
        "lists the users with their companies and roles, oldest first, including disabled ones",
      ],
      details: ["", ""],
    },
    "user reset": {
      summary: [
        "cria uma ligação com que um utilizador escolhe outra palavra-passe, e reativa um desativado",
        "makes a link by which a user chooses a new password, and enables a disabled one",
      ],
      details: ["", ""],
    },
    "user disable": {
      summary: [
        "desativa um utilizador; as sessões dessa pessoa acabam logo",
        "disables a user; the sessions of that person end at once",
      ],
      details: ["", ""],
    },
    "series list": {
      summary: ["lista as séries de uma empresa, as mais antigas primeiro", "lists a company's series, oldest first"],
      details: ["", ""],
    },
    "series create": {
      summary: ["abre uma série", "opens a series"],
      details: ["", ""],
    },
    "series open": {
      summary: [
        "abre as séries de um ano, 2027A a seguir a 2026A, para cada tipo em uso",
        "opens the series of a year, 2027A after 2026A, for every type in use",
      ],
      details: [
        `\
Um tipo está em uso quando uma série ativa de um ano anterior tem documentos ou código de validação; enquanto não
houver nenhum, abrem-se todos. O que já existe é indicado e fica como está. Um código é de um ano quando o indica, a
partir de 2022, sem outro algarismo ao lado: 2026A, LOJA2-2026. Uma série sem ano continua e não precisa de outra.`,
        `\
A type is in use when an active series of an earlier year has documents or a validation code; while none is in use,
every type is opened. What is there already is named and left as it is. A code is of a year when it names one, from 2022
on, with no digit beside it: 2026A, LOJA2-2026. A series of no year goes on and needs no other.`,
      ],
    },
    "series register": {
      summary: [
        "regista o código de validação que a AT deu a uma série, antes do primeiro documento",
        "sets the validation code AT assigned to a series, before its first document",
      ],
      details: [
        'SÉRIE é o nome que lacre series list mostra, entre aspas ("FT 2026A"), ou o id.',
        'SERIES is its name as in lacre series list, in quotes ("FT 2026A"), or its id.',
      ],
    },
    "series close": {
      summary: ["fecha uma série de vez", "closes a series for good"],
      details: [
        `\
SÉRIE é o nome que lacre series list mostra, entre aspas ("FT 2026A"), ou o id.
O fecho é definitivo e vale a partir do documento seguinte. O comando pergunta antes; onde ninguém possa responder,
indique --yes.`,
        `\
SERIES is its name as in lacre series list, in quotes ("FT 2026A"), or its id.
Closing is final, and counts from the next document on. It asks first; where nobody can answer, give --yes.`,
      ],
    },
    "signer show": {
      summary: [
        "mostra em JSON o número de certificado, a versão da chave, a chave pública e o produtor",
        "prints certificate number, key version, public key and producer as JSON",
      ],
      details: [
        `\
O produtor do programa entrega esta chave pública à Autoridade Tributária (AT), com esta versão. A chave privada nunca
é mostrada.`,
        `\
The program's producer hands this public key to the tax authority (AT), under this key version.
The private key is never shown.`,
      ],
    },
    "signer set": {
      summary: [
        "liga ou desliga o ensaio do modo estrito, e indica o produtor",
        "switches the rehearsal of strict mode on or off, and names the producer",
      ],
      details: [
        `\
A AT certifica um programa e dá o número ao produtor: o número vem com a edição do Lacre desse produtor e de nenhuma
outra forma. Esta edição não tem número próprio. Com 9999 ensaia: um documento a que falte algo que a lei exige é
recusado, e cada página diz que é um ensaio. 0 acaba com o ensaio. Uma série com documentos de outro número não aceita
mais; abra uma nova (lacre series create). Os documentos emitidos ficam como estão.
Só mudam os dados indicados. Textos vazios nas duas opções do produtor retiram o produtor.`,
        `\
AT certifies a program and gives the number to its producer: it comes with the producer's build of Lacre and in no
other way. This build has no number of its own. With 9999 it rehearses: a document that lacks anything the law requires
is refused, and every page says that it is a rehearsal. 0 ends that. A series with documents under another number
accepts no more; open a new one (lacre series create). Issued documents stay as they are.
Only the flags given change anything. Empty texts for both producer flags remove the producer.`,
      ],
    },
    "signer rotate": {
      summary: [
        "cria uma chave nova com a versão seguinte; um servidor a correr usa-a a partir do documento seguinte",
        "makes a new key under the next version; a running server uses it from the next document on",
      ],
      details: [
        `\
Os documentos já assinados mantêm a versão da sua chave e continuam a conferir. Com número de certificado, entregue a
nova chave pública à AT antes do documento seguinte (lacre signer show mostra-a).`,
        `\
Documents signed earlier keep their key version and still verify. With a certificate number, hand the new public
key to AT before the next document (lacre signer show prints it).`,
      ],
    },
    "signer import": {
      summary: [
        "guarda uma chave privada na base de dados; um servidor a correr usa-a a partir do documento seguinte",
        "stores a private key in the database; a running server uses it from the next document on",
      ],
      details: [
        `\
A chave é RSA de 1024 bits em PEM (PKCS#1 ou PKCS#8), sem palavra-passe. As cópias de segurança também a vão ter; para
a manter num ficheiro próprio, inicie serve com --signing-key.`,
        `\
The key is RSA of 1024 bits as PEM (PKCS#1 or PKCS#8), without a passphrase. Backups will contain it too; to keep
it in its own file instead, start serve with --signing-key.`,
      ],
    },
    pdf: {
      summary: ["escreve um documento emitido em PDF", "writes an issued document as PDF"],
      details: [
        `\
DOCUMENTO é o número impresso, entre aspas, ou o id: lacre pdf "FT 2026A/12" --out fatura.pdf
O primeiro PDF é o original e fica registado; os seguintes, e os feitos com --copy, são marcados como segunda via e
têm o conteúdo do primeiro. Funciona com o servidor a correr.`,
        `\
DOCUMENT is its number as printed, in quotes, or its id: lacre pdf "FT 2026A/12" --out invoice.pdf
The first PDF is the original and is recorded; later ones, and those made with --copy, are marked as second prints with
the content of the first. Works beside a running server.`,
      ],
    },
    saft: {
      summary: [
        "escreve o ficheiro SAF-T (PT) de um ano, de um mês ou de quaisquer dias de um ano",
        "writes the SAF-T (PT) file of a year, a month or any days of one year",
      ],
      details: [
        `\
Sem período: este ano até hoje. O ficheiro só recebe o nome quando está completo; o relatório diz o que ele tem e o
que deve ver. Funciona com o servidor a correr. Para conferir um ficheiro: lacre verify --saft FICHEIRO`,
        `\
Without a period: this year until today. The file gets its name only once it is complete; the report lists what
it contains and what to look at. Works beside a running server. To check a file: lacre verify --saft FILE`,
      ],
    },
    verify: {
      summary: [
        "verifica toda a base de dados e diz o que está errado, ou confere um ficheiro SAF-T",
        "verifies the whole database and names what is wrong, or checks a SAF-T file",
      ],
      details: [
        `\
Verifica que a numeração não tem falhas, que as datas e horas estão em ordem, que as assinaturas, os selos, os totais
e o último número de cada série estão certos, que nenhum evento falta ou foi alterado, que cada registo está como o
último evento o deixou, que o esquema é o do Lacre e que nenhuma página do ficheiro está danificada. Funciona com o
servidor a correr, que, salvo as páginas, verifica o mesmo sozinho: ao arrancar, ao parar e uma vez por dia. Se
encontrar algo, a empresa não emite nada até se repor uma cópia de segurança ou alguém responder por isso: lacre verify
--answer PORQUÊ. Fica registado; o que mudar depois volta a parar a emissão.

Com --saft: confere o ficheiro SAF-T (PT) 1.04_01 de qualquer programa e dispensa a base de dados. Falhas de
estrutura, chaves, números, datas, assinaturas e somas são erros; totais de controlo, preços e meios de pagamento
errados são avisos. Sem --public-key, a chave do produtor do programa, só se confere a forma das assinaturas.`,
        `\
Checks that numbers have no gaps, that dates and entry times are in order, that signatures, seals, totals and
the last number of each series are right, that no event is missing or changed, that every row is as its last event left
it, that the schema is Lacre's, and that no page of the file is damaged. Works beside a running server, which checks all
but the pages by itself: at its start and stop, and once a day. Where it finds something, the company issues nothing
until a backup is restored, or somebody answers for it: lacre verify --answer WHY. That is recorded; what changes
afterwards stops issuing again.

With --saft: checks the SAF-T (PT) 1.04_01 file of any program and needs no database. Faults in structure, keys,
numbers, dates, signatures and sums are errors; wrong control totals of a section, prices and means of payment are
warnings. Without --public-key, the key of the program's producer, only the form of signatures is checked.`,
      ],
    },
    heads: {
      summary: [
        "guarda também noutro sítio a nota dos últimos números, ou diz onde está",
        "keeps the note of the last numbers elsewhere, too, or tells where it is kept",
      ],
      details: [
        `\
Um servidor a correr passa a escrevê-la lá, no máximo uma vez por segundo. Ao arrancar compara a base de dados com as
duas notas: um ficheiro a que falte o que está anotado fica bloqueado como uma cópia de segurança restaurada.`,
        `\
A running server writes it there from then on, at most once a second. At its start it compares the database with both
notes: a file that lacks what is noted is locked like a restored backup.`,
      ],
    },
    "import-saft": {
      summary: [
        "importa clientes e artigos, não documentos, do ficheiro SAF-T de qualquer programa",
        "imports customers and products, not documents, from any program's SAF-T file",
      ],
      details: [
        `\
Importa tudo ou, se algo falhar, nada. O que já existe (um cliente com o mesmo NIF e nome, um artigo com o mesmo
código) fica como está, e por isso pode repetir. Os preços, as unidades e as taxas vêm da última linha que vendeu o
artigo. O relatório diz o que ficou de fora, foi encurtado ou foi suposto.`,
        `\
It imports everything or, if anything fails, nothing. What exists already (a customer with the same tax id and
name, a product with the same code) stays as it is, so you can run it again. Prices, units and tax rates come from the
last line that sold the product. The report lists what was left out, shortened or assumed.`,
      ],
    },
    backup: {
      summary: [
        "faz uma cópia de segurança verificada, mesmo com o servidor a correr",
        "takes a verified backup, also while the server runs",
      ],
      details: [
        `\
O ficheiro só recebe o nome depois de a cópia estar verificada e no disco. Contém a chave de assinatura: guarde-o onde
só você o possa ler. Onde quer que seja aberto, a emissão começa bloqueada (lacre restore --help).
Com --every, lacre status avisa quando faltarem duas; sem ela, quando passar uma semana.`,
        `\
The file gets its name only once the copy has been verified and is on the disk. It contains the signing key:
keep it where only you can read it. Wherever it is opened, issuing is locked at first (lacre restore --help).
With --every, lacre status says when two of them are missed; without it, when a week has passed.`,
      ],
    },
    restore: {
      summary: [
        "repõe uma cópia de segurança, com a emissão bloqueada até confirmar cada série",
        "puts a backup in place, locked for issuing until you confirm each series",
      ],
      details: [
        `\
A cópia é verificada antes; a base de dados que lá estiver é posta de lado. Pare primeiro o servidor.

Os clientes têm documentos emitidos depois da cópia, e os números deles não se podem repetir. Por isso a emissão fica
bloqueada até confirmar, para cada série, o último número que emitiu (0 se nunca usou a série):
  lacre restore --confirm-head 'FT 2026A/17'
Se for o último número do ficheiro, a série continua. Se não for, a série é fechada e abre uma nova
(lacre series create). Números dados em conjunto confirmam-se todos ou nenhum, com o tipo como está impresso (RG, GD)
ou como a série se chama (RC, NDV). Pode confirmar com um servidor a correr.`,
        `\
The backup is verified first; an existing database is moved aside. Stop the server first.

Customers hold documents issued after the backup, and their numbers must never be used again. So issuing stays locked
until you confirm, for each series, the last number you issued (0 for a series you never used):
  lacre restore --confirm-head 'FT 2026A/17'
If that is the last number in the file, the series continues. If not, it is closed and you open a new one
(lacre series create). Numbers given together are confirmed all or none, with the type as printed (RG, GD) or as the
series is named (RC, NDV). You can confirm while a server runs.`,
      ],
    },
    archive: {
      summary: [
        "escreve toda a base de dados num ficheiro, em que se muda: de um ficheiro para o PostgreSQL, ou de volta",
        "writes the whole database into one file, in which it moves: from a file to PostgreSQL, or back",
      ],
      details: [
        `\
A base de dados é verificada antes, e um servidor pode continuar entretanto: o arquivo tem tudo como num só momento.
Contém a chave de assinatura: guarde-o onde só você o possa ler. Para se mudar, pare o que serve a base de dados, para
que nada se emita depois do arquivo, leia-o no novo lugar (lacre unarchive) e deixe de usar a antiga.`,
        `\
The database is verified first, and a server may go on meanwhile: the archive holds all as of one moment. It contains
the signing key: keep it where only you can read it. To move, stop whatever serves the database, so that nothing is
issued after the archive was taken, then read it in its new place (lacre unarchive) and retire the old one.`,
      ],
    },
    unarchive: {
      summary: [
        "lê um arquivo para uma base de dados nova, com a emissão bloqueada até confirmar cada série",
        "reads an archive into a new database, locked for issuing until you confirm each series",
      ],
      details: [
        `\
A base de dados ainda não pode existir. Antes de existir, tudo é conferido e verificado; se algo falhar, não fica nada.

Como a base de dados de que se tirou o arquivo pode continuar em uso, a emissão fica bloqueada até confirmar, para cada
série, o último número que emitiu, como depois de lacre restore:
  lacre restore --confirm-head 'FT 2026A/17'`,
        `\
The database must not exist yet. Everything is checked, and verified, before it does; nothing is left where that fails.

As the database that the archive was taken of may live on, issuing stays locked until you confirm, for each series, the
last number you issued, as after lacre restore:
  lacre restore --confirm-head 'FT 2026A/17'`,
      ],
    },
    "mail test": {
      summary: ["envia um e-mail de experiência", "sends an e-mail as a test"],
      details: [
        "Envia uma mensagem pelo servidor indicado, com os mesmos argumentos e variáveis de lacre serve, e diz o que ele\nrespondeu. Não toca em nenhuma base de dados.",
        "Sends a message through the server named, with the flags and variables of lacre serve, and tells what it answered.\nIt touches no database.",
      ],
    },
    listen: {
      summary: [
        "envia cada evento novo para um endereço desta máquina, assinado como um webhook; para quem programa",
        "sends each new event to an address on this machine, signed as a webhook is; for development",
      ],
      details: [
        `\
Lê os eventos de uma instalação a correr, com uma chave que tenha events:read, e envia cada um por POST, com o corpo e
os cabeçalhos de um webhook. O segredo que os assina (whsec_…) é novo de cada vez e mostrado uma vez, no início.
Cada resposta é uma linha. Se nada responder, tenta mais três vezes, ao fim de 1, 2 e 4 segundos; uma resposta, seja
qual for, não se repete. Só segue para esta máquina e para redes privadas: para um endereço público crie um webhook.
Lê uma vez por segundo, o que gasta metade dos pedidos permitidos a uma chave: dê-lhe uma só para isto. Ctrl+C termina.
Com --json: um objeto JSON por linha.`,
        `\
Reads the events of a running installation with a key that has events:read, and sends each by POST, with the body and
the headers of a webhook. The secret that signs them (whsec_…) is new each time, and shown once, at the start.
Each answer is one line. Where nothing answers it tries three times more, after 1, 2 and 4 seconds; an answer, whatever
it is, is final. It sends to this machine and to private networks alone: for a public address make a webhook.
It reads once a second, which is half of the requests allowed to a key: give it a key of its own. Ctrl+C ends it.
With --json: one JSON object per line.`,
      ],
    },
    trigger: {
      summary: [
        "faz acontecer um evento a sério numa instalação de teste, como document.issued",
        "makes a real event in a test installation, such as document.issued",
      ],
      details: [
        `\
Cria o que for preciso, e emite, paga ou anula de verdade. Só com uma chave de teste (lacre_test_…), como a de
lacre demo: numa instalação a sério cada documento conta. Os eventos que faz:
  customer.created, customer.changed, customer.archived
  product.created, product.changed, product.archived
  document.drafted, document.changed, document.discarded, document.issued, document.printed, document.cancelled
  payment.recorded, payment.voided, refund.recorded, refund.voided`,
        `\
It makes what is needed, and really issues, pays or cancels. Only with the key of a test (lacre_test_…), such as that of
lacre demo: in a real installation every document counts. The events that it makes:
  customer.created, customer.changed, customer.archived
  product.created, product.changed, product.archived
  document.drafted, document.changed, document.discarded, document.issued, document.printed, document.cancelled
  payment.recorded, payment.voided, refund.recorded, refund.voided`,
      ],
    },
    "clock confirm": {
      summary: [
        "confirma que o relógio está certo: há documentos com hora posterior, ou há muito que nada se emite",
        "confirms that the clock is right: documents have later times, or nothing was issued for long",
      ],
      details: [
        `\
Enquanto o relógio estiver atrasado em relação ao último documento, nada se emite até lá, salvo se o confirmar. O mesmo
acontece quando, segundo o relógio, a empresa não emite nada há mais de 60 dias, como quando ele salta para a frente; o
proprietário também o pode confirmar na área da empresa.`,
        `\
While the clock is behind the latest document, nothing is issued until it catches up or you confirm it. The same holds
once the company has issued nothing for more than 60 days by the clock, as when that jumps ahead; the owner can also
confirm it in the company area.`,
      ],
    },
    openapi: {
      summary: [
        "mostra o documento OpenAPI ou escreve-o num ficheiro",
        "prints the OpenAPI document, or writes it to a file",
      ],
      details: [
        "O documento é JSON com e sem --json, que põe também os erros em JSON.",
        "The document is JSON with and without --json, which makes errors JSON too.",
      ],
    },
    version: {
      summary: ["mostra a versão, tal como --version e -v", "prints the version; so do --version and -v"],
      details: ["", ""],
    },
  },
});
