import { LacreError, type LogEntry } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { aCustomer, aDraft, anInvoice } from "../../support/factories.ts";
import { aCompany, aFile, anInstance, type Instance } from "../../support/instance.ts";
import { aMailbox, BUSY, FROM, LOST, mailing, REFUSED, TAKEN } from "../../support/mail.ts";
import { until } from "../../support/until.ts";
import { hasty } from "../../support/webhooks.ts";

const ANA = "ana@example.com";

/** An instance that sends to a mailbox. */
async function aMailingInstance(driver: (typeof DATABASES)[number], options = {}) {
  const mailbox = aMailbox();
  const instance = await anInstance(driver, { mailSender: mailbox, timer: hasty, ...options });
  return { ...instance, mailbox };
}

/** An e-mail to Ana with an invoice, queued. */
async function anEmail(instance: Instance) {
  const { id } = await anInvoice(instance);
  return instance.company.documents.email({ id, to: [ANA] });
}

/** The actions of the events about a document's e-mails, oldest first. */
async function actionsIn({ company }: Pick<Instance, "company">, document_id: string) {
  const { data } = await company.events.list({ resource_id: document_id });
  const actions = data.map(({ action }) => action).filter((action) => action.startsWith("email."));
  return actions.reverse();
}

/** The code of a refusal, and the fields that it names. */
async function refusal(call: Promise<unknown>): Promise<[string, string]> {
  const error = await call.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(LacreError);
  const { code, problems } = error as LacreError;
  return [code, problems.map(({ path }) => path).join()];
}

describe.each(DATABASES)("e-mails over $name", (driver) => {
  test("an invoice is sent to its customer with the original; what is sent later is a second print", async () => {
    const instance = await aMailingInstance(driver);
    const { company, lacre, mailbox } = instance;
    const { id: customer_id } = await company.customers.create({ name: "Ana", email: ANA });
    const { id, number } = await anInvoice(instance, { customer_id });
    const queued = await company.documents.email({ id, cc: ["contas@example.com"] });
    expect(queued).toMatchObject({ status: "queued", to: [ANA], original: true, attempts: [], document_id: id });
    mailing(lacre);
    await until(async () => (await company.emails.get({ id: queued.id })).status === "sent");
    const [message] = mailbox.messages;
    expect(message).toMatchObject({
      from: { name: "Padaria Central, Lda.", address: FROM },
      to: [ANA],
      cc: ["contas@example.com"],
      reply_to: null,
      message_id: `<${queued.id}@padaria.example>`,
      subject: `Fatura ${number} – Padaria Central, Lda.`,
    });
    expect(message?.text).toContain(`a fatura ${number}, de`);
    expect(message?.attachments[0]).toMatchObject({
      name: `${number?.replaceAll("/", "-")}.pdf`,
      type: "application/pdf",
    });
    const again = await company.documents.email({ id, language: "en", to: ["b@example.com"] });
    expect(again).toMatchObject({ original: false, language: "en", to: ["b@example.com"] });
    expect(again.message).toContain("Please find attached invoice");
    await until(async () => (await company.emails.get({ id: again.id })).status === "sent");
    const [first, second] = mailbox.messages.map(({ attachments }) => attachments[0]?.content as Uint8Array);
    expect(first).not.toEqual(second);
    expect(await actionsIn(instance, id)).toEqual(["email.queued", "email.sent", "email.queued", "email.sent"]);
    expect((await company.series.verify()).whole).toBe(true);
  });

  test("the original that was printed is not sent again", async () => {
    const instance = await aMailingInstance(driver);
    const { company } = instance;
    const { id } = await anInvoice(instance);
    await company.documents.print({ id });
    expect(await company.documents.email({ id, to: [ANA] })).toMatchObject({ original: false });
  });
});

