/** How the e-mails of a company look: name, reply address, own texts; and its own SMTP server, where it has one. */
import * as z from "zod";
import { countCompanies, mustFindCompany } from "../company/companies.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { NewRow, Row } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { definedOnly, formed, says, text, wholeNumber } from "../fields.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import { problem, refuse, refuseInput } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import type { MailServer } from "../runtime/ports.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { EmailAddress, Message, Subject } from "./input.ts";
import { t } from "./refusals.ts";
import { scheduleAfter, stepsIn, storedSteps } from "./reminder-schedule.ts";
import { sealText, unsealText } from "./sealed.ts";
import { PLACES, REMINDER_PLACES, unknownPlace, usualReminder, usualTexts } from "./texts.ts";

function textsWith(names: readonly string[]) {
  const places = names.map((name) => `{${name}}`);
  const placed = <Field extends z.ZodType<string, string>>(field: Field) =>
    field.superRefine((given, context) => {
      const place = unknownPlace(given, names);
      if (place !== undefined) context.addIssue({ code: "custom", ...says(t.has_unknown_place({ place, places })) });
    });
  return z
    .strictObject({ subject: placed(Subject).nullable().optional(), message: placed(Message).nullable().optional() })
    .describe(`The company's own; null for Lacre's. They may hold ${places.join(", ")}.`);
}

const TextsInput = textsWith(PLACES);
const ReminderTextsInput = textsWith(REMINDER_PLACES);

const TextsShown = z.strictObject({ subject: z.string().nullable(), message: z.string().nullable() });

/** How often a document may be reminded of. */
const MAX_REMINDERS = 5;

const ReminderDays = z
  .array(wholeNumber(1, 365))
  .max(MAX_REMINDERS)
  .refine((days) => days.every((day, i) => i === 0 || day > (days[i - 1] ?? day)), says(t.must_ascend))
  .describe("The days after `due_date` on which an FT or ND is reminded of, ascending; none for no reminders.");

const HOST = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9.:-]*$/;

const Security = z.enum(["tls", "starttls", "none"]);

const ServerInput = z
  .strictObject({
    host: formed(253, (given) => HOST.test(given), t.must_be_host),
    port: wholeNumber(1, 65_535),
    security: Security,
    user: text(254).nullable().optional(),
    password: text(500).nullable().optional().describe("Kept sealed; left out, that of before."),
    from: EmailAddress,
  })
  .describe("An SMTP server of the company's own.");

const UsualTexts = z.strictObject({ subject: z.string(), message: z.string() });

const fields = {
  name: z.string().nullable().describe("Beside the sender's address; null for the company's name."),
  reply_to: z.string().nullable(),
  pt: TextsShown,
  en: TextsShown,
  reminders: z
    .strictObject({
      days: z.array(z.int()),
      pt: TextsShown,
      en: TextsShown,
      usual: z.strictObject({ pt: UsualTexts, en: UsualTexts }).describe("Lacre's texts of reminders, with places."),
    })
    .describe("When customers are reminded of what is overdue, and the company's own texts for it."),
};

export const CompanyMail = z
  .strictObject({
    ...fields,
    usual: z
      .strictObject({ pt: UsualTexts, en: UsualTexts })
      .describe("Lacre's texts, with places, as they are sent where the company has none."),
    server: z
      .strictObject({
        host: z.string(),
        port: z.int(),
        security: Security,
        user: z.string().nullable(),
        has_password: z.boolean(),
        from: z.string(),
      })
      .nullable()
      .describe("The company's own SMTP server; null where it has none."),
    from: z.string().nullable().describe("The address that e-mails are sent from; null where nothing sends them."),
    may_set_server: z.boolean().describe("Whether the company may have a server of its own."),
  })
  .describe("How the e-mails of a company look, and by which server they go.");
export type CompanyMail = z.infer<typeof CompanyMail>;

