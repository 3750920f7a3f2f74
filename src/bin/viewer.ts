/** The API documentation page inside the single executable. */
import { getRawAsset, isSea } from "node:sea";
import { VIEWER_PAGE, type Viewer } from "../http/viewer.ts";

/** The viewer inside the executable; undefined outside it, where `readViewer()` finds the files. */
export function viewerFromExecutable(): Viewer | undefined {
  if (!isSea()) return undefined;
  return { page: VIEWER_PAGE, script: bytes("viewer.js"), style: bytes("viewer.css") };
}

/** The asset in the executable's own memory, without a copy. Writing to it would crash the program. */
function bytes(asset: string): Uint8Array {
  return new Uint8Array(getRawAsset(asset));
}
