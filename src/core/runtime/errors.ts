/**
 * The catalogue of refusals. An operation lists the codes it can throw in its `fails`; src/http/answer.ts maps each
 * kind to its HTTP status. The texts are in each room's refusals.ts.
 */
import type { Lang } from "../texts/languages.ts";
import { type Text, texts } from "../texts/texts.ts";

/** The kind of a refusal; `src/http/answer.ts` maps each to one status. */
export type ErrorKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "precondition"
  | "mismatch"
  | "limited"
  | "unavailable"
  | "internal";

/** Every code the core can answer with, and its kind. Codes are stable; sentences are for people and may change. */
export const ERRORS = {
  invalid_request: "invalid",
  unauthorized: "unauthenticated",
  forbidden: "forbidden",
  password_required: "forbidden",
  not_found: "not_found",
  invalid_state: "conflict",
  series_closed: "conflict",
  series_not_registered: "conflict",
  date_out_of_order: "conflict",
  document_settled: "conflict",
  payment_exceeds_balance: "conflict",
  credit_exceeds_original: "conflict",
  receipt_exceeds_documents: "conflict",
  conflict: "conflict",
  precondition_failed: "precondition",
  idempotency_in_progress: "conflict",
  idempotency_key_reused: "mismatch",
  rate_limited: "limited",
  unavailable: "unavailable",
  internal_error: "internal",
} as const satisfies Record<string, ErrorKind>;

/** The code of a refusal. Codes are stable: programs may depend on them, and on nothing in the message. */
export type ErrorCode = keyof typeof ERRORS;

/** The text of a refusal that has none of its own. */
export const SENTENCES: Readonly<Record<ErrorCode, Text>> = texts({
  invalid_request: ["O pedido não é válido.", "The request is not valid."],
  unauthorized: ["A chave da API falta, não é válida ou foi revogada.", "The API key is missing, invalid or revoked."],
  forbidden: ["A chave da API não tem a permissão necessária.", "The API key lacks the scope this needs."],
  password_required: ["Para isto, escreva de novo a sua palavra-passe.", "Type your password again to do this."],
  not_found: ["Aqui não há nada.", "There is nothing here."],
  invalid_state: ["O estado atual não permite esta operação.", "The resource is not in a state that allows this."],
  series_closed: ["A série está fechada.", "The series is closed."],
  series_not_registered: ["A série não tem código de validação.", "The series has no validation code."],
  date_out_of_order: [
    "A série já tem um documento com data posterior.",
    "The series already has a document with a later date.",
  ],
  document_settled: [
    "Há pagamentos ou outros documentos que dependem deste documento.",
    "Payments or other documents depend on this document.",
  ],
  payment_exceeds_balance: [
    "O pagamento é superior ao valor em dívida.",
    "The payment is more than what is outstanding.",
  ],
  credit_exceeds_original: ["O crédito é superior ao que corrige.", "The credit is more than what it corrects."],
  receipt_exceeds_documents: [
    "O recibo é superior aos documentos que liquida.",
    "The receipt is more than the documents it acknowledges.",
  ],
  conflict: ["Já existe um registo com a mesma identificação.", "Something with the same identity exists already."],
  precondition_failed: [
    "Já não está como foi lido, alguém o alterou entretanto: leia de novo.",
    "It has changed since it was read: read it again.",
  ],
  idempotency_in_progress: [
    "Um pedido com esta chave de idempotência ainda está a ser processado.",
    "A request with this idempotency key is still running.",
  ],
  idempotency_key_reused: [
    "Esta chave de idempotência já foi usada noutro pedido.",
    "This idempotency key was used for another request.",
  ],
  rate_limited: ["Demasiados pedidos: espere um momento.", "Too many requests: wait a moment."],
  unavailable: ["De momento, o Lacre não consegue fazer isto.", "Lacre cannot do this right now."],
  internal_error: ["Ocorreu um erro do nosso lado.", "Something went wrong on our side."],
});

const t = texts({ and_more: ["e mais {count}", "and {count} more"] });

/**
 * The remedy of a refusal, if it needs a command, a request or a place on a page: the sentence ends with what to do,
 * and whoever shows it adds how. `src/http/remedies.ts` has the words.
 */
export type Remedy =
  | {
      readonly to:
        | "answer_for_changes"
        | "confirm_clock"
        | "confirm_long_pause"
        | "confirm_numbers"
        | "import_at_server"
        | "make_link"
        | "name_company"
        | "name_public_url"
        | "open_series"
        | "open_with_key"
        | "reset_user"
        | "set_customer"
        | "take_other_file"
        | "use_other_build";
    }
  | { readonly to: "set_company"; readonly fields: readonly ("address" | "postal_code" | "city")[] }
  | { readonly to: "open_other_series"; readonly doc_type: string }
  | { readonly to: "register_series"; readonly series: string }
  | { readonly to: "confirm_lost"; readonly numbers: readonly string[] };

