/** The texts of this room's refusals. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  customer_has_no_email: [
    "o cliente não tem e-mail: indique para onde enviar",
    "the customer has no e-mail address: name one to send it to",
  ],
  customer_has_no_valid_email: [
    "o e-mail do cliente, {email}, não é um endereço: corrija-o, ou indique para onde enviar",
    "the customer's e-mail, {email}, is not one address: correct it, or name one to send it to",
  ],
  nothing_sends: [
    "Não há servidor de e-mail configurado; quem opera o Lacre tem de o indicar.",
    "No e-mail server is set up; whoever operates Lacre has to name one.",
  ],
  nothing_sends_but_links: [
    "Não há servidor de e-mail configurado. Crie uma ligação para o documento e envie-a por outro meio.",
    "No e-mail server is set up. Make a link to the document, and send that by other means.",
  ],
  too_many_emails: [
    "Uma empresa envia no máximo {max} e-mails por hora.",
    "This company has sent {max} e-mails within the hour, which is the most.",
  ],
  no_such_email: ["Esse e-mail não existe.", "There is no such e-mail."],
  has_unknown_place: [
    "tem {place}, que não é um destes lugares: {places:list}",
    "has {place}, which is none of these places: {places:list}",
  ],
  must_ascend: ["têm de ir do menor para o maior, sem repetir", "must ascend"],
  must_be_host: ["tem de ser o nome ou o endereço de um servidor", "must be the name or the address of a server"],
  password_needs_tls: [
    "sem TLS a palavra-passe ia à vista de todos: use tls ou starttls",
    "without TLS everybody on the way could read the password: use tls or starttls",
  ],
  password_needs_user: [
    "vai com o utilizador (user): escreva os dois, ou nenhum",
    "goes with user: give both, or neither",
  ],
  several_companies: [
    "O servidor de e-mail de uma instalação com várias empresas é de quem a opera.",
    "The e-mail server of an installation with several companies is its operator's.",
  ],
  server_is_operators: [
    "Quem opera o Lacre já indicou o servidor de e-mail.",
    "Whoever operates Lacre has named the e-mail server.",
  ],
  password_unreadable: [
    "A palavra-passe do servidor foi guardada com outra chave e já não se consegue ler: escreva-a outra vez.",
    "The password of the server was kept under another key and cannot be read any more: type it again.",
  ],
  tested_just_now: [
    "Acabou de pedir um e-mail de teste: peça outro daqui a {seconds} segundos.",
    "You have just asked for a test message: ask for another in {seconds} seconds.",
  ],
  no_mail_key: [
    "A palavra-passe não se pode guardar nem ler: quem opera o Lacre não lhe deu a chave que a sela.",
    "The password can be neither kept nor read: whoever operates Lacre has not given it the key that seals it.",
  ],
});
