/** `lacre/mail`: sends e-mails by SMTP, with nodemailer, which is loaded at the first one. */
import type { Transporter } from "nodemailer";
import type { MailAnswer, MailMessage, MailSender, MailServer } from "../core/runtime/ports.ts";

export type { MailAnswer, MailMessage, MailSender, MailServer };

/** How long, in milliseconds, a server may take. */
export interface MailSenderOptions {
  /** To accept a connection, and again to greet. Default: 15,000. */
  readonly connectionTimeoutMs?: number;
  /** Between two of its replies; many check a message before the last. Default: 120,000. */
  readonly replyTimeoutMs?: number;
  /** For an attempt in all; more than 230,000 are taken as that. Default: 230,000. */
  readonly timeoutMs?: number;
}

/** The most that an attempt may take: it is settled while it still belongs to the process that took it. */
const MAX_TIMEOUT_MS = 230_000;

/** The most characters of a server's reply that are kept. */
const REPLY_SHOWN = 300;

/**
 * A sender for `openLacre({ mailSender })`, by this server; without one by the company's own, as the database has it.
 * TLS is verified and required unless the server's `security` is `none`.
 */
export function mailSender(server: MailServer | null = null, options: MailSenderOptions = {}): MailSender {
  return {
    from: server?.from ?? null,
    async send(message, own, { timeoutMs } = {}) {
      const by = server ?? own;
      if (!by) return { outcome: "failed", status: null, error: "no_server" };
      return sendBy(by, message, timeoutMs === undefined ? options : within(timeoutMs, options));
    },
  };
}

/** The same options, so that no step takes longer than the whole may. */
function within(timeoutMs: number, options: MailSenderOptions): MailSenderOptions {
  const { connectionTimeoutMs = timeoutMs, replyTimeoutMs = timeoutMs } = options;
  return {
    connectionTimeoutMs: Math.min(connectionTimeoutMs, timeoutMs),
    replyTimeoutMs: Math.min(replyTimeoutMs, timeoutMs),
    timeoutMs,
  };
}

async function sendBy(server: MailServer, message: MailMessage, options: MailSenderOptions): Promise<MailAnswer> {
  const { createTransport } = await import("nodemailer");
  // Once the server has asked for the message it may have all of it, and nobody knows its fate until it answers.
  let isAsked = false;
  const noteAsked = () => {
    isAsked = true;
  };
  const transport = createTransport({ ...transportOptions(server, options), logger: listener(noteAsked) });
  const late = Promise.withResolvers<never>();
  const { timeoutMs = MAX_TIMEOUT_MS } = options;
  const timer = setTimeout(
    () => late.reject(Object.assign(new Error("late"), { code: "ETIMEDOUT" })),
    Math.min(timeoutMs, MAX_TIMEOUT_MS),
  );
  try {
    const info = await Promise.race([sent(transport, message), late.promise]);
    return { outcome: "delivered", status: codeOf(info.response ?? ""), error: null, refused: info.rejected ?? [] };
  } catch (error) {
    return answerOf(error as SmtpError, isAsked);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

/** Listens to what nodemailer logs, keeps none of it, and tells when the server asks for the message. */
function listener(asked: () => void) {
  const hear = (entry: { readonly tnx?: unknown }, line: unknown) => {
    if (entry.tnx === "server" && String(line).startsWith("354")) asked();
  };
  return { level: () => {}, trace: hear, debug: hear, info: hear, warn: hear, error: hear, fatal: hear };
}

function transportOptions({ host, port, security, user, password }: MailServer, options: MailSenderOptions) {
  const { connectionTimeoutMs = 15_000, replyTimeoutMs = 120_000 } = options;
  return {
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(user !== null && { auth: { user, pass: password ?? "" } }),
    connectionTimeout: connectionTimeoutMs,
    greetingTimeout: connectionTimeoutMs,
    dnsTimeout: connectionTimeoutMs,
    socketTimeout: replyTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    transactionLog: true,
  };
}

/** Sends a message whose bytes follow from it alone: identity, date and boundaries are its own. */
function sent(transport: Transporter, message: MailMessage) {
  const { message_id, at, from, reply_to, to, cc, subject, text, attachments } = message;
  return transport.sendMail({
    messageId: message_id,
    date: at,
    from,
    ...(reply_to !== null && { replyTo: reply_to }),
    to: [...to],
    cc: [...cc],
    subject,
    text,
    attachments: attachments.map(({ name, type, content }) => ({
      filename: name,
      contentType: type,
      content: Buffer.from(content),
    })),
    envelope: { from: from.address, to: [...to, ...cc] },
    baseBoundary: message_id.replace(/[^A-Za-z0-9-]/g, ""),
    headers: { "Auto-Submitted": "auto-generated" },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** An error of nodemailer. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** The commands whose refusal is about the message, and not about the connection or the login. */
const ABOUT_MESSAGE: readonly string[] = ["MAIL FROM", "RCPT TO", "DATA"];

function answerOf(
  { code, originalCode, command = "", response, responseCode }: SmtpError,
  isAsked: boolean,
): MailAnswer {
  const status = responseCode ?? null;
  const isAboutMessage = status !== null && ABOUT_MESSAGE.includes(command);
  // What a server says of a login may repeat it.
  const error = isAboutMessage && response ? shortened(response) : (originalCode ?? code ?? "failed");
  if (isAboutMessage && status >= 500) return { outcome: "refused", status, error };
  // A reply to anything but DATA, once the message is asked for, is that of a connection that breaks down.
  const isKnown = !isAsked || (isAboutMessage && command === "DATA");
  return { outcome: isKnown ? "failed" : "unknown", status, error };
}

/** A server's reply on one line, without what could end it. */
function shortened(reply: string): string {
  return reply
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, REPLY_SHOWN);
}

function codeOf(response: string): number | null {
  const [digits] = /^\d{3}/.exec(response) ?? [];
  return digits === undefined ? null : Number(digits);
}
