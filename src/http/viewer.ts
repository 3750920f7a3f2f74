/**
 * The API documentation page: Swagger UI, served from this host alone. `node tools/build.ts viewer` makes its files.
 */
import { readFileSync } from "node:fs";
import { refuse } from "../core/runtime/errors.ts";
import { t } from "./refusals.ts";

/** The content of `/docs` and of its two files. A host program may supply its own. */
export interface Viewer {
  /** The HTML of `/docs`; it loads `docs/viewer.js`, `docs/viewer.css` and `openapi.json`, relative to itself. */
  readonly page: string;
  /** JavaScript, in UTF-8. */
  readonly script: Uint8Array;
  /** CSS, in UTF-8. */
  readonly style: Uint8Array;
}

/** The Content-Security-Policy of the page: only what it needs, so no other host and no inline script. */
export const VIEWER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const VIEWER_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lacre API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/viewer.css">
</head>
<body>
<div id="docs"></div>
<noscript>This page needs JavaScript. The same document as JSON: <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/viewer.js"></script>
</body>
</html>
`;

const viewers = new Map<string, Viewer>();

/**
 * The viewer of this package, read from its files once. A bundle carries no files: copy `build/viewer` of the package
 * beside it and name that directory. Refuses with `not_found` if the files are missing.
 */
export function readViewer(directory?: string | URL): Viewer {
  const from = String(directory ?? "");
  const viewer = viewers.get(from) ?? {
    page: VIEWER_PAGE,
    script: read(from, "viewer.js"),
    style: read(from, "viewer.css"),
  };
  viewers.set(from, viewer);
  return viewer;
}

/** Reads a built file; the package's own path is the same from `src/http` and from `dist/http`. */
function read(from: string, name: string): Uint8Array {
  try {
    if (from === "") return readFileSync(new URL(`../../build/viewer/${name}`, import.meta.url));
    return readFileSync(from.startsWith("file:") ? new URL(name, `${from.replace(/\/$/, "")}/`) : `${from}/${name}`);
  } catch {
    return refuse("not_found", t.viewer_not_there);
  }
}
