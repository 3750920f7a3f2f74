/** A request as the HTTP layer reads it, from node:http or from the Fetch API. */

/** Functions rather than getters: docs/benchmarks.md, "Gains". */
export interface IncomingRequest {
  readonly method: string;
  /** Path and query as they were sent, nothing decoded or resolved: `/v1/customers?limit=5`. */
  readonly target: string;
  /** The value of a header by its lower-case name, or null; repeated headers are joined by a comma. */
  header(name: string): string | null;
  /** The body as it arrives; null if there is none. `lost`: the host program read it before, and did not keep it. */
  body(): AsyncIterable<Uint8Array> | "lost" | null;
  /** Aborts when the client leaves before it is answered. */
  gone?(): AbortSignal;
}

/** Reads a `Request` of the Fetch API. */
export function fromFetch(request: Request): IncomingRequest {
  const { method, headers, bodyUsed, signal } = request;
  const { pathname, search, host } = new URL(request.url);
  const body = bodyUsed ? "lost" : request.body;
  // Fetch keeps the host in the URL alone.
  const header = (name: string) => headers.get(name) ?? (name === "host" ? host : null);
  return { method, target: pathname + search, header, body: () => body, gone: () => signal };
}