describe.each(DATABASES)("what an e-mail is made of, over $name", (driver) => {
  test("every attempt sends the same, whatever changes meanwhile", async () => {
    const instance = await aMailingInstance(driver);
    const { company, company_id, lacre, mailbox } = instance;
    mailbox.answer = () => BUSY;
    const { id } = await anEmail(instance);
    await lacre.companies.change({ id: company_id, footer_text: "Outro rodapé" });
    mailing(lacre);
    await until(async () => (await company.emails.get({ id })).attempts.length === 1);
    await lacre.companies.change({ id: company_id, footer_text: "Mais outro", name: "Outro nome" });
    mailbox.answer = () => TAKEN;
    instance.wait(10_000);
    await until(async () => (await company.emails.get({ id })).status === "sent");
    expect(mailbox.messages[1]).toEqual(mailbox.messages[0]);
    const { attempts, doubts } = await company.emails.get({ id });
    expect(attempts.map(({ status }) => status)).toEqual([250, 451]);
    expect(doubts).toBe(0);
  });

  test("`email` at issue queues it with the issue, and nothing of what is refused", async () => {
    const instance = await aMailingInstance(driver);
    const { company } = instance;
    const { id: customer_id } = await company.customers.create({ name: "Ana", email: ANA, language: "en" });
    const { id } = await anInvoice(instance, { customer_id, email: true });
    const { data } = await company.emails.list({ document_id: id });
    expect(data).toMatchObject([{ status: "queued", to: [ANA], language: "en" }]);
    const draft = await aDraft(instance, { customer_id });
    await company.documents.issue({ id: draft.id, email: { to: ["b@example.com"], subject: "Aqui vai" } });
    expect((await company.emails.list({ document_id: draft.id })).data).toMatchObject([{ subject: "Aqui vai" }]);
    expect(await refusal(aDraft(instance, { customer_id, email: true }))).toEqual(["invalid_request", "email"]);
    const { next_number } = await company.series.get({ id: instance.series.FT });
    const nobody = await aCustomer(instance);
    const unknown = anInvoice(instance, { customer_id: nobody.id, email: true });
    expect(await refusal(unknown)).toEqual(["invalid_request", "email.to"]);
    const empty = anInvoice(instance, { customer_id, email: true, lines: [] });
    expect(await refusal(empty)).toEqual(["invalid_request", "lines"]);
    const old = anInvoice(instance, { customer_id, email: true, issue_date: "2026-01-01" });
    expect((await refusal(old))[0]).toBe("date_out_of_order");
    expect((await company.series.get({ id: instance.series.FT })).next_number).toBe(next_number);
    expect((await company.emails.list()).pagination.total).toBe(2);
  });
});

describe.each(DATABASES)("what is refused, over $name", (driver) => {
  test("a draft, a cancelled document, an unknown one and one without an address are refused", async () => {
    const instance = await aMailingInstance(driver);
    const { company } = instance;
    const to = [ANA];
    const draft = await aDraft(instance);
    expect(await refusal(company.documents.email({ id: draft.id, to }))).toEqual(["invalid_state", ""]);
    const { id } = await anInvoice(instance);
    expect(await refusal(company.documents.email({ id }))).toEqual(["invalid_request", "to"]);
    await company.documents.cancel({ id, reason: "Engano" });
    expect(await refusal(company.documents.email({ id, to }))).toEqual(["invalid_state", ""]);
    expect(await refusal(company.documents.email({ id: "nope", to }))).toEqual(["not_found", ""]);
    const mute = await anInstance(driver);
    const invoice = await anInvoice(mute);
    expect(await refusal(mute.company.documents.email({ id: invoice.id, to }))).toEqual(["invalid_state", ""]);
    expect((await company.emails.list()).pagination.total).toBe(0);
  });

  test.each([
    ["to", { to: ["ana@example.com\r\nBcc: eve@example.com"] }],
    ["to", { to: ["Ana <ana@example.com>"] }],
    ["to", { to: ["a@example.com, b@example.com"] }],
    ["to", { to: [] }],
    ["to", { to: Array.from({ length: 11 }, (_, i) => `a${i}@example.com`) }],
    ["cc", { to: [ANA], cc: ["no"] }],
    ["subject", { to: [ANA], subject: "Olá\r\nBcc: eve@example.com" }],
    ["subject", { to: [ANA], subject: "x".repeat(201) }],
    ["message", { to: [ANA], message: "x".repeat(5_001) }],
    ["language", { to: [ANA], language: "fr" as "en" }],
    ["bcc", { to: [ANA], bcc: [ANA] }],
  ])("what could forge a header or flood is refused: %s %#", async (field, input) => {
    const instance = await aMailingInstance(driver);
    const { id } = await anInvoice(instance);
    const [code, path] = await refusal(instance.company.documents.email({ id, ...input }));
    expect([code, path.split("[")[0]]).toEqual(["invalid_request", field]);
  });
});

