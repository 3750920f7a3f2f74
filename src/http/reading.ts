/** What programs read before they call: `/llms.txt`, and the pages of the documentation as Markdown. */
import { readdirSync, readFileSync } from "node:fs";
import { refuse } from "../core/runtime/errors.ts";
import type { Answer } from "./answer.ts";

/** The pages of the documentation in Markdown, by their names: `api.md`. */
export type Manual = Readonly<Record<string, string>>;

const FOLDER = new URL("../../docs/", import.meta.url);

let manual: Manual | undefined;

/** The pages of this package, read once. None are found in a bundle, which does not carry them. */
export function readManual(): Manual {
  manual ??= Object.fromEntries(namesIn(FOLDER).map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")]));
  return manual;
}

function namesIn(folder: URL): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".md"));
  } catch {
    return [];
  }
}

/** A page of the manual; refuses with `not_found` a name that it lacks. */
export function manualPage(manual: Manual, name: string): Answer {
  const text = Object.hasOwn(manual, name) ? manual[name] : undefined;
  return text === undefined ? refuse("not_found") : textAnswer("text/markdown", text);
}

/** The title of each page, from its first line. */
const titleOf = (text: string): string => text.split("\n", 1)[0]?.replace(/^#\s*/, "") ?? "";

/** `/llms.txt` (llmstxt.org): what Lacre is, and where a program reads on. `base` is the path before every other. */
export function llmsText(manual: Manual, base: string): Answer {
  const pages = Object.entries(manual).map(([name, text]) => `- [${titleOf(text)}](${base}/docs/${name})`);
  const text = `# Lacre

> Portuguese invoicing: customers, products, documents and payments of a company by a REST API, with numbers, signatures, ATCUD, QR codes and SAF-T (PT) as the law asks.

Every request needs \`Authorization: Bearer <key>\`. Agents use [the Model Context Protocol](${base}/docs/api.md#agents) at \`${base}/mcp\`, with a key that may not issue: a person does.

## API

- [OpenAPI](${base}/openapi.json): every route, field and refusal
- [The same for people](${base}/docs)

## Docs

${pages.join("\n")}
`;
  return textAnswer("text/plain", text);
}

const textAnswer = (type: string, body: string): Answer => ({
  status: 200,
  headers: { "content-type": `${type}; charset=utf-8` },
  body,
});
