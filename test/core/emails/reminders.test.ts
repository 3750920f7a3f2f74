/** Reminders of what is overdue: to whom, when, how often, and what becomes of them. */
import { openLacre } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { aCreditNote, aCustomer, anInvoice, aPayment } from "../../support/factories.ts";
import { aCompany, aFile, anInstance, type Instance } from "../../support/instance.ts";
import { aMailbox, LOST, mailing } from "../../support/mail.ts";
import { ANA, anInvoiceDue, inDays, morning, remindersOf, sendAll, takeAll } from "../../support/reminders.ts";
import { until } from "../../support/until.ts";
import { hasty } from "../../support/webhooks.ts";

type Driver = (typeof DATABASES)[number];

/** An instance whose company reminds on these days after a document was due; it set them at ten, after the morning. */
async function aReminding(driver: Driver, days: number[] = [3, 10], options = {}): Promise<Instance> {
  const instance = await anInstance(driver, { mailSender: aMailbox(), timer: hasty, ...options });
  await instance.company.mail.change({ reminders: { days } });
  return instance;
}

describe.each(DATABASES)("reminders over $name", (driver) => {
  test("an invoice that is overdue is reminded of once at each step, at nine o'clock", async () => {
    const instance = await aReminding(driver);
    const { company, company_id, lacre } = instance;
    await lacre.companies.change({ id: company_id, iban: "PT50000201231234567890154" });
    const invoice = await anInvoiceDue(instance, 1);
    for (const days of [0, 1, 2, 3]) expect(await morning(instance, days)).toEqual([]);
    instance.travel(`${inDays(4)}T08:59:59.000Z`);
    expect(await sendAll(instance)).toEqual([]);
    const [message, ...others] = await morning(instance, 4);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ to: [ANA], cc: [], from: { name: "Padaria Central, Lda." } });
    expect(message?.subject).toBe(`Lembrete de pagamento: Fatura ${invoice.number} – Padaria Central, Lda.`);
    expect(message?.text).toBe(
      `Estimado cliente,\n\nLembramos que a fatura ${invoice.number}, de 21-11-2026, venceu no dia 22-11-2026. Falta ` +
        "pagar 123,00\u00a0€.\n\nPode pagar por transferência para o IBAN PT50 0002 0123 1234 5678 9015 4.\n\n" +
        "Enviamos o documento de novo, em anexo. Se entretanto já pagou, por favor ignore esta mensagem.\n\n" +
        "Com os melhores cumprimentos,\nPadaria Central, Lda.",
    );
    expect(message?.attachments).toMatchObject([{ type: "application/pdf" }]);
    for (const days of [5, 6, 7, 8, 9, 10]) expect(await morning(instance, days)).toEqual([]);
    expect(await morning(instance, 11)).toHaveLength(1);
    for (const days of [12, 100, 400]) expect(await morning(instance, days)).toEqual([]);
    expect(await remindersOf(instance, invoice)).toEqual([
      [3, "sent"],
      [10, "sent"],
    ]);
    const { data } = await company.events.list({ resource_id: invoice.id });
    const told = data.filter(({ action }) => action.startsWith("email.")).map(({ action, detail }) => [action, detail]);
    const detail = { document_id: invoice.id, reminder: 10 };
    expect(told.slice(0, 2)).toEqual([
      ["email.sent", detail],
      ["email.queued", detail],
    ]);
    expect((await company.series.verify()).whole).toBe(true);
  });

  test("it carries a second print, and leaves the original to whoever sends that", async () => {
    const instance = await aReminding(driver, [1]);
    const { company } = instance;
    const { id } = await anInvoiceDue(instance, 1);
    await morning(instance, 2);
    await company.documents.email({ id });
    const { data } = await company.emails.list({ document_id: id });
    expect(data).toMatchObject([
      { reminder: null, original: true },
      { reminder: 1, original: false },
    ]);
  });

  test("a company that sets no days reminds of nothing, and one that set them and none again", async () => {
    const instance = await aReminding(driver, []);
    const invoice = await anInvoiceDue(instance, 1);
    expect(await morning(instance, 4)).toEqual([]);
    await instance.company.mail.change({ reminders: { days: [5] } });
    await instance.company.mail.change({ reminders: { days: [] } });
    expect(await morning(instance, 6)).toEqual([]);
    await instance.company.mail.change({ reminders: { days: [10] } });
    expect(await morning(instance, 11)).toHaveLength(1);
    expect(await remindersOf(instance, invoice)).toEqual([[10, "sent"]]);
  });
});

