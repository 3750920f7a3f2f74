/**
 * `lacre serve`: serves the API until it is told to stop. Standard output carries only JSON lines; at a terminal, where
 * a person reads, it carries none.
 */
import { url as inspectorUrl } from "node:inspector";
import * as z from "zod";
import { type HeadConflict, type Lacre, type Log, openLacre, type SignerState } from "../core/index.ts";
import { nextTurn, systemClock } from "../core/runtime/ports.ts";
import { VERSION } from "../core/version.ts";
import { webhookSender } from "../http/node.ts";
import { command } from "./command.ts";
import { about, FLAGS, SIGNING_KEY } from "./config.ts";
import { undoHalfRestore } from "./database/file.ts";
import { type KeyFile, makeDatabase, named, signerOf } from "./database/open.ts";
import { type Say, type Served, servedAt, type Upgrade } from "./database/served.ts";
import { Failure } from "./exit.ts";
import { explained } from "./explain.ts";
import { exists, realPath } from "./files.ts";
import { conflictText } from "./heads-note.ts";
import { type Address, lanAddresses, listen, mustBeFree, reachedAt } from "./listen.ts";
import { MAIL_KEY, mailOptions, SMTP_FLAGS } from "./mail.ts";
import { BACKUP_FLAGS } from "./scheduled-backups.ts";
import { leaveSetUpLink, noteAddress } from "./server-notes.ts";
import type { Terminal } from "./terminal.ts";
import { TEXTS, type Words } from "./texts/texts.ts";
import { sentenceOf } from "./waiting.ts";

const RATE_WINDOW_S = 60;

/** How long to wait at the end for calls that outlive their requests: everything must end within 10 seconds. */
const CLOSE_MS = 1_500;

/** How much later the messages for people are looked up: that takes a commit and longer than a first answer. */
const TOLD_AFTER_MS = 100;

/** After a storage failure: the time left to send the answers that report it. */
const HALT_MS = 500;

export const serveCommand = command({
  name: "serve",
  input: z.strictObject({
    db: FLAGS.db,
    new: z.boolean().default(false).meta(about("new")),
    port: FLAGS.port,
    host: FLAGS.host,
    trusted_proxy: FLAGS.trusted_proxy,
    public_url: FLAGS.public_url,
    allowed_host: FLAGS.allowed_host,
    rate_limit: FLAGS.rate_limit,
    area: z.boolean().default(true).meta(about("area")),
    plain_http_lan: z.boolean().default(false).meta(about("plain_http_lan")),
    webhooks: z.boolean().default(true).meta(about("webhooks")),
    webhooks_to_private_networks: z.boolean().default(false).meta(about("webhooks_to_private_networks")),
    ...SMTP_FLAGS,
    ...MAIL_KEY,
    ...BACKUP_FLAGS,
    ...SIGNING_KEY,
    json: FLAGS.json,
  }),
  async run(
    {
      db,
      new: isNew,
      rate_limit,
      port,
      host,
      trusted_proxy,
      public_url,
      allowed_host,
      area,
      plain_http_lan,
      webhooks,
      webhooks_to_private_networks: toPrivateNetworks,
      smtp,
      smtp_from,
      smtp_password_file,
      smtp_plain,
      mail_key,
      signing_key,
      signing_key_version,
      json: _,
      ...given
    },
    terminal,
  ) {
    mustNotBeDebugged();
    const mail = mailOptions({ smtp, smtp_from, smtp_password_file, smtp_plain, mail_key });
    const log = terminal.mixesLog ? troubleLines(terminal) : jsonLines(terminal);
    const say: Say = (entry, words) => {
      if (!terminal.mixesLog) log({ ...entry, message: words(TEXTS.en) });
      if (terminal.isInteractive) terminal.printError(terminal.complete(words(terminal.texts)));
    };
    const { file } = named(db);
    if (file !== undefined && exists(file) && undoHalfRestore(realPath(file))) {
      say({ level: "warn", event: "restore_undone" }, (t) => t.serve.restore_undone);
    }
    const key = { signing_key, signing_key_version };
    if (isNew || (await wantsFirst(db, terminal))) await makeFirst(db, key, terminal);
    const served = await servedAt(db, given, log, say, terminal);
    try {
      terminal.onCrash((error) => {
        log({ level: "error", event: "crash", stack: error instanceof Error ? error.stack : String(error) });
      });
      const reached = { port, host, trusted_proxy, public_url, allowed_host };
      const address = { ...reached, area: area ? { plainHttp: plain_http_lan } : undefined };
      const sending = { webhooks, toPrivateNetworks, mail };
      await serveDatabase(served, { address, rate_limit, sending, key, log, say, terminal });
    } catch (error) {
      throw served.inWords(error);
    } finally {
      served.release();
    }
  },
});

