/** The pages inside the single executable: the API documentation and the company area. */
import { getAsset, getRawAsset, isSea } from "node:sea";
import type { AreaFiles, Manual } from "../http/index.ts";
import { VIEWER_PAGE, type Viewer } from "../http/viewer.ts";

/** The viewer inside the executable; undefined outside it, where `readViewer()` finds the files. */
export function viewerFromExecutable(): Viewer | undefined {
  if (!isSea()) return undefined;
  viewer ??= { page: VIEWER_PAGE, script: bytes("viewer.js"), style: bytes("viewer.css") };
  return viewer;
}

let viewer: Viewer | undefined;

/** The files of the company area inside the executable; undefined outside it, where `readAreaFiles()` finds them. */
export function areaFromExecutable(): AreaFiles | undefined {
  return isSea() ? JSON.parse(getAsset("area.json", "utf8")) : undefined;
}

/** The pages of docs/ inside the executable; undefined outside it, where `readManual()` finds the files. */
export function manualFromExecutable(): Manual | undefined {
  return isSea() ? JSON.parse(getAsset("manual.json", "utf8")) : undefined;
}

/** The asset in the executable's own memory, without a copy. Writing to it would crash the program. */
function bytes(asset: string): Uint8Array {
  return new Uint8Array(getRawAsset(asset));
}
