/** How the result of an operation is answered: as JSON, or as a file. */
import type { z } from "zod";
import type { getDocumentPdf } from "../core/documents/print.ts";
import type { exportSaft } from "../core/saft/export/export.ts";
import { type Answer, jsonAnswer } from "./answer.ts";
import type { FileKind, OperationRoute } from "./route.ts";

/** The answer to an operation that succeeded. A 201 carries `Location`; a replay carries `Idempotent-Replayed`. */
export function resultAnswer({ status, collection, file }: OperationRoute, value: unknown, replayed: boolean): Answer {
  if (file) return fileAnswer(file, value as never);
  const headers = {
    ...(status === 201 && { location: `${collection}/${(value as { id: string }).id}` }),
    ...(replayed && { "idempotent-replayed": "true" }),
  };
  return status === 204 ? { status, headers, body: null } : jsonAnswer(status, value, headers);
}

function fileAnswer(file: FileKind, value: never): Answer {
  const name = encodeURIComponent(file.name(value));
  const headers = { "content-type": file.type, "content-disposition": `attachment; filename*=UTF-8''${name}` };
  return { status: 200, headers, body: file.content(value) };
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