/**
 * Creates the database if a flag asks for it, or a person at the terminal agrees. Nothing else creates one: if a volume
 * failed to mount, a new database would begin numbering at 1.
 */
async function makeFirst(db: string, key: KeyFile, terminal: Terminal): Promise<void> {
  await makeDatabase(db, async () => {}, signerOf(key), false);
  terminal.printError(terminal.texts.serve.made({ path: named(db).fullName }));
}

/** Whether a person at the terminal wants a new database where there is none, nor remains of one. */
async function wantsFirst(db: string, terminal: Terminal): Promise<boolean> {
  const place = named(db);
  if (!terminal.isInteractive || !(await place.isFree())) return false;
  return (await terminal.ask(terminal.texts.serve.ask_new({ path: place.fullName }))) ?? false;
}

interface Service {
  readonly address: Address;
  readonly rate_limit: number;
  /** Whether webhooks are sent, and whether to private networks too. */
  readonly sending: {
    readonly webhooks: boolean;
    readonly toPrivateNetworks: boolean;
    /** How e-mails are sent; empty where they are not. */
    readonly mail: ReturnType<typeof mailOptions>;
  };
  readonly key: KeyFile;
  readonly log: Log;
  readonly say: Say;
  readonly terminal: Terminal;
}

async function serveDatabase(served: Served, service: Service): Promise<void> {
  const { sending, log, terminal } = service;
  const halted = Promise.withResolvers<string>();
  const started = await start(served, service, halted.resolve);
  const { lacre, server, created_at } = started;
  const stopped = terminal.stopRequested();
  announce(served, service, started);
  const told = pause(TOLD_AFTER_MS)
    .then(() => tell(served, service, started))
    .catch((error) => log({ level: "error", event: "not_told", message: String(error) })); // it serves all the same
  const { unwatch, stopBackups, stopNoting } = served.attend(lacre, created_at, halted.resolve);
  const leaving = new AbortController();
  const checking = new AbortController();
  const checked = lacre.check({ signal: checking.signal });
  const delivered = sending.webhooks ? lacre.webhooks.deliver({ signal: leaving.signal }) : undefined;
  const mailed = sending.mail.mailSender ? lacre.emails.deliver({ signal: leaving.signal }) : undefined;

  const reason = await Promise.race([halted.promise, told.then(() => stopped)]);
  unwatch();
  leaving.abort();
  if (typeof reason === "string") {
    log({ level: "error", event: "halted", reason });
    void stopBackups();
    const lastThings = Promise.all([server.close(), stopNoting()]);
    await Promise.race([lastThings, pause(HALT_MS)]);
    // Otherwise it is not closed: only a restart can find out whether the last commit is on the disk.
    if (served.isSavedByClosing()) {
      await lacre.close();
      log({ level: "warn", event: "log_saved", database: served.name });
    }
    throw new Failure("halted", (t) => t.serve.storage_failed({ reason }));
  }
  log({ level: "info", event: "stopping" });
  await Promise.all([server.close(), stopBackups(), delivered, mailed]);
  checking.abort();
  await checked;
  await stopNoting();
  await lacre.close({ timeoutMs: CLOSE_MS });
  log({ level: "info", event: "stopped" });
}

type Started = Awaited<ReturnType<typeof start>>;

