/** A wire to a PostgreSQL server that a test cuts at a place of its choice. */
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A wire. */
export interface Wire {
  /** The address that programs connect to. */
  readonly url: string;
  /**
   * Cuts the next connection that sends a statement which contains this: before the server hears of it, or when the
   * server answers this and before the program hears that.
   */
  cutAt(statement: string, answer?: string): void;
  /** How often it was cut. */
  readonly cuts: () => number;
}

/** A wire to the server at this address; gone when the test ends. */
export async function aWireTo(address: string): Promise<Wire> {
  const { hostname, port } = new URL(address);
  let at: { readonly statement: string; readonly answer: string | undefined } | undefined;
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((program) => {
    const postgres = connect(Number(port) || 5432, hostname);
    let due: string | undefined;
    const cut = () => {
      cuts++;
      program.destroy();
      postgres.destroy();
    };
    program.on("data", (bytes) => {
      if (at && bytes.includes(at.statement)) {
        due = at.answer;
        at = undefined;
        if (due === undefined) return cut();
      }
      postgres.write(bytes);
    });
    postgres.on("data", (bytes) => (due !== undefined && bytes.includes(due) ? cut() : program.write(bytes)));
    for (const [one, other] of [
      [program, postgres],
      [postgres, program],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const url = Object.assign(new URL(address), {
    hostname: "127.0.0.1",
    port: (server.address() as { port: number }).port,
  });
  return {
    url: url.href,
    cutAt(statement, answer) {
      at = { statement, answer };
    },
    cuts: () => cuts,
  };
}
