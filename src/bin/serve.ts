/** `lacre serve`: the API on a port until it is told to stop. Standard output carries JSON lines and nothing else. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { type Lacre, type Log, openLacre } from "../core/index.ts";
import { nextTurn, systemClock } from "../core/runtime/ports.ts";
import type { SignerState } from "../core/signing/signer.ts";
import { VERSION } from "../core/version.ts";
import type { NodeServer } from "../http/node.ts";
import { command } from "./command.ts";
import { FLAGS, SIGNING_KEY } from "./config.ts";
import { Failure } from "./exit.ts";
import { type Address, listen } from "./listen.ts";
import { type Driver, driver, findDatabase, type KeyFile, signerOf } from "./open-database.ts";
import { takeServerLock } from "./server-lock.ts";
import type { Shell } from "./terminal.ts";

const RATE_WINDOW_S = 60;

/** After a storage failure: time for the answers that say so to leave. */
const HALT_MS = 500;

export const serveCommand = command({
  name: "serve",
  summary: "serves the API on a database that init made; JSON lines on standard output",
  details: `One line per request. SIGTERM or SIGINT: requests under way end, the database is closed, exit 0 within 10 s;
a second signal ends it at once (exit 143 or 130). Other commands work beside it, but restore.`,
  input: z.strictObject({
    db: FLAGS.db,
    port: FLAGS.port,
    host: FLAGS.host,
    rate_limit: FLAGS.rate_limit,
    ...SIGNING_KEY,
  }),
  async run({ db, rate_limit, port, host, ...key }, shell) {
    const file = findDatabase(db);
    const lock = takeServerLock(file);
    try {
      const log = jsonLines(shell);
      shell.reportCrash((error) => {
        log({ level: "error", event: "crash", stack: error instanceof Error ? error.stack : String(error) });
      });
      await serveFile(file, { address: { port, host }, rate_limit, key, log, shell });
    } finally {
      lock.release();
    }
  },
});

interface Service {
  readonly address: Address;
  readonly rate_limit: number;
  readonly key: KeyFile;
  readonly log: Log;
  readonly shell: Shell;
}

async function serveFile(file: string, { address, rate_limit, key, log, shell }: Service): Promise<void> {
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
  const stopped = shell.stopRequested();
  const started = { level: "info", event: "listening", url: server.url, version: VERSION, database: file } as const;
  const { certificate_number, key_version } = signer;
  log({ ...started, rate_limit, certificate_number, key_version, ...settingsOf(sqlite, file) });

  const reason = await Promise.race([stopped, halted.promise]);
  if (typeof reason === "string") {
    // The database stays as the failure left it: whether the last commit is on the disk is for the restart to find out.
    log({ level: "error", event: "halted", reason });
    await Promise.race([server.close(), new Promise((resolve) => setTimeout(resolve, HALT_MS))]);
    throw new Failure("halted", `The storage failed: ${reason}. Start the server again to recover.`);
  }
  log({ level: "info", event: "stopping" });
  await server.close();
  await lacre.close();
  log({ level: "info", event: "stopped" });
}

/** Throws when nothing here could sign: now, rather than at the first invoice. */
async function mustHaveKey(lacre: Lacre, { signing_key }: KeyFile): Promise<SignerState> {
  const signer = await lacre.signer.get();
  if (!signer.host_signs || signing_key !== undefined) return signer;
  throw new Failure(
    "refused",
    `Signing key version ${signer.key_version} is not in the database: name its file with --signing-key.`,
  );
}

/** Tells whether the file is still the one that was opened: writes to a deleted file succeed, and vanish. */
function stillThere(file: string): () => boolean {
  const opened = statSync(file);
  return () => {
    const now = statSync(file, { throwIfNoEntry: false });
    return now?.ino === opened.ino && now.dev === opened.dev;
  };
}

/** What the database connections run with, read from one. */
function settingsOf(sqlite: Driver, file: string) {
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

/** A line of JSON for each entry. Requests of one turn are written together, with whatever else comes before its end. */
function jsonLines(shell: Shell): Log {
  let waiting: string[] = [];
  const write = () => {
    if (waiting.length > 0) shell.print(waiting.join("\n"));
    waiting = [];
  };
  return (entry) => {
    const count = waiting.push(JSON.stringify({ time: systemClock().toISOString(), ...entry }));
    if (entry.event !== "request") write();
    else if (count === 1) void nextTurn().then(write);
  };
}
