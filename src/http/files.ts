/** Answers that are files rather than JSON: what they are called, of what type, and where their bytes come from. */
import type { z } from "zod";
import type { getDocumentPdf } from "../core/documents/print.ts";
import type { exportSaft } from "../core/saft/export/export.ts";

/** How a result is answered as a file. */
export interface FileKind<Value = never> {
  /** Its media type. */
  readonly type: string;
  /** What a browser offers to save it as. */
  name(value: Value): string;
  /** Whole, or piece by piece while it is made. */
  content(value: Value): Uint8Array | AsyncIterable<Uint8Array>;
}

export const PDF: FileKind<z.output<(typeof getDocumentPdf)["output"]>> = {
  type: "application/pdf",
  name: ({ name }) => name,
  content: ({ pdf }) => pdf,
};

export const SAFT: FileKind<z.output<(typeof exportSaft)["output"]>> = {
  type: "application/xml",
  name: ({ report: { from, to } }) => `saft-${from}-${to}.xml`,
  content: ({ file }) => file,
};