export const CompanyMailChanges = z
  .strictObject({
    name: text(200).nullable().optional(),
    reply_to: EmailAddress.nullable().optional(),
    pt: TextsInput.optional(),
    en: TextsInput.optional(),
    reminders: z
      .strictObject({
        days: ReminderDays.optional(),
        pt: ReminderTextsInput.optional(),
        en: ReminderTextsInput.optional(),
      })
      .optional(),
    server: ServerInput.nullable().optional(),
  })
  .describe("What changes of how a company's e-mails look, or of its server; what is left out stays.");
export type CompanyMailChanges = z.input<typeof CompanyMailChanges>;

export const getCompanyMail = query(
  {
    id: "getCompanyMail",
    summary: "How the e-mails of the company look, and by which server they go",
    needs: "company:write",
    input: z.strictObject({}),
    output: CompanyMail,
    fails: [],
  },
  async (scope) => shown(scope, await findCompanyMail(scope)),
);

export const changeCompanyMail = command(
  {
    id: "changeCompanyMail",
    summary: "Change the fields sent of how the company's e-mails look, or its SMTP server",
    needs: "company:write",
    confirmed: true,
    carriesSecret: true,
    unkeyed: true,
    input: CompanyMailChanges,
    output: CompanyMail,
    fails: ["invalid_state", "password_required"],
  },
  async (scope, { name, reply_to, pt, en, reminders, server }) => {
    const before = await findCompanyMail(scope);
    const own = server === undefined ? {} : await serverColumns(scope, before, server);
    const texts = {
      subject_pt: pt?.subject,
      message_pt: pt?.message,
      subject_en: en?.subject,
      message_en: en?.message,
      reminder_days: reminders?.days && storedSteps(reminders.days),
      reminder_subject_pt: reminders?.pt?.subject,
      reminder_message_pt: reminders?.pt?.message,
      reminder_subject_en: reminders?.en?.subject,
      reminder_message_en: reminders?.en?.message,
    };
    const columns: Partial<NewRow<"company_mail">> = definedOnly({ name, reply_to, ...texts, ...own });
    const changed = Object.keys(columns);
    if (changed.length === 0) return shown(scope, before);
    await makeRow(scope.db, { company_id: scope.company_id });
    const { time_zone } = await mustFindCompany(scope);
    const schedule = scheduleAfter(before?.reminder_days ?? null, columns.reminder_days, scope.now, time_zone);
    const saved = { ...columns, ...schedule };
    await scope.db.updateTable("company_mail").set(saved).where("company_id", "=", scope.company_id).execute();
    await recordEvent(scope, "company.changed", scope.company_id, { fields: changed.map((field) => `mail.${field}`) });
    return shown(scope, await findCompanyMail(scope));
  },
);

const NO_SERVER = {
  server_host: null,
  server_port: null,
  server_security: null,
  server_user: null,
  server_password: null,
  server_from: null,
};

/** The columns of a server; refuses one that the company may not have, and a password that cannot be kept or hidden. */
async function serverColumns(
  scope: WriteScope,
  before: Row<"company_mail"> | undefined,
  server: z.output<typeof ServerInput> | null,
) {
  if (server === null) return NO_SERVER;
  const { host, port, security, user = null, password, from } = server;
  // Sent to another server, a kept password would be read there.
  const keeps = password === undefined && user !== null && user === before?.server_user && host === before.server_host;
  const given = password ?? null;
  if ((user !== null) !== (keeps || given !== null)) refuseInput([problem("server.password", t.password_needs_user)]);
  if (user !== null && security === "none") refuseInput([problem("server.security", t.password_needs_tls)]);
  const key = await mustMayHaveServer(scope);
  return {
    server_host: host,
    server_port: port,
    server_security: security,
    server_user: user,
    server_password: keeps ? before.server_password : given && sealedFor(scope, key, given),
    server_from: from,
  };
}

/** The key that seals passwords; refuses a server where the operator has one, or there are several companies. */
async function mustMayHaveServer(scope: WriteScope): Promise<Uint8Array | null> {
  const { mail } = scope;
  if (!mail) return refuse("invalid_state", t.nothing_sends);
  if (mail.from !== null) refuse("invalid_state", t.server_is_operators);
  if ((await countCompanies(scope)) > 1) refuse("invalid_state", t.several_companies);
  return mail.key;
}

