/** The HTTP server of `serve` and `demo`: starting it, and running it until it is told to stop. */
import type { Lacre, Log } from "../core/index.ts";
import { createHandler, readViewer } from "../http/index.ts";
import { type NodeServer, serve } from "../http/node.ts";
import { Failure } from "./exit.ts";
import { viewerFromExecutable } from "./viewer.ts";

export interface Address {
  readonly port: number;
  readonly host: string;
}

/** What the system says when an address cannot be had, in words. */
const ADDRESS_TROUBLE: Readonly<Record<string, string>> = {
  EADDRINUSE: "is already in use",
  EACCES: "may not be used by this user",
  EADDRNOTAVAIL: "is not an address of this machine",
  ENOTFOUND: "is not known",
  EAI_AGAIN: "is not known",
};

/** Serves this Lacre. Throws `Failure` (no_address) when the address cannot be listened on. */
export async function listen(lacre: Lacre, { port, host }: Address, log: Log): Promise<NodeServer> {
  try {
    return await serve(createHandler(lacre, { viewer: () => viewerFromExecutable() ?? readViewer() }), {
      port,
      host,
      log,
    });
  } catch (error) {
    const trouble = ADDRESS_TROUBLE[(error as NodeJS.ErrnoException).code ?? ""];
    if (trouble) throw new Failure("no_address", `${host}:${port} ${trouble}.`, error);
    throw error;
  }
}
