/** A mail server for tests: it stands behind the port that sends, so nothing leaves the process. */
import type { Lacre, MailAnswer, MailMessage, MailSender } from "lacre";
import { onTestFinished } from "vitest";

export const TAKEN: MailAnswer = { outcome: "delivered", status: 250, error: null };
export const BUSY: MailAnswer = { outcome: "failed", status: 451, error: "451 try again" };
export const REFUSED: MailAnswer = { outcome: "refused", status: 550, error: "550 no such user" };
export const LOST: MailAnswer = { outcome: "unknown", status: null, error: "ECONNRESET" };

/** The address that tests send from. */
export const FROM = "faturas@padaria.example";

/** A mail server whose answers the test decides. */
export interface Mailbox extends MailSender {
  /** Every message that came, in order; those that were refused too. */
  readonly messages: MailMessage[];
  /** What it answers; `TAKEN` until a test sets another. */
  answer: (message: MailMessage) => MailAnswer | Promise<MailAnswer>;
}

export function aMailbox(): Mailbox {
  const mailbox: Mailbox = {
    from: FROM,
    messages: [],
    answer: () => TAKEN,
    async send(message) {
      mailbox.messages.push(message);
      return mailbox.answer(message);
    },
  };
  return mailbox;
}

/** Sends e-mails until the test ends. */
export function mailing(lacre: Lacre): void {
  const stop = new AbortController();
  const sent = lacre.emails.deliver({ signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await sent;
  });
}
