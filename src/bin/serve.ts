/** `lacre serve`: serves the API until it is told to stop. Standard output carries only JSON lines. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { type Lacre, type Log, openLacre, type SignerState } from "../core/index.ts";
import { nextTurn, systemClock } from "../core/runtime/ports.ts";
import { VERSION } from "../core/version.ts";
import type { NodeServer } from "../http/node.ts";
import { command } from "./command.ts";
import { FLAGS, SIGNING_KEY } from "./config.ts";
import { Failure } from "./exit.ts";
import { type Address, listen } from "./listen.ts";
import { type Driver, driver, findDatabase, type KeyFile, signerOf } from "./open-database.ts";
import { takeServerLock } from "./server-lock.ts";
import type { Terminal } from "./terminal.ts";

const RATE_WINDOW_S = 60;

/** After a storage failure: the time left to send the answers that report it. */
const HALT_MS = 500;

export const serveCommand = command({
  name: "serve",
  summary: "serves the API; logs JSON lines to standard output",
  details: `The database must come from lacre init. Each request logs one line. On SIGTERM or SIGINT running requests finish, the
database is closed, and the server exits with 0 within 10 s; a second signal ends it at once (exit 143 or 130).
All other commands except restore work while it runs.`,
  input: z.strictObject({
    db: FLAGS.db,
    port: FLAGS.port,
    host: FLAGS.host,
    rate_limit: FLAGS.rate_limit,
    ...SIGNING_KEY,
  }),
  async run({ db, rate_limit, port, host, ...key }, terminal) {
    const file = findDatabase(db);
    const release = takeServerLock(file);
    try {
      const log = jsonLines(terminal);
      terminal.onCrash((error) => {
        log({ level: "error", event: "crash", stack: error instanceof Error ? error.stack : String(error) });
      });
      await serveFile(file, { address: { port, host }, rate_limit, key, log, terminal });
    } finally {
      release();
    }
  },
});

interface Service {
  readonly address: Address;
  readonly rate_limit: number;
  readonly key: KeyFile;
  readonly log: Log;
  readonly terminal: Terminal;
}

async function serveFile(file: string, { address, rate_limit, key, log, terminal }: Service): Promise<void> {
  const sqlite = driver(dirname(file));
  const halted = Promise.withResolvers<string>();
  const lacre = await openLacre({
    dialect: sqlite.dialect(file),
    ...signerOf(key),
    rateLimit: { limit: rate_limit, window_s: RATE_WINDOW_S },
    log,
    isStorageThere: stillThere(file),
    onHalt: halted.resolve,
  });
  let server: NodeServer;
  let signer: SignerState;
  try {
    signer = await mustHaveKey(lacre, key);
    server = await listen(lacre, address, log);
  } catch (error) {
    await lacre.close();
    throw error;
  }
  const stopped = terminal.stopRequested();
  const started = { level: "info", event: "listening", url: server.url, version: VERSION, database: file } as const;
  const { certificate_number, key_version } = signer;
  log({ ...started, rate_limit, certificate_number, key_version, ...connectionSettings(sqlite, file) });

  const reason = await Promise.race([stopped, halted.promise]);
  if (typeof reason === "string") {
    // The database is not closed: only a restart can find out whether the last commit is on the disk.
    log({ level: "error", event: "halted", reason });
    await Promise.race([server.close(), new Promise((resolve) => setTimeout(resolve, HALT_MS))]);
    throw new Failure("halted", `The storage failed: ${reason}; start the server again to recover.`);
  }
  log({ level: "info", event: "stopping" });
  await server.close();
  await lacre.close();
  log({ level: "info", event: "stopped" });
}

/** Throws `Failure` if there is no signing key, at the start rather than at the first invoice. */
async function mustHaveKey(lacre: Lacre, { signing_key }: KeyFile): Promise<SignerState> {
  const signer = await lacre.signer.get();
  if (!signer.host_signs || signing_key !== undefined) return signer;
  throw new Failure(
    "refused",
    `Signing key version ${signer.key_version} is not in the database; name its file with --signing-key.`,
  );
}

/** Tests whether the file is still the one opened: writes to a deleted file succeed, but are lost. */
function stillThere(file: string): () => boolean {
  const opened = statSync(file);
  return () => {
    const now = statSync(file, { throwIfNoEntry: false });
    return now?.ino === opened.ino && now.dev === opened.dev;
  };
}

/** The settings of the database connections, read from one of them. */
function connectionSettings(sqlite: Driver, file: string) {
  const connection = sqlite.connect(file);
  const read = (sql: string) => Object.values(connection.prepare(sql).all([])[0] as Record<string, string | number>)[0];
  try {
    return {
      driver: sqlite.name,
      sqlite: read("select sqlite_version()"),
      journal_mode: read("pragma journal_mode"),
      synchronous: read("pragma synchronous"),
    };
  } finally {
    connection.close();
  }
}

/** Logs each entry as a line of JSON. Requests that end in the same turn of the event loop are written together. */
function jsonLines(terminal: Terminal): Log {
  let waiting: string[] = [];
  const write = () => {
    if (waiting.length > 0) terminal.print(waiting.join("\n"));
    waiting = [];
  };
  return (entry) => {
    const count = waiting.push(JSON.stringify({ time: systemClock().toISOString(), ...entry }));
    if (entry.event !== "request") write();
    else if (count === 1) void nextTurn().then(write);
  };
}