describe.each(DATABASES)("what is not reminded of, over $name", (driver) => {
  test("what is paid, credited, cancelled, due on no day, no invoice or for training is not reminded of", async () => {
    const instance = await aReminding(driver, [1]);
    const { company } = instance;
    const due = { due_date: inDays(1) };
    await aPayment(instance, await anInvoiceDue(instance, 1), 123);
    await aCreditNote(instance, await anInvoiceDue(instance, 1));
    await company.documents.cancel({ id: (await anInvoiceDue(instance, 1)).id, reason: "Engano" });
    await anInvoiceDue(instance, 1, { due_date: null });
    await anInvoiceDue(instance, 1, { doc_type: "FS", ...due });
    const school = await company.series.create({ doc_type: "FT", code: "ENSAIO", training: true });
    await anInvoiceDue(instance, 1, { series_id: school.id });
    // the control: what is owed in part, and a debit note
    const part = await anInvoiceDue(instance, 1);
    await aPayment(instance, part, 100);
    const { id: document_id, customer_id } = part;
    const debit = await anInvoiceDue(instance, 1, { doc_type: "ND", customer_id, references: [{ document_id }] });
    const texts = (await morning(instance, 2)).map(({ text }) => text);
    expect(texts.map((text) => /(?:fatura|débito) (\S+ \S+),.*Falta pagar (.*)\.\n/.exec(text)?.slice(1))).toEqual([
      [part.number, "23,00\u00a0€"],
      [debit.number, "123,00\u00a0€"],
    ]);
  });

  test("a customer without an address, or one that is not to be reminded, is not", async () => {
    const instance = await aReminding(driver, [1]);
    const { company } = instance;
    const nobody = await aCustomer(instance);
    const quiet = await aCustomer(instance, { email: "quieto@example.com", reminders: false });
    const broken = await aCustomer(instance, { email: "broken@example.com" });
    const gone = await aCustomer(instance, { email: "gone@example.com" });
    for (const { id: customer_id } of [nobody, quiet, broken, gone]) await anInvoiceDue(instance, 1, { customer_id });
    await instance.past(`update customers set email = 'a@example.com; b@example.com' where id = '${broken.id}'`);
    // the control: an archived customer owes what it owed
    await company.customers.archive({ id: gone.id });
    expect((await morning(instance, 2)).map(({ to }) => to)).toEqual([["gone@example.com"]]);
  });
});

describe.each(DATABASES)("the words of reminders over $name", (driver) => {
  test("they are in the customer's language, or the company's own, with their places filled", async () => {
    const instance = await aReminding(driver, [3]);
    const { company } = instance;
    const john = await aCustomer(instance, { email: "john@example.com", language: "en" });
    const invoice = await anInvoiceDue(instance, 1, { customer_id: john.id });
    const [message] = await morning(instance, 4);
    expect(message?.subject).toBe(`Payment reminder: Invoice ${invoice.number} – Padaria Central, Lda.`);
    expect(message?.text).toContain(
      `This is a reminder that invoice ${invoice.number} of 2026-11-21 was due on 2026-11-22.`,
    );
    expect(message?.text).not.toContain("IBAN");
    const own = {
      subject: "{number}: {outstanding}",
      message: "{customer}: {days} days, {total}, due {due_date} {iban}!",
    };
    await company.mail.change({ reply_to: "contas@example.com", reminders: { en: own } });
    await anInvoiceDue(instance, 4, { customer_id: john.id });
    // the program was off for two days
    const [ours] = await morning(instance, 9);
    expect(ours).toMatchObject({
      reply_to: "contas@example.com",
      subject: expect.stringMatching(/^FT \S+: 123\.00.EUR$/),
    });
    expect(ours?.text).toBe("Ana Conceição: 5 days, 123.00 EUR, due 2026-11-25 !");
  });
});

