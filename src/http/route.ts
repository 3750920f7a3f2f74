/** The types of a route: it runs an operation for a caller, or serves a page to anybody. */
import type * as z from "zod";
import type { Lacre } from "../core/open.ts";
import type { Operation } from "../core/runtime/operation.ts";
import type { Answer } from "./answer.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import type { RequestAddress } from "./request-address.ts";
import type { Viewer } from "./viewer.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export type Route = OperationRoute | PageRoute;

/** A route that runs an operation for the caller: a key, a person or the host program. */
export interface OperationRoute {
  readonly method: Method;
  /** The path, with parameters written `:id`. */
  readonly path: string;
  readonly operation: Operation;
  /** The operation's input; the path carries its `path_fields`. */
  readonly input: z.ZodObject;
  readonly path_fields: readonly string[];
  /** The status of success. */
  readonly status: 200 | 201 | 204;
  /** The path of created resources; null if they have none. */
  readonly collection: string | null;
  /** Whether the session's cookie is set or forgotten. */
  readonly cookie?: "set" | "forget";
  /** Set if the body is a file, passed to the operation as this field; its other fields are in the query. */
  readonly upload?: Upload;
  /** Set if the result is answered as a file instead of JSON. */
  readonly file?: FileKind;
}

/** How a body is read as a file, piece by piece as it arrives. */
export interface Upload {
  readonly field: string;
  /** Its media types. */
  readonly types: readonly string[];
  /** The largest, in bytes. */
  readonly maxBytes: number;
}

/** How a result is answered as a file. */
export interface FileKind<Value = never> {
  /** Its media type. */
  readonly type: string;
  /**
   * The name under which a browser offers to save it, its media type if it differs, and its bytes: all at once, or in
   * pieces as they are produced. Null if there is no file: the answer is 204.
   */
  readonly fileIn: (
    result: Value,
  ) => { name: string; type?: string; content: Uint8Array | AsyncIterable<Uint8Array> } | null;
}

/** A route that serves a page without a key. */
export interface PageRoute {
  readonly method: "GET";
  readonly path: string;
  readonly page: PublicPage;
}

/** A page that needs no key. */
export interface PublicPage {
  /** Its operation id in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly type: "application/json" | "text/html" | "text/javascript" | "text/css";
  readonly output: z.ZodType;
  readonly serve: (site: Site, request: IncomingRequest, address: RequestAddress) => Answer | Promise<Answer>;
}

/** The sources a page is served from. */
export interface Site {
  readonly lacre: Lacre;
  /** Whether nothing here is real. */
  readonly demo: boolean;
  /** The address at which others reach it; null if none is configured. */
  readonly public_url: string | null;
  /** The OpenAPI document as JSON. `base`: the base path, used if no address is configured. */
  description(base: string): string;
  viewer(): Viewer;
}