/** Opens the database, checks it, and listens. If any of that fails, the database is closed again. */
async function start(
  served: Served,
  { address, rate_limit, sending, key, log, say }: Service,
  onHalt: (reason: string) => void,
) {
  const signing = signerOf(key);
  await mustBeFree(address); // an upgrade cannot be taken back: first everything that could refuse to serve
  const upgrade = await served.beforeUpgrade((copy) => mustHaveKey(copy, key));
  if (upgrade) sayUpgrade(served, upgrade, say);
  const named: Log = (entry) => log(entry.event === "storage_error" ? { ...entry, database: served.name } : entry);
  const lacre = await openLacre({
    ...served.ground(),
    ...signing,
    rateLimit: { limit: rate_limit, window_s: RATE_WINDOW_S },
    webhookSender: webhookSender(),
    webhooksToPrivateNetworks: sending.toPrivateNetworks,
    ...sending.mail,
    publicUrl: address.public_url,
    log: named,
    onHalt,
  });
  try {
    const signer = await mustHaveKey(lacre, key);
    const unsettled = await served.check(lacre, signer);
    const { created_at } = await lacre.installation.get();
    const server = await listen(lacre, address, log);
    return { lacre, signer, unsettled, created_at, server };
  } catch (error) {
    await lacre.close();
    throw error;
  }
}

/** Says that opening it upgrades the schema, and how to go back. */
function sayUpgrade({ name }: Served, { from, to, backup }: Upgrade, say: Say): void {
  const entry = { level: "warn", event: "upgrading", database: name, from, to, backup } as const;
  say(entry, (t) =>
    backup === undefined ? t.postgres.upgrading({ address: name, from, to }) : t.serve.upgrading({ from, to, backup }),
  );
}

/** Says that the server listens. */
function announce(served: Served, service: Service, { server, signer, unsettled }: Started): void {
  const { address, rate_limit, log, say } = service;
  const { certificate_number, key_version } = signer;
  const listening = {
    level: "info",
    event: "listening",
    url: server.url,
    version: VERSION,
    database: served.name,
  } as const;
  log({ ...listening, rate_limit, certificate_number, key_version, ...served.facts() });
  if (served.file !== undefined) noteItsAddress(served.file, reachedAt(server, address), log);
  if (unsettled.length > 0) say({ level: "error", event: "older_copy" }, olderCopy(served.name, unsettled));
}

/** Notes the server's address, for the commands that print links. It serves without such a note, too. */
function noteItsAddress(file: string, url: string, log: Log): void {
  try {
    noteAddress(file, url);
  } catch (error) {
    log({ level: "warn", event: "address_not_noted", message: explained(error).message });
  }
}

/** Tells people its address, and what waits for them. */
async function tell(served: Served, service: Service, started: Started): Promise<void> {
  const { address, sending, say, terminal } = service;
  const { lacre, server, signer } = started;
  const url = reachedAt(server, address);
  const isNew = address.area !== undefined && (await lacre.users.list()).length === 0;
  if (!address.area) say({ level: "info", event: "address", url }, (t) => t.serve.answers_at({ url }));
  else if (isNew) await showSetUp(served, service, lacre, url);
  else say({ level: "info", event: "area", url: `${url}/area` }, (t) => t.serve.area({ url: `${url}/area` }));
  if (address.public_url === undefined) tellLan(address, lanAddresses(server), say);
  // With --backup-to the server takes backups by itself, and without --no-webhooks it has begun to send.
  const all = await lacre.installation.waiting();
  const done = {
    backup_overdue: served.takesBackups,
    webhooks_unsent: sending.webhooks,
    emails_unsent: sending.mail.mailSender !== undefined,
  } as const;
  const waiting = all.filter(({ kind }) => !(kind in done && done[kind as keyof typeof done]));
  sayUse(signer, say);
  if (isNew) say({ level: "info", event: "duties" }, (t) => t.waiting.duties);
  const named = (await lacre.companies.list()).length > 1;
  for (const one of waiting.slice(0, WAITING_NAMED)) {
    const { kind, company_id } = one;
    say({ level: "warn", event: "waiting", kind, company_id }, sentenceOf(one, named, terminal));
  }
  const more = waiting.length - WAITING_NAMED;
  if (more > 0) say({ level: "warn", event: "waiting" }, (t) => t.waiting.more({ count: more }));
}