describe.each(DATABASES)("when reminders go out, over $name", (driver) => {
  test("of several steps that passed at once the latest alone goes out", async () => {
    const instance = await aReminding(driver, [3, 10, 30]);
    const [old, young] = [await anInvoiceDue(instance, 1), await anInvoiceDue(instance, 8)];
    expect(await morning(instance, 15)).toHaveLength(2);
    expect(await remindersOf(instance, old)).toEqual([[10, "sent"]]);
    expect(await remindersOf(instance, young)).toEqual([[3, "sent"]]);
    for (const days of [16, 17]) expect(await morning(instance, days)).toEqual([]);
    expect(await morning(instance, 18)).toHaveLength(1);
    expect(await remindersOf(instance, young)).toEqual([
      [3, "sent"],
      [10, "sent"],
    ]);
  });

  test("steps that had been reached when it was switched on have passed", async () => {
    const instance = await anInstance(driver, { mailSender: aMailbox() });
    const long = await anInvoiceDue(instance, 1);
    const lately = await anInvoiceDue(instance, 17);
    instance.travel(`${inDays(20)}T10:00:00.000Z`);
    await instance.company.mail.change({ reminders: { days: [3, 10, 30] } });
    for (const days of [20, 21, 22]) expect(await morning(instance, days)).toEqual([]);
    expect(await morning(instance, 27)).toHaveLength(1);
    expect(await morning(instance, 31)).toHaveLength(1);
    expect(await remindersOf(instance, lately)).toEqual([[10, "sent"]]);
    expect(await remindersOf(instance, long)).toEqual([[30, "sent"]]);
  });

  test("what is issued after its step, or owed again after it, waits for the next one", async () => {
    const instance = await aReminding(driver, [1, 5]);
    const { company } = instance;
    const bounced = await anInvoiceDue(instance, 1);
    const { id } = await aPayment(instance, bounced, 123);
    expect(await morning(instance, 3)).toEqual([]);
    await company.payments.void({ id });
    const late = await anInvoiceDue(instance, 1, { issue_date: inDays(1) });
    for (const days of [4, 5]) expect(await morning(instance, days)).toEqual([]);
    expect(await morning(instance, 6)).toHaveLength(2);
    for (const invoice of [bounced, late]) expect(await remindersOf(instance, invoice)).toEqual([[5, "sent"]]);
  });
});

