/** Files that are sent as they were built: packed once, and not sent again to clients that have them. */
import { hash } from "node:crypto";
import { gzip } from "node:zlib";
import type { Answer } from "./answer.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/** Whether a client takes an answer packed with gzip. */
export function takesGzip(request: IncomingRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(request.header("accept-encoding") ?? "");
}

/** The stored facts of a file: its ETag, the same for both forms, and its bytes packed with gzip. */
interface Packed {
  readonly etag: string;
  readonly gzip: Uint8Array;
}

const PACKED = new WeakMap<Uint8Array, Promise<Packed>>();

function packed(file: Uint8Array): Promise<Packed> {
  const known = PACKED.get(file) ?? pack(file);
  PACKED.set(file, known);
  return known;
}

/** Packs a file beside the event loop: a megabyte takes a hundred milliseconds. */
async function pack(file: Uint8Array): Promise<Packed> {
  const done = Promise.withResolvers<Uint8Array>();
  gzip(file, { level: 9 }, (error, bytes) => (error ? done.reject(error) : done.resolve(bytes)));
  return { etag: `W/"${hash("sha256", file).slice(0, 32)}"`, gzip: await done.promise };
}

/** A file as the answer to a request: packed if the client accepts that, 304 if the client has it. */
export async function fileAnswer(
  file: Uint8Array,
  request: IncomingRequest,
  headers: Answer["headers"],
): Promise<Answer> {
  const { etag, gzip } = await packed(file);
  const known = { "cache-control": "no-cache", etag, vary: "accept-encoding" };
  const has = (request.header("if-none-match") ?? "").split(",").map((one) => one.trim());
  if (has.includes(etag) || has.includes("*")) return { status: 304, headers: known, body: null };
  return takesGzip(request)
    ? { status: 200, headers: { ...headers, ...known, "content-encoding": "gzip" }, body: gzip }
    : { status: 200, headers: { ...headers, ...known }, body: file };
}
