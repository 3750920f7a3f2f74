/** Starts the HTTP server of `serve` and `demo`. */
import type { Lacre, Log } from "../core/index.ts";
import { type AreaOptions, createHandler, readAreaFiles, readViewer } from "../http/index.ts";
import { type NodeServer, serve } from "../http/node.ts";
import { Failure } from "./exit.ts";
import type { Texts } from "./texts/texts.ts";
import { areaFromExecutable, viewerFromExecutable } from "./viewer.ts";

export interface Address {
  readonly port: number;
  readonly host: string;
  /** The networks of the proxies in front. */
  readonly trusted_proxy?: readonly string[] | undefined;
  /** The company area; none when left out. */
  readonly area?: Pick<AreaOptions, "plainHttp" | "demo"> | undefined;
}

/** Why an address cannot be used and what to do, by the system's error code. */
const ADDRESS_TROUBLE: Readonly<Record<string, (t: Texts) => (address: string, reason: string) => string>> = {
  EADDRINUSE: (t) => t.listen.in_use,
  EACCES: (t) => t.listen.forbidden,
  EADDRNOTAVAIL: (t) => t.listen.not_ours,
  ENOTFOUND: (t) => t.listen.unknown_host,
  EAI_AGAIN: (t) => t.listen.not_looked_up,
};

/** Serves this Lacre over HTTP. Throws `Failure` (no_address) if the address cannot be used. */
export async function listen(lacre: Lacre, address: Address, log: Log): Promise<NodeServer> {
  const { port, host, trusted_proxy = [], area } = address;
  try {
    const handler = createHandler(lacre, {
      strictTransport: true,
      viewer: () => viewerFromExecutable() ?? readViewer(),
      area: area && { files: () => areaFromExecutable() ?? readAreaFiles(), ...area },
    });
    return await serve(handler, { port, host, log, trustedProxies: trusted_proxy });
  } catch (error) {
    const { code = "", message, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    const trouble = ADDRESS_TROUBLE[code] ?? ((t: Texts) => t.listen.other);
    throw new Failure("no_address", (t) => trouble(t)(`${host}:${port}`, message), error);
  }
}