/** One problem: a sentence, and the field it is about. `path` is like `lines[2].qty`; empty for the whole input. */
export interface Problem {
  readonly path: string;
  readonly text: Text;
  readonly remedy?: Remedy | undefined;
}

/** Names the problem of a field. */
export function problem(path: string, text: Text): Problem {
  return { path, text };
}

/** The most problems that a text names; a client could send thousands. */
const NAMED = 20;
/** The most characters of a path that a text shows: an unknown field can have any name. */
const PATH_SHOWN = 200;

/** A problem as shown to people: the path of the field, empty for the whole input, and a sentence in one language. */
export interface ShownProblem {
  readonly path: string;
  readonly message: string;
}

/** The problem of each field, in a language: the first 20, and how many more there are. */
export function problemsOfError(
  { problems }: Pick<LacreError, "problems">,
  lang: Lang,
  told: (problem: Problem, lang: Lang) => string = ({ text }) => text.in(lang),
): ShownProblem[] {
  const named = problems.slice(0, NAMED).map((one) => ({ path: shown(one.path), message: told(one, lang) }));
  const count = problems.length - named.length;
  return count > 0 ? [...named, { path: "", message: t.and_more({ count }).in(lang) }] : named;
}

/** Problems as one text: `lines[2].qty: must be more than 0; name: is required`. */
export function joinedProblems(problems: readonly ShownProblem[]): string {
  return problems.map(({ path, message }) => (path && `${path}: `) + message).join("; ");
}

function shown(path: string): string {
  return path.length > PATH_SHOWN ? `${path.slice(0, PATH_SHOWN).toWellFormed()}…` : path;
}

/** The only error a caller is meant to see. Anything else that is thrown is a bug and becomes `internal_error`. */
export class LacreError extends Error {
  readonly code: ErrorCode;
  /** One problem or more, for `textOfError`. `message` is the same in English. */
  readonly problems: readonly Problem[];
  /** Whole seconds after which trying again can help; absent where it cannot. */
  readonly retry_after_s: number | undefined;

  constructor(code: ErrorCode, problems: readonly Problem[] = [problem("", SENTENCES[code])], retry_after_s?: number) {
    super(joinedProblems(problemsOfError({ problems }, "en")));
    this.name = "LacreError";
    this.code = code;
    this.problems = problems;
    this.retry_after_s = retry_after_s;
  }

  /** The `error` of the API's answers: `JSON.stringify({ error })` is the whole body. */
  toJSON(): { code: ErrorCode; message: string } {
    return { code: this.code, message: this.message };
  }
}

/** The text of a refusal, in a language: in English its `message`. */
export function textOfError(error: LacreError, lang: Lang): string {
  return joinedProblems(problemsOfError(error, lang));
}

/**
 * Refuses: throws the `LacreError` with this code and sentence, by default the code's own. As everything runs in one
 * transaction, refusing is rolling back.
 */
export function refuse(code: ErrorCode, text: Text = SENTENCES[code], remedy?: Remedy): never {
  throw new LacreError(code, [{ path: "", text, ...(remedy && { remedy }) }]);
}

/** Throws its refusal. Where it returns a list, or a promise of one, these are further checks, of what it read. */
export type Check = () => unknown;

/** Yields what each check refuses, in their order. */
export async function* refusalsOf(checks: Iterable<Check>): AsyncGenerator<LacreError> {
  for (const check of checks) {
    try {
      const further = await check();
      if (Array.isArray(further)) yield* refusalsOf(further);
    } catch (error) {
      if (!(error instanceof LacreError)) throw error;
      yield error;
    }
  }
}

/** Refuses for now: a retry can help after this many whole seconds. */
export function refuseFor(retry_after_s: number, code: ErrorCode, text: Text = SENTENCES[code]): never {
  throw new LacreError(code, [problem("", text)], retry_after_s);
}

/**
 * Runs a check of a part of an input, and adds the problems it finds to the others, with paths below that of the part.
 * Returns undefined where there are any. Any other refusal is thrown.
 */
export async function collecting<Found>(
  problems: Problem[],
  path: string,
  check: () => Promise<Found>,
): Promise<Found | undefined> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof LacreError) || error.code !== "invalid_request") throw error;
    problems.push(...error.problems.map((one) => ({ ...one, path: [path, one.path].filter(Boolean).join(".") })));
    return undefined;
  }
}

/** The errors behind the refusals of answers, so that whoever shows one can add how to remedy it. */
const told = new WeakMap<object, LacreError>();

/** A refusal as a part of an answer. */
export function toldRefusal(error: LacreError, lang: Lang): { code: ErrorCode; message: string } {
  const refusal = { code: error.code, message: textOfError(error, lang) };
  told.set(refusal, error);
  return refusal;
}

/** The error behind a refusal in an answer; undefined for any other object. */
export function errorBehind(refusal: object): LacreError | undefined {
  return told.get(refusal);
}

/** Refuses an input with `invalid_request`, naming every problem found. */
export function refuseInput(problems: readonly Problem[]): never {
  throw new LacreError("invalid_request", problems);
}
