/**
 * Invoices, a thousand of them in `npm run test:long`, sent through a server that drops, delays, refuses and loses its
 * last answer, while whoever sends them ends and begins again: each arrives once, or twice where its fate was unknown,
 * and then that is told.
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
import type { Email, LogEntry } from "lacre";
import { mailSender } from "lacre/mail";
import { expect, onTestFinished, test } from "vitest";
import { chanceOf } from "../support/chance.ts";
import { DRIVERS } from "../support/drivers.ts";
import { anInvoice } from "../support/factories.ts";
import { aFile, anInstance, type Instance } from "../support/instance.ts";
import { anSmtp, type Deed } from "../support/smtp.ts";
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

/** Sends until nothing waits; whoever sends is ended every now and then, and the clock goes on. */
async function sentOut(instance: Instance): Promise<void> {
  const { company, lacre } = instance;
  const waiting = async () => (await company.emails.list({ status: "queued", limit: 1 })).pagination.total;
  for (let left = await waiting(); left > 0; left = await waiting()) {
    const stop = new AbortController();
    const sent = lacre.emails.deliver({ signal: stop.signal });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    stop.abort();
    await sent;
    instance.wait(6 * 60_000);
  }
}

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

test("each arrives once through a server that misbehaves, or twice and told", async () => {
  const seed = Number(process.env.LACRE_SEED);
  console.log(`LACRE_SEED=${seed}`);
  const chance = chanceOf(seed);
  const log: LogEntry[] = [];
  const smtp = await anSmtp();
  const deeds: readonly Deed[] = ["take", "take", "take", "take", "delay", "lose", "drop", "busy", "busy", "refuse"];
  smtp.deed = () => chance.oneOf(deeds);
  const instance = await anInstance(DRIVER, {
    mailSender: mailSender(smtp.server),
    timer: hasty,
    log: (entry) => void log.push(entry),
  });
  await issued(instance, ISSUES);
  await sentOut(instance);
  const emails = await everyEmail(instance);
  expect(emails).toHaveLength(ISSUES);
  const figures = judged(emails, smtp.taken);
  console.log(JSON.stringify(figures));
  expect(figures.unknown).toBeGreaterThan(0);
  expect(figures.twice).toBeGreaterThan(0);
  expect((await instance.company.series.verify()).whole).toBe(true);
});

const EXIM = "/usr/sbin/exim4";

test.skipIf(!existsSync(EXIM) || process.getuid?.() !== 0)("exim, killed and started again", async () => {
  const exim = await anExim();
  const instance = await anInstance(DRIVER, { file: aFile(), mailSender: mailSender(exim.server), timer: hasty });
  await issued(instance, 100);
  const sending = sentOut(instance);
  for (let kills = 0; kills < 5; kills++) {
    await new Promise((resolve) => setTimeout(resolve, 700));
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
