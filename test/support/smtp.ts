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
  /** Kills it, with whatever it has not answered yet, and starts it again after so many milliseconds. */
  restart(pauseMs: number): Promise<void>;
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
  const smtp: Pick<Smtp, "deed" | "restart"> = {
    deed: () => "take",
    async restart(pauseMs) {
      const closed = new Promise((resolve) => server.server.close(resolve));
      for (const { _socket } of connectionsOf(server)) _socket.destroy();
      await closed;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await listening(server, port);
    },
  };
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
  await listening(server, 0);
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const own = { host: "127.0.0.1", port, user: null, password: null, from: "faturas@padaria.example" };
  return Object.assign(smtp, { server: { ...own, security: "none" as const }, taken });
}

interface Connection {
  readonly session: { readonly id: string };
  readonly _socket: Socket;
}

const listening = (server: SMTPServer, port: number): Promise<void> =>
  new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));

/** The connections of a server, which smtp-server keeps to itself. */
const connectionsOf = (server: SMTPServer): ReadonlySet<Connection> =>
  (server as unknown as { connections: ReadonlySet<Connection> }).connections;

/** Ends the connection of a session. */
function cut(server: SMTPServer, id: string): void {
  for (const { session, _socket } of connectionsOf(server)) if (session.id === id) _socket.destroy();
}
