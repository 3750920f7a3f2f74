/** E-mails that need a person: not sent, failing, or taken by nobody. */
import { preparedSelect } from "../database/prepared.ts";
import { unsentIn } from "../deliveries/outbox.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { emailQueue } from "./queue.ts";

/** How long an e-mail that was not sent waits for a person. */
const TOLD_MS = 7 * 24 * 60 * 60 * 1_000;

type Trouble =
  | { readonly kind: "emails_not_sent"; readonly failed: number; readonly unknown: number }
  | { readonly kind: "emails_failing" | "emails_unsent"; readonly since: Instant };

/** The troubles with the company's e-mails; `failing_before`: when sending must have begun to fail. */
export async function emailTroubles(
  { db, company_id, now }: ReadScope,
  failing_before: Instant,
): Promise<readonly Trouble[]> {
  const queues = await emailQueue(db, { company_id, now: now.toISOString() });
  const since = new Date(now.getTime() - TOLD_MS).toISOString();
  const ended = await notSent(db, { company_id, since });
  const count = (wanted: string) => ended.filter(({ status }) => status === wanted).length;
  const unsent_since = unsentIn(queues, now).get(company_id);
  const failing_since = queues[0]?.failing_since ?? null;
  return [
    ...(ended.length > 0
      ? [{ kind: "emails_not_sent" as const, failed: count("failed"), unknown: count("unknown") }]
      : []),
    ...(failing_since !== null && failing_since < failing_before
      ? [{ kind: "emails_failing" as const, since: failing_since }]
      : []),
    ...(unsent_since ? [{ kind: "emails_unsent" as const, since: unsent_since }] : []),
  ];
}

/** E-mails that were not sent and whose document nobody has sent again. */
const notSent = preparedSelect((db, { company_id, since }: { company_id: string; since: Instant }) =>
  db
    .selectFrom("emails")
    .select("emails.status")
    .where("emails.company_id", "=", company_id)
    .where("emails.status", "in", ["failed", "unknown"])
    .where("emails.ended_at", ">", since)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("emails as later")
            .select("later.id")
            .whereRef("later.document_id", "=", "emails.document_id")
            .whereRef("later.id", ">", "emails.id"),
        ),
      ),
    ),
);