describe.each(DATABASES)("when reminders wait, over $name", (driver) => {
  test("they go out from nine to eight in the evening, by the clock of the company", async () => {
    const instance = await aReminding(driver, [1]);
    const { lacre, company_id } = instance;
    await anInvoiceDue(instance, 1);
    instance.travel(`${inDays(2)}T20:00:00.000Z`);
    expect(await sendAll(instance)).toEqual([]);
    instance.travel(`${inDays(3)}T03:00:00.000Z`);
    expect(await sendAll(instance)).toEqual([]);
    await lacre.companies.change({ id: company_id, time_zone: "Atlantic/Azores" });
    instance.travel(`${inDays(3)}T09:59:59.000Z`);
    expect(await sendAll(instance)).toEqual([]);
    instance.travel(`${inDays(3)}T21:00:00.000Z`);
    expect(await sendAll(instance)).toEqual([]);
    instance.travel(`${inDays(4)}T20:59:59.000Z`);
    expect(await sendAll(instance)).toHaveLength(1);
  });

  test("they wait for a sender, and then the latest step goes out", async () => {
    const mailbox = { ...aMailbox(), from: null };
    const instance = await aReminding(driver, [1, 3], { mailSender: mailbox });
    const invoice = await anInvoiceDue(instance, 1);
    for (const days of [2, 3]) expect(await morning(instance, days)).toEqual([]);
    const server = { host: "smtp.example.com", port: 587, security: "starttls", from: "loja@example.com" } as const;
    await instance.company.mail.change({ server });
    expect(await morning(instance, 4)).toHaveLength(1);
    expect(await remindersOf(instance, invoice)).toEqual([[3, "sent"]]);
  });

  test("an hour has 1,000 e-mails of a company before its reminders wait; what a person sends does not", async () => {
    const instance = await aReminding(driver, [1]);
    const { company } = instance;
    const { id } = await anInvoiceDue(instance, 1);
    await company.documents.email({ id });
    await sendAll(instance);
    instance.travel(`${inDays(2)}T08:30:00.000Z`);
    const copied =
      "company_id, document_id, status, sender, sender_name, reply_to, recipients, copied, subject, message, " +
      "language, message_id, second_print, doubts, refused, error, queued_by, ended_at";
    await instance.past(
      `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 1000)
       insert into emails (id, queued_at, ${copied}) select 'x' || n, '${inDays(2)}T08:30:00.000Z', ${copied}
       from emails, counted where document_id = '${id}'`,
    );
    expect(await morning(instance, 2)).toEqual([]);
    expect((await company.documents.email({ id })).reminder).toBeNull();
    expect(await sendAll(instance)).toHaveLength(1);
    instance.wait(1_800_001);
    expect(await sendAll(instance)).toHaveLength(1);
  });
});

describe.each(DATABASES)("a reminder that waits, over $name", (driver) => {
  test.each<[string, (instance: Instance, invoice: Awaited<ReturnType<typeof anInvoiceDue>>) => Promise<unknown>]>([
    ["is paid", (instance, invoice) => aPayment(instance, invoice, 123)],
    ["is paid in part", (instance, invoice) => aPayment(instance, invoice, 1)],
    ["is credited", (instance, invoice) => aCreditNote(instance, invoice)],
    ["is cancelled", ({ company }, { id }) => company.documents.cancel({ id, reason: "Engano" })],
    [
      "is to a customer that is not to be reminded any more",
      ({ company }, { customer_id: id }) => company.customers.change({ id, reminders: false }),
    ],
    ["is of a company that reminds no more", ({ company }) => company.mail.change({ reminders: { days: [] } })],
  ])("is withdrawn where its document %s", async (_, happens) => {
    const instance = await aReminding(driver, [1]);
    const { company } = instance;
    const invoice = await anInvoiceDue(instance, 1);
    const other = await anInvoiceDue(instance, 1);
    await company.documents.email({ id: invoice.id });
    await sendAll(instance);
    instance.travel(`${inDays(2)}T09:00:00.000Z`);
    const taken = await takeAll(instance);
    expect(taken).toHaveLength(2);
    await happens(instance, invoice);
    const begun = await Promise.all(taken.map((one) => company.emails.begin(one)));
    const { data } = await company.emails.list({ document_id: invoice.id });
    expect(data).toMatchObject([
      { reminder: 1, status: "withdrawn", error: null, next_attempt_at: null },
      { reminder: null, status: "sent" },
    ]);
    expect(data[0]?.ended_at).not.toBeNull();
    // the control: that of another document is sent, but where the company reminds no more
    const isOff = (await company.mail.get()).reminders.days.length === 0;
    expect(begun.filter(Boolean)).toHaveLength(isOff ? 0 : 1);
    expect(await remindersOf(instance, other)).toEqual([[1, isOff ? "withdrawn" : "queued"]]);
    const kinds = (await company.waiting.list()).map(({ kind }) => kind);
    expect(kinds).not.toContain("emails_not_sent");
    expect((await company.series.verify()).whole).toBe(true);
    instance.wait(86_400_000);
    expect((await takeAll(instance)).map(({ delivery_id }) => delivery_id)).not.toContain(data[0]?.id);
  });

  test("is withdrawn once one at a later step has followed it", async () => {
    const instance = await aReminding(driver, [1, 2]);
    const { company } = instance;
    const invoice = await anInvoiceDue(instance, 1);
    instance.travel(`${inDays(2)}T09:00:00.000Z`);
    for (const taken of await takeAll(instance)) {
      expect(await company.emails.begin(taken)).not.toBeNull();
      await company.emails.settle({ ...taken, outcome: "failed", status: null, error: "ECONNREFUSED", duration_ms: 1 });
    }
    instance.travel(`${inDays(3)}T09:00:00.000Z`);
    // The one that waits is taken first, and is begun when the other is queued.
    const tried = await company.emails.take({ most: 1 });
    tried.push(...(await company.emails.take({ most: 1 })));
    const begun = await Promise.all(tried.map((taken) => company.emails.begin(taken)));
    expect(begun.filter((one) => one !== null)).toHaveLength(1);
    expect(await remindersOf(instance, invoice)).toEqual([
      [1, "withdrawn"],
      [2, "queued"],
    ]);
  });

  test("may have arrived where an attempt was lost before its document was paid", async () => {
    const mailbox = aMailbox();
    mailbox.answer = () => LOST;
    const instance = await aReminding(driver, [1], { mailSender: mailbox });
    const { company, lacre } = instance;
    const invoice = await anInvoiceDue(instance, 1);
    instance.travel(`${inDays(2)}T09:00:00.000Z`);
    mailing(lacre);
    await until(async () => (await company.emails.list()).data[0]?.doubts === 1);
    await aPayment(instance, invoice, 123);
    instance.wait(60_000);
    await until(async () => (await company.emails.list()).data[0]?.status === "unknown");
    expect(mailbox.messages).toHaveLength(1);
  });
});

