/** E-mails with issued documents: queued, listed, read. */
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { Attempt, attemptsOf, waitingOnes } from "../deliveries/attempts.ts";
import { mustAllow, mustFindDocument } from "../documents/rows.ts";
import { Id, Instant, PathId } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { PageInput, pageOf, preparedCount, preparedPage } from "../runtime/page.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { LANGS } from "../texts/languages.ts";
import { EmailFields } from "./input.ts";
import { mustBeSendable, queueEmail } from "./queue.ts";
import { t } from "./refusals.ts";

const STATUSES = ["queued", "sent", "failed", "unknown", "withdrawn"] as const;

export const Email = z
  .strictObject({
    id: Id,
    document_id: Id,
    status: z
      .enum(STATUSES)
      .describe(
        "`sent`: the mail server took it. `failed`: it refused it, or could not be reached for days. `unknown`: twice " +
          "the connection was lost after the whole message had gone out. `withdrawn`: a reminder that was no longer " +
          "right when its turn came, such as once what it says is outstanding was paid, credited or cancelled.",
      ),
    reminder: z
      .int()
      .nullable()
      .describe("Of a reminder, how many days after `due_date` it went out by the schedule; null otherwise."),
    from: z.strictObject({ name: z.string(), address: z.string() }),
    reply_to: z.string().nullable(),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    subject: z.string(),
    message: z.string(),
    language: z.enum(LANGS),
    message_id: z.string().describe("The header Message-ID, the same in every attempt."),
    original: z
      .boolean()
      .describe("Whether it carries the original; later prints, e-mails and links are second prints."),
    doubts: z
      .int()
      .describe("Attempts after which nobody knows whether it arrived: a `sent` one with a doubt may have come twice."),
    refused: z.array(z.string()).describe("Recipients that the mail server refused, while it took it for the others."),
    error: z.string().nullable().describe("Why it failed."),
    queued_at: Instant,
    next_attempt_at: Instant.nullable().describe("Null once it ended."),
    ended_at: Instant.nullable(),
    attempts: z.array(Attempt).describe("Newest first; kept for 30 days after its end."),
  })
  .meta({ id: "Email", description: "An issued document sent by e-mail." });
export type Email = z.infer<typeof Email>;

export const sendDocument = command(
  {
    id: "sendDocument",
    summary: "Send an issued document by e-mail, as PDF",
    needs: "documents:send",
    input: z.strictObject({ id: PathId, ...EmailFields }),
    output: Email,
    fails: ["not_found", "invalid_state", "rate_limited"],
  },
  async (scope, { id, ...asked }) => {
    const document = await mustFindDocument(scope, id);
    const addressed = await mustBeSendable(scope, document.customer_id, asked);
    mustAllow("send", document);
    const email = await queueEmail(scope, document, addressed);
    return toEmail(email, { next_attempt_at: email.queued_at, attempts: [] });
  },
);

export const listEmails = query(
  {
    id: "listEmails",
    summary: "List the e-mails of documents, newest first",
    needs: "documents:read",
    input: z.strictObject({
      ...PageInput,
      document_id: Id.optional().describe("Only those of this document."),
      status: z.enum(STATUSES).optional(),
    }),
    output: pageOf(Email),
    fails: [],
  },
  async (scope, { document_id, status, ...asked }) => {
    const found = { company_id: scope.company_id, document_id, status };
    const { data, pagination } = await pageOfEmails(scope.db, found, asked, await countEmails(scope.db, found));
    return { data: await withAttempts(scope, data), pagination };
  },
);

interface Found {
  readonly company_id: string;
  readonly document_id: string | undefined;
  readonly status: Row<"emails">["status"] | undefined;
}

function emailsOf(db: Reader, { company_id, document_id, status }: Found) {
  const all = db.selectFrom("emails").where("company_id", "=", company_id);
  const about = document_id === undefined ? all : all.where("document_id", "=", document_id);
  return status === undefined ? about : about.where("status", "=", status);
}

const pageOfEmails = preparedPage(emailsOf, { order: ["queued_at", "id"] });
const countEmails = preparedCount(emailsOf);

export const getEmail = query(
  {
    id: "getEmail",
    summary: "Get an e-mail of a document",
    needs: "documents:read",
    input: z.strictObject({ id: PathId }),
    output: Email,
    fails: ["not_found"],
  },
  async (scope, { id }) => {
    const [shown] = await withAttempts(scope, [await mustFindEmail(scope, id)]);
    return shown as Email;
  },
);

/** An e-mail of the call's company; refuses with `not_found`. */
async function mustFindEmail({ db, company_id }: ReadScope, id: string): Promise<Row<"emails">> {
  const [row] = await emailById(db, { company_id, id });
  return row ?? refuse("not_found", t.no_such_email);
}

const emailById = preparedSelect((db, { company_id, id }: { company_id: string; id: string }) =>
  db.selectFrom("emails").selectAll().where("id", "=", id).where("company_id", "=", company_id),
);

async function withAttempts({ db }: ReadScope, rows: readonly Row<"emails">[]): Promise<Email[]> {
  const attempts = await attemptsOf(db, rows);
  const due = await waitingOnes(db, rows);
  return rows.map((row) =>
    toEmail(row, { attempts: attempts.get(row.id) ?? [], next_attempt_at: due.get(row.id) ?? null }),
  );
}

const listed = (addresses: string | null) => (addresses === null ? [] : addresses.split(" "));

function toEmail(row: Row<"emails">, progress: Pick<Email, "next_attempt_at" | "attempts">): Email {
  const { id, document_id, status, sender, sender_name, reply_to, recipients, copied, refused } = row;
  const { reminder, subject, message, language, message_id, second_print, doubts, error, queued_at, ended_at } = row;
  return {
    id,
    document_id,
    status,
    reminder,
    from: { name: sender_name, address: sender },
    reply_to,
    to: listed(recipients),
    cc: listed(copied),
    subject,
    message,
    language,
    message_id,
    original: second_print === 0,
    doubts,
    refused: listed(refused),
    error,
    queued_at,
    ended_at,
    ...progress,
  };
}