/**
 * Shows the link that makes the first owner to the person at the terminal, else writes it for whoever may read beside
 * the database. It is never logged: a reader of logs would be owner of every company. Earlier links stop working.
 */
async function showSetUp({ file }: Served, { log, say, terminal }: Service, lacre: Lacre, at: string): Promise<void> {
  const entry = { level: "info", event: "set_up" } as const;
  if (!terminal.isInteractive && file === undefined) return say(entry, (t) => t.serve.set_up_by_command);
  const { link_path, expires_at } = await lacre.users.invite();
  const url = at + link_path;
  if (terminal.isInteractive) {
    log({ ...entry, expires_at });
    terminal.printError(terminal.texts.serve.set_up({ url, until: expires_at }));
  } else if (file !== undefined) {
    const left = leaveSetUpLink(lacre, file, url);
    say({ ...entry, file: left, expires_at }, (t) => t.serve.set_up_in({ file: left, until: expires_at }));
  }
}

/** Tells how other machines reach a server that listens on every address. */
function tellLan({ area }: Address, urls: readonly string[], say: Say): void {
  if (urls.length === 0) return;
  const pages = urls.map((url) => (area ? `${url}/area` : url)).join(", ");
  const isClosed = area !== undefined && area.plainHttp !== true;
  say({ level: "info", event: "lan", urls: pages }, (t) =>
    (isClosed ? t.serve.lan_closed : t.serve.lan)({ urls: pages }),
  );
}

/** What the note of heads proves, and the way out. */
function olderCopy(file: string, unsettled: readonly HeadConflict[]): Words {
  return (t) => {
    const [first = "", ...others] = unsettled.map((conflict) => conflictText(conflict, t));
    return t.serve.older_copy({
      path: file,
      first,
      others: others.length > 0 ? t.serve.others_older({ count: others.length }) : "",
    });
  };
}

/** How many waiting things `serve` names at its start; a database of many companies has more. */
const WAITING_NAMED = 20;

/** Says what the program may not be used for as it is, or which key it should sign with instead. */
function sayUse({ certificate_number, host_signs }: SignerState, say: Say): void {
  if (certificate_number === 0) say({ level: "warn", event: "not_certified" }, (t) => t.waiting.not_certified);
  else if (!host_signs) say({ level: "warn", event: "key_in_database" }, (t) => t.waiting.key_in_database);
}

/**
 * Throws `Failure` under Node's debugger (--inspect, perhaps in NODE_OPTIONS): it hands the signing key to anyone who
 * connects.
 */
function mustNotBeDebugged(): void {
  if (inspectorUrl() === undefined) return;
  throw new Failure("refused", (t) => t.serve.debugged);
}

/** Throws `Failure` if there is no signing key, at the start rather than at the first invoice. */
async function mustHaveKey(lacre: Lacre, { signing_key }: KeyFile): Promise<SignerState> {
  const signer = await lacre.signer.get();
  if (!signer.host_signs || signing_key !== undefined) return signer;
  throw new Failure("refused", (t) => t.serve.key_is_elsewhere({ version: Number(signer.key_version) }));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** At a terminal: only errors that nothing else reports to the person. */
function troubleLines(terminal: Terminal): Log {
  return ({ level, event, message, stack }) => {
    const told = stack ?? message;
    if (level !== "info" && told !== undefined) terminal.printError(`lacre: ${event}: ${told}`);
  };
}

/** Logs each entry as a line of JSON. Requests that end in the same turn of the event loop are written together. */
function jsonLines(terminal: Terminal): Log {
  let waiting: string[] = [];
  const write = () => {
    if (waiting.length > 0) terminal.log(waiting.join("\n"));
    waiting = [];
  };
  return (entry) => {
    const { message } = entry;
    const complete = typeof message === "string" && { message: terminal.complete(message) };
    const count = waiting.push(JSON.stringify({ time: systemClock().toISOString(), ...entry, ...complete }));
    if (entry.event !== "request") write();
    else if (count === 1) void nextTurn().then(write);
  };
}
