/** The API documentation page as the executable carries it. */
import { getRawAsset, isSea } from "node:sea";
import { VIEWER_PAGE, type Viewer } from "../http/viewer.ts";

/** The viewer inside the executable; undefined elsewhere, where `readViewer()` finds its files. */
export function viewerFromExecutable(): Viewer | undefined {
  if (!isSea()) return undefined;
  return { page: VIEWER_PAGE, script: bytes("viewer.js"), style: bytes("viewer.css") };
}

/** The executable's own memory, not a copy: writing to it would crash the program. */
function bytes(asset: string): Uint8Array {
  return new Uint8Array(getRawAsset(asset));
}