describe.each(DATABASES)("what a person learns, over $name", (driver) => {
  test("what the server refuses has failed, and a person learns of it until the document is sent again", async () => {
    const instance = await aMailingInstance(driver);
    const { company, lacre, mailbox } = instance;
    mailbox.answer = () => REFUSED;
    mailing(lacre);
    const { id, document_id } = await anEmail(instance);
    await until(async () => (await company.emails.get({ id })).status === "failed");
    expect(mailbox.messages).toHaveLength(1);
    expect(await company.emails.get({ id })).toMatchObject({ error: "550 no such user", next_attempt_at: null });
    const troubles = async () => (await company.waiting.list()).filter(({ kind }) => kind.startsWith("emails_"));
    expect(await troubles()).toMatchObject([{ kind: "emails_not_sent", failed: 1, unknown: 0 }]);
    mailbox.answer = () => TAKEN;
    await company.documents.email({ id: document_id, to: ["b@example.com"] });
    expect(await troubles()).toEqual([]);
  });

  test("a server that fails for an hour, and e-mails that nobody takes, are told", async () => {
    const instance = await aMailingInstance(driver);
    const { company, lacre, mailbox } = instance;
    const kinds = async () =>
      (await company.waiting.list()).map(({ kind }) => kind).filter((kind) => kind.startsWith("emails_"));
    const { id } = await anEmail(instance);
    instance.wait(301_000);
    expect(await kinds()).toEqual(["emails_unsent"]);
    mailbox.answer = () => BUSY;
    mailing(lacre);
    await until(async () => (await company.emails.get({ id })).attempts.length === 1);
    expect(await kinds()).toEqual([]);
    mailbox.answer = () => new Promise(() => {});
    instance.wait(3_601_000);
    expect(await kinds()).toContain("emails_failing");
  });
});

describe.each(DATABASES)("an attempt whose fate is unknown, over $name", (driver) => {
  test("an attempt whose fate is unknown is made once more, then it is told as unknown", async () => {
    const instance = await aMailingInstance(driver);
    const { company, lacre, mailbox } = instance;
    mailbox.answer = () => LOST;
    mailing(lacre);
    const { id, document_id } = await anEmail(instance);
    await until(async () => (await company.emails.get({ id })).attempts.length === 1);
    expect(await company.emails.get({ id })).toMatchObject({ status: "queued", doubts: 1 });
    expect(await company.series.verify()).toMatchObject({ whole: true });
    instance.wait(60_000);
    await until(async () => (await company.emails.get({ id })).status === "unknown");
    instance.wait(86_400_000 * 3);
    expect(await company.emails.get({ id })).toMatchObject({ doubts: 2, next_attempt_at: null });
    expect(mailbox.messages).toHaveLength(2);
    expect(mailbox.messages[1]).toEqual(mailbox.messages[0]);
    expect(await actionsIn(instance, document_id)).toEqual(["email.queued", "email.unknown"]);
    expect((await company.series.verify()).whole).toBe(true);
  });

  test.each([
    ["sent", TAKEN],
    ["unknown", REFUSED],
  ] as const)("a doubt is told whatever follows: %s", async (status, answer) => {
    const instance = await aMailingInstance(driver);
    const { company, lacre, mailbox } = instance;
    mailbox.answer = () => LOST;
    mailing(lacre);
    const { id, document_id } = await anEmail(instance);
    await until(async () => (await company.emails.get({ id })).attempts.length === 1);
    mailbox.answer = () => answer;
    instance.wait(60_000);
    await until(async () => (await company.emails.get({ id })).status === status);
    const { data } = await company.events.list({ resource_id: document_id });
    expect(data[0]).toMatchObject({ action: `email.${status}`, detail: { document_id, doubts: 1 } });
  });

  test("a process that ends amid an attempt leaves a doubt: one attempt more, never a third", async () => {
    const instance = await aMailingInstance(driver);
    const { company, mailbox } = instance;
    const { id } = await anEmail(instance);
    for (const doubts of [0, 1]) {
      const [taken] = await company.emails.take({ most: 10 });
      expect(taken).toEqual({ delivery_id: id, attempt: doubts + 1 });
      expect(await company.emails.begin(taken as never)).toMatchObject({ message: { to: [ANA] } });
      expect(await company.emails.get({ id })).toMatchObject({ doubts, status: "queued" });
      expect(await company.emails.take({ most: 10 })).toEqual([]);
      instance.wait(301_000);
    }
    expect(await company.emails.take({ most: 10 })).toEqual([]);
    expect(await company.emails.get({ id })).toMatchObject({ doubts: 2, status: "unknown", error: "interrupted" });
    expect(mailbox.messages).toEqual([]);
  });
});

