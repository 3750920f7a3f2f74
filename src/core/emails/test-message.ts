/** A test message, which tells in seconds whether the company's e-mails get through. */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import type { Row } from "../database/tables.ts";
import { mustFindUser } from "../people/users.ts";
import { refuse, refuseFor } from "../runtime/errors.ts";
import { commandThen } from "../runtime/operation.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { answerOf, OUTCOMES } from "./answer.ts";
import { findCompanyMail, makeRow, messageIdOf, noteTested, openServer, senderOf } from "./company-mail.ts";
import { t } from "./refusals.ts";
import { testTexts } from "./texts.ts";

/** How long a person waits for the mail server. */
const TIMEOUT_MS = 20_000;

/** The time between two test messages of a company: nobody tries out addresses and passwords by them. */
const EVERY_S = 10;

export const testCompanyMail = commandThen(
  {
    id: "testCompanyMail",
    summary:
      "Send a test message as the company's e-mails are sent, to the person who asks, and tell what became of it",
    needs: "company:write",
    unkeyed: true,
    input: z.strictObject({}),
    output: z.strictObject({
      to: z.string().describe("The person's own address; for the host program the one that e-mails are sent from."),
      outcome: z
        .enum(OUTCOMES)
        .describe("`delivered`: the mail server took it. `unknown`: the connection was lost before it said so."),
      status: z.int().nullable().describe("The code of the server's reply; null where there was none."),
      error: z.string().nullable().describe("The server's reply, or a word for why there was none."),
    }),
    fails: ["invalid_state", "rate_limited"],
  },
  async (scope) => {
    const { db, company_id, now } = scope;
    const mail = await findCompanyMail(scope);
    mustReachServer(scope, mail);
    // Of a clock that went back nobody waits for it to return.
    const passed_ms = Math.abs(now.getTime() - Date.parse(mail?.tested_at ?? ""));
    if (passed_ms < EVERY_S * 1_000) refuseFor(EVERY_S, "rate_limited", t.tested_just_now({ seconds: EVERY_S }));
    await makeRow(db, { company_id });
    await noteTested(db, { company_id, tested_at: now.toISOString() });
    return { id: scope.newId() };
  },
  async (scope, _, { id }) => {
    const { caller, db, lang, now } = scope;
    const mail = await findCompanyMail(scope);
    const { sender, server, send } = mustReachServer(scope, mail);
    const { name } = await mustFindCompany(scope);
    const to = caller.session ? (await mustFindUser(db, caller.session.user_id)).login : sender;
    const message = {
      message_id: messageIdOf(id, sender),
      at: now,
      from: { name: mail?.name ?? name, address: sender },
      reply_to: mail?.reply_to ?? null,
      to: [to],
      cc: [],
      subject: testTexts.subject({ company: name }).in(lang),
      text: testTexts.message({ company: name }).in(lang),
      attachments: [],
    };
    const { outcome, status, error } = await answerOf(() => send(message, server, { timeoutMs: TIMEOUT_MS }));
    return { to, outcome, status, error };
  },
);

/** How the company's e-mails are sent; refuses where nothing sends them, or the password cannot be read. */
function mustReachServer(scope: ReadScope, mail: Row<"company_mail"> | undefined) {
  const sender = senderOf(scope, mail);
  if (!scope.mail || sender === null) return refuse("invalid_state", t.nothing_sends);
  const server = openServer(scope, mail);
  if (server === undefined) refuse("invalid_state", scope.mail.key ? t.password_unreadable : t.no_mail_key);
  return { sender, server, send: scope.mail.send };
}
