/** The mail server that the operator names for `serve` and `mail test`, and `lacre mail test`. */
import { existsSync, writeFileSync } from "node:fs";
import * as z from "zod";
import type { LacreOptions, MailServer } from "../core/index.ts";
import { randomSecret, systemClock } from "../core/runtime/ports.ts";
import { percentDecoded } from "../http/bind.ts";
import { mailSender } from "../http/mail.ts";
import { command } from "./command.ts";
import { about, FLAGS, operand, says } from "./config.ts";
import { Failure } from "./exit.ts";
import { readGiven } from "./files.ts";
import { show } from "./output.ts";

const ADDRESS = z.regexes.email;
const address = (given: string) => given.length <= 254 && ADDRESS.test(given);
const wrong = says((t) => t.mail.must_be_address);

/** Flags that name a mail server. Its password is in a file or in a variable: a list of processes shows flags. */
export const SMTP_FLAGS = {
  smtp: z
    .string()
    .refine(
      (given) => serverIn(given) !== undefined,
      says((t) => t.mail.must_be_server),
    )
    .optional()
    .meta(about("smtp", { takes: "URL", env: "LACRE_SMTP" })),
  smtp_from: z
    .string()
    .refine(address, wrong)
    .optional()
    .meta(about("smtp_from", { takes: "EMAIL", env: "LACRE_SMTP_FROM" })),
  smtp_password_file: z
    .string()
    .optional()
    .meta(about("smtp_password_file", { takes: "FILE", env: "LACRE_SMTP_PASSWORD_FILE" })),
  smtp_plain: z.boolean().default(false).meta(about("smtp_plain")),
} as const;

/** A file with the key that seals the passwords of companies' own servers. */
export const MAIL_KEY = {
  mail_key: z
    .string()
    .optional()
    .meta(about("mail_key", { takes: "FILE", env: "LACRE_MAIL_KEY" })),
} as const;

interface SmtpSettings {
  readonly smtp?: string | undefined;
  readonly smtp_from?: string | undefined;
  readonly smtp_password_file?: string | undefined;
  readonly smtp_plain: boolean;
}

/** Host, port and user of `smtp://user@host:587` or `smtps://host`; undefined for other texts, and with a password. */
function serverIn(
  given: string,
): (Pick<MailServer, "host" | "port" | "user"> & { readonly isTls: boolean }) | undefined {
  const url = given.length <= 2_000 ? URL.parse(given) : null;
  const isTls = url?.protocol === "smtps:";
  if (!url || !(isTls || url.protocol === "smtp:") || url.hostname === "" || url.password !== "") return undefined;
  if (url.search !== "" || url.hash !== "" || !["", "/"].includes(url.pathname)) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.port === "" ? (isTls ? 465 : 587) : Number(url.port);
  const user = url.username === "" ? null : percentDecoded(url.username);
  return user === undefined ? undefined : { host, port, user, isTls };
}

/** The server that the settings name; undefined if none. Throws `Failure` if it is incomplete or in the clear. */
export function mailServerOf({
  smtp,
  smtp_from,
  smtp_password_file,
  smtp_plain,
}: SmtpSettings): MailServer | undefined {
  const found = smtp === undefined ? undefined : serverIn(smtp);
  if (!found) return undefined;
  const { isTls, ...server } = found;
  const password = server.user === null ? null : passwordOf(smtp_password_file);
  const from = smtp_from ?? (server.user !== null && address(server.user) ? server.user : undefined);
  if (from === undefined) throw new Failure("usage", (t) => t.mail.needs_from);
  if (smtp_plain && !isTls && password !== null) throw new Failure("usage", (t) => t.mail.password_in_clear);
  return { ...server, password, from, security: isTls ? "tls" : smtp_plain ? "none" : "starttls" };
}

function passwordOf(file: string | undefined): string {
  const given = file === undefined ? process.env.LACRE_SMTP_PASSWORD : readGiven(file).toString("utf8").trim();
  return given || refused();
}

function refused(): never {
  throw new Failure("usage", (t) => t.mail.needs_password);
}

/** The options of `openLacre` that send e-mails; empty where nothing is named. */
export function mailOptions(settings: SmtpSettings & { readonly mail_key?: string | undefined }) {
  const server = mailServerOf(settings);
  const { mail_key } = settings;
  const options: Pick<LacreOptions, "mailSender" | "mailKey"> = {
    ...((server || mail_key !== undefined) && { mailSender: mailSender(server) }),
    ...(mail_key !== undefined && { mailKey: keyIn(mail_key) }),
  };
  return options;
}

/** The key in a file, which is made where there is none. */
function keyIn(file: string): Uint8Array {
  if (!existsSync(file)) writeFileSync(file, `${randomSecret().toString("base64")}\n`, { mode: 0o600, flag: "wx" });
  const key = Buffer.from(readGiven(file).toString("latin1").trim(), "base64");
  if (key.length !== 32) throw new Failure("usage", (t) => t.mail.not_a_key({ path: file }));
  return key;
}

const testCommand = command({
  name: "mail test",
  input: z.strictObject({ address: operand("EMAIL"), ...SMTP_FLAGS, json: FLAGS.json }),
  async run({ address: to, json, ...settings }, terminal) {
    if (!address(to)) throw new Failure("usage", (t) => t.mail.must_be_to({ address: to }));
    const server = mailServerOf(settings) ?? noServer();
    const { mail: t } = terminal.texts;
    const at = systemClock();
    const answer = await mailSender(server).send(
      {
        message_id: `<${randomSecret().toString("hex")}@${server.from.slice(server.from.indexOf("@") + 1)}>`,
        at,
        from: { name: "Lacre", address: server.from },
        reply_to: null,
        to: [to],
        cc: [],
        subject: t.test_subject,
        text: t.test_message,
        attachments: [],
      },
      null,
    );
    const { host, port } = server;
    const { outcome, status, error } = answer;
    if (outcome !== "delivered") {
      throw new Failure("refused", (words) => words.mail.not_taken({ host, port, error: error ?? String(status) }));
    }
    show(terminal, json, { host, port, to, outcome, status }, [t.taken({ host, port, address: to })]);
  },
});

function noServer(): never {
  throw new Failure("usage", (t) => t.mail.no_server);
}

export const mailCommands = [testCommand];