describe.each(DATABASES)("many documents that are due, over $name", (driver) => {
  test("a hundred are looked at in one go, and the next go begins behind them", async () => {
    const instance = await aReminding(driver, [1]);
    const { company, lacre } = instance;
    const { id: customer_id } = await aCustomer(instance, { email: ANA });
    for (let i = 0; i < 100; i++) await anInvoiceDue(instance, 1, { customer_id, doc_type: "FS" });
    await anInvoiceDue(instance, 1, { customer_id });
    instance.travel(`${inDays(2)}T09:00:00.000Z`);
    expect(await company.emails.take({ most: 4 })).toEqual([]);
    expect(await lacre.emails.due()).toHaveLength(1);
    expect(await company.emails.take({ most: 4 })).toHaveLength(1);
    expect(await lacre.emails.due()).toEqual([]);
  });

  test("what a day leaves over, the next one goes on with: by then the latest step", async () => {
    const instance = await aReminding(driver, [1, 2]);
    const { company } = instance;
    const invoices = [];
    for (let i = 0; i < 3; i++) invoices.push(await anInvoiceDue(instance, 1));
    instance.travel(`${inDays(2)}T19:59:59.000Z`);
    expect(await company.emails.take({ most: 2 })).toHaveLength(2);
    instance.wait(1_000);
    expect(await company.emails.take({ most: 2 })).toEqual([]);
    await morning(instance, 3);
    const steps = await Promise.all(invoices.map((invoice) => remindersOf(instance, invoice)));
    expect(steps.map((all) => all.map(([step]) => step))).toEqual([[1, 2], [1, 2], [2]]);
  });
});

describe.each(DATABASES)("in the middle of a morning, over $name", (driver) => {
  test("days that are set anew repeat no reminder", async () => {
    const instance = await aReminding(driver, [1]);
    const { company } = instance;
    for (let i = 0; i < 3; i++) await anInvoiceDue(instance, 1);
    instance.travel(`${inDays(2)}T09:00:00.000Z`);
    expect(await company.emails.take({ most: 2 })).toHaveLength(2);
    await company.mail.change({ reminders: { days: [1, 9] } });
    expect(await takeAll(instance)).toHaveLength(1);
    expect((await company.emails.list()).pagination.total).toBe(3);
  });
});

