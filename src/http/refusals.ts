/** The refusals of malformed requests, and of those that arrive in a wrong way. */
import { texts } from "../core/texts/texts.ts";

export const t = texts({
  area_not_there: [
    "Faltam os ficheiros da área da empresa: indique-os na opção area.files.",
    "The files of the company area are not there: name them with the option area.files.",
  ],
  query_not_utf8: [
    "Os parâmetros do endereço não são UTF-8 codificado em percentagem.",
    "The query string is not percent-encoded UTF-8.",
  ],
  takes_no_body: ["Um {method} não leva corpo.", "A {method} takes no body."],
  body_must_have_changes: [
    "O corpo tem de ser um objeto JSON com os campos a alterar.",
    "The body must be a JSON object with the fields to change.",
  ],
  body_must_be_object: ["O corpo tem de ser um objeto JSON.", "The body must be a JSON object."],
  body_cut_off: ["O corpo chegou cortado.", "The body was cut off."],
  body_read_before: [
    "O programa à volta do Lacre leu o corpo e não o passou; tem de o deixar por ler, ou deixá-lo em req.body.",
    "The program around Lacre read the body and did not pass it on; it must leave it unread, or in req.body.",
  ],
  plain_http_refused: [
    "Este endereço é HTTP simples: qualquer pessoa na rede podia ler a palavra-passe. Use HTTPS (um proxy com TLS, indicado com --trusted-proxy), abra a página na própria máquina, ou arranque com --plain-http-lan.",
    "This address is plain HTTP: anybody in the network could read the password. Use HTTPS (a proxy with TLS, named with --trusted-proxy), open the page on the machine itself, or start with --plain-http-lan.",
  ],
  too_many_under_way: ["Há demasiados pedidos em curso.", "Too many requests are under way."],
  body_not_utf8: ["O corpo não é UTF-8.", "The body is not UTF-8."],
  body_not_json: ["O corpo não é JSON: «{reason}»", "The body is not JSON: {reason}"],
  body_has_byte_order_mark: [
    "O corpo começa por uma marca de ordem de bytes (BOM).",
    "The body begins with a byte order mark.",
  ],
  body_too_deep: [
    "O corpo tem mais de {max} {max|nível|níveis} uns dentro dos outros.",
    "The body is nested deeper than {max} levels.",
  ],
  body_has_too_many_members: [
    "O corpo tem mais de {max} {max|membro|membros}.",
    "The body has more than {max} members.",
  ],
  not_well_formed_http: ["O pedido não é HTTP bem formado.", "The request is not well-formed HTTP."],
  headers_too_large: ["Os cabeçalhos passam de 16 KiB.", "The headers are larger than 16 KiB."],
  expects_something_else: [
    "O cabeçalho Expect só pode ter 100-continue: retire-o, ou envie esse valor.",
    "The Expect header can only have 100-continue: leave it out, or send that.",
  ],
  not_a_proxy: ["Isto não é um proxy.", "This is not a proxy."],
  target_must_be_path: [
    "O destino tem de ser um caminho: isto não é um proxy.",
    "The target must be a path: this is not a proxy.",
  ],
  coding_not_supported: [
    "Transfer-Encoding só pode ser chunked, em HTTP/1.1.",
    "The Transfer-Encoding can only be chunked, in HTTP/1.1.",
  ],
  version_not_supported: ["A versão tem de ser HTTP/1.1 ou HTTP/1.0.", "The version must be HTTP/1.1 or HTTP/1.0."],
  host_must_be_one: ["Tem de haver um e um só cabeçalho Host.", "There must be exactly one Host header."],
  host_malformed: ["O cabeçalho Host está mal formado.", "The Host header is malformed."],
  storage_not_ready: ["A base de dados ainda não está pronta.", "The database is not ready."],
  nothing_can_be_issued: [
    "Nada se pode emitir: {reasons:and}. Consultar continua a ser possível. Os comandos escrevem-se no computador do Lacre, com o --db que ele serve.",
    "Nothing can be issued: {reasons:and}. Reading works. Commands are typed on the machine Lacre runs on, with the --db that it serves.",
  ],
  reason: {
    database_changed: [
      "a base de dados foi alterada por algo que não o Lacre (lacre verify)",
      "the database was changed by something other than Lacre (lacre verify)",
    ],
    numbers_unconfirmed: [
      "há números por confirmar depois de um restauro (lacre restore --status)",
      "numbers are unconfirmed after a restore (lacre restore --status)",
    ],
    clock_behind: [
      "o relógio está atrasado em relação ao último documento (lacre clock confirm)",
      "the clock is behind the latest document (lacre clock confirm)",
    ],
  },
  host_not_known: [
    "O servidor não responde por este nome. Quem o gere pode aceitá-lo com --allowed-host NOME, ou indicar o endereço público com --public-url.",
    "The server does not answer to this name. Whoever runs it can allow it with --allowed-host NAME, or name its address with --public-url.",
  ],
  not_same_origin: [
    "O pedido veio de uma página de outro endereço e não foi feito. Abra a área da empresa e repita-o lá.",
    "The request came from a page of another address, and was not done. Open the company area and do it there.",
  ],
  agents_do_not_issue: [
    "Esta chave pode emitir documentos, e um agente não emite. Crie outra sem documents:issue, na área da empresa ou com lacre key create --name agente --scope customers:read --scope products:read --scope documents:read --scope documents:write.",
    "This key may issue documents, and an agent does not issue. Make another one without documents:issue, in the company area or by lacre key create --name agent --scope customers:read --scope products:read --scope documents:read --scope documents:write.",
  ],
  must_be_one_message: [
    "O corpo tem de ser uma mensagem de JSON-RPC 2.0, e uma só.",
    "The body must be one message of JSON-RPC 2.0, and only one.",
  ],
  protocol_not_spoken: [
    "As versões do protocolo que o servidor fala são {versions:and}.",
    "The versions of the protocol that the server speaks are {versions:and}.",
  ],
  params_not_valid: ["Os parâmetros não são válidos.", "The parameters are not valid."],
  tool_not_known: [
    "Não há ferramenta com esse nome; tools/list indica-as.",
    "There is no such tool; tools/list names them.",
  ],
  method_not_known: ["O método não existe.", "There is no such method."],
  answer_too_large: [
    "A resposta tem {bytes} bytes e passa de {max}: peça menos linhas, ou um só registo.",
    "The answer has {bytes} bytes, more than {max}: ask for fewer rows, or for a single record.",
  ],
  move_to_or_by: [
    "Indique o instante ou o número de segundos, e só um dos dois.",
    "Give the instant or the number of seconds, and only one of them.",
  ],
  clock_goes_ahead: [
    "O relógio da demonstração só anda para a frente, até dez anos de cada vez.",
    "The clock of the demo only goes ahead, by ten years at most.",
  ],
  viewer_not_there: [
    "Faltam os ficheiros da página da documentação: indique onde estão na opção viewer do servidor.",
    "The files of the documentation page are missing: give the server's option viewer the folder that has them.",
  ],
});
