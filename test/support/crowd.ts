/** Many clients at once, each with its own connection, opened before the first request is sent. */
import { once } from "node:events";
import { type Wire, wireTo } from "./attack.ts";

/** Connections opened at a time: fewer than fit into a server's queue. */
const AT_A_TIME = 200;

/** Opens `count` connections to a server. */
export async function crowdAt(port: number, count: number): Promise<Wire[]> {
  const crowd: Wire[] = [];
  while (crowd.length < count) {
    const next = Array.from({ length: Math.min(AT_A_TIME, count - crowd.length) }, () => wireTo(port));
    await Promise.all(next.map(({ socket }) => once(socket, "connect")));
    crowd.push(...next);
  }
  return crowd;
}

/** A whole request as bytes; the server closes the connection after its answer. */
export function posting(path: string, api_key: string, body: object): string {
  const json = JSON.stringify(body);
  return [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Connection: close",
    `Authorization: Bearer ${api_key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(json)}`,
    "",
    json,
  ].join("\r\n");
}
