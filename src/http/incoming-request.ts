/** A request as the HTTP layer reads it, from node:http or from the Fetch API. */

export interface IncomingRequest {
  readonly method: string;
  /** The target; only its path and query are read. */
  readonly url: URL;
  /** The value of a header by its lower-case name, or null; repeated headers are joined by a comma. */
  header(name: string): string | null;
  /** The body as it arrives; null when there is none. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Reads a `Request` of the Fetch API. */
export function fromFetch(request: Request): IncomingRequest {
  const { method, headers } = request;
  return { method, url: new URL(request.url), header: (name) => headers.get(name), body: request.body };
}
