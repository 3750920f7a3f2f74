/**
 * The remedies of refusals, by requests and commands. Core's sentence ends with what to do; HTTP and the commands add
 * how.
 */
import { joinedProblems, type LacreError, type Problem, problemsOfError, type Remedy } from "../core/runtime/errors.ts";
import type { Lang } from "../core/texts/languages.ts";
import { type Text, texts } from "../core/texts/texts.ts";

type Fields = Extract<Remedy, { readonly to: "set_company" }>["fields"];

const t = texts({
  in_area: ["na área da empresa", "in the company area"],
  in_header: ["no cabeçalho Lacre-Company", "in the header Lacre-Company"],
  set_company: [
    ({ fields }: { fields: Fields }) => `lacre company set ${flagsOf(fields, "TEXTO")}`,
    ({ fields }: { fields: Fields }) => `lacre company set ${flagsOf(fields, "TEXT")}`,
  ],
  open_other_series: [
    "lacre series create --doc-type {doc_type} --code CÓDIGO",
    "lacre series create --doc-type {doc_type} --code CODE",
  ],
  register_series: ['lacre series register "{series}" CÓDIGO', 'lacre series register "{series}" CODE'],
  open_with_key: ["lacre serve --signing-key FICHEIRO", "lacre serve --signing-key FILE"],
  or: ["{one} ou {other}", "{one}, or {other}"],
  where_typed: [
    "Os comandos escrevem-se no computador do Lacre, com o --db que ele serve.",
    "Commands are typed on the machine Lacre runs on, with the --db that it serves.",
  ],
});

const flagsOf = (fields: Fields, value: string): string =>
  fields.map((field) => `--${field.replace("_", "-")} ${value}`).join(" ");

/** The commands without values. */
const COMMANDS: { readonly [To in Remedy["to"]]?: string } = {
  answer_for_changes: "lacre verify",
  confirm_clock: "lacre clock confirm",
  confirm_long_pause: "lacre clock confirm",
  confirm_numbers: "lacre restore --status",
  import_at_server: "lacre import-saft",
  name_public_url: "lacre serve --public-url URL",
  open_series: "lacre series open",
  reset_user: "lacre user reset",
};

function commandFor(remedy: Remedy): Text | string | undefined {
  switch (remedy.to) {
    case "set_company":
      return t.set_company(remedy);
    case "open_other_series":
      return t.open_other_series(remedy);
    case "register_series":
      return t.register_series(remedy);
    case "open_with_key":
      return t.open_with_key;
    default:
      return COMMANDS[remedy.to];
  }
}

/** The requests, and the places of a page or a request. */
const REQUESTS: { readonly [To in Remedy["to"]]?: Text | string } = {
  confirm_long_pause: t.in_area,
  make_link: "POST /v1/documents/{id}/links",
  name_company: t.in_header,
  register_series: "PATCH /v1/series/{id}",
  set_customer: "PATCH /v1/customers/{id}",
};

/** With the command that does what a refusal asks for. */
function withCommand({ text, remedy }: Problem, lang: Lang): string {
  return followedBy(text, remedy && commandFor(remedy), lang);
}

/** The text of an answer: with the request too, and with where to type commands, as the caller may be elsewhere. */
export function withRequest({ text, remedy }: Problem, lang: Lang): string {
  const [request, command] = remedy ? [REQUESTS[remedy.to], commandFor(remedy)] : [];
  const said = followedBy(
    text,
    request && command ? t.or({ one: request, other: command }) : (request ?? command),
    lang,
  );
  return command ? `${said} ${t.where_typed.in(lang)}` : said;
}

/** `Open one.` becomes `Open one: lacre series open.` */
function followedBy(text: Text, how: Text | string | undefined, lang: Lang): string {
  if (how === undefined) return text.in(lang);
  return `${text.in(lang).replace(/\.$/, "")}: ${typeof how === "string" ? how : how.in(lang)}.`;
}

/** The whole text of a refusal at a terminal. */
export const textWithCommands = (error: LacreError, lang: Lang): string =>
  joinedProblems(problemsOfError(error, lang, withCommand));
