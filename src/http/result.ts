/** How the result of an operation is answered: as JSON, or as a file. */
import { errorBehind } from "../core/runtime/errors.ts";
import { etagOfJson } from "../core/runtime/etag.ts";
import type { Ran } from "../core/runtime/operation.ts";
import type { Lang } from "../core/texts/languages.ts";
import { type Answer, jsonAnswer, messageOf } from "./answer.ts";
import { deviceCookie, sessionCookie } from "./credentials.ts";
import type { RequestAddress } from "./request-address.ts";
import type { FileKind, OperationRoute } from "./route.ts";

/**
 * The answer to an operation that succeeded. A 201 carries `Location`, below the base path; a replay carries
 * `Idempotent-Replayed`, and a tagged one `ETag`. Refusals within it are told in this language.
 */
export function resultAnswer(
  { status, collection, cookie, file, operation }: OperationRoute,
  { value, replayed, etag }: Ran<unknown>,
  { base: basePath, secure }: Pick<RequestAddress, "base" | "secure">,
  lang: Lang,
): Answer {
  const replay = replayed && { "idempotent-replayed": "true" };
  if (file) return fileAnswer(file, value as never, { ...replay });
  if (cookie === "set") {
    const { session, secret, device } = value as { session: unknown; secret: string; device: string };
    const cookies = [sessionCookie(secret, basePath, secure), deviceCookie(device, basePath, secure)];
    return jsonAnswer(status, session, { "set-cookie": cookies });
  }
  const headers = {
    ...(status === 201 && collection && { location: `${basePath}${collection}/${(value as { id: string }).id}` }),
    ...(cookie === "forget" && { "set-cookie": sessionCookie(null, basePath, secure) }),
    ...(etag !== undefined && { etag }),
    ...replay,
  };
  if (status === 204) return { status, headers, body: null };
  const told = toldIn(value, lang);
  const language = told !== value && { "content-language": lang, vary: "Accept-Language" };
  const answer = jsonAnswer(status, linkedBelow(basePath, told), { ...language, ...headers });
  if (operation.kind !== "query" || !operation.isTagged) return answer;
  return { ...answer, headers: { ...answer.headers, etag: etagOfJson(String(answer.body)) } };
}

/** An answer that holds refusals, with each as the request would be told it; any other as it is. */
export function toldIn(value: unknown, lang: Lang): unknown {
  const { refusals } = value as { refusals?: unknown };
  if (!Array.isArray(refusals)) return value;
  const retold = (refusals as object[]).map((refusal) => {
    const error = errorBehind(refusal);
    return error ? { ...refusal, message: messageOf(error, lang) } : refusal;
  });
  return { ...(value as object), refusals: retold };
}

/** A link in an answer begins with the base path, which the core does not know. */
function linkedBelow(basePath: string, value: unknown): unknown {
  const { link_path } = value as { link_path?: unknown };
  return typeof link_path === "string" ? { ...(value as object), link_path: basePath + link_path } : value;
}

function fileAnswer({ type: usual, fileIn }: FileKind, value: never, more: Answer["headers"]): Answer {
  const found = fileIn(value);
  if (!found) return { status: 204, headers: more, body: null };
  return contentAnswer({ type: usual, ...found }, more);
}

/** Safari shows a PDF as an object of its own address, which the policy of every other answer forbids. */
const PAPER_POLICY = "default-src 'none'; object-src 'self'; frame-ancestors 'none'";

/** A paper that a person opens in a browser, shown under its name. */
export function paperAnswer({ name, pdf }: { readonly name: string; readonly pdf: Uint8Array }): Answer {
  const more = { "content-security-policy": PAPER_POLICY };
  return contentAnswer({ name, type: "application/pdf", content: pdf }, more);
}

interface Content {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

function contentAnswer({ name, type, content }: Content, more: Answer["headers"]): Answer {
  // A link to a PDF shows it, under its name; everything else is saved. A file from somebody else is never a PDF.
  const disposition = `${type === "application/pdf" ? "inline" : "attachment"}; filename*=UTF-8''${encodeURIComponent(name)}`;
  return { status: 200, headers: { "content-type": type, "content-disposition": disposition, ...more }, body: content };
}
