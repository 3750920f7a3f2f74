/** Starts the HTTP server of `serve` and `demo`. */
import type { Lacre, Log } from "../core/index.ts";
import { createHandler, readViewer } from "../http/index.ts";
import { type NodeServer, serve } from "../http/node.ts";
import { Failure } from "./exit.ts";
import { viewerFromExecutable } from "./viewer.ts";

export interface Address {
  readonly port: number;
  readonly host: string;
}

/** Why an address cannot be used and what to do, by the system's error code. */
const ADDRESS_TROUBLE: Readonly<Record<string, string>> = {
  EADDRINUSE: "is already in use; choose another port with --port",
  EACCES: "may not be used by this user; choose a port above 1023 with --port",
  EADDRNOTAVAIL: "is not an address of this machine; choose another with --host",
  ENOTFOUND: "is not a known host; choose another with --host",
  EAI_AGAIN: "cannot be looked up now; name an address with --host",
};

/** Serves this Lacre over HTTP. Throws `Failure` (no_address) if the address cannot be used. */
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
