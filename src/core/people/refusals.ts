/** What the refusals of this room say. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  user_is_disabled: ["O utilizador está desativado.", "The user is disabled."],
  no_such_api_key: ["Essa chave da API não existe.", "There is no such API key."],
  must_name_a_scope: ["tem de indicar pelo menos uma permissão", "must name at least one scope"],
  key_already_revoked: ["A chave da API já foi revogada.", "The API key is already revoked."],
  no_such_invitation: ["Esse convite não existe ou já não está em aberto.", "There is no such open invitation."],
  link_is_spent: [
    "Esta ligação já foi usada, foi retirada ou expirou. Peça outra.",
    "This link was used or withdrawn, or has expired. Ask for another one.",
  ],
  must_be_invited_login: ["tem de ser {login}, a quem a ligação se destina", "must be {login}, whom the link is for"],
  login_is_taken: [
    "O utilizador {login} foi alterado neste momento: abra a ligação de novo.",
    "The user {login} was changed at this moment: open the link again.",
  ],
  user_is_member: ["Este utilizador já está na empresa.", "This user is in the company already."],
  login_refused: [
    "O utilizador ou a palavra-passe não estão certos, ou o utilizador está desativado.",
    "The login or the password is wrong, or the user is disabled.",
  ],
  password_is_wrong: ["A palavra-passe não está certa.", "The password is wrong."],
  too_many_tries: [
    "Demasiadas palavras-passe erradas: espere antes de tentar de novo.",
    "Too many wrong passwords: wait before you try again.",
  ],
  password_too_short: ["tem de ter pelo menos {min} caracteres", "must have at least {min} characters"],
  password_is_theirs: ["não pode ser o seu e-mail nem o seu nome", "must not be your login or your name"],
  password_is_guessed: [
    "adivinha-se à primeira: escolha outra, por exemplo quatro palavras sem relação entre si",
    "is guessed at once: choose a longer one, such as four words that have nothing in common",
  ],
  too_many_passwords: [
    "Há demasiadas pessoas a iniciar sessão neste momento: tente de novo.",
    "Too many people are logging in at this moment: try again.",
  ],
  no_such_session: ["Essa sessão não existe.", "There is no such session."],
  no_such_user: ["Esse utilizador não existe.", "There is no such user."],
  is_no_member: ["Já não está nesta empresa.", "You are no longer in this company."],
  user_is_elsewhere: [
    "O utilizador está ou esteve noutras empresas, que uma palavra-passe nova abriria. Quem gere o Lacre é que a pode repor.",
    "The user is or was in other companies, which a new password would open. Whoever runs Lacre resets it.",
  ],
  is_last_owner: [
    "É o último proprietário de uma empresa: nomeie primeiro outro.",
    "This is the last owner of a company: make another one first.",
  ],
});
