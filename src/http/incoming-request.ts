/** A request as this layer reads it: from node:http and from the Fetch API alike. */

export interface IncomingRequest {
  readonly method: string;
  /** Where to; of its host nothing is read. */
  readonly url: URL;
  /** The value of a header by its lower-case name, several joined by a comma; null where there is none. */
  header(name: string): string | null;
  /** The body as it arrives, for methods that may bring one; null where there is none. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** A `Request` of the Fetch API. */
export function fromFetch(request: Request): IncomingRequest {
  const { method, headers } = request;
  return { method, url: new URL(request.url), header: (name) => headers.get(name), body: request.body };
}