describe.each(DATABASES)("an e-mail that nobody takes for a week, over $name", (driver) => {
  /** The e-mail after a week without a sender, when the next one is queued. */
  async function aWeekLater(instance: Instance, { id, document_id }: { id: string; document_id: string }) {
    instance.wait(86_400_000 * 8);
    await instance.company.documents.email({ id: document_id, to: ["b@example.com"] });
    return instance.company.emails.get({ id });
  }

  test("has failed if none was attempted", async () => {
    const instance = await aMailingInstance(driver);
    const email = await anEmail(instance);
    expect(await aWeekLater(instance, email)).toMatchObject({ status: "failed", error: "not_taken", doubts: 0 });
  });

  test("is unknown if an attempt was begun and never settled", async () => {
    const instance = await aMailingInstance(driver);
    const { company } = instance;
    const email = await anEmail(instance);
    const [taken] = await company.emails.take({ most: 1 });
    await company.emails.begin(taken as never);
    expect(await aWeekLater(instance, email)).toMatchObject({
      status: "unknown",
      error: "not_taken",
      doubts: 1,
      attempts: [{ error: "interrupted" }],
    });
    expect((await company.series.verify()).whole).toBe(true);
  });

  test("is unknown if the fate of an earlier attempt is", async () => {
    const instance = await aMailingInstance(driver);
    const { company } = instance;
    const email = await anEmail(instance);
    const [taken] = await company.emails.take({ most: 1 });
    await company.emails.begin(taken as never);
    const lost = { outcome: "unknown" as const, status: null, error: "ECONNRESET", duration_ms: 1 };
    await company.emails.settle({ ...(taken as { delivery_id: string; attempt: number }), ...lost });
    expect(await aWeekLater(instance, email)).toMatchObject({ status: "unknown", doubts: 1 });
  });
});

describe.each(DATABASES)("who sends, over $name", (driver) => {
  test("one that was taken and not begun leaves no doubt", async () => {
    const instance = await aMailingInstance(driver);
    const { company } = instance;
    const { id } = await anEmail(instance);
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(await company.emails.take({ most: 10 })).toEqual([{ delivery_id: id, attempt }]);
      instance.wait(301_000);
    }
    expect(await company.emails.get({ id })).toMatchObject({ doubts: 0, status: "queued" });
  });

  test("two that send on one database send each once, and companies take turns", async () => {
    const instance = await aMailingInstance(driver);
    const { company, lacre, mailbox } = instance;
    const other = await aCompany(lacre);
    const invoice = await anInvoice(instance);
    const theirs = await anInvoice(other);
    for (let i = 0; i < 12; i++) await company.documents.email({ id: invoice.id, to: [`a${i}@example.com`] });
    await other.company.documents.email({ id: theirs.id, to: [ANA] });
    mailing(lacre);
    mailing(lacre);
    await until(async () => (await company.emails.list({ status: "sent" })).pagination.total === 12);
    await until(async () => (await other.company.emails.list({ status: "sent" })).pagination.total === 1);
    expect(mailbox.messages).toHaveLength(13);
    expect(mailbox.messages.slice(0, 12).map(({ to }) => to[0])).toContain(ANA);
  });
});

describe.each(DATABASES)("the limits of e-mails, over $name", (driver) => {
  test("an hour holds 2,000 e-mails of a company", async () => {
    const instance = await aMailingInstance(driver);
    const { company } = instance;
    const { id } = await anInvoice(instance);
    const first = await company.documents.email({ id, to: [ANA] });
    const copied =
      "company_id, document_id, status, sender, sender_name, reply_to, recipients, copied, subject, message, " +
      "language, message_id, second_print, doubts, refused, error, queued_at, queued_by, ended_at";
    await instance.past(
      `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 1998)
       insert into emails (id, ${copied}) select 'x' || n, ${copied} from emails, counted where id = '${first.id}'`,
    );
    await company.documents.email({ id, to: [ANA] });
    expect(await refusal(company.documents.email({ id, to: [ANA] }))).toEqual(["rate_limited", ""]);
    instance.wait(3_600_001);
    await company.documents.email({ id, to: [ANA] });
  });

  test("a restored backup sends nothing that waited: it is told as unknown", async () => {
    const instance = await aMailingInstance(driver, { file: aFile() });
    const { company, lacre, mailbox } = instance;
    const { id } = await anEmail(instance);
    await lacre.installation.countRestore();
    mailing(lacre);
    expect(await lacre.emails.due()).toEqual([]);
    expect(await company.emails.get({ id })).toMatchObject({ status: "unknown", error: "restored" });
    expect(mailbox.messages).toEqual([]);
    expect((await company.series.verify()).whole).toBe(true);
  });
});

