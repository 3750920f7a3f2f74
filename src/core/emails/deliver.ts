/** Delivering e-mails: what `deliveries/deliver.ts` needs to know of them. */
import type { DeliverOptions, Due, Kind } from "../deliveries/deliver.ts";
import type { CompanyMethods } from "../face.ts";
import { LacreError } from "../runtime/errors.ts";
import type { Log, MailSender, MonotonicClock } from "../runtime/ports.ts";
import { type Answer, answerOf } from "./answer.ts";
import type { Taken } from "./sending.ts";

/** E-mails under way at once, in all and of one company: mail servers refuse many connections from one address. */
const MOST = { inAll: 8, ofCompany: 4, toOne: 4 };

/** What is logged of why an attempt failed: a server's reply, which is no word, may name an address. */
const WORD = /^\w+$/;

/** Sends e-mails. */
export interface Mailer {
  readonly emails: {
    /**
     * Sends the e-mails of all companies, until `signal` aborts or `lacre.close()`. It needs the option `mailSender`.
     * Several processes may run it on one database. Throws TypeError without that option.
     */
    deliver(options?: DeliverOptions): Promise<void>;
  };
}

/** The dependencies of sending e-mails. */
interface Sending {
  readonly due: () => Promise<readonly Due[]>;
  readonly as: (company_id: string) => CompanyMethods;
  readonly sender: MailSender;
  readonly monotonic: MonotonicClock;
  readonly log: Log;
}

/** E-mails as a kind of delivery. */
export function emailKind(world: Sending): Kind<Taken> {
  const { due, as } = world;
  return {
    waits: "emails_wait",
    most: MOST,
    // One that is cut off may have arrived, and is sent again.
    graceMs: 5_000,
    due,
    take: ({ company_id }, most) => as(company_id).emails.take({ most }),
    attempt: ({ company_id }, taken) => attemptAt(world, as(company_id), company_id, taken),
  };
}

/** One attempt at an e-mail: draws, sends, logs and settles it. It never throws, and logs no address. */
async function attemptAt(world: Sending, company: CompanyMethods, company_id: string, taken: Taken): Promise<void> {
  const { log, monotonic } = world;
  const { delivery_id, attempt } = taken;
  const began = monotonic();
  try {
    const answer = await sent(world, company, taken);
    if (!answer) return;
    const duration_ms = Math.round(monotonic() - began);
    const { outcome, status } = answer;
    const level = outcome === "delivered" ? "info" : "warn";
    const error = answer.error !== null && WORD.test(answer.error) ? answer.error : null;
    log({ level, event: "email", company_id, email_id: delivery_id, attempt, outcome, status, error, duration_ms });
    await company.emails.settle({ ...taken, ...answer, duration_ms });
  } catch (failure) {
    // It is taken again when its lease has run out.
    const message = failure instanceof Error ? failure.message : String(failure);
    log({ level: "warn", event: "email_not_settled", company_id, email_id: delivery_id, message });
  }
}

/** Sends an e-mail once it is drawn; undefined where another process has it. */
async function sent({ sender, log }: Sending, company: CompanyMethods, taken: Taken): Promise<Answer | undefined> {
  const failed = (error: string): Answer => ({ outcome: "failed", status: null, error });
  let begun: Awaited<ReturnType<CompanyMethods["emails"]["begin"]>>;
  try {
    begun = await company.emails.begin(taken);
  } catch (error) {
    if (error instanceof LacreError && error.code === "invalid_state") return failed("no_mail_key");
    if (error instanceof LacreError) throw error;
    log({ level: "error", event: "email_not_drawn", email_id: taken.delivery_id, message: String(error) });
    return failed("not_drawn");
  }
  if (!begun) return undefined;
  return answerOf(() => sender.send(begun.message, begun.server));
}