describe.each(DATABASES)("a copy, over $name", (driver) => {
  test("reminds of nothing until its numbers are confirmed, nor of what the original may have reminded of", async () => {
    const instance = await aReminding(driver, [1, 5, 9], { file: aFile() });
    const { lacre } = instance;
    const invoice = await anInvoiceDue(instance, 1);
    instance.travel(`${inDays(2)}T10:00:00.000Z`);
    await lacre.installation.countRestore();
    expect(await sendAll(instance)).toEqual([]);
    for (const days of [3, 6]) expect(await morning(instance, days)).toEqual([]);
    const numbers = (await lacre.installation.get()).locked.map(({ head }) => head);
    await instance.company.series.confirmHeads({ numbers });
    for (const days of [7, 8, 9]) expect(await morning(instance, days)).toEqual([]);
    expect(await morning(instance, 10)).toHaveLength(1);
    expect(await remindersOf(instance, invoice)).toEqual([[9, "sent"]]);
  });

  test("whose numbers are confirmed at once reminds of nothing that the original may have reminded of", async () => {
    const instance = await aReminding(driver, [1, 5], { file: aFile() });
    const { lacre } = instance;
    await anInvoiceDue(instance, 1);
    instance.travel(`${inDays(2)}T10:00:00.000Z`);
    await lacre.installation.countRestore();
    const numbers = (await lacre.installation.get()).locked.map(({ head }) => head);
    await instance.company.series.confirmHeads({ numbers });
    expect(await sendAll(instance)).toEqual([]);
    for (const days of [3, 4, 5]) expect(await morning(instance, days)).toEqual([]);
    expect(await morning(instance, 6)).toHaveLength(1);
  });
});

describe.each(DATABASES)("who sends reminders, over $name", (driver) => {
  test("two programs on one database send each once", async () => {
    const file = aFile();
    const mailbox = aMailbox();
    const instance = await aReminding(driver, [1], { file, mailSender: mailbox });
    const { company, lacre, now } = { ...instance, now: instance.lacre.now };
    const customer_id = (await aCustomer(instance, { email: ANA })).id;
    for (let i = 0; i < 12; i++) await anInvoiceDue(instance, 1, { customer_id });
    const other = await openLacre({ dialect: driver.dialect(file), now, mailSender: mailbox, timer: hasty });
    try {
      instance.travel(`${inDays(2)}T09:00:00.000Z`);
      const stop = new AbortController();
      const sending = [lacre, other].map((each) => each.emails.deliver({ signal: stop.signal }));
      await until(async () => (await company.emails.list({ status: "sent" })).pagination.total === 12);
      await until(async () => (await lacre.emails.due()).length === 0);
      stop.abort();
      await Promise.all(sending);
      expect(new Set(mailbox.messages.map(({ subject }) => subject)).size).toBe(12);
      expect(mailbox.messages).toHaveLength(12);
    } finally {
      await other.close();
    }
  });

  test("a program that ends in the middle of a morning leaves the rest to the next, which repeats none", async () => {
    const file = aFile();
    const instance = await aReminding(driver, [1], { file });
    const { lacre, company_id } = instance;
    const { id: customer_id } = await aCustomer(instance, { email: ANA });
    for (let i = 0; i < 5; i++) await anInvoiceDue(instance, 1, { customer_id });
    instance.travel(`${inDays(2)}T09:00:00.000Z`);
    const { emails } = instance.company;
    const taken = await emails.take({ most: 2 });
    expect(taken).toHaveLength(2);
    for (const one of taken.slice(1)) {
      await emails.settle({ ...one, outcome: "delivered", status: 250, error: null, duration_ms: 1 });
    }
    await lacre.close();
    const next = await openLacre({ dialect: driver.dialect(file), now: lacre.now, mailSender: aMailbox() });
    const company = next.as(company_id);
    try {
      const messages = await sendAll({ lacre: next, company, company_id });
      instance.wait(300_000);
      messages.push(...(await sendAll({ lacre: next, company, company_id })));
      expect(messages).toHaveLength(4);
      const { data, pagination } = await company.emails.list({ status: "sent" });
      expect([pagination.total, new Set(data.map(({ document_id }) => document_id)).size]).toEqual([5, 5]);
    } finally {
      await next.close();
    }
  });
});

