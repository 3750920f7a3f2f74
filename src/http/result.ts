/** How the result of an operation is answered: as JSON, or as a file. */
import { type Answer, jsonAnswer } from "./answer.ts";
import type { FileKind, OperationRoute } from "./route.ts";

/**
 * The answer to an operation that succeeded. A 201 carries `Location`, below the base path; a replay carries
 * `Idempotent-Replayed`.
 */
export function resultAnswer(
  { status, collection, file }: OperationRoute,
  value: unknown,
  replayed: boolean,
  basePath: string,
): Answer {
  const replay = replayed && { "idempotent-replayed": "true" };
  if (file) return fileAnswer(file, value as never, { ...replay });
  const headers = {
    ...(status === 201 && { location: `${basePath}${collection}/${(value as { id: string }).id}` }),
    ...replay,
  };
  return status === 204 ? { status, headers, body: null } : jsonAnswer(status, value, headers);
}

function fileAnswer({ type, fileIn }: FileKind, value: never, more: Answer["headers"]): Answer {
  const { name, content } = fileIn(value);
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
  return { status: 200, headers: { "content-type": type, "content-disposition": disposition, ...more }, body: content };
}
