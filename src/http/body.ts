/** Reading a body: limited in size, JSON only, and read far enough that the client receives the answer. */
import { refuse } from "../core/runtime/errors.ts";
import { HttpError } from "./answer.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { parseJson } from "./json.ts";
import { t } from "./refusals.ts";

/** Bytes beyond the limit that are read and discarded, so that a client still sending can receive the answer. */
const DISCARDED_BYTES = 8 * 1024 * 1024;

const JSON_IN_UTF8 = /^application\/json\s*(?:;\s*charset=(?:utf-8|"utf-8")\s*)?$/i;

/** Whether the request has a body. The body of a GET is never read; its headers announce it. */
export async function hasBody(request: IncomingRequest, maxBytes: number): Promise<boolean> {
  if (request.method !== "GET" && request.method !== "HEAD") return (await readBody(request, maxBytes)).length > 0;
  return Number(request.header("content-length") ?? 0) > 0 || request.header("transfer-encoding") !== null;
}

/**
 * The JSON object in the body; undefined for an empty body. Refuses with `payload_too_large`, `unsupported_media_type`,
 * or `invalid_request` when the body is not an object in strict JSON (see json.ts).
 */
export async function readObject(request: IncomingRequest, maxBytes: number): Promise<object | undefined> {
  const value = await readJson(request, maxBytes);
  if (value === undefined) return undefined;
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    refuse("invalid_request", t.body_must_be_object);
  }
  return value;
}

/** The same for any JSON. */
export async function readJson(request: IncomingRequest, maxBytes: number): Promise<unknown> {
  const bytes = await readBody(request, maxBytes);
  if (bytes.length === 0) return undefined;
  const encoding = request.header("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity" || !JSON_IN_UTF8.test(request.header("content-type") ?? "")) {
    throw new HttpError("unsupported_media_type");
  }
  return parseJson(bytes);
}

async function readBody(request: IncomingRequest, maxBytes: number): Promise<Uint8Array> {
  const body = request.header("content-length") === "0" ? null : request.body();
  // If it passed for a missing body, a cancellation would lose its reason.
  if (body === "lost") refuse("internal_error", t.body_read_before);
  try {
    const bytes = body ? await readChunks(body, maxBytes) : EMPTY;
    if (bytes) return bytes;
  } catch {
    refuse("invalid_request", t.body_cut_off); // Seldom received: the client has usually gone.
  }
  // The rest of this body could be read as the next request.
  throw new HttpError("payload_too_large", { connection: "close" });
}

const EMPTY = new Uint8Array();

/** The whole body; undefined when it is too large, and then up to `DISCARDED_BYTES` more have been read. */
async function readChunks(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (length > maxBytes + DISCARDED_BYTES) return undefined;
  }
  if (length > maxBytes) return undefined;
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

/**
 * The body as a file, by a function that opens it. Refuses with `unsupported_media_type` at once; opening it reads the
 * whole body first, and refuses as every body does. A client would time out if its file were parsed while it arrives.
 */
export function openBody(
  request: IncomingRequest,
  { types, maxBytes }: { readonly types: readonly string[]; readonly maxBytes: number },
): () => AsyncIterable<Uint8Array> {
  const type = request.header("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const encoding = request.header("content-encoding") ?? "identity";
  if (!types.includes(type) || encoding.toLowerCase() !== "identity") throw new HttpError("unsupported_media_type");
  return async function* () {
    const bytes = await readBody(request, maxBytes);
    for (let from = 0; from < bytes.length; from += PIECE) yield bytes.subarray(from, from + PIECE);
  };
}

const PIECE = 65_536;