describe.each(DATABASES)("reminders of several companies, over $name", (driver) => {
  test("those of one hold up neither what its people send nor other companies", async () => {
    const mailbox = aMailbox();
    const instance = await aReminding(driver, [1], { mailSender: mailbox });
    const { company, lacre } = instance;
    const customer_id = (await aCustomer(instance, { email: ANA })).id;
    for (let i = 0; i < 24; i++) await anInvoiceDue(instance, 1, { customer_id });
    const other = await aCompany(lacre);
    await other.company.mail.change({ reminders: { days: [1] } });
    const theirs = await anInvoiceDue(other, 1, {
      customer_id: (await aCustomer(other, { email: "rui@example.com" })).id,
    });
    instance.travel(`${inDays(2)}T09:00:00.000Z`);
    let asked = false;
    mailbox.answer = async () => {
      if (!asked) {
        asked = true;
        const { id } = await anInvoice(instance);
        await company.documents.email({ id, to: ["now@example.com"] });
      }
      return { outcome: "delivered", status: 250, error: null };
    };
    mailing(lacre);
    await until(async () => (await company.emails.list({ status: "sent" })).pagination.total === 25);
    await until(async () => (await remindersOf(other, theirs))[0]?.[1] === "sent");
    const order = mailbox.messages.map(({ to }) => to[0]);
    expect(order).toHaveLength(26);
    expect(order.indexOf("rui@example.com")).toBeLessThan(12);
    expect(order.indexOf("now@example.com")).toBeLessThan(16);
  });

  test("while two have many, what people of a third send goes before them", async () => {
    const mailbox = aMailbox();
    const instance = await aReminding(driver, [1], { mailSender: mailbox });
    const { lacre } = instance;
    const [second, third] = [await aCompany(lacre), await aCompany(lacre)];
    await second.company.mail.change({ reminders: { days: [1] } });
    for (const home of [instance, second]) {
      const { id: customer_id } = await aCustomer(home, { email: ANA });
      for (let i = 0; i < 16; i++) await anInvoiceDue(home, 1, { customer_id });
    }
    instance.travel(`${inDays(2)}T09:00:00.000Z`);
    const write = async () => {
      instance.wait(1_000);
      const { id } = await anInvoice(third);
      await third.company.documents.email({ id, to: ["now@example.com"] });
    };
    let written: Promise<void> | undefined;
    mailbox.answer = async () => {
      written ??= write();
      await written;
      return { outcome: "delivered", status: 250, error: null };
    };
    mailing(lacre);
    await until(() => mailbox.messages.length === 33);
    // Eight are under way at once: it is among those that follow the first.
    expect(mailbox.messages.findIndex(({ to }) => to[0] === "now@example.com")).toBeLessThan(16);
  });

  test("those that have nothing else to send take turns", async () => {
    const instance = await aReminding(driver, [1]);
    const { lacre, company_id } = instance;
    const other = await aCompany(lacre);
    await other.company.mail.change({ reminders: { days: [1] } });
    for (const home of [instance, other]) for (let i = 0; i < 4; i++) await anInvoiceDue(home, 1);
    instance.travel(`${inDays(2)}T09:00:00.000Z`);
    const order = async () => (await lacre.emails.due()).map((queue) => queue.company_id);
    expect(await order()).toEqual([company_id, other.company_id]);
    await instance.company.emails.take({ most: 2 });
    expect(await order()).toEqual([other.company_id, company_id]);
    instance.wait(1);
    await other.company.emails.take({ most: 2 });
    expect(await order()).toEqual([company_id, other.company_id]);
  });
});