describe.each(DATABASES)("what a sender answers, over $name", (driver) => {
  test("nothing but what is asked of a sender is taken, and no more of it than fits", async () => {
    const instance = await aMailingInstance(driver);
    const { company, lacre, mailbox } = instance;
    const refused = ["b@example.com", "c d", 5, ...Array.from({ length: 30 }, (_, i) => `e${i}@example.com`)];
    const more = { refused, accepted: [ANA], envelope: {}, duration_ms: 7, delivery_id: "another" };
    const answers = [
      { ...BUSY, status: "451", error: "x".repeat(5_000) },
      { ...TAKEN, ...more },
    ];
    mailbox.answer = () => answers.shift() as never;
    mailing(lacre);
    const { id } = await anEmail(instance);
    await until(async () => (await company.emails.get({ id })).attempts.length === 1);
    expect((await company.emails.get({ id })).attempts[0]).toMatchObject({ status: null, error: "x".repeat(1_000) });
    instance.wait(10_000);
    await until(async () => (await company.emails.get({ id })).status === "sent");
    expect((await company.emails.get({ id })).refused).toEqual([refused[0], ...refused.slice(3, 22)]);
    expect(mailbox.messages).toHaveLength(2);
  });

  test.each([
    { what: "no outcome", answer: {} },
    { what: "an outcome of its own", answer: { ...TAKEN, outcome: "ok" } },
    { what: "nothing", answer: undefined },
  ])("a sender that answers $what leaves a doubt", async ({ answer }) => {
    const instance = await aMailingInstance(driver);
    const { company, lacre, mailbox } = instance;
    mailbox.answer = () => answer as never;
    mailing(lacre);
    const { id } = await anEmail(instance);
    await until(async () => (await company.emails.get({ id })).attempts.length === 1);
    expect(await company.emails.get({ id })).toMatchObject({ doubts: 1, attempts: [{ error: "sender_failed" }] });
  });

  test("the log leaves out a server's reply, which may name an address", async () => {
    const log: LogEntry[] = [];
    const instance = await aMailingInstance(driver, { log: (entry: LogEntry) => void log.push(entry) });
    const { company, lacre, mailbox } = instance;
    const answers = [
      { ...BUSY, error: `450 <${ANA}>: later` },
      { ...BUSY, status: null, error: "ECONNREFUSED" },
    ];
    mailbox.answer = () => answers.shift() ?? TAKEN;
    mailing(lacre);
    const { id } = await anEmail(instance);
    await until(async () => (await company.emails.get({ id })).attempts.length === 1);
    instance.wait(10_000);
    await until(async () => (await company.emails.get({ id })).attempts.length === 2);
    expect(log.filter(({ event }) => event === "email")).toMatchObject([
      { status: 451, error: null },
      { status: null, error: "ECONNREFUSED" },
    ]);
    expect(JSON.stringify(log)).not.toContain(ANA);
    expect(JSON.stringify(await company.emails.get({ id }))).toContain(`450 <${ANA}>`); // the control
  });

  test("the log names no address, and a sender that throws leaves a doubt", async () => {
    const log: LogEntry[] = [];
    const instance = await aMailingInstance(driver, { log: (entry: LogEntry) => void log.push(entry) });
    const { company, lacre, mailbox } = instance;
    mailbox.answer = () => Promise.reject(new Error(`password for ${ANA}`));
    mailing(lacre);
    const { id } = await anEmail(instance);
    await until(async () => (await company.emails.get({ id })).doubts === 1);
    expect(log.filter(({ event }) => event === "email")).toMatchObject([
      { level: "warn", email_id: id, outcome: "unknown", error: "sender_failed" },
    ]);
    expect(JSON.stringify(log)).not.toContain(ANA);
  });
});
