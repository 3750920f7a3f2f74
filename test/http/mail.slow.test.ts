/**
 * Invoices, a thousand of them in `npm run test:long`, sent through a server that drops, delays, refuses, loses its
 * last answer, repeats passwords and is killed, while whoever sends them ends and begins again: each arrives once, or
 * twice where its fate was unknown, and then that is told. The server's password is nowhere.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { archiveLacre, type Email, type LogEntry } from "lacre";
import { mailSender } from "lacre/mail";
import { expect, onTestFinished, test } from "vitest";
import { copyDatabase } from "../../src/bin/database/driver.ts";
import { type Chance, chanceOf } from "../support/chance.ts";
import { DRIVERS } from "../support/drivers.ts";
import { anInvoice } from "../support/factories.ts";
import { aFile, anInstance, type Instance } from "../support/instance.ts";
import { anSmtp, type Deed, type Smtp } from "../support/smtp.ts";
import { until } from "../support/until.ts";
import { hasty } from "../support/webhooks.ts";

const DRIVER = DRIVERS[0] as (typeof DRIVERS)[number];
const ISSUES = process.env.LACRE_LONG ? 1_000 : 100;

/** Issues invoices that are sent to addresses of their own; beside every tenth another is refused, and so undone. */
async function issued(instance: Instance, count: number): Promise<void> {
  const { company } = instance;
  const { id: customer_id } = await company.customers.create({ name: "Ana" });
  for (let i = 0; i < count; i++) {
    await anInvoice(instance, { customer_id, email: { to: [`c${i}@example.com`] } });
    if (i % 10 === 0) {
      const undone = anInvoice(instance, {
        customer_id,
        issue_date: "2026-01-01",
        email: { to: ["undone@example.com"] },
      });
      await expect(undone).rejects.toThrow();
    }
  }
}

async function everyEmail({ company }: Instance): Promise<Email[]> {
  const all: Email[] = [];
  for (let offset = 0; ; offset += 200) {
    const { data, pagination } = await company.emails.list({ limit: 200, offset });
    all.push(...data);
    if (offset + 200 >= pagination.total) return all;
  }
}

/** How often a message to each address arrived. */
function arrivals(raw: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of raw) {
    const to = /^To: (\S+)$/m.exec(text.replaceAll("\r", ""))?.[1] ?? "?";
    counts.set(to, (counts.get(to) ?? 0) + 1);
  }
  return counts;
}