function sealedFor(scope: WriteScope, key: Uint8Array | null, password: string): string {
  return sealText(key ?? refuse("invalid_state", t.no_mail_key), scope.company_id, password, scope.newSecret());
}

async function shown(scope: ReadScope, row: Row<"company_mail"> | undefined): Promise<CompanyMail> {
  const { iban } = await mustFindCompany(scope);
  const { mail } = scope;
  const server = row && serverOf(row);
  return {
    name: row?.name ?? null,
    reply_to: row?.reply_to ?? null,
    pt: { subject: row?.subject_pt ?? null, message: row?.message_pt ?? null },
    en: { subject: row?.subject_en ?? null, message: row?.message_en ?? null },
    usual: { pt: usualTexts("pt"), en: usualTexts("en") },
    reminders: {
      days: stepsIn(row?.reminder_days ?? null),
      pt: { subject: row?.reminder_subject_pt ?? null, message: row?.reminder_message_pt ?? null },
      en: { subject: row?.reminder_subject_en ?? null, message: row?.reminder_message_en ?? null },
      usual: { pt: usualReminder("pt", iban), en: usualReminder("en", iban) },
    },
    server: server ? { ...server, has_password: row?.server_password != null } : null,
    from: senderOf(scope, row),
    may_set_server: mail !== null && mail.from === null && (await countCompanies(scope)) <= 1,
  };
}

/** The address that the company's e-mails are sent from; null where nothing sends them. */
export function senderOf({ mail }: ReadScope, row: Row<"company_mail"> | undefined): string | null {
  return mail && (mail.from ?? row?.server_from ?? null);
}

/** The header Message-ID of an e-mail, in the domain of its sender. */
export const messageIdOf = (id: string, sender: string): string => `<${id}@${sender.slice(sender.indexOf("@") + 1)}>`;

/** The company's own server without its password. */
function serverOf(row: Row<"company_mail">): Omit<MailServer, "password"> | null {
  const { server_host: host, server_port: port, server_security: security, server_user: user, server_from: from } = row;
  return host === null || port === null || security === null || from === null
    ? null
    : { host, port, security, user, from };
}

/**
 * The company's own server, where its e-mails go by it: the operator's takes its place. Undefined where its password
 * cannot be read, as under another key.
 */
export function openServer(
  { mail, company_id }: ReadScope,
  row: Row<"company_mail"> | undefined,
): MailServer | null | undefined {
  const server = row && serverOf(row);
  if (!server || (mail && mail.from !== null)) return null;
  if (row.server_password === null) return { ...server, password: null };
  const password = mail?.key ? unsealText(mail.key, company_id, row.server_password) : undefined;
  return password === undefined ? undefined : { ...server, password };
}

/** How the company's e-mails look; undefined while it has set nothing and queued none. */
export async function findCompanyMail({ db, company_id }: ReadScope): Promise<Row<"company_mail"> | undefined> {
  return (await mailOf(db, { company_id }))[0];
}

const mailOf = preparedSelect((db, { company_id }: { company_id: string }) =>
  db.selectFrom("company_mail").selectAll().where("company_id", "=", company_id),
);

/** Makes the row of a company that has none, for the state of its queue. */
export const makeRow = preparedWrite((db, { company_id }: { company_id: string }) =>
  db
    .insertInto("company_mail")
    .values({ company_id })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Notes when a test message was asked for. */
export const noteTested = preparedWrite((db, { company_id, tested_at }: { company_id: string; tested_at: Instant }) =>
  db.updateTable("company_mail").set({ tested_at }).where("company_id", "=", company_id),
);

/** Notes when e-mails of the company were taken to be sent. */
export const noteTaken = preparedWrite((db, { company_id, taken_at }: { company_id: string; taken_at: Instant }) =>
  db.updateTable("company_mail").set({ taken_at }).where("company_id", "=", company_id),
);

/** Notes since when sending has failed; null since it last succeeded. */
export const noteFailing = preparedWrite(
  (db, { company_id, failing_since }: { company_id: string; failing_since: Instant | null }) =>
    db.updateTable("company_mail").set({ failing_since }).where("company_id", "=", company_id),
);
