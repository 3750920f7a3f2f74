/** The products of the master files: one entry per product code. */
import { hash } from "node:crypto";
import { memoized } from "../../fiscal/memoized.ts";
import { column, textIndex } from "./columns.ts";
import { type EntrySource, entryBatches, latestSources } from "./entries.ts";
import { content, element, isExact } from "./markup.ts";
import type { EntryReader, ExportedDocument, ProductLine } from "./types.ts";

/** An empty collection. */
export function productEntries() {
  const codes = textIndex();
  const entryOf = memoized(codes.indexOf);
  const latest = latestSources();
  const lineNumbers = column(Uint32Array);
  const [ofProduct, ofText] = [memoized(fittedCode), { P: memoized(codeOfText), S: memoized(codeOfService) }];

  /** The ProductCode of a line; a line without product gets one made from its text. */
  const codeOf = ({ product_code, product_type, description }: ProductLine): string =>
    product_code === null ? ofText[product_type ?? "P"](description) : ofProduct(product_code);

  return {
    size: codes.size,
    codeOf,
    add(lines: ExportedDocument["lines"], source: EntrySource): void {
      for (const line of lines) {
        const entry = entryOf(codeOf(line));
        if (latest.add(entry, source)) lineNumbers.set(entry, line.line_number);
      }
    },
    async *write(reader: EntryReader) {
      for (const batch of entryBatches(codes.size())) {
        const lines = await reader.lines(
          batch.map((entry) => ({ position: latest.positionOf(entry), line_number: lineNumbers.get(entry) })),
        );
        yield lines.map((line) => productXml(codeOf(line), line));
      }
    },
  };
}

/** A product's code as the content of an element. Codes stay distinct when they are cut or written in other letters. */
function fittedCode(code: string): string {
  return isExact(code, 60) ? content(code, 60) : `${content(code, 40)}-${digest(code)}`;
}

function codeOfText(description: string): string {
  return `L-${digest(description)}`;
}

/** The same text may be goods on one line and a service on another: a product has one type. */
function codeOfService(description: string): string {
  return codeOfText(`S ${description}`);
}

/** The product's name, else the line's text, as the content of an element: at least 2 characters. */
export function productDescription({ product_name, description }: ProductLine): string {
  return content(product_name ?? description, 200, 2);
}

/** The first 16 hexadecimal digits of the SHA-256 of a text. */
function digest(text: string): string {
  return hash("sha256", text).slice(0, 16);
}

function productXml(code: string, line: ProductLine): string {
  return `\n${element(
    "Product",
    element("ProductType", line.product_type ?? "P") +
      element("ProductCode", code) +
      element("ProductDescription", productDescription(line)) +
      element("ProductNumberCode", code),
  )}`;
}
