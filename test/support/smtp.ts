/** A mail server on the loopback, whose misbehaviour the test decides. */
import type { AddressInfo, Socket } from "node:net";
import type { MailServer } from "lacre";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";

/** What the server does with a message. */
export type Deed = "take" | "lose" | "busy" | "refuse" | "drop" | "delay";

/** A server, and the messages that it took for good. */
export interface Smtp {
  readonly server: MailServer;
  /** The raw text of each message that it took, with those whose answer was lost. */
  readonly taken: string[];
  /** What it does with the next message. */
  deed: (raw: string) => Deed;
}

const reply = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code });

/** Deeds after which the server has the message. */
const TAKES: readonly Deed[] = ["take", "lose", "delay"];

const ANSWERS: Readonly<Record<Deed, (done: (error?: Error) => void, cutOff: () => void) => void>> = {
  take: (done) => done(),
  delay: (done) => void setTimeout(done, 50),
  busy: (done) => done(reply(451, "try again")),
  refuse: (done) => done(reply(550, "no such user")),
  lose: (_, cutOff) => cutOff(),
  drop: (_, cutOff) => cutOff(),
};

/** Starts a server, which ends with the test. */
export async function anSmtp(options: SMTPServerOptions = {}): Promise<Smtp> {
  const taken: string[] = [];
  const smtp: { deed: Smtp["deed"] } = { deed: () => "take" };
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    ...options,
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", () => {
        const raw = Buffer.concat(pieces).toString("latin1");
        const deed = smtp.deed(raw);
        if (TAKES.includes(deed)) taken.push(raw);
        ANSWERS[deed](done, () => cut(server, session.id));
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const own = { host: "127.0.0.1", port, user: null, password: null, from: "faturas@padaria.example" };
  return Object.assign(smtp, { server: { ...own, security: "none" as const }, taken });
}

interface Connection {
  readonly session: { readonly id: string };
  readonly _socket: Socket;
}

/** Ends the connection of a session, which smtp-server keeps among its own. */
function cut(server: SMTPServer, id: string): void {
  const { connections } = server as unknown as { connections: ReadonlySet<Connection> };
  for (const { session, _socket } of connections) if (session.id === id) _socket.destroy();
}
