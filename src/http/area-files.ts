/** The files of the company area: its shell and its assets, built from src/web into one file of JSON. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { refuse } from "../core/runtime/errors.ts";
import type { Answer } from "./answer.ts";
import { takesGzip } from "./files.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { t } from "./refusals.ts";

/** The output of `node tools/build.ts area`. */
export interface AreaFiles {
  /** The HTML of every screen; `{area}` stands for the area's path, as seen from the screen's. */
  readonly shell: string;
  /** By name, which changes with the content: the media type, and the compressed content in Base64. */
  readonly assets: Readonly<Record<string, { readonly type: string; readonly gzip: string }>>;
}

/**
 * The Content-Security-Policy of the area: scripts and styles only from its own files, nothing inline, no string that
 * becomes code, no frame around it. A document is shown from memory (`blob:`).
 */
export const AREA_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "frame-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

/**
 * The area's files of this package, or of a named file. A bundle carries no files: copy that of the package beside it
 * and name the copy. Refuses with `not_found` if the file is missing.
 */
export function readAreaFiles(file?: string | URL): AreaFiles {
  try {
    return JSON.parse(readFileSync(file ?? new URL("../../build/area.json", import.meta.url), "utf8"));
  } catch {
    return refuse("not_found", t.area_not_there);
  }
}

/** The files as answers, below a base path. */
export interface AreaPages {
  /** The page, the same for every screen, at this path. */
  page(path: string): Answer;
  /** Refuses with `not_found` a name that no asset has. */
  asset(name: string, request: IncomingRequest): Answer;
}

/** A year, in seconds: an asset's name changes with its content. */
const KEPT_S = 31_536_000;

/**
 * The area's path as seen from a screen's: `area` from `/area`, `..` from `/area/documents/1`. So the page finds its
 * assets below whatever path a proxy in front puts before it.
 */
function areaFrom(path: string): string {
  const depth = path.split("/").length - 3;
  return depth < 0 ? "area" : depth === 0 ? "." : Array(depth).fill("..").join("/");
}

/** Makes the answers; the files are read at the first request. */
export function areaPages(read: () => AreaFiles): AreaPages {
  let files: AreaFiles | undefined;
  const known = () => (files ??= read());
  const made = new Map<string, Uint8Array>();
  /** The bytes of an asset, made at the first request for them. */
  const once = (name: string, make: () => Uint8Array): Uint8Array => {
    const bytes = made.get(name) ?? make();
    made.set(name, bytes);
    return bytes;
  };
  return {
    page: (path) => ({
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": AREA_POLICY },
      body: known().shell.replaceAll("{area}", areaFrom(path)),
    }),
    asset: (name, request) => {
      const { assets } = known();
      const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
      if (!asset) return refuse("not_found");
      const gzip = once(`${name} gzip`, () => Buffer.from(asset.gzip, "base64"));
      const isPacked = takesGzip(request);
      return {
        status: 200,
        headers: {
          "content-type": `${asset.type}; charset=utf-8`,
          "cache-control": `public, max-age=${KEPT_S}, immutable`,
          vary: "accept-encoding",
          ...(isPacked && { "content-encoding": "gzip" }),
        },
        body: isPacked ? gzip : once(name, () => gunzipSync(gzip)),
      };
    },
  };
}
