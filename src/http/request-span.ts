/**
 * The span of a request, named by OpenTelemetry's conventions for HTTP servers. It leaves out the path, the query and
 * the client's address: they name people.
 */
import type { Tracing } from "../core/runtime/tracing.ts";
import type { Answer } from "./answer.ts";

/** A request, and facts about its answer. */
interface Traced {
  readonly request: { readonly method: string; header(name: string): string | null };
  readonly source: { readonly secure?: boolean | undefined };
  readonly request_id: string;
  readonly route?: string;
  readonly caller?: { readonly company_id: string };
  /** The code of its refusal. */
  readonly refusal?: string;
}

/** The methods that OpenTelemetry knows; a client can send any other, and each would make spans of its own. */
const METHODS = ["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"];

/** Answers a request in a span of its own. */
export function answerInSpan(
  tracing: Tracing,
  call: Traced,
  basePath: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const { request, source, request_id } = call;
  const isKnown = METHODS.includes(request.method);
  const method = isKnown ? request.method : "_OTHER";
  const name = isKnown ? method : "HTTP";
  const beginning = {
    name,
    attributes: {
      "http.request.method": method,
      "url.scheme": source.secure ? "https" : "http",
      "lacre.request.id": request_id,
    },
    header: (name: string) => request.header(name),
  };
  return tracing.inSpan(beginning, work, (outcome) => {
    const { route, caller, refusal } = call;
    const status = "value" in outcome ? outcome.value.status : 500;
    const hasFailed = status >= 500;
    return {
      ...(route !== undefined && { name: `${name} ${basePath}${route}` }),
      attributes: {
        "http.response.status_code": status,
        ...(route !== undefined && { "http.route": basePath + route }),
        ...(caller?.company_id && { "lacre.company.id": caller.company_id }),
        ...(refusal !== undefined && { "lacre.error.code": refusal }),
        ...(hasFailed && { "error.type": refusal ?? String(status) }),
      },
      hasFailed,
    };
  });
}
