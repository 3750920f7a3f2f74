/** The texts of this room's refusals. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  key_is_not_producers: [
    "Esta edição só assina com a chave de {producer}. Abra o Lacre com ela, ou importe-a.",
    "This build signs with the key of {producer} alone. Open Lacre with it, or import it.",
  ],
  key_is_known: [
    "A chave de assinatura já é conhecida, com a versão {key_version:plain}.",
    "The signing key is already known, as version {key_version:plain}.",
  ],
  producer_is_incomplete: [
    "é obrigatório: um produtor tem nome e NIF",
    "is required: a producer has a name and a tax number",
  ],
  build_has_producer: [
    "Esta edição é de {producer}: o número de certificado, o produtor e a chave vêm com ela e não mudam.",
    "This build is that of {producer}: its certificate number, producer and key come with it and do not change.",
  ],
  certificate_is_not_of_build: [
    "O certificado n.º {certificate_number:plain} é da edição de um produtor, e esta não é essa edição: abra a base de dados com ela.",
    "Certificate number {certificate_number:plain} belongs to a producer's build, and this is not it: open the database with that build.",
  ],
  must_be_rehearsal_number: [
    "tem de ser 0, ou 9999 para ensaiar: qualquer outro número vem com a edição do seu produtor",
    "must be 0, or 9999 to rehearse: any other number comes with the build of its producer",
  ],
  host_signs: [
    "Quem assina é o programa anfitrião: mude a chave aí e não na base de dados.",
    "The host program signs: change the key there, not in the database.",
  ],
  key_version_is_past: [
    "As versões da chave só aumentam: a próxima é a {next:plain}.",
    "Key versions only go up: the next is {next:plain}.",
  ],
  must_be_private_key: [
    "tem de ser uma chave privada em PEM (PKCS#1 ou PKCS#8), sem palavra-passe",
    "must be a private key as PEM (PKCS#1 or PKCS#8) without a passphrase",
  ],
  must_be_rsa_key: ["tem de ser RSA de {bits:plain} bits", "must be RSA of {bits:plain} bits"],
  is_damaged_key: ["está danificada: as assinaturas que faz não conferem", "is damaged: its signatures do not verify"],
  key_is_elsewhere: [
    "A versão {key_version:plain} da chave de assinatura não está na base de dados: abra o Lacre com ela ou crie outra.",
    "Signing key version {key_version:plain} is not in the database: open Lacre with it, or rotate it.",
  ],
  key_version_is_taken: [
    "A versão {key_version:plain} da chave de assinatura já é conhecida com outra chave pública.",
    "Signing key version {key_version:plain} is already known with another public key.",
  ],
});
