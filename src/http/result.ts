/** How the result of an operation is answered: as JSON, or as a file. */
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

function fileAnswer({ type, fileIn }: FileKind, value: never): Answer {
  const { name, content } = fileIn(value);
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
  return { status: 200, headers: { "content-type": type, "content-disposition": disposition }, body: content };
}