/** Sends until nothing waits; whoever sends is ended every now and then, and the clock goes on to what is due next. */
async function sentOut(instance: Instance): Promise<void> {
  const { company, lacre } = instance;
  const waiting = async () => (await company.emails.list({ status: "queued", limit: 200 })).data;
  let now_ms = 0;
  for (let left = await waiting(); left.length > 0; left = await waiting()) {
    const next_ms = Math.min(...left.map(({ next_attempt_at }) => Date.parse(String(next_attempt_at))));
    now_ms = Math.max(now_ms, next_ms + 60_000);
    instance.travel(new Date(now_ms).toISOString());
    const stop = new AbortController();
    const sent = lacre.emails.deliver({ signal: stop.signal });
    const until_ms = performance.now() + 2_000;
    while (performance.now() < until_ms && (await lacre.emails.due()).length > 0) await pause(20);
    stop.abort();
    await sent;
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Each arrived as its status says. */
function judged(emails: readonly Email[], raw: readonly string[]) {
  const counts = arrivals(raw);
  const wrong = emails.filter(({ to, status, doubts }) => {
    const came = counts.get(to[0] as string) ?? 0;
    if (came > 2 || (came === 2 && doubts === 0)) return true;
    if (status === "sent") return came === 0;
    return status === "failed" ? came > 0 : doubts === 0;
  });
  expect(wrong).toEqual([]);
  expect(counts.get("undone@example.com")).toBeUndefined();
  const by = (status: string) => emails.filter((email) => email.status === status).length;
  const twice = [...counts.values()].filter((count) => count === 2).length;
  return { sent: by("sent"), failed: by("failed"), unknown: by("unknown"), twice };
}

const PASSWORD = "muito-secreta-42";

/** Restarts a server now and then, until it is stopped; returns how often. */
async function restartedNowAndThen(smtp: Smtp, chance: Chance, stop: AbortSignal): Promise<number> {
  for (let restarts = 0; ; restarts++) {
    await pause(100 + chance.below(900));
    if (stop.aborted) return restarts;
    await smtp.restart(chance.below(300));
  }
}

/** Where a password might be read: the log, the answers, the file, a backup and an archive of it. */
async function everythingKept(instance: Instance, log: readonly LogEntry[], emails: readonly Email[]) {
  const pieces: Uint8Array[] = [];
  for await (const piece of archiveLacre({ dialect: instance.dialect })) pieces.push(piece);
  const backup = aFile();
  await copyDatabase(instance.file, backup);
  const files = [backup, ...[".db", ".db-wal"].map((end) => instance.file.replace(/\.db$/, end))].filter(existsSync);
  return {
    log: JSON.stringify(log),
    answers: JSON.stringify([emails, await instance.company.waiting.list()]),
    archive: gunzipSync(Buffer.concat(pieces)).toString("latin1"),
    files: files.map((file) => readFileSync(file, "latin1")).join(""),
  };
}

test("each arrives once through a server that misbehaves, or twice and told", async () => {
  const seed = Number(process.env.LACRE_SEED);
  console.log(`LACRE_SEED=${seed}`);
  const chance = chanceOf(seed);
  const log: LogEntry[] = [];
  const smtp = await anSmtp({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _, done) {
      const said = Object.assign(new Error(`not now: ${username} ${password}`), { responseCode: 454 });
      if (password !== PASSWORD || chance.below(20) === 0) done(said);
      else done(null, { user: username });
    },
  });
  const deeds: readonly Deed[] = ["take", "take", "take", "take", "delay", "lose", "drop", "busy", "busy", "refuse"];
  smtp.deed = () => chance.oneOf(deeds);
  const instance = await anInstance(DRIVER, {
    file: aFile(),
    mailSender: mailSender({ ...smtp.server, user: "loja", password: PASSWORD }),
    timer: hasty,
    log: (entry) => void log.push(entry),
  });
  await issued(instance, ISSUES);
  const stop = new AbortController();
  const restarts = restartedNowAndThen(smtp, chanceOf(seed + 1), stop.signal);
  await sentOut(instance);
  stop.abort();
  const emails = await everyEmail(instance);
  expect(emails).toHaveLength(ISSUES);
  const figures = { ...judged(emails, smtp.taken), restarts: await restarts };
  console.log(JSON.stringify(figures));
  expect(figures.unknown).toBeGreaterThan(0);
  expect(figures.twice).toBeGreaterThan(0);
  expect(figures.restarts).toBeGreaterThan(0);
  expect((await instance.company.series.verify()).whole).toBe(true);
  for (const [where, text] of Object.entries(await everythingKept(instance, log, emails))) {
    expect([where, text.includes(PASSWORD)]).toEqual([where, false]);
    expect([where, text.includes("EAUTH") || text.includes("c0@example.com")]).toEqual([where, true]); // the control
  }
});

const EXIM = "/usr/sbin/exim4";

test.skipIf(!existsSync(EXIM) || process.getuid?.() !== 0)("exim, killed and started again", async () => {
  const exim = await anExim();
  const instance = await anInstance(DRIVER, { file: aFile(), mailSender: mailSender(exim.server), timer: hasty });
  await issued(instance, 100);
  const sending = sentOut(instance);
  for (let kills = 0; kills < 5; kills++) {
    await pause(700);
    await exim.kill();
    await exim.start();
  }
  await sending;
  const emails = await everyEmail(instance);
  await until(() => exim.taken().length >= emails.filter(({ status }) => status === "sent").length);
  console.log(JSON.stringify(judged(emails, exim.taken())));
});

/** Debian's exim on a port of its own, from a configuration of its own, which keeps each message in a file. */
async function anExim() {
  const home = mkdtempSync(join(tmpdir(), "lacre-exim-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  for (const name of ["spool", "mail"]) mkdirSync(join(home, name));
  chmodSync(home, 0o711);
  chmodSync(join(home, "mail"), 0o777); // exim delivers as nobody, never as root
  const config = join(home, "exim.conf");
  const port = 20_000 + chanceOf(Date.now()).below(10_000);
  writeFileSync(
    config,
    `exim_user = root
exim_group = root
never_users =
primary_hostname = mail.test
spool_directory = ${home}/spool
log_file_path = ${home}/%slog
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
tls_advertise_hosts =
acl_smtp_rcpt = all
acl_smtp_data = all
begin acl
all:
  accept
begin routers
all:
  driver = accept
  transport = file
begin transports
file:
  driver = appendfile
  file = ${home}/mail/\${message_exim_id}
  user = nobody
  group = nogroup
`,
  );
  let daemon: ReturnType<typeof spawn> | undefined;
  const start = async () => {
    daemon = spawn(EXIM, ["-C", config, "-bdf", "-q1s"], { stdio: "ignore" });
    await until(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = createConnection(port, "127.0.0.1", () => resolve(!socket.destroy().connecting));
          socket.on("error", () => resolve(false));
        }),
    );
  };
  const kill = async () => {
    const ended = new Promise((resolve) => daemon?.once("exit", resolve));
    daemon?.kill("SIGKILL");
    await ended;
  };
  await start();
  onTestFinished(kill);
  return {
    server: {
      host: "127.0.0.1",
      port,
      security: "none",
      user: null,
      password: null,
      from: "faturas@padaria.example",
    } as const,
    start,
    kill,
    taken: () => readdirSync(join(home, "mail")).map((name) => readFileSync(join(home, "mail", name), "latin1")),
  };
}
