// The pages that a server shows, as files: the viewer of the API's documentation, and the company area.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { readManual } from "../src/http/reading.ts";
import { buildArea } from "./area.ts";

/** One script and one style sheet from swagger-ui-dist, so that the page asks nothing of any other host. */
export function writeViewer(to: string): void {
  const from = "node_modules/swagger-ui-dist";
  mkdirSync(to, { recursive: true });
  const script = readFileSync(`${from}/swagger-ui-bundle.js`, "utf8").replace(/\n\/\/# sourceMappingURL=.*/, "");
  // The page may run no inline script, so the line that starts the viewer travels with it.
  const start = `SwaggerUIBundle({ url: "openapi.json", dom_id: "#docs", deepLinking: true, validatorUrl: null });\n`;
  writeFileSync(`${to}/viewer.js`, `${script}\n${start}`);
  const style = readFileSync(`${from}/swagger-ui.css`, "utf8").replace(/\n\/\*# sourceMappingURL=.*/, "");
  writeFileSync(`${to}/viewer.css`, style);
  copyFileSync(`${from}/LICENSE`, `${to}/LICENSE`);
}

/** The pages of docs/ in Markdown as one file, by their names. */
export function writeManual(to: string): void {
  const manual = readManual();
  if (Object.keys(manual).length === 0) throw new Error("docs/ has no pages.");
  writeFileSync(to, JSON.stringify(manual));
}

/** The company area as one file, small enough to be read at a start. Returns the bytes of script of each screen. */
export async function writeArea(to: string): Promise<ReadonlyMap<string, number>> {
  const { shell, assets, script_bytes } = await buildArea();
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, JSON.stringify({ shell, assets }));
  return script_bytes;
}
